"""The stage in JupyterLab: one anywidget an explorer, which carries what the page shows and brings what it asks."""

import re
from functools import cache
from pathlib import Path
from uuid import uuid4

import anywidget
from traitlets import Dict, Unicode

__all__ = ["StageWidget", "script", "sheet"]

PAGE = Path(__file__).parent / "page"
PARTS = (
    "tools", "fit", "exchange", "picture", "question", "points", "holds", "marks", "readings", "running", "keys",
    "speed", "stage", "jupyter",
)  # fmt: skip
"""The modules of the page, each after those that it imports."""
SHEETS = ("card", "question", "points", "readings", "running")


@cache
def script():
    """All modules as one, which is how anywidget wants it: each in a scope of its own, which hands its exports out."""
    return "\n".join(_as_block((PAGE / f"{part}.js").read_text(encoding="utf-8")) for part in PARTS)


def _as_block(text):
    text = re.sub(r"^import [^;]*? from '\./[a-z]+\.js';\n", "", text, flags=re.MULTILINE)
    names = ", ".join(re.findall(r"^export (?:async )?(?:function|class|const) (\w+)", text, flags=re.MULTILINE))
    if not names:
        return text
    inside = re.sub(r"^export ", "", text, flags=re.MULTILINE)
    return f"const {{ {names} }} = (() => {{\n{inside}return {{ {names} }};\n}})();"


@cache
def sheet():
    """All style sheets as one."""
    return "\n".join((PAGE / f"{part}.css").read_text(encoding="utf-8") for part in SHEETS)


class StageWidget(anywidget.AnyWidget):
    """What an explorer shows in the page: see page/jupyter.js.

    All that a page needs at its start stands in its first state; a page that starts late asks for the state it missed.
    """

    _esm = script()
    _css = sheet()
    name = Unicode().tag(sync=True)
    """The widget's own id, by which the page finds its messages: see page/jupyter.js."""
    spec = Dict().tag(sync=True)
    frame = Dict().tag(sync=True)

    def __init__(self, spec, frame):
        name = uuid4().hex
        super().__init__(model_id=name, name=name, spec=spec, frame=frame)
