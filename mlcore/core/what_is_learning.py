"""Chapter 1. What is learning? The version space of conjunctions, candidate elimination, and the lunch that is not
free.

x is an instance, a tuple of attribute values. A hypothesis h is a tuple of the same length; each entry is a value or
"*" (any value), so an instance is the hypothesis that covers itself alone. None is the empty hypothesis, which covers
nothing. S and G are lists: the most specific and the most general hypotheses that agree with all examples so far; s and
g are members of them. f is a target, a row of labels, one for each point.
"""

import numpy as np

ANY = "*"
"""In the place of a value: whatever it is."""


def covers(h, x):
    """h(x): each entry of h is "*" or that of x  (1.2). Between two hypotheses: h is at least as general as x."""
    return x is None or h is not None and all(a in (ANY, b) for a, b in zip(h, x))


def generalised(s, x):
    """The smallest hypothesis that covers all that s covers, and x: where the two differ, "*"  (1.4)."""
    return x if s is None else tuple(a if a == b else ANY for a, b in zip(s, x))


def specialised(g, x, s, values):
    """The largest hypotheses below g that reject x and still cover s: one "*" becomes a value other than x's  (1.5)."""
    return [
        (*g[:i], value, *g[i + 1 :])
        for i in range(len(g)) if g[i] == ANY
        for value in (values[i] if s is None else s[i : i + 1]) if value not in (ANY, x[i])
    ]  # fmt: skip


def maximal(hypotheses):
    """Those that no other one covers."""
    return [g for g in hypotheses if not any(covers(h, g) and h != g for h in hypotheses)]


def update(S, G, x, positive, values):
    """S and G after one more example: a positive one pushes S up (1.4), a negative one pushes G down (1.5)."""
    if positive:
        S = [generalised(s, x) for s in S]
        G = [g for g in G if covers(g, x)]
    else:
        S = [s for s in S if not covers(s, x)]
        hit, spared = [g for g in G if covers(g, x)], [g for g in G if not covers(g, x)]
        below = [h for g in hit for s in S for h in specialised(g, x, s, values)]
        G = maximal(dict.fromkeys([*S, *below, *spared]))
    return (S, G) if S and G else ([], [])


def answers(learner, X, targets, m):
    """What the learner says of x_{m+1}, ..., x_n, a row for each target f: it sees f(x_1), ..., f(x_m) alone."""
    seen, which = np.unique(targets[:, :m], axis=0, return_inverse=True)
    return np.array([learner(X[:m], y, X[m:]) for y in seen])[which.ravel()]


def error_counts(targets, said):
    """How many unseen points are wrong, Σ_{i>m} 1{h(x_i) ≠ f(x_i)}, for each target f; shape (n_targets,)  (1.7)."""
    return np.sum(targets[:, -said.shape[1] :] != said, axis=1)
