"""A quick look: JupyterLab opens the first notebook, runs it, and a slider moves its picture."""

from tests.browser.lab import ROOT


def test_the_first_notebook_runs_and_its_slider_moves(open_notebook, chrome):
    names = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert names, "there is no notebook to open: run make notebooks"
    notebook = open_notebook(names[0])
    notebook.run_all()
    assert notebook.problems() == []
    slider = next(
        control for explorer in notebook.explorers() for control in explorer.controls() if control.kind == "slider"
    )
    before = slider.explorer.picture()
    slider.move("End" if slider.number() < 0 else "Home")
    assert slider.explorer.picture() != before
    links = [link.get_attribute("href") for link in notebook.page.locator(".mlcore-links a").all()]
    assert sorted(links) == [name for name in names[1:] if name[0].isdigit()], "the map leads to every chapter"
    assert notebook.errors_shown() == []
    assert notebook.console == []
