"""The exercises of chapter 26: matrix factorisation."""

import numpy as np

from mlcore.classroom.exercises import answer, implement

answer(
    "26.1",
    hint="How many numbers do V and W hold, and how many of them does A leave to choose?",
    step="V and W hold k(60 + 40) numbers, less the k² entries of A. Up to which k is that at most 960?",
    right=10,
    mistakes={
        "9 x 100 = 900, but not all of these count: A has k² entries to choose.": 9,
        "11 x 89 = 979 are a few more than 960.": 11,
        "so many numbers it holds for the k that is asked for.": 900,
        "k is a whole number.": [9.6, 10.7, lambda value: value % 1 > 0],
        "with this k it holds far fewer numbers than 960: the largest k is asked for.": [
            3, 1, lambda value: value <= 5
        ],
        "so many factors take more than 960 numbers: k(60 + 40) of V and W, less those of A.": [
            40, 20, lambda value: value >= 12
        ],
    },
    also_wrong=[8],
)  # fmt: skip

answer(
    "26.2",
    hint="Each singular value is lowered by α and not below 0. What is left over of each?",
    step="Square what each of the three singular values loses, and add. The third has less to lose than α.",
    right=1.5**2 + 1.5**2 + 0.5**2,
    mistakes={
        "that is what rank 2 would leave without a penalty.": 0.25,
        "the last singular value cannot be lowered by 1.5: it is 0.5.": 6.75,
        "the third one is lost, too: it goes from 0.5 to 0.": 4.5,
        "that is J with the penalty 2α(3.5 + 0.5); asked for are the squared errors.": 16.75,
        "that is the size of VWᵀ, squared; asked for is the error R - VWᵀ.": 3.5**2 + 0.5**2,
        "squares are asked for: 1.5² and so on.": 3.5,
        "that is the root of the sum.": 4.75**0.5,
    },
)  # fmt: skip


def _factors(W, mu, items, ratings, alpha, price=np.diag):
    A = W[items]
    return np.linalg.solve(A.T @ A + alpha * price(np.ones(W.shape[1])), A.T @ (ratings - mu))


def _fold(W, mu, items, ratings, alpha, price=np.diag):
    return mu + W @ _factors(W, mu, items, ratings, alpha, price)


def _zeros_in_holes(W, mu, items, ratings, alpha):
    filled = np.full(len(W), mu)
    filled[items] = ratings
    return _fold(W, mu, np.arange(len(W)), filled, alpha)


def _by_rows(W, mu, items, ratings, alpha):
    """Right: least squares with extra rows."""
    k = W.shape[1]
    A = np.vstack([W[items], np.sqrt(alpha) * np.eye(k)])
    return W @ np.linalg.lstsq(A, np.append(ratings - mu, np.zeros(k)), rcond=None)[0] + mu


def _users(rng):
    for n_items, k, known, alpha in ((9, 2, 5, 0.7), (12, 3, 2, 0.3), (6, 1, 1, 1.9), (7, 4, 6, 2.0)):
        W, mu, items = rng.normal(size=(n_items, k)), rng.uniform(2.5, 4), rng.permutation(n_items)[:known]
        yield W, mu, items, rng.uniform(1, 5, known), alpha


implement(
    "26.3",
    hint="For one user (26.4) is a small ridge regression. Which rows of W does it see, and which ratings?",
    step="Take off mu, solve (W_uᵀW_u + αI)v = W_uᵀr with the rows of the rated films, predict all, add mu.",
    right=_fold, also_right=[_by_rows], cases=_users, asked="one prediction for each of the films, rated or not",
    mistakes={
        "these are the user's factors; return the predictions, mu + W v.": _factors,
        "the factors belong to ratings less mu: take it off before, and add it after.":
            lambda W, mu, *rest: _fold(W, 0, *rest),
        "add mu to the predictions again.": lambda W, mu, *rest: _fold(W, mu, *rest) - mu,
        "take mu off the ratings before you solve.": lambda W, mu, *rest: _fold(W, 0, *rest) + mu,
        "take off mu, the mean of all ratings, and not the user's own mean.":
            lambda W, mu, items, ratings, alpha: _fold(W, ratings.mean(), items, ratings, alpha),
        "the penalty is α, and not α times the number of ratings.":
            lambda W, mu, items, ratings, alpha: _fold(W, mu, items, ratings, alpha * len(items)),
        "α belongs on the diagonal alone: alpha * np.eye(k). Yours is added to every entry.":
            {"price": lambda ones: np.outer(ones, ones)},
        "where is α?": lambda W, mu, items, ratings, alpha: _by_rows(W, mu, items, ratings, 0),
        "films that the user has not rated must not count: use the rows of `items` only.": _zeros_in_holes,
    },
    otherwise=lambda value, right, W, mu, items, ratings, alpha: f"wrong for {len(items)} ratings of {len(W)} films "
    f"with {W.shape[1]} factors and alpha={alpha}.",
    also_wrong=[lambda W, mu, items, *rest: _fold(W, mu, items, *rest)[items]],
)  # fmt: skip

answer(
    "26.4",
    hint="Loop over the five; `predict` the pairs that are not known; the root mean square of the errors.",
    step="Give each pair (u, i) the number 40 u + i; np.isin tells which of them are known. On the others: the root "
    "mean square of model.predict(...) minus the ratings, for each alpha.",
    right=1,
    mistakes={
        "one of 0.03, 0.3, 1, 3 and 10 is asked for.": [0.5, 8, lambda value: value not in (0.03, 0.3, 1, 3, 10)],
        "this one has the least error on the *known* ratings.": 0.03,
        "with this one hardly more than the mean is left.": 10,
        "a stronger penalty does better still on the hidden ratings.": 0.3,
        "a weaker penalty does better still on the hidden ratings.": 3,
    },
)


def _step(v, w, r, eta, alpha, n_u, n_i):
    e = r - v @ w
    return v + eta * (e * w - alpha / n_u * v), w + eta * (e * v - alpha / n_i * w)


def _over_the_new_v(v, w, r, eta, alpha, n_u, n_i, again=False):
    e = r - v @ w
    v = v + eta * (e * w - alpha / n_u * v)
    e = r - v @ w if again else e
    return v, w + eta * (e * v - alpha / n_i * w)


def _in_place(v, w, r, eta, alpha, n_u, n_i):
    v[:], w[:] = _step(v, w, r, eta, alpha, n_u, n_i)
    return v, w


def _known_ratings(rng):
    for k, n_u, n_i in ((2, 3, 7), (3, 5, 2), (1, 4, 9)):
        v, w = rng.normal(size=(2, k))
        yield v, w, rng.normal(), rng.uniform(0.05, 0.3), rng.uniform(0.3, 1.5), n_u, n_i


implement(
    "26.5",
    hint="Which v does the line for w use? And how often does a user with n_u ratings pay α?",
    step="Keep the old v for the line of w. And a user with n_u ratings takes n_u such steps: each pays the n_u-th "
    "part of α.",
    right=_step, cases=_known_ratings, asked="return two arrays of shape (k,), the new v and the new w",
    mistakes={
        "neither is mended: look at which v the second line uses, and at what α counts.":
            lambda *given: _over_the_new_v(*given[:5], 1, 1),
        "the line for w still uses the *new* v: keep the old one.": _over_the_new_v,
        "the line for w uses the *new* v, in its error, too: keep the old one.":
            lambda *given: _over_the_new_v(*given, again=True),
        "each of the user's n_u ratings still pays the whole α.": lambda *given: _step(*given[:5], 1, 1),
        "v belongs to the user, who has n_u ratings: the counts are swapped.":
            lambda v, w, r, eta, alpha, n_u, n_i: _step(v, w, r, eta, alpha, n_i, n_u),
        "η absorbs the 2 of the gradient.": lambda v, w, r, eta, *rest: _step(v, w, r, 2 * eta, *rest),
        "that walks uphill.": lambda v, w, r, eta, *rest: _step(v, w, r, -eta, *rest),
        "α is shared out among the ratings: divide by their number.":
            lambda v, w, r, eta, alpha, n_u, n_i: _step(v, w, r, eta, alpha, 1 / n_u, 1 / n_i),
    },
    otherwise="it differs for random factors.",
    also_wrong=[_in_place, lambda *given: _step(*given)[0]],
)  # fmt: skip
