"""The exercises of chapter 23: clustering."""

import functools
import itertools
from collections import Counter

import numpy as np

from mlcore.classroom.exercises import Case, Unknown, answer, array, call, exercise, expect, implement

answer(
    "23.1",
    hint="The formula for means holds for squares. Square the three distances, and take the root at the end.",
    step="By (23.12): the shares of the points, 3/4 and 1/4, times the squared distances, minus the product of the "
    "shares times d_ab². Then the root.",
    right=13.5**0.5, also_right=[3.67], digits=2,
    mistakes={
        "you put the distances into a formula for their squares.": 3.375,
        "that is the square of the distance.": 13.5,
        "the last term of the formula is missing: it subtracts d_ab².": 14.25**0.5,
        "that is the average linkage: the mean over all pairs, not the distance of means.": 3.75,
    },
    also_wrong=[3.25],
)  # fmt: skip


def _round(X, centers, nearest=lambda X, m: ((X[:, None] - m) ** 2).sum(axis=2).argmin(axis=1), middle=np.mean):
    labels = nearest(X, centers)
    return np.array([middle(X[labels == j], axis=0) if (labels == j).any() else m for j, m in enumerate(centers)])


def _lost_where_empty(X, centers, to=np.nan):
    moved = _round(X, centers)
    moved[(moved == centers).all(axis=1)] = to
    return moved


def _points_and_centers(rng):
    for n, k, d in ((40, 3, 2), (60, 4, 3), (30, 2, 1), (90, 6, 4)):
        yield rng.normal(size=(n, d)) + 1.0, 1.5 * rng.normal(size=(k, d))
    yield Case(
        np.array([[0.0, 0], [1, 1], [5, 5]]), np.array([[0.4, 0.4], [90.0, 90.0], [5, 4]]),
        said="a centre without points stays where it is.",
    )  # fmt: skip


implement(
    "23.2",
    hint="First the number of the nearest centre for each row; then the mean of the rows of each number.",
    step="labels is the argmin over the centres of the squared distances; then for each j the mean of X[labels == "
    "j], or the old centre where there is none.",
    right=_round,
    also_right=[lambda X, m: _round(X, m, lambda X, m: (X @ m.T - 0.5 * (m**2).sum(axis=1)).argmax(axis=1))],
    cases=_points_and_centers, asked="the moved centres are asked for, a row for each",
    mistakes={
        "that is where many rounds lead; make only one.":
            lambda X, centers: functools.reduce(lambda m, _: _round(X, m), range(100), centers),
        "the largest product xᵀμ is not the nearest centre: ½‖μ‖² is missing.":
            {"nearest": lambda X, m: (X @ m.T).argmax(axis=1)},
        "that is the nearest by the sum of the differences; J has their squares.":
            {"nearest": lambda X, m: np.abs(X[:, None] - m).sum(axis=2).argmin(axis=1)},
        "that is the nearest by fourth powers; J has squares.":
            {"nearest": lambda X, m: ((X[:, None] - m) ** 4).sum(axis=2).argmin(axis=1)},
        "that is the median of each group; J asks for the mean.": {"middle": np.median},
        "where no point is nearest to a centre you have 0/0.": _lost_where_empty,
        "a centre without points stays where it is; yours goes to 0.":
            lambda X, centers: _lost_where_empty(X, centers, 0.0),
    },
    otherwise="some centre is not the mean of the points that are nearest to it.",
    also_wrong=[lambda X, centers: ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)],
)  # fmt: skip

answer(
    "23.3",
    hint="For each of the six pairs: where is the border, which points lie on each side, and their means?",
    step="Go through all pairs, by hand or with half_steps, and note J at the end of each. How often is it the lowest?",
    right=4,
    mistakes={
        "two starts end at {0, 4} and {5, 9}, with J = 16. Is there a grouping with less?": 2,
        "0 and 9 end at {0, 4}, {5, 9} with J = 16. Compare {0}, {4, 5, 9}.": 6,
    },
    also_wrong=[3, 1],
)


@functools.cache
def _groups_at_5():
    from mlcore.clustering import AgglomerativeClustering, cut
    from mlcore.datasets import load_iris

    tree = AgglomerativeClustering(n_clusters=1, linkage="ward").fit(load_iris().data)
    return len(np.unique(cut(tree.linkage_matrix_, 5.0)))


answer(
    "23.4",
    hint="A cut through the tree leaves a group below each branch that it meets. Which function cuts?",
    step="AgglomerativeClustering(n_clusters=1, linkage='ward').fit(iris.data); then cut(linkage_matrix_, 5.0) "
    "gives each flower the number of its group.",
    right=_groups_at_5, also_right=[4],
    mistakes={
        "three is how many merges lie above the cut; how many groups do they join?": 3,
        "that is how many merges lie below the cut; each leaves one group less.": 146,
        "that is how many flowers there are; count the groups.": 150,
    },
    also_wrong=[7],
)  # fmt: skip


def _seeds(power, of=lambda D: D.min(axis=1), again=True):
    def seeds(X, k, rng):
        places = [rng.integers(len(X))]
        while len(places) < k:
            gaps = of(np.linalg.norm(X[:, None] - X[places], axis=2) ** power)
            if not again:
                gaps[places] = 0
            places.append(rng.choice(len(X), p=gaps / gaps.sum()))
        return places

    return seeds


def _by_searching(X, k, rng):
    """Right: a dart at gaps laid end to end."""
    places, gaps = [int(rng.integers(len(X)))], np.inf
    for _ in range(k - 1):
        gaps = np.minimum(gaps, ((X - X[places[-1]]) ** 2).sum(axis=1))
        places.append(int(np.searchsorted(np.cumsum(gaps), rng.random() * gaps.sum(), side="right")))
    return np.array(places)


_OTHER_CENTRES = {
    lambda D: D[:, -1].copy(): lambda D_i, D_j: D_j, lambda D: D[:, 0].copy(): lambda D_i, D_j: D_i,
    lambda D: D.sum(axis=1): np.add,
}  # fmt: skip
"""Wrong: gaps from the last centre, the first, all of them; from a table of several, and from the columns of two."""
_NOT_NEAREST = "the third draw goes by the last centre, the first, or all of them: take the nearest."


def _chances(X, power=2, of=np.minimum, again=True, first=None):
    """P of every set of three; of a pair, where a point is drawn ``again``."""
    chances, D = Counter(), np.abs(X - X.T) ** power
    np.fill_diagonal(D, 0)
    for i, j in itertools.permutations(range(len(X)), 2):
        gaps = np.array(of(D[i], D[j]))
        gaps[[i, j]] *= again
        begun = 1 / len(X) if first is None else float(i == first)
        for last in range(len(X)):
            chances[frozenset((i, j, last))] += begun * D[i, j] / D[i].sum() * gaps[last] / gaps.sum()
    return chances


def _farthest(X, k, rng):
    places = [rng.integers(len(X))]
    while len(places) < k:
        places.append(((X[:, None] - X[places]) ** 2).sum(axis=2).min(axis=1).argmax())
    return places


def _evenly(X, k, rng):
    return rng.choice(len(X), size=k, replace=False)


def _from_row_0(X, k, rng):
    places = [0]
    while len(places) < k:
        gaps = ((X[:, None] - X[places]) ** 2).sum(axis=2).min(axis=1)
        places.append(rng.choice(len(X), p=gaps / gaps.sum()))
    return places


@exercise(
    "23.5",
    hint="Two things decide the chances: the power of the distance, and the centres from which it is taken.",
    step="For each point the least squared distance from all centres so far; chances in proportion to that.",
    wrong=[
        *(_seeds(power, of, again) for power in (2, 1) for of in _OTHER_CENTRES for again in (True, False)),
        _seeds(1), _evenly, _farthest, _from_row_0, _seeds(4),
        lambda *given: given[0][_seeds(2)(*given)], lambda X, k, rng: _seeds(2)(X, 3, rng),
        lambda X, k, rng: _seeds(2)(X, k, np.random.default_rng(0)),
        lambda X, k, rng: _seeds(2)(X, k, np.random.default_rng()),
        lambda *given: list(map(str, _seeds(2)(*given))),
    ],
    said=[_NOT_NEAREST] * 2 * len(_OTHER_CENTRES),
    right=[
        _seeds(2), _by_searching, lambda *given: np.sort(_seeds(2)(*given)), lambda *given: set(_seeds(2)(*given)),
        lambda *given: np.array(_seeds(2)(*given))[:, None], lambda *given: tuple(_seeds(2)(*given)[::-1]),
    ],
)  # fmt: skip
def plus_plus(seeds):
    """The chances of all sets of three of four points; no order of the numbers is asked for."""
    X, n_runs = np.array([[6.0], [18.0], [29.0], [13.0]]), 3000
    rng, shares = np.random.default_rng(235), Counter()
    for _ in range(n_runs):
        shares[_places(call(seeds, X, 3, rng), X, 3)] += 1 / n_runs
    twice = [_places(call(seeds, X, 3, np.random.default_rng(seed % 20)), X, 3) for seed in range(40)]
    expect(twice[:20] == twice[20:], "with the same rng the same points must come: draw with rng and nothing else.")
    expect(len(shares) > 1, "always the same points: draw with the rng that is given.")

    def are(chances):
        return max(abs(shares[key] - chances[key]) for key in shares | chances) <= 0.035

    if not are(_chances(X)):
        expect(not are(_chances(X, 0)), "you draw all points evenly; far ones should be likelier.")
        expect(not are(_chances(X, 1)), "the chances are in step with D; they must be with D².")
        expect(not are(_chances(X, 4)), "the chances are in step with the square of D²; they must be with D².")
        both = "both mistakes are still there: D, and not from the nearest centre."
        for power, said in ((2, _NOT_NEAREST), (1, both)):
            others = (_chances(X, power, of, again) for of in _OTHER_CENTRES.values() for again in (True, False))
            expect(not any(map(are, others)), said)
        expect(not are(_chances(X, 99)), "you take the farthest point; it should only be the likeliest.")
        first = any(are(_chances(X, first=i)) for i in range(4))
        expect(not first, "the first centre must be any point, all equally likely.")
        raise Unknown("in 3,000 draws the shares of the sets of three are not those of k-means++.")
    for k in (1, 2, 5):
        Z = rng.normal(size=(9, 2))
        expect(len(_places(call(seeds, Z, k, rng), Z, k)) == k, "the points should be different ones.")


def _places(answer, X, k):
    """The set of the numbers of k points, in whichever form and order."""
    places = array(sorted(answer) if isinstance(answer, set | frozenset) else answer).ravel()
    expect(len(places) == k, f"for k = {k} so many numbers of points are asked for, you return {len(places)}.")
    expect(np.isin(places, range(len(X))).all(), "return the numbers of the points (0 to n - 1), not the points.")
    return frozenset(places.astype(int).tolist())
