"""Runs that call the core of chapter 1, on what the chapter shows."""

from mlcore.datasets import load_watermelon2
from mlcore.what_is_learning import ConjunctiveSpace, no_free_lunch

melons = load_watermelon2()
X, y = melons.data[:, :3], melons.target


def boundaries():
    """The version space of the melons, by color, root and sound."""
    values = [tuple(dict.fromkeys(column)) for column in X.T]
    ConjunctiveSpace(dict(zip(melons.feature_names, values))).boundaries(X[[0, 1, 16, 5]], y[[0, 1, 16, 5]])


def lunch():
    """A learner that repeats its first label."""
    no_free_lunch(lambda X, y, Z: y[:1].repeat(len(Z)), 7, 3)


RUNS = {
    **dict.fromkeys(("covers", "generalised", "specialised", "maximal", "update"), boundaries),
    **dict.fromkeys(("answers", "error_counts"), lunch),
}
