"""Linear discriminant analysis against scikit-learn, SciPy, Bayes' rule written out, and sweeps of directions."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from sklearn.covariance import ledoit_wolf
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as SklearnLDA
from sklearn.linear_model import LinearRegression

from mlcore import datasets
from mlcore import discriminant_analysis as core
from mlcore.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    SingularScatterWarning,
    fisher_criterion,
    fisher_direction,
    ledoit_wolf_shrinkage,
    scatter_matrices,
)

CONFORMANCE_INSTANCES = {
    "LinearDiscriminantAnalysis": [
        LinearDiscriminantAnalysis(),
        LinearDiscriminantAnalysis(solver="eigen"),
        LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.1),
        LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
    ]
}

LOADERS = [datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer, datasets.load_digits]
SOLVERS = ["svd", "eigen"]


def clouds(sizes=(40, 25), d=2, seed=0, spread=2.0):
    """Gaussian clouds of one stretched shape with these class sizes."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(len(y), d)) @ rng.normal(size=(d, d)) + spread * rng.normal(size=(len(sizes), d))[y]
    order = rng.permutation(len(y))
    return X[order], y[order]


def few_rows(n=20, d=60, seed=0):
    """Two classes, fewer samples than features; feature 0 tells them apart."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, d))
    X[:, 0] += 3 * y
    return X, y


def up_to_sign(ours, theirs):
    """Their columns, turned to the side where ours lie."""
    return theirs * np.sign(np.sum(ours * theirs, axis=0))


def half_circle(n=3600):
    angle = np.linspace(0, np.pi, n, endpoint=False)
    return np.column_stack([np.cos(angle), np.sin(angle)])


# ---------------------------------------------------------------------------------------------------------------
# The core, by other ways
# ---------------------------------------------------------------------------------------------------------------
class TestCore:
    def test_principal_axes_are_eigenvectors_of_the_gram_matrix(self):
        Z = np.random.default_rng(0).normal(size=(9, 4))
        axes, spread = core.principal_axes(Z)
        values, vectors = np.linalg.eigh(Z.T @ Z)
        assert_allclose(spread**2, values[::-1], rtol=1e-10)
        assert_allclose(np.abs(axes.T @ vectors[:, ::-1]), np.eye(4), atol=1e-9)

    @pytest.mark.parametrize("seed", range(4))
    def test_discriminant_axes_solve_the_generalised_eigenproblem(self, seed):
        X, y = clouds((20, 30, 10, 25), d=5, seed=seed)
        S_w, S_b = scatter_matrices(X, y)
        means, priors = np.array([X[y == k].mean(axis=0) for k in range(4)]), np.bincount(y) / len(y)
        axes, spread = core.principal_axes((X - means[y]) / np.sqrt(len(X)))
        W, values = core.discriminant_axes(axes, spread, np.sqrt(priors)[:, None] * (means - priors @ means))
        theirs = scipy.linalg.eigh(S_b, S_w)[0][::-1]
        assert_allclose(values[:3], theirs[:3], rtol=1e-9)
        assert_allclose(S_b @ W[:, :3], S_w @ W[:, :3] * values[:3], atol=1e-8)

    def test_the_linear_rule_is_the_logarithm_of_bayes_rule(self):
        """In coordinates in which the classes are round, with the means c_k."""
        rng = np.random.default_rng(0)
        C, W, priors = rng.normal(size=(3, 2)), rng.normal(size=(4, 2)), np.array([0.2, 0.5, 0.3])
        a, b = core.linear_rule(C, W, priors)
        x = rng.normal(size=(20, 4))
        bayes = np.column_stack([np.log(p) + multivariate_normal(c).logpdf(x @ W) for c, p in zip(C, priors)])
        assert_allclose(np.diff(x @ a.T + b, axis=1), np.diff(bayes, axis=1), rtol=1e-9)

    def test_the_ratio_of_ledoit_and_wolf_by_its_sum(self):
        X = np.random.default_rng(0).normal(size=(7, 3)) * [1, 2, 3]
        X -= X.mean(axis=0)
        S = X.T @ X / 7
        error = sum(np.sum((np.outer(x, x) - S) ** 2) for x in X) / 49
        assert_allclose(core.shrinkage_ratio(X), (error, np.sum((S - np.trace(S) / 3 * np.eye(3)) ** 2)))


# ---------------------------------------------------------------------------------------------------------------
# Scatter matrices
# ---------------------------------------------------------------------------------------------------------------
class TestScatter:
    def test_against_sums_over_samples_one_by_one(self):
        X, y = clouds((7, 4, 9), d=3)
        S_w, S_b = np.zeros((3, 3)), np.zeros((3, 3))
        for k in range(3):
            own = [x for x, label in zip(X, y) if label == k]
            mean = sum(own) / len(own)
            for x in own:
                S_w += np.outer(x - mean, x - mean)
                S_b += np.outer(mean - X.mean(axis=0), mean - X.mean(axis=0))
        ours = scatter_matrices(X, y)
        assert_allclose(ours[0], S_w, rtol=1e-12)
        assert_allclose(ours[1], S_b, rtol=1e-12)

    def test_they_add_up_to_the_total_scatter(self):
        X, y = clouds((7, 30, 9, 2), d=5)
        S_w, S_b = scatter_matrices(X, y)
        assert_allclose(S_w + S_b, np.cov(X.T, bias=True) * len(X), rtol=1e-10)

    def test_two_classes_differ_from_the_notes_by_their_sizes_alone(self):
        X, y = clouds((40, 25), d=3)
        delta = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
        assert_allclose(scatter_matrices(X, y)[1], 40 * 25 / 65 * np.outer(delta, delta), rtol=1e-10)

    @pytest.mark.parametrize("n_classes, d, rank", [(2, 4, 1), (3, 5, 2), (5, 3, 3), (4, 3, 3), (9, 1, 1)])
    def test_the_rank_of_the_between_class_scatter(self, n_classes, d, rank):
        X, y = clouds((6,) * n_classes, d=d)
        assert np.linalg.matrix_rank(scatter_matrices(X, y)[1]) == rank == min(n_classes - 1, d)

    def test_large_offsets_do_not_eat_the_digits(self):
        X, y = clouds((40, 25), d=3)
        X = np.round(X, 6)
        for near, far in zip(scatter_matrices(X, y), scatter_matrices(X + 1e6, y)):
            assert_allclose(far, near, rtol=1e-7)


# ---------------------------------------------------------------------------------------------------------------
# Fisher's criterion and direction
# ---------------------------------------------------------------------------------------------------------------
class TestCriterion:
    def test_it_compares_the_sums_of_squares_of_the_projections(self):
        X, y = clouds((12, 20, 5), d=4)
        w = np.array([0.3, -1.0, 2.0, 0.4])
        z = X @ w
        means = np.array([z[y == k].mean() for k in range(3)])
        within = np.sum((z - means[y]) ** 2)
        between = np.sum((means[y] - z.mean()) ** 2)
        assert fisher_criterion(w, X, y) == pytest.approx(between / within, rel=1e-10)

    def test_many_directions_at_once(self):
        X, y = clouds((12, 20), d=3)
        W = np.random.default_rng(1).normal(size=(50, 3))
        together = fisher_criterion(W, X, y)
        assert together.shape == (50,)
        assert_allclose(together, [fisher_criterion(w, X, y) for w in W], rtol=1e-12)

    @pytest.mark.parametrize("scale", [-1.0, 3.0, 1e-90, -1e90])
    def test_length_and_sign_do_not_matter(self, scale):
        X, y = clouds()
        assert fisher_criterion(scale * np.array([1.0, 2.0]), X, y) == pytest.approx(fisher_criterion([1, 2], X, y))

    def test_infinite_where_no_class_varies_and_zero_where_nothing_does(self):
        X = np.array([[0.1, 1.0, 7.3], [0.1, 2.0, 7.3], [0.4, 1.5, 7.3], [0.4, 3.5, 7.3]])
        y = [0, 0, 1, 1]
        assert fisher_criterion([1, 0, 0], X, y) == np.inf
        assert fisher_criterion([0, 0, 1], X, y) == 0.0
        assert 0 < fisher_criterion([0, 1, 0], X, y) < np.inf

    def test_infinite_in_an_oblique_direction_too(self):
        rng = np.random.default_rng(0)
        y = np.arange(30) % 2
        t = rng.normal(size=30)
        X = np.column_stack([t, t + 0.3 * y])  # x₂ - x₁ is constant in each class
        assert fisher_criterion([-1, 1], X, y) == np.inf
        assert fisher_criterion([1, 1], X, y) < 1

    @pytest.mark.parametrize(
        "w, message",
        [
            ([0.0, 0.0], "zero"), ([1.0], "2 entries"), ([[1.0, 2.0], [0.0, 0.0]], "zero"), (3.0, "2 entries"),
            ([1e150, 1], "rescale w"),
        ],
    )
    def test_no_direction(self, w, message):
        with pytest.raises(ValueError, match=message):
            fisher_criterion(w, *clouds())


class TestFisherDirection:
    @pytest.mark.parametrize("seed", range(8))
    @pytest.mark.parametrize("sizes", [(50, 50), (90, 10), (5, 40)])
    def test_it_beats_every_one_of_3600_directions(self, seed, sizes):
        X, y = clouds(sizes, seed=seed)
        swept = fisher_criterion(half_circle(3600), X, y)
        w = fisher_direction(X, y)
        best = fisher_criterion(w, X, y)
        assert best >= swept.max() and best == pytest.approx(swept.max(), rel=1e-4)
        # and it is the swept one that is nearest
        assert abs(half_circle(3600)[np.argmax(swept)] @ w) > np.cos(np.pi / 3600)

    @pytest.mark.parametrize("seed", range(4))
    def test_the_generalised_eigenproblem_has_the_same_answer(self, seed):
        X, y = clouds((30, 50), d=6, seed=seed)
        S_w, S_b = scatter_matrices(X, y)
        values, vectors = scipy.linalg.eigh(S_b, S_w)
        w = fisher_direction(X, y)
        assert fisher_criterion(w, X, y) == pytest.approx(values[-1], rel=1e-9)
        assert abs(w @ vectors[:, -1]) / np.linalg.norm(vectors[:, -1]) == pytest.approx(1, abs=1e-10)

    def test_length_one_and_from_the_first_class_to_the_second(self):
        X, y = clouds((30, 50), d=4)
        w = fisher_direction(X, y)
        assert np.linalg.norm(w) == pytest.approx(1)
        assert (X[y == 1] @ w).mean() > (X[y == 0] @ w).mean()
        assert_allclose(fisher_direction(X, 1 - y), -w, rtol=1e-9)

    def test_least_squares_on_coded_labels_points_the_same_way(self):
        X, y = clouds((30, 50), d=4)
        line = LinearRegression().fit(X, np.where(y == 1, 5.0, -2.0)).coef_
        assert_allclose(line / np.linalg.norm(line), fisher_direction(X, y), rtol=1e-8)

    def test_shrinkage_turns_it_towards_the_line_of_means(self):
        X, y = clouds((30, 50), d=4)
        delta = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
        delta /= np.linalg.norm(delta)
        cosines = [fisher_direction(X, y, shrinkage=s) @ delta for s in (0.0, 0.1, 0.5, 0.9, 1.0)]
        assert np.all(np.diff(cosines) > 0) and cosines[-1] == pytest.approx(1)
        assert_allclose(fisher_direction(X, y, shrinkage=0), fisher_direction(X, y), rtol=1e-8)

    def test_fewer_samples_than_features(self):
        X, y = few_rows()
        D = np.concatenate([X[y == k] - X[y == k].mean(axis=0) for k in (0, 1)])
        unit = D.std(axis=0)
        delta = (X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)) / unit
        by_hand = np.linalg.pinv((D / unit).T @ (D / unit), rcond=1e-9) @ delta / unit
        assert_allclose(fisher_direction(X, y), by_hand / np.linalg.norm(by_hand), rtol=1e-7)

    def test_says_why_there_is_no_direction(self):
        X, y = clouds((5, 5, 5))
        with pytest.raises(ValueError, match="y has 3; use LinearDiscriminantAnalysis"):
            fisher_direction(X, y)
        ring = np.array([[1, 0], [-1, 0], [0, 2.0], [0, -2.0]])
        with pytest.raises(ValueError, match="coincide"):
            fisher_direction(ring, [0, 0, 1, 1])
        with pytest.raises(ValueError, match="S_w = 0"):
            fisher_direction([[0.1], [0.1], [0.7], [0.7]], [0, 0, 1, 1])


# ---------------------------------------------------------------------------------------------------------------
# Against scikit-learn and Bayes' rule
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize("solver", SOLVERS)
class TestAgreesWithScikitLearn:
    def test_projections_up_to_sign(self, load, solver):
        data = load()
        ours = LinearDiscriminantAnalysis(solver=solver).fit(data.data, data.target)
        theirs = SklearnLDA().fit(data.data, data.target)
        a, b = ours.transform(data.data), theirs.transform(data.data)
        assert a.shape == b.shape == (len(a), len(ours.classes_) - 1)
        # older versions divide S_w by n - K instead of n, which changes the scale
        a, b = a / np.linalg.norm(a, axis=0), b / np.linalg.norm(b, axis=0)
        assert_allclose(a, up_to_sign(a, b), atol=1e-9)
        assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-8)

    def test_predictions_and_probabilities(self, load, solver):
        data = load()
        ours = LinearDiscriminantAnalysis(solver=solver).fit(data.data, data.target)
        assert_array_equal(ours.predict(data.data), SklearnLDA().fit(data.data, data.target).predict(data.data))
        if ours.rank_ == data.data.shape[1]:  # their eigen solver, whose scale is the same in all versions, needs it
            theirs = SklearnLDA(solver="eigen").fit(data.data, data.target)
            assert_allclose(ours.predict_proba(data.data), theirs.predict_proba(data.data), rtol=1e-7, atol=1e-10)
            assert_allclose(ours.means_, theirs.means_, rtol=1e-12)
            assert_allclose(ours.priors_, theirs.priors_, rtol=1e-12)


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize("shrinkage", [0.01, 0.3, 1.0, "auto"])
def test_shrunk_probabilities_agree_with_scikit_learn(load, shrinkage):
    data = load()
    ours = LinearDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage).fit(data.data, data.target)
    theirs = SklearnLDA(solver="eigen", shrinkage=shrinkage).fit(data.data, data.target)
    assert_allclose(ours.predict_proba(data.data), theirs.predict_proba(data.data), rtol=1e-6, atol=1e-10)
    assert_array_equal(ours.predict(data.data), theirs.predict(data.data))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("sizes", [(40, 25), (20, 30, 10), (9, 8, 7, 6, 5)])
@pytest.mark.parametrize("given_priors", [False, True])
def test_it_is_bayes_rule_for_gaussians_of_one_shape(solver, sizes, given_priors):
    X, y = clouds(sizes, d=3, seed=4, spread=1.0)
    K = len(sizes)
    priors = np.arange(1, K + 1) / (K * (K + 1) / 2) if given_priors else np.array(sizes) / sum(sizes)
    means = np.array([X[y == k].mean(axis=0) for k in range(K)])
    shape = sum((X[y == k] - means[k]).T @ (X[y == k] - means[k]) for k in range(K)) / len(X)
    joint = np.column_stack([priors[k] * multivariate_normal(means[k], shape).pdf(X) for k in range(K)])
    model = LinearDiscriminantAnalysis(solver=solver, priors=priors if given_priors else None).fit(X, y)
    assert_allclose(model.predict_proba(X), joint / joint.sum(axis=1, keepdims=True), rtol=1e-8, atol=1e-12)
    assert_array_equal(model.predict(X), np.argmax(joint, axis=1))
    assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))


@pytest.mark.parametrize("solver", SOLVERS)
class TestDirections:
    def test_they_solve_the_generalised_eigenproblem(self, solver):
        X, y = clouds((20, 30, 10, 25), d=5, seed=2)
        model = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
        S_w, S_b = scatter_matrices(X, y)
        W = model.scalings_
        assert_allclose(S_b @ W, S_w @ W * model.eigenvalues_, atol=1e-8)
        assert_allclose(W.T @ (S_w / len(X)) @ W, np.eye(3), atol=1e-10)
        assert_allclose(fisher_criterion(W.T, X, y), model.eigenvalues_, rtol=1e-8)
        assert np.all(np.diff(model.eigenvalues_) < 0)
        assert_allclose(model.eigenvalues_, scipy.linalg.eigh(S_b, S_w)[0][::-1][:3], rtol=1e-8)

    def test_two_classes_give_fishers_direction(self, solver):
        X, y = clouds((20, 30), d=5, seed=2)
        model = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
        w = fisher_direction(X, y)
        for found in (model.coef_[0], model.scalings_[:, 0]):
            assert_allclose(found / np.linalg.norm(found), w, rtol=1e-8)

    def test_the_projection_is_all_that_the_classifier_uses(self, solver):
        X, y = clouds((20, 30, 10), d=5, seed=3)
        model = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
        Z, centroids = model.transform(X), model.transform(model.means_)
        scores = -0.5 * ((Z[:, np.newaxis] - centroids) ** 2).sum(axis=2) + np.log(model.priors_)
        assert_array_equal(model.predict(X), np.argmax(scores, axis=1))
        again = LinearDiscriminantAnalysis(solver=solver).fit(Z, y)
        assert_allclose(again.predict_proba(Z), model.predict_proba(X), rtol=1e-7, atol=1e-12)

    def test_n_components_cuts_the_projection_and_leaves_predictions(self, solver):
        X, y = clouds((20, 30, 10, 15), d=5, seed=3)
        whole = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
        for k in (1, 2, 3):
            part = LinearDiscriminantAnalysis(solver=solver, n_components=k).fit(X, y)
            assert_allclose(part.transform(X), whole.transform(X)[:, :k])
            assert_allclose(part.explained_variance_ratio_, whole.explained_variance_ratio_[:k])
            assert_array_equal(part.decision_function(X), whole.decision_function(X))

    @pytest.mark.parametrize("seed", range(6))
    def test_the_last_class_lies_on_the_positive_side(self, solver, seed):
        X, y = clouds((20, 30, 10, 15), d=5, seed=seed)
        model = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
        assert np.all(model.transform(X[y == 3]).mean(axis=0) > 0)

    def test_rounding_makes_no_direction(self, solver):
        X, y = clouds((20, 30), d=5)
        far = X + 1e9  # the means keep about seven digits
        assert LinearDiscriminantAnalysis(solver=solver, tol=0).fit(far, y).scalings_.shape == (5, 1)

    def test_projections_as_a_table_with_names(self, solver):
        X, y = clouds((20, 30, 10), d=4, seed=3)
        table = pd.DataFrame(X, columns=list("abcd"))
        model = LinearDiscriminantAnalysis(solver=solver).set_output(transform="pandas").fit(table, y)
        Z = model.transform(table)
        names = ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"]
        assert Z.columns.tolist() == model.get_feature_names_out().tolist() == names
        assert_allclose(Z, LinearDiscriminantAnalysis(solver=solver).fit(X, y).transform(X))

    def test_more_classes_than_features(self, solver):
        X, y = clouds((20, 30, 10, 15), d=2, seed=3)
        model = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
        assert model.transform(X).shape == (75, 2) and model.decision_function(X).shape == (75, 4)
        assert_array_equal(model.predict(X), SklearnLDA().fit(X, y).predict(X))

    def test_means_on_a_line_leave_one_direction(self, solver):
        rng = np.random.default_rng(0)
        y = np.repeat([0, 1, 2], 20)
        X = rng.normal(size=(60, 3))
        for k in range(3):
            X[y == k] += k * np.array([2.0, 1.0, 0.0]) - X[y == k].mean(axis=0)
        model = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
        assert model.transform(X).shape == (60, 1)
        with pytest.raises(ValueError, match="n_components=2 directions are asked for, .* only 1"):
            LinearDiscriminantAnalysis(solver=solver, n_components=2).fit(X, y)

    def test_equal_means_predict_the_larger_class_and_have_no_projection(self, solver):
        X = np.array([[1.0, 0], [-1, 0], [0, 2], [0, -2], [0, 3], [0, -3]])
        model = LinearDiscriminantAnalysis(solver=solver).fit(X, [0, 0, 1, 1, 1, 1])
        assert_allclose(model.predict_proba(X), np.tile([1 / 3, 2 / 3], (6, 1)))
        with pytest.raises(ValueError, match="means coincide wherever"):
            model.transform(X)


@pytest.mark.filterwarnings("ignore::mlcore.discriminant_analysis.SingularScatterWarning")
def test_means_that_differ_only_where_no_class_varies_are_not_said_to_coincide():
    """Along the first feature no class varies: it tells them apart, but the pseudo-inverse overlooks it."""
    X, y = np.array([(0, 1), (0, 2), (0, 4), (1, 1.5), (1, 2.5), (1, 3)]), [0, 0, 0, 1, 1, 1]
    with pytest.raises(ValueError, match=r"wherever the classes vary \(1 of 2 directions\).*eigen.*shrinkage"):
        LinearDiscriminantAnalysis().fit(X, y).transform(X)
    with pytest.raises(ValueError, match=r"only 0 of those in which the classes vary \(1 of 2\)"):
        LinearDiscriminantAnalysis(n_components=1).fit(X, y)
    advised = LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.1).fit(X, y)  # what the messages advise
    assert advised.score(X, y) == 1
    assert advised.transform(X)[:3].max() < advised.transform(X)[3:].min()


def test_the_error_is_what_theory_says():
    """Equal priors, true Mahalanobis distance Δ of the means: the best possible error is Φ(-Δ/2)."""
    rng = np.random.default_rng(0)
    shape, delta = np.array([[2.0, 1.2], [1.2, 1.5]]), np.array([1.0, -1.0])
    y = np.arange(200_000) % 2
    X = rng.multivariate_normal([0, 0], shape, size=len(y)) + np.outer(y, delta)
    distance = math.sqrt(delta @ np.linalg.solve(shape, delta))
    error = 1 - LinearDiscriminantAnalysis().fit(X[:20_000], y[:20_000]).score(X, y)
    assert error == pytest.approx(0.5 * math.erfc(distance / 2 / math.sqrt(2)), abs=0.003)


def test_it_separates_where_principal_components_do_not():
    X, y = clouds((50, 50), seed=0)
    X = np.column_stack([np.arange(100) % 7 * 10.0, y + 0.1 * X[:, 0] / np.abs(X).max()])
    J = [
        fisher_criterion(w, X, y)
        for w in (PCA(1).fit(X).components_[0], LinearDiscriminantAnalysis().fit(X, y).scalings_[:, 0])
    ]
    assert J[0] < 0.01 and J[1] > 10


# ---------------------------------------------------------------------------------------------------------------
# Shrinkage
# ---------------------------------------------------------------------------------------------------------------
class TestShrinkage:
    @pytest.mark.parametrize("n, d", [(50, 4), (10, 30), (5, 5), (200, 1), (2, 3)])
    def test_ledoit_wolf_against_scikit_learn(self, n, d):
        X = np.random.default_rng(n).normal(size=(n, d)) @ np.diag(np.arange(1, d + 1))
        assert ledoit_wolf_shrinkage(X) == pytest.approx(ledoit_wolf(X)[1], rel=1e-9, abs=1e-12)

    @pytest.mark.parametrize("n", [12, 30, 60])
    def test_ledoit_wolf_is_near_the_best_constant(self, n):
        """On average over samples: better than none and than full, and near the best that a constant could do."""
        rng = np.random.default_rng(0)
        truth = np.diag([4.0, 2.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.5])
        losses = {choice: [] for choice in ("auto", *np.linspace(0, 1, 11))}
        for _ in range(200):
            X = rng.multivariate_normal(np.zeros(8), truth, size=n)
            S = np.cov(X.T, bias=True)
            for choice, loss in losses.items():
                s = ledoit_wolf_shrinkage(X) if choice == "auto" else choice
                loss.append(np.sum(((1 - s) * S + s * np.trace(S) / 8 * np.eye(8) - truth) ** 2))
        mean = {choice: np.mean(loss) for choice, loss in losses.items()}
        best = min(mean[s] for s in mean if s != "auto")
        assert mean["auto"] < 0.9 * mean[0.0] and mean["auto"] < 0.7 * mean[1.0]
        assert mean["auto"] < 1.15 * best

    def test_ledoit_wolf_never_exceeds_one(self):
        rng = np.random.default_rng(0)
        found = []
        for _ in range(20):
            X = rng.normal(size=(8, 3))
            found.append(ledoit_wolf_shrinkage(X))
            assert found[-1] == pytest.approx(ledoit_wolf(X)[1], rel=1e-9)
        assert max(found) == 1.0 > min(found)

    def test_odd_clouds(self):
        assert ledoit_wolf_shrinkage([[1.0, 2.0]]) == 0.0
        assert ledoit_wolf_shrinkage([[1.0, 2.0], [1.0, 2.0]]) == 0.0
        X = np.random.default_rng(0).normal(size=(20, 4))
        assert ledoit_wolf_shrinkage(1e-120 * X) == pytest.approx(ledoit_wolf_shrinkage(X))
        with pytest.raises(ValueError, match="NaN"):
            ledoit_wolf_shrinkage([[np.nan]])

    def test_full_shrinkage_goes_to_the_nearest_mean(self):
        X, y = clouds((30, 30, 30), d=3)
        model = LinearDiscriminantAnalysis(solver="eigen", shrinkage=1.0).fit(X, y)
        distance = ((X[:, np.newaxis] - model.means_) ** 2).sum(axis=2)
        assert_array_equal(model.predict(X), np.argmin(distance, axis=1))

    def test_zero_shrinkage_changes_nothing(self):
        X, y = clouds((30, 30, 30), d=3)
        a, b = (LinearDiscriminantAnalysis(solver="eigen", shrinkage=s).fit(X, y) for s in (0.0, None))
        assert_allclose(a.decision_function(X), b.decision_function(X), rtol=1e-12)

    def test_the_directions_come_from_the_true_between_class_scatter(self):
        X, y = clouds((30, 20, 25), d=4)
        S_w, S_b = scatter_matrices(X, y)
        shrunk = 0.7 * S_w + 0.3 * np.trace(S_w) / 4 * np.eye(4)
        W = LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.3).fit(X, y).scalings_
        values, vectors = scipy.linalg.eigh(S_b, shrunk)
        for w, v in zip(W.T, vectors.T[::-1]):
            assert abs(w @ v) / np.linalg.norm(w) / np.linalg.norm(v) == pytest.approx(1, abs=1e-9)


# ---------------------------------------------------------------------------------------------------------------
# Singular scatter
# ---------------------------------------------------------------------------------------------------------------
class TestSingular:
    @pytest.mark.parametrize("solver", SOLVERS)
    def test_repeated_and_summed_columns_change_nothing(self, solver):
        X, y = clouds((30, 30, 30), d=3)
        more = np.column_stack([X, X[:, 0], X[:, 1] + X[:, 2]])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = LinearDiscriminantAnalysis(solver=solver).fit(more, y)
        assert model.rank_ == 3
        plain = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
        assert_allclose(model.predict_proba(more), plain.predict_proba(X), rtol=1e-7, atol=1e-10)

    @pytest.mark.parametrize("solver", SOLVERS)
    @pytest.mark.parametrize("tol", [0.0, 1e-14, 1e-4])
    def test_rounding_is_no_variation_however_small_tol(self, solver, tol):
        X, y = clouds((30, 30, 30), d=3)
        more = X @ np.random.default_rng(0).normal(size=(3, 20))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert LinearDiscriminantAnalysis(solver=solver, tol=tol).fit(more, y).rank_ == 3

    @pytest.mark.parametrize("solver", SOLVERS)
    @pytest.mark.parametrize("value", [0.0, 0.1, 1e8, -1 / 3])
    def test_a_constant_column_changes_nothing(self, solver, value):
        X, y = clouds((30, 31, 29), d=3)
        more = np.column_stack([X, np.full(len(X), value)])
        model = LinearDiscriminantAnalysis(solver=solver).fit(more, y)
        assert model.rank_ == 3 and np.all(model.coef_[:, 3] == 0)
        plain = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
        assert_allclose(model.predict_proba(more), plain.predict_proba(X), rtol=1e-7, atol=1e-10)

    @pytest.mark.parametrize("shrinkage", [0.2, "auto"])
    def test_a_column_that_is_constant_in_one_class(self, shrinkage):
        X, y = clouds((30, 31, 29), d=3)
        X[y == 1, 2] = 0.1
        ours = LinearDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage).fit(X, y)
        theirs = SklearnLDA(solver="eigen", shrinkage=shrinkage).fit(X, y)
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-7, atol=1e-10)

    def test_fewer_samples_than_features_is_the_pseudo_inverse_and_says_so(self):
        X, y = few_rows()
        models = []
        for solver in SOLVERS:
            with pytest.warns(SingularScatterWarning, match="vary in only 18 of 60 directions"):
                models.append(LinearDiscriminantAnalysis(solver=solver).fit(X, y))
        assert [model.rank_ for model in models] == [18, 18]
        theirs = SklearnLDA().fit(X, y)
        new = few_rows(seed=9)[0]
        for model in models:
            assert_array_equal(model.predict(new), theirs.predict(new))
            assert np.isfinite(model.predict_proba(new)).all()
            w = model.coef_[0] / np.linalg.norm(model.coef_[0])
            assert_allclose(w, fisher_direction(X, y), atol=1e-8)

    def test_shrinkage_is_quiet_and_better(self):
        X, y = few_rows(seed=3)
        new, truth = few_rows(n=2000, seed=4)
        with pytest.warns(SingularScatterWarning):
            pseudo = LinearDiscriminantAnalysis().fit(X, y).score(new, truth)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for shrinkage in (0.5, "auto"):
                model = LinearDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage).fit(X, y)
                assert model.rank_ == 60 and model.score(new, truth) > pseudo

    def test_a_feature_that_gives_the_class_away_is_overlooked_loudly(self):
        rng = np.random.default_rng(0)
        y = np.arange(40) % 2
        X = np.column_stack([y, rng.normal(size=40)])
        with pytest.warns(SingularScatterWarning, match="1 of 2 directions"):
            LinearDiscriminantAnalysis().fit(X, y)
        assert LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.1).fit(X, y).score(X, y) == 1.0

    @pytest.mark.parametrize("options", [{}, {"solver": "eigen"}, {"solver": "eigen", "shrinkage": 0.5}])
    def test_no_variation_at_all(self, options):
        X = np.array([[0.1, 3.0], [0.1, 3.0], [0.1, 3.0], [0.7, 1.0], [0.7, 1.0]])
        with pytest.raises(ValueError, match="S_w = 0"):
            LinearDiscriminantAnalysis(**options).fit(X, [0, 0, 0, 1, 1])

    def test_the_svd_solver_keeps_digits_that_squares_lose(self):
        rng = np.random.default_rng(0)
        y = np.arange(200) % 2
        t = rng.normal(size=200)
        X = np.column_stack([t, t + 1e-9 * (rng.normal(size=200) + 4 * y)])  # the classes differ in x₂ - x₁ alone
        assert LinearDiscriminantAnalysis(tol=1e-12).fit(X, y).score(X, y) > 0.95
        with pytest.warns(SingularScatterWarning):  # below tol: as if it did not vary
            assert LinearDiscriminantAnalysis(tol=1e-9).fit(X + np.array([0, 1]) * y[:, None], y).rank_ == 1


# ---------------------------------------------------------------------------------------------------------------
# Invariants
# ---------------------------------------------------------------------------------------------------------------
@st.composite
def problems(draw):
    """Small data sets with two to four classes."""
    seed = draw(st.integers(0, 2**32 - 1))
    sizes = draw(st.lists(st.integers(4, 15), min_size=2, max_size=4))
    return clouds(tuple(sizes), d=draw(st.integers(1, 4)), seed=seed, spread=1.0), np.random.default_rng(seed + 1)


@settings(max_examples=60, deadline=None)
@given(problems(), st.sampled_from(SOLVERS))
def test_units_and_oblique_axes_do_not_matter(problem, solver):
    (X, y), rng = problem
    d = X.shape[1]
    orthogonal = np.linalg.qr(rng.normal(size=(d, d)))[0]
    map_ = orthogonal * 10.0 ** rng.integers(-3, 4, size=d)  # a turn, then new units
    moved = X @ map_ + rng.normal(size=d)
    a, b = (LinearDiscriminantAnalysis(solver=solver, tol=1e-7).fit(data, y) for data in (X, moved))
    assert_allclose(a.predict_proba(X), b.predict_proba(moved), atol=1e-6)
    assert_allclose(a.eigenvalues_, b.eigenvalues_, rtol=1e-5, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(problems(), st.sampled_from(SOLVERS))
def test_order_and_names_do_not_matter(problem, solver):
    (X, y), rng = problem
    order = rng.permutation(len(y))
    names = np.array(["pear", "apple", "fig", "plum"])
    a = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
    b = LinearDiscriminantAnalysis(solver=solver).fit(X[order], names[y][order])
    columns = [list(b.classes_).index(names[k]) for k in a.classes_]
    assert_allclose(a.predict_proba(X), b.predict_proba(X)[:, columns], atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(problems())
def test_no_direction_beats_the_first_and_the_trace_bounds_all(problem):
    (X, y), rng = problem
    model = LinearDiscriminantAnalysis(tol=1e-8).fit(X, y)
    swept = fisher_criterion(rng.normal(size=(100, X.shape[1])), X, y)
    assert swept.max() <= model.eigenvalues_[0] * (1 + 1e-9)
    S_w, S_b = scatter_matrices(X, y)
    assert model.eigenvalues_.sum() == pytest.approx(np.trace(np.linalg.solve(S_w, S_b)), rel=1e-6)


@settings(max_examples=60, deadline=None)
@given(problems())
def test_probabilities_are_probabilities(problem):
    (X, y), rng = problem
    model = LinearDiscriminantAnalysis().fit(X, y)
    far = 1e6 * rng.normal(size=(20, X.shape[1]))
    p, log_p = model.predict_proba(far), model.predict_log_proba(far)
    assert_allclose(p.sum(axis=1), 1.0)
    assert np.isfinite(log_p).all() and (p >= 0).all()
    assert_array_equal(model.classes_[np.argmax(log_p, axis=1)], model.predict(far))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_scales(solver, scale):
    X, y = clouds((30, 30, 30), d=3)
    model = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
    scaled = LinearDiscriminantAnalysis(solver=solver).fit(X * scale, y)
    assert_allclose(scaled.predict_proba(X * scale), model.predict_proba(X), rtol=1e-7, atol=1e-12)
    mixed = X * np.array([scale, 1.0, 1 / scale])
    assert_allclose(
        LinearDiscriminantAnalysis(solver=solver).fit(mixed, y).predict_proba(mixed), model.predict_proba(X),
        rtol=1e-7, atol=1e-12,
    )


def test_priors_move_the_boundary_and_not_the_direction():
    X, y = clouds((40, 40), d=2)
    models = [LinearDiscriminantAnalysis(priors=[1 - p, p]).fit(X, y) for p in (0.1, 0.5, 0.9)]
    for model in models:
        assert_allclose(model.coef_, models[1].coef_, rtol=1e-10)
    gaps = np.diff([model.intercept_[0] for model in models])
    assert_allclose(gaps, math.log(9), rtol=1e-10)


# ---------------------------------------------------------------------------------------------------------------
# Input of all kinds
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("options", [{}, {"solver": "eigen"}, {"solver": "eigen", "shrinkage": "auto"}])
def test_input_is_taken_in_any_form_and_left_alone(options):
    X, y = clouds((20, 15, 10), d=3)
    expected = LinearDiscriminantAnalysis(**options).fit(X, y).predict_proba(X)
    kept = X.copy()
    X.flags.writeable = y.flags.writeable = False
    for form in (X, np.asfortranarray(X), X.tolist(), pd.DataFrame(X, columns=["a", "b", "c"]), X[:, ::1]):
        model = LinearDiscriminantAnalysis(**options).fit(form, y)
        assert_allclose(model.predict_proba(form), expected, rtol=1e-9)
    single = LinearDiscriminantAnalysis(**options).fit(X.astype(np.float32), y)
    assert_allclose(single.predict_proba(X.astype(np.float32)), expected, atol=1e-4)
    assert_array_equal(X, kept)
    words = np.array(["b", "c", "a"])[y]
    assert set(LinearDiscriminantAnalysis(**options).fit(X, words).predict(X)) == {"a", "b", "c"}


class TestBadInput:
    @pytest.mark.parametrize(
        "function", [scatter_matrices, fisher_direction, lambda X, y: fisher_criterion([1, 1], X, y)]
    )
    def test_functions(self, function):
        X, y = clouds((5, 5))
        with pytest.raises(ValueError, match="only one class: 3"):
            function(X, [3] * 10)
        with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[10, 9\]"):
            function(X, y[:9])

    @pytest.mark.parametrize(
        "options, message",
        [
            ({"shrinkage": 0.1}, "shrinkage=0.1 needs solver='eigen'"),
            ({"shrinkage": "auto"}, "shrinkage='auto' needs solver='eigen'"),
            ({"n_components": 3}, "n_components must be a whole number from 1 to 2, got 3"),
            ({"priors": [0.5, 0.5]}, "priors must be 3 positive numbers"),
            ({"priors": [0.5, 0.5, 0.0]}, "priors must be 3 positive numbers"),
            ({"priors": [0.5, 0.5, 0.5]}, "sum to 1"),
            ({"priors": [0.5, np.nan, 0.5]}, "priors .*NaN"),
            ({"priors": "equal"}, "priors must be numeric"),
        ],
    )
    def test_parameters(self, options, message):
        X, y = clouds((5, 5, 5), d=4)
        with pytest.raises(ValueError, match=message):
            LinearDiscriminantAnalysis(**options).fit(X, y)

    def test_data(self):
        X, y = clouds((5, 5, 5), d=4)
        for labels, message in [([1] * 15, "only one class"), (None, "requires y"), (y[:7], r"\[15, 7\]")]:
            with pytest.raises(ValueError, match=message):
                LinearDiscriminantAnalysis().fit(X, labels)
        with pytest.raises(ValueError, match="S_w = 0; 4 samples of 4 classes"):
            LinearDiscriminantAnalysis().fit(X[:4], [0, 1, 2, 3])

    def test_one_sample_in_a_class_is_enough_when_another_varies(self):
        X, y = clouds((1, 20, 2), d=3)
        for options in ({}, {"solver": "eigen", "shrinkage": "auto"}):
            model = LinearDiscriminantAnalysis(**options).fit(X, y)
            assert np.isfinite(model.predict_proba(X)).all()

    def test_the_same_rows_with_different_labels(self):
        X, _ = clouds((10, 10), d=2)
        twice, y = np.vstack([X, X]), np.repeat([0, 1], 20)
        model = LinearDiscriminantAnalysis().fit(twice, y)
        assert_allclose(model.predict_proba(X), 0.5, atol=1e-9)
