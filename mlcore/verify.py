"""Short name of ``mlcore.classroom.verify``: formulas are checked."""

from mlcore.classroom.verify import *  # noqa: F403
from mlcore.classroom.verify import __all__  # noqa: F401
