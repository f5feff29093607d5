"""Exercises that answer back: ``grade("7.3", answer)`` says whether the answer is right, or what went wrong.

One file a chapter holds its graders, most of them as tables (``tables``). A grader is a function that raises ``Wrong``
and says what the mistake is, where it recognises one, and returns nothing when the answer is right::

    @exercise(
        "7.3",
        hint="Which multiplier goes with b, and what does its condition say?",
        step="Write the Lagrangian of the two points and set its derivative in b to zero.",
        wrong=[-0.5, 2],
    )
    def dual_of_a_point(answer):
        value = number(answer)
        if close(value, -0.5):
            raise Wrong("the sign is turned: the dual is maximised.")
        expect(close(value, 0.5))

A learner gets help in two stages, and none before an attempt. A wrong answer is told what the mistake is. Where the
grader does not recognise it (``expect`` without a text, ``Unknown``) the ``hint`` gives the direction. From the second
wrong answer on, the ``step`` is the next thing to do. ``hint("7.3")`` gives both to someone who asks.
"""

import html
import importlib
import math
import sys
import warnings
from collections import Counter
from dataclasses import dataclass

import numpy as np

from mlcore.base import say
from mlcore.classroom.calm import is_waiting, running_shell
from mlcore.classroom.course import CHAPTERS, chapter
from mlcore.classroom.memory import remember, remembered

__all__ = [
    "Exercise",
    "Malformed",
    "Unknown",
    "Verdict",
    "Wrong",
    "array",
    "call",
    "check_answer",
    "choice",
    "close",
    "exercise",
    "exercises_of",
    "expect",
    "grade",
    "hint",
    "last_verdicts",
    "next_exercise",
    "number",
    "progress",
]

_REGISTRY = {}
_VERDICTS = {}
_STAGES = Counter()
"""How much help was given on an exercise since Python was started: wrong answers, and hints asked for."""


class Wrong(Exception):
    """Raised by a grader: the answer is wrong, and the message says what the mistake is."""


class Unknown(Wrong):
    """The answer is wrong in a way that the grader does not recognise; the message, if any, says where it shows.

    A ``step`` of its own stands in for that of the exercise: the next step for one part of the answer.
    """

    def __init__(self, where="", step=None):
        super().__init__(where)
        self.step = step


class Malformed(Wrong):
    """The answer is none of the kind asked for, or cannot be run: no attempt at the question yet."""


class _NotAttempted(Exception):
    """Raised when a learner's function still returns ``...``."""


@dataclass(frozen=True)
class Exercise:
    """A grader, and what helps somebody who got it wrong."""

    id: str
    check: object
    hint: str
    """The direction: where to look."""
    step: str
    """The next step: what to do."""
    wrong: tuple = ()
    """Wrong answers that learners really give; the tests see to it that they are told different mistakes."""
    right: tuple = ()
    """Right answers in other forms than the solution's (a column, rounded, another seed); the tests hold them too."""
    said: tuple = ()
    """What each of ``wrong`` is to be told, or None where it has no words of its own."""


SIGNS = {
    "correct": ("✓", "background:#dff3e4;color:#0b4f22"),
    "wrong": ("✗", "background:#fbe3df;color:#7a1408"),
    "not attempted": ("○", "background:#ececec;color:#333333"),
}


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check: ``status`` is "correct", "wrong" or "not attempted"."""

    id: str
    status: str
    message: str = ""
    """What the mistake is, or where it shows."""
    help: str = ""
    """A direction or the next step."""
    attempt: bool = False
    """Whether a wrong answer was one to the question, so that the next one gets more help."""

    def __str__(self):
        return f"{SIGNS[self.status][0]} {self.id} {self._rest()}"

    def _rest(self):
        said = f"is {self.status}{' yet' if self.status == 'not attempted' else ''}"
        said = f"{said}: {self.message}" if self.message else f"{said}."
        return f"{said} {self.help}".rstrip()

    def _repr_html_(self):
        sign, colours = SIGNS[self.status]
        badge = f'<span style="{colours};border-radius:3px;padding:1px 6px">{sign} {self.id}</span>'
        return f"<div>{badge} {html.escape(self._rest())}</div>"


def exercise(id, hint, step, wrong=(), right=(), said=()):
    """Register a grader under its id ("chapter.number").

    Parameters
    ----------
    id : str
        Such as "7.3".
    hint : str
        The direction: told to a first wrong answer whose mistake is not recognised.
    step : str
        The next step: told from the second wrong answer on. Neither holds the answer.
    wrong : sequence
        Typical wrong answers, each to be refused by the grader (held by the tests).
    right : sequence
        Right answers as learners may also write them, each to be accepted (held by the tests).
    said : sequence of (str or None)
        What is to be said of each of ``wrong``, where that is known.
    """

    def register(check):
        if id in _REGISTRY and _REGISTRY[id].check.__qualname__ != check.__qualname__:
            raise ValueError(f"there are two graders for exercise {id}")
        _REGISTRY[id] = Exercise(id, check, hint, step, tuple(wrong), tuple(right), tuple(said))
        return check

    return register


def _load(number):
    importlib.import_module(f"mlcore.classroom.exercises.{chapter(number).name}")


def exercises_of(number):
    """Return the exercises of a chapter, in order (an empty list where it has none)."""
    try:
        _load(number)
    except ModuleNotFoundError as error:  # a chapter without exercises; anything else missing is a real error
        if error.name != f"mlcore.classroom.exercises.{chapter(number).name}":
            raise
    own = [entry for key, entry in _REGISTRY.items() if key.partition(".")[0] == str(number)]
    return sorted(own, key=lambda entry: int(entry.id.partition(".")[2]))


def _find(id):
    number, dot, rest = str(id).partition(".")
    if not (number.isdigit() and dot and rest.isdigit()):
        raise ValueError(f'an exercise is named like "7.3" (chapter, number), got {id!r}')
    known = exercises_of(int(number))
    for entry in known:
        if entry.id == id:
            return entry
    listed = ", ".join(entry.id for entry in known) or "none"
    raise ValueError(f"there is no exercise {id!r}; chapter {number} has: {listed}")


def check_answer(id, answer, stage=0):
    """Return the ``Verdict`` on an answer; ``...`` (or a function that returns it) means that nothing was tried yet.

    A learner's answer never makes this raise: an exception inside it becomes part of the verdict. The one exception is
    a name that is not there because cells above have not run, which is no fault of the answer.

    Parameters
    ----------
    id : str
    answer : object
    stage : int
        How much help was given before: it decides which comes with a wrong answer.

    Raises
    ------
    ValueError
        If there is no exercise of that id.
    """
    entry = _find(id)
    if _untouched(answer):
        return Verdict(id, "not attempted")
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            entry.check(answer)
    except _NotAttempted:
        return Verdict(id, "not attempted")
    except Malformed as wrong:
        return Verdict(id, "wrong", str(wrong))
    except Wrong as wrong:
        direction = f"Hint: {entry.hint}" if isinstance(wrong, Unknown) else ""
        step = f"Next step: {getattr(wrong, 'step', None) or entry.step}"
        return Verdict(id, "wrong", str(wrong), step if stage else direction, attempt=True)
    except Exception as error:
        if is_waiting(error):
            raise
        return Verdict(id, "wrong", f"Checking your answer raised {type(error).__name__}: {error}")
    return Verdict(id, "correct")


def hint(id):
    """Say in which direction to look; asked again, or after a wrong answer, also the next step.

    Parameters
    ----------
    id : str
        The exercise, such as "7.3".

    Raises
    ------
    ValueError
        If there is no exercise of that id.
    """
    entry = _find(id)
    say(f"{id}: {entry.hint}" + (f" Next step: {entry.step}" if _STAGES[id] else ""))
    _STAGES[id] += 1


def grade(id, answer):
    """Check an answer and show the verdict, one line; an exercise that the learner solved is remembered.

    Parameters
    ----------
    id : str
        The exercise, such as "7.3".
    answer : object
        A number, an array, a word or a function, as the exercise says; ``...`` while it is not attempted.

    Raises
    ------
    ValueError
        If there is no exercise of that id.
    """
    verdict = _VERDICTS[id] = check_answer(id, answer, _STAGES[id])
    _STAGES[id] += verdict.attempt
    shell = running_shell()
    if verdict.status == "correct" and not _runs_a_solution(shell):
        remember("exercises", id)
    if hasattr(shell, "kernel"):
        bundle = {"text/plain": str(verdict), "text/html": verdict._repr_html_()}
        sys.modules["IPython"].display.display(bundle, raw=True)
    else:
        say(verdict)


def _runs_a_solution(shell):
    """Whether the cell that runs is the course's solution, which its first line says."""
    request = getattr(shell, "get_parent", dict)() or {}
    return request.get("content", {}).get("code", "").startswith("# Solution")


def last_verdicts():
    """Return {id: Verdict}: what ``grade`` said last of each exercise, since Python was started."""
    return dict(_VERDICTS)


def progress():
    """Return {chapter: (solved, all)}, numbers of exercises, for every chapter that has some."""
    solved = remembered("exercises")
    ids = {number: {entry.id for entry in exercises_of(number)} for number in (c.number for c in CHAPTERS)}
    return {number: (len(own & solved), len(own)) for number, own in ids.items() if own}


def next_exercise():
    """Return the first exercise not solved of the first chapter that is begun, else of the first chapter; or None."""
    done = progress()
    unfinished = [number for number, (solved, there) in done.items() if solved < there]
    begun = [number for number in unfinished if done[number][0] > 0]
    if not unfinished:
        return None
    solved = remembered("exercises")
    return next(entry.id for entry in exercises_of((begun or unfinished)[0]) if entry.id not in solved)


def _untouched(answer):
    """Whether an answer is still the stub: ``...`` or a container of nothing else."""
    if isinstance(answer, dict):
        return len(answer) > 0 and all(_untouched(value) for value in answer.values())
    if isinstance(answer, (tuple, list)):
        return len(answer) > 0 and all(_untouched(value) for value in answer)
    return answer is ...


# ---------------------------------------------------------------------------------------------------------------
# What graders are made of
# ---------------------------------------------------------------------------------------------------------------
def expect(condition, mistake=None):
    """Raise ``Wrong`` unless the condition holds; say what the mistake is, if that is known."""
    if not condition:
        raise Unknown() if mistake is None else Wrong(mistake)


def close(value, target, rtol=1e-6, atol=1e-9):
    """Whether a number or array equals the target up to rounding (same shape, all finite)."""
    value, target = np.asarray(value, dtype=float), np.asarray(target, dtype=float)
    return value.shape == target.shape and bool(np.allclose(value, target, rtol=rtol, atol=atol))


def number(answer, finite=True):
    """Return an answer that must be one (finite) number, also alone in a list or an array, as a float."""
    answer = _alone(answer)
    if isinstance(answer, (str, bytes, bool, np.bool_)) or answer is None:
        raise Malformed(f"a number is asked for, got {answer!r}.")
    try:
        value = _floats(answer)
    except (TypeError, ValueError):
        raise Malformed(f"a number is asked for, got {type(answer).__name__}.") from None
    if value.size != 1:
        raise Malformed(f"one number is asked for, got {value.size} of them.")
    value = float(value.reshape(()))
    if finite and not math.isfinite(value):
        raise Malformed(f"a finite number is asked for, got {value}.")
    return value


def array(answer, shape=None, finite=True):
    """Return an answer that must be a (finite) array, as floats; in the given shape, for which a column is a row."""
    if isinstance(answer, set | frozenset):
        raise Malformed("a set has no order; give a list.")
    if answer is None or isinstance(answer, str) or callable(answer):
        raise Malformed(f"an array is asked for, got {type(answer).__name__}.")
    try:
        value = _floats(answer)
    except (TypeError, ValueError):
        raise Malformed("an array of numbers is asked for; this one holds something else or is ragged.") from None
    if shape is not None and value.shape != tuple(shape):
        if [size for size in value.shape if size != 1] != [size for size in shape if size != 1]:
            raise Malformed(f"the shape should be {tuple(shape)}, yours is {value.shape}.")
        value = value.reshape(shape)
    if finite and not np.isfinite(value).all():
        raise Malformed("your array holds NaN or infinity.")
    return value


def choice(answer, choices):
    """Return an answer that must be one of a few words (case and outer spaces do not matter)."""
    answer = _alone(answer)
    word = str(answer).strip().lower() if isinstance(answer, str) else None
    if word not in choices:
        raise Malformed(f"answer with one of {', '.join(map(repr, choices))}, got {answer!r}.")
    return word


def _alone(answer):
    """What stands alone in a list, a tuple or an array, of any depth; else the answer itself."""
    while isinstance(answer, list | tuple) and len(answer) == 1:
        answer = answer[0]
    return answer.reshape(-1)[0] if isinstance(answer, np.ndarray) and answer.size == 1 else answer


def _floats(answer):
    """An array of floats; ``TypeError`` or ``ValueError`` where it holds something else, such as complex numbers."""
    value = np.asarray(np.real_if_close(answer))
    texts = value.ravel().tolist() if value.dtype.kind == "O" else ()
    if value.dtype.kind in "SU" or any(isinstance(one, str | bytes) for one in texts):
        raise Malformed("an array of numbers is asked for; this one holds text.")
    if value.dtype.kind not in "biufO":
        raise TypeError(value.dtype)
    return value.astype(float)


def call(answer, *args, **kwargs):
    """Call a learner's function on copies of the arguments; what it raises is a hint.

    Also refuses a function that changes its arguments in place, since the caller's data would be lost.
    """
    if not callable(answer) or isinstance(answer, type):
        raise Malformed(f"a function is asked for, got {type(answer).__name__}.")
    copies = [np.array(value) if isinstance(value, np.ndarray) else value for value in args]
    try:
        result = answer(*copies, **kwargs)
    except Wrong:  # a grader's own word, from a function that it handed in
        raise
    except Exception as error:
        if is_waiting(error):
            raise
        raise Malformed(f"your function raised {type(error).__name__}: {error}") from error
    for given, original in zip(copies, args, strict=True):
        if isinstance(original, np.ndarray) and not _equal(given, original):
            raise Wrong("your function changes its input in place; work on a copy.")
    if result is ...:
        raise _NotAttempted
    if result is None:
        raise Malformed("your function returns nothing: is the return statement missing?")
    return result


def _equal(a, b):
    return a.shape == b.shape and all(
        x is y or x == y or (x != x and y != y) for x, y in zip(a.ravel(), b.ravel(), strict=True)
    )
