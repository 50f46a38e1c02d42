"""The outer size of what a picture shows, written along its axes as in a drawing.

Lengths are millimetres in the model and pixels on the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.tri_mesh import FloatArray
from vcad_kernel.render.annotations.lettering import lay_text, plate_size
from vcad_kernel.render.annotations.room import Room
from vcad_kernel.render.camera import Camera
from vcad_kernel.render.ground import Strokes
from vcad_kernel.render.picture import lay_strokes

__all__ = ["draw_box", "length_text", "write_dimensions"]

_COLOR: Final = (0.05, 0.30, 0.62)
_GONE: Final = (0.55, 0.62, 0.72)
_DASH: Final = 5.0
"""Pixels of a dash, and of the gap after it."""
_AWAY: Final = 18.0
"""Pixels from a part to the line that measures it."""
_BEYOND: Final = 4.0
_GAP: Final = 3.0
_TICK: Final = 4.0
_THICK: Final = 1.1
_SHORTEST: Final = 24.0
"""Pixels of a length for which there is a line with two ends; a shorter one has a pointer."""
_END_ON: Final = 0.12
"""Share of an axis that must show for it to be measured."""
_GROUND: Final = 0.7
"""How readily a line goes up or down from a part, beside the ways along the ground."""


def length_text(length: float) -> str:
    """A length for people, with its unit: two digits behind the point at most, three figures below 0.1 mm."""
    if 0 < abs(length) < 0.1:
        return f"{float(f'{length:.3g}'):.9f}".rstrip("0").rstrip(".") + " mm"
    return f"{length:.2f}".rstrip("0").rstrip(".") + " mm"


@dataclass(frozen=True, slots=True, eq=False)
class _Edge:
    """An edge of the box, as it is seen."""

    ends: FloatArray
    """(2, 2) pixels."""
    out: FloatArray
    """(2,) away from the box along one of its axes; one pixel long, measured square to the edge."""


def write_dimensions(
    image: NDArray[np.float32], camera: Camera, box: FloatArray, room: Room, capital: float
) -> None:
    """Measure a box (2, 3), mm, along each axis that the view does not look along; takes its room."""
    edges = [(axis, _outer_edge(camera, box, axis)) for axis in range(3)]
    # the lines first: no text is to stand on one of them
    lines = [(axis, edge, _line(image, edge, room)) for axis, edge in edges if edge is not None]
    for axis, edge, middle in lines:
        text = length_text(float(box[1, axis] - box[0, axis]))
        width, height = plate_size(text, capital)
        way = edge.out / np.linalg.norm(edge.out)
        near = (width * abs(way[0]) + height * abs(way[1])) / 2 + _GAP
        x, y = middle + way * near
        if not room.is_free((x - width / 2, y - height / 2, x + width / 2, y + height / 2)):
            x, y = room.beside(np.array([x, y]), width, height)
        room.take(lay_text(image, text, float(x), float(y), _COLOR, capital=capital))


def draw_box(image: NDArray[np.float32], camera: Camera, box: FloatArray, *, but: tuple[int, float]) -> None:
    """Draw the edges of a box (2, 3), mm, that is not there any more, dashed.

    but: axis and coordinate of the side whose edges are left out, since it is seen.
    """
    axis, at = but
    if float(np.linalg.norm(camera.axes[:2, axis])) < _END_ON:
        return  # it lies before what is left
    corners = np.stack([np.where(choice, box[1], box[0]) for choice in np.ndindex(2, 2, 2)])
    seen = camera.project(corners)[:, :2]
    dashes: list[FloatArray] = []
    for first, start in enumerate(corners):
        for second in range(first + 1, 8):
            end = corners[second]
            if (start != end).sum() != 1 or (start[axis] == at and end[axis] == at):
                continue
            run = seen[second] - seen[first]
            count = int(np.linalg.norm(run) // (2 * _DASH))
            for share in (np.arange(count) + 0.25) / max(count, 1):
                begin = seen[first] + share * run
                dashes.append(np.stack([begin, begin + run / (2 * count)]))
    if dashes:
        _strokes(image, dashes, _GONE)


def _line(image: NDArray[np.float32], edge: _Edge, room: Room) -> FloatArray:
    """Draw the line of a dimension, or the pointer of a short one; (2,) the point that its text is beside."""
    start, end = edge.ends
    length = float(np.linalg.norm(end - start))
    if length < _SHORTEST:
        middle = (start + end) / 2
        tip = middle + edge.out * _AWAY
        _strokes(image, [np.stack([middle + edge.out, tip])])
        room.take_line(middle, tip)
        return np.asarray(tip)
    line = edge.ends + edge.out * _AWAY
    run = (end - start) / length
    across = edge.out / np.linalg.norm(edge.out)
    # ticks at both ends, leaning half way between the line and square to it
    tick = _TICK * (run + across) / max(float(np.linalg.norm(run + across)), 0.5)
    segments = [line, *(np.stack([tip - tick, tip + tick]) for tip in line)]
    segments += [
        np.stack([corner + 2 * edge.out, corner + (_AWAY + _BEYOND) * edge.out]) for corner in edge.ends
    ]
    _strokes(image, segments)
    room.take_line(line[0], line[1])
    return np.asarray(line.mean(axis=0))


def _outer_edge(camera: Camera, box: FloatArray, axis: int) -> _Edge | None:
    """Of the four edges along an axis the one at the outside, low if there is a choice; None: seen end on."""
    ways = camera.axes[:2].T * np.array([1.0, -1.0])
    if float(np.linalg.norm(ways[axis])) < _END_ON or box[1, axis] <= box[0, axis]:
        return None
    middle = camera.project(box.mean(axis=0))[:2]
    others = [number for number in range(3) if number != axis]
    best: tuple[float, FloatArray, tuple[int, int]] | None = None
    for first, second in ((0, 0), (0, 1), (1, 0), (1, 1)):
        corners = np.empty((2, 3))
        corners[:, axis] = box[:, axis]
        corners[:, others[0]], corners[:, others[1]] = box[first, others[0]], box[second, others[1]]
        seen = camera.project(corners)
        away = seen[:, :2].mean(axis=0) - middle
        # of edges equally far out the lower, for a height the left one; of two that coincide the nearer
        lower, left = (0.01, 0.05) if axis == 2 else (0.05, 0.01)
        score = float(np.linalg.norm(away) + lower * away[1] - left * away[0] - 1e-6 * seen[:, 2].mean())
        if best is None or score > best[0] + 1e-9:
            best = (score, seen[:, :2], (first, second))
    assert best is not None
    _, ends, sides = best
    run = ways[axis] / np.linalg.norm(ways[axis])
    square = np.array([-run[1], run[0]])
    widest: tuple[float, FloatArray] | None = None
    for other, side in zip(others, sides, strict=True):
        way = ways[other] * (1.0 if side else -1.0)
        apart = abs(float(way @ square))
        # along the ground rather than down, where both are as far from the edge
        weight = apart * (_GROUND if other == 2 else 1.0)
        if apart > _END_ON and (widest is None or weight > widest[0]):
            widest = (weight, way / apart)
    return None if widest is None else _Edge(np.asarray(ends), widest[1])


def _strokes(
    image: NDArray[np.float32],
    segments: Sequence[FloatArray],
    color: tuple[float, float, float] = _COLOR,
) -> None:
    flat = np.zeros((len(segments), 2, 3))
    flat[:, :, :2] = np.stack(segments)
    lay_strokes(image, Strokes(flat, np.ones((len(flat), 2)), color, _THICK), None)
