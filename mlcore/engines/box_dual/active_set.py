"""An active-set method: which variables are free is nearly known, and the rest is one system of linear equations.

For the free variables the KKT conditions are equations, v_i = b, and these are solved exactly. If a variable would
leave its box on the way, it stops at the bound and is free no longer; if one at a bound turns out to be on the wrong
side, it becomes free. No round lowers W, and where few are misplaced, few rounds end at the optimum, to rounding.

Vishwanathan, Smola and Murty, "SimpleSVM" (2003); Scheinberg, "An efficient implementation of an active set method for
SVMs" (2006).
"""

import numpy as np

from mlcore.core.support_vector_machines import up_low_gradients

__all__ = ["active_set", "bordered", "feasible"]

RIDGE = 1e-10
"""This share of K_ii is added to K_ii: then the equations of dependent points have a solution too."""


def active_set(gram, lower, upper, beta, v, slack, max_rounds):
    """Return a better β and its v, or None where nothing moves.

    Parameters
    ----------
    gram : Gram
    lower, upper, beta, v : ndarrays of shape (n,)
        The box, a feasible β and its v = q - Kβ.
    slack : float
        Entries of v that differ by less are equal.
    max_rounds : int
        Each solves the equations of the free variables once.
    """
    active = _ActiveSet(gram, lower, upper, beta.copy(), v.copy(), slack)
    for _ in range(max_rounds):
        if active.move() and not active.admit():
            active.move()  # once more, for the last digits
            break
        if active.idle > len(beta):  # the same variables come and go: K is no kernel matrix
            break
    return (active.beta, active.v) if active.moved else None


def feasible(beta, lower, upper):
    """β in its box, with a sum of 0: the variables with the most room on both sides make up for the others."""
    beta = np.clip(beta, lower, upper)
    excess = beta.sum()
    bound = lower if excess > 0 else upper
    order = np.argsort(-np.minimum(beta - lower, upper - beta), kind="stable")
    room = np.abs(beta - bound)[order]
    taken = np.clip(abs(excess) - (np.cumsum(room) - room), 0.0, room)
    beta[order] = np.where(taken < room, beta[order] - np.sign(excess) * taken, bound[order])
    return beta


def bordered(K, ridge):
    """[K + R  1; 1ᵀ  0], of shape (f + 1, f + 1), for f free variables whose sum is given; R = diag(ridge)."""
    f, diagonal = len(K), np.arange(len(K))
    system = np.ones((f + 1, f + 1))
    system[:f, :f] = K
    system[diagonal, diagonal] += ridge
    system[f, f] = 0.0
    return system


class _ActiveSet:
    """The free variables, their rows of K (one below the other), and β and v as they are now."""

    def __init__(self, gram, lower, upper, beta, v, slack):
        self.gram, self.lower, self.upper, self.beta, self.v = gram, lower, upper, beta, v
        self.free = np.flatnonzero((beta > lower) & (beta < upper))
        self.rows = gram.rows(self.free) if len(self.free) else np.empty((0, len(beta)))
        size = np.abs(gram.diagonal())  # an outlier must not drown the others in its ridge
        self.ridge = RIDGE * size + np.finfo(float).eps * size.max()
        self.slack, self.moved, self.idle = slack, False, 0

    def move(self):
        """Go towards the point where all free v_i are equal, as far as the box allows; return whether it was reached.

        (K_FF + R) d + b = v_F   and   Σd_i = 0.   Along d, W rises by  t vᵀd - ½ t² dᵀKd,  and vᵀd >= dᵀKd.
        R is the diagonal matrix of the ridge, so small that it only makes the solution unique.
        """
        free, d = self.free, self._equations()
        gain = (self.v[free] - self.v[free].mean()) @ d if len(free) else 0.0
        if not gain > 0:  # they agree up to rounding, or K is no kernel matrix
            return True
        bound = np.where(d > 0, self.upper[free], self.lower[free])
        shares = np.full(len(d), np.inf)
        np.divide(bound - self.beta[free], d, out=shares, where=np.abs(d) > 1e-100)
        share, stopped = min(1.0, shares.min()), shares <= min(1.0, shares.min())
        self.v -= share * (d @ self.rows)
        self.beta[free] = np.where(stopped, bound, self.beta[free] + share * d)
        self.moved, self.idle = self.moved or share > 0, 0 if share > 0 else self.idle + 1
        if not stopped.any():
            return True
        self.free, self.rows = free[~stopped], self.rows[~stopped]
        return False

    def _equations(self):
        system = bordered(self.rows[:, self.free], self.ridge[self.free])
        try:
            return np.linalg.solve(system, np.append(self.v[self.free], 0.0))[:-1]
        except np.linalg.LinAlgError:
            return np.zeros(len(self.free))

    def admit(self):
        """Free the variables at bounds that are most on the wrong side; return whether there are any."""
        worst = self._misplaced() if len(self.free) else self._at_odds()
        if len(worst) == 0:
            return False
        self.free = np.append(self.free, worst)
        self.rows = np.vstack([self.rows, self.gram.rows(worst)])
        return True

    def _misplaced(self):
        """Those whose v_i contradict the free ones most, one for each 16 of these."""
        own = self.v[self.free]
        surplus = self.v - own.mean()
        surplus = np.where(self.beta <= self.lower, surplus, np.where(self.beta >= self.upper, -surplus, -np.inf))
        surplus[self.free] = -np.inf
        worst = np.argsort(-surplus)[: 1 + len(own) // 16]
        return worst[surplus[worst] > self.slack + own.max() - own.min()]

    def _at_odds(self):
        """The two at bounds that contradict each other most, where no free one says what b is."""
        up, low = up_low_gradients(self.beta, self.v, self.lower, self.upper)
        i, j = up.argmax(), low.argmin()
        return np.array([i, j]) if up[i] - low[j] > self.slack else np.empty(0, dtype=int)
