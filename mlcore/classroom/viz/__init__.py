"""Pictures, sliders and players: the only room that draws.

- ``explore(draw, alt=..., learning_rate=(0, 1, 0.1))``: a picture that follows its sliders at once.
- ``play(states, draw, alt=...)``: a picture that steps through the states of an algorithm.
- ``points=draggable(X, y, box=...)``: either of them with points that the learner moves.
- ``figure()`` and ``show(fig, alt)``: a still picture with its description.
- ``show_source(obj)``: the real code of the library.
- plots: ``decision_regions``, ``margin_map``, ``probability_map``, ``loss_contours``, ``scatter_classes``, ...
"""

from IPython import get_ipython

from mlcore.classroom.news import tell_news
from mlcore.classroom.viz.code import show_source
from mlcore.classroom.viz.course_map import draw_map
from mlcore.classroom.viz.dendrogram import plot_dendrogram
from mlcore.classroom.viz.explorer import Explorer, Player, explore, explorers, log_slider, play
from mlcore.classroom.viz.graphs import plot_graph, ring
from mlcore.classroom.viz.guesses import Goal, Guess, goal, guess
from mlcore.classroom.viz.margins import margin_map, signs_above
from mlcore.classroom.viz.plots import (
    covariance_ellipse,
    decision_regions,
    draw_path,
    grid_over,
    loss_contours,
    probability_map,
    scatter_classes,
)
from mlcore.classroom.viz.points import Draggable, draggable
from mlcore.classroom.viz.still import figure, show, show_table
from mlcore.classroom.viz.style import COLORS, INK, MARKERS, color, light, marker
from mlcore.classroom.viz.trees import plot_tree

if hasattr(_shell := get_ipython(), "kernel"):  # for kernels that did not load it when they started
    _shell.extension_manager.load_extension("mlcore.classroom.calm")

__all__ = [
    "COLORS",
    "INK",
    "MARKERS",
    "Draggable",
    "Explorer",
    "Goal",
    "Guess",
    "Player",
    "color",
    "covariance_ellipse",
    "decision_regions",
    "draggable",
    "draw_map",
    "draw_path",
    "explore",
    "explorers",
    "figure",
    "goal",
    "grid_over",
    "guess",
    "light",
    "log_slider",
    "loss_contours",
    "margin_map",
    "marker",
    "play",
    "plot_dendrogram",
    "plot_graph",
    "plot_tree",
    "probability_map",
    "ring",
    "scatter_classes",
    "show",
    "show_source",
    "show_table",
    "signs_above",
]

tell_news()  # here, since every notebook's first cell imports this room
