"""The sigmoid, the softmax and their logarithms, written so that no exponent overflows; and the tails of distributions.

A tail is the probability beyond a value: the p-value of a test, a binomial sum. All of them are an incomplete beta
(binomial, t, F) or gamma function (χ², Poisson), which take arrays and keep about twelve digits, also where the
tail is as small as 1e-300.
"""

import math

import numpy as np

__all__ = [
    "binomial_share", "binomial_tail", "chi2_tail", "expit", "f_tail", "incomplete_beta", "incomplete_gamma",
    "log_shares", "normal_tail", "quietly", "shares", "softplus", "stirling_error", "t_tail",
]  # fmt: skip

quietly = np.errstate(under="ignore")
"""Decorates a formula in which a number may round to 0, and rightly so: an error to nobody, whatever the caller set."""


@quietly
def expit(z):
    """g(z) = 1 / (1 + e⁻ᶻ), written as eᶻ / (1 + eᶻ) where z < 0: the exponent is never positive  (3.1)."""
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1.0, e) / (1.0 + e)


@quietly
def softplus(z):
    """ln(1 + eᶻ) = max(z, 0) + ln(1 + e^-|z|): what a class with the score -z loses, -ln g(-z)  (3.4).

    It is what ``np.logaddexp(0, z)`` returns, in a tenth of the time, and keeps its digits where it is near 0.
    """
    return np.maximum(z, 0.0) + np.log1p(np.exp(-np.abs(z)))


@quietly
def shares(z, axis=-1):
    """e^(z_k) / Σ_j e^(z_j), the softmax: the largest score is subtracted from all, which cancels  (4.24)."""
    odds = np.exp(z - z.max(axis=axis, keepdims=True))
    return odds / odds.sum(axis=axis, keepdims=True)


@quietly
def log_shares(z, axis=-1):
    """z_k - ln Σ_j e^(z_j), the logarithm of the softmax, finite where a share rounds to 0  (4.24).

    The largest score is subtracted first. Its own term in the sum is then 1; it is left out and brought back by log1p,
    so that the logarithm of a share near 1 keeps its digits too.
    """
    z = z - z.max(axis=axis, keepdims=True)
    others = np.exp(z)
    np.put_along_axis(others, np.argmax(z, axis=axis, keepdims=True), 0.0, axis=axis)
    return z - np.log1p(others.sum(axis=axis, keepdims=True))


# ---------------------------------------------------------------------------------------------------------------
# Incomplete beta and gamma functions, and the tails that they are
# ---------------------------------------------------------------------------------------------------------------
_log_gamma = np.vectorize(math.lgamma, otypes=[float])
_erfc = np.vectorize(math.erfc, otypes=[float])


def stirling_error(a):
    """ln Γ(a) - [(a - ½) ln a - a + ½ ln 2π], what Stirling's formula leaves: 1/12a - 1/360a³ + ... for a >= 10.

    Where Γ stands in a quotient of large numbers, the large parts cancel on paper and only this is left to compute.
    """
    low, q = np.minimum(a, 10.0), np.maximum(a, 10.0) ** -2.0
    series = np.sqrt(q) * (1 / 12 - q * (1 / 360 - q * (1 / 1260 - q * (1 / 1680 - q * (1 / 1188 - q / 522)))))
    exact = _log_gamma(low) - ((low - 0.5) * np.log(low) - low + 0.5 * math.log(2 * math.pi))
    return np.where(a >= 10, series, exact)[()]


def _log_near_one(ratio, gap):
    """ln(ratio), where gap = ratio - 1 is known with more digits than the subtraction leaves."""
    return np.where(ratio < 0.5, np.log(ratio), np.log1p(np.maximum(gap, -0.75)))


def _beta_head(a, b, x, y):
    """xᵃ yᵇ Γ(a + b) / Γ(a) Γ(b), y = 1 - x; it is largest near x = a / (a + b), and measured from there."""
    n, gap = a + b, b * x - a * y
    exponent = a * _log_near_one(n * x / a, gap / a) + b * _log_near_one(n * y / b, -gap / b)
    of_n, of_a, of_b = stirling_error(np.array([n, a, b]))
    return np.sqrt(a * b / (2 * math.pi * n)) * np.exp(exponent + of_n - of_a - of_b)


def _beta_fraction(a, b, x, y):
    """1 / (1 + d₁/(1 + d₂/(1 + ...))), worked out from the inside; for x < (a + 1)/(a + b + 2) the depth suffices.

    d_2m = m (b - m) x / ((a + 2m - 1)(a + 2m)) and d_2m+1 = -(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1)). The second
    may be near -1, so 1 + d_2m+1 is written with y = 1 - x, and 1 + d/(1 + e) as (1 + d + e)/(1 + e).
    """
    if np.ndim(x) == 0:  # Python's own numbers are faster
        a, b, x, y = float(a), float(b), float(x), float(y)
    f, depth, gap = 1.0, int(40 + math.sqrt(np.max(np.maximum(a, b)))), a * y - b * x
    for m in range(depth, 0, -1):
        e = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)) / f
        rest = (a + m - 1) * (2 * m - 1 + gap + (m - 1) * y) + m * (m - 1)
        f = (e + rest / ((a + 2 * m - 2) * (a + 2 * m - 1))) / (1 + e)
    return 1 / f


@np.errstate(under="ignore", divide="ignore")  # the logarithm of 0 is -∞, and its power 0
def incomplete_beta(a, b, x, y=None):
    """I_x(a, b) = ∫₀ˣ tᵃ⁻¹ (1 - t)ᵇ⁻¹ dt / B(a, b) for a, b > 0 and 0 <= x <= 1, a number or an array.

    By its continued fraction (DLMF 8.17.22), which is short left of the bulk; right of it, by 1 - I_y(b, a).
    Give y = 1 - x where you have it with more digits.
    """
    a, b, x = (np.asarray(value, dtype=float) for value in (a, b, x))
    y = 1 - x if y is None else np.asarray(y, dtype=float)
    right = x > (a + 1) / (a + b + 2)
    a, b, x, y = (np.where(right, second, first)[()] for first, second in ((a, b), (b, a), (x, y), (y, x)))
    area = _beta_head(a, b, x, y) * _beta_fraction(a, b, x, y) / a
    return np.where(right, 1 - area, area)[()]


def _gamma_fraction(s, x, depth):
    """1 / (x + 1 - s - 1(1 - s)/(x + 3 - s - 2(2 - s)/(x + 5 - s - ...))), worked out from the inside."""
    f = x + 2 * depth + 1 - s
    for m in range(depth, 0, -1):
        f = x + 2 * m - 1 - s - m * (m - s) / f
    return 1 / f


def _gamma_series(s, x, depth):
    """1/s + x/s(s + 1) + x²/s(s + 1)(s + 2) + ..., worked out from the inside."""
    f = 1.0
    for m in range(depth, 0, -1):
        f = 1 + x / (s + m) * f
    return f / s


@np.errstate(under="ignore", divide="ignore")
def incomplete_gamma(s, x):
    """Q(s, x) = ∫ₓ^∞ tˢ⁻¹ e⁻ᵗ dt / Γ(s) for s > 0 and x >= 0, a number or an array.

    Beyond s + 1 by its continued fraction (DLMF 8.9.2), before it as 1 - P(s, x) by the power series of P (DLMF 8.7.1).
    """
    s, x = np.asarray(s, dtype=float)[()], np.asarray(x, dtype=float)[()]
    depth, beyond = int(80 + 8 * math.sqrt(np.max(s))), x > s + 1
    gap = (x - s) / s
    exponent = s * (_log_near_one(x / s, gap) - gap) - stirling_error(s)
    head = np.sqrt(s / (2 * math.pi)) * np.exp(exponent)
    tail = head * _gamma_fraction(s, np.maximum(x, s + 1), depth)
    return np.where(beyond, tail, 1 - head * _gamma_series(s, np.minimum(x, s + 1), depth))[()]


def normal_tail(z):
    """P(Z > z) for a standard normal Z: ½ erfc(z / √2)."""
    return _erfc(np.asarray(z) / math.sqrt(2))[()] / 2


def chi2_tail(x, df):
    """P(X > x) for X ~ χ² with df degrees of freedom and x >= 0: Q(df/2, x/2)."""
    return incomplete_gamma(np.asarray(df) / 2, np.asarray(x) / 2)


def t_tail(t, df):
    """P(T > t) for Student's T with df degrees of freedom: ½ I_x(df/2, ½), x = df / (df + t²), for t >= 0."""
    df, square = np.asarray(df, dtype=float), np.square(np.asarray(t, dtype=float))
    half = incomplete_beta(df / 2, 0.5, df / (df + square), square / (df + square)) / 2
    return np.where(np.asarray(t) >= 0, half, 1 - half)[()]


def f_tail(f, df1, df2):
    """P(F > f) for F with df1 and df2 degrees of freedom and f >= 0: I_x(df2/2, df1/2), x = df2 / (df2 + df1 f)."""
    ratio, df1, df2 = (np.asarray(value, dtype=float) for value in (df1 * np.asarray(f), df1, df2))
    return incomplete_beta(df2 / 2, df1 / 2, df2 / (df2 + ratio), ratio / (df2 + ratio))


def binomial_share(k, n, p, q):
    """P(X = k) = C(n, k) pᵏ qⁿ⁻ᵏ for 0 < p < 1, q = 1 - p: what is large in its factorials has cancelled on paper."""
    return _beta_head(k + 1, n - k + 1, p, q) / ((n + 1) * p * q)


def binomial_tail(k, n, p, q=None):
    """P(X >= k) = Σ_{i >= k} C(n, i) pⁱ qⁿ⁻ⁱ = I_p(k, n - k + 1) for 1 <= k <= n; 1 for k <= 0, 0 beyond n.

    Give q = 1 - p where you have it with more digits.
    """
    k = np.asarray(k)
    inside = np.clip(k, 1, n)
    area = incomplete_beta(inside, n - inside + 1, p, q)
    return np.where(k < 1, 1.0, np.where(k > n, 0.0, area))[()]
