"""A chapter without Jupyter: run its cells in their order, and tell its explorers what a page asks.

It runs where ``IPython``, ``ipywidgets`` and ``anywidget`` are those of this folder: under Pyodide in a browser's
worker, and under any Python where frames are made beforehand. A page knows a control as a list of texts and the number
of the one at which it stands; what value that is only this side knows.
"""

import ast
import contextlib
import io
import itertools
import traceback

import IPython
import ipywidgets as widgets
import linalg
import numpy as np
from IPython.display import shown
from ipywidgets import same

linalg.install()  # before the library takes these functions

import mlcore.viz  # noqa: E402
from mlcore.classroom.viz.draw.canvas import Canvas  # noqa: E402
from mlcore.classroom.viz.draw.style import screen  # noqa: E402, F401  a page sets it
from mlcore.classroom.viz.stage.controls import places_of  # noqa: E402
from mlcore.classroom.viz.stage.explorer import explorers  # noqa: E402

KINDS = {"Checkbox": "tick", "ToggleButton": "tick", "Dropdown": "choice", "ToggleButtons": "choice",
         "RadioButtons": "choice"}  # fmt: skip
_show = mlcore.viz.show
_of_the_learner = [True]
_RUNS = itertools.count()
space = {"__name__": "__main__"}
known = []
"""The explorers of the chapter, in the order in which they were made."""


def _show_of_the_learner(fig, alt):
    """The page has the chapter's own stills already."""
    if _of_the_learner[0]:
        _show(fig, alt)


mlcore.viz.show = _show_of_the_learner
png_of = Canvas.png
Canvas.png = lambda self: b""  # no notebook is saved here, and it would take a picture's time once more


# ---------------------------------------------------------------------------------------------------------------
# Cells
# ---------------------------------------------------------------------------------------------------------------
def run(source, name, learner=False):
    """Run a cell.

    Returns
    -------
    dict
        ``made``: how many explorers it made; ``shown``: what it printed and displayed, as bundles of MIME types;
        ``error``: a traceback's last lines, or None.
    """
    before, printed, error = set(map(id, explorers())), io.StringIO(), None
    shown.clear()
    IPython.cell.update(content={"code": source}, metadata={"cellId": name}, header={"msg_id": next(_RUNS)})
    _of_the_learner[0] = learner
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            _run_and_show(source, name)
        except BaseException as problem:  # noqa: BLE001  a cell may raise what it likes
            error = _told(problem, name)
    made = [one for one in explorers() if id(one) not in before]
    known.extend(made)
    text = [{"text/plain": printed.getvalue()}] if printed.getvalue() else []
    return {"made": len(made), "shown": text + list(shown), "error": error}


def _run_and_show(source, name):
    """Run it; the value of its last line is shown, as a notebook does."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), space)
    if last:
        value = eval(compile(ast.Expression(last.value), name, "eval"), space)
        if value is not None and not any(value is one for one in explorers()):
            IPython.display.display(value)


def _told(problem, name):
    """The lines of an error that a learner can use: of their own cell, and what it says."""
    frames = [one for one in traceback.extract_tb(problem.__traceback__) if one.filename == name]
    where = [f"line {frames[-1].lineno}: "] if frames else []
    return "".join(where + traceback.format_exception_only(problem)).strip()


def generators():
    """All generators of random numbers that cells have made, by name."""
    return {name: value for name, value in space.items() if isinstance(value, np.random.Generator)}


def states():
    """The states of all generators, by name."""
    return {name: generator.bit_generator.state for name, generator in generators().items()}


def put_states(kept):
    """Set the generators as they were when ``states`` was called: as if the cells between had run.

    One that only those cells have made is asked for by nobody.
    """
    for name, generator in generators().items():
        if name in kept:
            generator.bit_generator.state = kept[name]


# ---------------------------------------------------------------------------------------------------------------
# Explorers
# ---------------------------------------------------------------------------------------------------------------
def spec(explorer):
    """What does not change of an explorer: see ``Scene.spec``; and its controls, of which each is a list of texts."""
    controls = [
        {
            "name": name,
            "kind": KINDS.get(type(control).__name__, "slider"),
            "label": control.description,
            "texts": [text_of(control, value) for value in values_of(control)],
        }
        for name, control in explorer.controls.items()
    ]
    return {**explorer.stage.spec, "controls": controls, "interval": getattr(explorer, "interval", None)}


def frame(explorer):
    """What is to be seen now: see ``Scene.frame``; and where the controls stand, of how many places each."""
    controls = explorer.controls.values()
    return {**explorer.frame, "at": list(map(at, controls)), "places": [len(values_of(one)) for one in controls]}


def ask(explorer, message):
    """Tell an explorer what the page asks, and return the frame that answers."""
    if message["kind"] == "set":
        with explorer.paused():
            put(explorer, message["at"])
        explorer._changed(number=message.get("number"))
    else:
        explorer._heard(None, message)
    return frame(explorer)


def put(explorer, places):
    """Set the controls to these of their places."""
    for control, place in zip(explorer.controls.values(), places, strict=True):
        values = values_of(control)
        control.value = values[min(max(int(place), 0), len(values) - 1)]


def values_of(control):
    """All values that a control can have."""
    return [False, True] if isinstance(control, widgets.Checkbox) else places_of(control)


def at(control):
    """The number of the place at which a control stands, or of the nearest one."""
    values = values_of(control)
    exact = [i for i, value in enumerate(values) if same(value, control.value)]
    return exact[0] if exact else min(range(len(values)), key=lambda i: abs(values[i] - control.value))


def text_of(control, value):
    """A value of a control, as it is read."""
    if isinstance(control, widgets.Choice):
        return next(label for label, other in control._options_full if same(other, value))
    if not isinstance(control, widgets.Slider):
        return str(value)
    return format(value, control.readout_format).replace("-", "−")
