// A question to commit to before a picture moves: choices as buttons, or a number on a slider; then the answer.
import { draw, make } from './tools.js';

export class Question {
  constructor(stage) {
    const { text, choices, range } = stage.spec.question;
    const commit = (guess) => stage.ask({ kind: 'guess', guess });
    const ways = choices.length
      ? choices.map((choice) => make('button', { type: 'button', onclick: () => commit(choice) }, choice))
      : this.number(text, range, commit);
    const skip = make('button', { type: 'button', class: 'mlcore-skip', onclick: () => commit('') }, 'just show me');
    this.row = make('div', { class: 'mlcore-ways' }, ...ways, skip);
    this.asked = make('fieldset', {}, make('legend', {}, make('b', {}, 'Guess first.'), ` ${text}`), this.row);
    this.told = make('p', { tabindex: -1, role: 'status' });
    this.again = make('button', { type: 'button', class: 'mlcore-skip', onclick: () => commit(null) });
    this.node = make('div', { class: 'mlcore-question' }, this.asked, this.told);
    this.signs = draw('svg', { class: 'mlcore-signs', 'aria-hidden': 'true' });
    for (const [name, pixels] of Object.entries(stage.spec.heights)) this.node.style.setProperty(`--${name}`, `${pixels}px`);
  }

  // A slider that starts in the middle, the number it shows, and a button to commit to it.
  number(text, [low, high, step], commit) {
    const slider = make('input', { type: 'range', min: low, max: high, step, 'aria-label': text });
    slider.value = (low + high) / 2;
    const shown = make('output', {}, slider.value);
    slider.addEventListener('input', () => { shown.value = slider.value; });
    return [slider, shown, make('button', { type: 'button', onclick: () => commit(Number(slider.value)) }, 'This is my guess')];
  }

  show({ question: { sign, answer, again }, guessed, size }) {
    this.size = size;
    this.signs.setAttribute('viewBox', `0 0 ${size.join(' ')}`);
    const signs = guessed.map((one, i) => this.sign(one, i, guessed));
    this.signs.replaceChildren(...signs.map(([line]) => line), ...signs.map(([, words]) => words)); // no line through words
    const had = this.asked.contains(document.activeElement);
    const back = this.told.contains(document.activeElement);
    this.asked.hidden = answer !== '';
    this.told.hidden = answer === '';
    this.node.classList.toggle('mlcore-answered', answer !== '');
    this.told.className = { '✓': 'mlcore-right', '✗': 'mlcore-missed' }[sign] ?? '';
    this.told.textContent = [sign === '✗' ? '' : sign, answer].filter(Boolean).join(' ');
    this.again.textContent = again;
    if (answer && again) this.told.append(' ', this.again);
    if (had && answer) this.told.focus(); // the next Tab leads to the controls
    if (back && !answer) this.row.firstElementChild.focus();
  }

  // The guess and the truth in the picture: a line across the panel, or a cross, with its words.
  // Beside two lines that stand the words are on the outer sides, if there is room: else a line goes through the other's.
  sign({ role, text, along, at }, i, all) {
    const [x, y, left, top, right, bottom] = at.map((part, k) => part * this.size[k % 2]);
    const cross = `M${x - 7} ${y - 7}l14 14m0 -14l-14 14`;
    const d = { x: `M${x} ${top}V${bottom}`, y: `M${left} ${y}H${right}`, both: cross }[along];
    const [u, v] = { x: [x, top + 14 + 16 * i], y: [left + 6, y - 5], both: [x, y - 11] }[along];
    const others = all.filter((one) => along === 'x' && one.at[0] !== at[0]).map((one) => one.at[0] * this.size[0]);
    const room = 8 * text.length;
    const outer = others.length && (others[0] > x ? x - left > room : right - x < room);
    const far = others.length ? outer : u > (left + right) / 2;
    const words = draw('text', { x: u + (along === 'x' ? (far ? -5 : 5) : 0), y: v, class: `mlcore-sign-${role}` });
    words.setAttribute('text-anchor', along === 'y' || !far ? 'start' : 'end');
    words.textContent = text;
    return [draw('path', { d, class: `mlcore-sign-${role}` }), words];
  }
}
