"""Sequential minimal optimisation (序列最小优化, SMO): the dual of the support vector machine, two variables at a time.

The dual is written in β_i = y_i α_i, which makes every formula shorter:

    maximise W(β) = qᵀβ - ½ βᵀKβ   subject to   Σβ_i = 0,   lower_i <= β_i <= upper_i

For classification q = y, and a point of class +1 has 0 <= β <= C, one of class -1 has -C <= β <= 0. Notes A 7.8.2;
Fan, Chen and Lin, "Working set selection using second order information for training support vector machines" (2005).
"""

import numpy as np

__all__ = ["ballots", "intercept", "move_pair", "select_pair", "smo"]


# v = q - Kβ are the votes, the gradient of W: v_i is the b that puts point i exactly onto its edge (17.6).
# K is the kernel matrix, of shape (n, n), and distances holds ‖φ(x_i) - φ(x_t)‖. β, q, lower and upper have shape (n,).
# rising holds the votes of those points whose β may rise (β_i < upper_i), and -∞ for the others; falling holds the
# votes of those that may fall (β_i > lower_i), and +∞ for the others.
def ballots(beta, v, lower, upper):
    """The votes v of those that may rise, and of those that may fall, each of shape (n,)."""
    return np.where(beta < upper, v, -np.inf), np.where(beta > lower, v, np.inf)


def select_pair(rising, falling, distances):
    """i has the highest vote that may rise; j makes (v_i - v_j)² / ‖φ(x_i) - φ(x_j)‖² the largest  (17.12), (17.14)."""
    i = int(rising.argmax())
    j = int(((rising[i] - falling) / distances[i]).argmax())
    return i, j


def move_pair(i, j, beta, rising, falling, K, distances, lower, upper):
    """β_i + t and β_j - t, where t is the top of the parabola W(t) or the nearer end of the box  (17.12), (17.13).

    Changes β and the votes v - t (K_i - K_j) in place; returns the top and t.
    """
    v_i, v_j = rising[i], falling[j]
    room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
    top = (v_i - v_j) / distances[i][j] ** 2
    t = min(top, room_i, room_j)
    beta[i] = upper[i] if t == room_i else beta[i] + t
    beta[j] = lower[j] if t == room_j else beta[j] - t
    falling[i], rising[j] = v_i, v_j  # who has risen may fall, and the other way round
    change = t * (K[i] - K[j])
    rising -= change
    falling -= change
    if t == room_i:
        rising[i] = -np.inf
    if t == room_j:
        falling[j] = np.inf
    return top, t


def smo(beta, rising, falling, K, distances, lower, upper, tol):
    """Move one pair after another until the voters agree: max of rising - min of falling <= tol  (17.14).

    Yields i, j, the top and the step t after each; β and the votes are changed in place.
    """
    while True:
        i, j = select_pair(rising, falling, distances)
        if rising[i] - falling[j] <= tol and rising[i] - falling.min() <= tol:
            return
        yield i, j, *move_pair(i, j, beta, rising, falling, K, distances, lower, upper)


def intercept(beta, v, lower, upper):
    """b: the mean vote of the free points; with none, the middle of the interval that (17.14) leaves  (17.6)."""
    free = (beta > lower) & (beta < upper)
    if free.any():
        return v[free].mean()
    rising, falling = ballots(beta, v, lower, upper)
    return (rising.max() + falling.min()) / 2
