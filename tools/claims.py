"""Lists what a chapter's pictures are said to show, for an author to see that it is asserted: python tools/claims.py

    python tools/claims.py [--chapter N ...]

A claim is a sentence of a "What you saw", or a caption that a picture returns, with a number in it or with one of the
words "from … on", "always", "never", "only", "every", "everybody", "all", "none", "no". After it stands what the cells
before it in its section, or the one that follows, assert: "no assertion", or the numbers of the claim that none of
their assertions names.
"""

import argparse
import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUMBER = re.compile(r"(?<![\w.^(])\d[\d,]*(?:\.\d+)?(?![\w)])")
WORDS = re.compile(r"\b(from [^.;]+? on|always|never|only|every|everybody|all|none|no|nobody|nothing)\b", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.!?])[*)\"]*\s+(?=[A-Z(*\"$])")
SAW = "**What you saw.**"


def sentences(text):
    """The sentences of a paragraph."""
    return [part.strip() for part in SENTENCE.split(text) if part.strip()]


def is_claim(sentence):
    """Whether a sentence says a number, or how far something holds."""
    plain = re.sub(r"\b(?:chapters?|sections?|fig\.|\() ?\d[\d.]*\)?", "", sentence)
    return bool(NUMBER.search(plain) or WORDS.search(plain))


def numbers_in(text):
    """The numbers of a text, without those of formulas' tags."""
    return [float(found.replace(",", "")) for found in NUMBER.findall(text)]


def asserted(source):
    """The numbers that the assertions of a cell name, or None where it has none."""
    checks = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assert)]
    constants = [node.value for check in checks for node in ast.walk(check) if isinstance(node, ast.Constant)]
    found = {abs(float(value)) for value in constants if type(value) in (int, float)}
    return found if checks else None


def captions(source, line):
    """Yield (line, text) of the strings that the functions of a cell return; what is computed stands as …"""
    for node in ast.walk(ast.parse(source)):
        value = node.value if isinstance(node, ast.Return) else None
        value = value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value
        for part in (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,):
            if isinstance(part, ast.JoinedStr):
                yield line + part.lineno, "".join(p.value if isinstance(p, ast.Constant) else "…" for p in part.values)
            elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield line + part.lineno, part.value


def claims(text):
    """Yield (line, sentence, remark) for the claims of a notebook's source."""
    lines = text.split("\n")
    cells = [
        (m.start(), m.group(1), m.end()) for m in re.finditer(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", text, re.M | re.S)
    ]
    for number, line in enumerate(lines, 1):
        if line.startswith(SAW):
            paragraph = lines[number - 1 : next(k for k in range(number, len(lines)) if not lines[k].strip())]
            end = sum(len(part) + 1 for part in lines[: number - 1 + len(paragraph)])
            begins = ("\n## ", "\n### ", "\n" + SAW)  # a picture's section: from a heading, or from the picture before
            section = max(text.rfind(mark, 0, end - len("\n".join(paragraph)) - 1) for mark in begins)
            near = [code for start, code, _ in cells if section < start < end]
            between = text[end : next((start for start, _, _ in cells if start >= end), len(text))]
            if not between.strip().strip("+").strip():
                near += [code for start, code, _ in cells if start >= end][:1]
            found = [numbers for numbers in (asserted(_python(code)) for code in near) if numbers is not None]
            known = set.union(*found) if found else None
            for sentence in sentences(" ".join(paragraph).removeprefix(SAW)):
                if is_claim(sentence):
                    yield number, sentence, _remark(sentence, known)
    for start, code, _ in cells:
        if "explore(" in code or "play(" in code:
            for at, caption in captions(_python(code), text.count("\n", 0, start) + 1):
                if is_claim(caption):
                    yield at, f"caption: {caption}", "a caption"


def _python(code):
    """A cell's code without its tags, which become an empty line so that lines keep their numbers."""
    return re.sub(r"^:tags:[^\n]*", "", code)


def _remark(sentence, known):
    if known is None:
        return "no assertion"
    missing = [n for n in numbers_in(sentence) if not {n, n / 100, round(n / 100, 6)} & known]
    return "asserted" if not missing else "not named: " + ", ".join(f"{n:g}" for n in missing)


def main(arguments=None):
    """Read the command line and print the claims."""
    parser = argparse.ArgumentParser(description="List what the pictures of a chapter are said to show.")
    parser.add_argument("--chapter", type=int, nargs="+", default=list(range(27)), metavar="N")
    options = parser.parse_args(arguments)
    for number in options.chapter:
        path = next((ROOT / "notebooks" / "source").glob(f"{number:02d}_*.md"))
        found = sorted(claims(path.read_text(encoding="utf-8")))
        print(f"{path.name}: {len(found)} claims")
        for line, sentence, remark in found:
            print(f"  {line} [{remark}] {sentence}")


if __name__ == "__main__":
    sys.exit(main())
