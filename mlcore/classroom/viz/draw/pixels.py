"""Pictures as bytes: quick ones for a control on the move, small ones for keeping."""

import io

import numpy as np
from PIL import Image

__all__ = ["jpeg", "png"]

MOST = 256
"""Colours of a kept picture."""


def jpeg(pixels, quality):
    """Return a picture as a JPEG that keeps the sharpness of coloured lines.

    Parameters
    ----------
    pixels : array of shape (height, width, 4), uint8
        Of which the last byte is overlooked.
    quality : int
    """
    height, width, _ = pixels.shape
    image, buffer = Image.frombuffer("RGBX", (width, height), pixels, "raw", "RGBX", 0, 1), io.BytesIO()
    image.save(buffer, "JPEG", quality=quality, subsampling=0)
    return buffer.getvalue()


def png(pixels):
    """Return a picture as a PNG of at most 256 colours: a third of the bytes, and the same to the eye.

    No pixel is dithered. The same picture gives the same bytes.

    Parameters
    ----------
    pixels : array of shape (height, width, 3), uint8
    """
    places, colors = few_colors(pixels, MOST)
    image = Image.fromarray(places)
    image.putpalette(colors.astype(np.uint8).tobytes())
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True, bits=8 if len(colors) > 16 else 4 if len(colors) > 4 else 2)
    return buffer.getvalue()


def few_colors(pixels, most):
    """Return for every pixel the number of its colour, and at most so many colours of shape (n, 3).

    Areas and lines keep their very colours, since the most frequent ones are taken first. From then on a colour is
    taken if it is farther than some distance from all that are; the distance is the smallest that suffices, and so no
    pixel is off by more.
    """
    image = Image.fromarray(np.ascontiguousarray(pixels))
    counted = np.array([(count, *color) for count, color in image.getcolors(pixels.shape[0] * pixels.shape[1])])
    counts, colors = counted[:, 0], counted[:, 1:].astype(np.int32)
    names = colors @ [65536, 256, 1]
    order = np.lexsort([names, -counts])
    colors, names = colors[order], names[order]
    chosen, low, high = (colors if len(colors) <= most else None), 0, 8
    while chosen is None:  # until there is a distance that suffices
        chosen = _spread(colors, high, most)
        low, high = (low, high) if chosen is not None else (high, 2 * high)
    while len(colors) > most and high - low > 1:
        tried = _spread(colors, (low + high) // 2, most)
        low, high = ((low + high) // 2, high) if tried is None else (low, (low + high) // 2)
        chosen = chosen if tried is None else tried
    table = np.zeros(1 << 24, dtype=np.uint8)
    for start in range(0, len(colors), 4096):
        part = slice(start, start + 4096)
        away = (colors[part] ** 2).sum(axis=1)[:, None] - 2 * colors[part] @ chosen.T + (chosen**2).sum(axis=1)
        table[names[part]] = away.argmin(axis=1)
    packed = pixels[..., 0].astype(np.int32) << 16 | pixels[..., 1].astype(np.int32) << 8 | pixels[..., 2]
    return table[packed], chosen


def _spread(colors, distance, most):
    """Colours, the first ones first, each farther than a distance from those before; None if they are too many."""
    left, chosen = colors.astype(np.float32), []
    while len(left):
        if len(chosen) == most:
            return None
        chosen.append(left[0])
        left = left[((left - left[0]) ** 2).sum(axis=1) > distance**2]
    return np.array(chosen).astype(np.int32)
