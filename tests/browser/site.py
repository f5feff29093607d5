"""The site in a browser: a page of it, its cards and their controls, moved as a learner moves them.

All is asked of the page itself, by JavaScript, so that it is the same in Chromium, Firefox and WebKit (engines.py).
"""

import os
import threading
from contextlib import contextmanager

from tests.browser.lab import ROOT
from tools.web.serve import server

CHOSEN = os.environ.get("MLCORE_PAGES", "").split()
"""The numbers of the chapters whose pages are tested; all, where none is named."""


def chapters():
    """The notebooks of which the tested site has pages."""
    all_of_them = sorted((ROOT / "notebooks").glob("*.ipynb"))
    return [path for path in all_of_them if not CHOSEN or path.stem[:2] in CHOSEN]


# what the page says of itself: see tools/web/page/chapter.js
QUIET = """() => mlcore.cards.every((card) => {
    const { exchange, picture } = card.stage;
    return exchange.under === null && !exchange.waiting.size && picture.box.dataset.moves === undefined;
})"""
# by the bytes of what is shown, and by what glides over it, when it has arrived
PICTURE = """async (k) => {
    const { picture: { parts }, marks: { node }, result } = mlcore.cards[k].stage;
    let sum = 0;
    for (const part of parts) {
        for (const byte of new Uint8Array(await new Blob([part]).arrayBuffer())) sum = (31 * sum + byte) % 1000003;
    }
    for (let before = null; before !== node.innerHTML; ) {
        before = node.innerHTML;
        await new Promise((done) => setTimeout(done, 60));
    }
    return [sum, result.textContent, node.innerHTML].join('|');
}"""
DRESSED = """async () => {
    const roots = [...document.querySelectorAll('[data-explorer]')];
    for (const [k, root] of roots.entries()) {
        root.scrollIntoView({ block: 'center' });
        for (let i = 0; i < 400 && !mlcore.cards[k]; i += 1) await new Promise((done) => setTimeout(done, 25));
        if (!mlcore.cards[k]) throw new Error(`explorer ${k + 1} is not there after ten seconds`);
    }
    return roots.length;
}"""
FIELDS = ".mlcore-control > :is(input, select)"


@contextmanager
def served(folder):
    """The address of a folder that is served while this lasts."""
    running = server(0, folder)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{running.server_port}"
    finally:
        running.shutdown()
        running.server_close()
        thread.join()


class SitePage:
    """A chapter's page in one of the browsers, all of its explorers dressed."""

    def __init__(self, engine, address, stem, query="?frames"):
        self.engine, self.stem = engine, stem
        engine.open(f"{address}/{stem}.html{query}")
        engine.wait("() => Boolean(window.mlcore)")
        self.count = engine.ask(DRESSED)

    def start_python(self, seconds=120):
        """Start Python and wait until each explorer is live."""
        self.engine.ask("() => { mlcore.start() }")
        self.engine.wait("() => document.documentElement.dataset.python === 'runs'", seconds=seconds)
        self.quiet()

    def quiet(self):
        """Wait until nothing is under way."""
        self.engine.wait(QUIET)

    def picture(self, k):
        """What is to be seen of an explorer now, as a text."""
        self.quiet()
        return self.engine.ask(PICTURE, k)

    def answer_questions(self):
        """Say "just show me" to every question, so that the controls are there."""
        self.engine.ask(
            "() => { for (const skip of document.querySelectorAll('.mlcore-asking .mlcore-skip')) skip.click() }"
        )
        self.quiet()

    def unsaid(self):
        """The numbers of explorers that cannot reach some setting from frames, and do not offer Python for it."""
        return self.engine.ask(
            """() => mlcore.cards.flatMap(({ controls, root }, k) => {
                const reached = ({ kind, stops, texts }) => (kind === 'slider'
                    ? stops.includes(0) && stops.includes(texts.length - 1) : stops.length === texts.length);
                return controls.all.every(reached) || root.querySelector('.mlcore-wake button') ? [] : [k];
            })"""
        )

    def fields(self, k):
        """The numbers and labels of an explorer's controls; those for which there are no frames cannot be moved."""
        return self.engine.ask(
            """(k) => mlcore.cards[k].controls.all.flatMap(({ field, node }, j) => (
                field.disabled ? [] : [[j, node.textContent]]))""",
            k,
        )

    def moves(self, k, j):
        """Move a control of an explorer through settings until the picture has changed; whether it did.

        Through its own field, by the events that a browser sends for keys; a choice and a tick box likewise.
        """
        before = self.picture(k)
        for step in range(4):
            self.engine.ask(
                """([k, j, step]) => {
                    const { field, kind, place, stops } = mlcore.cards[k].controls.all[j];
                    const name = kind === 'slider' ? 'input' : 'change';
                    if (kind === 'tick') field.checked = !field.checked;
                    else if (kind === 'slider') {
                        const last = Number(field.max);
                        field.value = [last, 0, Math.round(last / 2), Math.round(last / 3)][step];
                    } else field.selectedIndex = stops[(stops.indexOf(place) + 1) % stops.length];
                    field.dispatchEvent(new Event(name, { bubbles: true }));
                }""",
                [k, j, step],
            )
            if self.picture(k) != before:
                return True
        return False

    def dead(self, every=False):
        """The explorers of which no control moves the picture; ``every``: all are moved, whether or not one has."""
        found = []
        for k in range(self.count):
            moves = (self.moves(k, j) for j, _ in self.fields(k))
            moved = list(moves) if every else [next((True for one in moves if one), False)]
            found += [k + 1] * (not any(moved) and bool(self.fields(k)))
        return found

    def errors(self):
        """What the console told, and each explorer that shows an error."""
        shown = self.engine.ask("() => [...document.querySelectorAll('.mlcore-error')].map((one) => one.textContent)")
        return self.engine.errors() + shown
