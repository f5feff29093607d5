"""Exercises that answer back: ``grade("7.3", answer)`` says whether the answer is right, or what went wrong.

One file a chapter holds its graders: as tables (``implement``, ``answer``: see ``tables``), or, where a table cannot
say it, as functions (``exercise``: see ``grading``).
"""

from mlcore.classroom.exercises.grading import (
    Exercise,
    Malformed,
    Unknown,
    Verdict,
    Wrong,
    array,
    call,
    check_answer,
    close,
    exercise,
    exercises_of,
    expect,
    grade,
    hint,
    last_verdicts,
    next_exercise,
    number,
    progress,
)
from mlcore.classroom.exercises.tables import Case, answer, implement

__all__ = [
    "answer",
    "array",
    "call",
    "Case",
    "check_answer",
    "close",
    "Exercise",
    "exercise",
    "exercises_of",
    "expect",
    "grade",
    "hint",
    "implement",
    "last_verdicts",
    "Malformed",
    "next_exercise",
    "number",
    "progress",
    "Unknown",
    "Verdict",
    "Wrong",
]
