"""Linear discriminant analysis: the direction from which classes look most different, and the classifier it gives.

Sources: notes A 3 (two classes, Fisher's criterion), notes D 3.4 (a stub: several classes are taught here).
"""

import numpy as np

from mlcore.base import (
    REQUIRED,
    Classifier,
    Transformer,
    anything,
    check_array,
    check_choice,
    check_classification,
    check_consistent_length,
    check_int,
    check_priors,
    check_real,
    check_X,
    choice,
    door,
    labels,
    linear_scores,
    real,
    shown,
    table,
    warn_caller,
    whole,
)
from mlcore.core.discriminant_analysis import (
    between_scatter,
    criterion,
    direction,
    discriminant_axes,
    linear_rule,
    principal_axes,
    shrinkage_ratio,
    shrunk,
    within_scatter,
)
from mlcore.features import indicator
from mlcore.numerics import log_softmax, softmax

__all__ = [
    "LinearDiscriminantAnalysis", "SingularScatterWarning", "fisher_criterion", "fisher_direction",
    "ledoit_wolf_shrinkage", "scatter_matrices",
]

_EPS = np.finfo(float).eps


def _check_shrinkage(name, value):
    if value is None:
        return None
    if isinstance(value, str):
        return check_choice(name, value, ("auto",))
    return check_real(name, value, low=0, high=1)


SAMPLES = table("Samples.")
CLASSES = labels("Labels of at least two classes.")
SHRINKAGE = anything(
    None, 'float in [0, 1] or "auto", optional',
    "A number s replaces Σ by (1 - s) Σ + s (tr Σ / d) I, which has an inverse for every s > 0: use it when there are\n"
    'few samples for the number of features. "auto" chooses s for each class by Ledoit and Wolf\'s formula on\n'
    "standardised features, as scikit-learn does.",
    check=_check_shrinkage, bad=(-0.1, 1.5, "some", np.nan, True, [0.1]),
)


# ---------------------------------------------------------------------------------------------------------------
# Scatter, and Fisher's criterion
# ---------------------------------------------------------------------------------------------------------------
class SingularScatterWarning(UserWarning):
    """The class means differ along directions in which no class varies, and the pseudo-inverse overlooks these."""


@door(X=SAMPLES, y=CLASSES)
def scatter_matrices(X, y):
    """Return how the points scatter within the classes, and how the class means scatter between them.

    S_w = Σ_k Σ_{i in class k} (x_i - μ_k)(x_i - μ_k)ᵀ        within-class scatter (类内散度矩阵)
    S_b = Σ_k n_k (μ_k - μ)(μ_k - μ)ᵀ                          between-class scatter (类间散度矩阵)

    Their sum is the total scatter S_t = Σ_i (x_i - μ)(x_i - μ)ᵀ. With two classes S_b = (n₀ n₁ / n) δ δᵀ, where
    δ = μ₁ - μ₀; notes A (67) has δ δᵀ, which points the same way but does not add up to S_t.

    Returns
    -------
    S_w, S_b : ndarrays of shape (n_features, n_features)
        Symmetric and positive semi-definite; sums of squares, not divided by the number of samples.

    References
    ----------
    Notes A (62), (66), (67).
    """
    sizes, means, deviations, _ = _classes_of(X, y)
    return within_scatter(deviations), between_scatter(means, sizes)


def _check_directions(name, w):
    """Return w with each direction's largest entry 1."""
    W = check_array(np.atleast_2d(w), name=name)
    size = np.abs(W).max(axis=1, keepdims=True)
    if not size.all():
        raise ValueError(f"{name} is zero: that is no direction")
    return (W / size).reshape(np.shape(w) or 1)


@door(
    w=anything(
        REQUIRED, "array-like of shape (n_features,) or (n_directions, n_features)", "One direction, or one a row.",
        check=_check_directions, bad=([np.nan, 1.0], "ab", [0.0, 0.0], np.ones((2, 2, 2))),
    ),
    X=SAMPLES, y=CLASSES,
)
def fisher_criterion(w, X, y):
    """Return J(w) = wᵀ S_b w / wᵀ S_w w: how far the classes lie apart along w, compared with how wide they are.

    It is a generalised Rayleigh quotient (广义瑞利商): the length and the sign of w do not matter. J equals the
    between-class over the within-class sum of squares of the projections Xw.

    Returns
    -------
    float >= 0, or ndarray of shape (n_directions,)
        Infinite where no class varies along w but the class means differ; 0 where nothing at all varies along w.

    References
    ----------
    Notes A (65), (68); with two classes theirs is J · n / (n₀ n₁).
    """
    sizes, means, deviations, _ = _classes_of(X, y)
    if w.shape[-1] != (d := X.shape[1]):
        raise ValueError(f"w must have {d} entries a direction, one for each column of X, got shape {w.shape}")
    S_w, S_b = within_scatter(deviations), between_scatter(means, sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        J = criterion(w, S_w, S_b)
    # what rounding may leave of a sum that is 0
    noise = 16 * len(S_w) * _EPS * (np.abs(w) @ np.sqrt(np.diag(S_w + S_b))) ** 2
    flat, still = (np.sum(w @ S * w, axis=-1) <= noise for S in (S_w, S_w + S_b))
    return np.where(still, 0.0, np.where(flat, np.inf, J))


@door(X=SAMPLES, y=labels("Labels of exactly two classes."), shrinkage=SHRINKAGE)
def fisher_direction(X, y, *, shrinkage):
    """Return the direction w ∝ S_w⁻¹ (μ₁ - μ₀) along which two classes look most different, with length 1.

    No other direction has a larger ``fisher_criterion``. Where S_w is singular its pseudo-inverse (伪逆) is taken,
    in units in which each feature has a within-class deviation of 1. It leaves out every direction in which no class
    varies, without a word.

    Returns
    -------
    ndarray of shape (n_features,)
        It points from the first class (in sorted order) to the second.

    Raises
    ------
    ValueError
        If there are not two classes, no class varies, or the class means coincide.

    References
    ----------
    Notes A (77).
    """
    sizes, means, deviations, codes = _classes_of(X, y)
    if len(sizes) != 2:
        raise ValueError(f"fisher_direction compares two classes, y has {len(sizes)}; use LinearDiscriminantAnalysis")
    _check_variation(deviations, sizes)
    covariance = _covariance(deviations, codes, shrinkage)
    w = direction(covariance, means[1] - means[0])
    if not np.linalg.norm(w * np.sqrt(np.diag(covariance))) > 1e-10:
        raise ValueError("the means of the two classes coincide wherever the classes vary: no direction separates them")
    return w / np.linalg.norm(w)


# ---------------------------------------------------------------------------------------------------------------
# The model
# ---------------------------------------------------------------------------------------------------------------
class LinearDiscriminantAnalysis(Classifier, Transformer):
    """Classes that are Gaussian clouds of one common shape, told apart by linear functions (线性判别分析).

    x | y = k  ~  N(μ_k, Σ),        Σ = S_w / n

    By Bayes' rule the logarithm of P(y = k | x) is, up to a term that is the same for every class,

    score_k(x) = μ_kᵀ Σ⁻¹ x - ½ μ_kᵀ Σ⁻¹ μ_k + ln π_k

    and ``predict`` takes the class of the largest score. ``transform`` projects on the directions w₁, w₂, ... that
    maximise Fisher's criterion wᵀ S_b w / wᵀ S_w w one after the other, uncorrelated within the classes: the solutions
    of S_b w = λ S_w w with the largest λ. There are at most K - 1 of them, and the scores differ along them alone.

    Both solvers first whiten (白化): they find axes along which the classes have variance 1 and no correlation. In
    these coordinates the w are the principal axes of the class means.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    means_ : ndarray of shape (n_classes, n_features)
        μ_k.
    priors_ : ndarray of shape (n_classes,)
        π_k.
    xbar_ : ndarray of shape (n_features,)
        Σ_k π_k μ_k, where the projections have their origin.
    scalings_ : ndarray of shape (n_features, n_directions)
        w₁, w₂, ... as columns, scaled so that w_jᵀ Σ w_j = 1; the last class lies on the positive side of each.
    eigenvalues_ : ndarray of shape (n_directions,)
        λ, largest first. Without shrinkage and given priors, λ_j = J(w_j), see ``fisher_criterion``.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        λ_j / Σ λ, the share of each direction in what separates the class means.
    coef_ : ndarray of shape (n_classes, n_features), or (1, n_features) for two classes
        With two classes the difference of their rows, Σ⁻¹ (μ₁ - μ₀).
    intercept_ : ndarray of shape (n_classes,), or (1,)
    rank_ : int
        In how many directions the classes vary: the rank of S_w (with shrinkage, of what replaces it).

    References
    ----------
    Notes A 3. Fisher (1936), "The use of multiple measurements in taxonomic problems"; Rao (1948), "The utilization of
    multiple measurements in problems of biological classification"; Ledoit and Wolf (2004), "A well-conditioned
    estimator for large-dimensional covariance matrices".
    """

    n_components: int = whole(
        None,
        "How many directions ``transform`` keeps, at most min(K - 1, n_features); None keeps all there are. It does\n"
        "not change predictions.",
        low=1,
    )
    solver: str = choice(
        "svd", ("svd", "eigen"),
        "Whiten by a singular value decomposition of the deviations from the class means, which never forms S_w and\n"
        "so keeps twice as many digits; or by the eigenvectors of S_w, which can be shrunk first.",
    )
    shrinkage: object = SHRINKAGE
    priors: object = anything(
        None, "array-like of shape (n_classes,), optional",
        "π_k > 0 with sum 1, in the order of ``classes_``; None takes the shares of the classes in y.",
    )
    tol: float = real(
        1e-4,
        "A direction along which the classes have less than this standard deviation, where each feature has 1, counts\n"
        "as one in which they do not vary. The pseudo-inverse leaves it out.",
        low=0, high=1, high_open=True,
    )

    def fit(self, X, y):
        """Learn the class means, their common covariance, and the directions that separate them.

        Raises
        ------
        ValueError
            If there is one class only, or no class varies at all.

        Warns
        -----
        SingularScatterWarning
            If the class means differ along directions that the pseudo-inverse overlooks.
        """
        p = self.checked()
        if p.solver == "svd" and p.shrinkage is not None:
            raise ValueError(
                f"shrinkage={shown(p.shrinkage)} needs solver='eigen': the svd solver never forms a covariance to "
                "shrink"
            )
        X, codes = check_classification(self, X, y, min_classes=2)
        sizes, self.means_, deviations = _by_class(X, codes)
        if p.n_components is not None:
            check_int("n_components", p.n_components, low=1, high=min(len(sizes) - 1, X.shape[1]))
        self.priors_ = sizes / sizes.sum() if p.priors is None else check_priors(p.priors, len(sizes))
        self.xbar_ = self.priors_ @ self.means_
        _check_variation(deviations, sizes)
        differences = self.means_ - self.xbar_

        axes, spread, unit = _within_axes(deviations, codes, p)
        self.rank_ = len(spread)
        _warn_of_overlooked(differences / unit, axes, p.tol)
        W, eigenvalues = discriminant_axes(axes, spread, np.sqrt(self.priors_)[:, np.newaxis] * differences / unit)
        n_directions = self._count_directions(np.sqrt(eigenvalues), p)
        W = W[:, :n_directions] / unit[:, np.newaxis]
        self.eigenvalues_ = eigenvalues[:n_directions]
        self.scalings_ = W * np.where(differences[-1] @ W < 0, -1.0, 1.0)

        coef, intercept = linear_rule(differences @ self.scalings_, self.scalings_, self.priors_)
        intercept -= coef @ self.xbar_
        if len(sizes) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = coef, intercept
        return self

    def _count_directions(self, lengths, p):
        """Return in how many directions the whitened class means differ; set the ratios of those that are wanted."""
        n_directions = np.count_nonzero(lengths[: len(self.classes_) - 1] > max(p.tol * lengths[0], 1e-10))
        wanted = n_directions if p.n_components is None else p.n_components
        if wanted > n_directions:
            raise ValueError(
                f"n_components={wanted} directions are asked for, but the {len(self.classes_)} class means differ in "
                f"only {n_directions} of those in which the classes vary ({self.rank_} of {self.n_features_in_})"
            )
        total = np.sum(lengths[:n_directions] ** 2)
        self.explained_variance_ratio_ = lengths[:wanted] ** 2 / (total if n_directions else 1.0)
        self._n_features_out = wanted
        return n_directions

    def transform(self, X):
        """Return the coordinates Wᵀ(x - x̄) of each row along the first directions, shape (n_samples, n_components).

        Raises
        ------
        ValueError
            If the class means coincide wherever the classes vary: then there is no direction to project on.
        """
        X = check_X(self, X)
        if not len(self.explained_variance_ratio_):
            raise ValueError(
                f"the class means coincide wherever the classes vary ({self.rank_} of {self.n_features_in_} "
                "directions), so there is no direction to project on. If they differ elsewhere, that tells the classes "
                "apart by itself: use solver='eigen' with shrinkage"
            )
        return (X - self.xbar_) @ self.scalings_[:, : len(self.explained_variance_ratio_)]

    def decision_function(self, X):
        """Return the scores of the classes, shape (n_samples, n_classes).

        With two classes: the log-odds ln P(1 | x) / P(0 | x), shape (n_samples,).
        """
        scores = linear_scores(self, X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X):
        """Return the most probable class of each row, shape (n_samples,); the first of those that tie."""
        best = np.argmax(self._score_each_class(X), axis=1)
        return self.classes_[best]

    def _score_each_class(self, X):
        """Return the logarithms of the posteriors but for a constant of the row, shape (n_samples, n_classes)."""
        scores = self.decision_function(X)
        return np.column_stack([np.zeros(len(scores)), scores]) if scores.ndim == 1 else scores

    def predict_log_proba(self, X):
        """Return the logarithms of the probabilities, shape (n_samples, n_classes), finite where they round to 0."""
        return log_softmax(self._score_each_class(X))

    def predict_proba(self, X):
        """Return P(y = k | x) for each of ``classes_``, shape (n_samples, n_classes); each row sums to 1."""
        return softmax(self._score_each_class(X))


def _warn_of_overlooked(differences, axes, tol):
    """Warn if the class means differ outside the space spanned by ``axes``, in which the classes vary.

    differences : (n_classes, n_features) and axes : (n_features, rank), both in units of ``_within_axes``.
    """
    n_features, rank = axes.shape
    if rank == n_features:
        return
    outside = np.linalg.norm(differences - differences @ axes @ axes.T)
    if outside > max(tol, 1e-8) * np.linalg.norm(differences):
        warn_caller(
            f"within the classes the samples vary in only {rank} of {n_features} directions, and the class means "
            "differ in the others too. The pseudo-inverse overlooks these; solver='eigen' with shrinkage uses them",
            SingularScatterWarning,
        )


# ---------------------------------------------------------------------------------------------------------------
# How the classes vary
# ---------------------------------------------------------------------------------------------------------------
def _classes_of(X, y):
    """Return what ``_by_class`` does, and the class numbers."""
    check_consistent_length(X, y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        only = classes.tolist()[0]
        raise ValueError(f"samples of at least 2 classes are needed, but y holds only one class: {only!r}")
    return *_by_class(X, codes), codes


def _by_class(X, codes):
    """Return the sizes (n_classes,) and means (n_classes, n_features) of the classes, and the deviations from these.

    Deviations (n_samples, n_features) that are no more than rounding are exactly 0.
    """
    sizes, center = np.bincount(codes), X.mean(axis=0)
    rows = X - center  # so that the sums of a class are small and keep their digits
    means = indicator(codes, len(sizes)).T @ rows / sizes[:, np.newaxis]
    rows -= means[codes]
    rows *= np.abs(rows) > len(X) * _EPS * np.abs(X).max(axis=0)
    return sizes, means + center, rows


def _check_variation(deviations, sizes):
    if not deviations.any():
        raise ValueError(
            f"no feature varies within any class (S_w = 0; {len(deviations)} samples of {len(sizes)} classes), so "
            "there is nothing to measure the distance of classes with"
        )


def _standard_deviations(deviations):
    return np.sqrt(np.einsum("ij,ij->j", deviations, deviations) / len(deviations))


def _nonzero(values):
    return np.where(values > 0, values, 1.0)


def _within_axes(deviations, codes, p):
    """Return the principal axes of the covariance within the classes, where each feature has been divided by its unit.

    The unit is its within-class standard deviation. So the result does not depend on units of measurement, and ``tol``
    means the same for all data.

    Returns
    -------
    axes : ndarray of shape (n_features, rank)
        Orthonormal columns; rank counts the directions in which the classes vary.
    spread : ndarray of shape (rank,)
        Standard deviation along each, > tol.
    unit : ndarray of shape (n_features,)
    """
    n_samples, n_features = deviations.shape
    if p.solver == "svd":
        unit = _nonzero(_standard_deviations(deviations))
        rows = deviations / (unit * np.sqrt(n_samples))
        if n_samples > n_features:  # DᵀD = RᵀR: the same axes from far fewer rows
            rows = np.linalg.qr(rows, mode="r")
        axes, spread = principal_axes(rows)
        rounding = max(n_samples, n_features) * _EPS
    else:
        covariance = _covariance(deviations, codes, p.shrinkage)
        unit = _nonzero(np.sqrt(np.diag(covariance)))
        variances, axes = np.linalg.eigh(covariance / unit / unit[:, np.newaxis])
        axes, spread = axes[:, ::-1], np.sqrt(np.maximum(variances[::-1], 0.0))
        rounding = np.sqrt(16 * max(n_samples, n_features) * _EPS)  # of squares: half of the digits are lost
    varies = spread > max(p.tol, rounding)
    return axes[:, varies], spread[varies], unit


def _covariance(deviations, codes, shrinkage):
    """Return Σ = S_w / n, or what shrinkage makes of it, shape (n_features, n_features).

    "auto" shrinks the correlations of each class by Ledoit and Wolf's s, and keeps its variances.
    """
    if shrinkage != "auto":
        covariance = within_scatter(deviations) / len(deviations)
        return covariance if shrinkage is None else shrunk(covariance, shrinkage)
    covariance = 0.0
    for k in range(codes.max() + 1):
        own = deviations[codes == k]
        unit = _nonzero(_standard_deviations(own))
        correlation = shrunk(within_scatter(own / unit), ledoit_wolf_shrinkage(own / unit))
        covariance = covariance + correlation * unit * unit[:, np.newaxis] / len(deviations)
    return covariance


@door(X=table("Samples of one cloud; they are centred here."))
def ledoit_wolf_shrinkage(X):
    """Return the shrinkage s in [0, 1] whose (1 - s) Σ + s (tr Σ / d) I is expected to be nearest to the truth.

    s = Σ_i ‖x_i x_iᵀ - Σ‖² / n²  /  ‖Σ - (tr Σ / d) I‖², at most 1, for centred x_i: the error of the sample
    covariance Σ, compared with what there is to shrink. Norms are Frobenius norms.

    Returns
    -------
    float in [0, 1]
        0 where Σ is already a multiple of I.

    References
    ----------
    Ledoit and Wolf (2004), "A well-conditioned estimator for large-dimensional covariance matrices".
    """
    X = X - X.mean(axis=0)
    X = X / _nonzero(np.sqrt(np.mean(X**2)))  # s does not depend on units; these make tr Σ = d
    error, reducible = shrinkage_ratio(X)
    return float(min(error / reducible, 1.0)) if reducible > 1e-14 * X.shape[1] else 0.0  # below this it is rounding
