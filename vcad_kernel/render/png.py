"""PNG files from pixels, with numpy and zlib alone.

A rendered part has a few ramps of colour and a white ground, so a palette of at most 256 colours
shows it well and takes a third of the bytes of full colour. Equal pixels give equal bytes.
"""

from __future__ import annotations

import struct
import zlib
from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["encode"]

_COLORS = 256
_Pixels = NDArray[np.uint8]


def encode(pixels: _Pixels, *, colors: int = _COLORS, level: int = 6) -> bytes:
    """An (height, width, 3) uint8 image as an indexed PNG file.

    colors: size of the palette, 2 to 256; an image with no more colours is kept exactly.
    level: zlib's, 1 (quick) to 9 (small).
    """
    height, width, channels = pixels.shape
    if channels != 3 or not 2 <= colors <= _COLORS:
        raise ValueError(f"cannot encode pixels {pixels.shape} with {colors} colours")
    palette, index = _indexed(pixels.reshape(-1, 3), colors)
    # Rows begin with their filter; palettes are best left unfiltered.
    rows = np.zeros((height, 1 + width), np.uint8)
    rows[:, 1:] = index.reshape(height, width)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    body = zlib.compress(rows.tobytes(), level)
    chunks = ((b"IHDR", header), (b"PLTE", palette.tobytes()), (b"IDAT", body), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _indexed(pixels: _Pixels, colors: int) -> tuple[_Pixels, _Pixels]:
    """A palette (k, 3), darkest first, and each pixel's place in it."""
    packed = pixels[:, 0].astype(np.int32) << 16 | pixels[:, 1].astype(np.int32) << 8 | pixels[:, 2]
    # most pixels have the colour of the one before them: only where it changes need it be looked up
    starts = np.flatnonzero(np.diff(packed, prepend=-1))
    runs = np.diff(starts, append=len(packed))
    changes = packed[starts]
    _keep_freed_memory()
    in_order = np.sort(changes)
    distinct = in_order[np.flatnonzero(np.diff(in_order, prepend=-1))]
    place = np.searchsorted(distinct, changes)
    shades = np.stack([distinct >> 16, distinct >> 8 & 255, distinct & 255], axis=1).astype(np.float64)
    if len(distinct) <= colors:
        return shades.astype(np.uint8), np.repeat(place.astype(np.uint8), runs)
    # few colours are kept as they are; of many, each box of similar ones becomes its mean
    weight = np.bincount(place, runs).astype(np.float64)
    box = _median_cut(shades, weight, colors)
    total = np.bincount(box, weight)
    mean = (
        np.stack([np.bincount(box, weight * shades[:, part]) for part in range(3)], axis=1) / total[:, None]
    )
    order = np.argsort(mean @ np.array([0.3, 0.59, 0.11]), kind="stable")
    rank = np.empty(len(order), np.uint8)
    rank[order] = np.arange(len(order))
    return np.rint(mean[order]).astype(np.uint8), np.repeat(rank[box[place]], runs)


@cache
def _keep_freed_memory() -> None:
    """Once a piece so large has been freed, glibc keeps what arrays have taken, in place of giving it back.

    Without that each picture takes 15 ms more, of page faults.
    """
    np.zeros(1 << 24, np.bool_)


def _median_cut(shades: NDArray[np.float64], weight: NDArray[np.float64], colors: int) -> NDArray[np.int64]:
    """The box of each shade, after splitting the worst box at its mean until there are `colors`."""
    # The root lets a rare colour, a thin line's say, stand up to a wide plain.
    root = np.sqrt(weight)
    box = np.zeros(len(shades), np.int64)
    members = [np.arange(len(shades))]
    error, axis = np.zeros(colors), np.zeros(colors, np.int64)
    error[0], axis[0] = _spread(shades, weight, root)
    while (count := len(members)) < colors:
        worst = int(error.argmax())
        if error[worst] <= 0:
            break
        rows = members[worst]
        values = shades[rows, axis[worst]]
        # split at the mean, weighted by pixels, along the channel with the largest error
        shares = weight[rows]
        low = values <= (values * shares).sum() / shares.sum()
        members[worst], fresh = rows[low], rows[~low]
        members.append(fresh)
        box[fresh] = count
        for number in (worst, count):
            of_box = members[number]
            error[number], axis[number] = _spread(shades[of_box], weight[of_box], root[of_box])
    return box


def _spread(
    shades: NDArray[np.float64], weight: NDArray[np.float64], root: NDArray[np.float64]
) -> tuple[float, int]:
    """The largest squared error of one channel in a box, and that channel. root: of the weights."""
    off = shades - weight @ shades / weight.sum()
    error = root @ (off * off)
    axis = int(error.argmax())
    return float(error[axis]), axis


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
