// The first page: a picture to move at once, what is solved on the map, and films that play while they are looked at.
import './header.js';
import { cardOf } from './card.js';
import { progress } from './progress.js';
import { calm, make } from './stage/tools.js';


// ---------------------------------------------------------------------------------------------------------------------
// The picture
// ---------------------------------------------------------------------------------------------------------------------
const root = document.querySelector('[data-explorer]');
if (root) {
  const folder = new URL(document.body.dataset.frames, document.baseURI);
  const told = await (await fetch(new URL('chapter.json', folder))).json();
  const chapter = () => { location.href = '00_start_here.html?python'; }; // there Python can be had
  window.mlcore = { cards: [await cardOf(root, 0, folder, told, chapter)], progress };
}

// ---------------------------------------------------------------------------------------------------------------------
// The map
// ---------------------------------------------------------------------------------------------------------------------
const boxes = new Map([...document.querySelectorAll('.map li')].map((box) => [box.dataset.chapter, box]));
const lines = [...document.querySelectorAll('.map path')];
const needs = (number) => boxes.get(number).dataset.needs.split(' ').filter(Boolean);
const wayTo = (number) => new Set([number, ...needs(number).flatMap((one) => [...wayTo(one)])]);

function mark(number) {
  const way = number ? wayTo(number) : new Set();
  for (const [one, box] of boxes) box.classList.toggle('on', way.has(one));
  for (const line of lines) line.classList.toggle('on', way.has(line.dataset.to) && way.has(line.dataset.from));
}
for (const [number, box] of boxes) {
  for (const event of ['pointerenter', 'focusin']) box.addEventListener(event, () => mark(number));
  for (const event of ['pointerleave', 'focusout']) box.addEventListener(event, () => mark(null));
}

function tell() {
  const { exercises, goals } = progress.held;
  let whole = 0;
  for (const [number, box] of boxes) {
    const there = Number(box.dataset.exercises);
    const solved = exercises.filter((id) => id.split('.')[0] === number).length;
    whole += there;
    box.classList.toggle('whole', solved >= there && there > 0);
    box.querySelector('.done').textContent = solved ? `${solved >= there ? '✓ ' : ''}${solved} of ${there} solved` : '';
  }
  document.getElementById('solved').textContent = exercises.length + goals.length
    ? `You have solved ${exercises.length} of ${whole} exercises and reached ${goals.length} ${goals.length === 1 ? 'goal' : 'goals'}.` : 'What you have solved is told here.';
}
progress.addEventListener('change', tell);
tell();

// ---------------------------------------------------------------------------------------------------------------------
// Films: a still where motion is not wanted, data are to be spared, or nobody looks
// ---------------------------------------------------------------------------------------------------------------------
const films = [...document.querySelectorAll('[data-film]')].map((image) => ({ image, still: image.getAttribute('src'), stopped: calm() || Boolean(navigator.connection?.saveData), seen: false }));

function run(film) {
  const { image, still, stopped, seen, button } = film;
  const wanted = seen && !stopped ? image.dataset.film : still;
  if (image.getAttribute('src') !== wanted) image.src = wanted;
  button.textContent = stopped ? 'Play the film' : 'Stop the film';
}
const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    const film = films.find(({ image }) => image === target);
    film.seen = isIntersecting;
    run(film);
  }
}, { threshold: 0.4 });
for (const film of films) {
  film.button = make('button', { type: 'button', onclick: () => { film.stopped = !film.stopped; run(film); } });
  film.image.closest('figure').querySelector('figcaption').append(' ', film.button);
  run(film);
  near.observe(film.image);
}
