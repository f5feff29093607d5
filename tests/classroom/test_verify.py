"""The checks of formulas must refuse what is false: each is shown a true claim and several false ones."""

import numpy as np
import pytest

from mlcore.verify import (
    FormulaError,
    check_gradient,
    check_inequality,
    check_minimum,
    monte_carlo,
    numerical_gradient,
    numerical_hessian,
    refused,
    verify,
)

rng = np.random.default_rng(0)


def test_verify_prints_one_stable_line(capsys):
    verify("7.12", "gradient of the dual", 1.0, 1.0 + 1e-12)
    assert capsys.readouterr().out == "✓ (7.12) gradient of the dual: agrees to 1e-08\n"


@pytest.mark.parametrize(
    "lhs, rhs, message",
    [
        (1.0, 1.001, "differ"),
        ([1.0, 2.0], [1.0, 2.1], r"index \(1,\)"),
        ([1.0, 2.0], [1.0], "shapes"),
        (np.nan, np.nan, "NaN"),
        (np.inf, np.inf, "infinity"),
        ([], [], "empty"),
        (["a"], ["a"], "not numeric"),
        (0.0, 1e-12, "differ"),
        ([1.0, 1.0], 1.0, "shapes"),
    ],
)
def test_verify_refuses(lhs, rhs, message):
    with pytest.raises(FormulaError, match=message):
        verify("1.1", "something false", lhs, rhs)


def test_verify_refuses_a_thing_compared_with_itself():
    x = rng.normal(size=5)
    for other in (x, x[:], x.view()):
        with pytest.raises(FormulaError, match="independent"):
            verify("1.1", "a thing with itself", x, other)


def test_verify_refuses_a_tolerance_that_lets_everything_pass():
    with pytest.raises(ValueError, match="rtol"):
        verify("1.1", "loose", 1.0, 1.2, rtol=0.5)
    with pytest.raises(ValueError, match="atol"):
        verify("1.1", "negative", 1.0, 1.0, atol=-1)


def test_the_error_is_relative_to_the_largest_entry():
    verify("1.1", "tiny entry beside a large one", [1e8, 1e-9], [1e8, 0.0])
    with pytest.raises(FormulaError):
        verify("1.1", "tiny entries alone", [1e-9], [0.0])


def test_numerical_gradient_of_a_known_function():
    A = rng.normal(size=(4, 4))
    x = rng.normal(size=4)
    np.testing.assert_allclose(numerical_gradient(lambda u: u @ A @ u, x), (A + A.T) @ x, rtol=1e-9)
    assert numerical_gradient(np.sin, 0.7) == pytest.approx(np.cos(0.7), rel=1e-10)
    M = rng.normal(size=(3, 2))
    np.testing.assert_allclose(numerical_gradient(lambda U: np.sum(U**3), M), 3 * M**2, rtol=1e-8)


def test_numerical_gradient_leaves_its_input_alone_and_wants_a_scalar():
    x = np.array([1.0, 2.0])
    numerical_gradient(np.sum, x)
    assert x.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="scalar"):
        numerical_gradient(lambda u: u, x)


def test_numerical_hessian_of_a_known_function():
    x = rng.normal(size=3)

    def f(u):
        return np.exp(u[0]) * u[1] + u[2] ** 3

    expected = [[np.exp(x[0]) * x[1], np.exp(x[0]), 0], [np.exp(x[0]), 0, 0], [0, 0, 6 * x[2]]]
    np.testing.assert_allclose(numerical_hessian(f, x), expected, atol=1e-6)
    with pytest.raises(ValueError, match="vector"):
        numerical_hessian(np.sum, np.ones((2, 2)))


def test_check_gradient():
    x = rng.normal(size=3)
    check_gradient("1.1", "sine", lambda u: np.sin(u).sum(), np.cos, x)
    with pytest.raises(FormulaError):
        check_gradient("1.1", "sine with the wrong sign", lambda u: np.sin(u).sum(), lambda u: -np.cos(u), x)
    with pytest.raises(FormulaError):
        check_gradient(
            "1.1", "off by one part in a thousand", lambda u: np.sin(u).sum(), lambda u: 1.001 * np.cos(u), x
        )
    check_gradient("1.1", "at a minimum", lambda u: u @ u, lambda u: 2 * u, np.zeros(3))


def test_check_inequality(capsys):
    x = rng.normal(size=50)
    check_inequality("1.1", "a square is not negative", 0.0, x**2)
    assert "50 cases" in capsys.readouterr().out
    check_inequality("1.1", "equality counts", x, x + 0.0)
    with pytest.raises(FormulaError, match="violated in 1 of 50"):
        check_inequality("1.1", "one violation", 0.0, np.where(np.arange(50) == 7, -0.1, 1.0))
    with pytest.raises(FormulaError, match="shapes"):
        check_inequality("1.1", "shapes", x, x[:3])
    with pytest.raises(FormulaError, match="NaN"):
        check_inequality("1.1", "nan", 0.0, [1.0, np.nan])
    with pytest.raises(FormulaError, match="same object"):
        check_inequality("1.1", "itself", x, x)


def test_check_minimum():
    centre = rng.normal(size=3)

    def f(u):
        return np.sum((u - centre) ** 2)

    check_minimum("1.1", "the centre of a bowl", f, centre)
    for wrong in (centre + 0.01, -centre):
        with pytest.raises(FormulaError, match="smaller value"):
            check_minimum("1.1", "not the centre", f, wrong)
    with pytest.raises(FormulaError, match="smaller value"):
        check_minimum("1.1", "a saddle", lambda u: u[0] ** 2 - u[1] ** 2, np.zeros(2))
    check_minimum("1.1", "on the edge of the allowed set", lambda u: u[0], np.zeros(2), inside=lambda u: u[0] >= 0)
    with pytest.raises(FormulaError, match="no probe"):
        check_minimum("1.1", "nothing allowed", f, centre, inside=lambda u: False)


def test_monte_carlo():
    draws = rng.exponential(size=(4000, 2))
    monte_carlo("1.1", "mean of an exponential", draws[:, 0], 1.0)
    monte_carlo("1.1", "two means", draws, [1.0, 1.0])
    for wrong in (0.9, 1.1):
        with pytest.raises(FormulaError, match="sample mean"):
            monte_carlo("1.1", "a wrong mean", draws[:, 0], wrong)
    with pytest.raises(FormulaError, match="at least 100"):
        monte_carlo("1.1", "too few", draws[:50, 0], 1.0)
    with pytest.raises(FormulaError, match="2 means"):
        monte_carlo("1.1", "count", draws, 1.0)
    with pytest.raises(ValueError, match="level"):
        monte_carlo("1.1", "level", draws[:, 0], 1.0, level=0.5)


def test_monte_carlo_refuses_true_claims_at_about_its_level():
    from scipy import stats

    claims = np.random.default_rng(1).normal(size=(2000, 100))
    refused = 0
    for sample in claims:
        try:
            monte_carlo("1.1", "zero mean", sample, 0.0, level=0.05)
        except FormulaError:
            refused += 1
    # the t distribution has a little more in its tails than the normal one used
    low, high = stats.binom.interval(1 - 1e-6, 2000, 2 * stats.t.sf(stats.norm.isf(0.025), 99))
    assert low <= refused <= high


# ---------------------------------------------------------------------------------------------------------------
# What callers pass in
# ---------------------------------------------------------------------------------------------------------------
def bowl(u):
    return np.sum(np.asarray(u) ** 2)


def slope(u):
    return 2 * u


POINT = np.array([1.0, 2.0])


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda f: numerical_gradient(f, POINT), "f"),
        (lambda f: numerical_hessian(f, POINT), "f"),
        (lambda f: check_gradient("1.1", "x", f, slope, POINT), "f"),
        (lambda f: check_gradient("1.1", "x", bowl, f, POINT), "gradient"),
        (lambda f: check_minimum("1.1", "x", f, 0 * POINT), "f"),
        (lambda f: check_minimum("1.1", "x", bowl, 0 * POINT, inside=f), "inside"),
    ],
)
def test_what_is_no_function_is_refused(call, name):
    for wrong in (3, "x", POINT, *([None] if name != "inside" else [])):
        with pytest.raises(ValueError, match=f"{name} must be a function, got"):
            call(wrong)


@pytest.mark.parametrize("wrong", [None, "x", 1j, [np.nan], [np.inf, 1.0], [], [1j, 2.0], {}])
def test_a_point_that_is_none(wrong):
    for differentiate in (numerical_gradient, numerical_hessian):
        with pytest.raises(ValueError, match="x must be a number or an array of finite real numbers"):
            differentiate(bowl, wrong)
    with pytest.raises((FormulaError, ValueError)):
        check_minimum("1.1", "x", bowl, wrong)
    with pytest.raises(ValueError, match="x must be"):
        check_gradient("1.1", "x", bowl, slope, wrong)


@pytest.mark.parametrize("wrong", [None, "x", 1j, {}, [1.0, 2.0]])
def test_a_function_that_returns_no_real_number(wrong):
    for call in (
        lambda f: numerical_gradient(f, POINT),
        lambda f: numerical_hessian(f, POINT),
        lambda f: check_minimum("1.1", "x", f, POINT),
    ):
        with pytest.raises(ValueError, match="must return a"):
            call(lambda u: wrong)
    with pytest.raises(FormulaError):
        check_gradient("1.1", "x", bowl, lambda u: wrong, POINT)


def test_a_function_that_is_nan_or_infinite_near_the_point():
    with np.errstate(invalid="ignore", divide="ignore"):
        for f in (np.log, lambda u: np.log(np.abs(u))):
            with pytest.raises(ValueError, match=r"f is (nan|-inf) at"):
                numerical_gradient(f, 0.001)
    with pytest.raises(FormulaError, match="f is NaN at the probe"):
        check_minimum("1.1", "x", lambda u: bowl(u) if u[0] <= 1e-3 else np.nan, 0 * POINT)
    check_minimum("1.1", "infinite outside", lambda u: bowl(u) if u[0] <= 1e-3 else np.inf, 0 * POINT)


@pytest.mark.parametrize("h", [0, -1e-3, np.nan, np.inf, "x", True])
def test_a_step_of_nothing_is_refused(h):
    for differentiate in (numerical_gradient, numerical_hessian):
        with pytest.raises(ValueError, match="h must be a number"):
            differentiate(bowl, POINT, h)


def test_probes_must_leave_the_point():
    """At radius 0 every probe would be the point itself and everything would pass."""
    for radius in (0, -1, np.nan, "x"):
        with pytest.raises(ValueError, match="radius"):
            check_minimum("1.1", "x", bowl, POINT, radius=radius)
    with pytest.raises(ValueError, match="random_state"):
        check_minimum("1.1", "x", bowl, 0 * POINT, seed="x")


def test_functions_may_spoil_what_they_are_given():
    def spoiling(f):
        def spoil(u):
            value = f(u.copy())
            u[:] = 1e9
            return value

        return spoil

    x = POINT.copy()
    assert numerical_gradient(spoiling(bowl), x) == pytest.approx(2 * POINT)
    check_gradient("1.1", "x", spoiling(bowl), spoiling(slope), x)
    check_minimum("1.1", "x", spoiling(bowl), 0 * x, inside=spoiling(lambda u: True))
    assert x.tolist() == POINT.tolist()
    with pytest.raises(FormulaError, match="smaller value"):
        check_minimum("1.1", "x", spoiling(bowl), x)
    with pytest.raises(FormulaError, match="smaller value"):
        check_minimum("1.1", "x", bowl, x, inside=spoiling(lambda u: True))


def test_truth_values_and_whole_numbers_do_not_wrap_around():
    verify("1.1", "truth values", np.array([True, False]), np.array([True, False]))
    with pytest.raises(FormulaError, match="differ"):
        verify("1.1", "truth values", True, False)
    check_inequality("1.1", "unsigned", np.uint8(1), np.uint8(2))
    with pytest.raises(FormulaError, match="violated"):
        check_inequality("1.1", "unsigned", np.array([200], dtype=np.uint8), np.array([100], dtype=np.uint8))
    with pytest.raises(FormulaError, match="differ"):
        verify("1.1", "int8", np.int8(-128), np.int8(127))
    with pytest.raises(FormulaError, match="differ"):
        verify("1.1", "large", 2**60, 2**60 + 1, rtol=0)


def test_complex_numbers_have_no_order():
    verify("1.1", "but may be equal", 1 + 2j, (1 + 2j) * 1.0)
    with pytest.raises(FormulaError, match="complex"):
        check_inequality("1.1", "x", 1j, 2.0)
    with pytest.raises(FormulaError, match="complex"):
        monte_carlo("1.1", "x", rng.normal(size=200) + 1j, 0.0)
    with pytest.raises(FormulaError, match="complex"):
        check_minimum("1.1", "x", bowl, [1j, 0])


def test_what_is_refused_is_told_and_what_is_not_is_an_error(capsys):
    refused(lambda: int("x"))
    assert "invalid literal" in capsys.readouterr().out
    refused(lambda: [][1], lambda: {}[0], error=(IndexError, KeyError))
    assert capsys.readouterr().out == "- list index out of range\n- 0\n"
    with pytest.raises(AssertionError, match="should have been refused"):
        refused(lambda: int("1"))
    with pytest.raises(IndexError):
        refused(lambda: [][1])
    with pytest.raises(ValueError, match="action"):
        refused(int("1"))
