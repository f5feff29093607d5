// How fast a player plays: one choice for all players of the page, and for the next time.
import { make } from './tools.js';

const SPEEDS = [0.5, 1, 2];
const SPEED = 'mlcore-speed'; // where the learner's choice is kept, and what tells the other players of the page

// Its node, and what ends it; `follow` is told the speed now and whenever it changes.
export function speedChoice(follow) {
  const select = make('select', {}, ...SPEEDS.map((speed) => make('option', { value: speed }, `${speed}×`)));
  const read = () => {
    const speed = SPEEDS.find((one) => String(one) === localStorage.getItem(SPEED)) ?? 1;
    select.value = speed;
    follow(speed);
  };
  select.addEventListener('change', () => {
    localStorage.setItem(SPEED, select.value);
    window.dispatchEvent(new Event(SPEED));
  });
  window.addEventListener(SPEED, read);
  read();
  return { node: make('label', { class: 'mlcore-speed' }, 'speed', select), stop: () => window.removeEventListener(SPEED, read) };
}
