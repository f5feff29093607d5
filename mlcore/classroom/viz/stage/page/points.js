// The learner's hand on the points of a picture: handles over the picture, a tool bar above it. The handles move here at
// once; Python is told, draws, and answers.
import { clamp, make } from './tools.js';

const SMALL = 0.01; // a step of the arrow keys, in parts of the box
const LARGE = 0.1; // the same with Shift
const BRUSH = 16; // pixels from one drawn point to the next
const NEAR = 16; // pixels between two clicks at one place
const ROWS = [0, 17, 34]; // pixels above a line of values, for the handles of values that lie close together
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };

// What can be done with the points, besides the tools: by which keys.
function help({ fixed }) {
  return [
    ['Mouse, pen, finger', `drag a point${fixed ? '' : '; double click (tap) an empty place to add one'}`],
    ['Tab', 'to the points, and on to the buttons'],
    ['Arrows', 'move a point (with Shift: further)'],
    ['Page Up, Page Down', 'the point before, the next (Home, End: the first, the last)'],
    ['Shift+Enter', 'run the cell again'],
  ];
}

const copy = ({ X, y }) => ({ X: X.map((point) => [...point]), y: [...y] });

// The points, and what they were before: every change can be undone.
class Sheet {
  constructor(points) {
    Object.assign(this, copy(points));
    this.past = [];
    this.future = [];
    this.last = { what: null, when: 0 };
  }

  // Keep the points as they are, before a change. Steps of one kind in quick succession are undone together.
  remember(what = null) {
    const goesOn = what !== null && what === this.last.what && Date.now() - this.last.when < 1000;
    this.last = { what, when: Date.now() };
    if (goesOn) return;
    this.past.push(copy(this));
    this.future = [];
  }

  back(from, to) {
    if (!from.length) return false;
    to.push(copy(this));
    Object.assign(this, from.pop());
    this.last = { what: null, when: 0 };
    return true;
  }

  undo() { return this.back(this.past, this.future); }

  redo() { return this.back(this.future, this.past); }
}

// What can be undone survives a reload of the page, as the points do: it is kept with the tab, by what the points are.
const KEPT = 'mlcore-undo ';

function kept(stage) {
  try {
    const { past, future, now } = JSON.parse(sessionStorage.getItem(KEPT + stage.spec.alt));
    if (JSON.stringify(now) !== JSON.stringify(copy(stage.frame.points))) return null;
    return Object.assign(new Sheet(now), { past, future });
  } catch { return null; }
}

function keep(stage, sheet) {
  window.addEventListener('pagehide', () => {
    const { past, future } = sheet;
    try {
      sessionStorage.setItem(KEPT + stage.spec.alt, JSON.stringify({ past: past.slice(-50), future, now: copy(sheet) }));
    } catch { /* a private window, or a full one */ }
  });
}

export function points(stage) {
  const look = stage.spec.points;
  let state = stage.frame.points;
  const [xs, ys] = look.box;
  const start = copy(stage.spec.start);
  const sheet = kept(stage) ?? new Sheet(copy(state));
  const post = { ask: (message) => stage.ask({ kind: 'points', ...message }) };
  const digits = [xs, ys].map(([low, high]) => clamp(Math.ceil(-Math.log10((high - low) / 100)), [0, 6]));
  const moves = { x: look.along !== 'y', y: look.along !== 'x' };
  let current = 0; // the point in the hand: it is marked, and Tab leads to it
  let klass = 0; // of new points
  let drawing = false;
  let heard = null; // the last frame in which something was said

  const bar = make('div', { class: 'mlcore-tools', role: 'group', 'aria-label': 'points' });
  const layer = make('div', {
    class: 'mlcore-hand', role: 'application', 'aria-label': 'points of the picture: arrow keys move, Page Down goes to the next',
  });
  const said = make('div', { class: 'mlcore-said', role: 'status', 'aria-live': 'polite' });
  const el = make('div', { class: 'mlcore-points' }, layer, said);

  // ---------------------------------------------------------------------------------------------------------------
  // From the axes to the picture and back
  // ---------------------------------------------------------------------------------------------------------------
  const where = ([x, y]) => {
    const [left, bottom, right, top] = state.place;
    const part = (value, [low, high]) => (value - low) / (high - low);
    return [left + part(x, xs) * (right - left), bottom + part(y, ys) * (top - bottom)];
  };

  const under = (event) => {
    const [left, bottom, right, top] = state.place;
    const frame = layer.getBoundingClientRect();
    const across = ((event.clientX - frame.left) / frame.width - left) / (right - left);
    const up = ((event.clientY - frame.top) / frame.height - bottom) / (top - bottom);
    return [xs[0] + across * (xs[1] - xs[0]), ys[0] + up * (ys[1] - ys[0])];
  };

  const apart = (one, other) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
  const inside = ([x, y]) => x >= xs[0] && x <= xs[1] && y >= ys[0] && y <= ys[1];
  const within = ([x, y]) => [clamp(x, xs), clamp(y, ys)];

  // ---------------------------------------------------------------------------------------------------------------
  // What is seen
  // ---------------------------------------------------------------------------------------------------------------
  const shape = (k) => {
    const color = look.classes ? `var(--mlcore-class${k})` : 'var(--mlcore-ink)';
    const outline = `<path d="${look.shapes[k]}"/>`; // and within it, where there is no point of the picture, a smaller one
    return `<svg viewBox="-12 -12 24 24" aria-hidden="true" style="color:${color}">${outline.repeat(2)}</svg>`;
  };

  const describe = (i) => {
    const [x, y] = sheet.X[i];
    const parts = [`point ${i + 1} of ${sheet.X.length}`, `x ${x.toFixed(digits[0])}`];
    if (!look.line) parts.push(`y ${y.toFixed(digits[1])}`);
    if (look.classes) parts.splice(1, 0, look.names[sheet.y[i]]);
    return parts.join(', ');
  };

  const handle = (i) => layer.children[i];

  function place(i) {
    const [across, down] = where(sheet.X[i]);
    handle(i).style.left = `${100 * across}%`;
    handle(i).style.top = `${100 * down}%`;
    handle(i).setAttribute('aria-label', describe(i));
  }

  function show() {
    const n = sheet.X.length;
    const hadFocus = layer.contains(document.activeElement);
    current = clamp(current, [0, Math.max(n - 1, 0)]);
    while (layer.children.length > n) layer.lastChild.remove();
    while (layer.children.length < n) layer.append(newHandle());
    for (let i = 0; i < n; i += 1) {
      const k = look.classes ? sheet.y[i] : 0;
      if (handle(i).dataset.klass !== String(k)) {
        handle(i).dataset.klass = k;
        handle(i).innerHTML = shape(k);
      }
      handle(i).tabIndex = i === current ? 0 : -1;
      handle(i).classList.toggle('mlcore-current', i === current);
      place(i);
    }
    layer.classList.toggle('mlcore-many', n > 40);
    if (look.line && !held) stagger();
    dressTools();
    if (hadFocus && !layer.contains(document.activeElement)) (handle(current) ?? tools.add).focus({ preventScroll: true });
  }

  // Values on a line may lie so close that their handles would be one black strip: each takes the lowest row with room.
  function stagger() {
    const { clientWidth, clientHeight } = layer;
    const taken = [];
    for (const i of [...sheet.X.keys()].sort((a, b) => sheet.X[a][0] - sheet.X[b][0])) {
      const [across, down] = where(sheet.X[i]);
      const rows = ROWS.map((up) => {
        const [x, y] = [across * clientWidth, down * clientHeight - up];
        return { up, x, y, room: Math.min(ROWS[1], ...taken.map((other) => Math.hypot(x - other.x, y - other.y))) };
      });
      const row = rows.reduce((best, other) => (other.room > best.room ? other : best));
      taken.push(row);
      handle(i).style.setProperty('--up', `${row.up}px`);
      handle(i).classList.toggle('mlcore-lifted', row.up > 0);
    }
  }

  const newHandle = () => make('button', { class: 'mlcore-point', type: 'button', 'aria-roledescription': 'point' });

  // `seen`: also for those who do not listen
  function say(text, seen = false) {
    said.textContent = text;
    said.classList.toggle('mlcore-seen', seen && text !== '');
  }

  // ---------------------------------------------------------------------------------------------------------------
  // What can be done
  // ---------------------------------------------------------------------------------------------------------------
  function tell(text = '') {
    show();
    say(text);
    post.ask({ X: sheet.X, y: sheet.y });
  }

  function choose(i) {
    current = i;
    if (look.classes && sheet.X.length) klass = sheet.y[current];
    show();
    handle(current)?.focus({ preventScroll: true });
  }

  function moveTo(i, point) {
    const [x, y] = within(point);
    sheet.X[i] = [moves.x ? x : sheet.X[i][0], moves.y ? y : sheet.X[i][1]];
  }

  function step([across, up], far) {
    if (!sheet.X.length) return;
    const size = far ? LARGE : SMALL;
    const [x, y] = sheet.X[current];
    sheet.remember(`step ${current}`);
    moveTo(current, [x + across * size * (xs[1] - xs[0]), y + up * size * (ys[1] - ys[0])]);
    tell(describe(current));
  }

  const full = () => sheet.X.length >= look.most;
  const bare = () => sheet.X.length <= look.fewest;

  function add(point) {
    if (full()) return say(`there may be at most ${look.most} points`, true);
    sheet.remember();
    sheet.X.push(within(point));
    if (look.classes) sheet.y.push(klass);
    choose(sheet.X.length - 1);
    return tell(`added: ${describe(current)}`);
  }

  // without a mouse: beside the point in the hand, towards the middle
  function addBeside() {
    const middle = [(xs[0] + xs[1]) / 2, (ys[0] + ys[1]) / 2];
    const [x, y] = sheet.X[current] ?? middle;
    const aside = (value, centre, [low, high]) => value + (value > centre ? -1 : 1) * LARGE * (high - low) / 2;
    add(sheet.X.length ? [aside(x, middle[0], xs), look.line ? y : aside(y, middle[1], ys)] : middle);
  }

  function remove() {
    if (bare()) return say(`there must be at least ${look.fewest} points`, true);
    sheet.remember();
    sheet.X.splice(current, 1);
    if (look.classes) sheet.y.splice(current, 1);
    return tell(`deleted: ${sheet.X.length} points are left`);
  }

  function relabel(k) {
    if (k >= look.classes) return;
    klass = k;
    if (!sheet.X.length) return dressTools();
    if (sheet.y[current] !== k) sheet.remember();
    sheet.y[current] = k;
    tell(describe(current));
  }

  const nextClass = () => relabel(((sheet.y[current] ?? klass) + 1) % look.classes);
  const undo = () => sheet.undo() && tell('undone');
  const redo = () => sheet.redo() && tell('done again');

  function reset() {
    if (differs(start)) sheet.remember();
    Object.assign(sheet, copy(start));
    tell('as at the start');
  }

  // ---------------------------------------------------------------------------------------------------------------
  // Mouse, pen and finger
  // ---------------------------------------------------------------------------------------------------------------
  let held = null; // the point that is dragged, and where it was grasped
  let brush = null; // where the last point was drawn
  let lastClick = null;
  let tapped = null; // the press on an empty place that may become a click

  // Where handles lie over each other, the one whose centre is nearest.
  function nearest(event) {
    const away = [...layer.children].map((node) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      return apart(event, { clientX: (left + right) / 2, clientY: (top + bottom) / 2 });
    });
    return away.lastIndexOf(Math.min(...away));
  }

  function press(event) {
    if (event.button !== 0) return;
    tapped = event.target === layer && !drawing ? event : null;
    if (drawing) {
      layer.setPointerCapture(event.pointerId);
      if (!full()) sheet.remember();
      brush = event;
      return scatter(event);
    }
    if (event.target === layer) return;
    const i = nearest(event);
    event.preventDefault();
    layer.setPointerCapture(event.pointerId);
    choose(i);
    const [x, y] = under(event);
    held = { i, moved: false, off: [sheet.X[i][0] - x, sheet.X[i][1] - y], id: event.pointerId };
    handle(i).classList.add('mlcore-held');
  }

  function drag(event) {
    if (brush && apart(event, brush) >= BRUSH) {
      brush = event;
      scatter(event);
    }
    if (!held || held.id !== event.pointerId) return;
    if (!held.moved) sheet.remember();
    held.moved = true;
    const [x, y] = under(event);
    moveTo(held.i, [x + held.off[0], y + held.off[1]]);
    place(held.i);
    post.ask({ X: sheet.X, y: sheet.y });
  }

  function release(event) {
    if (event.type === 'pointerup' && tapped) click(event);
    tapped = null;
    if (held) {
      handle(held.i)?.classList.remove('mlcore-held');
      if (held.moved) tell(describe(held.i));
    }
    held = brush = null;
  }

  // Two clicks or taps on an empty place within half a second add a point there.
  function click(event) {
    if (look.fixed || apart(event, tapped) > NEAR) return;
    const again = lastClick && event.timeStamp - lastClick.timeStamp < 500 && apart(event, lastClick) < NEAR;
    lastClick = again ? null : event;
    if (again && inside(under(event))) add(under(event));
  }

  // A point near the brush, by chance.
  function scatter(event) {
    if (full()) return say(`there may be at most ${look.most} points`, true);
    const chance = () => Math.random() + Math.random() + Math.random() - 1.5;
    const [x, y] = under(event);
    sheet.X.push(within([x + 0.03 * (xs[1] - xs[0]) * chance(), y + 0.03 * (ys[1] - ys[0]) * chance()]));
    if (look.classes) sheet.y.push(klass);
    return tell(`${sheet.X.length} points`);
  }

  layer.addEventListener('pointerdown', press);
  layer.addEventListener('pointermove', drag);
  for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) layer.addEventListener(end, release);
  layer.addEventListener('focusin', (event) => {
    const i = [...layer.children].indexOf(event.target);
    if (i >= 0 && i !== current) choose(i);
  });

  // ---------------------------------------------------------------------------------------------------------------
  // Keys
  // ---------------------------------------------------------------------------------------------------------------
  function key(event) {
    const n = sheet.X.length;
    const command = event.ctrlKey || event.metaKey;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const actions = command
      ? { z: () => (event.shiftKey ? redo() : undo()), y: redo }
      : {
        PageDown: () => choose((current + 1) % n), PageUp: () => choose((current + n - 1) % n),
        Home: () => choose(0), End: () => choose(n - 1),
        ...(look.fixed ? {} : { Delete: remove, Backspace: remove, n: addBeside }),
        ...(look.fixed || look.classes < 2 ? {} : { c: nextClass }),
      };
    if (!command && ARROWS[name]) actions[name] = () => step(ARROWS[name], event.shiftKey);
    if (!command && !look.fixed && look.classes > 1 && /^\d$/.test(name)) actions[name] = () => relabel(Number(name));
    if (!actions[name]) return;
    event.preventDefault();
    event.stopPropagation();
    actions[name]();
  }
  layer.addEventListener('keydown', key);

  // ---------------------------------------------------------------------------------------------------------------
  // The tool bar
  // ---------------------------------------------------------------------------------------------------------------
  function tool(name, title, action) {
    const button = make('button', { class: 'mlcore-tool', type: 'button', title }, name);
    button.addEventListener('click', action);
    bar.append(button);
    return button;
  }

  const tools = {};
  if (!look.fixed) {
    tools.add = tool('Add', 'a new point (N, or double click an empty place)', addBeside);
    tools.remove = tool('Delete', 'the marked point (Delete, Backspace)', remove);
    if (look.classes > 1) tools.klass = tool('Class', 'of the marked point and of new ones (C: the next; or 0, 1, …)', nextClass);
    if (!look.line) tools.draw = tool('Draw', 'press in the picture and move: points are scattered', toggleDrawing);
  }
  tools.undo = tool('Undo', 'the last change (Ctrl+Z)', undo);
  tools.redo = tool('Redo', 'what was undone (Ctrl+Y, Ctrl+Shift+Z)', redo);
  tools.reset = tool('Reset', 'the points as at the start', reset);
  if (!look.fixed) tools.data = tool('Your data', 'paste a table of your own', () => toggle(dataPanel));
  const lines = [...help(look), ...[...bar.children].map((button) => [button.textContent, button.title])];
  tools.help = tool('?', 'keys', () => toggle(helpPanel));
  tools.help.setAttribute('aria-label', 'help: what mouse and keys do');

  function dressTools() {
    const idle = {
      add: full(), draw: full(), remove: bare(), undo: !sheet.past.length, redo: !sheet.future.length, reset: !differs(start),
    };
    for (const [name, is] of Object.entries(idle)) tools[name]?.setAttribute('aria-disabled', is);
    if (tools.klass) {
      const k = sheet.y[current] ?? klass;
      const name = look.names[k];
      tools.klass.replaceChildren(name === `class ${k}` ? `Class ${k} ` : `Class: ${name} `);
      tools.klass.insertAdjacentHTML('beforeend', shape(k));
    }
  }

  function toggleDrawing() {
    drawing = !drawing;
    tools.draw.setAttribute('aria-pressed', drawing);
    layer.classList.toggle('mlcore-drawing', drawing);
    say(drawing ? 'Press in the picture and move: points are scattered. Press Draw again to stop.' : '', true);
  }

  // ---------------------------------------------------------------------------------------------------------------
  // Panels over the picture: help, and a table of one's own
  // ---------------------------------------------------------------------------------------------------------------
  function panel(label) {
    const node = make('div', { class: 'mlcore-panel', role: 'group', 'aria-label': label });
    node.hidden = true;
    el.append(node);
    return node;
  }

  // Open or close a panel; one at a time is open.
  function toggle(node, open = node.hidden) {
    for (const [other, button] of buttons) {
      other.hidden = other !== node || !open;
      button?.setAttribute('aria-expanded', !other.hidden);
    }
    (open ? node.querySelector('textarea') ?? node : buttons.get(node)).focus();
  }

  const helpPanel = panel('what mouse and keys do');
  helpPanel.tabIndex = -1;
  const list = make('dl');
  for (const [keys, what] of lines) list.append(make('dt', {}, keys), make('dd', {}, what));
  helpPanel.append(list);

  const dataPanel = panel('your own data');
  const columns = look.line ? 'one number' : 'two numbers';
  const area = make('textarea', { 'aria-label': 'your table', rows: 6, spellcheck: 'false' });
  const complaint = make('p', { class: 'mlcore-complaint', role: 'alert' });
  const use = make('button', { class: 'mlcore-tool', type: 'button' }, 'Use these points');
  const close = make('button', { class: 'mlcore-tool', type: 'button' }, 'Close');
  dataPanel.append(
    make('p', {}, `Paste a table from a spreadsheet or CSV file: ${columns} in a row`
      + `${look.classes > 1 ? ', and a class if you like' : ''}; at most ${look.most} rows.`),
    area, complaint, use, close,
  );
  use.addEventListener('click', () => post.ask({ table: area.value }));
  close.addEventListener('click', () => toggle(dataPanel, false));

  const buttons = new Map([[helpPanel, tools.help], [dataPanel, tools.data]]);
  for (const node of buttons.keys()) {
    node.addEventListener('keydown', (event) => { if (event.key === 'Escape') toggle(node, false); });
  }

  // ---------------------------------------------------------------------------------------------------------------
  // What the kernel says
  // ---------------------------------------------------------------------------------------------------------------
  // While a message of the page is under way, or the hand holds on, the page knows better.
  function hear(frame) {
    state = frame.points;
    if (frame.answers !== null && frame.answers !== heard) {
      heard = frame.answers;
      sayWhatWasDone(state);
    }
    if (stage.exchange.isOpen('points') || frame.question?.answer === '') return show();
    if (differs(state)) sheet.remember();
    if (!held) Object.assign(sheet, copy(state));
    return show();
  }

  function sayWhatWasDone({ said: text, refused }) {
    complaint.textContent = refused ? text : '';
    if (text && !refused && !dataPanel.hidden) toggle(dataPanel, false);
    if (text && dataPanel.hidden) say(text, true);
  }

  const differs = ({ X, y }) => X.length !== sheet.X.length || y.some((k, i) => k !== sheet.y[i])
    || X.some(([x, height], i) => x !== sheet.X[i][0] || (!look.line && height !== sheet.X[i][1]));

  show();
  keep(stage, sheet);
  const watch = () => {
    const sizes = new ResizeObserver(() => { if (look.line) stagger(); });
    sizes.observe(layer);
    return () => sizes.disconnect();
  };
  return { bar, node: el, show: hear, watch };
}
