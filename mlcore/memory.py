"""Short name of ``mlcore.classroom.memory``: what a learner has solved."""

from mlcore.classroom.memory import *  # noqa: F403
from mlcore.classroom.memory import __all__  # noqa: F401
