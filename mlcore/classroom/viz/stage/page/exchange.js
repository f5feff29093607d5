// Questions of the page to whoever makes its frames: one is under way at a time, and of those that come meanwhile only
// the last of each kind waits.

const LOST = 6000; // milliseconds after which a question counts as lost

export class Exchange {
  constructor(source, asked) {
    Object.assign(this, { source, asked, under: null, waiting: new Map(), sent: 0, count: 0 });
  }

  ask(message) {
    this.waiting.delete(message.kind);
    this.waiting.set(message.kind, message);
    if (this.under === null || Date.now() - this.sent > LOST) this.next();
  }

  next() {
    const [kind, message] = this.waiting.entries().next().value;
    this.waiting.delete(kind);
    this.count += 1;
    this.under = this.count + Math.random(); // no other view of this explorer counts alike
    this.underKind = kind;
    this.sent = Date.now();
    this.asked(kind);
    this.source.send({ ...message, number: this.under });
  }

  // Whether questions of a kind are still open.
  isOpen(kind) { return (this.under !== null && this.underKind === kind) || this.waiting.has(kind); }

  // A frame has come, perhaps the answer to what is under way.
  hear({ answers }) {
    if (answers === null || answers !== this.under) return;
    this.under = null;
    if (this.waiting.size) this.next();
  }
}
