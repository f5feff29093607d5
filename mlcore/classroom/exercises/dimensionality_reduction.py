"""Graders of chapter 25."""

import numpy as np

from mlcore.classroom.exercises import Unknown, Wrong, array, call, close, exercise, expect, number


@exercise(
    "25.1",
    hint="J is the sum of the discarded λ. Which divisor has J, and which has `explained_variance_`?",
    step="Add the two discarded variances, and change their divisor from n - 1 to n.",
    wrong=[4.9, 4.9 * 7 / 6, 6.0, 7.0, 11.9 * 6 / 7, 1.2, 1.633],
    right=[4.2, np.float64(4.9) * 6 / 7, 4.2001],
)
def which_divisor(answer):
    """(3.5 + 1.4) · 6/7."""
    value = number(answer)
    expect(not close(value, 4.9), "these have the divisor n - 1, while J is a mean over n rows.")
    expect(not close(value, 4.9 * 7 / 6), "the other way round: dividing by 7 in place of 6 makes it smaller.")
    expect(not (close(value, 6) or close(value, 7)), "that is what the first axis keeps; asked for is what is lost.")
    expect(not close(value, 11.9 * 6 / 7), "that is the total; the axis that you keep loses nothing.")
    expect(not (close(value, 1.2) or close(value, 1.4)), "two of the three axes are discarded.")
    expect(close(value, 4.2, rtol=1e-3))


def _right_rebuild(X, k):
    center = X.mean(axis=0)
    U, s, Vt = np.linalg.svd(X - center, full_matrices=False)
    return center + (U[:, :k] * s[:k]) @ Vt[:k]


def _by_covariance(X, k):
    V = np.linalg.eigh(np.cov(X.T))[1][:, ::-1][:, :k]
    return X.mean(axis=0) + (X - X.mean(axis=0)) @ V @ V.T


def _not_centred(X, k):
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    return (U[:, :k] * s[:k]) @ Vt[:k]


def _mean_forgotten(X, k):
    return _right_rebuild(X, k) - X.mean(axis=0)


def _smallest(X, k):
    V = np.linalg.eigh(np.cov(X.T))[1][:, :k]
    return X.mean(axis=0) + (X - X.mean(axis=0)) @ V @ V.T


def _rows_for_columns(X, k):
    V = np.linalg.eigh(np.cov(X.T))[1][::-1][:k].T
    return X.mean(axis=0) + (X - X.mean(axis=0)) @ V @ V.T


def _rows_not_centred(X, k):
    V = np.linalg.eigh(np.cov(X.T))[1][:, ::-1][:, :k]
    return X @ V @ V.T


def _mean_only_added(X, k):
    return _rows_not_centred(X, k) + X.mean(axis=0)


def _coordinates(X, k):
    return (X - X.mean(axis=0)) @ np.linalg.eigh(np.cov(X.T))[1][:, ::-1][:, :k]


def _the_table(X, k):
    return X


@exercise(
    "25.2",
    hint="The principal components span a plane through the mean. What is to be done with the mean, before and after?",
    step="Centre, decompose with np.linalg.svd(..., full_matrices=False), keep k terms of the product, add the mean "
    "again.",
    wrong=[
        _not_centred, _mean_forgotten, _rows_not_centred, _mean_only_added, _smallest, _rows_for_columns, _coordinates,
        _the_table, 2.0,
    ],
    right=[_right_rebuild, _by_covariance],
)
def rebuilt_rows(answer):
    """x̄ + Z V_k V_kᵀ."""
    rng = np.random.default_rng(252)
    for n, d, k in ((20, 4, 2), (30, 6, 1), (5, 8, 3), (9, 3, 3)):
        X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 5 * rng.normal(size=d)
        rebuilt = array(call(answer, X.copy(), k))
        expect(rebuilt.shape == X.shape, f"the shape of X is {X.shape}, yours is {rebuilt.shape}: rebuild the rows.")
        if k == 3 and d == 3:
            expect(close(rebuilt, X), "with all axes the rows must come back as they were.")
            continue
        expect(not close(rebuilt, X), "that is X itself, all components.")
        expect(not close(rebuilt, _not_centred(X, k)), "that plane goes through the origin: centre first.")
        expect(not close(rebuilt, _mean_forgotten(X, k)), "you centred; add the mean again at the end.")
        for mistake in (_rows_not_centred, _mean_only_added):
            expect(not close(rebuilt, mistake(X, k)), "the axes are right; centre the rows that you project, too.")
        if k < min(n - 1, d):
            expect(not close(rebuilt, _smallest(X, k)), "`eigh` sorts from small to large: these axes keep *least*.")
            expect(not close(rebuilt, _rows_for_columns(X, k)), "`eigh` returns eigenvectors as *columns*.")
        if not close(rebuilt, _right_rebuild(X, k)):
            raise Unknown(f"for n={n}, d={d}, k={k} the rows can be rebuilt better.")


@exercise(
    "25.3",
    hint="PCA of these rows only. Which share do its first k axes keep together?",
    step="np.cumsum of explained_variance_ratio_, and the first place that exceeds 0.9. Places are counted from 0, "
    "axes from 1.",
    wrong=[21, 16, 6, 64, 183, 2],
    right=[17, np.int64(17)],
)
def threes_alone(answer):
    """Counted."""
    value = number(answer)
    expect(not close(value, 21), "that is for all digits together: take the rows of the threes.")
    expect(not close(value, _THREES - 1), "one short: Python counts places from 0, axes are counted from 1.")
    expect(not close(value, 183), "that is how many threes there are.")
    expect(value > 6, "fewer axes than that keep far less than 90 %.")
    expect(value < 30, "so many are not needed; add up `explained_variance_ratio_`.")
    expect(close(value, _THREES))


_THREES = 17


def _right_norm(A):
    return np.linalg.svd(A, compute_uv=False)[0]


def _largest_eigenvalue(A):
    return np.abs(np.linalg.eigvals(A)).max() if A.shape[0] == A.shape[1] else _right_norm(A)


def _all_squares(A):
    return np.sqrt(np.sum(A**2))


def _no_root(A):
    return _right_norm(A) ** 2


def _smallest_value(A):
    return np.linalg.svd(A, compute_uv=False)[-1]


def _few_steps(A):
    v = np.ones(A.shape[1])
    for _ in range(2):
        v = A.T @ (A @ v)
        v = v / max(np.linalg.norm(v), 1e-300)
    return np.linalg.norm(A @ v)


def _by_power(A):
    v = np.random.default_rng(1).normal(size=A.shape[1])
    for _ in range(3000):
        v = A.T @ (A @ v)
        v /= np.linalg.norm(v)
    return np.linalg.norm(A @ v)


def _only_A(A):
    v = np.random.default_rng(1).normal(size=A.shape[1])
    for _ in range(100 if A.shape[0] == A.shape[1] else 0):
        v = A @ v
        with np.errstate(invalid="ignore"):
            v = v / np.linalg.norm(v)
    return np.linalg.norm(A @ v)


def _as_an_array(A):
    return np.array([[_right_norm(A)]])


@exercise(
    "25.4",
    hint="Power iteration finds the largest eigenvalue of a symmetric matrix. Which symmetric matrix belongs to A?",
    step="AᵀA is symmetric, and σ₁² is its largest eigenvalue. Do not form it: multiply by A, then by Aᵀ, scale, "
    "repeat; the norm is the length of A v in the end.",
    wrong=[_largest_eigenvalue, _all_squares, _no_root, _smallest_value, _few_steps, _only_A, 1.5],
    right=[_by_power, _as_an_array],
)
def norm_by_multiplying(answer):
    """σ₁."""
    rng = np.random.default_rng(254)
    tall = np.linalg.qr(rng.normal(size=(7, 4)))[0] * [3, 2.7, 1, 0.5]
    for A in (np.array([[0.0, 2], [0, 0]]), tall, tall.T, np.diag([-3.0, 1, 2]), rng.normal(size=(5, 5))):
        value, right = call(answer, A.copy()), _right_norm(A)
        if isinstance(value, float) and np.isnan(value):
            raise Wrong(f"for {A.round(2).tolist()} it is NaN: a vector became 0. Start at random, use A and then Aᵀ.")
        value = number(value)
        if close(value, right, rtol=1e-5):
            continue
        expect(not close(value, _largest_eigenvalue(A)), "that is the largest |eigenvalue|, of A; take those of AᵀA.")
        expect(not close(value, right**2), "that is σ₁², the eigenvalue of AᵀA: take the root.")
        expect(not close(value, _all_squares(A)), "that is the Frobenius norm.")
        expect(not close(value, _smallest_value(A)), "that is the smallest singular value.")
        raise Unknown(f"for a matrix of {A.shape[0]} x {A.shape[1]} it is {right:.6f}, yours gives {value:.6f}.")


def _buggy(X_train, X_new, k):
    Z = X_train - X_train.mean(axis=0)
    values, vectors = np.linalg.eigh(Z.T @ Z)
    return (X_new - X_new.mean(axis=0)) @ vectors[np.argsort(values)[::-1]][:k].T


def _rows_still(X_train, X_new, k):
    Z = X_train - X_train.mean(axis=0)
    values, vectors = np.linalg.eigh(Z.T @ Z)
    return (X_new - X_train.mean(axis=0)) @ vectors[np.argsort(values)[::-1]][:k].T


def _mean_still(X_train, X_new, k):
    return _right_components(X_train, X_new, k) - _right_components(X_train, X_new, k).mean(axis=0)


def _right_components(X_train, X_new, k):
    center = X_train.mean(axis=0)
    return (X_new - center) @ np.linalg.svd(X_train - center, full_matrices=False)[2][:k].T


def _other_signs(X_train, X_new, k):
    return -_right_components(X_train, X_new, k)


def _least(X_train, X_new, k):
    center = X_train.mean(axis=0)
    return (X_new - center) @ np.linalg.eigh(np.cov(X_train.T))[1][:, :k]


def _learned_from_new(X_train, X_new, k):
    return _right_components(X_new, X_new, k)


def _not_centred_at_all(X_train, X_new, k):
    return X_new @ np.linalg.svd(X_train - X_train.mean(axis=0), full_matrices=False)[2][:k].T


def _same_up_to_sign(T, right):
    return all(close(t, r, 1e-6, 1e-8) or close(t, -r, 1e-6, 1e-8) for t, r in zip(T.T, right.T))


@exercise(
    "25.5",
    hint="What does `eigh` return, and in which order? And may the coordinates of a new row depend on its company?",
    step="`eigh` returns the eigenvectors as columns, so order the columns. And new rows are centred by the mean of "
    "the training rows.",
    wrong=[_buggy, _rows_still, _mean_still, _not_centred_at_all, _least, _learned_from_new, 1.0],
    right=[_right_components, _other_signs],
)
def without_bugs(answer):
    """(x - x̄ of the training rows)ᵀ u_j, up to the sign of u_j."""
    rng = np.random.default_rng(255)
    for n, d, k in ((40, 3, 2), (25, 5, 3), (30, 4, 1)):
        X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 4 * rng.normal(size=d)
        new = X[:6] + rng.normal(size=(6, d)) + 1
        T = array(call(answer, X.copy(), new.copy(), k))
        expect(T.shape == (6, k), f"6 new rows and {k} components are a table of (6, {k}), yours is {T.shape}.")
        for mistake, hint in (
            (_buggy, "neither is mended: look at how `vectors` is indexed, and at which mean is subtracted."),
            (_rows_still, "`vectors[order]` takes rows; the eigenvectors are columns."),
            (_mean_still, "new rows are centred by the mean of the *training* rows."),
            (_not_centred_at_all, "the new rows are not centred: take off the mean of the training rows."),
            (_least, "these are the directions of least variance."),
            (_learned_from_new, "the axes are learned from the training rows."),
        ):
            expect(not _same_up_to_sign(T, mistake(X, new, k)), hint)
        if not _same_up_to_sign(T, _right_components(X, new, k)):
            raise Unknown(f"wrong for {n} rows of {d} features, k={k}.")
