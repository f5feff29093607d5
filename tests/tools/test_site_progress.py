"""The progress that a page keeps and the one beside the notebooks are of one form: each takes what the other wrote."""

import base64
import itertools
import json
import shutil
import subprocess

import pytest

from mlcore.classroom import memory
from tests.classroom.test_memory import NO_PROGRESS, PROGRESS
from tests.test_house import ROOT
from tools.web import pyodide

SCRIPT = """
import { readFileSync } from 'node:fs';
const kept = new Map();
const open = { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => { kept.set(key, text); } };
const closed = { getItem() { throw new Error('SecurityError'); }, setItem() { throw new Error('SecurityError'); } };
globalThis.window = new EventTarget();
const { progress, readFile } = await import('./progress.mjs');
const told = JSON.parse(readFileSync(0, 'utf-8')).map(({ storage, files }) => {
  globalThis.localStorage = storage === 'open' ? open : closed;
  kept.clear();
  progress.held = readFile(new TextEncoder().encode('{"exercises": []}'));
  try {
    for (const file of files) progress.merge(readFile(Buffer.from(file, 'base64')));
  } catch (error) {
    return { refused: error.message, text: progress.text() };
  }
  progress.take();
  return { text: progress.text() };
});
console.log(JSON.stringify(told));
"""
EMPTY = {"version": memory.VERSION} | {field: kind() for field, kind in memory.FIELDS.items()}


@pytest.fixture
def pages(tmp_path):
    """A function that lets a new page, for each list of files, load these one after the other: what it then saves."""
    shutil.copy(ROOT / "tools" / "web" / "page" / "progress.js", tmp_path / "progress.mjs")
    (tmp_path / "load.mjs").write_text(SCRIPT, encoding="utf-8")

    def load(lists, storage="open"):
        asked = [{"storage": storage, "files": [base64.b64encode(file).decode() for file in files]} for files in lists]
        ran = subprocess.run(
            [pyodide.node(), "load.mjs"], cwd=tmp_path, input=json.dumps(asked).encode(), capture_output=True
        )
        assert ran.returncode == 0, ran.stderr.decode()
        return json.loads(ran.stdout)

    return load


def test_what_one_refuses_the_other_refuses(pages):
    told = pages([[content] for content in NO_PROGRESS])
    assert [content for content, one in zip(NO_PROGRESS, told, strict=True) if "refused" not in one] == []
    assert {one["refused"] for one in told} == {"this is no file of the course’s progress"}
    assert all(json.loads(one["text"]) == EMPTY for one in told), "something was changed"


@pytest.mark.slow
@pytest.mark.parametrize("storage", ["open", "closed"])
def test_both_take_the_same_and_read_what_the_other_wrote(pages, tmp_path, storage):
    """Each two files one after the other; closed is a private window that keeps nothing."""
    pairs = list(itertools.permutations([b"\xef\xbb\xbf" + json.dumps(held).encode() for held in PROGRESS], 2))
    for k, (pair, told) in enumerate(zip(pairs, pages(pairs, storage), strict=True)):
        own = tmp_path / f"{k}.json"
        own.write_text(json.dumps(EMPTY), encoding="utf-8")
        for content in pair:
            (tmp_path / "other").write_bytes(content)
            memory.merge(own, tmp_path / "other")
        assert "refused" not in told, (pair, told)
        assert json.loads(told["text"]) == json.loads(own.read_text(encoding="utf-8")), pair
        (tmp_path / "saved").write_text(told["text"], encoding="utf-8")
        assert set(memory.merge(own, tmp_path / "saved").values()) == {0}
    written = [(tmp_path / f"{k}.json").read_bytes() for k in range(len(pairs))]
    assert [json.loads(one["text"]) for one in pages([[text] for text in written])] == [*map(json.loads, written)]


MANY = """
const kept = new Map();
let room = Infinity;
globalThis.localStorage = {
  getItem: (key) => kept.get(key) ?? null,
  setItem(key, text) { if (text.length > room) throw new Error('QuotaExceededError'); kept.set(key, text); },
};
globalThis.window = new EventTarget();
const { progress } = await import('./progress.mjs');
const key = 'mlcore/2/progress';
const another = (held) => {
  kept.set(key, JSON.stringify({ version: 2, exercises: [], goals: [], guesses: {}, places: {}, ...held }));
  window.dispatchEvent(Object.assign(new Event('storage'), { key }));
};
const text = (held) => JSON.stringify({ ...progress.held, ...held }, null, 1);
const told = {};
"""


@pytest.fixture
def script(tmp_path):
    """A function that runs a script on a page's progress, and returns what it told."""
    shutil.copy(ROOT / "tools" / "web" / "page" / "progress.js", tmp_path / "progress.mjs")

    def run(lines):
        (tmp_path / "many.mjs").write_text(f"{MANY}{lines}\nconsole.log(JSON.stringify(told));", encoding="utf-8")
        ran = subprocess.run([pyodide.node(), "many.mjs"], cwd=tmp_path, capture_output=True, timeout=60)
        assert ran.returncode == 0, ran.stderr.decode()
        return json.loads(ran.stdout)

    return run


def test_what_python_does_not_know_of_stays(script):
    """Another tab, a loaded file or a frame has kept something since Python began."""
    told = script("""
        const first = text({ exercises: ['2.1'], guesses: { k: 1, again: '' } });
        const last = text({ exercises: ['2.1', '2.3'], goals: ['2.A'], guesses: { k: 1 }, places: { p: {} } });
        another(JSON.parse(first));
        another({ exercises: ['2.1', '3.1'], guesses: { k: 1, again: '', l: 2, constructor: 1 } });
        progress.follow(first, last);
        told.here = progress.held;
        told.stored = JSON.parse(kept.get(key));
    """)
    assert told["here"] == told["stored"] == EMPTY | {
        "exercises": ["2.1", "2.3", "3.1"], "goals": ["2.A"], "guesses": {"k": 1, "l": 2, "constructor": 1},
        "places": {"p": {}},
    }  # fmt: skip


def test_what_a_full_storage_does_not_take_lasts_as_long_as_the_page(script):
    told = script("""
        progress.add('exercises', '2.1');
        room = 0;
        progress.add('exercises', '2.2');
        progress.commit('k', 0.5);
        progress.add('goals', '2.A');
        told.full = JSON.parse(progress.text());
        another({ exercises: ['2.1', '3.1'] });
        told.another = JSON.parse(progress.text());
        room = Infinity;
        progress.add('goals', '2.B');
        told.stored = JSON.parse(kept.get(key));
    """)
    own = EMPTY | {"exercises": ["2.1", "2.2"], "goals": ["2.A"], "guesses": {"k": 0.5}}
    assert told["full"] == own
    assert told["another"] == own | {"exercises": ["2.1", "2.2", "3.1"]}
    assert told["stored"] == told["another"] | {"goals": ["2.A", "2.B"]}


def test_a_page_that_comes_back_whole_looks_what_was_kept_meanwhile(script):
    told = script("""
        kept.set(key, text({ exercises: ['2.1'] }));
        window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
        told.there = progress.has('exercises', '2.1');
    """)
    assert told["there"]
