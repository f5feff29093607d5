"""Distributions that stand upright: as wide as told, the values that are impossible apart."""

import numpy as np
import pytest
from matplotlib.colors import same_color
from matplotlib.figure import Figure

from mlcore.viz import light, stand_up

VALUES = np.linspace(-4, 6, 101)


def bell(mean):
    heights = np.exp(-((VALUES - mean) ** 2) / 2)
    return VALUES, heights, VALUES < 1e-9


@pytest.fixture
def ax():
    return Figure().subplots()


def test_a_bell_is_cut_at_the_edge_of_what_is_possible(ax):
    stand_up(ax, [bell(1.0), bell(2.0)], [10.0, 20.0], width=3)
    possible, impossible = ax.collections
    assert same_color(possible.get_facecolor()[0], light("fit", 0.66))
    assert same_color(impossible.get_facecolor()[0], light("gap", 0.66))
    for base, mean, above, below in zip((10, 20), (1, 2), possible.get_paths(), impossible.get_paths()):
        x, y = above.vertices.T
        assert (x.min(), x.max()) == pytest.approx((base, base + 3)), "from its base, as wide as told"
        assert y[x.argmax()] == pytest.approx(mean)
        assert y.min() == pytest.approx(0) == below.vertices[:, 1].max(), "both end at 0"
        end = x[(y < 1e-9) & (x > base + 1e-9)]
        np.testing.assert_allclose(end, base + 3 * np.exp(-(mean**2) / 2))


def test_a_part_in_the_middle_touches_both_others(ax):
    values, heights, _ = bell(0.5)
    stand_up(ax, [(values, heights, np.abs(values - 0.5) > 0.5 - 1e-9)], [0], width=1)
    possible, impossible = ([path.vertices[:, 1] for path in one.get_paths()] for one in ax.collections)
    [inside], (below, above) = possible, impossible
    assert (inside.min(), inside.max()) == pytest.approx((0, 1))
    assert below.max() == pytest.approx(0) and above.min() == pytest.approx(1)


def test_bars_are_as_long_as_probabilities(ax):
    values, heights = np.arange(4.0), np.array([0.1, 0.4, 0.2, 0.3])
    stand_up(ax, [(values, heights, values > 2)], [5.0], width=2, bars=0.5)
    possible, impossible = ax.collections
    boxes = [[path.get_extents().extents for path in one.get_paths()] for one in (possible, impossible)]
    np.testing.assert_allclose(boxes[0], [[5, y - 0.25, 5 + 5 * h, y + 0.25] for y, h in zip(range(3), heights)])
    np.testing.assert_allclose(boxes[1], [[5, 2.75, 6.5, 3.25]])


def test_what_is_hardly_probable_is_not_drawn(ax):
    stand_up(ax, [bell(1.0)], [0], width=1)
    drawn = np.concatenate([path.vertices for one in ax.collections for path in one.get_paths()])
    assert -2.5 < drawn[:, 1].min() and drawn[:, 1].max() < 4.5
