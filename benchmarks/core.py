"""What a benchmark is, and how it is run; see section 5 of CONTRIBUTING.md.

Ours and theirs are timed in turn in one process, so that a busy moment hits both, and the best time of each counts:
other programs can only make a run slower, never faster. Before that both results are compared: a fast wrong answer is
no result.
"""

import gc
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

MEAN_BAR = 0.75  # the geometric mean of all ratios, ours over theirs
WORST_BAR = 3.0  # the greatest ratio
FACE_BAR = 2.0  # a fit over the bare loop of its core, at 400 x 5


@dataclass(frozen=True)
class Row:
    """One task at several sizes.

    Parameters
    ----------
    name : str
    sizes : sequence
        Increasing numbers, usually of samples; three of them.
    data : callable
        ``data(size)`` makes the inputs, a tuple. It is not timed.
    ours, theirs : callable
        ``ours(*data)`` and ``theirs(*data)`` do the same task and return what ``same`` compares.
    same : callable
        ``same(a, b, *data)`` asserts that the result of ours, a, and that of theirs, b, agree.
    """

    name: str
    sizes: Sequence[float]
    data: Callable[[Any], tuple]
    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    same: Callable[..., None]


@dataclass(frozen=True)
class Face(Row):
    """The same, where theirs is the bare loop around our own core: what the door, units and attributes cost.

    Its one size is 400 rows of 5 features.
    """


@dataclass(frozen=True)
class Timing:
    """The best times of one row at one size, in seconds."""

    size: float
    ours: float
    theirs: float
    repetitions: int

    @property
    def ratio(self):
        """Ours over theirs: below 1 we are faster."""
        return self.ours / self.theirs


def time_row(row, budget=2.0, least=5, most=200):
    """Compare the results of a row and time it at each of its sizes.

    Parameters
    ----------
    budget : float
        Seconds for each size, both sides together.
    least, most : int
        Bounds on the repetitions, whatever the budget.

    Returns
    -------
    list of Timing

    Raises
    ------
    AssertionError
        If the results differ.
    """
    return [_time_size(row, size, budget, least, most) for size in row.sizes]


def _time_size(row, size, budget, least, most):
    data = row.data(size)
    row.same(row.ours(*data), row.theirs(*data), *data)  # also warms both up
    ours, theirs, begun = [], [], time.perf_counter()
    gc.collect()
    gc.disable()
    try:
        while len(ours) < least or (len(ours) < most and time.perf_counter() - begun < budget):
            pair = [(ours, row.ours), (theirs, row.theirs)]
            for times, run in pair if len(ours) % 2 == 0 else reversed(pair):
                start = time.perf_counter()
                run(*data)
                times.append(time.perf_counter() - start)
    finally:
        gc.enable()
    return Timing(size, min(ours), min(theirs), len(ours))


def growth(sizes, seconds):
    """Return the exponent p of seconds ~ size^p, the slope of a line through the logarithms.

    Returns NaN for a single size.
    """
    if len(sizes) < 2:
        return float("nan")
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def geometric_mean(ratios):
    """Return the geometric mean: a ratio of 2 and one of 1/2 make 1."""
    return float(np.exp(np.mean(np.log(ratios))))


def limit_threads(count=1):
    """Give BLAS and OpenMP the same number of threads on both sides; return what to keep alive, or None."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return None
    return threadpool_limits(limits=count)


def machine():
    """Describe the machine and the versions that numbers depend on, in a few lines."""
    lines = [f"{platform.system()} {platform.machine()}, {_processor()}, {os.cpu_count()} cores"]
    names = ("numpy", "scipy", "scikit-learn", "matplotlib", "ipywidgets", "jupyterlab", "ipykernel")
    versions = [f"{name} {version}" for name in names if (version := _version(name))]
    lines.append(f"Python {platform.python_version()}, {', '.join(versions)}")
    lines.append(f"BLAS: {_blas()}")
    if core := os.environ.get("OPENBLAS_CORETYPE"):
        lines.append(f"note: OPENBLAS_CORETYPE={core} is set; unset it for numbers that count")
    return "\n".join(lines)


def _processor():
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown processor"


def _version(name):
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _blas():
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    found = {f"{pool['internal_api']} {pool['version'] or ''} for {pool.get('architecture', '?')}" for pool in pools}
    return ", ".join(sorted(found)) or "unknown"
