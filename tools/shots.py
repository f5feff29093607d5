"""Takes the pictures of a film: runs in a chapter's kernel, after the cell of an explorer. See films.py."""

import io
import re
from contextlib import nullcontext
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path as Outline
from PIL import Image

from mlcore.classroom.viz.ask.scene import result_and_rest
from mlcore.classroom.viz.draw.canvas import rgba_of
from mlcore.classroom.viz.draw.marks import LETTERS, marks_of, without_marks
from mlcore.classroom.viz.draw.pixels import png
from mlcore.classroom.viz.draw.roles import rgb
from mlcore.classroom.viz.draw.style import course_style, letters_of, plain
from mlcore.classroom.viz.stage.controls import nearest, places_of
from mlcore.viz import explorers

WIDTH, LARGEST = 880, 1.25
"""Most pixels across; most pixels to one of the picture's own."""
MOST_BYTES = 600_000
TICK = 100
"""Milliseconds of a frame where a control moves."""
WAY, REST, START, END = 4800, 400, 800, 2800
"""Milliseconds: all the ways of the controls; after each of them; the first frame; the last."""
STATES, STATE, GLIDE, MOST = 9000, 900, 240, 30
"""Milliseconds: all states of a player; one of them, at most; the way of what glides to its next place. And how many
states are shown, at most."""
EDGE, ROW, RESULT = 12, 44, 44
"""Pixels of the picture's own: around the card; the row of controls; the result."""
STILL = (360, 240)
TRIED = ((None, 1.0), (80, 1.0), (65, 1.0), (65, 0.85), (55, 0.75), (50, 0.6), (40, 0.5))
"""Quality (None: nothing is lost) and scale of a film, the first of which is small enough."""
CODES = {letter: (code, {1: 1, 2: 1, 3: 2, 4: 3, 79: 0}[code]) for code, letter in LETTERS.items()}
"""For each letter of an outline matplotlib's code, and how many points it has."""


def shoot(film, target, theme="light", note=b""):
    """Write the film of the explorer that was made last, and its still beside it."""
    explorer, target = explorers()[-1], Path(target)
    explorer.canvas.theme = theme
    plan = plan_of(explorer, film["way"])
    first = plan[0][0]
    moving = [name for name in first if any(not np.array_equal(one[name], first[name]) for one, _ in plan)]
    explorer.set(**first)  # nothing glides there from where it was
    shots = [shot for settings, time in plan for shot in taken(explorer, settings, time, moving)]
    target.write_bytes(as_webp(shots, note))
    explorer.set(**plan[film["at"]][0])
    target.with_suffix(".png").write_bytes(still(explorer, film["panel"]))


# ---------------------------------------------------------------------------------------------------------------
# Where the controls go
# ---------------------------------------------------------------------------------------------------------------
def plan_of(explorer, way):
    """All settings, one after the other, and the milliseconds for which each is to be seen."""
    if way:
        stops, plan = [with_moved(explorer.values, way[0])], []
        for goal in way[1:]:
            stops.append(with_moved(stops[-1], goal))
        ticks = WAY // TICK // (len(stops) - 1)
        for one, other in zip(stops, stops[1:]):
            plan += [[between(explorer, one, other, tick / ticks), TICK] for tick in range(ticks + 1)]
            plan[-1][1] += REST
    else:
        last = len(explorer.states) - 1
        states = np.unique(np.linspace(0, last, min(last + 1, MOST)).round().astype(int)).tolist()
        time = min(STATES // len(states), STATE)
        plan = [[{"step": explorer.first + state}, time] for state in states]
    plan = merged(plan)
    plan[0][1], plan[-1][1] = max(plan[0][1], START), END
    return plan


def with_moved(values, goal):
    """The values of all controls, with those that the goal names at their goals."""
    found = {**values, **goal}
    if moved := found.pop("points", {}):
        found["X"] = np.array(values["X"], dtype=float)
        for number, place in moved.items():
            found["X"][number] = place
    return found


def between(explorer, one, other, part):
    """The settings at a part of the way, which begins and ends slowly: values that the controls can have."""
    part, found = part * part * (3 - 2 * part), dict(other)
    for name, goal in other.items():
        if np.array_equal(one[name], goal):
            continue
        if name == "X":
            found[name] = one[name] + (goal - one[name]) * part
        else:
            places = places_of(explorer.controls[name])
            at = [nearest(places, value) for value in (one[name], goal)]
            found[name] = places[round(at[0] + (at[1] - at[0]) * part)]
    return found


def merged(plan):
    """The plan, with settings that follow each other unchanged as one."""
    found = plan[:1]
    for settings, time in plan[1:]:
        if all(np.array_equal(value, found[-1][0][name]) for name, value in settings.items()):
            found[-1][1] += time
        else:
            found.append([settings, time])
    return found


# ---------------------------------------------------------------------------------------------------------------
# What a frame shows
# ---------------------------------------------------------------------------------------------------------------
def taken(explorer, settings, time, moving):
    """Set the controls; return the frames of this setting, each with its milliseconds: several where a mark glides."""
    before = {mark["key"]: mark["shapes"] for mark in explorer.frame["marks"]}
    explorer.set(**settings)
    glides = time >= 2 * GLIDE and any(mark["shapes"] != before.get(mark["key"]) for mark in explorer.frame["marks"])
    steps = GLIDE // 60 if glides else 1
    times = [GLIDE // steps] * (steps - 1)
    times.append(time - sum(times))
    return [(card(explorer, moving, before, (step + 1) / steps), spent) for step, spent in enumerate(times)]


def card(explorer, moving, before, part):
    """The pixels of the card: the controls that move, the picture, and what it answers first."""
    figure = explorer.canvas.figure
    ratio = min(LARGEST, WIDTH / (figure.bbox.width + 2 * EDGE))
    sliders = [explorer.controls[name] for name in moving if name in explorer.controls]
    with course_style(explorer.canvas.theme):
        parts = [pixels_of(row_of_controls(figure, sliders), ratio)] if sliders else []
        extra = [*stand_ins(figure, before, part), *grips(explorer, moving)]
        with without_marks(figure) if part < 1 else nullcontext():
            parts.append(pixels_of(figure, ratio))
        for artist in extra:
            artist.remove()
        parts.append(pixels_of(lines_of_result(figure, explorer.scene.caption), ratio))
        paper = np.round(255 * rgb("paper")[0]).astype(np.uint8)
    inside, edge = np.concatenate(parts), round(EDGE * ratio)
    whole = np.full((inside.shape[0] + 2 * edge, inside.shape[1] + 2 * edge, 3), paper)
    whole[edge:-edge, edge:-edge] = inside
    return whole


def pixels_of(figure, ratio):
    """A figure at so many pixels to one of its own, as an array."""
    return rgba_of(figure, ratio)[..., :3]


def stand_ins(figure, before, part):
    """Put outlines into a figure where its marks are at a part of their ways; yield them. At the end it has its own."""
    eased = 1 - (1 - part) ** 3
    for mark in marks_of(figure) if part < 1 else ():
        old = before.get(mark["key"], [])
        for i, shape in enumerate(mark["shapes"]):
            numbers = np.array(shape["p"])
            if i < len(old) and old[i].get("d") == shape.get("d") and len(old[i]["p"]) == len(numbers):
                numbers = old[i]["p"] + (numbers - old[i]["p"]) * eased
            yield shape_of(figure, shape, numbers, mark["clip"])


def shape_of(figure, shape, numbers, clip):
    """Add to a figure an outline or a text of marks.py: pixels, at 100 an inch, counted from the top."""
    places, transform = numbers.reshape(-1, 2) / 100, figure.dpi_scale_trans
    places[:, 1] = figure.get_size_inches()[1] - places[:, 1]
    if "text" in shape:
        align = {"start": "left", "middle": "center", "end": "right"}[shape["anchor"]]
        base = {"hanging": "top", "central": "center", "text-after-edge": "bottom"}.get(shape["base"], "baseline")
        weight = 600 if shape["bold"] else 400
        artist = figure.text(*places[0], shape["text"], transform=transform, ha=align, va=base, color=shape["fill"],
                             fontsize=0.72 * shape["size"], weight=weight)  # fmt: skip
    else:
        dashes = [float(number) / max(shape["width"], 0.1) for number in shape["dash"].split()]
        path = Outline(*outline(shape["d"], places))
        artist = figure.add_artist(
            PathPatch(path, transform=transform, fc=shape["fill"], ec=shape["stroke"], lw=0.72 * shape["width"],
                      ls=(0, dashes) if dashes else "-", capstyle="round", joinstyle="round")
        )  # fmt: skip
    artist.set_zorder(10)
    if clip:
        left, top, width, height = np.array(clip) / 100
        bottom = figure.get_size_inches()[1] - top - height
        artist.set_clip_path(Rectangle((left, bottom), width, height, transform=transform))
    return artist


def outline(letters, places):
    """The points and codes of matplotlib for the letters of an outline and the places of its points."""
    points, codes, at = [], [], 0
    for letter in letters:
        code, count = CODES[letter]
        points += [*places[at : at + count]] if count else [(0.0, 0.0)]
        codes += [code] * max(count, 1)
        at += count
    return np.array(points), codes


def grips(explorer, moving):
    """Put a grip into the picture on each control that moves and could be held there, as the page does; yield them."""
    figure, places = explorer.canvas.figure, explorer.frame["holds"]
    for name in moving:
        if places.get(name) and not explorer.scene.holds[name].anywhere:
            across, down, _, top, right, _ = places[name]
            along = explorer.scene.holds[name].along
            x, y = right if along == "y" else across, 1 - (top if along == "x" else down)
            grip = Line2D([x], [y], transform=figure.transFigure, marker="o", ms=8, mfc="paper", mec="chosen", mew=1.5)
            yield figure.add_artist(grip)
            grip.set_zorder(20)


def row_of_controls(figure, controls):
    """A figure as wide as the picture: the controls beside each other, each with its name, its track and its number."""
    width = figure.bbox.width
    row, share, gap = strip(width, ROW), width / len(controls), 24
    for k, control in enumerate(controls):
        left, right = k * share + gap / 2, (k + 1) * share - gap / 2
        places = places_of(control)
        at = nearest(places, control.value) / max(len(places) - 1, 1)
        number = control.label if hasattr(control, "options") else format(control.value, control.readout_format)
        row.text(left / width, 0.95, plain(control.description), va="top", color="quiet", fontsize=10.5)
        row.text(right / width, 0.95, plain(number), va="top", ha="right", fontsize=10.5)
        for end, tone in ((right, "hair"), (left + at * (right - left), "fit")):
            row.add_artist(Line2D([left / width, end / width], [0.25, 0.25], color=tone, lw=2.5))
        row.add_artist(Line2D([end / width], [0.25], marker="o", ms=9, mfc="paper", mec="fit", mew=2))
    return row


def lines_of_result(figure, caption):
    """A figure as wide as the picture: its caption as the page sets it, as far as two lines go."""
    width, line, at = figure.bbox.width, 0, 12.0
    row = strip(width, RESULT)
    end = len(result_and_rest(caption)[0])
    for word in re.finditer(r"\S+", caption):
        look = {"fontsize": 12.2, "weight": 600} if word.start() < end else {"fontsize": 10.5}
        text = row.text(at / width, 0, plain(word[0]), **look)
        if text.get_window_extent().x1 > width - 12:
            line, at = line + 1, 12.0
        text.set_position((at / width, 0.62 - 0.45 * line))
        if line == 2:
            text.remove()
            break
        at = text.get_window_extent().x1 + 4
    return row


def strip(width, height):
    """An empty figure of so many pixels."""
    figure = Figure(figsize=(width / 100, height / 100))
    FigureCanvasAgg(figure)
    return figure


# ---------------------------------------------------------------------------------------------------------------
# Files
# ---------------------------------------------------------------------------------------------------------------
def as_webp(shots, note):
    """The film as bytes, as good as its size allows; it begins again after its end."""
    times, images = [time for _, time in shots], [Image.fromarray(pixels) for pixels, _ in shots]
    for quality, scale in TRIED:
        size = [round(scale * side) for side in images[0].size]
        first, *others = [image if scale == 1 else image.resize(size, Image.Resampling.LANCZOS) for image in images]
        look = {"quality": quality} if quality else {"lossless": True, "quality": 50}
        file = io.BytesIO()
        first.save(file, "WEBP", save_all=True, append_images=others, duration=times, loop=0, xmp=note, **look)
        if file.tell() <= MOST_BYTES:
            break
    return file.getvalue()


def still(explorer, panel):
    """A small picture of one panel, or of all, without its letters, which could not be read, as the bytes of a PNG."""
    figure = explorer.canvas.figure
    with course_style(explorer.canvas.theme):
        panels = figure.axes if panel is None else [figure.axes[panel]]
        for ax in figure.axes:
            ax.tick_params(labelbottom=False, labelleft=False, labeltop=False, labelright=False, length=0, which="both")
            ax.set_visible(ax in panels)
        for text in letters_of(figure):
            text.set_visible(False)
        for legend in filter(None, [*figure.legends, *(ax.get_legend() for ax in panels)]):
            legend.set_visible(False)
        boxes = np.array([ax.bbox.extents for ax in panels])
        left, bottom = np.maximum(boxes[:, :2].min(axis=0) - 4, 0)
        right, top = np.minimum(boxes[:, 2:].max(axis=0) + 4, figure.bbox.size)
        ratio = min(STILL[0] / (right - left), STILL[1] / (top - bottom))
        pixels = pixels_of(figure, ratio)
        paper = tuple(np.round(255 * rgb("paper")[0]).astype(int))
    up = figure.bbox.height - top
    cut = Image.fromarray(pixels).crop(tuple(round(ratio * edge) for edge in (left, up, right, up + top - bottom)))
    whole = Image.new("RGB", STILL, paper)
    whole.paste(cut, ((STILL[0] - cut.width) // 2, (STILL[1] - cut.height) // 2))
    return png(np.asarray(whole))
