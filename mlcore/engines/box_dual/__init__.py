"""The dual in a box:  maximise W(β) = qᵀβ - ½ βᵀKβ  subject to  Σβ_i = 0,  lower_i <= β_i <= upper_i.

SMO (chapter 17) solves it two variables at a time, quickly where few pairs depend on each other. Where many do, what is
slow is to find out which variables end at which bound; the rest is one system of linear equations. Three ways to find
it out, whatever the box:

- ``active_set``: from a β close by; one variable after another is put right.
- ``interior``: through the middle of the box, for a K of low rank r, at a cost of n r² a step.
- ``continuation``: first for a small box, where it is easy, then for larger and larger ones.

``Gram`` holds K, computed as far as it is needed. v = q - Kβ is the gradient of W; β is optimal if and only if one b
serves all:  v_i <= b where β_i may rise,  v_i >= b where it may fall.
"""

from mlcore.engines.box_dual.active_set import active_set, feasible
from mlcore.engines.box_dual.continuation import continuation
from mlcore.engines.box_dual.gram import Gram
from mlcore.engines.box_dual.interior import interior_point, low_rank

__all__ = ["Gram", "active_set", "continuation", "feasible", "interior_point", "low_rank"]
