"""The page of a chapter, of the parts that pages.py makes of its notebook: explorers and exercises are live here."""

import base64
import hashlib
import html
import io
import re

from PIL import Image

from tools import pages

CHAPTER, GLOSSARY = re.compile(r"(\d\d)_"), "glossary"


def page(nb, stem, told, frames, hashed):
    """A chapter's page as HTML, and its pictures that do not move as {name: bytes}.

    Parameters
    ----------
    nb : notebook
    stem : str
        The notebook's name.
    told : dict
        What frames.py says of the chapter.
    frames : str
        The folder of its frames, from the site's own.
    hashed : dict
        The names of the folders ``app`` and ``python``.
    """
    body, pictures, explorers = [], {}, [one["spec"] for one in told["explorers"]]
    count = 0
    for part in pages.parts_of(nb, solutions=True):
        if part.kind == "picture" and count < len(explorers) and part.content["alt"] == explorers[count]["alt"]:
            body.append(explorer(explorers[count], count, frames))
            count += 1
        elif part.kind == "picture":
            body.append(still(part.content, frames, pictures))
        elif part.kind == "exercise":
            body.append(exercise(part.content))
        elif part.kind == "solution":
            body.append(solution(part.content))
        else:
            body.append(pages.block(without_link_here(part), len(body)))
    if count < len(explorers):
        raise ValueError(f"{stem}: explorer {count + 1} of {len(explorers)} has no place in the notebook: build it")
    data = {"frames": f"{frames}/", "python": f"{hashed['python']}/"} if explorers else {}
    shown = with_contents("".join(body))
    script = "chapter.js" if explorers or "data-exercise" in shown else "plain.js"
    return document(shown, pages.title_of(nb), hashed["app"], script, stem, data), pictures


def with_contents(body):
    """A page with links to its sections, behind a line that opens them, before the first of them."""
    sections = re.findall(r'<h2 id="([^"]*)">(.*?)</h2>', re.sub(r"</?a\b[^>]*>", "", body), re.DOTALL)
    if len(sections) < 3:
        return body
    links = "".join(f'<li><a href="#{name}">{words}</a></li>' for name, words in sections)
    folded = f"<details><summary>Contents</summary><ul>{links}</ul></details>"
    shown = f'<nav class="contents" aria-label="Sections of this page">{folded}</nav>'
    return body.replace("<h2 id=", f"{shown}<h2 id=", 1)


def without_link_here(part):
    """A part of a notebook; of its navigation all but the link to this page."""
    if part.kind != "navigation":
        return part
    return pages.Part(part.kind, re.sub(r"\[live in the browser\]\([^)]*\) · ", "", part.content))


def explorer(spec, k, frames):
    """The place of an explorer: its first picture, until the page's script is there."""
    width, height = spec["shown"], round(spec["size"][1] * spec["shown"] / spec["size"][0])
    image = img(f"{frames}/{k}-wide.webp", spec["alt"], width, height)
    return f'<div class="mlcore-explorer" data-explorer="{k}" style="--width: {width}px">{image}</div>'


def still(told, frames, pictures):
    """A picture that does not move, as a file of its own."""
    png = base64.b64decode(told["frames"][0]["png"])
    name, buffer = f"still-{hashlib.sha256(png).hexdigest()[:10]}.webp", io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").save(buffer, "WEBP", lossless=True, method=4)
    pictures[name] = buffer.getvalue()
    return f"<figure>{img(f'{frames}/{name}', told['alt'], *told['size'])}</figure>"


def img(source, alt, width, height):
    """A picture, which is fetched when it comes near."""
    return f'<img src="{source}" alt="{html.escape(alt)}" width="{width}" height="{height}" loading="lazy">'


def exercise(source):
    """The stub of an exercise, which the page's script makes a field of."""
    number = re.search(r'^grade\("([\d.]+)"', source, re.MULTILINE)[1]
    digest = hashlib.sha256(source.encode()).hexdigest()[:10]
    return f'<div class="exercise" data-exercise="{number}" data-digest="{digest}">{pages.code(source)}</div>'


def solution(source):
    """What solves the exercise above, behind a line that opens it."""
    shown = pages.code(source.removeprefix("# Solution\n"))
    return f'<details class="solution"><summary>Solution</summary>{shown}</details>'


def document(body, title, app, script, stem, data):
    """A whole file; ``data`` goes to its body, for the script."""
    attributes = "".join(f' data-{name}="{value}"' for name, value in data.items())
    start = '<button id="start" type="button">Start Python</button>' if "python" in data else ""
    body = pages.HAN.sub(r'<span lang="zh">\g<0></span>', body)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title>"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="{app}/icon.svg">'
        f'<script src="{app}/theme.js"></script><link rel="stylesheet" href="{app}/site.css">'
        f'<link rel="modulepreload" href="{app}/{script}"></head>'
        f'<body{attributes} data-page="{stem}"><header><a href="index.html">mlcore: the course</a>{start}'
        '<span id="python" role="status"></span><span id="own"></span></header>'
        f'<main>{body}</main><script src="{app}/page.js"></script>'
        f'<script type="module" src="{app}/{script}"></script></body></html>\n'
    )
