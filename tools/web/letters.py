"""The typeface of the course for pages: the letters that texts here need, packed, a sixth of the whole in bytes.

The licence keeps the name Source for the whole typeface, so a part of it has none; pages call it Letters.
"""

import io

from fontTools import subset

SIGNS = [
    *range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x370, 0x400), *range(0x2010, 0x2040), *range(0x2070, 0x20A0),
    *range(0x2190, 0x2194), 0x2126, 0x2206, 0x2212, 0x221A, 0x221E, 0x2248, 0x2260, 0x2264, 0x2265,
]  # fmt: skip
"""Latin, Greek, marks between words, raised and lowered digits, arrows, signs of formulas."""


def packed(path):
    """A file of the typeface as the bytes of a web font."""
    how = subset.Options(flavor="woff", name_IDs=[], hinting=False, notdef_outline=True)
    font = subset.load_font(path, how)
    part = subset.Subsetter(how)
    part.populate(unicodes=SIGNS)
    part.subset(font)
    out = io.BytesIO()
    subset.save_font(font, out, how)
    return out.getvalue()
