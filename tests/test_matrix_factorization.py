"""Matrix factorisation against brute force, ridge regressions, the singular value decomposition and plain loops."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import Ridge

from mlcore import matrix_factorization as core
from mlcore.base import ConvergenceWarning, NotFittedError, snapshots
from mlcore.datasets import make_ratings
from mlcore.engines.rating_blocks import block_numbers
from mlcore.matrix_factorization import MatrixFactorization
from mlcore.optimize import DivergenceError
from mlcore.verify import numerical_gradient


def pairs_of(table):
    """The pairs and ratings of a table, whose holes are NaN."""
    users, items = np.nonzero(~np.isnan(table))
    return np.column_stack([users, items]), table[users, items]


def complete(n=12, m=8, seed=0):
    """A full table with clearly different singular values."""
    rng = np.random.default_rng(seed)
    P, Q = np.linalg.qr(rng.normal(size=(n, 4)))[0], np.linalg.qr(rng.normal(size=(m, 4)))[0]
    return P * [5.0, 3, 1.5, 0.4] @ Q.T


def rmse(model, X, y):
    return float(np.sqrt(np.mean((model.predict(X) - y) ** 2)))


def J_by_hand(model, X, y):
    """The loss, rating by rating."""
    V, W, total = model.user_factors_, model.item_factors_, 0.0
    for (u, i), rating in zip(X, y):
        total += (rating - model.mean_ - sum(V[u] * W[i])) ** 2
    return total + model.alpha * (sum(v @ v for v in V) + sum(w @ w for w in W))


def lists_of(X, r, n_own, nobody):
    """Padded lists, made by a loop."""
    longest = max(np.sum(X[:, 0] == u) for u in range(n_own))
    others, ratings = np.full((n_own, longest), nobody), np.zeros((n_own, longest))
    for u in range(n_own):
        mine = np.flatnonzero(X[:, 0] == u)
        others[u, : len(mine)], ratings[u, : len(mine)] = X[mine, 1], r[mine]
    return others, ratings


# ---------------------------------------------------------------------------------------------------------------
# The core
# ---------------------------------------------------------------------------------------------------------------
class TestHalfStep:
    @pytest.mark.parametrize("alpha", [1e-3, 0.7, 20.0])
    @pytest.mark.parametrize("k", [1, 3])
    def test_is_a_ridge_regression_for_each_user(self, alpha, k):
        rng = np.random.default_rng(k)
        X, r = make_ratings(9, 7, density=0.5, random_state=1)
        W = rng.normal(size=(7, k))
        V = core.als_half_step(np.vstack([W, np.zeros(k)]), *lists_of(X, r, 9, 7), alpha)
        for u in range(9):
            mine = X[:, 0] == u
            ridge = Ridge(alpha=alpha, fit_intercept=False).fit(W[X[mine, 1]], r[mine])
            assert_allclose(V[u], ridge.coef_, rtol=1e-8, atol=1e-10)

    @settings(max_examples=25, deadline=None)
    @given(seed=st.integers(0, 10**6), k=st.integers(1, 3), alpha=st.floats(0.01, 10))
    def test_the_loss_falls_by_a_square(self, seed, k, alpha):
        rng = np.random.default_rng(seed)
        X, r = make_ratings(6, 5, density=0.6, random_state=seed)
        V, W = rng.normal(size=(6, k)), rng.normal(size=(5, k))
        new = core.als_half_step(np.vstack([W, np.zeros(k)]), *lists_of(X, r, 6, 5), alpha)
        fall = 0.0
        for u in range(6):
            W_u = W[X[X[:, 0] == u, 1]]
            fall += np.sum((W_u @ (V[u] - new[u])) ** 2) + alpha * np.sum((V[u] - new[u]) ** 2)
        before, after = (core.penalised_loss(F, W, *X.T, r, alpha) for F in (V, new))
        assert before - after == pytest.approx(fall, rel=1e-7)

    def test_groups_of_lists_and_one_table_of_lists_agree(self, monkeypatch):
        X, r = make_ratings(40, 30, density=0.25, random_state=2)
        W = np.random.default_rng(0).normal(size=(30, 3))
        whole = core.als_half_step(np.vstack([W, np.zeros(3)]), *lists_of(X, r, 40, 30), 0.5)
        for room in (2**16, 64, 2):
            monkeypatch.setattr(core, "ROOM", room)
            lists = core._lists(*X.T, r, 30)
            assert sum(len(who) for who, _, _ in lists) == 40 and all(len(who) for who, _, _ in lists)
            assert_allclose(core._half_step(np.zeros((40, 3)), W, lists, 0.5), whole, rtol=1e-9)


class TestStep:
    def test_is_half_the_gradient_of_its_rating(self):
        rng = np.random.default_rng(0)
        v, w = rng.normal(size=(2, 1, 3))
        r, eta, a, b = np.array([1.3]), 0.07, np.array([[0.2]]), np.array([[0.5]])

        def loss(both):
            (v, w) = both.reshape(2, 3)
            return (1.3 - v @ w) ** 2 + 0.2 * v @ v + 0.5 * w @ w

        slope = numerical_gradient(loss, np.concatenate([v[0], w[0]]))
        new = core.sgd_step(v, w, r, eta, a, b)
        expected = np.concatenate([v[0], w[0]]) - eta / 2 * slope
        assert_allclose(np.concatenate([new[0][0], new[1][0]]), expected, rtol=1e-7)

    def test_losses_of_the_ratings_add_up_to_J(self):
        X, r = make_ratings(8, 6, density=0.5, random_state=0)
        rng, alpha = np.random.default_rng(0), 0.7
        V, W = rng.normal(size=(8, 2)), rng.normal(size=(6, 2))
        n_u, n_i = np.bincount(X[:, 0]), np.bincount(X[:, 1])
        total = sum(
            (rating - V[u] @ W[i]) ** 2 + alpha / n_u[u] * V[u] @ V[u] + alpha / n_i[i] * W[i] @ W[i]
            for (u, i), rating in zip(X, r)
        )
        assert total == pytest.approx(core.penalised_loss(V, W, *X.T, r, alpha))

    @settings(max_examples=30, deadline=None)
    @given(seed=st.integers(0, 10**6), n=st.integers(1, 9), m=st.integers(1, 9), density=st.floats(0.05, 1))
    def test_no_user_and_no_item_comes_twice_in_a_block(self, seed, n, m, density):
        X, _ = make_ratings(n, m, density=density, random_state=seed)
        blocks = block_numbers(*X.T, n, m)
        assert len(blocks) == len(X)
        for column in X.T:
            assert len(np.unique(np.column_stack([blocks, column]), axis=0)) == len(X)
        for j, (u, i) in enumerate(X):  # no earlier block was free
            busy = {blocks[other] for other in range(j) if X[other, 0] == u or X[other, 1] == i}
            assert blocks[j] == min(set(range(len(X) + 1)) - busy)

    def test_an_epoch_in_blocks_is_an_epoch_one_by_one(self):
        X, r = make_ratings(10, 8, density=0.5, random_state=0)
        rng, alpha, eta = np.random.default_rng(0), 0.7, 0.05
        V, W = rng.normal(size=(10, 2)), rng.normal(size=(8, 2))
        n_u, n_i = np.bincount(X[:, 0]), np.bincount(X[:, 1])
        blocks = core._blocks(*X.T, r, alpha / n_u, alpha / n_i, np.random.default_rng(3))
        fast = core.sgd_epoch(V, W, blocks, eta)
        assert sum(len(block[0]) for block in blocks) == len(r)
        slow_V, slow_W, met = V.copy(), W.copy(), 0
        for users, items, ratings, _, _ in blocks:
            for u, i, rating in zip(users, items, ratings):
                e, v = rating - slow_V[u] @ slow_W[i], slow_V[u].copy()
                slow_V[u] = v + eta * (e * slow_W[i] - alpha / n_u[u] * v)
                slow_W[i] = slow_W[i] + eta * (e * v - alpha / n_i[i] * slow_W[i])
                met += rating == r[(X[:, 0] == u) & (X[:, 1] == i)][0]
        assert met == len(r)
        one_by_one = [rating for block in blocks for rating in zip(*block)]
        assert_allclose(core.sgd_epoch(V, W, one_by_one, eta)[0], fast[0], rtol=1e-12)
        assert_allclose(fast[0], slow_V, rtol=1e-10)
        assert_allclose(fast[1], slow_W, rtol=1e-10)
        assert not np.allclose(fast[0], V)


def test_main_axes_are_the_svd_of_the_products():
    rng = np.random.default_rng(0)
    V, W = rng.normal(size=(7, 3)), rng.normal(size=(5, 3))
    A, B = core.main_axes(V, W)
    assert_allclose(A @ B.T, V @ W.T, atol=1e-12)
    sigma = np.linalg.svd(V @ W.T, compute_uv=False)[:3]
    assert_allclose(A.T @ A, np.diag(sigma), atol=1e-10)
    assert_allclose(B.T @ B, np.diag(sigma), atol=1e-10)


# ---------------------------------------------------------------------------------------------------------------
# The model
# ---------------------------------------------------------------------------------------------------------------
class TestCompleteTable:
    @pytest.mark.parametrize("alpha", [0.1, 0.7, 2.0])
    @pytest.mark.parametrize("solver", ["als", "sgd"])
    def test_singular_values_are_lowered_by_alpha(self, alpha, solver):
        table = complete()
        X, y = pairs_of(table)
        sigma = np.linalg.svd(table - table.mean(), compute_uv=False)
        rate = {"als": 0.02, "sgd": lambda epoch: 0.04 / (1 + epoch / 50)}[solver]
        model = MatrixFactorization(
            n_factors=3, solver=solver, alpha=alpha, learning_rate=rate, max_iter=1000, tol=1e-9, random_state=0
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y)
        V, W = model.user_factors_, model.item_factors_
        tolerance = {"als": 1e-3, "sgd": 2e-2}[solver]
        assert_allclose(np.linalg.svd(V @ W.T, compute_uv=False)[:3], np.maximum(sigma[:3] - alpha, 0), atol=tolerance)
        assert_allclose(V.T @ V, W.T @ W, atol=2 * tolerance)
        assert_allclose(V.T @ V, np.diag(np.diag(V.T @ V)), atol=1e-9)

    def test_a_penalty_above_the_largest_singular_value_leaves_the_mean(self):
        table = complete() + 3
        X, y = pairs_of(table)
        largest = np.linalg.svd(table - table.mean(), compute_uv=False)[0]
        model = MatrixFactorization(alpha=1.05 * largest, tol=1e-10, max_iter=2000, random_state=0).fit(X, y)
        assert np.abs(model.user_factors_ @ model.item_factors_.T).max() < 1e-4
        assert_allclose(model.predict(X), table.mean(), atol=1e-3)

    @pytest.mark.parametrize("k", [1, 2, 3])
    def test_without_penalty_it_is_the_truncated_svd(self, k):
        table = complete(20, 15, seed=3)
        X, y = pairs_of(table)
        model = MatrixFactorization(n_factors=k, alpha=0, tol=1e-13, max_iter=2000, random_state=0).fit(X, y)
        centred = table - table.mean()
        svd = TruncatedSVD(k, algorithm="arpack", random_state=0)
        nearest = svd.fit_transform(centred) @ svd.components_
        assert_allclose(model.user_factors_ @ model.item_factors_.T, nearest, atol=1e-4)


class TestModel:
    @pytest.mark.parametrize("solver", ["als", "sgd"])
    def test_finds_hidden_ratings(self, solver):
        full, truth = make_ratings(60, 40, density=1, noise=0, random_state=0)
        X, y = make_ratings(60, 40, density=0.4, noise=0.1, random_state=0)
        model = MatrixFactorization(n_factors=3, solver=solver, alpha=0.5, random_state=0).fit(X, y)
        assert rmse(model, full, truth) < 0.25 < np.std(truth)
        assert model.loss_ == pytest.approx(J_by_hand(model, X, y), rel=1e-9)
        assert model.score(full, truth) > 0.9

    @pytest.mark.parametrize("seed", range(4))
    def test_the_loss_never_rises_and_the_training_error_may(self, seed):
        rng = np.random.default_rng(seed)
        table = rng.normal(size=(9, 6))
        table[rng.random(table.shape) > 0.6] = np.nan
        X, y = pairs_of(table)
        model = MatrixFactorization(alpha=0.7, max_iter=30, tol=0, random_state=seed, shape=(9, 6))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            states = snapshots(model.iter_fit(X, y))
        losses = [state.loss_ for state in states]
        assert max(np.diff(losses)) <= 1e-10 * losses[0]
        assert losses[-1] == pytest.approx(J_by_hand(states[-1], X, y))

    def test_at_the_end_no_direction_leads_down(self):
        X, y = make_ratings(10, 8, density=0.6, random_state=4)
        model = MatrixFactorization(alpha=0.5, tol=1e-14, max_iter=5000, random_state=1).fit(X, y)
        sizes = model.user_factors_.size

        def J(both):
            V, W = both[:sizes].reshape(-1, 2), both[sizes:].reshape(-1, 2)
            return core.penalised_loss(V, W, *X.T, y - y.mean(), 0.5)

        both = np.concatenate([model.user_factors_.ravel(), model.item_factors_.ravel()])
        assert np.abs(numerical_gradient(J, both)).max() < 1e-3

    def test_both_solvers_walk_down_the_same_loss(self):
        X, y = make_ratings(30, 20, density=0.4, random_state=0)
        als = MatrixFactorization(alpha=1, tol=1e-8, max_iter=2000, random_state=0).fit(X, y)
        sgd = MatrixFactorization(
            alpha=1, solver="sgd", tol=1e-7, max_iter=1500, learning_rate=lambda t: 0.05 / (1 + t / 20), random_state=0
        ).fit(X, y)
        assert sgd.loss_ == pytest.approx(als.loss_, rel=0.01)

    @pytest.mark.parametrize("solver", ["als", "sgd"])
    def test_units_do_not_matter(self, solver):
        X, y = make_ratings(12, 9, density=0.6, random_state=0)
        model = MatrixFactorization(solver=solver, alpha=0.5, random_state=0).fit(X, y)
        for factor, shift in ((1e8, 0), (1e-8, 0), (10, 100)):
            other = MatrixFactorization(solver=solver, alpha=0.5 * factor, random_state=0).fit(X, factor * (y + shift))
            assert_allclose(other.predict(X) / factor - shift, model.predict(X), rtol=1e-6)
            assert other.n_iter_ == model.n_iter_

    def test_each_sweep_ends_on_main_axes_and_lowers_the_loss(self):
        X, y = make_ratings(12, 9, density=0.6, random_state=0)
        states = snapshots(MatrixFactorization(alpha=0.1, n_factors=3, random_state=0).iter_fit(X, y))
        for state in states[1::2]:
            V, W = state.user_factors_, state.item_factors_
            assert_allclose(V.T @ V, W.T @ W, atol=1e-9)
            assert_allclose(V.T @ V, np.diag(np.diag(V.T @ V)), atol=1e-9)
        assert max(np.diff([state.loss_ for state in states])) < 1e-9
        assert states[-1].n_iter_ == len(states) / 2 < 100

    def test_order_of_ratings_does_not_matter_to_als(self):
        X, y = make_ratings(12, 9, density=0.6, random_state=0)
        order = np.random.default_rng(1).permutation(len(y))
        a, b = (MatrixFactorization(random_state=0).fit(X[o], y[o]) for o in (slice(None), order))
        assert_allclose(a.predict(X), b.predict(X), rtol=1e-8)

    @pytest.mark.parametrize("solver", ["als", "sgd"])
    def test_the_same_seed_gives_the_same_factors(self, solver):
        X, y = make_ratings(12, 9, density=0.6, random_state=0)
        a, b = (MatrixFactorization(solver=solver, random_state=5).fit(X, y) for _ in range(2))
        assert_array_equal(a.user_factors_, b.user_factors_)
        generator = MatrixFactorization(solver=solver, random_state=np.random.default_rng(5)).fit(X, y)
        assert_array_equal(generator.item_factors_, a.item_factors_)

    def test_starts_may_end_at_several_losses(self):
        rng = np.random.default_rng(1)
        table = rng.normal(size=(9, 6))
        table[rng.random(table.shape) > 0.6] = np.nan
        X, y = pairs_of(table)
        models = [MatrixFactorization(alpha=0.3, tol=1e-10, max_iter=5000, random_state=s) for s in range(12)]
        assert len({round(model.fit(X, y).loss_, 3) for model in models}) > 1

    def test_kinds_of_input(self):
        X, y = make_ratings(12, 9, density=0.6, random_state=0)
        wanted = MatrixFactorization(random_state=0).fit(X, y).predict(X)
        fixed_X, fixed_y = X.copy(), y.copy()
        fixed_X.flags.writeable = fixed_y.flags.writeable = False
        frame = pd.DataFrame(X, columns=["user", "item"])
        for kind in (X.tolist(), X.astype(float), X.astype(np.int8), np.asfortranarray(X), fixed_X, frame):
            assert_allclose(MatrixFactorization(random_state=0).fit(kind, fixed_y).predict(kind), wanted)
        model = MatrixFactorization(random_state=0).fit(frame, pd.Series(y))
        assert len(model.recommend(0)) > 0 and list(model.feature_names_in_) == ["user", "item"]
        single = MatrixFactorization(random_state=0).fit(X, y.astype(np.float32)).predict(X)
        assert_allclose(single, wanted, atol=1e-3)

    def test_a_pair_that_comes_twice_counts_twice(self):
        X, y = make_ratings(8, 6, density=0.5, random_state=0)
        for solver in ("als", "sgd"):
            model = MatrixFactorization(solver=solver, random_state=0, tol=1e-6, max_iter=1000)
            model.fit(np.vstack([X, X[:1]]), np.append(y, y[0] + 1))
            assert model.loss_ == pytest.approx(J_by_hand(model, np.vstack([X, X[:1]]), np.append(y, y[0] + 1)))
            assert model.user_counts_.sum() == len(y) + 1

    @pytest.mark.parametrize("solver", ["als", "sgd"])
    def test_small_and_constant_tables(self, solver):
        one = MatrixFactorization(n_factors=1, solver=solver, max_iter=1000, random_state=0).fit([[0, 0]], [4.0])
        assert_allclose(one.predict([[0, 0]]), 4, atol=1e-4)
        assert one.recommend(0).tolist() == []
        same = MatrixFactorization(n_factors=1, solver=solver, max_iter=2000, random_state=0)
        same.fit([[0, 0], [1, 1], [0, 1]], [3.0] * 3)
        assert_allclose(same.predict([[1, 0], [0, 0]]), 3, atol=0.05)
        rounded = [0.1] * 7  # whose mean is not 0.1
        pairs = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [2, 0]]
        model = MatrixFactorization(solver=solver, max_iter=2000, random_state=0).fit(pairs, rounded)
        assert np.mean(rounded) != 0.1 and model.mean_ == 0.1
        assert_allclose(model.predict(pairs), 0.1, atol=0.01)

    def test_without_penalty_and_with_few_ratings_nothing_breaks(self):
        X, y = make_ratings(10, 10, density=0.12, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = MatrixFactorization(n_factors=5, alpha=0, max_iter=500, random_state=0).fit(X, y)
        assert np.isfinite(model.user_factors_).all() and rmse(model, X, y) < 0.01

    def test_a_table_whose_loss_has_no_minimum(self):
        X, y = [[0, 1], [1, 0], [1, 1]], [1.0, 1.0, 0.0]
        hidden = []
        for rounds in (10, 1000):
            with pytest.warns(ConvergenceWarning, match="raise max_iter or alpha"):
                model = MatrixFactorization(n_factors=1, alpha=0, tol=0, max_iter=rounds, random_state=0).fit(X, y)
            hidden.append(abs(model.predict([[0, 0]])[0]))
        assert hidden[1] > 2 * hidden[0]

    def test_zero_is_stationary(self):
        nobody = np.zeros((3, 2))
        assert_array_equal(core.als_half_step(nobody, np.array([[0, 1]]), np.array([[1.0, 2.0]]), 0.5), [[0, 0]])
        v, w = core.sgd_step(nobody[:1], nobody[:1], np.ones(1), 0.1, 1.0, 1.0)
        assert v.tolist() == w.tolist() == [[0, 0]]


class TestNeverRated:
    X, y = [[0, 0], [0, 2], [2, 2], [2, 0], [3, 2]], [1.0, 2, 4, 4, 5]

    @pytest.mark.parametrize("solver", ["als", "sgd"])
    def test_means_stand_in(self, solver):
        model = MatrixFactorization(solver=solver, shape=(5, 4), random_state=0).fit(self.X, self.y)
        assert_array_equal(model.user_factors_[[1, 4]], 0)
        assert_array_equal(model.item_factors_[[1, 3]], 0)
        new_user, new_item, both = model.predict([[1, 2], [0, 3], [4, 1]])
        assert new_user == pytest.approx((2 + 4 + 5) / 3)
        assert new_item == pytest.approx(1.5)
        assert both == pytest.approx(np.mean(self.y))
        assert model.user_counts_.tolist() == [2, 0, 2, 1, 0]

    def test_recommends_what_is_unseen_and_known(self):
        model = MatrixFactorization(shape=(5, 4), random_state=0).fit(self.X, self.y)
        assert model.recommend(0).tolist() == []
        assert model.recommend(3).tolist() == [0]
        assert model.recommend(4).tolist() == [2, 0]  # by the means 3.67 and 2.5
        assert model.recommend(4, 1).tolist() == [2]

    def test_recommends_the_highest_predictions(self):
        X, y = make_ratings(20, 30, density=0.3, random_state=0)
        model = MatrixFactorization(random_state=0).fit(X, y)
        for user in (0, 7):
            unseen = np.setdiff1d(np.arange(30), X[X[:, 0] == user, 1])
            predicted = model.predict(np.column_stack([np.full(len(unseen), user), unseen]))
            assert model.recommend(user, 4).tolist() == unseen[np.argsort(-predicted)][:4].tolist()


class TestBadInput:
    X, y = [[0, 0], [1, 1], [2, 0], [0, 1]], [1.0, 2, 3, 4]

    @pytest.mark.parametrize(
        "parameters, message",
        [
            ({"n_factors": 3}, r"n_factors=3 is more than min\(n_users, n_items\)=2"),
            ({"shape": (3, 2.5)}, "n_items of shape"),
            ({"shape": (10**12, 2)}, "n_users of shape must be a whole number from 1 to 10000001"),
            ({"shape": (2, 2)}, "user 2 lies outside the table of 2 users, which are numbered 0 to 1"),
            ({"shape": (3, 1), "n_factors": 1}, "item 1 lies outside the table of 1 items"),
        ],
    )
    def test_parameters(self, parameters, message):
        with pytest.raises(ValueError, match=message):
            MatrixFactorization(**parameters).fit(self.X, self.y)

    @pytest.mark.parametrize(
        "X, y, message",
        [
            ([[0, 0], [1, -1]], [1, 2], "whole numbers >= 0"),
            ([[0, 0.5], [1, 1]], [1, 2], "got 0.5"),
            ([[0, 0, 1], [1, 1, 1]], [1, 2], "two columns"),
            ([[0], [1]], [1, 2], "two columns"),
            ([[0, 0], [10**9, 1]], [1, 2], "too large"),
            ([["ann", 0], ["bob", 1]], [1, 2], "numeric"),
        ],
    )
    def test_data(self, X, y, message):
        with pytest.raises(ValueError, match=message):
            MatrixFactorization(n_factors=1).fit(X, y)

    def test_prediction(self):
        with pytest.raises(NotFittedError):
            MatrixFactorization().recommend(0)
        model = MatrixFactorization(n_factors=1, random_state=0).fit(self.X, self.y)
        for pair, message in (([3, 0], "user 3 lies outside the table of 3"), ([0, 2], "item 2"), ([0, -1], ">= 0")):
            with pytest.raises(ValueError, match=message):
                model.predict([pair])
        for user, n in ((3, 1), (-1, 1), (0, 0), (0.5, 1)):
            with pytest.raises(ValueError, match="user|n must"):
                model.recommend(user, n)

    def test_too_long_steps(self):
        X, y = make_ratings(20, 15, density=0.5, random_state=0)
        with pytest.raises(DivergenceError, match="learning_rate"):
            MatrixFactorization(solver="sgd", learning_rate=5.0, random_state=0).fit(X, y)
