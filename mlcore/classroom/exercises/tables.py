"""Graders as tables: what is right, on which cases, and each mistake once, beside what is said about it.

    implement(
        "0.98",
        hint="What does half a degree look like on the other scale?",
        step="Write the straight line through (0, 32) and (100, 212).",
        right=lambda celsius: 32 + 1.8 * celsius,
        cases=[(0.0,), (np.array([-40.0, 100.0]),)],
        mistakes={
            "the zero of the other scale lies 32 degrees lower.": lambda celsius: 1.8 * celsius,
            "add 32 after the factor.": lambda celsius: 1.8 * (celsius + 32),
        },
    )
    answer("0.97", hint="...", step="...", right=212, mistakes={"that is where water freezes.": 32})

**One rule for every answer.** A list, a tuple, an array, a row and a column are one thing where their numbers stand in
the same order; a set has none. What is alone, a number or a word, may stand in a list. A number in quotation marks is
none, alone or in a list. Capitals and outer spaces of a word do not matter. A number may be rounded to the ``digits``
that the question names, and not farther; where it names none, the exact one is asked for.

**The order of what is said.** First a mistake that the table knows, the first of those that fit; one that fits exactly
goes before one that fits when rounded, to two figures at least. It may have another form than the right answer. Before
those that fit when rounded: that the right answer is rounded too far. Then what is wrong with the form. Then the words
of the case (``Case``), the part (``parts``), or ``otherwise``.
"""

import copy
import functools

import numpy as np

from mlcore.classroom.exercises.grading import (
    Malformed,
    Unknown,
    Wrong,
    _alone,
    array,
    call,
    choice,
    exercise,
    number,
)

__all__ = ["Case", "answer", "implement"]


class Case(tuple):
    """The arguments of a case that has words of its own: what is said of an answer that is wrong there.

    Parameters
    ----------
    *given : object
        The arguments.
    said : str or callable
        The words, or ``said(value, wanted)`` that gives them. The value may be infinite or NaN.
    """

    def __new__(cls, *given, said):
        """Make the tuple of the arguments, and hang the words on it."""
        made = super().__new__(cls, given)
        made.said = said
        return made


def answer(id, *, hint, step, right, mistakes=None, otherwise=None, parts=None, also_right=(), also_wrong=(),
           words=None, asked=None, key=None, digits=None, rtol=1e-6, atol=1e-9, then=None):  # fmt: skip
    """Register the grader of a question whose answer is a number, a list, several of them, or a word.

    Parameters
    ----------
    id : str
    hint, step : str
        The direction and the next step, see ``exercise``.
    right : object
        A number, a word, an array, or a tuple of these; or a function without arguments that computes it.
    mistakes : dict
        {what is said: the wrong answer that it belongs to, a list of several, or a function that recognises it}.
        With ``parts``, None in a wrong answer stands for a part that the mistake does not concern; it is compared
        with the first part that is wrong. One without None is compared whole.
    otherwise : str or callable
        What is said where no mistake fits: a fact, or ``otherwise(value)`` that gives it, or raises ``Wrong``.
    parts : sequence of (name, step)
        The parts of a right tuple or list: the first that is wrong is named where no mistake fits.
    also_right, also_wrong : sequence
        Other right forms; wrong answers whose mistake has no words of its own. The tests try them.
    words : sequence of str, optional
        The words among which to choose.
    asked : str, optional
        What is asked for, said to an answer of another form.
    key : callable, optional
        What of an answer is compared: ``key(answer)``, which may raise ``Wrong``.
    digits : int, optional
        Digits after the point to which the question lets a number be rounded.
    rtol, atol : float
    then : callable, optional
        ``then(value)`` says what else is wrong, by ``Wrong`` or ``expect``.
    """
    table = {said: wrong if isinstance(wrong, list) else [wrong] for said, wrong in (mistakes or {}).items()}
    how = {"rtol": rtol, "atol": atol, "digits": digits, "key": key}

    def check(given):
        wanted = right() if callable(right) else right
        if _fits(given, wanted, words, **how):
            return then(_shaped(given, wanted, words)) if then else None
        value = _tried(given, wanted, words, None)

        def fits(other, near):
            if callable(other):
                return near is how and value is not None and other(value)
            if near is None:
                return _is_rounded(value, other)
            if parts and isinstance(other, tuple) and any(one is None for one in other):
                return value is not None and _fits_part(value, other, wanted, words, **near)
            return _fits(given, _tried(other, wanted, words, other), words, **near)

        for near in ({**how, "rtol": 1e-6, "atol": 1e-9, "digits": None}, how, None):
            if near is None and _is_rounded(value, wanted):
                raise Wrong(f"rounded too far: {_asked(digits) if digits else 'the exact answer is asked for.'}")
            for said, several in table.items():
                if any(fits(other, near) for other in several):
                    raise Wrong(said)
        _refuse(_shaped(given, wanted, words, asked), wanted, parts, otherwise, (), how)

    check.__qualname__ = f"answer_{id}"
    filled = {said: [_filled(one, right) for one in several if not callable(one)] for said, several in table.items()}
    _register(check, id, hint, step, filled, also_wrong, ([] if callable(right) else [right]) + list(also_right))


def implement(id, *, hint, step, right, cases, mistakes=None, otherwise=None, parts=None, also_right=(),
              also_wrong=(), words=None, asked=None, key=None, digits=None, rtol=1e-6, atol=1e-9, any_length=False,
              then=None):  # fmt: skip
    """Register the grader of a function to write: it must agree with the right one on every case.

    A mistake is recognised where the answer agrees with it on all the cases on which it is a mistake; of several, one
    with which it agrees on all cases goes before.

    Parameters
    ----------
    id : str
    hint, step : str
        The direction and the next step, see ``exercise``.
    right : callable
    cases : callable or sequence
        ``cases(rng)`` yields tuples of arguments, edge cases among them; or a list of tuples. A ``Case`` has words
        of its own. The seed of ``rng`` is the number of the exercise without its point.
    mistakes : dict
        {what is said: the function that makes the mistake, or the keywords with which ``right`` makes it; or a list
        of several}.
    otherwise : str or callable
        What is said where no mistake fits: a fact, or ``otherwise(value, wanted, *case)`` that gives it, or raises
        ``Wrong``; of the first case that is wrong.
    parts : sequence of (name, step)
        The parts of a result that is a tuple. The first that is wrong is compared with the mistakes, or else named.
    also_right, also_wrong : sequence of callables
        Other right forms; wrong ones whose mistake has no words of its own. The tests try them.
    words : sequence of str, optional
        The words among which a result is to be.
    asked : str, optional
        What is asked for, said of a result of another form.
    key : callable, optional
        What of a result is compared: ``key(result)``, which may raise ``Wrong``.
    digits : int, optional
        Digits after the point to which a result may be rounded.
    rtol, atol : float
    any_length : bool
        Whether a result with another number of entries is a wrong one, not one of another form.
    then : callable, optional
        ``then(answer)`` checks what cases cannot, by ``Wrong`` or ``expect``.
    """

    def functions(several):
        several = several if isinstance(several, list | tuple) else [several]
        return [functools.partial(right, **one) if isinstance(one, dict) else one for one in several]

    table = {said: functions(wrong) for said, wrong in (mistakes or {}).items()}
    how = {"rtol": rtol, "atol": atol, "digits": digits, "key": key}

    def agreement(mistake, results):
        """0, or 1 if the results are those of a mistake on all cases on which it is one, or 2 if on all others, too."""
        found, more = 0, 1
        for case, wanted, result in results:
            other = mistake(*_copies(case))
            if _fits(other, wanted, words, **how):
                more &= _fits(result, wanted, words, **how)
            else:
                fits, wholes = (_fits_part, [other, wanted]) if parts else (_fits, [other])
                found = fits(result, *wholes, words, **how)
                if not found:
                    return 0
        return found and 1 + more

    def judge(results, stopped):
        judged = [(case, right(*_copies(case)), result) for case, result in results]
        bad = [one for one in judged if not _fits(one[2], one[1], words, **how)]
        if stopped and not bad:
            raise stopped
        known = {said: max(agreement(one, judged) for one in several) for said, several in table.items() if bad}
        if any(known.values()):
            raise Wrong(max(known, key=known.get))
        if bad and all(_is_rounded(result, wanted) for _, wanted, result in bad):
            raise Wrong(f"your result is rounded: {_asked(digits) if digits else 'return it as it is.'}")
        for case, wanted, result in bad:
            finite = not isinstance(case, Case)
            value = array(result, None, finite) if any_length else _shaped(result, wanted, words, asked, finite)
            if isinstance(case, Case):
                raise Wrong(case.said(value, wanted) if callable(case.said) else case.said)
            _refuse(value, wanted, parts, otherwise, case, how)

    def check(given):
        rng = np.random.default_rng(int(id.replace(".", "")))
        judge(*_results(given, cases(rng) if callable(cases) else cases))
        if then:
            then(given)

    check.__qualname__ = f"implement_{id}"
    _register(check, id, hint, step, table, functions(also_wrong), [right, *also_right])


def _register(check, id, hint, step, table, also_wrong, right):
    told = [(one, said) for said, several in table.items() for one in several if one is not None]
    told += [(one, None) for one in also_wrong]
    exercise(id, hint, step, [one for one, _ in told], right, [said for _, said in told])(check)


def _refuse(value, wanted, parts, otherwise, case, how):
    """Say what is known of a wrong answer whose mistake is not: the part, or ``otherwise``."""
    for (name, step), one, other in zip(parts, value, wanted) if parts else ():
        if not same(one, other, **how):
            raise Unknown(f"{name} is not right.", step)
    if callable(otherwise):
        otherwise = otherwise(value, wanted, *case) if case else otherwise(value)
    raise Unknown(otherwise or "")


def _filled(wrong, right):
    """A wrong answer of some parts as a whole one; None where the other parts are not known yet."""
    if not isinstance(wrong, tuple) or all(one is not None for one in wrong):
        return wrong
    return None if callable(right) else tuple(b if a is None else a for a, b in zip(wrong, right, strict=True))


def _is_rounded(value, other):
    """Whether a decimal fraction is another number to two figures or more; of several, each."""
    try:
        values, others = (np.ravel(np.asarray(one, dtype=float)) for one in (value, other))
        pairs = list(zip(values, others, strict=True))
    except (TypeError, ValueError):
        return False
    return bool(np.any(values % 1)) and all(any(_has_figures(a, b, n) for n in range(2, 9)) for a, b in pairs)


def _has_figures(value, other, n):
    """Whether a value is another number rounded to n figures; of two that are equally near either will do."""
    unit = 10.0 ** (np.floor(np.log10(abs(other))) - n + 1)
    return value == float(f"{value:.{n}g}") and abs(value - other) <= 0.5001 * unit


def _asked(digits):
    return f"{digits} digit{'s' * (digits > 1)} after the point {'are' if digits > 1 else 'is'} asked for."


def _results(given, cases):
    """(case, result) of a learner's function up to a case of which it gives none; and what it raised there, or None.

    Apart from the right results, since the variables of whatever called a function are shown where it is interrupted.
    """
    results = []
    for case in cases:
        try:
            results.append((case, call(given, *_copies(case))))
        except Malformed as raised:
            return results, raised
    return results, None


def _copies(case):
    return [copy.deepcopy(value) for value in case]


def _tried(given, wanted, words, instead):
    """An answer in the form of the right one, or something instead."""
    try:
        return _shaped(given, wanted, words)
    except Malformed:
        return instead


def _fits(given, other, words=None, **how):
    """Whether an answer is this one, right or wrong, in whichever form; NaN and infinity, too."""
    try:
        return same(_shaped(given, other, words, finite=False), _shaped(other, other, words, finite=False), **how)
    except Malformed:
        return False


def _fits_part(given, other, wanted, words=None, **how):
    """Whether the first part of an answer that is not as wanted is that of ``other``."""
    try:
        for one, that, good in zip(given, other, wanted, strict=True):
            if not _fits(one, good, words, **how):
                return that is not None and _fits(one, that, words, **how)
    except (TypeError, ValueError):
        pass
    return False


def _shaped(given, wanted, words=None, asked=None, finite=True):
    """An answer in the form of the right one, or ``Malformed``."""
    if isinstance(wanted, str):
        return choice(given, words or [wanted])
    if isinstance(wanted, bool | np.bool_):
        given = _alone(given)
        if not isinstance(given, bool | np.bool_):
            got = repr(given) if isinstance(given, str | int | float) else type(given).__name__
            raise _other_form(asked, f"True or False is asked for, got {got}.")
        return bool(given)
    if isinstance(wanted, tuple):
        if isinstance(given, list | tuple) and len(given) == 1 < len(wanted):
            given = given[0]
        if isinstance(given, np.ndarray) and given.size == len(wanted):
            given = given.ravel()
        if not isinstance(given, tuple | list | np.ndarray) or len(given) != len(wanted):
            raise Malformed(f"{asked or f'{len(wanted)} things are asked for, in this order, as a tuple'}.")
        return tuple(_shaped(one, other, words, asked, finite) for one, other in zip(given, wanted))
    if isinstance(wanted, dict):
        if not isinstance(given, dict) or set(given) != set(wanted):
            raise _other_form(asked, f"a dict with the keys {sorted(wanted)} is asked for.")
        return {key: _shaped(given[key], wanted[key], words, asked, finite) for key in wanted}
    if np.ndim(wanted) == 0:
        return number(given, finite)
    value = array(given, finite=finite)
    try:
        return array(value, np.shape(wanted), finite)
    except Malformed as other:
        raise _other_form(asked, str(other)) from None


def _other_form(asked, said):
    return Malformed(f"{asked}: {said}" if asked else said)


def same(value, wanted, rtol=1e-6, atol=1e-9, digits=None, key=None):
    """Whether two answers of one form are equal, up to rounding: of floats, or to the digits that were asked for."""
    how = {"rtol": rtol, "atol": atol, "digits": digits}
    if key:
        return same(key(value), key(wanted), **how)
    if isinstance(wanted, str | bool):
        return value == wanted
    if isinstance(wanted, dict):
        return all(same(value[name], wanted[name], **how) for name in wanted)
    if isinstance(wanted, tuple):
        return all(same(one, other, **how) for one, other in zip(value, wanted))
    value, wanted = np.asarray(value, dtype=float), np.asarray(wanted, dtype=float)
    grain = atol if digits is None else 0.5001 * 10.0**-digits
    return value.shape == wanted.shape and bool(np.allclose(value, wanted, rtol=rtol, atol=grain, equal_nan=True))
