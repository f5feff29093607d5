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
from mlcore.classroom.viz.ask.goals import Goal, goal
from mlcore.classroom.viz.ask.guesses import Guess, guess
from mlcore.classroom.viz.ask.holds import Hold, hold
from mlcore.classroom.viz.ask.points import Draggable, draggable
from mlcore.classroom.viz.draw.code import show_source
from mlcore.classroom.viz.draw.course_map import draw_map
from mlcore.classroom.viz.draw.crowds import draw_cells, draw_crowd, sort_by_call
from mlcore.classroom.viz.draw.dendrogram import draw_hull, group_colors, merges_below, plot_dendrogram
from mlcore.classroom.viz.draw.finishing import at_the_end, off_scale
from mlcore.classroom.viz.draw.graphs import plot_graph, ring
from mlcore.classroom.viz.draw.lettering import write_words
from mlcore.classroom.viz.draw.margins import margin_map, signs_above
from mlcore.classroom.viz.draw.marks import glide
from mlcore.classroom.viz.draw.networks import nearest_unit, plot_borders, plot_network, unit_places
from mlcore.classroom.viz.draw.pies import draw_pies
from mlcore.classroom.viz.draw.plots import (
    covariance_ellipse,
    decision_regions,
    draw_path,
    grid_over,
    loss_contours,
    probability_map,
    scatter_classes,
)
from mlcore.classroom.viz.draw.readings import linked
from mlcore.classroom.viz.draw.roles import INK, QUIET, color, light, marker, palette, rgb, shades
from mlcore.classroom.viz.draw.squares import draw_squares, largest_gap, stack_squares
from mlcore.classroom.viz.draw.still import figure, show, show_table
from mlcore.classroom.viz.draw.subsets import plot_subsets, subset_places
from mlcore.classroom.viz.draw.trees import plot_tree
from mlcore.classroom.viz.draw.upright import stand_up
from mlcore.classroom.viz.stage.controls import log_slider
from mlcore.classroom.viz.stage.explorer import Explorer, explore, explorers
from mlcore.classroom.viz.stage.player import Player, play

if hasattr(_shell := get_ipython(), "kernel"):  # for kernels that did not load it when they started
    _shell.extension_manager.load_extension("mlcore.classroom.calm")

__all__ = [
    "INK",
    "QUIET",
    "Draggable",
    "Explorer",
    "Goal",
    "Guess",
    "Hold",
    "Player",
    "at_the_end",
    "color",
    "covariance_ellipse",
    "decision_regions",
    "draggable",
    "draw_cells",
    "draw_crowd",
    "draw_hull",
    "draw_map",
    "draw_path",
    "draw_pies",
    "draw_squares",
    "explore",
    "explorers",
    "figure",
    "goal",
    "grid_over",
    "glide",
    "group_colors",
    "guess",
    "hold",
    "largest_gap",
    "light",
    "linked",
    "log_slider",
    "loss_contours",
    "margin_map",
    "marker",
    "merges_below",
    "nearest_unit",
    "off_scale",
    "palette",
    "play",
    "plot_borders",
    "plot_dendrogram",
    "plot_graph",
    "plot_network",
    "plot_subsets",
    "plot_tree",
    "probability_map",
    "rgb",
    "ring",
    "scatter_classes",
    "shades",
    "show",
    "show_source",
    "show_table",
    "signs_above",
    "sort_by_call",
    "stack_squares",
    "stand_up",
    "subset_places",
    "unit_places",
    "write_words",
]

tell_news()  # here, since every notebook's first cell imports this room
