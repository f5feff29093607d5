"""Chapter 14 against scikit-learn, SciPy, brute force and integrals."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn import neighbors as theirs
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mlcore import distances, nearest_neighbors
from mlcore.datasets import load_iris, load_wine
from mlcore.distances import check_metric, euclidean, k_smallest, neighbors
from mlcore.nearest_neighbors import KernelDensity, KNeighborsClassifier, KNeighborsRegressor, knn_density

rng = np.random.default_rng(0)
X, Q = rng.normal(size=(120, 3)), rng.normal(size=(40, 3))
CODES = rng.integers(3, size=120)
TARGETS = X[:, 0] ** 2 + 0.1 * rng.normal(size=120)

CONFORMANCE_INSTANCES = {
    "KNeighborsClassifier": [
        KNeighborsClassifier(), KNeighborsClassifier(n_neighbors=1, metric="manhattan", weights="distance"),
    ],
    "KNeighborsRegressor": [KNeighborsRegressor(), KNeighborsRegressor(metric="chebyshev", weights="distance")],
    "KernelDensity": [KernelDensity(), KernelDensity(kernel="uniform")],
}  # fmt: skip


def by_brute_force(X, Z, k, distance):
    """Distances and places of the k nearest, one pair at a time: by distance, then by row."""
    D = np.array([[distance(x, z) for z in Z] for x in X])
    places = np.array([sorted(range(len(Z)), key=lambda j, row=row: (row[j], j))[:k] for row in D])
    return np.take_along_axis(D, places, axis=1), places


# ---------------------------------------------------------------------------------------------------------------
# The search
# ---------------------------------------------------------------------------------------------------------------
class TestSearch:
    """``neighbors``: the k nearest, without the matrix of all distances."""

    @pytest.mark.parametrize("k", [1, 3, 13])
    def test_k_smallest_by_brute_force(self, k):
        D = rng.integers(0, 5, (30, 13)).astype(float)
        assert_array_equal(k_smallest(D, k), np.argsort(D, axis=1, kind="stable")[:, :k])

    @pytest.mark.parametrize("kind", ["plain", "grid", "far away", "an outlier", "twins", "tiny", "huge", "one column"])
    @pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
    def test_the_quick_way_finds_exactly_what_the_plain_way_finds(self, kind, metric):
        for seed in range(4):
            rng = np.random.default_rng(seed)
            d = 1 if kind == "one column" else 4
            X, Z = rng.normal(size=(25, d)), rng.normal(size=(300 + 97 * seed, d))
            if kind == "grid":
                X, Z = np.round(X), np.round(Z)
            elif kind == "far away":
                X, Z = 1e6 + 1e-3 * X, 1e6 + 1e-3 * Z
            elif kind == "an outlier":
                X[0], Z[0] = -1e8, 1e9
            elif kind == "twins":
                Z = Z[rng.integers(20, size=len(Z))]
                X = Z[rng.integers(len(Z), size=25)]
            elif kind in ("tiny", "huge"):
                X, Z = X * {"tiny": 1e-100, "huge": 1e99}[kind], Z * {"tiny": 1e-100, "huge": 1e99}[kind]
            k = 1 + 2 * seed
            assert distances._groups(len(Z), k) > 0, "that is not the quick way"
            found, places = neighbors(X, Z, k, check_metric(metric))
            D = getattr(distances, metric)(X, Z)
            assert_array_equal(places, k_smallest(D, k))
            assert_array_equal(found, np.take_along_axis(D, places, axis=1))

    def test_two_far_clusters_one_of_them_tight(self):
        Z = np.vstack([1e5 + 1e-4 * rng.normal(size=(300, 2)), rng.normal(size=(300, 2))])
        assert_array_equal(neighbors(Z, Z, 4)[1], k_smallest(euclidean(Z), 4))

    def test_blocks_make_no_difference(self, monkeypatch):
        Z = rng.normal(size=(600, 3))
        whole = neighbors(Z, Z, 3, itself=True)
        monkeypatch.setattr(distances, "_SEARCH", 5000)
        for a, b in zip(neighbors(Z, Z, 3, itself=True), whole, strict=True):
            assert_array_equal(a, b)

    @pytest.mark.parametrize("m", [60, 700])
    def test_itself_leaves_only_the_row_itself_out(self, m):
        Z = rng.integers(0, 4, (m, 2)).astype(float)
        D = euclidean(Z)
        np.fill_diagonal(D, np.inf)
        assert_array_equal(neighbors(Z, Z, 5, itself=True)[1], np.argsort(D, axis=1, kind="stable")[:, :5])

    def test_memory_is_bounded(self):
        """4,000 x 4,000 distances would be 128 megabytes; blocks of 2²⁰ take 8 each, beside copies of the tables."""
        Z = rng.normal(size=(4000, 5))
        for table, most in ((Z, 40e6), (np.ones((1500, 2)), 120e6)):
            tracemalloc.start()
            neighbors(table, table, 5)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < most

    @pytest.mark.slow
    def test_memory_is_bounded_for_twenty_thousand(self):
        Z = rng.normal(size=(20_000, 10))
        tracemalloc.start()
        neighbors(Z, Z, 5)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 40e6

    @given(st.integers(0, 10**6), st.integers(1, 8))
    @settings(max_examples=30, deadline=None)
    def test_order_of_rows_changes_no_distance(self, seed, k):
        rng = np.random.default_rng(seed)
        Z, order = rng.integers(0, 4, (300, 2)).astype(float), rng.permutation(300)
        found = neighbors(Z[:20], Z, k)[0]
        assert (np.diff(found, axis=1) >= 0).all()
        assert_array_equal(found, neighbors(Z[:20], Z[order], k)[0])


# ---------------------------------------------------------------------------------------------------------------
# Neighbours that vote, and neighbours that are averaged
# ---------------------------------------------------------------------------------------------------------------
METRICS = {
    "euclidean": ({}, {}),
    "manhattan": ({}, {}),
    "chebyshev": ({}, {}),
    "minkowski": ({"p": 3}, {"p": 3}),
    "mahalanobis": ({"cov": np.cov(X.T)}, {"metric_params": {"VI": np.linalg.inv(np.cov(X.T))}}),
}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("weights", ["uniform", "distance"])
class TestAgainstScikitLearn:
    def test_classifier(self, metric, weights):
        own, foreign = METRICS[metric]
        a = KNeighborsClassifier(n_neighbors=4, metric=metric, weights=weights, **own).fit(X, CODES)
        b = theirs.KNeighborsClassifier(4, metric=metric, weights=weights, algorithm="brute", **foreign).fit(X, CODES)
        assert_allclose(a.predict_proba(Q), b.predict_proba(Q), atol=1e-9)
        assert_array_equal(a.predict(Q), b.predict(Q))
        assert_array_equal(a.kneighbors(Q)[1], b.kneighbors(Q)[1])
        assert_allclose(a.kneighbors()[0], b.kneighbors()[0], atol=1e-7)

    def test_regressor(self, metric, weights):
        own, foreign = METRICS[metric]
        a = KNeighborsRegressor(n_neighbors=6, metric=metric, weights=weights, **own).fit(X, TARGETS)
        b = theirs.KNeighborsRegressor(6, metric=metric, weights=weights, algorithm="brute", **foreign).fit(X, TARGETS)
        assert_allclose(a.predict(Q), b.predict(Q), rtol=1e-9)


def test_hamming_and_a_metric_of_ones_own():
    table, y = rng.integers(0, 3, (50, 6)), rng.integers(2, size=50)
    model = KNeighborsClassifier(n_neighbors=3, metric="hamming").fit(table, y)
    found, places = model.kneighbors(table[:10])
    D = (table[:10, None] != table).mean(axis=2)
    assert_array_equal(places, np.argsort(D, axis=1, kind="stable")[:, :3])
    assert_allclose(found, np.sort(D, axis=1)[:, :3])
    own = KNeighborsClassifier(n_neighbors=3, metric=lambda A, B: distances.minkowski(A, B, 1)).fit(X, CODES)
    assert_array_equal(own.predict(Q), KNeighborsClassifier(n_neighbors=3, metric="manhattan").fit(X, CODES).predict(Q))


def test_mahalanobis_estimates_the_covariance_and_has_no_unit():
    A, shift = rng.normal(size=(3, 3)), np.array([1e6, -1e7, 3.0])
    plain = KNeighborsClassifier(metric="mahalanobis").fit(X, CODES)
    mixed = KNeighborsClassifier(metric="mahalanobis").fit(X @ A + shift, CODES)
    assert_allclose(mixed.kneighbors(Q @ A + shift)[0], plain.kneighbors(Q)[0], rtol=1e-6)
    assert_allclose(plain.kneighbors(Q)[0][:, 0], distances.mahalanobis(Q, X, np.cov(X.T)).min(axis=1))


def test_whitened_data_have_the_covariance_of_a_round_cloud():
    L = distances.root_of_covariance(X @ rng.normal(size=(3, 3)))
    assert_allclose(np.linalg.norm(distances.whitened(L.T, L), axis=1), 1.0)
    stretched = X @ np.array([[3.0, 1, 0], [0, 1, 0], [0, 0.2, 5]])
    white = distances.whitened(stretched, distances.root_of_covariance(stretched))
    assert_allclose(np.cov(white.T), np.eye(3), atol=1e-9)
    assert_array_equal(distances.whitened(stretched[:1], L), distances.whitened(stretched, L)[:1])  # to the last digit


class TestTies:
    """By distance, then by row; the first class."""

    def test_the_first_row_is_nearer(self):
        model = KNeighborsClassifier(n_neighbors=1).fit([[-1.0], [1.0], [1.0]], ["b", "a", "c"])
        assert model.predict([[0.0]]) == ["b"] and model.kneighbors([[1.0]])[1] == [[1]]

    def test_the_first_class_wins(self):
        model = KNeighborsClassifier(n_neighbors=2).fit([[1.0], [-1.0]], ["b", "a"])
        assert model.predict([[0.1]]) == ["a"]
        assert_allclose(model.predict_proba([[0.1]]), [[0.5, 0.5]])

    def test_all_rows_equal(self):
        model = KNeighborsClassifier(n_neighbors=3).fit(np.ones((400, 2)), np.arange(400) % 4)
        assert_array_equal(model.kneighbors(np.ones((2, 2)))[1], [[0, 1, 2]] * 2)

    @pytest.mark.parametrize("metric", ["euclidean", "manhattan", "mahalanobis"])
    def test_a_query_on_training_points_asks_only_these(self, metric):
        table = np.vstack([[[0.0, 0.0]] * 3, X[:20, :2]])
        y = np.array([0, 1, 1, *np.repeat(2, 20)])
        model = KNeighborsClassifier(n_neighbors=7, metric=metric, weights="distance").fit(table, y)
        assert_allclose(model.predict_proba([[0.0, 0.0]]), [[1 / 3, 2 / 3, 0]])
        number = KNeighborsRegressor(n_neighbors=7, metric=metric, weights="distance").fit(table, y)
        assert_allclose(number.predict([[0.0, 0.0]]), [2 / 3])

    def test_far_from_the_origin_too(self):
        """Where scikit-learn's distance of a row from itself comes out as 1e-2 or so."""
        table = 1e7 + X
        model = KNeighborsClassifier(n_neighbors=3, weights="distance").fit(table, CODES)
        assert_array_equal(model.predict_proba(table), np.eye(3)[CODES])

    def test_the_tiniest_distance_gives_no_infinite_weight(self):
        model = KNeighborsRegressor(n_neighbors=2, metric="manhattan", weights="distance")
        model.fit([[0.0], [1.0]], [3.0, 5.0])
        assert_allclose(model.predict([[5e-320]]), [3.0])


@given(st.integers(0, 10**6), st.sampled_from(["uniform", "distance"]))
@settings(max_examples=30, deadline=None)
def test_shares_of_votes(seed, weights):
    rng = np.random.default_rng(seed)
    table, y = rng.integers(0, 3, (25, 2)).astype(float), rng.choice(["x", "y", "z"], size=25)
    model = KNeighborsClassifier(n_neighbors=int(rng.integers(1, 26)), weights=weights).fit(table, y)
    shares = model.predict_proba(rng.integers(0, 3, (10, 2)) + 0.5 * rng.integers(0, 2))
    assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares >= 0).all()


@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_names_of_classes_and_units_of_all_features_together_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    table, y = rng.normal(size=(40, 3)), rng.integers(3, size=40)
    names = np.array(["one", "three", "two"])  # in the same order
    plain = KNeighborsClassifier().fit(table, y).predict(table + 0.1)
    assert_array_equal(KNeighborsClassifier().fit(1e-8 * table, names[y]).predict(1e-8 * (table + 0.1)), names[plain])


def test_by_brute_force_with_all_there_is():
    found, places = KNeighborsClassifier(n_neighbors=120).fit(X, CODES).kneighbors(Q)
    expected = by_brute_force(Q, X, 120, lambda x, z: np.linalg.norm(x - z))
    assert_array_equal(places, expected[1])
    assert_allclose(found, expected[0])
    shares = KNeighborsClassifier(n_neighbors=120).fit(X, CODES).predict_proba(Q)
    assert_allclose(shares, [np.bincount(CODES) / 120] * 40)


def test_iris_and_wine():
    iris, wine = load_iris(), load_wine()
    assert cross_val_score(KNeighborsClassifier(), iris.data, iris.target, cv=5).mean() > 0.95
    errors = [
        int(np.sum(wine.target[model.kneighbors()[1][:, 0]] != wine.target))
        for model in (
            KNeighborsClassifier(n_neighbors=1).fit(wine.data, wine.target),
            KNeighborsClassifier(n_neighbors=1).fit(wine.data / wine.data.std(axis=0), wine.target),
            KNeighborsClassifier(n_neighbors=1, metric="mahalanobis").fit(wine.data, wine.target),
        )
    ]
    assert errors == [41, 8, 14]
    assert make_pipeline(StandardScaler(), KNeighborsClassifier()).fit(wine.data, wine.target).score(
        wine.data, wine.target
    ) > 0.95


@pytest.mark.parametrize("make", [
    lambda A: A.astype(np.float32), np.asfortranarray, lambda A: A.tolist(), lambda A: np.repeat(A, 2, axis=0)[::2],
])  # fmt: skip
def test_forms_of_input(make):
    rounded = X.astype(np.float32).astype(float)
    given, plain = make(rounded), KNeighborsClassifier().fit(rounded, CODES)
    assert_array_equal(KNeighborsClassifier().fit(given, CODES).predict(Q), plain.predict(Q))
    assert_allclose(
        KernelDensity().fit(given).score_samples(Q), KernelDensity().fit(rounded).score_samples(Q), rtol=1e-12
    )


def test_input_is_neither_changed_nor_kept():
    table, y = X.copy(), TARGETS.copy()
    models = [KNeighborsRegressor().fit(table, y), KernelDensity().fit(table)]
    before = models[0].predict(Q), models[1].score_samples(Q)
    table[:], y[:] = 0.0, 0.0
    assert_array_equal(models[0].predict(Q), before[0])
    assert_array_equal(models[1].score_samples(Q), before[1])
    frozen = X.copy()
    frozen.setflags(write=False)
    KNeighborsClassifier(metric="mahalanobis").fit(frozen, CODES).predict(frozen)


def test_data_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    model = KNeighborsClassifier().fit(frame, CODES)
    assert_array_equal(model.predict(frame), KNeighborsClassifier().fit(X, CODES).predict(X))
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "z"}))


def test_one_row():
    assert KNeighborsClassifier(n_neighbors=1).fit([[1.0]], ["only"]).predict([[5.0]]) == ["only"]
    assert_allclose(KNeighborsRegressor(n_neighbors=1).fit([[1.0]], [7.0]).predict([[5.0]]), [7.0])
    with pytest.raises(ValueError, match="no neighbour but itself"):
        KNeighborsClassifier(n_neighbors=1).fit([[1.0]], ["only"]).kneighbors()


# ---------------------------------------------------------------------------------------------------------------
# Densities
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("d", [1, 2, 5, 40])
def test_kernel_density_against_scikit_learn(d):
    samples, points = rng.normal(size=(70, d)), np.vstack([rng.normal(size=(15, d)), np.full((1, d), 50.0)])
    for ours, other in (("gaussian", "gaussian"), ("uniform", "tophat")):
        for h in (0.3, 2.0, 8.0):
            a = KernelDensity(bandwidth=h, kernel=ours).fit(samples)
            b = theirs.KernelDensity(bandwidth=h, kernel=other).fit(samples)
            assert_allclose(a.score_samples(points), b.score_samples(points), rtol=1e-8)
    model = KernelDensity().fit(samples)
    assert model.score(samples) == pytest.approx(model.score_samples(samples).sum())


def test_the_width_has_another_name_in_scipy():
    values = rng.normal(size=30)
    h = 0.4
    other = stats.gaussian_kde(values, bw_method=h / values.std(ddof=1)).logpdf(Q[:, 0])
    assert_allclose(KernelDensity(bandwidth=h).fit(values[:, None]).score_samples(Q[:, :1]), other)


@given(st.integers(0, 10**6), st.floats(0.1, 3), st.sampled_from(["gaussian", "uniform"]))
@settings(max_examples=20, deadline=None)
def test_a_kernel_estimate_has_area_1_its_mean_and_more_variance(seed, h, kernel):
    values = np.random.default_rng(seed).normal(size=12) * 2
    grid = np.linspace(values.min() - 10 * h, values.max() + 10 * h, 40_001)
    p = np.exp(KernelDensity(bandwidth=h, kernel=kernel).fit(values[:, None]).score_samples(grid[:, None]))
    step = grid[1] - grid[0]
    more = h**2 if kernel == "gaussian" else h**2 / 3
    assert p.sum() * step == pytest.approx(1.0, abs=2e-3)
    assert (p @ grid) * step == pytest.approx(values.mean(), abs=5e-3)
    assert (p @ (grid - values.mean()) ** 2) * step == pytest.approx(values.var() + more, rel=5e-3)


def test_area_in_two_dimensions():
    side = np.linspace(-8, 8, 321)
    grid = np.array(list(itertools.product(side, side)))
    for kernel in ("gaussian", "uniform"):
        p = np.exp(KernelDensity(bandwidth=1.1, kernel=kernel).fit(X[:20, :2]).score_samples(grid))
        assert p.sum() * (side[1] - side[0]) ** 2 == pytest.approx(1.0, abs=2e-3)


def test_far_away_the_logarithm_is_still_there():
    model = KernelDensity(bandwidth=1e-3).fit([[0.0]])
    assert model.score_samples([[1.0]])[0] == pytest.approx(-0.5e6 - math.log(1e-3 * math.sqrt(2 * math.pi)))
    assert KernelDensity(kernel="uniform").fit([[0.0]]).score_samples([[2.0], [1.0]]).tolist() == [
        -np.inf, pytest.approx(math.log(0.5)),
    ]  # fmt: skip


def test_blocks_of_a_density_make_no_difference(monkeypatch):
    whole = KernelDensity().fit(X).score_samples(Q)
    monkeypatch.setattr(nearest_neighbors, "_BLOCK", 300)
    assert_array_equal(KernelDensity().fit(X).score_samples(Q), whole)


@pytest.mark.parametrize("unit", [1e-8, 1e8])
def test_densities_have_the_unit_of_a_density(unit):
    a, b = KernelDensity(bandwidth=0.5).fit(X), KernelDensity(bandwidth=0.5 * unit).fit(unit * X)
    assert_allclose(b.score_samples(unit * Q), a.score_samples(Q) - 3 * math.log(unit), rtol=1e-9)
    assert_allclose(knn_density(unit * X, unit * Q, 4) * unit**3, knn_density(X, Q, 4), rtol=1e-9)


def test_volumes_of_balls():
    volumes = [math.exp(nearest_neighbors.log_ball_volume(2.0, d)) for d in (1, 2, 3, 4)]
    assert_allclose(volumes, [4, 4 * math.pi, 32 / 3 * math.pi, 8 * math.pi**2])
    assert math.isfinite(nearest_neighbors.log_ball_volume(1e-30, 500))


def test_knn_density_by_its_definition():
    r = np.sort(np.linalg.norm(Q[:, None] - X, axis=2), axis=1)[:, 4]
    assert_allclose(knn_density(X, Q, 5), 5 / (120 * 4 / 3 * math.pi * r**3))
    assert knn_density([[0.0], [0.0], [3.0]], [[0.0]], 2) == [np.inf]


def test_knn_density_has_no_finite_area():
    values = rng.normal(size=(40, 1))
    gains = []
    for L in (1e3, 1e4, 1e5):
        edges = np.geomspace(L, 10 * L, 4001)
        middles = np.sqrt(edges[1:] * edges[:-1])
        both = sum(knn_density(values, side * middles[:, None], 3) @ np.diff(edges) for side in (-1, 1))
        gains.append(both)
    assert_allclose(gains, 3 / 40 * math.log(10), rtol=1e-3)
    assert round(3 / 40 * math.log(10), 4) == 0.1727


# ---------------------------------------------------------------------------------------------------------------
# The risk of the nearest neighbour
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("shares", "risk"), [((0.6, 0.2, 0.2), 0.56), ((0.6, 0.3, 0.1), 0.54)])
@pytest.mark.parametrize("n", [2, 300])
def test_risk_where_the_features_tell_nothing(shares, risk, n):
    rng, wrong = np.random.default_rng(n), []
    for _ in range(40_000 // (n * 2)):
        model = KNeighborsClassifier(n_neighbors=1).fit(rng.random((n, 1)), rng.choice(3, size=n, p=shares))
        wrong.append(model.predict(rng.random((2 * n, 1))) != rng.choice(3, size=2 * n, p=shares))
        if len(wrong) * 2 * n > 20_000 or len(wrong) > 2500:
            break
    wrong = np.concatenate(wrong)
    # the 2n rows of one round share n labels: the error is that of the rounds
    assert abs(wrong.mean() - risk) < 4 * math.sqrt(0.25 / (len(wrong) / 2))


def test_risk_is_at_most_twice_that_of_bayes_on_two_bells():
    """Bayes .159, bound .267, limit .225."""
    grid = np.linspace(-9, 11, 4001)
    bells = np.exp(-0.5 * (grid[:, None] - [0, 2]) ** 2) / math.sqrt(2 * math.pi) / 2
    step, post = grid[1] - grid[0], bells / bells.sum(axis=1, keepdims=True)
    bayes, limit = bells.min(axis=1).sum() * step, (bells.sum(axis=1) * (1 - (post**2).sum(axis=1))).sum() * step
    assert (round(bayes, 3), round(limit, 3), round(2 * bayes * (1 - bayes), 3)) == (0.159, 0.225, 0.267)
    errors = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        labels = rng.integers(2, size=800)
        model = KNeighborsClassifier(n_neighbors=1).fit((rng.normal(size=800) + 2 * labels)[:, None], labels)
        errors.append(bells[np.arange(4001), 1 - model.predict(grid[:, None])].sum() * step)
    assert np.mean(errors) == pytest.approx(limit, abs=0.008)
    assert bayes < np.mean(errors) < 2 * bayes * (1 - bayes)


def test_a_finite_sample_breaks_the_bound():
    """y = 1 where x > ½: Bayes makes no error, two samples make 7/24 on average."""
    rng, grid = np.random.default_rng(0), (np.arange(400) + 0.5)[:, None] / 400
    for n, expected in ((1, 1 / 2), (2, 7 / 24)):
        errors = []
        for _ in range(1200):
            x = rng.random((n, 1))
            says = KNeighborsClassifier(n_neighbors=1).fit(x, x[:, 0] > 0.5).predict(grid)
            errors.append(np.mean(says != (grid[:, 0] > 0.5)))
        assert abs(np.mean(errors) - expected) < 4 * np.std(errors) / math.sqrt(1200) + 1e-3


# ---------------------------------------------------------------------------------------------------------------
# Bad input
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("model", [KNeighborsClassifier, KNeighborsRegressor])
@pytest.mark.parametrize(("options", "words"), [
    ({"n_neighbors": 121}, "n_neighbors = 121 .* n_samples = 120: take fewer"),
    ({"metric": "mahalanobis", "cov": np.ones((3, 3))}, "not positive definite.*Leave out columns"),
    ({"metric": "mahalanobis", "cov": np.eye(2)}, r"shape \(3, 3\)"),
    ({"cov": np.eye(3)}, "cov is for metric='mahalanobis'"),
    ({"metric": lambda A, B: np.zeros(3)}, "distances of all pairs"),
    ({"metric": lambda A, B: -euclidean(A, B)}, "not negative"),
    ({"metric": lambda A, B: np.full((len(A), len(B)), np.nan)}, "NaN or infinity"),
])  # fmt: skip
def test_bad_parameters(model, options, words):
    with pytest.raises(ValueError, match=words):
        model(**options).fit(X, CODES).predict(Q)


@pytest.mark.parametrize("model", [KNeighborsClassifier(), KNeighborsRegressor()])
def test_predict_wants_rows(model):
    """Though ``kneighbors`` without X asks for those of the samples themselves."""
    with pytest.raises(ValueError, match="2D|None"):
        model.fit(X, CODES).predict(None)


def test_singular_covariance_of_the_data():
    doubled = np.column_stack([X, X[:, 0] - X[:, 1]])
    with pytest.raises(ValueError, match="not positive definite"):
        KNeighborsClassifier(metric="mahalanobis").fit(doubled, CODES)
    with pytest.raises(ValueError, match="n_samples = 1"):
        KNeighborsClassifier(n_neighbors=1, metric="mahalanobis").fit([[1.0, 2.0]], [0])


@pytest.mark.parametrize(("ask", "words"), [
    (lambda: knn_density(X, Q, 121), "from 1 to 120"),
    (lambda: knn_density(X, Q[:, :2], 3), "3 columns and X has 2"),
    (lambda: KNeighborsClassifier().fit(X, CODES).kneighbors(Q, 121), "from 1 to 120"),
    (lambda: KNeighborsClassifier().fit(X, CODES).kneighbors(n_neighbors=120), "from 1 to 119"),
])  # fmt: skip
def test_bad_questions(ask, words):
    with pytest.raises(ValueError, match=words):
        ask()


# ---------------------------------------------------------------------------------------------------------------
# Odd input
# ---------------------------------------------------------------------------------------------------------------
def test_a_bump_far_from_everything_has_a_density():
    with np.errstate(all="raise"):
        far = KernelDensity(bandwidth=1e-60).fit([[0.0], [1.0]]).score_samples([[1e99], [1e-60]])
    assert far[0] < -1e299
    assert_allclose(far[1], stats.norm.logpdf(1) - math.log(2) + 60 * math.log(10))
