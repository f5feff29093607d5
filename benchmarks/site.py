"""How quickly the pages of the site answer: from frames made beforehand, and live.

    python -m benchmarks.site [folder] [name ...]

The folder is a site (by default site/, as make site writes it); a name is a number ("07"); all chapters if left out. Of
each chapter a line: from opening the page until the first and until the last of its explorers is live, in seconds; from
a slider's move to the new picture, median and 95th percentile in milliseconds, from frames and live; the memory that
Python takes, in MB. Nothing else should run meanwhile.
"""

import statistics
import sys
from pathlib import Path

from tests.browser.engines import start
from tests.browser.site import SitePage, served

ROOT = Path(__file__).resolve().parent.parent
MOVES = 8
"""Of one slider of each explorer, there and back."""
# from the event to the picture that is decoded and put in place
TIMED = """async ([k, moves]) => {
    const card = mlcore.cards[k];
    const slider = card.controls.all.find((one) => one.kind === 'slider');
    if (!slider || slider.stops.length < 3) return [];
    const { image, box } = card.stage.picture;
    const took = [];
    for (let i = 0; i < moves; i += 1) {
        const begun = performance.now();
        const changed = new Promise((done) => {
            const seen = new MutationObserver(() => { seen.disconnect(); done(performance.now()); });
            seen.observe(box, { attributes: true, subtree: true, attributeFilter: ['src', 'data-ratio', 'hidden'] });
            setTimeout(() => { seen.disconnect(); done(null); }, 1500);
        });
        const last = Number(slider.field.max);
        slider.field.value = Number(slider.field.value) + (Number(slider.field.value) < last ? 1 : -1);
        slider.field.dispatchEvent(new Event('input', { bubbles: true }));
        const at = await changed;
        if (at !== null) took.push(at - begun);
        await new Promise((done) => setTimeout(done, 400));
    }
    return took;
}"""


def times(page):
    """Milliseconds of each move of the sliders of a page."""
    return [took for k in range(page.count) for took in page.engine.ask(TIMED, [k, MOVES])]


def told(values):
    """Median and 95th percentile."""
    if len(values) < 2:
        return "     -     -"
    return f"{statistics.median(values):6.0f}{statistics.quantiles(values, n=20)[-1]:6.0f}"


def main(arguments):
    """Measure the chapters, one after the other."""
    folder = Path(arguments.pop(0)) if arguments and Path(arguments[0]).is_dir() else ROOT / "site"
    stems = sorted(path.stem for path in folder.glob("[0-9]*_*.html"))
    chosen = [stem for stem in stems if not arguments or stem[:2] in arguments]
    print("chapter  first   all  frames p50   p95  live p50   p95   heap")
    with served(folder) as address, start("chromium") as engine:
        for stem in chosen:
            page = SitePage(engine, address, stem)
            page.answer_questions()
            frames = times(page)
            engine.open(f"{address}/{stem}.html")
            engine.wait("() => document.documentElement.dataset.python === 'runs'", seconds=180)
            first, last = engine.ask("() => [mlcore.liveAt.at(0), mlcore.liveAt.at(-1)].map((at) => at / 1000)")
            page = SitePage(engine, address, stem)
            page.start_python()
            heap = engine.ask("() => mlcore.python.heap / 1e6")
            live = times(page)
            print(f"{stem[:2]}      {first:6.1f}{last:6.1f}     {told(frames)}   {told(live)} {heap:6.0f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
