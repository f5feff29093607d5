// A question to commit to before a picture moves: choices as buttons, or a number on a slider; then the answer.

const make = (tag, properties, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};

// A button for each choice.
function choices(model, commit) {
  return model.get('choices').map((choice) => make('button', { type: 'button', onclick: () => commit(choice) }, choice));
}

// A slider that starts in the middle, the number it shows, and a button to commit to it.
function number(model, commit) {
  const { low, high, step } = model.get('range');
  const slider = make('input', { type: 'range', min: low, max: high, step, value: (low + high) / 2 });
  slider.setAttribute('aria-label', model.get('question'));
  const shown = make('output', {}, slider.value);
  slider.addEventListener('input', () => { shown.value = slider.value; });
  return [slider, shown, make('button', { type: 'button', onclick: () => commit(Number(slider.value)) }, 'This is my guess')];
}

function render({ model, el }) {
  const commit = (guess) => {
    el.dispatchEvent(new CustomEvent('mlcore-asked', { bubbles: true }));
    model.set('guess', guess);
    model.save_changes();
  };
  const skip = make('button', { type: 'button', className: 'mlcore-skip', onclick: () => commit('') }, 'just show me');
  const ways = model.get('choices').length ? choices(model, commit) : number(model, commit);
  const row = make('div', { className: 'mlcore-ways' }, ...ways, skip);
  const asked = make('fieldset', {}, make('legend', {}, `Guess first. ${model.get('question')}`), row);
  const answer = make('p', { tabIndex: -1 });
  answer.setAttribute('role', 'status');
  const again = make('button', { type: 'button', className: 'mlcore-skip', onclick: () => commit(null) }, model.get('again'));

  const show = () => {
    const had = asked.contains(document.activeElement);
    const back = answer.contains(document.activeElement);
    const text = model.get('answer');
    asked.hidden = text !== '';
    answer.hidden = text === '';
    answer.className = { '✓': 'mlcore-right', '✗': 'mlcore-wrong' }[model.get('sign')] ?? '';
    answer.textContent = [model.get('sign'), text].filter(Boolean).join(' ');
    if (text && again.textContent) answer.append(' ', again);
    if (had && text) answer.focus(); // the next Tab leads to the controls
    if (back && !text) row.firstElementChild.focus();
  };
  model.on('change:answer', show);
  el.classList.add('mlcore-question');
  el.append(asked, answer);
  show();
  return () => model.off('change:answer', show);
}

export default { render };
