// The code of an algorithm beside its picture: the line at work is marked, and the values of the step stand below it.
import { make } from './tools.js';

export class Running {
  constructor(lines) {
    this.body = make('tbody');
    this.table = make('table', { class: 'mlcore-values' }, make('caption', {}, 'values of this step'), this.body);
    this.lines = lines.map((html) => {
      const line = make('div', { class: 'mlcore-line' });
      line.innerHTML = html || ' ';
      for (const place of line.querySelectorAll('.mlcore-place')) { // a long one is broken between its parts
        place.innerHTML = place.innerHTML.replaceAll('/', '/<wbr>');
      }
      line.style.setProperty('--indent', `${line.textContent.search(/\S|$/) + 4}ch`);
      return line;
    });
    const label = { tabindex: 0, role: 'group', 'aria-label': 'the code, with the line at work marked' };
    this.code = make('div', { class: 'mlcore-code', ...label }, ...this.lines);
    this.node = make('div', { class: 'mlcore-running' }, this.code, this.table);
  }

  show({ line, values }) {
    this.at = line;
    this.mark();
    this.body.replaceChildren(...values.map(([name, value]) => make(
      'tr', {}, make('th', { scope: 'row' }, name), make('td', {}, value),
    )));
    this.table.hidden = values.length === 0;
  }

  mark() {
    const { code, lines, at } = this;
    for (const line of code.querySelectorAll('[aria-current]')) line.removeAttribute('aria-current');
    const here = lines[at];
    if (!here) return;
    here.setAttribute('aria-current', 'step');
    const above = here.offsetTop; // within the code, which is positioned: only it scrolls, never the page
    if (above < code.scrollTop || above + here.offsetHeight > code.scrollTop + code.clientHeight) {
      code.scrollTop = above - code.clientHeight / 2;
    }
  }

  // A narrower window breaks the lines anew.
  watch() {
    const sizes = new ResizeObserver(() => this.mark());
    sizes.observe(this.code);
    return () => sizes.disconnect();
  }
}
