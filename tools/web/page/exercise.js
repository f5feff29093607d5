// An exercise: a field for the answer, a button that checks it, and what is said to it.
import { Answers } from './answers.js';
import { printed, shownAs, whereIn } from './outputs.js';
import { make } from './stage/tools.js';

const LIMIT = 20; // seconds that a check may take
const PATIENCE = 800; // milliseconds after which "Stop" is offered
const KEYS = 'Tab indents; Esc, then Tab, leaves the field. Ctrl+Enter checks.';
const YOURS = 'your answer'; // what Python calls the cell

const isRunning = () => document.documentElement.dataset.python === 'runs';

// The field until the editor is there, or where it cannot be.
function plain({ text, attributes, changed, run }) {
  const node = make('textarea', { ...attributes, rows: text.split('\n').length });
  node.value = text;
  node.addEventListener('input', changed);
  node.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey || event.shiftKey)) return;
    event.preventDefault();
    run();
  });
  return {
    node,
    get text() { return node.value; },
    set text(value) { node.value = value; changed(); },
    focus() { node.focus(); },
    mark() {},
  };
}

class Exercise {
  // `start` starts Python, and gives it once it runs, or null; `stop` ends it and says why, and starts it anew.
  constructor(root, progress, start, stop) {
    Object.assign(this, { root, progress, start, stop, id: root.dataset.exercise, isBusy: false });
    this.given = root.querySelector('pre').textContent;
    this.answers = new Answers(this.id, root.dataset.digest);
    this.options = {
      attributes: {
        'aria-label': `your answer to exercise ${this.id}`, 'aria-describedby': `keys-${this.id}`, spellcheck: 'false', autocapitalize: 'off',
        autocorrect: 'off',
      },
      changed: () => this.changed(),
      run: () => this.run(),
    };
    this.field = plain({ text: this.answers.own ?? this.given, ...this.options });
    this.place = make('div', { class: 'field' }, this.field.node);
    const button = (text, onclick) => make('button', { type: 'button', onclick }, text);
    this.check = button('Check', () => this.run());
    this.end = button('Stop', () => this.halt('you stopped it'));
    this.again = button('Start over', () => this.ask());
    this.end.hidden = true;
    this.said = make('div', { class: 'said', role: 'status' });
    this.verdict = make('div', { class: 'verdict', role: 'status' });
    root.replaceChildren(
      this.place, make('div', { class: 'ways' }, this.check, this.end, this.again, make('span', { class: 'keys', id: `keys-${this.id}` }, KEYS)), this.said,
      this.verdict,
    );
    this.changed();
    this.offer();
    this.heading = heading(root);
    this.tick();
    progress.addEventListener('change', () => this.tick());
  }

  // The editor takes the place of the plain field, with what is in it and the cursor where it was.
  use(edit) {
    const { node } = this.field;
    const hadFocus = document.activeElement === node;
    const selection = { anchor: node.selectionStart, head: node.selectionEnd };
    this.field = edit({ text: this.field.text, selection, ...this.options });
    this.place.replaceChildren(this.field.node);
    if (hadFocus) this.field.focus();
  }

  // -------------------------------------------------------------------------------------------------------------------
  // The text
  // -------------------------------------------------------------------------------------------------------------------
  changed() {
    const { text } = this.field;
    this.again.hidden = text === this.given;
    this.answers.own = text === this.given ? null : text;
  }

  say(...parts) { this.said.replaceChildren(...parts); }

  // A line with buttons, each of which does something; the first one is where the keyboard goes.
  propose(text, ways, takesFocus = true) {
    const buttons = Object.entries(ways).map(([name, go]) => make('button', { type: 'button', onclick: () => { this.say(); go(); } }, name));
    this.say(`${text} `, ...buttons);
    if (takesFocus) buttons[0].focus();
  }

  // The given text back, if that is meant; one step brings the learner's own again.
  ask() {
    this.propose('Put the given text in place of yours?', {
      'Yes, start over': () => {
        this.replace(this.given);
        this.verdict.replaceChildren();
      },
      No: () => this.again.focus(),
    });
  }

  replace(text) {
    const before = this.field.text;
    this.field.text = text;
    this.propose('Done.', { 'Undo it': () => { this.field.text = before; this.field.focus(); } });
  }

  // The exercise has been changed since it was answered: nothing of the learner's is lost.
  offer() {
    const { earlier } = this.answers;
    if (earlier === null || this.field.text !== this.given) return;
    this.propose('This exercise has changed since you wrote an answer.', { 'Take your earlier answer': () => this.replace(earlier) }, false);
  }

  // -------------------------------------------------------------------------------------------------------------------
  // The check
  // -------------------------------------------------------------------------------------------------------------------
  async run() {
    if (this.isBusy) return;
    this.isBusy = true;
    this.check.setAttribute('aria-disabled', 'true');
    this.verdict.replaceChildren();
    this.field.mark(null);
    const { text } = this.field;
    if (!isRunning()) this.say('Python is being loaded; then your answer is checked …');
    const python = await this.start();
    if (python) await this.runIn(python, text);
    else this.say('Nothing was checked, since Python could not be started: the head of the page says why.');
    this.isBusy = false;
    this.check.removeAttribute('aria-disabled');
  }

  async runIn(python, text) {
    this.say('Your answer is being checked …');
    this.why = null;
    const shows = setTimeout(() => { this.end.hidden = false; }, PATIENCE);
    const ends = setTimeout(() => this.halt(`it took longer than ${LIMIT} seconds`), LIMIT * 1000);
    try {
      const { shown, made, error } = await python.run(text, YOURS, true);
      this.say();
      this.verdict.replaceChildren(...shown.map(shownAs));
      if (made) this.verdict.append(make('p', {}, 'What you made to be moved by sliders can be seen in JupyterLab alone.'));
      if (error) this.tell(error, text);
      else if (!text.includes('grade(')) this.say(`It ran, but nothing was checked: a line grade("${this.id}", …) is missing at its end.`);
    } catch (problem) {
      this.say(this.why ? `Stopped: ${this.why}. Python starts anew; your text stays.` : `Nothing was checked: ${problem.message}.`);
    }
    clearTimeout(shows);
    clearTimeout(ends);
    if (document.activeElement === this.end) this.check.focus();
    this.end.hidden = true;
  }

  // An error, with the line at which it arose.
  tell(error, text) {
    const { line, rest } = whereIn(error);
    const node = make('div', { class: 'error' });
    if (line) {
      node.append(make('p', {}, `Line ${line}: `, make('code', {}, (text.split('\n')[line - 1] ?? '').trim())));
      this.field.mark(line);
    }
    node.append(printed(rest));
    this.verdict.append(node);
  }

  halt(why) {
    this.why = why;
    this.stop(why);
  }

  // In the heading, whether it is solved.
  tick() {
    const isSolved = this.progress.has('exercises', this.id);
    if (!this.heading || isSolved === Boolean(this.mark)) return;
    this.mark?.remove();
    this.mark = isSolved ? make('span', { class: 'solved', role: 'img', 'aria-label': 'solved' }, '✓') : null;
    if (this.mark) this.heading.append(' ', this.mark);
  }
}

// The heading under which something stands.
function heading(node) {
  let before = node.previousElementSibling;
  while (before && !/^H[1-6]$/.test(before.tagName)) before = before.previousElementSibling;
  return before;
}

// Make the exercises of the page; the editor is loaded when the first of them comes near.
export function exercises(progress, start, stop) {
  const all = [...document.querySelectorAll('[data-exercise]')].map((root) => new Exercise(root, progress, start, stop));
  const near = new IntersectionObserver(async (entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    near.disconnect();
    const { edit } = await import('./editor.js').catch(() => ({})); // without a network the plain field stays
    if (edit) for (const exercise of all) exercise.use(edit);
  }, { rootMargin: '1000px' });
  for (const { root } of all) near.observe(root);
}
