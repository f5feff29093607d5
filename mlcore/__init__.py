"""mlcore: the algorithms of an interactive course in classical machine learning.

``core`` is the book: the formulas of each chapter as plain functions, NumPy alone. The models that run them have one
module a chapter (``mlcore.linear_regression``, ``mlcore.decision_trees``, ...). They share ``base`` (parameters and
input checks), ``engines`` (fast code in place of a core function where there are many rows), ``numerics``,
``optimize``, ``distances``, ``kernels``, ``losses``, ``features`` and ``datasets``, which are no chapters.
``classroom`` is what only notebooks need: ``verify`` (checks of formulas), ``exercises`` (checks of answers), ``viz``
(pictures, sliders and players), ``course`` and ``memory``; these five can be imported by their short names.
"""

__version__ = "0.1.0"
