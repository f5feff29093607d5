"""The exercises of chapter 14: nearest neighbours and density estimation."""

from functools import partial

import numpy as np

from mlcore.classroom.exercises import answer, expect, implement

answer(
    "14.1",
    hint="(14.2) is a relative error. How large is it to be, and which letter is asked for?",
    step="Set the square of (14.2), (1 - P)/(N P), equal to 0.05² with P = 0.02, and solve for N.",
    right=19_600,
    mistakes={
        "that is 1/(P · 0.05²), the approximation for small P: keep 1 - P.": 20_000,
        "400 samples must fall into the region, nearly; N counts all samples.": 400,
        "the error is squared: (1 - P)/(NP) is the square of the relative error.": 980,
        "that is the absolute error of the share; the relative one is divided by P.": 7.84,
        "one 1 - P too many: the variance is P(1-P)/N, divided by P².": 19_208,
    },
    also_wrong=[380],
)

answer(
    "14.2",
    hint="Name the most probable class; or copy a neighbour's label, which is an independent draw.",
    step="Bayes errs with 1 minus the largest probability; two independent draws differ with 1 minus the sum of the "
    "squares; the bound has M = 3.",
    right=np.array([0.3, 0.46, 0.465]),
    parts=[
        ("the Bayes risk", "It is 1 minus the largest probability."),
        ("the error of 1-NN", "By (14.14) it is 1 minus the sum of the squares."),
        ("the bound", "It is R*(2 - M/(M-1) R*) with M = 3."),
    ],
    mistakes={
        "0.7 is how often Bayes is right; the risk is how often it is wrong.": (0.7, None, None),
        "that is how often both labels are equal; the error is the rest.": (None, 0.54, None),
        "that is for two classes of 0.7 and 0.3; there are three: 1 - Σ η².": (None, 0.42, None),
        "twice the Bayes risk is the weaker bound; use the one with M.": (None, None, 0.6),
        "that is the bound for M = 2: M/(M-1) is 3/2 here.": (None, None, 0.42),
    },
    also_right=[np.array([[0.3], [0.46], [0.465]])],
    also_wrong=[[0.3, 0.46], [0.3, 0.465, 0.46], [0.7, 0.54, 0.465], [0.3, 0.46, 0.47]],
)  # fmt: skip


def _order(X_train, X_new, power=2):
    return (np.abs(X_new[:, None] - X_train) ** power).sum(axis=2).argsort(axis=1, kind="stable")


def _vote(labels):
    return np.array([np.bincount(row).argmax() for row in labels])


def _classes(X_train, y_train, X_new, k, first=0, power=2):
    return _vote(y_train[_order(X_train, X_new, power)[:, first : first + k]])


def _with_ties(rng):
    """On a grid of whole numbers, so that there are ties of both kinds."""
    for k, n, d in ((5, 40, 2), (1, 30, 3), (4, 60, 2), (6, 50, 2)):
        X_train, y_train = rng.integers(0, 6, (n, d)).astype(float), rng.permutation(np.arange(n) % 3)
        yield X_train, y_train, rng.integers(0, 6, (80, d)).astype(float), k


implement(
    "14.3",
    hint="All distances first. Which training rows are the k nearest of each new row? Which class do they vote for?",
    step="argsort of the distances with kind='stable', the first k columns, and for each row "
    "np.bincount(...).argmax().",
    right=_classes, cases=_with_ties, asked="one class for each of 80 new rows, please",
    mistakes={
        "one neighbour is missing: a slice [:k] has k entries.":
            lambda X, y, new, k: _classes(X, y, new, max(k - 1, 1)),
        "one neighbour too many: a slice [:k] has k entries.": lambda X, y, new, k: _classes(X, y, new, k + 1),
        "the nearest is left out; new rows are not among the training rows.": {"first": 1},
        "only the nearest counts; let k of them vote.": lambda X, y, new, k: _classes(X, y, new, 1),
        "these are the farthest: argsort begins with the smallest.":
            lambda X, y, new, k: _vote(y[_order(X, new)[:, -k:]]),
        "classes are names: between the classes 0 and 2 there is no class 1 in the middle. Count the votes.": [
            lambda X, y, new, k: np.rint(y[_order(X, new)[:, :k]].mean(axis=1)),
            lambda X, y, new, k: np.median(y[_order(X, new)[:, :k]], axis=1),
            lambda X, y, new, k: np.floor(np.median(y[_order(X, new)[:, :k]], axis=1)),
            lambda X, y, new, k: np.rint(np.median(y[_order(X, new)[:, :k]], axis=1)),
        ],
        "that is the largest class of all rows, whatever the place.":
            lambda X, y, new, k: np.full(len(new), np.bincount(y).argmax()),
        "of equally many votes the smallest class should win.": lambda X, y, new, k: 2 - _classes(X, 2 - y, new, k),
        "of equal distances the first row should be nearer.": lambda X, y, *new: _classes(X[::-1], y[::-1], *new),
        "the differences are added; Euclid's distance adds their squares.": {"power": 1},
    },
    otherwise=lambda labels, right, X_train, y_train, X_new, k: f"with k = {k}, {np.sum(labels != right)} of 80 are "
    "wrong. Look at the ties: a stable sort, the smallest class.",
)  # fmt: skip


def _log_density(x, samples, h):
    E = -0.5 * ((x - samples) / h) ** 2
    return E.max() + np.log(np.mean(np.exp(E - E.max()))) - np.log(h * np.sqrt(2 * np.pi))


def _density(x, samples, h):
    return np.mean(np.exp(-0.5 * ((x - samples) / h) ** 2)) / (h * np.sqrt(2 * np.pi))


def _no_other_mistake(value, right, x, samples, h):
    far = f"far away it gives {value:.1f}, not {right:.1f}: a grain added, or a clip, only hides the underflow."
    expect(abs(x) < 50, far)
    return f"for N = {len(samples)}, h = {h}, x = {x}: {right:.4f}, yours gives {value:.4f}."


implement(
    "14.4",
    hint="Far away every e^E rounds to 0. What may be taken out of a sum of exponentials?",
    step="(14.5) with d = 1: take the largest exponent out of the sum before you raise e to anything, and add it to "
    "the logarithm afterwards.",
    right=_log_density,
    also_right=[
        lambda x, s, h: np.logaddexp.reduce(-0.5 * ((x - s) / h) ** 2) - np.log(h * len(s) * np.sqrt(2 * np.pi))
    ],
    cases=lambda rng: [
        (x, rng.normal(size=n), h) for n, h, x in ((7, 0.7, 0.3), (20, 2.5, -1.0), (5, 0.3, 300.0), (12, 0.05, -60.0))
    ],
    mistakes={
        "1/N is missing: it is a mean over the samples.": lambda x, s, h: _log_density(x, s, h) + np.log(len(s)),
        "a narrow bump is high: where is 1/h?": lambda x, s, h: _log_density(x, s, h) + np.log(h),
        "the exponent is -u²/(2h²): a ½ is missing.":
            lambda x, s, h: _log_density(x, s, h / np.sqrt(2)) - np.log(np.sqrt(2)),
        "the exponent is -(x - x_i)²/(2h²), with the square of h.": [
            lambda x, s, h: _log_density(x, s, np.sqrt(h)) - np.log(np.sqrt(h)),
            lambda x, s, h: _log_density(x, s, 1.0) - np.log(h),
        ],
        "in front of the bell stands 1/(h √(2π)).":
            lambda x, s, h: _log_density(x, s, h) + np.log(h * np.sqrt(2 * np.pi)),
        "the constant is a root: ln √(2πh²), half of ln(2πh²).": [
            lambda x, s, h: _log_density(x, s, h) - np.log(h * np.sqrt(2 * np.pi)),
            lambda x, s, h: _log_density(x, s, h) - np.log(np.sqrt(2 * np.pi)),
        ],
        "that is the density; its logarithm is asked for.": lambda *data: np.exp(_log_density(*data)),
        "the constant √(2π) is missing.": lambda x, s, h: _log_density(x, s, h) + np.log(np.sqrt(2 * np.pi)),
        "that is the mean of the logarithms; asked for is the logarithm of the mean.":
            lambda x, s, h: np.mean(-0.5 * ((x - s) / h) ** 2) - np.log(h * np.sqrt(2 * np.pi)),
        "the largest exponent was taken out of the sum, but not put back.":
            lambda x, s, h: _log_density(x, s, h) + 0.5 * (((x - s) / h) ** 2).min(),
        "far away every e^E rounds to 0: take the largest one out first.": lambda *data: np.log(_density(*data)),
    },
    otherwise=_no_other_mistake,
    also_wrong=[lambda *data: np.log(_density(*data) + 1e-300)],
)  # fmt: skip

answer(
    "14.5",
    hint="Each wine has a nearest other wine. How often do their classes differ?",
    step="kneighbors()[1][:, 0] is for each wine its nearest other wine. Count where wine.target of the two "
    "differs, for each of the three ways.",
    right=np.array([41, 8, 14]),
    parts=[
        ("(a)", "1-NN on wine.data as it is."),
        ("(b)", "Divide wine.data by wine.data.std(axis=0)."),
        ("(c)", "metric='mahalanobis' on wine.data as it is."),
    ],
    mistakes={
        "each wine has found itself. kneighbors() without X leaves it out.": (0, 0, 0),
        "counts, please, not shares.": lambda counts: counts.min() < 1,
        "(b) was divided by the variance: the unit then comes back, upside down.": (None, 25, None),
        "(b) was divided by the range, or by something else; take std(axis=0).": (None, 9, None),
        "(c) is metric='mahalanobis', on the numbers as they are.": (None, None, 8),
    },
    also_wrong=[[8, 41, 14], [41, 8], [41 / 178, 8 / 178, 14 / 178]],
)


def _nearest(X_train, X_new, power=2):
    return (np.abs(X_new[:, None] - X_train) ** power).sum(axis=2).argmin(axis=1)


def _by_products(X_train, X_new, least=-np.inf, kind=float):
    X_train, X_new = X_train.astype(kind), X_new.astype(kind)
    squared = np.sum(X_new**2, axis=1)[:, None] - 2 * X_new @ X_train.T + np.sum(X_train**2, axis=1)
    return np.maximum(squared, least).argmin(axis=1)


def _near_and_far(rng):
    for offset, n, m in ((0.0, 40, 30), (1e7, 50, 20), (-3e6, 30, 60), (1e10, 50, 20)):
        yield rng.random((n, 3)) + offset, rng.random((m, 3)) + offset + 0.2


def _lost_digits(rows, right, X_train, X_new):
    wrong, offset = f"{np.sum(rows != right)} of {len(rows)} rows are wrong", np.round(X_train.mean(), -6)
    still = f"at {offset:.0e} from zero, {wrong}: terms near {offset**2:.0e} still cancel."
    expect(abs(offset) < 1e9, f"{still} Longer floats only put it off.")
    expect(offset == 0, f"{still} Clipping at 0 would not bring the lost digits back.")
    return f"{wrong} even near zero."


implement(
    "14.6",
    hint="At an offset of 1e7 the squares are near 1e14. How many digits of their difference are left?",
    step="Form the differences of the coordinates first; then square them and add up.",
    right=_nearest,
    also_right=[lambda X_train, X_new: _by_products(X_train - X_train.mean(axis=0), X_new - X_train.mean(axis=0))],
    cases=_near_and_far, asked="one row number for each new row, please",
    mistakes={
        "asked for is a row of X_train for each row of X_new, not the other way round.":
            lambda X_train, X_new: _nearest(X_new, X_train),
        "each table was moved by a mean of its own: that changes the distances between them.":
            lambda X_train, X_new: _by_products(X_train - X_train.mean(axis=0), X_new - X_new.mean(axis=0)),
        "Euclid squares the differences.": {"power": 1},
    },
    otherwise=_lost_digits,
    also_wrong=[
        _by_products, partial(_by_products, least=0),
        *[partial(_by_products, kind=np.longdouble)] * (np.finfo(np.longdouble).nmant < 64),  # else it has all digits
    ],
)  # fmt: skip
