"""What is written over a picture: the parts' names and the outer dimensions, where there is room for them.

    draw(parts, overlay=labels(parts, names=True, dimensions=True))

Lengths are millimetres in the model and pixels on the picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.mesh import FloatArray, PartMesh
from vcad_kernel.render.camera import Camera
from vcad_kernel.render.ground import Strokes
from vcad_kernel.render.lettering import CAPITAL, lay_text, text_share
from vcad_kernel.render.picture import Overlay, lay_strokes

__all__ = ["MOST_NAMES", "labels", "length_text"]

MOST_NAMES: Final = 40
"""Parts that are named at most, the largest first: more cover what they name."""

_INK: Final = (0.09, 0.11, 0.14)
_MEASURE: Final = (0.05, 0.30, 0.62)
_AWAY: Final = 16.0
"""Pixels from a part to the line that measures it."""
_BEYOND: Final = 4.0
_TICK: Final = 4.0
_SHORTEST: Final = 14.0
"""Pixels that a dimension takes at least to be written."""
_STEP: Final = 3
"""Pixels by which a label moves on to where there is room."""

_Image = NDArray[np.float32]
_Plate: TypeAlias = tuple[int, int, int, int]


def labels(
    parts: Sequence[PartMesh],
    *,
    names: bool = False,
    dimensions: bool = False,
    box: FloatArray | None = None,
) -> Overlay:
    """Writes the names of parts at their middles, and the size of all of them along the axes.

    box: (2, 3) what is measured in place of them, mm: of parts that are shown cut open, all there is.
    """
    solid = [part for part in parts if not part.mesh.is_empty]
    boxes = [_box(part.mesh.positions) for part in solid]

    def write(image: _Image, camera: Camera) -> None:
        if not solid:
            return
        taken: list[_Plate] = []
        if dimensions:
            corners = np.stack(boxes)
            around = np.stack([corners[:, 0].min(axis=0), corners[:, 1].max(axis=0)])
            taken += _measured(image, camera, around if box is None else box)
        if names:
            _named(image, camera, [part.name for part in solid], boxes, taken)

    return write


def length_text(length: float) -> str:
    """A length for people: two digits behind the point at most, with its unit."""
    return f"{length:.2f}".rstrip("0").rstrip(".") + " mm"


def _box(points: FloatArray) -> FloatArray:
    return np.stack([points.min(axis=0), points.max(axis=0)])


# ---- dimensions


def _measured(image: _Image, camera: Camera, box: FloatArray) -> Iterator[_Plate]:
    """Measure a box along each axis that the view does not look along; gives the plates written on."""
    middle = camera.project(box.mean(axis=0))[:2]
    for axis in range(3):
        edge = _outer_edge(camera, box, axis, middle)
        if edge is None:
            continue
        start, end, outward = edge
        shift = outward * _AWAY
        line = np.stack([start + shift, end + shift])
        run = (end - start) / np.linalg.norm(end - start)
        tick = _TICK * (run + outward) / np.sqrt(2.0)
        segments = [line, *(np.stack([one - tick, one + tick]) for one in line)]
        segments += [np.stack([one + 2 * outward, one + shift + _BEYOND * outward]) for one in (start, end)]
        _lines(image, segments, _MEASURE, 1.1)
        place = line.mean(axis=0) + outward * CAPITAL
        size = float(box[1, axis] - box[0, axis])
        yield lay_text(image, length_text(size), float(place[0]), float(place[1]), _MEASURE)


def _outer_edge(
    camera: Camera, box: FloatArray, axis: int, middle: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Of the four edges along an axis the one at the outside, low if there is a choice: ends, way out."""
    others = [one for one in range(3) if one != axis]
    best: tuple[float, FloatArray, FloatArray] | None = None
    for first in (0, 1):
        for second in (0, 1):
            corners = np.empty((2, 3))
            corners[:, axis] = box[:, axis]
            corners[:, others[0]], corners[:, others[1]] = box[first, others[0]], box[second, others[1]]
            seen = camera.project(corners)
            away = seen[:, :2].mean(axis=0) - middle
            # of edges equally far out the lower, then the left one; of two that coincide the nearer
            score = float(np.linalg.norm(away) + 0.02 * away[1] - 0.01 * away[0] - 1e-6 * seen[:, 2].mean())
            if best is None or score > best[0] + 1e-9:
                best = (score, seen[:, :2], away)
    assert best is not None
    _, ends, away = best
    run = ends[1] - ends[0]
    length = float(np.linalg.norm(run))
    if length < _SHORTEST:
        return None
    outward = np.array([-run[1], run[0]]) / length
    if float(outward @ away) < 0:
        outward = -outward
    return ends[0], ends[1], outward


# ---- names


def _named(
    image: _Image, camera: Camera, names: Sequence[str], boxes: Sequence[FloatArray], taken: list[_Plate]
) -> None:
    sizes = [float(np.linalg.norm(box[1] - box[0])) for box in boxes]
    largest = sorted(range(len(names)), key=lambda one: -sizes[one])[:MOST_NAMES]
    for index in largest:
        at = camera.project(boxes[index].mean(axis=0))[:2]
        share = text_share(names[index])
        rows, columns = share.shape[0] + 3, share.shape[1] + 6
        place = _free(at, columns, rows, image.shape, taken)
        if float(np.abs(place - at)[1]) > rows:
            _lines(image, [np.stack([at, place])], _INK, 1.0)
        taken.append(lay_text(image, names[index], float(place[0]), float(place[1]), _INK))


def _free(
    at: FloatArray, columns: int, rows: int, shape: tuple[int, ...], taken: Sequence[_Plate]
) -> FloatArray:
    """The place nearest to a point, above or below it, where a plate covers no other; else the point."""
    for away in range(0, shape[0], _STEP):
        for sign in (-1, 1):
            y = float(at[1]) + sign * away
            left, top = float(at[0]) - columns / 2, y - rows / 2
            plate = (left, top, left + columns, top + rows)
            if rows / 2 <= y <= shape[0] - rows / 2 and not any(_overlap(plate, one) for one in taken):
                return np.array([at[0], y])
    return np.asarray(at)


def _overlap(a: tuple[float, float, float, float], b: _Plate) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _lines(
    image: _Image, segments: Sequence[FloatArray], color: tuple[float, float, float], thickness: float
) -> None:
    flat = np.zeros((len(segments), 2, 3))
    flat[:, :, :2] = np.stack(segments)
    lay_strokes(image, Strokes(flat, np.ones((len(flat), 2)), color, thickness), None)
