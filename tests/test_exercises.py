"""The graders of every chapter: they refuse wrong answers, survive any answer, and say something useful."""

import numpy as np
import pytest

from mlcore import exercises
from mlcore.course import CHAPTERS
from mlcore.exercises import Wrong, call, check_answer, close, exercise, expect, grade, number

ALL = [entry for chapter in CHAPTERS for entry in exercises.exercises_of(chapter.number)]
GARBAGE = [
    None,
    0,
    -1,
    1e300,
    float("nan"),
    float("inf"),
    True,
    "",
    "word",
    b"x",
    [],
    {},
    (),
    [None],
    np.array([]),
    np.array(["a"]),
    np.full((2, 3), np.nan),
    object(),
    int,
    {"a": 1},
    range(3),
    1j,
    lambda *a, **k: None,
    lambda *a, **k: "word",
    lambda *a, **k: np.nan,
    lambda *a, **k: a[0] if a else 0,
    lambda *a, **k: 1 / 0,
    lambda: 0,
]


@pytest.fixture
def sample():
    """A grader for a chapter that has none of its own."""

    @exercise("0.99", hint="Try small numbers.", wrong=[3, 5])
    def seven(answer):
        value = number(answer)
        if close(value, 5):
            raise Wrong("that is the prime before.")
        expect(close(value, 7), "a prime between 5 and 11.")

    yield
    del exercises._REGISTRY["0.99"]


def test_verdicts(sample, capsys):
    assert str(check_answer("0.99", 7)) == "✓ 0.99 is correct."
    assert str(check_answer("0.99", 5)) == "✗ 0.99 is wrong: that is the prime before."
    assert str(check_answer("0.99", ...)) == "○ 0.99 is not attempted yet. Hint: Try small numbers."
    assert check_answer("0.99", (..., ...)).status == "not attempted"
    assert check_answer("0.99", "seven").status == "wrong"
    grade("0.99", 7)
    assert capsys.readouterr().out == "✓ 0.99 is correct.\n"


def test_in_a_notebook_a_verdict_has_sign_and_colour(sample, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.get_ipython", lambda: type("Shell", (), {"kernel": None}))
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    grade("0.99", 5)
    assert shown[0]["text/plain"] == "✗ 0.99 is wrong: that is the prime before."
    assert "✗ 0.99" in shown[0]["text/html"] and "color:#7a1408" in shown[0]["text/html"]
    assert "&lt;b&gt;" in exercises.Verdict("0.99", "wrong", "<b>")._repr_html_()


def test_an_unknown_exercise_is_named_with_those_there_are(sample):
    with pytest.raises(ValueError, match="chapter 0 has: .*0.99"):
        grade("0.98", 1)
    for odd in ("seven", "0", "0.", "99.1", 2.1, None):
        with pytest.raises(ValueError):
            grade(odd, 1)


def test_what_a_learners_function_prints_is_seen(capsys):
    assert call(lambda u: print("u is", u) or u, 3) == 3
    assert capsys.readouterr().out == "u is 3\n"


def test_call_protects_the_data_and_reports_what_went_wrong():
    x = np.arange(3.0)
    assert call(lambda u: u.sum(), x) == 3

    def spoils(u):
        u[0] = 9
        return u

    def breaks(u):
        raise ZeroDivisionError("by zero")

    def complains(u):
        raise Wrong("shuffle both alike.")

    with pytest.raises(Wrong, match="in place"):
        call(spoils, x)
    assert x.tolist() == [0, 1, 2]
    with pytest.raises(Wrong, match="ZeroDivisionError"):
        call(breaks, x)
    with pytest.raises(Wrong, match="^shuffle"):
        call(complains, x)
    with pytest.raises(Wrong, match="return"):
        call(lambda u: None, x)
    with pytest.raises(Wrong, match="function"):
        call(3, x)


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.id)
class TestEveryExercise:
    def test_untouched_is_not_attempted_and_gets_the_hint(self, entry):
        verdict = check_answer(entry.id, ...)
        assert verdict.status == "not attempted" and entry.hint in verdict.message and len(entry.hint.split()) >= 4

    def test_garbage_is_wrong_and_never_raises(self, entry):
        for answer in GARBAGE:
            if any(answer is w or (type(answer) is type(w) and repr(answer) == repr(w)) for w in entry.wrong):
                continue
            verdict = check_answer(entry.id, answer)
            assert verdict.status != "correct" or _plausible(answer), f"{entry.id} accepts {answer!r}"
            assert verdict.message or verdict.status == "correct"

    def test_typical_mistakes_are_refused_with_hints_of_their_own(self, entry):
        assert len(entry.wrong) >= 2, f"{entry.id}: list at least two typical wrong answers"
        verdicts = [check_answer(entry.id, answer) for answer in entry.wrong]
        assert all(verdict.status == "wrong" for verdict in verdicts), [str(v) for v in verdicts]
        assert len({verdict.message for verdict in verdicts}) >= 2, f"{entry.id}: every mistake gets the same hint"
        assert not any("Checking your answer raised" in verdict.message for verdict in verdicts)

    def test_right_answers_in_other_forms_are_accepted(self, entry):
        verdicts = [check_answer(entry.id, answer) for answer in entry.right]
        assert all(verdict.status == "correct" for verdict in verdicts), [str(v) for v in verdicts]


def _plausible(answer):
    """Simple constants may happen to be right answers; everything else in the garbage never is."""
    return isinstance(answer, (bool, int, float)) and np.isfinite(answer)


def test_every_chapter_with_a_notebook_has_four_to_six_exercises():
    from pathlib import Path

    source = Path(__file__).parent.parent / "notebooks" / "source"
    for chapter in CHAPTERS[1:]:
        if (source / chapter.notebook).with_suffix(".md").exists():
            assert 4 <= len(exercises.exercises_of(chapter.number)) <= 6, chapter.name
