"""Data of the course: small real data sets with their provenance, and generators of artificial ones.

Loaders return a :class:`Dataset`. The files lie in ``mlcore/data``; ``manifest.json`` beside them records where each
comes from, its licence and its SHA-256, which is compared when a file is first read.

Generators return ``(X, y)`` with exactly ``n_samples`` rows in random order. They draw the same random numbers
whatever ``noise`` (or ``cluster_std``, ``class_sep``, ``density``) is: with the same ``random_state``, a slider on
the noise moves the same points farther out instead of drawing new ones.
"""

import csv
import functools
import hashlib
import json
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from mlcore.base import (
    FARTHEST,
    anything,
    check_array,
    check_int,
    check_real,
    choice,
    door,
    flag,
    real,
    seed,
    whole,
)

__all__ = [
    "Dataset", "draw_landscape", "load_adaboost10", "load_breast_cancer", "load_diabetes", "load_digits", "load_iris",
    "load_watermelon2", "load_watermelon2a", "load_watermelon3", "load_watermelon3a", "load_wine", "make_blobs",
    "make_circles", "make_imbalanced", "make_moons", "make_ratings", "make_sine", "make_spirals", "make_xor",
]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A data set and where it comes from. Every call of a loader makes a new one: change its arrays as you like.

    Attributes
    ----------
    data : ndarray of shape (n_samples, n_features)
        float64; an object array where columns hold strings (a missing value is None).
    target : ndarray of shape (n_samples,)
        int class labels, or float64 values to predict.
    feature_names : tuple of str
        Names of the columns of ``data``.
    target_names : ndarray of str (dtype object), dict or None
        ``target_names[label]`` is the name of a class: an array for the labels 0, 1, 2, ..., so that
        ``target_names[target]`` names every row; a dict for the labels -1 and +1; None in regression.
    description, source, license : str
        What the rows and columns are; who made the data, and what was changed since; what its licence is.
    """

    data: np.ndarray
    target: np.ndarray
    feature_names: tuple[str, ...]
    target_names: np.ndarray | dict[int, str] | None
    description: str
    source: str
    license: str

    def __repr__(self):
        rows, columns = self.data.shape
        kind = "regression" if self.target_names is None else f"{len(self.target_names)} classes"
        return f"<Dataset {self.description.partition(':')[0]}: {rows} rows, {columns} features, {kind}>"


# ---------------------------------------------------------------------------------------------------------------
# Files
# ---------------------------------------------------------------------------------------------------------------
_RESTORE = "The data files are part of the course: restore them with 'git checkout -- mlcore/data', or install anew."


def _read_bytes(name):
    """Return the content of a file in ``mlcore/data``, or say that it is missing."""
    try:
        return (files("mlcore") / "data" / name).read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileNotFoundError(f"mlcore/data/{name} is missing. {_RESTORE}") from error


@functools.cache
def _manifest():
    """Source, licence and SHA-256 of every file, by file name."""
    try:
        return json.loads(_read_bytes("manifest.json"))
    except ValueError as error:
        raise ValueError(f"mlcore/data/manifest.json is damaged ({error}). {_RESTORE}") from error


@functools.cache
def _read_csv(name):
    """Return the header and the rows of a CSV file, as tuples of strings, once its SHA-256 is found right."""
    content = _read_bytes(name)
    expected, found = _manifest()[name]["sha256"], hashlib.sha256(content).hexdigest()
    if found != expected:
        raise ValueError(f"mlcore/data/{name} is damaged: its SHA-256 is {found}, not {expected}. {_RESTORE}")
    header, *rows = map(tuple, csv.reader(content.decode("utf-8").splitlines()))
    return header, rows


@functools.cache
def _read_numbers(name):
    """Return the column names and the numbers of a CSV file that holds only numbers."""
    header, rows = _read_csv(name)
    numbers = np.array(rows, dtype=np.float64)
    numbers.flags.writeable = False  # shared between calls: loaders hand out copies
    return header, numbers


def _provenance(name):
    entry = _manifest()[name]
    return {"source": entry["source"], "license": entry["license"]}


def _names(words):
    """Names as an array of Python strings, which labels can index one by one or all together."""
    return np.array(words, dtype=object)


def _numeric_dataset(name, class_names, description):
    """Make a Dataset from a file of numbers whose last column is a class label."""
    header, numbers = _read_numbers(name)
    target = numbers[:, -1].astype(int)
    return Dataset(numbers[:, :-1].copy(), target, header[:-1], class_names, description, **_provenance(name))


# ---------------------------------------------------------------------------------------------------------------
# Watermelons
# ---------------------------------------------------------------------------------------------------------------
_ENGLISH = {
    "色泽": "color", "青绿": "green", "乌黑": "black", "浅白": "white",
    "根蒂": "root", "蜷缩": "curled", "稍蜷": "slightly curled", "硬挺": "stiff",
    "敲声": "sound", "浊响": "muffled", "沉闷": "dull", "清脆": "crisp",
    "纹理": "texture", "清晰": "clear", "稍糊": "slightly blurry", "模糊": "blurry",
    "脐部": "umbilicus", "凹陷": "hollow", "稍凹": "slightly hollow", "平坦": "flat",
    "触感": "touch", "硬滑": "hard", "软粘": "soft",
    "密度": "density", "含糖率": "sugar",
    "坏瓜": "bad", "好瓜": "good",
}  # fmt: skip
_CATEGORICAL = ("色泽", "根蒂", "敲声", "纹理", "脐部", "触感")
_NUMERIC = ("密度", "含糖率")


def _melon_cell(column, text, say):
    """Turn one cell of a watermelon table into a number, a word in the wanted language, or None if it is empty."""
    if not text:
        return None
    return float(text) if column in _NUMERIC else say(text)


def _watermelon_dataset(name, columns, language, description):
    """Make a Dataset from some columns of a watermelon table, in English or in Chinese."""
    say = _ENGLISH.__getitem__ if language == "en" else str
    header, rows = _read_csv(name)
    where = [header.index(column) for column in columns]
    data = np.array([[_melon_cell(header[j], row[j], say) for j in where] for row in rows], dtype=object)
    return Dataset(
        data=data if set(columns) - set(_NUMERIC) else data.astype(np.float64),
        target=np.array([row[header.index("好瓜")] == "是" for row in rows], dtype=int),
        feature_names=tuple(map(say, columns)),
        target_names=_names([say("坏瓜"), say("好瓜")]),
        description=description,
        **_provenance(name),
    )


_LANGUAGE = choice(
    "en", ("en", "zh"), "Language of the values and names. The order of rows and columns is the same in both."
)


@door(language=_LANGUAGE)
def load_watermelon2(*, language="en"):
    """Watermelon data set 2.0 (西瓜数据集2.0): 17 melons, six categorical attributes, 8 good and 9 bad.

    Returns
    -------
    Dataset
        ``data`` (17, 6), an object array of strings; ``target`` 1 = good, 0 = bad. Row i is melon number i + 1.

    Notes D 4.2, table 4.1.
    """
    description = "Watermelon 2.0: 17 melons, six things seen, heard or felt from outside; is the melon good?"
    return _watermelon_dataset("watermelon3.csv", _CATEGORICAL, language, description)


@door(language=_LANGUAGE)
def load_watermelon2a(*, language="en"):
    """Watermelon data set 2.0α (西瓜数据集2.0α): data set 2.0 with 13 values missing (None).

    Zhou Zhihua, 《机器学习》 (2016), section 4.4.2.
    """
    description = "Watermelon 2.0α: data set 2.0 with 13 of its 102 values missing; is the melon good?"
    return _watermelon_dataset("watermelon2a_missing.csv", _CATEGORICAL, language, description)


@door(language=_LANGUAGE)
def load_watermelon3(*, language="en"):
    """Watermelon data set 3.0 (西瓜数据集3.0): data set 2.0 with two measured attributes, density and sugar.

    Returns
    -------
    Dataset
        ``data`` (17, 8), an object array: six columns of strings, then density and sugar content as floats
        (both shares, in [0, 1]); ``target`` 1 = good, 0 = bad. Row i is melon number i + 1.

    Zhou Zhihua, 《机器学习》 (2016), section 4.4.1.
    """
    description = "Watermelon 3.0: data set 2.0 with density and sugar content measured too; is the melon good?"
    return _watermelon_dataset("watermelon3.csv", _CATEGORICAL + _NUMERIC, language, description)


@door(language=_LANGUAGE)
def load_watermelon3a(*, language="en"):
    """Watermelon data set 3.0α (西瓜数据集3.0α): density and sugar alone, so that it can be drawn.

    Returns
    -------
    Dataset
        ``data`` (17, 2), floats in [0, 1]; ``target`` 1 = good, 0 = bad. Row i is melon number i + 1.

    Notes E, Bagging.
    """
    description = "Watermelon 3.0α: density and sugar content of the same 17 melons; is the melon good?"
    return _watermelon_dataset("watermelon3.csv", _NUMERIC, language, description)


# ---------------------------------------------------------------------------------------------------------------
# Data sets of numbers
# ---------------------------------------------------------------------------------------------------------------
def load_adaboost10():
    """Ten points in the plane on which three rounds of AdaBoost with stumps make the errors 3/10, 3/14, 3/22.

    Returns
    -------
    Dataset
        ``data`` (10, 2); ``target`` +1 or -1, five of each.

    Notes E, AdaBoost.
    """
    description = "AdaBoost's ten points: five labelled +1 and five -1, which no single stump separates"
    return _numeric_dataset("adaboost10.csv", {-1: "negative", 1: "positive"}, description)


def load_iris():
    """Fisher's irises: 150 flowers of three species, sepals and petals measured in centimetres.

    Returns
    -------
    Dataset
        ``data`` (150, 4); ``target`` 0 = setosa, 1 = versicolor, 2 = virginica, 50 of each.

    Fisher (1936), The use of multiple measurements in taxonomic problems.
    """
    description = "Iris: 150 flowers, length and width of sepals and petals in cm; which of three species?"
    return _numeric_dataset("iris.csv", _names(["setosa", "versicolor", "virginica"]), description)


def load_wine():
    """Wines of one Italian region: 178 wines from three cultivars, 13 results of a chemical analysis.

    Returns
    -------
    Dataset
        ``data`` (178, 13), columns in very different units; ``target`` 0, 1, 2 (59, 71 and 48 wines).

    Aeberhard and Forina (1992), Wine, UCI Machine Learning Repository.
    """
    description = "Wine: 178 wines, 13 chemical measures in very different units; which of three cultivars?"
    return _numeric_dataset("wine.csv", _names(["class_0", "class_1", "class_2"]), description)


def load_digits():
    """Handwritten digits: 1797 pictures of 8 x 8 pixels.

    Returns
    -------
    Dataset
        ``data`` (1797, 64), whole numbers from 0 (paper) to 16 (ink) as floats, row by row of the picture:
        ``data.reshape(-1, 8, 8)`` gives the pictures; ``target`` the digit, 0 to 9.

    Alpaydin and Kaynak (1998), Optical Recognition of Handwritten Digits, UCI Machine Learning Repository.
    """
    description = "Digits: 1797 handwritten digits, 8 x 8 pixels from 0 (paper) to 16 (ink); which digit?"
    return _numeric_dataset("digits.csv", _names([str(digit) for digit in range(10)]), description)


def load_breast_cancer():
    """Breast tumours in Wisconsin: 569 tumours, 30 measures of their cell nuclei.

    Returns
    -------
    Dataset
        ``data`` (569, 30): mean, standard error and worst value of ten measures; ``target`` 0 = malignant (212),
        1 = benign (357), as scikit-learn has it: mind which class you call positive.

    Wolberg, Mangasarian, Street and Street (1993), Breast Cancer Wisconsin (Diagnostic), UCI.
    """
    description = "Breast cancer: 569 tumours, 30 measures of their cell nuclei; malignant (0) or benign (1)?"
    return _numeric_dataset("breast_cancer.csv", _names(["malignant", "benign"]), description)


@door(scaled=flag(
    True,
    "True gives the columns as scikit-learn does by default: x' = (x - mean) / ‖x - mean‖₂, so each has mean 0\n"
    "and sum of squares 1. False gives the raw values (age in years, sex coded 1 and 2, body mass index in kg/m²,\n"
    "mean blood pressure, six blood serum measures). The target is never scaled.",
))  # fmt: skip
def load_diabetes(*, scaled=True):
    """Progress of diabetes: 442 patients, ten measures, and how far the disease went in the year after.

    Returns
    -------
    Dataset
        ``data`` (442, 10); ``target`` a measure of progress, 25 to 346; no ``target_names``.

    Efron, Hastie, Johnstone and Tibshirani (2004), Least Angle Regression.
    """
    header, numbers = _read_numbers("diabetes.csv")
    data, target = numbers[:, :-1].copy(), numbers[:, -1].copy()
    if scaled:
        data -= data.mean(axis=0)
        data /= np.linalg.norm(data, axis=0)
    columns = "centred and scaled to sum of squares 1" if scaled else "in raw values"
    description = f"Diabetes: 442 patients, ten measures ({columns}); how far does the disease go within a year?"
    return Dataset(data, target, header[:-1], None, description, **_provenance("diabetes.csv"))


# ---------------------------------------------------------------------------------------------------------------
# Generators
# ---------------------------------------------------------------------------------------------------------------
def _rows(default, says="Rows in all."):
    return whole(default, says, low=1)


def _noise(default, says="Standard deviation of the Gaussian noise on every coordinate."):
    return real(default, says, low=0.0, hidden_high=FARTHEST)


def _class_sizes(n_samples, n_classes):
    """Share rows out so that sizes differ by at most 1; the first classes get the rows left over."""
    return n_samples // n_classes + (np.arange(n_classes) < n_samples % n_classes)


def _balanced_labels(n_samples, n_classes):
    """Labels 0, ..., n_classes - 1 in order, and the position of each row in its class and the class's size."""
    sizes = _class_sizes(n_samples, n_classes)
    position = np.concatenate([np.arange(size) for size in sizes])
    return np.repeat(np.arange(n_classes), sizes), position, np.repeat(sizes, sizes)


def _blurred_and_shuffled(rng, X, y, noise):
    """Add Gaussian noise to every coordinate and bring the rows into random order."""
    X = _blurred(rng, X, noise)
    order = rng.permutation(len(X))
    return X[order], y[order]


def _blurred(rng, values, noise):
    """Add Gaussian noise."""
    return values + noise * rng.standard_normal(np.shape(values))


def _check_centers(centers, n_features, rng):
    """Return the centres as an array: the given one, or ``centers`` random points in the cube [-10, 10]ᵈ."""
    if np.isscalar(centers):
        n_centers = check_int("centers", centers, low=1)
        return rng.uniform(-10.0, 10.0, size=(n_centers, 2 if n_features is None else n_features))
    centers = check_array(centers, name="centers")
    if n_features not in (None, centers.shape[1]):
        raise ValueError(
            f"centers has {centers.shape[1]} columns, but n_features is {n_features}: make them equal, or leave it out"
        )
    return centers


def _check_cluster_std(cluster_std, n_centers):
    """Return one standard deviation for each centre."""
    stds = np.ravel(np.asarray(cluster_std, dtype=object))
    if len(stds) not in (1, n_centers):
        raise ValueError(
            f"cluster_std must be one number or one for each of the {n_centers} centers, got {len(stds)} numbers"
        )
    stds = [check_real("cluster_std", std, low=0.0, high=FARTHEST) for std in stds]
    return np.broadcast_to(np.array(stds), n_centers)


@door(
    n_samples=_rows(300, "Rows in all; class sizes differ by at most 1."),
    centers=anything(
        3, "int >= 1 or array of shape (n_centers, n_features)",
        "The centres, or how many to draw uniformly from the cube [-10, 10]ᵈ.",
    ),
    n_features=whole(None, "2, or the width of ``centers``, if left out.", low=1),
    cluster_std=anything(1.0, "float >= 0 or one for each centre", "Standard deviation of every coordinate."),
    random_state=seed(),
)
def make_blobs(n_samples=300, *, centers=3, n_features=None, cluster_std=1.0, random_state=None):
    """Draw round Gaussian clouds, x | y = k ~ N(center_k, std_k² I).

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Number of the centre.

    Raises
    ------
    ValueError
        If the shapes of ``centers``, ``n_features`` and ``cluster_std`` disagree.
    """
    centers = _check_centers(centers, n_features, random_state)
    stds = _check_cluster_std(cluster_std, len(centers))
    y, _, _ = _balanced_labels(n_samples, len(centers))
    return _blurred_and_shuffled(random_state, centers[y], y, stds[y, np.newaxis])


@door(height=whole(96, "Pixels from top to bottom.", low=8), width=whole(144, "Pixels from left to right.", low=8))
def draw_landscape(height=96, width=144):
    """Draw a landscape: an evening sky with a sun, its light on a lake, two chains of hills. The same on every call.

    Returns
    -------
    uint8 ndarray of shape (height, width, 3)
        Red, green and blue from 0 to 255.
    """
    y, x = np.mgrid[0 : height - 1 : height * 1j, 0 : width - 1 : width * 1j]
    y, x = y / (height - 1), x / (width - 1) * 1.5
    evening, night = np.array([250, 176, 92]), np.array([52, 72, 138])
    share = np.clip(y / 0.62, 0, 1)[..., np.newaxis]
    picture = share * evening + (1 - share) * night
    away = np.hypot(x - 1.02, y - 0.42)
    glow = np.exp(-((away / 0.28) ** 2))[..., np.newaxis]
    picture = picture + 0.6 * glow * (np.array([255, 226, 150]) - picture)
    picture[away < 0.085] = [255, 238, 190]
    ridges = (0.50 + 0.05 * np.sin(5.1 * x + 0.6) + 0.02 * np.sin(13 * x), 0.57 + 0.04 * np.sin(3.3 * x + 2.4))
    for ridge, color in zip(ridges, ([96, 84, 124], [48, 62, 72]), strict=True):
        below = y > ridge
        picture[below] = np.array(color) + 40 * (y - ridge)[below][:, np.newaxis]
    lake = y > 0.66
    depth = ((y - 0.66) / 0.34)[..., np.newaxis]
    water = (1 - depth) * np.array([214, 150, 108]) + depth * np.array([28, 50, 92])
    path = np.exp(-(((x - 1.02) / (0.05 + 0.16 * (y - 0.66))) ** 2)) * (0.6 + 0.4 * np.sin(90 * y + 9 * x))
    water = water + 0.7 * path[..., np.newaxis] * (np.array([255, 224, 160]) - water)
    return np.round(np.where(lake[..., np.newaxis], water, picture)).clip(0, 255).astype(np.uint8)


@door(n_samples=_rows(200, "Rows in all; an odd row goes to class 0."), noise=_noise(0.1), random_state=seed())
def make_moons(n_samples=200, *, noise=0.1, random_state=None):
    """Draw two interleaved half circles of radius 1, evenly filled.

    Class 0 is the upper one, (cos t, sin t); class 1 the lower one, (1 - cos t, ½ - sin t); t in [0, π].

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
        0 or 1.
    """
    y, position, size = _balanced_labels(n_samples, 2)
    t = np.pi * position / np.maximum(size - 1, 1)
    upper, lower = np.column_stack([np.cos(t), np.sin(t)]), np.column_stack([1 - np.cos(t), 0.5 - np.sin(t)])
    return _blurred_and_shuffled(random_state, np.where(y[:, np.newaxis] == 0, upper, lower), y, noise)


@door(
    n_samples=_rows(200, "Rows in all; an odd row goes to class 0."),
    noise=_noise(0.05),
    factor=real(0.5, "Radius of the inner circle.", low=0.0, high=1.0, low_open=True, high_open=True),
    random_state=seed(),
)
def make_circles(n_samples=200, *, noise=0.05, factor=0.5, random_state=None):
    """Draw a circle inside another, both centred at 0 and evenly filled.

    Class 0 is the outer one, of radius 1; class 1 the inner one, of radius ``factor``.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
        0 or 1.
    """
    y, position, size = _balanced_labels(n_samples, 2)
    angle = 2 * np.pi * position / size
    radius = np.where(y == 0, 1.0, factor)[:, np.newaxis]
    return _blurred_and_shuffled(random_state, radius * np.column_stack([np.cos(angle), np.sin(angle)]), y, noise)


@door(n_samples=_rows(200), noise=_noise(0.1), random_state=seed())
def make_xor(n_samples=200, *, noise=0.1, random_state=None):
    """Draw points in the square [-1, 1]², labelled by the exclusive or of their signs.

    y = 1 where exactly one coordinate is positive. The four quadrants get equally many rows (differing by at most
    1), so neither coordinate alone tells anything about y. Noise is added after labelling.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
        0 or 1.
    """
    quadrant = np.arange(n_samples) % 4  # counter-clockwise from (+, +): labels 0, 1, 0, 1
    signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])[quadrant]
    distance = 1.0 - random_state.random((n_samples, 2))  # in (0, 1]: no point lies on an axis
    return _blurred_and_shuffled(random_state, signs * distance, quadrant % 2, noise)


@door(
    n_samples=_rows(300, "Rows in all; class sizes differ by at most 1."),
    n_classes=whole(2, "Number of arms.", low=1),
    noise=_noise(0.03),
    turns=real(1.0, "How often an arm winds round 0.", low=0.0, high=1e9, low_open=True),
    random_state=seed(),
)
def make_spirals(n_samples=300, *, n_classes=2, noise=0.03, turns=1.0, random_state=None):
    """Draw the arms of a spiral that start near 0 and end on the unit circle, one class an arm.

    Arm k is the curve r (cos φ, sin φ) with φ = 2π (turns · r + k / n_classes), r in (0, 1]. The i-th of its m points
    has r = √(i/m), which spaces them about evenly along the arm. Neighbouring arms are 1 / (turns · n_classes)
    apart: noise far below half of that keeps them separate.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
        0, ..., n_classes - 1.
    """
    y, position, size = _balanced_labels(n_samples, n_classes)
    radius = np.sqrt((position + 1) / size)
    angle = 2 * np.pi * (turns * radius + y / n_classes)
    X = radius[:, np.newaxis] * np.column_stack([np.cos(angle), np.sin(angle)])
    return _blurred_and_shuffled(random_state, X, y, noise)


@door(
    n_samples=_rows(30),
    noise=_noise(0.3, "Standard deviation of ε."),
    x_range=anything((0.0, 1.0), "pair (low, high) with low < high", "Where the x begin and end."),
    random_state=seed(),
)
def make_sine(n_samples=30, *, noise=0.3, x_range=(0.0, 1.0), random_state=None):
    """Draw the curve that every over-fitting story starts with: y = sin 2πx + ε, ε ~ N(0, noise²).

    The x are evenly spaced over ``x_range``, both ends included. Rows are in random order, so the first m rows of a
    large sample are m points at random places.

    Returns
    -------
    X : ndarray of shape (n_samples, 1)
    y : ndarray of shape (n_samples,)

    Notes B, 线性回归 (under- and over-fitting).
    """
    if np.shape(x_range) != (2,):
        raise ValueError(f"x_range must be a pair (low, high), got {x_range!r}")
    low = check_real("the low end of x_range", x_range[0])
    high = check_real("the high end of x_range", x_range[1], low=low, low_open=True)
    x = random_state.permutation(np.linspace(low, high, n_samples))
    return x[:, np.newaxis], _blurred(random_state, np.sin(2 * np.pi * x), noise)


def _observed_cells(rng, n_users, n_items):
    """Order all cells of the rating table at random, such that the first max(n_users, n_items) meet everyone."""
    step = np.arange(max(n_users, n_items))
    users, items = rng.permutation(n_users)[step % n_users], rng.permutation(n_items)[step % n_items]
    first = users * n_items + items
    rest = np.setdiff1d(np.arange(n_users * n_items), first)
    return np.concatenate([first, rng.permutation(rest)])


@door(
    n_users=_rows(60, "Rows of the table."),
    n_items=_rows(40, "Columns of the table."),
    n_factors=whole(3, "How many tastes.", low=1),
    density=real(
        0.3,
        "Share of the table that is seen: round(density · n_users · n_items) ratings, at least 1. With\n"
        "max(n_users, n_items) ratings or more, every user and every item has one.",
        low=0.0, high=1.0, low_open=True,
    ),
    noise=_noise(0.3, "Standard deviation of ε."),
    random_state=seed(
        "With the same int, ``density=1, noise=0`` gives the whole true table of the same users and items, and a\n"
        "larger density the same ratings and more."
    ),
)
def make_ratings(n_users=60, n_items=40, *, n_factors=3, density=0.3, noise=0.3, random_state=None):
    """Draw some ratings of a table in which users with mixed tastes rate items: R = T W + ε.

    There are ``n_factors`` tastes. Row u of T says how user u mixes them (shares that sum to 1); W says how many
    stars, from 1 to 5, each taste gives each item. So R without noise has rank ``n_factors`` (at most the number of
    users or items) and values in [1, 5]; noise, ε ~ N(0, noise²), may pass these bounds.

    Returns
    -------
    X : ndarray of int64, shape (n_ratings, 2)
        Pairs (user, item), counted from 0; no pair comes twice.
    y : ndarray of shape (n_ratings,)
        Ratings.

    Notes C 8.
    """
    rng = random_state
    tastes = rng.dirichlet(np.full(n_factors, 0.5), size=n_users)
    worth = rng.uniform(1.0, 5.0, size=(n_factors, n_items))
    table = _blurred(rng, tastes @ worth, noise)
    n_ratings = max(1, round(density * n_users * n_items))
    cells = rng.permutation(_observed_cells(rng, n_users, n_items)[:n_ratings])
    return np.column_stack(np.divmod(cells, n_items)), table.ravel()[cells]


@door(
    n_samples=_rows(500),
    ratio=real(
        0.1,
        "Minority to majority, m⁺/m⁻ (notes D 3.6). The minority gets n_samples · ratio / (1 + ratio) rows, rounded,\n"
        "but at least 1 where there are two rows, and never more than the majority.",
        low=0.0, high=1.0, low_open=True,
    ),
    n_features=whole(2, "Dimensions.", low=1),
    class_sep=real(2.0, "Distance between the two means.", low=0.0, hidden_high=FARTHEST),
    random_state=seed(),
)
def make_imbalanced(n_samples=500, *, ratio=0.1, n_features=2, class_sep=2.0, random_state=None):
    """Draw two round Gaussian clouds of unit variance, one with far fewer points than the other.

    x | y = 0 ~ N(-μ, I) and x | y = 1 ~ N(+μ, I), where μ points along the diagonal and ‖2μ‖ = ``class_sep``. So the
    best possible AUC is known, Φ(class_sep / √2), whatever the ratio.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        1 in the minority, 0 in the majority.
    """
    n_minority = min(n_samples // 2, max(1, round(n_samples * ratio / (1 + ratio))))
    y = np.repeat([0, 1], [n_samples - n_minority, n_minority])
    mean = np.full(n_features, class_sep / 2 / np.sqrt(n_features))
    return _blurred_and_shuffled(random_state, np.where(y[:, np.newaxis] == 1, mean, -mean), y, 1.0)
