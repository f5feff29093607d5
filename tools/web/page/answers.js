// What a learner wrote in an exercise, in the browser's storage, under the exercise's id and the digest of its text. Where
// the storage is closed it lasts as long as the page.

const KEY = 'mlcore/1/answer'; // with the version of the form, {text, at}

export class Answers {
  constructor(id, digest) {
    this.all = `${KEY} ${id} `;
    this.key = `${this.all}${digest}`;
  }

  get own() { return read(this.key)?.text ?? null; }

  set own(text) {
    try {
      if (text === null) localStorage.removeItem(this.key);
      else if (text !== this.own) localStorage.setItem(this.key, JSON.stringify({ text, at: Date.now() }));
    } catch { /* closed, or full */ }
  }

  // The last one that was given to an earlier text of the exercise; null if there is none.
  get earlier() {
    let keys = [];
    try { keys = Object.keys(localStorage).filter((key) => key.startsWith(this.all) && key !== this.key); } catch { /* closed */ }
    const found = keys.map(read).filter(Boolean).sort((one, other) => other.at - one.at);
    return found[0]?.text ?? null;
  }
}

function read(key) {
  try {
    const held = JSON.parse(localStorage.getItem(key));
    return typeof held?.text === 'string' ? held : null;
  } catch {
    return null;
  }
}
