"""Short name of ``mlcore.classroom.course``: the table of contents."""

from mlcore.classroom.course import *  # noqa: F403
from mlcore.classroom.course import __all__  # noqa: F401
