"""One JupyterLab, one site and one browser for all tests here; a picture of the page where a test failed."""

import os
import re
from functools import cache
from pathlib import Path

import pytest

from mlcore.classroom.files import locked
from tests.browser.lab import ROOT, Chrome, Lab, NoBrowser, Notebook
from tests.browser.site import chapters, served

ARTIFACTS = Path(__file__).parent / "artifacts"
FEW_FRAMES = "4"
"""Of an explorer, in the site that is tested: a player's steps and a choice's options are more."""
WALKED = os.environ.get("MLCORE_WALKED", "").split()
"""The numbers of the chapters in which JupyterLab moves all that moves; all, where none is named."""
NOT_RUN = pytest.StashKey[list]()


def pytest_configure(config):
    config.stash[NOT_RUN] = []


def pytest_collection_modifyitems(config, items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
    left_out = [item for item in items if WALKED and _walks_elsewhere(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def _walks_elsewhere(item):
    """Whether a test goes through all that moves in a notebook that is not among the chosen ones."""
    if not item.get_closest_marker("walk"):
        return False
    values = item.callspec.params
    return values.get("notebook", values.get("chapter"))[:2] not in WALKED


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    """Processes that share these tests (tools/run_tests.py) each take the next file or notebook that nobody has."""
    shared = os.environ.get("MLCORE_SHARED")
    if not shared or session.testsfailed or session.config.option.collectonly:
        return None
    mine = (item for item in session.items if is_mine("-".join(_opened(item)), Path(shared)))
    item = next(mine, None)
    while item is not None:
        nextitem = next(mine, None)
        item.ihook.pytest_runtest_protocol(item=item, nextitem=nextitem)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
        item = nextitem
    return True


@cache
def is_mine(name, folder):
    """Whether no other process has taken this before; from now on it is taken."""
    try:
        (folder / f"{name}.taken").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _opened(item):
    """What a test shares with others: its notebook, the page of a chapter in a browser, or else its file."""
    values = getattr(item, "callspec", None) and item.callspec.params
    return item.path.stem, *(values[name] for name in ("notebook", "stem") if values and name in values)


def must_run():
    """Say whether a missing browser is a failure."""
    names = ("CI", "REQUIRE_BROWSER", "MLCORE_REQUIRE_BROWSER")
    return any(os.environ.get(name, "").lower() not in ("", "0", "false") for name in names)


def started(config, start, *name):
    """A browser. Without it the tests fail where they have to run, and say loudly elsewhere that they did not."""
    try:
        return start(*name)
    except NoBrowser as error:
        config.stash[NOT_RUN].append(str(error))
        if must_run():
            pytest.fail(f"this browser has to be tested here: {error}", pytrace=False)
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def chrome(pytestconfig):
    """The browser of most tests."""
    with started(pytestconfig, Chrome) as browser:
        yield browser


def pytest_terminal_summary(terminalreporter, config):
    if reasons := config.stash[NOT_RUN]:
        terminalreporter.write_sep("!", "BROWSER TESTS DID NOT RUN", red=True, bold=True)
        for reason in reasons:
            terminalreporter.write_line(reason)


@pytest.fixture(scope="session")
def lab():
    """JupyterLab on a copy of the course's notebooks."""
    with Lab(ROOT / "notebooks") as server:
        yield server


@pytest.fixture(scope="module")
def open_notebook(lab, chrome, request):
    """Open a notebook of the course by name, or one made of the given cells; all are closed after the module."""
    opened = []

    def open_one(name, cells=None, text=None):
        if cells is not None:
            write_notebook(lab.root / name, cells, text)
        opened.append(Notebook(lab, chrome, name))
        return opened[-1]

    yield open_one
    for notebook in opened:
        notebook.close()


def write_notebook(path, cells, text=None):
    """Write a notebook of code cells, each with the text, if any, before it."""
    import nbformat

    notebook = nbformat.v4.new_notebook()
    for source in cells:
        notebook.cells += [] if text is None else [nbformat.v4.new_markdown_cell(text)]
        notebook.cells.append(nbformat.v4.new_code_cell(source))
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(notebook, path)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Keep a picture of the page of a test that failed, as artifacts/<test>.png."""
    report = (yield).get_result()
    if not report.failed or "chrome" not in item.fixturenames or "chrome" not in item.funcargs:
        return
    for page in [page for context in item.funcargs["chrome"].browser.contexts for page in context.pages]:
        ARTIFACTS.mkdir(exist_ok=True)
        path = ARTIFACTS / (re.sub(r"[^\w.-]+", "_", item.nodeid.split("/")[-1]) + ".png")
        page.screenshot(path=path)
        report.sections.append(("picture of the page", str(path)))


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory, pytestconfig):
    """The folder of the site, with few frames; two processes share it. It needs Pyodide's files."""
    from tools.web import build, kept, pyodide

    if not os.environ.get("PYODIDE") and not (pyodide.KEPT / pyodide.VERSION).is_dir():
        missing = "THE SITE WAS NOT TESTED: PYODIDE=folder is to name a folder with Pyodide's files"
        pytestconfig.stash[NOT_RUN].append(missing)
        (pytest.fail if os.environ.get("MLCORE_REQUIRE_PYODIDE") else pytest.skip)(missing)
    base = Path(os.environ.get("MLCORE_SHARED") or tmp_path_factory.getbasetemp())
    built, done = base / "site", base / "site-is-done"
    with locked(done, 1800), pytest.MonkeyPatch.context() as patch:
        if not done.exists():
            patch.setenv("FRAMES", FEW_FRAMES)
            patch.setattr(build, "SITE", built)
            patch.setattr(kept, "FRAMES", base / "kept")
            build.write_site(chapters())
            done.touch()
    return built


@pytest.fixture(scope="session")
def site(site_folder):
    """The address of the whole site."""
    with served(site_folder) as address:
        yield address
