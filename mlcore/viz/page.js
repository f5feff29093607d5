// Runs in the page beside each explorer: says to assistive technology what is to be seen there, brings a new explorer
// into view, and tells a learner when no kernel answers or it was restarted. It comes from the kernel; nothing is fetched.

const PATIENCE = 6000; // milliseconds that a kernel may be busy before its silence is mentioned
const text = (node) => (node?.textContent ?? '').replace(/\u200b/g, '').trim();

// Sliders speak what their readout shows ("0.2"), not what their arithmetic left (0.19999999999999996).
function nameSliders(root) {
  for (const box of root.querySelectorAll('.widget-slider, .widget-hslider')) {
    const label = text(box.querySelector('.widget-label'));
    const readout = box.querySelector('.widget-readout');
    readout?.setAttribute('aria-label', `${label}, as a number`);
    for (const handle of box.querySelectorAll('.noUi-handle')) {
      handle.setAttribute('aria-label', label || 'value');
      const say = () => {
        const shown = text(readout);
        if (shown && handle.getAttribute('aria-valuetext') !== shown) handle.setAttribute('aria-valuetext', shown);
      };
      say();
      const changes = new MutationObserver(say);
      changes.observe(handle, { attributes: true, attributeFilter: ['aria-valuetext', 'aria-valuenow'] });
      if (readout) changes.observe(readout, { childList: true, characterData: true, subtree: true });
    }
  }
}

function nameTheRest(root) {
  for (const [i, button] of [...root.querySelectorAll('.widget-play button')].entries()) {
    const name = ['Play or pause', 'Stop, and back to the start', 'Repeat'][i];
    button.setAttribute('aria-label', name);
    button.title = name;
  }
  for (const field of root.querySelectorAll('select, input[type=number], input[type=text]')) {
    const label = text(field.closest('.jupyter-widgets')?.querySelector('.widget-label'));
    if (label && !field.getAttribute('aria-label')) field.setAttribute('aria-label', label);
  }
  for (const group of root.querySelectorAll('.widget-toggle-buttons, .widget-radio')) {
    group.setAttribute('role', 'group');
    group.setAttribute('aria-label', text(group.querySelector('.widget-label')) || 'choice');
  }
}

// After Shift+Enter the notebook goes on to the next cell. Only then, not in a run of all cells, the explorer comes back
// into view, whole.
function bringIntoView(root) {
  const cell = root.closest('.jp-Cell');
  const active = document.querySelector('.jp-Notebook .jp-mod-active.jp-Cell');
  if (!cell || !active || (active !== cell && active.previousElementSibling !== cell)) return;
  root.scrollIntoView({ block: 'nearest' });
}

// A picture follows within a moment, or the kernel is busy or gone: a slider must not move in silence.
function listen(model, root, note) {
  let timer = null;
  const waiting = () => {
    timer ??= setTimeout(() => {
      note.textContent = 'No answer from Python yet. If its kernel was stopped, run this cell again (Shift+Enter).';
    }, PATIENCE);
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
  root.addEventListener('mlcore-asked', waiting); // points have moved, or a guess was made
  model.on('change:answers', answered);
  return () => { clearTimeout(timer); moved.disconnect(); model.off('change:answers', answered); };
}

// When Python is restarted, the picture has lost what it follows. The front end marks its widgets; a line stands where the
// controls were, so that nothing moves. (No button here: JupyterLab would first ask whether to trust it. The cell that is
// run again has one: see calm.py.)
const LOST = 'jupyter-widgets-disconnected';
const PLACES = '.mlcore-controls, .mlcore-player, .mlcore-tools, .mlcore-question';
function tellOfRestart(root, note) {
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

function render({ model, el }) {
  const note = document.createElement('div');
  note.className = 'mlcore-note';
  note.setAttribute('role', 'status');
  el.append(note);
  let stop = null;
  let tries = 0;
  const dress = () => {
    const root = el.closest('.mlcore-explorer');
    const image = root?.querySelector('img.mlcore-picture');
    const caption = root?.querySelector('.mlcore-caption');
    if (!image || !caption || (root.querySelector('.widget-slider, .widget-hslider') && !root.querySelector('.noUi-handle'))) {
      if (tries++ < 200) requestAnimationFrame(dress); // its parts come one after the other
      return;
    }
    image.alt = model.get('alt');
    image.removeAttribute('title');
    for (const said of root.querySelectorAll('.mlcore-caption, .mlcore-goals')) {
      said.setAttribute('role', 'status');
      said.setAttribute('aria-live', 'polite');
    }
    root.setAttribute('role', 'group');
    root.setAttribute('aria-label', model.get('kind'));
    nameSliders(root);
    nameTheRest(root);
    const stops = [listen(model, root, note), tellOfRestart(root, note)];
    stop = () => stops.forEach((end) => end());
    image.decode().catch(() => null).then(() => requestAnimationFrame(() => bringIntoView(root)));
  };
  requestAnimationFrame(dress);
  return () => stop?.();
}

export default { render };
