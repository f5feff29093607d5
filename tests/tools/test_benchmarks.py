"""The benchmarks compare equal results, and their arithmetic is right; times are not tested."""

import numpy as np
import pytest

from benchmarks import core, run

pytestmark = pytest.mark.slow

FOUND = run.find_rows()


def label(pair):
    chapter, row = pair
    return f"{chapter}: {row.name}"


@pytest.mark.parametrize("pair", FOUND, ids=label)
def test_both_sides_do_the_same(pair):
    """At the smallest size; ``make bench`` compares at every size before it times."""
    _, row = pair
    least = 1 if isinstance(row, core.Face) else 3
    assert len(row.sizes) >= least and list(row.sizes) == sorted(set(row.sizes)), "sizes must increase"
    data = row.data(row.sizes[0])
    row.same(row.ours(*data), row.theirs(*data), *data)


def test_names_are_unique():
    names = [row.name for _, row in FOUND]
    assert len(set(names)) == len(names)


def row_of(ours, theirs, same=np.testing.assert_array_equal):
    return core.Row("row", (10, 20, 40), lambda n: (np.arange(n),), ours, theirs, lambda a, b, x: same(a, b))


def test_growth_is_the_slope_of_the_logarithms():
    assert core.growth([10, 100, 1000], [2.0, 200.0, 20000.0]) == pytest.approx(2)
    assert np.isnan(core.growth([10], [1.0]))


def test_the_geometric_mean_balances_ratios():
    assert core.geometric_mean([2, 0.5]) == pytest.approx(1)
    assert core.geometric_mean([8, 1, 1]) == pytest.approx(2)


def test_a_row_is_timed_at_each_size_as_often_on_both_sides():
    calls = {"ours": 0, "theirs": 0}

    def counting(side):
        def task(x):
            calls[side] += 1
            return x.sum()

        return task

    timings = core.time_row(row_of(counting("ours"), counting("theirs")), budget=0, least=4)
    assert [timing.size for timing in timings] == [10, 20, 40]
    assert calls == {"ours": 15, "theirs": 15}  # (1 to compare + 4 timed) at 3 sizes
    assert all(timing.repetitions == 4 and timing.ratio > 0 for timing in timings)


def test_different_results_are_no_benchmark(capsys):
    wrong = row_of(lambda x: x, lambda x: x + 1)
    with pytest.raises(AssertionError):
        core.time_row(wrong, budget=0)
    ratios, faces, names = run.report([("chapter", wrong)], budget=0)
    assert (ratios, names) == ({}, ["row"])
    assert run.verdict(ratios, faces, names) == 1
    assert "BAR BROKEN: row: the results differ" in capsys.readouterr().out


@pytest.mark.parametrize(
    "ratios, code, complaint",
    [
        ([0.5, 0.6, 1.0], 0, ""),
        ([0.8, 0.9, 1.0], 1, "the geometric mean is 0.90, above 0.75"),
        ([0.1, 0.1, 3.5], 1, "row at 2: 3.50, above 3"),
        ([], 1, ""),
    ],
)
def test_the_bars(ratios, code, complaint, capsys):
    assert run.verdict({("row", i): ratio for i, ratio in enumerate(ratios)}, {}, []) == code
    assert complaint in capsys.readouterr().out


def test_choosing_rows():
    assert run.find_rows([FOUND[0][1].name]) == [FOUND[0]]
    with pytest.raises(ValueError, match="no benchmark is called 'astrology'; there are: "):
        run.find_rows(["astrology"])


def test_the_machine_is_described():
    text = core.machine()
    assert f"numpy {np.__version__}" in text and "BLAS: " in text and "cores" in text


@pytest.mark.parametrize("ratio, code", [(1.9, 0), (2.1, 1)])
def test_a_fit_may_take_twice_the_time_of_its_bare_loop(ratio, code):
    assert run.verdict({}, {("face", 400): ratio}, []) == code
