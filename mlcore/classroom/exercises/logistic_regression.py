"""Graders of chapter 3, logistic regression."""

import math

import numpy as np

from mlcore.classroom.exercises import Case, answer, implement

answer(
    "3.1",
    hint="Log-odds: what are the odds of an event? (Their logarithm is the score z of the model.)",
    step="The odds are p / (1 - p); take their natural logarithm, np.log.",
    right=math.log(0.8 / 0.2), digits=3,
    mistakes={
        "those are the odds; the question asks for their logarithm.": 4.0,
        "that is the logarithm to base 10; take the natural one.": math.log10(4),
        "that is the logarithm to base 2; take the natural one.": 2.0,
        "the odds are upside down: the probability *for* stands above.": -math.log(4),
    },
    also_right=[1.386], also_wrong=[0.8, 0.25, 1.0],
)  # fmt: skip

answer(
    "3.2",
    hint="The gradient of one sample is miss times input. What does the model predict at w = b = 0?",
    step="The prediction is g(0), which is not 0. Take prediction minus label, times x.",
    right=(0.5 - 1) * 2,
    mistakes={
        "that is the derivative of the log-likelihood; the loss is its negative.": 1.0,
        "that is the derivative in b; for w the miss is multiplied by x.": -0.5,
        "g(0) is one half, not 0.": -2.0,
    },
    also_wrong=[0.5, 0.0],
)  # fmt: skip


def _loss(y, z):
    return np.sum(np.logaddexp(0, z) - y * z)


def _of_probabilities(y, p):
    return -np.sum(y * np.log(p) + (1 - y) * np.log(1 - p))


def _sigmoid(z):
    return 1 / (1 + np.exp(-z))


def _small_and_large(_):
    rng = np.random.default_rng(3)
    yield rng.integers(0, 2, 8).astype(float), rng.normal(size=8)
    yield Case(
        np.array([1.0, 0.0, 1.0, 0.0, 0.0]),
        np.array([-1e4, 40.0, 1e4, 1e4, -1e4]),
        said=lambda value, wanted: (
            "for large scores it is wrong: clipping the probabilities hides how wrong the model is."
            if np.isfinite(value)
            else "for a score of 10000 yours is NaN or infinite: an exponential overflowed, or g(z) rounded to 0 or 1."
        ),
    )


implement(
    "3.3",
    hint="Write the loss of one sample with its score z alone, without g(z). Which exponential can overflow?",
    step="The loss of one sample is ln(1 + e^z) - y z; np.logaddexp(0, z) is its first part, for every z.",
    right=_loss, cases=_small_and_large,
    mistakes={
        "that is the log-likelihood; the loss is its negative, and never below 0.": lambda y, z: -_loss(y, z),
        "that is the mean over the samples; the sum is asked for.": lambda y, z: _loss(y, z) / len(y),
    },
    otherwise=lambda value, wanted, y, z: f"for eight samples it should be {wanted:.4f}, yours gives {value:.4f}.",
    also_right=[
        lambda y, z: np.logaddexp(0, (1 - 2 * y) * z).sum(keepdims=True),
        lambda y, z: sum(max(b, 0.0) - a * b + math.log1p(math.exp(-abs(b))) for a, b in zip(y, z)),
    ],
    also_wrong=[
        lambda y, z: _of_probabilities(y, _sigmoid(z)),
        lambda y, z: _of_probabilities(y, np.clip(_sigmoid(z), 1e-15, 1 - 1e-15)),
        lambda y, z: np.sum(np.where(y == 1, np.logaddexp(0, -z), np.log1p(np.exp(z)))),
        lambda y, z: np.sum(np.where(y == 1, np.logaddexp(0, -z), z + np.log1p(np.exp(-z)))), lambda y, z: 0.0,
    ],
)  # fmt: skip


def _newton(X, y, theta, sign=-1, hessian=lambda X, r: (X.T * r) @ X):
    p = _sigmoid(X @ theta)
    return theta + sign * np.linalg.solve(hessian(X, p * (1 - p)), X.T @ (p - y))


def _reweighted(X, y, theta):
    p = _sigmoid(X @ theta)
    root = np.sqrt(p * (1 - p))
    return np.linalg.lstsq(root[:, None] * X, root * (X @ theta - (p - y) / root**2), rcond=None)[0]


def _samples(_):
    rng = np.random.default_rng(4)
    for n, d in ((12, 2), (30, 4), (9, 1)):
        X, theta = rng.normal(size=(n, d)), 0.3 * rng.normal(size=d)
        yield X, (rng.random(n) < 0.5).astype(float), theta


implement(
    "3.4",
    hint="Take one step from θ = 0 and compare the loss before and after. Of which function is the gradient?",
    step="Here both the gradient and the Hessian are those of the loss. Which way does the loss fall?",
    right=_newton, cases=_samples,
    mistakes={
        "it still steps uphill: gradient and Hessian must belong to the same function.": {"sign": 1},
        "that is a step of gradient descent; divide by the curvature: solve with the Hessian.":
            {"hessian": lambda X, r: np.eye(X.shape[1])},
        "the Hessian is XᵀRX with R = diag(p (1 - p)), not XᵀX.": {"hessian": lambda X, r: X.T @ X},
        "that is the step alone; the new θ is asked for.": [
            lambda X, y, theta: _newton(X, y, theta) - theta, lambda X, y, theta: theta - _newton(X, y, theta),
        ],
    },
    otherwise=lambda got, wanted, *case: f"the first entry should be {wanted[0]:.4f}, yours is {got[0]:.4f}.",
    also_right=[_reweighted], also_wrong=[lambda X, y, theta: theta],
)  # fmt: skip

_GROWTH = 1.256522, 1.274397  # of the length of w, from α = 1e-5 to 1e-6 and on to 1e-7

answer(
    "3.5",
    hint="Three fits give three lengths of w. By how much is each longer than the one before?",
    step="np.linalg.norm(lg.LogisticRegression(alpha=a).fit(X_35, y_35).coef_) is one length, without the "
    "intercept. Subtract from each the one before.",
    right=list(_GROWTH), digits=2,
    mistakes={
        "that would mean that w stands still; print the three lengths.": (0, 0),
        "the length grows as the penalty falls: take the later length minus the earlier one.":
            lambda growth: np.all(growth < 0),
        "those are lengths; the question asks by how much they grow.": [(6.624943, 7.881465), (7.881465, 9.155862)],
        "those are ratios of lengths; take differences.": (1.189666, 1.161698),
        "the order is turned: first from 1e-5 to 1e-6, then from 1e-6 to 1e-7.": _GROWTH[::-1],
        "that is one step too early: begin with the fit at 1e-5.": (1.230166, 1.256522),
    },
    also_right=[[1.26, 1.27], [1.257, 1.274]],
    also_wrong=[(-1.256522, -1.274397), (1.0, 1.0), 1.256522, (1.263, 1.268)],
)  # fmt: skip

answer(
    "3.6",
    hint="The divergence is an average of logarithms. Over which of the two distributions?",
    step="Add p ln(p / q) over both outcomes; the first one gives 0.5 ln(0.5 / 0.9).",
    right=0.5 * math.log(0.5 / 0.9) + 0.5 * math.log(0.5 / 0.1), digits=3,
    mistakes={
        "that is KL(q‖p): the roles are exchanged.": 0.9 * math.log(0.9 / 0.5) + 0.1 * math.log(0.1 / 0.5),
        "that is the cross-entropy; take off the entropy of p.": -0.5 * math.log(0.9) - 0.5 * math.log(0.1),
        "that is in bits; take the natural logarithm.": 0.5 * math.log2(0.5 / 0.9) + 0.5 * math.log2(0.5 / 0.1),
        "that is the entropy of p.": math.log(2),
        "a divergence is never negative: p stands above q in the logarithm.": lambda divergence: divergence < 0,
    },
    also_right=[0.511, 0.5108], also_wrong=[-0.510826, 0.0],
)  # fmt: skip
