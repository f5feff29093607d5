"""Short name of ``mlcore.classroom.viz``: pictures, sliders, players."""

from mlcore.classroom.viz import *  # noqa: F403
from mlcore.classroom.viz import __all__  # noqa: F401
