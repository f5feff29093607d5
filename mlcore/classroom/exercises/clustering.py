"""The exercises of chapter 23: clustering."""

import functools
import itertools

import numpy as np

from mlcore.classroom.exercises import Unknown, Wrong, array, call, close, exercise, expect, number


@exercise(
    "23.1",
    hint="The formula for means holds for squares. Square the three distances, and take the root at the end.",
    step="By (23.12): the shares of the points, 3/4 and 1/4, times the squared distances, minus the product of the "
    "shares times d_ab². Then the root.",
    wrong=[3.375, 13.5, 3.775, 3.75, 3.25],
    right=[13.5**0.5, 3.67, 3.674, np.array([[3.6742]])],
)
def distance_of_merged_means(answer):
    """d² = ¾ 16 + ¼ 9 - 3/16 4 = 13.5."""
    value = number(answer)
    expect(not close(value, 3.375), "you put the distances into a formula for their squares.")
    expect(not close(value, 13.5), "that is the square of the distance.")
    expect(not close(value, 14.25**0.5, rtol=2e-3), "the last term of the formula is missing: it subtracts d_ab².")
    expect(not close(value, 3.75), "that is the average linkage: the mean over all pairs, not the distance of means.")
    expect(close(value, 13.5**0.5, rtol=1.5e-3))


def _right_round(X, centers):
    labels = ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    return np.array([X[labels == j].mean(axis=0) if (labels == j).any() else m for j, m in enumerate(centers)])


def _by_products(X, centers):
    """Right: (23.1) in its second form."""
    labels = (X @ centers.T - 0.5 * (centers**2).sum(axis=1)).argmax(axis=1)
    moved = centers.copy()
    for j in set(labels.tolist()):
        moved[j] = X[labels == j].mean(axis=0)
    return moved


def _nan_where_empty(X, centers):
    labels = ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    sizes = np.bincount(labels, minlength=len(centers))
    with np.errstate(all="ignore"):
        return np.array([X[labels == j].sum(axis=0) / np.float64(n) for j, n in enumerate(sizes)])


def _largest_product(X, centers):
    labels = (X @ centers.T).argmax(axis=1)
    return np.array([X[labels == j].mean(axis=0) if (labels == j).any() else m for j, m in enumerate(centers)])


def _medians(X, centers):
    labels = ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    return np.array([np.median(X[labels == j], axis=0) if (labels == j).any() else m for j, m in enumerate(centers)])


def _to_the_end(X, centers):
    for _ in range(100):
        centers = _right_round(X, centers)
    return centers


def _labels_only(X, centers):
    return ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)


@exercise(
    "23.2",
    hint="First the number of the nearest centre for each row; then the mean of the rows of each number.",
    step="labels is the argmin over the centres of the squared distances; then for each j the mean of X[labels == "
    "j], or the old centre where there is none.",
    wrong=[_nan_where_empty, _largest_product, _medians, _to_the_end, _labels_only, 3.0],
    right=[_right_round, _by_products, lambda X, centers: _right_round(X, centers).tolist()],
)
def one_round(answer):
    """Assign, then update, once."""
    rng = np.random.default_rng(232)
    for n, k, d in ((40, 3, 2), (60, 4, 3), (30, 2, 1)):
        X = rng.normal(size=(n, d)) + 1.0
        centers = 1.5 * rng.normal(size=(k, d))
        before = X.copy(), centers.copy()
        moved, right = array(call(answer, X, centers)), _right_round(*before)
        expect(moved.shape == (k, d), f"{k} centres of {d} features have the shape {(k, d)}, yours has {moved.shape}.")
        expect(not close(moved, _to_the_end(*before)) or close(right, _to_the_end(*before)),
               "that is where many rounds lead; make only one.")
        if close(moved, _largest_product(*before)) and not close(right, _largest_product(*before)):
            raise Wrong("the largest product xᵀμ is not the nearest centre: ½‖μ‖² is missing.")
        expect(not close(moved, _medians(*before)), "that is the median of each group; J asks for the mean.")
        if not close(moved, right):
            raise Unknown("some centre is not the mean of the points that are nearest to it.")
        expect(np.array_equal(X, before[0]) and np.array_equal(centers, before[1]), "it changed X or centers.")
    X, centers = np.array([[0.0, 0], [1, 1], [5, 5]]), np.array([[0.4, 0.4], [90.0, 90.0], [5, 4]])
    moved = call(answer, X, centers.copy())
    expect(np.isfinite(np.asarray(moved, dtype=float)).all(), "where no point is nearest to a centre you have 0/0.")
    expect(close(array(moved), [[0.5, 0.5], [90, 90], [5, 5]]), "a centre without points stays where it is.")


@exercise(
    "23.3",
    hint="For each of the six pairs: where is the border, which points lie on each side, and their means?",
    step="Go through all pairs, by hand or with half_steps, and note J at the end of each. How often is it the lowest?",
    wrong=[2, 6, 3, 1],
    right=[4, 4.0, np.array([4])],
)
def lucky_starts(answer):
    """0, 9 and 4, 5 end at {0, 4}, {5, 9} with J = 16; the other four at 14."""
    value = number(answer)
    expect(not close(value, 2), "two starts end at {0, 4} and {5, 9}, with J = 16. Is there a grouping with less?")
    expect(not close(value, 6), "0 and 9 end at {0, 4}, {5, 9} with J = 16. Compare {0}, {4, 5, 9}.")
    expect(close(value, 4))


@exercise(
    "23.4",
    hint="A cut through the tree leaves a group below each branch that it meets. Which function cuts?",
    step="AgglomerativeClustering(n_clusters=1, linkage='ward').fit(iris.data); then cut(linkage_matrix_, 5.0) "
    "gives each flower the number of its group.",
    wrong=[3, 146, 150, 7],
    right=[4, 4.0],
)
def groups_of_irises(answer):
    """cut at 5 of Ward's tree."""
    value = number(answer)
    expect(not close(value, 3), "three is how many merges lie above the cut; how many groups do they join?")
    expect(not close(value, 146), "that is how many merges lie below the cut; each leaves one group less.")
    expect(not close(value, 150), "that is how many flowers there are; count the groups.")
    expect(close(value, _groups_at(5.0)))


@functools.cache
def _groups_at(height):
    from mlcore.clustering import AgglomerativeClustering, cut
    from mlcore.datasets import load_iris

    tree = AgglomerativeClustering(n_clusters=1, linkage="ward").fit(load_iris().data)
    return len(np.unique(cut(tree.linkage_matrix_, height)))


def _seeds(power, of_last=False):
    def seeds(X, k, rng):
        places = [rng.integers(len(X))]
        while len(places) < k:
            near = places[-1:] if of_last else places
            gaps = (((X[:, None] - X[near]) ** 2).sum(axis=2).min(axis=1)) ** (power / 2)
            places.append(rng.choice(len(X), p=gaps / gaps.sum()))
        return places

    return seeds


def _evenly(X, k, rng):
    return rng.choice(len(X), size=k, replace=False)


def _farthest(X, k, rng):
    places = [rng.integers(len(X))]
    while len(places) < k:
        places.append(((X[:, None] - X[places]) ** 2).sum(axis=2).min(axis=1).argmax())
    return places


def _the_points(X, k, rng):
    return X[_seeds(2)(X, k, rng)]


def _by_searching(X, k, rng):
    """Right: a dart at gaps laid end to end."""
    places, gaps = [int(rng.integers(len(X)))], np.inf
    for _ in range(k - 1):
        gaps = np.minimum(gaps, ((X - X[places[-1]]) ** 2).sum(axis=1))
        places.append(int(np.searchsorted(np.cumsum(gaps), rng.random() * gaps.sum(), side="right")))
    return np.array(places)


def _chances(X, power, of_last=False):
    """P of every ordered choice of three."""
    chances = np.zeros((len(X),) * 3)
    for i, j in itertools.permutations(range(len(X)), 2):
        D = np.abs(X - X.T) ** power
        last = D[j] if of_last else np.minimum(D[i], D[j])
        chances[i, j] = D[i, j] / D[i].sum() * last / last.sum() / len(X)
    return chances


@exercise(
    "23.5",
    hint="Two things decide the chances: the power of the distance, and the centres from which it is taken.",
    step="For each point the least squared distance from all centres so far; chances in proportion to that.",
    wrong=[_seeds(1), _seeds(2, of_last=True), _seeds(1, of_last=True), _evenly, _farthest, _the_points, 3],
    right=[_seeds(2), _by_searching],
)
def plus_plus(answer):
    """The chances of all ordered triples of four points."""
    X, n_runs = np.array([[0.0], [1.0], [3.0], [7.0]]), 3000
    rng, shares = np.random.default_rng(235), np.zeros((4, 4, 4))
    for _ in range(n_runs):
        places = np.asarray(call(answer, X, 3, rng))
        expect(places.shape == (3,), f"three numbers of points are asked for, you return the shape {places.shape}.")
        whole = np.issubdtype(places.dtype, np.number) and np.isin(places, range(4)).all()
        expect(whole, "return the numbers of the points (0 to n - 1), not the points.")
        shares[tuple(places.astype(int))] += 1 / n_runs

    def off(chances):
        return np.abs(shares - chances).max()

    even = np.zeros((4, 4, 4))
    for triple in itertools.permutations(range(4), 3):
        even[triple] = 1 / 24
    right = off(_chances(X, 2))
    if right > 0.025:
        expect(shares.sum(axis=(1, 2)).min() > 0.15, "the first centre must be any point, all equally likely.")
        expect(off(even) > 0.025, "you draw all points evenly; far ones should be likelier.")
        expect(off(_chances(X, 1)) > 0.025, "the chances are in step with D; they must be with D².")
        expect(np.count_nonzero(shares) > 8, "you take the farthest point; it should only be the likeliest.")
        expect(off(_chances(X, 2, True)) > 0.025, "the third draw looks only at the last centre, not at the nearest.")
        expect(off(_chances(X, 1, True)) > 0.025, "both mistakes are still there: D, and only the last centre.")
    if not right <= 0.025:
        raise Unknown("in 3,000 draws the shares of the triples are not those of k-means++.")
