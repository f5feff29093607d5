"""Makes the frames of a chapter beforehand: what its explorers show, at so many settings of their controls.

    python tools/web/frames.py notebook folder [--stills]

The chapter runs without Jupyter (``python/bridge.py``), each explorer is moved through a thinned grid of its settings,
and every picture is painted twice: for a wide window, and for a phone, where panels stand one below the other. What the
page needs first (spec and first frame of each explorer) is written to ``chapter.json``; the frames go into one pack an
explorer and window (``0-wide.pack``), and its first picture into a file of its own (``0-wide.webp``).

A pack is the length of its head (four bytes), the head (JSON, compressed), and the pictures, one after the other. In
the head: ``stops``, the places of each control that were made; ``base``, the first frame; ``changes``, what is other in
each frame; ``pictures``, for each frame the number of its picture; ``parts``, where a picture lies, and whether it is
whole or to be laid over the first one; ``told``, for each possible guess what is said to it.

What paper can show of each explorer, for handouts and slides, goes to ``stills.json`` (see tools/stills.py); with
--stills that is all.
"""

import gzip
import hashlib
import io
import itertools
import json
import math
import os
import pickle
import re
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "python"), str(HERE.parent.parent)]

import bridge  # noqa: E402
import numpy as np  # noqa: E402
from PIL import Image, ImageFilter  # noqa: E402

from mlcore.classroom.viz.draw.canvas import KEPT  # noqa: E402
from mlcore.classroom.viz.draw.marks import without_marks  # noqa: E402
from mlcore.classroom.viz.draw.pixels import few_colors  # noqa: E402
from mlcore.classroom.viz.draw.roles import palette  # noqa: E402
from tools.stills import described  # noqa: E402
from tools.web.names import asked_by_functions, needed  # noqa: E402

WINDOWS = ("wide", "narrow")
LIMIT = os.environ.get("FRAMES")
"""Few, for a site that is only tested."""
MOST = {"wide": int(LIMIT or 27), "narrow": int(LIMIT or 18) // 2}
"""So many frames an explorer, at most about: both ends and the middle of three sliders; on a phone, of two."""
MOST_STEPS = int(LIMIT or 1000)
"""And so many of a player: otherwise all."""
MOST_STOPS = 41
"""So many places of one slider, however few the others have."""
EDGE = 3
"""So many pixels around each one that is other."""
EXACT = 12_000
"""Bytes of a picture up to which it is kept without loss."""
SLOW = 0.15
"""Seconds of a cell here, which are three times as many in a browser, from which on it is worth leaving out."""
NO_MATTER = ("picture", "type", "turn", "answers", "key", "theme", "rests", "question", "guessed", "dots", "reached")
"""What a page does not need of a frame, or has from elsewhere."""


def thinned(size, count, keep):
    """``count`` of ``size`` places: evenly from end to end, those to ``keep`` in place of what lies next to them."""
    if count >= size:
        return list(range(size))
    places = set(np.linspace(0, size - 1, count).round().astype(int).tolist()) if count > 1 else set()
    ends = {0, size - 1} if count > 2 else set()
    for place in keep:
        others = places - set(keep) - ends
        if place not in places and others and len(places) >= count:
            places.remove(min(others, key=lambda other: abs(other - place)))
        places.add(place)
    return sorted(places)


def plan(spec, start, most, goals=()):
    """The places of each control that are made; a player has all its steps.

    While there are too many frames sliders give way, the longest first, down to three places; then all controls, down
    to two, and the last ones down to one. The places to start with are made, those that reach the ``goals`` (a list for
    each), and the middle of a slider.
    """
    sizes = [len(control["texts"]) for control in spec["controls"]]
    keep = [list(dict.fromkeys(places)) for places in zip(start, *goals)]
    if spec["kind"] == "player":
        return [thinned(size, min(size, MOST_STEPS), own) for size, own in zip(sizes, keep)]
    slides = [control["kind"] == "slider" for control in spec["controls"]]
    counts = [min(size, MOST_STOPS) if is_slider else size for size, is_slider in zip(sizes, slides)]
    for least, gives_way in ((3, slides), (2, [True] * len(sizes)), (1, [True] * len(sizes))):
        while math.prod(counts) > most:
            longest = max((count, i) for i, count in enumerate(counts) if gives_way[i]) if any(gives_way) else (0, 0)
            if longest[0] <= least:
                break
            counts[longest[1]] -= 1
    for i, count in enumerate(counts):
        if slides[i] and 2 < count < sizes[i] and count % 2 == 0:
            counts[i] += 1 if math.prod(counts) // count * (count + 1) <= most else -1
    return [thinned(*one) for one in zip(sizes, counts, keep)]


def goals_of(explorer):
    """The places of the controls that reach the goals, of those goals that need no points; nothing is drawn."""
    controls = explorer.controls
    start = [bridge.at(control) for control in controls.values()]
    found = []
    with explorer.paused():
        for goal in explorer.goals:
            if goal.by.keys() <= controls.keys():
                for name, value in goal.by.items():
                    controls[name].value = value
                found.append([bridge.at(control) for control in controls.values()])
                bridge.put(explorer, start)
    return found


# ---------------------------------------------------------------------------------------------------------------
# Pictures
# ---------------------------------------------------------------------------------------------------------------
def painted(explorer):
    """The picture as it is, without what glides, in few colours, as an array (height, width, 3)."""
    canvas = explorer.canvas
    with without_marks(canvas.figure):
        return canvas.rgba(KEPT)[..., :3].copy()


def webp(pixels, mode="RGB", **how):
    """A picture as WebP."""
    buffer = io.BytesIO()
    Image.fromarray(pixels, mode).save(buffer, "WEBP", **how)
    return buffer.getvalue()


def whole(pixels):
    """A picture by itself: of few colours without loss, or, where that is much smaller, as a photograph."""
    places, colors = few_colors(pixels, 256)
    exact = webp(colors.astype(np.uint8)[places], lossless=True, quality=50, method=4)
    if len(exact) <= EXACT:
        return exact
    rough = webp(pixels, quality=70, method=4)
    return rough if len(rough) < 0.6 * len(exact) else exact


def over(first, pixels):
    """What is other than in the first picture, to be laid over it, with an edge of what is the same.

    A browser that shows both smaller mixes the last pixels of the one with the other's below.
    """
    other = Image.fromarray((pixels != first).any(axis=2)).convert("L").filter(ImageFilter.MaxFilter(2 * EDGE + 1))
    other = np.asarray(other) > 0
    layer = np.dstack([np.where(other[..., None], pixels, 0), np.where(other, 255, 0)]).astype(np.uint8)
    return webp(layer, "RGBA", lossless=True, quality=20, method=2)


class Pictures:
    """The pictures of a pack: each one once."""

    def __init__(self):
        self.first, self.numbers, self.parts, self.bytes = None, {}, [], bytearray()

    def number(self, pixels):
        """The number of a picture, which is added if it is new."""
        name = hash(pixels.tobytes())
        if name not in self.numbers:
            self.numbers[name] = len(self.parts)
            self._add(pixels)
        return self.numbers[name]

    def _add(self, pixels):
        is_whole = True
        if self.first is None:
            self.first, coded = pixels, whole(pixels)
        else:
            coded, is_whole = over(self.first, pixels), False
            if len(coded) > EXACT:
                rough = webp(pixels, quality=60, method=2)
                coded, is_whole = (rough, True) if len(rough) < len(coded) else (coded, False)
        self.parts.append([len(self.bytes), len(coded), is_whole])
        self.bytes += coded


# ---------------------------------------------------------------------------------------------------------------
# Frames
# ---------------------------------------------------------------------------------------------------------------
def frame(explorer):
    """What a page needs of the frame of an explorer, and the goals that this setting reaches."""
    told = {name: value for name, value in bridge.frame(explorer).items() if name not in NO_MATTER}
    holds = [] if explorer.error else explorer.scene.reached
    question = explorer.scene.question
    return told | {"reaches": holds, "stands": not question or question.stands(explorer.numbers)}


def answers(explorer):
    """For each possible guess what is said to it, and where it is drawn."""
    question, told = explorer.scene.question, []
    for made in ["", *possible(question.asked)]:
        question.made = made
        told.append([made, question.state(), question.signs(explorer.canvas.figure)])
    question.made = None
    return told


def possible(asked):
    """All guesses that a learner can make."""
    if not asked.is_number:
        return list(asked.answers)
    low, high, step = asked.answers
    return [float(f"{low + i * step:.12g}") for i in range(round((high - low) / step) + 1)]


def pack(explorer, window):
    """The head of a pack, for a wide or a narrow window, and its pictures, one after the other."""
    explorer.canvas.narrow = window == "narrow"
    explorer.redraw()
    start, pictures = bridge.frame(explorer)["at"], Pictures()
    stops = plan(bridge.spec(explorer), start, MOST[window], goals_of(explorer))
    pictures.number(painted(explorer))  # the first one
    base, changes, numbers = frame(explorer), [], []
    for places in itertools.product(*stops):
        set_to(explorer, places)
        now = frame(explorer)
        changes.append({name: value for name, value in now.items() if base.get(name) != value})
        numbers.append(-1 if explorer.error else pictures.number(painted(explorer)))
    set_to(explorer, start)
    head = {"stops": stops, "base": base, "changes": changes, "pictures": numbers, "parts": pictures.parts}
    if explorer.guess:
        head["told"] = answers(explorer)
    explorer.canvas.narrow = False
    return head, bytes(pictures.bytes)


def set_to(explorer, places):
    """Set the controls to these of their places, and draw once."""
    with explorer.paused():
        bridge.put(explorer, places)
    explorer.redraw()


# ---------------------------------------------------------------------------------------------------------------
# A chapter
# ---------------------------------------------------------------------------------------------------------------
def cells(notebook):
    """The sources of the code cells, and whether a page runs them of itself: solutions and exercises wait."""
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        source, tags = "".join(cell["source"]), cell["metadata"].get("tags", ())
        if cell["cell_type"] == "code":
            yield source, "solution" not in tags and not re.search(r"^grade\(", source, re.MULTILINE)


def run(notebook):
    """Run a chapter; return of each cell its source, how many explorers it made, and ``states`` if it can be left out.

    A cell that takes long, makes no explorer, and changes nothing that a later cell asks for need not be run before
    something moves. What it leaves behind are the states of the generators of random numbers.
    """
    all_cells = list(cells(notebook))
    later, by_functions, told = asked_later(all_cells), set(), []
    for (source, runs), asked in zip(all_cells, later):
        if runs:
            before, begun = fingerprints(), time.process_time()
            ran = bridge.run(source, f"cell {len(told) + 1}")
            if ran["error"]:
                raise SystemExit(f"error: {notebook.name}: {ran['error']}, in\n{source}")
            seconds, after = time.process_time() - begun, fingerprints()
            changed = {name for name in after if before.get(name) != after[name]}
            can_wait = seconds > SLOW and not ran["made"] and not changed & (asked | by_functions)
            states = json.dumps(bridge.states()) if can_wait else None  # a text: JavaScript has no such large integers
            told.append({"source": source, "made": ran["made"], "states": states})
            by_functions |= asked_by_functions(source)
    return told


def asked_later(all_cells):
    """For each cell the names that later cells need; what does not run of itself may run or not."""
    later = [set()]
    for source, runs in all_cells[:0:-1]:
        later.append(needed(source, later[-1]) if runs else later[-1] | needed(source))
    return later[::-1]


def fingerprints():
    """For each name that cells have made what it holds; of what cannot be written down, which object it is."""
    return {name: _fingerprint(value) for name, value in bridge.space.items()}


def _fingerprint(value):
    if isinstance(value, np.random.Generator):  # its state is put back: see ``run``
        return id(value)
    try:
        return hashlib.sha256(pickle.dumps(value)).digest()
    except Exception:  # noqa: BLE001  a function, say: the same as long as it is the same object
        return id(value)


def main(notebook, folder, *options):
    """Make all of a chapter's frames and stills."""
    notebook, folder = Path(notebook), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    told = {"cells": run(notebook), "explorers": []}
    stills = [described(explorer, bridge.spec(explorer), bridge.png_of) for explorer in bridge.known]
    (folder / "stills.json").write_text(json.dumps(stills), encoding="utf-8")
    if "--stills" in options:
        return
    for k, explorer in enumerate(bridge.known):
        about = {"spec": bridge.spec(explorer), "frames": {}, "stops": {}}
        del about["spec"]["palette"]
        for window in WINDOWS:
            head, pictures = pack(explorer, window)
            about["frames"][window], about["stops"][window] = head["base"], head["stops"]
            text = gzip.compress(json.dumps(head, separators=(",", ":")).encode(), 9, mtime=0)
            (folder / f"{k}-{window}.pack").write_bytes(len(text).to_bytes(4, "little") + text + pictures)
            (folder / f"{k}-{window}.webp").write_bytes(pictures[: head["parts"][0][1]])
        told["explorers"].append(about)
    told["palette"] = {theme: palette(theme) for theme in ("light", "dark")}
    (folder / "chapter.json").write_text(json.dumps(told, separators=(",", ":")), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
