// A chapter's page: its explorers show frames made beforehand, and follow Python once it runs in the background.
import './header.js';
import { cardOf } from './card.js';
import { exercises } from './exercise.js';
import { progress } from './progress.js';
import { Live, Python } from './python.js';
import { isDark, isNarrow } from './stage/tools.js';

const IDLE = 800; // milliseconds after which Python starts of itself where nobody pays for it
const AGAIN = 3000; // milliseconds after which frames that did not come are asked for again, while their place is near
const { frames, python: folder } = document.body.dataset;
const bar = document.getElementById('python');
const button = document.getElementById('start');
const cards = [];
let python = null;
let starting = null; // what gives Python once it runs, or null

const shown = new URL(frames, document.baseURI);
const told = fetch(new URL('chapter.json', shown)).then((answer) => answer.json());
const say = (text) => bar.replaceChildren(text);

// ---------------------------------------------------------------------------------------------------------------------
// Frames
// ---------------------------------------------------------------------------------------------------------------------
async function dress(root, k) {
  try {
    cards[k] = await cardOf(root, k, shown, await told, start);
  } catch (error) { // a network that is gone, say
    console.warn(`no explorer: ${error.message}`);
    setTimeout(() => near.observe(root), AGAIN);
    return;
  }
  if (live[k]) cards[k].use(live[k]);
}

const roots = [...document.querySelectorAll('[data-explorer]')];
const near = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) {
      near.unobserve(target);
      dress(target, roots.indexOf(target));
    }
  }
}, { rootMargin: '800px' });
roots.forEach((root) => near.observe(root));

// ---------------------------------------------------------------------------------------------------------------------
// Python
// ---------------------------------------------------------------------------------------------------------------------
const live = []; // the sources of explorers that Python has made
const liveAt = []; // and when it had, in milliseconds from opening the page

function start() { return starting ??= load(); }

async function load() {
  button.hidden = true;
  say('Python is being loaded (20 MB, once) …');
  const screen = { theme: isDark() ? 'dark' : 'light', narrow: isNarrow(document.documentElement) };
  const mine = python = new Python(new URL('worker.js', import.meta.url), new URL(folder, document.baseURI).href, progress, screen);
  mine.onEnd = (why) => lost(why);
  try {
    const [{ cells }] = await Promise.all([told, mine.ready]);
    let of = 0; // the number that the next explorer has in Python
    for (const [i, { source, made, states }] of cells.entries()) {
      if (states) await mine.send({ kind: 'state', text: states });
      else {
        const ran = await mine.run(source, `cell ${i + 1}`);
        if (ran.error) console.error(`cell ${i + 1}: ${ran.error}`);
        if (ran.made !== made) { // what failed keeps its frames
          live.length += made;
          of += ran.made;
          continue;
        }
      }
      for (let k = live.length, end = k + made; k < end; k += 1, of += 1) {
        live[k] = new Live(mine, of);
        liveAt.push(performance.now());
        cards[k]?.use(live[k]);
      }
      if (made) say(`Python runs: ${live.length} of ${roots.length} pictures are live …`);
    }
    say('Python runs: every picture is live, points can be taken in the hand, exercises are checked.');
    document.documentElement.dataset.python = 'runs';
    return mine;
  } catch (error) {
    if (python === mine) lost(error.message);
    return null;
  }
}

// Without Python the frames are there again, at the settings where the controls stand.
function lost(why) {
  if (!python) return;
  python.onEnd = null;
  python.end(why);
  python = starting = null;
  live.length = 0;
  delete document.documentElement.dataset.python;
  for (const card of cards) card?.back();
  say(`Python has stopped (${why}). The pictures show frames made beforehand.`);
  button.replaceChildren('Start Python again');
  button.hidden = false;
}

// What a learner stops ends Python, which knows no other way, and starts it anew.
function stop(why) {
  lost(why);
  start();
}

exercises(progress, start, stop);
button.addEventListener('click', start);
window.mlcore = { start, cards, progress, liveAt, get python() { return python; } };

// On a desktop Python starts when nothing else is to be done; on a phone, or where data are to be spared, by the button.
const spare = matchMedia('(pointer: coarse)').matches || navigator.connection?.saveData || (navigator.deviceMemory ?? 8) < 4;
const asked = new URLSearchParams(location.search);
if (asked.has('python') || (!spare && !asked.has('frames'))) {
  addEventListener('load', () => setTimeout(() => (window.requestIdleCallback ?? setTimeout)(start), IDLE));
}
