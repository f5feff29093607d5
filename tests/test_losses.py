"""Losses and their slopes: each slope against differences of its loss, also where scores are far off."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mlcore import losses
from mlcore.losses import cross_entropy, softmax_slope
from mlcore.numerics import softmax
from mlcore.verify import numerical_gradient

SIGNED = [
    (losses.logistic, losses.logistic_slope), (losses.exponential, losses.exponential_slope),
    (losses.hinge, losses.hinge_slope),
]  # fmt: skip
REAL = [
    (losses.squared, losses.squared_slope),
    (losses.epsilon_insensitive, losses.epsilon_insensitive_slope),
]  # fmt: skip


@pytest.mark.parametrize("loss, slope", [*SIGNED, *REAL], ids=lambda function: function.__name__)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_a_slope_is_the_derivative_of_its_loss(loss, slope, seed):
    rng = np.random.default_rng(seed)
    y, score = rng.choice([-1.0, 1.0], 6), rng.normal(size=6) * 2
    near_a_corner = np.minimum(np.abs(y * score - 1), np.abs(np.abs(score - y) - 0.1)) < 0.01
    score[near_a_corner] += 0.03
    assert_allclose(slope(y, score), numerical_gradient(lambda s: loss(y, s).sum(), score), rtol=1e-6, atol=1e-9)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_the_slope_of_the_cross_entropy_by_the_scores_is_q_minus_p(seed):
    rng = np.random.default_rng(seed)
    p, scores = rng.dirichlet(np.ones(4), size=3), rng.normal(size=(3, 4))
    expected = numerical_gradient(lambda z: cross_entropy(p, softmax(z)).sum(), scores)
    assert_allclose(softmax_slope(p, scores), expected, rtol=1e-6, atol=1e-9)
    assert_allclose(softmax_slope([[0.0, 1.0]], [[1e4, -1e4]]), [[1.0, -1.0]])


def test_far_off_and_at_the_corners():
    assert losses.logistic_slope([1, -1], [-1e4, -1e4]).tolist() == [-1.0, 0.0]
    assert losses.hinge_slope([1.0, 1.0, -1.0], [1.0, 0.99, 5.0]).tolist() == [0.0, -1.0, 1.0]
    assert losses.epsilon_insensitive_slope([0.0, 0.0, 0.0], [0.1, 0.2, -0.2]).tolist() == [0.0, 1.0, -1.0]


@pytest.mark.parametrize("slope", [slope for _, slope in SIGNED], ids=lambda function: function.__name__)
def test_bad_labels(slope):
    with pytest.raises(ValueError, match=r"\+1 and -1"):
        slope([0.0, 1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="inconsistent"):
        slope([1.0], [1.0, 2.0])
