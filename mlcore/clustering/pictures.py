"""A picture in a few colours: each pixel gets the nearest of the centres that k-means finds among the colours."""

import numpy as np

from mlcore.base import REQUIRED, anything, check_numbers, door, seed, whole
from mlcore.clustering.kmeans import KMeans

__all__ = ["compress_image", "compressed_bits"]


@door(n_pixels=whole(REQUIRED, "N.", low=1), n_colors=whole(REQUIRED, "K.", low=1))
def compressed_bits(n_pixels, n_colors):
    """24K + N ⌈log₂ K⌉ bits: K colours of 24 bits, and for each of N pixels the number of its colour  (23.10)."""
    return 24 * n_colors + n_pixels * (n_colors - 1).bit_length()


@door(
    image=anything(
        REQUIRED, "array-like of shape (height, width, 3)",
        "Whole numbers from 0 to 255, or floats from 0 to 1. A picture in grey has shape (height, width).",
    ),
    n_colors=whole(REQUIRED, "At most as many as the picture has.", low=1),
    n_init=whole(1, "See ``KMeans``.", low=1),
    random_state=seed("See ``KMeans``."),
)
def compress_image(image, n_colors, *, n_init=1, random_state=None):
    """Return the picture with each pixel replaced by the nearest of n_colors colours, found by k-means.

    Returns
    -------
    ndarray of the shape and type of ``image``
        With n_colors different colours, or fewer where rounding to whole numbers makes two equal.

    Raises
    ------
    ValueError
        For a bad picture, or if there are fewer colours than n_colors.
    """
    given = np.asarray(image)
    pixels = check_numbers(image, "image")
    if pixels.ndim not in (2, 3) or (pixels.ndim == 3 and pixels.shape[2] != 3) or pixels.size == 0:
        raise ValueError(f"image must have shape (height, width, 3), or (height, width) in grey, got {pixels.shape}")
    top = 255 if given.dtype.kind in "iub" else 1
    if pixels.min() < 0 or pixels.max() > top:
        raise ValueError(f"image must hold numbers from 0 to {top}, got {pixels.min():g} to {pixels.max():g}")
    colors = pixels.reshape(-1, 3 if pixels.ndim == 3 else 1)
    found = KMeans(n_clusters=n_colors, n_init=n_init, random_state=random_state).fit(colors)
    palette = found.cluster_centers_.clip(0, top)
    if top == 255:
        palette = np.round(palette)
    return palette[found.labels_].reshape(pixels.shape).astype(given.dtype if given.dtype.kind in "iubf" else float)
