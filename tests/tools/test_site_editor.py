"""The editor of the site's exercises: bundled of pinned packages, or else a plain field; and the page's own part."""

import json
import re

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.web import editor, page

STUB = 'answer = ...\ngrade("2.1", answer)'


@pytest.fixture
def kept(monkeypatch, tmp_path):
    """A folder for what is bundled, empty so far."""
    monkeypatch.setattr(editor, "KEPT", tmp_path)
    return tmp_path


def test_every_package_is_pinned_and_has_its_sum():
    told = json.loads((editor.HERE / "codemirror" / "package.json").read_text(encoding="utf-8"))
    lock = json.loads((editor.HERE / "codemirror" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    wanted = told["dependencies"] | told["devDependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values())
    assert {name: lock[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert all(one["integrity"].startswith("sha512-") for name, one in lock.items() if name)
    assert not any("resolved" in one for one in lock.values())


@pytest.mark.slow
def test_the_bundle_is_one_module_with_its_licences(kept):
    files = editor.files()
    assert list(files) == ["editor-licences.txt", "editor.js"]
    text = files["editor.js"].decode()
    assert re.search(r"export\{(\w+ as (coloured|edit),?){2}\}", text)
    assert not re.search(r"\bimport\b\s*[\"'{(*]|\brequire\(", text)
    licences = files["editor-licences.txt"].decode()
    for name in ("@codemirror/view", "@lezer/python", "style-mod"):
        assert re.search(rf"^{name}\n\n(MIT License\n\n)?Copyright", licences, re.MULTILINE)
    assert [path.name for path in kept.iterdir()] == [next(kept.iterdir()).name]  # nothing half made is left
    assert editor.files() == files


def refuse(command, folder):
    raise editor.NoEditor("no network")


@pytest.mark.parametrize("reason, patch", [
    ("no npm", (editor.shutil, "which", lambda name, path=None: None)),
    ("no network", (editor, "run", refuse)),
    ("no esbuild", (editor, "run", lambda command, folder: None)),
])  # fmt: skip
def test_without_it_the_field_stays_plain_and_the_build_says_why(kept, monkeypatch, capsys, reason, patch):
    monkeypatch.setattr(*patch)
    files = editor.files()
    assert list(files) == ["editor.js"]
    assert "export const edit = null" in files["editor.js"].decode()
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("warning: exercises get a plain field") and reason in said


def test_what_a_program_says_of_its_failure_is_handed_on(tmp_path):
    with pytest.raises(editor.NoEditor, match="nowhere cannot be run"):
        editor.run([str(tmp_path / "nowhere")], tmp_path)
    with pytest.raises(editor.NoEditor, match="says: out of luck"):
        editor.run([editor.sys.executable, "-c", "raise SystemExit('out of luck')"], tmp_path)


def page_of(nb):
    return page.page(nb, "02_a", {"explorers": []}, "frames/x", {"app": "app-1", "python": "py-1"})[0]


def test_a_page_has_each_solution_folded_below_its_exercise():
    nb = new_notebook(cells=[
        new_markdown_cell("# 2. A chapter"),
        new_markdown_cell("### Exercise 2.1: a number"),
        new_code_cell(STUB),
        new_code_cell('# Solution\nsolution = 2\ngrade("2.1", solution)'),
        new_markdown_cell("The end."),
    ])
    nb.cells[3].metadata.tags = ["solution"]
    text = page_of(nb)
    place, solution = text.index('data-exercise="2.1"'), text.index('<details class="solution">')
    assert text.index("Exercise 2.1") < place < solution < text.index("The end.")
    assert "# Solution" not in text
    other = new_notebook(cells=[*nb.cells[:2], new_code_cell(STUB + " "), *nb.cells[3:]])
    digests = [re.search('data-digest="(.*?)"', one)[1] for one in (text, page_of(other))]
    assert digests[0] != digests[1]  # an answer belongs to the text that it answers
