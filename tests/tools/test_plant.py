"""The tool that plants wrong formulas finds what it should: checks that pass all the same, changes nobody notices."""

import numpy as np
import pytest

from mlcore.classroom import verify
from mlcore.course import core
from tools import plant


def double_sum(x, y):
    """2 Σ (x + 3y)."""
    return 2 * np.sum(x + 3 * y)


def test_every_place_of_a_function_is_changed_once():
    labels = dict(plant.mutants(double_sum))
    whats = [label.split(": ")[1] for label in labels]
    assert len(whats) == len(set(labels)) == 12
    assert {"x + 3 * y → x - 3 * y", "x + 3 * y → x", "3 * y → y", "2 → 3", "sum → mean"} <= set(whats)
    x, y = np.array([1.0, 2.0]), np.array([0.5, 4.0])
    code = double_sum.__code__
    try:
        double_sum.__code__ = labels[next(label for label in labels if "3 * y → y" in label)]
        assert double_sum(x, y) == 2 * np.sum(x + y)
    finally:
        double_sum.__code__ = code


@pytest.mark.parametrize(
    "name, arguments, survives",
    [
        ("verify", (2.0, 2.0), 0),
        ("verify", (0.0, 0.0), 8),  # whatever is done to either side
        ("check_inequality", ([1.0, 2.0], [1.0, 9.0]), 0),
        ("check_inequality", ([1.0, 2.0], [5.0, 9.0]), 1),
        ("check_gradient", (lambda x: x @ x, lambda x: 2 * x, np.ones(2)), 0),
        ("check_minimum", (lambda x: (x - 3) ** 2, 3.0), 0),
        ("check_minimum", (lambda x: 0.0 * x, 3.0), 4),
    ],
)
def test_a_check_that_passes_all_the_same_is_reported(name, arguments, survives):
    survivors = []
    plant.plant_sides(name, getattr(verify, name), survivors)("1.1", "what", *arguments)
    assert len(survivors) == survives, survivors


@pytest.mark.slow
def test_a_change_that_a_notebook_does_not_notice_is_reported(monkeypatch):
    monkeypatch.setattr(plant, "core", lambda number: {"double_sum": double_sum})
    check = "from tests.tools.test_plant import double_sum\nassert double_sum({}, {}) == {}"
    for cells, fewest, most in [
        ([check.format(2.0, 5.0, 34.0)], 1, 1),  # the mean of one number is its sum
        (["import numpy as np", check.format("np.array([1.0, 3.0])", "np.array([2.0, 5.0])", 50.0)], 0, 0),
        (["1"], 12, 12),
    ]:
        monkeypatch.setattr(plant, "cells_of", lambda number, cells=cells: cells)
        survivors, total = plant.plant_core(99)
        assert total == 12 and fewest <= len(survivors) <= most, survivors


def test_the_list_of_the_explained_is_whole():
    assert all(len(why.split()) >= 4 and core(number) for (number, _), why in plant.explained().items())
