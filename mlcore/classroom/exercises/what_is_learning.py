"""The exercises of chapter 1: what is learning?"""

import itertools

import numpy as np

from mlcore.classroom.exercises import answer, call, exercise, expect, implement
from mlcore.what_is_learning import ANY, ConjunctiveSpace, covers, generalised, maximal, specialised, update

_VALUES = (("a", "b", "c"), ("p", "q"), ("x", "y", "z"))
_SPACE = ConjunctiveSpace(dict(zip(("first", "second", "third"), _VALUES)))
_RULES = list(_SPACE.enumerate())
_INSTANCES = list(itertools.product(*_VALUES))

answer(
    "1.1",
    hint="What may stand in one place of a phone, and what in one place of a rule? One more rule is of another kind.",
    step="Write down how many choices each of the three places has, once for a phone and once for a rule, and "
    "multiply. Then add the rule that calls nothing good.",
    right=[4 * 2 * 3, 5 * 3 * 4 + 1],
    parts=[
        ("the number of phones", "Each attribute takes one of its values, independently: multiply."),
        ("the number of rules", "In each place stands one of n_i values or the star; then add the empty rule."),
    ],
    mistakes={
        "nearly: (1.1) also counts the rule that calls nothing good.": (None, 60),
        "the other way round: first the phones, then the rules.": (61, 24),
        "that is the number of sets of phones; most of them are no conjunction.": (None, 2**24),
        "multiply n_i + 1 over the attributes; do not add.": (None, 13),
    },
    also_wrong=[[24, 24], [9, 61]],
)  # fmt: skip

answer(
    "1.2",
    hint="Which melons does every rule between S and G cover, and which does none cover? The others are undecided.",
    step="Count the melons that some member of G covers, none of them twice. Then take away those that S covers.",
    right=9 + 9 - 3 - 3,  # below some g 9 + 9 - 3; of these s covers 3, which are decided
    mistakes={
        "some member of G covers that many. Three of these are decided: S covers them.": 15,
        "the three melons that both members of G cover are counted twice, and S covers them.": 18,
        "those are the melons that S covers: decided, they are good.": 3,
        "those are all that S misses. If no member of G covers a melon, it is surely bad.": 24,
    },
    also_wrong=[27, 0],
)  # fmt: skip


def _by_boundaries(S, G, x):
    if any(covers(s, x) for s in S):
        return "good"
    return "undecided" if any(covers(g, x) for g in G) or not S else "bad"


def _by_listing(S, G, x):
    said = {bool(covers(h, x)) for h in _SPACE.between(S, G)}
    return "undecided" if len(said) != 1 else "good" if said == {True} else "bad"


def _version_spaces(_):
    """Boundaries after random examples of random concepts, with an instance to vote on; the empty one last."""
    rng, cases = np.random.default_rng(3), []
    for _ in range(200):
        concept = _RULES[rng.integers(len(_RULES))]
        X = [_INSTANCES[i] for i in rng.integers(len(_INSTANCES), size=rng.integers(0, 6))]
        S, G = _SPACE.boundaries(X, [int(covers(concept, x)) for x in X])
        cases.append((S, G, _INSTANCES[rng.integers(len(_INSTANCES))]))
    return [*sorted(cases, key=lambda case: _by_boundaries(*case)), ([], [], _INSTANCES[0])]


_VOTES = {
    ("bad", "undecided"):
        "you say 'bad' where the rules disagree: one member of G that covers x is enough for a doubt.",
    ("good", "undecided"): "you say 'good' where some rules that are left do not cover x.",
    ("undecided", "bad"): "if no member of G covers x, no rule below does: x is bad.",
    ("undecided", "good"): "if the member of S covers x, every rule above it does: x is good.",
}  # fmt: skip


def _what_the_vote_misses(said, wanted, S, G, x):
    expect(S, "an empty version space knows nothing: 'undecided'.")
    expect((said, wanted) not in _VOTES, _VOTES.get((said, wanted)))


implement(
    "1.3",
    hint="Each of the two boundaries can settle a melon by itself. Which one can say that all rules cover it, and "
    "which that none does?",
    step="If the most special rule covers x, all do. If no most general rule does, none does. What remains is "
    "undecided, and so is everything where no rule is left.",
    right=_by_boundaries, words=("good", "bad", "undecided"), cases=_version_spaces,
    mistakes={
        "you never decide. S can settle that x is good, and G that it is bad.": lambda S, G, x: "undecided",
        "you never say 'bad': if no member of G covers x, no rule below does.": lambda S, G, x: (
            "good" if _by_boundaries(S, G, x) == "good" else "undecided"
        ),
        "you never say 'good': if the member of S covers x, every rule above it does.": lambda S, G, x: (
            "bad" if _by_boundaries(S, G, x) == "bad" else "undecided"
        ),
    },
    otherwise=_what_the_vote_misses, also_right=[_by_listing, lambda S, G, x: [_by_boundaries(S, G, x).upper()]],
    also_wrong=[
        lambda S, G, x: "good" if any(covers(s, x) for s in S) else "bad",
        lambda S, G, x: (
            "good" if any(covers(s, x) for s in S) else "undecided" if all(covers(g, x) for g in G) else "bad"
        ),
        lambda S, G, x: "good" if 2 * np.mean([covers(h, x) for h in _SPACE.between(S, G)] or [0]) > 1 else "bad",
        lambda S, G, x: _by_boundaries(S, G, x) if S else "bad",
        lambda S, G, x: "good" if all(covers(s, x) for s in S) else _by_boundaries(S, G, x),
        lambda S, G, x: {"good": 1, "bad": 0}.get(_by_boundaries(S, G, x), -1),
    ],
)  # fmt: skip

answer(
    "1.4",
    hint="(1.7) speaks of the four unseen points only. What can a learner do on the three that it has seen?",
    step="On the four unseen points two are wrong on average, whatever it does. How many of the three seen ones can "
    "it have wrong, at least and at most? Divide by all seven.",
    right=[2 / 7, (2 + 3) / 7], digits=2,
    parts=[
        ("the lowest mean error", "At best it repeats what it saw and is wrong on half of the others."),
        ("the highest mean error", "At worst it answers the opposite of what it saw, and is wrong on half of the "
                                   "others."),
    ],
    mistakes={
        "that is the error on unseen points. What may it answer on seen ones?": lambda errors: np.all(errors == 0.5),
        "the lowest first, then the highest.": (5 / 7, 2 / 7),
        "that is the majority; a learner can be worse on seen points.": (None, 0.393),
        "no learner is right on unseen points more often than half the time.": (0, None),
        "no learner is wrong on unseen points more often than half the time.": (None, 1),
    },
    also_right=[(0.286, 0.714), [0.29, 0.71]], also_wrong=[[0.5, 0.5], [0, 1], [0.5, 5 / 7], [0, 0.5], [0.28, 0.71]],
)  # fmt: skip


def _below(S, G, x, values):
    return [h for g in G for s in S for h in (specialised(g, x, s, values) if covers(g, x) else [g])]


def _updates(after_good=update, after_bad=update):
    return lambda S, G, x, positive, values: (after_good if positive else after_bad)(S, G, x, positive, values)


def _or_empty(S, G):
    return (S, G) if S and G else ([], [])


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
    wrong=[
        _updates(after_good=lambda S, G, x, *_: ([generalised(s, x) for s in S], G)),
        _updates(after_good=lambda S, G, x, *_: _or_empty(
            [generalised(s, x) for s in S], [g for g in G if not covers(g, x)],
        )),
        _updates(after_bad=lambda S, G, x, _, values: (S, maximal(_below(S, G, x, values)))),
        _updates(after_bad=lambda S, G, x, _, values: _or_empty(
            [s for s in S if not covers(s, x)], list(dict.fromkeys(_below(S, G, x, values))),
        )),
        lambda S, G, x, positive, values: (S, G),
    ],
    right=[update, lambda *case: [part[::-1] for part in update(*case)]],
)  # fmt: skip
def mended_update(answer):
    """A positive example must also strike from G what does not cover it."""
    for X, y in _sequences(np.random.default_rng(5), 120):
        S, G = [None], [(ANY,) * 3]
        for count, (x, positive) in enumerate(zip(X, y), start=1):
            returned = call(answer, list(S), list(G), x, positive, _VALUES)
            expect(isinstance(returned, tuple | list) and len(returned) == 2, "return the two lists S and G.")
            S, G = map(list, returned)
            seen = list(zip(X[:count], y))
            consistent = [h for h in _RULES if all(covers(h, u) == v for u, v in seen)]
            expect(bool(consistent) or not S and not G,
                   "where no rule agrees with all examples, both lists have to be empty.")  # fmt: skip
            expect(not consistent or S and G, "the lists are empty although some rules agree with all examples.")
            expect(all(covers(g, u) for g in G for u, v in seen if v),
                   "a member of G does not cover a good melon: remove it.")  # fmt: skip
            expect(not any(covers(h, u) for h in [*S, *G] for u, v in seen if not v),
                   "a rule that covers a bad melon was kept.")  # fmt: skip
            expect(set(G) == set(maximal(consistent)), "G has to hold the most general rules, all of them, no others.")
            expect(set(S) == {h for h in consistent if all(covers(other, h) for other in consistent)},
                   "S has to hold the most special rule that agrees with all examples.")  # fmt: skip
