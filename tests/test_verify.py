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
