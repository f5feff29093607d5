"""What measures pictures (tests/pictures.py) finds each kind of fault: each is drawn on purpose."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mlcore.classroom.viz.draw.finishing import finish, off_scale
from mlcore.classroom.viz.draw.lettering import write_words
from mlcore.classroom.viz.draw.margins import signs_above
from mlcore.classroom.viz.draw.plots import scatter_classes
from mlcore.classroom.viz.draw.style import course_style
from mlcore.viz import explore
from tests import pictures
from tests.test_notebooks import SOURCES, run
from tools import build_notebooks


def drawn(draw, finished=True):
    """An axes with something good in it, and what else ``draw`` puts there."""
    figure = Figure(figsize=(5, 4))
    FigureCanvasAgg(figure)
    ax = figure.subplots()
    ax.plot([0, 4], [0, 4], "o-", color="fit", label="good")
    ax.set(xlim=(0, 5), ylim=(0, 5), xlabel="x")
    draw(ax)
    if finished:
        finish(figure)
    figure.canvas.draw()
    return figure


def kinds(draw, finished=True, shown=1.0, theme="light"):
    """The kinds of faults that are found."""
    with course_style(theme):
        figure = drawn(draw, finished)
        found = [*pictures.geometry(figure, shown), *pictures.contrasts(figure, theme)]
    return {kind for kind, _ in found}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_good_picture_has_no_fault(theme):
    def draw(ax):
        scatter_classes(ax, np.array([[1.0, 3], [3, 1]]), np.array([0, 1]), legend=False)
        ax.text(3, 4.5, "good", color="fit")
        ax.legend(loc="lower right")

    assert kinds(draw, theme=theme) == set()


def test_small_letters_are_found():
    assert kinds(lambda ax: ax.text(1, 4, "small", fontsize=7), finished=False) == {"small"}
    assert kinds(lambda ax: ax.tick_params(labelsize=7), finished=False) == {"small"}
    assert kinds(lambda ax: write_words(ax, [("small", False, 1, 4, 0.07)]), shown=0.1) == {"small"}
    assert kinds(lambda ax: None, shown=0.6) == {"small"}


def test_letters_that_are_cut_off_or_lie_on_each_other_are_found():
    assert kinds(lambda ax: ax.text(4.9, 1, "too long for this place")) == {"cut off"}
    assert kinds(lambda ax: ax.text(4.5, 1, "too long", clip_on=True)) == {"cut off"}
    assert kinds(lambda ax: (ax.text(1, 4, "one"), ax.text(1.05, 4, "other"))) == {"overlap"}
    assert kinds(lambda ax: (ax.text(1, 3, "one"), ax.text(1, 4, "other"))) == set()
    assert kinds(lambda ax: ax.set_xticks([2, 2.05])) == {"overlap"}
    assert kinds(lambda ax: signs_above(ax, [({"marker": "o", "color": "fit"}, "many words " * 8)])) == {"cut off"}


def test_a_legend_on_points_or_on_a_line_is_found():
    assert kinds(lambda ax: ax.legend(loc="lower left")) == {"legend on data"}
    crossed = kinds(lambda ax: (ax.plot([0, 5], [4.6, 4.6], color="ink"), ax.legend(loc="upper right")))
    assert crossed == {"legend on data"}
    high = kinds(lambda ax: (ax.bar([4], [4.8], color="faint", label="a bar"), ax.legend(loc="upper right")))
    assert high == {"legend on data"}


def test_points_and_bars_outside_without_a_sign_are_found():
    def far(ax):
        ax.plot([1, 2], [4, 9], "o", color="ink")

    assert kinds(far) == {"outside"}
    assert kinds(lambda ax: (far(ax), off_scale(ax, 2, 9))) == set()
    assert kinds(lambda ax: (far(ax), off_scale(ax, 4, 9))) == {"outside"}
    assert kinds(lambda ax: (ax.bar([2], [9], color="faint"), ax.set_ylim(0, 5))) == {"outside"}
    assert kinds(lambda ax: ax.scatter([1, 2], [4, 9], color="ink")) == {"outside"}
    assert kinds(lambda ax: ax.plot([1, 2], [4, 9], "o-", color="ink")) == set()  # the line leads there


def test_an_empty_panel_is_found():
    assert kinds(lambda ax: ax.set(xlim=(7, 9), ylim=(0, 1))) >= {"empty"}
    assert kinds(lambda ax: ax.lines[0].remove()) == {"empty"}
    assert kinds(lambda ax: (ax.lines[0].remove(), ax.axhline(2))) == {"empty"}


def test_pale_letters_and_marks_are_found():
    assert kinds(lambda ax: ax.text(1, 4, "pale", color="hair")) == {"pale letters"}
    assert kinds(lambda ax: ax.text(1, 4, "x", color="ink", bbox={"fc": "quiet", "ec": "none"})) == {"pale letters"}
    assert kinds(lambda ax: ax.plot(1, 4, "o", color="#eeddaa", ms=9)) == {"pale marks"}
    assert kinds(lambda ax: ax.plot([1, 3], [4, 4], color="#eeddaa")) == {"pale marks"}
    assert kinds(lambda ax: (ax.axvspan(0, 5, color="fit"), ax.plot(1, 4, "o", color="fit", ms=9))) == {"pale marks"}


def test_every_setting_of_a_sweep_is_measured():
    def draw(ax, k=1):
        ax.plot([0, k], [0, 1], "o", color="ink")
        ax.set(xlim=(0, 3), ylim=(0, 1.2))

    explorer = explore(draw, k=(1, 5), alt="a point that goes to the right")
    assert {(kind, where) for kind, _, where in pictures.measured(explorer)} == {("outside", "{'k': 5}")}


# ---------------------------------------------------------------------------------------------------------------
# The course's own
# ---------------------------------------------------------------------------------------------------------------
WITH_PICTURES = [path for path in SOURCES if path.stem[:2].isdigit()]


@pytest.mark.slow
@pytest.mark.parametrize("path", WITH_PICTURES, ids=lambda path: path.stem[:2])
def test_all_pictures_of_a_chapter_can_be_seen_and_read(path):
    """At every setting of a sweep, in both themes; an exception that is needed no more is to be taken away."""
    chapter, left, used = path.stem[:2], [], set()
    for alt, found in pictures.faults(build_notebooks.read_source(path), run).items():
        for kind, what, where in found:
            exception = pictures.excused(chapter, kind, alt)
            used.add(exception)
            if exception is None:
                left.append(f"{kind}: {what} | {alt[:60]} | {where}")
    assert not left, "\n".join(left)
    assert {one for one in pictures.EXCEPTIONS if one[0] == chapter} <= used


def test_each_exception_says_why():
    for chapter, kind, alt, why in pictures.EXCEPTIONS:
        assert any(path.stem.startswith(f"{chapter}_") for path in WITH_PICTURES)
        assert kind in pictures.KINDS and len(alt.split()) >= 3 and len(why.split()) >= 4
