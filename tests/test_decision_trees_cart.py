"""Chapter 15: CART, against scikit-learn and against brute force."""

import copy
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import tree as sk

from mlcore.base import clone, run
from mlcore.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_watermelon2a,
    load_wine,
    make_moons,
)
from mlcore.decision_trees import DecisionTreeClassifier, DecisionTreeRegressor, cart
from mlcore.engines.trees import histograms
from mlcore.engines.trees.criteria import EntropyCriterion, GiniCriterion, Level, SquaredErrorCriterion
from mlcore.engines.trees.growth import Growth, Limits
from mlcore.engines.trees.splitting import Columns, Search


def impurity(name, y, w):
    """By the definitions, with Python's arithmetic."""
    total = math.fsum(w)
    if name == "squared_error":
        mean = math.fsum(w * y) / total
        return math.fsum(w * (y - mean) ** 2) / total
    shares = [math.fsum(w[y == k]) / total for k in np.unique(y)]
    if name == "gini":
        return 1 - math.fsum(p * p for p in shares)
    return -math.fsum(p * math.log2(p) for p in shares if p > 0)


def decrease(name, y, w, left):
    """How far the impurity falls when the rows in ``left`` are separated from the others."""
    total, right = math.fsum(w), ~left
    both = sum(math.fsum(w[side]) * impurity(name, y[side], w[side]) for side in (left, right))
    return impurity(name, y, w) - both / total


def pairs_of_nodes(ours, theirs):
    """Walk our tree and one of scikit-learn's side by side."""
    stack = [(0, 0)]
    while stack:
        i, j = stack.pop()
        yield i, j
        assert (ours.n_children[i] == 0) == (theirs.children_left[j] == -1)
        if ours.n_children[i]:
            stack.append((ours.first_child[i], theirs.children_left[j]))
            stack.append((ours.first_child[i] + 1, theirs.children_right[j]))


def assert_same_tree(ours, theirs):
    for i, j in pairs_of_nodes(ours.tree_, theirs.tree_):
        assert ours.tree_.n_samples[i] == theirs.tree_.n_node_samples[j]
        assert ours.tree_.weight[i] == pytest.approx(theirs.tree_.weighted_n_node_samples[j])
        assert ours.tree_.impurity[i] == pytest.approx(theirs.tree_.impurity[j], rel=1e-6, abs=1e-12)
        assert np.atleast_1d(ours.tree_.value[i]) == pytest.approx(theirs.tree_.value[j, 0], rel=1e-9)
        if ours.tree_.n_children[i]:
            assert ours.tree_.feature[i] == theirs.tree_.feature[j]
            assert ours.tree_.threshold[i] == theirs.tree_.threshold[j]


def problem(n, d, n_classes=None, seed=0):
    """Continuous features without ties, in float32, which scikit-learn computes with."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32)
    score = X[:, 0] + X[:, 1] ** 2 - np.sin(3 * X[:, 2 % d]) + 0.5 * rng.normal(size=n)
    if n_classes is None:
        return X, score.astype(float)
    return X, np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)


# ---------------------------------------------------------------------------------------------------------------
# scikit-learn
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_classification_tree_as_scikit_learn(n_classes, criterion, weighted):
    n = 600 if weighted else 3000  # counts alone tie in small nodes, where scikit-learn chooses at random
    X, y = problem(n, 6, n_classes, seed=n_classes)
    weight = np.random.default_rng(1).uniform(0.1, 3, size=n) if weighted else None
    limits = {"criterion": criterion, "min_samples_leaf": 8 if weighted else 80, "max_depth": 7}
    ours = DecisionTreeClassifier(**limits).fit(X, y, weight)
    theirs = sk.DecisionTreeClassifier(random_state=0, **limits).fit(X, y, weight)
    assert ours.get_n_leaves() > 15
    assert_same_tree(ours, theirs)
    new, _ = problem(500, 6, n_classes, seed=99)
    assert np.array_equal(ours.predict(new), theirs.predict(new))
    assert ours.predict_proba(new) == pytest.approx(theirs.predict_proba(new))
    assert ours.feature_importances_ == pytest.approx(theirs.feature_importances_)
    assert (ours.get_depth(), ours.get_n_leaves()) == (theirs.get_depth(), theirs.get_n_leaves())
    assert (ours.decision_path(new).sum(axis=1) == np.asarray(theirs.decision_path(new).sum(axis=1)).ravel()).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_regression_tree_as_scikit_learn(weighted):
    X, y = problem(800, 5, seed=3)
    weight = np.random.default_rng(1).uniform(0.1, 3, size=800) if weighted else None
    limits = {"min_samples_leaf": 5, "min_samples_split": 20}  # in tiny nodes several features make the same division
    ours = DecisionTreeRegressor(**limits).fit(X, y, weight)
    theirs = sk.DecisionTreeRegressor(random_state=0, **limits).fit(X, y, weight)
    assert ours.get_n_leaves() > 50
    assert_same_tree(ours, theirs)
    new, _ = problem(500, 5, seed=98)
    assert ours.predict(new) == pytest.approx(theirs.predict(new))


@pytest.mark.parametrize(
    "limits", [{"min_samples_split": 90}, {"min_samples_leaf": 30}, {"max_depth": 3}, {"max_depth": 1}]
)
def test_the_limits_mean_what_scikit_learn_means(limits):
    X, y = problem(500, 4, seed=5)
    ours, theirs = DecisionTreeRegressor(**limits), sk.DecisionTreeRegressor(random_state=0, **limits)
    assert_same_tree(ours.fit(X, y), theirs.fit(X, y))


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_every_split_of_a_full_tree_is_as_good_as_scikit_learns(load):
    """Real data is full of ties, so the trees may differ; the gain of the best split may not."""
    data = load()
    X, y = data.data.astype(np.float32).astype(float), data.target
    model = DecisionTreeClassifier().fit(X, y)
    assert model.score(X, y) == 1.0
    tree, path = model.tree_, model.decision_path(X)
    for node in np.flatnonzero(~tree.is_leaf)[:60]:
        rows = path[:, node]
        stump = sk.DecisionTreeClassifier(max_depth=1, random_state=0).fit(X[rows], y[rows]).tree_
        theirs = stump.impurity[0] - stump.weighted_n_node_samples[1:] @ stump.impurity[1:] / rows.sum()
        children = [tree.first_child[node], tree.first_child[node] + 1]
        ours = tree.impurity[node] - tree.weight[children] @ tree.impurity[children] / rows.sum()
        assert ours == pytest.approx(theirs, abs=1e-10)


def test_test_scores_are_those_of_scikit_learn_up_to_ties():
    data = load_diabetes()
    for depth in (2, 3):
        ours = DecisionTreeRegressor(max_depth=depth).fit(data.data[::2], data.target[::2])
        theirs = sk.DecisionTreeRegressor(max_depth=depth, random_state=0).fit(data.data[::2], data.target[::2])
        assert ours.score(data.data[1::2], data.target[1::2]) == pytest.approx(
            theirs.score(data.data[1::2], data.target[1::2]), abs=1e-6
        )


@pytest.mark.parametrize("n_classes", [2, 4])
def test_ccp_alpha_is_scikit_learns(n_classes):
    X, y = problem(400, 4, n_classes, seed=8)
    weight = np.random.default_rng(2).uniform(0.1, 2, size=400)
    sizes = []
    for alpha in (0.002, 0.006, 0.02):
        limits = {"min_samples_leaf": 5, "ccp_alpha": alpha}
        ours = DecisionTreeClassifier(**limits).fit(X, y, weight)
        assert_same_tree(ours, sk.DecisionTreeClassifier(random_state=0, **limits).fit(X, y, weight))
        sizes.append(ours.get_n_leaves())
    assert sizes[0] > sizes[1] > sizes[2] > 1
    X, y = problem(400, 4, seed=8)
    limits = {"min_samples_split": 20, "ccp_alpha": 0.02}
    ours = DecisionTreeRegressor(**limits).fit(X, y)
    assert_same_tree(ours, sk.DecisionTreeRegressor(random_state=0, **limits).fit(X, y))
    *_, grown, pruned = (copy.copy(model) for model in DecisionTreeRegressor(**limits).iter_fit(X, y))
    assert pruned.get_n_leaves() == ours.get_n_leaves() < grown.get_n_leaves()


# ---------------------------------------------------------------------------------------------------------------
# Brute force
# ---------------------------------------------------------------------------------------------------------------
def best_numeric_split(name, X, y, w, min_leaf=1):
    """(gain, feature, threshold) of all thresholds of all features; ties: first feature, lowest threshold."""
    best = (-math.inf, None, None)
    for j in range(X.shape[1]):
        known = ~np.isnan(X[:, j])
        x, target, weight = X[known, j], y[known], w[known]
        values = np.unique(x)
        for low, high in itertools.pairwise(values):
            left = x <= low
            if min(left.sum(), (~left).sum()) >= min_leaf:
                gain = decrease(name, target, weight, left) * weight.sum() / w.sum()
                if gain > best[0] + 1e-9:
                    best = (gain, j, (low + high) / 2)
    return best


small_tables = st.integers(2, 14).flatmap(
    lambda n: st.tuples(
        st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=n, max_size=n),
        st.lists(st.integers(0, 2), min_size=n, max_size=n),
        st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.7]), min_size=n, max_size=n),
        st.integers(1, 3),
    )
)
CRITERIA = {"gini": DecisionTreeClassifier, "entropy": DecisionTreeClassifier, "squared_error": DecisionTreeRegressor}


@settings(max_examples=60)
@given(small_tables, st.sampled_from(sorted(CRITERIA)), st.booleans())
def test_the_best_split_by_brute_force(table, name, weighted):
    rows, y, w, min_leaf = table
    X, y, w = np.array(rows, dtype=float), np.array(y), np.array(w) if weighted else np.ones(len(y))
    model = CRITERIA[name](criterion=name, max_depth=1, min_samples_leaf=min_leaf).fit(X, y, w)
    gain, feature, threshold = best_numeric_split(name, X, y, w, min_leaf)
    if len(set(y)) == 1 or feature is None or len(y) < 2 * min_leaf:
        assert model.get_n_leaves() == 1
        return
    assert (model.tree_.feature[0], model.tree_.threshold[0]) == (feature, threshold)
    assert decrease(name, y, w, X[:, feature] <= threshold) == pytest.approx(gain, abs=1e-9)


@settings(max_examples=40)
@given(small_tables, st.sampled_from(sorted(CRITERIA)))
def test_the_whole_tree_equals_depth_first_recursion(table, name):
    rows, y, w, min_leaf = table
    X, y, w = np.array(rows, dtype=float), np.array(y), np.array(w)

    def grow(mask):
        gain, j, t = best_numeric_split(name, X[mask], y[mask], w[mask], min_leaf)
        if len(set(y[mask])) == 1 or j is None or mask.sum() < 2 * min_leaf:
            return mask.sum()
        left = mask & (X[:, j] <= t)
        return j, t, grow(left), grow(mask & ~left)

    def read(node):
        if not node.children:
            return node.n_samples
        return node.tree.feature[node.number], node.tree.threshold[node.number], *map(read, node.children)

    model = CRITERIA[name](criterion=name, min_samples_leaf=min_leaf).fit(X, y, w)
    assert read(model.root_) == grow(np.ones(len(y), dtype=bool))


@settings(max_examples=40)
@given(small_tables, st.sampled_from(sorted(CRITERIA)), st.randoms(use_true_random=False))
def test_gains_with_missing_values_are_weighed_by_their_share(table, name, random):
    rows, y, w, _ = table
    X = np.array([[np.nan if random.random() < 0.3 else v for v in row] for row in rows], dtype=float)
    y, w = np.array(y), np.array(w)
    model = CRITERIA[name](criterion=name, max_depth=1).fit(X, y, w)
    gain, feature, threshold = best_numeric_split(name, X, y, w)
    if len(set(y)) == 1 or feature is None:
        assert model.get_n_leaves() == 1
        return
    assert (model.tree_.feature[0], model.tree_.threshold[0]) == (feature, threshold)
    *_, last = model.iter_fit(X, y, w)
    assert max(c.gain for c in last.candidates_) == pytest.approx(gain, abs=1e-9)
    assert model.tree_.weight[1:].sum() == pytest.approx(w.sum())  # nobody is lost


def test_candidates_list_every_feature_with_its_best_gain():
    X, y = problem(60, 4, 3, seed=2)
    X[:, 3] = 1.0
    steps = [copy.copy(m) for m in DecisionTreeClassifier(max_depth=3).iter_fit(X, y)]
    for step in steps[1:]:
        rows = step.decision_path(X)[:, step.split_node_]
        assert [c.feature for c in step.candidates_] == [0, 1, 2]
        for c in step.candidates_:
            column = X[rows][:, [c.feature]].astype(float)
            gain, _, threshold = best_numeric_split("gini", column, y[rows], np.ones(len(column)))
            assert (c.gain, c.threshold) == (pytest.approx(gain, abs=1e-9), threshold)
        [chosen] = [c for c in step.candidates_ if c.chosen]
        assert chosen.gain == pytest.approx(max(c.gain for c in step.candidates_), abs=1e-11)


# ---------------------------------------------------------------------------------------------------------------
# Categories
# ---------------------------------------------------------------------------------------------------------------
def best_subset(name, x, y, w, min_leaf=1):
    values = sorted(set(x))
    best = -math.inf
    for r in range(1, len(values)):
        for subset in itertools.combinations(values, r):
            left = np.isin(x, subset)
            if min(left.sum(), (~left).sum()) >= min_leaf:
                best = max(best, decrease(name, y, w, left))
    return best


def gain_of_root(name, model, y, w, X):
    return decrease(name, y, w, model.apply(X) == 1)


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from("abcdef"), st.integers(0, 3), st.sampled_from([1.0, 2.5])), min_size=2, max_size=18
    ),
    st.sampled_from(sorted(CRITERIA)),
    st.integers(2, 4),
    st.integers(1, 2),
)
def test_the_best_subset_of_categories_by_brute_force(rows, name, n_classes, min_leaf):
    x, y, w = (np.array(column) for column in zip(*rows, strict=True))
    y, X = np.minimum(y, n_classes - 1), x.astype(object)[:, None]
    model = CRITERIA[name](criterion=name, max_depth=1, min_samples_leaf=min_leaf).fit(X, y, w)
    best = best_subset(name, x, y, w, min_leaf)
    if len(set(y)) == 1 or best == -math.inf or len(y) < 2 * min_leaf:
        assert model.get_n_leaves() == 1
    else:
        assert gain_of_root(name, model, y, w, X) == pytest.approx(best, abs=1e-9)
        assert min(x) in model.root_.label  # the first category present goes left


def test_no_order_by_a_class_is_enough_for_six_classes():
    """Data for which the best subset is a prefix of none of the six orders."""
    rng = np.random.default_rng(0)
    x, y = np.array(list("abcdefgh"))[rng.integers(0, 8, size=60)], rng.integers(0, 6, size=60)
    model = DecisionTreeClassifier(max_depth=1).fit(x.astype(object)[:, None], y)
    best = best_subset("gini", x, y, np.ones(60))
    assert gain_of_root("gini", model, y, np.ones(60), x.astype(object)[:, None]) == pytest.approx(best, abs=1e-12)
    prefixes = []
    for k in range(6):
        order = sorted(set(x), key=lambda value, k=k: np.mean(y[x == value] == k))
        prefixes += [decrease("gini", y, np.ones(60), np.isin(x, order[:i])) for i in range(1, 8)]
    assert max(prefixes) < best - 1e-3


@pytest.mark.parametrize("name", ["gini", "entropy", "squared_error"])
def test_ordering_finds_the_best_of_2047_subsets(name):
    """Twelve categories, two classes or a regression: 11 prefixes of one order are enough (Breiman's theorem)."""
    rng = np.random.default_rng(5)
    x = rng.choice(list("abcdefghijkl"), size=80)
    y = rng.integers(0, 2, size=80) if name != "squared_error" else rng.normal(size=80)
    model = CRITERIA[name](criterion=name, max_depth=1).fit(x.astype(object)[:, None], y)
    best = best_subset(name, x, y, np.ones(80))
    assert gain_of_root(name, model, y, np.ones(80), x.astype(object)[:, None]) == pytest.approx(best, abs=1e-10)


def test_many_categories_and_many_classes_are_searched_by_the_orders_of_the_classes():
    rng = np.random.default_rng(6)
    x = rng.choice(list("abcdefghijkl"), size=200)
    y = (np.char.find("abcdefghijkl", x) // 4 + (rng.random(200) < 0.2)) % 3
    X = x.astype(object)[:, None]
    model = DecisionTreeClassifier(max_depth=1).fit(X, y)
    best = best_subset("gini", x, y, np.ones(200))
    found = gain_of_root("gini", model, y, np.ones(200), X)
    assert 0.9 * best <= found <= best + 1e-12
    assert DecisionTreeClassifier().fit(X, y).get_n_leaves() == 12


def test_numbers_and_categories_side_by_side_equal_one_hot_where_each_category_is_pure():
    rng = np.random.default_rng(7)
    colour, size = rng.choice(["red", "green", "blue"], size=90), rng.normal(size=90)
    y = np.where(colour == "red", size > 0, size > 1).astype(int)
    X = np.column_stack([colour.astype(object), size.astype(object)])
    model = DecisionTreeClassifier().fit(X, y)
    assert model.score(X, y) == 1.0 and model.get_n_leaves() <= 4
    assert [known is None for known in model.categories_] == [False, True]
    assert model.categories_[0].tolist() == ["blue", "green", "red"]


def test_an_unseen_category_takes_the_way_of_the_majority():
    X = np.array([["a"]] * 5 + [["b"]] * 2, dtype=object)
    model = DecisionTreeClassifier().fit(X, ["p"] * 5 + ["q"] * 2)
    assert model.predict(np.array([["zebra"], [None]], dtype=object)).tolist() == ["p", "p"]
    model = DecisionTreeClassifier().fit(X, ["p"] * 5 + ["q"] * 2, [1] * 5 + [3] * 2)
    assert model.predict(np.array([["zebra"], [None]], dtype=object)).tolist() == ["q", "q"]


def test_a_category_absent_from_the_node_is_unknown_there():
    X = np.array([["a", 0.0], ["b", 0.0], ["b", 0.0], ["c", 1.0], ["c", 1.0], ["c", 1.0]], dtype=object)
    y = [0, 1, 1, 2, 2, 2]
    model = DecisionTreeClassifier().fit(X[:, ::-1], y)
    assert model.root_.label == "x0 <= 0.5" and model.root_.children[0].label == "x1 in {a}"
    assert model.predict(np.array([[0.0, "c"]], dtype=object)).tolist() == [1]  # two b's against one a
    model.fit(X[:, ::-1], y, [5, 1, 1, 9, 9, 9])
    assert model.root_.label == "x0 <= 0.5" and model.root_.children[0].label == "x1 in {a}"
    assert model.predict(np.array([[0.0, "c"]], dtype=object)).tolist() == [0]  # the a weighs more


# ---------------------------------------------------------------------------------------------------------------
# Surrogates
# ---------------------------------------------------------------------------------------------------------------
def surrogates_by_brute_force(X, primary, threshold, w):
    """[(extra weight over the majority rule, feature)] of the features that imitate a split, best first."""
    known = ~np.isnan(X[:, primary])
    right = X[:, primary] > threshold
    found = []
    for j in set(range(X.shape[1])) - {primary}:
        both = known & ~np.isnan(X[:, j])
        best = -math.inf
        for low, high in itertools.pairwise(np.unique(X[both, j])):
            agree = ((X[:, j] > (low + high) / 2) == right) & both
            best = max(best, w[agree].sum(), w[both & ~agree].sum())
        extra = best - max(w[both & right].sum(), w[both & ~right].sum())
        if extra > 1e-9:
            found.append((extra, j))
    return sorted(found, key=lambda pair: (-round(pair[0], 9), pair[1]))


@settings(max_examples=60)
@given(small_tables, st.booleans(), st.randoms(use_true_random=False))
def test_surrogates_by_brute_force(table, weighted, random):
    rows, y, w, _ = table
    X = np.array([[np.nan if random.random() < 0.2 else v for v in row] for row in rows], dtype=float)
    w = np.array(w) if weighted else np.ones(len(y))
    model = DecisionTreeClassifier(max_depth=1, n_surrogates=3).fit(X, y, w)
    if model.get_n_leaves() == 1:
        return
    tree = model.tree_
    expected = surrogates_by_brute_force(X, tree.feature[0], tree.threshold[0], w)
    assert [j for j in tree.surrogates.feature[0] if j >= 0] == [j for _, j in expected]
    for rank, (_, j) in enumerate(expected):
        both = ~np.isnan(X[:, j]) & ~np.isnan(X[:, tree.feature[0]])
        side = (X[:, j] > tree.surrogates.threshold[0, rank]) ^ tree.surrogates.flipped[0, rank]
        agree = both & (side == (X[:, tree.feature[0]] > tree.threshold[0]))
        assert w[agree].sum() / w[both].sum() == pytest.approx(tree.surrogates.agreement[0, rank])


def test_a_copy_of_the_feature_stands_in_for_it():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    X = np.column_stack([x, -3 * x + 1, rng.normal(size=200)])
    y = (x > 0.3).astype(int)
    plain = DecisionTreeClassifier().fit(X, y)
    model = DecisionTreeClassifier(n_surrogates=2).fit(X, y)
    assert plain.tree_.surrogates is None and model.tree_.surrogates.agreement[0, 0] == 1.0
    assert model.tree_.surrogates.feature[0, 0] == 1 and model.tree_.surrogates.flipped[0, 0]
    hidden = X.copy()
    hidden[:, 0] = np.nan
    assert (model.predict(hidden) == y).all()
    majority = int(y.mean() > 0.5)
    assert (plain.predict(hidden) == majority).all()
    hidden[:, 1] = np.nan
    assert (model.predict(hidden[:, :]) == majority).mean() > 0.9  # noise imitates almost nothing


def test_surrogates_in_training_use_categories_and_numbers():
    rng = np.random.default_rng(1)
    colour = rng.choice(["red", "green", "blue"], size=120)
    warm = (colour == "red").astype(float)
    X = np.column_stack([warm.astype(object), colour.astype(object)])
    X[:30, 0] = None
    y = warm.astype(int)
    X[60:, 1] = None
    model = DecisionTreeClassifier().fit(X, y)
    assert model.tree_.surrogates is not None and model.score(X, y) == 1.0
    assert model.get_n_leaves() == 2 and model.tree_.n_samples[1:].sum() == 120
    assert DecisionTreeClassifier(n_surrogates=0).fit(X, y).get_n_leaves() > 2


def test_missing_values_everywhere():
    X = np.array([[np.nan, 1.0], [np.nan, 2.0], [np.nan, 3.0]])
    assert DecisionTreeClassifier().fit(X, [0, 0, 1]).predict(X).tolist() == [0, 0, 1]  # a column without values
    nothing = DecisionTreeRegressor().fit(np.full((3, 2), np.nan), [1.0, 2.0, 3.0])
    assert nothing.get_n_leaves() == 1 and nothing.predict(np.full((2, 2), np.nan)).tolist() == [2.0, 2.0]
    only_none = np.array([[None, "a"], [None, "b"]], dtype=object)
    assert DecisionTreeClassifier().fit(only_none, [0, 1]).score(only_none, [0, 1]) == 1.0
    rng = np.random.default_rng(0)
    X = np.where(rng.random((300, 5)) < 0.4, np.nan, rng.normal(size=(300, 5)))
    y = np.nansum(X, axis=1)
    for model in (DecisionTreeRegressor(), DecisionTreeRegressor(max_features=2, random_state=0)):
        predicted = model.fit(X, y).predict(X)
        assert np.isfinite(predicted).all() and np.corrcoef(predicted, y)[0, 1] > 0.8
        assert np.array_equal(model.tree_.apply(X), model.apply(X))
        assert model.tree_.weight[model.tree_.is_leaf].sum() == 300


def test_training_rows_stand_where_prediction_sends_them():
    """The leaf that growth puts a row into is the leaf that ``apply`` finds, missing values and all."""
    rng = np.random.default_rng(3)
    X = np.where(rng.random((200, 4)) < 0.25, np.nan, rng.integers(0, 6, size=(200, 4)).astype(float))
    y = rng.integers(0, 3, size=200)
    growth = Growth(Columns(X), GiniCriterion(y, 3), Limits(), n_surrogates=2)
    run(growth.steps())
    tree = growth.tree(("a", "b", "c", "d"), ("0", "1", "2"))
    assert np.array_equal(growth.leaf, tree.apply(X))
    assert np.array_equal(np.bincount(growth.leaf, minlength=tree.n_nodes)[tree.is_leaf], tree.n_samples[tree.is_leaf])


# ---------------------------------------------------------------------------------------------------------------
# Invariants
# ---------------------------------------------------------------------------------------------------------------
grids = np.array(list(itertools.product(np.arange(-0.5, 5, 1.0), repeat=3)))


@settings(max_examples=40)
@given(small_tables, st.sampled_from(sorted(CRITERIA)), st.permutations(range(14)))
def test_row_order_repetition_scale_and_labels_change_nothing(table, name, order):
    rows, y, _, _ = table
    X, y = np.array(rows, dtype=float), np.array(y)
    weight = 1 + np.arange(len(y)) % 3
    model = CRITERIA[name](criterion=name)
    model.fit(X, y, weight)
    expected = model.predict(grids)
    order = [i for i in order if i < len(y)]
    assert np.allclose(clone(model).fit(X[order], y[order], weight[order]).predict(grids), expected)
    assert np.allclose(clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).predict(grids), expected)
    assert np.allclose(clone(model).fit(X, y, weight * 1e-6).predict(grids), expected)
    for scale in (1e-8, 1e8):
        assert np.allclose(clone(model).fit(X * scale, y, weight).predict(grids * scale), expected)
    with_zero = np.concatenate([X, grids[:5]]), np.concatenate([y, [0, 1, 2, 0, 1]])
    assert np.allclose(clone(model).fit(*with_zero, [*weight, 0, 0, 0, 0, 0]).predict(grids), expected)
    if name != "squared_error":
        renamed = clone(model).fit(X, np.array(["p", "q", "r"])[y], weight).predict(grids)
        assert (renamed == np.array(["p", "q", "r"])[expected]).all()


@pytest.mark.parametrize("scale", [1e-90, 1e-8, 1e8, 1e90])
@pytest.mark.parametrize("shift", [0.0, 1.0])
@pytest.mark.parametrize("n", [100, 300])  # by the core, by the engine
def test_a_regression_tree_does_not_depend_on_the_scale_of_y(scale, shift, n):
    X, y = problem(n, 3, seed=4)
    y = y + shift * 1000
    plain, scaled = DecisionTreeRegressor().fit(X, y), DecisionTreeRegressor().fit(X, y * scale)
    assert np.array_equal(plain.tree_.feature, scaled.tree_.feature)
    assert np.allclose(scaled.predict(X) / scale, plain.predict(X))
    assert plain.predict(X) == pytest.approx(y)


def test_nodes_of_very_different_scale_do_not_disturb_each_other():
    """One running sum passes through all nodes of a level: the small ones must keep their digits."""
    rng = np.random.default_rng(2)
    x = np.arange(400.0)
    y = np.where(x < 200, 1e6 * rng.normal(size=400), 1e7 + 1e-4 * rng.normal(size=400))
    ours = DecisionTreeRegressor(max_depth=4).fit(x[:, None], y)
    assert ours.root_.label == "x0 <= 199.5"
    alone = DecisionTreeRegressor(max_depth=3).fit(x[200:, None], y[200:])
    assert np.array_equal(ours.predict(x[200:, None]), alone.predict(x[200:, None]))


@pytest.mark.parametrize("kind", [GiniCriterion, EntropyCriterion])
def test_nodes_of_very_different_weight_share_one_running_sum(kind):
    """Weights that differ by 16 orders of magnitude between the nodes of a level, as boosting makes them."""
    X, y = problem(400, 3, 3, seed=9)
    weight = np.random.default_rng(0).uniform(0.5, 2, size=400)
    light = np.arange(400) >= 200
    level = Level(np.arange(400), np.array([0, 200, 400]))
    table, criterion = Columns(X.astype(float)), kind(y, 3, np.where(light, 1e-16 * weight, weight))
    both = Search(table, level, criterion.describe(level), criterion, 1).gain
    for node, rows in enumerate((~light, light)):
        columns = (X[rows][:, [j]].astype(float) for j in range(3))
        alone = [best_numeric_split(kind.name, column, y[rows], weight[rows])[0] for column in columns]
        assert both[:, node] == pytest.approx(alone, abs=1e-12)


def test_equal_columns_and_equal_gains_choose_the_first_feature_and_the_lowest_threshold():
    x = np.array([0.0, 1, 2, 3])
    X = np.column_stack([x, x, x])
    assert DecisionTreeClassifier(max_depth=1).fit(X, [0, 1, 1, 0]).tree_.threshold[0] == 0.5  # 2.5 is as good
    assert DecisionTreeClassifier(max_depth=1).fit(X, [0, 0, 1, 1]).tree_.feature[0] == 0


def test_rounding_does_not_decide_between_equal_thresholds():
    """In mirrored data the thresholds t and -t gain the same; sums of decimal weights differ in the last digit."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y, weight = rng.integers(0, 2 + seed % 2, size=9), rng.random(9)
        x = np.arange(9) - 8.5
        X = np.concatenate([x, -x[::-1]])[:, None]
        table = X, *(np.concatenate([half, half[::-1]]) for half in (y, weight))
        for model in (DecisionTreeClassifier(max_depth=1), DecisionTreeRegressor(max_depth=1)):
            assert len(set(y)) == 1 or model.fit(*table).tree_.threshold[0] <= 0
            assert len(set(y)) == 1 or model.fit(np.hstack([X, -X]), *table[1:]).tree_.feature[0] == 0


# ---------------------------------------------------------------------------------------------------------------
# Edges
# ---------------------------------------------------------------------------------------------------------------
def test_constant_columns_one_row_one_class_and_equal_rows():
    assert DecisionTreeClassifier().fit([[1.0, 5.0]] * 3, [0, 1, 1]).predict([[9.0, 9.0]]).tolist() == [1]
    assert DecisionTreeClassifier().fit([[3.0]], ["x"]).predict([[0.0]]).tolist() == ["x"]
    one = DecisionTreeClassifier().fit([[0.0], [1.0]], ["x", "x"])
    assert one.get_n_leaves() == 1 and one.predict_proba([[5.0]]).tolist() == [[1.0]]
    assert one.feature_importances_.tolist() == [0.0]
    torn = DecisionTreeClassifier().fit([[0.0], [0.0], [0.0], [1.0]], [0, 1, 1, 0])
    assert torn.predict_proba([[0.0]])[0] == pytest.approx([1 / 3, 2 / 3])
    mean = DecisionTreeRegressor().fit([[0.0], [0.0], [1.0]], [1.0, 2.0, 7.0])
    assert mean.predict([[0.0], [1.0]]).tolist() == [1.5, 7.0]
    constant = DecisionTreeRegressor().fit([[0.0], [1.0]], [0.1 + 0.2, 0.1 + 0.2])
    assert constant.get_n_leaves() == 1 and constant.tree_.impurity[0] == 0


def test_more_features_than_rows_and_every_kind_of_array():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 40)), np.arange(12) % 2
    expected = DecisionTreeClassifier().fit(X, y)
    assert expected.score(X, y) == 1.0
    frozen = X.copy()
    frozen.flags.writeable = False
    for variant in (frozen, np.asfortranarray(X), X.tolist(), X[:, ::1][::1], X.astype(object)):
        fitted = DecisionTreeClassifier().fit(variant, y)
        assert np.array_equal(fitted.tree_.threshold, expected.tree_.threshold, equal_nan=True)
        assert (fitted.predict(variant) == y).all()
    thirds = X.astype(np.float32)
    assert (DecisionTreeClassifier().fit(thirds, y).predict(thirds) == y).all()


def test_neighbouring_floats_can_be_told_apart():
    x = 1.0 + np.array([0, 1, 2, 3]) * np.spacing(1.0)
    model = DecisionTreeClassifier().fit(x[:, None], [0, 1, 0, 1])
    assert model.predict(x[:, None]).tolist() == [0, 1, 0, 1]
    huge = np.array([[-1e100], [1e100]])
    assert DecisionTreeClassifier().fit(huge, [0, 1]).predict(huge).tolist() == [0, 1]


def test_min_impurity_is_that_of_the_node():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 0, 1]
    assert DecisionTreeClassifier(min_impurity=0.374).fit(X, y).get_n_leaves() == 2  # a perfect split is not refused
    assert DecisionTreeClassifier(min_impurity=0.375).fit(X, y).get_n_leaves() == 1
    assert DecisionTreeRegressor(min_impurity=0.2).fit(X, y).get_n_leaves() == 1


def test_max_features_draws_anew_at_every_node_and_is_reproducible():
    X, y = problem(300, 9, 2, seed=1)
    one, two = (DecisionTreeClassifier(max_features="sqrt", random_state=4).fit(X, y) for _ in range(2))
    assert np.array_equal(one.tree_.feature, two.tree_.feature)
    assert len(set(one.tree_.feature[:7])) > 3 and one.score(X, y) == 1.0
    other = DecisionTreeClassifier(max_features="sqrt", random_state=5).fit(X, y)
    assert not np.array_equal(one.tree_.feature, other.tree_.feature)
    step = [copy.copy(m) for m in DecisionTreeClassifier(max_features=3, random_state=0, max_depth=2).iter_fit(X, y)][1]
    assert len(step.candidates_) == 3 and sum(c.chosen for c in step.candidates_) == 1
    chosen = [c for c in step.candidates_ if c.chosen][0]
    assert chosen.gain == max(c.gain for c in step.candidates_)
    gain, _, threshold = best_numeric_split("gini", X[:, [chosen.feature]].astype(float), y, np.ones(300))
    assert (chosen.gain, chosen.threshold) == (pytest.approx(gain), threshold)


@pytest.mark.parametrize("as_objects", [False, True])
def test_drawn_features_that_cannot_split_are_replaced(as_objects):
    """Nine constant columns and a useful one: with one feature drawn, growth must not stop at a constant."""
    rng = np.random.default_rng(0)
    X = np.zeros((80, 10))
    X[:, 7] = rng.normal(size=80)
    y = (X[:, 7] > 0).astype(int)
    if as_objects:
        X = X.astype(object)
        X[:, 0] = "same"
    for seed in range(5):
        model = DecisionTreeClassifier(max_features=1, random_state=seed).fit(X, y)
        assert model.score(X, y) == 1.0 and model.tree_.feature[0] == 7 and model.get_n_leaves() == 2


def test_how_many_features_are_drawn():
    X, y = problem(50, 9, 2)
    for value in (None, "sqrt", "log2", 1, 9, np.int64(3), 0.5, 1.0):
        assert DecisionTreeClassifier(max_features=value, random_state=0).fit(X, y).score(X, y) == 1.0
    for value in (0, 10, -1, 1.5, 0.0, "all", True, [3]):
        with pytest.raises(ValueError, match="max_features"):
            DecisionTreeClassifier(max_features=value).fit(X, y)


def test_training_leaves_the_data_and_the_global_state_alone():
    X, y = make_moons(80, noise=0.3, random_state=0)
    before, weight = X.copy(), np.ones(80)
    state = np.random.get_state()[1].copy()
    DecisionTreeClassifier(max_features=1).fit(X, y, weight).predict(X)
    assert np.array_equal(X, before) and (weight == 1).all()
    assert np.array_equal(np.random.get_state()[1], state)


# ---------------------------------------------------------------------------------------------------------------
# The core, and the engine that takes over on large tables
# ---------------------------------------------------------------------------------------------------------------
def grown(model, largest, *data):
    """The tree of a fit in which the core takes tables of up to ``largest`` numbers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cart, "LARGEST", largest)
        return clone(model).fit(*data).tree_


def assert_equal_trees(one, two):
    for name in ("parent", "depth", "first_child", "n_children", "feature", "default", "n_samples"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
    assert np.array_equal(one.threshold, two.threshold, equal_nan=True)
    for name in ("value", "impurity", "weight", "share"):
        assert getattr(one, name) == pytest.approx(getattr(two, name), rel=1e-9, abs=1e-12), name
    assert (one.counts is None) == (two.counts is None)
    assert one.counts is None or one.counts == pytest.approx(two.counts)


@settings(max_examples=80)
@given(small_tables, st.sampled_from(sorted(CRITERIA)), st.booleans(), st.sampled_from([None, 1, 2]))
def test_the_core_and_the_engine_grow_the_same_tree(table, name, weighted, max_depth):
    """Few values: many ties, duplicate rows, equal columns."""
    rows, y, w, min_leaf = table
    X, y, w = np.array(rows, dtype=float), np.array(y), np.array(w) if weighted else None
    X = np.column_stack([X, X[:, 0]])
    model = CRITERIA[name](criterion=name, min_samples_leaf=min_leaf, max_depth=max_depth, min_impurity=0.1)
    assert_equal_trees(grown(model, 99, X, y, w), grown(model, 0, X, y, w))


@pytest.mark.parametrize("name", sorted(CRITERIA))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [5, 40, 150])
def test_the_core_and_the_engine_on_continuous_columns(name, weighted, n):
    for seed in range(5):
        X, y = problem(n, 4, None if name == "squared_error" else 3, seed=seed)
        w = np.random.default_rng(seed).choice([0.0, 0.3, 1.0, 2.0], size=n) if weighted else None
        model = CRITERIA[name](criterion=name, min_samples_split=4)
        assert_equal_trees(grown(model, 600, 1e3 + X, y, w), grown(model, 0, 1e3 + X, y, w))


# ---------------------------------------------------------------------------------------------------------------
# The parts that forests and boosting build on
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["gini", "entropy", "squared_error"])
@pytest.mark.parametrize("rounding", [None, 0])
def test_trees_on_some_rows_of_a_shared_table(kind, rounding):
    """Columns are sorted once for many trees: the same tree as on the rows alone, with weights for repetitions."""
    X, y = problem(300, 4, 3, seed=6)
    X = X.astype(float) if rounding is None else np.round(X.astype(float), rounding)
    columns, rng = Columns(X), np.random.default_rng(0)
    for _ in range(3):
        weight = np.bincount(rng.integers(0, 300, 300), minlength=300).astype(float)
        rows = np.flatnonzero(weight)
        if kind == "squared_error":
            criterion, alone = SquaredErrorCriterion(y.astype(float), weight), DecisionTreeRegressor(max_depth=6)
        else:
            criterion = (GiniCriterion if kind == "gini" else EntropyCriterion)(y, 3, weight)
            alone = DecisionTreeClassifier(criterion=kind, max_depth=6)
        growth = Growth(columns, criterion, Limits(max_depth=6), rows=rows)
        run(growth.steps())
        tree, alone = growth.tree(), alone.fit(X[rows], y[rows], weight[rows])
        assert np.array_equal(tree.feature, alone.tree_.feature)
        assert np.array_equal(tree.apply(X[rows]), growth.leaf[rows]) and (growth.leaf[weight == 0] == -1).all()
        assert tree.value == pytest.approx(alone.tree_.value)


@pytest.mark.parametrize("name", sorted(CRITERIA))
def test_few_distinct_values_take_the_same_decisions_as_many(name):
    """Columns with few distinct values are summed up by value first; adding a continuous column turns that off."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 4, size=(400, 5)).astype(float)
    y, w = rng.integers(0, 4, size=400), rng.uniform(0.5, 2, size=400)
    coarse = CRITERIA[name](criterion=name, max_depth=5).fit(X, y, w)
    spoiler = np.tile(np.arange(400.0) * 1e-9, (30, 1)).T[rng.permutation(400)]
    assert Columns(X).blocks[0].is_coarse and not Columns(np.hstack([X, spoiler])).blocks[0].is_coarse
    fine = CRITERIA[name](criterion=name, max_depth=5)
    gains = {}
    for model, table in ((coarse, X), (fine, np.hstack([X, spoiler]))):
        *_, = [step for step in (copy.copy(m) for m in clone(model).set_params(max_depth=1).iter_fit(table, y, w))]
        gains[model] = [(c.feature, round(c.gain, 12), c.threshold) for c in _[-1].candidates_ if c.feature < 5]
    assert gains[coarse] == gains[fine]


@pytest.mark.parametrize("name", sorted(CRITERIA))
@pytest.mark.parametrize("drawn", [None, 2])
def test_groups_found_by_counting_are_those_found_by_sorting(name, drawn, monkeypatch):
    """Where cells outnumber the rows by far, the occupied ones are found by sorting: the same tree."""
    rng = np.random.default_rng(2)
    X = np.round(rng.normal(size=(600, 4)), 1)
    y, w = rng.integers(0, 4, size=600), rng.uniform(0.5, 2, size=600)
    assert Columns(X).blocks[0].is_coarse
    trees = []
    for sparse in (0, 10**9):
        monkeypatch.setattr(histograms, "SPARSE", sparse)
        for weight in (None, w):
            model = CRITERIA[name](criterion=name, max_features=drawn, min_samples_leaf=2, random_state=0)
            trees.append(model.fit(X, y, weight).tree_)
    for sorted_, counted in zip(trees[:2], trees[2:], strict=True):
        assert np.array_equal(sorted_.feature, counted.feature)
        assert np.array_equal(sorted_.threshold, counted.threshold, equal_nan=True)


def test_surrogates_of_a_node_as_text():
    """Breiman's irises: petal width, then the sepals, of which a wide one speaks for a short petal."""
    iris = load_iris()
    model = DecisionTreeClassifier(n_surrogates=3).fit(iris.data[:, [2, 0, 1, 3]], iris.target)
    root = model.tree_.named(["petal <= length", "sepal length", "sepal <= width", "petal width"]).root
    assert root.label == "petal <= length <= 2.45"
    short = iris.data[:, 2] <= 2.45
    expected = [("petal width <= 0.8", iris.data[:, 3] <= 0.8), ("sepal length <= 5.45", iris.data[:, 0] <= 5.45),
                ("sepal <= width > 3.35", iris.data[:, 1] > 3.35)]  # fmt: skip
    assert [text for text, _ in root.surrogates] == [text for text, _ in expected]
    for (_, agreement), (_, yes) in zip(root.surrogates, expected, strict=True):
        assert agreement == pytest.approx(np.mean(yes == short))
    assert root.children[0].surrogates == []
    assert DecisionTreeClassifier().fit(iris.data, iris.target).root_.surrogates == []
    melons = load_watermelon2a()
    root = DecisionTreeClassifier().fit(melons.data, melons.target).tree_.named(melons.feature_names).root
    assert root.surrogates[0] == ("umbilicus in {flat, slightly hollow}", pytest.approx(11 / 13))


@pytest.mark.parametrize("kind", [GiniCriterion, EntropyCriterion, SquaredErrorCriterion])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("min_leaf", [1, 20])
def test_gains_of_few_values_in_nodes_of_different_size_by_brute_force(kind, weighted, min_leaf):
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 5, size=(300, 3)).astype(float), rng.integers(0, 4, size=300)
    weight = rng.uniform(0.5, 2, size=300) if weighted else None
    rows = rng.permutation(300)
    level, table = Level(rows, np.array([0, 50, 90, 300])), Columns(X)
    assert table.blocks[0].is_coarse
    criterion = kind(y.astype(float), weight) if kind is SquaredErrorCriterion else kind(y, 4, weight)
    search = Search(table, level, criterion.describe(level), criterion, min_leaf)
    for node, (begin, end) in enumerate(itertools.pairwise(level.starts)):
        own = rows[begin:end]
        w = np.ones(len(own)) if weight is None else weight[own]
        for j in range(3):
            gain, _, threshold = best_numeric_split(kind.name, X[own][:, [j]], y[own], w, min_leaf)
            assert search.gain[j, node] == pytest.approx(gain, abs=1e-12)
            if threshold is not None:
                found, _ = search.questions(np.array([j]), np.array([node]))
                assert found[0] == threshold
