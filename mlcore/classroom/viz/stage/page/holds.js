// Places in the picture at which a control can be moved: a line to drag across, or a knob. Arrow keys step the control.
import { clamp, make } from './tools.js';

const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -1e6, End: 1e6 };

export class Holds {
  constructor(stage) {
    this.stage = stage;
    this.held = null;
    this.areas = {};
    this.nodes = Object.fromEntries(Object.entries(stage.spec.holds).map(([name, one]) => [name, this.handle(name, one)]));
    this.node = make('div', { class: 'mlcore-holds' }, ...Object.values(this.areas), ...Object.values(this.nodes));
  }

  handle(name, { along, anywhere }) {
    const label = this.stage.spec.labels[name] ?? name;
    const node = make('div', {
      class: `mlcore-hold mlcore-hold-${along}`, role: 'slider', tabindex: 0, 'aria-label': `${label}, in the picture`,
      'aria-orientation': along === 'y' ? 'vertical' : 'horizontal', title: `drag: ${label}`,
    }, make('span', { class: 'mlcore-grip' }));
    this.follow(node, node, name, along);
    if (anywhere) {
      node.classList.add('mlcore-hold-anywhere');
      this.areas[name] = make('div', { class: 'mlcore-hold-area', title: `click: ${label}` });
      this.follow(this.areas[name], node, name, along);
      this.areas[name].addEventListener('pointerdown', (event) => { if (this.held === name) this.move(name, along, event); });
    }
    node.addEventListener('keydown', (event) => {
      if (!(event.key in STEPS) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      this.stage.ask({ kind: 'hold', name, steps: STEPS[event.key] * (event.shiftKey ? 10 : 1) });
    });
    return node;
  }

  // What is pressed, the handle or the panel around it, moves the handle.
  follow(pressed, node, name, along) {
    pressed.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      pressed.setPointerCapture(event.pointerId);
      node.focus({ preventScroll: true });
      this.held = name;
      node.classList.add('mlcore-held');
    });
    pressed.addEventListener('pointermove', (event) => { if (this.held === name) this.move(name, along, event); });
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) {
      pressed.addEventListener(end, () => {
        this.held = null;
        node.classList.remove('mlcore-held');
      });
    }
  }

  // It follows the pointer at once; the frame that comes sets it right.
  move(name, along, event) {
    const frame = this.node.getBoundingClientRect();
    const [, , left, top, right, bottom] = this.stage.frame.holds[name] ?? [0, 0, 0, 0, 1, 1];
    const across = clamp((event.clientX - frame.left) / frame.width, [left, right]);
    const down = clamp((event.clientY - frame.top) / frame.height, [top, bottom]);
    this.put(name, along, [across, down, left, top, right, bottom]);
    this.stage.ask({ kind: 'hold', name, at: [across, down] });
  }

  put(name, along, place) {
    const { style } = this.nodes[name];
    const [across, down, left, top, right, bottom] = place.map((part) => `${100 * part}%`);
    const long = { x: [across, top, null, `calc(${bottom} - ${top})`], y: [left, down, `calc(${right} - ${left})`, null], both: [across, down, null, null] };
    [style.left, style.top] = long[along];
    style.width = long[along][2] ?? '';
    style.height = long[along][3] ?? '';
    if (this.areas[name]) {
      Object.assign(this.areas[name].style, { left, top, width: `calc(${right} - ${left})`, height: `calc(${bottom} - ${top})` });
    }
  }

  show({ holds, held }) {
    for (const [name, node] of Object.entries(this.nodes)) {
      const { ranges: { [name]: [low, high] } } = this.stage.spec;
      for (const one of [node, this.areas[name]]) if (one) one.hidden = !holds[name];
      for (const [what, value] of Object.entries({ min: low, max: high, now: held[name], text: held[name] })) {
        node.setAttribute(`aria-value${what}`, Number(Number(value).toPrecision(6)));
      }
      if (holds[name] && !(this.held === name && this.stage.exchange.isOpen('hold'))) {
        this.put(name, this.stage.spec.holds[name].along, holds[name]);
      }
    }
  }
}
