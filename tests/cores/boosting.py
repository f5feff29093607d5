"""What runs the core of chapter 20: default fits on the data that the chapter shows."""

from mlcore.boosting import AdaBoostClassifier, DecisionStump, GradientBoostingClassifier, GradientBoostingRegressor
from mlcore.datasets import load_adaboost10, make_moons, make_sine

TEN = load_adaboost10()
MOONS, SINE = make_moons(160, noise=0.3, random_state=3), make_sine(60, noise=0.25, random_state=1)


def ada():
    """Stumps on the moons."""
    AdaBoostClassifier().fit(*MOONS)


def regression():
    """Trees on the noisy sine."""
    GradientBoostingRegressor().fit(*SINE)


def classification():
    """Trees on the moons."""
    GradientBoostingClassifier().fit(*MOONS)


RUNS = {
    "reweighted": ada,
    "vote_weight": ada,
    "rounds": ada,
    "left_weights": ada,
    "weight_correct": ada,
    "best_question": lambda: DecisionStump().fit(TEN.data, TEN.target),
    "descent_squared": regression,
    "descent_logistic": classification,
    "leaf_steps": regression,
    "boosting_round": classification,
}
