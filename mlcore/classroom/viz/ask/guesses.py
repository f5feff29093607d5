"""Predict, then see: a question to commit to before a picture."""

import math
import re

from mlcore.base import check_real
from mlcore.classroom.memory import forget, is_there, key_of, recall, remember
from mlcore.classroom.viz.ask.holds import Hold

__all__ = ["Guess", "Question", "guess"]

LINE = 20
"""The height of a line of text, in pixels."""
CHARACTER = 7.2
"""The mean width of a character, in pixels; rather too wide."""
BUTTONS = 34
"""The height of a row of buttons."""


def height_of(text, width, line=LINE):
    """Pixels that a text takes in lines of a width, roughly."""
    return line * -int(-len(text) * CHARACTER // width)


def without_praise(text):
    """What is said to a right guess, as it is said to someone who has not guessed: without "Right:" or "Yes,"."""
    return capitalised(re.sub(r"^(Right|Yes)[:.,] ", "", text))


def capitalised(text):
    """The text with its first letter large, and the others as they are; a symbol stays: "w·x = 0", and δ is not Δ."""
    is_symbol = "α" <= text[:1] <= "ω" or not text[1:2].isalpha() and not text.startswith("a ")
    return text if is_symbol else text[:1].upper() + text[1:]


class Guess:
    """A question asked before a picture moves; see ``guess``."""

    def __init__(self, question, answers, right, feedback, near, seen, when):
        self.question, self.answers, self.right, self.feedback, self.near = question, answers, right, feedback, near
        self.seen, self.when = seen, when or {}
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


def guess(question, answers, right, feedback=None, *, near=None, seen=None, when=None):
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
    seen : Hold, optional
        For a number: where it is seen in the picture. ``hold("x")``: on the x axis; what was guessed and what is right
        are then drawn there.
    when : dict, optional
        Settings of controls of which the question speaks, such as {"degree": 9}: at others nothing is drawn.

    Raises
    ------
    ValueError
        If the right answer is none of the choices or outside the range, or something is missing.
    """
    if not isinstance(question, str) or not question.strip().endswith("?"):
        raise ValueError(f"a guess needs a question, which ends with a question mark, got {question!r}")
    check = _check_choices if isinstance(answers, dict) else _check_number
    check(answers, right, feedback, near)
    if not isinstance(seen, Hold | None) or (seen and isinstance(answers, dict)):
        raise ValueError(f"seen must be hold(...), of a number that is guessed, got {seen!r}")
    if not isinstance(when, dict | None) or (when and not seen):
        raise ValueError(f"when must be settings by name at which seen shows what is right, got {when!r}")
    return Guess(question, answers, right, feedback, near, seen, when)


def _check_choices(answers, right, feedback, near):
    if len(answers) < 2 or not all(is_text(part) for pair in answers.items() for part in pair):
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
    if not isinstance(feedback, dict) or set(feedback) != wanted or not all(map(is_text, feedback.values())):
        raise ValueError(f'a guessed number needs feedback with "low", "near" and "high", got {feedback!r}')


def is_text(value):
    return isinstance(value, str) and value.strip() != ""


def _alike(one, other):
    return math.isclose(one, other) if isinstance(one, float) else one == other


ASK_AGAIN = "ask me again"


class Question:
    """A guess as it is put to a learner: first it asks; once they have committed themselves it tells the answer.

    A cell that is run again does not ask again; where there is a memory, a button under ``again`` does.

    Attributes
    ----------
    made : str, float or None
        What was guessed; "" for someone who would rather be told; None before.
    """

    def __init__(self, asked):
        self.asked, self._key = asked, key_of(asked.question)
        made = recall("guesses", self._key)
        self.made = made if asked.may_be(made) else None
        self.again = ASK_AGAIN if self.made is not None and is_there() else ""

    @property
    def is_answered(self):
        """Whether the learner has guessed, or has asked to be told."""
        return self.made is not None

    def commit(self, made):
        """Keep a guess, or with None ask anew; what may not be guessed changes nothing."""
        if made is None:
            forget("guesses", self._key)
        elif self.asked.may_be(made):
            remember("guesses", self._key, made)
        else:
            return
        self.made = made

    def spec(self):
        """What does not change: the question, its choices or the range of its number, and the name of its memory."""
        choices, range_ = ([], list(self.asked.answers)) if self.asked.is_number else (list(self.asked.answers), None)
        return {"text": self.asked.question, "choices": choices, "range": range_, "key": self._key}

    def state(self):
        """The guess, whether it was right ("✓", "✗" or ""), what is told, and the words of the way back."""
        sign, answer = self.asked.answer(self.made) if self.is_answered else ("", "")
        return {"made": self.made, "sign": sign, "answer": answer, "again": self.again}

    def stands(self, numbers):
        """Whether the picture is at the settings of which the question speaks."""
        return all(_alike(numbers[name], value) for name, value in self.asked.when.items())

    def signs(self, figure):
        """Where guess and truth are drawn in a figure: role, text and place (see ``Hold.place``) of each."""
        seen = self.asked.seen
        if seen is None or not self.is_answered:
            return []
        told = [("truth", f"it is {self.asked.right:.4g}", self.asked.right)]
        if self.made != "":
            told.append(("chosen", f"your guess {self.made:.4g}", self.made))
        places = [(role, text, seen.place(figure, float(value))) for role, text, value in told]
        return [{"role": role, "text": text, "along": seen.along, "at": at} for role, text, at in places if at]

    def heights(self, width):
        """Pixels that it takes at most while it asks, and once it is answered."""
        answers = [f"{text} {self.again}".strip() for text in self.asked.every_answer()]
        return height_of(self.asked.question, width) + BUTTONS + 12, max(height_of(a, width) for a in answers) + 4
