"""The exercises of chapter 5: linear discriminant analysis."""

import numpy as np

from mlcore.classroom.exercises import Unknown, Wrong, array, call, close, exercise, expect, number


@exercise(
    "5.1",
    hint="Fisher's direction is not δ. Which matrix stands before δ?",
    step="Solve S_w w = δ: the determinant of S_w is 8; write out its inverse. Then divide w₂ by w₁.",
    wrong=[0.0, 0.5, 2 / 3, -1.5, -2.0],
    right=[-2 / 3, -0.667, -0.67, np.array([[-4 / 6]])],
)
def weight_of_a_feature_without_a_gap(answer):
    """S_w⁻¹ (2, 0)ᵀ = (6, -4)ᵀ / 8, so the ratio is -2/3."""
    value = number(answer)
    expect(not close(value, 0), "that is the line of means. But the features vary together: see the 2 in S_w.")
    expect(not close(value, 0.5), "that is S_w δ. Multiply δ by the inverse of S_w.")
    expect(not close(value, 2 / 3), "wrong sign: the inverse of a 2 x 2 matrix has minus signs off the diagonal.")
    expect(not close(value, -1.5), "that is w₁ / w₂; the question asks for w₂ / w₁.")
    expect(close(value, -2 / 3, rtol=6e-3))


@exercise(
    "5.2",
    hint="How many dimensions do K class means span, measured from their common mean? Can there be more than d?",
    step="The K differences μ_k - μ add up to zero, weighted by the sizes of the classes. So how many of them can "
    "be independent, in d dimensions?",
    wrong=[[2, 3, 10, 2], [1, 2, 9, 4], [30, 13, 64, 2], [1, 2, 9]],
    right=[(1, 2, 9, 2), np.array([1.0, 2, 9, 2])],
)
def number_of_directions(answer):
    """min(K - 1, d) in each case."""
    values = array(answer, (4,))
    expect(not close(values, [1, 2, 9, 4]), "five means could span four dimensions, but there are only two features.")
    expect(not close(values, [2, 3, 10, 2]), "one for each class is one too many: the μ_k - μ add up to zero.")
    expect(not close(values, [30, 13, 64, 2]), "S_w may have that rank. The directions come from S_b, from K means.")
    expect(close(values, [1, 2, 9, 2]))


def _clouds(rng, sizes, d=3, offset=0.0):
    """Two stretched Gaussian clouds of these sizes, in random order."""
    y = rng.permutation(np.repeat([0, 1], sizes))
    stretch = rng.normal(size=(2, d, d))  # classes of different shape: then scatter and covariance disagree
    X = np.einsum("ij,ijk->ik", rng.normal(size=(len(y), d)), stretch[y]) + np.outer(y, 2 * rng.normal(size=d))
    return X + offset, y


def _scatter(X, y, k):
    deviations = X[y == k] - X[y == k].mean(axis=0)
    return deviations.T @ deviations


def _solve_for(X, y, matrix):
    return np.linalg.solve(matrix, X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))


def _right_direction(X, y):
    return _solve_for(X, y, _scatter(X, y, 0) + _scatter(X, y, 1))


def _line_of_means(X, y):
    return _solve_for(X, y, np.eye(X.shape[1]))


def _sum_of_covariances(X, y):
    return _solve_for(X, y, np.cov(X[y == 0].T) + np.cov(X[y == 1].T))


def _turned_round(X, y):
    return -_right_direction(X, y)


def _times_the_scatter(X, y):
    return (_scatter(X, y, 0) + _scatter(X, y, 1)) @ _line_of_means(X, y)


def _zero(X, y):
    return np.zeros(X.shape[1])


def _as_a_column(X, y):
    return 7 * _right_direction(X, y)[:, np.newaxis]


def _by_least_squares(X, y):
    """Right: (5.7), on codes that grow from class 0 to class 1."""
    return np.linalg.lstsq(np.column_stack([X, np.ones(len(X))]), y, rcond=None)[0][:-1]


def _parallel(a, b):
    """Whether two vectors point the same way."""
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return lengths > 0 and a @ b > (1 - 1e-9) * lengths


@exercise(
    "5.3",
    hint="Which matrix measures the spread inside the classes, and what is solved with it?",
    step="Both means; the deviation of each row from the mean of its class; S_w from these; then np.linalg.solve.",
    wrong=[_line_of_means, _sum_of_covariances, _turned_round, _times_the_scatter, _zero, 3.0],
    right=[_right_direction, _as_a_column, _by_least_squares],
)
def fishers_direction(answer):
    """Any positive multiple of S_w⁻¹ (μ₁ - μ₀)."""
    rng = np.random.default_rng(53)
    for sizes, d in (((30, 30), 2), ((50, 10), 3), ((8, 40), 4)):
        X, y = _clouds(rng, sizes, d)
        w, right = array(call(answer, X, y)), _right_direction(X, y)
        expect(w.size == d, f"a direction in {d} features has {d} entries, yours has the shape {w.shape}.")
        w = w.ravel()
        expect(np.linalg.norm(w) > 0, "your direction is the zero vector.")
        expect(not _parallel(w, -right), "the right axis, but it points from class 1 to class 0.")
        expect(not _parallel(w, _line_of_means(X, y)), "that is the line of means: the widths are left out.")
        expect(not _parallel(w, _times_the_scatter(X, y)), "that is S_w δ; solve S_w w = δ instead.")
        if sizes[0] != sizes[1] and _parallel(w, _sum_of_covariances(X, y)):
            raise Wrong("covariances forget how many samples a class has. Add up scatter matrices, which are sums.")
        if not _parallel(w, right):
            raise Unknown(f"for classes of {sizes[0]} and {sizes[1]} rows it is another direction.")


def _middle(m0, m1, variance, prior):
    return (m0 + m1) / 2


def _right_cut(m0, m1, variance, prior):
    return (m0 + m1) / 2 + variance / (m1 - m0) * np.log((1 - prior) / prior)


def _towards_the_frequent(m0, m1, variance, prior):
    return (m0 + m1) - _right_cut(m0, m1, variance, prior)


def _without_variance(m0, m1, variance, prior):
    return _right_cut(m0, m1, 1.0, prior)


def _without_gap(m0, m1, variance, prior):
    return (m0 + m1) / 2 + variance * np.log((1 - prior) / prior)


def _deviation_for_variance(m0, m1, variance, prior):
    return _right_cut(m0, m1, variance**2, prior)


@exercise(
    "5.4",
    hint="At that point the log-odds of the two classes, (5.10), are zero.",
    step="In one dimension the log-odds are a line in x with the slope (m₁ - m₀)/σ². It is zero in the middle if "
    "the priors are equal. How far does the logarithm of their ratio move its zero?",
    wrong=[_middle, _towards_the_frequent, _without_variance, _without_gap, _deviation_for_variance, 0.5],
    right=[_right_cut, lambda m0, m1, variance, prior: np.array([_right_cut(m0, m1, variance, prior)])],
)
def where_to_cut(answer):
    """(m₀ + m₁)/2 + σ²/(m₁ - m₀) · ln(π₀/π₁)."""
    for case in ((0.0, 2.0, 1.0, 0.5), (-1.0, 3.0, 2.5, 0.1), (1.0, 1.5, 0.3, 0.8), (-4.0, -1.0, 4.0, 0.35)):
        given = dict(zip(("m0", "m1", "variance", "prior"), case))
        value = number(call(answer, *case))
        if case[3] != 0.5:
            expect(not close(value, _middle(*case)), "that is the middle, which is right for equal priors only.")
            expect(not close(value, _towards_the_frequent(*case)), "the cut moves away from the frequent class.")
            expect(not close(value, _without_variance(*case)), "wider clouds move it further: where is σ²?")
            expect(not close(value, _without_gap(*case)), "the log-odds have slope (m₁ - m₀)/σ².")
            expect(not close(value, _deviation_for_variance(*case)), "`variance` is σ² already; do not square it.")
        if not close(value, _right_cut(*case)):
            raise Unknown(f"for {given}: {_right_cut(*case):.4f}, yours gives {value:.4f}.")


@exercise(
    "5.5",
    hint="Where was the dip with 24 samples of two classes, and why just there?",
    step="S_w of n samples of K classes has rank n - K at most. Average share_recognised over 20 seeds for each d "
    "around that number.",
    wrong=[22, 80, 2, 60, 10, 24],
    right=[38, 37, 40, np.int64(36)],
)
def worst_number_of_features(answer):
    """n - K = 38, give or take what 20 draws leave open."""
    value = number(answer)
    expect(not 20 <= value <= 25, "that was the worst for 24 samples; now there are 40. The dip moves with n.")
    expect(value < 70, "with that many features the pseudo-inverse has recovered again.")
    expect(value > 11, "few features tell little, but they do not break S_w; look beyond the first ten.")
    if not 36 <= value <= 40:
        raise Unknown("that is not the lowest point.")


def _buggy(X_train, y_train, X_new):
    return (X_new @ _right_direction(X_train, y_train) > 0).astype(int)


def _overall_mean(X_train, y_train, X_new):
    return ((X_new - X_train.mean(axis=0)) @ _right_direction(X_train, y_train) > 0).astype(int)


def _nearest_shadow(X_train, y_train, X_new):
    w = _right_direction(X_train, y_train)
    m0, m1 = (X_train[y_train == k].mean(axis=0) @ w for k in (0, 1))
    z = X_new @ w
    return (np.abs(z - m1) < np.abs(z - m0)).astype(int)


def _truth_values(X_train, y_train, X_new):
    return _nearest_shadow(X_train, y_train, X_new) == 1


def _labels_in_a_column(X_train, y_train, X_new):
    return _nearest_shadow(X_train, y_train, X_new)[:, np.newaxis]


def _other_way_round(X_train, y_train, X_new):
    return 1 - _nearest_shadow(X_train, y_train, X_new)


def _new_rows_centred(X_train, y_train, X_new):
    return ((X_new - X_new.mean(axis=0)) @ _right_direction(X_train, y_train) > 0).astype(int)


def _all_the_same(X_train, y_train, X_new):
    return np.ones(len(X_new), dtype=int)


@exercise(
    "5.6",
    hint="Shift all the data by 100. Should the answers change? Do they?",
    step="A shadow says nothing until it is compared with something. With which place on the axis?",
    wrong=[_buggy, _overall_mean, _other_way_round, _new_rows_centred, _all_the_same, "threshold"],
    right=[_nearest_shadow, _truth_values, _labels_in_a_column],
)
def cut_at_the_middle(answer):
    """Compare the shadow with the middle of the mean shadows, not with 0."""
    rng = np.random.default_rng(56)
    for sizes, offset in (((30, 30), 0.0), ((40, 20), 25.0), ((90, 10), -7.0), ((10, 90), 100.0)):
        X, y = _clouds(rng, sizes, 2, offset)
        new = np.vstack([X, X.mean(axis=0) + 2 * rng.normal(size=(60, 2))])
        right = _nearest_shadow(X, y, new)
        labels = array(call(answer, X, y, new))
        expect(labels.size == len(new), f"one label for each of {len(new)} rows, please; the shape is {labels.shape}.")
        labels = labels.ravel()
        expect(np.isin(labels, (0, 1)).all(), "return a label, 0 or 1, for each new row.")

        def same_as(mistake, X=X, y=y, new=new, labels=labels):
            return np.array_equal(labels, mistake(X, y, new))

        if np.array_equal(labels, right):
            continue
        expect(not same_as(_other_way_round), "the sides are mixed up: a shadow beyond the middle belongs to class 1.")
        expect(not same_as(_buggy), "0 is no special place on the axis: shift all rows, and your answers change.")
        expect(not same_as(_overall_mean), "the mean of all rows is near the larger class, not in the middle.")
        expect(not same_as(_new_rows_centred), "the answer for a sample must not depend on which others come with it.")
        wrong = int(np.sum(labels != right))
        raise Unknown(f"with {sizes[0]} and {sizes[1]} rows, {wrong} of {len(new)} labels are wrong.")
