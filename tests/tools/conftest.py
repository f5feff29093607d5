"""What the tests of several tools begin with."""

import zipfile

import pytest

from tools import make_class


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The folder that a student unpacks from class.zip, one for each file of tests."""
    folder = tmp_path_factory.mktemp("class")
    make_class.write(folder / "class.zip")
    with zipfile.ZipFile(folder / "class.zip") as archive:
        archive.extractall(folder)
    return folder / make_class.FOLDER
