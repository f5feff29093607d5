"""Chapter 6. Many classes from two: one against the rest, one against one, a knockout, codes that correct errors.

n points, K classes, L classifiers for two classes. A *code* of shape (K, L) says on which side each class takes part in
each task: +1, -1, or 0 for not at all.
"""

import numpy as np


def surest(sure):
    """The class whose classifier is surest, from confidences of shape (n, K); equal ones: the first."""
    return sure.argmax(axis=1)


def tally(wins, sure, pairs, n_classes):
    """v_k, how many of its duels class k wins  (6.3), and the sum of its confidences in them; both of shape (n, K).

    Column p of ``wins`` (bool) and of ``sure`` is the duel pairs[p] = (i, j), as class i sees it.
    """
    votes = np.zeros((len(wins), n_classes), dtype=int)
    sums = np.zeros((len(wins), n_classes))
    for p, (i, j) in enumerate(pairs):
        votes[:, i] += wins[:, p]
        votes[:, j] += ~wins[:, p]
        sums[:, i] += sure[:, p]
        sums[:, j] -= sure[:, p]
    return votes, sums


def most_votes(votes, sums):
    """The class with the most votes; of several, the one with the largest sum; if these are equal too, the first."""
    most = votes == votes.max(axis=1, keepdims=True)
    return np.where(most, sums, -np.inf).argmax(axis=1)


def knockout(beats, n_points, n_classes):
    """Let the first and the last class in the list fight; strike out the loser; until one is left  (6.8).

    Yields ``first`` and ``last``, of shape (n,), before each duel and at the end, when they are equal.
    ``beats(first, last)`` tells for each point whether the class ``first`` wins.
    """
    first, last = np.zeros(n_points, dtype=int), np.full(n_points, n_classes - 1)
    for _ in range(n_classes - 1):
        yield first, last
        wins = beats(first, last)
        first, last = np.where(wins, first, first + 1), np.where(wins, last - 1, last)
    yield first, last


def divisions(numbers, n_classes):
    """A column of +1 and -1 for each number m: +1 for the first class, the binary digits of m for the others  (6.9)."""
    digits = (numbers >> np.arange(n_classes - 1)[:, None]) & 1
    return np.vstack([np.ones(len(numbers), dtype=int), 2 * digits - 1])


def hamming_distances(bits, code):
    """d(b, c) = Σ_l (1 - b_l c_l) / 2 = (L - bᵀc) / 2: places that differ cost 1, zeros ½; of shape (n, K)  (6.10)."""
    return (code.shape[1] - bits @ code.T) / 2


def decode(bits, code):
    """The class whose word is nearest to the answers, bits of +1 and -1 of shape (n, L); equal ones: the first."""
    return hamming_distances(bits, code).argmin(axis=1)
