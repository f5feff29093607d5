"""How numbers stay sound: what stands before, around and after the formulas of a chapter, so that these stay bare.

- ``special``: functions that no exponent overflows (``expit``, ``softplus``, ``softmax``); tails of distributions
  (``binomial_tail``, ``normal_tail``, ``chi2_tail``, ``t_tail``, ``f_tail``).
- ``units``: before. Features in units in which each has deviation 1; the penalty then is a number for each weight
  (``linear_problem``). ``Frame``: points seen from their mean.
- ``gaussian``: means, covariances and log-densities of Gaussians of several dimensions.
- ``walkers``: around. ``newton_walk`` and ``halve`` call a formula again and again, catch what overflows and take half;
  ``newton_fit`` also says how the walk ended.
- ``after``: ``finite`` makes of a result that is no number one sentence.
- From ``mlcore.core.arithmetic``: linear equations, singular ones too (``solve``, ``solve_regular``,
  ``CholeskyFactor``).

This is the lowest room: it checks no input. What the door let in (``mlcore.base``) is finite and below 1e100.
"""

from mlcore.core.arithmetic import CholeskyFactor, solve, solve_regular, weighted_gram
from mlcore.numerics.after import finite
from mlcore.numerics.gaussian import gaussian_log_density, gaussian_mle, inverse_root, regular_inverse_root
from mlcore.numerics.special import (
    binomial_share,
    binomial_tail,
    chi2_tail,
    expit,
    f_tail,
    incomplete_beta,
    incomplete_gamma,
    log_softmax,
    normal_tail,
    softmax,
    softplus,
    t_tail,
)
from mlcore.numerics.units import Frame, LinearProblem, linear_problem, penalty_in_units, standardise
from mlcore.numerics.walkers import Place, halve, newton_fit, newton_walk

__all__ = [
    "CholeskyFactor", "Frame", "LinearProblem", "Place", "binomial_share", "binomial_tail", "chi2_tail", "expit",
    "f_tail", "finite", "gaussian_log_density", "gaussian_mle", "halve", "incomplete_beta", "incomplete_gamma",
    "inverse_root", "linear_problem", "log_softmax", "newton_fit", "newton_walk", "normal_tail", "penalty_in_units",
    "regular_inverse_root", "softmax", "softplus", "solve", "solve_regular", "standardise", "t_tail", "weighted_gram",
]  # fmt: skip
