"""The exercises of chapter 5: linear discriminant analysis."""

import numpy as np

from mlcore.classroom.exercises import answer, expect, implement

answer(
    "5.1",
    hint="Fisher's direction is not δ. Which matrix stands before δ?",
    step="Solve S_w w = δ: the determinant of S_w is 8; write out its inverse. Then divide w₂ by w₁.",
    right=-4 / 6,  # S_w⁻¹ (2, 0)ᵀ = (6, -4)ᵀ / 8
    digits=2,
    mistakes={
        "that is the line of means. But the features vary together: see the 2 in S_w.": 0,
        "that is S_w δ. Multiply δ by the inverse of S_w.": 0.5,
        "wrong sign: the inverse of a 2 x 2 matrix has minus signs off the diagonal.": 2 / 3,
        "that is w₁ / w₂; the question asks for w₂ / w₁.": -1.5,
    },
    also_right=[-0.667, -0.67], also_wrong=[-2.0, -0.66],
)  # fmt: skip

answer(
    "5.2",
    hint="How many dimensions do K class means span, measured from their common mean? Can there be more than d?",
    step="The K differences μ_k - μ add up to zero, weighted by the sizes of the classes. So how many of them can "
    "be independent, in d dimensions?",
    right=[1, 2, 9, 2],  # min(K - 1, d)
    mistakes={
        "five means could span four dimensions, but there are only two features.": (1, 2, 9, 4),
        "one for each class is one too many: the μ_k - μ add up to zero.": (2, 3, 10, 2),
        "S_w may have that rank. The directions come from S_b, from K means.": (30, 13, 64, 2),
    },
    also_wrong=[[1, 2, 9]],
)  # fmt: skip


def _clouds(rng, sizes, d=3, offset=0.0):
    """Two stretched Gaussian clouds of these sizes, in random order."""
    y = rng.permutation(np.repeat([0, 1], sizes))
    stretch = rng.normal(size=(2, d, d))  # classes of different shape: then scatter and covariance disagree
    X = np.einsum("ij,ijk->ik", rng.normal(size=(len(y), d)), stretch[y]) + np.outer(y, 2 * rng.normal(size=d))
    return X + offset, y


def _gap(X, y):
    return X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)


def _scatter(X, y, divided=False):
    return sum(np.cov(X[y == k].T) * (1 if divided else np.sum(y == k) - 1) for k in (0, 1))


def _fisher(X, y, divided=False):
    return np.linalg.solve(_scatter(X, y, divided), _gap(X, y))


def _direction(w):
    expect(np.any(w), "your direction is the zero vector.")
    return w / np.linalg.norm(w)


implement(
    "5.3",
    hint="Which matrix measures the spread inside the classes, and what is solved with it?",
    step="Both means; the deviation of each row from the mean of its class; S_w from these; then np.linalg.solve.",
    right=_fisher, key=_direction, rtol=1e-5, atol=1e-6, asked="a direction has an entry for each feature",
    cases=lambda rng: [_clouds(rng, sizes, d) for sizes, d in (((30, 30), 2), ((50, 10), 3), ((8, 40), 4))],
    mistakes={
        "the right axis, but it points from class 1 to class 0.": lambda X, y: -_fisher(X, y),
        "that is the line of means: the widths are left out.": _gap,
        "that is S_w δ; solve S_w w = δ instead.": lambda X, y: _scatter(X, y) @ _gap(X, y),
        "covariances forget how many samples a class has. Add up scatter matrices, which are sums.": {"divided": True},
    },
    otherwise=lambda w, wanted, X, y: f"for classes of {sum(y == 0)} and {sum(y)} rows it is another direction.",
    also_right=[
        lambda X, y: 7 * _fisher(X, y)[:, np.newaxis],
        lambda X, y: np.linalg.lstsq(np.column_stack([X, np.ones(len(X))]), y, rcond=None)[0][:-1],  # (5.7)
    ],
    also_wrong=[lambda X, y: np.zeros(X.shape[1]), 3.0],
)  # fmt: skip


def _cut(m0, m1, variance, prior, way=lambda variance, gap: variance / gap):
    return (m0 + m1) / 2 + way(variance, m1 - m0) * np.log((1 - prior) / prior)


implement(
    "5.4",
    hint="At that point the log-odds of the two classes, (5.10), are zero.",
    step="In one dimension the log-odds are a line in x with the slope (m₁ - m₀)/σ². It is zero in the middle if "
    "the priors are equal. How far does the logarithm of their ratio move its zero?",
    right=_cut, cases=[(0.0, 2.0, 1.0, 0.5), (-1.0, 3.0, 2.5, 0.1), (1.0, 1.5, 0.3, 0.8), (-4.0, -1.0, 4.0, 0.35)],
    mistakes={
        "that is the middle, which is right for equal priors only.": {"way": lambda variance, gap: 0},
        "the cut moves away from the frequent class.": {"way": lambda variance, gap: -variance / gap},
        "wider clouds move it further: where is σ²?": {"way": lambda variance, gap: 1 / gap},
        "the log-odds have slope (m₁ - m₀)/σ².": {"way": lambda variance, gap: variance},
        "`variance` is σ² already; do not square it.": {"way": lambda variance, gap: variance**2 / gap},
    },
    otherwise=lambda value, wanted, *case: (
        f"for {dict(zip(('m0', 'm1', 'variance', 'prior'), case))}: {wanted:.4f}, yours gives {value:.4f}."
    ),
    also_wrong=[0.5],
)  # fmt: skip

answer(
    "5.5",
    hint="Where was the dip with 24 samples of two classes, and why just there?",
    step="S_w of n samples of K classes has rank n - K at most. Average share_recognised over 20 seeds for each d "
    "around that number.",
    right=40 - 2,
    atol=2,  # what 20 draws leave open
    mistakes={
        "that was the worst for 24 samples; now there are 40. The dip moves with n.": lambda d: 20 <= d <= 25,
        "with that many features the pseudo-inverse has recovered again.": lambda d: d >= 70,
        "few features tell little, but they do not break S_w; look beyond the first ten.": lambda d: d <= 11,
    },
    otherwise="that is not the lowest point.", also_right=[37, 40, 36], also_wrong=[22, 80, 2, 60, 10, 24],
)  # fmt: skip


def _sides(X, y, new, middle=lambda X, y, new: (X[y == 0].mean(axis=0) + X[y == 1].mean(axis=0)) / 2):
    w = _fisher(X, y)
    return (new @ w > middle(X, y, new) @ w).astype(int)


def _train_and_new(rng):
    for sizes, offset in (((30, 30), 0.0), ((40, 20), 25.0), ((90, 10), -7.0), ((10, 90), 100.0)):
        X, y = _clouds(rng, sizes, 2, offset)
        yield X, y, np.vstack([X, X.mean(axis=0) + 2 * rng.normal(size=(60, 2))])


def _what_the_labels_miss(labels, wanted, X, y, new):
    expect(np.isin(labels, (0, 1)).all(), "return a label, 0 or 1, for each new row.")
    wrong = int(np.sum(labels != wanted))
    return f"with {sum(y == 0)} and {sum(y)} rows, {wrong} of {len(new)} labels are wrong."


implement(
    "5.6",
    hint="Shift all the data by 100. Should the answers change? Do they?",
    step="A shadow says nothing until it is compared with something. With which place on the axis?",
    right=_sides, asked="one label for each new row, please", cases=_train_and_new,
    mistakes={
        "the sides are mixed up: a shadow beyond the middle belongs to class 1.": lambda *case: 1 - _sides(*case),
        "0 is no special place on the axis: shift all rows, and your answers change.":
            {"middle": lambda X, y, new: np.zeros(2)},
        "the mean of all rows is near the larger class, not in the middle.":
            {"middle": lambda X, y, new: X.mean(axis=0)},
        "the answer for a sample must not depend on which others come with it.":
            {"middle": lambda X, y, new: new.mean(axis=0)},
    },
    otherwise=_what_the_labels_miss,
    also_right=[lambda *case: _sides(*case) == 1, lambda *case: _sides(*case)[:, np.newaxis]],
    also_wrong=[lambda X, y, new: np.ones(len(new), dtype=int), "threshold"],
)  # fmt: skip
