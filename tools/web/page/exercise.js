// An exercise: a field for the answer, a button that checks it, and what is said to it.
import { make } from './stage/tools.js';

const KEY = 'mlcore/1/answer'; // where answers are kept, by the exercise and its text

export class Exercise {
  constructor(root, progress, start, lost) {
    Object.assign(this, { root, progress, start, lost, id: root.dataset.exercise, python: null });
    this.given = root.querySelector('pre').textContent;
    this.key = `${KEY} ${this.id} ${root.dataset.digest}`;
    this.field = make('textarea', { rows: this.given.split('\n').length + 2, spellcheck: 'false', 'aria-label': `your answer to exercise ${this.id}` });
    this.field.value = this.kept() ?? this.given;
    this.field.addEventListener('input', () => this.keep());
    this.check = make('button', { type: 'button', onclick: () => this.run() }, 'Check');
    this.stop = make('button', { type: 'button', hidden: '', onclick: () => this.lost('you stopped it') }, 'Stop');
    this.verdict = make('div', { class: 'verdict', role: 'status' });
    root.replaceChildren(this.field, make('div', { class: 'ways' }, this.check, this.stop), this.verdict);
  }

  use(python) { this.python = python; }

  async run() {
    if (!this.python) await this.start();
    const { python } = this;
    if (!python) return;
    this.stop.hidden = false;
    try {
      const { shown, error } = await python.run(this.field.value, 'your answer', true);
      this.verdict.replaceChildren(...shown.map(output));
      if (error) this.verdict.append(make('pre', {}, error));
    } catch (problem) {
      this.verdict.replaceChildren(`Nothing was checked: ${problem.message}.`);
    }
    this.stop.hidden = true;
  }

  kept() { try { return localStorage.getItem(this.key); } catch { return null; } }

  keep() { try { localStorage.setItem(this.key, this.field.value); } catch { /* it lasts as long as the page */ } }
}

function output(bundle) {
  const html = bundle['text/html'];
  if (html) {
    const node = make('div');
    node.innerHTML = html;
    return node;
  }
  if (bundle['image/png']) return make('img', { src: `data:image/png;base64,${bundle['image/png']}`, alt: bundle['text/plain'] ?? '' });
  return make('pre', {}, bundle['text/plain'] ?? '');
}
