// The controls of an explorer in a page without Jupyter. To the page a control is a list of texts and the place at which it
// stands. Where frames were made beforehand only some places can be reached: its stops.
import { speedChoice } from './stage/speed.js';
import { make } from './stage/tools.js';

let count = 0;

class Control {
  constructor({ kind, label, texts }, place, moved) {
    Object.assign(this, { kind, texts, place, moved });
    this.id = `control-${count += 1}`;
    this.stops = texts.map((_, i) => i);
    this.field = this[kind](); // slider, choice or tick
    const words = make('label', { for: this.id }, label);
    this.shown = make('output', { for: this.id });
    this.node = make('div', { class: `mlcore-control mlcore-${kind}` }, ...(kind === 'tick' ? [this.field, words] : [words, this.shown, this.field]));
    this.show();
  }

  slider() {
    const field = make('input', { type: 'range', id: this.id, min: 0, step: 1, max: this.texts.length - 1 });
    field.addEventListener('input', () => this.go(this.stops[Number(field.value)]));
    return field;
  }

  choice() {
    const field = make('select', { id: this.id }, ...this.texts.map((text) => make('option', {}, text)));
    field.addEventListener('change', () => this.go(field.selectedIndex));
    return field;
  }

  tick() {
    const field = make('input', { type: 'checkbox', id: this.id });
    field.addEventListener('change', () => this.go(Number(field.checked)));
    return field;
  }

  go(place) {
    this.place = place;
    this.show();
    this.moved();
  }

  // Only these places can be reached; it goes to the nearest one.
  fit(stops) {
    this.stops = stops ?? this.texts.map((_, i) => i);
    const away = (stop) => Math.abs(stop - this.place);
    this.place = this.stops.reduce((best, stop) => (away(stop) < away(best) ? stop : best));
    this.show();
  }

  // So many places, of which the last ones may have no text yet: a player's steps, when its points have moved.
  extend(places) {
    if (places === this.texts.length) return;
    const first = Number(this.texts[0]);
    this.texts = Array.from({ length: places }, (_, i) => this.texts[i] ?? String(first + i));
    this.fit();
  }

  show() {
    const { field, place, stops } = this;
    field.disabled = stops.length < 2;
    if (this.kind === 'tick') field.checked = Boolean(place);
    else if (this.kind !== 'slider') {
      [...field.options].forEach((option, i) => { option.disabled = !stops.includes(i); });
      field.selectedIndex = place;
    }
    else {
      field.max = stops.length - 1;
      field.value = stops.indexOf(place);
      this.shown.value = this.texts[place];
      field.setAttribute('aria-valuetext', this.texts[place]);
      field.style.setProperty('--part', `${100 * stops.indexOf(place) / Math.max(stops.length - 1, 1)}%`);
    }
  }
}

// All controls of a card, and of a player its buttons.
export class Controls {
  constructor(spec, places, moved) {
    this.all = spec.controls.map((one, i) => new Control(one, places[i], () => { this.stop(); moved(); }));
    this.moved = moved;
    this.timer = null;
    const isPlayer = spec.kind === 'player';
    this.node = make('div', { class: `mlcore-controls${isPlayer ? ' mlcore-player' : ''}` });
    if (isPlayer) this.node.append(...this.buttons(spec.interval));
    this.node.append(...this.all.map(({ node }) => node));
    if (isPlayer) this.node.append(speedChoice((speed) => { this.pace = speed; }).node);
  }

  // Whether frames leave out an option, or an end of a slider.
  lacksSettings() {
    return this.all.some(({ kind, stops, texts }) => (kind === 'slider' ? stops[0] > 0 || stops.at(-1) < texts.length - 1 : stops.length < texts.length));
  }

  get places() { return this.all.map(({ place }) => place); }

  fit(stops) { this.all.forEach((control, i) => control.fit(stops?.[i])); }

  // Where they stand by a frame that came.
  follow({ at, places }) {
    this.all.forEach((control, i) => {
      if (places) control.extend(places[i]);
      if (control.place !== at[i]) {
        control.place = at[i];
        control.show();
      }
    });
  }

  buttons(interval) {
    const button = (text, label, onclick) => make('button', { type: 'button', 'aria-label': label, title: label, onclick }, text);
    this.interval = interval;
    this.play = button('▶', 'Play', () => (this.timer === null ? this.start() : this.stop()));
    return [
      this.play,
      button('◂ Back', 'Back one step', () => { this.stop(); this.step(-1); }),
      button('Step ▸', 'One step', () => { this.stop(); this.step(1); }),
    ];
  }

  step(by) {
    const [slider] = this.all;
    const to = slider.stops[slider.stops.indexOf(slider.place) + by];
    if (to === undefined) return false;
    slider.place = to;
    slider.show();
    this.moved();
    return true;
  }

  start() {
    const [slider] = this.all;
    if (slider.place === slider.stops.at(-1)) {
      [slider.place] = slider.stops;
      slider.show();
      this.moved();
    }
    const go = () => { this.timer = setTimeout(() => (this.step(1) ? go() : this.stop()), this.interval / this.pace); };
    go();
    this.play.replaceChildren('⏸');
    this.play.setAttribute('aria-label', 'Pause');
  }

  stop() {
    if (!this.play) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.play.replaceChildren('▶');
    this.play.setAttribute('aria-label', 'Play');
  }
}
