"""Neural networks against finite differences, scikit-learn with the same first weights, PCA, and worked numbers."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import neural_network as sk

from mlcore.base import ConvergenceWarning, NotFittedError, snapshots
from mlcore.datasets import load_digits, load_iris, load_wine, make_moons
from mlcore.neural_networks import (
    Autoencoder,
    MLPClassifier,
    MLPRegressor,
    autoencoder,
    backward,
    descent,
    forward,
    mlp,
    pretrain,
    propagation,
)
from mlcore.neural_networks.activations import ACTIVATIONS, LOSSES
from mlcore.optimize import DivergenceError
from mlcore.verify import numerical_gradient

CONFORMANCE_INSTANCES = {
    "MLPClassifier": [MLPClassifier(), MLPClassifier(early_stopping=True, activation="relu", weight_elimination=1e-4)],
    "MLPRegressor": [MLPRegressor(), MLPRegressor(hidden_layers=(5, 4), early_stopping=True)],
    "Autoencoder": [Autoencoder(), Autoencoder(tied=False, noise=0.1, n_hidden=1)],
}

QUICK = {"max_iter": 5, "tol": 0, "random_state": 0}


def network(sizes, seed=0):
    rng = np.random.default_rng(seed)
    theta = descent.in_one_row(*zip(*[descent.first_weights(a, b, rng) for a, b in zip(sizes, sizes[1:])]))
    return theta + 0.3 * rng.normal(size=theta.shape)


def targets(loss, n, k, rng):
    if loss == "squared":
        return rng.normal(size=(n, k))
    return rng.integers(2, size=(n, k)).astype(float) if loss == "log" else np.eye(k)[rng.integers(k, size=n)]


# ---------------------------------------------------------------------------------------------------------------
# Forward and backward
# ---------------------------------------------------------------------------------------------------------------
class TestSlopes:
    @pytest.mark.parametrize("loss", LOSSES)
    @pytest.mark.parametrize("activation", ACTIVATIONS)
    @pytest.mark.parametrize("sizes", [(3, 5, 4, 2), (2, 3), (1, 1, 1), (4, 2, 6)])
    def test_every_slope_is_that_of_the_loss(self, sizes, activation, loss):
        rng = np.random.default_rng(5)
        theta, X = network(sizes, 7), rng.normal(size=(6, sizes[0]))
        Y = targets(loss, 6, sizes[-1], rng)

        def mean_loss(theta):
            return LOSSES[loss].of(Y, forward(X, *descent.parts(theta, sizes), activation)[-1]).mean()

        found = backward(X, Y, *descent.parts(theta, sizes), activation, loss)
        numerical = descent.parts(numerical_gradient(mean_loss, theta), sizes)
        for ours, theirs in zip([*found.weights, *found.biases], [*numerical[0], *(b[0] for b in numerical[1])]):
            assert_allclose(ours, theirs, rtol=1e-6, atol=1e-8)

    @pytest.mark.parametrize("activation", ACTIVATIONS)
    def test_delta_is_the_slope_by_what_reaches_a_unit(self, activation):
        """A single row: to push its score is to push the unit's bias."""
        sizes, rng = (3, 4, 3, 2), np.random.default_rng(2)
        theta, X, Y = network(sizes, 3), rng.normal(size=(1, 3)), rng.normal(size=(1, 2))
        found = backward(X, Y, *descent.parts(theta, sizes), activation)
        for layer in range(3):

            def pushed(by, layer=layer):
                weights, biases = descent.parts(theta.copy(), sizes)
                biases[layer] += by
                return np.sum((Y - forward(X, weights, biases, activation)[-1]) ** 2)

            by = numerical_gradient(pushed, np.zeros(sizes[layer + 1]))
            assert_allclose(found.deltas[layer][0], by, rtol=1e-6, atol=1e-8)

    def test_a_stack_is_its_networks_one_by_one(self):
        sizes, rng = (2, 3, 1), np.random.default_rng(0)
        stack = np.stack([network(sizes, seed) for seed in range(4)])
        X, Y = rng.normal(size=(5, 2)), rng.normal(size=(5, 1))
        together, S = mlp.gradient(X, Y, *descent.parts(stack, sizes), ACTIVATIONS["tanh"], LOSSES["squared"])
        for k in range(4):
            alone, s = mlp.gradient(X, Y, *descent.parts(stack[k], sizes), ACTIVATIONS["tanh"], LOSSES["squared"])
            assert_allclose(together[k], alone, rtol=1e-12, atol=1e-14)
            assert_allclose(S[k], s, rtol=1e-12, atol=1e-14)

    def test_xor_by_two_rectifiers(self):
        corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
        out = forward(corners, [[[1, 1], [1, 1]], [[1], [-2]]], [[0, -1], [0]], "relu")[-1]
        assert_array_equal(out[:, 0], [0, 1, 1, 0])

    def test_a_saturated_unit_has_a_large_error_and_no_slope(self):
        mild = backward([[1.0]], [-1.0], [[[0.5]], [[1.0]]], [[0], [0]])
        flat = backward([[1.0]], [-1.0], [[[5.0]], [[1.0]]], [[0], [0]])
        assert abs(flat.deltas[1][0, 0]) > abs(mild.deltas[1][0, 0])
        assert mild.weights[0][0, 0] == pytest.approx(2.3, abs=0.05)
        assert flat.weights[0][0, 0] == pytest.approx(0.0007, abs=0.0001)

    def test_extreme_scores_stay_finite(self):
        for loss in ("log", "cross-entropy"):
            found = backward([[1e3]], [[0.0, 1.0]], [[[1e3, -1e3]]], [[0, 0]], loss=loss)
            assert all(np.isfinite(part).all() for part in (*found.weights, *found.biases))
            assert np.isfinite(LOSSES[loss].of(np.array([[0.0, 1.0]]), np.array([[1e6, -1e6]]))).all()

    @pytest.mark.parametrize("change, words", [
        ({"weights": [np.ones((2, 3)), np.ones((2, 1))]}, "layer 2: 3 numbers come in"),
        ({"biases": [[0, 0, 0]]}, "as many weights as biases"),
        ({"biases": [[0, 0], [0]]}, "layer 1: 2 numbers come in"),
        ({"weights": [], "biases": []}, "as many weights as biases"),
        ({"weights": [np.full((2, 3), 1e100), np.full((3, 3), 1e100), np.full((3, 1), 1e100)], "activation": "relu",
          "biases": [[0, 0, 0], [0, 0, 0], [0]], "X": [[1e100, 1e100]]}, "overflows"),
    ])  # fmt: skip
    def test_bad_input_of_forward(self, change, words):
        good = {"X": [[1.0, 2.0]], "weights": [np.ones((2, 3)), np.ones((3, 1))], "biases": [[0, 0, 0], [0]]}
        with pytest.raises(ValueError, match=words):
            forward(**good | change)

    def test_bad_input_of_backward(self):
        layers = [np.ones((2, 3)), np.ones((3, 1))], [[0, 0, 0], [0]]
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            backward([[1.0, 2.0]], [1.0, 2.0], *layers)
        with pytest.raises(ValueError, match="Y has shape"):
            backward([[1.0, 2.0]], [[1.0, 2.0]], *layers)

    @pytest.mark.parametrize("loss, Y, words", [
        ("log", [0, 1, 2], r"Y must lie in \[0, 1\], but it goes from 0 to 2"),
        ("cross-entropy", [[1.0], [1.0], [0.5]], "add up to 1"),
    ])  # fmt: skip
    def test_targets_fit_their_loss(self, loss, Y, words):
        with pytest.raises(ValueError, match=words):
            backward(np.ones((3, 2)), Y, [np.ones((2, 1))], [[0.0]], loss=loss)

    def test_a_slope_that_overflows_is_told(self):
        with pytest.raises(ValueError, match="overflows"):
            backward([[1e99, 1e99]], [1.0], [[[1e99], [1e99]], [[1e99]]], [[0.0], [0.0]], "relu")


class TestPieces:
    def test_weight_elimination_is_steepest_at_one_over_root_three(self):
        w = np.linspace(0, 5, 500_001)
        slope = descent.elimination_slope(w, 1.0)
        assert w[np.argmax(slope)] == pytest.approx(3**-0.5, abs=2e-5)
        assert slope.max() == pytest.approx(3 * 3**0.5 / 8, rel=1e-9)
        assert_allclose(slope, np.gradient(w**2 / (1 + w**2), w), atol=1e-4)

    @pytest.mark.parametrize(
        "slope, ends", [(descent.decay_slope, (2.0, 0.2)), (descent.elimination_slope, (2.985, 0.205))]
    )
    def test_where_two_weights_settle(self, slope, ends):
        for target, end in zip((3.0, 0.3), ends):
            w = target
            for _ in range(500):
                w -= 0.2 * (w - target + slope(w, 0.25))
            assert round(w, 3) == end

    def test_first_weights(self):
        W, b = descent.first_weights(30, 20, np.random.default_rng(0))
        assert np.abs(W).max() <= np.sqrt(6 / 50) and W.var() == pytest.approx(2 / 50, rel=0.1)
        assert_array_equal(b, np.zeros((1, 20)))

    def test_momentum_by_hand(self):
        theta, velocity = np.array([1.0]), np.array([2.0])
        descent.momentum_step(theta, velocity, np.array([3.0]), 0.1, 0.5)
        assert velocity[0] == pytest.approx(0.7) and theta[0] == pytest.approx(1.7)

    @given(st.lists(st.integers(1, 5), min_size=2, max_size=5), st.integers(0, 99))
    @settings(max_examples=25, deadline=None)
    def test_parts_and_row_are_inverse_and_parts_are_views(self, sizes, seed):
        theta = network(tuple(sizes), seed)
        weights, biases = descent.parts(theta, sizes)
        assert_array_equal(descent.in_one_row(weights, biases), theta)
        assert [W.shape for W in weights] == list(zip(sizes, sizes[1:]))
        which = descent.is_weight(sizes)
        assert which.sum() == sum(W.size for W in weights)
        for b in biases:
            b[:] = 0
        assert_array_equal(theta[which == 0], 0)

    def test_rows_held_out_are_shared_over_the_classes(self):
        y = np.repeat([0, 1, 2], [50, 30, 20])
        train, watched = mlp.held_out(y, 0.2, np.random.default_rng(0))
        assert_array_equal(np.sort(np.concatenate([train, watched])), np.arange(100))
        assert_array_equal(np.bincount(y[watched]), [10, 6, 4])


# ---------------------------------------------------------------------------------------------------------------
# Networks
# ---------------------------------------------------------------------------------------------------------------
def same_training(ours, theirs_class, X, y, **options):
    """Train both from scikit-learn's first weights, in full batches; return both."""
    options = {"activation": ours.activation, "solver": "sgd", "nesterovs_momentum": False, "momentum": ours.momentum,
               "hidden_layer_sizes": ours.hidden_layers, "batch_size": len(X), "random_state": 0, "tol": 0,
               "n_iter_no_change": 10_000, **options}  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = theirs_class(**options | {"max_iter": 1, "learning_rate_init": 1e-300}).fit(X, y)
        theirs = theirs_class(max_iter=ours.max_iter, **options).fit(X, y)
    layers = [(W.copy(), b.copy()) for W, b in zip(first.coefs_, first.intercepts_)]
    return ours.set_params(initial_layers=layers, batch_size=None).fit(X, y), theirs


class TestAgainstScikitLearn:
    @pytest.mark.parametrize("activation", ACTIVATIONS)
    @pytest.mark.parametrize("classes", [2, 3])
    def test_classifier(self, activation, classes):
        iris = load_iris()
        rows = iris.target < classes
        X, y = (iris.data[rows] - iris.data.mean(axis=0)) / iris.data.std(axis=0), iris.target[rows]
        ours, theirs = same_training(
            MLPClassifier(hidden_layers=(6, 4), activation=activation, learning_rate=0.05, momentum=0.8,
                          weight_decay=1e-3, max_iter=40, tol=0),
            sk.MLPClassifier, X, y, learning_rate_init=0.05, alpha=2e-3 * len(X),
        )  # fmt: skip
        for a, b in zip([*ours.coefs_, *ours.intercepts_], [*theirs.coefs_, *theirs.intercepts_]):
            assert_allclose(a, b, rtol=1e-7, atol=1e-9)
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-7, atol=1e-9)
        assert_array_equal(ours.predict(X), theirs.predict(X))
        assert_allclose(ours.loss_curve_[0], theirs.loss_curve_[0], rtol=0.05)

    @pytest.mark.parametrize("activation", ["tanh", "relu"])
    def test_regressor_whose_loss_is_twice_theirs(self, activation):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(50, 3))
        y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
        ours, theirs = same_training(
            MLPRegressor(hidden_layers=8, activation=activation, learning_rate=0.01, momentum=0.9, weight_decay=1e-3,
                         max_iter=60, tol=0),
            sk.MLPRegressor, X, y, learning_rate_init=0.02, alpha=1e-3 * 50,
        )  # fmt: skip
        for a, b in zip([*ours.coefs_, *ours.intercepts_], [*theirs.coefs_, *theirs.intercepts_]):
            assert_allclose(a, b, rtol=1e-7, atol=1e-9)
        assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-7, atol=1e-9)


class TestTraining:
    def test_digits(self):
        digits = load_digits()
        order = np.random.default_rng(0).permutation(len(digits.data))
        train, test = order[:1200], order[1200:]
        model = MLPClassifier(hidden_layers=64, max_iter=30, tol=0, random_state=0)
        model.fit(digits.data[train] / 16, digits.target[train])
        assert model.score(digits.data[test] / 16, digits.target[test]) >= 0.95

    def test_two_units_solve_xor_or_stick_at_one_eighth(self):
        corners, wanted = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([[0.0], [1], [1], [0]])
        rng, sizes = np.random.default_rng(0), (2, 2, 1)
        theta = np.stack([
            descent.in_one_row(*zip(*[descent.first_weights(a, b, rng) for a, b in ((2, 2), (2, 1))]))
            for _ in range(200)
        ])  # fmt: skip
        layers, velocity = descent.parts(theta, sizes), np.zeros_like(theta)
        for _ in range(3000):
            slope, S = mlp.gradient(corners, wanted, *layers, ACTIVATIONS["tanh"], LOSSES["squared"])
            descent.momentum_step(theta, velocity, slope, 0.1, 0.9)
        ends = LOSSES["squared"].of(wanted, S).mean(axis=1)
        assert 0.8 < np.mean(ends < 0.01) < 0.97
        assert np.mean(np.abs(ends - 1 / 8) < 0.01) > 0.03

    def test_full_batch_is_gradient_descent(self):
        """Two steps by hand, penalties and all: the biases are not penalised."""
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(9, 2)), rng.normal(size=9)
        start = [(rng.normal(size=(2, 3)), rng.normal(size=3)), (rng.normal(size=(3, 1)), rng.normal(size=1))]
        model = MLPRegressor(hidden_layers=3, learning_rate=0.05, momentum=0.6, weight_decay=0.02, batch_size=None,
                             weight_elimination=0.3, max_iter=2, tol=0, initial_layers=start).fit(X, y)  # fmt: skip
        weights, biases = [W for W, _ in start], [b for _, b in start]
        v, u = [0, 0], [0, 0]
        for _ in range(2):
            found = backward(X, y, weights, biases)
            for k in range(2):
                w = weights[k]
                v[k] = 0.6 * v[k] - 0.05 * (found.weights[k] + 2 * 0.02 * w + 2 * 0.3 * w / (1 + w**2) ** 2)
                u[k] = 0.6 * u[k] - 0.05 * found.biases[k]
            weights = [w + step for w, step in zip(weights, v)]
            biases = [b + step for b, step in zip(biases, u)]
        for a, b in zip([*model.coefs_, *model.intercepts_], [*weights, *biases]):
            assert_allclose(a, b, rtol=1e-10)

    def test_an_epoch_takes_every_row_once(self):
        seen = []
        p = SimpleNamespace(batch_size=4, momentum=0.0, max_iter=3)
        walk = descent.walk(np.zeros(1), lambda rows: seen.append(rows) or (np.zeros(1), len(rows)), 10, p, 0.1,
                            np.random.default_rng(0))  # fmt: skip
        assert list(walk) == [(1, 1.0), (2, 1.0), (3, 1.0)]
        epochs = [np.concatenate(seen[k : k + 3]) for k in (0, 3, 6)]
        assert [len(rows) for rows in seen[:3]] == [4, 4, 2]
        assert all(sorted(epoch) == list(range(10)) for epoch in epochs)
        assert any(list(epochs[0]) != list(epoch) for epoch in epochs[1:])

    def test_loss_curve_is_the_objective(self):
        X, y = make_moons(60, noise=0.2, random_state=0)
        model = MLPClassifier(hidden_layers=4, batch_size=None, weight_decay=0.01, weight_elimination=0.02, **QUICK)
        states = snapshots(model.iter_fit(X, y))
        p = states[0].predict_proba(X)
        loss = -np.log(p[np.arange(60), y]).mean()
        w = np.concatenate([W.ravel() for W in states[1].coefs_])
        expected = loss + 0.01 * np.sum(w**2) + 0.02 * np.sum(w**2 / (1 + w**2))
        assert states[1].loss_curve_[1] == pytest.approx(expected, rel=1e-10)

    def test_decay_shrinks_and_elimination_spares_large_weights(self):
        X, y = make_moons(100, noise=0.2, random_state=0)
        sizes = {}
        for name, options in (("none", {}), ("decay", {"weight_decay": 0.01}), ("elim", {"weight_elimination": 0.01})):
            model = MLPClassifier(hidden_layers=10, max_iter=150, tol=0, random_state=0, **options).fit(X, y)
            w = np.abs(np.concatenate([W.ravel() for W in model.coefs_]))
            sizes[name] = np.sort(w)
        assert sizes["decay"].max() < 0.6 * sizes["none"].max()
        assert np.median(sizes["elim"]) < np.median(sizes["none"]) and sizes["elim"].max() > sizes["decay"].max()

    def test_early_stopping_returns_to_its_best_epoch(self):
        X, y = make_moons(80, noise=0.4, random_state=0)
        model = MLPClassifier(hidden_layers=30, learning_rate=0.3, early_stopping=True, validation_fraction=0.3,
                              n_iter_no_change=15, max_iter=2000, tol=0, random_state=1)  # fmt: skip
        states = snapshots(model.iter_fit(X, y))
        assert model.n_iter_ - model.best_epoch_ == 15 and model.n_iter_ < 2000
        assert model.best_epoch_ == 1 + np.argmin(model.validation_losses_)
        assert_array_equal(model.coefs_[0], states[model.best_epoch_ - 1].coefs_[0])
        assert len(model.loss_curve_) == len(model.validation_losses_) == model.n_iter_

    def test_stops_when_the_loss_falls_no_more(self):
        X, y = make_moons(40, noise=0.05, random_state=0)
        model = MLPClassifier(hidden_layers=10, tol=1e-3, n_iter_no_change=5, max_iter=5000, random_state=0).fit(X, y)
        assert model.n_iter_ < 5000

    def test_says_when_it_did_not_arrive(self):
        X, y = make_moons(40, random_state=0)
        with pytest.warns(ConvergenceWarning, match="max_iter=3"):
            MLPClassifier(max_iter=3, random_state=0).fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            MLPClassifier(**QUICK).fit(X, y)

    def test_without_hidden_layers_it_is_linear(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 3))
        y = X @ [1.0, -2.0, 0.5] + 3
        model = MLPRegressor(hidden_layers=(), batch_size=None, learning_rate=0.1, momentum=0.5, max_iter=400, tol=0,
                             random_state=0).fit(X, y)  # fmt: skip
        assert_allclose(model.coefs_[0][:, 0], [1, -2, 0.5], atol=1e-8)
        assert_allclose(model.intercepts_[0], [3], atol=1e-8)

    def test_same_seed_same_network(self):
        X, y = make_moons(50, noise=0.2, random_state=0)
        a, b, c = (MLPClassifier(max_iter=5, tol=0, random_state=seed).fit(X, y) for seed in (3, 3, 4))
        assert_array_equal(a.coefs_[0], b.coefs_[0])
        assert not np.array_equal(a.coefs_[0], c.coefs_[0])

    def test_hidden_outputs(self):
        X, y = make_moons(50, noise=0.2, random_state=0)
        model = MLPClassifier(hidden_layers=(4, 3), **QUICK).fit(X, y)
        first, second = model.hidden_outputs(X)
        assert_allclose(first, np.tanh(X @ model.coefs_[0] + model.intercepts_[0]))
        assert second.shape == (50, 3)


class TestWhatComesIn:
    X, y = make_moons(40, noise=0.2, random_state=0)

    def test_strings_as_labels(self):
        words = np.array(["no", "yes"])[self.y]
        model = MLPClassifier(hidden_layers=8, learning_rate=0.2, batch_size=8, tol=0, random_state=0)
        model.fit(self.X, words)
        assert set(model.predict(self.X)) == {"no", "yes"} and model.score(self.X, words) > 0.9

    def test_odd_tables(self):
        MLPRegressor(**QUICK).fit([[1.0]], [2.0])
        MLPClassifier(**QUICK).fit([[0.0], [0.0]], [0, 1])
        MLPRegressor(**QUICK).fit(np.ones((5, 3)), np.arange(5.0))
        Autoencoder(max_iter=3, random_state=0).fit(np.zeros((1, 1)))
        for scale in (1e8, 1e-8):
            model = MLPClassifier(**QUICK).fit(scale * self.X, self.y)
            assert np.isfinite(model.predict_proba(scale * self.X)).all()

    @pytest.mark.parametrize("options, words", [
        ({"hidden_layers": (10, 0)}, r"hidden layer 2 .* must be a whole number >= 1, got 0"),
        ({"initial_layers": [(np.ones((3, 4)), np.zeros(4))]}, "goes from 2 to 5 units"),
        ({"initial_layers": [(np.ones((2, 5)), np.zeros(5))] * 3}, "3 layers, but the network has 2"),
    ])  # fmt: skip
    def test_bad_parameters(self, options, words):
        for model in (MLPClassifier(), MLPRegressor()):
            with pytest.raises(ValueError, match=words):
                model.set_params(**{"hidden_layers": 5, **options}).fit(self.X, self.y)

    def test_bad_data(self):
        with pytest.raises(ValueError, match="only one class"):
            MLPClassifier().fit(self.X, np.zeros(40))
        with pytest.raises(ValueError, match="at least 2 samples are needed, got 1 sample"):
            MLPRegressor(early_stopping=True).fit([[1.0]], [1.0])
        with pytest.raises(NotFittedError):
            MLPClassifier().predict(self.X)
        with pytest.raises(ValueError, match="3 features"):
            MLPClassifier(**QUICK).fit(self.X, self.y).predict(np.ones((2, 3)))

    @pytest.mark.parametrize("activation", ["relu", "tanh", "identity"])
    def test_an_exploding_learning_rate_is_named(self, activation):
        rng = np.random.default_rng(0)
        X, y = 10 * rng.normal(size=(60, 2)), 10 * rng.normal(size=60)
        with pytest.raises(DivergenceError, match="learning_rate=1000 is too large"):
            MLPRegressor(learning_rate=1000.0, activation=activation, max_iter=2000, random_state=0).fit(X, y)

    def test_a_fit_that_runs_away_changes_nothing(self):
        model = MLPClassifier(**QUICK).fit(self.X, self.y)
        before = model.predict_proba(self.X)
        with pytest.raises(DivergenceError, match="run away"):
            model.set_params(learning_rate=1e300).fit(1e3 * self.X, np.digitize(self.X[:, 0], [0, 1]))
        np.testing.assert_array_equal(model.predict_proba(self.X), before)

    def test_penalties_too_strong_for_the_rate_are_told(self):
        with pytest.warns(ConvergenceWarning, match="data or penalties"):
            MLPClassifier(weight_elimination=1e10, **QUICK).fit(self.X, self.y)
        with pytest.raises(DivergenceError, match="data or penalties"):
            MLPClassifier(weight_decay=1e10, **QUICK).fit(self.X, self.y)

    def test_a_row_is_left_to_train_on(self):
        train, watched = mlp.held_out(np.array([0, 1, 0, 1]), 0.999, np.random.default_rng(0))
        assert len(train) == 1 and len(watched) == 3

    def test_a_rate_that_only_makes_it_worse_is_told(self):
        with pytest.warns(ConvergenceWarning, match="the training loss rose"):
            MLPClassifier(learning_rate=100.0, **QUICK).fit(self.X, self.y)

    def test_never_a_prediction_that_is_no_number(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
        for eta in (0.1, 1, 10, 100):
            for activation in ACTIVATIONS:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    try:
                        model = MLPRegressor(learning_rate=eta, activation=activation, max_iter=30, random_state=0)
                        assert np.isfinite(model.fit(X, y).predict(X)).all()
                    except DivergenceError as error:
                        assert "learning_rate" in str(error)


# ---------------------------------------------------------------------------------------------------------------
# Autoencoders
# ---------------------------------------------------------------------------------------------------------------
def angle(A, B):
    """The largest angle between two planes that columns span."""
    A, B = np.linalg.qr(A)[0], np.linalg.qr(B)[0]
    return float(np.arcsin(np.linalg.svd(A - B @ (B.T @ A), compute_uv=False).max()))


def spectrum(X):
    values, axes = np.linalg.eigh(X.T @ X / len(X))
    return values[::-1], axes[:, ::-1]


IRIS = load_iris().data - load_iris().data.mean(axis=0)
LINEAR = {"activation": "identity", "biases": False, "batch_size": None, "random_state": 0}


class TestAutoencoder:
    @pytest.mark.parametrize("activation", ACTIVATIONS)
    def test_slopes_of_tied_weights(self, activation):
        rng = np.random.default_rng(0)
        Z, X, b, c = rng.normal(size=(7, 4)), rng.normal(size=(7, 4)), rng.normal(size=3), rng.normal(size=4)
        W, (g, slope) = rng.normal(size=(4, 3)), ACTIVATIONS[activation]

        def error(W, b, c):
            return np.mean(np.sum((g(Z @ W + b) @ W.T + c - X) ** 2, axis=1))

        by_W, by_b, by_c = autoencoder.tied_slopes(Z, g(Z @ W + b), X, W, c, slope)
        assert_allclose(by_W, numerical_gradient(lambda W: error(W, b, c), W), rtol=1e-5, atol=1e-7)
        assert_allclose(by_b, numerical_gradient(lambda b: error(W, b, c), b), rtol=1e-5, atol=1e-7)
        assert_allclose(by_c, numerical_gradient(lambda c: error(W, b, c), c), rtol=1e-5, atol=1e-7)

    @pytest.mark.parametrize("k", [1, 2, 3])
    def test_a_linear_one_spans_the_plane_of_pca(self, k):
        values, axes = spectrum(IRIS)
        model = Autoencoder(n_hidden=k, learning_rate=0.04, momentum=0.5, max_iter=2500, **LINEAR).fit(IRIS)
        assert angle(model.encoder_, axes[:, :k]) < 1e-3
        assert model.loss_curve_[-1] == pytest.approx(values[k:].sum(), rel=1e-6)
        assert_allclose(model.encoder_.T @ model.encoder_, np.eye(k), atol=1e-6)
        assert_allclose(model.decoder_, model.encoder_.T)

    def test_uncentred_it_spans_the_plane_of_the_raw_second_moments(self):
        X = load_iris().data
        _, axes = spectrum(X)
        model = Autoencoder(n_hidden=1, learning_rate=0.002, momentum=0.5, max_iter=500, **LINEAR).fit(X)
        assert angle(model.encoder_, axes[:, :1]) < 1e-3
        assert angle(model.encoder_, spectrum(IRIS)[1][:, :1]) > 0.2

    def test_untied_with_biases_it_need_not_be_centred(self):
        model = Autoencoder(n_hidden=1, activation="identity", tied=False, learning_rate=0.001, momentum=0.98,
                            batch_size=None, max_iter=4000, random_state=0).fit(load_iris().data)  # fmt: skip
        assert angle(model.decoder_.T, spectrum(IRIS)[1][:, :1]) < 1e-3
        assert np.abs(model.encoder_ - model.decoder_.T).max() > 0.1

    def test_the_angle_shrinks_as_derived_and_the_rate_has_its_limit(self):
        values, axes = spectrum(IRIS)
        W = axes[:, :1] + 1e-4 * axes[:, 1:2]
        before = angle(W, axes[:, :1])
        slope = ACTIVATIONS["identity"].slope
        W = W - 0.03 * autoencoder.tied_slopes(IRIS, IRIS @ W, IRIS, W, 0.0, slope)[0]
        assert angle(W, axes[:, :1]) / before == pytest.approx(1 - 2 * 0.03 * (values[0] - values[1]), rel=1e-4)
        for share, settles in ((0.95, True), (1.05, False)):
            W = 1.001 * axes[:, :1]
            for _ in range(200):
                W = W - share / (4 * values[0]) * autoencoder.tied_slopes(IRIS, IRIS @ W, IRIS, W, 0.0, slope)[0]
            assert (abs(np.linalg.norm(W) - 1) < 1e-6) == settles

    def test_zero_is_a_trap(self):
        H, W = np.zeros((150, 2)), np.zeros((4, 2))
        by_W = autoencoder.tied_slopes(IRIS, H, IRIS, W, 0.0, ACTIVATIONS["identity"].slope)
        assert_array_equal(by_W[0], 0)

    def test_noise_shrinks_the_eigenvalues(self):
        values, axes = spectrum(IRIS)
        model = Autoencoder(n_hidden=2, noise=0.5, learning_rate=0.005, momentum=0.9, max_iter=400,
                            **LINEAR | {"batch_size": 50})  # fmt: skip
        ends = [state.encoder_.T @ state.encoder_ for state in snapshots(model.iter_fit(IRIS))[200:]]
        wanted = values[:2] / (values[:2] + 0.25)
        assert_allclose(np.linalg.eigvalsh(np.mean(ends, axis=0))[::-1], wanted, atol=0.03)

    def test_a_denoising_one_removes_noise(self):
        X = load_digits().data[:600] / 16
        noisy = X[400:] + 0.3 * np.random.default_rng(1).normal(size=(200, 64))
        errors = []
        for noise in (0.0, 0.3):
            model = Autoencoder(n_hidden=30, activation="logistic", noise=noise, max_iter=60, random_state=0)
            model.fit(X[:400])
            errors.append(np.mean(np.sum((model.inverse_transform(model.transform(noisy)) - X[400:]) ** 2, axis=1)))
        assert errors[1] < 0.8 * errors[0]

    def test_an_untied_one_is_back_propagation_with_the_row_as_target(self):
        X, options = IRIS[:40], {"n_hidden": 3, "tied": False, "batch_size": None, "random_state": 0}
        first = Autoencoder(learning_rate=1e-300, max_iter=1, **options).fit(X)
        model = Autoencoder(learning_rate=0.01, momentum=0.8, max_iter=30, **options).fit(X)
        weights, biases, v, u = [first.encoder_, first.decoder_], [np.zeros(3), np.zeros(4)], [0, 0], [0, 0]
        for _ in range(30):
            found = backward(X, X, weights, biases)
            v = [0.8 * a - 0.01 * b for a, b in zip(v, found.weights)]
            u = [0.8 * a - 0.01 * b for a, b in zip(u, found.biases)]
            weights = [a + b for a, b in zip(weights, v)]
            biases = [a + b for a, b in zip(biases, u)]
        assert_allclose(model.encoder_, weights[0], rtol=1e-9, atol=1e-12)
        assert_allclose(model.decoder_bias_, biases[1], rtol=1e-9, atol=1e-12)

    @pytest.mark.parametrize("tied", [True, False])
    def test_there_and_back(self, tied):
        model = Autoencoder(n_hidden=3, tied=tied, max_iter=5, random_state=0).fit(IRIS)
        H = model.transform(IRIS)
        assert_allclose(H, np.tanh(IRIS @ model.encoder_ + model.encoder_bias_))
        assert_allclose(model.inverse_transform(H), H @ model.decoder_ + model.decoder_bias_)
        assert list(model.get_feature_names_out()) == ["autoencoder0", "autoencoder1", "autoencoder2"]

    def test_without_biases_they_stay_zero(self):
        for tied in (True, False):
            model = Autoencoder(biases=False, tied=tied, max_iter=5, random_state=0).fit(IRIS + 1)
            assert not model.encoder_bias_.any() and not model.decoder_bias_.any()

    def test_bad_use(self):
        with pytest.raises(DivergenceError, match="learning_rate=10 is too large"):
            Autoencoder(learning_rate=10.0, random_state=0).fit(IRIS)
        model = Autoencoder(max_iter=1, random_state=0).fit(IRIS)
        with pytest.raises(ValueError, match="H has 3 columns"):
            model.inverse_transform(np.ones((2, 3)))
        with pytest.raises(NotFittedError):
            Autoencoder().inverse_transform([[1.0, 2.0]])


class TestPretraining:
    def test_each_stage_learns_what_the_one_before_puts_out(self):
        layers = pretrain(IRIS, (3, 2), max_iter=4, random_state=0)
        rng = np.random.default_rng(0)
        x = IRIS
        for W, _ in layers:
            one = Autoencoder(n_hidden=W.shape[1], max_iter=4, random_state=rng).fit(x)
            assert_array_equal(W, one.encoder_)
            x = one.transform(x)
        assert [W.shape for W, _ in layers] == [(4, 3), (3, 2)]

    def test_a_network_begins_where_it_ended(self):
        layers = pretrain(IRIS, (3, 2), max_iter=4, random_state=0)
        y = load_iris().target
        model = MLPClassifier(hidden_layers=(3, 2), initial_layers=layers, learning_rate=1e-300, **QUICK).fit(IRIS, y)
        for (W, b), ours, bias in zip(layers, model.coefs_, model.intercepts_):
            assert_array_equal(ours, W)
            assert_array_equal(bias, b)

    def test_it_rescues_a_deep_logistic_network_and_larger_weights_do_better(self):
        digits = load_digits()
        X, y, widths = digits.data[:600] / 16, digits.target[:600], (40,) * 4
        rng = np.random.default_rng(0)
        large = [(4 * descent.first_weights(a, b, rng)[0], np.zeros(b)) for a, b in zip((64, *widths), widths)]
        scores = []
        for layers in (None, large):
            model = MLPClassifier(hidden_layers=widths, activation="logistic", learning_rate=0.1, max_iter=25, tol=0,
                                  initial_layers=layers, random_state=0)  # fmt: skip
            scores.append(model.fit(X, y).score(X, y))
        assert scores[0] < 0.3 and scores[1] > 0.8

    def test_bad_input(self):
        with pytest.raises(ValueError, match="hidden layer 2"):
            pretrain(IRIS, (3, 0))


def test_eight_numbers_keep_nine_tenths_of_the_wines():
    """Exercise 21.4, by eigenvalues."""
    X = load_wine().data
    values, _ = spectrum((X - X.mean(axis=0)) / X.std(axis=0))
    lost = 13 - np.cumsum(values)
    assert lost[6] > 1.35 and lost[7] < 1.1


@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_losses_of_a_stack_are_those_of_its_networks(loss):
    rng = np.random.default_rng(0)
    k = 1 if loss == "log" else 3
    Y, S = rng.dirichlet(np.ones(3), size=5)[:, :k], rng.normal(size=(4, 5, k))
    assert_allclose(LOSSES[loss].of(Y, S), [LOSSES[loss].of(Y, s) for s in S], rtol=1e-12)


def test_stacks_of_layers_go_forward_together():
    rng = np.random.default_rng(0)
    X, W, b = rng.normal(size=(5, 2)), rng.normal(size=(3, 2, 4)), rng.normal(size=(3, 1, 4))
    out = propagation.layer_outputs(X, [W], [b], np.tanh)[-1]
    assert_allclose(out[1], X @ W[1] + b[1])
