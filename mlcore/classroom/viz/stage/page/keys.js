// The controls as assistive technology and the keyboard meet them, links, and what is said when no answer comes.
// The controls themselves belong to the front end (ipywidgets in JupyterLab).
import { make, textOf } from './tools.js';

const LONGEST_WAIT = 6000; // milliseconds that Python may be busy before its silence is mentioned

// Sliders speak what their readout shows ("0.2"), not what their arithmetic left (0.19999999999999996).
export function nameSliders(root) {
  for (const box of root.querySelectorAll('.widget-slider, .widget-hslider')) {
    const label = textOf(box.querySelector('.widget-label'));
    const readout = box.querySelector('.widget-readout');
    readout?.setAttribute('aria-label', `${label}, as a number`);
    for (const handle of box.querySelectorAll('.noUi-handle')) {
      handle.setAttribute('aria-label', label || 'value');
      const say = () => {
        const shown = textOf(readout);
        if (shown && handle.getAttribute('aria-valuetext') !== shown) handle.setAttribute('aria-valuetext', shown);
      };
      say();
      const changes = new MutationObserver(say);
      changes.observe(handle, { attributes: true, attributeFilter: ['aria-valuetext', 'aria-valuenow'] });
      if (readout) changes.observe(readout, { childList: true, characterData: true, subtree: true });
    }
  }
}

export function nameTheRest(root) {
  for (const [i, button] of [...root.querySelectorAll('.widget-play button')].entries()) {
    const name = ['Play or pause', 'Stop, and back to the start', 'Repeat'][i];
    button.setAttribute('aria-label', name);
    button.title = name;
  }
  for (const field of root.querySelectorAll('select, input[type=number], input[type=text]')) {
    const label = textOf(field.closest('.jupyter-widgets')?.querySelector('.widget-label'));
    if (label && !field.getAttribute('aria-label')) field.setAttribute('aria-label', label);
  }
  for (const group of root.querySelectorAll('.widget-toggle-buttons, .widget-radio')) {
    group.setAttribute('role', 'group');
    group.setAttribute('aria-label', textOf(group.querySelector('.widget-label')) || 'choice');
  }
}

// In an explorer the keys belong to its controls: JupyterLab would cut the cell at X, and leave it at an arrow. It still
// hears Ctrl; and Shift+Enter and its like run the cell from wherever the focus is, pressing no button on the way.
export function shareKeys(root) {
  showFocus(root);
  root.addEventListener('keydown', (event) => {
    const cell = root.closest('.jp-Cell');
    const runs = event.key === 'Enter' && (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey);
    if (!runs || !cell || event.target.tagName === 'TEXTAREA') return; // there it begins a new line
    event.preventDefault();
    event.stopPropagation();
    cell.focus({ preventScroll: true });
    cell.dispatchEvent(new KeyboardEvent('keydown', event));
  }, true);
  root.addEventListener('keydown', (event) => { if (!event.ctrlKey && !event.metaKey) event.stopPropagation(); });
}

// Where the focus is, is marked while the keys are used, not under a mouse.
export function showFocus(root) {
  root.addEventListener('keydown', () => root.classList.add('mlcore-keys'), true);
  root.addEventListener('pointerdown', () => root.classList.remove('mlcore-keys'), true);
}

// What leads somewhere in the picture, such as a box of the course's map: links of the page over it.
export function linksOver(places) {
  const links = places.map(([href, label, ...edges]) => {
    const link = make('a', { href, 'aria-label': label, title: label, target: '_blank' });
    ['left', 'top', 'width', 'height'].forEach((side, i) => { link.style[side] = `${100 * edges[i]}%`; });
    link.addEventListener('click', () => openHere(link));
    return link;
  });
  return make('nav', { class: 'mlcore-links', 'aria-label': 'links of the picture' }, ...links);
}

// JupyterLab opens a notebook beside this one, without loading itself anew, where a link has these attributes.
function openHere(link) {
  const path = new URL(link.href).pathname.match(/\/(?:lab|doc)(?:\/workspaces\/[^/]+)?\/tree\/(.+)$/)?.[1];
  if (!path) return;
  link.dataset.commandlinkerCommand = 'docmanager:open';
  link.dataset.commandlinkerArgs = JSON.stringify({ path: decodeURIComponent(path) });
}

// After Shift+Enter the notebook goes on to the next cell. Only then, not in a run of all cells, the explorer comes back
// into view, whole.
export function bringIntoView(root) {
  const cell = root.closest('.jp-Cell');
  const active = document.querySelector('.jp-Notebook .jp-mod-active.jp-Cell');
  if (!cell || !active || (active !== cell && active.previousElementSibling !== cell)) return;
  root.scrollIntoView({ block: 'nearest' });
}

// A picture follows within a moment, or the kernel is busy or gone: a slider must not move in silence.
export function listen(root, note) {
  let timer = null;
  const waiting = () => {
    timer ??= setTimeout(() => {
      note.textContent = 'No answer from Python yet. If its kernel was stopped, run this cell again (Shift+Enter).';
    }, LONGEST_WAIT);
  };
  const answered = () => {
    clearTimeout(timer);
    timer = null;
    if (note.textContent) note.textContent = '';
  };
  // a slider that stays where it is, at its end say, asks for nothing
  const moved = new MutationObserver(waiting);
  for (const handle of root.querySelectorAll('.noUi-handle')) {
    moved.observe(handle, { attributes: true, attributeFilter: ['aria-valuenow'] });
  }
  const panel = root.querySelector('.mlcore-controls, .mlcore-player');
  const buttons = '.mlcore-player .widget-button, .widget-toggle-buttons button:not(.mod-active)';
  panel?.addEventListener('change', waiting, true);
  panel?.addEventListener('click', (event) => { if (event.target.closest(buttons)) waiting(); }, true);
  const stop = () => { clearTimeout(timer); moved.disconnect(); };
  return { waiting, answered, stop };
}

// When Python is restarted, the picture has lost what it follows. The front end marks its widgets; a line stands where the
// controls were, so that nothing moves. (No button here: JupyterLab would first ask whether to trust it. The cell that is
// run again has one: see calm.py.)
const LOST = 'jupyter-widgets-disconnected';
const PLACES = '.mlcore-controls, .mlcore-player, .mlcore-tools, .mlcore-question';
export function tellOfRestart(root, note) {
  const look = () => {
    const lost = root.classList.contains(LOST);
    if (lost === note.classList.contains('mlcore-lost')) return;
    const place = [...root.querySelectorAll(PLACES)].find((part) => part.offsetHeight > 0);
    note.classList.toggle('mlcore-lost', lost);
    note.textContent = lost
      ? 'Python was restarted or is gone: this picture stands still until its cell is run again (Shift+Enter).' : '';
    const height = (part) => part.getBoundingClientRect().top;
    note.style.top = lost && place ? `${height(place) - height(note.offsetParent)}px` : '';
  };
  const marked = new MutationObserver(look);
  marked.observe(root, { attributes: true, attributeFilter: ['class'] });
  return () => marked.disconnect();
}
