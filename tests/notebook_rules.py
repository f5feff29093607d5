"""What every notebook of the course must hold, as functions that return a list of complaints (empty: all is well)."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECKS = ("verify", "check_gradient", "check_inequality", "check_minimum", "monte_carlo")
SECTIONS = ("When it fails", "In practice", "Exercises", "Corrections to the notes", "Summary", "Further reading")
BREAK = "**Half-way: a good place for a break.**"
OTHER_WORDS = {
    "**What to try.**": "**Try.**",
    "**What to see.**": "**What you saw.**",
    "<b>What to see</b>": "**What you saw.**",
    "(second reading)": "(*second reading*)",
    "*Second reading: ": "(*second reading*) at the end of the heading",
}
MAX_BYTES = 1_500_000


def code_cells(nb):
    """The code cells of a notebook."""
    return [cell for cell in nb.cells if cell.cell_type == "code"]


def markdown(nb):
    """All Markdown of a notebook as one text."""
    return "\n\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")


def calls(source, *names):
    """Every call of one of these functions in a piece of code, as syntax trees."""
    return [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and (getattr(node.func, "id", None) in names or getattr(node.func, "attr", None) in names)
    ]


def first_text(call):
    """The first argument of a call, where it is a literal text."""
    return call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None


def _has(cell, tag):
    return tag in cell.metadata.get("tags", [])


def unmatched_tags(nb):
    """Each tagged formula has a check in a later cell and each check a tag; tags are unique, of this chapter."""
    tags, checked, complaints = {}, {}, []
    for position, cell in enumerate(nb.cells):
        if cell.cell_type == "markdown":
            for tag in re.findall(r"\\tag\{([^}]*)\}", cell.source):
                if tag in tags:
                    complaints.append(f"formula ({tag}) is tagged twice")
                tags.setdefault(tag, position)
        elif cell.cell_type == "code":
            for call in calls(cell.source, *CHECKS):
                tag = first_text(call)
                if tag is None:
                    complaints.append(f"a check whose tag is no literal text: {ast.unparse(call)[:80]}")
                else:
                    checked.setdefault(tag, []).append(position)
    complaints += [f"formula ({tag}) has no check" for tag in tags if tag not in checked]
    complaints += [f"the check of ({tag}) has no formula" for tag in checked if tag not in tags]
    complaints += [
        f"the check of ({tag}) stands before its formula"
        for tag in tags
        if tag in checked and max(checked[tag]) < tags[tag]
    ]
    title = re.search(r"^# (\d+)\.", markdown(nb), re.M)
    if title:
        complaints += [f"formula ({tag}) is not of chapter {title[1]}" for tag in tags if tag.split(".")[0] != title[1]]
    return complaints


def unproven_checks(nb):
    """Each check has printed that it holds."""
    complaints = []
    for cell in code_cells(nb):
        printed = "".join(output.get("text", "") for output in cell.outputs if output.output_type == "stream")
        for call in calls(cell.source, *CHECKS):
            if f"✓ ({first_text(call)})" not in printed:
                complaints.append(f"the check of ({first_text(call)}) has not printed its line")
    return complaints


def missing_alt(nb):
    """Each picture says what is to be seen: in the code and in the output."""
    complaints = []
    for cell in code_cells(nb):
        for call in calls(cell.source, "show"):
            if len(call.args) + len(call.keywords) < 2:
                complaints.append(f"a picture without a description: {ast.unparse(call)[:80]}")
        for call in calls(cell.source, "explore", "play"):
            if "alt" not in {keyword.arg for keyword in call.keywords}:
                complaints.append(f"no alt text: {ast.unparse(call)[:80]}")
        for output in cell.outputs:
            data = output.get("data", {})
            if "image/png" not in data:
                continue
            alt = output.metadata.get("image/png", {}).get("alt", "")
            if len(alt.split()) < 4 or alt not in data.get("text/plain", ""):
                complaints.append(f"a picture in the output has no description (cell: {cell.source[:60]!r})")
    return complaints


def missing_pictures(nb):
    """Each explorer and player is shown: its cell has a picture in its output."""
    complaints = []
    for cell in code_cells(nb):
        wanted = len(calls(cell.source, "explore", "play", "show"))
        shown = sum("image/png" in output.get("data", {}) for output in cell.outputs)
        if shown < wanted:
            complaints.append(f"{wanted} pictures are made but {shown} shown (cell: {cell.source[:60]!r})")
    return complaints


def bad_outputs(nb):
    """Outputs are stable and quiet: no errors, no stderr, no addresses, no stored widgets, small enough."""
    complaints = []
    for cell in code_cells(nb):
        where = f"(cell: {cell.source[:60]!r})"
        if cell.source.strip() and cell.execution_count is None:
            complaints.append(f"a cell was not run {where}")
        for output in cell.outputs:
            if output.output_type == "error":
                complaints.append(f"an error: {output.ename} {where}")
            if output.get("name") == "stderr":
                complaints.append(f"stderr: {output.text[:80]!r} {where}")
            if any("widget" in kind for kind in output.get("data", {})):
                complaints.append(f"a stored widget view {where}")
            text = output.get("text", "") + str(output.get("data", {}).get("text/plain", ""))
            if re.search(r"\bat 0x[0-9a-f]{6,}", text):
                complaints.append(f"a memory address {where}")
    if "widgets" in nb.metadata:
        complaints.append("stored widget state")
    return complaints


def long_lines(nb, most=100):
    """Code fits the width of the page."""
    return [line for cell in code_cells(nb) for line in cell.source.splitlines() if len(line) > most]


COLOUR_WORDS = {"c", "color", "colors", "ec", "edge", "edgecolor", "edgecolors", "facecolor", "facecolors", "fc",
                "markeredgecolor", "markerfacecolor", "mec", "mfc"}  # fmt: skip


def colours_without_a_role(nb):
    """Drawings say what a colour is for, so that every theme has its own: no "#d55e00", and no "white"."""
    from matplotlib.colors import is_color_like

    from mlcore.viz import palette

    roles, found = {*palette(), "none"}, []
    for cell in code_cells(nb):
        for node in ast.walk(ast.parse(cell.source)):
            pairs = []
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if re.fullmatch(r"#([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})", node.value):
                    found.append(node.value)
            elif isinstance(node, ast.Call):
                pairs = [(keyword.arg, keyword.value) for keyword in node.keywords]
            elif isinstance(node, ast.Dict):
                pairs = [(getattr(key, "value", None), value) for key, value in zip(node.keys, node.values)]
            for word, value in pairs:
                texts = [part.value for part in ast.walk(value) if isinstance(part, ast.Constant)]
                if word in COLOUR_WORDS and not isinstance(value, ast.Dict):
                    found += [text for text in texts if isinstance(text, str) and text not in roles
                              and not text.startswith("#") and is_color_like(text)]  # fmt: skip
    return found


def foreign_imports(nb):
    """Notebooks draw through mlcore.classroom.viz and need nothing that learners do not have."""
    complaints = []
    for cell in code_cells(nb):
        for node in ast.walk(ast.parse(cell.source)):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            complaints += [
                f"imports {module}"
                for module in modules
                if module.split(".")[0]
                not in {"numpy", "mlcore", "math", "itertools", "functools", "collections", "pathlib"}
            ]
    return complaints


def exercise_complaints(nb, exercises):
    """Each exercise has a heading, a stub that says "not attempted" and no more, and a solution; none is unknown.

    The fold of a solution gives nothing away: its first line is "# Solution", no output of it is kept, and its names
    are its own, so that running it overwrites nothing of the learner's. That it passes is seen when the notebook runs.
    """
    headings = set(re.findall(r"^### Exercise (\d+\.\d+)", markdown(nb), re.M))
    complaints, stubs, solutions, learners = [], set(), set(), set()
    for cell in code_cells(nb):
        graded = {first_text(call) for call in calls(cell.source, "grade")}
        if _has(cell, "solution"):
            solutions |= graded
            complaints += solution_complaints(cell, learners)
            continue
        learners |= assigned_names(cell.source)
        stubs |= graded
        printed = [output.get("data", {}).get("text/plain") for output in cell.outputs]
        others = [id for id in graded if f"○ {id} is not attempted yet." not in printed]
        complaints += [f"the stub of {id} does not say that it was not attempted, and no more" for id in others]
    known = {entry.id for entry in exercises}
    for name, found in (("stub", stubs), ("solution", solutions), ("heading", headings)):
        complaints += [f"exercise {id} has no {name}" for id in sorted(known - found)]
        complaints += [f"{name} of {id}, but no grader" for id in sorted(found - known)]
    return complaints


FOLDED = ("explore", "play", "guess", "goal")


def fold_complaints(nb, chapter):
    """Set-up and pictures are folded, each under a line that says what it is; chapter 0 begins with a picture.

    A cell that holds a guess or a goal holds its answer too.
    """
    first, complaints = code_cells(nb)[0], []
    if not _has(first, "setup") or (chapter.number == 0) != bool(calls(first.source, "explore")):
        complaints.append(f"the first code cell is not the set-up, or in chapter 0 a picture: {first.source[:60]!r}")
    for cell in code_cells(nb):
        kind = "The picture" if calls(cell.source, *FOLDED) else "Set-up" if cell is first else None
        if kind and not cell.metadata.get("jupyter", {}).get("source_hidden"):
            complaints.append(f"not folded: {cell.source[:60]!r}")
        if kind and cell.source.split("\n")[0] != f"# {kind}: run me":
            complaints.append(f"the fold does not say '{kind}: run me': {cell.source[:60]!r}")
    return complaints


def given_away(nb):
    """Guesses whose answer stands above them: in the text, the assertions or the printed lines of their section.

    A number counts from two digits on; of a choice, its words where no other choice is named beside it.
    """
    complaints, above = [], ""
    for cell in nb.cells:
        asked = calls(cell.source, "guess") if cell.cell_type == "code" else []
        for call in asked:
            choices = [key.value for key in getattr(call.args[1], "keys", ())]  # none where a number is guessed
            right = getattr(call.args[2], "value", None)  # None where it is computed
            if _names(above, right) and not any(_names(above, other) for other in choices if other != right):
                complaints.append(f"the answer {right!r} stands above its question: {first_text(call)}")
        if cell.cell_type == "markdown":
            above = re.split(r"^#+ ", f"{above}\n{cell.source}", flags=re.M)[-1]
        elif not cell.metadata.get("jupyter", {}).get("source_hidden"):
            lines = "".join(output.get("text", "") for output in cell.outputs).splitlines()
            printed = (line for line in lines if not line.startswith("✓"))
            above = "\n".join([above, *compared(cell.source), *printed])
    return complaints


def compared(source):
    """The literal values with which a piece of code compares what it computed, as texts."""
    sides = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            sides += [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", None) in ("isclose", "allclose"):
            sides += node.args
    return [ast.unparse(side) for side in sides if not any(isinstance(part, ast.Name) for part in ast.walk(side))]


def _names(text, answer):
    """Whether a text holds an answer: a number of two digits or more, or words, standing alone."""
    said = answer if isinstance(answer, str) else f"{answer or 0:.6g}"
    if re.fullmatch(r"0*\.?0*\d", said):
        return False
    return re.search(rf"(?<![\w.]){re.escape(said)}(?![\w^]|\.\d)", text, re.IGNORECASE) is not None


def solution_complaints(cell, learners):
    """What the cell of a solution gives away, or overwrites."""
    start, complaints = repr(cell.source[:60]), []
    if not cell.metadata.get("jupyter", {}).get("source_hidden"):
        complaints.append(f"a solution is not collapsed (cell: {start})")
    if cell.source.split("\n")[0] != "# Solution":
        complaints.append(f"the first line of a solution, which its fold shows, is not '# Solution' (cell: {start})")
    if cell.outputs:
        complaints.append(f"an output of a solution is kept (cell: {start})")
    if taken := sorted(assigned_names(cell.source) & learners):
        complaints.append(f"a solution overwrites {', '.join(taken)} (cell: {start})")
    return complaints


def assigned_names(source):
    """The names that a cell assigns, defines or imports at its top level."""
    names = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            parts = [part for target in targets for part in ast.walk(target)]
            names |= {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    return names


def _anchors(nb):
    """The anchors JupyterLab gives the headings of a notebook."""
    return {heading.strip().replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", markdown(nb), re.M)}


def broken_links(nb, folder, read):
    """Relative links lead to files that exist and headings that are there. ``read`` reads a notebook by path."""
    complaints = []
    shown = [output.get("data", {}).get("text/markdown", "") for cell in code_cells(nb) for output in cell.outputs]
    for target in re.findall(r"\]\(([^)\s]+)\)", "\n".join([markdown(nb), *shown])):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (folder / name) if name else None
        if path is not None and not path.exists():
            complaints.append(f"a link to {target}, which does not exist")
        elif anchor and (path is None or path.suffix == ".ipynb"):
            if anchor not in _anchors(nb if path is None else read(path)):
                complaints.append(f"a link to {target}, but there is no such heading")
    return complaints


def structure_complaints(nb, chapter):
    """A chapter has its title in two languages, its standing sections, and at least two explorers."""
    text = markdown(nb)
    complaints = []
    first = text.splitlines()[0]
    if chapter.number and not (first.startswith(f"# {chapter.number}. ") and chapter.title_zh in first):
        complaints.append(f"the title should read '# {chapter.number}. … · {chapter.title_zh}', got {first!r}")
    if chapter.number:
        complaints += [f"no section '{name}'" for name in SECTIONS if not re.search(rf"^## {name}", text, re.M)]
        complaints += form_complaints(text)
        explorers = sum(len(calls(cell.source, "explore")) for cell in code_cells(nb))
        if explorers < 2:
            complaints.append(f"a chapter needs two explorers or more, this one has {explorers}")
        if not any(calls(cell.source, "show_source") for cell in code_cells(nb)):
            complaints.append("no show_source: the reader never sees the code")
    return complaints


def form_complaints(text):
    """All chapters say the same things in the same form: the break, the time, what to try, what was to be seen."""
    complaints = []
    closing = [line for line in re.findall(r"^## (.*)$", text, re.M) if line.startswith(SECTIONS)]
    if [line for name in SECTIONS for line in closing if line.startswith(name)] != closing:
        complaints.append(f"the closing sections stand in another order: {closing}")
    before, mark, _ = text.partition(BREAK)
    said = re.search(r"with a break after section (\d+)", text)
    reached = re.findall(r"^## (\d+)\. ", before, re.M)
    if not mark or text.count(BREAK) > 1 or not said or not reached or said[1] != reached[-1]:
        complaints.append(f"there is one break, '{BREAK}', and the head says 'with a break after section' and which")
    complaints += [f"{wrong}: elsewhere it is {right}" for wrong, right in OTHER_WORDS.items() if wrong in text]
    return complaints


def goal_names(nb):
    """The names of a notebook's goals, in order."""
    return [first_text(call) for cell in code_cells(nb) for call in calls(cell.source, "goal")]


def players_without_code(nb):
    """How many players do not show the line of code that runs."""
    players = [call for cell in code_cells(nb) for call in calls(cell.source, "play")]
    return sum("code" not in {word.arg for word in call.keywords} for call in players)
