"""What is written over a picture: the parts' names, the outer dimensions, and what the picture is.

    draw(parts, overlays=[labels(parts, names=True, dimensions=True)])

A name stands on its part where it has room there, and else beside it with a line that points at it: it never
hides what it names. Lengths are millimetres in the model and pixels on the picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.tri_mesh import FloatArray, PartMesh
from vcad_kernel.render.annotations.lettering import CAPITAL, lay_text, plate_size
from vcad_kernel.render.annotations.room import Room
from vcad_kernel.render.camera import Camera
from vcad_kernel.render.ground import CORNER, Strokes
from vcad_kernel.render.picture import Overlay, lay_strokes
from vcad_kernel.render.sight import NOTHING, Sight

__all__ = ["MOST_NAMES", "Gone", "draw_box", "labels", "length_text"]

MOST_NAMES: Final = 40
"""Parts that are named at most, the largest first: more hide what they name."""

_INK: Final = (0.09, 0.11, 0.14)
_HALO: Final = (1.0, 1.0, 1.0)
_QUIET: Final = (0.35, 0.38, 0.42)
_PER_CAPITAL: Final = 72
"""Pixels of a picture's shorter side for each of a capital's height, from a certain size on."""
_TINY: Final = 3.0
"""Pixels of a part that may be there though no pixel shows it alone."""
_DOT: Final = 2.2


@dataclass(frozen=True, slots=True, eq=False)
class Gone:
    """A half of a part that a picture does not show any more."""

    box: FloatArray
    """(2, 3) mm."""
    axis: int
    at: float
    """The plane of the cut, mm: the edges in it are not drawn."""


def labels(
    parts: Sequence[PartMesh],
    *,
    names: bool = False,
    dimensions: bool = False,
    box: FloatArray | None = None,
    caption: str = "",
    surfaces: Mapping[int, int] | None = None,
    gone: Sequence[Gone] = (),
) -> Overlay:
    """Writes the names of parts, and the size of all of them along the axes.

    parts: the first of those that are drawn, in their order. box: (2, 3) what is measured in place of them,
    mm: of parts that are shown cut open, all there is. caption: in a corner, if one has room for it.
    surfaces: number of a further body that is drawn → that of the part to which it belongs, as its cut.
    gone: what has been cut away; its edges are dashed.
    """
    numbers = {index: {index} for index, part in enumerate(parts) if not part.mesh.is_empty}
    for number, index in (surfaces or {}).items():
        numbers[index].add(number)
    boxes = {index: _box(parts[index].mesh.positions) for index in numbers}

    def write(image: NDArray[np.float32], camera: Camera, sight: Sight) -> None:
        if not numbers:
            return
        capital = max(CAPITAL, min(camera.width, camera.height) / _PER_CAPITAL)
        # what is placed first has the first choice: lines and sizes, the caption, names last
        room = Room(sight)
        room.take((0, camera.height - CORNER, CORNER, camera.height))
        for half in gone:
            draw_box(image, camera, half.box, but=(half.axis, half.at))
        if dimensions:
            corners = np.stack(list(boxes.values()))
            around = np.stack([corners[:, 0].min(axis=0), corners[:, 1].max(axis=0)])
            write_dimensions(image, camera, around if box is None else box, room, capital)
        if caption:
            _caption(image, caption, room, capital)
        if names:
            # large parts have room for their names on themselves; of very many parts only those are named
            largest = sorted(
                boxes, key=lambda number: -float(np.linalg.norm(boxes[number][1] - boxes[number][0]))
            )
            placed = []
            for index in largest[:MOST_NAMES]:
                seen = frozenset(numbers[index])
                at = room.deepest(seen)
                at = _tiny(boxes[index], camera, sight) if at is None else at
                if at is not None:
                    placed.append(_placed(parts[index].name, at, seen, room, capital))
            _write(image, placed, capital)

    return write


def _box(points: FloatArray) -> FloatArray:
    return np.stack([points.min(axis=0), points.max(axis=0)])


def _caption(image: NDArray[np.float32], text: str, room: Room, capital: float) -> None:
    """Write what the picture is into a corner, below if it is free there; a small picture may have none."""
    width, height = plate_size(text, capital)
    right, middle = image.shape[1] - width / 2 - capital / 2, image.shape[1] / 2
    lower, upper = image.shape[0] - height / 2 - capital / 2, height / 2 + capital / 2
    for x, y in ((right, lower), (middle, lower), (right, upper), (middle, upper)):
        if room.is_free((x - width / 2, y - height / 2, x + width / 2, y + height / 2)):
            room.take(lay_text(image, text, x, y, _QUIET, capital=capital))
            return


def _tiny(box: FloatArray, camera: Camera, sight: Sight) -> FloatArray | None:
    """(2,) where a part is that is too small to be seen; None for one that is hidden or outside."""
    corners = np.stack([np.where(choice, box[1], box[0]) for choice in np.ndindex(2, 2, 2)])
    seen = camera.project(corners)[:, :2]
    at = seen.mean(axis=0)
    row, column = int(at[1]), int(at[0])
    height, width = sight.part.shape
    if float(np.ptp(seen, axis=0).max()) > _TINY or not (0 <= row < height and 0 <= column < width):
        return None
    return None if sight.part[row, column] > NOTHING else np.asarray(at)


@dataclass(frozen=True, slots=True, eq=False)
class _Name:
    """A name where it is to be written."""

    text: str
    place: FloatArray
    """(2,) middle of its plate."""
    pointer: FloatArray | None
    """(2, 2) from its part to the plate; None for one that stands on its part."""


def _placed(name: str, at: FloatArray, seen: frozenset[int], room: Room, capital: float) -> _Name:
    """Find the place of a part's name, on it or beside it, and take it off the room."""
    width, height = plate_size(name, capital)
    half = np.array([width, height]) / 2
    pointer = None
    # on its part with some air, else on its part, else beside it with a line
    place = room.within(seen, width + 2 * capital, height + 2 * capital)
    if place is None:
        place = room.within(seen, width, height)
    if place is None:
        # with a little air, so that the line to it is seen
        place = room.beside(at, width + 4, height + 4)
        end = np.clip(at, place - half, place + half)
        if float(np.linalg.norm(end - at)) > 1.0:
            pointer = np.stack([at, end])
            room.take_line(at, end)
    (left, top), (right, bottom) = place - half, place + half
    room.take((left, top, right, bottom))
    return _Name(name, place, pointer)


def _write(image: NDArray[np.float32], names: Sequence[_Name], capital: float) -> None:
    pointers = [name.pointer for name in names if name.pointer is not None]
    if pointers:
        across = np.array([[_DOT, 0.0], [0.0, _DOT]])
        dots = [np.stack([line[0] - arm, line[0] + arm]) for line in pointers for arm in across]
        _strokes(image, pointers, _HALO, 3.2)
        _strokes(image, pointers, _INK, 1.1)
        _strokes(image, dots, _INK, _DOT * 1.6)
    for name in names:
        lay_text(image, name.text, float(name.place[0]), float(name.place[1]), _INK, capital=capital)


def _strokes(
    image: NDArray[np.float32],
    segments: Sequence[FloatArray],
    color: tuple[float, float, float],
    thickness: float,
) -> None:
    flat = np.zeros((len(segments), 2, 3))
    flat[:, :, :2] = np.stack(segments)
    lay_strokes(image, Strokes(flat, np.ones((len(flat), 2)), color, thickness), None)


# ---- the outer size of what a picture shows, written along its axes as in a drawing ----------
# Lengths are millimetres in the model and pixels on the picture.


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
        _dimension_lines(image, dashes, _GONE)


def _line(image: NDArray[np.float32], edge: _Edge, room: Room) -> FloatArray:
    """Draw the line of a dimension, or the pointer of a short one; (2,) the point that its text is beside."""
    start, end = edge.ends
    length = float(np.linalg.norm(end - start))
    if length < _SHORTEST:
        middle = (start + end) / 2
        tip = middle + edge.out * _AWAY
        _dimension_lines(image, [np.stack([middle + edge.out, tip])])
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
    _dimension_lines(image, segments)
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


def _dimension_lines(
    image: NDArray[np.float32],
    segments: Sequence[FloatArray],
    color: tuple[float, float, float] = _COLOR,
) -> None:
    flat = np.zeros((len(segments), 2, 3))
    flat[:, :, :2] = np.stack(segments)
    lay_strokes(image, Strokes(flat, np.ones((len(flat), 2)), color, _THICK), None)
