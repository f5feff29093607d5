"""Speed of mlcore against scikit-learn on the same data and task, with the same result: ``make bench``.

    python -m benchmarks.run [--only NAME ...] [--budget SECONDS] [--threads N]

Every ``benchmarks/bench_*.py`` holds ``ROWS``, and ``FACES``: fits against the bare loop of their core. Exits with 1
when a result differs, when the geometric mean of all ratios (ours / theirs) is above 0.75, when any ratio is above 3,
or when a fit takes more than twice the time of its bare loop.
"""

import argparse
import importlib
import sys
import warnings
from pathlib import Path

if __package__ in (None, ""):  # run as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.core import (
    FACE_BAR,
    MEAN_BAR,
    WORST_BAR,
    Face,
    geometric_mean,
    growth,
    limit_threads,
    machine,
    time_row,
)

FOLDER = Path(__file__).resolve().parent


def find_rows(only=()):
    """Return (chapter, row) for every row of every benchmark file, or of those whose chapter or name holds a word.

    Raises
    ------
    ValueError
        If a word is found nowhere.
    """
    found = []
    for path in sorted(FOLDER.glob("bench_*.py")):
        chapter = path.stem.removeprefix("bench_")
        module = importlib.import_module(f"benchmarks.{path.stem}")
        found += [(chapter, row) for row in [*module.ROWS, *getattr(module, "FACES", ())]]
    for word in only:
        if not any(word in chapter or word in row.name for chapter, row in found):
            raise ValueError(f"no benchmark is called {word!r}; there are: {'; '.join(row.name for _, row in found)}")
    return [(c, row) for c, row in found if not only or any(word in c or word in row.name for word in only)]


def report(found, budget):
    """Time all rows and print a table as they come.

    Returns {(name, size): ratio} of the rows, the same of the faces, and the names whose results differ.
    """
    ratios, faces, wrong = {}, {}, []
    print(f"{'task':54}{'size':>10}{'ours':>11}{'theirs':>11}{'ratio':>8}{'growth: ours, theirs':>23}")
    for chapter, row in found:
        try:
            timings = time_row(row, budget)
        except AssertionError as error:
            wrong.append(row.name)
            print(f"{row.name:54}  RESULTS DIFFER: {' '.join(str(error).split())[:200]}")
            continue
        exponents = [growth(row.sizes, [getattr(t, side) for t in timings]) for side in ("ours", "theirs")]
        for i, timing in enumerate(timings):
            (faces if isinstance(row, Face) else ratios)[row.name, timing.size] = timing.ratio
            label = f"{row.name} ({chapter})" if i == 0 else ""
            tail = f"{exponents[0]:15.2f},{exponents[1]:6.2f}" if i == len(timings) - 1 else ""
            print(
                f"{label[:53]:54}{timing.size:>10g}{_milliseconds(timing.ours)}{_milliseconds(timing.theirs)}"
                f"{timing.ratio:8.2f}{tail}",
                flush=True,
            )
    return ratios, faces, wrong


def _milliseconds(seconds):
    return f"{1000 * seconds:8.3g} ms"


def verdict(ratios, faces, wrong):
    """Print how it stands against the bars; return the exit code."""
    complaints = [f"{name}: the results differ" for name in wrong]
    if ratios:
        mean, (worst, ratio) = geometric_mean(list(ratios.values())), max(ratios.items(), key=lambda item: item[1])
        print(f"\ngeometric mean of {len(ratios)} ratios: {mean:.2f} (bar {MEAN_BAR:g})")
        print(f"worst: {worst[0]} at {worst[1]:g}: {ratio:.2f} (bar {WORST_BAR:g})")
        if mean > MEAN_BAR:
            complaints.append(f"the geometric mean is {mean:.2f}, above {MEAN_BAR:g}")
        slow = [(name, size, ratio) for (name, size), ratio in ratios.items() if ratio > WORST_BAR]
        complaints += [f"{name} at {size:g}: {ratio:.2f}, above {WORST_BAR:g}" for name, size, ratio in slow]
    for (name, _), ratio in faces.items():
        if ratio > FACE_BAR:
            complaints.append(f"{name}: {ratio:.2f} of the bare loop, above {FACE_BAR:g}")
    for complaint in complaints:
        print(f"BAR BROKEN: {complaint}")
    return int(bool(complaints) or not (ratios or faces))


def main(arguments=None):
    """Run the benchmarks that were asked for and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME", help="tasks or chapters whose name holds NAME")
    parser.add_argument("--budget", type=float, default=2.0, help="seconds for each size (default 2)")
    parser.add_argument("--threads", type=int, default=1, help="threads of BLAS and OpenMP, on both sides (default 1)")
    options = parser.parse_args(arguments)
    try:
        found = find_rows(options.only)
    except ValueError as error:
        parser.error(str(error))
    if not found:
        parser.error("there is no benchmarks/bench_*.py")
    warnings.simplefilter("ignore")  # both sides warn of what they do not converge on; the results are compared
    limit = limit_threads(options.threads)
    print(machine())
    print(f"{options.threads} thread(s) on both sides; best of the runs that fit into {options.budget:g} s, in turn\n")
    ratios, faces, wrong = report(found, options.budget)
    if limit is not None:
        limit.restore_original_limits()
    return verdict(ratios, faces, wrong)


if __name__ == "__main__":
    sys.exit(main())
