"""The list of what the pictures are said to show names each claim, and what is asserted of it."""

from tools import claims

SOURCE = """# 1. A chapter

```{code-cell}
:tags: [drawing]
def draw(ax, k=2):
    return f"k = {k}: the error is never below 0.2" if k else "nothing to see"


explore(draw, k=(0, 4), alt="")
```

**What you saw.** It falls to 12.5 % (chapter 3). A line. From 3 on it rises,
at most to 0.7.

```{code-cell}
:tags: [drawing]
# What you saw
assert errors[2] == 0.125
assert (np.diff(errors[3:]) > 0).all()
```

**What you saw.** It is always 4.

Text.

```{code-cell}
assert 4 == 4
```

## Another section

```{code-cell}
assert steps == 25
explore(draw)
```

**What you saw.** It takes 25 steps, or 88.

Text.
"""


def test_each_claim_is_listed_with_what_is_asserted_of_it():
    assert sorted(claims.claims(SOURCE)) == [
        (6, "caption: k = …: the error is never below 0.2", "a caption"),
        (6, "caption: nothing to see", "a caption"),
        (12, "From 3 on it rises, at most to 0.7.", "not named: 0.7"),
        (12, "It falls to 12.5 % (chapter 3).", "asserted"),
        (22, "It is always 4.", "not named: 4"),
        (37, "It takes 25 steps, or 88.", "not named: 88"),
    ]


def test_a_chapter_is_chosen(capsys):
    claims.main(["--chapter", "2"])
    first, *others = capsys.readouterr().out.splitlines()
    assert first == f"02_linear_regression.md: {len(others)} claims" and len(others) > 5
