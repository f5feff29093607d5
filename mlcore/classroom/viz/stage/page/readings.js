// What can be read off: the coordinates under the pointer and the nearest point that has a name; the same point in other
// panels is ringed too. With the keyboard the arrow keys go from point to point.
import { draw, make } from './tools.js';

const NEAR = 14; // pixels

function number(value, span) {
  const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(Math.abs(span) / 200))));
  return (Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-4) ? value.toPrecision(3) : value.toFixed(digits)).replace('-', '−');
}

function along(part, [low, high, scale]) {
  return scale === 'log' ? low * (high / low) ** part : low + part * (high - low);
}

export class Readings {
  constructor(stage) {
    this.stage = stage;
    this.label = make('div', { class: 'mlcore-reading', role: 'status' });
    this.rings = draw('svg', { class: 'mlcore-rings', 'aria-hidden': 'true' });
    this.node = make('div', { class: 'mlcore-readings' }, this.rings, this.label);
    this.at = [0, 0]; // the group and the point that the keyboard has reached
  }

  listen(box) {
    box.addEventListener('pointermove', (event) => { if (event.pointerType === 'mouse') this.hover(event); });
    box.addEventListener('pointerleave', () => this.hide());
    box.addEventListener('pointerdown', () => this.hide());
  }

  // The frame with the points comes when nothing moves.
  show({ rests, dots }) {
    this.dots = rests ? dots : [];
    if (!rests) this.hide();
  }

  hover(event) {
    if (event.buttons || event.target.closest('.mlcore-panel')) return this.hide();
    const frame = this.node.getBoundingClientRect();
    const [across, down] = [(event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height];
    const panel = (this.stage.frame?.axes ?? []).find(({ edges: [left, top, right, bottom] }) => (
      across >= left && across <= right && down >= top && down <= bottom));
    if (!panel) return this.hide();
    const [left, top, right, bottom] = panel.edges;
    const x = along((across - left) / (right - left), panel.x);
    const y = along((bottom - down) / (bottom - top), panel.y);
    const near = this.nearest(across, down, panel.panel, frame);
    const [spanX, spanY] = [panel.x, panel.y].map(([low, high, scale]) => (scale === 'log' ? low : high - low));
    const text = near ? this.named(near) : `${number(x, spanX)}, ${number(y, spanY)}`;
    return this.tell(text, across, down, near, frame);
  }

  nearest(across, down, panel, { width, height }) {
    let best = null;
    let least = NEAR;
    for (const [g, group] of (this.dots ?? []).entries()) {
      if (group.panel === panel) {
        for (const [i, [u, v]] of group.xy.entries()) {
          const away = Math.hypot((u - across) * width, (v - down) * height);
          if (away < least) {
            least = away;
            best = [g, i];
          }
        }
      }
    }
    return best;
  }

  named([g, i]) {
    const { name, at } = this.dots[g];
    return [name, at[i].join(', ').replaceAll('-', '−')].filter(Boolean).join(': ');
  }

  tell(text, across, down, near, { width, height }) {
    this.label.textContent = text;
    this.label.classList.toggle('mlcore-left', across > 0.6);
    this.label.classList.toggle('mlcore-up', down > 0.75);
    Object.assign(this.label.style, { left: `${100 * across}%`, top: `${100 * down}%` });
    const places = near ? this.same(near) : [];
    this.rings.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.rings.replaceChildren(...places.map(([u, v]) => draw('circle', { cx: u * width, cy: v * height, r: 9 })));
  }

  // The point itself, and the same row in other panels.
  same([g, i]) {
    const { link, xy } = this.dots[g];
    return link ? this.dots.filter((other) => other.link === link && other.xy[i]).map((other) => other.xy[i]) : [xy[i]];
  }

  // From the keyboard: the next point, or that of the next group.
  step(by) {
    if (!this.dots?.length) return;
    let [g, i] = this.at;
    g = Math.min(g, this.dots.length - 1);
    i += by;
    if (i >= this.dots[g].xy.length) [g, i] = [(g + 1) % this.dots.length, 0];
    if (i < 0) {
      g = (g + this.dots.length - 1) % this.dots.length;
      i = this.dots[g].xy.length - 1;
    }
    this.at = [g, i];
    const [across, down] = this.dots[g].xy[i];
    this.tell(this.named(this.at), across, down, this.at, this.node.getBoundingClientRect());
  }

  hide() {
    if (!this.label.textContent) return;
    this.label.textContent = '';
    this.rings.replaceChildren();
  }
}
