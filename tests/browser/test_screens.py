"""A picture is as sharp as the screen, whatever its pixel ratio, stays in its place, and follows JupyterLab's theme."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from tests.browser.conftest import write_notebook
from tests.browser.lab import Notebook, into_view

PICTURE = """
import numpy as np
from mlcore.viz import explore
def waves(ax, frequency=3):
    x = np.linspace(0, 6, 300)
    ax.plot(x, np.sin(frequency * x))
    ax.set(xlim=(0, 6), ylim=(-1, 1), xlabel="time", title="a wave")
    return f"{frequency} a second"
explore(waves, alt="a sine curve that gets faster with its slider", frequency=(1, 9))
"""

SIDE_BY_SIDE = """
import numpy as np
from mlcore.viz import draggable, explore, glide, hold
def two(axes, X, level=0.5):
    axes[0].plot(*X.T, "o")
    axes[1].plot([0, 1], [0, 1])
    glide(axes[1].axhline(level), "level")
    for ax in axes:
        ax.set(xlim=(0, 1), ylim=(0, 1))
    return f"level {level}"
X = np.array([[0.2, 0.3], [0.6, 0.8]])
explore(two, alt="points on the left and a level on the right", figsize=(8, 3), subplots=(1, 2),
        points=draggable(X, box=((0, 1), (0, 1))), holds={"level": hold("y", panel=1)}, level=(0.0, 1.0, 0.1))
"""

# Every picture that is shown from now on: its bytes, its place, and the screen's pixels to one of its own.
KEEP = """() => {
    const image = document.querySelector('img.mlcore-picture');
    window.kept = [];
    new MutationObserver(() => {
        const { left, top, width, height } = image.getBoundingClientRect();
        const { theme, ratio } = image.dataset;
        const bytes = fetch(image.src).then((answer) => answer.arrayBuffer()).then(
            (buffer) => btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join('')));
        window.kept.push({ place: [left, top, width, height], theme, ratio, bytes });
    }).observe(image, { attributes: true, attributeFilter: ['src'] });
}"""
KEPT = "async () => Promise.all(window.kept.map(async (one) => ({ ...one, bytes: await one.bytes })))"


def as_image(kept):
    return Image.open(io.BytesIO(base64.b64decode(kept["bytes"]))).convert("RGB")


@pytest.fixture(params=[1, 1.5, 2, 3])
def on_a_screen(lab, chrome, request):
    """A notebook on a screen of another pixel ratio."""
    write_notebook(lab.root / "screen.ipynb", [PICTURE])
    with chrome.another(height=800, device_scale_factor=request.param) as screen:
        with Notebook(lab, screen, "screen.ipynb") as notebook:
            notebook.run_all()
            assert notebook.problems() == []
            yield notebook, request.param


def test_a_picture_at_rest_is_as_sharp_as_the_screen(on_a_screen):
    notebook, ratio = on_a_screen
    (explorer,) = notebook.explorers()
    notebook.page.evaluate(KEEP)
    explorer.controls()[0].move("End")
    notebook.settle()
    assert_sharp(explorer, ratio)
    moving, resting = notebook.page.evaluate(KEPT)
    assert (moving["ratio"], moving["place"]) == ("1", resting["place"]), "the picture shifts when it gets sharp"
    small, large = as_image(moving), as_image(resting)
    assert small.size == (700, 440)
    apart = np.asarray(large.resize(small.size, Image.Resampling.BOX), float) - np.asarray(small, float)
    other = np.asarray(small.transpose(Image.Transpose.FLIP_LEFT_RIGHT), float) - np.asarray(small, float)
    assert np.abs(apart).mean() < 0.25 * np.abs(other).mean() and abs(apart.mean()) < 2, "another picture"
    for width, height in [(1600, 1000), (500, 800)]:
        with notebook.window(width, height):
            assert_sharp(explorer, ratio)


def assert_sharp(explorer, ratio):
    """The picture has as many pixels as the screen has where it is shown."""
    natural, own, shown = explorer.image.evaluate(
        "e => [e.naturalWidth, Number(e.getAttribute('width')), e.getBoundingClientRect().width]"
    )
    wanted = min(shown * ratio, 4 * own)  # more than four times its own size nobody sees
    assert max(wanted, own) == pytest.approx(natural, abs=1), f"{natural} pixels are shown on {shown} x {ratio}"


def test_pictures_follow_the_theme(open_notebook, chrome):
    """At once, those out of view as soon as they come into view; and back."""
    notebook = open_notebook("themes.ipynb", [PICTURE, PICTURE], text="A paragraph.\n\n" * 40)
    notebook.run_all()
    assert notebook.problems() == []
    for theme in ("Dark", "Light"):
        notebook._change_theme(theme)
        for explorer in notebook.explorers():
            into_view(explorer.image)
            notebook.settle()
            assert explorer.image.get_attribute("data-theme") == theme.lower()
            corner = explorer.image.evaluate(
                """async (image) => {
                    await image.decode();
                    const paper = new OffscreenCanvas(1, 1).getContext('2d');
                    paper.drawImage(image, 0, 0);
                    return [...paper.getImageData(0, 0, 1, 1).data].slice(0, 3);
                }"""
            )
            assert (max(corner) < 90) if theme == "Dark" else (min(corner) > 240), (theme, corner)


def test_panels_stand_one_below_the_other_on_a_phone(open_notebook, chrome):
    """Nothing is wider than the window, and what can be taken hold of stands where it is drawn; and back again."""
    notebook = open_notebook("phone.ipynb", [SIDE_BY_SIDE])
    notebook.run_all()
    (explorer,) = notebook.explorers()
    notebook.page.keyboard.press("Control+b")  # the list of files, which would take the whole window
    notebook.settle()
    wide = explorer.picture()
    with notebook.window(390, 844):
        notebook.settle()
        width, height, card, window = explorer.image.evaluate(
            """image => [image.clientWidth, image.clientHeight, image.closest('.mlcore-explorer').scrollWidth,
                         image.closest('.jp-WindowedPanel-outer, .jp-Notebook').clientWidth]"""
        )
        assert height > 1.2 * width and card <= window and width > 0.6 * window
        image, line, point = (
            explorer.image.evaluate(
                """(image, part) => {
                    const box = image.closest('.mlcore-explorer').querySelector(part).getBoundingClientRect();
                    return [box.left + box.width / 2, box.top + box.height / 2];
                }""",
                part,
            )
            for part in ("img.mlcore-picture", ".mlcore-hold", ".mlcore-point")
        )
        assert line[1] > image[1] > point[1], "the level stands in the lower half, the point in the upper one"
        page = notebook.page.locator(".mlcore-hold").first
        page.scroll_into_view_if_needed()
        before = notebook.page.locator(".mlcore-caption").inner_text()
        box = page.bounding_box()
        notebook.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        notebook.page.mouse.down()
        notebook.page.mouse.move(box["x"] + box["width"] / 2, box["y"] - 40, steps=4)
        notebook.page.mouse.up()
        notebook.settle()
        assert notebook.page.locator(".mlcore-caption").inner_text() != before, "the level follows the hand"
        explorer.controls()[0].move("Home")
        for _ in range(5):
            explorer.controls()[0].move("ArrowRight")
    notebook.settle()
    assert explorer.picture() == wide
