"""Films: each names an explorer that is there; one is made, and begins and ends as its explorer does."""

import io
import sys

import numpy as np
import pytest
from PIL import Image

from mlcore.course import CHAPTERS
from mlcore.viz import explore, glide, play
from tests.test_house import ROOT, read
from tools import build_notebooks, films, shots

pytestmark = pytest.mark.slow

SOURCES = {int(path.stem[:2]): path for path in build_notebooks.SOURCES.glob("[0-9]*.md")}


@pytest.mark.parametrize("number", [chapter.number for chapter in CHAPTERS])
def test_each_chapter_has_a_film_of_an_explorer_that_it_has(number):
    film = films.FILMS[number]
    nb = build_notebooks.read_source(SOURCES[number])
    source = nb.cells[films.cell_of(nb, film.draw)].source
    assert ("play(" in source) == (not film.way)
    for name in {name for setting in film.way for name in setting}:
        assert f"{name}=" in source, f"{name} is no control there"


def test_a_drawing_function_of_no_explorer_or_of_two_is_refused():
    nb = build_notebooks.read_source(SOURCES[0])
    for draw in ("draw_nothing", "draw_border"):
        nb.cells.extend(cell for cell in list(nb.cells) if draw == "draw_border" and draw in cell.source)
        with pytest.raises(LookupError, match=draw):
            films.cell_of(nb, draw)


def test_what_is_no_chapter_has_no_film(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["films.py", "glossary"])
    assert films.main() == 1
    assert capsys.readouterr().err == "error: only chapters have films, glossary is none\n"


def test_the_film_of_a_chapter(tmp_path):
    path = films.made(SOURCES[2], tmp_path)
    assert path == tmp_path / "02_linear_regression.webp" and path.stat().st_size <= shots.MOST_BYTES
    film = Image.open(path)
    times, pictures = [], []
    for number in range(film.n_frames):
        film.seek(number)
        pictures.append(np.asarray(film.convert("RGB"), dtype=int))
        times.append(film.info["duration"])
    assert len(pictures) >= 12 and np.abs(pictures[0] - pictures[-1]).mean() > 1
    assert max(times) == times[-1] >= 2000 and 4000 <= sum(times) <= 15000
    assert 0.75 * shots.WIDTH <= film.width <= shots.WIDTH + 2 and film.width > film.height > 300
    still = Image.open(path.with_suffix(".png"))
    assert still.size == shots.STILL and len(still.getcolors()) > 3

    before = path.stat().st_mtime_ns
    films.made(SOURCES[2], tmp_path)
    assert path.stat().st_mtime_ns == before, "it was made again, though nothing has changed"


def square(ax, k=0, wide=1.0):
    ax.set(xlim=(0, 10), ylim=(0, 10))
    glide(ax.plot([k], [5], "s", ms=20, color="#ff0000", mew=0), "it")
    return f"the square is at {k}. It is {wide} wide"


def middle_of_red(pixels):
    """How far to the right the red square is."""
    return np.nonzero((pixels[..., 0] > 200) & (pixels[..., 1] < 60))[1].mean()


def test_controls_go_where_they_are_told_by_values_that_they_can_have():
    explorer = explore(square, k=(0, 10, 2), wide=(0.0, 1.0, 0.01), alt="a square that moves to the right")
    plan = shots.plan_of(explorer, [{"k": 0}, {"k": 10, "wide": 0.5}, {"k": 4}])
    seen = [settings["k"] for settings, _ in plan]
    assert [k for i, k in enumerate(seen) if i == 0 or k != seen[i - 1]] == [0, 2, 4, 6, 8, 10, 8, 6, 4]
    assert plan[0][0]["wide"] == 1.0 and plan[-1][0]["wide"] == 0.5
    assert plan[0][1] == shots.START and plan[-1][1] == shots.END
    assert shots.WAY - 1000 < sum(time for _, time in plan[1:-1]) < shots.WAY + 1000


def test_what_glides_is_on_its_way_between_two_states_and_then_where_it_belongs():
    player = play([1, 9], square, alt="a square that moves to the right")
    player.canvas.theme = "light"
    (_, start), (_, _) = shots.plan_of(player, ())
    [(first, time)] = shots.taken(player, {"step": 0}, start, ["step"])
    assert time == start
    frames = shots.taken(player, {"step": 1}, 900, ["step"])
    places = [middle_of_red(pixels) for pixels, _ in frames]
    assert len(frames) > 2 and sum(time for _, time in frames) == 900
    assert middle_of_red(first) < places[0] and (np.diff(places) > 0).all()
    player.set(step=1)
    [(still, _)] = shots.taken(player, {"step": 1}, 900, ["step"])
    assert middle_of_red(still) == pytest.approx(places[-1], abs=0.5)
    assert np.abs(frames[-1][0].astype(int) - still).max() == 0, "what stood in for the mark is still there"


def test_a_film_that_is_too_large_is_made_of_less(monkeypatch):
    noise = np.random.default_rng(0).integers(0, 255, (3, 90, 120, 3), dtype=np.uint8)
    whole = shots.as_webp([(pixels, 80) for pixels in noise], b"")
    monkeypatch.setattr(shots, "MOST_BYTES", len(whole) // 3)
    small = shots.as_webp([(pixels, 80) for pixels in noise], b"a note")
    assert len(small) <= len(whole) // 3
    film = Image.open(io.BytesIO(small))
    assert film.n_frames == 3 and film.info["xmp"] == b"a note" and film.info["loop"] == 0


def test_the_readme_shows_what_is_there():
    shown = read("README.md")
    pictures = sorted((ROOT / ".github").rglob("*.*p*"))
    for number in films.FILMS:
        assert f".github/pictures/{number:02d}.png" in shown
    for number in films.IN_README:
        assert f".github/pictures/{number:02d}.webp" in shown
    stills = [path for path in pictures if path.suffix == ".png" and path.parent.name == "pictures"]
    assert len(stills) == len(films.FILMS) and all(Image.open(path).size == shots.STILL for path in stills)
    assert sum(path.stat().st_size for path in pictures) <= 3_000_000
