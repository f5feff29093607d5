"""Parameters are declared once: signatures, documentation and refusals follow, for every estimator of the course."""

import inspect
import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

from mlcore import base
from mlcore.base import parameters
from mlcore.base.parameters import REQUIRED, anything, choice, declared, flag, part, real, seed, whole
from tests.test_estimators import ESTIMATORS, INSTANCES

KNOWN = json.loads(Path(__file__).with_name("signatures.json").read_text(encoding="utf-8"))
"""{class: {parameter: repr of its default}}: other people's code counts on these."""
BY_TYPE = {type(instance).__name__: instance for instance in reversed(INSTANCES)}
BAD = [
    (name, key, value)
    for name, cls in sorted(ESTIMATORS.items())
    for key, entry in declared(cls).items()
    for value in entry.bad
]


class Model(base.Regressor):
    """A model.

    Attributes
    ----------
    mean_ : float

    Notes X 1.
    """

    alpha: float = real(1.0, "Strength of the penalty.", low=0)
    steps: int = whole(None, "How many.\n\nNone means all.", low=1, high=9)
    kind: str = choice("a", ("a", "b"), "Which.")
    rows: object = anything(None, "list, optional", "Some rows.")
    random_state: object = seed()

    def fit(self, X, y):
        """Learn."""
        self.seen_ = self.checked()
        return self


class Child(Model):
    """A model of models."""

    member: object = part("Which model.")
    alpha: float = real(2.0, "Strength of the penalty.", low=0, low_open=True)
    centred: bool = flag(True, "Whether.")


class TestADeclaration:
    def test_gives_the_signature(self):
        signature = inspect.signature(Model)
        assert str(signature) == "(*, alpha=1.0, steps=None, kind='a', rows=None, random_state=None)"
        assert str(inspect.signature(Child)) == (
            "(member, *, alpha=2.0, steps=None, kind='a', rows=None, random_state=None, centred=True)"
        )

    def test_stores_what_is_given(self):
        rows = [1, 2]
        model = Child(Model(), rows=rows, alpha=3)
        assert model.rows is rows and model.alpha == 3 and model.centred is True
        assert repr(Model(alpha=3)) == "Model(alpha=3)"
        assert sorted(Model().get_params()) == ["alpha", "kind", "random_state", "rows", "steps"]
        assert base.clone(Model(alpha=5)).alpha == 5 and pickle.loads(pickle.dumps(Model(steps=3))).steps == 3

    @pytest.mark.parametrize(
        "options, word", [({"member": 0, "beta": 1}, "beta"), ({}, "member"), ({"member": 1, "gamma": 2}, "gamma")]
    )
    def test_refuses_another_name_or_none(self, options, word):
        with pytest.raises(TypeError, match=rf"Child.__init__\(\) .*{word}"):
            Child(**options)
        with pytest.raises(TypeError):
            Model(1.0)

    def test_is_the_documentation(self):
        assert inspect.getdoc(Model) == (
            "A model.\n\nParameters\n----------\nalpha : float >= 0\n    Strength of the penalty.\n"
            "steps : int in [1, 9], optional\n    How many.\n\n    None means all.\n"
            'kind : {"a", "b"}\n    Which.\nrows : list, optional\n    Some rows.\n'
            "random_state : None, int or numpy.random.Generator\n"
            "    Seeds what is drawn: an int gives the same numbers each time.\n\n"
            "Attributes\n----------\nmean_ : float\n\nNotes X 1."
        )
        assert "alpha : float > 0" in inspect.getdoc(Child) and "member : estimator" in inspect.getdoc(Child)

    def test_is_what_fit_works_with(self):
        seen = Model(alpha=1, steps=np.int64(3), random_state=0).fit(None, None).seen_
        assert type(seen.alpha) is float and type(seen.steps) is int and seen.rows is None
        assert isinstance(seen.random_state, np.random.Generator)
        for options, said in [
            ({"alpha": -1}, r"alpha must be a number in \[0, inf\), got -1"),
            ({"steps": 0}, "steps must be a whole number from 1 to 9, got 0"),
            ({"kind": "c"}, "kind must be one of 'a', 'b', got 'c'"),
        ]:
            with pytest.raises(ValueError, match=said):
                Model(**options).fit(None, None)


@pytest.mark.parametrize("name, words", [
    ("EasyEnsemble", "Class labels."), ("Ridge", "The numbers to predict."), ("PolynomialFeatures", "Not used."),
    ("RandomForestRegressor", "Class labels, or the numbers to predict."),
    ("UniformBlending", "Class labels, or the numbers to predict."),
])  # fmt: skip
def test_the_documentation_of_fit_tells_what_y_is(name, words):
    assert f"y : array-like of shape (n_samples,)\n    {words}" in inspect.getdoc(ESTIMATORS[name].fit)


def written(default):
    """A default as a stable text: a function's repr without its address."""
    return re.sub(" at 0x[0-9a-f]+", "", repr(default))


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_signatures_stay(name):
    given = list(inspect.signature(ESTIMATORS[name].__init__).parameters.values())[1:]
    now = {p.name: "required" if p.default is p.empty else written(p.default) for p in given}
    assert now == KNOWN[name]
    if "required" not in now.values():
        model = ESTIMATORS[name]()
        assert {key: written(value) for key, value in model.get_params(deep=False).items()} == now
        assert repr(model) == f"{name}()"


@pytest.mark.parametrize("name", sorted(name for name, parameters in KNOWN.items() if parameters))
def test_an_estimator_declares_its_parameters(name):
    assert set(declared(ESTIMATORS[name])) == set(KNOWN[name])


def test_every_estimator_is_known():
    assert set(KNOWN) == set(ESTIMATORS)


@pytest.mark.parametrize("name, key, value", BAD, ids=[f"{name}-{key}={value!r}" for name, key, value in BAD])
def test_a_bad_value_is_refused_by_name(name, key, value):
    model = base.clone(BY_TYPE[name]).set_params(**{key: value})
    with pytest.raises(ValueError, match=rf"\b{key}\b"):
        model.checked()


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_fit_refuses_what_the_declaration_refuses(name):
    """One bad value of each parameter, on data that the model would take; the model is left as it was."""
    model = base.clone(BY_TYPE[name])
    X = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0], [3.0, 0.5], [0.5, 0.2], [2.5, 2.5]])
    y = np.array([0, 0, 1, 1, 0, 1])
    for key, entry in declared(type(model)).items():
        if entry.bad and entry.default is not REQUIRED:
            before = vars(model.set_params(**{key: entry.bad[0]})).copy()
            with pytest.raises(ValueError, match=rf"\b{key}\b"):
                model.fit(X, y)
            assert vars(model) == before
            model.set_params(**{key: getattr(BY_TYPE[name], key)})


def test_words_for_bounds():
    words = parameters._bounds
    bounds = [(None, None), (0, None), (0, None, True), (None, 1), (0, 1, True, False)]
    assert [words(*each) for each in bounds] == ["", " >= 0", " > 0", " <= 1", " in (0, 1]"]
