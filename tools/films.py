"""Makes a film of each chapter's best picture, films/*.webp, and a still of it, films/*.png: make films.

    python tools/films.py [--dark] [--readme] [chapter ...]

A film is made from the explorer itself: the chapter is run as far as that explorer, its controls go the way that FILMS
names, and what glides on the page glides here. Nothing is done again until the chapter's source, the library or this
file changes. --readme puts three films and all stills where the README shows them, .github/pictures.
"""

import argparse
import ast
import hashlib
import os
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from nbformat.v4 import new_code_cell
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import build_notebooks, progress  # noqa: E402
from tools.one_line import or_one_line  # noqa: E402
from tools.web import kept  # noqa: E402


@dataclass(frozen=True)
class Film:
    """Which explorer, by its drawing function, and where its controls go; of a player nothing need be said.

    ``way`` holds settings: all that they name moves at once from one to the next. Points are moved by number:
    ``{"points": {3: (1.0, 2.0)}}``. The still is of this ``panel``, or of the whole picture, at the setting or the
    state number ``at``.
    """

    draw: str
    way: tuple = ()
    panel: int | None = 0
    at: int = -1


TAUGHT = [(3.05, 3.95), (6.95, 6.1), (5.0, 3.55), (2.7, 5.0), (7.25, 5.0), (5.0, 6.45)]
"""Where the six points of chapter 1 leave one rectangle."""
FILMS = {
    0: Film("draw_border", ({"gamma": 0.05}, {"gamma": 60})),
    1: Film("draw_teacher", ({}, {"points": dict(enumerate(TAUGHT))})),
    2: Film("draw_by_hand", ({"slope": -0.2, "intercept": 8}, {"slope": 0.3}, {"slope": 0.8, "intercept": 2})),
    3: Film("draw_surface", ({}, {"weight_1": -1.0, "weight_2": 1.4}, {"weight_1": 3.2, "weight_2": 2.4})),
    4: Film("draw_link", ({"link": "log", "family": "poisson", "x": -1.0}, {"x": 5.0}, {"x": 3.0})),
    5: Film("draw_shadows", ({"angle": 0, "reveal": True}, {"angle": 180}, {"angle": 122})),
    6: Film("draw_helpers", ({"threshold": -4}, {"threshold": 4}, {"threshold": 0})),
    7: Film("draw_threshold", ({"percent": 50, "threshold": 1.0}, {"percent": 1}, {"threshold": 3.3}), at=0),
    8: Film("draw_pull", ({"degree": 0}, {"degree": 9}, {"degree": 5})),
    9: Film("draw_people", ({"threshold": -3.0}, {"threshold": 3.0}, {"threshold": 0.0})),
    10: Film("draw_decomposition", ({"degree": 0}, {"degree": 12}, {"degree": 4})),
    11: Film("draw_round"),
    12: Film("draw_arrival"),
    13: Film("draw_square", ({"slide": 0.0}, {"slide": 1.0}, {"prior": 0.5})),
    14: Film("draw_moons", ({"K": 1}, {"K": 59}, {"K": 9})),
    15: Film("draw_growth"),
    16: Film("draw_walk", ({"angle": -180}, {"angle": 42})),
    17: Film("draw_hand", ({}, {"points": {8: (0.6, -1.2)}}, {"points": {8: (-0.6, 1.6)}})),
    18: Film("draw_lift", ({"lift": 0.0}, {"lift": 1.0}, {"tilt": 0.3})),
    19: Film("draw_growth"),
    20: Film("draw_rounds", ({"rounds": 1}, {"rounds": 60})),
    21: Film("draw_playground", ({"width": 1}, {"width": 8}), panel=1),
    22: Film("draw_bumps", ({"gamma": 200}, {"gamma": 0.5}, {"gamma": 30})),
    23: Film("draw_half_step"),
    24: Film("draw_em"),
    25: Film("draw_rank", ({"rank": 1}, {"rank": 12}, {"rank": 64}), panel=1),
    26: Film("draw_films", ({}, {"points": {0: (-1.2, 1.0)}}, {"points": {0: (-0.6, -1.3)}})),
}
"""The film of each chapter."""
IN_README = (2, 15, 21)

FOLDER, PICTURES = ROOT / "films", ROOT / ".github" / "pictures"


def cell_of(nb, draw):
    """The number of the cell whose explorer or player draws with this function.

    Raises
    ------
    LookupError
        If there is not exactly one.
    """
    found = [i for i, cell in enumerate(nb.cells) if cell.cell_type == "code" and draw in drawing(cell.source)]
    if len(found) != 1:
        raise LookupError(f"{len(found)} explorers or players draw with {draw}")
    return found[0]


def drawing(source):
    """The names that the drawing functions of a cell's explorers and players are made of."""
    found = set()
    for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        place = {"explore": 0, "play": 1}.get(getattr(call.func, "id", None))
        if place is not None and len(call.args) > place:
            found |= {node.id for node in ast.walk(call.args[place]) if isinstance(node, ast.Name)}
    return found


def made(source, folder=FOLDER, theme="light"):
    """Make the film and the still of a chapter, unless they are there and nothing has changed; return the film's path.

    Raises
    ------
    BuildError, LookupError
        If a cell raises, or there is no such explorer.
    """
    target, now = folder / f"{source.stem}.webp", digest(source, theme)
    if target.exists() and target.with_suffix(".png").exists() and Image.open(target).info.get("xmp") == now:
        return target
    nb, film = build_notebooks.read_source(source), FILMS[int(source.stem[:2])]
    nb.cells = nb.cells[: cell_of(nb, film.draw) + 1]
    order = f"from tools.shots import shoot\n\nshoot({asdict(film)}, {str(target)!r}, {theme!r}, {now!r})"
    nb.cells.append(new_code_cell(order))
    folder.mkdir(parents=True, exist_ok=True)
    build_notebooks.run(nb, ROOT / "notebooks")
    return target


def digest(source, theme):
    """What a film hangs on, as a short text: its source, its row in the table, the library and the tools."""
    tools = [Path(__file__).with_name(name).read_bytes() for name in ("films.py", "shots.py")]
    whole = b"".join([source.read_bytes(), theme.encode(), kept.library().encode(), *tools])
    return hashlib.sha256(whole).hexdigest().encode()


def make_all(sources, folder=FOLDER, theme="light"):
    """Make the films of several chapters, some side by side, with a line that says how far it is."""
    line, jobs = progress.Line(), min(os.cpu_count() or 1, len(sources), 4)
    line.show("Making films", 0, len(sources), "chapters")
    with ProcessPoolExecutor(jobs) as pool:
        paths = pool.map(made, sources, [folder] * len(sources), [theme] * len(sources))
        for done, _ in enumerate(paths, 1):
            line.show("Making films", done, len(sources), "chapters")
    line.end()


@or_one_line
def main():
    """Read the command line; make the films."""
    parser = argparse.ArgumentParser(description="Make a film of each chapter's best picture, and a still of it.")
    parser.add_argument("names", nargs="*", metavar="chapter", help="a number or stem; all if left out")
    parser.add_argument("--dark", action="store_true", help="in the dark theme, into films/dark")
    parser.add_argument("--readme", action="store_true", help="put the README's pictures into .github/pictures")
    options = parser.parse_args()
    sources = [path for path in build_notebooks.select(options.names) if path.stem[:2].isdigit()]
    if not sources:
        print(f"error: only chapters have films, {', '.join(options.names)} is none", file=sys.stderr)
        return 1
    folder, theme = (FOLDER / "dark", "dark") if options.dark else (FOLDER, "light")
    try:
        make_all(sources, folder, theme)
    except (build_notebooks.BuildError, LookupError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if options.readme:
        PICTURES.mkdir(parents=True, exist_ok=True)
        for source in sources:
            shutil.copyfile(FOLDER / f"{source.stem}.png", PICTURES / f"{source.stem[:2]}.png")
            if int(source.stem[:2]) in IN_README:
                shutil.copyfile(FOLDER / f"{source.stem}.webp", PICTURES / f"{source.stem[:2]}.webp")
    where = folder.relative_to(ROOT).as_posix()
    print(f"{where}/{sources[0].stem}.webp" if len(sources) == 1 else f"{len(sources)} films are in {where}/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
