"""A plugin for nbval: after the last cell of a notebook its explorers are swept and its solutions counted.

    pytest -p tests.sweeping --nbval notebooks [--every-stop]

It happens in the kernel that ran the notebook, so none is executed twice. A sweep moves all controls together
to their ends and their middle, with ``--every-stop`` also each alone, and raises what the drawing raises; no letters
may be too small to be read, and the large words below a picture are an answer, not a setting that its slider says
already. It looks up a player's line at work in every state. Then each goal must not be reached at the start, and must
be by the setting it names.
"""

from collections import defaultdict

from nbformat.v4 import new_code_cell, new_output
from nbval import plugin

from tests import notebook_rules as rules

SWEEP = """
import re as _re

from mlcore.classroom.viz.ask.scene import result_and_rest as _result_and_rest
from mlcore.classroom.viz.draw.canvas import Canvas as _Canvas
from mlcore.classroom.viz.draw.finishing import smallest_letters as _smallest_letters
from mlcore.viz import explorers as _explorers
_paint, _sizes, _answers = _Canvas.paint, [], []

def _numbers(text):
    return {float(number) for number in _re.findall(r"\\d+(?:\\.\\d+)?", text)}

def _measured(self, **values):
    returned = _paint(self, **values)
    _sizes.append(_smallest_letters(self.figure) * 100 / 72 * min(self.shown, 1.0))
    _told = _numbers(_result_and_rest(returned)[0]) if isinstance(returned, str) else set()
    _answers.append(not _told or bool(_told - _numbers(str(values))))
    return returned

_Canvas.paint = _measured
for _e in _explorers():
    _sizes.clear()
    _answers.clear()
    try:
        _visited = _e.sweep(alone=False)
    except Exception as _error:
        raise AssertionError(f"{_e.alt!r} at {_e.values}: {_error!r}") from _error
    assert len(_visited) >= 2
    assert min(_sizes) >= 11 - 0.01, f"{_e.alt!r} has letters of {min(_sizes):.1f} pixels"
    assert any(_answers) or hasattr(_e, "states"), f"{_e.alt!r} says its settings large: {_e.frame['result']}"
    _start = {**(_e.points.values if _e.points else {}), **_e.values}
    for _goal in _e.goals:
        assert not _goal.holds(_e.numbers), f"goal {_goal.name} is reached at the start"
        _e.set(**_goal.by)
        assert _goal.holds(_e.numbers), f"goal {_goal.name} is not reached by {_goal.by}: {_e.numbers}"
        _e.set(**_start)
from mlcore.exercises import last_verdicts as _last_verdicts
_wrong = [str(_verdict) for _verdict in _last_verdicts().values() if _verdict.status != "correct"]
assert not _wrong, _wrong
_Canvas.paint = _paint
print(len(_explorers()), "explorers swept,", len(_last_verdicts()), "solutions correct")
"""


def swept(nb, every_stop):
    """The cell that sweeps a notebook's explorers, with the output it should have: as many as its source makes.

    The last verdict on each exercise is that on the solution, which stands below the stub.
    """
    made = sum(len(rules.calls(cell.source, "explore", "play")) for cell in rules.code_cells(nb))
    graded = {rules.first_text(call) for cell in rules.code_cells(nb) for call in rules.calls(cell.source, "grade")}
    said = f"{made} explorers swept, {len(graded)} solutions correct\n"
    output = new_output("stream", name="stdout", text=said)
    source = SWEEP.replace("alone=False", "alone=True") if every_stop else SWEEP
    return new_code_cell(source, outputs=[output], execution_count=1)


collect_cells = plugin.IPyNbFile.collect


def collect_cells_and_sweep(self):
    """The notebook's cells, then the sweep."""
    yield from collect_cells(self)
    options = defaultdict(bool, check=self.compare_outputs)
    cell = swept(self.nb, self.config.option.every_stop)
    number = len(self.nb.cells)
    yield plugin.IPyNbCell.from_parent(self, name="explorers", cell_num=number, cell=cell, options=options)


def pytest_addoption(parser):
    """Let a stage that has the time visit every stop."""
    parser.addoption("--every-stop", action="store_true", help="sweep each control alone, too")


def pytest_configure(config):
    """Let nbval collect one more cell."""
    plugin.IPyNbFile.collect = collect_cells_and_sweep
