"""A notebook as one HTML page that needs nothing from outside.

A notebook comes with its stills (stills.py). ``parts_of`` turns a cell into parts: texts, code, output, pictures and
questions. ``page_of`` puts them together as a page to read or to print; slides.py makes slides of the same parts.
"""

import base64
import html
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from nbconvert.filters import ansi2html
from nbconvert.filters.markdown import markdown2html
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from tools import progress
from tools.build_notebooks import MAP, ROOT, BuildError
from tools.formulas import with_formulas
from tools.stills import STILLS, all_stills

STYLES = Path(__file__).with_name("page")
FRAMES, FRAMES_IN_SHORT = 4, 2
"""So many pictures of a player stand on a page."""
NOT_IN_SHORT = ("navigation", "code", "folded")
SECTIONS_NOT_IN_SHORT = ("In practice", "Corrections to the notes", "Further reading")
HAN = re.compile(r"[\u3400-\u9fff]+(?![^<]*>)")


# ---------------------------------------------------------------------------------------------------------------
# From cells to parts
# ---------------------------------------------------------------------------------------------------------------
@dataclass
class Part:
    """A piece of a page.

    ``kind`` is text, navigation, code, folded (code that can wait), exercise (a stub to fill in), solution, output,
    picture, question or answer. ``content`` is the source of a text or of code, the HTML of an output, and of the last
    three what stills.py says of an explorer.
    """

    kind: str
    content: object

    @property
    def heading(self):
        """Of a text that begins with a heading its level, else 0."""
        match = re.match("(#+) ", self.content) if self.kind == "text" else None
        return len(match[1]) if match else 0


def parts_of(nb, solutions=False):
    """Yield the parts of a notebook, solutions only if asked for; each section's heading begins a text of its own."""
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            for text in re.split(r"\n+(?=## )", cell.source):
                yield Part("navigation" if MAP in text else "text", text)
        elif cell.cell_type == "code" and "solution" in cell.metadata.get("tags", ()):
            if solutions:
                yield Part("solution", cell.source)
        elif cell.cell_type == "code" and cell.source:
            outputs = [part for output in cell.outputs for part in _parts_of_output(output)]
            if not re.fullmatch(r"(show_source\(.*\)\s*)+", cell.source):  # what that shows is enough
                yield Part(_kind_of_code(cell, outputs), cell.source)
            yield from outputs


def _kind_of_code(cell, outputs):
    if re.search(r"^grade\(", cell.source, re.MULTILINE):
        return "exercise"
    hidden = cell.metadata.get("jupyter", {}).get("source_hidden", False)
    return "folded" if hidden or any(part.kind == "picture" for part in outputs) else "code"


def _parts_of_output(output):
    if output.output_type == "stream":
        return [Part("output", f"<pre>{ansi2html(output.text)}</pre>")]
    data = output.get("data", {})
    plain = data.get("text/plain", "")
    if STILLS in data:
        told = data[STILLS]
        return [Part(kind, told) for kind in (("question", "picture", "answer") if told["guess"] else ("picture",))]
    if "image/png" in data:
        png, known = data["image/png"].strip(), output.metadata.get("image/png", {})
        size = [known[side] for side in ("width", "height")] if "width" in known else _size_of(png)
        frames = [{"png": png, "caption": "", "step": "", "running": []}]
        told = {"alt": known.get("alt", plain), "size": size, "frames": frames}
        return [Part("picture", {"guess": None, "controls": [], "points": False, "goals": [], **told})]
    if plain == "[saved]" or plain.startswith("○ "):  # for a notebook alone
        return []
    if "text/markdown" in data:
        return [Part("output", markdown(data["text/markdown"]))]
    return [Part("output", data.get("text/html") or f"<pre>{html.escape(plain)}</pre>")]


def _size_of(png):
    """Width and height of a PNG, which stand in its first bytes."""
    head = base64.b64decode(png[:32])
    return [int.from_bytes(head[place : place + 4], "big") for place in (16, 20)]


# ---------------------------------------------------------------------------------------------------------------
# Parts as HTML
# ---------------------------------------------------------------------------------------------------------------
def markdown(text):
    """A Markdown text as HTML, with set formulas, links to pages, and tables that can scroll."""
    shown = with_formulas(markdown2html, text)
    shown = re.sub(r"&#(\d{3,});", lambda sign: chr(int(sign[1])), shown)  # so headings come out
    shown = re.sub(r'<a class="anchor-link".*?</a>', "", shown)
    shown = re.sub(r'(<a href="[^"]*)\.ipynb', r"\1.html", shown)
    shown = re.sub(r"<table>.*?</table>", r'<div class="wide">\g<0></div>', shown, flags=re.DOTALL)
    shown = re.sub(r"<th>(|<math[^>]*>(?:(?!</th>).)*</math>)</th>", r'<td class="head">\1</td>', shown)  # not read out
    return shown.replace("<details>", '<details class="seen">')


def code(source):
    """Code with its colours."""
    return f"<pre>{highlight(source, PythonLexer(), HtmlFormatter(nowrap=True)).rstrip()}</pre>"


def folded(source):
    """Code behind a line that opens it; the first line of the code may say what that is called."""
    name, source = re.fullmatch(r"(?:# (?:The )?([^\n]*): run me\n)?(.*)", source, re.DOTALL).groups()
    summary = f"code of this {name}" if name in ("picture", "table") else f"code: {name.lower()}" if name else "code"
    return f"<details><summary>{summary}</summary>{code(source)}</details>"


def stub(source):
    """What an exercise gives to begin with, without its check; nothing where that is only a name to fill in."""
    given = re.sub(r"^grade\(.*\)\s*", "", source, flags=re.MULTILINE).rstrip()
    return code(given) if "def " in given else ""


def room(lines):
    """So many lines to write on."""
    return f'<div class="room">{"<div></div>" * lines}</div>'


def figure(told, most=1):
    """The picture of an explorer, or so many of a player's, in a row; below, what a notebook adds to it."""
    frames = some_of(told["frames"], most)
    shown = "".join(_frame(told, frame, index) for index, frame in enumerate(frames))
    kind, below = "strip" if len(frames) > 1 else "one", _in_a_notebook(told)
    return f'<figure class="{kind}" style="--width: {told["size"][0]}px">{shown}{below}</figure>'


def some_of(frames, most):
    """The first frame alone; or so many, evenly up to the last one: with the first, if they are more than two."""
    if most == 1 or most >= len(frames):
        return frames[:most]
    first = 0 if most > 2 else (len(frames) - 1) // 2
    places = [first + round(i * (len(frames) - 1 - first) / (most - 1)) for i in range(most)]
    return [frames[place] for place in places]


def _frame(told, frame, index):
    alt = told["alt"] if index == 0 else f"The same picture, {frame['step']}: {frame['caption']}"
    size = 'width="{}" height="{}"'.format(*told["size"])
    image = f'<img alt="{html.escape(alt)}" {size} src="data:image/png;base64,{frame["png"]}">'
    below = f'<p class="caption">{html.escape(frame["caption"])}</p>' if frame["caption"] else ""
    if frame["running"]:
        line = [text.removeprefix("▸ ") for text in frame["running"] if text.startswith("▸ ")]
        values = [html.escape(text) for text in frame["running"] if not text.startswith("▸ ")]
        shown = [f"<code>{html.escape(text)}</code>" for text in line]
        below += f'<p class="running">{" · ".join(shown + values)}</p>'
    step = f'<p class="step">{frame["step"]}</p>' if frame["step"] else ""
    return f'<div class="frame">{step}{image}{below}</div>'


def _in_a_notebook(told):
    """What can be moved and reached in a notebook."""
    moves = told["controls"] + (["the points"] if told["points"] else [])
    lines = [f"You can move: {', '.join(moves)}."] if moves else []
    lines += [f"Goal: {goal}." for goal in told["goals"]]
    said = html.escape(" ".join(lines))
    return f'<figcaption class="notebook">In the notebook. {said}</figcaption>' if lines else ""


def question(guess, number=None):
    """A guess to commit to: its choices, and space to write; the number is that of its answer, if that is elsewhere."""
    if guess["choices"]:
        how = "".join(f"<li>{html.escape(choice)}</li>" for choice in guess["choices"])
        how = f'<ul class="choices">{how}</ul><p class="because">Because</p>{room(2)}'
    else:
        low, high, _ = guess["range"]
        how = f"<p>Your guess, from {low:g} to {high:g}:</p>{room(1)}"
    link = f' <a class="to-answer" href="#answer-{number}">answer {number}</a>' if number else ""
    name = f' id="question-{number}"' if number else ""
    asked = f"<p><strong>Guess first.</strong> {html.escape(guess['question'])}{link}</p>"
    return f'<div class="question"{name}>{asked}{how}</div>'


def answer(told, number, most):
    """What is said to a guess, and, of a player, what happens."""
    said = f'<a href="#question-{number}">{html.escape(told["guess"]["question"])}</a> '
    said += html.escape(told["guess"]["answer"])
    strip = figure(told, most) if len(told["frames"]) > 1 else ""
    return f'<li id="answer-{number}"><p>{said}</p>{strip}</li>'


# ---------------------------------------------------------------------------------------------------------------
# The page
# ---------------------------------------------------------------------------------------------------------------
def page_of(nb, title, short=False):
    """A notebook with its stills as one HTML page; ``short``: formulas, pictures, questions and exercises alone."""
    most = FRAMES_IN_SHORT if short else FRAMES
    body, answers = [], []
    for part in shortened(parts_of(nb)) if short else parts_of(nb):
        if part.kind == "question":
            body.append(question(part.content["guess"], len(answers) + 1))
        elif part.kind == "picture":
            body.append(figure(part.content, 1 if part.content["guess"] else most))
        elif part.kind == "answer":
            answers.append(answer(part.content, len(answers) + 1, most))
        elif part.kind == "exercise":
            body.append(stub(part.content) + room(6 if "def " in part.content else 3) if short else code(part.content))
        else:
            body.append(block(part, len(body)))
    if answers:
        body.append(f'<h2 id="answers">Answers to the questions</h2><ol class="answers">{"".join(answers)}</ol>')
    return document(f"<main>{''.join(body)}</main>", title, "page", "short" if short else "full")


def block(part, place):
    """A part that looks the same wherever it stands."""
    if part.kind == "navigation":
        where = "top" if place < 3 else "bottom"
        return f'<nav aria-label="Chapters, {where} of the page">{markdown(part.content)}</nav>'
    if part.kind == "output":
        return f'<div class="output">{part.content}</div>'
    return {"text": markdown, "code": code, "folded": folded}[part.kind](part.content)


def shortened(parts):
    """Yield what the short version shows: headings, formulas with their sentence, pictures, exercises, the summary."""
    headings, section, second_reading = [], "", 7
    for part in parts:
        level = part.heading
        if level in (1, 2):
            section = part.content.split("\n")[0].lstrip("# ").strip()
        if level and level <= second_reading:
            second_reading = level if "*second reading*" in part.content.split("\n")[0] else 7
        if second_reading < 7 or section.startswith(SECTIONS_NOT_IN_SHORT) or part.kind in NOT_IN_SHORT:
            continue
        if part.kind == "output" and "<table>" not in part.content:
            continue
        if part.kind == "text":
            whole = level == 1 or section.startswith(("Summary", "Exercises"))
            part = Part("text", part.content if whole else formulas_alone(part.content))
            if level:
                headings = [one for one in headings if one.heading < level]  # nothing has followed the others
            if level and part.content == part.content.split("\n")[0]:
                headings.append(part)
                continue
        if part.content:
            yield from headings
            headings = []
            yield part


def formulas_alone(text):
    """Of a text the heading, and the displayed formulas, each with the paragraph that leads to it."""
    paragraphs = re.split(r"\n\n+", re.sub("<details>.*?</details>", "", text, flags=re.DOTALL).strip())
    shown = ["$$" in paragraph for paragraph in paragraphs]
    kept = [
        paragraph for paragraph, here, next_one in zip(paragraphs, shown, [*shown[1:], False])
        if here or next_one or paragraph.startswith("#")
    ]  # fmt: skip
    return "\n\n".join(kept)


def document(body, title, style, name="", scripts=()):
    """A whole HTML file around a body, with its style sheets and scripts inside; ``name`` is the body's class."""
    colours = HtmlFormatter(style="default").get_style_defs("pre")
    look = "".join(_file(sheet) for sheet in ("common.css", "formulas.css", f"{style}.css"))
    body = HAN.sub(r'<span lang="zh">\g<0></span>', body)
    scripts = "".join(f"<script>{{\n{_file(script)}}}</script>" for script in ("page.js", *scripts))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{colours}{look}</style></head>'
        f'<body class="{name}">{body}{scripts}</body></html>\n'
    )


def _file(name):
    return (STYLES / name).read_text(encoding="utf-8")


def title_of(nb):
    """The first heading of a notebook."""
    return next((cell.source.splitlines()[0].lstrip("# ") for cell in nb.cells if cell.cell_type == "markdown"), "")


# ---------------------------------------------------------------------------------------------------------------
# Files
# ---------------------------------------------------------------------------------------------------------------
def write_pages(names, target, make):
    """Write ``make(notebook with its stills, title)`` of each notebook that the names mean; return the exit code."""
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    unknown = [name for name in names if not any(_means(name, path) for path in notebooks)]
    if unknown:
        print(f"error: there is no notebook called {', '.join(unknown)}", file=sys.stderr)
        return 1
    paths = [path for path in notebooks if not names or any(_means(name, path) for name in names)]
    target.mkdir(parents=True, exist_ok=True)
    line, whole = progress.Line(), len(paths)
    line.show("Running what has changed", 0, whole, "chapters")
    try:
        for done, (path, nb) in enumerate(all_stills(paths), 1):
            (target / f"{path.stem}.html").write_text(make(nb, title_of(nb)), encoding="utf-8")
            line.show("Running what has changed", done, whole, "chapters")
        line.end()
    except BuildError as error:
        line.end()
        print(f"error: {error}", file=sys.stderr)
        return 1
    where = target.relative_to(ROOT).as_posix()
    print(f"{where}/{paths[0].stem}.html" if len(paths) == 1 else f"{len(paths)} pages are in {where}/")
    return 0


def _means(name, path):
    return name in (path.stem, path.stem.partition("_")[0])
