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
