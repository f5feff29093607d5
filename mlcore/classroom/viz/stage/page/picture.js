// The picture: swapped when it is decoded, so that nothing flickers; when nothing moves, the same one as sharp as the
// screen. The page reports its pixels and its theme with that question.
import { followTheme, isDark, isNarrow, make } from './tools.js';

const REST = 120; // milliseconds without a new frame after which nothing moves

const decoded = (url) => Object.assign(new Image(), { src: url }).decode().catch(() => null);

export class Picture {
  constructor(stage) {
    Object.assign(this, { stage, key: '', turn: 0, timer: null, parts: [], urls: [], seen: false });
    this.image = make('img', { class: 'mlcore-picture', alt: stage.spec.alt, draggable: 'false' });
    this.box = make('div', { class: 'mlcore-stage' }, this.image);
    this.fit(stage.frame.size);
  }

  // Its shape is known before it comes, so that nothing jumps.
  fit([width, height]) {
    [this.width, this.height] = [width, height];
    Object.assign(this.image, { width, height });
    this.box.style.setProperty('--shape', `${width} / ${height}`);
  }

  // What the kernel need know of the screen. In a narrow window panels stand one below the other.
  screen() {
    const card = this.box.closest('.mlcore-explorer') ?? this.box.parentElement;
    return { theme: isDark() ? 'dark' : 'light', ratio: this.ratio(), narrow: Boolean(card) && isNarrow(card) };
  }

  // The screen's pixels to one of the picture's own.
  ratio() {
    const shown = this.image.clientWidth || this.width;
    return Math.round(1000 * devicePixelRatio * shown / this.width) / 1000;
  }

  async show(frame) {
    this.box.classList.toggle('mlcore-failed', Boolean(frame.error));
    if (!frame.rests) this.restSoon();
    const key = frame.key.join();
    if (key === this.key || frame.error) return this.settled(frame);
    this.key = key;
    this.turn = frame.turn;
    const parts = [frame.picture, frame.over].filter(Boolean);
    const same = parts.map((bytes, i) => bytes === this.parts[i]); // what the other part is laid over stays
    const urls = parts.map((bytes, i) => (same[i] ? this.urls[i] : URL.createObjectURL(new Blob([bytes], { type: frame.type }))));
    const made = urls.filter((_, i) => !same[i]);
    await Promise.all(made.map(decoded));
    if (this.turn !== frame.turn) { // a newer one has come
      made.forEach(URL.revokeObjectURL);
      return;
    }
    const before = this.urls.filter((url) => !urls.includes(url));
    Object.assign(this, { parts, urls });
    this.fit(frame.size);
    this.put(urls);
    this.image.dataset.theme = frame.theme;
    this.image.dataset.ratio = frame.key[1];
    if (before.length) setTimeout(() => before.forEach(URL.revokeObjectURL), 1000);
    this.settled(frame);
  }

  // A frame made beforehand may be a part only, which is laid over the first picture.
  put([picture, part]) {
    if (this.image.src !== picture) this.image.src = picture;
    if (part && !this.over) this.image.after(this.over = make('img', { class: 'mlcore-over', alt: '', draggable: 'false' }));
    if (this.over) this.over.hidden = !part;
    if (part) this.over.src = part;
  }

  // Whether it moves, or is to be had sharper than it is, stands on its box.
  settled({ rests }) {
    if (rests && this.timer === null) delete this.box.dataset.moves;
  }

  restSoon() {
    this.box.dataset.moves = '';
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.rest(), REST);
  }

  rest() {
    this.timer = null;
    if (this.seen) this.stage.ask({ kind: 'rest', ...this.screen() });
    else delete this.box.dataset.moves;
  }

  // Only what is on the screen need be sharp; and anew on another screen, at another zoom, in another theme.
  watch() {
    const views = new IntersectionObserver(([entry]) => {
      const comes = entry.isIntersecting && !this.seen;
      this.seen = entry.isIntersecting;
      if (comes) this.restSoon();
    });
    views.observe(this.box);
    const stop = followTheme(() => this.restSoon());
    let asked = null;
    const sizes = new ResizeObserver(() => {
      const { ratio, narrow } = this.screen();
      if (asked && (Math.abs(ratio - asked.ratio) > 0.02 || narrow !== asked.narrow)) this.restSoon();
      asked = { ratio, narrow };
    });
    sizes.observe(this.image);
    let query = null;
    const zoomed = () => {
      query?.removeEventListener('change', zoomed);
      query = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
      query.addEventListener('change', zoomed);
      this.restSoon();
    };
    zoomed();
    return () => {
      clearTimeout(this.timer);
      query.removeEventListener('change', zoomed);
      stop();
      for (const observer of [views, sizes]) observer.disconnect();
      this.urls.forEach(URL.revokeObjectURL);
    };
  }
}
