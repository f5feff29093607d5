// What the learner has done, as mlcore/classroom/memory.py keeps it: one object of one form, here in the browser's storage.
// Where that is closed (a private window may be) it lasts as long as the page.

const VERSION = 2; // of the form
const KEY = `mlcore/${VERSION}/progress`;
const FIELDS = { exercises: Array, goals: Array, guesses: Object, places: Object };

const empty = () => ({ version: VERSION, exercises: [], goals: [], guesses: {}, places: {} });

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const finite = (_, value) => { if (value === Infinity || value === -Infinity) throw new Error(); return value; };

// What is held by a text, by the rules of memory.py; an error if that is no progress.
function read(text) {
  let held;
  try { held = JSON.parse(text, finite); } catch { /* so it is none */ }
  const there = isObject(held) ? Object.keys(FIELDS).filter((field) => Object.hasOwn(held, field)) : [];
  if (!there.length || !there.every((field) => (FIELDS[field] === Array ? Array.isArray : isObject)(held[field]))) {
    throw new Error('this is no file of the course’s progress');
  }
  return { ...empty(), ...held };
}

// The same of a file's bytes.
export function readFile(bytes) {
  let text = '';
  try { text = new TextDecoder('utf-8', { fatal: true }).decode(bytes); } catch { /* so it is none */ }
  return read(text);
}

// What changed from `was` to `is`, done to `held`, which may have changed meanwhile too.
function follow(held, was, is) {
  for (const field of Object.keys({ ...was, ...is })) {
    if (isSame(was[field], is[field])) continue;
    const kind = FIELDS[field];
    if (kind) {
      const [before, now, own] = [was, is, held].map((one) => new Map(entries(one[field], kind)));
      for (const name of new Set([...before.keys(), ...now.keys()])) {
        if (!now.has(name)) own.delete(name);
        else if (!isSame(before.get(name), now.get(name))) own.set(name, now.get(name));
      }
      held[field] = kind === Array ? [...own.values()].sort() : Object.fromEntries(own);
    } else if (Object.hasOwn(is, field)) held[field] = is[field]; // of a later version
  }
}

const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const entries = (value, kind) => (kind === Array ? value.map((name) => [JSON.stringify(name), name]) : Object.entries(value));

class Progress extends EventTarget {
  constructor() {
    super();
    this.held = empty();
    this.stored = empty(); // what the storage held when it was looked at last; it may be full, and hold less than we
    this.take();
    // another page of the course, in another tab, may have changed it; or while this one was left, and came back whole
    window.addEventListener('storage', ({ key }) => { if (key === KEY) this.take(); });
    window.addEventListener('pageshow', ({ persisted }) => { if (persisted) this.take(); });
  }

  take() {
    this.look();
    this.dispatchEvent(new Event('change'));
  }

  // What other pages have kept meanwhile.
  look() {
    try {
      const stored = read(localStorage.getItem(KEY) ?? JSON.stringify(this.stored));
      follow(this.held, this.stored, stored);
      this.stored = stored;
    } catch { /* closed, or not ours: what is here counts */ }
  }

  // Keep what has changed, together with what other pages have kept meanwhile.
  change(how) {
    this.look();
    how(this.held);
    const text = JSON.stringify(this.held);
    try {
      localStorage.setItem(KEY, text);
      this.stored = read(text);
    } catch { /* it lasts as long as the page */ }
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

  // Take what another browser, or Python, has kept, as memory.merge does: where both hold a name, the own one stays.
  merge(other) {
    this.change((held) => {
      const both = { ...other, ...held };
      for (const [field, kind] of Object.entries(FIELDS)) {
        const names = () => [...new Set([...held[field], ...other[field].filter((name) => typeof name === 'string')])].sort();
        both[field] = kind === Array ? names() : { ...other[field], ...held[field] };
      }
      Object.assign(held, both);
    });
  }

  // Take what Python has changed since it knew `before`: meanwhile this page and others may have kept more.
  follow(before, text) {
    if (before !== text) this.change((held) => follow(held, read(before), read(text)));
  }
}

export const progress = new Progress();
