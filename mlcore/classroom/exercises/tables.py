"""Graders as tables: what is right, on which cases, and each mistake once, beside what is said about it.

    implement(
        "17.2",
        hint="With α₁ = α₂ = α the dual is a parabola in α; where is its top, and may you go there?",
        step="Write W(α) = 2α - ½ α² ‖x₂ - x₁‖², set its slope to zero, then clip to [0, C].",
        right=lambda x1, x2, C: min(C, 2 / sq(x2 - x1)),
        cases=two_points,
        mistakes={
            "your α leaves the box: it may not exceed C.": lambda x1, x2, C: 2 / sq(x2 - x1),
            "the curvature is the *squared* distance.": lambda x1, x2, C: min(C, 2 / np.sqrt(sq(x2 - x1))),
        },
    )
    answer("17.1", hint="...", step="...", right=0.4, mistakes={"that is one half of the street.": 0.2})

**One rule for every answer.** A list, a tuple, an array and a column are one thing where their numbers stand in the
same order; with ``unordered`` the order of the entries is free, and a set will do. A number may be rounded to the
digits that the question asks for. Capitals and outer spaces of a word do not matter. A number in quotation marks is
none, alone or in a list.
"""

import numpy as np

from mlcore.classroom.exercises.grading import (
    Malformed,
    Unknown,
    Wrong,
    array,
    call,
    choice,
    exercise,
    number,
)

__all__ = ["answer", "implement", "same"]


def answer(id, *, hint, step, right, mistakes=None, also_right=(), also_wrong=(), words=None, digits=None, rtol=1e-6,
           unordered=False, then=None):  # fmt: skip
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
    also_right, also_wrong : sequence
        Other right forms; wrong answers whose mistake has no words of its own. The tests try them.
    words : sequence of str, optional
        The words among which to choose.
    digits : int, optional
        Digits after the point to which the question lets a number be rounded.
    rtol : float
    unordered : bool
        Whether the order of the entries is free.
    then : callable, optional
        ``then(value)`` says what else is wrong, by ``Wrong`` or ``expect``.
    """
    mistakes = mistakes or {}

    def check(given):
        wanted = right() if callable(right) else right
        value = _shaped(given, wanted, words)

        def fits(other):
            if callable(other):
                return other(value)
            return same(value, _shaped(other, wanted, words), rtol, digits, unordered)

        if fits(wanted):
            return then(value) if then else None
        for said, wrong in mistakes.items():
            if any(fits(other) for other in (wrong if isinstance(wrong, list) else [wrong])):
                raise Wrong(said)
        raise Unknown()

    named = [other for wrong in mistakes.values() for other in (wrong if isinstance(wrong, list) else [wrong])]
    check.__qualname__ = f"answer_{id}"
    exercise(id, hint, step, [one for one in named if not callable(one)] + list(also_wrong), also_right)(check)


def implement(id, *, hint, step, right, cases, mistakes=None, also_right=(), also_wrong=(), rtol=1e-6,
              unordered=False, then=None):  # fmt: skip
    """Register the grader of a function to write: it must agree with the right one on every case.

    A mistake is recognised where the answer agrees with it on all the cases on which it is a mistake.

    Parameters
    ----------
    id : str
    hint, step : str
        The direction and the next step, see ``exercise``.
    right : callable
    cases : callable or sequence
        ``cases(rng)`` yields tuples of arguments, edge cases among them; or a list of tuples.
    mistakes : dict
        {what is said: the function that makes the mistake}.
    also_right, also_wrong : sequence of callables
        Other right forms; wrong ones whose mistake has no words of its own. The tests try them.
    rtol : float
    unordered : bool
        Whether the order of the entries of a result is free.
    then : callable, optional
        ``then(answer)`` checks what cases cannot, by ``Wrong`` or ``expect``.
    """
    mistakes = mistakes or {}

    def check(given):
        agrees, right_everywhere = {}, True
        for case in cases(np.random.default_rng(0)) if callable(cases) else cases:
            wanted = right(*_copies(case))
            value = _shaped(call(given, *case), wanted)
            right_everywhere &= same(value, wanted, rtol, unordered=unordered)
            for said, wrong in mistakes.items():
                other = _shaped(wrong(*_copies(case)), wanted)
                if not same(other, wanted, rtol, unordered=unordered):
                    agrees[said] = agrees.get(said, True) and same(value, other, rtol, unordered=unordered)
        if not right_everywhere:
            said = next((said for said, every in agrees.items() if every), None)
            raise Unknown() if said is None else Wrong(said)
        if then:
            then(given)

    check.__qualname__ = f"implement_{id}"
    exercise(id, hint, step, [*mistakes.values(), *also_wrong], [right, *also_right])(check)


def _copies(case):
    return [np.array(value) if isinstance(value, np.ndarray) else value for value in case]


def _shaped(given, wanted, words=None):
    """An answer in the form of the right one, or ``Malformed``."""
    if isinstance(wanted, str):
        return choice(given, words or [wanted]) if words or isinstance(given, str) else choice(given, [wanted])
    if isinstance(wanted, bool | np.bool_):
        if not isinstance(given, bool | np.bool_):
            raise Malformed(f"True or False is asked for, got {given!r}.")
        return bool(given)
    if isinstance(wanted, tuple):
        if not isinstance(given, tuple | list | np.ndarray) or len(given) != len(wanted):
            raise Malformed(f"{len(wanted)} things are asked for, in this order, as a tuple.")
        return tuple(_shaped(one, other, words) for one, other in zip(given, wanted))
    if isinstance(wanted, dict):
        if not isinstance(given, dict) or set(given) != set(wanted):
            raise Malformed(f"a dict with the keys {sorted(wanted)} is asked for.")
        return {key: _shaped(given[key], wanted[key], words) for key in wanted}
    if np.ndim(wanted) == 0:
        return number(given)
    if isinstance(given, set | frozenset):
        given = sorted(given)
    if isinstance(given, list | tuple) and any(isinstance(one, str) for one in given):
        raise Malformed("an array of numbers is asked for; this one holds text.")
    value, shape = array(given), np.shape(wanted)
    thin = [size for size in value.shape if size != 1] == [size for size in shape if size != 1]
    if value.shape != shape and not thin:
        raise Malformed(f"the shape should be {shape}, yours is {value.shape}.")
    return value.reshape(shape)


def same(value, wanted, rtol=1e-6, digits=None, unordered=False):
    """Whether two answers of one form are equal, up to rounding: of floats, or to the digits that were asked for."""
    if isinstance(wanted, str | bool):
        return value == wanted
    if isinstance(wanted, dict):
        return all(same(value[key], wanted[key], rtol, digits, unordered) for key in wanted)
    if isinstance(wanted, tuple):
        return all(same(one, other, rtol, digits, unordered) for one, other in zip(value, wanted))
    value, wanted = np.asarray(value, dtype=float), np.asarray(wanted, dtype=float)
    if unordered and value.ndim:
        value, wanted = (one[np.lexsort(one.reshape(len(one), -1).T)] for one in (value, wanted))
    grain = 1e-9 if digits is None else 0.5001 * 10.0**-digits
    return value.shape == wanted.shape and bool(np.allclose(value, wanted, rtol=rtol, atol=grain, equal_nan=True))
