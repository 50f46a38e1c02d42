"""What the pointer is at: the face or the edge of a part, in words, and what of the picture lights up.

    pointing = Pointing(part_result)
    pointing.at(0, triangle, point, reach=0.5).line    # "face 4 of bracket · cylinder r 3 · area 94.2 mm² …"

Asks the part's kernel for its faces and edges at the first question, and keeps them. Does not know widgets.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.tri_mesh import FloatArray

if TYPE_CHECKING:
    from vcad_kernel.geometry.measure.inspection.inspection import Edge, Face
    from vcad_kernel.geometry.measure.inspection.scene_rows import SceneRows
    from vcad_kernel.service.protocol import PartResult

__all__ = ["Pointed", "Pointing", "edge_words", "face_words"]


@dataclass(frozen=True, slots=True)
class Pointed:
    """A face or an edge."""

    part: int
    """The place of its part among those shown."""
    kind: Literal["face", "edge"]
    index: int
    """Its number, as `Part.faces` and `Part.edges` have it."""
    line: str
    """What it is, in words."""
    triangles: NDArray[np.int64] | None = field(default=None, compare=False)
    """(k,) the triangles of a face."""
    points: FloatArray | None = field(default=None, compare=False)
    """(p, 3) the line of an edge, mm."""
    at: tuple[float, float, float] | None = field(default=None, compare=False)
    """Where it was met, mm."""


class Pointing:
    """The faces and edges of one part as shown."""

    def __init__(self, part: PartResult) -> None:
        self.part = part

    @cached_property
    def rows(self) -> SceneRows:
        """What the part is made of. Raises: VcadError where its kernel cannot say."""
        from vcad_kernel.service.questions import SceneOf

        return self.part.answers.ask(SceneOf(), self.part)

    @property
    def is_known(self) -> bool:
        """Whether `at` answers without asking the kernel."""
        return "rows" in self.__dict__

    def at(self, place: int, triangle: int, point: tuple[float, float, float], reach: float) -> Pointed:
        """The edge within reach of a point, or else the face that it lies on.

        place: of the part among those shown. triangle: of its mesh, which the point lies on. reach: mm.
        Raises: as `rows`.
        """
        rows = self.rows
        number = int(rows.triangle_faces[triangle])
        near = [(self._distance(edge, point), edge) for edge in rows.edges if number in edge.faces]
        distance, nearest = min(near, key=lambda pair: pair[0], default=(np.inf, None))
        if nearest is not None and distance <= reach:
            points = rows.line(nearest.index).astype(np.float64)
            line = edge_words(nearest, self.part.name)
            return Pointed(place, "edge", nearest.index, line, points=points, at=point)
        triangles = np.flatnonzero(rows.triangle_faces == number)
        line = face_words(rows.faces[number], self.part.name)
        return Pointed(place, "face", number, line, triangles, at=point)

    def _distance(self, edge: Edge, point: tuple[float, float, float]) -> float:
        """From a point to the line of an edge, mm."""
        line = self.rows.line(edge.index).astype(np.float64)
        if len(line) < 2:
            return np.inf
        starts, along = line[:-1], np.diff(line, axis=0)
        squares = np.maximum(np.einsum("ij,ij->i", along, along), 1e-300)
        shares = np.clip(np.einsum("ij,ij->i", np.subtract(point, starts), along) / squares, 0.0, 1.0)
        return float(np.linalg.norm(starts + shares[:, None] * along - point, axis=1).min())


def face_words(face: Face, part: str) -> str:
    """A face in a line: what it is, how large, and which call made it."""
    radius = "" if face.radius is None else f" r {face.radius:.6g}"
    where = "" if face.source is None else f", line {face.source.line}"
    about = "" if face.exact else "≈ "
    return (
        f"face {face.index} of {part} · {face.kind}{radius} · area {about}{face.area:.6g} mm²"
        f" · made by {face.made_by}{where}"
    )


def edge_words(edge: Edge, part: str) -> str:
    """An edge in a line."""
    radius = "" if edge.radius is None else f" r {edge.radius:.6g}"
    about = "" if edge.exact else "≈ "
    between = " and ".join(str(face) for face in edge.faces)
    return (
        f"edge {edge.index} of {part} · {edge.kind}{radius} · length {about}{edge.length:.6g} mm"
        f" · at face{'s' if len(edge.faces) > 1 else ''} {between}"
    )
