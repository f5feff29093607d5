// A field for Python, as the page's exercises use it: CodeMirror with what people expect of an editor and no more.
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { pythonLanguage } from '@codemirror/lang-python';
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { EditorState, Prec, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, keymap } from '@codemirror/view';
import { highlightCode, tagHighlighter, tags } from '@lezer/highlight';

const LEAVES = 10_000; // milliseconds after Esc for which Tab leaves the field

// The classes that all other code of a page has, so that its colours are the same.
const colours = tagHighlighter([
  { tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], class: 'k' },
  { tag: tags.operatorKeyword, class: 'ow' },
  { tag: [tags.bool, tags.null], class: 'kc' },
  { tag: tags.function(tags.definition(tags.variableName)), class: 'nf' },
  { tag: tags.definition(tags.className), class: 'nc' },
  { tag: tags.meta, class: 'nd' },
  { tag: tags.number, class: 'm' },
  { tag: [tags.string, tags.special(tags.string)], class: 's' },
  { tag: tags.escape, class: 'se' },
  { tag: tags.comment, class: 'c' },
  { tag: tags.operator, class: 'o' },
]);

// The line at which an error arose, until something is changed.
const mark = StateEffect.define();
const wrong = Decoration.line({ class: 'wrong' });
const marked = StateField.define({
  create: () => Decoration.none,
  update(now, { state, docChanged, effects }) {
    for (const effect of effects) {
      if (effect.is(mark)) {
        const { value } = effect;
        return value >= 1 && value <= state.doc.lines ? Decoration.set(wrong.range(state.doc.line(value).from)) : Decoration.none;
      }
    }
    return docChanged ? Decoration.none : now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const look = EditorView.theme({
  '&': { color: 'inherit', backgroundColor: 'transparent' },
  '.cm-scroller': { fontFamily: 'inherit', lineHeight: 'inherit' },
  '.cm-content': { padding: '0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0' },
  '.cm-content ::selection': { backgroundColor: 'color-mix(in srgb, var(--brand) 35%, transparent)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'color-mix(in srgb, var(--brand) 22%, transparent)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'transparent', textDecoration: 'underline wavy' },
});

// `attributes` are those of the field itself; `run` is called by Ctrl, Cmd or Shift with Enter.
export function edit({ text, selection, attributes, changed, run }) {
  const check = () => { run(); return true; };
  const leave = (view) => { view.setTabFocusMode(LEAVES); return false; };
  const view = new EditorView({
    state: EditorState.create({
      doc: text,
      selection,
      extensions: [
        Prec.highest(keymap.of([
          ...['Mod-Enter', 'Ctrl-Enter', 'Shift-Enter'].map((key) => ({ key, run: check })),
          { key: 'Escape', run: leave }, // whatever else it does
        ])),
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        history(), indentUnit.of('    '), indentOnInput(), bracketMatching(), EditorView.lineWrapping,
        pythonLanguage, syntaxHighlighting(colours), marked, look,
        EditorView.contentAttributes.of(attributes),
        EditorView.updateListener.of(({ docChanged }) => { if (docChanged) changed(); }),
      ],
    }),
  });
  return {
    node: view.dom,
    get text() { return view.state.doc.toString(); },
    // One step, which can be undone.
    set text(insert) { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert }, userEvent: 'input' }); },
    focus() { view.focus(); },
    mark(line) { view.dispatch({ effects: mark.of(line) }); },
  };
}

// A piece of Python with its colours, as nodes.
export function coloured(text) {
  const all = document.createDocumentFragment();
  const put = (part, classes) => {
    if (!classes) return all.append(part);
    const node = document.createElement('span');
    node.className = classes;
    node.append(part);
    return all.append(node);
  };
  highlightCode(text, pythonLanguage.parser.parse(text), colours, put, () => all.append('\n'));
  return all;
}
