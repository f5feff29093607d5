// An explorer in a page without Jupyter: the stage, and controls of its own.
import { Controls } from './controls.js';
import { Frames } from './frames.js';
import { progress } from './progress.js';
import { fitIn } from './stage/fit.js';
import { showFocus } from './stage/keys.js';
import { Stage } from './stage/stage.js';
import { isNarrow, make } from './stage/tools.js';

// The k-th explorer of a chapter, as its folder of frames tells of it; `wake` starts Python.
export async function cardOf(root, k, folder, { explorers, palette }, wake) {
  const one = explorers[k];
  one.spec.palette = palette;
  const frames = new Frames((window, ending) => new URL(`${k}-${window}.${ending}`, folder).href, one, progress);
  return new Card(root, await frames.first(isNarrow(root)), frames, wake);
}

class Card {
  constructor(root, frame, frames, wake) {
    const { spec } = frames;
    Object.assign(this, { root, spec, frames });
    const stage = frames.stage = this.stage = new Stage(spec, frame, frames);
    for (const link of stage.links?.children ?? []) { // notebooks are pages here
      link.setAttribute('href', link.getAttribute('href').replace(/\.ipynb$/, '.html'));
      link.removeAttribute('target');
    }
    this.controls = new Controls(spec, frame.at, () => stage.ask({ kind: 'set', at: this.controls.places }));
    this.controls.fit(frames.stops);
    const more = spec.points ? 'Take the points in your hand' : this.controls.lacksSettings() && 'Choose among all settings';
    this.wake = more && make('div', { class: 'mlcore-wake' }, make('button', { type: 'button', onclick: wake }, more), ' (starts Python)');
    const view = make('div', { class: 'mlcore-view' }, ...stage.parts().filter((part) => part !== stage.question?.node));
    root.replaceChildren(...[stage.question?.node, this.controls.node, this.wake, view].filter(Boolean));
    root.classList.add('mlcore-explorer');
    root.classList.toggle('mlcore-with-code', Boolean(spec.lines));
    root.setAttribute('role', 'group');
    root.setAttribute('aria-label', spec.kind);
    showFocus(root);
    fitIn(root, spec, document.documentElement);
    stage.onShown = (now) => this.shown(now);
    stage.watch();
    this.take(frames);
    stage.show(frame);
  }

  take(source) {
    source.stage = this.stage;
    this.source = source;
    this.root.dataset.source = source.isLive ? 'python' : 'frames';
    this.stage.use(source);
    this.controls.fit(source.stops);
  }

  // Frames come from Python from now on: at the same setting, and with the theme and the width of this window.
  use(source) {
    const { places } = this.controls;
    this.take(source);
    source.send({ kind: 'hello', ...this.stage.picture.screen() });
    const made = progress.guess(this.spec.question?.key); // perhaps while Python was being loaded
    if (made !== undefined) source.send({ kind: 'guess', guess: made });
    this.stage.ask({ kind: 'set', at: places });
  }

  // And from those made beforehand again.
  back() {
    if (this.source === this.frames) return;
    this.take(this.frames);
    this.stage.ask({ kind: 'set', at: this.controls.places });
  }

  // In the dark theme frames made beforehand are turned to dark; what has colours of its own is not.
  showPhotos(panels) {
    this.photos ??= [];
    while (this.photos.length < panels.length) {
      const photo = make('div', { class: 'mlcore-photo' });
      (this.photos.at(-1) ?? this.stage.picture.over ?? this.stage.picture.image).after(photo);
      this.photos.push(photo);
    }
    for (const [i, photo] of this.photos.entries()) {
      const [left, top, right, bottom] = (panels[i]?.edges ?? [0, 0, 0, 0]).map((part) => `${100 * part}%`);
      Object.assign(photo.style, { left, top, width: `calc(${right} - ${left})`, height: `calc(${bottom} - ${top})` });
    }
  }

  shown(frame) {
    this.showPhotos(frame.axes.filter(({ photo }) => photo));
    this.root.classList.toggle('mlcore-asking', Boolean(frame.question) && frame.question.answer === '');
    if (!this.stage.exchange.isOpen('set')) this.controls.follow(frame);
  }
}
