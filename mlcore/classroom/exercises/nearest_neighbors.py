"""The exercises of chapter 14: nearest neighbours and density estimation."""

import numpy as np

from mlcore.classroom.exercises import Unknown, Wrong, array, call, close, exercise, expect, number, part


@exercise(
    "14.1",
    hint="(14.2) is a relative error. How large is it to be, and which letter is asked for?",
    step="Set the square of (14.2), (1 - P)/(N P), equal to 0.05² with P = 0.02, and solve for N.",
    wrong=[20_000, 400, 980, 19_208, 380, 7.84],
    right=[19_600, 19_600.0, np.array([19_600])],
)
def samples_for_an_error(answer):
    """(1 - P) / (P · 0.05²) = 19,600."""
    value = number(answer)
    expect(not close(value, 20_000), "that is 1/(P · 0.05²), the approximation for small P: keep 1 - P.")
    expect(not close(value, 400), "400 samples must fall into the region, nearly; N counts all samples.")
    expect(not close(value, 980), "the error is squared: (1 - P)/(NP) is the square of the relative error.")
    expect(not close(value, 7.84), "that is the absolute error of the share; the relative one is divided by P.")
    expect(not close(value, 19_208), "one 1 - P too many: the variance is P(1-P)/N, divided by P².")
    expect(close(value, 19_600))


@exercise(
    "14.2",
    hint="Name the most probable class; or copy a neighbour's label, which is an independent draw.",
    step="Bayes errs with 1 minus the largest probability; two independent draws differ with 1 minus the sum of the "
    "squares; the bound has M = 3.",
    wrong=[
        [0.7, 0.54, 0.465], [0.3, 0.54, 0.465], [0.3, 0.46, 0.6], [0.3, 0.46, 0.42], [0.3, 0.42, 0.465], [0.3, 0.46],
        [0.3, 0.465, 0.46],
    ],
    right=[(0.3, 0.46, 0.465), np.array([0.3, 0.46, 0.465]), [0.3, 0.46, 0.46499]],
)
def risks_of_a_constant_posterior(answer):
    """1 - 0.7, 1 - (0.49 + 0.04 + 0.01), 0.3 (2 - 3/2 · 0.3)."""
    bayes, nearest, bound = array(answer, (3,))
    expect(not close(bayes, 0.7), "0.7 is how often Bayes is right; the risk is how often it is wrong.")
    part(close(bayes, 0.3, rtol=2e-3), "the Bayes risk", "It is 1 minus the largest probability.")
    expect(not close(nearest, 0.54), "that is how often both labels are equal; the error is the rest.")
    expect(not close(nearest, 0.42), "that is for two classes of 0.7 and 0.3; there are three: 1 - Σ η².")
    part(close(nearest, 0.46, rtol=2e-3), "the error of 1-NN", "By (14.14) it is 1 minus the sum of the squares.")
    expect(not close(bound, 0.6), "twice the Bayes risk is the weaker bound; use the one with M.")
    expect(not close(bound, 0.42), "that is the bound for M = 2: M/(M-1) is 3/2 here.")
    part(close(bound, 0.465, rtol=2e-3), "the bound", "It is R*(2 - M/(M-1) R*) with M = 3.")


def _in_order(X_train, X_new):
    gaps = np.linalg.norm(X_new[:, None] - X_train, axis=2)
    return np.argsort(gaps, axis=1, kind="stable")


def _votes(labels, n_classes):
    return np.stack([np.sum(labels == c, axis=1) for c in range(n_classes)], axis=1)


def _right_predict(X_train, y_train, X_new, k):
    return _votes(y_train[_in_order(X_train, X_new)[:, :k]], y_train.max() + 1).argmax(axis=1)


def _nearest_only(X_train, y_train, X_new, k):
    return y_train[_in_order(X_train, X_new)[:, 0]]


def _one_short(X_train, y_train, X_new, k):
    return _right_predict(X_train, y_train, X_new, max(k - 1, 1))


def _one_more(X_train, y_train, X_new, k):
    return _right_predict(X_train, y_train, X_new, k + 1)


def _skips_the_first(X_train, y_train, X_new, k):
    return _votes(y_train[_in_order(X_train, X_new)[:, 1 : k + 1]], y_train.max() + 1).argmax(axis=1)


def _farthest(X_train, y_train, X_new, k):
    return _votes(y_train[_in_order(X_train, X_new)[:, -k:]], y_train.max() + 1).argmax(axis=1)


def _mean_label(X_train, y_train, X_new, k):
    return np.rint(y_train[_in_order(X_train, X_new)[:, :k]].mean(axis=1)).astype(int)


def _everybody(X_train, y_train, X_new, k):
    return np.full(len(X_new), np.bincount(y_train).argmax())


def _last_class_wins(X_train, y_train, X_new, k):
    votes = _votes(y_train[_in_order(X_train, X_new)[:, :k]], y_train.max() + 1)
    return votes.shape[1] - 1 - votes[:, ::-1].argmax(axis=1)


def _last_row_first(X_train, y_train, X_new, k):
    return _right_predict(X_train[::-1], y_train[::-1], X_new, k)


def _manhattan(X_train, y_train, X_new, k):
    gaps = np.abs(X_new[:, None] - X_train).sum(axis=2)
    return _votes(y_train[np.argsort(gaps, axis=1, kind="stable")[:, :k]], y_train.max() + 1).argmax(axis=1)


def _as_a_list(X_train, y_train, X_new, k):
    return _right_predict(X_train, y_train, X_new, k).tolist()


def _by_squares(X_train, y_train, X_new, k):
    gaps = ((X_new[:, None] - X_train) ** 2).sum(axis=2)
    near = np.lexsort((np.broadcast_to(np.arange(len(X_train)), gaps.shape), gaps))[:, :k]
    return np.array([[np.bincount(row).argmax()] for row in y_train[near]])


@exercise(
    "14.3",
    hint="All distances first. Which training rows are the k nearest of each new row? Which class do they vote for?",
    step="argsort of the distances with kind='stable', the first k columns, and for each row "
    "np.bincount(...).argmax().",
    wrong=[
        _nearest_only, _one_short, _one_more, _skips_the_first, _farthest, _mean_label, _everybody, _last_class_wins,
        _last_row_first, _manhattan, 1.0,
    ],
    right=[_right_predict, _as_a_list, _by_squares],
)
def neighbours_vote(answer):
    """On a grid of whole numbers, so that there are ties of both kinds."""
    rng = np.random.default_rng(143)
    for k, n, d in ((5, 40, 2), (1, 30, 3), (4, 60, 2), (6, 50, 2)):
        X_train, y_train = rng.integers(0, 6, (n, d)).astype(float), rng.permutation(np.arange(n) % 3)
        X_new = rng.integers(0, 6, (80, d)).astype(float)
        labels = array(call(answer, X_train.copy(), y_train.copy(), X_new.copy(), k))
        expect(labels.size == 80, f"one class for each of 80 new rows, please; the shape is {labels.shape}.")
        labels = labels.ravel()
        if np.array_equal(labels, _right_predict(X_train, y_train, X_new, k)):
            continue
        for mistake, words in (
            (_one_short, "one neighbour is missing: a slice [:k] has k entries."),
            (_one_more, "one neighbour too many: a slice [:k] has k entries."),
            (_skips_the_first, "the nearest is left out; new rows are not among the training rows."),
            (_nearest_only, "only the nearest counts; let k of them vote."),
            (_farthest, "these are the farthest: argsort begins with the smallest."),
            (_mean_label, "classes are names: a mean of 0 and 2 is not 1. Count the votes."),
            (_everybody, "that is the largest class of all rows, whatever the place."),
            (_last_class_wins, "of equally many votes the smallest class should win."),
            (_last_row_first, "of equal distances the first row should be nearer."),
            (_manhattan, "the differences are added; Euclid's distance adds their squares."),
        ):
            expect(not np.array_equal(labels, mistake(X_train, y_train, X_new, k)), words)
        wrong = int(np.sum(labels != _right_predict(X_train, y_train, X_new, k)))
        raise Unknown(f"with k = {k}, {wrong} of 80 are wrong. Look at the ties: a stable sort, the smallest class.")


def _right_log_density(x, samples, h):
    E = -0.5 * ((x - samples) / h) ** 2
    return E.max() + np.log(np.mean(np.exp(E - E.max()))) - np.log(h * np.sqrt(2 * np.pi))


def _underflows(x, samples, h):
    with np.errstate(divide="ignore"):
        return np.log(np.mean(np.exp(-0.5 * ((x - samples) / h) ** 2)) / (h * np.sqrt(2 * np.pi)))


def _plus_a_grain(x, samples, h):
    return np.log(np.mean(np.exp(-0.5 * ((x - samples) / h) ** 2)) / (h * np.sqrt(2 * np.pi)) + 1e-300)


def _without_n(x, samples, h):
    return _right_log_density(x, samples, h) + np.log(len(samples))


def _without_width(x, samples, h):
    return _right_log_density(x, samples, h) + np.log(h)


def _without_half(x, samples, h):
    return _right_log_density(x, samples, h / np.sqrt(2)) - np.log(np.sqrt(2))


def _without_constant(x, samples, h):
    return _right_log_density(x, samples, h) + np.log(np.sqrt(2 * np.pi))


def _mean_of_logs(x, samples, h):
    return np.mean(-0.5 * ((x - samples) / h) ** 2) - np.log(h * np.sqrt(2 * np.pi))


def _forgets_the_largest(x, samples, h):
    E = -0.5 * ((x - samples) / h) ** 2
    return np.log(np.mean(np.exp(E - E.max()))) - np.log(h * np.sqrt(2 * np.pi))


def _by_logaddexp(x, samples, h):
    terms = -0.5 * ((x - samples) / h) ** 2 - np.log(h * len(samples) * np.sqrt(2 * np.pi))
    return np.array([np.logaddexp.reduce(terms)])


@exercise(
    "14.4",
    hint="Far away every e^E rounds to 0. What may be taken out of a sum of exponentials?",
    step="(14.5) with d = 1: take the largest exponent out of the sum before you raise e to anything, and add it to "
    "the logarithm afterwards.",
    wrong=[
        _underflows, _plus_a_grain, _without_n, _without_width, _without_half, _without_constant, _mean_of_logs,
        _forgets_the_largest, 0.0,
    ],
    right=[_right_log_density, _by_logaddexp],
)
def log_of_a_sum_of_bumps(answer):
    """Near the samples, and a thousand widths away."""
    rng = np.random.default_rng(144)
    for n, h, x in ((7, 0.7, 0.3), (20, 2.5, -1.0), (5, 0.3, 300.0), (12, 0.05, -60.0)):
        samples = rng.normal(size=n)
        with np.errstate(divide="ignore"):
            value = call(answer, x, samples.copy(), h)
        value = float(np.asarray(value, dtype=float).ravel()[0]) if np.size(value) == 1 else number(value)
        right = _right_log_density(x, samples, h)
        if np.isfinite(value) and close(value, right):
            continue
        for mistake, words in (
            (_without_n, "1/N is missing: it is a mean over the samples."),
            (_without_width, "a narrow bump is high: where is 1/h?"),
            (_without_half, "the exponent is -u²/(2h²): a ½ is missing."),
            (_without_constant, "the constant √(2π) is missing."),
            (_mean_of_logs, "that is the mean of the logarithms; asked for is the logarithm of the mean."),
            (_forgets_the_largest, "the largest exponent was taken out of the sum, but not put back."),
        ):
            expect(not close(value, mistake(x, samples, h)), words)
        far = abs(x) > 50
        expect(not (far and not np.isfinite(value)), "far away every e^E rounds to 0: take the largest one out first.")
        expect(not far, f"far away it gives {value:.1f}, not {right:.1f}: a grain added hides the underflow.")
        raise Unknown(f"for N = {n}, h = {h}, x = {x}: {right:.4f}, yours gives {value:.4f}.")


@exercise(
    "14.5",
    hint="Each wine has a nearest other wine. How often do their classes differ?",
    step="kneighbors()[1][:, 0] is for each wine its nearest other wine. Count where wine.target of the two "
    "differs, for each of the three ways.",
    wrong=[[0, 0, 0], [41, 25, 14], [41, 9, 14], [8, 41, 14], [41, 8, 8], [41, 8], [41 / 178, 8 / 178, 14 / 178]],
    right=[(41, 8, 14), np.array([41.0, 8, 14])],
)
def errors_of_three_units(answer):
    """Leave-one-out errors of 1-NN on the wines."""
    values = array(answer, (3,))
    expect(not close(values, [0, 0, 0]), "each wine has found itself. kneighbors() without X leaves it out.")
    expect((values >= 1).all(), "counts, please, not shares.")
    part(close(values[0], 41), "(a)", "1-NN on wine.data as it is.")
    expect(not close(values[1], 25), "(b) was divided by the variance: the unit then comes back, upside down.")
    expect(not close(values[1], 9), "(b) was divided by the range, or by something else; take std(axis=0).")
    part(close(values[1], 8), "(b)", "Divide wine.data by wine.data.std(axis=0).")
    expect(not close(values[2], 8), "(c) is metric='mahalanobis', on the numbers as they are.")
    part(close(values[2], 14), "(c)", "metric='mahalanobis' on wine.data as it is.")


def _buggy_nearest(X_train, X_new):
    squared = np.sum(X_new**2, axis=1)[:, None] - 2 * X_new @ X_train.T + np.sum(X_train**2, axis=1)
    return squared.argmin(axis=1)


def _clipped(X_train, X_new):
    squared = np.sum(X_new**2, axis=1)[:, None] - 2 * X_new @ X_train.T + np.sum(X_train**2, axis=1)
    return np.maximum(squared, 0).argmin(axis=1)


def _differences(X_train, X_new):
    return np.sum((X_new[:, None] - X_train) ** 2, axis=2).argmin(axis=1)


def _each_centred(X_train, X_new):
    return _buggy_nearest(X_train - X_train.mean(axis=0), X_new - X_new.mean(axis=0))


def _moved(X_train, X_new):
    """Right: one shift for both, by the mean of the training rows."""
    center = X_train.mean(axis=0)
    return _buggy_nearest(X_train - center, X_new - center)


def _places_of_the_new(X_train, X_new):
    return _differences(X_new, X_train)


def _by_norm(X_train, X_new):
    return np.array([[np.linalg.norm(X_train - x, axis=1).argmin()] for x in X_new])


def _by_manhattan(X_train, X_new):
    return np.abs(X_new[:, None] - X_train).sum(axis=2).argmin(axis=1)


@exercise(
    "14.6",
    hint="At an offset of 1e7 the squares are near 1e14. How many digits of their difference are left?",
    step="Form the differences of the coordinates first; then square them and add up.",
    wrong=[_buggy_nearest, _clipped, _each_centred, _places_of_the_new, _by_manhattan, 0.5],
    right=[_differences, _moved, _by_norm],
)
def nearest_at_any_offset(answer):
    """Near zero, and far from it."""
    rng = np.random.default_rng(146)
    for offset, n, m in ((0.0, 40, 30), (1e7, 50, 20), (-3e6, 30, 60)):
        X_train, X_new = rng.random((n, 3)) + offset, rng.random((m, 3)) + offset + 0.2
        right = _differences(X_train, X_new)
        rows = array(call(answer, X_train.copy(), X_new.copy()))
        expect(
            not (rows.size == n and n != m),
            "asked for is a row of X_train for each row of X_new, not the other way round.",
        )
        expect(rows.size == m, f"one row number for each of {m} new rows, please; the shape is {rows.shape}.")
        if np.array_equal(rows.ravel(), right):
            continue
        if offset == 0.0:
            expect(
                not np.array_equal(rows.ravel(), _each_centred(X_train, X_new)),
                "each table was moved by a mean of its own: that changes the distances between them.",
            )
            expect(not np.array_equal(rows.ravel(), _by_manhattan(X_train, X_new)), "Euclid squares the differences.")
            raise Unknown(f"{int(np.sum(rows.ravel() != right))} of {m} rows are wrong even near zero.")
        raise Wrong(
            f"at {offset:.0e} from zero, {int(np.sum(rows.ravel() != right))} of {m} rows are wrong: "
            "terms near 1e14 still cancel. Clipping at 0 does not bring the lost digits back."
        )
