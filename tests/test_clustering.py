"""Clustering against scikit-learn, SciPy, brute force and worked numbers."""

import itertools
import math
import warnings

import hypothesis.extra.numpy as hnp
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import fcluster, leaves_list, linkage
from sklearn.cluster import KMeans as SklearnKMeans
from sklearn.metrics import silhouette_samples

from mlcore.base import ConvergenceWarning
from mlcore.clustering import (
    AgglomerativeClustering,
    DivisiveClustering,
    KMeans,
    compress_image,
    compressed_bits,
    cut,
    elbow,
    silhouette,
)
from mlcore.clustering import divisive as dv
from mlcore.clustering import hierarchical as hc
from mlcore.clustering import kmeans as km
from mlcore.clustering.quality import silhouette_widths
from mlcore.core import clustering as core
from mlcore.datasets import draw_landscape, load_iris, make_blobs
from mlcore.engines import linkage as engine
from mlcore.engines.moving_centers import MovingCenters
from mlcore.engines.pairs import distance_sums, distances
from mlcore.viz import figure, plot_dendrogram

LINKAGES = ("single", "complete", "average", "centroid", "ward")
MODELS = [KMeans(n_clusters=2, random_state=0), AgglomerativeClustering(n_clusters=2), DivisiveClustering(n_clusters=2)]
small_tables = hnp.arrays(
    float, st.tuples(st.integers(3, 25), st.integers(1, 3)), elements=st.integers(-9, 9).map(float)
)


def cloud(n, d=2, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def spread(X, labels):
    """J: brute force."""
    return sum(((X[labels == g] - X[labels == g].mean(axis=0)) ** 2).sum() for g in np.unique(labels))


def best_partition(X, k):
    """The least J of all partitions into at most k groups."""
    return min(spread(X, np.array(labels)) for labels in itertools.product(range(k), repeat=len(X)))


def same_groups(a, b):
    """Whether two labellings make the same groups."""
    pairs = set(zip(np.asarray(a).tolist(), np.asarray(b).tolist(), strict=True))
    return len(pairs) == len(set(np.asarray(a).tolist())) == len(set(np.asarray(b).tolist()))


def tree(X, kind):
    """The linkage matrix."""
    return AgglomerativeClustering(n_clusters=1, linkage=kind).fit(X).linkage_matrix_


def path(model, X):
    """Centres and labels after each step."""
    return [(m.cluster_centers_.copy(), m.labels_.copy()) for m in model.iter_fit(X)]


def until_nothing_changes(X, start, half_steps=core):
    """The states of k-means, the last one twice."""
    states = []
    for state in km.lloyd(X, start, half_steps.assign, half_steps.update):
        states.append(state)
        if len(states) > 1 and np.array_equal(state[1], states[-2][1]):
            return states


# ---------------------------------------------------------------------------------------------------------------
# k-means
# ---------------------------------------------------------------------------------------------------------------
class TestKMeans:
    @pytest.mark.parametrize("n", [60, 21_000])
    @pytest.mark.parametrize("seed", range(4))
    def test_agrees_with_scikit_learn_from_the_same_start(self, n, seed):
        X = cloud(n, 3, seed)
        start = X[:5]
        ours = KMeans(n_clusters=5, init=start, tol=0).fit(X)
        theirs = SklearnKMeans(n_clusters=5, init=start, n_init=1, tol=0).fit(X)
        assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-8, atol=1e-10)
        assert_array_equal(ours.labels_, theirs.labels_)
        assert ours.inertia_ == pytest.approx(theirs.inertia_)
        assert_array_equal(ours.predict(X), ours.labels_)

    def test_tol_ends_where_scikit_learn_ends(self):
        X = cloud(800, 2, 3)
        ours = KMeans(n_clusters=6, init=X[:6], tol=1e-2).fit(X)
        theirs = SklearnKMeans(n_clusters=6, init=X[:6], n_init=1, tol=1e-2, algorithm="lloyd").fit(X)
        assert ours.n_iter_ == theirs.n_iter_ < KMeans(n_clusters=6, init=X[:6], tol=0).fit(X).n_iter_
        assert_allclose(ours.cluster_centers_, theirs.cluster_centers_)

    @settings(max_examples=150, deadline=None)
    @given(small_tables, st.integers(1, 6), st.integers(0, 99))
    def test_neither_half_step_raises_J(self, X, k, seed):
        k = min(k, len(np.unique(X, axis=0)))
        start = np.random.default_rng(seed).normal(scale=6, size=(k, X.shape[1]))
        steps, falls = until_nothing_changes(X, start), []
        for (centers, labels), (moved, relabelled) in itertools.pairwise(steps):
            assert np.bincount(labels, minlength=k).all()
            half_steps = (centers, labels), (km.update(X, labels, k), labels), (moved, relabelled)
            falls += [km.squares(X, c, r).sum() for c, r in half_steps]
        assert (np.diff(falls) <= 1e-9).all()
        centers, labels = steps[-1]
        assert_allclose(centers, km.update(X, labels, k), atol=1e-12)  # a fixed point

    def test_centres_that_stand_still_after_reseeding_are_not_the_end(self):
        X = np.array([[0.0], [-2], [3], [6], [-7], [9], [9], [9]])
        start = np.random.default_rng(14).normal(scale=6, size=(4, 1))
        centers, labels = until_nothing_changes(X, start)[-1]
        assert np.bincount(labels).all()
        assert_allclose(centers, km.update(X, labels, 4), atol=1e-12)

    @pytest.mark.filterwarnings("ignore:KMeans was still moving")
    @settings(max_examples=150, deadline=None)
    @given(small_tables, st.integers(1, 6), st.integers(0, 99), st.integers(1, 4))
    def test_labels_are_the_nearest_centres_in_every_state_and_wherever_it_stops(self, X, k, seed, max_iter):
        k = min(k, len(np.unique(X, axis=0)))
        start = np.random.default_rng(seed).normal(scale=6, size=(k, X.shape[1]))
        J = []
        for model in KMeans(n_clusters=k, init=start, max_iter=max_iter).iter_fit(X):
            gaps = ((X[:, np.newaxis] - model.cluster_centers_) ** 2).sum(axis=2)
            assert_array_equal(model.labels_, model.predict(X))
            assert_allclose(gaps[np.arange(len(X)), model.labels_], gaps.min(axis=1), atol=1e-9)
            J.append(gaps.min(axis=1).sum())
        assert (np.diff(J) <= 1e-9).all()
        assert model.inertia_ == pytest.approx(J[-1], abs=1e-9)

    def test_a_centre_that_moves_to_the_farthest_point_takes_its_neighbours_along(self):
        X = np.array([[1.0], [6], [5], [5], [2]])
        centers, labels = next(km.lloyd(X, np.array([[-3.0], [3], [0]]), km.assign, km.update))
        assert centers.ravel().tolist() == [6, 3, 0] and labels.tolist() == [2, 0, 0, 0, 1]

    @pytest.mark.parametrize("seed", range(3))
    def test_enough_starts_find_the_best_of_all_partitions(self, seed):
        X = cloud(7, 2, seed)
        for k in (1, 2, 3):
            found = KMeans(n_clusters=k, n_init=60, random_state=0).fit(X).inertia_
            assert found == pytest.approx(best_partition(X, k))

    def test_a_fixed_point_need_not_be_the_best(self):
        X = np.array([[0.0], [2.0], [3.05]])
        model = KMeans(n_clusters=2, init=[[1.0], [3.05]], tol=0).fit(X)
        assert (model.inertia_, model.n_iter_) == (pytest.approx(2), 1)
        assert KMeans(n_clusters=2, random_state=0).fit(X).inertia_ == pytest.approx(0.55125)
        w = 3.0  # the corners of a rectangle
        corners = np.array([[0, 0], [0, 1], [w, 0], [w, 1]])
        assert KMeans(n_clusters=2, init=[[w / 2, 0], [w / 2, 1]]).fit(corners).inertia_ == pytest.approx(w**2)
        assert KMeans(n_clusters=2, random_state=0).fit(corners).inertia_ == pytest.approx(1)

    def test_an_empty_group_gets_the_farthest_point(self):
        X = np.array([[0.0], [1], [2], [10]])
        centers, labels = km.reseed(X, np.array([[1.0], [50], [60]]), np.zeros(4, dtype=int))
        assert_array_equal(labels, [2, 0, 0, 1])
        assert_array_equal(centers, [[1], [10], [0]])
        model = KMeans(n_clusters=3, init=[[1.0], [50], [60]]).fit(X)
        assert sorted(np.bincount(model.labels_)) == [1, 1, 2] and model.inertia_ == pytest.approx(0.5)

    def test_a_lone_point_is_not_taken_from_its_group(self):
        X = np.array([[0.0], [1], [10]])
        _, labels = km.reseed(X, np.array([[0.5], [30], [99]]), np.array([0, 0, 1]))
        assert_array_equal(np.bincount(labels), [1, 1, 1])

    def test_the_mean_of_J_with_a_random_point_as_only_centre_is_twice_the_least(self):
        X = cloud(30, 3, 5)
        each = [((X - x) ** 2).sum() for x in X]
        assert np.mean(each) == pytest.approx(2 * spread(X, np.zeros(30)))

    def test_J_from_pairs(self):
        X = cloud(12, 3)
        pairs = ((X[:, None] - X) ** 2).sum() / 2
        assert KMeans(n_clusters=1).fit(X).inertia_ == pytest.approx(pairs / 12)

    def test_seeding_enumerated(self):
        X = np.array([[0.0], [1], [2], [10], [11], [13]])
        J = np.array([[np.minimum((X - a) ** 2, (X - b) ** 2).sum() for b in X] for a in X])
        gaps = (X - X.T) ** 2
        best = best_partition(X, 2)
        plus = (gaps / gaps.sum(axis=1, keepdims=True) * J).sum() / 6
        even = J[~np.eye(6, dtype=bool)].mean()
        assert plus / best == pytest.approx(2.8007, abs=5e-5)
        assert even / best == pytest.approx(17.78, abs=5e-3)
        assert plus / best <= 8 * (math.log(2) + 2)
        rng, drawn = np.random.default_rng(0), np.zeros((6, 6))
        for _ in range(6000):
            drawn[tuple(km.plus_plus(X, 2, rng))] += 1
        assert_allclose(drawn / 6000, gaps / gaps.sum(axis=1, keepdims=True) / 6, atol=0.02)

    def test_draw_takes_each_point_for_its_share_of_the_unit_interval(self):
        gaps = np.array([0.0, 3.0, 0.0, 1.0])
        assert [km.draw(gaps, u) for u in (0.0, 0.2, 0.74, 0.75, 0.999)] == [1, 1, 1, 3, 3]

    @pytest.mark.parametrize("init", ["random", "k-means++"])
    def test_starts_are_distinct_points_even_among_many_duplicates(self, init):
        X = np.repeat([[0.0], [1.0], [5.0]], (100, 1, 1), axis=0)
        for seed in range(20):
            model = KMeans(n_clusters=3, init=init, n_init=1, random_state=seed).fit(X)
            assert model.inertia_ < 1e-25 and sorted(model.cluster_centers_.ravel().round(12)) == [0, 1, 5]

    @pytest.mark.parametrize("n", [40, 20_001])
    def test_predict_gives_the_labels_of_the_fit_even_in_ties(self, n):
        X = np.repeat(np.arange(n)[:, np.newaxis], 3, axis=1) * 0.1 + 7
        for k in range(2, 9):
            model = KMeans(n_clusters=k, init=X[:k], tol=0).fit(X)
            assert_array_equal(model.predict(X), model.labels_)

    def test_more_starts_are_never_worse_and_one_seed_gives_one_result(self):
        X = make_blobs(150, centers=9, random_state=1)[0]
        J = [KMeans(n_clusters=9, n_init=n, init="random", random_state=3).fit(X).inertia_ for n in (1, 5, 20)]
        assert J == sorted(J, reverse=True) and J[0] > J[2]
        again = KMeans(n_clusters=9, n_init=20, init="random", random_state=3).fit(X)
        assert again.inertia_ == J[2]

    @pytest.mark.parametrize("scale", [1e-160, 1e-8, 1.0, 1e8, 1e90])
    @pytest.mark.parametrize("offset", [0.0, 1e6])
    def test_unit_and_origin_do_not_matter(self, scale, offset):
        X = np.round(cloud(200, 2, 1) * 64) / 64
        base = KMeans(n_clusters=4, init=X[:4]).fit(X)
        moved = KMeans(n_clusters=4, init=(X[:4] + offset) * scale).fit((X + offset) * scale)
        assert_array_equal(moved.labels_, base.labels_)
        assert_allclose(moved.cluster_centers_ / scale, base.cluster_centers_ + offset, rtol=1e-9, atol=1e-9)
        assert_array_equal(moved.predict((X + offset) * scale), base.labels_)

    def test_distinct_points_are_enough_however_near_and_however_few(self):
        X = np.array([[0.0], [1e-160], [1.0]])
        with pytest.raises(ValueError, match="n_clusters=3 .* 2 differ"):
            KMeans(n_clusters=3).fit(X)  # their distance has a square of 0
        assert KMeans(n_clusters=2, random_state=0).fit(X).inertia_ == 0
        close = np.array([[1.0], [1 + 1e-13], [2.0], [3.0]])
        assert np.unique(KMeans(n_clusters=4, random_state=0).fit(close).labels_).size == 4

    def test_iter_fit_ends_with_the_best_start(self):
        X = cloud(40, 2, 2)
        model = KMeans(n_clusters=4, n_init=5, init="random", random_state=1)
        steps = path(model, X)
        ends = [km.squares(X, c, r).sum() for c, r in steps]
        assert ends[-1] == pytest.approx(min(ends)) == pytest.approx(model.inertia_)

    def test_says_when_it_did_not_arrive(self):
        X = cloud(500, 2, 0)
        with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
            KMeans(n_clusters=8, max_iter=1, n_init=1, random_state=0).fit(X)

    @pytest.mark.parametrize("k, outside", [(1, 0), (2, 0), (7, 0), (300, 0), (4, 1)])
    def test_the_engine_gives_the_labels_of_the_core(self, k, outside):
        X = np.round(cloud(3000, 4, k) * 64) / 256  # with ties
        start = X[:k] + (np.arange(k) < outside)[:, np.newaxis] * 90  # a group without points
        slow, fast = (until_nothing_changes(X, start, steps) for steps in (core, MovingCenters()))
        assert len(slow) == len(fast)
        for (a, labels), (b, others) in zip(slow, fast, strict=True):
            assert_allclose(a, b, rtol=1e-9, atol=1e-12)
            assert_array_equal(labels, others)

    def test_many_points_go_through_the_engine(self):
        X = cloud(km.MANY, 2, 4)
        start = np.vstack([X[:3], [[90.0, 90.0]]])
        ours = KMeans(n_clusters=4, init=start, tol=0).fit(X)
        assert np.bincount(ours.labels_).min() > 100
        assert ours.inertia_ == pytest.approx(spread(X, ours.labels_))
        assert_array_equal(ours.predict(X), ours.labels_)


# ---------------------------------------------------------------------------------------------------------------
# Hierarchical
# ---------------------------------------------------------------------------------------------------------------
def by_definition(X, a, b, kind):
    """The distance of two groups of points."""
    d = np.sqrt(((X[a][:, None] - X[b]) ** 2).sum(axis=2))
    gap = np.linalg.norm(X[a].mean(axis=0) - X[b].mean(axis=0))
    return {
        "single": d.min(), "complete": d.max(), "average": d.mean(), "centroid": gap,
        "ward": math.sqrt(2 * len(a) * len(b) / (len(a) + len(b))) * gap,
    }[kind]


class TestAgglomerative:
    @pytest.mark.parametrize("kind", LINKAGES)
    @pytest.mark.parametrize("n, d", [(2, 1), (3, 2), (40, 2), (150, 5), (310, 5)])
    def test_the_matrix_is_scipys(self, kind, n, d):
        X = cloud(n, d, n)
        model = AgglomerativeClustering(n_clusters=2, linkage=kind).fit(X)
        expected = linkage(X, kind)
        assert_allclose(model.linkage_matrix_, expected, rtol=1e-9)
        assert_array_equal(model.leaves_, leaves_list(model.linkage_matrix_))
        for k in range(1, min(n, 8)):
            labels = AgglomerativeClustering(n_clusters=k, linkage=kind).fit(X).labels_
            assert len(np.unique(labels)) == k
            if kind != "centroid":  # with inversions SciPy cuts at heights
                assert same_groups(labels, fcluster(expected, k, "maxclust"))

    @pytest.mark.parametrize("kind", LINKAGES)
    def test_the_formula_gives_the_distance_of_the_definition(self, kind):
        X, (a, b, c) = cloud(14, 3, 8), np.split(np.arange(14), [3, 8])
        power = 2 if kind in hc.SQUARED else 1
        d_ac, d_bc, d_ab = (by_definition(X, p, q, kind) ** power for p, q in ((a, c), (b, c), (a, b)))
        got = hc.LINKAGES[kind](d_ac, d_bc, d_ab, 3, 5, 6)
        assert got == pytest.approx(by_definition(X, np.concatenate([a, b]), c, kind) ** power)

    @settings(max_examples=80, deadline=None)
    @given(small_tables, st.sampled_from(["single", "complete", "average", "ward"]))
    def test_heights_never_fall_and_each_is_the_distance_of_what_it_joins(self, X, kind):
        Z = tree(X, kind)
        assert (np.diff(Z[:, 2]) >= -1e-9).all()
        groups = [np.array([i]) for i in range(len(X))]
        for a, b, height, size in Z:
            joined = np.concatenate([groups[int(a)], groups[int(b)]])
            assert height == pytest.approx(by_definition(X, groups[int(a)], groups[int(b)], kind), abs=1e-7)
            assert len(joined) == size
            groups.append(joined)

    def test_wards_heights_tell_the_rise_of_J(self):
        X = cloud(20, 2, 6)
        Z = tree(X, "ward")
        J = [spread(X, hc.groups_after(Z, m)) for m in range(20)]
        assert_allclose(np.sqrt(2 * np.diff(J)), Z[:, 2])

    def test_centroid_inverts(self):
        X = [[0, 0], [1, 0], [0.5, 0.9]]
        Z = tree(X, "centroid")
        assert_allclose(Z[:, 2], [1, 0.9])
        Z = tree([[0, 0], [2, 0], [1, 1.75]], "centroid")
        assert_allclose(Z[:, 2], [2, 1.75])

    def test_ties_hang_on_the_order_of_the_rows_for_complete_linkage_only(self):
        def heights(order, kind):
            return tuple(tree(np.array(order)[:, None], kind)[:, 2])

        orders = list(itertools.permutations([0.0, 1, 2, 3]))
        found = {tuple(np.round(heights(order, "complete"), 9)) for order in orders}
        assert found == {(1, 1, 3), (1, 2, 3)}
        assert {tuple(np.round(heights(order, "single"), 9)) for order in orders} == {(1, 1, 1)}

    @pytest.mark.parametrize("kind", LINKAGES)
    def test_the_engine_finds_the_nearest_pair_and_searches_few_rows_again(self, kind, monkeypatch):
        searched, original = [0], engine._nearest_pair

        def counting(D, partner, gaps):
            before = partner.copy()
            pair = original(D, partner, gaps)
            searched[0] += np.sum(partner != before)
            assert D[pair] == D[hc.nearest_pair(D)]
            return pair

        monkeypatch.setattr(engine, "_nearest_pair", counting)
        grid = np.stack(np.meshgrid(np.arange(20.0), np.arange(9.0)), axis=-1).reshape(-1, 2)
        for X in (cloud(180), grid, 2.0 ** np.arange(90)[:, None], np.repeat(cloud(18), 10, axis=0)):
            searched[0] = 0
            joined = list(engine.quick_merges(distances(X, kind in hc.SQUARED), hc.LINKAGES[kind]))
            assert len(joined) == len(X) - 1 and searched[0] <= 2 * len(X)

    @pytest.mark.parametrize("kind", LINKAGES)
    def test_the_engine_merges_as_the_core(self, kind):
        D, rule = distances(cloud(120, 3, 1), kind in hc.SQUARED), hc.LINKAGES[kind]
        slow, fast = list(hc.merges(D.copy(), rule)), list(engine.quick_merges(D, rule))
        assert_allclose([height for *_, height in fast], [height for *_, height in slow], rtol=1e-9)
        assert [{*pair} for *pair, _ in fast][:9] == [{*pair} for *pair, _ in slow][:9]

    @pytest.mark.parametrize("d", [1, 2, 5])
    @pytest.mark.parametrize("ties", [False, True])
    def test_the_spanning_tree_is_single_linkage(self, d, ties):
        X = np.random.default_rng(d).integers(9, size=(520, d)) / 8 if ties else cloud(520, d, d)
        Z, by_rows = tree(X, "single"), list(hc.merges(distances(X), hc.single))
        assert len(X) >= hc.MANY
        assert_allclose(Z[:, 2], [height for _, _, height in by_rows], rtol=1e-14)
        if not ties:
            assert [{i, j} for i, j, _ in engine.single_merges(X)][0] == set(by_rows[0][:2])
        assert_allclose(Z[:, 2], linkage(X, "single")[:, 2], rtol=1e-12)
        for height in np.unique(Z[:, 2])[::7] * (1 + 1e-9):  # not at a merge itself: SciPy may round it up
            assert same_groups(cut(Z, height), fcluster(linkage(X, "single"), height, "distance"))

    @pytest.mark.parametrize("n, d", [(1, 1), (2, 3), (700, 4)])
    def test_distances_of_pairs(self, n, d):
        X = cloud(n, d, 3)
        squares = ((X[:, None] - X) ** 2).sum(axis=2)
        squares[np.diag_indices(n)] = np.inf
        assert_allclose(distances(X, squared=True), squares, rtol=1e-14)
        assert_allclose(distances(X), np.sqrt(squares), rtol=1e-14)

    def test_cut(self):
        X = cloud(30, 2, 7)
        for kind in ("single", "complete", "average", "ward"):
            Z = tree(X, kind)
            for height in (0.0, 0.3, 1.0, 99.0):
                assert same_groups(cut(Z, height), fcluster(Z, height, "distance"))
        inverted = tree([[0, 0], [2, 0], [1, 1.75]], "centroid")
        assert cut(inverted, 1.9).tolist() == [0, 1, 2] and cut(inverted, 2.0).tolist() == [0, 0, 0]
        twice = [[0, 1, 1.0, 2], [0, 2, 1.0, 3]]
        early = [[0, 4, 1.0, 2], [1, 2, 1.0, 2], [3, 5, 1.0, 4]]
        for wrong in ([[0, 1, 2]], [[0, 5, 1.0, 2]], [[-1, 1, 1.0, 2]], [[0, 0.5, 1.0, 2]], twice, early):
            with pytest.raises(ValueError, match="linkage_matrix"):
                cut(wrong, 1.0)
        assert cut(AgglomerativeClustering(n_clusters=1).fit([[3.0]]).linkage_matrix_, 1.0).tolist() == [0]

    @pytest.mark.parametrize("scale", [1e-150, 1e-8, 1e8, 1e90])
    @pytest.mark.parametrize("kind", LINKAGES)
    def test_unit_does_not_matter(self, kind, scale):
        X = cloud(25, 2, 9)
        one, other = (AgglomerativeClustering(n_clusters=3, linkage=kind).fit(X * s) for s in (1.0, scale))
        assert_allclose(other.linkage_matrix_[:, 2] / scale, one.linkage_matrix_[:, 2])
        assert_array_equal(other.labels_, one.labels_)

    def test_one_point_and_iter_fit(self):
        model = AgglomerativeClustering(n_clusters=1).fit([[3.0]])
        assert model.linkage_matrix_.shape == (0, 4) and model.labels_.tolist() == model.leaves_.tolist() == [0]
        lengths = [len(m.linkage_matrix_) for m in AgglomerativeClustering(n_clusters=1).iter_fit(cloud(5))]
        assert lengths == [0, 1, 2, 3, 4]

    def test_the_picture(self):
        X = cloud(8, 2, 1)
        model = AgglomerativeClustering(n_clusters=3).fit(X)
        fig, ax = figure()
        plot_dendrogram(ax, model.linkage_matrix_, model.leaves_, cut=1.0, colors=model.labels_)
        brackets = ax.collections[0].get_segments()
        assert [bracket[1][1] for bracket in brackets] == pytest.approx(model.linkage_matrix_[:, 2].tolist())
        assert [text.get_text() for text in ax.get_xticklabels()] == [str(i) for i in model.leaves_]
        below = [{i} for i in range(8)]
        for a, b in model.linkage_matrix_[:, :2].astype(int):
            below.append(below[a] | below[b])
            places = [i in below[-1] for i in model.leaves_]
            assert sum(places) == np.ptp(np.flatnonzero(places)) + 1  # side by side: no branches cross


class TestDivisive:
    @settings(max_examples=60, deadline=None)
    @given(small_tables, st.integers(1, 6))
    def test_diameters_never_rise_and_bound_the_groups(self, X, k):
        k = min(k, len(np.unique(X, axis=0)))
        model = DivisiveClustering(n_clusters=k).fit(X)
        assert len(np.unique(model.labels_)) == k and len(model.diameters_) == k - 1
        assert (np.diff(model.diameters_) <= 1e-12).all()
        D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
        wide = max(D[np.ix_(model.labels_ == g, model.labels_ == g)].max() for g in range(k))
        assert k == 1 or wide <= model.diameters_[-1] + 1e-12

    @pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e90])
    def test_unit_does_not_matter(self, scale):
        X = cloud(30, 2, 5)
        one, other = (DivisiveClustering(n_clusters=6).fit(Y) for Y in (X, X * scale))
        assert_array_equal(other.labels_, one.labels_)
        assert_allclose(other.diameters_ / scale, one.diameters_)
        with pytest.raises(ValueError, match="2 differ"):
            DivisiveClustering(n_clusters=3).fit([[0.0], [1e-160], [1.0]])  # their distance has a square of 0

    def test_worked(self):
        X = np.array([[0.0], [1], [2], [10], [11], [20]])
        assert DivisiveClustering(n_clusters=2).fit(X).labels_.tolist() == [0, 0, 0, 0, 1, 1]  # 10: a tie
        model = DivisiveClustering(n_clusters=4).fit(X)
        assert model.labels_.tolist() == [0, 0, 0, 1, 2, 3] and model.diameters_.tolist() == [20, 10, 9]
        D = np.abs(X - X.T)
        assert dv.farthest_pair(D, np.array([1, 3, 4])) == (1, 4, 10)
        assert [half.tolist() for half in dv.divide(D, np.array([1, 3, 4]), 1, 4)] == [[1], [3, 4]]


# ---------------------------------------------------------------------------------------------------------------
# How many, pictures, the door
# ---------------------------------------------------------------------------------------------------------------
class TestQuality:
    def test_worked(self):
        s = silhouette([[0.0], [1], [4], [10]], [0, 0, 0, 1])
        assert_allclose(s, [0.75, 0.77777778, 0.41666667, 0])

    @pytest.mark.parametrize("n, k", [(30, 2), (200, 5), (1700, 3)])
    def test_agrees_with_scikit_learn(self, n, k):
        X, labels = cloud(n, 3, k), np.random.default_rng(k).integers(k, size=n)
        names = np.array(["a", "b", "c", "d", "e"])[labels]
        assert_allclose(silhouette(X, names), silhouette_samples(X, labels), atol=1e-10)

    @pytest.mark.parametrize("scale", [1e-170, 1.0, 1e99])
    def test_near_points_far_from_the_origin_keep_their_digits(self, scale):
        rng = np.random.default_rng(0)
        near = 1e-7 * rng.integers(9, size=(600, 2))  # many equal ones
        for X in (near + 1, np.vstack([near, near + 1]), np.vstack([near[:20], rng.normal(size=(600, 2))])):
            labels = rng.integers(3, size=len(X))
            D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
            members = np.eye(3)[labels]
            assert_allclose(distance_sums(X, members), D @ members, rtol=1e-9)
            expected = silhouette_samples(D, labels, metric="precomputed")
            assert_allclose(silhouette(X * scale, labels), expected, rtol=1e-7, atol=1e-8)

    def test_equal_points_in_different_clusters(self):
        assert silhouette(np.zeros((4, 1)), [0, 0, 1, 1]).tolist() == [0, 0, 0, 0]
        assert silhouette_widths(np.zeros((2, 2)), np.array([1.0, 1.0]), np.array([0, 1])).tolist() == [0, 0]

    def test_elbow(self):
        X = cloud(40, 2, 3)
        J = elbow(X, range(1, 6), n_init=20, random_state=0)
        assert (np.diff(J) < 0).all() and J[0] == pytest.approx(spread(X, np.zeros(40)))
        assert_allclose(J, elbow(X, [1, 2, 3, 4, 5], n_init=20, random_state=0))

    def test_single_runs_can_rise_and_optima_cannot(self):
        X = cloud(6, 1, 4)
        best = [best_partition(X, k) for k in (1, 2, 3)]
        assert (np.diff(best) <= 0).all()
        X = np.array([[0.0, 0], [0, 1], [10, 0], [10, 1], [100, 0], [100, 3]])
        bad = KMeans(n_clusters=4, init=[[5, 0], [5, 1], X[4], X[5]]).fit(X).inertia_
        assert bad == pytest.approx(100) and KMeans(n_clusters=3, random_state=0).fit(X).inertia_ == pytest.approx(5.5)

    def test_refuses(self):
        for labels, words in (([0, 0, 0], "two or more"), ([0, 1], "inconsistent")):
            with pytest.raises(ValueError, match=words):
                silhouette(cloud(3), labels)
        with pytest.raises(ValueError, match="k must"):
            elbow(cloud(9), [0, 1])


class TestPictures:
    def test_bits_of_the_notes(self):
        assert [compressed_bits(43200, k) for k in (2, 3, 10)] == [43248, 86472, 173040]
        assert compressed_bits(43200, 1) == 24

    def test_few_colours(self):
        picture = draw_landscape(40, 60)
        for k in (1, 2, 6):
            small = compress_image(picture, k, random_state=0)
            assert small.shape == picture.shape and small.dtype == np.uint8
            assert len(np.unique(small.reshape(-1, 3), axis=0)) == k
        assert_array_equal(compress_image(picture, 1)[0, 0], np.round(picture.reshape(-1, 3).mean(axis=0)))
        two = np.array([[[0, 0, 0], [200, 100, 7]]] * 3)
        assert_array_equal(compress_image(two, 2), two)

    def test_floats_and_grey(self):
        picture = draw_landscape(20, 30)
        as_floats = compress_image(picture / 255, 4, random_state=0)
        assert_allclose(255 * as_floats, compress_image(picture, 4, random_state=0), atol=0.51)
        grey = picture.mean(axis=2) / 255
        assert len(np.unique(compress_image(grey, 3, random_state=0))) == 3
        for form in (bool, np.int8, np.float32, np.uint16):
            small = compress_image(np.eye(4, dtype=form), 2, random_state=0)
            assert small.dtype == form and (small == np.eye(4)).all()

    @pytest.mark.parametrize(
        "picture, k, words",
        [
            (np.zeros((4, 4, 4)), 1, "shape"), (np.zeros(5), 1, "shape"), (np.full((3, 3, 3), 300), 1, "0 to 255"),
            (np.full((3, 3), 1.5), 1, "0 to 1"), (np.zeros((3, 3)), 2, "1 differs"), (np.zeros((3, 3)), 0, "n_colors"),
            (np.full((3, 3), np.nan), 1, "NaN"),
        ],
    )
    def test_refuses(self, picture, k, words):
        with pytest.raises(ValueError, match=words):
            compress_image(picture, k)

    def test_the_picture_is_the_same_every_time(self):
        picture = draw_landscape()
        assert picture.shape == (96, 144, 3) and picture.dtype == np.uint8
        assert_array_equal(picture, draw_landscape(96, 144))
        with pytest.raises(ValueError, match="height"):
            draw_landscape(3, 50)


class TestTheDoor:
    @pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
    def test_forms_of_input(self, model):
        X = np.round(make_blobs(30, centers=2, random_state=0)[0], 3)
        expected = model.fit(X).labels_.copy()
        frozen = X.copy()
        frozen.flags.writeable = False
        for form in (X.tolist(), np.asfortranarray(X), frozen, pd.DataFrame(X), X.astype(np.float32)):
            assert_array_equal(model.fit(form).labels_, expected)
        assert_array_equal(frozen, X)

    @pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
    def test_refuses_more_clusters_than_points(self, model):
        with pytest.raises(ValueError, match=r"n_clusters=2 .* 3 rows .* 1 differs: ask for at most 1"):
            model.fit(np.ones((3, 2)))
        assert set(type(model)(n_clusters=1).fit(np.ones((3, 2))).labels_) == {0}

    def test_given_centres(self):
        for init, words in ((np.zeros((3, 2)), "2 centres"), ([[np.nan, 0], [0, 0]], "NaN")):
            with pytest.raises(ValueError, match=words):
                KMeans(n_clusters=2, init=init).fit(cloud(6))


@pytest.mark.parametrize("kind", LINKAGES)
def test_irises(kind):
    X = np.unique(load_iris().data, axis=0)
    ours = AgglomerativeClustering(n_clusters=3, linkage=kind).fit(X).linkage_matrix_
    assert ours[:, 2].max() == pytest.approx(linkage(X, kind)[:, 2].max(), rel=0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AgglomerativeClustering(n_clusters=3, linkage=kind).fit(np.repeat(X, 2, axis=0))
