"""Chapter 15: pruning, against brute force over all pruned trees and against scikit-learn."""

import copy
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier as SklearnClassifier
from sklearn.tree import DecisionTreeRegressor as SklearnRegressor

from mlcore.base import NotFittedError
from mlcore.datasets import load_watermelon2, load_watermelon2a, make_moons
from mlcore.decision_trees import (
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    cost_complexity_path,
    cost_complexity_prune,
    entropy,
    export_text,
    gini,
    iter_cost_complexity_path,
    iter_cost_complexity_prune,
    iter_prepruned,
    iter_reduced_error_prune,
    prepruned,
    pruning,
    reduced_error_prune,
)


def pruned_trees(node):
    """All ways to prune a tree, each as the set of its leaves' numbers."""
    yield frozenset([node.number])
    if node.children:
        for parts in itertools.product(*(list(pruned_trees(child)) for child in node.children)):
            yield frozenset().union(*parts)


def leaves_of(pruned, original, X):
    """The numbers, in the original tree, of the nodes that are leaves in a pruned copy (found by their paths)."""
    pairs, found = [(pruned.root_, original.root_)], set()
    while pairs:
        mine, theirs = pairs.pop()
        assert mine.n_samples == theirs.n_samples
        if mine.children:
            assert mine.label == theirs.label
            pairs += zip(mine.children, theirs.children, strict=True)
        else:
            found.add(theirs.number)
    return frozenset(found)


def labels_at(model, X, y):
    path = model.decision_path(X)
    return {node: y[path[:, node]] for node in range(model.tree_.n_nodes)}


KINDS = [DecisionTreeClassifier, DecisionTreeRegressor, ID3Classifier]
small = st.tuples(st.integers(0, 10**6), st.sampled_from(KINDS))


def small_model(seed, kind):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, size=(14, 3)).astype(float), rng.integers(0, 3, size=14)
    return (kind() if kind is ID3Classifier else kind(max_depth=3)).fit(X, y), X, y


# ---------------------------------------------------------------------------------------------------------------
# Cost complexity
# ---------------------------------------------------------------------------------------------------------------
COSTS = {
    "entropy": lambda y: len(y) * entropy(y),
    "gini": lambda y: len(y) * gini(y),
    "error": lambda y: len(y) - np.unique(y, return_counts=True)[1].max(),
    "squared_error": lambda y: float(np.sum((y - np.mean(y)) ** 2)),
}


@settings(max_examples=40)
@given(small, st.sampled_from([0.0, 0.3, 0.7, 1.0, 1.5, 2.6, 8.0]), st.sampled_from(["entropy", "error", "gini"]))
def test_no_pruned_tree_is_cheaper_and_none_as_cheap_is_smaller(problem, alpha, criterion):
    model, X, y = small_model(*problem)
    criterion = "squared_error" if isinstance(model, DecisionTreeRegressor) else criterion
    at = labels_at(model, X, y)
    price = {
        leaves: sum(COSTS[criterion](at[t]) for t in leaves if len(at[t])) + alpha * len(leaves)
        for leaves in itertools.islice(pruned_trees(model.root_), 20000)
    }
    pruned = cost_complexity_prune(model, alpha, criterion)
    chosen, best = leaves_of(pruned, model, X), min(price.values())
    assert price[chosen] == pytest.approx(best, abs=1e-9)
    assert len(chosen) == min(len(leaves) for leaves, cost in price.items() if cost < best + 1e-9)


@settings(max_examples=40)
@given(small)
def test_the_path_is_nested_and_each_tree_is_optimal_between_its_prices(problem):
    model, X, y = small_model(*problem)
    path = cost_complexity_path(model)
    assert path.ccp_alphas[0] == 0 and (np.diff(path.ccp_alphas) > 0).all()
    assert (np.diff(path.n_leaves) < 0).all() and path.n_leaves[-1] == 1 and (np.diff(path.impurities) > 0).all()
    tree = model.tree_
    cost = tree.weight / tree.weight[0] * tree.impurity
    everything = list(itertools.islice(pruned_trees(model.root_), 20000))
    steps = [(alpha, leaves_of(pruned, model, X)) for alpha, pruned in iter_cost_complexity_path(model)]
    assert [alpha for alpha, _ in steps] == path.ccp_alphas.tolist()
    for (_, leaves), impurity, n_leaves in zip(steps, path.impurities, path.n_leaves, strict=True):
        assert (sum(cost[list(leaves)]), len(leaves)) == (pytest.approx(impurity, abs=1e-12), n_leaves)
    ends = [*path.ccp_alphas[1:], 2 * path.ccp_alphas[-1] + 1]
    for (low, leaves), high in zip(steps, ends, strict=True):
        middle = (low + high) / 2
        best = min(sum(cost[list(some)]) + middle * len(some) for some in everything)
        assert sum(cost[list(leaves)]) + middle * len(leaves) == pytest.approx(best, abs=1e-12)
    for (_, larger), (_, smaller) in itertools.pairwise(steps):
        inside = {above for leaf in larger for above in _ancestors(tree, leaf)}
        assert smaller <= inside


def _ancestors(tree, node):
    while node >= 0:
        yield node
        node = int(tree.parent[node])


def weakest_links_by_the_book(model):
    """Breiman's loop: compute g(t) of all inner nodes, cut the smallest, repeat. Returns (alpha, impurity, leaves)."""
    tree = model.tree_
    cost, cut = tree.weight / tree.weight[0] * tree.impurity, set()

    def leaves(t):
        if tree.n_children[t] == 0 or t in cut:
            return [t]
        return [leaf for c in range(tree.n_children[t]) for leaf in leaves(tree.first_child[t] + c)]

    def inner(t):
        if tree.n_children[t] == 0 or t in cut:
            return []
        return [t, *(s for c in range(tree.n_children[t]) for s in inner(tree.first_child[t] + c))]

    steps = [(0.0, cost[leaves(0)].sum(), len(leaves(0)))]
    while inner(0):
        g = {t: (cost[t] - cost[leaves(t)].sum()) / (len(leaves(t)) - 1) for t in inner(0)}
        weakest = min(g.values())
        cut |= {t for t, value in g.items() if value <= weakest + 1e-14}
        steps.append((max(weakest, 0.0), cost[leaves(0)].sum(), len(leaves(0))))
    return steps


@pytest.mark.parametrize(
    "model", [DecisionTreeClassifier(), DecisionTreeClassifier(criterion="entropy"), C45Classifier()]
)
def test_the_path_is_that_of_the_weakest_link_loop(model):
    X, y = make_moons(90, noise=0.4, random_state=3)
    weight = np.random.default_rng(0).uniform(0.5, 1.5, size=90)  # no two links equally weak
    model = copy.copy(model).fit(X, y, weight)
    path, expected = cost_complexity_path(model), weakest_links_by_the_book(model)
    assert len(expected) > 8
    assert path.ccp_alphas == pytest.approx([alpha for alpha, _, _ in expected], abs=1e-12)
    assert path.impurities == pytest.approx([impurity for _, impurity, _ in expected], abs=1e-12)
    assert path.n_leaves.tolist() == [n for _, _, n in expected]


@settings(max_examples=40)
@given(small)
def test_cutting_link_after_link_gives_the_path_that_the_engine_finds_in_one_pass(problem):
    """Small whole numbers, so that many links are equally weak."""
    model, _, _ = small_model(*problem)
    paths = []
    for most_leaves in (0, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pruning, "MOST_LEAVES", most_leaves)
            paths.append((cost_complexity_path(model), [export_text(m) for _, m in iter_cost_complexity_path(model)]))
    (engine, engine_trees), (core, core_trees) = paths
    assert core.ccp_alphas == pytest.approx(engine.ccp_alphas, abs=1e-12) and core_trees == engine_trees
    assert core.impurities == pytest.approx(engine.impurities, abs=1e-12)
    assert core.n_leaves.tolist() == engine.n_leaves.tolist()


@settings(max_examples=40)
@given(small)
def test_pruning_at_a_price_gives_the_tree_of_the_path(problem):
    model, _, _ = small_model(*problem)
    path = list(iter_cost_complexity_path(model))
    alphas = [alpha for alpha, _ in path]
    for alpha, next_alpha, (_, pruned) in zip(alphas, [*alphas[1:], 2 * alphas[-1] + 1], path, strict=True):
        between = pruning.cut_at_price(model.tree_, (alpha + next_alpha) / 2)
        assert export_text(between) == export_text(pruned.tree_)


@pytest.mark.parametrize("kind", ["classifier", "regressor"])
def test_the_path_is_scikit_learns(kind):
    rng = np.random.default_rng(4)
    X, weight = rng.normal(size=(300, 3)).astype(np.float32), rng.uniform(0.5, 2, size=300)
    y = X[:, 0] + np.sin(2 * X[:, 1]) + rng.normal(size=300)
    ours, theirs = DecisionTreeRegressor(min_samples_leaf=5), SklearnRegressor(min_samples_leaf=5, random_state=0)
    if kind == "classifier":
        y = (y > 0).astype(int) + (y > 1)
        ours, theirs = DecisionTreeClassifier(min_samples_leaf=5), SklearnClassifier(min_samples_leaf=5, random_state=0)
    path, expected = cost_complexity_path(ours.fit(X, y, weight)), theirs.cost_complexity_pruning_path(X, y, weight)
    assert len(path.ccp_alphas) > 15
    assert path.ccp_alphas == pytest.approx(expected.ccp_alphas, abs=1e-10)
    assert path.impurities == pytest.approx(expected.impurities, abs=1e-10)


def test_the_two_scales_of_alpha_differ_by_the_number_of_samples():
    X, y = make_moons(150, noise=0.35, random_state=0)
    full = DecisionTreeClassifier(criterion="entropy").fit(X, y)
    sizes = set()
    for ccp_alpha in (0.002, 0.015, 0.025, 1.0):
        shared = DecisionTreeClassifier(criterion="entropy", ccp_alpha=ccp_alpha).fit(X, y)
        counted = cost_complexity_prune(full, 150 * ccp_alpha)
        assert export_text(shared) == export_text(counted)
        sizes.add(shared.get_n_leaves())
    assert len(sizes) == 4 and min(sizes) == 1
    for alpha in cost_complexity_path(full).ccp_alphas[1:]:  # at the very price the link is cut
        assert DecisionTreeClassifier(criterion="entropy", ccp_alpha=alpha).fit(X, y).get_n_leaves() in (
            cost_complexity_path(full).n_leaves
        )


def test_alpha_zero_removes_only_splits_that_gain_nothing():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float), np.array([0, 1, 1, 0])
    xor = DecisionTreeClassifier().fit(X, y)
    assert cost_complexity_prune(xor, 0.0).get_n_leaves() == 4  # the root gains nothing alone, but the tree does
    wasted = DecisionTreeClassifier().fit([[0.0], [1.0], [1.0]], [0, 0, 1])
    assert cost_complexity_prune(wasted, 0.0, "error").get_n_leaves() == 1 < wasted.get_n_leaves()
    assert cost_complexity_prune(wasted, 0.0, "entropy").get_n_leaves() == 2


def test_huge_prices_leave_the_root_and_bad_ones_are_refused():
    model, _, _ = small_model(1, DecisionTreeClassifier)
    assert cost_complexity_prune(model, 1e9).get_n_leaves() == 1
    assert cost_complexity_prune(model.tree_, 1e9).n_leaves == 1
    for call, message in (
        (lambda: cost_complexity_prune(model, -1.0), "alpha"),
        (lambda: cost_complexity_prune(model, math.nan), "alpha"),
        (lambda: cost_complexity_prune(model, 1.0, "squared_error"), "criterion"),
        (lambda: cost_complexity_prune(small_model(1, DecisionTreeRegressor)[0], 1.0, "entropy"), "squared_error"),
        (lambda: next(iter_cost_complexity_prune(model, -1.0)), "alpha"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(NotFittedError):
        cost_complexity_path(DecisionTreeClassifier())
    stump = cost_complexity_path(DecisionTreeClassifier(max_depth=0).fit([[0.0], [1.0]], [0, 1]))
    assert (stump.ccp_alphas.tolist(), stump.n_leaves.tolist()) == ([0.0], [1])


# ---------------------------------------------------------------------------------------------------------------
# Validation sets
# ---------------------------------------------------------------------------------------------------------------
def validation_error(model, X, y):
    predicted = model.predict(X)
    return np.sum((predicted - y) ** 2) if isinstance(model, DecisionTreeRegressor) else np.sum(predicted != y)


@settings(max_examples=40)
@given(small, st.integers(0, 1000))
def test_reduced_error_pruning_finds_the_smallest_tree_of_least_validation_error(problem, seed):
    model, X, _ = small_model(*problem)
    rng = np.random.default_rng(seed)
    X_val, y_val = rng.integers(0, 3, size=(9, 3)).astype(float), rng.integers(0, 3, size=9)
    path = model.decision_path(X_val)
    value = model.tree_.value
    own = value if value.ndim == 1 else model.classes_[value.argmax(axis=1)]
    wrong = (own[None] - y_val[:, None]) ** 2 if value.ndim == 1 else own[None] != y_val[:, None]
    stays = np.argmax(np.where(path, model.tree_.depth, -1), axis=1)  # ID3 may stop above a leaf
    price = {}
    for leaves in itertools.islice(pruned_trees(model.root_), 20000):
        total = 0
        for row in range(9):
            inside = [t for t in leaves if path[row, t]]
            total += wrong[row, inside[0] if inside else stays[row]]
        price[leaves] = total
    pruned = reduced_error_prune(model, X_val, y_val)
    assert validation_error(pruned, X_val, y_val) == pytest.approx(price[leaves_of(pruned, model, X)])
    if model.tree_.unknown != "stop" or not (path[:, ~model.tree_.is_leaf].sum(1) > model.tree_.depth[stays]).any():
        best = min(price.values())
        assert price[leaves_of(pruned, model, X)] == pytest.approx(best, abs=1e-9)
        assert pruned.get_n_leaves() == min(len(k) for k, v in price.items() if v < best + 1e-9)


@settings(max_examples=40)
@given(small, st.integers(0, 1000))
def test_prepruning_by_its_definition(problem, seed):
    """From the root down: split only where the children's training majorities are right about more validation rows."""
    model, X, _ = small_model(*problem)
    rng = np.random.default_rng(seed)
    X_val, y_val = rng.integers(0, 3, size=(9, 3)).astype(float), rng.integers(0, 3, size=9)
    path = model.decision_path(X_val)
    value = model.tree_.value

    def error(node):
        rows = path[:, node.number]
        guess = value[node.number] if value.ndim == 1 else model.classes_[value[node.number].argmax()]
        return np.sum((y_val[rows] - guess) ** 2) if value.ndim == 1 else np.sum(y_val[rows] != guess)

    def grown(node):
        if node.children and sum(map(error, node.children)) < error(node) - 1e-12:
            return frozenset().union(*map(grown, node.children))
        return frozenset([node.number])

    assert leaves_of(prepruned(model, X_val, y_val), model, X) == grown(model.root_)


BOOK_TRAINING = np.array([1, 2, 3, 6, 7, 10, 14, 15, 16, 17]) - 1
BOOK_VALIDATION = np.array([4, 5, 8, 9, 11, 12, 13]) - 1


def test_the_pruning_example_of_the_watermelon_book():
    """Zhou, section 4.3: 42.9 % unpruned, 71.4 % with pre-pruning (a stump) and with post-pruning.

    Colour and umbilicus have equal gains at the root, and two nodes hold as many good melons as bad ones. The book
    takes the umbilicus and calls these nodes good; so the umbilicus and the good class (0) come first here.
    """
    melons = load_watermelon2()
    first = [4, 0, 1, 2, 3, 5]
    X, y = melons.data[:, first], 1 - melons.target
    train, validation = (X[BOOK_TRAINING], y[BOOK_TRAINING]), (X[BOOK_VALIDATION], y[BOOK_VALIDATION])
    full = ID3Classifier().fit(*train)
    assert full.score(*train) == 1.0 and full.score(*validation) == pytest.approx(3 / 7)
    early = prepruned(full, *validation)
    assert early.score(*validation) == pytest.approx(5 / 7)
    assert early.get_depth() == 1 and [(c.edge, c.label) for c in early.root_.children] == [
        ("flat", "1"), ("hollow", "0"), ("slightly hollow", "0"),
    ]  # fmt: skip
    late = reduced_error_prune(full, *validation)
    assert late.score(*validation) == pytest.approx(5 / 7)
    decisions = [(step.cost_as_leaf, step.cost_of_subtree, step.pruned) for step in iter_prepruned(full, *validation)]
    assert decisions[0] == (4.0, 2.0, False)  # 42.9 % before, 71.4 % after
    assert all(pruned for _, _, pruned in decisions[1:])


def test_a_row_that_is_shared_out_counts_in_fractions():
    """Of the melons with gaps, two do not know the texture: each is wrong by its share in each branch."""
    melons = load_watermelon2a()
    model = C45Classifier(max_depth=1).fit(melons.data, melons.target)
    [step] = iter_reduced_error_prune(model, melons.data, 1 - melons.target)
    tree = model.tree_
    leaf_counts = tree.counts[1:]
    assert step.cost_of_subtree == pytest.approx(leaf_counts.max(axis=1).sum())  # all that the majority was right about
    assert step.cost_as_leaf == pytest.approx(9) and not np.allclose(leaf_counts, np.round(leaf_counts))


def test_nodes_predict_by_the_training_majority_not_by_that_of_the_validation_rows():
    x = np.array([[0.0], [0.0], [1.0], [1.0]])
    model = DecisionTreeClassifier().fit(x, [0, 0, 1, 1])
    # with the branches relabelled by the validation rows, this split would look perfect
    assert prepruned(model, x, [1, 1, 0, 0]).get_n_leaves() == 1
    assert prepruned(model, x, [0, 0, 1, 1]).get_n_leaves() == 2


def test_pruning_helps_on_noisy_data_and_handles_c45_fractions():
    X, y = make_moons(400, noise=0.4, random_state=5)
    for model in (DecisionTreeClassifier(), C45Classifier()):
        full = model.fit(X[:200], y[:200])
        pruned = reduced_error_prune(full, X[200:300], y[200:300])
        assert pruned.score(X[300:], y[300:]) > full.score(X[300:], y[300:])
        assert pruned.get_n_leaves() < full.get_n_leaves() / 2
    data = load_watermelon2a()
    full = C45Classifier().fit(data.data, data.target)
    pruned = reduced_error_prune(full, data.data, 1 - data.target)
    assert pruned.get_n_leaves() == 1
    kept = reduced_error_prune(full, data.data, data.target)
    assert kept.score(data.data, data.target) == 1.0


def test_unknown_labels_and_wrong_sizes_in_the_validation_set():
    model = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    assert reduced_error_prune(model, [[0.0]], [7]).get_n_leaves() == 1  # wrong either way: the smaller tree
    with pytest.raises(ValueError, match="y_val"):
        prepruned(model, [[0.0], [1.0]], [0])
    with pytest.raises(ValueError, match="2 features"):
        reduced_error_prune(model, [[0.0, 1.0]], [0])
    with pytest.raises(NotFittedError):
        prepruned(DecisionTreeClassifier(), [[0.0]], [0])


# ---------------------------------------------------------------------------------------------------------------
# Step by step, and without touching the original
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", [ID3Classifier, C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor])
def test_the_steps_end_where_the_function_ends_and_the_original_stays(kind):
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 4, size=(80, 3)).astype(float), rng.integers(0, 3, size=80)
    X_val, y_val = rng.integers(0, 4, size=(40, 3)).astype(float), rng.integers(0, 3, size=40)
    model = kind().fit(X, y)
    before = {name: np.copy(value) for name, value in vars(model.tree_).items() if isinstance(value, np.ndarray)}
    for steps, whole in (
        (iter_cost_complexity_prune(model, 2.0), cost_complexity_prune(model, 2.0)),
        (iter_reduced_error_prune(model, X_val, y_val), reduced_error_prune(model, X_val, y_val)),
        (iter_prepruned(model, X_val, y_val), prepruned(model, X_val, y_val)),
    ):
        steps = list(steps)
        assert export_text(steps[-1].model) == export_text(whole)
        assert whole is not model and whole.get_params() == model.get_params()
        assert (whole.predict(X_val) == steps[-1].model.predict(X_val)).all()
        for step in steps:
            node = step.model.tree_.node(step.node)
            assert node.is_leaf == step.pruned and step.model.tree_.n_nodes <= model.tree_.n_nodes
            if step.pruned:
                assert step.cost_as_leaf <= step.cost_of_subtree + 1e-9
        assert len(steps) == len({id(step.model) for step in steps})
    for name, value in before.items():
        assert np.array_equal(getattr(model.tree_, name), value, equal_nan=value.dtype.kind == "f")


def test_bottom_up_means_deepest_first_and_shrinks_step_by_step():
    X, y = make_moons(100, noise=0.4, random_state=1)
    model = DecisionTreeClassifier().fit(X, y)
    steps = list(iter_cost_complexity_prune(model, 3.0, "error"))
    sizes = [model.get_n_leaves(), *(step.model.get_n_leaves() for step in steps)]
    assert all(later <= earlier for earlier, later in itertools.pairwise(sizes)) and sizes[-1] < sizes[0]
    assert len(steps) == np.count_nonzero(~model.tree_.is_leaf)
    depths = [step.model.tree_.depth[step.node] for step in steps]
    assert depths == sorted(depths, reverse=True)
    assert [step.model.get_n_leaves() < before for step, before in zip(steps, sizes, strict=False)] == [
        step.pruned for step in steps
    ]


def test_a_pruned_tree_can_be_pruned_again_copied_and_grown_anew():
    X, y = make_moons(100, noise=0.4, random_state=1)
    model = DecisionTreeClassifier(n_surrogates=1).fit(X, y)
    pruned = cost_complexity_prune(cost_complexity_prune(model, 1.0), 4.0)
    assert export_text(pruned) == export_text(cost_complexity_prune(model, 4.0))
    hidden = np.column_stack([np.full(100, np.nan), X[:, 1]])
    assert len(set(pruned.predict(hidden))) == 2  # surrogates survive pruning
    assert pruned.tree_.surrogates.feature.shape[0] == pruned.tree_.n_nodes
    assert copy.deepcopy(pruned).fit(X, y).get_n_leaves() == model.get_n_leaves()
    assert pruned.feature_importances_.sum() == pytest.approx(1)
