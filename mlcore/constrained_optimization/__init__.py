"""Constrained optimisation (约束优化): quadratic programs, their multipliers and their duals.

The quadratic program (二次规划) of this chapter has the form of Notes C (4), with equalities added:

    minimise ½ xᵀQx + pᵀx   subject to   Ax >= c,  Ex = d          (Q positive semidefinite)

``solve_qp`` finds x together with a multiplier (乘子) for each constraint. Its method is Newton's, applied to the KKT
conditions (``central_path`` shows the steps). Where no solution exists it says why and hands over the proof.

- ``problem``: what goes in and what comes out.
- ``kkt``: by how much the KKT conditions are missed.
- ``solver``: ``solve_qp`` itself, and ``central_path``.
- ``scaling``, ``interior_point``, ``active_set``, ``certificates``: its stages.
- ``duality``: the dual function, and the dual as a quadratic program.
- ``coordinates``: one variable at a time.
"""

from mlcore.constrained_optimization.coordinates import coordinate_ascent, maximize_in_box
from mlcore.constrained_optimization.duality import LagrangianDual, lagrangian_dual
from mlcore.constrained_optimization.kkt import KKTResiduals, kkt_residuals
from mlcore.constrained_optimization.problem import QPSolution
from mlcore.constrained_optimization.solver import Iterate, central_path, solve_qp

__all__ = [
    "Iterate", "KKTResiduals", "LagrangianDual", "QPSolution", "central_path", "coordinate_ascent", "kkt_residuals",
    "lagrangian_dual", "maximize_in_box", "solve_qp",
]
