"""The site without a browser: frames, pages, the checking of Pyodide's files, releases side by side, the archive."""

import base64
import gzip
import hashlib
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import urllib.error
import urllib.request
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from mlcore.course import CHAPTERS
from tests.test_house import ROOT, read
from tools import build_notebooks, films
from tools.web import address, build, front, kept, letters, page, pyodide, release, serve
from tools.web.names import asked_by_functions, needed

HASHED = {"app": "app-0123456789ab", "python": "py-0123456789ab"}
EXPLORED = """
import numpy as np
from mlcore.viz import explore, play

def draw(ax, height=0.5, look="a line"):
    ax.plot([0, 1], [0, height], "o" if look == "points" else "-")
    return f"height {height:.2f}, {look}"

alt = "a line that rises from the left to the right, or its two ends alone"
explore(draw, height=(0.0, 1.0, 0.01), look=["a line", "points"], alt=alt)
"""
PLAYED = """
def show_bars(axes, state):
    for ax in axes:
        ax.bar([0, 1, 2], [3, state, 9 - state])
    return f"the second one is {state} high"

alt = "three bars in two panels: one rises and one falls from step to step"
play(list(range(9)), show_bars, subplots=(1, 2), alt=alt)
"""


# ---------------------------------------------------------------------------------------------------------------
# Frames
# ---------------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of the frames of two explorers, with what they themselves showed."""
    folder = tmp_path_factory.mktemp("frames")
    notebook = new_notebook(cells=[new_code_cell(EXPLORED), new_code_cell(PLAYED)])
    nbformat.write(notebook, folder / "chapter.ipynb")
    script = Path(__file__).with_name("frames_of_two.py")
    done = subprocess.run(
        [sys.executable, str(script), str(folder / "chapter.ipynb"), str(folder)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


def unpacked(path):
    """The head of a pack, and a function that gives the bytes of one of its parts."""
    data = path.read_bytes()
    size = int.from_bytes(data[:4], "little")
    pictures = data[4 + size :]
    return json.loads(gzip.decompress(data[4 : 4 + size])), lambda part: pictures[part[0] : part[0] + part[1]]


def laid_over(first, part, is_whole):
    """The picture that a page shows: a whole one, or what is other than in the first one, laid over it."""
    other = Image.open(io.BytesIO(part))
    if is_whole:
        return other.convert("RGB")
    shown = first.convert("RGBA")
    shown.alpha_composite(other.convert("RGBA"))
    return shown.convert("RGB")


@pytest.mark.slow
@pytest.mark.parametrize("window", ["wide", "narrow"])
@pytest.mark.parametrize("k, most", [(0, {"wide": 7, "narrow": 4}), (1, {"wide": 9, "narrow": 9})])
def test_a_pack_shows_at_each_place_what_the_explorer_shows_there(made, k, most, window):
    head, part = unpacked(made / f"{k}-{window}.pack")
    seen = json.loads((made / "seen.json").read_text(encoding="utf-8"))
    first = Image.open(io.BytesIO(part(head["parts"][0]))).convert("RGB")
    all_places = list(itertools.product(*head["stops"]))
    assert len(all_places) == len(head["changes"]) == len(head["pictures"]) <= max(most[window], 6)
    assert len(set(head["pictures"])) > 3
    for places, change, number in zip(all_places, head["changes"], head["pictures"]):
        name = f"{k}-{window}-{'-'.join(map(str, places))}"
        frame = {**head["base"], **change}
        assert frame["caption"] == seen[name] and frame["at"] == list(places)
        wanted = np.load(made / f"{name}.npy").astype(int)
        shown = np.asarray(laid_over(first, part(head["parts"][number]), head["parts"][number][2])).astype(int)
        assert shown.shape == wanted.shape
        assert np.abs(shown - wanted).mean() < 1.5, name  # few colours; beyond 12 kB as a photograph
    assert (made / f"{k}-{window}.webp").read_bytes() == part(head["parts"][0])


@pytest.mark.slow
def test_a_player_has_all_its_steps_and_a_narrow_window_its_panels_below_one_another(made):
    (wide, _), (narrow, _) = unpacked(made / "1-wide.pack"), unpacked(made / "1-narrow.pack")
    assert wide["stops"] == narrow["stops"] == [list(range(9))]
    (width, height), (narrow_width, narrow_height) = wide["base"]["size"], narrow["base"]["size"]
    assert width > height and narrow_width < narrow_height


@pytest.mark.slow
def test_places_are_spread_and_hold_both_ends_and_the_start(made):
    for plan in json.loads((made / "plans.json").read_text(encoding="utf-8")):
        sizes, stops, most = plan["sizes"], plan["stops"], plan["most"]
        counts = list(map(len, stops))
        for size, own, start, kind in zip(sizes, stops, plan["start"], plan["kinds"]):
            ends = {0, size - 1} if len(own) > 2 else set()
            assert own == sorted(set(own)) and {start} | ends <= set(own) <= set(range(size))
            assert kind != "p" or len(own) == size, "of a player none may be missing"
            gaps = np.diff(own)
            assert kind != "s" or len(own) < 3 or max(gaps) <= 4 * max(1, (size - 1) / (len(own) - 1)), plan
            assert kind != "s" or len(own) % 2 or len(own) in (2, size) or plan["goals"], "no middle"
        for goal in plan["goals"]:
            assert all(place in own for place, own in zip(goal, stops)), "a goal is out of reach"
        assert np.prod(counts) <= most * (1 + 3 * len(plan["goals"])) or "p" in plan["kinds"]
        assert 3 * np.prod(counts) >= min(most, np.prod(sizes)), "far fewer than there may be"


# ---------------------------------------------------------------------------------------------------------------
# Pages
# ---------------------------------------------------------------------------------------------------------------
class Loads(HTMLParser):
    """What a page loads, and where its links lead."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.links, self.ids = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        self.ids += [told["id"]] if "id" in told else []
        names = ("src", "srcset", "poster", "data", "data-film", "action", "xlink:href")
        self.loads += [told[name] for name in names if name in told]
        if "href" in told:
            (self.links if tag == "a" else self.loads).append(told["href"])
        self.loads += re.findall(r"url\(([^)]*)\)", told.get("style") or "")


MOVES = {"alt": 'a "thing" that moves', "shown": 400, "size": [800, 300]}


def small_notebook():
    """A notebook with a text, an explorer's picture, one that does not move, and an exercise."""
    buffer = io.BytesIO()
    Image.new("RGB", (20, 10), "red").save(buffer, "PNG")
    picture = base64.b64encode(buffer.getvalue()).decode()

    def drawn(source, alt):
        metadata = {"image/png": {"alt": alt, "width": 20, "height": 10}}
        data = {"image/png": picture, "text/plain": alt}
        return new_code_cell(source, outputs=[new_output("display_data", data=data, metadata=metadata)])

    return new_notebook(
        cells=[
            new_markdown_cell("# 7. A chapter · 一章\n\nWhere $x^2$ < 3, see [another](02_linear_regression.ipynb)."),
            drawn("explore(draw, k=(0, 9))", "a still thing"),
            drawn("explore(draw, k=(0, 9))", 'a "thing" that moves'),
            new_code_cell('answer = ...\ngrade("7.1", answer)'),
            new_markdown_cell(f"[live in the browser](https://course.example/7.html) · {build_notebooks.MAP}"),
        ]
    )


def test_a_page_has_the_parts_of_its_notebook():
    told = {"explorers": [{"spec": MOVES}]}
    text, pictures = page.page(small_notebook(), "07_a_chapter", told, "frames/07-0123456789ab", HASHED)
    assert text.count("data-explorer=") == 1 and 'data-frames="frames/07-0123456789ab/"' in text
    moves = 'src="frames/07-0123456789ab/0-wide.webp" alt="a &quot;thing&quot; that moves" width="400" height="150"'
    assert moves in text
    [(name, still)] = pictures.items()
    assert f'src="frames/07-0123456789ab/{name}" alt="a still thing"' in text
    assert Image.open(io.BytesIO(still)).size == (20, 10)
    assert 'data-exercise="7.1"' in text and "<math" in text and '<span lang="zh">一章</span>' in text
    found = Loads(text)
    assert "02_linear_regression.html" in found.links and not any("course.example" in link for link in found.links)
    assert len(found.ids) == len(set(found.ids)) and foreign(found.loads) == []


def test_a_page_of_some_sections_begins_with_its_contents():
    sections = [
        '<h2 id="One">1. <em>One</em></h2>',
        '<h2 id="Two">Two, <a href="x.html">x</a></h2>',
        '<h2 id="3">3</h2>',
    ]
    text = page.with_contents("<h1>All</h1>" + "<p>words</p>".join(sections))
    links = re.findall(r'<li><a href="#([^"]*)">(.*?)</a></li>', text)
    assert links == [("One", "1. <em>One</em>"), ("Two", "Two, x"), ("3", "3")]
    assert text.startswith("<h1>All</h1><nav") and text.endswith("</nav>" + "<p>words</p>".join(sections))
    assert page.with_contents(sections[0] + sections[1]) == sections[0] + sections[1], "not worth it"


def test_an_explorer_that_the_notebook_lacks_is_told():
    told = {"explorers": [{"spec": MOVES | {"alt": "another"}}]}
    with pytest.raises(ValueError, match="explorer 1 of 1 has no place"):
        page.page(small_notebook(), "07_a_chapter", told, "frames/07-0123456789ab", HASHED)


def foreign(loads):
    return [one for one in loads if re.match(r"[a-z]+:|//", one)]


# ---------------------------------------------------------------------------------------------------------------
# Pyodide's files
# ---------------------------------------------------------------------------------------------------------------
def sum_of(data):
    return hashlib.sha256(data).hexdigest()


def pyodide_folder(folder, **changed):
    """A folder with files that have the sums which pyodide.py wants of them now, but for those that are changed."""
    data = {name: name.encode() for name in pyodide.CORE}
    wheels = {name: f"wheel of {name}".encode() for name in pyodide.PACKAGES}
    packages = {
        name: {"file_name": f"{name}.whl", "sha256": sum_of(wheel), "depends": []} for name, wheel in wheels.items()
    }
    data["pyodide-lock.json"] = json.dumps({"packages": packages}).encode()
    data |= {f"{name}.whl": wheel for name, wheel in wheels.items()}
    sums = {name: sum_of(data[name]) for name in pyodide.CORE}
    folder.mkdir()
    for name, bytes_ in (data | changed).items():
        if bytes_ is not None:
            (folder / name).write_bytes(bytes_)
    return sums


@pytest.mark.parametrize(
    "changed, told",
    [
        ({}, None),
        ({"numpy.whl": b"another"}, "numpy.whl is not that of Pyodide"),
        ({"pyodide.asm.js": b"another"}, "pyodide.asm.js is not that of Pyodide"),
        ({"pyodide-lock.json": b"{}"}, "pyodide-lock.json is not that of Pyodide"),
        ({"pillow.whl": None}, "has no file pillow.whl of Pyodide"),
    ],
)
def test_each_file_of_pyodide_is_checked(changed, told, tmp_path, monkeypatch):
    monkeypatch.setattr(pyodide, "CORE", pyodide_folder(tmp_path / "files", **changed))
    monkeypatch.setenv("PYODIDE", str(tmp_path / "files"))
    if told is None:
        assert set(pyodide.files()) == {*pyodide.CORE, *(f"{name}.whl" for name in pyodide.PACKAGES)}
    else:
        with pytest.raises(pyodide.NoPyodide, match=re.escape(told)):
            pyodide.files()


@pytest.mark.parametrize("part", [0, 0.5, None])
def test_an_archive_of_pyodide_that_is_damaged_is_named(part, tmp_path):
    """Empty, half fetched, or something else."""
    archive = tmp_path / f"pyodide-{pyodide.VERSION}.tgz"
    noise = np.random.default_rng(0).bytes(100_000)  # which does not become smaller
    with tarfile.open(archive, "w:gz") as tar:
        one = tarfile.TarInfo("package/pyodide.mjs")
        one.size = len(noise)
        tar.addfile(one, io.BytesIO(noise))
    assert pyodide.Folder(tmp_path).read("pyodide.mjs") == noise
    whole = archive.read_bytes()
    archive.write_bytes(b"<html>" if part is None else whole[: int(part * len(whole))])
    with pytest.raises(pyodide.NoPyodide, match=r"\.tgz is damaged, or was only half fetched: fetch it again"):
        pyodide.Folder(tmp_path)


@pytest.mark.parametrize(
    "names, told", [(["02"], "has no file"), (["02", "99", "no_chapter"], "there is no notebook called 99, no_chapter")]
)
def test_what_is_missing_is_told_in_one_line(names, told, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PYODIDE", str(tmp_path / "nothing"))
    monkeypatch.setattr(build, "SITE", tmp_path / "site")
    monkeypatch.setattr(kept, "FRAMES", tmp_path / "kept")
    monkeypatch.setattr(build.editor, "files", dict)
    monkeypatch.setattr(sys, "argv", ["build.py", *names])
    assert build.main() == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ") and told in line


def test_a_wheel_is_made_smaller_and_keeps_what_is_needed():
    out = io.BytesIO()
    kept = ["numpy/core.py", "matplotlib/mpl-data/fonts/ttf/DejaVuSans.ttf", "matplotlib/backends/backend_agg.py"]
    gone = ["numpy/tests/test_core.py", "matplotlib/mpl-data/fonts/afm/phvr8a.afm", "matplotlib/backends/backend_qt.py"]
    with zipfile.ZipFile(out, "w") as wheel:
        for name in kept + gone:
            wheel.writestr(name, "x")
    assert zipfile.ZipFile(io.BytesIO(pyodide.slimmed(out.getvalue()))).namelist() == kept


# ---------------------------------------------------------------------------------------------------------------
# The whole site, with small chapters and no Python
# ---------------------------------------------------------------------------------------------------------------
CHOSEN = ("02_linear_regression", "15_decision_trees", "glossary")


class Course:
    """Builds a site of small chapters, of one release after the other."""

    def __init__(self, folder, monkeypatch):
        self.site, self.release = folder / "site", 1
        notebooks = folder / "notebooks"
        notebooks.mkdir()
        self.notebooks = [notebooks / f"{stem}.ipynb" for stem in CHOSEN]
        for path in self.notebooks:
            with_pictures = new_notebook(cells=small_notebook().cells[:-1])
            plain = new_notebook(cells=[new_markdown_cell("# Glossary")])
            nbformat.write(plain if path.stem == "glossary" else with_pictures, path)
        self.kept = folder / "kept"
        monkeypatch.setattr(build, "SITE", self.site)
        digest = build.digest
        monkeypatch.setattr(build, "digest", lambda *args: self.other(digest(*args)))
        monkeypatch.setattr(kept, "chapter", self.frames_of)
        monkeypatch.setattr(pyodide, "write", self.python)
        # what takes seconds has tests of its own
        monkeypatch.setattr(build.make_class, "write", lambda target: target.write_bytes(b"an archive"))
        monkeypatch.setattr(build.letters, "packed", lambda path: b"letters")
        monkeypatch.setattr(front, "write_films", lambda site: {})

    def other(self, name):
        """The name of a folder whose contents are other ones in each release."""
        return f"{name[:-1]}{self.release}"

    def frames_of(self, notebook):
        folder = self.kept / f"{notebook.stem}-{self.release:012x}"
        folder.mkdir(exist_ok=True, parents=True)
        told = {"cells": [], "explorers": [] if notebook.stem == "glossary" else [{"spec": MOVES}]}
        (folder / "chapter.json").write_text(json.dumps(told))
        for name in ("0-wide.pack", "0-wide.webp"):
            (folder / name).write_text(f"frames of release {self.release}")
        return folder

    def python(self, folder):
        (folder / "course.zip").write_text(f"release {self.release}")

    def build(self, *stems):
        build.write_site([path for path in self.notebooks if not stems or path.stem in stems])


@pytest.fixture
def course(tmp_path, monkeypatch):
    return Course(tmp_path, monkeypatch)


def files_of(site, text):
    """All files that the open page with this text may ask for: those in the folders that it names."""
    return {path for name in set(release.NAMED.findall(text)) for path in (site / name).rglob("*") if path.is_file()}


def test_an_open_page_gets_its_files_after_an_update(course):
    course.build()
    first = (course.site / "15_decision_trees.html").read_text(encoding="utf-8")
    asked = {path: path.read_bytes() for path in files_of(course.site, first)}
    assert {path.name for path in asked} >= {"site.css", "header.js", "stage.js", "course.zip", "0-wide.pack"}
    course.release = 2
    course.build()
    second = (course.site / "15_decision_trees.html").read_text(encoding="utf-8")
    assert not files_of(course.site, second) & set(asked), "the new page has files of its own"
    with serve.server(0, course.site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for path, data in asked.items():
            url = f"http://127.0.0.1:{server.server_port}/{path.relative_to(course.site).as_posix()}"
            assert urllib.request.urlopen(url, timeout=10).read() == data
        server.shutdown()
    course.release = 3
    course.build()
    assert not any(path.exists() for path in asked), "what nobody can have open any more is gone"
    assert all(path.exists() for path in files_of(course.site, second))
    there = release.folders(course.site)
    assert {kind: list(there.values()).count(kind) for kind in there.values()} == {
        "app": 2, "py": 2, "02_linear_regression": 2, "15_decision_trees": 2, "glossary": 1,
    }  # fmt: skip


def test_a_page_that_is_not_built_anew_keeps_its_files(course):
    course.build()
    old = (course.site / "02_linear_regression.html").read_text(encoding="utf-8")
    asked = files_of(course.site, old)
    for number in (2, 3, 4):
        course.release = number
        course.build("15_decision_trees")
    assert asked and all(path.exists() for path in asked)


def test_what_was_broken_off_is_done_again(course, monkeypatch):
    def torn(source, folder, **how):
        (folder / "0-wide.pack").write_text("half of it")
        raise KeyboardInterrupt

    shutil_copytree = shutil.copytree
    monkeypatch.setattr(build.shutil, "copytree", torn)
    with pytest.raises(KeyboardInterrupt):
        course.build()
    assert not list(course.site.glob("*.html")), "a page is written when all that it needs is there"
    monkeypatch.setattr(build.shutil, "copytree", shutil_copytree)
    course.build()
    assert list(course.site.rglob("*.part")) == []
    frames = [name for name in release.folders(course.site) if name.startswith("frames/")]
    assert len(frames) == 3 and all((course.site / name / "chapter.json").exists() for name in frames)


def test_no_page_asks_another_host_for_anything(course):
    course.build()
    for path in course.site.glob("*.html"):
        assert foreign(Loads(path.read_text(encoding="utf-8")).loads) == [], path.name
    scripts = [path for path in course.site.rglob("*") if path.suffix in (".js", ".css", ".json", ".svg")]
    assert len(scripts) > 20
    allowed = re.compile(r"http://(www\.w3\.org/|127\.0\.0\.1:8888/lab/)")  # formats' names; a learner's own JupyterLab
    for path in scripts:
        found = re.findall(r"(?:https?:)?//[\w.-]+\.\w[^\s'\"]*", path.read_text(encoding="utf-8"))
        assert [one for one in found if not allowed.match(one)] == [], path.name


def test_what_all_pages_load_is_small(course):
    course.build()
    [app] = course.site.glob("app-*")
    texts = [path for path in app.rglob("*") if path.suffix in (".js", ".css")]
    sizes = {path.name: len(gzip.compress(path.read_bytes())) for path in texts}
    assert sizes.pop("editor.js") < 150_000  # which comes with the first exercise
    assert sum(sizes.values()) < 90_000, sizes
    assert sorted(path.name for path in (app / "fonts").iterdir()) == [
        "OFL.txt", "letters-regular.woff", "letters-semibold.woff",
    ]  # fmt: skip


def test_the_archive_is_the_present_release_and_serves_itself(course, tmp_path):
    course.build()
    course.release = 2
    course.build()
    with zipfile.ZipFile(course.site / release.ARCHIVE) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "home")
    assert len(names) == len(set(names))
    assert not any(name.endswith((".zip", ".part")) and "/py-" not in name for name in names)
    old = [name for name in release.folders(course.site) if name not in release.in_use(course.site)]
    assert old and not any(f"course/{name}/" in one for name in old for one in names)
    home = tmp_path / "home" / "course"
    code = "import serve; print(serve.SITE, flush=True)"
    told = subprocess.run([sys.executable, "-c", code], cwd=home, capture_output=True, text=True, check=True).stdout
    assert Path(told.strip()).resolve() == home.resolve()
    for text in (path.read_text(encoding="utf-8") for path in home.glob("*.html")):
        found = Loads(text)
        there = [one.split("#")[0] for one in found.loads + found.links if not one.endswith(".zip")]
        assert [one for one in there if one and not (home / one).exists()] == []
    before = (course.site / release.ARCHIVE).read_bytes()
    course.build()
    assert (course.site / release.ARCHIVE).read_bytes() == before


def test_the_list_of_what_there_is(course):
    course.build()
    told = json.loads((course.site / release.LIST).read_text(encoding="utf-8"))
    assert told["folders"] == sorted(release.folders(course.site)) and len(told["folders"]) == 5
    assert list(told["python"].values()) == [["course.zip"]]
    [worker] = re.findall(r"const HASHED = /(.*)/;", (course.site / "sw.js").read_text(encoding="utf-8"))
    assert worker.replace("\\/", "/") == release.NAMED.pattern, "the worker knows the same folders"


# ---------------------------------------------------------------------------------------------------------------
# The first page
# ---------------------------------------------------------------------------------------------------------------
def test_the_first_page_leads_to_what_is_there(course):
    course.build()
    text = (course.site / "index.html").read_text(encoding="utf-8")
    found = Loads(text)
    pages = [link for link in found.links if link.endswith(".html")]
    assert set(pages) == {"index.html", "02_linear_regression.html", "15_decision_trees.html", "glossary.html"}
    assert [int(n) for n in re.findall(r'data-chapter="(\d+)"', text)] == [c.number for c in CHAPTERS if c.number]
    edges = {(int(a), int(b)) for a, b in re.findall(r'data-from="(\d+)" data-to="(\d+)"', text)}
    assert edges == {(need, c.number) for c in CHAPTERS for need in c.needs}
    assert all((course.site / one).is_file() for one in found.loads)


def test_boxes_of_the_map_do_not_meet():
    places = re.findall(r"--x:([\d.]+)%;--y:([\d.]+)%", front.course_map(set()))
    [(w, h)] = re.findall(r"--w:([\d.]+)%;--h:([\d.]+)%", front.course_map(set()))
    corners = [tuple(map(float, one)) for one in places]
    assert all(0 <= x <= 100.01 - float(w) and 0 <= y <= 100.01 - float(h) for x, y in corners)
    for (x, y), (other_x, other_y) in itertools.combinations(corners, 2):
        assert abs(x - other_x) >= float(w) or abs(y - other_y) >= float(h)


def test_films_are_those_of_the_readme_and_small(tmp_path):
    shown = front.write_films(tmp_path)
    assert tuple(shown) == films.IN_README
    for number, one in shown.items():
        assert (tmp_path / one.film).stat().st_size <= 600_000 and Image.open(tmp_path / one.film).n_frames > 5
        still = Image.open(tmp_path / one.still)
        assert still.size == (one.width, one.height) and getattr(still, "n_frames", 1) == 1
        assert (tmp_path / one.still).stat().st_size < 90_000
        assert f'alt="Chapter {number}: ' in front.film(number, one, set())


def test_letters_are_those_that_texts_need():
    from fontTools.ttLib import TTFont

    path = next(build.FONTS.glob("*-Regular.ttf"))
    packed = letters.packed(path)
    assert len(packed) < 30_000
    part, whole = TTFont(io.BytesIO(packed)), TTFont(path)
    assert part["name"].names == [], "the name is kept for the whole typeface"
    kept = part.getBestCmap()
    assert set(map(ord, "Aäżβλ₂²→−≤√∞–“")) & set(whole.getBestCmap()) <= set(kept)
    assert part["hmtx"][kept[ord("A")]][0] == whole["hmtx"][whole.getBestCmap()[ord("A")]][0]


# ---------------------------------------------------------------------------------------------------------------
# Where the site is
# ---------------------------------------------------------------------------------------------------------------
def test_the_readme_says_first_where_the_site_is():
    text = read("README.md")
    assert text.splitlines()[2] == f"<!-- site -->{address.line(address.site())}<!-- end -->"
    moved = address.with_line(text, "https://course.example/")
    assert moved.splitlines()[2].startswith("<!-- site -->**[Open the course in your browser](https://course.example/)")
    assert address.with_line(moved, address.site()) == text


@pytest.mark.parametrize("told, link", [("", ""), ("https://a.example", "https://a.example/02_linear_regression.html")])
def test_notebooks_lead_to_their_page_where_there_is_one(told, link, monkeypatch):
    monkeypatch.setattr(address.tomllib, "loads", lambda text: {"tool": {"mlcore": {"site": told}}})
    line = build_notebooks.navigation(build_notebooks.SOURCES / "02_linear_regression.md")
    assert (f"[live in the browser]({link})" in line) == bool(link) and ("live in" in line) == bool(link)


# ---------------------------------------------------------------------------------------------------------------
# The server
# ---------------------------------------------------------------------------------------------------------------
def test_the_server_gives_each_file_its_type_and_says_how_long_it_stays(tmp_path):
    (tmp_path / "app-0123456789ab").mkdir()
    files = {
        "index.html": ("text/html", "no-cache"),
        "sw.js": ("text/javascript", "no-cache"),
        "app-0123456789ab/a.mjs": ("text/javascript", "max-age=31536000, immutable"),
        "app-0123456789ab/a.wasm": ("application/wasm", "max-age=31536000, immutable"),
        "app-0123456789ab/0-wide.webp": ("image/webp", "max-age=31536000, immutable"),
    }
    for name in files:
        (tmp_path / name).write_bytes(b"some text " * 100)
    (tmp_path.parent / "secret.txt").write_text("not of the site")
    with serve.server(0, tmp_path) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        for name, (kind, stays) in files.items():
            asked = urllib.request.Request(f"{base}/{name}", headers={"Accept-Encoding": "gzip"})
            with urllib.request.urlopen(asked, timeout=10) as answer:
                data, told = answer.read(), answer.headers
            assert told["Content-Type"].split(";")[0] == kind and told["Cache-Control"] == stays
            is_packed = told["Content-Encoding"] == "gzip"
            assert (gzip.decompress(data) if is_packed else data) == b"some text " * 100
            assert is_packed == (not name.endswith(".webp"))
        with urllib.request.urlopen(f"{base}/", timeout=10) as answer:
            assert answer.headers["Content-Type"] == "text/html"
        for name in ("nothing.html", "../secret.txt", "%2e%2e/secret.txt", "app-0123456789ab/"):
            with pytest.raises(urllib.error.HTTPError) as raised:
                urllib.request.urlopen(f"{base}/{name}", timeout=10)
            assert raised.value.code == 404
        server.shutdown()


def test_one_program_at_a_time_on_a_port_is_told(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    (tmp_path / "index.html").write_text("a page")
    shutil.copy(serve.__file__, tmp_path / "serve.py")
    with serve.server(0, tmp_path) as server:
        command = [sys.executable, str(tmp_path / "serve.py"), "--port", str(server.server_port)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert str(server.server_port) in done.stderr and "another" in done.stderr


# ---------------------------------------------------------------------------------------------------------------
# What a cell needs from the cells before it
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "source, later, before",
    [
        ("x = 1", "x y", "y"),
        ("x = x + 1", "x", "x"),
        ("x += 1", "", "x"),
        ("while y:\n    x[0] += z", "", "x y z"),
        ("x.a = y\nz[i] = 2", "", "i x y z"),
        ("a, (b, *c) = d", "a b c", "d"),
        ("print(x)\nx = 1", "", "print x"),
        ("x = 1\nprint(x)", "", "print"),
        ("for i in rows:\n    s = i\n    t = s", "i s t", "i rows s t"),  # there may be no rows
        ("if x:\n    y = 1\nelse:\n    y = 2", "y", "x"),
        ("if x:\n    y = 1", "y", "x y"),
        ("with f() as g:\n    h = g", "g h", "f"),
        ("import numpy as np, os.path\nfrom a import b as c", "np os c b", "b"),
        ("def f(x, n=k):\n    y = x + w\n    return y", "f", "k w"),
        ("g = lambda x: x + w", "g", "w"),
        ("[x for x in x if x + y]", "", "x y"),
        ("{a: b for a, b in zip(c, d)}", "", "c d zip"),
        ("while x:\n    x = y", "y", "x y"),
        ("try:\n    x = 1\nexcept E:\n    y", "x", "E x y"),
    ],
)
def test_the_names_that_a_cell_needs(source, later, before):
    assert needed(source, set(later.split())) == set(before.split())


def test_what_functions_ask_for_whenever_they_are_called():
    source = "x = y\ndef f(a):\n    b = a * c\n    return lambda d: d + b + e\ng = lambda h: h + i"
    assert asked_by_functions(source) >= {"c", "e", "i"} and not {"a", "x", "y", "h"} & asked_by_functions(source)


def run_apart(script, sources, folder):
    """What a script prints that takes the folder of frames.py and a notebook of these sources, in another Python."""
    nbformat.write(new_notebook(cells=[new_code_cell(source) for source in sources]), folder / "chapter.ipynb")
    command = [sys.executable, "-c", script, str(ROOT / "tools" / "web"), str(folder / "chapter.ipynb")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_cell_is_left_out_only_if_nobody_needs_what_it_changes(tmp_path):
    script = """
import sys, json
sys.path[:0] = [sys.argv[1]]
import frames
frames.SLOW = 0
told = frames.run(frames.Path(sys.argv[2]))
print(json.dumps([bool(one["states"]) for one in told]))
"""
    cells = {
        "import numpy as np\nrng = np.random.default_rng(0)": False,
        "scale = 2\ndef scaled(x):\n    return scale * x": False,
        "y = rng.normal(size=3)": False,  # asked for below
        "z = rng.normal(size=3)": True,  # given anew before it is asked for
        "scale = 3": False,  # a function asks for it
        "y.sort()": False,  # the same name, other contents
        "z = scaled(y)\nassert z[0] <= z[1]": False,
        "z.sum() + y.sum()": True,
    }
    assert run_apart(script, cells, tmp_path) == list(cells.values())


def test_a_page_that_leaves_cells_out_has_what_one_has_that_runs_them_all(tmp_path):
    script = """
import sys, json
sys.path[:0] = [sys.argv[1]]
import frames
from frames import bridge
frames.SLOW = 0
told = frames.run(frames.Path(sys.argv[2]))
wanted = bridge.space["y"].tolist()
for name in [name for name in bridge.space if not name.startswith("__")]:
    del bridge.space[name]
for one in told:
    if one["states"]:
        bridge.put_states(json.loads(one["states"]))
    else:
        bridge.run(one["source"], "cell")
print(json.dumps([[bool(one["states"]) for one in told], bridge.space["y"].tolist() == wanted]))
"""
    cells = [
        "import numpy as np\nrng = np.random.default_rng(0)\nshown = lambda: y",
        "r = np.random.default_rng(1)\nz = r.normal() + rng.normal()",  # a generator that nobody else asks for
        "y = rng.normal(size=3)",
        "y += rng.normal()",
    ]
    assert run_apart(script, cells, tmp_path) == [[False, True, False, False], True]
