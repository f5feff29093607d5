"""Writes the notebooks as slides, slides/*.html: make slides.

    python tools/slides.py [name ...]

One file a chapter, which needs no network: open it in a browser. Each section begins a slide, each text of it comes
below on one of its own, with the pictures that follow it; players go step by step. Code is hidden until someone presses
C. A name is a number ("07") or a stem. For the first page a chapter is run, which takes a quarter of a minute.
"""

import argparse
import html
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.one_line import or_one_line  # noqa: E402
from tools.pages import document, figure, folded, markdown, parts_of, question, stub, write_pages  # noqa: E402
from tools.stills import MOST  # noqa: E402

WORDS = 90
"""A slide gets a paragraph more only if it then has no more words than this."""
WITH_PICTURE = 60
"""A text of no more words stands beside its picture; a longer one before it."""
WORDS_A_LINE = 6
"""A line of output takes the room of so many words."""
BELONGS_TO_PICTURE = re.compile(r"\*\*Try\.\*\*|<details>")


@dataclass
class Slide:
    """Texts, and pictures beside them, under the heading of a section that it ``begins`` or goes on with."""

    section: str
    begins: bool = False
    texts: list = field(default_factory=list)
    pictures: list = field(default_factory=list)
    words: int = 0

    def html(self):
        """The slide as HTML."""
        over = "" if self.begins else f'<p class="section">{self.section}</p>'
        texts = f'<div class="texts">{"".join(self.texts)}</div>'
        inside = f'<div class="pictures">{"".join(self.pictures)}</div>{texts}' if self.pictures else texts
        look = "slide" + (" begins" if self.begins else "") + (" with-picture" if self.pictures else "")
        return f'<section class="{look}">{over}<div class="content">{inside}</div></section>'


def slides_of(nb):
    """The slides of a notebook with its stills."""
    slides = []

    def another(heading=None):
        slides.append(Slide(heading or slides[-1].section, bool(heading)))
        return slides[-1]

    for part in parts_of(nb):
        slide = slides[-1] if slides else None
        if part.kind == "text":
            for number, text in enumerate(chunks(part.content)):
                if slide and slide.pictures and BELONGS_TO_PICTURE.match(text):
                    slide.texts.append(markdown(text))
                    continue
                shown = markdown(text)
                slide = another(_heading(shown) if number == 0 and part.heading in (1, 2) else None)
                slide.texts.append(shown)
                slide.words = words(text)
        elif part.kind in ("code", "folded"):
            slide.texts.append(folded(part.content))
        elif part.kind == "exercise":
            slide.texts.append(stub(part.content))
        elif part.kind == "output":
            takes = WORDS_A_LINE * part.content.count("\n")
            if slide.words and slide.words + takes > 2 * WORDS:
                slide = another()
            slide.words += takes
            slide.texts.append(f'<div class="output">{part.content}</div>')
        elif part.kind == "question":
            another().texts.append(question(part.content["guess"]))
        elif part.kind == "picture":
            if slide.pictures or slide.words > WITH_PICTURE:
                slide = another()
            slide.pictures.append(figure(part.content, MOST))
        elif part.kind == "answer":
            said = html.escape(part.content["guess"]["answer"])
            slide.texts.append(f'<details class="seen"><summary><b>Answer</b></summary><p>{said}</p></details>')
    return slides


def _heading(shown):
    """What stands in the heading at the beginning of a text, as HTML."""
    return re.match(r"<h\d[^>]*>(.*?)</h\d>", shown, re.DOTALL)[1]


def chunks(text):
    """A text cut between paragraphs into pieces for a slide each; a fold stays whole."""
    pieces = []
    for paragraph in re.findall(r"<details>.*?</details>|[^\n].*?(?=\n\n|\Z)", text, re.DOTALL):
        before = pieces[-1] if pieces else ""
        alike = bool(BELONGS_TO_PICTURE.match(before)) == bool(BELONGS_TO_PICTURE.match(paragraph))
        most = 2 * WORDS if before.endswith(":") else WORDS  # a formula stays with what leads to it
        if before and (re.match(r"#[^\n]*$", before) or (alike and words(before) + words(paragraph) <= most)):
            pieces[-1] = f"{before}\n\n{paragraph}"
        else:
            pieces.append(paragraph)
    return pieces


def words(text):
    """How many words a text has; a formula of its own counts for some."""
    shown = re.sub(r"\$\$.*?\$\$", " formula" * 20, text, flags=re.DOTALL)
    return len(re.sub(r"\$[^$]*\$", "formula", shown).split())


def deck_of(nb, title):
    """A notebook with its stills as slides, in one HTML file that needs nothing from outside."""
    shown = "".join(slide.html() for slide in slides_of(nb))
    return document(f"<main>{shown}</main>", title, "slides", scripts=("slides.js",))


@or_one_line
def main():
    """Read the command line; write the slides."""
    parser = argparse.ArgumentParser(description="Write notebooks as slides that need neither Python nor a network.")
    parser.add_argument("names", nargs="*", metavar="name", help="a number or stem; all if left out")
    return write_pages(parser.parse_args().names, ROOT / "slides", deck_of)


if __name__ == "__main__":
    sys.exit(main())
