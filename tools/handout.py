"""Writes the notebooks as pages to print or to hand out, handout/*.html: make handout.

    python tools/handout.py [name ...]

A page needs neither Python nor a network: its pictures are in it, with their descriptions, and its formulas are MathML,
which browsers set by themselves. Solutions are left out; the code of pictures is folded. A name is a number ("07") or a
stem.
"""

import argparse
import html
import re
import sys
from pathlib import Path

import nbformat
from bs4 import BeautifulSoup
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from pygments.formatters import HtmlFormatter

ROOT = Path(__file__).resolve().parent.parent
CODE_OR_FORMULA = re.compile(r"(```.*?```|`[^`\n]*`)|\$\$(.+?)\$\$|\$([^$\n]+?)\$", re.DOTALL)
TAG = re.compile(r"\\tag\{([^}]*)\}")
STYLE = """
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.55 system-ui, sans-serif }
body { color: #222; background: #fff } img { max-width: 100%; height: auto }
pre { overflow-x: auto; padding: .6rem .8rem; background: #f6f6f6; font-size: .86rem }
table { border-collapse: collapse; margin: 1rem 0 }
th, td { border: 1px solid #bbb; padding: .25rem .6rem; text-align: left }
.prompt, .anchor-link { display: none }
.formula { display: flex; align-items: center } .formula > math { margin: .4rem auto }
details > summary { cursor: pointer; color: #555 } a { color: #0b5fa5 } math { font-size: 1.05em }
@media print { details { display: none } body { margin: 0 } .cell { break-inside: avoid } }
"""


# what latex2mathml does not know, at least after \\Bigl and the like
OTHERWISE = {r"\arg": r"\operatorname{arg}", r"\lVert": r"\|", r"\rVert": r"\|", r"\lfloor": "⌊", r"\rfloor": "⌋"}


def mathml(formula, display="inline"):
    """Set one formula."""
    known = re.sub(r"\\[A-Za-z]+", lambda match: OTHERWISE.get(match[0], match[0]), formula)
    return convert(re.sub(r"\\textbf\{([^}]*)\}", r"\1", known), display=display)


def with_mathml(text):
    """Set the formulas of a Markdown text; code stays as it is."""
    def replace(match):
        if match[1]:
            return match[1]
        if match[3]:
            return mathml(match[3])
        tag = TAG.search(match[2])
        number = f"<span>({tag[1]})</span>" if tag else ""
        return f'<div class="formula">{mathml(TAG.sub("", match[2]).strip(), "block")}{number}</div>'

    return CODE_OR_FORMULA.sub(replace, text)


def prepared(nb):
    """A copy of the notebook as a page shows it: no solutions, set formulas, described pictures, no word of sliders."""
    page = nbformat.from_dict({**nb, "cells": [c for c in nb.cells if "solution" not in c.metadata.get("tags", ())]})
    for cell in page.cells:
        if cell.cell_type == "markdown":
            cell.source = with_mathml(cell.source)
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                alt = output.metadata.get("image/png", {}).get("alt") or output.data.get("text/plain", "")
                source = f"data:image/png;base64,{output.data['image/png'].strip()}"
                output.data = nbformat.from_dict({"text/html": f'<img alt="{html.escape(alt)}" src="{source}">'})
            elif "text/markdown" in output.get("data", {}):
                output.data["text/markdown"] = with_mathml(output.data["text/markdown"])
        if cell.cell_type == "code":
            cell.outputs = [one for one in cell.outputs if one.get("data", {}).get("text/plain") != "[saved]"]
    return page


def page_of(nb, title):
    """Return a notebook as one HTML page that needs nothing from outside."""
    body, _ = HTMLExporter(template_name="basic").from_notebook_node(prepared(nb))
    soup = BeautifulSoup(body, "html.parser")
    for code in soup.select(".celltag_drawing .input, .celltag_setup .input"):
        fold = soup.new_tag("details")
        summary = soup.new_tag("summary")
        summary.string = "the code"
        code.wrap(fold).insert(0, summary)
    for link in soup.select("a[href$='.ipynb'], a[href*='.ipynb#']"):
        link["href"] = link["href"].replace(".ipynb", ".html")
    colours = HtmlFormatter(style="default").get_style_defs(".highlight")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}{colours}</style></head>'
        f"<body><main>{soup}</main></body></html>\n"
    )


def title_of(nb):
    """The first heading of a notebook."""
    return next((cell.source.splitlines()[0].lstrip("# ") for cell in nb.cells if cell.cell_type == "markdown"), "")


def main():
    """Read the command line; write the pages."""
    parser = argparse.ArgumentParser(description="Write notebooks as pages that need neither Python nor a network.")
    parser.add_argument("names", nargs="*", metavar="name", help="a number or stem; all if left out")
    names = parser.parse_args().names
    target = ROOT / "handout"
    target.mkdir(exist_ok=True)
    paths = sorted((ROOT / "notebooks").glob("*.ipynb"))
    chosen = [path for path in paths if not names or {path.stem, path.stem.partition("_")[0]} & set(names)]
    if not chosen:
        print(f"error: there is no notebook called {', '.join(names)}", file=sys.stderr)
        return 1
    for path in chosen:
        nb = nbformat.read(path, as_version=4)
        text = page_of(nb, title_of(nb))
        (target / f"{path.stem}.html").write_text(text, encoding="utf-8")
        print(f"handout/{path.stem}.html  {len(text) / 1e6:.1f} MB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
