"""Link functions: which function of the mean is linear in the features. Notes D 3.2.3."""

from dataclasses import dataclass

import numpy as np

from mlcore.numerics import expit

__all__ = ["LINKS", "Link"]


@dataclass(frozen=True)
class Link:
    """A link function (联系函数) η = g(μ), with its inverse μ(η) and the slope μ'(η). Notes D (3.15).

    ``low`` and ``high`` bound the means that the inverse can give.
    """

    name: str
    forward: object
    inverse: object
    slope: object
    low: float
    high: float


LINKS = {
    link.name: link
    for link in (
        Link("identity", lambda mean: mean * 1.0, lambda eta: eta * 1.0, np.ones_like, -np.inf, np.inf),
        Link("log", np.log, np.exp, np.exp, 0.0, np.inf),
        Link("logit", lambda mean: np.log(mean) - np.log1p(-mean), expit, lambda eta: expit(eta) * expit(-eta),
             0.0, 1.0),
    )
}
