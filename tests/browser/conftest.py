"""One JupyterLab, one site and one browser for all tests here; a picture of the page where a test failed."""

import os
import re
import threading
from pathlib import Path

import pytest

from tests.browser.lab import ROOT, Chrome, Lab, NoBrowser, Notebook

SITE = ("02_linear_regression", "15_decision_trees")  # chapters of the site that is tested
ARTIFACTS = Path(__file__).parent / "artifacts"
NOT_RUN = pytest.StashKey[list]()


def pytest_configure(config):
    config.stash[NOT_RUN] = []


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


def must_run():
    """Say whether a missing browser is a failure."""
    names = ("CI", "REQUIRE_BROWSER", "MLCORE_REQUIRE_BROWSER")
    return any(os.environ.get(name, "").lower() not in ("", "0", "false") for name in names)


@pytest.fixture(scope="session")
def chrome(pytestconfig):
    """The browser. Without one the tests fail where they have to run, and say loudly elsewhere that they did not."""
    try:
        browser = Chrome()
    except NoBrowser as error:
        pytestconfig.stash[NOT_RUN].append(str(error))
        if must_run():
            pytest.fail(f"the browser tests have to run here, but there is {error}", pytrace=False)
        pytest.skip(str(error))
    yield browser
    browser.close()


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


@pytest.fixture(scope="session")
def site(pytestconfig, tmp_path_factory):
    """The address of a site with two chapters, as make site writes it. Without Pyodide its tests do not run."""
    from tools.web import build, pyodide, serve

    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "SITE", folder)
        try:
            build.write_site([ROOT / "notebooks" / f"{stem}.ipynb" for stem in SITE])
        except pyodide.NoPyodide as error:
            pytestconfig.stash[NOT_RUN].append(str(error))
            if "PYODIDE" in os.environ:
                pytest.fail(str(error), pytrace=False)
            pytest.skip(str(error))
    with serve.server(0, folder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


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
