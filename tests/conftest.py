"""Settings for all tests: figures need no display, and hypothesis draws the same examples in every run of CI."""

import os

# before scikit-learn and SciPy are imported: without it one check of the conformance suite skips itself
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import matplotlib
from hypothesis import HealthCheck, settings

# Not through the environment variable: kernels that tests start must keep the notebook's own backend.
matplotlib.use("agg")

# No deadline: on a shared machine a slow moment is not a fault.
settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
