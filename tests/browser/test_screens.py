"""A picture is as sharp as the screen, whatever its pixel ratio, stays in its place, and follows JupyterLab's theme."""

import base64
import io
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from tests.browser.conftest import write_notebook
from tests.browser.lab import PAGE_SCRIPT, Notebook, into_view

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
    context = chrome.browser.new_context(viewport={"width": 1280, "height": 800}, device_scale_factor=request.param)
    context.add_init_script(PAGE_SCRIPT)
    write_notebook(lab.root / "screen.ipynb", [PICTURE])
    with Notebook(lab, SimpleNamespace(context=context), "screen.ipynb") as notebook:
        notebook.run_all()
        assert notebook.problems() == []
        yield notebook, request.param
    context.close()


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
    natural, shown = explorer.image.evaluate("e => [e.naturalWidth, e.getBoundingClientRect().width]")
    wanted = min(shown * ratio, 4 * 700)  # more than four times its own size nobody sees
    assert max(wanted, 700) == pytest.approx(natural, abs=1), f"{natural} pixels are shown on {shown} x {ratio}"


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
