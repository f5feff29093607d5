"""Goals: what is to be reached with a picture's controls, ticked off by itself and remembered."""

import inspect
import re

from mlcore.base import check_callable
from mlcore.classroom.memory import remember, remembered
from mlcore.classroom.viz.ask.guesses import capitalised, is_text

__all__ = ["Goal", "Goals", "goal"]


class Goal:
    """Something to reach with a picture's controls; see ``goal``."""

    def __init__(self, name, text, reached, by):
        self.name, self.reached, self.by = name, reached, by
        self.text = capitalised(text.removesuffix("."))  # all goals look alike

    @property
    def asks_for(self):
        """The names of the numbers that it needs."""
        return list(inspect.signature(self.reached).parameters)

    def holds(self, numbers):
        """Whether the goal is reached, by the numbers that it asks for by name."""
        return bool(self.reached(**{name: numbers[name] for name in self.asks_for}))


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

    Raises
    ------
    ValueError
        If the name is not of that form, or the text or the setting is missing.
    """
    if not isinstance(name, str) or not re.fullmatch(r"\d+\.[A-Z]", name):
        raise ValueError(f'a goal is named like "17.A" (chapter, letter), got {name!r}')
    if not is_text(text):
        raise ValueError(f"goal {name} needs a text that says what is to be reached, got {text!r}")
    if not isinstance(by, dict) or not by:
        raise ValueError(f"goal {name} needs by=: a setting of the controls that reaches it, got {by!r}")
    return Goal(name, text, check_callable("reached", reached), by)


class Goals:
    """The goals of a picture; each stays reached once it is."""

    def __init__(self, goals):
        self.goals = tuple(goals)

    def check_names(self, numbers):
        """Raise ValueError if a goal asks for a number that the picture does not have."""
        for goal in self.goals:
            if unknown := [name for name in goal.asks_for if name not in numbers]:
                there = ", ".join(numbers)
                raise ValueError(f"goal {goal.name} asks for {unknown[0]!r}, but the picture has: {there}")

    def reached(self, numbers):
        """The names of those that are reached with these numbers, in their order."""
        self.check_names(numbers)
        return [goal.name for goal in self.goals if goal.holds(numbers)]

    def tick(self, reached):
        """Tick off and remember what is reached."""
        for name in reached and set(reached) - remembered("goals"):
            remember("goals", name)

    def spec(self):
        """The name and the text of each."""
        return [[goal.name, goal.text] for goal in self.goals]

    def state(self):
        """The names of those that are reached."""
        done = remembered("goals") if self.goals else ()
        return [goal.name for goal in self.goals if goal.name in done]
