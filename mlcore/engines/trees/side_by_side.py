"""The trees of a forest, grown side by side: one level of all of them at once.

Growing costs some forty calls of NumPy a level, whatever the number of nodes, and on a few hundred rows the calls are
most of the time. A level does not ask which tree its nodes belong to. So the tables of the trees are laid one above
the other, all trees grow as one with several roots, and are cut apart in the end.
"""

from dataclasses import fields

import numpy as np

from mlcore.base import run
from mlcore.engines.trees.criteria import starts_of
from mlcore.engines.trees.growth import Growth
from mlcore.engines.trees.structure import PER_NODE, Tree

__all__ = ["grow_side_by_side"]


def grow_side_by_side(columns, criterion, counts, limits, names, **options):
    """Return a tree for each line of counts.

    Parameters
    ----------
    columns : Columns
        Of the trees' tables, of n rows each, one above the other (see ``Columns.copies``).
    criterion : callable
        ``criterion(weight)`` returns the criterion of all rows with these weights (None: all 1).
    counts : array of shape (n_trees, n)
        How often each row is in the sample of each tree, times its weight.
    limits : Limits
    names : pair of sequences
        Of the features and of the classes.
    **options
        ``n_drawn``, ``rng`` and ``n_surrogates`` of ``Growth``.
    """
    there = counts > 0
    weight = None if (counts[there] == 1).all() else counts.ravel()
    starts = starts_of(np.count_nonzero(there, axis=1))
    growth = Growth(columns, criterion(weight), limits, rows=there.ravel().nonzero()[0], starts=starts, **options)
    run(growth.steps())
    return cut_apart(growth.tree(*names), len(counts))


def cut_apart(grown, n_trees):
    """Return the trees below the first ``n_trees`` nodes, the roots, of a tree that holds them all."""
    if n_trees == 1:
        return [grown]
    tree_of = np.arange(grown.n_nodes)
    for level in grown.levels()[1:]:
        tree_of[level] = tree_of[grown.parent[level]]
    order, starts = tree_of.argsort(kind="stable"), starts_of(np.bincount(tree_of, minlength=n_trees))
    number = np.empty(grown.n_nodes + 1, dtype=np.intp)
    number[order], number[-1] = np.arange(grown.n_nodes) - starts[tree_of[order]], -1  # -1 stays -1
    arrays = {name: getattr(grown, name) for name in PER_NODE}
    arrays |= {"parent": number[grown.parent], "first_child": number[grown.first_child]}
    arrays = {name: None if array is None else array[order] for name, array in arrays.items()}
    rest = {field.name: getattr(grown, field.name) for field in fields(Tree) if field.name not in PER_NODE}
    parts = [slice(start, stop) for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]
    return [Tree(**{name: None if a is None else a[part] for name, a in arrays.items()}, **rest) for part in parts]
