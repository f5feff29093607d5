// The code of an algorithm beside its picture: the line at work is marked, and the values of the step stand below it.

const make = (tag, properties, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};

function render({ model, el }) {
  const body = make('tbody', {});
  const table = make('table', { className: 'mlcore-values' }, make('caption', {}, 'values of this step'), body);
  const lines = model.get('lines').map((html) => {
    const line = make('div', { className: 'mlcore-line', innerHTML: html || ' ' });
    line.style.setProperty('--indent', `${line.textContent.search(/\S|$/) + 4}ch`);
    return line;
  });
  const code = make('div', { className: 'mlcore-code', tabIndex: 0 }, ...lines);
  code.setAttribute('role', 'group');
  code.setAttribute('aria-label', 'the code, with the line at work marked');

  const mark = () => {
    const here = lines[model.get('at')];
    for (const line of code.querySelectorAll('[aria-current]')) line.removeAttribute('aria-current');
    if (!here) return;
    here.setAttribute('aria-current', 'step');
    const above = here.offsetTop; // within the code, which is positioned: only it scrolls, never the page
    if (above < code.scrollTop || above + here.offsetHeight > code.scrollTop + code.clientHeight) {
      code.scrollTop = above - code.clientHeight / 2;
    }
  };
  const fill = () => {
    const rows = model.get('values').map(([name, value]) => {
      const head = make('th', {}, name);
      head.setAttribute('scope', 'row');
      return make('tr', {}, head, make('td', {}, value));
    });
    body.replaceChildren(...rows);
    table.hidden = rows.length === 0;
  };
  model.on('change:at', mark);
  model.on('change:values', fill);
  el.classList.add('mlcore-running');
  el.append(code, table);
  fill();
  const sizes = new ResizeObserver(mark); // a narrower window breaks the lines anew
  sizes.observe(code);
  return () => { model.off('change:at', mark); model.off('change:values', fill); sizes.disconnect(); };
}

export default { render };
