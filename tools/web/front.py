"""The first page of the site: what the course is, a picture to move at once, the map of the chapters, three films."""

import hashlib
import html
import re
import shutil
from dataclasses import dataclass

from PIL import Image

from mlcore.classroom.exercises.grading import progress
from mlcore.classroom.viz.draw.course_map import COLUMN, ROW, map_places
from mlcore.course import CHAPTERS, chapter
from tools import build_notebooks, films
from tools.web import page, release

BOX = (2.6, 0.74)
"""Of the map, in its own units."""
ROW_PIXELS = 70
MOST_HEIGHT = 512
"""Pixels of a film."""
TITLE = "Classical machine learning, step by step"
LEAD = """A course that answers: you see a formula derived and checked by the machine, read the twenty lines of NumPy
that implement it, and move a point, a line or a slider while the picture follows. Algorithms play step by step, and
exercises know your mistake. All of it runs in this browser: nothing is to be installed, and what you do stays with
you."""
TRY = """Two kinds of points, and the border that an algorithm draws between them. Move the slider to both ends: which
border would you trust with a new point?"""
BEGIN = {0: "Start here: a quarter of an hour", 2: "Chapter 2: fit a line", 15: "Chapter 15: grow a tree"}
AT_HOME = """<h2 id="jupyterlab">In JupyterLab</h2>
<p>There you work in your own copies of the notebooks, and can change all of their code. Download
<a href="class.zip" download>the notebooks</a>; you need Python 3.11 or newer. Then, where the file lies (with
<code>py</code> in place of <code>python</code> on Windows, <code>python3</code> on a Mac):</p>
<pre>python -m zipfile -e class.zip .
python machine-learning/tools/lab.py</pre>
<h2 id="offline">Without a network</h2>
<p>A page that you have visited works without a network when you come back to it, its Python, too, once it has run. To
have all of it, <a href="site.zip" download>download the whole course</a>; then, where the file lies:</p>
<pre>python -m zipfile -e site.zip .
python course/serve.py</pre>"""
SHOWN = re.compile(r"!\[([^\]]*)\]\(\.github/pictures/(\d\d)\.webp\)")


def front(site, app, told, frames, shown):
    """The first page as HTML.

    Parameters
    ----------
    site : Path
        Where the pages are: only to those that are there a link leads.
    app : str
        The folder with the scripts of all pages.
    told : dict or None
        What frames.py says of chapter 0, whose first picture can be moved here.
    frames : str
        The folder of its frames, from the site's own.
    shown : dict of int -> Shown
        The films of some chapters.
    """
    there = {c.number for c in CHAPTERS if (site / page_of(c)).exists()}
    glossary = (site / "glossary.html").exists()
    parts = [f"<h1>{TITLE} · 机器学习</h1><p class=\"lead\">{LEAD}</p>", ways(there, glossary)]
    if told:
        parts.append(f"<h2>Move it now</h2><p>{TRY}</p>{page.explorer(told['explorers'][0]['spec'], 0, frames)}")
    parts.append(course_map(there))
    if shown:
        parts.append(f"<h2>As it moves</h2>{''.join(film(n, one, there) for n, one in shown.items())}")
    parts.append(AT_HOME)
    data = {"frames": f"{frames}/"} if told else {}
    return page.document("".join(parts), TITLE, app, "front.js", "index", data)


def page_of(entry):
    """The file of a chapter's page."""
    return entry.notebook.replace(".ipynb", ".html")


def ways(there, glossary):
    """Where to begin."""
    links = [(page_of(chapter(number)), words) for number, words in BEGIN.items() if number in there]
    links += [("glossary.html", "Glossary · 术语表")] if glossary else []
    shown = " ".join(f'<a class="button" href="{href}">{words}</a>' for href, words in links)
    return f'<p class="ways">{shown}</p>'


# ---------------------------------------------------------------------------------------------------------------
# The map
# ---------------------------------------------------------------------------------------------------------------
def course_map(there):
    """All chapters as boxes in columns, with lines from each to those that build on it; on a phone as a list."""
    needs = {c.number: c.needs for c in CHAPTERS if c.number}
    places, exercises = map_places(needs), progress()
    highest, lowest = max(y for _, y in places.values()), min(y for _, y in places.values())
    whole = max(x for x, _ in places.values()) + BOX[0], highest - lowest + BOX[1]
    corners = {number: (x, highest - y) for number, (x, y) in places.items()}
    boxes, lines = [], []
    for number, own in needs.items():
        x, y = (100 * at / side for at, side in zip(corners[number], whole))
        data = f'data-chapter="{number}" data-needs="{" ".join(map(str, own))}" data-exercises="{exercises[number][1]}"'
        boxes.append(f'<li style="--x:{x:.2f}%;--y:{y:.2f}%" {data}>{box(chapter(number), number in there)}</li>')
        for one in own:
            lines.append(f'<path d="{curve(corners[one], corners[number])}" data-from="{one}" data-to="{number}"/>')
    w, h = (100 * part / side for part, side in zip(BOX, whole))
    return (
        '<h2 id="map">The chapters</h2>'
        '<p><span class="drawn">A line leads from each chapter to those that build on it.</span> '
        '<span id="solved"></span></p>'
        f'<div class="map" style="--w:{w:.2f}%;--h:{h:.2f}%;--height:{whole[1] / ROW * ROW_PIXELS:.0f}px">'
        f'<svg viewBox="0 0 {whole[0]:g} {whole[1]:g}" preserveAspectRatio="none" aria-hidden="true">'
        f"{''.join(lines)}</svg>"
        f"<ol>{''.join(boxes)}</ol></div>"
    )


def box(entry, is_there):
    """A chapter on the map."""
    needs = f'<span class="needs">needs {", ".join(map(str, entry.needs))}</span>' if entry.needs else ""
    title = f'<b>{entry.number}</b> {html.escape(entry.title)} <span class="other">{entry.title_zh}</span>'
    words = f'{title}{needs}<span class="done"></span>'
    return f'<a href="{page_of(entry)}">{words}</a>' if is_there else f'<span class="missing">{words}</span>'


def curve(one, other):
    """A line from the right side of one box to the left side of another, level at both ends."""
    (x, y), (to_x, to_y) = (one[0] + BOX[0], one[1] + BOX[1] / 2), (other[0], other[1] + BOX[1] / 2)
    middle = to_x - (COLUMN - BOX[0]) / 2
    return f"M{x:.2f} {y:.3f}C{middle:.2f} {y:.3f} {middle:.2f} {to_y:.3f} {to_x:.2f} {to_y:.3f}"


# ---------------------------------------------------------------------------------------------------------------
# Films
# ---------------------------------------------------------------------------------------------------------------
@dataclass
class Shown:
    """Where a film and its last picture are, and how large they are."""

    film: str
    still: str
    width: int
    height: int


def film(number, shown, there):
    """A film: its last picture, until the page's script sees that it is looked at."""
    readme = (build_notebooks.ROOT / "README.md").read_text(encoding="utf-8")
    told = {int(digits): words for words, digits in SHOWN.findall(readme)}
    entry = chapter(number)
    name = f"{number}. {html.escape(entry.title)}"
    caption = f'<a href="{page_of(entry)}">{name}</a>' if number in there else name
    wide = round(min(shown.width, MOST_HEIGHT * shown.width / shown.height))
    size = f'width="{shown.width}" height="{shown.height}" style="width: {wide}px"'
    return (
        f'<figure class="film"><img src="{shown.still}" data-film="{shown.film}" alt="{html.escape(told[number])}" '
        f'{size} loading="lazy"><figcaption>{caption}</figcaption></figure>'
    )


def write_films(site):
    """Put the films of the README into a folder of the site; return where each one is, and how large."""
    made = {number: films.PICTURES / f"{number:02d}.webp" for number in films.IN_README}
    name = f"films-{hashlib.sha256(b''.join(path.read_bytes() for path in made.values())).hexdigest()[:12]}"

    def fill(folder):
        for path in made.values():
            shutil.copy(path, folder)
            last = Image.open(path)
            last.seek(last.n_frames - 1)
            last.convert("RGB").save(folder / f"{path.stem}-still.webp", "WEBP", quality=80, method=6)

    release.put(site / name, fill)
    return {
        number: Shown(f"{name}/{path.name}", f"{name}/{path.stem}-still.webp", *Image.open(path).size)
        for number, path in made.items()
    }
