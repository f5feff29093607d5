"""The exercises of chapter 1: what is learning?"""

import itertools

import numpy as np

from mlcore.classroom.exercises import array, call, close, exercise, expect, number, part
from mlcore.what_is_learning import ANY, ConjunctiveSpace, covers, generalised, maximal, specialised, update

_VALUES = (("a", "b", "c"), ("p", "q"), ("x", "y", "z"))
_SPACE = ConjunctiveSpace(dict(zip(("first", "second", "third"), _VALUES)))
_RULES = list(_SPACE.enumerate())
_INSTANCES = list(itertools.product(*_VALUES))


@exercise(
    "1.1",
    hint="What may stand in one place of a phone, and what in one place of a rule? One more rule is of another kind.",
    step="Write down how many choices each of the three places has, once for a phone and once for a rule, and "
    "multiply. Then add the rule that calls nothing good.",
    wrong=[[24, 60], [24, 24], [9, 61], [61, 24], [24, 2**24], [24, 13]],
    right=[(24, 61), np.array([24.0, 61.0])],
)  # fmt: skip
def phones_and_rules(answer):
    """4 · 2 · 3 = 24 instances; 5 · 3 · 4 + 1 = 61 hypotheses."""
    values = array(answer, (2,))
    expect(not close(values, [24, 60]), "nearly: (1.1) also counts the rule that calls nothing good.")
    expect(not close(values, [61, 24]), "the other way round: first the phones, then the rules.")
    expect(not close(values[1], 2**24), "that is the number of sets of phones; most of them are no conjunction.")
    expect(not close(values[1], 13), "multiply n_i + 1 over the attributes; do not add.")
    part(
        close(values[0], 24),
        "the number of phones",
        "Each attribute takes one of its values, independently: multiply.",
    )
    part(
        close(values[1], 61),
        "the number of rules",
        "In each place stands one of n_i values or the star; then add the empty rule.",
    )


@exercise(
    "1.2",
    hint="Which melons does every rule between S and G cover, and which does none cover? The others are undecided.",
    step="Count the melons that some member of G covers, none of them twice. Then take away those that S covers.",
    wrong=[3, 15, 18, 24, 27, 0],
    right=[12.0, np.array([12])],
)
def undecided_melons(answer):
    """Below some g: 9 + 9 - 3 = 15; of these s covers 3, which are decided."""
    value = number(answer)
    expect(not close(value, 15), "some member of G covers that many. Three of these are decided: S covers them.")
    expect(not close(value, 18), "the three melons that both members of G cover are counted twice, and S covers them.")
    expect(not close(value, 3), "those are the melons that S covers: decided, they are good.")
    expect(not close(value, 24), "those are all that S misses. If no member of G covers a melon, it is surely bad.")
    expect(close(value, 12))


def _version_spaces(rng, n):
    """Boundaries after random examples of random concepts, with an instance to vote on."""
    for _ in range(n):
        concept = _RULES[rng.integers(len(_RULES))]
        X = [_INSTANCES[i] for i in rng.integers(len(_INSTANCES), size=rng.integers(0, 6))]
        S, G = _SPACE.boundaries(X, [int(covers(concept, x)) for x in X])
        yield S, G, _INSTANCES[rng.integers(len(_INSTANCES))]


def _right_vote(S, G, x):
    if any(covers(s, x) for s in S):
        return "good"
    return "undecided" if any(covers(g, x) for g in G) or not S else "bad"


def _by_s_alone(S, G, x):
    return "good" if any(covers(s, x) for s in S) else "bad"


def _all_of_g(S, G, x):
    return "good" if any(covers(s, x) for s in S) else "undecided" if all(covers(g, x) for g in G) else "bad"


def _majority(S, G, x):
    return "good" if 2 * np.mean([covers(h, x) for h in _SPACE.between(S, G)] or [0]) > 1 else "bad"


def _empty_is_bad(S, G, x):
    return _right_vote(S, G, x) if S else "bad"


def _empty_is_good(S, G, x):
    return "good" if all(covers(s, x) for s in S) else _right_vote(S, G, x)


def _by_listing(S, G, x):
    said = {bool(covers(h, x)) for h in _SPACE.between(S, G)}
    return "undecided" if len(said) != 1 else "good" if said == {True} else "bad"


@exercise(
    "1.3",
    hint="Each of the two boundaries can settle a melon by itself. Which one can say that all rules cover it, and "
    "which that none does?",
    step="If the most special rule covers x, all do. If no most general rule does, none does. What remains is "
    "undecided, and so is everything where no rule is left.",
    wrong=[_by_s_alone, _all_of_g, _majority, _empty_is_bad, _empty_is_good, lambda S, G, x: "undecided",
           lambda S, G, x: {"good": 1, "bad": 0}.get(_right_vote(S, G, x), -1)],
    right=[_by_listing, _right_vote],
)  # fmt: skip
def vote_of_the_version_space(answer):
    """good if S covers x, bad if no member of G does, undecided otherwise and for an empty version space."""
    rng, wrong = np.random.default_rng(3), set()
    for S, G, x in _version_spaces(rng, 200):
        said, right = call(answer, list(S), list(G), x), _right_vote(S, G, x)
        expect(said in ("good", "bad", "undecided"), f"return 'good', 'bad' or 'undecided', not {said!r}.")
        if said != right:
            wrong.add((said, right))
    expect(not wrong & {("good", "undecided"), ("bad", "undecided")} or ("good", "undecided") in wrong,
           "you say 'bad' where the rules disagree: one member of G that covers x is enough for a doubt.")  # fmt: skip
    expect(("good", "undecided") not in wrong, "you say 'good' where some rules that are left do not cover x.")
    expect(("undecided", "bad") not in wrong, "if no member of G covers x, no rule below does: x is bad.")
    expect(not wrong)
    expect(call(answer, [], [], _INSTANCES[0]) == "undecided", "an empty version space knows nothing: 'undecided'.")


@exercise(
    "1.4",
    hint="(1.7) speaks of the four unseen points only. What can a learner do on the three that it has seen?",
    step="On the four unseen points two are wrong on average, whatever it does. How many of the three seen ones can "
    "it have wrong, at least and at most? Divide by all seven.",
    wrong=[[0.5, 0.5], [5 / 7, 2 / 7], [0, 1], [0.286, 0.393], [0.5, 5 / 7], [0, 0.5]],
    right=[[2 / 7, 5 / 7], (0.286, 0.714), np.array([0.29, 0.71])],
)
def errors_over_all_points(answer):
    """Two of the four unseen points are wrong whatever it does; of the three seen ones none or all."""
    values = array(answer, (2,))
    expect(not close(values, [0.5, 0.5]), "that is the error on unseen points. What may it answer on seen ones?")
    expect(not close(values, [5 / 7, 2 / 7], rtol=0.02), "the lowest first, then the highest.")
    expect(not close(values[1], 0.393, rtol=0.01), "that is the majority; a learner can be worse on seen points.")
    expect(not close(values[0], 0), "no learner is right on unseen points more often than half the time.")
    expect(not close(values[1], 1), "no learner is wrong on unseen points more often than half the time.")
    part(
        close(values[0], 2 / 7, rtol=0.02),
        "the lowest mean error",
        "At best it repeats what it saw and is wrong on half of the others.",
    )
    part(
        close(values[1], 5 / 7, rtol=0.02),
        "the highest mean error",
        "At worst it answers the opposite of what it saw, and is wrong on half of the others.",
    )


def _below(S, G, x, values):
    return [h for g in G for s in S for h in (specialised(g, x, s, values) if covers(g, x) else [g])]


def _keeps_g(S, G, x, positive, values):
    if positive:
        S = [generalised(s, x) for s in S]
        return S, G
    return update(S, G, x, positive, values)


def _keeps_s(S, G, x, positive, values):
    if positive:
        return update(S, G, x, positive, values)
    return S, maximal(_below(S, G, x, values))


def _not_maximal(S, G, x, positive, values):
    if positive:
        return update(S, G, x, positive, values)
    S = [s for s in S if not covers(s, x)]
    G = list(dict.fromkeys(_below(S, G, x, values)))
    return (S, G) if S and G else ([], [])


def _drops_g(S, G, x, positive, values):
    if not positive:
        return update(S, G, x, positive, values)
    S = [generalised(s, x) for s in S]
    G = [g for g in G if not covers(g, x)]
    return (S, G) if S and G else ([], [])


def _another_order(S, G, x, positive, values):
    S, G = update(S, G, x, positive, values)
    return [tuple(S), G[::-1]]


def _sequences(rng, n):
    for trial in range(n):
        concept = _RULES[rng.integers(len(_RULES))]
        X = [_INSTANCES[i] for i in rng.integers(len(_INSTANCES), size=6)]
        y = [bool(covers(concept, x)) for x in X]
        if trial % 4 == 3:
            y[-1] = not y[-1]
        yield X, y


@exercise(
    "1.5",
    hint="Print S and G after each example. What must every rule that is left do with a good melon?",
    step="Where the example is positive, only S is changed. Which members of G have to go then?",
    wrong=[_keeps_g, _keeps_s, _not_maximal, _drops_g, lambda S, G, x, positive, values: (S, G)],
    right=[_another_order, lambda S, G, x, positive, values: update(S, G, x, positive, values)],
)  # fmt: skip
def mended_update(answer):
    """A positive example must also strike from G what does not cover it."""
    rng = np.random.default_rng(5)
    for X, y in _sequences(rng, 120):
        S, G = [None], [(ANY,) * 3]
        for count, (x, positive) in enumerate(zip(X, y), start=1):
            returned = call(answer, list(S), list(G), x, positive, _VALUES)
            expect(isinstance(returned, tuple | list) and len(returned) == 2, "return the two lists S and G.")
            S, G = map(list, returned)
            consistent = [h for h in _RULES if all(covers(h, u) == v for u, v in zip(X[:count], y[:count]))]
            good = [u for u, v in zip(X[:count], y[:count]) if v]
            bad = [u for u, v in zip(X[:count], y[:count]) if not v]
            expect(bool(consistent) or not S and not G,
                   "where no rule agrees with all examples, both lists have to be empty.")  # fmt: skip
            expect(not consistent or S and G, "the lists are empty although some rules agree with all examples.")
            expect(all(covers(g, u) for g in G for u in good), "a member of G does not cover a good melon: remove it.")
            expect(not any(covers(h, u) for h in [*S, *G] for u in bad), "a rule that covers a bad melon was kept.")
            expect(set(G) == set(maximal(consistent)), "G has to hold the most general rules, all of them, no others.")
            expect(set(S) == {h for h in consistent if all(covers(other, h) for other in consistent)},
                   "S has to hold the most special rule that agrees with all examples.")  # fmt: skip
