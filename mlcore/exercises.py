"""Short name of ``mlcore.classroom.exercises``: answers are checked."""

from mlcore.classroom.exercises import *  # noqa: F403
from mlcore.classroom.exercises import __all__  # noqa: F401
