"""What paper can show of the explorers and players of a notebook.

A player becomes a strip of pictures: its first state, its last one, and between them those that share the change
evenly. What is asked before a picture, its goals and its controls come along. The chapter is run for it as for the
pages of the site: see web/kept.py.
"""

import base64
import json
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

STILLS = "application/vnd.mlcore.stills+json"
MOST = 6
"""So many pictures of a player are kept."""
LOOKED_AT = 30
"""So many of its states are painted to find them."""


# ---------------------------------------------------------------------------------------------------------------
# Where the chapter runs
# ---------------------------------------------------------------------------------------------------------------
def described(explorer, spec, png_of):
    """What a page shows of an explorer or player, as plain data; ``png_of`` makes a picture of its canvas."""
    guess, is_player = explorer.guess, spec["kind"] == "player"
    width, height = spec["size"]
    return {
        "alt": explorer.alt,
        "size": [spec["shown"], round(height * spec["shown"] / width)],
        "frames": strip(explorer, png_of) if is_player else [frame(explorer, png_of)],
        "controls": [] if is_player else [control["label"] for control in spec["controls"]],
        "points": bool(explorer.points),
        "goals": [goal.text for goal in explorer.goals],
        "guess": guess and {
            "question": guess.question,
            "choices": [] if guess.is_number else list(guess.answers),
            "range": list(guess.answers) if guess.is_number else [],
            "answer": guess.answer("")[1],
        },
    }  # fmt: skip


def frame(explorer, png_of, step=""):
    """The picture as it is now with its caption; of a player also the step, the line at work and its values."""
    running = getattr(explorer, "running", None)
    return {
        "png": base64.b64encode(png_of(explorer.canvas)).decode(),
        "caption": explorer.scene.caption,
        "step": step,
        "running": running.describe()[1:] if running else [],
    }


def strip(player, png_of):
    """Some frames of a player, from its first state to its last; it is left as it was."""
    count, start = len(player.states), player.controls["step"].value
    candidates = np.unique(np.linspace(0, count - 1, min(count, LOOKED_AT)).round().astype(int))
    pictures = [_painted(player, state) for state in candidates]
    frames = []
    for state in candidates[evenly(pictures, MOST)]:
        _painted(player, state)
        frames.append(frame(player, png_of, f"step {player.first + state} of {player.first + count - 1}"))
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
def stills(path):
    """The notebook of a file, with stills in place of what moves.

    Raises
    ------
    BuildError
        If a cell raises, or the notebook was not built since it changed.
    """
    import nbformat  # only here: what runs a chapter imports this file too, where there is no Jupyter

    from tools.build_notebooks import BuildError
    from tools.web import kept

    try:
        folder = kept.chapter(path, stills_alone=True)
        told = json.loads((folder / "stills.json").read_text(encoding="utf-8"))
        return with_stills(nbformat.read(path, as_version=4), told)
    except (BuildError, LookupError) as error:
        raise BuildError(f"{path.name}: {error}") from None


def with_stills(nb, told):
    """A notebook whose explorers, in their order, are shown by what is told of them."""
    left = list(told)
    for output in (output for cell in nb.cells for output in cell.get("outputs", ())):
        if left and output.get("metadata", {}).get("image/png", {}).get("alt") == left[0]["alt"]:
            output.update(data={STILLS: left.pop(0), "text/plain": output.data["text/plain"]}, metadata={})
    if left:
        raise LookupError(f"explorer {len(told) - len(left) + 1} of {len(told)} has no place in the notebook: build it")
    return nb


def all_stills(paths):
    """Yield (path, notebook with its stills) for each of the paths, in order, some of them run side by side."""
    with ThreadPoolExecutor(min(os.cpu_count() or 1, len(paths))) as pool:
        yield from zip(paths, pool.map(stills, paths))
