"""Settings for all tests: figures need no display, and hypothesis draws the same examples in every run of CI."""

import os

# before scikit-learn and SciPy are imported: without it one check of the conformance suite skips itself
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import matplotlib
import pytest
from hypothesis import HealthCheck, settings

# Not through the environment variable: kernels that tests start must keep the notebook's own backend.
matplotlib.use("agg")

# No deadline: on a shared machine a slow moment is not a fault.
settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Refuse names that differ from run to run; of each estimator's settings all but the first are slow tests."""
    first = {}
    for item in items:
        if getattr(item, "originalname", None) == "test_conformance":
            estimator = item.callspec.params["estimator"]
            if first.setdefault(type(estimator), estimator) is not estimator:
                item.add_marker(pytest.mark.slow)
    addresses = [item.nodeid for item in items if " at 0x" in item.nodeid]
    if addresses:
        raise pytest.UsageError(f"give these tests ids without memory addresses: {addresses}")
