"""Runs a notebook for pages that do not move: of each explorer and player it keeps what paper can show.

A player becomes a strip of pictures: its first state, its last one, and between them those that share the change
evenly. What is asked before a picture, its goals and its controls come along. It takes some seconds a chapter, so the
result is kept in build/stills/ until the notebook, the library or this file changes.
"""

import base64
import hashlib
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import nbformat
import numpy as np
from nbformat.v4 import new_code_cell

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

KEPT = ROOT / "build" / "stills"
STILLS = "application/vnd.mlcore.stills+json"
MOST = 6
"""So many pictures of a player are kept."""
LOOKED_AT = 30
"""So many of its states are painted to find them."""


# ---------------------------------------------------------------------------------------------------------------
# In the notebook's kernel
# ---------------------------------------------------------------------------------------------------------------
def install():
    """From now on explorers and players are shown as data for a page; this runs before a notebook's first cell."""
    from IPython import get_ipython

    from mlcore.viz import Explorer

    get_ipython().display_formatter.ipython_display_formatter.for_type(Explorer, _show)


def _show(explorer):
    from IPython.display import display

    display({STILLS: described(explorer), "text/plain": explorer.describe()}, raw=True)


def described(explorer):
    """What a page shows of an explorer or player, as plain data."""
    from mlcore.viz import Player

    shown, guess = explorer._repr_mimebundle_()[1]["image/png"], explorer.guess
    is_player = isinstance(explorer, Player)
    return {
        "alt": explorer.alt,
        "size": [shown["width"], shown["height"]],
        "frames": strip(explorer) if is_player else [frame(explorer)],
        "controls": [] if is_player else [control.description for control in explorer.controls.values()],
        "points": bool(explorer.points),
        "goals": [goal.text for goal in explorer.goals],
        "guess": guess and {
            "question": guess.question,
            "choices": [] if guess.is_number else list(guess.answers),
            "range": list(guess.answers) if guess.is_number else [],
            "answer": guess.answer("")[1],
        },
    }  # fmt: skip


def frame(explorer, step=""):
    """The picture as it is now with its caption; of a player also the step, the line at work and its values."""
    running = getattr(explorer, "running", None)
    return {
        "png": base64.b64encode(explorer.canvas.png()).decode(),
        "caption": explorer.scene.caption,
        "step": step,
        "running": running.describe()[1:] if running else [],
    }


def strip(player):
    """Some frames of a player, from its first state to its last; it is left as it was."""
    count, start = len(player.states), player.controls["step"].value
    candidates = np.unique(np.linspace(0, count - 1, min(count, LOOKED_AT)).round().astype(int))
    pictures = [_painted(player, state) for state in candidates]
    frames = []
    for state in candidates[evenly(pictures, MOST)]:
        _painted(player, state)
        frames.append(frame(player, f"step {player.first + state} of {player.first + count - 1}"))
    player.set(step=start)
    return frames


def _painted(player, state):
    player.set(step=player.first + int(state))
    return player.canvas.pixels().astype(np.int16)


def evenly(pictures, count):
    """Indices of ``count`` pictures (or all of them), the first and the last among them, with like steps between.

    A step counts by how much changes in the picture, and for as much again by being a step.
    """
    changes = np.array([np.abs(b - a).mean() for a, b in zip(pictures, pictures[1:])])
    changes = changes / changes.sum() + 1 / len(changes) if changes.sum() > 0 else np.ones(len(changes))
    places = np.concatenate([[0], np.cumsum(changes)])
    chosen = [0]
    for left in range(min(count, len(pictures)) - 1, 0, -1):  # so many are still to be found
        goal = places[chosen[-1]] + (places[-1] - places[chosen[-1]]) / left
        reachable = np.arange(chosen[-1] + 1, len(places) - left + 1)
        chosen.append(int(reachable[np.abs(places[reachable] - goal).argmin()]))
    return chosen


# ---------------------------------------------------------------------------------------------------------------
# From a notebook to its stills
# ---------------------------------------------------------------------------------------------------------------
def run(nb, folder):
    """Run a copy of a notebook in a folder, with stills in place of what moves; return the copy.

    Raises
    ------
    BuildError
        If a cell raises.
    """
    build_notebooks = _builder()
    copy = nbformat.from_dict(nb)
    copy.cells.insert(0, new_code_cell("from tools.stills import install\n\ninstall()"))
    build_notebooks.run(copy, folder)
    del copy.cells[0]
    return copy


def _builder():
    from tools import build_notebooks  # only here: a kernel, which imports this file too, has no need of it

    return build_notebooks


def stills(path):
    """The notebook of a file with its stills, run anew only if something has changed."""
    kept, now = KEPT / path.name, _digest(path)
    if kept.exists():
        nb = nbformat.read(kept, as_version=4)
        if nb.metadata.get("stills") == now:
            return nb
    try:
        nb = run(nbformat.read(path, as_version=4), path.parent)
    except _builder().BuildError as error:
        raise type(error)(f"{path.name}: {error}") from None
    nb.metadata["stills"] = now
    KEPT.mkdir(parents=True, exist_ok=True)
    nbformat.write(nb, kept)
    return nb


def all_stills(paths, jobs=None):
    """Yield (path, notebook with its stills) for each of the paths, in order, some of them run side by side."""
    jobs = min(jobs or os.cpu_count() or 1, len(paths), 4)
    if jobs == 1:
        yield from ((path, stills(path)) for path in paths)
    else:
        with ProcessPoolExecutor(jobs) as pool:
            yield from zip(paths, pool.map(stills, paths))


def _digest(path):
    return hashlib.sha256(path.read_bytes() + digest_of_library().encode()).hexdigest()


@cache
def digest_of_library():
    library = [path for path in sorted((ROOT / "mlcore").rglob("*")) if path.is_file() and path.suffix != ".pyc"]
    contents = [hashlib.sha256(path.read_bytes()).hexdigest() for path in [*library, Path(__file__)]]
    return " ".join(contents)
