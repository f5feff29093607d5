"""Three browsers behind one small driver: Chromium and Firefox by Playwright, WebKit by Selenium on a hidden screen.

Each opens one page; ``ask`` calls a function of JavaScript in it, ``press``, ``move``, ``down`` and ``up`` are the
learner's keyboard and mouse. All else is asked of the page itself, through page.js, in the same words in each browser.
"""

import glob
import json
import os
import shutil
import subprocess
import time

from tests.browser.lab import (
    HARMLESS,
    PAGE_SCRIPT,
    Closing,
    NoBrowser,
    give_playwright_back,
    launch_chromium,
    take_playwright,
)

SIZE = (1280, 1000)
FIREFOX = ("firefox-esr", "firefox")
MINI_BROWSER = "/usr/lib/*/webkit2gtk-4.*/MiniBrowser"
NEEDED = {
    "chromium": "apt-get install chromium",
    "firefox": "apt-get install firefox-esr, and playwright as in constraints.txt",
    "webkit": "apt-get install webkit2gtk-driver xvfb, and pip install selenium",
}
# what the console would show of errors, whatever the browser
EARS = """
if (!window.mlcoreErrors) {
  window.mlcoreErrors = [];
  const { error } = console;
  console.error = (...parts) => { window.mlcoreErrors.push(parts.map(String).join(' ')); error.apply(console, parts); };
  window.addEventListener('error', (event) => {
    if (event.message) window.mlcoreErrors.push(`uncaught: ${event.message}`);
  });
  window.addEventListener('unhandledrejection', (event) => setTimeout(() => { // unless somebody takes care of it
    if (!event.defaultPrevented) window.mlcoreErrors.push(`rejected: ${event.reason}`);
  }));
}
"""


class Engine(Closing):
    """What the three have in common."""

    def wait(self, function, *arguments, seconds=60):
        """Ask again and again, until the answer is true; return it."""
        deadline = time.monotonic() + seconds
        while not (answer := self.ask(function, *arguments)):
            if time.monotonic() > deadline:
                raise AssertionError(f"{self.name}: after {seconds} s still not {function}")
            time.sleep(0.05)
        return answer

    def errors(self):
        """Return what went wrong in the page since it was loaded, harmless things left out."""
        said = self.ask("() => window.mlcoreErrors")
        return [text for text in said if not any(harmless in text for harmless in HARMLESS)]

    def middle(self, selector, index=0):
        """Bring an element into view and return the place of its middle."""
        return self.ask(
            """([selector, index]) => {
                const node = document.querySelectorAll(selector)[index];
                node.scrollIntoView({ block: 'center' });
                const { left, top, width, height } = node.getBoundingClientRect();
                return [left + width / 2, top + height / 2];
            }""",
            [selector, index],
        )

    def click(self, selector, index=0):
        """Click an element with the mouse."""
        self.move(*self.middle(selector, index))
        self.down()
        self.up()

    def drag(self, start, by, moves=10):
        """Press the mouse at a place, move it by so many pixels, let go."""
        self.move(*start)
        self.down()
        for k in range(1, moves + 1):
            self.move(*(place + way * k / moves for place, way in zip(start, by)))
        self.up()



class Driven(Engine):
    """Chromium or Firefox, by Playwright."""

    def __init__(self, name):
        self.name = name
        try:
            playwright = take_playwright()
        except ImportError as error:
            raise NoBrowser(f"Playwright is missing ({NEEDED[name]})") from error
        try:
            self.browser = self._launch(playwright)
            self.context = self.browser.new_context(viewport=dict(zip(("width", "height"), SIZE)))
        except Exception as error:
            give_playwright_back()
            raise NoBrowser(f"{name} cannot be driven: {str(error)[:300]} ({NEEDED[name]})") from error
        self.context.add_init_script(EARS)
        self.context.add_init_script(PAGE_SCRIPT)
        self.page = self.context.new_page()
        self.move, self.down, self.up = self.page.mouse.move, self.page.mouse.down, self.page.mouse.up
        self.press = self.page.keyboard.press

    def _launch(self, playwright):
        if self.name == "chromium":
            return launch_chromium(playwright)
        path = next((path for name in FIREFOX if (path := shutil.which(name))), None)
        if path is None:
            raise NoBrowser("no Firefox on the PATH")
        return playwright.firefox.launch(channel="moz-firefox", executable_path=path)

    def open(self, address):
        """Load a page."""
        self.page.goto(address)

    def ask(self, function, *arguments):
        """Call a function of JavaScript in the page, with one argument at most."""
        return self.page.evaluate(function, *arguments)

    def close(self):
        """End the browser."""
        self.browser.close()
        give_playwright_back()


class WebKit(Engine):
    """WebKitGTK's small browser, by Selenium, on a screen that nobody sees."""

    name = "webkit"

    def __init__(self):
        programs = [shutil.which("WebKitWebDriver"), next(iter(glob.glob(MINI_BROWSER)), None), shutil.which("Xvfb")]
        if None in programs:
            raise NoBrowser(f"WebKit, its driver or Xvfb is missing ({NEEDED['webkit']})")
        try:
            from selenium import webdriver
            from selenium.webdriver.common.action_chains import ActionBuilder
            from selenium.webdriver.common.keys import Keys
        except ImportError as error:
            raise NoBrowser(f"Selenium is missing ({NEEDED['webkit']})") from error
        self._keys, self._actions = Keys, ActionBuilder
        driver, browser, screen = programs
        self._screen = subprocess.Popen(
            [screen, "-displayfd", "1", "-screen", "0", "1400x1100x24", "-nolisten", "tcp"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        display = f":{self._screen.stdout.readline().decode().strip()}"
        options = webdriver.webkitgtk.options.Options()
        options.binary_location = browser
        options.add_argument("--automation")
        service = webdriver.webkitgtk.service.Service(driver, env={**os.environ, "DISPLAY": display})
        try:
            self.driver = webdriver.WebKitGTK(options=options, service=service)
        except Exception as error:
            self._end_screen()
            raise NoBrowser(f"WebKit cannot be driven: {str(error)[:300]} ({NEEDED['webkit']})") from error
        self.driver.set_script_timeout(120)
        self._fit()

    def _fit(self):
        """Make the window so large that the page has the size of those in other browsers."""
        for _ in range(2):
            inside = self.driver.execute_script("return [innerWidth, innerHeight]")
            outside = self.driver.get_window_size()
            self.driver.set_window_size(*(
                outside[side] + wanted - has for side, wanted, has in zip(("width", "height"), SIZE, inside)
            ))

    def open(self, address):
        """Load a page; what is injected too early gets lost."""
        self.driver.get(address)
        deadline = time.monotonic() + 60
        while not self.driver.execute_script("return Boolean(window.mlcoreTest && window.mlcoreErrors)"):
            assert time.monotonic() < deadline, "the page takes no script"
            self.driver.execute_script(EARS + PAGE_SCRIPT)

    def ask(self, function, *arguments):
        """Call a function of JavaScript in the page, with one argument at most."""
        answer = self.driver.execute_async_script(
            f"""const [text, done] = arguments;
            (async () => ({function})(...JSON.parse(text)))().then(
                (value) => done([null, value ?? null]), (error) => done([`${{error}}`, null]));""",
            json.dumps(arguments),
        )
        assert answer[0] is None, f"webkit: {answer[0]}"
        return answer[1]

    def press(self, key):
        """Press a key by the name that the page knows it by."""
        names = {"Enter": "ENTER", "Home": "HOME", "End": "END", "PageUp": "PAGE_UP", "PageDown": "PAGE_DOWN",
                 "ArrowLeft": "ARROW_LEFT", "ArrowRight": "ARROW_RIGHT", "Tab": "TAB"}  # fmt: skip
        action = self._actions(self.driver)
        action.key_action.send_keys(getattr(self._keys, names[key]) if key in names else key)
        action.perform()

    def move(self, x, y):
        """Move the mouse."""
        self._with_mouse(lambda mouse: mouse.move_to_location(round(x), round(y)))

    def down(self):
        """Press the mouse's button."""
        self._with_mouse(lambda mouse: mouse.pointer_down())

    def up(self):
        """Let the mouse's button go."""
        self._with_mouse(lambda mouse: mouse.pointer_up())

    def _with_mouse(self, act):
        action = self._actions(self.driver, duration=10)
        act(action.pointer_action)
        action.perform()

    def close(self):
        """End the browser and its screen."""
        self.driver.quit()
        self._end_screen()

    def _end_screen(self):
        self._screen.terminate()
        self._screen.wait()
        self._screen.stdout.close()


def start(name):
    """Start one of the three: "chromium", "firefox" or "webkit"."""
    return WebKit() if name == "webkit" else Driven(name)
