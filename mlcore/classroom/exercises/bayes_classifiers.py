"""The exercises of chapter 13: Bayes classifiers."""

import itertools

import numpy as np

from mlcore.classroom.exercises import Case, Malformed, Unknown, answer, call, close, exercise, expect, implement

answer(
    "13.1",
    hint="Each decision has a risk: what does it cost on average, over the posteriors?",
    step="For (a) decision 0 costs 6 · 0.05 + 2 · 0.05 on average. Do that for all four decisions, and take the least.",
    right=[0, 3, 1],  # risks (a) .4, .95, 2.8, .8; (b) 1.1, .85, 2.55, .8; (c) 2.8, .7, 1.2, .8
    mistakes={
        "those are the most probable classes (and what comes out if rows and columns of the losses are exchanged).":
            (0, 0, 2),
        "those are the dearest decisions: take the least risk, not the largest.": (2, 2, 0),
        "asking, decision 3, always costs 0.8: compare it too.": (0, 1, 1),
    },
    also_wrong=[[3, 3, 3], [0, 3]],
)  # fmt: skip

answer(
    "13.2",
    hint="The numbers of one table add up to 1, so that one of them is not free. Count the tables.",
    step="(a) is one table of all combinations; (b) has one for each attribute in each class, and the priors; (c) "
    "has one of all pairs of class and parent, and in each pair one for each other attribute.",
    right=[3 * 72 - 1, 2 + 3 * (2 + 2 + 1 + 3), 11 + 12 * (2 + 2 + 1)],
    parts=[
        ("(a)", "There are 3 · 3 · 3 · 2 · 4 combinations, whose probabilities add up to 1."),
        ("(b)", "(N - 1) numbers for each attribute in each class, and K - 1 priors."),
        ("(c)", "12 pairs share 1; each of them has tables of the other three attributes."),
    ],
    mistakes={
        "(a) the 216 probabilities add up to 1: one of them is not free.": (216, None, None),
        "(a) the classes share one table: their priors are numbers too.": (213, None, None),
        "that is for one class; there are three.": [(71, None, None), (None, 8, None)],
        "(b) the priors are numbers too.": (None, 24, None),
        "(b) the shares of each attribute in each class add up to 1.": (None, 36, None),
        "(c) the shares of the 12 pairs of class and parent add up to 1.": (None, None, 72),
        "(c) the shares of the 12 pairs of class and parent are numbers too.": (None, None, 60),
    },
    also_wrong=[[71, 8, 23], [215, 26, 80], [215, 26]],
)  # fmt: skip


def _scores(X, y, x, sizes, K, alpha, prior_alpha=None, values=lambda sizes, K: np.array(sizes)):
    prior_alpha, scores = alpha if prior_alpha is None else prior_alpha, []
    for c in range(K):
        rows = X[y == c]
        shares = ((rows == x).sum(axis=0) + alpha) / (len(rows) + alpha * values(sizes, K))
        scores.append(np.log(shares).sum() + np.log((len(rows) + prior_alpha) / (len(X) + prior_alpha * K)))
    return np.array(scores)


def _normalised(scores):
    odds = np.exp(scores - scores.max())
    return odds / odds.sum()


def _from_the_least(*case):
    odds = np.exp(_scores(*case) - _scores(*case).min())
    return odds / odds.sum()


def _posteriors(*case, **how):
    return _normalised(_scores(*case, **how))


def _plain_product(*case):
    products = np.exp(_scores(*case))
    return products / products.sum()


def _without_prior(X, y, x, sizes, K, alpha):
    rows = np.array([(np.sum(y == c) + alpha) / (len(y) + alpha * K) for c in range(K)])
    return _normalised(_scores(X, y, x, sizes, K, alpha) - np.log(rows))


def _tables(rng):
    many = (9,) * 500
    for n, sizes, K, alpha, unseen, apart in (
        (40, (3, 2, 4), 2, 1.0, 0, False), (30, (4, 3, 5), 2, 1.0, 1, False), (25, (2, 5, 3), 3, 0.4, 0, False),
        (60, many, 3, 1.0, 0, False), (60, many, 3, 1.0, 0, True),
    ):  # fmt: skip
        X = np.column_stack([rng.integers(N - unseen, size=n) for N in sizes])
        y = np.append(np.arange(K), rng.choice(K, size=n - K, p=np.arange(1, K + 1) / (K * (K + 1) / 2)))
        case = X, y, np.array([rng.integers(N) for N in sizes]), list(sizes), K, alpha
        if apart:  # the scores of the classes lie more than 1000 apart
            X[y == 0] = case[2]
        yield case if len(sizes) < 500 else Case(*case, said=lambda value, wanted: (
            "for 60 rows of 500 attributes the posteriors differ." if np.isfinite(value).all() else
            "with 500 attributes the product underflows to 0 and 0/0 is no number: add logarithms, and subtract the "
            "largest before you go back."
        ))  # fmt: skip


implement(
    "13.3",
    hint="For each class: its rows, how often each value of x occurs among them, and a sum of logarithms.",
    step="Add up ln((count + alpha) / (rows + alpha · sizes[i])) over the attributes, and the logarithm of the "
    "class's share. Take off the largest score before np.exp, then divide by the sum.",
    right=_posteriors, asked="one number for each class, please", cases=_tables,
    mistakes={
        "those are ln p(c, x): turn them into shares that add up to 1.": _scores,
        "the counts of the classes get alpha too.": {"prior_alpha": 0},
        "the prior p(c) is missing.": _without_prior,
        "below the line of an attribute stands alpha times the number of its *values*, not of the classes.":
            {"values": lambda sizes, K: K},
        "alpha is added to each of the sizes[i] counts, so all of these stand below the line, too.":
            [{"values": lambda sizes, K: np.zeros(len(sizes))}, {"values": lambda sizes, K: np.ones(len(sizes))}],
        "sizes[i] is how many values attribute i has; not all of them need occur in X.": [
            lambda X, y, x, sizes, *rest: _posteriors(X, y, x, X.max(axis=0) + 1, *rest),
            lambda X, y, x, sizes, *rest: _posteriors(X, y, x, [len(np.unique(column)) for column in X.T], *rest),
        ],
        "alpha may be another number than 1.": lambda X, y, x, sizes, K, alpha: _posteriors(X, y, x, sizes, K, 1.0),
    },
    otherwise=lambda got, wanted, X, *rest: (
        f"for {len(X)} rows of {X.shape[1]} attributes the posteriors differ."
    ),
    also_wrong=[_plain_product, _from_the_least, 0.5],
)  # fmt: skip

answer(
    "13.4",
    hint="Copy the column in the training table and in the row to be called; count k up from 0.",
    step="For k = 0, 1, ...: T = np.hstack([C] + [C[:, [1]]] * k); fit CategoricalNB() to T and y, and predict "
    "T[11:12].",
    right=7,
    mistakes={
        "count the further copies: the column itself is not one of them.": 8,
        "with 6 copies it is still called bad.": 6,
    },
    also_wrong=[1, 17, 0],
)  # fmt: skip


def _prim(W, from_last=False):
    inside, edges = [0], []
    while len(inside) < len(W):
        out = ((i, j) for i in inside[-from_last:] for j in range(len(W)) if j not in inside)
        edges.append(max(out, key=lambda pair: W[pair]))
        inside.append(edges[-1][1])
    return edges


def _path(W):
    return _prim(W, from_last=True)


@exercise(
    "13.5",
    hint="Keep a list of the nodes inside. Which edges lead out of it, and which of these is the heaviest?",
    step="Take max of W[i, j] over all pairs of a node i inside and a node j outside; j comes inside, and the pair "
    "is an edge. Do that d - 1 times.",
    wrong=[
        _path, lambda W: _prim(-W),
        lambda W: sorted(itertools.combinations(range(len(W)), 2), key=lambda pair: -W[pair])[: len(W) - 1],
        lambda W: [(0, j) for j in range(1, len(W))], lambda W: [edge for edge in _prim(W) if W[edge] > 0], 3,
    ],
    said=["the next edge may start at *any* node inside, not only at the last one.",
          "that is the lightest tree; here the heaviest is asked for."],
    right=[_prim, lambda W: [(j, i) for i, j in _prim(W)], lambda W: set(_prim(W)), lambda W: np.array(_prim(W))],
)  # fmt: skip
def prims_tree(answer):
    """Any heaviest tree."""
    rng = np.random.default_rng(135)
    for d in (2, 7, 6, 4):  # of seven nodes no star and no path is the lightest tree by chance
        W = rng.normal(size=(d, d))
        W = W + W.T - (3.0 if d == 6 else 0.0)
        np.fill_diagonal(W, 0.0)
        found = call(answer, W)
        try:
            edges = {tuple(sorted(int(node) for node in edge)) for edge in found}
        except (TypeError, ValueError):
            raise Malformed("return a list of pairs (i, j).") from None
        pairs = all(len(edge) == 2 and 0 <= edge[0] < edge[1] < d for edge in edges)
        expect(pairs, "an edge is a pair of two nodes, which are numbered from 0 to d - 1.")
        expect(
            len(edges) == d - 1, f"on {d} nodes a tree has d - 1 = {d - 1} edges, not {len(edges)}. Weights may be < 0."
        )
        reached = {0}
        for _ in range(d):
            reached |= {j for edge in edges if set(edge) & reached for j in edge}
        expect(len(reached) == d, "your edges close a circle and leave a node out: take only edges that lead outwards.")
        weight, best, least = (sum(W[edge] for edge in tree) for tree in (edges, _prim(W), _prim(-W)))
        if d > 2:
            expect(not close(weight, least), "that is the lightest tree; here the heaviest is asked for.")
            expect(
                edges != {tuple(sorted(edge)) for edge in _path(W)} or close(weight, best),
                "the next edge may start at *any* node inside, not only at the last one.",
            )
        if not close(weight, best):
            raise Unknown(f"on {d} nodes your tree weighs {weight:.3f}, the heaviest {best:.3f}.")


def _word_shares(X, y, below=lambda totals, X, rows: totals.sum() + X.shape[1], one=1):
    shares = []
    for c in (0, 1):
        totals = X[y == c].sum(axis=0)
        shares.append((totals + one) / below(totals, X, np.sum(y == c)))
    return np.array(shares)


def _by_word(X, y):
    totals = _word_shares(X, y, lambda totals, X, rows: 1)
    return totals / totals.sum(axis=0)


implement(
    "13.6",
    hint="Add up each row of what it returns. What should the sum be?",
    step="How many words has the class altogether, and how many ones were added to its counts? Their sum belongs "
    "below the line.",
    right=_word_shares,
    cases=lambda rng: [(rng.poisson(1.3, size=(n, V)), np.arange(n) % 3 % 2) for n, V in ((6, 3), (9, 5), (12, 8))],
    mistakes={
        "the 1 that is added to each count is missing.": {"below": lambda totals, X, rows: totals.sum(), "one": 0},
        "the shares of each *class* add up to 1, not those of each word.": _by_word,
        "below the line stand documents. How many *words* has the class?": [
            {"below": lambda totals, X, rows: rows + 2}, {"below": lambda totals, X, rows: rows + X.shape[1]},
        ],
        "one was added for each of the V words: so V must be added below the line.": [
            {"below": lambda totals, X, rows: totals.sum() + 1}, {"below": lambda totals, X, rows: totals.sum() + 2},
        ],
    },
    otherwise=lambda got, *case: expect(close(got.sum(axis=1), [1, 1]), "the shares of a class should add up to 1."),
    also_wrong=[0.5],
)  # fmt: skip
