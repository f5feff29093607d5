"""scikit-learn's own conformance suite over every estimator of the course, found by walking the package.

An estimator cannot escape: whatever class in mlcore derives from ``Estimator`` and has a ``fit`` is tested. Two tables
hold what a class needs to be constructed, and which single checks do not apply to it, with the reason.
"""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest
from sklearn.base import clone as sklearn_clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import mlcore
from mlcore import base

# Instances for classes that cannot be made without arguments, or that are tested in several settings.
# A chapter adds its own by defining CONFORMANCE_INSTANCES = {"ClassName": [instances]} in tests/test_<chapter>.py.
# NOT_APPLICABLE = {"ClassName": {"check_name": "reason"}} likewise; the key may also be the repr of
# one instance, such as "ClassName(solver='sgd')", so that the other instances still must pass.


def _modules():
    for info in pkgutil.walk_packages(mlcore.__path__, "mlcore."):
        if not info.name.startswith(("mlcore.viz", "mlcore.exercises")):
            yield importlib.import_module(info.name)


def find_estimators():
    """Every public estimator class of the package, by name."""
    found = {}
    for module in _modules():
        for name, cls in inspect.getmembers(module, inspect.isclass):
            concrete = issubclass(cls, base.Estimator) and hasattr(cls, "fit") and cls.__module__.startswith("mlcore.")
            if concrete and not name.startswith("_"):
                found[name] = cls
    return found


def _declared(table):
    """Merge one of the tables that the chapters' test files declare."""
    merged = {}
    for chapter in mlcore_chapters():
        try:
            module = importlib.import_module(f"tests.test_{chapter}")
        except ModuleNotFoundError as error:
            if error.name != f"tests.test_{chapter}":
                raise
            continue
        merged.update(getattr(module, table, {}))
    return merged


def mlcore_chapters():
    """Names of the chapters that have a module."""
    from mlcore.course import CHAPTERS

    return [c.name for c in CHAPTERS if importlib.util.find_spec(f"mlcore.{c.name}")]


ESTIMATORS = find_estimators()
GIVEN = _declared("CONFORMANCE_INSTANCES")
NOT_APPLICABLE = _declared("NOT_APPLICABLE")
INSTANCES = [instance for name, cls in sorted(ESTIMATORS.items()) for instance in (GIVEN.get(name) or [cls()])]


def _not_applicable(estimator):
    return {**NOT_APPLICABLE.get(type(estimator).__name__, {}), **NOT_APPLICABLE.get(repr(estimator), {})}


@parametrize_with_checks(INSTANCES, expected_failed_checks=_not_applicable)
def test_conformance(estimator, check):
    check(estimator)


def test_declared_exceptions_are_real():
    """No stale entries: every declared class or instance exists, and every reason is a sentence."""
    assert set(NOT_APPLICABLE) <= {*ESTIMATORS, *map(repr, INSTANCES)}
    assert set(GIVEN) <= set(ESTIMATORS)
    assert all(len(reason.split()) >= 4 for table in NOT_APPLICABLE.values() for reason in table.values())


@pytest.mark.parametrize("instance", INSTANCES, ids=repr)
class TestOurOwnRules:
    def test_parameters_are_keyword_only_and_stored_unchanged(self, instance):
        parameters = list(inspect.signature(type(instance).__init__).parameters.values())[1:]
        positional = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
        takes_estimators = {"estimator", "estimators", "attributes"}
        assert set(positional) <= takes_estimators
        for name, value in instance.get_params(deep=False).items():
            marker = object()
            changed = type(instance)(**{**instance.get_params(deep=False), name: marker})
            assert getattr(changed, name) is marker, f"{name} was not stored as given (it was {value!r})"

    def test_survives_scikit_learns_clone_and_pipeline(self, instance):
        assert repr(sklearn_clone(instance)) == repr(instance)
        assert make_pipeline(StandardScaler(), instance).get_params()

    def test_the_docstring_tells_the_parameters_and_what_is_learned(self, instance):
        text = inspect.getdoc(type(instance))
        missing = [name for name in instance.get_params(deep=False) if name not in text]
        assert not missing, f"{type(instance).__name__} does not document {missing}"
        assert "Parameters" in text or not instance.get_params(deep=False)


def test_grid_search_accepts_our_models():
    from mlcore.linear_regression import Ridge

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, 2.0, 3.0] + 0.1 * rng.normal(size=60)
    search = GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [0.01, 1000.0]}, cv=3).fit(X, y)
    assert search.best_params_ == {"ridge__alpha": 0.01}
