"""Builds notebooks/*.ipynb, with outputs, from notebooks/source/*.md (MyST Markdown).

    python tools/build_notebooks.py [--force] [--check] [--jobs N] [name ...]

A notebook is built when its source is not the one it was built from, or when library code that it shows has changed;
its metadata hold the digest of the source, so dates of files do not matter. Building the same source again gives the
same bytes. A name may be a number ("07"), a stem ("07_class_imbalance") or a path. --check builds nothing, and names
the notebooks that do not agree with their source.

A build fails, and leaves the old notebook as it was, if a cell raises, writes to stderr, or shows what cannot be the
same next time (a memory address) or has no place in a committed notebook (a warning, an unknown kind of output).
"""

import argparse
import ast
import contextlib
import hashlib
import os
import re
import sys
import tempfile
import textwrap
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import jupytext
import nbformat
from ipykernel.kernelspec import write_kernel_spec
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mlcore.classroom.viz.draw.code import as_shown  # noqa: E402
from mlcore.course import CHAPTERS  # noqa: E402
from tools.web import address  # noqa: E402

SOURCES = ROOT / "notebooks" / "source"
MAX_BYTES = 1_500_000
SLOW_SECONDS = 20
CELL_TIMEOUT = 300  # seconds

START, KEY = "00_start_here.ipynb", "The-five-sets-of-notes"
MAP = f"[map and notation]({START})"
"""What the line of links at the head and the foot of a chapter holds, and nothing else."""
KEPT_TYPES = ("image/png", "text/html", "text/markdown", "text/plain")
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"  # shows as an error until the cell is run: never committed
VOLATILE_CELL_METADATA = ("ExecuteTime", "collapsed", "execution", "scrolled", "trusted")
UNSTABLE_TEXT = {
    "a memory address": re.compile(r"\b0x[0-9a-fA-F]{5,}"),
    "a warning": re.compile(r"\bWarning\b|\w+Warning:"),
}
ANSI_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class BuildError(Exception):
    """A notebook cannot be built; the message names the cells and says why."""


# ---------------------------------------------------------------------------------------------------------------
# From the source to a notebook without outputs
# ---------------------------------------------------------------------------------------------------------------
def source_digest(path) -> str:
    """SHA-256 of the source's text, the same on every system (line ends count as one character)."""
    return hashlib.sha256(Path(path).read_text(encoding="utf-8").encode()).hexdigest()


def notebook_path(source) -> Path:
    """Where the notebook of a source belongs: one folder up, with the same stem."""
    source = Path(source)
    return source.parent.parent / f"{source.stem}.ipynb"


def read_source(path) -> NotebookNode:
    """Return the notebook that a source describes: its cells, without outputs, each with its stable id."""
    path = Path(path)
    parsed = jupytext.reads(path.read_text(encoding="utf-8"), fmt="md:myst").cells
    others = {c.number: c.notebook for c in _there(path) if c.number and c.notebook != f"{path.stem}.ipynb"}
    if links := navigation(path):
        parsed = [parsed[0], new_markdown_cell(links), *parsed[1:], new_markdown_cell(links)]
    seen = Counter()
    cells = [_cell(cell, seen, others) for cell in parsed]
    return nbformat.v4.new_notebook(cells=cells, metadata=_notebook_metadata(source_digest(path)))


def _there(source: Path) -> list:
    """Return the chapters whose source stands beside this one: only these can be linked."""
    return [c for c in CHAPTERS if (source.parent / c.notebook).with_suffix(".md").exists()]


def navigation(source: Path) -> str:
    """The line at the head and the foot of a chapter: before, after, needed, the map and the key to the notes."""
    there = _there(source)
    here = next((c for c in there if c.notebook == f"{source.stem}.ipynb"), None)
    if here is None or here.number == 0:
        return ""
    before = [c for c in there if 0 < c.number < here.number][-1:]
    after = [c for c in there if c.number > here.number][:1]
    needed = [c for c in there if c.number in here.needs]
    parts = [f"[← {c.number}. {c.title}]({c.notebook})" for c in before]
    parts += ["needs " + ", ".join(f"[{c.number}]({c.notebook})" for c in needed)] if needed else []
    parts += [f"[live in the browser]({address.site()}{source.stem}.html)"] if address.site() else []
    parts += [MAP, f"[what Notes A to E are]({START}#{KEY})", "[glossary](glossary.ipynb)"]
    parts += [f"[{c.number}. {c.title} →]({c.notebook})" for c in after]
    return " · ".join(parts)


# code, formulas and links: left as they are
APART = r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]+\$|\[[^\]\n]*\]\([^)\n]*\)"
CITATION = re.compile(rf"({APART})|\b([Nn]otes) ([A-E])\b", re.DOTALL)


def cited(text: str) -> str:
    """Make a link of each "Notes A" in a Markdown text: to what these notes are."""
    return CITATION.sub(lambda match: match[1] or f"[{match[2]} {match[3]}]({START}#{KEY})", text)


CHAPTER = re.compile(
    rf"({APART}|^#[^\n]*)|\b([Cc]hapter (\d+))\b|\b([Cc]hapters)((?:(?:,| and)? \d+\b(?: \([^()\n]*\))?)+)(?! to |-)",
    re.DOTALL | re.MULTILINE,
)


def linked(text: str, others: dict[int, str]) -> str:
    """Make a link of each chapter that a Markdown text names by number: "chapter 3", "chapters 3 (losses) and 17".

    ``others`` holds the notebooks that there are, by number. Under "Further reading" most chapters are those of
    books; there only what follows "In this course" is linked.
    """

    def link(words, number):
        return f"[{words}]({others[int(number)]})" if int(number) in others else words

    def replace(match):
        apart, one, number, several, numbers = match.groups()
        if apart:
            return apart
        if one:
            return link(one, number)
        return several + re.sub(r"\([^()]*\)|\d+", lambda m: m[0] if m[0][0] == "(" else link(m[0], m[0]), numbers)

    text, heading, books = text.partition("## Further reading\n")
    books = re.sub("In this course.*", lambda course: CHAPTER.sub(replace, course[0]), books)
    return CHAPTER.sub(replace, text) + heading + books


SEEN = re.compile(r"^\*\*(What you saw|What to see)\.\*\* (.+?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)


def folded(text: str) -> str:
    """Fold each paragraph that tells what there was to see, so that it does not answer before anything has moved."""
    return SEEN.sub(r"<details><summary><b>\1</b></summary>\n\n\2\n\n</details>", text)


# what a fold shows, its first line, by the functions that the cell calls
FOLDS = {"# The picture: run me": {"explore", "play", "show"}, "# The table: run me": {"show_table"}}


def named(source: str, tags) -> str:
    """Begin the code of a set-up or a drawing with a line that says what it is: JupyterLab shows it on the fold."""
    if not {"setup", "drawing"} & set(tags):
        return source
    nodes = list(ast.walk(ast.parse(source)))
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    for name, functions in FOLDS.items():
        if called & functions:
            return f"{name}\n{source}"
    return ("# Set-up: run me\n" if "setup" in tags else "# The checks: run me\n") + source


def _cell(parsed: NotebookNode, seen: Counter, others: dict[int, str]) -> NotebookNode:
    """Return a fresh cell like the parsed one. Cells tagged ``setup``, ``drawing`` or ``solution`` are collapsed.

    Its id is a digest of its text and of how many cells before it have the same text. So a cell keeps its id when
    others come before it, and ids never clash.
    """
    source = parsed.source
    if parsed.cell_type == "markdown":
        source = folded(linked(cited(source), others))
    elif parsed.cell_type == "code":
        source = named(source, parsed.metadata.get("tags", ()))
    text = f"{parsed.cell_type}\n{source}"
    digest = hashlib.sha256(f"{seen[text]}\n{text}".encode()).hexdigest()
    seen[text] += 1
    metadata = {key: value for key, value in parsed.metadata.items() if key not in VOLATILE_CELL_METADATA}
    if {"setup", "drawing", "solution"} & set(metadata.get("tags", ())):
        metadata["jupyter"] = {**metadata.get("jupyter", {}), "source_hidden": True}
    if slide := _slide(parsed, metadata.get("tags", ())):
        metadata["slideshow"] = {"slide_type": slide}
    if "solution" in metadata.get("tags", ()):  # its verdict is not kept: a fold must give nothing away
        metadata["tags"] = [*metadata["tags"], "nbval-ignore-output"]
    make = {
        "code": nbformat.v4.new_code_cell,
        "markdown": nbformat.v4.new_markdown_cell,
        "raw": nbformat.v4.new_raw_cell,
    }[parsed.cell_type]
    return make(source, id=digest[:12], metadata=metadata)


def _slide(cell: NotebookNode, tags) -> str | None:
    """What a cell is among slides: a section begins a slide, each text after it one below; code and links join it.

    What joins has no entry at all: nbconvert also knows "-", but decks in JupyterLab do not show such a cell.
    """
    if "solution" in tags:
        return "skip"
    if cell.cell_type != "markdown" or MAP in cell.source:
        return None
    return "slide" if cell.source.startswith(("# ", "## ")) else "subslide"


def _notebook_metadata(digest: str | None) -> dict:
    """Return the metadata that every notebook has: none that depends on the machine that built it."""
    metadata = {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    if digest:
        metadata["mlcore"] = {"source_sha256": digest}
    return metadata


# ---------------------------------------------------------------------------------------------------------------
# Execution
# ---------------------------------------------------------------------------------------------------------------
@contextlib.contextmanager
def _kernel():
    """Give a kernel manager whose ``python3`` is this very interpreter, and the environment to start it in.

    Nothing of the user's own set-up (other kernels, start-up files, backends, warning filters) gets in. One thread,
    so that sums come in the same order every time.
    """
    with tempfile.TemporaryDirectory(prefix="mlcore-kernel-") as folder:
        write_kernel_spec(Path(folder) / "kernels" / "python3", extra_arguments=["--log-level=ERROR"])
        specs = KernelSpecManager(kernel_dirs=[str(Path(folder) / "kernels")])
        dropped = (
            "JPY_SESSION_NAME", "MPLBACKEND", "MPLCONFIGDIR", "MATPLOTLIBRC", "PYTHONSTARTUP", "PYTHONWARNINGS",
        )  # fmt: skip
        environment = {key: value for key, value in os.environ.items() if key not in dropped}
        environment.update(
            IPYTHONDIR=str(Path(folder) / "ipython"),
            PYTHONHASHSEED="0",
            PYTHONPATH=os.pathsep.join(filter(None, [str(ROOT), environment.get("PYTHONPATH")])),
            OMP_NUM_THREADS="1",
            OPENBLAS_NUM_THREADS="1",
            MKL_NUM_THREADS="1",
        )
        yield AsyncKernelManager(kernel_name="python3", kernel_spec_manager=specs), environment


def run(nb: NotebookNode, folder) -> None:
    """Run all cells of ``nb``, in place, in ``folder``. Raise BuildError if a cell raises or takes too long."""
    with _kernel() as (manager, environment):
        client = NotebookClient(
            nb,
            km=manager,
            timeout=CELL_TIMEOUT,
            startup_timeout=120,
            record_timing=False,
            store_widget_state=False,
            resources={"metadata": {"path": str(folder)}},
        )
        try:
            client.execute(env=environment, cleanup_kc=True)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            raise BuildError("\n".join(problems(nb)) or ANSI_COLOUR.sub("", str(error))) from None


# ---------------------------------------------------------------------------------------------------------------
# What a committed notebook may hold
# ---------------------------------------------------------------------------------------------------------------
def problems(nb: NotebookNode) -> list[str]:
    """Say, for each output that a committed notebook must not hold, in which cell it is and what it is."""
    found = []
    for number, cell in enumerate(nb.cells):
        if cell.cell_type == "code":
            name = f"cell {number} ({_first_line(cell.source)!r})"
            found += [f"{name} {what}" for output in cell.outputs for what in _output_problems(output)]
    return found


def _first_line(source: str) -> str:
    """Return the first line of a cell, shortened: how its author will recognise it."""
    return source.strip().split("\n")[0][:60]


def _output_problems(output: NotebookNode) -> list[str]:
    """Say what is wrong with one output, if anything."""
    if output.output_type == "error":
        return ["raises\n" + ANSI_COLOUR.sub("", "\n".join(output.traceback) or f"{output.ename}: {output.evalue}")]
    if output.output_type == "stream":
        if output.name == "stderr":
            return [f"writes to stderr:\n{output.text}"]
        return _text_problems(output.text)
    unknown = set(output.data) - {*KEPT_TYPES, WIDGET_VIEW}
    if unknown:
        return [f"shows {', '.join(sorted(unknown))}; a notebook holds only {', '.join(KEPT_TYPES)}"]
    return _text_problems(output.data.get("text/plain", ""))


def _text_problems(text: str) -> list[str]:
    """Say which unstable things a text output shows."""
    return [f"shows {what}: {text.strip()[:200]!r}" for what, sign in UNSTABLE_TEXT.items() if sign.search(text)]


def normalise(nb: NotebookNode) -> NotebookNode:
    """Return a copy with all that may differ from one run to the next taken out, and cells numbered as they ran."""
    digest = nb.metadata.get("mlcore", {}).get("source_sha256")
    clean = nbformat.v4.new_notebook(metadata=_notebook_metadata(digest))
    count = 0
    for cell in nb.cells:
        copy = nbformat.from_dict({key: cell[key] for key in ("id", "cell_type", "source")})
        copy.metadata = nbformat.from_dict(
            {key: value for key, value in cell.metadata.items() if key not in VOLATILE_CELL_METADATA}
        )
        if cell.cell_type == "code":
            count += cell.execution_count is not None
            copy.execution_count = count if cell.execution_count is not None else None
            is_solution = "solution" in cell.metadata.get("tags", ())
            copy.outputs = [] if is_solution else _normal_outputs(cell.outputs, copy.execution_count)
        clean.cells.append(copy)
    return clean


def _normal_outputs(outputs, count: int | None) -> list[NotebookNode]:
    """Return the outputs with neighbouring pieces of one stream joined, and only the kept kinds of data."""
    kept = []
    for output in outputs:
        if output.output_type == "stream":
            if kept and kept[-1].output_type == "stream" and kept[-1].name == output.name:
                kept[-1].text += output.text
            else:
                kept.append(nbformat.v4.new_output("stream", name=output.name, text=output.text))
        elif output.output_type == "error":
            kept.append(nbformat.from_dict(dict(output)))
        elif data := {kind: output.data[kind] for kind in KEPT_TYPES if kind in output.data}:
            kept.append(_rich_output(output, data, count))
    return kept


def _rich_output(output: NotebookNode, data: dict, count: int | None) -> NotebookNode:
    """Return a display_data or execute_result with the given data, and the metadata that belong to them."""
    if "image/png" in data:
        data["image/png"] = "".join(data["image/png"].split())
    metadata = {kind: value for kind, value in output.metadata.items() if kind not in (WIDGET_VIEW,)}
    extra = {"execution_count": count} if output.output_type == "execute_result" else {}
    return nbformat.v4.new_output(output.output_type, data=data, metadata=metadata, **extra)


def to_bytes(nb: NotebookNode) -> bytes:
    """Return the notebook as the bytes of its file: sorted keys, indent 1, UTF-8, LF, a newline at the end."""
    nbformat.validate(nb)
    return (nbformat.writes(nb, version=4, sort_keys=True, indent=1, ensure_ascii=False).rstrip("\n") + "\n").encode()


# ---------------------------------------------------------------------------------------------------------------
# Building and checking
# ---------------------------------------------------------------------------------------------------------------
def build(path, execute: bool = True) -> NotebookNode:
    """Return the notebook of a source, in normal form; with ``execute`` it has been run, in the notebook's folder.

    Raises
    ------
    BuildError
        If a cell raises, writes to stderr or shows what a committed notebook must not hold.
    """
    nb = read_source(path)
    if execute:
        run(nb, notebook_path(path).parent)
        if found := problems(nb):
            raise BuildError("\n".join(found))
    return normalise(nb)


def is_current(source) -> bool:
    """Whether the source's notebook exists, was built from the source as it is now, and shows the library as it is."""
    target = notebook_path(source)
    if not target.exists():
        return False
    nb = nbformat.read(target, as_version=4)
    return nb.metadata.get("mlcore", {}).get("source_sha256") == source_digest(source) and not outdated_code(nb)


def outdated_code(nb: NotebookNode, root: Path = ROOT) -> list[str]:
    """Return the names of the functions and classes that a notebook shows otherwise than the library has them now."""
    outputs = [output for cell in nb.cells if cell.cell_type == "code" for output in cell.outputs]
    texts = [output.data.get("text/plain", "") for output in outputs if "data" in output]
    shown = [text.split("\n\n", 1) for text in texts if re.match(r"mlcore/\S+\.py\n\n", text)]
    found = []
    for place, code in shown:
        name = re.search(r"^(?:def|class) (\w+)", code, re.MULTILINE).group(1)
        if code not in _definitions(root / place, name):
            found.append(name)
    return found


def _definitions(path: Path, name: str) -> list[str]:
    """What show_source would show of every function or class of that name in a file."""
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            source = textwrap.dedent("\n".join(text.split("\n")[first - 1 : node.end_lineno]))
            found.append(as_shown(source))
    return found


def disagreement(source) -> str | None:
    """Say how the committed notebook of a source differs from what the source describes; None if it does not."""
    target = notebook_path(source)
    if not target.exists():
        return "has not been built"
    if not is_current(source):
        return "was built from another version of its source, or of the code that it shows"
    nb = nbformat.read(target, as_version=4)
    if [_essence(cell) for cell in nb.cells] != [_essence(cell) for cell in read_source(source).cells]:
        return "has cells that differ from its source (edited by hand?)"
    if any(cell.cell_type == "code" and cell.source.strip() and cell.execution_count is None for cell in nb.cells):
        return "has code cells that were not run"
    if target.read_bytes().replace(b"\r\n", b"\n") != to_bytes(normalise(nb)):
        return "is not in normal form (saved by hand?)"
    return None


def _essence(cell: NotebookNode) -> tuple:
    """Return what a cell of a notebook and of its source have in common."""
    return cell.id, cell.cell_type, cell.source, cell.metadata


def build_file(source) -> tuple[str, bool]:
    """Build a source's notebook into its file. Return a line that says how that went, and whether it went well."""
    target = notebook_path(source)
    start = time.perf_counter()
    try:
        content = to_bytes(build(source))
    except BuildError as error:
        return f"FAILED  {target.stem}:\n{error}", False
    seconds = time.perf_counter() - start
    line = f"built   {target.stem:<32} {len(content) / 1000:6.0f} kB {seconds:6.1f} s"
    if len(content) > MAX_BYTES:
        return f"{line}  TOO LARGE: the limit is {MAX_BYTES / 1000:.0f} kB; not written", False
    if not target.exists() or target.read_bytes() != content:
        target.write_bytes(content)
    return line + (f"  SLOW: more than {SLOW_SECONDS} s" if seconds > SLOW_SECONDS else ""), True


def select(names: list[str], folder: Path = SOURCES) -> list[Path]:
    """Return the sources that the names mean (a number, a stem or a path), or all of them."""
    every = sorted(folder.glob("*.md"))
    if not names:
        return every
    chosen = []
    for name in names:
        stem = Path(name).stem
        matching = [path for path in every if stem in (path.stem, path.stem.partition("_")[0])]
        if not matching:
            raise SystemExit(f"error: no source in {folder} is called {name!r}")
        chosen += matching
    return chosen


def check_all(sources: list[Path]) -> int:
    """Print each notebook that does not agree with its source. Return the exit code."""
    wrong = {source: what for source in sources if (what := disagreement(source))}
    for source, what in wrong.items():
        print(f"{notebook_path(source).name} {what}: run make notebooks")
    print(f"{len(sources) - len(wrong)} of {len(sources)} notebooks agree with their source")
    return 1 if wrong else 0


def build_all(sources: list[Path], jobs: int) -> int:
    """Build each of the sources, going on after a failure. Return the exit code."""
    if jobs > 1:
        with ProcessPoolExecutor(jobs) as pool:
            return _report(pool.map(build_file, sources))
    return _report(map(build_file, sources))


def _report(results) -> int:
    """Print each result as it comes. Return the exit code."""
    good = True
    for line, went_well in results:
        print(line, flush=True)
        good &= went_well
    return 0 if good else 1


def main(arguments: list[str] | None = None) -> int:
    """Read the command line; check or build."""
    parser = argparse.ArgumentParser(description="Build the notebooks whose source changed.")
    parser.add_argument("names", nargs="*", metavar="name", help="a number, stem or path; all notebooks if left out")
    parser.add_argument("--force", action="store_true", help="build even what is up to date")
    parser.add_argument("--check", action="store_true", help="build nothing; fail if a notebook disagrees")
    parser.add_argument("--jobs", type=int, default=1, help="how many notebooks to build at a time (default 1)")
    options = parser.parse_args(arguments)
    sources = select(options.names)
    if options.check:
        return check_all(sources)
    stale = [source for source in sources if options.force or not is_current(source)]
    if len(stale) < len(sources):
        print(f"{len(sources) - len(stale)} of {len(sources)} notebooks are up to date", flush=True)
    return build_all(stale, options.jobs)


if __name__ == "__main__":
    sys.exit(main())
