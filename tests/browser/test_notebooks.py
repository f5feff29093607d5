"""Every notebook runs in JupyterLab, every control moves its picture, every player plays, and nothing jumps."""

import pytest

from tests.browser.lab import ROOT, SMALL, Notebook, violations

NOTEBOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    assert NOTEBOOKS, "there is no notebook to test: run make notebooks"


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda name: name.removesuffix(".ipynb"))
def notebook(request, lab, chrome):
    """A notebook in which every cell has run, top to bottom."""
    with Notebook(lab, chrome, request.param) as opened:
        opened.run_all()
        yield opened


def test_runs_clean(notebook, chrome):
    """No error, nothing on stderr, nothing on the browser's console; every cell ran and every explorer is shown."""
    assert notebook.problems() == []
    assert notebook.console == []
    assert notebook.errors_shown() == []


def test_every_explorer_has_a_description(notebook, chrome):
    for explorer in notebook.explorers():
        assert len(explorer.alt().split()) >= 4, f"{explorer} has no description that a screen reader could read"


@pytest.mark.parametrize("width, least", [(SMALL[0], 180), (1024, 150)])
def test_every_track_is_long_enough_to_aim_at(notebook, chrome, width, least):
    """A long label must not eat the track; and on the usual screen an explorer fits below JupyterLab's bars, whole."""
    with notebook.window(width, SMALL[1]):
        for explorer in notebook.explorers():
            height, tracks = explorer.measures()
            assert all(track >= least for track in tracks), f"{explorer}: tracks of {tracks} pixels"
            assert width < 1280 or height <= 562, f"{explorer} is {height} pixels high"


@pytest.mark.parametrize("theme", ["Light", pytest.param("Dark", marks=pytest.mark.walk)])
def test_axe_finds_nothing(notebook, chrome, theme):
    """Names, roles and contrasts of all explorers, by the rules of WCAG 2.1 AA."""
    if notebook.explorers():
        with notebook.theme(theme):
            assert violations(notebook.page, ".mlcore-explorer") == []


@pytest.mark.walk
def test_every_control_moves_its_picture(notebook, chrome):
    """Each slider, choice and tick box is moved by the keyboard; the picture follows, and nothing else moves.

    A slider says to a screen reader what its readout shows.
    """
    for explorer in notebook.explorers():
        controls = explorer.controls()
        assert controls or explorer.points(), f"{explorer} has no control"
        for control in controls:
            assert control.label, f"{explorer}: {control} has no label"
            followed = _moves_that_show(control)
            if followed < 2:
                followed = _moves_that_show_elsewhere(control, controls)
            assert followed >= 2, f"{explorer}: {control} never changes the picture twice, by {control.moves()}"
            if control.kind == "slider":
                assert control.value() == control.readout(), f"{explorer}: {control}"
                assert control.element.get_attribute("aria-label") == control.label
    assert notebook.errors_shown() == []
    assert notebook.console == []


def _moves_that_show(control):
    """Move a control until the picture has changed twice; return how often it did. Nothing on the page may jump."""
    explorer, notebook, changes = control.explorer, control.notebook, 0
    before = explorer.picture()
    for key in control.moves():
        place = explorer.box()
        control.move(key)
        after = explorer.picture()
        assert notebook.errors_shown() == [], f"{explorer}: {control} at {control.value()}"
        assert explorer.box() == place, f"{explorer}: the page jumps when {control} moves to {control.value()}"
        changes += after != before
        before = after
        if changes == 2:
            break
    return changes


def _moves_that_show_elsewhere(control, controls):
    """A control may have nothing to say until another one is set otherwise: try the others' settings one by one."""
    for other in controls:
        if other is not control:
            ways = ("Home", "End", "PageDown", "PageDown") if other.kind == "slider" else ["next"] * other.settings()
            for way in ways:
                other.move(way)
                control.notebook.settle()
                if (followed := _moves_that_show(control)) >= 2:
                    return followed
    return 0


def test_points_can_be_taken_in_hand(notebook, chrome):
    """Dragged, added, deleted, given another class, pasted, undone: the picture follows and nothing jumps."""
    for explorer in notebook.explorers():
        if points := explorer.points():
            start, place, labels = explorer.picture(), explorer.box(), points.labels()
            _move_points(points)
            if points.can("Your data"):
                _change_their_number(points)
            assert points.reset() == labels, f"{explorer}: Reset does not bring the points back"
            assert explorer.picture() == start, f"{explorer}: after Reset another picture"
            assert explorer.box() == place, f"{explorer}: the page jumps"
            assert notebook.errors_shown() == []
    assert notebook.console == []


def _move_points(points):
    explorer, labels = points.explorer, points.labels()
    before = explorer.picture()
    (x, y), frame = points.places()[0], points.layer.bounding_box()
    points.drag(0, (frame["x"] + frame["width"] / 2 - x, frame["y"] + frame["height"] / 2 - y))
    assert points.settled() != labels, f"{explorer}: no drag"
    dragged = explorer.picture()
    assert dragged != before, f"{explorer}: the picture does not follow a point"
    points.press(0, "Shift+ArrowRight", "Shift+ArrowUp")
    assert explorer.picture() != dragged, f"{explorer}: the picture does not follow the arrow keys"
    points.tool("Undo").click()
    points.tool("Undo").click()
    assert points.settled() == labels and explorer.picture() == before, f"{explorer}: Undo leaves something behind"


def _change_their_number(points):
    explorer, n = points.explorer, len(points)
    if points.can("Class"):
        before = explorer.picture()
        points.press(0, "c")
        assert explorer.picture() != before, f"{explorer}: the picture does not follow a point's class"
    if points.can("Add"):
        points.tool("Add").click()
        assert len(points.settled()) == n + 1
    if points.can("Delete"):
        points.press(0, "Delete")
        assert len(points.settled()) in (n - 1, n)
    rows = range(min(max(n, 4), 60))
    points.paste("\n".join(f"{i}\t{i * i % 7}" if points.in_the_plane else f"{i}" for i in rows))
    assert len(points.settled()) == len(rows), f"{explorer}: {points.said.text_content()}"


@pytest.mark.walk
def test_every_player_plays(notebook, chrome):
    """Step shows the next state; Play runs through several and pauses when told."""
    for player in notebook.explorers():
        if player.is_player:
            slider = player.controls()[0]
            slider.move("Home")
            first = player.picture()
            player.button("Step").click()
            assert player.picture() != first, f"{player}: Step does not change the picture"
            assert slider.number() == float(slider.element.get_attribute("aria-valuemin")) + 1
            player.button("Back").click()
            assert player.picture() == first, f"{player}: Back does not lead back to the same picture"
            _play_and_pause(player, slider)
    assert notebook.errors_shown() == []


def _play_and_pause(player, slider):
    low, high = (float(slider.element.get_attribute(f"aria-value{end}")) for end in ("min", "max"))
    goal = min(low + 2, high)
    first = player.picture()
    player.button("Play").click()
    player.page.wait_for_function(
        "([handle, goal]) => Number(handle.getAttribute('aria-valuetext')) >= goal",
        arg=[slider.element.element_handle(), goal], timeout=30_000,
    )
    if slider.number() < high:
        player.button("Play").click()  # now it pauses
    stopped = player.picture()
    assert stopped != first, f"{player}: Play does not change the picture"
    value = slider.number()
    player.page.wait_for_timeout(1500)
    assert slider.number() == value, f"{player}: goes on after it was paused"
    assert player.picture() == stopped


@pytest.mark.walk
def test_a_fast_drag_ends_on_the_right_picture(notebook, chrome):
    """However fast a slider is dragged: no frame without a picture, no change of size, and no stale one at the end.

    One slider a notebook, that of the picture with the most settings: all have one stage.
    """
    controls = [control for explorer in notebook.explorers() for control in explorer.controls()]
    sliders = [control for control in controls if control.kind == "slider"]
    if sliders:
        slider = max(sliders, key=lambda control: len(control.explorer.controls()))
        explorer = slider.explorer
        frames = explorer.record(slider.drag)
        assert_steady(frames, explorer)
        dragged, value = explorer.picture(), slider.number()
        slider.set_to(value)
        assert explorer.picture() == dragged, f"{explorer}: after a drag to {value}, not the picture of {value}"


def assert_steady(frames, explorer):
    """The picture was there, visible and in its place, in every frame."""
    assert frames, "no frame was seen"
    for frame in frames:
        there = frame["attached"] and frame["visible"] and not frame["broken"]
        assert there, f"{explorer}: no picture in a frame: {frame}"
    for what in ("shownWidth", "shownHeight", "top"):
        seen = {frame[what] for frame in frames}
        assert len(seen) == 1, f"{explorer}: {what} changes during a drag: {sorted(seen)}"
