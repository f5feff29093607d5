"""scikit-learn's own conformance suite over every estimator of the course, found by walking the package.

An estimator cannot escape: whatever class in mlcore derives from ``Estimator`` and has a ``fit`` is tested. Two tables
hold what a class needs to be constructed, and which single checks do not apply to it, with the reason.
"""

import importlib
import inspect
import pkgutil

import numpy as np
import pandas
import pytest
from sklearn.base import clone as sklearn_clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

import mlcore
from mlcore import base

# Instances for classes that cannot be made without arguments, or that are tested in several settings.
# A chapter adds its own by defining CONFORMANCE_INSTANCES = {"ClassName": [instances]} in tests/test_<chapter>.py.
# NOT_APPLICABLE = {"ClassName": {"check_name": "reason"}} likewise; the key may also be the repr of
# one instance, such as "ClassName(solver='sgd')", so that the other instances still must pass.


def _modules():
    for info in pkgutil.walk_packages(mlcore.__path__, "mlcore."):
        if not info.name.startswith(("mlcore.classroom.viz", "mlcore.classroom.exercises")):
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


# What an estimator has to say about its convergence on the suite's odd data is not what is tested here.
@pytest.mark.filterwarnings("ignore::mlcore.base.ConvergenceWarning")
@parametrize_with_checks(INSTANCES, expected_failed_checks=_not_applicable)
def test_conformance(estimator, check):
    check(estimator)


def _stands_alone(cls):
    return all(p.default is not p.empty for p in inspect.signature(cls).parameters.values())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name, cls in sorted(ESTIMATORS.items()) if _stands_alone(cls)])
def test_check_estimator_passes_for_anybody(name, monkeypatch):
    """The default model, as a user of scikit-learn's suite checks it. Models that need an estimator inside have none.

    Two checks want a row of weight 2 to be two rows, to the last digit. Where rows are drawn by chance that holds on
    average only; scikit-learn leaves its own forests and bags out of these two likewise.
    """
    monkeypatch.delenv("SCIPY_ARRAY_API", raising=False)  # set by our tests; few users know it
    drawn = NOT_APPLICABLE.get(name, {}) if name.startswith(("Bagging", "RandomForest")) else {}
    assert all("sample_weight_equivalence" in check for check in drawn)
    check_estimator(ESTIMATORS[name](), expected_failed_checks=drawn)


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

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("value", [np.float64(-1.5), np.int64(-3), np.str_("zzz"), (np.float64(-1.5), np.int64(0))])
    def test_messages_show_numpys_numbers_and_words_as_pythons(self, instance, value):
        X, y = np.random.default_rng(0).uniform(size=(12, 3)), np.arange(12) % 2
        for name in instance.get_params(deep=False):
            model = type(instance)(**{**instance.get_params(deep=False), name: value})
            assert "np." not in repr(model)
            if "estimator" not in name and name != "tokenize":  # there its type is what is wrong
                try:
                    model.fit(X, y)
                except (ValueError, TypeError) as error:
                    assert "np." not in str(error), name

    def test_the_docstring_tells_the_parameters_and_what_is_learned(self, instance):
        text = inspect.getdoc(type(instance))
        missing = [name for name in instance.get_params(deep=False) if name not in text]
        assert not missing, f"{type(instance).__name__} does not document {missing}"
        assert "Parameters" in text or not instance.get_params(deep=False)


ANSWERS = ("predict", "transform", "score_samples")
NO_TABLE = {"BagOfWords", "MatrixFactorization"}
"""Models whose X is no table of numbers: texts, or pairs of names."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("instance", [
    i for i in INSTANCES if type(i).__name__ not in NO_TABLE and any(hasattr(i, name) for name in ANSWERS)
], ids=repr)  # fmt: skip
def test_the_form_of_a_table_does_not_matter(instance):
    """Columns in one piece of memory, lists, a DataFrame, single precision: the answers are the same."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 1000, size=(24, 3)) / 256, 1 + np.arange(24) % 2
    X[:, 0] += 2 * y

    def answers(table):
        model = sklearn_clone(instance)
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        model.fit(table, y)
        use = next(getattr(model, name) for name in ANSWERS if hasattr(model, name))
        return np.asarray(use(table), dtype=float)

    right, frozen, frame = answers(X), X.copy(), pandas.DataFrame(X, columns=["a", "b", "c"])
    frozen.flags.writeable = False
    for other in (np.asfortranarray(X), frozen, X.tolist(), frame, X.astype(np.float32)):
        np.testing.assert_allclose(answers(other), right, rtol=1e-4, atol=1e-6)


SMALL = {"KMeans": {"n_clusters": 2}, "KNeighborsClassifier": {"n_neighbors": 1}}
"""What four rows are enough for, where the default is not."""


@pytest.mark.parametrize("name, options, reason", [
    ("KMeans", {"n_clusters": 5}, "distinct points"),
    ("RBFNetwork", {"n_centers": 5}, "distinct rows"),
    ("RBFNetworkClassifier", {"gamma": -1.0}, "gamma"),
    ("PCA", {"n_components": 9}, "n_components"),
    ("LinearDiscriminantAnalysis", {"n_components": 9}, "n_components"),
    ("GaussianNB", {"priors": [1.0]}, "priors"),
    ("KNeighborsClassifier", {"n_neighbors": 9}, "n_neighbors"),
    ("DecisionTreeClassifier", {"max_features": 9}, "max_features"),
    ("RandomForestClassifier", {"max_depth": -1}, "max_depth"),
    ("GradientBoostingRegressor", {"max_depth": -1}, "max_depth"),
])  # fmt: skip
def test_a_fit_that_fails_late_leaves_the_model_as_it_was(name, options, reason):
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 0.0]]), np.array([0, 0, 1, 1])
    model = ESTIMATORS[name](**options)
    use = getattr(model, "predict", None) or model.transform
    with pytest.raises(ValueError, match=reason):
        model.fit(X, y)
    with pytest.raises(base.NotFittedError):
        use(X)
    good = {key: ESTIMATORS[name]().get_params()[key] for key in options} | SMALL.get(name, {})
    before = model.set_params(**good).fit(X, y) and use(X)
    model.set_params(**options)
    with pytest.raises(ValueError, match=reason):
        model.fit(np.column_stack([X, X[:, :1]]), 1 - y)
    model.set_params(**good)
    assert np.array_equal(use(X), before)


def test_grid_search_accepts_our_models():
    from mlcore.linear_regression import Ridge

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, 2.0, 3.0] + 0.1 * rng.normal(size=60)
    search = GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [0.01, 1000.0]}, cv=3).fit(X, y)
    assert search.best_params_ == {"ridge__alpha": 0.01}


class TestMetadataRouting:
    """With scikit-learn's routing switched on, our models ask for sample_weight as its own do."""

    @pytest.fixture(autouse=True)
    def routing(self):
        import sklearn

        with sklearn.config_context(enable_metadata_routing=True):
            yield

    X = np.random.default_rng(0).normal(size=(60, 3))
    y = X @ [1.0, 2.0, 3.0]

    @pytest.mark.parametrize(
        "instance",
        [
            i for i in INSTANCES
            if hasattr(i, "predict") and hasattr(i, "score") and i._estimator_type != "density_estimator"
        ],
        ids=repr,
    )
    def test_asks_for_what_its_methods_take_and_for_nothing_by_itself(self, instance):
        request = instance.get_metadata_routing()
        takes = "sample_weight" in inspect.signature(instance.fit).parameters
        assert request.fit.requests == ({"sample_weight": None} if takes else {}) | {
            name: None for name in set(inspect.signature(instance.fit).parameters) - {"X", "y", "sample_weight"}
        }
        assert request.score.requests.get("sample_weight", 0) is None

    def test_a_pipeline_scores_and_a_search_finds_the_best(self):
        from mlcore.linear_regression import Ridge

        pipeline = make_pipeline(StandardScaler(), Ridge()).fit(self.X, self.y)
        assert pipeline.score(self.X, self.y) > 0.9
        search = GridSearchCV(pipeline, {"ridge__alpha": [1000.0, 0.01]}, cv=3).fit(self.X, self.y)
        assert search.best_params_ == {"ridge__alpha": 0.01}

    def test_weights_are_passed_on_where_they_are_asked_for(self):
        from mlcore.logistic_regression import LogisticRegression

        labels, weight = (self.y > 0).astype(int), np.where(self.X[:, 0] > 0, 5.0, 1.0)
        asking = LogisticRegression(alpha=1.0).set_fit_request(sample_weight=True)
        piped = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), sklearn_clone(asking))
        piped.fit(self.X, labels, sample_weight=weight)
        scaled = StandardScaler().fit_transform(self.X)
        direct = LogisticRegression(alpha=1.0).fit(scaled, labels, sample_weight=weight)
        np.testing.assert_allclose(piped[-1].coef_, direct.coef_)
        assert abs(direct.coef_ - LogisticRegression(alpha=1.0).fit(scaled, labels).coef_).max() > 0.01
        with pytest.raises(TypeError, match="takes no 'offset'"):
            asking.set_fit_request(offset=True)


def test_warnings_of_a_conversion_are_scikit_learns_too():
    from sklearn.exceptions import DataConversionWarning

    with pytest.warns(DataConversionWarning) as caught:
        base.check_labels(np.array([[0], [1]]))
    assert isinstance(caught[0].message, base.DataConversionWarning)
