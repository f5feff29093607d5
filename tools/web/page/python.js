// Python for a page: a worker, and sources of frames for its explorers. A worker that died, or was ended since it took too
// long, is told to all who wait.

const LONGEST = 120_000; // milliseconds for one answer
const NOTHING = '{"exercises": []}'; // progress without any

export class Python {
  constructor(worker, folder, progress, screen) {
    this.waits = new Map();
    this.count = 0;
    this.progress = progress;
    this.known = progress.text(); // of the progress, what Python knows
    this.worker = new Worker(worker, { type: 'module' });
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = (event) => this.end(event.message || 'Python could not be started');
    this.ready = this.send({ kind: 'start', folder, progress: this.known, screen });
  }

  send(message) {
    if (this.ended) return Promise.reject(new Error(this.ended));
    return new Promise((done, failed) => {
      const id = this.count += 1;
      const timer = setTimeout(() => this.end('no answer for two minutes'), LONGEST);
      this.waits.set(id, { done, failed, timer });
      this.worker.postMessage({ id, ...message });
    });
  }

  heard({ id, error, text, picture, heap }) {
    this.heap = heap ?? this.heap; // bytes
    const wait = this.waits.get(id);
    if (!wait) return;
    clearTimeout(wait.timer);
    this.waits.delete(id);
    if (error) {
      // out of memory, or a fault of WebAssembly: nothing of it can be used any more
      if (/memory|unreachable|fatal/i.test(error)) this.end(error);
      wait.failed(new Error(error));
      return;
    }
    const told = text ? JSON.parse(text) : {};
    if (told.progress) this.follow(told.progress);
    wait.done(picture ? { ...told, picture } : told);
  }

  follow(text) {
    try {
      this.progress.follow(this.known, text);
      this.known = text;
    } catch { this.known = NOTHING; } // a cell of the learner's has spoilt the file, and Python starts a new one
  }

  run(source, name, learner = false) { return this.send({ kind: 'run', source, name, learner }); }

  // End it; what waits for an answer hears why.
  end(why) {
    if (this.ended) return;
    this.ended = why;
    this.worker.terminate();
    for (const { failed, timer } of this.waits.values()) {
      clearTimeout(timer);
      failed(new Error(why));
    }
    this.waits.clear();
    this.onEnd?.(why);
  }
}

// The k-th explorer that Python has made.
export class Live {
  constructor(python, k) {
    Object.assign(this, { python, k });
    this.isLive = true;
  }

  // The goals that are reached, also where Python was not asked.
  reached() { return this.stage.spec.goals.map(([name]) => name).filter((name) => this.python.progress.has('goals', name)); }

  send(message) {
    this.python.send({ kind: 'ask', k: this.k, message: JSON.stringify(message) }).then(
      (frame) => this.stage?.show({ ...frame, reached: this.reached() }),
      (error) => { // nothing waits for ever; the page is told when Python ends
        console.warn(`no answer: ${error.message}`);
        this.stage?.exchange.hear({ answers: message.number ?? null });
      },
    );
  }
}
