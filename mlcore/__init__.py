"""mlcore: the algorithms of an interactive course in classical machine learning.

``core`` is the book: the formulas of each chapter as plain functions, NumPy alone. The models that run them have one
module a chapter (``mlcore.linear_regression``, ``mlcore.decision_trees``, ...). They share a few rooms: ``base``
(parameters and input checks), ``numerics``, ``optimize``, ``datasets`` and others. The classroom is ``verify`` (checks
of formulas), ``exercises`` (checks of answers), ``viz`` (pictures, sliders and players) and ``calm`` (what a cell says
in a fresh kernel).
"""

__version__ = "0.1.0"
