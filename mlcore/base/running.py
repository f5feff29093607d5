"""Running an iterative fit: to its end, or keeping its states for a player."""

import copy
from collections import deque

from mlcore.base.parameters import check_int


def run(steps):
    """Run a generator to its end and keep nothing: how ``fit`` uses ``iter_fit``."""
    deque(steps, maxlen=0)


def snapshots(steps, every=1):
    """Collect copies of the states that a generator yields, one in ``every`` steps and always the last.

    Iterative estimators yield themselves after each step, so a copy is what keeps the states apart.

    Parameters
    ----------
    steps : iterable
        ``model.iter_fit(X, y)``, or one of the generators of ``mlcore.optimize``.
    every : int
        Keep step 0, every, 2·every, ...

    Returns
    -------
    list
        Independent copies, in order.
    """
    check_int("every", every, low=1)
    kept, last, number = [], None, -1
    for number, last in enumerate(steps):
        if number % every == 0:
            kept.append(copy.deepcopy(last))
    if number >= 0 and number % every != 0:
        kept.append(copy.deepcopy(last))
    return kept
