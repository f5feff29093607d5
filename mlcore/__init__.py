"""mlcore: the algorithms of an interactive course in classical machine learning.

One module a chapter (``mlcore.linear_regression``, ``mlcore.decision_trees``, ...), and a few shared rooms:
``base`` (parameters and input checks), ``optimize``, ``datasets``, ``verify`` (checks of formulas),
``exercises`` (checks of answers), ``viz`` (pictures, sliders and players) and ``calm`` (what a cell says in a fresh
kernel).
"""

__version__ = "0.1.0"
