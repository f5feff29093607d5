"""What a page's worker calls: all that goes to the page is JSON, and a picture's bytes."""

import json
import os
from pathlib import Path

from pyodide.ffi import to_js

HOME = Path("/me")
HOME.mkdir(parents=True, exist_ok=True)
(HOME / ".copies.json").write_text("{}")  # here is the learner's memory: see mlcore.classroom.memory
os.chdir(HOME)

import bridge  # noqa: E402

PROGRESS = HOME / "progress.json"


def run(source, name, learner):
    """Run a cell: see ``bridge.run``; of the explorers that it made, each with its first frame."""
    begin = len(bridge.known)
    told = bridge.run(source, name, learner)
    return json.dumps({**told, "places": [bridge.frame(one)["places"] for one in bridge.known[begin:]], **progress()})


def ask(k, message):
    """The frame that answers what the page asks of the k-th explorer, and its picture."""
    frame = bridge.ask(bridge.known[k], json.loads(message))
    picture = frame.pop("picture")
    return to_js([json.dumps({**frame, "progress": progress()["progress"]}), picture])


def progress():
    """What the learner's memory holds, as a text; None if it is empty."""
    return {"progress": PROGRESS.read_text() if PROGRESS.exists() else None}


def remember(text):
    """Take what the page has kept."""
    PROGRESS.write_text(text)


def look(theme, narrow):
    """The page's theme and width, before the first picture is drawn."""
    bridge.screen.update(theme=theme, narrow=narrow)


def put_states(text):
    """Set generators of random numbers as cells left them that are not run: see ``frames.run``."""
    bridge.put_states(json.loads(text))
    return "{}"
