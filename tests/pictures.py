"""Measures the pictures of explorers and players, as they are drawn: can all that is in them be seen and read?

    python -m tests.pictures 07 12 [--all]        what is found in these chapters; with every setting at which it is
    python -m tests.pictures 07 12 --narrow       only what is found in a phone's window, which is quick

tests/test_pictures.py wants nothing to be found in any chapter, but for the exceptions below.

Each explorer is swept, and each picture of the sweep is measured: letters that are too small, cut off, over each other,
legends over data, points that lie outside the axes without a sign, panels without anything inside. At the start and at
the end of the sweep, in both themes, the contrast of letters, points and lines with what lies under them is measured
too, from the pixels. And the first picture is measured as a phone's window shows it, where panels stand one below the
other: but for the contrast.
"""

import json
import sys

import numpy as np
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex, to_rgba
from matplotlib.image import _ImageBase
from matplotlib.lines import Line2D
from matplotlib.text import Text

from mlcore.classroom.viz.draw.canvas import NARROW
from mlcore.classroom.viz.draw.finishing import LEAST, OUTSIDE
from mlcore.classroom.viz.draw.roles import GROUNDS, palette
from mlcore.classroom.viz.draw.style import course_style, letters_of
from tests.notebook_rules import calls

PLACED = ("small", "cut off", "overlap", "legend on data", "outside", "empty")
NARROW_WINDOW = "narrow: "
"""What is found in a narrow window is called so: "narrow: cut off"."""
KINDS = (*PLACED, "pale letters", "pale marks", *(NARROW_WINDOW + kind for kind in PLACED))
EXCEPTIONS = (
    ("01", "narrow: outside", "A table of the melons revealed", "the bars are left out there, and have no width"),
    ("05", "narrow: legend on data", "The two species and their boundary", "four points of one class in the corner"),
    ("09", "outside", "Left a thousand dots piled up", "the full dots of those not called wait out of sight"),
    ("09", "narrow: outside", "Left a thousand dots piled up", "the full dots of those not called wait out of sight"),
    ("10", "narrow: legend on data", "Distances against the number of rows", "a short piece of a straight dotted line"),
)
"""What may be found: chapter, kind, how the description of the picture begins, and why it may."""
SLACK = 1.5
"""Pixels by which a box of letters, which has room around them, may stick out."""
SHARE = 0.12
"""Of the smaller of two texts that the other may cover."""
TEXT_CONTRAST, MARK_CONTRAST = 4.5, 3.0
HAIRLINE = 1.0
"""Points; thinner lines are background."""
NOTHING = ("", " ", "None", "none", None)


# ---------------------------------------------------------------------------------------------------------------
# What is in a figure
# ---------------------------------------------------------------------------------------------------------------
class Words:
    """A text as it is drawn: its box in pixels, the size of its letters in points, and the artist."""

    def __init__(self, text, box, size, artist, clip=None):
        self.text, self.box, self.size, self.artist, self.clip = text, np.asarray(box, dtype=float), size, artist, clip

    def __repr__(self):
        return repr(self.text)


def words_of(figure):
    """Every text that is drawn: titles, names, labels of ticks, legends, words inside, outlines of words."""
    renderer, found = figure.canvas.get_renderer(), []
    for axis in (axis for ax in _panels(figure) if ax.axison for axis in (ax.xaxis, ax.yaxis)):
        axis.get_tightbbox(renderer)  # brings the ticks and the place of the name up to date
    shown = [text for text in letters_of(figure) if _is_shown(text)]
    for ax in _panels(figure):
        shown += _tick_labels(ax) if ax.axison else []
        found += [words for patch in ax.patches if hasattr(patch, "words") for words in _outlined(patch)]
    for text in shown:
        box = _box_of(text, renderer)
        clip = text.get_clip_box().extents if text.get_clip_on() and text.get_clip_box() else None
        if box is not None and (clip is None or _meet(box, clip)):
            found.append(Words(text.get_text(), box, text.get_fontsize(), text, clip))
    return found


def _panels(figure):
    return [ax for ax in figure.axes if ax.get_visible()]


def _is_shown(text):
    ax = text.axes
    if ax is not None and (not ax.get_visible() or not ax.axison and text in (ax.xaxis.label, ax.yaxis.label)):
        return False
    return text.get_visible() and bool(text.get_text().strip())


def _tick_labels(ax):
    found = []
    for axis in (ax.xaxis, ax.yaxis):
        if not axis.get_visible():
            continue
        low, high = np.sort(axis.get_transform().transform(axis.get_view_interval()))
        slack = 1e-6 * (high - low)
        for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
            place = axis.get_transform().transform([tick.get_loc()])[0]
            if low - slack <= place <= high + slack:
                found += [label for label in (tick.label1, tick.label2) if _is_shown(label)]
    return found


def _box_of(text, renderer):
    """The box of a text, without that of its frame and arrow, and without the room that lines have above and below."""
    box = Text.get_window_extent(text, renderer).extents
    if type(text) is not Text and not np.isfinite(text.get_window_extent(renderer).extents).all():
        return None  # an annotation of something outside is not drawn
    if not np.isfinite(box).all() or text.get_rotation() % 90:
        return None
    trim = 0.12 * text.get_fontsize() * text.figure.dpi / 72
    return box + (0, trim, 0, -trim)


def _meet(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _outlined(patch):
    """The words that are drawn as one path: see lettering.py."""
    transform = patch.get_transform()
    larger = patch.letters / min(size for *_, size in patch.words) if patch.words else 1.0  # see finishing.py
    for text, box, size in patch.words:
        (left, bottom), (right, top) = transform.transform(np.reshape(box, (2, 2)))
        yield Words(text, (left, bottom, right, top), size * larger, patch)


def data_of(ax):
    """Artists that stand for data or curves: not signs for what is outside, nor lines across the whole panel."""
    for artist in ax.get_children():
        if isinstance(artist, Line2D | PathCollection | LineCollection) and artist.get_visible():
            if artist.get_gid() != OUTSIDE and all(_transform(artist).contains_branch_seperately(ax.transData)):
                yield artist


def _transform(artist):
    return artist.get_offset_transform() if isinstance(artist, PathCollection) else artist.get_transform()


def points_of(artist):
    """The places of an artist's markers in pixels; those that are no numbers are left out."""
    if isinstance(artist, PathCollection):
        if len(artist.get_offsets()) <= 1 and len(artist.get_paths()) != 1:
            return np.empty((0, 2))  # areas, not points
        places = np.ma.filled(np.ma.asarray(artist.get_offsets(), dtype=float), np.nan)
    elif isinstance(artist, Line2D) and artist.get_marker() not in NOTHING:
        places, every = artist.get_xydata().astype(float), artist.get_markevery()
        places = places[::every] if isinstance(every, int) else places
    else:
        return np.empty((0, 2))
    with np.errstate(all="ignore"):
        places = _transform(artist).transform(places.reshape(-1, 2))
    return places[np.isfinite(places).all(axis=1)]


def _has_line(artist):
    return isinstance(artist, Line2D) and artist.get_linestyle() not in NOTHING and artist.get_linewidth() > 0


def strokes_of(artist):
    """The lines of an artist in pixels, as places a few pixels apart."""
    paths = [artist.get_path()] if _has_line(artist) else []
    if isinstance(artist, LineCollection):
        paths = artist.get_paths()
    found = []
    for path in paths:
        with np.errstate(all="ignore"):
            xy = artist.get_transform().transform(path.vertices)
        xy = xy[np.isfinite(xy).all(axis=1)].clip(-3000, 5000)
        for (a, b), length in zip(zip(xy, xy[1:]), np.hypot(*np.diff(xy, axis=0).T)) if len(xy) > 1 else ():
            found.append(a + (b - a) * np.linspace(0, 1, 2 + int(length / 4))[:, None])
    return np.concatenate(found) if found else np.empty((0, 2))


def _within(places, box, slack=0.0):
    left, bottom, right, top = box
    x, y = places.T
    return (x >= left - slack) & (x <= right + slack) & (y >= bottom - slack) & (y <= top + slack)


# ---------------------------------------------------------------------------------------------------------------
# What is wrong with it
# ---------------------------------------------------------------------------------------------------------------
def geometry(figure, shown=1.0):
    """Yield (kind, what) for all that is too small, cut off, covered, outside or missing."""
    words = words_of(figure)
    for one in words:
        size = one.size * 100 / 72 * min(shown, 1.0)
        if size < LEAST - 0.01:
            yield "small", f"{one} {size:.1f} px"
        for frame in (figure.bbox.extents, one.clip):
            if frame is not None and SLACK < _by_how_much(one.box, frame):
                yield "cut off", f"{one} {_by_how_much(one.box, frame):.0f} px"
    yield from _overlaps(words)
    for ax in _panels(figure):
        yield from _covered_by_legend(ax)
        yield from _outside(ax)
        if not _has_contents(ax):
            yield "empty", f"panel {figure.axes.index(ax)}"


def _by_how_much(box, frame):
    return max(frame[0] - box[0], frame[1] - box[1], box[2] - frame[2], box[3] - frame[3])


def _overlaps(words):
    boxes = np.array([one.box for one in words]).reshape(-1, 4)
    sides = [np.minimum(boxes[:, None, k + 2], boxes[None, :, k + 2]) - np.maximum(boxes[:, None, k], boxes[None, :, k])
             for k in (0, 1)]  # fmt: skip
    common = np.maximum(sides[0], 0) * np.maximum(sides[1], 0)
    areas = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    for i, j in np.argwhere(np.triu(common > SHARE * np.minimum(areas[:, None], areas[None, :]), 1)):
        yield "overlap", f"{words[i]} and {words[j]} {common[i, j] / min(areas[i], areas[j]):.0%}"


def _covered_by_legend(ax):
    legend = ax.get_legend()
    if legend is None or not legend.get_visible():
        return
    box = legend.get_window_extent(ax.figure.canvas.get_renderer()).extents
    for artist in data_of(ax):
        points, strokes = points_of(artist), strokes_of(artist)
        hidden = (_within(points, box, -2) & _within(points, ax.bbox.extents)).sum()
        crossed = (_within(strokes, box, -4) & _within(strokes, ax.bbox.extents)).sum()
        if hidden or crossed > 3:
            yield "legend on data", f"{hidden} points, {crossed * 4} px of {artist.get_label()!r}"
    bars = [bar for container in ax.containers for bar in getattr(container, "patches", ())]
    if covered := sum(_meet(bar.get_window_extent().extents + (2, 2, -2, -2), box) for bar in bars):
        yield "legend on data", f"{covered} bars"


def _outside(ax):
    """Points and bars beyond the edge that have no sign; a line that leaves the panel is its own sign."""
    signs = [points_of(artist) for artist in ax.get_children() if artist.get_gid() == OUTSIDE]
    signs = np.concatenate(signs) if signs else np.empty((0, 2))
    box, ends = ax.bbox.extents, []
    for artist in data_of(ax):
        points = points_of(artist)
        if artist.get_clip_on() and not (_has_line(artist) and _within(strokes_of(artist), box).any()):
            ends.append((points, artist.get_label()))
    for container in ax.containers:
        for bar in getattr(container, "patches", ()):
            corners = bar.get_path().vertices
            if bar.get_clip_on() and len(corners) and np.isfinite(corners).all():
                xy = bar.get_transform().transform(corners)
                middle, half = (xy.max(axis=0) + xy.min(axis=0)) / 2, np.ptp(xy, axis=0) / 2
                long = np.eye(2)[int(half[1] > half[0])] * half
                ends.append((np.array([middle - long, middle + long]), "bar"))
    for points, name in ends:
        gone = points[~_within(points, box, 3)]
        clamped = gone.clip(box[:2], box[2:])
        near = np.abs(clamped[:, None] - signs[None]).max(axis=2).min(axis=1, initial=np.inf) if len(gone) else clamped
        if unmarked := int(np.sum(near > 8)) if len(gone) else 0:
            yield "outside", f"{unmarked} of {len(points)} of {name!r}"


def _has_contents(ax):
    if not ax.axison and not ax.get_children():
        return True
    box = ax.bbox.extents
    for artist in ax.get_children():
        if not artist.get_visible() or artist is ax.patch or artist in ax.spines.values():
            continue
        if isinstance(artist, Text):
            titles = (ax.title, ax._left_title, ax._right_title)
            if artist not in titles and artist.get_text().strip():
                return True
        elif isinstance(artist, _ImageBase) or hasattr(artist, "words") or artist.get_gid() == OUTSIDE:
            return True
        elif isinstance(artist, Line2D | PathCollection | LineCollection):
            full = all(_transform(artist).contains_branch_seperately(ax.transData))
            for places in (points_of(artist), strokes_of(artist)) if full else ():
                if _within(places, box).any():
                    return True
            if isinstance(artist, PathCollection) and not len(points_of(artist)) and len(artist.get_paths()):
                return True
        elif artist not in (ax.xaxis, ax.yaxis) and hasattr(artist, "get_window_extent"):
            if _meet(artist.get_window_extent(ax.figure.canvas.get_renderer()).extents, box):
                return True
    return False


# ---------------------------------------------------------------------------------------------------------------
# Contrast, from the pixels
# ---------------------------------------------------------------------------------------------------------------
def contrasts(figure, theme):
    """Yield (kind, what) for letters, points and lines that are hardly seen on what lies under them."""
    own = palette(theme)
    grounds = {own[name] for name in GROUNDS}
    words, panels = words_of(figure), _panels(figure)
    letters = {one.artist for one in words}
    marks = [(ax, artist) for ax in panels for artist in data_of(ax)]
    patched = [one.artist for one in words if isinstance(one.artist, Text) and one.artist.get_bbox_patch()]
    under = _pixels_without(figure, letters - set(patched), patched)
    for one in words:
        if (ratio := _contrast_of_words(one, under, own)) < TEXT_CONTRAST - 0.05:
            yield "pale letters", f"{one} {ratio:.1f}:1"
    ground = _pixels_without(figure, letters | {artist for _, artist in marks}, [])
    for ax, artist in marks:
        for ratio, what in _contrasts_of_marks(artist, ground, ax.bbox.extents, grounds):
            if ratio < MARK_CONTRAST - 0.05:
                yield "pale marks", f"{what} of {artist.get_label()!r} {ratio:.1f}:1"


def _pixels_without(figure, hidden, faded):
    """Every pixel, rows counted from the bottom, drawn without some artists; of faded ones the frames stay."""
    hidden = [artist for artist in hidden if artist.get_visible()]
    before = [(artist, artist.get_alpha(), artist.get_path_effects()) for artist in faded]
    for artist in hidden:
        artist.set_visible(False)
    for artist in faded:
        artist.set(alpha=0, path_effects=[])
    try:
        figure.canvas.draw()
        pixels = np.asarray(figure.canvas.buffer_rgba())[::-1, :, :3].astype(float) / 255
    finally:
        for artist in hidden:
            artist.set_visible(True)
        for artist, alpha, effects in before:
            artist.set(alpha=alpha, path_effects=effects)
    return pixels


def _luminance(rgb):
    rgb = np.asarray(rgb, dtype=float)
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return linear @ (0.2126, 0.7152, 0.0722)


def _ratio(one, other):
    """The contrast of two colours as the web's guidelines (WCAG 2) define it."""
    a, b = _luminance(one), _luminance(other)
    return (np.maximum(a, b) + 0.05) / (np.minimum(a, b) + 0.05)


def _contrast_of_words(one, pixels, own):
    artist = one.artist
    face = to_rgba(artist.get_color() if isinstance(artist, Text) else artist.get_facecolor(), None)
    alpha = artist.get_alpha()
    face = (*face[:3], face[3] if alpha is None else alpha)
    height, width = pixels.shape[:2]
    left, bottom, right, top = one.box
    under = pixels[max(int(bottom), 0) : min(int(top) + 1, height), max(int(left), 0) : min(int(right) + 1, width)]
    if not under.size:
        return np.inf
    under = under.reshape(-1, 3)
    if artist.get_path_effects():  # a halo of paper
        under = np.array([to_rgba(own["paper"])[:3]])
    seen = face[3] * np.array(face[:3]) + (1 - face[3]) * under
    return float(np.percentile(_ratio(seen, under), 20))


def _contrasts_of_marks(artist, pixels, box, grounds):
    """Of an artist's points, and of its lines: the contrast that nine of ten places have at least.

    What is drawn in the colour of a ground, as a hairline, or lets the ground shine through, is meant to stand back.
    """
    points, strokes = points_of(artist), strokes_of(artist)
    parts = (points, _looks_of_points(artist), "points"), (strokes, _looks_of_line(artist), "line")
    for places, looks, what in parts:
        places = places[_within(places, box)][:400]
        looks = [look for look in looks if look[3] > 0]
        meant_pale = any(to_hex(look) in grounds or look[3] < 1 for look in looks)
        if not len(places) or not looks or meant_pale:
            continue
        far = 9 if what == "points" else 4  # a line may be an edge, a point may stand on one
        around = [(0, 0), (far, 0), (-far, 0), (0, far), (0, -far)]
        best = np.max([_seen_on(places + shift, look, pixels) for shift in around for look in looks], axis=0)
        yield float(np.percentile(best, 10)), what


def _seen_on(places, look, pixels):
    """The contrast of a colour with what lies at these places."""
    x, y = places.astype(int).clip(0, (pixels.shape[1] - 1, pixels.shape[0] - 1)).T
    under = pixels[y, x]
    return _ratio(look[3] * np.array(look[:3]) + (1 - look[3]) * under, under)


def _looks_of_points(artist):
    """The colours of a point: of its area and of its edge. Of points that differ only the edges count, or none."""
    if isinstance(artist, Line2D):
        alpha = artist.get_alpha()
        looks = [artist.get_markerfacecolor()] + [artist.get_markeredgecolor()] * (artist.get_markeredgewidth() >= 0.5)
        return [to_rgba(look, alpha) for look in looks if not (isinstance(look, str) and look == "none")]
    if not isinstance(artist, PathCollection):
        return []
    faces, edges = artist.get_facecolors(), artist.get_edgecolors()
    if len(faces) > 1 or len(edges) > 1:
        return [edges[0]] if len(edges) == 1 and max(artist.get_linewidths(), default=0) >= 0.5 else []
    return [*faces[:1], *(edges[:1] if max(artist.get_linewidths(), default=0) >= 0.5 else [])]


def _looks_of_line(artist):
    if np.max(artist.get_linewidth(), initial=0) < HAIRLINE:
        return []
    if _has_line(artist):
        return [to_rgba(artist.get_color(), artist.get_alpha())]
    if isinstance(artist, LineCollection) and len({tuple(look) for look in artist.get_colors()}) == 1:
        return [tuple(artist.get_colors()[0])]
    return []


# ---------------------------------------------------------------------------------------------------------------
# Over a sweep, in a kernel; over chapters, from outside
# ---------------------------------------------------------------------------------------------------------------
def measured(explorer):
    """Sweep an explorer; return a list of [kind, what, settings], in the order in which they were seen."""
    found, redraw = [], explorer.redraw

    def note(faults, theme=""):
        settings = {name: value for name, value in explorer.values.items() if not np.ndim(value)}
        found.extend([kind, what, f"{theme}{settings}"] for kind, what in faults)

    def draw_and_measure(number=None):
        redraw(number)
        if explorer.error is None:
            with course_style(explorer.canvas.theme):
                found_now = geometry(explorer.canvas.figure, explorer.canvas.shown)
                piled = explorer.points is not None and _are_piled(explorer.points.X)
                note((kind, what) for kind, what in found_now if kind != "overlap" or not piled)

    explorer.redraw = draw_and_measure
    explorer.sweep()
    explorer.redraw = redraw
    before = explorer.canvas.theme
    for theme in ("light", "dark"):
        explorer.canvas.theme = theme
        explorer.scene.draw(explorer.values)
        with course_style(theme):
            note(contrasts(explorer.canvas.figure, theme), f"{theme} ")
    explorer.canvas.theme = before
    explorer.redraw()
    return found


def measured_narrow(explorer):
    """As ``measured``, of what a phone's window shows as the controls stand: letters and their places, no contrast."""
    canvas = explorer.canvas
    canvas.narrow = True
    explorer.redraw()
    with course_style(canvas.theme):
        shown = NARROW / canvas.figure.get_figwidth()
        found = [[NARROW_WINDOW + kind, what, ""] for kind, what in geometry(canvas.figure, shown)]
    canvas.narrow = False
    explorer.redraw()
    return found


def _are_piled(X):
    """Whether points were put upon each other: what is written beside them lies upon each other too."""
    X = np.asarray(X, dtype=float).reshape(len(X), -1)
    gaps = np.abs(X[:, None] - X[None]).max(axis=2)[np.triu_indices(len(X), 1)]
    return bool(len(gaps)) and gaps.min() < 0.02 * max(np.ptp(X), 1.0)


MEASURE = """
import json as _json
from mlcore.viz import explorers as _explorers
from tests.pictures import measured as _measured, measured_narrow as _measured_narrow
for _e in _explorers():
    print(_json.dumps([_e.alt, ([] if {only_narrow} else _measured(_e)) + _measured_narrow(_e)]))
"""


def faults(nb, run, only_narrow=False):
    """Run a notebook as far as its last explorer; return their descriptions, each with what was found."""
    code = [i for i, cell in enumerate(nb.cells) if cell.cell_type == "code"]
    nb.cells = nb.cells[: 1 + max(i for i in code if calls(nb.cells[i].source, "explore", "play"))]
    return {alt: found for alt, found in map(json.loads, run(nb, MEASURE.format(only_narrow=only_narrow)).splitlines())}


def excused(chapter, kind, alt):
    """The exception that lets a picture have a fault; None if there is none."""
    return next((one for one in EXCEPTIONS if one[:2] == (chapter, kind) and alt.startswith(one[2])), None)


def main(arguments):
    """Print what is found in chapters."""
    from tests.test_notebooks import SOURCES, run
    from tools import build_notebooks

    whole, only_narrow = "--all" in arguments, "--narrow" in arguments
    asked = [one for one in arguments if not one.startswith("--")]
    chosen = [path for path in SOURCES if path.stem[:2] in asked or not asked and path.stem[:2].isdigit()]
    for path in chosen:
        for alt, found in faults(build_notebooks.read_source(path), run, only_narrow).items():
            for kind in KINDS:
                own = [(what, where) for name, what, where in found if name == kind]
                may = " (excepted)" if own and excused(path.stem[:2], kind, alt) else ""
                for what, where in own if whole else own[:1]:
                    print(f"{path.stem[:2]} {kind}{may} ({len(own)}): {what}\n     {alt[:70]} | {where}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
