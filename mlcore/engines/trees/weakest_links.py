"""The prices of all links of a tree in one pass over its nodes, where cutting link after link would take too long."""

import heapq

import numpy as np

__all__ = ["weakest_links"]


def weakest_links(tree, cost, slack):
    """At which price per leaf does each node become a leaf?

    Let R(t) be the cost of node t as a leaf, and let S be the subtree below it. t becomes a leaf at the α at which both
    cost the same, R(t) + α = R(S) + α |S|:

        α_t = (R(t) - R(S)) / (|S| - 1).

    S is what is left of the subtree at that price. So take S with all its links cut, down to the children of t, and put
    back the links that are cut at a higher price than t itself would be: those never come to be cut, for t goes first.
    Each link is put back once at most, so all nodes together take O(n log² n).

    Parameters
    ----------
    cost : array of shape (n_nodes,)
        R(t).
    slack : float
        A rise of the cost of no more than this is rounding.

    Returns
    -------
    alphas : array of shape (n_nodes,)
        ∞ at leaves.
    links : list of (α, rise of the cost, fall of the number of leaves)
        The links that are really cut on the way from the full tree to the root, in ascending order.
    """
    alphas = np.full(tree.n_nodes, np.inf)
    heaps = [[] for _ in range(tree.n_nodes)]
    for t in range(tree.n_nodes - 1, -1, -1):
        if not tree.n_children[t]:
            continue
        children = range(tree.first_child[t], tree.first_child[t] + tree.n_children[t])
        heap = _merged([heaps[child] for child in children])
        rise, fewer = float(cost[t] - cost[children.start : children.stop].sum()), len(children) - 1
        rise = rise if abs(rise) > slack else 0.0
        while heap and -heap[0][0] * max(fewer, 1) >= rise:
            _, more, leaves = heapq.heappop(heap)
            rise, fewer = rise + more, fewer + leaves
        alphas[t] = max(rise, 0.0) / max(fewer, 1)
        heapq.heappush(heap, (-alphas[t], rise, fewer))
        heaps[t] = heap
    return alphas, sorted((-negative, rise, fewer) for negative, rise, fewer in heaps[0])


def _merged(heaps):
    """One heap of several: the small ones are poured into the largest."""
    heaps = sorted(heaps, key=len)
    largest = heaps.pop()
    for heap in heaps:
        for link in heap:
            heapq.heappush(largest, link)
        heap.clear()
    return largest
