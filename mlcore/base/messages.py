"""What the course says to the caller: errors, warnings, and lines on the screen."""

import functools
import sys
import warnings

import numpy as np


class NotFittedError(ValueError, AttributeError):
    """A model was asked to predict before it was fitted."""


class ConvergenceWarning(UserWarning):
    """An iterative fit stopped before it reached its tolerance; the message says what to do."""


class DataConversionWarning(UserWarning):
    """Input was accepted after a conversion that the caller may not have meant."""


@functools.cache
def _combined(own, foreign):
    return type(own.__name__, (own, foreign), {})


def like_sklearn(own):
    """Our class of errors or warnings; one that is scikit-learn's too where the caller has scikit-learn loaded."""
    foreign = getattr(sys.modules.get("sklearn.exceptions"), own.__name__, None)
    return own if foreign is None else _combined(own, foreign)


PLAIN_SIGNS = str.maketrans({"✓": "+", "✗": "x", "○": "o"})


def say(line):
    """Print a line; where the output cannot show its signs (a console that is not UTF-8), plain ones stand for them."""
    text, encoding = str(line), getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(PLAIN_SIGNS).encode(encoding, "backslashreplace").decode(encoding)
    print(text)


def shown(value):
    """repr(value), with NumPy's numbers and words as Python's: 0.1 and 'yes' for np.float64(0.1) and np.str_('yes')."""
    with np.printoptions(legacy="1.25"):
        return repr(value)


def warn_caller(message, category=UserWarning):
    """Warn in the name of the line outside this package that led here, which is the one to change."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("mlcore."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
