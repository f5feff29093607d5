"""Plants wrong formulas, and reports those that no check of the course notices: make plant ARGS="--chapter 3".

    python tools/plant.py [--chapter N ...] [--part checks | people | core]

checks  Each side of every verify and check_… of a notebook is taken, in turn, times 2, times ½, times -1, and plus a
        tenth of its size; of an inequality the sides are moved towards each other by a tenth. A check that still
        passes compares zeros, or has no case near equality.
people  In the cells with checks, what computes one side and not the other is changed in one place, as people err
        (tools/mistakes.py): another name of the same shape, a square lost, a condition dropped, a mean for a sum,
        n for n - 1, a constant of a bound. Then the rest of the cell runs again. A change after which it passes, and
        prints what it printed, is reported; so is one that loosens an inequality while a case stays near equality.
core    Each core function of a chapter (mlcore/core) is changed in one place: another operator or comparison, a
        constant doubled or made 1, a term or a factor dropped, an index moved by one. Then the notebook's cells run
        again, without pictures. A change that no check, assertion or error notices is reported.

What is known and explained stands in tools/planted.csv (chapter, what, why): an equivalent change, say. It is left out
of the report, and named when it no longer occurs. Ends with 1 if anything unexplained survived.
"""

import _thread
import argparse
import ast
import contextlib
import copy
import csv
import importlib
import inspect
import io
import multiprocessing
import os
import re
import sys
import textwrap
import threading
import time
import warnings
from collections import Counter
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import jupytext  # noqa: E402
import numpy as np  # noqa: E402

from mlcore.classroom import exercises, verify, viz  # noqa: E402
from mlcore.course import CHAPTERS, chapter, core  # noqa: E402
from tools import mistakes  # noqa: E402

PARTS = ("checks", "people", "core")
EXPLAINED = ROOT / "tools" / "planted.csv"
MOST_SECONDS = 60  # for a notebook whose core was changed: it may run for ever
CHANGES = {
    "times 2": lambda value: 2 * value,
    "times ½": lambda value: 0.5 * value,
    "times -1": lambda value: -value,
    "plus a tenth": lambda value: value + 0.1 * (np.abs(value).max() if np.ndim(value) else abs(value)),
}


# ---------------------------------------------------------------------------------------------------------------
# Running a notebook's cells in this process
# ---------------------------------------------------------------------------------------------------------------
def cells_of(number):
    """The code cells of a chapter's notebook, in order, without those of exercises (which grade, and check nothing)."""
    path = next((ROOT / "notebooks" / "source").glob(f"{number:02d}_*.md"))
    cells = jupytext.reads(path.read_text(encoding="utf-8"), fmt="md:myst").cells
    return [cell.source for cell in cells if cell.cell_type == "code" and "grade(" not in cell.source]


class Silent:
    """Stands for everything that draws: it can be called, asked, indexed, and run through once."""

    def __call__(self, *_, **__):
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _):
        return self

    def __iter__(self):
        return iter((self, self))


@contextlib.contextmanager
def replaced(module, name, new):
    """A name of a module of the classroom means something else, also by the module's short name (mlcore.verify)."""
    short = importlib.import_module(module.__name__.replace(".classroom", ""))
    with mock.patch.object(module, name, new), mock.patch.object(short, name, new):
        yield


DRAWING = ("explore", "play", "show", "show_source", "show_table", "draw_map")


@contextlib.contextmanager
def without_pictures():
    """Cells import nothing that draws, and print nowhere."""
    with contextlib.ExitStack() as stack:
        for name in DRAWING:
            stack.enter_context(replaced(viz, name, Silent()))
        stack.enter_context(replaced(exercises, "grade", Silent()))
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        yield


def run(cells):
    """Run cells one after the other in one namespace, as a notebook does."""
    namespace = {"__name__": "__main__"}
    here = os.getcwd()
    os.chdir(ROOT / "notebooks")
    try:
        for source in cells:
            exec(compile(source, "<cell>", "exec"), namespace)
    finally:
        os.chdir(here)


# ---------------------------------------------------------------------------------------------------------------
# Part one: at the check
# ---------------------------------------------------------------------------------------------------------------
def _changed(value, change):
    """A side of a check, changed: a number, an array, or the values of a function."""
    if callable(value):
        return lambda x: change(np.asarray(value(x), dtype=float)) if np.ndim(value(x)) else change(float(value(x)))
    value = np.asarray(value)
    return change(value.astype(float) if value.dtype.kind in "biu" else value)


def _passes(check, *arguments, **options):
    """Whether a check still passes; an error of another kind (no minimum at all, say) is noticed too."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            check(*arguments, **options)
    except Exception:
        return False
    return True


def plant_sides(name, check, survivors):
    """Return a check that, when it has passed, is tried again with each of its sides changed."""
    def planted(tag, what, first, second, *rest, **options):
        check(tag, what, first, second, *rest, **options)
        if name == "check_inequality":
            if _is_loose(check, tag, what, first, second, **options):
                survivors.append(f"({tag}) {what}: no case is within a tenth of equality")
            return
        sides = {"verify": "left right", "check_gradient": "function gradient", "monte_carlo": "- expected",
                 "check_minimum": "- point"}[name].split()  # fmt: skip
        for i, side in enumerate(sides):
            for label, change in CHANGES.items() if side != "-" else ():
                arguments = [first, second]
                arguments[i] = _changed(arguments[i], change)
                if _passes(check, tag, what, *arguments, *rest, **options):
                    survivors.append(f"({tag}) {what}: {side} side {label}")

    return planted


def plant_checks(number):
    """Return what survived of all that was planted at the checks of a chapter."""
    survivors = []
    with without_pictures(), contextlib.ExitStack() as stack:
        for name in ("verify", "check_gradient", "check_inequality", "check_minimum", "monte_carlo"):
            original = getattr(verify, name)
            stack.enter_context(replaced(verify, name, plant_sides(name, original, survivors)))
        run(cells_of(number))
    return survivors


# ---------------------------------------------------------------------------------------------------------------
# Part two: the mistakes of people
# ---------------------------------------------------------------------------------------------------------------
def recording(check, compared):
    """Return a check that also notes what its sides are (of functions: at the point), and whether they are near."""

    def checked(tag, what, first, second, *rest, **options):
        point = np.array(rest[0] if rest else second, dtype=float)
        sides = [np.array(side(point.copy()) if callable(side) else side) for side in (first, second)]
        check(tag, what, first, second, *rest, **options)
        near = check.__name__ != "check_inequality" or not _is_loose(check, tag, what, first, second, **options)
        compared.append((*sides, near))

    return checked


def is_noticed(before, after):
    """Whether an inequality that had a case near equality has lost it."""
    return any(old[-1] and not new[-1] for old, new in zip(before, after, strict=True))


def is_another_instance(before, after):
    """Whether a change has changed both sides of what was compared, and nowhere one alone: other data, one formula."""
    both = 0
    for (*old, _), (*new, _) in zip(before, after, strict=True):
        same = [a.shape == b.shape and np.allclose(a, b, rtol=1e-12, atol=0) for a, b in zip(old, new, strict=True)]
        if any(same) and not all(same):
            return False
        both += not any(same)
    return both > 0


def _is_loose(check, tag, what, smaller, larger, **options):
    """Whether an inequality still holds after its sides, one or the other, moved towards each other by a tenth."""
    low, high = (np.asarray(side, dtype=float) for side in (smaller, larger))
    moved = [(low + 0.1 * np.abs(low), high), (low, high - 0.1 * np.abs(high))]
    return all(_passes(check, tag, what, *sides, **options) for sides in moved)


class Notebook:
    """A notebook's namespace in which parts of cells can be run, and run again as if they had not been."""

    def __init__(self):
        self.names, self.functions, self.frames, self.compared = {"__name__": "__main__"}, {}, {}, []
        self.trees = []  # kept, so that no two nodes ever have one id

    def run(self, code):
        """Run code objects; return what they print."""
        self.compared.clear()
        with contextlib.redirect_stdout(io.StringIO()) as printed, np.errstate(all="ignore"):
            for part in code:
                exec(part, self.names)
        return printed.getvalue()

    def needed(self, tree):
        """The names that a cell reads, its functions' included."""
        known = {**{name: [node] for name, node in self.functions.items()}, **mistakes.definitions(tree)}
        mentioned = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        return mistakes.closure(mentioned, known)

    def locals_of(self, node):
        """What the names of a function held when it returned."""
        return self.frames.get((node.file, node.lineno, getattr(node, "name", "<lambda>")), {})

    def forget(self):
        """Empty the notebook's functions' memory: what a cache holds was computed without the mistake, or with it."""
        for value in self.names.values():
            code = getattr(getattr(value, "__wrapped__", None), "__code__", None)
            if hasattr(value, "cache_clear") and code is not None and code.co_filename.startswith("<cell"):
                value.cache_clear()

    @contextlib.contextmanager
    def copied(self, needed):
        """What runs inside works on copies of the values, and leaves nothing behind."""
        saved, memo = dict(self.names), {}
        for name in sorted(needed & saved.keys()):
            with contextlib.suppress(Exception):  # a module, a generator: used as it is
                self.names[name] = copy.deepcopy(saved[name], memo)
        try:
            yield
        finally:
            self.names.clear()
            self.names.update(saved)

    def survives(self, code, printed, compared, needed, seconds):
        """Whether code with a mistake in it runs through and prints what it printed without."""
        expired = []
        timer = threading.Timer(seconds, lambda: (expired.append(True), _thread.interrupt_main()))
        try:
            timer.start()
            with self.copied(needed):
                self.forget()
                if self.run(code) != printed or is_noticed(compared, self.compared):
                    return False
                return not is_another_instance(compared, self.compared)
        except KeyboardInterrupt:
            if not expired:
                raise
            return False
        except BaseException:
            return False
        finally:
            timer.cancel()
            self.forget()

    def watch(self, frame, event, _):
        """Note what a notebook's functions hold when they return for the first time: a profile function."""
        code = frame.f_code
        if event == "return" and code.co_filename.startswith("<cell"):
            place = code.co_filename, code.co_firstlineno, code.co_name
            if place not in self.frames:
                self.frames[place] = _arrays_copied(frame.f_locals)


def _arrays_copied(values):
    """Values as they are now, where they may be changed in place."""
    return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in values.items()}


def plant_people(cells):
    """Return the mistakes in a notebook's checks that its cells do not notice, and how many of each kind there were."""
    notebook, total, seen, done, survivors = Notebook(), Counter(), Counter(), set(), {}
    here = os.getcwd()
    os.chdir(ROOT / "notebooks")
    try:
        with without_pictures(), contextlib.ExitStack() as stack:
            for name in mistakes.SIDES:
                planted = recording(getattr(verify, name), notebook.compared)
                stack.enter_context(replaced(verify, name, planted))
            for k, source in enumerate(cells):
                tree = ast.parse(source)
                notebook.trees.append(tree)
                for node in ast.walk(tree):
                    node.file = f"<cell {k}>"
                if mistakes.checks_in(tree):
                    _plant_cell(notebook, tree, f"<cell {k}>", total, seen, done, survivors)
                else:
                    notebook.run([compile(tree, f"<cell {k}>", "exec")])
                notebook.functions.update({n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)})
    finally:
        os.chdir(here)
    return list(survivors), total


def _plant_cell(notebook, tree, file, total, seen, done, survivors):
    """Plant into one cell, statement by statement, then leave it run as it is."""
    def compiled(statement):
        return compile(ast.Module([statement], []), file, "exec")

    original, needed = [compiled(statement) for statement in tree.body], notebook.needed(tree)
    mentioned = list(dict.fromkeys(n.id for n in ast.walk(tree) if isinstance(n, ast.Name)))
    known, printed, compared, began = [], [], [], time.perf_counter()
    with notebook.copied(needed):  # once to see what the names hold after each statement
        for code in original:
            sys.setprofile(notebook.watch)
            try:
                printed.append(notebook.run([code]))
            finally:
                sys.setprofile(None)
            compared.append(list(notebook.compared))
            known.append(_arrays_copied({name: notebook.names[name] for name in mentioned if name in notebook.names}))
    seconds = 5 + 20 * (time.perf_counter() - began)

    at = {id(node): i for i, statement in enumerate(tree.body) for node in ast.walk(statement)}
    places = mistakes.places(tree, notebook.functions)

    def survives(code, i):
        """Whether code that stands for the cell from its i-th statement on notices nothing."""
        return notebook.survives(code, "".join(printed[i:]), sum(compared[i:], []), needed, seconds)

    def plant(place, statement, values, rest, i):
        if id(place.root) in done:
            return
        done.add(id(place.root))
        for kind, label in mistakes.changes(statement, place, values, notebook.locals_of):
            total[kind] += 1
            label, changed = mistakes.numbered(label, seen), compiled(statement)
            if survives([changed, *rest], i):
                survivors[label] = place.root, changed

    for place in [place for place in places if id(place.root) not in at]:  # functions of the cells before
        for label, (root, changed) in list(survivors.items()):
            if root is place.root and not survives([changed, *original], 0):
                del survivors[label]
        plant(place, place.root, notebook.names, original, 0)
    for i, statement in enumerate(tree.body):
        for place in [place for place in places if at.get(id(place.root)) == i]:
            plant(place, statement, known[i], original[i + 1 :], i)
        notebook.run([original[i]])


# ---------------------------------------------------------------------------------------------------------------
# Part three: in the core
# ---------------------------------------------------------------------------------------------------------------
OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
COMPARISONS = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
NAMES = {"max": "min", "min": "max", "maximum": "minimum", "minimum": "maximum", "argmax": "argmin", "argmin": "argmax",
         "sum": "mean", "mean": "sum", "log": "log1p", "any": "all", "all": "any"}  # fmt: skip


def variants(node):
    """Yield (what, new node) for each change of one node of a syntax tree."""
    if isinstance(node, ast.BinOp):
        shown = ast.unparse(node)
        if type(node.op) in OPERATORS:
            other = ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
            yield f"{shown} → {ast.unparse(other)}", other
            for part in (node.left, node.right):
                if not (isinstance(node.op, ast.Sub | ast.Div) and part is node.right):
                    yield f"{shown} → {ast.unparse(part)}", part
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield f"{ast.unparse(node)} → {ast.unparse(node.operand)}", node.operand
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        other = ast.Compare(node.left, [COMPARISONS[type(node.ops[0])]()], node.comparators)
        yield f"{ast.unparse(node)} → {ast.unparse(other)}", other
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        new = node.value + 1 if isinstance(node.value, int) else 2 * node.value if node.value else 1.0
        yield f"{node.value} → {new}", ast.Constant(new)
    elif isinstance(node, ast.Attribute) and node.attr in NAMES:
        yield f"{node.attr} → {NAMES[node.attr]}", ast.Attribute(node.value, NAMES[node.attr], node.ctx)
    elif isinstance(node, ast.Name) and node.id in NAMES:
        yield f"{node.id} → {NAMES[node.id]}", ast.Name(NAMES[node.id], node.ctx)


def mutants(function):
    """Yield (what, code object) for every change of one place in a function."""
    source = textwrap.dedent(inspect.getsource(function))
    tree = ast.parse(source)
    places, seen = _places(tree), Counter()
    docstring = ast.get_docstring(tree.body[0])
    for i, node in enumerate(places):
        if isinstance(node, ast.Constant) and node.value == docstring:
            continue
        for what, _ in variants(node):
            changed = copy.deepcopy(tree)
            target = _places(changed)[i]
            new = next(new for label, new in variants(target) if label == what)
            mistakes.put(*mistakes.place_of(changed, target), new)
            changed.body[0].decorator_list, changed.body[0].args.defaults = [], []  # of the code alone
            namespace = {}
            exec(compile(ast.fix_missing_locations(changed), f"<{function.__name__}>", "exec"), namespace)
            label = f"line {getattr(node, 'lineno', 0)}: {what}"  # the same change may be possible twice in a line
            yield mistakes.numbered(label, seen), namespace[function.__name__].__code__


def _places(tree):
    """The nodes of a function's body: a default of an argument belongs to the function, not to its code."""
    return [node for statement in tree.body[0].body for node in ast.walk(statement)]


def _run_changed(number, change, results):
    """In a process of its own: run the notebook with one change in the core, or none; say whether nothing noticed."""
    if change:
        name, label = change
        function = inspect.unwrap(core(number)[name])
        function.__code__ = dict(mutants(function))[label]
    try:
        with without_pictures(), np.errstate(all="ignore"):
            run(cells_of(number))
    except BaseException:
        results.put(False)
    else:
        results.put(True)


def _survives(number, change):
    context = multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn")
    results = context.Queue()
    process = context.Process(target=_run_changed, args=(number, change, results), daemon=True)
    process.start()
    process.join(MOST_SECONDS)
    if process.is_alive():  # runs for ever: noticed
        process.kill()
        return False
    return process.exitcode == 0 and results.get()


def plant_core(number):
    """Return the changes of a chapter's core that its notebook does not notice, and how many there were."""
    if not _survives(number, None):
        raise RuntimeError(f"the cells of chapter {number} fail, or take {MOST_SECONDS} s, without any change")
    changes = [
        (name, label) for name, function in core(number).items() for label, _ in mutants(inspect.unwrap(function))
    ]
    return [f"{name}, {label}" for name, label in changes if _survives(number, (name, label))], len(changes)


# ---------------------------------------------------------------------------------------------------------------
# The report
# ---------------------------------------------------------------------------------------------------------------
def explained():
    """{(chapter, what): why} of the survivors that are known; " … " stands for any text."""
    with open(EXPLAINED, encoding="utf-8", newline="") as file:
        return {(int(row["chapter"]), row["what"]): row["why"] for row in csv.DictReader(file)}


def _is_meant(what, pattern):
    """Whether a survivor is one of those that a line explains, where … is any text."""
    return re.fullmatch(".*".join(map(re.escape, re.split(" ?… ?", pattern))), what) is not None


def examine(number, parts):
    """Plant into one chapter. Return (chapter, survivors, a line on how it went)."""
    survivors, told = [], []
    if "checks" in parts:
        found = plant_checks(number)
        told.append(f"{len(found)} survived at the checks")
        survivors += found
    if "people" in parts:
        found, total = plant_people(cells_of(number))
        kinds = ", ".join(f"{kind} {total[kind]}" for kind in mistakes.KINDS)
        told.append(f"{len(found)} of {total.total()} mistakes of people survived ({kinds})")
        survivors += found
    if "core" in parts:
        found, total = plant_core(number)
        told.append(f"{len(found)} of {total} survived in the core")
        survivors += found
    return number, survivors, f"{number:02d} {chapter(number).name}: {', '.join(told)}"


def main(arguments=None):
    """Read the command line, plant, report."""
    parser = argparse.ArgumentParser(description="Plant wrong formulas and report those that no check notices.")
    written = [entry.number for entry in CHAPTERS if core(entry.number)]
    parser.add_argument("--chapter", type=int, nargs="+", default=written, metavar="N")
    parser.add_argument("--part", choices=PARTS, help="one of the parts; all if left out")
    options = parser.parse_args(arguments)
    known, parts, unexplained = explained(), [options.part] if options.part else PARTS, 0
    for number in options.chapter:
        _, survivors, line = examine(number, parts)
        print(line, flush=True)
        here = [what for chapter_, what in known if chapter_ == number]
        new = [what for what in survivors if not any(_is_meant(what, pattern) for pattern in here)]
        for what in new:
            print(f"   {what}")
        if parts == PARTS:
            for what in [pattern for pattern in here if not any(_is_meant(what, pattern) for what in survivors)]:
                print(f"   no longer survives, take it out of {EXPLAINED.name}: {what}")
        unexplained += len(new)
    print(f"{unexplained} unexplained")
    return int(unexplained > 0)


if __name__ == "__main__":
    sys.exit(main())
