"""The first page of the site: what the course is, a picture to move at once, the map of the chapters, three films."""

import hashlib
import html
import re

from PIL import Image

from mlcore.classroom.exercises.grading import progress
from mlcore.classroom.viz.draw.course_map import _depths, _places
from mlcore.course import CHAPTERS, chapter
from tools import build_notebooks, films
from tools.web import page

BOX, ROW, COLUMN = (2.2, 0.68), 0.85, 3.2
"""Of the map, in its own units: a box, and how far apart they are."""
ROW_PIXELS = 62
SHOWN = re.compile(r"!\[([^\]]*)\]\(\.github/pictures/(\d\d)\.webp\)")


def front(site, hashed, told, frames, shown):
    """The first page as HTML.

    Parameters
    ----------
    site : Path
        Where the pages are: only to those that are there a link leads.
    hashed : dict
        The names of the folders of all pages.
    told : dict or None
        What frames.py says of chapter 0, whose first picture can be moved here.
    frames : str
        The folder of its frames, from the site's own.
    shown : dict of int -> str
        The films, and where they are.
    """
    there = {c.number for c in CHAPTERS if (site / page_of(c)).exists()}
    parts = [
        "<h1>Classical machine learning, step by step · 机器学习</h1>"
        '<p class="lead">A course that answers: you see a formula derived and checked by the machine, read the twenty lines of NumPy that '
        "implement it, and move a point, a line or a slider while the picture follows. Algorithms play step by step, and exercises know "
        "your mistake. All of it runs in this browser: nothing is to be installed, and what you do stays with you.</p>",
        ways(there),
    ]
    if told:
        parts.append(
            "<h2>Move it now</h2><p>Two kinds of points, and the border that an algorithm draws between them. Move the slider to both "
            f"ends: which border would you trust with a new point?</p>{page.explorer(told['explorers'][0]['spec'], 0, frames)}"
        )
    parts.append(course_map(there))
    if shown:
        parts.append(f'<h2>As it moves</h2>{"".join(film(number, path, there) for number, path in shown.items())}')
    parts.append(at_home())
    data = {"frames": f"{frames}/"} if told else {}
    title = "Classical machine learning, step by step"
    return page.document("".join(parts), title, hashed["app"], "front.js", "index", data)


def page_of(entry):
    """The file of a chapter's page."""
    return entry.notebook.replace(".ipynb", ".html")


def ways(there):
    """Where to begin."""
    known = [(0, "Start here: a quarter of an hour"), (1, "Chapter 1"), (2, "Chapter 2: fit a line"), (15, "Chapter 15: grow a tree")]
    links = [f'<a class="button" href="{page_of(chapter(n))}">{words}</a>' for n, words in known if n in there]
    return f'<p class="ways">{" ".join([*links, glossary_link()])}</p>'


def glossary_link():
    """The link to the glossary."""
    return '<a class="button" href="glossary.html">Glossary 术语表</a>'


# ---------------------------------------------------------------------------------------------------------------
# The map
# ---------------------------------------------------------------------------------------------------------------
def course_map(there):
    """All chapters as boxes in columns, with lines from each to those that build on it; on a phone as a list."""
    needs = {c.number: c.needs for c in CHAPTERS if c.number}
    places, all_of = _places(needs, _depths(needs), (COLUMN, ROW)), progress()
    width = max(x for x, _ in places.values()) + BOX[0]
    highest, lowest = max(y for _, y in places.values()), min(y for _, y in places.values())
    height = highest - lowest + BOX[1]
    corners = {n: (x, highest - y) for n, (x, y) in places.items()}

    def share(value, whole):
        return f"{100 * value / whole:.2f}%"

    boxes = "".join(
        f'<li style="--x:{share(corners[n][0], width)};--y:{share(corners[n][1], height)}" data-chapter="{n}" data-needs="{" ".join(map(str, own))}" '
        f'data-exercises="{all_of.get(n, (0, 0))[1]}">{box(chapter(n), n in there)}</li>'
        for n, own in needs.items()
    )
    lines = "".join(
        f'<path d="{curve(corners[a], corners[b])}" data-from="{a}" data-to="{b}"/>' for b, own in needs.items() for a in own
    )
    size = f"--w:{share(BOX[0], width)};--h:{share(BOX[1], height)};--height:{height / ROW * ROW_PIXELS:.0f}px"
    return (
        '<h2 id="map">The chapters</h2><p>A line leads from each chapter to those that build on it. <span id="solved"></span></p>'
        f'<div class="map" style="{size}"><svg viewBox="0 0 {width:g} {height:g}" preserveAspectRatio="none" aria-hidden="true">{lines}</svg>'
        f"<ol>{boxes}</ol></div>"
    )


def box(entry, is_there):
    """A chapter on the map."""
    needs = f'<span class="needs">needs {", ".join(map(str, entry.needs))}</span>' if entry.needs else ""
    words = f'<b>{entry.number}</b> {html.escape(entry.title)} <span class="other">{entry.title_zh}</span>{needs}<span class="done"></span>'
    return f'<a href="{page_of(entry)}">{words}</a>' if is_there else f'<span class="missing">{words}</span>'


def curve(one, other):
    """A line from the right side of one box to the left side of another, level at both ends."""
    (x, y), (to_x, to_y) = (one[0] + BOX[0], one[1] + BOX[1] / 2), (other[0], other[1] + BOX[1] / 2)
    middle = to_x - (COLUMN - BOX[0]) / 2
    return f"M{x:.2f} {y:.3f}C{middle:.2f} {y:.3f} {middle:.2f} {to_y:.3f} {to_x:.2f} {to_y:.3f}"


# ---------------------------------------------------------------------------------------------------------------
# Films
# ---------------------------------------------------------------------------------------------------------------
def film(number, path, there):
    """A film: its last picture, until the page's script sees that it is looked at."""
    told = dict((int(n), alt) for alt, n in SHOWN.findall((build_notebooks.ROOT / "README.md").read_text(encoding="utf-8")))
    entry, (width, height) = chapter(number), path["size"]
    name = f"{number}. {html.escape(entry.title)}"
    caption = f'<a href="{page_of(entry)}">{name}</a>' if number in there else name
    return (
        f'<figure class="film"><img src="{path["still"]}" data-film="{path["film"]}" alt="{html.escape(told[number])}" width="{width}" '
        f'height="{height}" loading="lazy"><figcaption>{caption}</figcaption></figure>'
    )


def write_films(site, put):
    """Make the films of the README, and put them into a folder of the site; return where each one is, and how large."""
    numbers = films.IN_README
    sources = [build_notebooks.SOURCES / chapter(number).notebook.replace(".ipynb", ".md") for number in numbers]
    films.make_all(sources)
    made = {number: (films.FOLDER / f"{source.stem}.webp") for number, source in zip(numbers, sources)}
    name = f"films-{hashlib.sha256(b''.join(path.read_bytes() for path in made.values())).hexdigest()[:12]}"

    def fill(folder):
        for number, path in made.items():
            (folder / f"{number:02d}.webp").write_bytes(path.read_bytes())
            last = Image.open(path)
            last.seek(last.n_frames - 1)
            last.convert("RGB").save(folder / f"{number:02d}-still.webp", "WEBP", lossless=True, method=4)

    put(site / name, fill)
    return {
        number: {"film": f"{name}/{number:02d}.webp", "still": f"{name}/{number:02d}-still.webp", "size": Image.open(path).size}
        for number, path in made.items()
    }


# ---------------------------------------------------------------------------------------------------------------
# At home
# ---------------------------------------------------------------------------------------------------------------
def at_home():
    """How to get the notebooks, and the pages without a network."""
    return (
        '<h2 id="jupyterlab">In JupyterLab</h2>'
        "<p>There you work in your own copies of the notebooks and can change all of their code. Download "
        '<a href="class.zip" download>the notebooks</a>; you need Python 3.11 or newer. Then, where the file lies '
        "(<code>py</code> in place of <code>python</code> on Windows, <code>python3</code> on a Mac):</p>"
        "<pre>python -m zipfile -e class.zip .\npython machine-learning/tools/lab.py</pre>"
        '<h2 id="offline">Without a network</h2>'
        "<p>A page that you have visited works without a network when you come back to it, its Python, too, once it has run. To have all of it, "
        '<a href="site.zip" download>download the whole course</a>, and, where the file lies:</p>'
        "<pre>python -m zipfile -e site.zip .\npython course/serve.py</pre>"
    )

