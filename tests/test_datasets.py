"""Data sets against scikit-learn's copies and the printed tables; generators against the curves they promise."""

import hashlib
import importlib.util
import json
import shutil
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, norm
from sklearn.metrics import roc_auc_score

from mlcore import datasets
from mlcore.datasets import (
    load_adaboost10,
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_watermelon2,
    load_watermelon2a,
    load_watermelon3,
    load_watermelon3a,
    load_wine,
    make_blobs,
    make_circles,
    make_imbalanced,
    make_moons,
    make_ratings,
    make_sine,
    make_spirals,
    make_xor,
)

LOADERS = [getattr(datasets, name) for name in datasets.__all__ if name.startswith("load_")]
MELONS = [load_watermelon2, load_watermelon2a, load_watermelon3, load_watermelon3a]
GENERATORS = [getattr(datasets, name) for name in datasets.__all__ if name.startswith("make_")]
CLASS_GENERATORS = [make_blobs, make_moons, make_circles, make_xor, make_spirals, make_imbalanced]
SAMPLED = [*CLASS_GENERATORS, make_sine]  # those with n_samples
DATA = Path(str(files("mlcore") / "data"))

# Table 4.1 of notes D 4.2, typed in anew: the first letters of each value
WATERMELON_2 = """
青蜷浊清凹硬是 乌蜷沉清凹硬是 乌蜷浊清凹硬是 青蜷沉清凹硬是 浅蜷浊清凹硬是 青稍浊清稍软是 乌稍浊稍稍软是 乌稍浊清稍硬是
乌稍沉稍稍硬否 青硬清清平软否 浅硬清模平硬否 浅蜷浊模平软否 青稍浊稍凹硬否 浅稍沉稍凹硬否 乌稍浊清稍软否 浅蜷浊模平硬否
青蜷沉稍稍硬否
""".split()


def by_name(functions):
    return pytest.mark.parametrize("function", functions, ids=lambda function: function.__name__)


def entropy(labels, weights=None):
    """Entropy in bits, written out: -Σ p log₂ p."""
    weights = np.ones(len(labels)) if weights is None else weights
    shares = [weights[labels == label].sum() / weights.sum() for label in np.unique(labels)]
    return -sum(p * np.log2(p) for p in shares if p > 0)


def gain(values, labels):
    """Information gain of the rows whose value is known, times their share (C4.5's rule for missing values)."""
    known = np.array([value is not None for value in values])
    v, y = values[known], labels[known]
    inside = sum((v == value).mean() * entropy(y[v == value]) for value in set(v))
    return known.mean() * (entropy(y) - inside)


# ---------------------------------------------------------------------------------------------------------------
# All loaders
# ---------------------------------------------------------------------------------------------------------------
@by_name(LOADERS)
def test_every_dataset_is_complete(function):
    data = function()
    assert data.data.ndim == 2 and data.target.shape == (len(data.data),)
    assert len(data.feature_names) == data.data.shape[1] == len(set(data.feature_names))
    assert all(isinstance(name, str) and name for name in data.feature_names)
    assert data.description and data.source and data.license
    if data.target_names is not None:
        assert all(isinstance(data.target_names[label], str) for label in np.unique(data.target))
        assert len(data.target_names) == len(np.unique(data.target))
    if data.data.dtype != object:
        assert data.data.dtype == np.float64 and np.isfinite(data.data).all()


@by_name(LOADERS)
def test_changing_a_dataset_does_not_change_the_next(function):
    first, kept = function(), function()
    first.data[:] = 0
    first.target[:] = 7
    if first.target_names is not None:
        first.target_names[1] = "spoilt"
    again = function()
    assert np.array_equal(again.data, kept.data) and np.array_equal(again.target, kept.target)
    if kept.target_names is not None:
        assert again.target_names[1] == kept.target_names[1] != "spoilt"


def test_a_dataset_is_frozen_and_prints_short():
    iris = load_iris()
    assert repr(iris) == "<Dataset Iris: 150 rows, 4 features, 3 classes>"
    assert repr(load_diabetes()) == "<Dataset Diabetes: 442 rows, 10 features, regression>"
    with pytest.raises(AttributeError):
        iris.data = None


def test_names_are_indexed_by_one_label_or_by_all():
    iris, points = load_iris(), load_adaboost10()
    assert iris.target_names[2] == "virginica"
    assert iris.target_names[iris.target][[0, 50, 100]].tolist() == ["setosa", "versicolor", "virginica"]
    assert points.target_names[-1] == "negative" and points.target_names[1] == "positive"


# ---------------------------------------------------------------------------------------------------------------
# Files
# ---------------------------------------------------------------------------------------------------------------
def test_manifest_lists_every_file_with_its_hash():
    manifest = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))
    assert sorted(manifest) == sorted(path.name for path in DATA.glob("*.csv"))
    for name, entry in manifest.items():
        assert hashlib.sha256((DATA / name).read_bytes()).hexdigest() == entry["sha256"], name
        assert entry["source"] and entry["license"], name


def test_line_endings_are_kept_on_every_platform():
    assert "*.csv -text" in (DATA / ".gitattributes").read_text().splitlines()
    assert not any(b"\r" in path.read_bytes() for path in DATA.glob("*.csv"))


def test_files_can_be_made_again_from_scikit_learn():
    path = Path(__file__).parents[1] / "tools" / "vendor_datasets.py"
    spec = importlib.util.spec_from_file_location("vendor_datasets", path)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.check(json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))) == []


@pytest.fixture
def copied_data(tmp_path, monkeypatch):
    """Let the loaders read a copy of the data that a test may damage."""
    caches = (datasets._manifest, datasets._read_csv, datasets._read_numbers)
    shutil.copytree(DATA, tmp_path / "data")
    monkeypatch.setattr(datasets, "files", lambda package: tmp_path)
    for cache in caches:
        cache.cache_clear()
    yield tmp_path / "data"
    for cache in caches:
        cache.cache_clear()


def test_a_missing_file_is_named(copied_data):
    (copied_data / "iris.csv").unlink()
    with pytest.raises(FileNotFoundError, match="mlcore/data/iris.csv is missing.*git checkout"):
        load_iris()
    assert len(load_wine().data) == 178


@pytest.mark.parametrize(
    "damage",
    [lambda b: b.replace(b"5.1", b"5.2", 1), lambda b: b.replace(b"\n", b"\r\n"), lambda b: b[:99], lambda b: b""],
)
def test_a_damaged_file_is_refused(copied_data, damage):
    path = copied_data / "iris.csv"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match="mlcore/data/iris.csv is damaged: its SHA-256 is .*git checkout"):
        load_iris()


def test_a_damaged_manifest_is_refused(copied_data):
    (copied_data / "manifest.json").write_text('{"iris.csv": ')
    with pytest.raises(ValueError, match="manifest.json is damaged"):
        load_iris()


# ---------------------------------------------------------------------------------------------------------------
# Real data against scikit-learn
# ---------------------------------------------------------------------------------------------------------------
@by_name([load_iris, load_wine, load_digits, load_breast_cancer])
def test_real_data_equal_scikit_learns(function):
    ours, theirs = function(), getattr(sklearn.datasets, function.__name__)()
    assert np.array_equal(ours.data, theirs.data) and ours.data.dtype == theirs.data.dtype
    assert np.array_equal(ours.target, theirs.target) and ours.target.dtype == np.int64
    assert list(ours.feature_names) == list(theirs.feature_names)
    assert ours.target_names.tolist() == [str(name) for name in theirs.target_names]


def test_diabetes_equals_scikit_learns_scaled_and_raw():
    raw, theirs = load_diabetes(scaled=False), sklearn.datasets.load_diabetes(scaled=False)
    assert np.array_equal(raw.data, theirs.data) and np.array_equal(raw.target, theirs.target)
    scaled, theirs = load_diabetes(), sklearn.datasets.load_diabetes()
    np.testing.assert_allclose(scaled.data, theirs.data, rtol=0, atol=1e-15)
    assert np.array_equal(scaled.target, theirs.target)
    assert list(scaled.feature_names) == theirs.feature_names and scaled.target_names is None
    assert "scaled" in scaled.description and "raw" in raw.description


@pytest.mark.parametrize(
    "load, shape, counts",
    [
        (load_iris, (150, 4), {0: 50, 1: 50, 2: 50}),
        (load_wine, (178, 13), {0: 59, 1: 71, 2: 48}),
        (load_breast_cancer, (569, 30), {0: 212, 1: 357}),
        (load_digits, (1797, 64), dict(enumerate([178, 182, 177, 183, 181, 182, 181, 179, 174, 180]))),
        (load_adaboost10, (10, 2), {-1: 5, 1: 5}),
        (load_watermelon2, (17, 6), {0: 9, 1: 8}),
        (load_watermelon2a, (17, 6), {0: 9, 1: 8}),
        (load_watermelon3, (17, 8), {0: 9, 1: 8}),
        (load_watermelon3a, (17, 2), {0: 9, 1: 8}),
    ],
)
def test_shapes_and_class_counts(load, shape, counts):
    data = load()
    labels, found = np.unique(data.target, return_counts=True)
    assert data.data.shape == shape and dict(zip(labels.tolist(), found.tolist(), strict=True)) == counts


# ---------------------------------------------------------------------------------------------------------------
# AdaBoost's ten points
# ---------------------------------------------------------------------------------------------------------------
def best_stump(X, y, weights):
    """Try every stump; on ties the first feature and the lowest threshold win."""
    best = (np.inf, None)
    for column in X.T:
        values = np.sort(column)
        for threshold in (values[1:] + values[:-1]) / 2:
            for sign in (1, -1):
                predicted = np.where(column <= threshold, sign, -sign)
                error = weights[predicted != y].sum()
                if error < best[0] - 1e-12:
                    best = (error, predicted)
    return best


def test_ten_points_give_the_figures_of_notes_e():
    data = load_adaboost10()
    weights, errors = np.full(10, 0.1), []
    for _ in range(3):
        error, predicted = best_stump(data.data, data.target, weights)
        weights = np.where(predicted != data.target, weights * (1 - error) / error, weights)
        weights /= weights.sum()
        errors.append(error)
    np.testing.assert_allclose(errors, [3 / 10, 3 / 14, 3 / 22], rtol=1e-12)


# ---------------------------------------------------------------------------------------------------------------
# Watermelons
# ---------------------------------------------------------------------------------------------------------------
def test_watermelon2_is_the_table_of_notes_d():
    melons = load_watermelon2(language="zh")
    words = ["".join(value[0] for value in row) for row in melons.data]
    assert words == [row[:6] for row in WATERMELON_2]
    assert melons.target.tolist() == [int(row[6] == "是") for row in WATERMELON_2]
    assert melons.feature_names == ("色泽", "根蒂", "敲声", "纹理", "脐部", "触感")
    assert [len(set(column)) for column in melons.data.T] == [3, 3, 3, 3, 3, 2]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_watermelon2_gives_the_entropies_of_notes_d(language):
    melons = load_watermelon2(language=language)
    assert round(entropy(melons.target), 3) == 0.998
    gains = [round(gain(column, melons.target), 3) for column in melons.data.T]
    assert gains == [0.108, 0.143, 0.141, 0.381, 0.289, 0.006]


def test_watermelon2a_misses_the_right_values():
    melons, whole = load_watermelon2a(), load_watermelon2()
    missing = melons.data == None  # noqa: E711 - compares every cell
    assert missing.sum(axis=0).tolist() == [3, 2, 2, 2, 2, 2] and missing.sum() == 13
    assert np.array_equal(melons.data[~missing], whole.data[~missing])
    assert np.array_equal(melons.target, whole.target)
    gains = [round(gain(column, melons.target), 3) for column in melons.data.T]
    assert gains == [0.252, 0.171, 0.145, 0.424, 0.289, 0.006]


def test_watermelon3_holds_the_two_smaller_sets():
    both, words, numbers = load_watermelon3(), load_watermelon2(), load_watermelon3a()
    assert np.array_equal(both.data[:, :6], words.data)
    assert np.array_equal(both.data[:, 6:].astype(float), numbers.data)
    assert both.feature_names == words.feature_names + numbers.feature_names
    assert all(type(value) is float for value in both.data[:, 6:].ravel())
    assert all(type(value) is str for value in both.data[:, :6].ravel())


@pytest.mark.parametrize("column, threshold, expected", [(0, 0.3815, 0.262), (1, 0.126, 0.349)])
def test_watermelon3a_gives_the_books_best_splits(column, threshold, expected):
    melons = load_watermelon3a()
    values = np.sort(melons.data[:, column])
    middles = (values[1:] + values[:-1]) / 2
    gains = [gain((melons.data[:, column] <= t).astype(object), melons.target) for t in middles]
    assert abs(middles[np.argmax(gains)] - threshold) < 1e-12  # the book cuts 0.3815 to 0.381
    assert round(max(gains), 3) == expected


@by_name(MELONS)
def test_chinese_and_english_say_the_same(function):
    english, chinese = function(), function(language="zh")
    assert np.array_equal(english.target, chinese.target)
    assert english.target_names.tolist() == ["bad", "good"] and chinese.target_names.tolist() == ["坏瓜", "好瓜"]
    pairs = {*zip(english.feature_names, chinese.feature_names, strict=True)}
    pairs |= {*zip(english.data.ravel(), chinese.data.ravel(), strict=True)}
    translated = {pair for pair in pairs if isinstance(pair[0], str)}
    assert all(en.isascii() and not zh.isascii() for en, zh in translated)
    assert all(en == zh for en, zh in pairs - translated)  # numbers and None are no words
    assert len(translated) == len({en for en, _ in translated}) == len({zh for _, zh in translated})


def test_translation_of_single_melons():
    chinese, english = load_watermelon3(language="zh"), load_watermelon3()
    assert chinese.data[0].tolist() == ["青绿", "蜷缩", "浊响", "清晰", "凹陷", "硬滑", 0.697, 0.46]
    assert english.data[0].tolist() == ["green", "curled", "muffled", "clear", "hollow", "hard", 0.697, 0.46]
    assert english.data[6, :6].tolist() == [
        "black", "slightly curled", "muffled", "slightly blurry", "slightly hollow", "soft",
    ]
    assert english.data[10, :6].tolist() == ["white", "stiff", "crisp", "blurry", "flat", "hard"]
    assert english.data[1, 2] == "dull"


# ---------------------------------------------------------------------------------------------------------------
# All generators
# ---------------------------------------------------------------------------------------------------------------
def same(first, second):
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@by_name(GENERATORS)
def test_generators_are_reproducible(function):
    assert same(function(random_state=3), function(random_state=3))
    assert same(function(random_state=3), function(random_state=np.random.default_rng(3)))
    assert not same(function(random_state=3), function(random_state=4))
    assert not same(function(), function())
    rng = np.random.default_rng(3)
    assert not same(function(random_state=rng), function(random_state=rng))


@by_name(GENERATORS)
def test_generators_leave_the_global_state_alone(function):
    # the legacy global state is used here on purpose: it is what must stay untouched
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first = function(random_state=3)
    function()
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002
    np.random.seed(2)  # noqa: NPY002
    assert same(first, function(random_state=3))


@by_name(SAMPLED)
@given(n_samples=st.integers(1, 60), seed=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_exactly_n_samples_rows(function, n_samples, seed):
    X, y = function(n_samples, random_state=seed)
    assert len(X) == len(y) == n_samples and X.ndim == 2 and X.dtype == np.float64
    assert np.isfinite(X).all() and np.isfinite(y).all()
    assert y.dtype == (np.float64 if function is make_sine else np.int64)


@by_name([make_blobs, make_spirals])
@given(n_samples=st.integers(1, 60), n_classes=st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_class_sizes_differ_by_at_most_one(function, n_samples, n_classes):
    classes = {"centers": n_classes} if function is make_blobs else {"n_classes": n_classes}
    _, y = function(n_samples, **classes)
    counts = np.bincount(y, minlength=n_classes)
    assert len(counts) == n_classes and counts.sum() == n_samples and np.ptp(counts) <= 1


@by_name([make_moons, make_circles, make_xor])
@given(n_samples=st.integers(1, 60))
@settings(max_examples=40, deadline=None)
def test_two_classes_differ_by_at_most_one(function, n_samples):
    counts = np.bincount(function(n_samples)[1], minlength=2)
    assert counts.tolist() == [n_samples - n_samples // 2, n_samples // 2]


@by_name(CLASS_GENERATORS)
def test_rows_are_shuffled(function):
    _, y = function(400, random_state=0)
    changes = (np.diff(y) != 0).sum()
    expected = 2 * (y == 0).sum() * (y != 0).sum() / 400  # of a random order of two classes; fewer than with more
    assert changes > 0.7 * expected
    assert not same((y,), (function(400, random_state=1)[1],))


@by_name([make_moons, make_circles, make_xor, make_spirals])
def test_noise_moves_the_same_points_and_has_the_stated_size(function):
    (X, y), (blurred, labels), (twice, _) = (function(2000, noise=s, random_state=5) for s in (0.0, 0.2, 0.4))
    assert np.array_equal(y, labels)
    np.testing.assert_allclose(twice - X, 2 * (blurred - X), atol=1e-12)
    low, high = chi2.ppf([5e-7, 1 - 5e-7], X.size)  # two-sided test at level 1e-6
    assert low < ((blurred - X) ** 2).sum() / 0.2**2 < high


# ---------------------------------------------------------------------------------------------------------------
# Each generator
# ---------------------------------------------------------------------------------------------------------------
def in_order(X, y):
    """Rows sorted by label and coordinates, rounded so that equal points sort alike."""
    rows = np.column_stack([y, np.round(X, 9)]) + 0.0
    return rows[np.lexsort(rows.T[::-1])]


@pytest.mark.parametrize("n_samples", [2, 50, 200])
def test_moons_equal_scikit_learns(n_samples):
    np.testing.assert_allclose(
        in_order(*make_moons(n_samples, noise=0)), in_order(*sklearn.datasets.make_moons(n_samples)), atol=2e-9
    )


@pytest.mark.parametrize("n_samples, factor", [(2, 0.5), (50, 0.3), (200, 0.8)])
def test_circles_equal_scikit_learns(n_samples, factor):
    np.testing.assert_allclose(
        in_order(*make_circles(n_samples, noise=0, factor=factor)),
        in_order(*sklearn.datasets.make_circles(n_samples, factor=factor)),
        atol=2e-9,
    )


@given(n_samples=st.integers(1, 80))
@settings(max_examples=40, deadline=None)
def test_moons_lie_on_two_half_circles(n_samples):
    X, y = make_moons(n_samples, noise=0)
    from_center = X - np.where(y[:, np.newaxis] == 0, [0.0, 0.0], [1.0, 0.5])
    np.testing.assert_allclose(np.linalg.norm(from_center, axis=1), 1.0, atol=1e-12)
    assert (np.where(y == 0, from_center[:, 1], -from_center[:, 1]) > -1e-12).all()
    assert len(np.unique(np.round(X, 9), axis=0)) == n_samples


@given(n_samples=st.integers(1, 80), factor=st.floats(0.01, 0.99))
@settings(max_examples=60, deadline=None)
def test_circles_have_the_stated_radii(n_samples, factor):
    X, y = make_circles(n_samples, noise=0, factor=factor)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), np.where(y == 0, 1.0, factor), atol=1e-12)
    assert len(np.unique(np.round(X, 9), axis=0)) == n_samples


@given(n_samples=st.integers(1, 80), seed=st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_xor_is_labelled_by_its_signs(n_samples, seed):
    X, y = make_xor(n_samples, noise=0, random_state=seed)
    assert np.array_equal(y, np.logical_xor(X[:, 0] > 0, X[:, 1] > 0))
    assert (X != 0).all() and (np.abs(X) <= 1).all()
    quadrants = np.bincount((X[:, 0] > 0) * 2 + (X[:, 1] > 0), minlength=4)
    assert np.ptp(quadrants) <= 1


class ZeroGenerator(np.random.Generator):
    """A generator whose uniform numbers are all 0, the one value that rng.random() may return at its bound."""

    def random(self, size):
        return np.zeros(size)


def test_no_xor_point_falls_on_an_axis():
    X, y = make_xor(40, noise=0, random_state=ZeroGenerator(np.random.PCG64(0)))
    assert (X != 0).all() and np.array_equal(y, np.logical_xor(X[:, 0] > 0, X[:, 1] > 0))


@given(n_samples=st.integers(1, 80), n_classes=st.integers(1, 5), turns=st.floats(0.1, 4))
@settings(max_examples=60, deadline=None)
def test_spirals_lie_on_their_arms(n_samples, n_classes, turns):
    X, y = make_spirals(n_samples, n_classes=n_classes, noise=0, turns=turns)
    radius = np.hypot(*X.T)
    direction = np.exp(2j * np.pi * (turns * radius + y / n_classes))
    np.testing.assert_allclose(X @ [1, 1j], radius * direction, atol=1e-9)
    assert radius.min() > 0
    for label in np.unique(y):
        np.testing.assert_allclose(radius[y == label].max(), 1.0, rtol=1e-12)


def test_spiral_points_are_about_evenly_spaced_and_arms_apart():
    X, y = make_spirals(400, noise=0, turns=1.5)
    arm = X[y == 0][np.argsort(np.hypot(*X[y == 0].T))]
    steps = np.linalg.norm(np.diff(arm, axis=0), axis=1)[20:]
    assert steps.max() / steps.min() < 1.1
    far = np.hypot(*X.T) > 0.4
    other = np.linalg.norm(X[far & (y == 0)][:, np.newaxis] - X[y == 1], axis=2).min(axis=1)
    assert (other > 0.9 / (1.5 * 2)).all()


def test_sine_without_noise_is_the_curve():
    X, y = make_sine(11, noise=0)
    np.testing.assert_allclose(np.sort(X.ravel()), np.arange(11) / 10, atol=1e-15)
    np.testing.assert_allclose(y, np.sin(2 * np.pi * X.ravel()), atol=1e-15)
    X, _ = make_sine(5, x_range=(-1, 3))
    assert np.sort(X.ravel()).tolist() == [-1, 0, 1, 2, 3]
    assert make_sine(1, noise=0, x_range=np.array([0.25, 1]))[1].tolist() == [1.0]


def test_sine_rows_are_shuffled_and_noise_moves_the_same_points():
    (X, y), (same_X, noisy), (_, noisier) = (make_sine(100, noise=s, random_state=0) for s in (0, 0.1, 0.2))
    rises = (np.diff(X.ravel()) > 0).sum()
    assert 30 < rises < 70 and np.array_equal(X, same_X)  # 49.5 expected, standard deviation 2.9
    np.testing.assert_allclose(noisier - y, 2 * (noisy - y), atol=1e-12)


def test_sine_noise_has_the_stated_size():
    X, y = make_sine(2000, noise=0.3, random_state=0)
    low, high = chi2.ppf([5e-7, 1 - 5e-7], 2000)  # two-sided test at level 1e-6
    assert low < ((y - np.sin(2 * np.pi * X.ravel())) ** 2).sum() / 0.3**2 < high


@pytest.mark.parametrize("x_range", [(1, 0), (1, 1), (0,), (0, 1, 2), 3, None, (0, np.inf), (np.nan, 1), ("a", "b")])
def test_wrong_x_range_is_refused(x_range):
    with pytest.raises(ValueError, match="x_range"):
        make_sine(x_range=x_range)


def test_blobs_lie_round_the_given_centers():
    centers = np.array([[0, 0, 0], [10, 0, 5], [-3, 8, 1], [4, 4, 4]])
    X, y = make_blobs(8000, centers=centers, cluster_std=[0.5, 1.0, 0.0, 2.0], random_state=0)
    for label, std in enumerate([0.5, 1.0, 0.0, 2.0]):
        cloud = X[y == label]
        z = (cloud.mean(axis=0) - centers[label]) * np.sqrt(len(cloud))
        assert (np.abs(z) <= 5.5 * std).all()  # |z| > 5.5 has probability 4e-8
        np.testing.assert_allclose(cloud.std(axis=0), std, rtol=0.08)
    off_diagonal = np.corrcoef(X[y == 1].T)[np.triu_indices(3, 1)]
    assert (np.abs(off_diagonal) < 5.5 / np.sqrt(2000)).all()


def test_blobs_draw_centers_and_keep_them_when_the_spread_changes():
    tight, y = make_blobs(60, centers=4, n_features=5, cluster_std=0, random_state=1)
    wide, labels = make_blobs(60, centers=4, n_features=5, cluster_std=1, random_state=1)
    assert tight.shape == (60, 5) and np.array_equal(y, labels)
    centers = np.unique(tight, axis=0)
    assert centers.shape == (4, 5) and (np.abs(centers) <= 10).all()
    assert not np.array_equal(tight, wide)


def test_blobs_do_not_change_or_share_the_centers_given():
    centers = np.zeros((2, 2))
    X, _ = make_blobs(10, centers=centers, cluster_std=0)
    X += 1
    assert (centers == 0).all()


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"centers": 0}, "centers must be a whole number >= 1"),
        ({"centers": -2}, "centers must be a whole number >= 1"),
        ({"centers": 2.0}, "centers must be a whole number >= 1"),
        ({"centers": None}, "centers"),
        ({"centers": [1.0, 2.0]}, r"Expected 2D array.*centers"),
        ({"centers": [[0, 1], [2]]}, "centers is ragged"),
        ({"centers": np.zeros((0, 2))}, "0 sample.*centers"),
        ({"centers": [[0, np.nan]]}, "centers contains NaN"),
        ({"centers": [[0, 1, 2]], "n_features": 2}, "centers has 3 columns, but n_features is 2"),
        ({"n_features": 0}, "n_features must be a whole number >= 1"),
        ({"centers": [[0, 1]], "n_features": 2.0}, "n_features must be a whole number >= 1"),
        ({"cluster_std": -1}, "cluster_std must be a number in"),
        ({"cluster_std": None}, "cluster_std must be a number in"),
        ({"cluster_std": [1, 2]}, "one for each of the 3 centers, got 2"),
        ({"cluster_std": []}, "one for each of the 3 centers, got 0"),
        ({"cluster_std": [1, 2, np.nan]}, "cluster_std must be a number in"),
    ],
)
def test_wrong_blobs_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        make_blobs(**wrong)


# ---------------------------------------------------------------------------------------------------------------
# Ratings
# ---------------------------------------------------------------------------------------------------------------
def as_table(X, y, shape):
    table = np.full(shape, np.nan)
    table[X[:, 0], X[:, 1]] = y
    return table


@pytest.mark.parametrize("n_factors", [1, 2, 5])
def test_ratings_have_rank_n_factors_without_noise(n_factors):
    X, y = make_ratings(30, 20, n_factors=n_factors, density=1, noise=0, random_state=0)
    table = as_table(X, y, (30, 20))
    assert not np.isnan(table).any()
    singular = np.linalg.svd(table, compute_uv=False)
    assert singular[n_factors - 1] > 1e-3 * singular[0] and singular[n_factors] < 1e-12 * singular[0]
    assert y.min() >= 1 and y.max() <= 5


@given(
    n_users=st.integers(1, 15), n_items=st.integers(1, 15), n_factors=st.integers(1, 4),
    density=st.floats(0.001, 1), seed=st.integers(0, 99),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_ratings_cover_users_and_items_without_repeating(n_users, n_items, n_factors, density, seed):
    X, y = make_ratings(n_users, n_items, n_factors=n_factors, density=density, random_state=seed)
    n_ratings = max(1, round(density * n_users * n_items))
    assert X.shape == (n_ratings, 2) and X.dtype == np.int64 and y.shape == (n_ratings,)
    assert (X >= 0).all() and (X < [n_users, n_items]).all() and np.isfinite(y).all()
    assert len(np.unique(X, axis=0)) == n_ratings
    seen_users, seen_items = (len(np.unique(column)) for column in X.T)
    assert seen_users == min(n_users, n_ratings) and seen_items == min(n_items, n_ratings)


def test_denser_ratings_hold_the_sparser_ones_and_the_truth_is_known():
    shape = (25, 40)
    few, more = (as_table(*make_ratings(*shape, density=d, random_state=2), shape) for d in (0.1, 0.4))
    seen = ~np.isnan(few)
    assert seen.sum() == 100 and (~np.isnan(more)).sum() == 400
    assert np.array_equal(few[seen], more[seen])
    truth = as_table(*make_ratings(*shape, density=1, noise=0, random_state=2), shape)
    noisy = as_table(*make_ratings(*shape, density=1, noise=0.3, random_state=2), shape)
    low, high = chi2.ppf([5e-7, 1 - 5e-7], 1000)  # two-sided test at level 1e-6
    assert low < ((noisy - truth) ** 2).sum() / 0.3**2 < high
    assert np.array_equal(noisy[seen], few[seen])


def test_ratings_are_spread_evenly_over_the_table():
    counts = np.zeros((6, 9))
    for seed in range(400):
        X, _ = make_ratings(6, 9, density=0.5, random_state=seed)
        counts[X[:, 0], X[:, 1]] += 1
    # each cell is seen in half of the tables: a binomial(400, ½) count; |z| > 5.5 has probability 4e-8
    assert (np.abs(counts - 200) < 5.5 * 10).all()


def test_ratings_come_in_random_order():
    X, _ = make_ratings(50, 50, density=0.2, random_state=0)
    first = X[:50]
    assert len(np.unique(first[:, 0])) < 50 and not (np.diff(X[:, 0]) >= 0).all()


# ---------------------------------------------------------------------------------------------------------------
# Imbalanced classes
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "n_samples, ratio, minority",
    [(1000, 2 / 998, 2), (110, 0.1, 10), (100, 1, 50), (101, 1, 50), (3, 1, 1), (2, 1e-9, 1), (1, 0.5, 0)],
)
def test_minority_has_the_stated_size(n_samples, ratio, minority):
    _, y = make_imbalanced(n_samples, ratio=ratio)
    assert (y == 1).sum() == minority and (y == 0).sum() == n_samples - minority


@given(n_samples=st.integers(1, 300), ratio=st.floats(0.001, 1))
@settings(max_examples=100, deadline=None)
def test_minority_is_never_the_majority(n_samples, ratio):
    _, y = make_imbalanced(n_samples, ratio=ratio)
    assert (y == 1).sum() <= (y == 0).sum() and ((y == 1).any() or n_samples == 1)
    assert abs((y == 1).sum() - n_samples * ratio / (1 + ratio)) <= 1


@pytest.mark.parametrize("n_features, class_sep", [(1, 0.0), (2, 2.0), (7, 1.0)])
def test_imbalanced_classes_are_as_far_apart_as_stated(n_features, class_sep):
    X, y = make_imbalanced(6000, ratio=0.5, n_features=n_features, class_sep=class_sep, random_state=0)
    auc = roc_auc_score(y, X.sum(axis=1))
    assert abs(auc - norm.cdf(class_sep / np.sqrt(2))) < 0.03  # more than 4 standard errors
    np.testing.assert_allclose(X[y == 0].std(axis=0), 1.0, atol=0.06)
    np.testing.assert_allclose(X[y == 1].std(axis=0), 1.0, atol=0.06)


@pytest.mark.parametrize("scaled", ["no", None, 1, 0.0])
def test_scaled_must_be_a_flag(scaled):
    with pytest.raises(ValueError, match="scaled must be True or False"):
        load_diabetes(scaled=scaled)
