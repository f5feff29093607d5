"""Chapter 1: version spaces against trying every hypothesis, and the lunch that is not free against plain loops."""

import itertools
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlcore import what_is_learning as learning
from mlcore.datasets import load_watermelon2
from mlcore.what_is_learning import (
    ANY,
    ConjunctiveSpace,
    candidate_elimination,
    no_free_lunch,
    off_training_errors,
    target_functions,
)  # fmt: skip

MELONS = load_watermelon2()
WATERMELON = ConjunctiveSpace(
    {name: sorted(set(column)) for name, column in zip(MELONS.feature_names, MELONS.data.T)}
)


def space_of(sizes):
    return ConjunctiveSpace({f"a{i}": tuple(range(n)) for i, n in enumerate(sizes)})


def labels_by_loop(h, x):
    """Whether h covers x, in so many words."""
    if h is None:
        return False
    for a, b in zip(h, x):
        if a != ANY and a != b:
            return False
    return True


sizes = st.lists(st.integers(1, 3), min_size=1, max_size=4)


@st.composite
def lessons(draw):
    """A space with examples, whose labels come from a conjunction or from nowhere."""
    space = space_of(draw(sizes))
    rows = [st.sampled_from(values) for values in space.values]
    X = draw(st.lists(st.tuples(*rows), max_size=7))
    concept = draw(st.tuples(*[st.sampled_from((ANY, *values)) for values in space.values]))
    y = [int(labels_by_loop(concept, x)) for x in X]
    if draw(st.booleans()) and X:
        y[draw(st.integers(0, len(X) - 1))] ^= 1
    return space, X, y


class TestConjunctiveSpace:
    @given(sizes)
    def test_its_size_is_what_it_enumerates(self, n):
        space = space_of(n)
        rules = list(space.enumerate())
        assert len(set(rules)) == len(rules) == space.size == prod(k + 1 for k in n) + 1

    @given(sizes)
    def test_distinct_counts_what_the_rules_cover(self, n):
        space = space_of(n)
        instances = list(itertools.product(*space.values))
        assert len({tuple(labels_by_loop(h, x) for x in instances) for h in space.enumerate()}) == space.distinct

    def test_numbers(self):
        assert WATERMELON.size == 3073
        assert space_of([3, 2, 2, 2, 2, 2]).size == 973  # Mitchell (1997)
        assert space_of([3, 1, 2]).size == 25 and space_of([3, 1, 2]).distinct == 13
        assert "color: 3" in repr(WATERMELON)

    @given(lessons())
    def test_the_version_space_is_what_agrees_with_every_example(self, lesson):
        space, X, y = lesson
        by_loop = [h for h in space.enumerate() if all(labels_by_loop(h, x) == v for x, v in zip(X, y))]
        assert space.version_space(X, y) == by_loop

    @given(lessons())
    @settings(max_examples=200)
    def test_everything_between_the_boundaries_agrees_and_nothing_else(self, lesson):
        space, X, y = lesson
        assert space.between(*space.boundaries(X, y)) == space.version_space(X, y)

    @given(lessons())
    def test_the_boundaries_are_the_most_special_and_the_most_general(self, lesson):
        space, X, y = lesson
        S, G = space.boundaries(X, y)
        left = space.version_space(X, y)

        def above(g, h):
            return h is None or g is not None and all(a == ANY or a == b for a, b in zip(g, h))

        assert set(S) == {h for h in left if not any(above(h, o) and o != h for o in left)}
        assert set(G) == {h for h in left if not any(above(o, h) and o != h for o in left)}
        assert len(set(G)) == len(G)

    @given(lessons(), st.randoms(use_true_random=False))
    def test_the_order_of_the_examples_does_not_matter(self, lesson, random):
        space, X, y = lesson
        order = list(range(len(X)))
        random.shuffle(order)
        S, G = space.boundaries(X, y)
        again = space.boundaries([X[i] for i in order], [y[i] for i in order])
        assert set(again[0]) == set(S) and set(again[1]) == set(G)

    def test_the_seventeen_melons(self):
        sizes = [len(WATERMELON.version_space(MELONS.data[:k], MELONS.target[:k])) for k in range(10)]
        assert sizes == [3073, 64, 16, 16, 16, 16, 2, 1, 1, 0]
        assert WATERMELON.boundaries(MELONS.data, MELONS.target) == ([], [])

    def test_the_books_four_melons(self):
        space = ConjunctiveSpace({"色泽": ("青绿", "乌黑", "浅白"), "根蒂": ("蜷缩", "稍蜷", "硬挺"),
                                  "敲声": ("浊响", "清脆", "沉闷")})  # fmt: skip
        X = [("青绿", "蜷缩", "浊响"), ("乌黑", "蜷缩", "浊响"), ("青绿", "硬挺", "清脆"), ("乌黑", "稍蜷", "沉闷")]
        steps = list(candidate_elimination(space, X, [1, 1, 0, 0]))
        assert [len(space.between(*step)) for step in steps] == [65, 8, 4, 3, 3]
        S, G = steps[-1]
        assert S == [("*", "蜷缩", "浊响")] and set(G) == {("*", "蜷缩", "*"), ("*", "*", "浊响")}

    @pytest.mark.parametrize("k", [1, 3, 6])
    def test_the_upper_boundary_doubles(self, k):
        bad = 1 - np.kron(np.eye(k, dtype=int), [1, 1])
        S, G = space_of([2] * (2 * k)).boundaries(np.vstack([np.ones(2 * k, dtype=int), bad]), [1] + [0] * k)
        assert len(S) == 1 and len(G) == 2**k

    def test_boundaries_of_a_space_too_large_to_list(self):
        space = space_of([3] * 30)
        S, G = space.boundaries([(0,) * 30, (1,) + (0,) * 29, (2,) * 30], [1, 1, 0])
        assert S == [(ANY,) + (0,) * 29] and len(G) == 29
        with pytest.raises(ValueError, match="too many to go through; boundaries"):
            space.version_space([], [])

    def test_examples_in_other_containers(self):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(MELONS.data[:2], columns=MELONS.feature_names)
        expected = WATERMELON.boundaries(MELONS.data[:2], [1, 1])
        assert WATERMELON.boundaries(frame, pandas.Series([True, True])) == expected
        assert WATERMELON.boundaries(MELONS.data[:2].tolist(), (1.0, 1.0)) == expected

    def test_no_example_and_equal_examples(self):
        space = space_of([2, 2])
        assert space.boundaries([], []) == ([None], [(ANY, ANY)])
        assert space.boundaries([(0, 1)] * 3, [1] * 3) == ([(0, 1)], [(ANY, ANY)])
        assert space.boundaries([(0, 1)] * 2, [1, 0]) == ([], [])

    @pytest.mark.parametrize("attributes", [
        {}, None, ["a"], {"a": ()}, {"a": (1, 1)}, {"a": ("*", "b")},
    ])  # fmt: skip
    def test_attributes_that_make_no_space(self, attributes):
        with pytest.raises(ValueError, match="at least one|needs at least"):
            ConjunctiveSpace(attributes)

    @pytest.mark.parametrize("X, y, message", [
        ([(0, 0)], [1, 0], "1 examples and y has 2"),
        ([(0, 0, 0)], [1], r"2 columns, got shape \(1, 3\)"),
        ([0, 1], [1, 0], "2 columns"),
        ([(0, 7)], [1], "example 0 has a1 = 7; known are 0, 1"),
        ([(0, None)], [1], "a1 = None"),
        ([(0, ANY)], [1], r"a1 = '\*'"),
        ([(0, 0)], [2], "got 2"),
        ([(0, 0)], ["good"], "got 'good'"),
        ([(0, 0)], [float("nan")], "got nan"),
    ])  # fmt: skip
    def test_examples_that_do_not_fit(self, X, y, message):
        for call in (space_of([2, 2]).version_space, space_of([2, 2]).boundaries):
            with pytest.raises(ValueError, match=message):
                call(X, y)


# ---------------------------------------------------------------------------------------------------------------
# No free lunch
# ---------------------------------------------------------------------------------------------------------------
def majority(X, y, Z):
    return np.full(len(Z), int(2 * y.sum() > len(y)))


def nearest(X, y, Z):
    return y[np.abs(Z - X.T).argmin(axis=1)]


def arithmetic(X, y, Z):
    return (y.sum() + 3 * Z[:, 0].astype(int)) % 2


def by_loops(learner, n, m, labels):
    """The mean of (1.7), one target and one point after the other."""
    X, total, count = np.arange(float(n))[:, np.newaxis], 0, 0
    for f in itertools.product(labels, repeat=n):
        said = learner(X[:m], np.array(f[:m]), X[m:])
        total += sum(said[i] != f[m + i] for i in range(n - m))
        count += n - m
    return total / count


TOSSES = np.random.default_rng(0)


class TestNoFreeLunch:
    @pytest.mark.parametrize("learner", [majority, nearest, arithmetic])
    @pytest.mark.parametrize("n, m", [(5, 2), (6, 1), (7, 3)])
    def test_one_half_as_by_loops(self, learner, n, m):
        assert no_free_lunch(learner, n, m) == by_loops(learner, n, m, (0, 1)) == 0.5

    def test_three_labels_and_labels_as_text(self):
        assert no_free_lunch(lambda X, y, Z: np.full(len(Z), y.max()), 6, 2, labels=(0, 1, 2)) == pytest.approx(2 / 3)
        assert no_free_lunch(lambda X, y, Z: np.repeat(y[:1], len(Z)), 5, 1, labels=("no", "yes")) == 0.5

    def test_no_training_point_at_all(self):
        assert no_free_lunch(lambda X, y, Z: np.zeros(len(Z), dtype=int), 4, 0) == 0.5

    @pytest.mark.parametrize("learner", [majority, nearest, arithmetic])
    def test_the_whole_distribution_is_the_same(self, learner):
        errors = off_training_errors(learner, target_functions(7), 3)
        assert np.bincount(errors).tolist() == [8 * comb(4, e) for e in range(5)] == [8, 32, 48, 32, 8]

    def test_errors_of_single_targets(self):
        targets = np.array([[1, 1, 1, 1, 1], [1, 1, 0, 1, 0], [0, 0, 1, 1, 1]])
        assert off_training_errors(majority, targets, 2).tolist() == [0, 2, 3]

    def test_over_all_points_learners_differ(self):
        X, targets = np.arange(7.0)[:, np.newaxis], target_functions(7)
        means = []
        for learner in (majority, nearest):
            said = np.array([learner(X[:3], f[:3], X) for f in targets])
            means.append(learning.error_counts(targets, said).mean() / 7)
        assert means == pytest.approx([0.393, 2 / 7], abs=5e-4)

    def test_every_target_once(self):
        targets = target_functions(3, labels=("b", "a"))
        assert sorted(map(tuple, targets)) == sorted(itertools.product("ab", repeat=3))

    def test_the_learner_gets_copies(self):
        def spoiler(X, y, Z):
            X[:], y[:], Z[:] = 9, 0, 9
            return np.zeros(len(Z), dtype=int)

        assert no_free_lunch(spoiler, 5, 2) == 0.5

    @pytest.mark.parametrize("n, m", [(0, 0), (3, 3), (3, 4), (3, -1), (2.5, 1), (19, 2)])
    def test_numbers_that_do_not_fit(self, n, m):
        with pytest.raises(ValueError, match="n_points|n_train|fewer points"):
            no_free_lunch(majority, n, m)

    @pytest.mark.parametrize("learner, message", [
        (lambda X, y, Z: np.zeros(len(Z) + 1), "one of the labels"),
        (lambda X, y, Z: 0, "one of the labels"),
        (lambda X, y, Z: np.full(len(Z), 0.5), "one of the labels"),
        (lambda X, y, Z: np.full(len(Z), np.nan), "one of the labels"),
        (lambda X, y, Z: TOSSES.integers(2, size=len(Z)), "deterministic"),
        ("majority", "learner"),
    ])  # fmt: skip
    def test_answers_that_are_none(self, learner, message):
        with pytest.raises(ValueError, match=message):
            no_free_lunch(learner, 8, 3)

    @pytest.mark.parametrize("labels", [(0,), (1, 1), (), (0, None)])
    def test_labels_that_leave_no_choice(self, labels):
        with pytest.raises(ValueError, match="label"):
            target_functions(3, labels)

    def test_targets_that_are_no_table(self):
        with pytest.raises(ValueError, match="shape"):
            off_training_errors(majority, [0, 1], 1)
