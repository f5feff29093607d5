"""Trees and tables of candidates as text."""

import numpy as np

from mlcore.base import check_int
from mlcore.decision_trees.estimator import Candidate
from mlcore.engines.trees.structure import tree_of

__all__ = ["candidates_text", "export_text"]

DEEPEST_INDENT = 24


def export_text(tree, *, feature_names=None, class_names=None, max_depth=None):
    """Return a tree as text, one line a branch: the condition, and at a leaf the prediction and its training rows.

    "good (5)" means that all 5 rows are good, "good (2 of 3)" that 2 of 3 are; weights count instead of rows where they
    are not 1. A leaf of a regression shows its mean and the number of rows. Below depth 24 the lines are no further
    indented but begin with their depth.

    Parameters
    ----------
    tree : fitted model, or Tree
    feature_names, class_names : sequence of str, optional
        Instead of the column names and class labels that the model knows.
    max_depth : int >= 0, optional
        Leave out what is deeper; "..." stands for it.

    Raises
    ------
    ValueError
        If ``tree`` is no fitted tree, or the names do not fit.
    """
    tree = tree_of(tree)
    if max_depth is not None:
        check_int("max_depth", max_depth, low=0)
    root = tree.named(feature_names, class_names).root
    if root.is_leaf:
        return _prediction(root)
    lines, waiting = [], root.children[::-1]
    while waiting:
        node = waiting.pop()
        hidden = max_depth is not None and node.depth > max_depth
        if hidden and node.number != node.tree.first_child[node.parent.number]:
            continue
        lines.append(_indent(node.depth) + ("..." if hidden else _line(node)))
        if not hidden:
            waiting.extend(node.children[::-1])
    return "\n".join(lines)


def _indent(depth):
    return "|   " * (depth - 1) if depth <= DEEPEST_INDENT else "|   " * (DEEPEST_INDENT - 1) + f"[depth {depth}] "


def _line(node):
    return f"{node.condition}: {_prediction(node)}" if node.is_leaf else node.condition


def _prediction(node):
    if node.counts is None:
        return f"{node.prediction} ({node.weight:.6g})"
    own, total = f"{node.counts.max():.6g}", f"{node.weight:.6g}"
    return f"{node.prediction} ({total})" if own == total else f"{node.prediction} ({own} of {total})"


def candidates_text(candidates, *, digits=3):
    """Return the table of candidate splits of a node as text; the chosen one is marked with *.

    Parameters
    ----------
    candidates : sequence of Candidate
        ``model.candidates_`` while ``model.iter_fit`` runs.
    digits : int from 0 to 15

    Raises
    ------
    ValueError
        If these are no candidates.
    """
    digits = check_int("digits", digits, low=0, high=15)
    candidates = list(candidates) if np.iterable(candidates) else [candidates]
    if not all(isinstance(candidate, Candidate) for candidate in candidates):
        raise ValueError(f"candidates must be a list such as model.candidates_, got {candidates!r}")
    with_ratio = any(candidate.gain_ratio is not None for candidate in candidates)
    header = ["", "question", "gain", *(["IV", "gain ratio", ""] if with_ratio else [])]
    rows = [header]
    for candidate in candidates:
        row = ["*" if candidate.chosen else "", candidate.label, f"{candidate.gain:.{digits}f}"]
        if with_ratio:
            row += [f"{candidate.intrinsic_value:.{digits}f}", f"{candidate.gain_ratio:.{digits}f}"]
            row.append("" if candidate.eligible else "below average gain")
        rows.append(row)
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    sides = ["<", "<", ">", ">", ">", "<"][: len(header)]
    lines = ("  ".join(f"{cell:{side}{w}}" for cell, side, w in zip(row, sides, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
