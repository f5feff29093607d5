"""Predict, then see: a question to commit to before a picture, and goals that tick themselves off."""

import html
import inspect
import re
from pathlib import Path

import anywidget
import ipywidgets as widgets
from traitlets import Any, Dict, List, Unicode

from mlcore.base import check_callable, check_real
from mlcore.classroom.memory import forget, is_there, key_of, recall, remember, remembered

__all__ = ["Goal", "Goals", "Guess", "Question", "goal", "guess"]

LINE = 20
"""The height of a line of text, in pixels."""
CHARACTER = 7.2
"""The mean width of a character, in pixels; rather too wide."""
LEAST_WIDTH = 700
"""A question may be wider than a small picture."""
BUTTONS = 34
"""The height of a row of buttons."""


def height_of(text, width):
    """Pixels that a text takes in lines of a width, roughly."""
    return LINE * -int(-len(text) * CHARACTER // width)


def without_praise(text):
    """What is said to a right guess, as it is said to someone who has not guessed: without "Right:" or "Yes,"."""
    return capitalised(re.sub(r"^(Right|Yes)[:.,] ", "", text))


def capitalised(text):
    """The text with its first letter large, and the others as they are."""
    return text[:1].upper() + text[1:]


# ---------------------------------------------------------------------------------------------------------------
# Guesses
# ---------------------------------------------------------------------------------------------------------------
class Guess:
    """A question asked before a picture moves; see ``guess``."""

    def __init__(self, question, answers, right, feedback, near):
        self.question, self.answers, self.right, self.feedback, self.near = question, answers, right, feedback, near
        self.is_number = not isinstance(answers, dict)

    def may_be(self, made):
        """Return whether this may be guessed, or have been."""
        if self.is_number and type(made) in (int, float):
            return self.answers[0] <= made <= self.answers[1]
        return made == "" or not self.is_number and isinstance(made, str) and made in self.answers

    def answer(self, made):
        """Return what a guess is told: a sign, and a text; the guess "" asks to be told without guessing."""
        if self.is_number:
            return self._answer_number(made)
        if made == "":
            return "", f"The answer: {self.right}. {without_praise(self.answers[self.right])}"
        return "✓" if made == self.right else "✗", f"Your guess: {made}. {self.answers[made]}"

    def _answer_number(self, made):
        right = f"{self.right:.6g}"
        if made == "":
            return "", f"The answer: {right}. {without_praise(self.feedback['near'])}"
        which = "near" if abs(made - self.right) <= self.near else "low" if made < self.right else "high"
        return "✓" if which == "near" else "✗", f"Your guess: {made:.6g}; it is {right}. {self.feedback[which]}"

    def every_answer(self):
        """Return all texts that may stand where the question stood."""
        low, high = self.answers[:2] if self.is_number else (None, None)
        guesses = ["", self.right, low, high] if self.is_number else ["", *self.answers]
        return [self.answer(made)[1] for made in guesses]

    def describe(self):
        """Return the question and what may be answered, as text."""
        choices = "{:.6g} to {:.6g}".format(*self.answers[:2]) if self.is_number else " / ".join(self.answers)
        return f"Guess first: {self.question} ({choices})"


def guess(question, answers, right, feedback=None, *, near=None):
    """Ask the learner to commit to a guess before they explore: ``explore(draw, guess=guess(...), ...)``.

    The question stands where the controls will be; they come with the answer, which depends on the guess.

    Parameters
    ----------
    question : str
    answers : dict of str to str, or (low, high, step)
        Each choice with what is said to someone who chose it; or the range of a number on a slider.
    right : str or float
        The choice, or the number, that is right.
    feedback : dict with "low", "near" and "high", optional
        For a number: what is said to a guess below, near and above the right one; "near" also to someone who would
        rather be told.
    near : float, optional
        For a number: how far off still counts as near.

    Raises
    ------
    ValueError
        If the right answer is none of the choices or outside the range, or something is missing.
    """
    if not isinstance(question, str) or not question.strip().endswith("?"):
        raise ValueError(f"a guess needs a question, which ends with a question mark, got {question!r}")
    check = _check_choices if isinstance(answers, dict) else _check_number
    check(answers, right, feedback, near)
    return Guess(question, answers, right, feedback, near)


def _check_choices(answers, right, feedback, near):
    if len(answers) < 2 or not all(_is_text(part) for pair in answers.items() for part in pair):
        raise ValueError(f"a guess needs two choices or more, each with what is said to who chose it, got {answers!r}")
    if not isinstance(right, str) or right not in answers:
        raise ValueError(f"the right answer {right!r} is none of the choices: {', '.join(answers)}")
    if feedback is not None or near is not None:
        raise ValueError("feedback and near are for numbers; what is said to a choice stands beside it in answers")


def _check_number(answers, right, feedback, near):
    if not isinstance(answers, tuple) or len(answers) != 3:
        raise ValueError(f"answers must be a dict of choices or (low, high, step), got {answers!r}")
    low, high, step = answers
    check_real("low", low)
    check_real("high", high, low=low, low_open=True)
    check_real("step", step, low=0, high=high - low, low_open=True)
    check_real("right", right, low=low, high=high)
    if near is None:
        raise ValueError("a guessed number needs near=: how far off still counts as near")
    check_real("near", near, low=0)
    wanted = {"low", "near", "high"}
    if not isinstance(feedback, dict) or set(feedback) != wanted or not all(map(_is_text, feedback.values())):
        raise ValueError(f'a guessed number needs feedback with "low", "near" and "high", got {feedback!r}')


def _is_text(value):
    return isinstance(value, str) and value.strip() != ""


ASK_AGAIN = "ask me again"


class Question(anywidget.AnyWidget):
    """A guess on the page: see guesses.js. First it asks; once ``guess`` is set it tells the answer.

    A cell that is run again does not ask again; where there is a memory, a button under ``again`` does.
    """

    _esm = Path(__file__).with_name("guesses.js")
    _css = Path(__file__).with_name("guesses.css")
    question = Unicode().tag(sync=True)
    choices = List().tag(sync=True)
    range = Dict().tag(sync=True)
    guess = Any(None, allow_none=True).tag(sync=True)
    """What was chosen; "" for someone who would rather be told; None before."""
    again = Unicode().tag(sync=True)
    sign = Unicode().tag(sync=True)
    answer = Unicode().tag(sync=True)

    def __init__(self, asked, width):
        width = max(width, LEAST_WIDTH)
        low, high, step = asked.answers if asked.is_number else (0, 1, 1)
        self.asked, self._key = asked, key_of(asked.question)
        made = recall("guesses", self._key)
        made = made if asked.may_be(made) else None
        again = ASK_AGAIN if made is not None and is_there() else ""
        self.height_asking = height_of(asked.question, width) + BUTTONS + 12
        self.height_answered = max(height_of(f"{text} {again}".strip(), width) for text in asked.every_answer()) + 4
        super().__init__(
            question=asked.question,
            layout=widgets.Layout(max_width=f"{width}px"),
            choices=[] if asked.is_number else list(asked.answers),
            range={"low": low, "high": high, "step": step} if asked.is_number else {},
            guess=made,
            again=again,
        )
        self._tell()
        self.observe(self._keep, "guess")

    @property
    def is_answered(self):
        """Whether the learner has guessed, or has asked to be told."""
        return self.guess is not None

    def _keep(self, _):
        if self.is_answered:
            remember("guesses", self._key, self.guess)
        else:
            forget("guesses", self._key)
        self._tell()

    def _tell(self):
        self.sign, self.answer = self.asked.answer(self.guess) if self.is_answered else ("", "")


# ---------------------------------------------------------------------------------------------------------------
# Goals
# ---------------------------------------------------------------------------------------------------------------
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
    if not _is_text(text):
        raise ValueError(f"goal {name} needs a text that says what is to be reached, got {text!r}")
    if not isinstance(by, dict) or not by:
        raise ValueError(f"goal {name} needs by=: a setting of the controls that reaches it, got {by!r}")
    return Goal(name, text, check_callable("reached", reached), by)


class Goals(widgets.HTML):
    """The goals of a picture on the page, each in a line with a box that is ticked once it is reached."""

    def __init__(self, goals, width):
        self.goals = tuple(goals)
        super().__init__(layout=widgets.Layout(width="100%", max_width=f"{width}px", margin="0"))
        self.add_class("mlcore-goals")
        self.height = sum(height_of(f"☐ Goal: {goal.text}", width) + 4 for goal in self.goals)
        self._write()

    def check_names(self, numbers):
        """Raise ValueError if a goal asks for a number that the picture does not have."""
        for goal in self.goals:
            if unknown := [name for name in goal.asks_for if name not in numbers]:
                there = ", ".join(numbers)
                raise ValueError(f"goal {goal.name} asks for {unknown[0]!r}, but the picture has: {there}")

    def tick(self, numbers):
        """Tick off and remember what is reached with these numbers; it stays so."""
        reached = {goal.name for goal in self.goals if goal.holds(numbers)}
        if reached and (fresh := reached - remembered("goals")):
            for name in fresh:
                remember("goals", name)
            self._write()

    def _write(self):
        done = remembered("goals")
        self.value = "".join(_line(goal, goal.name in done) for goal in self.goals)


def _line(goal, is_reached):
    sign, word, look = ("☑", "Reached", " mlcore-reached") if is_reached else ("☐", "Goal", "")
    return f'<div class="mlcore-goal{look}">{sign} <b>{word}:</b> {html.escape(goal.text)}</div>'
