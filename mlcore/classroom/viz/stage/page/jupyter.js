// The stage in JupyterLab: an anywidget whose model carries the spec and the last frame. The controls beside it are
// ipywidgets in the same box; the style sheet puts both into one grid. Nothing is fetched.
import { fitIn } from './fit.js';
import { bringIntoView, listen, nameSliders, nameTheRest, shareKeys, tellOfRestart } from './keys.js';
import { speedChoice } from './speed.js';
import { Stage } from './stage.js';

// anywidget gives up a widget whose module takes more than two seconds on a busy page: it is drawn, but no message reaches
// it any more. So its messages are taken from the channel itself, and what was missed is asked for.
async function hearEverything(model) {
  const own = await model.widget_manager.get_model(model.get('name'));
  const plain = Object.getPrototypeOf(Object.getPrototypeOf(own));
  if (!own.comm || own.mlcoreHears) return;
  own.mlcoreHears = true;
  own.comm.on_msg((message) => plain._handle_comm_msg.call(own, message));
}

// What anywidget says of it is no error, then.
const GIVEN_UP = '[anywidget] Failed to initialize model.';
if (!window.mlcoreTakesOver) {
  window.mlcoreTakesOver = true;
  window.addEventListener('unhandledrejection', (event) => {
    if (event.reason?.message === GIVEN_UP) event.preventDefault();
  });
}

function initialize({ model }) {
  hearEverything(model).catch((error) => console.warn(`messages may be lost: ${error}`));
}

function render({ model, el }) {
  const source = {
    send(message) {
      try { model.send(message); } catch { /* the kernel is gone: the page says so when no answer comes */ }
    },
  };
  const stage = new Stage(model.get('spec'), model.get('frame'), source);
  el.classList.add('mlcore-view');
  el.style.setProperty('--width', `${stage.spec.shown}px`);
  el.append(...stage.parts());
  const stops = [stage.watch()];
  const follow = () => stage.show(model.get('frame'));
  model.on('change:frame', follow);
  follow();
  source.send({ kind: 'hello', theme: stage.theme });

  let tries = 0;
  const dress = () => {
    const root = el.closest('.mlcore-explorer');
    const ready = root && (!root.querySelector('.widget-slider, .widget-hslider') || root.querySelector('.noUi-handle'));
    if (!ready) {
      if ((tries += 1) < 400) requestAnimationFrame(dress); // its controls come one after the other
      return;
    }
    if (stage.question) root.prepend(stage.question.node); // it is read before the controls, as it stands above them
    const window = root.closest('.jp-WindowedPanel-outer, .jp-Notebook') ?? document.documentElement;
    stops.push(fitIn(root, stage.spec, window));
    el.style.removeProperty('--width');
    root.setAttribute('role', 'group');
    root.setAttribute('aria-label', stage.spec.kind);
    nameSliders(root);
    nameTheRest(root);
    shareKeys(root);
    const ear = listen(root, stage.note);
    stage.onAsked = ear.waiting;
    stage.onShown = ear.answered;
    stops.push(ear.stop, tellOfRestart(root, stage.note));
    if (stage.spec.kind === 'player') {
      const { node, stop } = speedChoice((speed) => stage.source.send({ kind: 'speed', speed }));
      root.querySelector('.mlcore-player').append(node);
      stops.push(stop);
    }
    stage.picture.image.decode().catch(() => null).then(() => requestAnimationFrame(() => bringIntoView(root)));
  };
  requestAnimationFrame(dress);
  return () => {
    model.off('change:frame', follow);
    stops.forEach((stop) => stop());
  };
}

export default { initialize, render };
