// What the learner has done, as mlcore/classroom/memory.py keeps it: one object of one form, here in the browser's storage.
// Where that is closed (a private window may be) it lasts as long as the page.

const VERSION = 2; // of the form
const KEY = `mlcore/${VERSION}/progress`;
const FIELDS = { exercises: Array, goals: Array, guesses: Object, places: Object };

const empty = () => ({ version: VERSION, exercises: [], goals: [], guesses: {}, places: {} });

// What can be read of a text, or an error that says what is wrong with it.
export function read(text) {
  const held = JSON.parse(text);
  const good = held && typeof held === 'object' && Object.entries(FIELDS).every(([field, kind]) => (
    held[field] === undefined || (kind === Array ? Array.isArray(held[field]) : held[field].constructor === Object)));
  if (!good) throw new Error('this is no file of the course’s progress');
  return { ...empty(), ...held };
}

class Progress extends EventTarget {
  constructor() {
    super();
    this.held = empty();
    this.take();
    // another page of the course, in another tab, may have changed it
    window.addEventListener('storage', ({ key }) => { if (key === KEY) this.take(); });
  }

  take() {
    try { this.held = read(localStorage.getItem(KEY) ?? '{}'); } catch { /* closed, or not ours */ }
    this.dispatchEvent(new Event('change'));
  }

  // Keep what has changed, together with what other pages have kept meanwhile.
  change(how) {
    try { this.held = read(localStorage.getItem(KEY) ?? JSON.stringify(this.held)); } catch { /* what is here counts */ }
    how(this.held);
    try { localStorage.setItem(KEY, JSON.stringify(this.held)); } catch { /* it lasts as long as the page */ }
    this.dispatchEvent(new Event('change'));
  }

  has(field, name) { return this.held[field].includes(name); }

  add(field, name) {
    if (!this.has(field, name)) this.change((held) => { held[field] = [...new Set([...held[field], name])].sort(); });
  }

  guess(key) { return key === undefined ? undefined : this.held.guesses[key]; }

  // Keep a guess, or with null ask anew.
  commit(key, made) {
    this.change(({ guesses }) => { if (made === null) delete guesses[key]; else guesses[key] = made; });
  }

  text() { return `${JSON.stringify(this.held, null, 1)}\n`; }

  // Take what another browser, or Python, has kept: nothing of either is lost.
  merge(other) {
    this.change((held) => {
      for (const field of ['exercises', 'goals']) held[field] = [...new Set([...held[field], ...other[field]])].sort();
      for (const field of ['guesses', 'places']) Object.assign(held[field], other[field]);
    });
  }

  // Take it as it is: Python has seen all of it.
  replace(text) {
    const held = read(text);
    if (JSON.stringify(held) !== JSON.stringify(this.held)) this.change((now) => { Object.assign(now, held); });
  }
}

export const progress = new Progress();
