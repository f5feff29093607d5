"""Graders as tables: one rule for shapes, rounding, words and sets; a mistake is recognised by what it gives."""

import numpy as np
import pytest

from mlcore.classroom.exercises import Malformed, Unknown, Wrong, answer, check_answer, expect, grading, implement


@pytest.fixture
def made():
    """Registers graders under the number 0.9x and takes them away again."""
    before = dict(grading._REGISTRY)
    yield
    grading._REGISTRY.clear()
    grading._REGISTRY.update(before)


def verdict(given):
    told = check_answer("0.97", given)
    return told.status if told.status != "wrong" else told.message or "unknown"


HELP = {"hint": "Look there.", "step": "Do this."}


def test_a_number(made):
    answer("0.97", right=0.25, digits=2, mistakes={"the root.": 0.5, "far too large.": lambda v: v > 10}, **HELP)
    for good in (0.25, 1 / 4, 0.254, np.float32(0.25), [0.25], np.array([[0.25]])):
        assert verdict(good) == "correct", good
    assert verdict(0.5) == "the root." and verdict(11) == "far too large."
    assert verdict(0.26) == verdict(-0.25) == "unknown"
    assert "a number is asked for" in verdict("0.25") and "one number" in verdict([0.25, 1])
    assert verdict(...) == "not attempted"
    entry = grading._REGISTRY["0.97"]
    assert entry.wrong == (0.5,) and entry.right == () and entry.hint == "Look there."


def test_a_list_a_column_and_an_array_are_one_thing(made):
    answer("0.97", right=np.array([1.0, 2.0, 4.0]), mistakes={"turned.": [[4.0, 2.0, 1.0], [2.0, 4.0, 8.0]]}, **HELP)
    for good in ([1, 2, 4], (1, 2, 4), np.array([[1], [2], [4]]), np.array([[1, 2, 4]])):
        assert verdict(good) == "correct", good
    assert verdict([4, 2, 1]) == verdict((2, 4, 8)) == "turned."
    assert verdict([2, 1, 4]) == "unknown"
    assert "shape should be (3,)" in verdict([1, 2]) and "text" in verdict(["1", "2", "4"])
    assert "shape" in verdict(np.ones((3, 2))) and "NaN" in verdict([1, np.nan, 4])


def test_where_the_order_is_free(made):
    answer("0.97", right=np.array([1.0, 2.0, 4.0]), unordered=True, **HELP)
    for good in ([4, 1, 2], {1, 2, 4}, frozenset((4, 2, 1)), np.array([[2], [1], [4]])):
        assert verdict(good) == "correct", good
    assert verdict([1, 2, 2]) == verdict([1, 4, 4]) == "unknown"
    answer("0.97", right=np.array([[0.0, 1.0], [2.0, 0.0]]), unordered=True, **HELP)
    assert verdict([[2, 0], [0, 1]]) == "correct" and verdict([[1, 0], [0, 2]]) == "unknown"


def test_words_truth_and_several_things(made):
    answer("0.97", right="lasso", words=("ridge", "lasso"), mistakes={"it only shrinks.": "ridge"}, **HELP)
    assert verdict(" Lasso ") == "correct" and verdict("RIDGE") == "it only shrinks."
    assert "one of 'ridge', 'lasso'" in verdict("both") and "got 3" in verdict(3)
    answer("0.97", right=lambda: (0.5, True, "a"), words=("a", "b"), mistakes={"both.": (0.5, False, "b")}, **HELP)
    assert verdict((0.5, True, "A")) == verdict([0.5, np.True_, "a"]) == "correct"
    assert verdict((0.5, False, "b")) == "both." and verdict((0.5, True, "b")) == "unknown"
    assert "3 things" in verdict((0.5, True)) and "True or False" in verdict((0.5, 1, "a"))
    answer("0.97", right={"P": 0.5, "R": 1.0}, **HELP)
    assert verdict({"P": 0.5, "R": 1}) == "correct" and verdict({"P": 1, "R": 1}) == "unknown"
    assert "keys" in verdict({"P": 1})


def double(x, n):
    return x * 2.0 * n


def cases(rng):
    for n in (0, 1, 3):
        yield rng.normal(size=4), n


def table(**more):
    implement("0.97", right=double, cases=cases, mistakes={
        "the factor 2 is missing.": lambda x, n: x * n, "the square.": lambda x, n: x * n**2 * 2,
    }, **HELP, **more)  # fmt: skip


def test_a_function(made):
    table()
    assert verdict(double) == "correct" and verdict(lambda x, n: (2 * n * x)[:, np.newaxis]) == "correct"
    assert verdict(lambda x, n: list(2 * n * x)) == "correct"
    assert verdict(lambda x, n: n * x) == "the factor 2 is missing."
    assert verdict(lambda x, n: 2 * n * n * x) == "the square."
    assert verdict(lambda x, n: 5 * x) == "unknown"
    assert verdict(lambda x, n: ...) == "not attempted"
    assert "ZeroDivisionError" in verdict(lambda x, n: 1 / 0) and "function is asked" in verdict(3)
    assert "shape" in verdict(lambda x, n: 2 * n * x[:2])

    def spoils(x, n):
        x *= 2 * n
        return x

    assert "in place" in verdict(spoils)
    entry = grading._REGISTRY["0.97"]
    assert len(entry.wrong) == 2 and entry.right == (double,)


def test_what_comes_after_the_cases(made):
    def then(given):
        expect(np.isfinite(given(np.array([1e300]), 1)).all(), "it overflows.")

    table(then=then)
    assert verdict(double) == "correct"
    assert verdict(lambda x, n: double(x, n) if abs(x).max() < 9 else x * np.inf) == "it overflows."


def test_a_mistake_that_shows_on_no_case_is_not_guessed(made):
    squared = {"the square.": lambda x, n: x * n**2 * 2}
    implement("0.97", right=double, cases=[(np.ones(2), 1)], mistakes=squared, **HELP)
    assert verdict(lambda x, n: x) == "unknown"


def test_the_kinds_of_refusal():
    assert issubclass(Malformed, Wrong) and issubclass(Unknown, Wrong)
