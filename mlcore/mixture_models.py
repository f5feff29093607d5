"""Mixtures of Gaussians, and the EM algorithm that fits them (Notes B, 混合模型与EM算法)."""

import numpy as np

from mlcore.base import (
    ConvergenceWarning,
    Estimator,
    anything,
    check_array,
    check_choice,
    check_fit_X,
    check_int,
    check_is_fitted,
    check_shares,
    check_X,
    choice,
    real,
    seed,
    warn_caller,
    whole,
)
from mlcore.clustering import KMeans
from mlcore.clustering.kmeans import check_distinct, first_distinct
from mlcore.core.bayes_classifiers import independent_log_density
from mlcore.core.mixture_models import bound, diagonal, draw, e_step, full, log_joint, m_step, spherical
from mlcore.core.parameter_estimation import gaussian_log_density
from mlcore.features import indicator
from mlcore.numerics import regular_inverse_root

__all__ = ["GaussianMixture", "elbo", "independent_log_density"]

ROWS = 4096
"""So many points are worked on together: their deviations stay in the cache."""
LEAST = 1e-10
"""A component has collapsed where less than this is left of the variance of all points, or of a unit variance."""
TYPES = {
    "full": (full, gaussian_log_density),
    "diag": (diagonal, independent_log_density),
    "spherical": (spherical, independent_log_density),
}
"""How a covariance of each type is estimated, and the density that it gives."""


class _Collapse(Exception):
    """A component has lost its points, or its covariance is singular."""


@np.errstate(under="ignore")
def find_roots(covariances, d, least):
    """Return R_k with R_k R_kᵀ = Σ_k⁻¹: of shape (K, d, d) for matrices, (K, d) for variances (one or d a component).

    Raises
    ------
    _Collapse
        If a variance is not above ``least``, of shape (d,), or a matrix is singular, or nearly.
    """
    if covariances.ndim == 3:
        variances = np.diagonal(covariances, axis1=1, axis2=2)
    else:
        variances = np.broadcast_to(covariances.reshape(len(covariances), -1), (len(covariances), d))
    for k, variance in enumerate(variances):
        if not (variance > least).all():
            raise _Collapse(
                f"component {k} has collapsed: its variance is 0, or nearly; there the likelihood grows without end"
            )
    if covariances.ndim < 3:
        return 1 / np.sqrt(variances)
    roots = np.empty_like(covariances)
    for k, covariance in enumerate(covariances):
        try:
            roots[k] = regular_inverse_root(covariance)
            in_units = roots[k] * np.sqrt(variances[k])[:, np.newaxis]
            singular = np.vdot(in_units, in_units) * LEAST > 1  # the sum of 1 / eigenvalue of the correlations
        except np.linalg.LinAlgError:
            singular = True
        if singular:
            raise _Collapse(
                f"component {k} has collapsed: its covariance is singular, or nearly; there the likelihood grows "
                "without end"
            )
    return roots


@np.errstate(under="ignore")
def e_step_by_blocks(X, weights, means, roots, log_density):
    """γ and ln p(x_i) of all points: ``log_joint`` and ``e_step``, ROWS points at a time."""
    blocks = [X[i : i + ROWS] for i in range(0, len(X), ROWS)]
    parts = [e_step(log_joint(block, weights, means, roots, log_density)) for block in blocks]
    return tuple(map(np.concatenate, zip(*parts, strict=True)))


def by_blocks(spread):
    """The same covariance, added up from ROWS points at a time: what ``m_step`` takes as its ``spread``."""
    return lambda D, s: sum(spread(D[i : i + ROWS], s[i : i + ROWS]) for i in range(0, len(D), ROWS))


def climb(X, theta, covariance_type, reg_covar, least):
    """E and M in turn, for ever, from θ = (weights, means, covariances).

    Yields θ, its roots, γ and ln p(x_i) after each E step. A component without points gets the weight 0 in the M step.

    Raises
    ------
    _Collapse
    """
    spread, log_density = TYPES[covariance_type]
    while True:
        weights, means, covariances = theta
        if not weights.min() > 0:
            raise _Collapse(f"component {weights.argmin()} is responsible for no point")
        roots = find_roots(covariances, X.shape[1], least)
        gamma, log_p = e_step_by_blocks(X, weights, means, roots, log_density)
        yield theta, roots, gamma, log_p
        with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
            weights, means, covariances = m_step(X, gamma, by_blocks(spread))
        theta = weights, means, regularised(covariances, reg_covar)


def regularised(covariances, amount):
    """Σ_k + amount·I."""
    return covariances + (amount * np.eye(covariances.shape[1]) if covariances.ndim == 3 else amount)


def _check_init(name, value):
    return check_choice(name, value, ("kmeans", "random")) if isinstance(value, str) else check_array(value, name=name)


class GaussianMixture(Estimator):
    """A sum of K Gaussians, fitted by EM (高斯混合模型).

    p(x) = Σ_k π_k N(x; μ_k, Σ_k),        π_k >= 0, Σ_k π_k = 1

    E step: γ_ik, the probability that component k made x_i. M step: weights, means and covariances of all points, each
    point counted γ_ik times. With ``reg_covar=0`` the likelihood never falls. It ends at a stationary point, often not
    the best; so it starts ``n_init`` times and keeps the highest likelihood.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
    means_ : ndarray of shape (n_components, n_features)
    covariances_ : ndarray
        Of shape (n_components, n_features, n_features) for "full", (n_components, n_features) for "diag" and
        (n_components,) for "spherical".
    lower_bound_ : float
        The mean of ln p(x_i) over the points of ``fit``.
    n_iter_ : int
        Steps of the best start.
    converged_ : bool

    References
    ----------
    Notes B (混合模型与EM算法). Dempster, Laird and Rubin (1977), "Maximum likelihood from incomplete data via the EM
    algorithm"; Bishop (2006), "Pattern Recognition and Machine Learning", chapter 9.
    """

    _estimator_type = "density_estimator"

    n_components: int = whole(1, "K; at most the number of distinct points.", low=1)
    covariance_type: str = choice(
        "full", tuple(TYPES), "Any covariance; axes along the features; the same variance in all directions."
    )
    reg_covar: float = real(
        1e-6,
        "Added to each variance after each M step, in the squared unit of the features: no component can then\n"
        "collapse onto a point, where the likelihood grows without end.",
        low=0,
    )
    init: object = anything(
        "kmeans", '"kmeans", "random" or array-like of shape (n_components, n_features)',
        "How to start: an M step from the groups of k-means; or distinct points, drawn evenly, as means, equal\n"
        "weights, and for each component the covariance of all points; or the same from these means, once.",
        check=_check_init, bad=("best", None, [[np.nan]]),
    )
    n_init: int = whole(1, "Number of starts. One that collapses is left out.", low=1)
    max_iter: int = whole(100, "Most steps (E and M) from one start.", low=1)
    tol: float = real(
        1e-3,
        "It ends when a step changes the mean of ln p(x_i) by less than this; 0: after ``max_iter`` steps.",
        low=0,
    )
    random_state: object = seed()

    def iter_fit(self, X, y=None):
        """Climb from one start after the other; yield the model at each start and after each step, at last the best.

        Raises
        ------
        ValueError
            If there are more components than distinct points, or if from every start a component collapses.

        Warns
        -----
        ConvergenceWarning
            If ``max_iter`` steps did not bring the change below ``tol``.
        """
        p = self.checked()
        K, self._fitted_type = p.n_components, p.covariance_type
        Z = self._centred(check_fit_X(self, X))
        check_distinct(Z, K, "n_components")
        least = LEAST * Z.var(axis=0) * (p.reg_covar == 0)  # what is added keeps variances from vanishing
        best = why = None
        for weights, means, covariances in self._starts(Z, p):
            start = weights, means, regularised(covariances, p.reg_covar)
            self.n_iter_, self.converged_, before = 0, False, -np.inf
            try:
                for state in climb(Z, start, p.covariance_type, p.reg_covar, least):
                    self._take(state)
                    self.converged_ = abs(self.lower_bound_ - before) < p.tol
                    yield self
                    if self.converged_ or self.n_iter_ == p.max_iter:
                        break
                    before, self.n_iter_ = self.lower_bound_, self.n_iter_ + 1
            except _Collapse as collapse:
                why = collapse
            else:
                if best is None or self.lower_bound_ > best[0] + 1e-9:  # higher by more than rounding
                    best = self.lower_bound_, state, self.n_iter_, self.converged_
        if best is None:
            raise ValueError(
                f"{why}. Give a larger reg_covar (it is {p.reg_covar:g}, in squared units of X), fewer components "
                f"(there are {K}), or another start"
            )
        _, state, self.n_iter_, self.converged_ = best
        self._take(state)
        if p.tol > 0 and not self.converged_:
            warn_caller(
                f"GaussianMixture was still climbing after max_iter={p.max_iter} steps: allow more, or a larger tol",
                ConvergenceWarning,
            )
        yield self

    def score_samples(self, X):
        """Return ln p(x) for each row, shape (n_samples,)."""
        return self._expected(X)[1]

    def score(self, X, y=None):
        """Return the mean of ln p(x) over the rows, as scikit-learn does: 1/n of the log-likelihood."""
        return float(self.score_samples(X).mean())

    def predict_proba(self, X):
        """Return the responsibilities γ, shape (n_samples, n_components); each row sums to 1."""
        return np.ascontiguousarray(self._expected(X)[0])

    def predict(self, X):
        """Return for each row the number of the component with the greatest responsibility, the first among equals."""
        return self.predict_proba(X).argmax(axis=1)

    def fit_predict(self, X, y=None):
        """Fit, and return ``predict`` of the same rows."""
        return self.fit(X).predict(X)

    def sample(self, n_samples=1):
        """Draw ``n_samples`` >= 1 points; return them, and for each the number of the component that made it."""
        check_is_fitted(self)
        n, rng = check_int("n_samples", n_samples, low=1), self.checked().random_state
        return draw(n, self.weights_, self.means_, self._factors(), rng)

    def bic(self, X):
        """Return -2 ln p(X) + m ln n, m the number of free parameters: the lower, the better."""
        log_p = self.score_samples(X)
        K, d = self.means_.shape
        each = {"full": d * (d + 1) // 2, "diag": d, "spherical": 1}[self._fitted_type]
        return float(-2 * log_p.sum() + (K - 1 + K * d + K * each) * np.log(len(log_p)))

    def _centred(self, X):
        """The points from their mean: far from the origin squares would lose the digits that tell points apart.

        A feature lies together in memory, so that what runs over all points runs faster.
        """
        self._origin = X.mean(axis=0)
        Z = np.asfortranarray(X - self._origin)
        Z[:, np.abs(Z).max(axis=0) <= 1e-14 * np.abs(self._origin)] = 0.0  # constant, but for rounding
        return Z

    def _starts(self, Z, p):
        """Yield θ for each start; the means are counted from the mean of all points, as Z is."""
        K, rng, spread = p.n_components, p.random_state, TYPES[p.covariance_type][0]
        if not isinstance(p.init, str):
            if p.init.shape != (K, Z.shape[1]):
                raise ValueError(
                    f"init must hold {K} means of {Z.shape[1]} features, got an array of shape {p.init.shape}"
                )
            yield _around(Z, p.init - self._origin, spread)
            return
        for _ in range(p.n_init):
            if p.init == "kmeans":
                labels = KMeans(n_clusters=K, n_init=1, random_state=rng).fit(Z).labels_
                yield m_step(Z, indicator(labels, K), spread)
            else:
                shuffled = rng.permutation(Z)
                yield _around(Z, shuffled[first_distinct(shuffled, K)], spread)

    def _take(self, state):
        (self.weights_, means, self.covariances_), self._roots, _, log_p = state
        self.means_, self.lower_bound_ = means + self._origin, float(log_p.mean())

    def _seen(self, X):
        """The arguments of ``log_joint``."""
        X = np.asfortranarray(check_X(self, X) - self._origin)
        return X, self.weights_, self.means_ - self._origin, self._roots, TYPES[self._fitted_type][1]

    def _expected(self, X):
        """γ and ln p(x_i)."""
        return e_step_by_blocks(*self._seen(X))

    def _factors(self):
        """A_k with A_k A_kᵀ = Σ_k, shape (K, d, d)."""
        d = self.n_features_in_
        if self._fitted_type == "full":
            return np.linalg.cholesky(self.covariances_)
        return np.sqrt(self.covariances_.reshape(len(self.weights_), -1, 1)) * np.eye(d)


def _around(X, means, spread):
    """Equal weights, these means, and for each component the covariance of all points."""
    K, even = len(means), np.full(len(X), 1 / len(X))
    return np.full(K, 1 / K), means, np.array([spread(X - X.mean(axis=0), even)] * K)


def elbo(model, X, q):
    """Return the bound L(q, θ) = Σ_i Σ_k q_ik (ln π_k N(x_i; μ_k, Σ_k) - ln q_ik) on the log-likelihood of all rows.

    It is n times ``model.score(X)``, a mean, where q is ``model.predict_proba(X)``, and lower for every other q.

    Parameters
    ----------
    model : GaussianMixture
        Fitted.
    X : array-like of shape (n_samples, n_features)
    q : array-like of shape (n_samples, n_components)
        Not negative; each row sums to 1.
    """
    check_is_fitted(model)
    with np.errstate(under="ignore"):
        joint, q = log_joint(*model._seen(X)), check_array(q, name="q")
    if q.shape != joint.shape:
        raise ValueError(f"q must have one row a point and one column a component, {joint.shape}, got {q.shape}")
    with np.errstate(under="ignore"):
        return float(bound(check_shares(q, "q"), joint))
