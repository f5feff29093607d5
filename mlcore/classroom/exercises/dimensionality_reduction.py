"""The exercises of chapter 25: PCA, SVD and norms."""

import numpy as np

from mlcore.classroom.exercises import Case, Wrong, answer, implement

answer(
    "25.1",
    hint="J is the sum of the discarded λ. Which divisor has J, and which has `explained_variance_`?",
    step="Add the two discarded variances, and change their divisor from n - 1 to n.",
    right=4.9 * 6 / 7,
    mistakes={
        "these have the divisor n - 1, while J is a mean over n rows.": 4.9,
        "the other way round: dividing by 7 in place of 6 makes it smaller.": 4.9 * 7 / 6,
        "that is what the first axis keeps; asked for is what is lost.": [6.0, 7.0],
        "that is the total; the axis that you keep loses nothing.": 11.9 * 6 / 7,
        "two of the three axes are discarded.": [1.2, 1.4],
    },
    also_wrong=[1.633, 4.204],
)  # fmt: skip


def _axes(X):
    """The principal directions as columns, the widest first."""
    return np.linalg.eigh(np.cov(X.T))[1][:, ::-1]


def _by_index(X):
    """The mistake ``vectors[order]``: rows of the matrix of eigenvectors, as columns."""
    return np.linalg.eigh(np.cov(X.T))[1][::-1].T


def _rows_for_columns(X):
    """The mistake ``Vt[:, :k]``."""
    return np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2]


def _rebuilt(X, k, before=True, after=True, axes=_axes):
    center, V = X.mean(axis=0), axes(X)[:, :k]
    return (X - center * before) @ V @ V.T + center * after


def _low_rank(X, k):
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    return (U[:, :k] * s[:k]) @ Vt[:k]


def _tables_of_rows(rng):
    for n, d, k in ((20, 4, 2), (30, 6, 1), (5, 8, 3), (9, 3, 3)):
        X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 5 * rng.normal(size=d)
        yield (X, k) if k < d else Case(X, k, said="with all axes the rows must come back as they were.")


implement(
    "25.2",
    hint="The principal components span a plane through the mean. What is to be done with the mean, before and after?",
    step="Centre, decompose with np.linalg.svd(..., full_matrices=False), keep k terms of the product, add the mean "
    "again.",
    right=_rebuilt, also_right=[lambda X, k: X.mean(axis=0) + _low_rank(X - X.mean(axis=0), k)],
    cases=_tables_of_rows, asked="rebuild the rows",
    mistakes={
        "that is X itself, all components.": lambda X, k: X,
        "that plane goes through the origin: centre first.": _low_rank,
        "you centred; add the mean again at the end.": {"after": False},
        "the axes are right; centre the rows that you project, too.": [
            {"before": False, "after": False}, {"before": False}
        ],
        "`eigh` sorts from small to large: these axes keep *least*.": {"axes": lambda X: _axes(X)[:, ::-1]},
        "`eigh` returns eigenvectors as *columns*.": {"axes": _by_index},
        "`svd` returns the axes as *rows* of its third result.": {"axes": _rows_for_columns},
    },
    otherwise=lambda rebuilt, right, X, k: f"for n={len(X)}, d={X.shape[1]}, k={k} the rows can be rebuilt better.",
    also_wrong=[lambda X, k: (X - X.mean(axis=0)) @ _axes(X)[:, :k]],
)  # fmt: skip

answer(
    "25.3",
    hint="PCA of these rows only. Which share do its first k axes keep together?",
    step="np.cumsum of explained_variance_ratio_, and the first place that exceeds 0.9. Places are counted from 0, "
    "axes from 1.",
    right=17,
    mistakes={
        "that is for all digits together: take the rows of the threes.": 21,
        "one short: Python counts places from 0, axes are counted from 1.": 16,
        "that is how many threes there are.": 183,
        "fewer axes than that keep far less than 90 %.": [6, 2, lambda value: value <= 6],
        "so many are not needed; add up `explained_variance_ratio_`.": [64, lambda value: value >= 30],
    },
)


def _norm(A):
    return np.linalg.svd(A, compute_uv=False)[0]


def _by_power(A, start=None, n_steps=3000):
    """Right, if it starts at random and takes many steps."""
    v = np.random.default_rng(1).normal(size=A.shape[1]) if start is None else start(A.shape[1])
    for _ in range(n_steps):
        v = A.T @ (A @ v)
        v = v / max(np.linalg.norm(v), 1e-300)
    return np.linalg.norm(A @ v)


def _by_lengths(A):
    """Right: with `norm` for vectors only, on the side with fewer numbers."""
    B = A if A.shape[0] >= A.shape[1] else A.T
    v = np.linspace(1, 2, B.shape[1])
    for _ in range(4000):
        v = B.T.dot(np.dot(B, v))
        v = v / np.linalg.norm(v, 2)
    return [np.linalg.norm(B.dot(v))]


class _Watched(np.ndarray):
    """An array that no function takes which finds the norm by itself."""

    def __array_function__(self, function, types, args, kwargs):
        name, which = function.__name__, kwargs.get("ord", args[1] if len(args) > 1 else None)
        forbidden = name in ("svd", "svdvals", "eig", "eigh", "eigvals", "eigvalsh", "cond", "pinv")
        if forbidden or name in ("norm", "matrix_norm") and np.ndim(args[0]) == 2 and which in (2, -2):
            raise Wrong(f"that is right, but `{name}` does it for you: multiply by A and by Aᵀ instead.")
        return super().__array_function__(function, types, args, kwargs)


def _only_products(answer):
    for A in (np.diag([3.0, 1.0]), np.arange(6.0).reshape(2, 3)):
        answer(A.view(_Watched))


def _matrices(rng):
    tall = np.linalg.qr(rng.normal(size=(7, 4)))[0] * [3, 2.7, 1, 0.5]
    for A in (np.array([[0.0, 2], [0, 0]]), tall, tall.T, np.diag([-3.0, 1, 2]), rng.normal(size=(5, 5))):
        yield (A,)


implement(
    "25.4",
    hint="Power iteration finds the largest eigenvalue of a symmetric matrix. Which symmetric matrix belongs to A?",
    step="AᵀA is symmetric, and σ₁² is its largest eigenvalue. Do not form it: multiply by A, then by Aᵀ, scale, "
    "repeat; the norm is the length of A v in the end.",
    right=_by_power, also_right=[_by_lengths], rtol=1e-5, cases=_matrices, then=_only_products,
    mistakes={
        "for [[0.0, 2.0], [0.0, 0.0]] it is NaN: a vector became 0. Start at random, use A and then Aᵀ.":
            lambda A: np.nan if A.shape == (2, 2) else _norm(A),
        "that is the largest |eigenvalue|, of A; take those of AᵀA.":
            lambda A: np.abs(np.linalg.eigvals(A)).max() if A.shape[0] == A.shape[1] else _norm(A),
        "that is σ₁², the eigenvalue of AᵀA: take the root.": lambda A: _norm(A) ** 2,
        "that is the Frobenius norm.": lambda A: np.sqrt(np.sum(A**2)),
        "that is the smallest singular value.": lambda A: np.linalg.svd(A, compute_uv=False)[-1],
    },
    otherwise=lambda value, right, A: f"for a matrix of {A.shape[0]} x {A.shape[1]} it is {right:.6f}, yours gives "
    f"{value:.6f}.",
    also_wrong=[
        _norm, lambda A: np.linalg.norm(A, 2), lambda A: np.linalg.norm(A, ord=2),
        lambda A: np.linalg.eigvalsh(A.T @ A)[-1] ** 0.5, lambda A: _by_power(A, np.ones, 2),
    ],
)  # fmt: skip


def _components(X_train, X_new, k, axes=_axes, center=None):
    return (X_new - (X_train.mean(axis=0) if center is None else center)) @ axes(X_train)[:, :k]


def _first_positive(T):
    """The columns, each with the sign that makes its largest entry positive."""
    return T * np.sign(T[np.abs(T).argmax(axis=0), np.arange(T.shape[1])])


def _rows_of_both(rng):
    for n, d, k in ((40, 3, 2), (25, 5, 3), (30, 4, 1)):
        X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 4 * rng.normal(size=d)
        yield X, X[:6] + rng.normal(size=(6, d)) + 1, k


implement(
    "25.5",
    hint="What does `eigh` return, and in which order? And may the coordinates of a new row depend on its company?",
    step="`eigh` returns the eigenvectors as columns, so order the columns. And new rows are centred by the mean of "
    "the training rows.",
    right=_components,
    also_right=[
        lambda X, new, k: -(new - X.mean(axis=0)) @ np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:k].T
    ],
    key=_first_positive, atol=1e-8, cases=_rows_of_both,
    asked="a row for each new row and a column for each component",
    mistakes={
        "neither is mended: look at how `vectors` is indexed, and at which mean is subtracted.":
            lambda X, new, k: _components(X, new, k, _by_index, new.mean(axis=0)),
        "`vectors[order]` takes rows; the eigenvectors are columns.": {"axes": _by_index},
        "`svd` returns the axes as *rows* of its third result.": {"axes": _rows_for_columns},
        "new rows are centred by the mean of the *training* rows.":
            lambda X, new, k: _components(X, new, k, center=new.mean(axis=0)),
        "the new rows are not centred: take off the mean of the training rows.": {"center": 0},
        "these are the directions of least variance.": {"axes": lambda X: _axes(X)[:, ::-1]},
        "`eigh` sorts from small to large: your first component comes last.":
            lambda X, new, k: _components(X, new, k)[:, ::-1],
        "the axes are learned from the training rows.": lambda X, new, k: _components(new, new, k),
    },
    otherwise=lambda T, right, X, new, k: f"wrong for {len(X)} rows of {X.shape[1]} features, k={k}.",
)  # fmt: skip
