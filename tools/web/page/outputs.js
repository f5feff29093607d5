// What a cell of the learner's shows, as nodes: bundles of MIME types, of which the richest is taken.
import { make } from './stage/tools.js';

const scrolling = window.mlcoreScrolls; // see page.js
const MOST = 20_000; // characters of a text
const SHARP = 2; // pictures are drawn for screens of so many pixels a pixel

export function shownAs(bundle) {
  if (bundle['text/html']) {
    const node = make('div');
    node.innerHTML = bundle['text/html'];
    return node;
  }
  if (bundle['image/png']) return picture(bundle);
  if (bundle['text/markdown']) return markdown(bundle['text/markdown']);
  return printed(bundle['text/plain'] ?? '');
}

export function printed(text) {
  const left = text.length - MOST;
  return scrolling(make('pre', {}, left > 0 ? `${text.slice(0, MOST)}\n… and ${left} characters more` : text));
}

function picture(bundle) {
  const image = make('img', { alt: (bundle['text/plain'] ?? '').replace(/^\[\w+\] /, '') });
  image.addEventListener('load', () => { image.width = image.naturalWidth / SHARP; });
  image.src = `data:image/png;base64,${bundle['image/png'].trim()}`;
  return image;
}

// As much of Markdown as the course's own functions write: code between fences, tables, paragraphs.
function markdown(text) {
  const node = make('div');
  text.split(/^```(?:python)?\n([\s\S]*?)^```$/m).forEach((part, i) => {
    if (i % 2) node.append(code(part.trimEnd()));
    else node.append(...part.split(/\n{2,}/).filter((block) => block.trim()).map((block) => (/^\s*\|/.test(block) ? table(block) : make('p', {}, ...inline(block.trim())))));
  });
  return node;
}

function code(source) {
  const node = scrolling(make('pre', {}, source));
  import('./editor.js').then(({ coloured }) => coloured && node.replaceChildren(coloured(source)), () => null);
  return node;
}

function table(text) {
  const rows = text.trim().split('\n').map((line) => line.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')));
  const [head, , ...body] = rows;
  const row = (cells, name) => make('tr', {}, ...cells.map((cell) => make(name, {}, ...inline(cell))));
  return scrolling(make('div', { class: 'wide' }, make('table', {}, make('thead', {}, row(head, 'th')), make('tbody', {}, ...body.map((cells) => row(cells, 'td'))))));
}

// `code`, **strong** and [links](address) within a line.
function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/).map((part, i) => {
    if (i % 2 === 0) return part;
    if (part.startsWith('`')) return make('code', {}, part.slice(1, -1));
    if (part.startsWith('*')) return make('strong', {}, part.slice(2, -2));
    const [, words, address] = part.match(/^\[(.+)\]\((.+)\)$/);
    return make('a', { href: address.replace(/\.ipynb(?=#|$)/, '.html') }, words);
  });
}

// The line of a cell in which an error arose, if it says so (a mistake in the grammar has its own way), and the rest of it.
export function whereIn(error) {
  const [, line, rest] = error.match(/^line (\d+): ([\s\S]*)$/) ?? error.match(/^File "[^"]*", line (\d+)\n([\s\S]*)$/) ?? [null, null, error];
  return { line: line && Number(line), rest };
}
