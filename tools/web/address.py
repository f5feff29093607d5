"""Where the site of the course is, as pyproject.toml says; and the line of the README that leads there.

    python tools/web/address.py

writes that line, after the setting was changed. The notebooks' links follow when they are built.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LINE = re.compile(r"(?<=<!-- site -->).*(?=<!-- end -->)")


def site():
    """The address of the site, with a slash at its end; empty where there is none."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mlcore"]["site"]
    return f"{told.rstrip('/')}/" if told else ""


def line(address):
    """What the README says first."""
    if address:
        return f"**[Open the course in your browser]({address})**: every picture moves, nothing is to be installed."
    return (
        "**With only a browser**, on a phone, too: `make site` writes the course as one folder of live pages, "
        "`make site-serve` shows it. [Any web server](TEACHING.md#with-only-a-browser) can hand it out."
    )


def with_line(text, address):
    """The README with that line."""
    return LINE.sub(lambda _: line(address), text)


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(with_line(readme.read_text(encoding="utf-8"), site()), encoding="utf-8")
    print(site() or "There is no address: see [tool.mlcore] in pyproject.toml.", file=sys.stderr)
