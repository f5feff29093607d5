"""The exercises of chapter 13: Bayes classifiers."""

import itertools

import numpy as np

from mlcore.classroom.exercises import Malformed, Unknown, array, call, close, exercise, expect, number, part


@exercise(
    "13.1",
    hint="Each decision has a risk: what does it cost on average, over the posteriors?",
    step="For (a) decision 0 costs 6 · 0.05 + 2 · 0.05 on average. Do that for all four decisions, and take the least.",
    wrong=[[0, 0, 2], [2, 2, 0], [0, 1, 1], [3, 3, 3], [0, 3]],
    right=[(0, 3, 1), np.array([0.0, 3.0, 1.0])],
)
def decisions(answer):
    """Risks (a) .4, .95, 2.8, .8; (b) 1.1, .85, 2.55, .8; (c) 2.8, .7, 1.2, .8."""
    values = array(answer, (3,))
    expect(
        not close(values, [0, 0, 2]),
        "those are the most probable classes (and what comes out if rows and columns of the losses are exchanged).",
    )
    expect(not close(values, [2, 2, 0]), "those are the dearest decisions: take the least risk, not the largest.")
    expect(not close(values, [0, 1, 1]), "asking, decision 3, always costs 0.8: compare it too.")
    expect(close(values, [0, 3, 1]))


@exercise(
    "13.2",
    hint="The numbers of one table add up to 1, so that one of them is not free. Count the tables.",
    step="(a) is one table of all combinations; (b) has one for each attribute in each class, and the priors; (c) "
    "has one of all pairs of class and parent, and in each pair one for each other attribute.",
    wrong=[[216, 26, 71], [71, 8, 23], [215, 24, 71], [215, 36, 71], [215, 26, 72], [215, 26, 80], [215, 26]],
    right=[(215, 26, 71), np.array([215.0, 26.0, 71.0])],
)
def free_numbers(answer):
    """3 · 72 - 1; 2 + 3 (2 + 2 + 1 + 3); 11 + 12 (2 + 2 + 1)."""
    full, single, parent = array(answer, (3,))
    expect(not close(full, 216), "(a) the 216 probabilities add up to 1: one of them is not free.")
    expect(not close(full, 71) and not close(single, 8), "that is for one class; there are three.")
    part(close(full, 215), "(a)", "There are 3 · 3 · 3 · 2 · 4 combinations, whose probabilities add up to 1.")
    expect(not close(single, 24), "(b) the priors are numbers too.")
    expect(not close(single, 36), "(b) the shares of each attribute in each class add up to 1.")
    part(close(single, 26), "(b)", "(N - 1) numbers for each attribute in each class, and K - 1 priors.")
    expect(not close(parent, 72), "(c) the shares of the 12 pairs of class and parent add up to 1.")
    part(close(parent, 71), "(c)", "12 pairs share 1; each of them has tables of the other three attributes.")


def _posteriors(X, y, x, sizes, K, alpha):
    scores = _scores(X, y, x, sizes, K, alpha)
    odds = np.exp(scores - scores.max())
    return odds / odds.sum()


def _scores(X, y, x, sizes, K, alpha, prior_alpha=None, joint=False):
    prior_alpha = alpha if prior_alpha is None else prior_alpha
    scores = []
    for c in range(K):
        rows = X[y == c]
        below = (len(rows) + alpha * np.array(sizes)) if not joint else (len(rows) + alpha * np.full(len(x), K))
        shares = ((rows == x).sum(axis=0) + alpha) / below
        scores.append(np.log(shares).sum() + np.log((len(rows) + prior_alpha) / (len(X) + prior_alpha * K)))
    return np.array(scores)


def _normalised(scores):
    odds = np.exp(scores - scores.max())
    return odds / odds.sum()


def _plain_product(X, y, x, sizes, K, alpha):
    products = np.exp(_scores(X, y, x, sizes, K, alpha))
    return products / products.sum()


def _plain_prior(X, y, x, sizes, K, alpha):
    return _normalised(_scores(X, y, x, sizes, K, alpha, prior_alpha=0.0))


def _no_prior(X, y, x, sizes, K, alpha):
    rows = np.array([(np.sum(y == c) + alpha) / (len(y) + alpha * K) for c in range(K)])
    return _normalised(_scores(X, y, x, sizes, K, alpha) - np.log(rows))


def _number_of_classes(X, y, x, sizes, K, alpha):
    return _normalised(_scores(X, y, x, sizes, K, alpha, joint=True))


def _always_one(X, y, x, sizes, K, alpha):
    return _posteriors(X, y, x, sizes, K, 1.0)


def _log_joint(X, y, x, sizes, K, alpha):
    return _scores(X, y, x, sizes, K, alpha)


@exercise(
    "13.3",
    hint="For each class: its rows, how often each value of x occurs among them, and a sum of logarithms.",
    step="Add up ln((count + alpha) / (rows + alpha · sizes[i])) over the attributes, and the logarithm of the "
    "class's share. Take off the largest score before np.exp, then divide by the sum.",
    wrong=[_plain_product, _plain_prior, _no_prior, _number_of_classes, _always_one, _log_joint, 0.5],
    right=[_posteriors, lambda *given: _posteriors(*given)[np.newaxis], lambda *given: _posteriors(*given).tolist()],
)
def naive_posteriors(answer):
    """(13.8) with shares (13.10), normalised after the largest is taken out."""
    rng = np.random.default_rng(133)
    for n, sizes, K, alpha in ((40, (3, 2, 4), 2, 1.0), (25, (2, 5, 3), 3, 0.4), (60, (9,) * 500, 3, 1.0)):
        X = np.column_stack([rng.integers(N, size=n) for N in sizes])
        y = np.append(np.arange(K), rng.choice(K, size=n - K, p=np.arange(1, K + 1) / (K * (K + 1) / 2)))
        x = np.array([rng.integers(N) for N in sizes])
        given = (X, y, x, list(sizes), K, alpha)
        values = np.ravel(np.asarray(call(answer, *given), dtype=float))
        expect(values.size == K, f"one number for each of {K} classes, please; yours has {values.size}.")
        if len(sizes) == 500:
            expect(np.isfinite(values).all(), "with 500 attributes the product underflows to 0 and 0/0 is no number: "
                   "add logarithms, and subtract the largest before you go back.")
        right = _posteriors(*given)
        expect(not close(values, _log_joint(*given)), "those are ln p(c, x): turn them into shares that add up to 1.")
        if len(sizes) < 500:
            expect(not close(values, _plain_prior(*given)), "the counts of the classes get alpha too.")
            expect(not close(values, _no_prior(*given)), "the prior p(c) is missing.")
            expect(
                not close(values, _number_of_classes(*given)),
                "below the line of an attribute stands alpha times the number of its *values*, not of the classes.",
            )
            if alpha != 1:
                expect(not close(values, _always_one(*given)), "alpha may be another number than 1.")
        if not close(values, right):
            raise Unknown(f"for {n} rows of {len(sizes)} attributes the posteriors differ.")


@exercise(
    "13.4",
    hint="Copy the column in the training table and in the row to be called; count k up from 0.",
    step="For k = 0, 1, ...: T = np.hstack([C] + [C[:, [1]]] * k); fit CategoricalNB() to T and y, and predict "
    "T[11:12].",
    wrong=[6, 8, 1, 17, 0],
    right=[7, np.int64(7), 7.0],
)
def copies_until_it_turns(answer):
    """Melon 12 is called good from 7 copies of root on."""
    value = number(answer)
    expect(not close(value, 8), "count the further copies: the column itself is not one of them.")
    expect(not close(value, 6), "with 6 copies it is still called bad.")
    expect(close(value, 7))


def _prim(W):
    inside, edges = [0], []
    while len(inside) < len(W):
        edge = max(
            ((i, j) for i in inside for j in range(len(W)) if j not in inside), key=lambda pair: W[pair]
        )
        inside.append(edge[1])
        edges.append(edge)
    return edges


def _smallest(W):
    return _prim(-W)


def _heaviest_edges(W):
    pairs = sorted(itertools.combinations(range(len(W)), 2), key=lambda pair: -W[pair])
    return pairs[: len(W) - 1]


def _path(W):
    inside, edges = [0], []
    while len(inside) < len(W):
        best = max((j for j in range(len(W)) if j not in inside), key=lambda j: W[inside[-1], j])
        edges.append((inside[-1], best))
        inside.append(best)
    return edges


def _star(W):
    return [(0, j) for j in range(1, len(W))]


def _positive_only(W):
    return [edge for edge in _prim(W) if W[edge] > 0]


@exercise(
    "13.5",
    hint="Keep a list of the nodes inside. Which edges lead out of it, and which of these is the heaviest?",
    step="Take max of W[i, j] over all pairs of a node i inside and a node j outside; j comes inside, and the pair "
    "is an edge. Do that d - 1 times.",
    wrong=[_smallest, _heaviest_edges, _path, _star, _positive_only, 3],
    right=[_prim, lambda W: [(j, i) for i, j in _prim(W)], lambda W: set(_prim(W)), lambda W: np.array(_prim(W))],
)
def prims_tree(answer):
    """Any heaviest tree."""
    rng = np.random.default_rng(135)
    for d in (2, 4, 6, 7):
        W = rng.normal(size=(d, d))
        W = W + W.T - (3.0 if d == 6 else 0.0)
        np.fill_diagonal(W, 0.0)
        found = call(answer, W)
        try:
            edges = {tuple(sorted(int(node) for node in edge)) for edge in found}
        except (TypeError, ValueError):
            raise Malformed("return a list of pairs (i, j).") from None
        expect(all(len(edge) == 2 and 0 <= edge[0] < edge[1] < d for edge in edges), "an edge is a pair of two nodes.")
        expect(len(edges) == d - 1, f"a tree on {d} nodes has {d - 1} edges, yours {len(edges)}. Weights may be < 0.")
        reached = {0}
        for _ in range(d):
            reached |= {j for edge in edges if set(edge) & reached for j in edge}
        expect(len(reached) == d, "your edges close a circle and leave a node out: take only edges that lead outwards.")
        weight, best, least = (sum(W[edge] for edge in tree) for tree in (edges, _prim(W), _smallest(W)))
        if d > 2:
            expect(not close(weight, least), "that is the lightest tree; here the heaviest is asked for.")
            expect(
                edges != {tuple(sorted(edge)) for edge in _path(W)} or close(weight, best),
                "the next edge may start at *any* node inside, not only at the last one.",
            )
        if not close(weight, best):
            raise Unknown(f"on {d} nodes your tree weighs {weight:.3f}, the heaviest {best:.3f}.")


def _word_shares(X, y):
    totals = np.array([X[y == c].sum(axis=0) for c in (0, 1)], dtype=float)
    return (totals + 1) / (totals.sum(axis=1, keepdims=True) + X.shape[1])


def _by_documents(X, y):
    return np.array([(X[y == c].sum(axis=0) + 1) / (np.sum(y == c) + 2) for c in (0, 1)])


def _unsmoothed(X, y):
    totals = np.array([X[y == c].sum(axis=0) for c in (0, 1)], dtype=float)
    return totals / totals.sum(axis=1, keepdims=True)


def _one_below(X, y):
    totals = np.array([X[y == c].sum(axis=0) for c in (0, 1)], dtype=float)
    return (totals + 1) / (totals.sum(axis=1, keepdims=True) + 1)


def _two_below(X, y):
    totals = np.array([X[y == c].sum(axis=0) for c in (0, 1)], dtype=float)
    return (totals + 1) / (totals.sum(axis=1, keepdims=True) + 2)


def _by_word(X, y):
    totals = np.array([X[y == c].sum(axis=0) for c in (0, 1)], dtype=float) + 1
    return totals / totals.sum(axis=0)


def _documents_and_vocabulary(X, y):
    return np.array([(X[y == c].sum(axis=0) + 1) / (np.sum(y == c) + X.shape[1]) for c in (0, 1)])


@exercise(
    "13.6",
    hint="Add up each row of what it returns. What should the sum be?",
    step="How many words has the class altogether, and how many ones were added to its counts? Their sum belongs "
    "below the line.",
    wrong=[_by_documents, _unsmoothed, _one_below, _two_below, _by_word, _documents_and_vocabulary, 0.5],
    right=[_word_shares, lambda X, y: _word_shares(X, y).tolist()],
)
def shares_of_words(answer):
    """(T_cw + 1) / (Σ_v T_cv + V)."""
    rng = np.random.default_rng(136)
    for n, V in ((6, 3), (9, 5), (12, 8)):
        X, y = rng.poisson(1.3, size=(n, V)), np.arange(n) % 3 % 2
        shares = array(call(answer, X, y), (2, V))
        expect(not close(shares, _unsmoothed(X, y)), "the 1 that is added to each count is missing.")
        expect(not close(shares, _by_word(X, y)), "the shares of each *class* add up to 1, not those of each word.")
        expect(
            not close(shares, _by_documents(X, y)) and not close(shares, _documents_and_vocabulary(X, y)),
            "below the line stand documents. How many *words* has the class?",
        )
        expect(
            not close(shares, _one_below(X, y)) and not close(shares, _two_below(X, y)),
            "one was added for each of the V words: so V must be added below the line.",
        )
        expect(close(shares.sum(axis=1), np.ones(2)), "the shares of a class should add up to 1.")
        expect(close(shares, _word_shares(X, y)))
