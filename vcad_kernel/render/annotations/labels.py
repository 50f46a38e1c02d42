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
from vcad_kernel.render.annotations.dimensions import draw_box, length_text, write_dimensions
from vcad_kernel.render.annotations.lettering import CAPITAL, lay_text, plate_size
from vcad_kernel.render.annotations.room import Room
from vcad_kernel.render.camera import Camera
from vcad_kernel.render.ground import CORNER, Strokes
from vcad_kernel.render.picture import Overlay, lay_strokes
from vcad_kernel.render.sight import NOTHING, Sight

__all__ = ["MOST_NAMES", "Gone", "labels", "length_text"]

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
