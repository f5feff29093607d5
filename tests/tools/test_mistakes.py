"""The mistakes of people: each kind changes what it should, and weak checks of formulas let through what they did."""

import ast

import numpy as np
import pytest

from tools import mistakes, plant

pytestmark = pytest.mark.slow

BEGIN = """
import math
import numpy as np
from mlcore.verify import check_gradient, check_inequality, check_minimum, monte_carlo, verify
rng = np.random.default_rng(0)
"""
S = np.array([[2.0, 0.5], [0.5, 1.0]])
VALUES = {"a": np.ones(3), "b": np.arange(3.0) / 7, "c": 2.5, "n": 10, "i": 2, "t": np.ones(3) > 0, "S": S}


@pytest.mark.parametrize(
    "kind, text, expected",
    [
        ("names", "a", ["b"]),
        ("names", "c", []),  # alone with its type
        ("names", "n", ["i"]),
        ("names", "W[i + 1]", ["W[i]"]),
        ("names", "W[i]", ["W[i - 1]"]),
        ("names", "W[1:]", ["W[:-1]"]),
        ("powers", "c ** 2", ["c"]),
        ("powers", "c ** -0.5", ["c ** -1"]),
        ("powers", "2 * c", ["2 * c ** 2"]),
        ("powers", "2 * a", []),  # 1 is its own square
        ("powers", "np.sqrt(c)", ["c"]),
        ("powers", "np.linalg.norm(S, 2)", ["np.linalg.norm(S, 'fro')"]),
        ("powers", "np.linalg.inv(S)", ["S"]),
        ("conditions", "a[t]", ["a"]),
        ("conditions", "X[y == 1, 0]", ["X[:, 0]"]),
        ("conditions", "np.where(t, a, b)", ["a", "b"]),
        ("conditions", "(y == 1) & (x == 2)", ["y == 1", "x == 2"]),
        ("conditions", "(y == 1) * p", ["p"]),
        ("conditions", "S", ["S * np.eye(2)"]),
        ("aggregates", "a.sum(axis=0)", ["a.mean(axis=0)", "a.max(axis=0)"]),
        ("aggregates", "D.min(axis=1)", ["D.max(axis=1)", "D.mean(axis=1)", "np.take(D, -1, axis=1)"]),
        ("aggregates", "np.minimum(a, b)", ["np.maximum(a, b)", "a", "b"]),
        ("counts", "x / n", ["x / (n - 1)"]),
        ("counts", "x / c", []),
        ("counts", "n - 1", ["n"]),
        ("counts", "x.var(ddof=1)", ["x.var()"]),
        ("counts", "x.std()", ["x.std(ddof=1)"]),
        ("bounds", "x / 8", ["x / 16", "x / 4.0"]),
        ("bounds", "math.log(2)", ["math.log(4)", "math.log(1.0)"]),
    ],
)
def test_each_kind_of_mistake(kind, text, expected):
    node = ast.parse(text, mode="eval").body
    found = mistakes.KINDS[kind](node, mistakes.Scope(VALUES, inequality=True))
    assert [ast.unparse(new) for new in found] == [ast.unparse(ast.parse(new)) for new in expected]


def test_a_condition_of_an_if_and_of_a_comprehension_is_dropped():
    (changed,) = mistakes.conditions(ast.parse("if x > 0:\n    y = 1").body[0], mistakes.Scope())
    assert ast.unparse(changed).startswith("if True:")
    (changed,) = mistakes.conditions(ast.parse("[x for x in a if x > 0]").body[0].value.generators[0], mistakes.Scope())
    assert not changed.ifs
    (changed,) = mistakes.names(ast.parse("[x for x, y in a]").body[0].value.generators[0], mistakes.Scope())
    assert ast.unparse(changed.target) == "(y, x)"


def test_only_what_computes_one_side_is_changed():
    cell = ast.parse("X = rng.normal(size=9)\nleft = X @ X\nright = left_over(X)\nverify('1.1', '', left, right)")
    helper = ast.parse("def left_over(Z):\n    return (Z ** 2).sum()").body[0]
    assert {place.where for place in mistakes.places(cell, {"left_over": helper})} == {
        "left", "right", "left side", "right side", "left_over"}  # fmt: skip


D_SQUARED = """
points = np.array({points})
chances = []
for last in (1, 2):
    D = np.minimum(abs(points - points[0]), abs(points - points[last]))
    chances.append(D ** 2 / np.sum(D ** 2))
def brute(last):
    gaps = [min((p - points[0]) ** 2, (p - points[last]) ** 2) for p in points.tolist()]
    return [gap / sum(gaps) for gap in gaps]
verify("23.7", "the next centre", np.array(chances), np.array([brute(last) for last in (1, 2)]))
"""
CORRELATED = """
L = np.array([[0.8, 0.0], [0.5, 0.4]])
sigma = L @ L.T
drawn = rng.normal(size=(20000, 2)) @ L.T
def f(X):
    return {f}
nodes, weights = np.polynomial.hermite_e.hermegauss(12)
grid = np.array([(a, b) for a in nodes for b in nodes]) @ np.linalg.cholesky(sigma).T
mass = np.outer(weights, weights).ravel() / weights.sum() ** 2
monte_carlo("24.1", "mean of f", f(drawn), mass @ f(grid))
"""
SLOPES = """
W = np.array([[2.0, 1.0], [-1.0, 2.5]]){rank}
s = np.linspace(-1, 1, 5)
g = 1 / (1 + np.exp(-s))
steep = 0.25
stretch = np.linalg.norm(W, 2)
delta = np.linalg.svd(W)[2][0]
factors = np.linalg.norm(W @ delta) * g * (1 - g)
check_inequality("21.12", "a layer's factor", factors, np.full(5, steep * stretch))
"""
SHARES = """
counts = np.array({counts})  # class, parent, child
given_class = counts.sum(axis=1) / counts.sum(axis=(1, 2))[:, None]
given_both = counts / counts.sum(axis=2, keepdims=True)
table = np.array([given_class, given_class]).transpose(1, 0, 2)
child = [np.log(given_both[c, p, x]) for c in (0, 1) for p in (0, 1) for x in (0, 1)]
rows = [(c, p, x) for c in (0, 1) for p in (0, 1) for x in (0, 1)]
by_hand = [math.log(counts[c, p, x] / sum(counts[c, p])) for c, p, x in rows]
{check}
"""
CHILDREN = """
label, parent, child = np.array([{rows}]).T
share = np.mean(child[(label == 1) & (parent == 1)])
chosen = [c for l, p, c in zip(label, parent, child) if l == 1 and p == 1]
verify("13.8", "the child's share", share, sum(chosen) / len(chosen))
"""
NORMS = """
many = [rng.normal(size=(4, 6)) for _ in range(50)] + [{last}]
ranks = np.array([np.linalg.matrix_rank(B) for B in many])
frobenius = np.array([np.linalg.norm(B) for B in many])
nuclear = np.array([np.linalg.norm(B, "nuc") for B in many])
check_inequality("25.14", "nuclear and Frobenius", nuclear, np.sqrt(ranks) * frobenius)
"""
COINS = """
exact, bound = [], []
for m, used, gamma in {cases}:
    far = np.abs(2 * np.arange(used + 1) - used) / m > gamma / 2 + 1e-12
    share = sum(math.comb(used, j) / 2**used for j in np.flatnonzero(far).tolist())
    exact.append(np.log(share))
    bound.append(math.log(2) - m * gamma**2 / 8)
check_inequality("10.21", "coins of ±1, logarithms", np.array(exact), np.array(bound))
"""
HOLD_OUT = """
epsilon, n = 0.2, {n}
shares = (rng.random((40000, n)) < epsilon).mean(axis=1)
monte_carlo("8.2", "its variance", (shares - epsilon) ** 2, epsilon * (1 - epsilon) / n)
"""
TWO_SIDED = "verify('13.8', 'p(x|c, parent)', np.array(child), np.array(by_hand))"
TOTAL = "verify('13.8', 'a distribution', np.exp(child).sum(), 4.0)"


@pytest.mark.parametrize(
    "weak, mended, lost",
    [
        # D for D²: where all distances are 0 or 1 they are one; the last centre, where it is the nearest
        (D_SQUARED.format(points="[0.0, 1.0, 2.0, 1.0]"), D_SQUARED.format(points="[0.0, 1.0, 3.0, 7.0]"),
         ["D ** 2 / np.sum(D ** 2) → D / np.sum(D ** 2)"]),
        (D_SQUARED.format(points="[3.0, 3.0, 3.0, 7.0]"), D_SQUARED.format(points="[0.0, 1.0, 3.0, 7.0]"),
         ["np.minimum(abs(points - points[0]), abs(points - points[last])) → abs(points - points[last])"]),
        # no correlation: a sum of functions of one feature does not see it
        (CORRELATED.format(f="np.cos(X[:, 0]) + X[:, 1] ** 2"),
         CORRELATED.format(f="np.cos(X[:, 0]) + X[:, 0] * X[:, 1]"), ["→ np.linalg.cholesky(sigma * np.eye(2))"]),
        # the Frobenius norm for the spectral one: a matrix of rank 1 has them equal
        (SLOPES.format(rank="[:, :1] @ np.array([[2.0, 1.0]])"), SLOPES.format(rank=""),
         ["np.linalg.norm(W, 2) → np.linalg.norm(W, 'fro')"]),
        # p(x|c) for p(x|c, x'): a sum of 1 has either
        (SHARES.format(counts="[[[3.0, 5], [4, 2]], [[1, 7], [6, 6]]]", check=TOTAL),
         SHARES.format(counts="[[[3.0, 5], [4, 2]], [[1, 7], [6, 6]]]", check=TWO_SIDED),
         ["given_both[c, p, x] → table[c, p, x]"]),
        # the children without the class
        (CHILDREN.format(rows="(0, 0, 1), (1, 1, 1), (1, 1, 0), (1, 0, 1)"),
         CHILDREN.format(rows="(0, 1, 1), (1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1)"),
         ["(label == 1) & (parent == 1) → parent == 1"]),
        # the root of the rank lost: near equality only at rank 1
        (NORMS.format(last="np.ones((3, 5))"), NORMS.format(last="3 * np.eye(4)"),
         ["np.sqrt(ranks) → ranks"]),
        # a 2 lost: no case between half of the bound and the bound
        (COINS.format(cases="((9, 9, 0.5), (200, 120, 0.3))"),
         COINS.format(cases="((9, 9, 0.5), (200, 120, 0.3), (1, 1, 1.0))"), ["→ math.log(1.0) - m * gamma ** 2 / 8"]),
        (HOLD_OUT.format(n=200), HOLD_OUT.format(n=5), ["/ n → epsilon * (1 - epsilon) / (n - 1)"]),
    ],
    ids=["23.7 power", "23.7 last", "24.1", "21.12", "13.8 parent", "13.8 class", "25.14", "10.21", "8.2"],
)  # fmt: skip
def test_a_weak_check_is_told_from_its_mended_form(weak, mended, lost):
    def survivors(cell):
        return plant.plant_people([BEGIN, cell])[0]

    for end in lost:
        assert any(end in label for label in survivors(weak)), survivors(weak)
        assert not any(end in label for label in survivors(mended)), survivors(mended)


def test_a_function_with_a_memory_is_asked_again():
    """What it has said before was computed without the mistake; and nothing of a mistake stays in its memory."""
    cells = [
        BEGIN,
        "import functools\n\n\ndef square(x):\n    return x**2\n\n\n"
        "@functools.cache\ndef total(n):\n    return sum(square(x) for x in range(n + 1))\n",
        "assert total(3) == 14",
        'verify("1", "1 + 4 + 9 + 16", total(4), 4 * 5 * 9 / 6)',
        'verify("1", "once more", total(4), 30)',
    ]
    assert plant.plant_people(cells)[0] == []
