"""Graders as tables: one rule for shapes, rounding, words and sets; a mistake is recognised by what it gives."""

import functools

import numpy as np
import pytest

from mlcore.classroom.exercises import (
    Case,
    Malformed,
    Unknown,
    Wrong,
    answer,
    check_answer,
    expect,
    grading,
    implement,
    sealed,
)


@pytest.fixture
def made():
    """Registers graders under the number 0.9x and takes them away again."""
    grading.exercises_of(0)
    before = dict(grading._REGISTRY)
    yield
    grading._REGISTRY.clear()
    grading._REGISTRY.update(before)


def verdict(given, id="0.97"):
    told = check_answer(id, given)
    return told.status if told.status != "wrong" else told.message or "unknown"


HELP = {"hint": "Look there.", "step": "Do this."}


def test_a_number(made):
    answer("0.97", right=0.25, digits=2, mistakes={"the root.": 0.5, "far too large.": lambda v: v > 10}, **HELP)
    for good in (0.25, 1 / 4, 0.254, np.float32(0.25), np.longdouble(0.25), 0.25 + 0j, [0.25], np.array([[0.25]])):
        assert verdict(good) == "correct", good
    assert verdict(0.5) == verdict([[0.5]]) == "the root." and verdict(11) == "far too large."
    assert verdict(0.26) == verdict(-0.25) == "unknown"
    for text in ("0.25", ["0.25"], np.array("0.25"), np.array([["0.25"]]), b"0.25", [b"0.25"]):
        assert "a number is asked for" in verdict(text), text
    assert "one number" in verdict([0.25, 1]) and "one number" in verdict([])
    assert verdict({0.25}) == "a number is asked for, got set." and "complex" in verdict(0.25 + 1j)
    assert verdict([True]) == "a number is asked for, got True."
    assert verdict(...) == "not attempted"
    entry = grading._REGISTRY["0.97"]
    assert entry.wrong == (0.5,) and entry.right == (0.25,) and entry.hint == "Look there."
    assert entry.said == ("the root.",)


ROW = [1, 2, 4]
SAME = [ROW, (1, 2, 4), [[1], [2], [4]], [[1, 2, 4]], np.array(ROW, dtype=object), np.array(ROW, dtype=np.float32),
        np.array([[1], [2], [4]]), np.array([[1, 2, 4]]), np.array(ROW, dtype=complex)]  # fmt: skip


def test_a_list_a_column_and_an_array_are_one_thing(made):
    wrong = {"turned.": [[4.0, 2.0, 1.0], [2.0, 4.0, 8.0]]}
    for right in (np.array([1.0, 2.0, 4.0]), [1, 2, 4], (1, 2, 4), lambda: [1, 2, 4]):
        answer("0.97", right=right, mistakes=wrong, **HELP)
        for good in SAME:
            assert verdict(good) == "correct", good
        assert verdict([4, 2, 1]) == verdict((2, 4, 8)) == verdict([[4], [2], [1]]) == "turned."
        assert verdict([2, 1, 4]) == "unknown"
    answer("0.97", right=[1, 2, 4], **HELP)
    assert "shape should be (3,)" in verdict([1, 2]) and "complex" not in verdict([1, 2, 4j])
    for texts in (["1", "2", "4"], [1, 2, "4"], np.array(["1", "2", "4"]), np.array([1, "2", 4], dtype=object)):
        assert verdict(texts) == "an array of numbers is asked for; this one holds text."
    assert "shape" in verdict(np.ones((3, 2))) and "NaN" in verdict([1, np.nan, 4])
    assert verdict({1, 2, 4}) == verdict(frozenset(ROW)) == "a set has no order; give a list."


def test_what_is_rounded_too_far_is_told_so(made):
    for right, near in ((0.61538, [0.615, 0.6154]), ([0.61538, 2.0], [[0.615, 2], [[0.6154], [2.0]]])):
        answer("0.97", right=right, digits=3, mistakes={"b.": 0.6199, "c.": lambda v: np.any(v > 2)}, **HELP)
        for good in near:
            assert verdict(good) == "correct", good
    assert verdict([0.62, 2]) == "rounded too far: 3 digits after the point are asked for."
    assert verdict([0.61, 2]) == verdict([0.6, 2]) == "unknown" and verdict([0.62, 2.5]) == "c."
    answer("0.97", right=0.61538, digits=3, mistakes={"a.": 0.64, "b.": 0.6249}, **HELP)
    assert verdict(0.62) == "rounded too far: 3 digits after the point are asked for."
    assert verdict(0.64) == "a." and verdict(0.625) == "b." and verdict(0.614) == "unknown"
    answer("0.97", right=16.55, digits=1, also_wrong=[17], **HELP)
    assert verdict(16.6) == "correct" and verdict(17) == "unknown"
    answer("0.97", right=0.0625, **HELP)
    assert verdict(0.063) == "rounded too far: the exact answer is asked for."


def test_words_truth_and_several_things(made):
    answer("0.97", right="lasso", words=("ridge", "lasso"), mistakes={"it only shrinks.": "ridge"}, **HELP)
    for good in (" Lasso ", ["lasso"], np.array("lasso"), np.array([["LASSO"]])):
        assert verdict(good) == "correct", good
    assert verdict("RIDGE") == verdict(("ridge",)) == "it only shrinks."
    assert "one of 'ridge', 'lasso'" in verdict("both") and "got 3" in verdict(3)
    answer("0.97", right=lambda: (0.5, True, "a"), words=("a", "b"), mistakes={"both.": (0.5, False, "b")}, **HELP)
    for good in ((0.5, True, "A"), [0.5, np.True_, "a"], [[0.5], np.array([True]), ["a"]], [(0.5, True, "a")]):
        assert verdict(good) == "correct", good
    assert verdict((0.5, False, "b")) == "both." and verdict((0.5, True, "b")) == "unknown"
    assert "3 things" in verdict((0.5, True)) and "True or False" in verdict((0.5, 1, "a"))
    answer("0.97", right={"P": 0.5, "R": 1.0}, **HELP)
    assert verdict({"P": 0.5, "R": 1}) == "correct" and verdict({"P": 1, "R": 1}) == "unknown"
    assert "keys" in verdict({"P": 1})


def double(x, n, factor=2.0):
    return x * factor * n


def cases(rng):
    for n in (0, 1, 3):
        yield rng.normal(size=4), n


def table(**more):
    implement("0.97", right=double, cases=cases, mistakes={
        "the factor 2 is missing.": {"factor": 1}, "the square.": lambda x, n: x * n**2 * 2,
    }, **HELP, **more)  # fmt: skip


def test_a_function(made):
    table()
    assert verdict(double) == "correct" and verdict(lambda x, n: (2 * n * x)[:, np.newaxis]) == "correct"
    assert verdict(lambda x, n: list(2 * n * x)) == "correct"
    assert verdict(lambda x, n: np.nextafter(2 * n * x, 9)) == "correct"
    assert verdict(lambda x, n: np.float32(2 * n * x)) == "correct"
    assert "text" in verdict(lambda x, n: (2 * n * x).astype(str)) and "no order" in verdict(lambda x, n: set(x * n))
    assert verdict(lambda x, n: n * x) == "the factor 2 is missing."
    assert verdict(lambda x, n: 2 * n * n * x) == "the square."
    assert verdict(lambda x, n: 5 * x) == "unknown"
    assert verdict(lambda x, n: ...) == "not attempted"
    assert "ZeroDivisionError" in verdict(lambda x, n: 1 / 0) and "function is asked" in verdict(3)
    assert "shape" in verdict(lambda x, n: 2 * n * x[:2])

    def spoils(x, n):
        x *= 2 * n
        return x

    assert "in place" in verdict(spoils)
    entry = grading._REGISTRY["0.97"]
    assert len(entry.wrong) == 2 and entry.right == (double,)
    assert entry.said == ("the factor 2 is missing.", "the square.")


def test_what_comes_after_the_cases(made):
    def then(given):
        expect(np.isfinite(given(np.array([1e300]), 1)).all(), "it overflows.")

    table(then=then)
    assert verdict(double) == "correct"
    assert verdict(lambda x, n: double(x, n) if abs(x).max() < 9 else x * np.inf) == "it overflows."


def test_a_mistake_that_shows_on_no_case_is_not_guessed(made):
    squared = {"the square.": lambda x, n: x * n**2 * 2}
    implement("0.97", right=double, cases=[(np.ones(2), 1)], mistakes=squared, **HELP)
    assert verdict(lambda x, n: x) == "unknown"


def test_a_mistake_that_agrees_on_all_cases_goes_before(made):
    implement("0.97", right=lambda x: max(x, 0), cases=[(1,), (-1,)], mistakes={
        "the other sign counts.": lambda x: x, "the less of both.": lambda x: min(x, 0), "nothing.": lambda x: 0,
    }, **HELP)  # fmt: skip
    assert verdict(lambda x: x) == "the other sign counts." and verdict(lambda x: 0) == "nothing."
    assert verdict(lambda x: min(0, x)) == "the less of both."
    assert verdict(lambda x: -1) == "the other sign counts."


def test_the_first_wrong_part_is_compared_with_the_mistakes_or_named(made):
    parts = ("the mean", "Add them up."), ("the width", "Subtract.")
    wrong = {"the sum.": (6, None), "squared.": (None, 16.0), "turned.": (4, 2), "the median.": lambda v: v[0] == 1}
    for right in ((2.0, 4.0), np.array([2.0, 4.0])):
        answer("0.97", right=right, parts=parts, mistakes=wrong, **HELP)
        assert verdict([2, 4]) == "correct" and verdict((6, 9)) == "the sum." and verdict((2, 16)) == "squared."
        assert verdict(np.array([[6, 9]])) == "the sum." and verdict([6, 4, 1]) != "the sum."
        assert verdict((4, 2)) == "turned." and verdict((4, 5)) == "the mean is not right."
        assert verdict((1, 4)) == "the median." and verdict((3, 16)) == "the mean is not right."
        told = check_answer("0.97", (2, 5), 1)
        assert told.message == "the width is not right." and told.help == "Next step: Subtract."
        assert grading._REGISTRY["0.97"].wrong == ((6, 4.0), (2.0, 16.0), (4, 2))
    other = functools.partial(verdict, id="0.98")
    wrong = {"the sum.": lambda x: (x.sum(), x - 1), "up.": lambda x: (x.mean(), x + 1)}
    implement("0.98", right=lambda x: (x.mean(), x - 1), cases=[(np.arange(3.0),), (np.arange(4.0),)], parts=parts,
              mistakes=wrong, **HELP)  # fmt: skip
    assert other(lambda x: [x.mean(), list(x - 1)]) == "correct"
    assert other(lambda x: (x.sum(), x)) == "the sum." and other(lambda x: (x.mean(), x + 1)) == "up."
    assert other(lambda x: (0, x + 1)) == "the mean is not right."
    assert other(lambda x: (x.mean(), x)) == "the width is not right." and "2 things" in other(lambda x: x)
    answer("0.96", right=(1, 2), asked="give the ends of the piece", **HELP)
    assert verdict(np.array([[1, 2]]), "0.96") == verdict(np.array([[1], [2]]), "0.96") == "correct"
    assert verdict((1, 2, 3), "0.96") == "give the ends of the piece."


def test_a_mistake_may_have_another_form_or_be_infinite(made):
    answer("0.97", right=np.array([1.0, 2.0]), mistakes={"only one.": 3, "a third.": (1, 2, 3)}, **HELP)
    assert verdict(3) == "only one." and verdict([[1], [2], [3]]) == "a third." and "shape" in verdict([1, 2, 4])
    other = functools.partial(verdict, id="0.98")
    implement("0.98", right=lambda x: x - x.max(), cases=[(np.arange(3.0),), (np.arange(5.0),)], mistakes={
        "one number for each.": lambda x: x.max(), "1/0.": [lambda x: x / 0.0, lambda x: x - np.inf],
    }, asked="as many numbers as there were", **HELP)  # fmt: skip
    assert other(lambda x: np.max(x)) == "one number for each."
    assert other(lambda x: x - np.inf) == other(lambda x: np.divide(x, 0)) == "1/0."
    assert "NaN or infinity" in other(lambda x: x + np.inf)
    assert other(lambda x: x[:2]) == "as many numbers as there were: the shape should be (3,), yours is (2,)."


def test_facts_and_cases_with_words_of_their_own(made):
    def fact(value):
        expect(value < 100, f"{value:g} is far off.")
        return f"{value:g} is even."

    answer("0.97", right=7, atol=0.5, otherwise=fact, **HELP)
    assert verdict(7.4) == "correct" and verdict(200) == "200 is far off." and verdict(8) == "8 is even."
    assert check_answer("0.97", 8).help.startswith("Hint") and not check_answer("0.97", 200).help
    other = functools.partial(verdict, id="0.98")
    implement("0.98", right=abs, cases=[(1.0,), Case(-2.0, said="it loses the sign only."), (-3.0,)], digits=1,
              otherwise=lambda value, wanted, x: f"of {x} it is {wanted}, yours is {value}.", **HELP)  # fmt: skip
    assert other(abs) == other(lambda x: abs(x) + 0.04) == "correct"
    assert other(lambda x: x) == "it loses the sign only."
    assert other(lambda x: 2 * x) == "of 1.0 it is 1.0, yours is 2.0."
    assert other(lambda x: x if x > -3 else 1 / 0) == "it loses the sign only."
    log = functools.partial(verdict, id="0.99")
    implement("0.99", right=np.log1p, cases=[(1.0,), Case(0.0, said="{} for {}.".format)], **HELP)
    assert log(lambda x: np.log(x + (x > 0))) == "-inf for 0.0." and log(lambda x: x + np.inf)[:15] == "a finite number"


def test_what_of_a_result_is_compared(made):
    implement("0.97", right=lambda x: x, cases=[(np.array([-1.0, 2.0]),)], key=np.abs, **HELP)
    assert verdict(lambda x: -x) == "correct" and verdict(lambda x: 2 * x) == "unknown"

    def direction(w):
        expect(np.any(w), "zero.")
        return w / np.linalg.norm(w)

    answer("0.98", right=[3.0, 4.0], key=direction, mistakes={"turned.": (-3, -4)}, **HELP)
    verdicts = [verdict(w, "0.98") for w in ([6, 8], [-3e9, -4e9], [0, 0], [4, 3])]
    assert verdicts == ["correct", "turned.", "zero.", "unknown"]


def test_an_exact_mistake_goes_before_a_rounded_one(made):
    answer("0.97", right=0.5, digits=1, mistakes={"a.": 0.91, "small.": lambda v: v < 1, "b.": [0.94, 0.2]}, **HELP)
    assert [verdict(v) for v in (0.91, 0.94, 0.2, 0.93, 0.21, 3)] == ["a.", "b.", "b.", "a.", "small.", "unknown"]


def test_a_mistake_may_be_rounded(made):
    answer("0.97", right=2, mistakes={"thirds.": 4 / 3, "a count.": 1111}, **HELP)
    assert {verdict(v) for v in (4 / 3, 1.33, 1.3, 1.333)} == {"thirds."} and verdict(1111) == "a count."
    assert {verdict(v) for v in (1.34, 1, 1110, 2.01)} == {"unknown"}
    answer("0.98", right=np.array([1.0, 2.0]), mistakes={"thirds.": (4 / 3, 2 / 3)}, **HELP)
    assert verdict([1.33, 0.67], "0.98") == "thirds." and verdict([1.33, 0.66], "0.98") == "unknown"


def test_a_list_of_any_length(made):
    implement("0.97", right=lambda n: list(range(n)), cases=[(3,), (1,), (0,)], any_length=True, mistakes={
        "n itself, too.": lambda n: list(range(n + 1)),
    }, otherwise=lambda value, wanted, n: f"{wanted}, not {value}.", **HELP)  # fmt: skip
    assert verdict(lambda n: np.arange(n)[:, np.newaxis]) == verdict(lambda n: range(n)) == "correct"
    assert verdict(lambda n: range(n + 1)) == "n itself, too." and verdict(lambda n: [7]) == "[0, 1, 2], not [7.]."
    assert "text" in verdict(lambda n: ["a"]) and "NaN" in verdict(lambda n: [np.nan] * 2)


def test_a_function_that_returns_a_word(made):
    implement("0.97", right=lambda x: "up" if x > 0 else "down", cases=[(1,), (-1,)], words=("up", "down"), mistakes={
        "the sign.": lambda x: "down" if x > 0 else "up",
    }, **HELP)  # fmt: skip
    assert verdict(lambda x: " Up" if x > 0 else "DOWN") == "correct"
    assert verdict(lambda x: "up" if x < 0 else "down") == "the sign." and verdict(lambda x: "up") == "unknown"
    assert verdict(lambda x: "left") == "answer with one of 'up', 'down', got 'left'."


def test_every_function_gets_copies_of_its_own(made):
    def empties(x, rows, rng):
        return x * rng.random() + 0 * rows.pop()

    cases = [(2.0, [1, 2], np.random.default_rng(3))]
    implement("0.97", right=empties, cases=cases, mistakes={
        "the square.": lambda x, rows, rng: x**2 * rng.random() + len(rows) - 2,
    }, **HELP)  # fmt: skip
    for _ in range(2):
        assert verdict(empties) == "correct" and verdict(lambda x, rows, rng: 4 * rng.random()) == "the square."


def test_a_sealed_table_holds_no_answer_for_the_tests(made):
    source = 'from mlcore.exercises import answer\nanswer("0.97", hint="a", step="b", right=5, mistakes={"six.": 6})\n'
    text = sealed.seal(source)
    exec(text, {"__name__": "sealed"})
    assert verdict(6) == "six." and verdict(5) == "correct"
    entry = grading._REGISTRY["0.97"]
    assert entry.wrong == entry.right == entry.said == () and "six" not in text


def test_the_kinds_of_refusal():
    assert issubclass(Malformed, Wrong) and issubclass(Unknown, Wrong)
