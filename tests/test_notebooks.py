"""Every notebook obeys the rules of the course, runs, and has explorers that draw over their whole range.

The second half breaks small notebooks on purpose and sees each break caught.
"""

import copy
import os
import re
import subprocess
import sys

import nbclient
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from mlcore.course import CHAPTERS, glossary
from mlcore.exercises import exercises_of
from tests import notebook_rules as rules
from tests.sweeping import SWEEP
from tools import build_notebooks

NOTEBOOKS = sorted((rules.ROOT / "notebooks").glob("*.ipynb"))
SOURCES = sorted((rules.ROOT / "notebooks" / "source").glob("*.md"))


def read(path):
    return nbformat.read(path, as_version=4)


def chapter_of(path):
    return next((chapter for chapter in CHAPTERS if chapter.notebook == path.name), None)


def run(nb, extra=""):
    """Execute a copy of a notebook, with one more cell at the end; return the text that cell printed."""
    nb = copy.deepcopy(nb)
    nb.cells.append(new_code_cell(extra))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(rules.ROOT), os.environ.get("PYTHONPATH", "")])}
    client = nbclient.NotebookClient(nb, timeout=300, resources={"metadata": {"path": str(rules.ROOT / "notebooks")}})
    client.execute(env=env)
    return "".join(output.get("text", "") for output in nb.cells[-1].outputs)


def test_there_are_notebooks_and_each_has_a_source():
    assert len(NOTEBOOKS) >= 5
    assert {path.stem for path in NOTEBOOKS} == {path.stem for path in SOURCES}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
class TestNotebook:
    def test_agrees_with_its_source(self, path):
        source = path.parent / "source" / f"{path.stem}.md"
        nb, fresh = read(path), build_notebooks.read_source(source)
        assert nb.metadata["mlcore"]["source_sha256"] == build_notebooks.source_digest(source), "run `make notebooks`"
        assert [(c.cell_type, c.source, c.id) for c in nb.cells] == [(c.cell_type, c.source, c.id) for c in fresh.cells]

    def test_every_formula_is_checked(self, path):
        assert rules.unmatched_tags(read(path)) == []
        assert rules.unproven_checks(read(path)) == []

    def test_every_picture_is_shown_and_described(self, path):
        assert rules.missing_alt(read(path)) == []
        assert rules.missing_pictures(read(path)) == []

    def test_outputs_are_stable_and_quiet(self, path):
        assert rules.bad_outputs(read(path)) == []
        assert path.stat().st_size < rules.MAX_BYTES

    def test_code_fits_the_page(self, path):
        assert rules.long_lines(read(path)) == []

    def test_colours_have_roles(self, path):
        source = build_notebooks.read_source(path.parent / "source" / f"{path.stem}.md")
        assert rules.colours_without_a_role(source) == []

    def test_imports_only_what_learners_have(self, path):
        assert rules.foreign_imports(read(path)) == []

    def test_exercises_answer_back(self, path):
        chapter = chapter_of(path)
        assert rules.exercise_complaints(read(path), exercises_of(chapter.number) if chapter else []) == []

    def test_set_up_and_pictures_are_folded(self, path):
        if chapter_of(path):
            assert rules.fold_complaints(read(path), chapter_of(path)) == []

    def test_no_answer_stands_above_its_question(self, path):
        assert rules.given_away(read(path)) == []

    def test_links_lead_somewhere(self, path):
        assert rules.broken_links(read(path), path.parent, read) == []

    def test_has_the_parts_of_a_chapter(self, path):
        if chapter_of(path):
            assert rules.structure_complaints(read(path), chapter_of(path)) == []


def test_every_player_shows_the_line_that_runs():
    assert [path.stem for path in NOTEBOOKS if rules.players_without_code(read(path))] == []


def test_goals_are_named_by_their_chapter_and_only_once():
    named = [(chapter_of(path), name) for path in NOTEBOOKS for name in rules.goal_names(read(path))]
    names = [name for _, name in named]
    assert len(set(names)) == len(names), f"twice: {sorted(name for name in names if names.count(name) > 1)}"
    assert all(name.split(".")[0] == str(chapter.number) for chapter, name in named)


def test_the_glossary_has_every_term_that_a_chapter_gives_in_chinese():
    known = {term.chinese for term in glossary()}
    missing = {
        (path.stem, term)
        for path in NOTEBOOKS
        if chapter_of(path)
        for term in re.findall(
            r"\(([\u4e00-\u9fffA-Za-z]*[\u4e00-\u9fff]+[\u4e00-\u9fffA-Za-z]*)\)", rules.markdown(read(path))
        )
        if term not in known
    }
    assert not missing, f"add to mlcore/classroom/glossary.csv: {sorted(missing)}"


def test_glossary_entries_are_whole_and_unique():
    terms = glossary()
    assert len({term.english.lower() for term in terms}) == len(terms) > 100
    assert all(term.english and term.chinese and len(term.meaning.split()) >= 2 for term in terms)
    assert {term.chapter for term in terms} <= {chapter.number for chapter in CHAPTERS}


# ---------------------------------------------------------------------------------------------------------------
# Broken on purpose
# ---------------------------------------------------------------------------------------------------------------
def small(*code, text=r"# 2. A test · 测试" + "\n\n" + r"$$1 + 1 = 2 \tag{2.1}$$"):
    """A tiny notebook: one Markdown cell and these code cells, already run."""
    nb = new_notebook(cells=[new_markdown_cell(text), *(new_code_cell(source) for source in code)])
    return nb


GOOD_CHECK = 'from mlcore.verify import verify\nverify("2.1", "a sum", 1 + 1, 2)'
EXPLORER = (
    "from mlcore.viz import explore\n"
    "def draw(ax, k=1):\n    ax.plot([0, k])\n{extra}"
    "explore(draw, k=(1, 5), alt='a line that rises to k')"
)


@pytest.mark.slow
def test_a_broken_formula_stops_the_notebook():
    run(small(GOOD_CHECK))
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="FormulaError"):
        run(small(GOOD_CHECK.replace("1 + 1, 2", "1 + 1, 3")))


def test_a_formula_without_a_check_and_a_check_without_a_formula_are_caught():
    assert rules.unmatched_tags(small(GOOD_CHECK)) == []
    assert rules.unmatched_tags(small("1 + 1")) == ["formula (2.1) has no check"]
    assert rules.unmatched_tags(small(GOOD_CHECK, text="# 2. No formula")) == ["the check of (2.1) has no formula"]
    early = small(GOOD_CHECK)
    early.cells.reverse()
    assert rules.unmatched_tags(early) == ["the check of (2.1) stands before its formula"]
    assert rules.unmatched_tags(small(GOOD_CHECK, text="# 3. Moved\n\n$$1 + 1 = 2 \\tag{2.1}$$")) != []
    assert rules.unproven_checks(small(GOOD_CHECK)) == ["the check of (2.1) has not printed its line"]


@pytest.mark.slow
def test_a_draw_that_raises_away_from_its_default_is_caught():
    assert run(small(EXPLORER.format(extra="")), SWEEP) == "1 explorers swept, 0 solutions correct\n"
    for extra in (
        "    if k == 5:\n        raise ValueError('five')\n",
        "    if k == 5:\n        import warnings; warnings.warn('five')\n",
    ):
        with pytest.raises(nbclient.exceptions.CellExecutionError, match="five"):
            run(small(EXPLORER.format(extra=extra)), SWEEP)


GOAL = """from mlcore.viz import explore, goal
def draw(ax, k=1):
    ax.plot([0, k])
    return "", {"total": k}
explore(draw, k=(1, 5), alt="a line that rises to k", goals=[goal("2.A", "rise", lambda total: total >= LEAST, by=BY)])
"""


@pytest.mark.slow
def test_a_goal_that_is_reached_at_the_start_or_not_by_its_setting_is_caught():
    def tried(least, by):
        return run(small(GOAL.replace("LEAST", str(least)).replace("BY", str(by))), SWEEP)

    assert tried(4, {"k": 5}).startswith("1 explorers")
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="reached at the start"):
        tried(0, {"k": 5})
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="not reached by"):
        tried(4, {"k": 3})


@pytest.mark.slow
def test_a_line_that_is_nowhere_in_the_code_is_caught():
    source = (
        "from mlcore.viz import play\nfrom mlcore.optimize import descend\n"
        "play([0, 1], lambda ax, s: None, alt='a line that rises to k', code=descend,"
        " line=lambda s: [None, 'x / 2'][s])"
    )
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="'x / 2' must be found in one line"):
        run(small(source), SWEEP)


def test_a_player_without_code_and_the_names_of_goals_are_seen():
    nb = small("play(states, draw, alt='x')", "play(states, draw, code=f, line=g)", GOAL)
    assert rules.players_without_code(nb) == 1
    assert rules.goal_names(nb) == ["2.A"]


@pytest.mark.slow
def test_a_solution_that_does_not_pass_is_caught():
    exercise = exercises_of(2)[0]
    with pytest.raises(nbclient.exceptions.CellExecutionError, match=f"{exercise.id} is wrong"):
        run(small(f"from mlcore.exercises import grade\ngrade('{exercise.id}', 'no')"), SWEEP)


def test_another_form_than_in_the_other_chapters_is_caught():
    closing = "## When it fails\n\n## Summary"
    good = f"… with a break after section 1; …\n\n## 1. A\n\n{rules.BREAK}\n\n## 2. B\n\n{closing}"
    assert rules.form_complaints(good) == []
    for old, new in (
        ("section 1", "section 2"),
        (rules.BREAK, "**A break.**"),
        (closing, "## Summary\n\n## When it fails"),
        ("## 2. B", "## 2. B\n\n**What to try.** All."),
    ):
        assert len(rules.form_complaints(good.replace(old, new))) == 1


def folded(source, tag):
    """A code cell as the build folds it."""
    return new_code_cell(source, metadata={"tags": [tag], "jupyter": {"source_hidden": True}})


def test_an_open_set_up_and_an_open_picture_are_caught():
    def complaints(number, *cells):
        return [line.split(":")[0] for line in rules.fold_complaints(new_notebook(cells=cells), CHAPTERS[number])]

    setup = folded("# Set-up: run me\nimport numpy", "setup")
    picture = folded("# The picture: run me\nexplore(draw, goals=[goal()])", "drawing")
    opening = folded("# The picture: run me\nexplore(draw)", "setup")
    assert complaints(2, setup, picture, new_code_cell("1 + 1")) == complaints(0, opening, picture) == []
    assert complaints(2, picture, setup) == ["the first code cell is not the set-up, or in chapter 0 a picture"]
    assert complaints(0, setup, picture) == complaints(2, picture, setup)
    nameless = "the fold does not say 'The picture"
    assert complaints(2, setup, folded("play()", "drawing")) == [nameless]
    assert complaints(2, setup, new_code_cell(picture.source)) == ["not folded"]
    assert complaints(2, setup, new_code_cell("choices = guess()")) == ["not folded", nameless]
    assert "not folded" in complaints(2, new_code_cell(setup.source), picture)


NUMBER = "explore(draw, guess=guess('How steep?', (0, 2, 0.01), 0.76, near=0.1))"
WORDS = "explore(draw, guess=guess('Which?', {'the shape': 'No.', 'the width': 'Right.'}, 'the width'))"


@pytest.mark.parametrize(
    "question, innocent, guilty",
    [
        (NUMBER, "A slope of 0.765, in (2.0.76), 10.76 or 0.7.", "The slope is 0.76."),
        (NUMBER, "# The 0.76 of the section before\n\n## Another", "## Another\n\n0.76"),
        (WORDS, "The shape or the width: which? The bandwidth.", "It is the width that counts."),
    ],
)
def test_an_answer_that_stands_above_its_question_is_caught(question, innocent, guilty):
    assert rules.given_away(small(question, text=innocent)) == []
    assert len(rules.given_away(small(question, text=guilty))) == 1


def test_an_answer_in_open_code_or_in_a_printed_line_above_its_question_is_caught():
    def complaints(cell, output=""):
        cell.outputs = [new_output("stream", name="stdout", text=output)]
        return len(rules.given_away(new_notebook(cells=[cell, new_code_cell(NUMBER)])))

    assert complaints(new_code_cell("rate = f(0.76)")) == complaints(folded("assert slope == 0.76", "drawing")) == 0
    assert complaints(new_code_cell("assert round(slope, 2) == 0.76")) == 1
    assert complaints(new_code_cell("assert np.isclose(slope, 0.76)")) == 1
    assert complaints(new_code_cell("print(slope)"), "the slope is 0.76\n") == 1
    assert complaints(new_code_cell("verify()"), "✓ (2.1) slope at 0.76: agrees to 1e-08\n") == 0


def test_a_colour_without_a_role_is_caught():
    guilty = ['plot(x, color="#d55e00")', 'plot(x, color="white")', 'look = {"mec": "k" if dark else "fit"}',
              'plot(x, color="0.6")', 'names = ["#abc"]']  # fmt: skip
    innocent = ['plot(x, color="fit", mfc="none", ec=color(3))', 'melon = {"colour": "black"}', 'x["white"] = "r"',
                'tree = {"color": {"green": 1.0}}', 'text("#1 of 3")']  # fmt: skip
    assert [len(rules.colours_without_a_role(small(source))) for source in guilty] == [1] * 5
    assert [rules.colours_without_a_role(small(source)) for source in innocent] == [[]] * 5


@pytest.mark.slow
def test_a_missing_description_is_caught():
    bare = EXPLORER.format(extra="").replace(", alt='a line that rises to k'", "")
    assert len(rules.missing_alt(small(bare))) == 1
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="alt"):
        run(small(bare))
    assert len(rules.missing_alt(small("show(fig)"))) == 1
    picture = small("show(fig, 'a line that rises')")
    picture.cells[1].outputs = [new_output("display_data", {"image/png": "AAAA", "text/plain": "<Figure>"})]
    assert len(rules.missing_alt(picture)) == 1
    assert len(rules.missing_pictures(small("show(fig, 'a line that rises')"))) == 1


def nbval(path):
    """Run nbval in full mode over one file, its explorers swept."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "tests.sweeping",
        "--nbval",
        "--rootdir",
        str(path.parent),
        str(path),
    ]
    env = {**os.environ, "PYTHONPATH": str(rules.ROOT)}
    return subprocess.run(command, capture_output=True, text=True, env=env, cwd=path.parent)


@pytest.mark.slow
def test_an_edited_output_is_caught_by_nbval(tmp_path):
    nb = small("print('the answer is', 42)", EXPLORER.format(extra=""))
    nb.metadata.kernelspec = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbclient.NotebookClient(nb, timeout=120, resources={"metadata": {"path": str(rules.ROOT)}}).execute()
    nb = build_notebooks.normalise(nb)
    path = tmp_path / "small.ipynb"
    nbformat.write(nb, path)
    honest = nbval(path)
    assert honest.returncode == 0 and "3 passed" in honest.stdout, honest.stdout  # two cells and the sweep
    nb.cells[1].outputs[0].text = "the answer is 43\n"
    nbformat.write(nb, path)
    edited = nbval(path)
    assert edited.returncode == 1 and "1 failed" in edited.stdout


def test_outputs_that_would_differ_elsewhere_are_caught():
    for output, word in [
        (new_output("stream", name="stderr", text="careful"), "stderr"),
        (new_output("execute_result", {"text/plain": "<function f at 0x7f12ab34cd>"}), "address"),
        (new_output("display_data", {"application/vnd.jupyter.widget-view+json": {}}), "widget view"),
        (new_output("error", ename="ValueError", evalue="", traceback=[]), "ValueError"),
    ]:
        nb = small("1 + 1")
        nb.cells[1].execution_count = 1
        nb.cells[1].outputs = [output]
        assert len(rules.bad_outputs(nb)) == 1 and word in rules.bad_outputs(nb)[0]
    assert "not run" in rules.bad_outputs(small("1 + 1"))[0]


def test_a_stub_that_passes_and_a_solution_that_gives_itself_away_are_caught():
    exercise = exercises_of(2)[0]
    grade, untouched = f'grade("{exercise.id}", answer)', f"○ {exercise.id} is not attempted yet."

    def complaints(said=untouched, solution="# Solution\nmine = 1\n" + grade, kept="", hidden=True, known=True):
        nb = small("answer = ...\n" + grade, solution, text=f"### Exercise {exercise.id}")
        for cell, text in zip(nb.cells[1:], (said, kept), strict=True):
            cell.outputs = [new_output("display_data", {"text/plain": text})] if text else []
        nb.cells[2].metadata = nbformat.from_dict({"tags": ["solution"], "jupyter": {"source_hidden": hidden}})
        return " ".join(rules.exercise_complaints(nb, [exercise] if known else []))

    assert complaints() == ""
    assert "does not say" in complaints(said=f"✓ {exercise.id} is correct.")
    assert "and no more" in complaints(said=f"{untouched} Hint: Try small numbers.")
    assert "not collapsed" in complaints(hidden=False)
    assert "first line" in complaints(solution="mine = 1\n" + grade)
    assert "output of a solution" in complaints(kept=f"✓ {exercise.id} is correct.")
    assert "overwrites answer" in complaints(solution="# Solution\nanswer = 1\n" + grade)
    assert "overwrites answer" in complaints(solution="# Solution\ndef answer(): return 1\n" + grade)
    assert "no grader" in complaints(known=False)
    assert rules.exercise_complaints(small("1"), [exercise]) != []


def test_broken_links_and_foreign_imports_are_caught():
    nb = small(
        "import matplotlib.pyplot as plt",
        text="# 2. Links\n\n[no](nowhere.ipynb), [here](#2.-Links), [not](#Nope), [web](https://a.b)",
    )
    assert len(rules.broken_links(nb, rules.ROOT / "notebooks", read)) == 2
    assert rules.foreign_imports(nb) == ["imports matplotlib.pyplot"]
