"""The shared ground: every kind of bad input gets an error that names it, and leaves the estimator as it was."""

import copy
import io
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError as SklearnNotFitted
from sklearn.metrics import accuracy_score, r2_score

from mlcore import base


class Mean(base.Regressor):
    """The smallest estimator there is."""

    def __init__(self, *, shift=0.0, inner=None):
        self.shift = shift
        self.inner = inner

    def fit(self, X, y):
        X, y = base.check_regression(self, X, y)
        self.mean_ = y.mean() + self.shift
        return self

    def iter_fit(self, X, y):
        for self.mean_ in np.cumsum(y):
            self.trace_ = [self.mean_]
            yield self

    def predict(self, X):
        return np.full(len(base.check_X(self, X)), self.mean_)


class Majority(base.Classifier):
    """The smallest classifier there is."""

    def fit(self, X, y):
        X, codes = base.check_classification(self, X, y)
        self.winner_ = np.bincount(codes).argmax()
        return self

    def predict(self, X):
        return np.full(len(base.check_X(self, X)), self.classes_[self.winner_])


X = np.arange(12.0).reshape(6, 2)
y = np.array([0, 1, 0, 1, 1, 1])


@pytest.mark.parametrize(
    "bad, message",
    [
        ([[1.0, np.nan]], "contains NaN"),
        ([[1.0, np.inf]], "infinity"),
        ([[1.0, -np.inf]], "infinity"),
        (np.empty((0, 2)), "0 sample"),
        (np.empty((3, 0)), "0 feature"),
        ([], "2D"),
        ([1.0, 2.0], "Reshape your data"),
        (3.0, "2D"),
        (np.zeros((2, 2, 2)), "2D"),
        ([[1.0, 2.0], [3.0]], "ragged"),
        (np.ma.array([[1.0, 2.0]], mask=[[False, True]]), "masked"),
        ([[1.0, "x"]], "numeric"),
        ([["a", "b"]], "numeric"),
        (np.array([[1j, 2]]), "Complex"),
        (np.array([[1j, 2]], dtype=object), "Complex"),
        (None, "None"),
        (np.array([["2020-01-01"]], dtype="M8[D]"), "numeric"),
        ([[1.0, None]], "NaN"),
    ],
)
def test_bad_tables_are_named(bad, message):
    with pytest.raises(ValueError, match=message):
        base.check_array(bad)


def test_sparse_tables_are_refused_with_the_way_out():
    for kind in (scipy.sparse.csr_matrix, scipy.sparse.csr_array, scipy.sparse.coo_array):
        with pytest.raises(TypeError, match="toarray"):
            base.check_array(kind(np.eye(3)))


def test_the_place_of_a_nan_is_told():
    table = np.zeros((4, 3))
    table[2, 1] = np.nan
    with pytest.raises(ValueError, match=r"\(2, 1\), 1 in all"):
        base.check_array(table)


def test_allow_nan_lets_nan_in_but_never_infinity():
    assert np.isnan(base.check_array([[np.nan, 1.0]], allow_nan=True)[0, 0])
    with pytest.raises(ValueError, match=r"infinity.*\(0, 1\)"):
        base.check_array([[np.nan, np.inf]], allow_nan=True)


@pytest.mark.parametrize("kind", [np.float32, np.int8, bool, object])
def test_numbers_of_any_type_become_float64(kind):
    array = base.check_array(np.ones((2, 2)).astype(kind))
    assert array.dtype == np.float64 and array.tolist() == [[1, 1], [1, 1]]


def test_good_input_is_neither_copied_nor_changed():
    table = np.asfortranarray(np.random.default_rng(0).normal(size=(5, 3)))
    table.flags.writeable = False
    assert base.check_array(table) is table


def test_numeric_text_is_read_as_numbers():
    assert base.check_array([["1", "2.5"]]).tolist() == [[1.0, 2.5]]


@pytest.mark.parametrize(
    "bad, message",
    [
        (None, "None"),
        ([], "empty"),
        ([[1, 2], [3, 4]], "1d array"),
        ([1.0, np.nan], "NaN"),
        ([1.0, np.inf], "infinity"),
        (["a", "b"], "text"),
        (np.array(["a", 1.0], dtype=object), "numeric"),
        ([1j, 2], "Complex"),
        ([[1], [2, 3]], "ragged"),
    ],
)
def test_bad_regression_targets_are_named(bad, message):
    with pytest.raises(ValueError, match=message):
        base.check_numeric_target(bad)


@pytest.mark.parametrize(
    "bad, message",
    [
        (None, "None"),
        ([], "empty"),
        ([[1, 2], [3, 4]], "1d array"),
        ([0.5, 1.0], "Unknown label type: continuous"),
        ([1.0, np.nan], "NaN"),
        (np.array(["a", None], dtype=object), "None"),
        (np.array(["a", 1], dtype=object), "mixes"),
        ([1j, 2], "Complex"),
    ],
)
def test_bad_labels_are_named(bad, message):
    with pytest.raises(ValueError, match=message):
        base.check_labels(bad)


@pytest.mark.parametrize(
    "labels",
    [[3, 1, 3], ["b", "a", "b"], [True, False, True], [2.0, -1.0, 2.0], np.array(["b", "a", "b"], dtype=object)],
)
def test_labels_of_any_kind_come_back_from_predict(labels):
    model = Majority().fit(X[:3], labels)
    assert model.predict(X[:2]).tolist() == [labels[0]] * 2
    assert np.array_equal(model.classes_, np.unique(labels))


def test_column_targets_are_flattened_with_a_warning():
    with pytest.warns(base.DataConversionWarning, match="column-vector"):
        assert base.check_numeric_target([[1.0], [2.0]]).tolist() == [1.0, 2.0]


def test_number_of_classes():
    with pytest.raises(ValueError, match="only one class: 1"):
        base.check_classification(Majority(), X, np.ones(6, dtype=int), min_classes=2)
    with pytest.raises(ValueError, match="Only binary.*3 classes"):
        base.check_classification(Majority(), X, [0, 1, 2, 0, 1, 2], n_classes=2)


def test_lengths_must_agree():
    with pytest.raises(ValueError, match=r"\[6, 5\]"):
        Mean().fit(X, y[:5])


def test_a_failed_fit_changes_nothing():
    model = Majority().fit(X, y)
    before = copy.deepcopy(vars(model))
    for bad_X, bad_y in [(X[:, :1], y[:3]), (X * np.nan, y), (X, None), (X, y + 0.5), (X[:0], y[:0])]:
        with pytest.raises(ValueError):
            model.fit(bad_X, bad_y)
    assert vars(model).keys() == before.keys()
    assert all(np.array_equal(before[key], value) for key, value in vars(model).items())


def test_predict_before_fit_and_with_the_wrong_width():
    with pytest.raises(base.NotFittedError, match="not fitted"):
        Mean().predict(X)
    with pytest.raises(SklearnNotFitted):
        Mean().predict(X)
    with pytest.raises(ValueError, match="X has 1 features, but Mean is expecting 2"):
        Mean().fit(X, y).predict(X[:, :1])


def test_not_fitted_error_works_without_scikit_learn():
    code = (
        "import sys, mlcore.base as b\n"
        "class M(b.Regressor):\n    pass\n"
        "try:\n    b.check_is_fitted(M())\n"
        "except b.NotFittedError as e:\n    print(type(e) is b.NotFittedError, 'sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


def test_column_names_are_kept_and_compared():
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = Mean().fit(frame, y)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="same order"):
        model.predict(frame[["b", "a"]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- c"):
        model.predict(frame.rename(columns={"a": "c"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)
    with pytest.raises(TypeError, match="mix"):
        Mean().fit(pd.DataFrame(X, columns=["a", 1]), y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, y).predict(X)
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize("value", ["1", None, np.nan, np.inf, True, 1j, [1], -0.1, 1.1, 0.0])
def test_check_real_refuses(value):
    with pytest.raises(ValueError, match=r"alpha must be a number in \(0, 1\]"):
        base.check_real("alpha", value, low=0, high=1, low_open=True)


@given(st.floats(0, 1, exclude_min=True))
def test_check_real_accepts(value):
    assert base.check_real("alpha", value, low=0, high=1, low_open=True) == value
    assert base.check_real("alpha", np.float64(value), low=0, high=1, low_open=True) == value


@pytest.mark.parametrize("value", ["1", None, 1.0, True, 0, 6, [1]])
def test_check_int_refuses(value):
    with pytest.raises(ValueError, match="k must be a whole number from 1 to 5"):
        base.check_int("k", value, low=1, high=5)


def test_check_int_accepts():
    assert [base.check_int("k", value, low=1) for value in (1, np.int8(3), np.uint64(9))] == [1, 3, 9]
    with pytest.raises(ValueError, match=">= 1"):
        base.check_int("k", 0, low=1)
    with pytest.raises(ValueError, match="<= 1"):
        base.check_int("k", 2, high=1)


@pytest.mark.parametrize("value", ["c", 1, None, ["a"], np.array(["a", "b"])])
def test_check_choice_lists_the_words(value):
    with pytest.raises(ValueError, match="solver must be one of 'a', 'b'"):
        base.check_choice("solver", value, ("a", "b"))


def test_random_state_and_the_global_state():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    assert base.check_random_state(3).random() == base.check_random_state(np.int64(3)).random()
    rng = np.random.default_rng(0)
    assert base.check_random_state(rng) is rng
    assert base.check_random_state(None).random() != base.check_random_state(None).random()
    assert (
        base.check_random_state(np.random.RandomState(0)).random()
        == base.check_random_state(np.random.RandomState(0)).random()
    )
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002
    for bad in (-1, 1.5, "0", True, [1]):
        with pytest.raises(ValueError, match="random_state"):
            base.check_random_state(bad)


@pytest.mark.parametrize(
    "bad, message",
    [
        (-np.ones(6), "negative"),
        (np.full(6, np.nan), "NaN"),
        (np.ones(5), "5 entries.*6 samples"),
        (np.ones((6, 2)), "1D"),
        (np.zeros(6), "zero for every"),
        (["a"] * 6, "numeric"),
    ],
)
def test_bad_sample_weights_are_named(bad, message):
    with pytest.raises(ValueError, match=message):
        base.check_sample_weight(bad, 6)


def test_parameters_can_be_read_set_nested_and_printed():
    model = Mean(shift=1.0, inner=Mean(shift=2.0))
    assert model.get_params()["inner__shift"] == 2.0
    model.set_params(shift=3.0, inner__shift=4.0)
    assert (model.shift, model.inner.shift) == (3.0, 4.0)
    fresh = Mean()
    model.set_params(inner__shift=5.0, inner=fresh)
    assert fresh.shift == 5.0
    assert repr(Mean()) == "Mean()" and repr(Mean(shift=2.0)) == "Mean(shift=2.0)"
    with pytest.raises(ValueError, match="Invalid parameter 'slope'.*'inner', 'shift'"):
        model.set_params(shift=9.0, slope=1)
    assert model.shift == 3.0


def test_clone_copies_parameters_only():
    inner = Mean(shift=2.0).fit(X, y)
    copied = base.clone(Mean(shift=1.0, inner=inner).fit(X, y))
    assert copied.shift == 1.0 and copied.inner is not inner and copied.inner.shift == 2.0
    assert not hasattr(copied, "mean_") and not hasattr(copied.inner, "mean_")
    for bad in (Mean, 3, None):
        with pytest.raises(ValueError, match="get_params"):
            base.clone(bad)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=40), st.integers(1, 9))
def test_snapshots_keeps_every_nth_and_the_last_as_independent_copies(values, every):
    model = Mean()
    states = base.snapshots(model.iter_fit(None, np.array(values)), every=every)
    expected = [s for i, s in enumerate(np.cumsum(values)) if i % every == 0 or i == len(values) - 1]
    assert [state.mean_ for state in states] == expected
    assert len({id(state.trace_) for state in states}) == len(states)


def test_snapshots_of_nothing_and_with_a_bad_step():
    assert base.snapshots(iter(())) == []
    with pytest.raises(ValueError, match="every"):
        base.snapshots(iter([1]), every=0)


def test_run_takes_no_copies():
    class Uncopyable:
        def __deepcopy__(self, memo):
            raise AssertionError("copied")

    base.run(Uncopyable() for _ in range(3))


def test_scores_against_scikit_learn():
    rng = np.random.default_rng(0)
    target, weights = rng.normal(size=6), rng.random(6)
    model = Mean(shift=0.3).fit(X, target)
    assert model.score(X, target) == pytest.approx(r2_score(target, model.predict(X)))
    assert model.score(X, target, weights) == pytest.approx(r2_score(target, model.predict(X), sample_weight=weights))
    classifier = Majority().fit(X, y)
    assert classifier.score(X, y, weights) == pytest.approx(
        accuracy_score(y, classifier.predict(X), sample_weight=weights)
    )


def test_score_of_a_constant_target():
    assert Mean().fit(X, np.ones(6)).score(X, np.ones(6)) == 1.0
    assert Mean(shift=1.0).fit(X, np.ones(6)).score(X, np.ones(6)) == 0.0


def test_a_single_row_is_no_score():
    with pytest.raises(ValueError, match="R² of a single row"):
        Mean().fit(X, np.arange(6.0)).score(X[:1], np.ones(1))


def test_numpys_numbers_and_words_are_shown_as_pythons():
    given = [np.float64(0.1), {"a": np.int64(3)}, (np.str_("yes"), np.True_), np.array([1.5])]
    assert base.shown(given) == "[0.1, {'a': 3}, ('yes', True), array([1.5])]"
    assert repr(Mean(shift=np.float64(0.5))) == "Mean(shift=0.5)"
    for check, value in ((base.check_real, np.float64(-1)), (base.check_int, np.int64(-3)), (base.check_int, "x")):
        with pytest.raises(ValueError, match="^n must be .* >= 0, got (-3|'x')$|^n must be .*, got -1.0$"):
            check("n", value, low=0)


def test_pickle_round_trip():
    model = Majority().fit(X, y)
    assert pickle.loads(pickle.dumps(model)).predict(X).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize(
    "weights, message", [(-np.ones(6), "negative"), (np.zeros(6), "zero"), (np.ones(5), "5 entries")]
)
def test_scores_refuse_weights_that_mean_nothing(weights, message):
    for model, target in ((Mean(), np.arange(6.0)), (Majority(), y)):
        with pytest.raises(ValueError, match=message):
            model.fit(X, target).score(X, target, weights)


def test_very_long_integers_are_numbers_or_too_large():
    assert base.check_real("alpha", 10**30) == 1e30
    with pytest.raises(ValueError, match="alpha must be a number"):
        base.check_real("alpha", 10**400)


def test_the_missing_value_of_pandas_is_named():
    frame = pd.DataFrame({"a": pd.array([1.0, None], dtype="Float64"), "b": [1.0, 2.0]})
    with pytest.raises(ValueError, match="NaN"):
        base.check_array(frame)
    assert base.is_missing([1.0, None, pd.NA, np.nan, "x"]).tolist() == [False, True, True, True, False]


def test_flags_are_true_or_false():
    assert base.check_flag("pocket", np.bool_(True)) is True
    for bad in ("x", 1, None, np.nan, [1]):
        with pytest.raises(ValueError, match="pocket must be True or False"):
            base.check_flag("pocket", bad)


class TestCheckNumbers:
    def test_any_shape_and_type_of_numbers(self):
        for values in (1, 2.5, [1, 2], [[True, False]], np.float32([1.5]), np.array([1, 2.5], dtype=object)):
            array = base.check_numbers(values, "z")
            assert array.dtype == np.float64 and array.shape == np.shape(values)
            np.testing.assert_array_equal(array, np.asarray(values, dtype=float))
        assert base.check_numbers(-np.inf, "z", allow_infinity=True) == -np.inf
        given = np.zeros(3)
        assert base.check_numbers(given, "z") is given

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            (None, "got None for z"), ("1", "text such as '1'"), ([1, "a"], "text"), ([1, None], "z contains NaN"),
            (np.nan, "z contains NaN"), ([[1], [1, 2]], "z is ragged"), (1j, "Complex data not supported: z"),
            ({"a": 1}, "z must be numeric"), ([0.0, np.inf], "z contains infinity"),
            (np.array(["2020-01-01"], dtype="datetime64[D]"), "z must be numeric"),
        ],
    )
    def test_everything_else_is_refused(self, values, message):
        with pytest.raises(ValueError, match=message):
            base.check_numbers(values, "z")


SHOWN = [("utf-8", "✓ é 瓜"), ("gbk", "+ é 瓜"), ("cp1252", "+ é \\u74dc"), ("ascii", "+")]


class TestShares:
    """Shares that were rounded, to float32 or to six digits, are shares."""

    third = [0.333333, 0.333333, 0.333333]

    @pytest.mark.parametrize("values", [np.array([0.5, 0.3, 0.2], np.float32), third, [third, [0.1, 0.2, 0.7]], [1]])
    def test_rounding_is_forgiven_and_divided_out(self, values):
        exact = np.asarray(values, dtype=float)
        shares = base.check_shares(values, "p")
        np.testing.assert_allclose(shares, exact, rtol=2e-6)
        np.testing.assert_allclose(shares.sum(axis=-1), 1, rtol=1e-15)

    @pytest.mark.parametrize("values, message", [
        ([0.5, 0.4999], "p must hold shares >= 0 .* the sum 0.9999"),
        ([1.5, -0.5], "the least is -0.5 and the sum 1$"),
        ([[[0.5, 0.5]], [[0.3, 0.3]]], r"p\[1, 0\] must .* the sum 0.6"),
        (1.0, "at least one share"), (np.ones((2, 0)), "at least one share"),
        ([np.nan, 1.0], "NaN"), (["a"], "numeric"),
    ])  # fmt: skip
    def test_anything_else_is_refused(self, values, message):
        with pytest.raises(ValueError, match=message):
            base.check_shares(values, "p")

    def test_every_door_for_shares_lets_them_in(self):
        from mlcore.bayes_classifiers import GaussianBayes, GaussianNB, MixedNB, MultinomialNB, bayes_decision
        from mlcore.discriminant_analysis import LinearDiscriminantAnalysis
        from mlcore.ensembles import combine
        from mlcore.losses import cross_entropy, kl_divergence
        from mlcore.mixture_models import GaussianMixture, elbo
        from mlcore.parameter_estimation import DirichletCategorical

        rng, priors = np.random.default_rng(0), np.array([0.5, 0.3, 0.2])
        X, y, single = rng.uniform(size=(60, 2)), np.arange(60) % 3, priors.astype(np.float32)
        assert single.sum(dtype=float) != 1
        for model in (GaussianNB, GaussianBayes, MultinomialNB, MixedNB, LinearDiscriminantAnalysis):
            ours = [model(priors=given).fit(X, y).predict_proba(X) for given in (single, priors, priors.tolist())]
            np.testing.assert_allclose(ours[0], ours[1], rtol=1e-6)
            np.testing.assert_array_equal(ours[1], ours[2])
        assert cross_entropy(single, single) == pytest.approx(-priors @ np.log(priors), rel=1e-6)
        assert kl_divergence(single, priors) == pytest.approx(0, abs=1e-10)
        np.testing.assert_allclose(combine(np.full((2, 1, 3), single), "arithmetic"), priors[np.newaxis], rtol=1e-6)
        assert bayes_decision(single, 1 - np.eye(3)) == 0
        mixture = GaussianMixture(n_components=3, random_state=0).fit(X)
        q = mixture.predict_proba(X)
        assert elbo(mixture, X, q.astype(np.float32)) == pytest.approx(60 * mixture.score(X), rel=1e-6)
        die = DirichletCategorical([2.0, 3.0, 4.0])
        assert die.log_pdf(single) == pytest.approx(die.log_pdf(priors), rel=1e-6)


@pytest.mark.parametrize("encoding, shown", SHOWN)
def test_checks_can_be_printed_on_any_console(encoding, shown, monkeypatch):
    buffer = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(buffer, encoding=encoding, newline=""))
    base.say("✓ é 瓜")
    sys.stdout.flush()
    assert buffer.getvalue().decode(encoding).startswith(shown)


class Doubler(base.Transformer):
    def fit(self, X, y=None):
        self._n_features_out = self.scale_ = base.check_fit_X(self, X).shape[1]
        return self

    def transform(self, X):
        return 2 * base.check_X(self, X)


class TestOutputOfATransformer:
    table = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}, index=[7, 9])

    def test_an_array_by_default_and_a_data_frame_on_request(self):
        model = Doubler().fit(self.table)
        assert isinstance(model.transform(self.table), np.ndarray)
        frame = model.set_output(transform="pandas").transform(self.table)
        expected = pd.DataFrame({"doubler0": [2.0, 4.0], "doubler1": [6.0, 8.0]}, index=[7, 9])
        pd.testing.assert_frame_equal(frame, expected)
        pd.testing.assert_frame_equal(Doubler().set_output(transform="pandas").fit_transform(self.table), expected)
        assert isinstance(model.set_output(transform=None).transform(self.table), pd.DataFrame)
        assert isinstance(model.set_output(transform="default").transform(self.table), np.ndarray)
        with pytest.raises(ValueError, match="transform must be one of"):
            model.set_output(transform="excel")

    def test_scikit_learns_own_setting_and_pipelines(self):
        from sklearn import clone, config_context
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        with config_context(transform_output="pandas"):
            assert isinstance(Doubler().fit_transform(self.table), pd.DataFrame)
        pipeline = make_pipeline(StandardScaler(), Doubler()).set_output(transform="pandas")
        assert list(clone(pipeline).fit_transform(self.table).columns) == ["doubler0", "doubler1"]

    def test_names_of_inputs(self):
        named, nameless = Doubler().fit(self.table), Doubler().fit(self.table.to_numpy())
        assert base.names_of_inputs(named).tolist() == ["a", "b"]
        assert base.names_of_inputs(nameless).tolist() == ["x0", "x1"]
        assert base.names_of_inputs(nameless, ["u", "v"]).tolist() == ["u", "v"]
        with pytest.raises(ValueError, match="not equal to feature_names_in_"):
            named.get_feature_names_out(["b", "a"])
        with pytest.raises(ValueError, match="number of features"):
            nameless.get_feature_names_out(["u"])
        with pytest.raises(base.NotFittedError):
            Doubler().get_feature_names_out()


class TestWordsAndNumbersInAList:
    """NumPy makes words of numbers that stand in a list beside words; a door must not let that pass in silence."""

    def test_a_missing_value_stays_missing(self):
        with pytest.raises(ValueError, match="NaN or None"):
            base.check_labels(["a", np.nan])

    def test_labels_of_both_kinds_are_refused(self):
        with pytest.raises(ValueError, match="mixes text and numbers"):
            base.check_labels(["a", 1])

    def test_a_table_keeps_its_numbers(self):
        table = base.check_array([["a", 1.5], ["b", 2]], dtype=object)
        assert table.tolist() == [["a", 1.5], ["b", 2]]
        assert base.check_array([["a", "b"]], dtype=object).tolist() == [["a", "b"]]
