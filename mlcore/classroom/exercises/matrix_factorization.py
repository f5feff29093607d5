"""Graders of chapter 26."""

import numpy as np

from mlcore.classroom.exercises import Unknown, Wrong, array, call, close, exercise, expect, number


@exercise(
    "26.1",
    hint="How many numbers do V and W hold, and how many of them does A leave to choose?",
    step="V and W hold k(60 + 40) numbers, less the k² entries of A. Up to which k is that at most 960?",
    wrong=[9, 11, 8, 3, 40, 20, 1, 900, 9.6, 10.7],
    right=[10, np.int64(10), 10.0],
)
def largest_rank(answer):
    """k(100 - k) <= 960 < (k + 1)(99 - k) for k = 10."""
    value = number(answer)
    expect(not close(value, 9), "9 x 100 = 900, but not all of these count: A has k² entries to choose.")
    expect(not close(value, 11), "11 x 89 = 979 are a few more than 960.")
    expect(not close(value, 900), "so many numbers it holds for the k that is asked for.")
    expect(value == round(value), "k is a whole number.")
    expect(value > 5, "with this k it holds far fewer numbers than 960: the largest k is asked for.")
    expect(value < 12, "so many factors take more than 960 numbers: k(60 + 40) of V and W, less those of A.")
    expect(close(value, 10))


@exercise(
    "26.2",
    hint="Each singular value is lowered by α and not below 0. What is left over of each?",
    step="Square what each of the three singular values loses, and add. The third has less to lose than α.",
    wrong=[0.25, 6.75, 4.5, 3.5, 12.5, 16.75, 2.1794, 3.5**2 + 0.5**2],
    right=[4.75, np.array([4.75]), 4.7501],
)
def price_of_shrinking(answer):
    """1.5² + 1.5² + 0.5²."""
    value = number(answer)
    expect(not close(value, 0.25), "that is what rank 2 would leave without a penalty.")
    expect(not close(value, 6.75), "the last singular value cannot be lowered by 1.5: it is 0.5.")
    expect(not close(value, 4.5), "the third one is lost, too: it goes from 0.5 to 0.")
    expect(not close(value, 16.75), "that is J with the penalty 2α(3.5 + 0.5); asked for are the squared errors.")
    expect(not close(value, 12.5), "that is the size of VWᵀ, squared; asked for is the error R - VWᵀ.")
    expect(not close(value, 3.5), "squares are asked for: 1.5² and so on.")
    expect(not close(value, 4.75**0.5, rtol=1e-3), "that is the root of the sum.")
    expect(close(value, 4.75, rtol=1e-3))


def _right_fold(W, mu, items, ratings, alpha):
    A = W[items]
    return mu + W @ np.linalg.solve(A.T @ A + alpha * np.eye(W.shape[1]), A.T @ (ratings - mu))


def _by_rows(W, mu, items, ratings, alpha):
    k = W.shape[1]
    A = np.vstack([W[items], np.sqrt(alpha) * np.eye(k)])
    return W @ np.linalg.lstsq(A, np.append(ratings - mu, np.zeros(k)), rcond=None)[0] + mu


def _not_centred(W, mu, items, ratings, alpha):
    return _right_fold(W, 0.0, items, ratings, alpha)


def _mean_forgotten(W, mu, items, ratings, alpha):
    return _right_fold(W, mu, items, ratings, alpha) - mu


def _mean_only_added(W, mu, items, ratings, alpha):
    return _not_centred(W, mu, items, ratings, alpha) + mu


def _penalty_times_ratings(W, mu, items, ratings, alpha):
    return _right_fold(W, mu, items, ratings, alpha * len(items))


def _no_penalty(W, mu, items, ratings, alpha):
    return mu + W @ np.linalg.lstsq(W[items], ratings - mu, rcond=None)[0]


def _own_mean(W, mu, items, ratings, alpha):
    return _right_fold(W, np.mean(ratings), items, ratings, alpha)


def _zeros_in_holes(W, mu, items, ratings, alpha):
    r = np.zeros(len(W))
    r[items] = ratings - mu
    return mu + W @ np.linalg.solve(W.T @ W + alpha * np.eye(W.shape[1]), W.T @ r)


def _only_rated(W, mu, items, ratings, alpha):
    return _right_fold(W, mu, items, ratings, alpha)[items]


def _factors(W, mu, items, ratings, alpha):
    A = W[items]
    return np.linalg.solve(A.T @ A + alpha * np.eye(W.shape[1]), A.T @ (ratings - mu))


@exercise(
    "26.3",
    hint="For one user (26.4) is a small ridge regression. Which rows of W does it see, and which ratings?",
    step="Take off mu, solve (W_uᵀW_u + αI)v = W_uᵀr with the rows of the rated films, predict all, add mu.",
    wrong=[
        _not_centred, _mean_forgotten, _mean_only_added, _penalty_times_ratings, _no_penalty, _own_mean,
        _zeros_in_holes, _only_rated, _factors, 3.0,
    ],
    right=[_right_fold, _by_rows],
)
def fold_in(answer):
    """mu + W v, v by (26.4)."""
    rng = np.random.default_rng(263)
    for n_items, k, known, alpha in ((9, 2, 5, 0.7), (12, 3, 2, 0.3), (6, 1, 1, 1.9), (7, 4, 6, 2.0)):
        W, mu = rng.normal(size=(n_items, k)), 3.4
        items, ratings = rng.permutation(n_items)[:known], rng.uniform(1, 5, known)
        given = W, mu, items, ratings, alpha
        predicted = array(call(answer, W.copy(), mu, items.copy(), ratings.copy(), alpha))
        if predicted.shape == (k,) and k != n_items:
            raise Wrong("these are the user's factors; return the predictions, mu + W v.")
        expect(
            predicted.shape == (n_items,),
            f"one prediction for each of the {n_items} films, rated or not; yours has the shape {predicted.shape}.",
        )
        if close(predicted, _right_fold(*given), rtol=1e-6):
            continue
        for mistake, hint in (
            (_not_centred, "the factors belong to ratings less mu: take it off before, and add it after."),
            (_mean_forgotten, "add mu to the predictions again."),
            (_mean_only_added, "take mu off the ratings before you solve."),
            (_own_mean, "take off mu, the mean of all ratings, and not the user's own mean."),
            (_penalty_times_ratings, "the penalty is α, and not α times the number of ratings."),
            (_no_penalty, "where is α?"),
            (_zeros_in_holes, "films that the user has not rated must not count: use the rows of `items` only."),
        ):
            expect(not close(predicted, mistake(*given), rtol=1e-6), hint)
        raise Unknown(f"wrong for {known} ratings of {n_items} films with {k} factors and alpha={alpha}.")


@exercise(
    "26.4",
    hint="Loop over the five; `predict` the pairs that are not known; the root mean square of the errors.",
    step="Give each pair (u, i) the number 40 u + i; np.isin tells which of them are known. On the others: the root "
    "mean square of model.predict(...) minus the ratings, for each alpha.",
    wrong=[0.03, 0.3, 3, 10, 0.5, 8],
    right=[1, 1.0, np.float64(1)],
)
def which_penalty(answer):
    """Measured."""
    value = number(answer)
    expect(any(close(value, alpha) for alpha in (0.03, 0.3, 1, 3, 10)), "one of 0.03, 0.3, 1, 3 and 10 is asked for.")
    expect(not close(value, 0.03), "this one has the least error on the *known* ratings.")
    expect(not close(value, 10), "with this one hardly more than the mean is left.")
    expect(value > 0.5, "a stronger penalty does better still on the hidden ratings.")
    expect(value < 2, "a weaker penalty does better still on the hidden ratings.")


def _right_step(v, w, r, eta, alpha, n_u, n_i):
    e = r - v @ w
    return v + eta * (e * w - alpha / n_u * v), w + eta * (e * v - alpha / n_i * w)


def _as_a_list(v, w, r, eta, alpha, n_u, n_i):
    return list(_right_step(v, w, r, eta, alpha, n_u, n_i))


def _both_bugs(v, w, r, eta, alpha, n_u, n_i):
    e = r - v @ w
    v = v + eta * (e * w - alpha * v)
    return v, w + eta * (e * v - alpha * w)


def _new_v_still(v, w, r, eta, alpha, n_u, n_i):
    e = r - v @ w
    v = v + eta * (e * w - alpha / n_u * v)
    return v, w + eta * (e * v - alpha / n_i * w)


def _whole_penalty_still(v, w, r, eta, alpha, n_u, n_i):
    e = r - v @ w
    return v + eta * (e * w - alpha * v), w + eta * (e * v - alpha * w)


def _counts_swapped(v, w, r, eta, alpha, n_u, n_i):
    return _right_step(v, w, r, eta, alpha, n_i, n_u)


def _twice(v, w, r, eta, alpha, n_u, n_i):
    return _right_step(v, w, r, 2 * eta, alpha, n_u, n_i)


def _uphill(v, w, r, eta, alpha, n_u, n_i):
    return _right_step(v, w, r, -eta, alpha, n_u, n_i)


def _times_count(v, w, r, eta, alpha, n_u, n_i):
    return _right_step(v, w, r, eta, alpha, 1 / n_u, 1 / n_i)


def _only_v(v, w, r, eta, alpha, n_u, n_i):
    return _right_step(v, w, r, eta, alpha, n_u, n_i)[0]


def _in_place(v, w, r, eta, alpha, n_u, n_i):
    e = r - v @ w
    v += eta * (e * w - alpha / n_u * v)
    w += eta * (e * v - alpha / n_i * w)
    return v, w


@exercise(
    "26.5",
    hint="Which v does the line for w use? And how often does a user with n_u ratings pay α?",
    step="Keep the old v for the line of w. And a user with n_u ratings takes n_u such steps: each pays the n_u-th "
    "part of α.",
    wrong=[
        _both_bugs, _new_v_still, _in_place, _whole_penalty_still, _counts_swapped, _twice, _uphill, _times_count,
        _only_v, 1.0,
    ],
    right=[_right_step, _as_a_list],
)
def step_without_bugs(answer):
    """(26.9)."""
    rng = np.random.default_rng(265)
    for k, n_u, n_i in ((2, 3, 7), (3, 5, 2), (1, 4, 9)):
        v, w = rng.normal(size=(2, k))
        given = float(rng.normal()), 0.11, 0.9, n_u, n_i
        both = call(answer, v.copy(), w.copy(), *given)
        expect(
            isinstance(both, tuple | list | np.ndarray) and len(both) == 2
            and np.shape(both[0]) == np.shape(both[1]) == (k,),
            "return two arrays of shape (k,), the new v and the new w.",
        )
        mine, right = np.concatenate(both), np.concatenate(_right_step(v, w, *given))
        if close(mine, right, rtol=1e-8):
            continue
        for mistake, hint in (
            (_both_bugs, "neither is mended: look at which v the second line uses, and at what α counts."),
            (_new_v_still, "the line for w still uses the *new* v: keep the old one."),
            (_whole_penalty_still, "each of the user's n_u ratings still pays the whole α."),
            (_counts_swapped, "v belongs to the user, who has n_u ratings: the counts are swapped."),
            (_twice, "η absorbs the 2 of the gradient."),
            (_uphill, "that walks uphill."),
            (_times_count, "α is shared out among the ratings: divide by their number."),
        ):
            expect(not close(mine, np.concatenate(mistake(v, w, *given)), rtol=1e-8), hint)
        raise Unknown("it differs for random factors.")
