// What moves from frame to frame: outlines over the picture that glide from where they were to where they are.
import { calm, draw } from './tools.js';

const GLIDE = 250; // milliseconds
const SCRUB = 200; // frames that follow each other faster are not waited for
const COUNT = { M: 2, L: 2, Q: 4, C: 6, Z: 0 };

const ease = (part) => 1 - (1 - part) ** 3;
const mixed = (from, to, part) => to.map((number, i) => from[i] + (number - from[i]) * part);

function outline(letters, numbers) {
  let at = 0;
  return [...letters].map((letter) => {
    const own = numbers.slice(at, at + COUNT[letter]);
    at += COUNT[letter];
    return letter + own.map((number) => number.toFixed(1)).join(' ');
  }).join('');
}

export class Marks {
  constructor(stage) {
    this.node = draw('svg', { class: 'mlcore-marks', 'aria-hidden': 'true' });
    Object.assign(this, { now: new Map(), came: 0, run: 0, size: '' });
  }

  // The same picture once more, only sharper, does not stop what is on its way.
  show({ marks, key: [painted], theme, error, size }) {
    const picture = [painted, theme, Boolean(error)].join();
    if (picture === this.picture) return;
    this.picture = picture;
    const quick = performance.now() - this.came < SCRUB || calm() || document.hidden || this.size !== size.join(' ');
    this.size = size.join(' ');
    this.node.setAttribute('viewBox', `0 0 ${this.size}`);
    this.came = performance.now();
    this.run += 1;
    const goals = marks.map((mark) => ({ ...mark, from: this.now.get(mark.key) }));
    if (!marks.length) this.node.replaceChildren();
    const put = (part) => {
      const nodes = goals.map((goal) => this.group(goal, part));
      this.node.replaceChildren(...nodes);
    };
    if (quick || !goals.some(({ from }) => from)) {
      put(1);
      return;
    }
    const { run } = this;
    const begun = performance.now();
    const step = () => {
      if (run !== this.run) return;
      const part = Math.min((performance.now() - begun) / GLIDE, 1);
      put(part);
      if (part < 1) requestAnimationFrame(step);
    };
    step();
  }

  // Where it is now is kept: the next frame may come while it is on its way.
  group({ key, clip, shapes, from }, part) {
    const now = shapes.map((shape, i) => {
      const old = from?.[i];
      const alike = old && old.d === shape.d && old.p.length === shape.p.length;
      return { ...shape, p: alike && part < 1 ? mixed(old.p, shape.p, ease(part)) : shape.p };
    });
    this.now.set(key, now);
    // an inner picture shows nothing beyond its edges
    const [x, y, width, height] = clip ?? [];
    const group = clip ? draw('svg', { x, y, width, height, viewBox: clip.join(' ') }) : draw('g');
    group.append(...now.map((shape) => this.shape(shape)));
    return group;
  }

  shape({ d, p, text, fill, stroke, width, dash, size, anchor, base, bold, halo }) {
    if (text === undefined) {
      return draw('path', { d: outline(d, p), fill, stroke, 'stroke-width': width, 'stroke-dasharray': dash, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' });
    }
    const node = draw('text', { x: p[0], y: p[1], fill, 'font-size': size, 'text-anchor': anchor, 'dominant-baseline': base, 'font-weight': bold ? 600 : 400, stroke: halo, 'stroke-width': 3, 'stroke-linejoin': 'round', 'paint-order': 'stroke' });
    node.textContent = text;
    return node;
  }
}
