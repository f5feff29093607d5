"""Sequential minimal optimisation (序列最小优化, SMO): the dual of the support vector machine, two variables at a time.

The dual is written in β_i = y_i α_i, which makes every formula shorter:

    maximise W(β) = qᵀβ - ½ βᵀKβ   subject to   Σβ_i = 0,   lower_i <= β_i <= upper_i

For classification q = y, and a point of class +1 has 0 <= β <= C, one of class -1 has -C <= β <= 0. Notes A 7.8.2;
Fan, Chen and Lin, "Working set selection using second order information for training support vector machines" (2005).
"""

from mlcore.core.support_vector_machines import ballots, intercept, move_pair, select_pair, smo

__all__ = ["ballots", "intercept", "move_pair", "select_pair", "smo"]


# v = q - Kβ are the votes, the gradient of W: v_i is the b that puts point i exactly onto its edge (17.6).
# K is the kernel matrix, of shape (n, n), and distances holds ‖φ(x_i) - φ(x_t)‖. β, q, lower and upper have shape (n,).
# rising holds the votes of those points whose β may rise (β_i < upper_i), and -∞ for the others; falling holds the
# votes of those that may fall (β_i > lower_i), and +∞ for the others.
