"""Chapter 2. Linear regression (线性回归): fit ŷ = Xw + b so that the squared errors are small.

The same problem is solved in closed form, by gradient descent over all samples or over a few at a time, with a
penalty on the weights (ridge, lasso), and anew around each query point (locally weighted regression).
"""

import itertools

import numpy as np

from mlcore.core.arithmetic import solve_regular


# ---------------------------------------------------------------------------------------------------------------
# X has a row for each of n samples and a column for each of d features; y has shape (n,), w shape (d,). X and y are
# centred, so that there is no intercept to find (2.25).
# ---------------------------------------------------------------------------------------------------------------
def slope_and_intercept(x, y):
    """w = Σ (y_i - ȳ)(x_i - x̄) / Σ (x_i - x̄)² and b = ȳ - w x̄, for x and y of shape (n,)  (2.1), (2.2)."""
    from_mean = x - x.mean()
    w = (y - y.mean()) @ from_mean / (from_mean @ from_mean)
    return w, y.mean() - w * x.mean()


def mean_gradient(w, X, y):
    """∇J(w)/n = Xᵀ(Xw - y)/n, of shape (d,): over some rows only, it is right on average  (2.4), (2.14)."""
    return X.T @ (X @ w - y) / len(y)


# ---------------------------------------------------------------------------------------------------------------
# The walks. x is where the walk stands, an array; rate(step) is the learning rate η of step 0, 1, 2, ...
# ---------------------------------------------------------------------------------------------------------------
def descend(gradient, x, rate, max_iter, tol):
    """Gradient descent, x ← x - η ∇f(x): yield x after each step, until no entry of the gradient exceeds tol."""
    yield x
    for step in range(max_iter):
        slope = gradient(x)
        if np.abs(slope).max() <= tol:
            return
        x = x - rate(step) * slope
        yield x


def descend_by_batches(gradient, x, n_samples, batch_size, rate, max_iter, tol, rng):
    """The same by batches, x ← x - η ∇f_B(x): each epoch takes all rows once, in a new order, a batch B at a time."""
    yield x
    steps = itertools.count()
    for _ in range(max_iter):
        before, order = x, rng.permutation(n_samples)
        for first in range(0, n_samples, batch_size):
            B = order[first : first + batch_size]
            x = x - rate(next(steps)) * gradient(x, B)
            yield x
        if np.abs(x - before).max() <= tol * np.abs(x).max():
            return


# ---------------------------------------------------------------------------------------------------------------
# Solved at once, with a penalty on the weights, and around a query point q
# ---------------------------------------------------------------------------------------------------------------
def normal_equation(X, y):
    """w = (XᵀX)⁻¹ Xᵀy: the residual y - Xw is perpendicular to every column of X  (2.15)."""
    return solve_regular(X.T @ X, X.T @ y)


def shortest_solution(X, y, way=0.0):
    """w = V S⁺ Uᵀy with X = U S Vᵀ: of all w with the least loss, the shortest  (2.17).

    A singular value counts as 0 where it is rounding beside the largest, or beside the way over which w is used.
    """
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    known = s > max(X.shape) * np.finfo(float).eps * max(s[0], way)
    return Vt[known].T @ ((U.T @ y)[known] / s[known])


def ridge_weights(X, y, alpha):
    """w = (XᵀX + αI)⁻¹ Xᵀy = Xᵀ (XXᵀ + αI)⁻¹ y: the second needs only an (n, n) matrix  (2.23)."""
    n, d = X.shape
    if n < d:
        return X.T @ solve_regular(X @ X.T + alpha * np.eye(n), y)
    return solve_regular(X.T @ X + alpha * np.eye(d), X.T @ y)


def filtered_weights(X, y, alpha):
    """The same by X = U S Vᵀ: along each v_j, u_jᵀy / s_j times s_j² / (s_j² + α)  (2.24)."""
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    return Vt.T @ (s / (s**2 + alpha) * (U.T @ y))


def soft_threshold(z, threshold):
    """S(z, t) = max(z - t, 0) + min(z + t, 0): between ±t all becomes 0, the rest moves by t  (2.26)."""
    return np.maximum(z - threshold, 0.0) + np.minimum(z + threshold, 0.0)


def lasso_sweep(w, G, c, alpha):
    """w_j ← S(z_j, α) / G_jj with z_j = c_j - Σ_(k≠j) G_jk w_k, for one j after another  (2.27).

    G = XᵀX/n, of shape (d, d), and c = Xᵀy/n, of shape (d,). A column of zeros, with G_jj = 0, keeps its weight.
    """
    w = w.copy()
    for j in np.flatnonzero(G.diagonal()):
        z = c[j] - G[j] @ w + G[j, j] * w[j]
        w[j] = soft_threshold(z, alpha) / G[j, j]
    return w


def support_step(w, G, c, alpha):
    """Solve G_SS w_S = c_S - α sign(w_S) for all the weights S that are not 0 at once  (2.28).

    The first weight that would change its sign on the way becomes 0, and the step ends there.
    """
    S = np.flatnonzero(w)
    old = w[S]
    grain = 1e-10 * G.trace() / len(w) * np.eye(len(S))  # G_SS may be singular
    way = np.linalg.solve(G[S][:, S] + grain, c[S] - alpha * np.sign(old) - G[S] @ w)
    turn = np.where(old * (old + way) < 0, -old / way, np.inf)  # where on the way it is 0
    share = turn.min(initial=1.0)
    w = w.copy()
    w[S] = np.where(turn <= share, 0.0, old + share * way)
    return w


def nearness(q, X, tau):
    """u_i = exp(-‖x_i - q‖² / (2τ²)), of shape (n,), divided by the greatest of them."""
    squared = np.square(X - q).sum(axis=1)
    return np.exp(-0.5 * (squared - squared.min()) / tau / tau)


def local_value(q, X, y, u):
    """The line with the least Σ u_i (wᵀx_i + b - y_i)², at q: least squares for D^½ X and D^½ y, D = diag(u)  (2.30).

    X and y have any origin; they are centred at their weighted means.
    """
    u = u / u.sum()
    x_mean, y_mean, root = u @ X, u @ y, np.sqrt(u)
    A, way = root[:, np.newaxis] * (X - x_mean), q - x_mean
    return y_mean + way @ shortest_solution(A, root * (y - y_mean), np.linalg.norm(way))


def products(X, factors):
    """For each tuple of factors (i, j, ...) the column x_i x_j ...: an earlier column times one more feature."""
    columns, made = np.ones((len(factors), len(X))), {(): np.ones(len(X))}
    for column, indices in zip(columns, factors, strict=True):
        if indices:
            np.multiply(made[indices[:-1]], X[:, indices[-1]], out=column)
        made[indices] = column
    return columns.T
