"""A plugin for nbval: after the last cell of a notebook every explorer in it is swept, in the kernel that made it.

    pytest -p tests.sweeping --nbval notebooks

So no notebook is executed twice. A sweep moves each control to its ends, its middle and odd combinations, and raises
what the drawing raises.
"""

from collections import defaultdict

from nbformat.v4 import new_code_cell, new_output
from nbval import plugin

from tests import notebook_rules as rules

SWEEP = """
from mlcore.viz import explorers as _explorers
for _e in _explorers():
    try:
        _visited = _e.sweep()
    except Exception as _error:
        raise AssertionError(f"{_e.alt!r} at {_e.values}: {_error!r}") from _error
    assert len(_visited) >= 3
print(len(_explorers()), "explorers swept")
"""


def swept(nb):
    """The cell that sweeps a notebook's explorers, with the output it should have: as many as its source makes."""
    made = sum(len(rules.calls(cell.source, "explore", "play")) for cell in rules.code_cells(nb))
    output = new_output("stream", name="stdout", text=f"{made} explorers swept\n")
    return new_code_cell(SWEEP, outputs=[output], execution_count=1)


collect_cells = plugin.IPyNbFile.collect


def collect_cells_and_sweep(self):
    """The notebook's cells, then the sweep."""
    yield from collect_cells(self)
    options = defaultdict(bool, check=self.compare_outputs)
    yield plugin.IPyNbCell.from_parent(
        self, name="explorers", cell_num=len(self.nb.cells), cell=swept(self.nb), options=options
    )


def pytest_configure(config):
    """Let nbval collect one more cell."""
    plugin.IPyNbFile.collect = collect_cells_and_sweep
