"""JupyterLab in a headless browser: start it, open a notebook, run it, move what moves.

Used by the browser tests and by ``benchmarks/sliders.py``. ``Lab`` is the server, ``Chrome`` the browser, ``Notebook``
one open notebook; ``Explorer`` and ``Control`` are what a learner sees and touches. Controls are moved by real key
presses and mouse moves, never by setting a model behind the page's back.
"""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
PAGE_SCRIPT = (Path(__file__).parent / "page.js").read_text(encoding="utf-8")

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
# no sandbox: CI runs as root; the rest keeps the browser from calling home, which is noise on a closed network
BROWSER_FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-extensions",
    "--disable-dev-shm-usage", "--disable-features=Translate,OptimizationHints,MediaRouter",
    "--force-color-profile=srgb", "--hide-scrollbars",
)
# what JupyterLab itself says on the console without anything being wrong
HARMLESS = (
    "favicon",  # some builds ask for an icon that the server does not have
    "ResizeObserver loop",  # the browser postponed a measurement by one frame
    "[anywidget] Failed to initialize model",  # it gives up after two seconds; the stage does not: see page/jupyter.js
    "the server responded with a status of 404 (Not Found)",  # JupyterLab asks for files that may not exist yet
    "Comm not found for comm id",  # a cell was run again before JupyterLab knew what the kernel still held, and closes
)


SMALL = (1280, 680)
"""What a browser's own bars leave of a screen of 1280 x 800: there an explorer is 560 pixels high and no higher."""


class NoBrowser(RuntimeError):
    """There is no browser, or no Playwright to drive one."""


def launch_chromium(playwright):
    """Start a Chromium-like browser from the PATH, or Playwright's own, without a window."""
    path = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    return playwright.chromium.launch(args=list(BROWSER_FLAGS), **({"executable_path": path} if path else {}))


def violations(page, within=None):
    """What axe-core blames on a page, or on what a selector finds there: rule, place, and what is wrong with it."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, **({"context": within} if within else {})).response["violations"]
    return [(one["id"], node["html"][:200], node["failureSummary"]) for one in found for node in one["nodes"]]


class Closing:
    """What is closed when its block ends."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Lab(Closing):
    """A JupyterLab server of its own, on a copy of some notebooks, with settings of its own.

    Parameters
    ----------
    notebooks : Path
        A folder; it is copied, so that nothing in it changes.
    environment : dict, optional
        More variables for the server and its kernels.
    """

    def __init__(self, notebooks, environment=None):
        self.home = Path(tempfile.mkdtemp(prefix="mlcore-lab-"))
        self.root = self.home / "notebooks"
        shutil.copytree(notebooks, self.root, ignore=shutil.ignore_patterns("source", ".ipynb_checkpoints"))
        self.token = secrets.token_hex(16)
        self.port = _free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._write_settings()
        self._log = open(self.home / "server.log", "wb")
        self._process = subprocess.Popen(
            self._command(), env={**self._environment(), **(environment or {})}, stdin=subprocess.DEVNULL,
            stdout=self._log, stderr=self._log,
        )
        try:
            self._wait()
        except BaseException:
            self.close()
            raise

    def close(self):
        """End the server, by its process id, and remove its files."""
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def request(self, method, path):
        """Ask the server's REST interface and return the parsed answer, None where there is none."""
        request = urllib.request.Request(
            f"{self.address}/{path}", method=method, headers={"Authorization": f"token {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def end_kernels(self):
        """Shut every kernel down, so that notebooks do not share the processor."""
        for session in self.request("GET", "api/sessions"):
            self.request("DELETE", f"api/sessions/{session['id']}")

    def _command(self):
        options = [
            "--no-browser", "--expose-app-in-browser", "--ip=127.0.0.1", f"--port={self.port}",
            "--ServerApp.port_retries=0", f"--ServerApp.root_dir={self.root}", "--ServerApp.terminals_enabled=False",
            "--ServerApp.open_browser=False", "--LabApp.news_url=None", "--LabApp.extension_manager=readonly",
        ]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.append("--allow-root")
        return [sys.executable, "-m", "jupyterlab", *options]

    def _environment(self):
        paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
        return {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in paths if path),
            # the kernel is started as "python": let that be the interpreter that runs the tests
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
            "JUPYTER_TOKEN": self.token,
            "JUPYTER_CONFIG_DIR": str(self.home / "config"),
            "JUPYTER_CONFIG_PATH": os.pathsep.join(  # as make lab has it
                str(ROOT / "tools" / "jupyter" / name) for name in ("here", "anywhere")
            ),
            "JUPYTER_DATA_DIR": str(self.home / "data"),
            "JUPYTER_RUNTIME_DIR": str(self.home / "runtime"),
            "JUPYTERLAB_SETTINGS_DIR": str(self.home / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(self.home / "workspaces"),
            "IPYTHONDIR": str(self.home / "ipython"),
        }

    def _write_settings(self):
        settings = {
            # every cell stays attached, also those out of sight
            "notebook-extension/tracker": {"windowingMode": "none"},
            "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
            "docmanager-extension/plugin": {"autosave": False},
        }
        for name, values in settings.items():
            path = self.home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(values), encoding="utf-8")

    def _wait(self, seconds=90):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                break
            try:
                self.request("GET", "api/status")
                return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        log = (self.home / "server.log").read_text(encoding="utf-8", errors="replace")
        raise RuntimeError(f"JupyterLab did not start within {seconds} s:\n{log[-3000:]}")


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


_playwrights = []  # the one that runs, once for each browser that uses it: a thread can have only one


def take_playwright():
    """Start Playwright, or share the one that runs already."""
    from playwright.sync_api import sync_playwright

    _playwrights.append(_playwrights[0] if _playwrights else sync_playwright().start())
    return _playwrights[0]


def give_playwright_back():
    """Stop Playwright when its last browser has gone."""
    playwright = _playwrights.pop()
    if not _playwrights:
        playwright.stop()


class Chrome(Closing):
    """A headless browser.

    Raises
    ------
    NoBrowser
        If there is none, with what to install.
    """

    def __init__(self):
        try:
            playwright = take_playwright()
        except ImportError as error:
            raise NoBrowser("Playwright is not installed: pip install playwright") from error
        try:
            self.browser = launch_chromium(playwright)
        except Exception as error:
            give_playwright_back()
            raise NoBrowser(
                f"no browser: none of {', '.join(BROWSERS)} on PATH works, and Playwright has none of its own. "
                "Install Chromium (apt-get install chromium) or run: python -m playwright install chromium"
            ) from error
        # one context for all pages: JupyterLab's files are fetched once
        self.context = self._new_context()

    def _new_context(self, height=1000, **options):
        context = self.browser.new_context(**{"viewport": {"width": 1280, "height": height}, **options})
        context.add_init_script(PAGE_SCRIPT)
        return context

    @contextmanager
    def another(self, **options):
        """The same browser on another screen, for a while: Playwright's options of a context."""
        context = self._new_context(**options)
        try:
            yield SimpleNamespace(context=context)
        finally:
            context.close()

    def close(self):
        """End the browser."""
        self.browser.close()
        give_playwright_back()


class Notebook(Closing):
    """A notebook, open in JupyterLab.

    Attributes
    ----------
    page : playwright Page
    console : list of str
        The errors that the page wrote to the console, harmless ones left out.
    """

    def __init__(self, lab, chrome, name):
        self.lab, self.name = lab, name
        self.console = []
        self.page = chrome.context.new_page()
        self.page.set_default_timeout(60_000)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self._keep(f"uncaught: {error}"))
        self.page.goto(f"{lab.address}/lab/tree/{name}?reset&token={lab.token}")
        self._wait_until_ready()

    def _wait_until_ready(self):
        self.page.wait_for_function("window.mlcoreTest && mlcoreTest.ready()")

    def close(self):
        """Close the page and end its kernel."""
        self.page.close()
        self.lab.end_kernels()

    def _heard(self, message):
        if message.type == "error":
            self._keep(f"{message.text} ({message.location.get('url', '')})")

    def _keep(self, text):
        if not any(harmless in text for harmless in HARMLESS):
            self.console.append(text)

    def run_all(self, seconds=120, guess=False):
        """Run every cell from top to bottom, as the menu does, and wait until the last one is done.

        Questions are answered with "just show me", so that the controls are there; with ``guess`` they stand.
        """
        self.page.evaluate("mlcoreTest.runAll()")
        try:
            self.page.wait_for_function("mlcoreTest.finished()", timeout=1000 * seconds)
        except Exception as error:
            raise AssertionError(f"{self.name} did not finish in {seconds} s: {self.problems()}") from error
        self.settle()
        for asking in [] if guess else self.page.locator(".mlcore-asking").all()[::-1]:
            asking.locator(".mlcore-skip").click()  # which waits until the question's script has drawn it
        self.settle()
        self.page.evaluate("mlcoreTest.heightAtRest()")

    def run_cell(self, index):
        """Run one cell by Shift+Enter and return it; cells of text count."""
        cell = self.page.locator(".jp-Notebook .jp-Cell").nth(index)
        cell.locator(".jp-InputPrompt").click()
        self.page.keyboard.press("Shift+Enter")
        self.settle()
        return cell

    def restart(self):
        """Restart the kernel, as the menu does, without its question."""
        self.page.evaluate("mlcoreTest.kernel().restart()")
        self.page.wait_for_function("mlcoreTest.ready() && mlcoreTest.kernel().status === 'idle'")
        self.settle()

    def save(self):
        """Save it, as the menu does."""
        self.page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
        self.settle()
        self.page.wait_for_timeout(500)

    def load_again(self):
        """Load the page again."""
        self.page.reload()
        self._wait_until_ready()

    def settle(self):
        """Wait until the kernel has answered everything and every picture is decoded."""
        self.page.evaluate("mlcoreTest.settle()")

    def problems(self):
        """Return what went wrong in cells: errors, output to stderr, cells that did not run, widgets not shown."""
        return self.page.evaluate("mlcoreTest.problems()")

    @contextmanager
    def window(self, width, height):
        """Let the window have another size for a while."""
        before = self.page.viewport_size
        self.page.set_viewport_size({"width": width, "height": height})
        self.settle()
        try:
            yield
        finally:
            self.page.set_viewport_size(before)
            self.settle()

    @contextmanager
    def theme(self, name):
        """Let JupyterLab have another theme for a while: Light or Dark."""
        self._change_theme(name)
        try:
            yield
        finally:
            self._change_theme("Light")

    def _change_theme(self, name):
        self.page.evaluate(
            "name => window.jupyterapp.commands.execute('apputils:change-theme', {theme: `JupyterLab ${name}`})", name
        )
        self.page.wait_for_function(
            "name => document.body.dataset.jpThemeLight === String(name === 'Light')", arg=name
        )
        self.settle()

    def explorers(self):
        """Return every explorer and player on the page."""
        count = self.page.locator(".mlcore-explorer").count()
        return [Explorer(self, i) for i in range(count)]

    def errors_shown(self):
        """Return the text of every message that stands in a picture's place."""
        return self.page.locator(".mlcore-error").all_inner_texts()


def into_view(locator):
    """Scroll as little as is needed: Playwright in Firefox brings an element to the middle, even if it can be seen."""
    locator.evaluate("e => e.scrollIntoView({ block: 'nearest', inline: 'nearest' })")


class Explorer:
    """One explorer or player on the page."""

    def __init__(self, notebook, index):
        self.notebook, self.page, self.index = notebook, notebook.page, index
        self.root = self.page.locator(".mlcore-explorer").nth(index)
        self.image = self.root.locator("img.mlcore-picture")
        self.is_player = self.root.locator(".widget-play").count() > 0

    def __repr__(self):
        return f"{self.notebook.name}, explorer {self.index + 1} ({self.alt()[:60]})"

    def alt(self):
        """Return the description that a screen reader would read."""
        return self.image.get_attribute("alt") or ""

    def picture(self):
        """Return a fingerprint of the picture's bytes, once the kernel is quiet."""
        return self.page.evaluate("index => mlcoreTest.fingerprint(index)", self.index)

    def box(self):
        """Return left, top, width and height of the picture within its cell, and the cell's height, in pixels."""
        return self.page.evaluate("index => mlcoreTest.box(index)", self.index)

    def measures(self):
        """Return the height of the whole and the lengths of the sliders' tracks, in pixels."""
        tracks = self.root.locator(".noUi-base").evaluate_all("all => all.map(e => e.getBoundingClientRect().width)")
        return self.root.bounding_box()["height"], tracks

    def button(self, label):
        """Return one of a player's buttons: Back, Step, Play."""
        if label == "Play":
            return self.root.locator(".widget-play button").first
        return self.root.locator("button.widget-button", has_text=label)

    def points(self):
        """Return the points in the learner's hand, None where there are none."""
        return Points(self) if self.root.locator(".mlcore-hand").count() else None

    def record(self, action):
        """Watch the picture in every frame that the browser paints during an action; return what was seen."""
        into_view(self.root.locator(".noUi-handle").first)
        self.notebook.settle()  # the editor measures its lines when they come into view, and the cell may grow
        self.page.evaluate("index => mlcoreTest.startRecording(index)", self.index)
        try:
            action()
            self.notebook.settle()
        finally:
            frames = self.page.evaluate("mlcoreTest.stopRecording()")
        return frames

    def controls(self):
        """Return the controls that the picture follows, in order."""
        kinds = {
            "slider": ".noUi-handle", "choice": "select", "tick": "input[type=checkbox]",
            "radio": ".widget-radio-box", "toggles": ".widget-toggle-buttons", "number": "input[type=number]",
        }
        found = []
        for box in self.root.locator(":is(.mlcore-controls, .mlcore-player) > .lm-Widget").all():
            for kind, selector in kinds.items():
                if box.locator(selector).count():
                    found.append(Control(self, kind, box, box.locator(selector).first))
                    break
        return found


class Points:
    """The handles over an explorer's picture and the tool bar above it."""

    def __init__(self, explorer):
        self.explorer, self.page, self.notebook = explorer, explorer.page, explorer.notebook
        self.layer = explorer.root.locator(".mlcore-hand")
        self.handles = self.layer.locator(".mlcore-point")
        self.said = explorer.root.locator(".mlcore-said")

    def __len__(self):
        return self.handles.count()

    def labels(self):
        """Return what a screen reader says of each point."""
        return self.handles.evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")

    def places(self):
        """Return the centre of each handle on the screen, in pixels."""
        return self.handles.evaluate_all(
            "all => all.map(e => e.getBoundingClientRect()).map(r => [r.x + r.width / 2, r.y + r.height / 2])"
        )

    def settled(self):
        """Wait for the picture and return the labels."""
        self.notebook.settle()
        return self.labels()

    def tool(self, name):
        """Return a button of the tool bar."""
        return self.explorer.root.locator(".mlcore-tool", has_text=name).first

    def can(self, name):
        """Say whether there is a button and it can be pressed now."""
        return self.tool(name).count() > 0 and self.tool(name).get_attribute("aria-disabled") != "true"

    @property
    def in_the_plane(self):
        """Whether points have two coordinates, not one."""
        return self.handles.count() == 0 or ", y " in self.labels()[0]

    def paste(self, text):
        """Put a table into the panel for one's own data."""
        self.tool("Your data").click()
        self.explorer.root.locator(".mlcore-panel textarea").fill(text)
        self.explorer.root.get_by_text("Use these points").click()

    def reset(self):
        """Bring all points back to where they were at the start, and return the labels."""
        if self.can("Reset"):
            self.tool("Reset").click()
        return self.settled()

    def drag(self, i, by, moves=12):
        """Drag a point with the mouse by so many pixels, in moves that follow each other without a pause."""
        into_view(self.handles.nth(i))
        x, y = self.places()[i]
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        for k in range(1, moves + 1):
            self.page.mouse.move(x + by[0] * k / moves, y + by[1] * k / moves)
        self.page.mouse.up()

    def press(self, i, *keys):
        """Press keys on a point."""
        self.handles.nth(i).focus()
        for key in keys:
            self.page.keyboard.press(key)


class Control:
    """One slider, choice or tick box."""

    def __init__(self, explorer, kind, box, element):
        self.explorer, self.kind, self.box, self.element = explorer, kind, box, element
        self.page, self.notebook = explorer.page, explorer.notebook
        text = (box.text_content() if kind == "tick" else box.locator("label").first.text_content()) or ""
        self.label = text.strip(" \n\u200b")

    def __repr__(self):
        return f"{self.kind} {self.label!r}"

    def moves(self):
        """Return the key presses to try, small ones first."""
        return {
            "slider": ("ArrowRight", "ArrowLeft", "PageUp", "PageDown", "End", "Home", "PageUp"),
            "choice": ("ArrowDown", "ArrowUp", "End", "Home", "next", "next", "next"),
            "tick": ("Space", "Space"),
            "radio": ("next", "next"),
            "toggles": ("next", "next"),
            "number": ("ArrowUp", "ArrowDown", "ArrowUp"),
        }[self.kind]

    def move(self, key):
        """Press a key on the control, as a learner at the keyboard would; ``next`` is a click."""
        if key == "next":
            self.next()
        else:
            self.element.focus()
            self.page.keyboard.press(key)

    def value(self):
        """Return what the control shows."""
        if self.kind == "slider":
            return self.element.get_attribute("aria-valuetext") or self.element.get_attribute("aria-valuenow")
        if self.kind == "tick":
            return self.element.is_checked()
        if self.kind in ("choice", "number"):
            return self.element.input_value()
        return self.box.locator("input:checked, button.mod-active").first.evaluate("e => e.value || e.textContent")

    def readout(self):
        """Return the number that stands beside a slider."""
        return self.box.locator(".widget-readout").first.text_content().strip()

    def drag(self, start=0.05, stop=0.7, moves=40, between=None):
        """Drag a slider with the mouse from one part of its range to another and let go.

        ``start`` and ``stop`` are fractions of the range; ``moves`` mouse moves follow each other without a pause.
        ``between`` is called with the number of each move.
        """
        into_view(self.element)
        track = self.box.locator(".noUi-base").first.bounding_box()
        handle = self.element.bounding_box()
        y = handle["y"] + handle["height"] / 2
        self.page.mouse.move(handle["x"] + handle["width"] / 2, y)
        self.page.mouse.down()
        for i in range(moves):
            fraction = start + (stop - start) * i / (moves - 1)
            self.page.mouse.move(track["x"] + fraction * track["width"], y)
            if between is not None:
                between(i)
        self.page.mouse.up()

    def set_to(self, target):
        """Bring a slider to a value by itself: away from it, then back by the arrow keys."""
        low, high = (float(self.element.get_attribute(f"aria-value{end}")) for end in ("min", "max"))
        away, back = ("ArrowLeft", "ArrowRight") if target > (low + high) / 2 else ("ArrowRight", "ArrowLeft")
        self.move(away)
        self.notebook.settle()
        assert abs(self.number() - target) > 1e-9, f"{self} did not move away from {target}"
        self.move(back)
        self.notebook.settle()
        assert abs(self.number() - target) < 1e-9, f"{self} came back to {self.number()}, not to {target}"

    def set_to_typed(self, text):
        """Type a value into the number beside a slider."""
        readout = self.box.locator(".widget-readout")
        readout.click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")
        self.notebook.settle()

    def settings(self):
        """Return how many settings a choice, a group of buttons or a tick box has."""
        return 2 if self.kind in ("tick", "number") else self.box.locator("option, input, button").count()

    def next(self):
        """Bring a choice, a group of buttons or a tick box to its next setting, by the mouse where no key does it."""
        if self.kind == "choice":
            count = self.settings()
            self.element.select_option(index=(self.element.evaluate("e => e.selectedIndex") + 1) % count)
        elif self.kind == "toggles":
            buttons = self.box.locator("button")
            active = buttons.evaluate_all("b => b.findIndex(e => e.classList.contains('mod-active'))")
            buttons.nth((active + 1) % self.settings()).click()
        elif self.kind == "radio":
            chosen = self.box.locator("input").evaluate_all("b => b.findIndex(e => e.checked)")
            self.box.locator("input").nth((chosen + 1) % self.settings()).click()
        else:
            self.move("Space" if self.kind == "tick" else "ArrowUp")

    def number(self):
        """Return a slider's place as a number; on a logarithmic scale it is the exponent."""
        return self.element.evaluate("e => Number(e.closest('.noUi-target').noUiSlider.get(true).toPrecision(12))")
