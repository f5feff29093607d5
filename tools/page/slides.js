// Slides: forward and back, step by step through players and folds, and everything small enough for the window.
const slides = [...document.querySelectorAll('.slide')];
const SMALLEST = 0.55;
let at = 0;

function fit(slide) {
  for (let size = 1; size >= SMALLEST; size -= 0.05) {
    slide.style.setProperty('--fit', size);
    const wide = [...slide.querySelectorAll('.formula')].some(formula => formula.scrollWidth > formula.clientWidth);
    if (slide.scrollHeight <= slide.clientHeight && !wide) return;
  }
}

function show(place) {
  slides[at].classList.remove('now');
  at = Math.min(Math.max(place, 0), slides.length - 1);
  slides[at].classList.add('now');
  slides[at].scrollTop = 0;
  fit(slides[at]);
  count.textContent = `${at + 1} / ${slides.length}`;
  history.replaceState(null, '', `#${at + 1}`);
}

function step(strip, move) {  // to another frame of a player; false at its end
  const frames = [...strip.querySelectorAll('.frame')];
  const now = frames.findIndex(frame => frame.classList.contains('now'));
  const next = frames[now + move];
  if (!next) return false;
  frames[now].classList.remove('now');
  next.classList.add('now');
  return true;
}

function forward() {
  for (const strip of slides[at].querySelectorAll('.strip')) if (step(strip, 1)) return;
  const fold = slides[at].querySelector('.seen:not([open])');
  if (!fold) return show(at + 1);
  fold.open = true;
  fit(slides[at]);
}

function back() {
  for (const strip of slides[at].querySelectorAll('.strip')) if (step(strip, -1)) return;
  show(at - 1);
}

function section(move) {
  const begins = slides.map((slide, place) => slide.classList.contains('begins') ? place : -1).filter(place => place >= 0);
  const places = move > 0 ? begins.filter(place => place > at) : begins.filter(place => place < at).reverse();
  if (places.length) show(places[0]);
}

function code() {
  const folds = [...document.querySelectorAll('details:not(.seen)')];
  const open = !folds.some(fold => fold.open);
  folds.forEach(fold => { fold.open = open; });
  fit(slides[at]);
}

function wholeScreen() {
  if (document.fullscreenElement) document.exitFullscreen(); else document.documentElement.requestFullscreen();
}

document.querySelectorAll('.strip').forEach(strip => strip.querySelector('.frame').classList.add('now'));
document.body.classList.add('shown');
document.body.insertAdjacentHTML('beforeend', `
  <nav class="bar" aria-label="Slides"><button data-do="back" aria-label="back">‹</button><span></span>
  <button data-do="forward" aria-label="forward">›</button><button data-do="help" aria-label="keys">?</button></nav>
  <dialog aria-label="Keys"><dl><dt>→ Space</dt><dd>forward, step by step</dd><dt>←</dt><dd>back</dd>
  <dt>↓ ↑</dt><dd>next section, section before</dd><dt>C</dt><dd>show or hide all code</dd><dt>F</dt><dd>whole screen</dd>
  <dt>Home End</dt><dd>first slide, last slide</dd></dl><form method="dialog"><button>Close</button></form></dialog>`);
const count = document.querySelector('.bar span'), dialog = document.querySelector('dialog');
const actions = {
  forward, back, code, wholeScreen, help: () => dialog.showModal(),
  down: () => section(1), up: () => section(-1), first: () => show(0), last: () => show(slides.length - 1),
};
const keys = {
  ArrowRight: 'forward', ' ': 'forward', PageDown: 'forward', ArrowLeft: 'back', PageUp: 'back', ArrowDown: 'down',
  ArrowUp: 'up', Home: 'first', End: 'last', c: 'code', f: 'wholeScreen', '?': 'help',
};
document.querySelectorAll('[data-do]').forEach(button => { button.onclick = () => actions[button.dataset.do](); });
addEventListener('keydown', event => {
  const name = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!name || dialog.open || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === ' ' && event.target.closest('button, summary, a')) return;
  event.preventDefault();
  actions[name]();
});
document.addEventListener('toggle', event => slides[at].contains(event.target) && fit(slides[at]), true);
addEventListener('resize', () => fit(slides[at]));
addEventListener('beforeprint', () => {  // on paper each slide fits too, and a player stands at its end
  document.documentElement.classList.add('measured');
  slides.forEach(fit);
  document.documentElement.classList.remove('measured');
  document.querySelectorAll('.strip').forEach(strip => { while (step(strip, 1)); });
});
show(Number(location.hash.slice(1)) - 1 || 0);
