"""Predict, then see: a question to commit to before a picture, and goals that tick themselves off."""

import inspect

__all__ = ["Goal", "Guess", "goal", "guess"]


class Guess:
    """A question asked before a picture moves; see ``guess``."""

    def __init__(self, question, answers, right, feedback, near):
        self.question, self.answers, self.right, self.feedback, self.near = question, answers, right, feedback, near


def guess(question, answers, right, feedback=None, *, near=None):
    """Ask the learner to commit to a guess before they explore: ``explore(draw, guess=guess(...), ...)``.

    Parameters
    ----------
    question : str
    answers : dict of str to str, or (low, high, step)
        Each choice with what is said to someone who chose it; or the range of a number on a slider.
    right : str or float
        The choice, or the number, that is right.
    feedback : dict with "low", "near" and "high", optional
        For a number: what is said to a guess below, near and above the right one.
    near : float, optional
        For a number: how far off still counts as near.
    """
    return Guess(question, answers, right, feedback, near)


class Goal:
    """Something to reach with a picture's controls; see ``goal``."""

    def __init__(self, name, text, reached, by):
        self.name, self.text, self.reached, self.by = name, text, reached, by

    def holds(self, numbers):
        """Whether the goal is reached, by the numbers that it asks for by name."""
        return bool(self.reached(**{name: numbers[name] for name in inspect.signature(self.reached).parameters}))


def goal(name, text, reached, *, by):
    """Set a goal that ticks itself off: ``explore(draw, goals=[goal(...)], ...)``.

    Parameters
    ----------
    name : str
        ``"17.A"``: the chapter's number and a letter, unique in the course; under it the goal is remembered.
    text : str
        What is to be reached, as the learner reads it.
    reached : callable
        ``reached(errors, C)``, say: it takes by name any of the picture's controls, ``X`` and ``y`` of its points, and
        the numbers that ``draw`` returns beside its caption: ``return caption, {"errors": 3}``.
    by : dict
        A setting of the controls that reaches it (``"X"`` and ``"y"`` for points): the tests try it, the learner does
        not see it.
    """
    return Goal(name, text, reached, by)
