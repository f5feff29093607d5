// The head of each page: the theme, and the learner's progress as a file.
import './offline.js';
import { progress, readFile } from './progress.js';
import { followTheme, isDark, make } from './stage/tools.js';

const own = document.getElementById('own');
const theme = make('button', { type: 'button', onclick: () => window.mlcoreTheme(isDark() ? 'light' : 'dark') });
const name = () => { theme.textContent = isDark() ? '☀ light' : '☾ dark'; };
name();
followTheme(name);

const some = ({ length }, name) => `${length} ${name}${length === 1 ? '' : 's'}`;
const count = make('span', {});
const tell = () => {
  const { exercises, goals } = progress.held;
  count.textContent = exercises.length + goals.length ? `${some(exercises, 'exercise')} solved, ${some(goals, 'goal')} reached. ` : 'Nothing solved yet. ';
};
progress.addEventListener('change', tell);
tell();

const save = make('button', {
  type: 'button',
  onclick() {
    const url = URL.createObjectURL(new Blob([progress.text()], { type: 'application/json' }));
    make('a', { href: url, download: 'progress.json' }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  },
}, 'Save as a file');
const said = make('span', { role: 'status' });
const file = make('input', {
  type: 'file', accept: '.json', id: 'progress-file',
  async onchange() {
    try {
      progress.merge(readFile(await file.files[0].arrayBuffer()));
      said.textContent = ' Taken up. Load the page again to see it everywhere.';
    } catch (error) { said.textContent = ` Nothing was changed: ${error.message}.`; }
  },
});

// The same section in JupyterLab: how to have it, and, where it runs already, a link.
const { page } = document.body.dataset;
const lab = make('a', {}, 'this section');
const inLab = page !== 'index' && make(
  'details', { class: 'progress', name: 'own' }, make('summary', {}, 'In JupyterLab'),
  make(
    'div', {}, make('p', {}, 'There you work in a copy of your own, and can change all of its code. ', make('a', { href: 'index.html#jupyterlab' }, 'How to get it'), '; then, in its folder:'),
    make('pre', {}, `python tools/lab.py ${page}.ipynb`), make('p', {}, 'Where it runs already (at its usual address): ', lab, '.'),
  ),
);
if (inLab) {
  inLab.addEventListener('toggle', () => {
    const above = [...document.querySelectorAll('main :is(h2, h3)[id]')].filter((heading) => heading.getBoundingClientRect().top < innerHeight / 3);
    lab.href = `http://127.0.0.1:8888/lab/tree/${page}.ipynb${above.length ? `#${encodeURIComponent(above.at(-1).id)}` : ''}`;
  });
}

own.append(theme, ...(inLab ? [inLab] : []), make(
  'details', { class: 'progress', name: 'own' }, make('summary', {}, 'My progress'),
  make(
    'div', {}, make('p', {}, count, 'It stays in this browser.'), save, make('label', { for: 'progress-file' }, ' Load a file: '), file, said,
    make('p', {}, 'Load the file in another browser, hand it in to your teacher, or go on with it in JupyterLab:'), make('pre', {}, 'python tools/lab.py --progress FILE'),
  ),
));
