"""What runs the core of chapter 1: the boundaries of a version space, and the sum over all targets."""

from mlcore.what_is_learning import ConjunctiveSpace, no_free_lunch

SPACE = ConjunctiveSpace({"color": ("green", "black", "white"), "sound": ("dull", "clear")})


def boundaries():
    SPACE.boundaries([("green", "dull"), ("black", "dull"), ("white", "clear")], [1, 1, 0])


def lunch():
    no_free_lunch(lambda X, y, Z: y[:1].repeat(len(Z)), 5, 2)


RUNS = {
    "covers": boundaries,
    "generalised": boundaries,
    "specialised": boundaries,
    "maximal": boundaries,
    "update": boundaries,
    "answers": lunch,
    "error_counts": lunch,
}
