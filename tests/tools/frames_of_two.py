"""Makes the frames of a small chapter, and notes what its explorers themselves show at each setting: see test_site.py.

    python frames_of_two.py notebook folder

It runs apart, since frames.py puts its own stand-ins in the place of IPython and ipywidgets.
"""

import itertools
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "web"))

import frames  # noqa: E402
import numpy as np  # noqa: E402

frames.MOST = {"wide": 7, "narrow": 4}
notebook, folder = map(Path, sys.argv[1:])
frames.main(notebook, folder)
seen = {}
for k, explorer in enumerate(frames.bridge.known):
    about, start = frames.bridge.spec(explorer), frames.bridge.frame(explorer)["at"]
    for window in frames.WINDOWS:
        explorer.canvas.narrow = window == "narrow"
        explorer.redraw()
        stops = frames.plan(about, start, frames.MOST[window])
        for places in itertools.product(*stops):
            frames.set_to(explorer, places)
            name = f"{k}-{window}-{'-'.join(map(str, places))}"
            seen[name] = frames.bridge.frame(explorer)["caption"]
            np.save(folder / f"{name}.npy", frames.painted(explorer))
(folder / "seen.json").write_text(json.dumps(seen), encoding="utf-8")

plans = []
asked = [
    ([101, 21], "ss", 30), ([9, 2], "ss", 30), ([61], "p", 14), ([201, 4], "sc", 14), ([3], "s", 2),
    ([27, 28, 28], "ccc", 14), ([41, 3], "sc", 21), ([41, 41], "ss", 12),
]  # fmt: skip
for sizes, kinds, most in asked:
    words = {"s": "slider", "p": "slider", "c": "choice"}
    controls = [{"texts": [""] * size, "kind": words[kind]} for size, kind in zip(sizes, kinds)]
    spec = {"controls": controls, "kind": "player" if "p" in kinds else "explorer"}
    start = [size // 3 for size in sizes]
    goals = [[size - 2 for size in sizes]]
    for wanted in ([], goals):
        stops = frames.plan(spec, start, most, wanted)
        plans.append({
            "sizes": sizes, "kinds": kinds, "most": most, "start": start, "goals": wanted, "stops": stops,
        })  # fmt: skip
(folder / "plans.json").write_text(json.dumps(plans), encoding="utf-8")
