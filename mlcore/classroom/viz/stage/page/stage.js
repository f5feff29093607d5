// A picture and all that belongs to it: question, points, picture, what moves and what can be read off, result, goals,
// code. It knows a spec and frames, not where they come from: a source takes messages (`send`) and hands over frames
// (`show`). Each frame is whole: a stage that starts late needs only the last one.
import { Exchange } from './exchange.js';
import { Holds } from './holds.js';
import { linksOver } from './keys.js';
import { Marks } from './marks.js';
import { Picture } from './picture.js';
import { points } from './points.js';
import { Question } from './question.js';
import { Readings } from './readings.js';
import { Running } from './running.js';
import { followTheme, isDark, make } from './tools.js';

export class Stage {
  constructor(spec, frame, source) {
    Object.assign(this, { spec, frame });
    this.use(source);
    this.picture = new Picture(this);
    this.marks = new Marks(this);
    this.readings = new Readings(this);
    this.holds = new Holds(this);
    this.result = make('div', { class: 'mlcore-caption', role: 'status', 'aria-live': 'polite' });
    this.goals = make('div', { class: 'mlcore-goals', role: 'status', 'aria-live': 'polite' });
    this.note = make('div', { class: 'mlcore-note', role: 'status' });
    this.question = spec.question && new Question(this);
    this.points = spec.points && points(this);
    this.running = spec.lines && new Running(spec.lines);
    this.links = frame.links.length > 0 && linksOver(frame.links);
    const { box, image } = this.picture;
    const over = [
      this.marks.node, this.question?.signs, this.links, this.holds.node, this.points?.node, this.readings.node,
    ];
    box.append(...over.filter(Boolean));
    this.readings.listen(box);
    image.addEventListener('keydown', (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (by) { event.preventDefault(); this.readings.step(by); }
      if (event.key === 'Escape') this.readings.hide();
    });
    image.addEventListener('blur', () => this.readings.hide());
  }

  // What stands in the card beside the controls, in the order in which it is read.
  parts() {
    return [
      this.question?.node, this.points?.bar, this.picture.box, this.result, this.goals, this.running?.node, this.note,
    ].filter(Boolean);
  }

  ask(message) { this.exchange.ask(message); }

  // Frames come from another source from now on; what the old one has not answered is lost.
  use(source) {
    this.source = source;
    this.exchange = new Exchange(source, () => this.onAsked?.());
  }

  show(frame) {
    this.frame = frame;
    this.exchange.hear(frame);
    this.picture.show(frame);
    this.showResult(frame);
    this.showGoals(frame);
    for (const part of [this.question, this.points, this.running, this.marks, this.holds, this.readings]) part?.show(frame);
    if (frame.rests) this.picture.image.tabIndex = frame.dots.length ? 0 : -1;
    this.paint();
    this.onShown?.(frame);
  }

  // The result is the largest text; what explains it follows in the size of the page. What failed is told in the picture's
  // place.
  showResult({ result: [first, rest], error }) {
    this.failure?.remove();
    this.failure = error && make(
      'div', { class: 'mlcore-error', role: 'alert' }, make('b', {}, 'This picture could not be drawn.'),
      ` ${error.name}: ${error.text} (${error.where}). Move a control to try again.`,
    );
    if (error) {
      this.picture.box.append(this.failure);
      this.result.replaceChildren();
      return;
    }
    this.result.replaceChildren(...(first ? [make('strong', {}, first)] : []), rest);
  }

  showGoals({ reached }) {
    const key = reached.join();
    if (this.reached === key) return;
    this.reached = key;
    this.goals.replaceChildren(...this.spec.goals.map(([name, text]) => {
      const is = reached.includes(name);
      return make('div', { class: `mlcore-goal${is ? ' mlcore-reached' : ''}` }, is ? '☑ ' : '☐ ', make('b', {}, is ? 'Reached:' : 'Goal:'), ` ${text}`);
    }));
  }

  // The colours of the roles, for what the page draws itself.
  paint() {
    const theme = isDark() ? 'dark' : 'light';
    if (this.theme === theme) return;
    this.theme = theme;
    for (const part of this.parts()) {
      for (const [role, color] of Object.entries(this.spec.palette[theme])) part.style.setProperty(`--mlcore-${role}`, color);
    }
  }

  // Follow the window, the screen and the theme, until the function that is returned is called.
  watch() {
    const stops = [this.picture, this.points, this.running].map((part) => part?.watch());
    stops.push(followTheme(() => this.paint()));
    return () => { for (const stop of stops) stop?.(); };
  }
}
