"""The mesh kernel: the only file that imports manifold3d, and only on first use.

Makes solids (:class:`Made`) from sizes and skins, combines any number of them in one batch, and reads
meshes out. Everything is carried out at once and its status asked for; what is put off, and how chains
become batches, is :mod:`vcad_kernel.geometry.mesh.body`. Nothing here knows documents.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.mesh.rounding.contact import joined, touching, unsettled
from vcad_kernel.geometry.mesh.rounding.films import has_film
from vcad_kernel.geometry.mesh.rounding.levels import (
    Levels,
    axis_values,
    common_levels,
    common_turn,
    is_along_axes,
)
from vcad_kernel.geometry.placement import IDENTITY, Matrix, unit
from vcad_kernel.geometry.sweeps.swept import Skin
from vcad_kernel.geometry.tolerance import EMPTY_VOLUME, LINEAR

__all__ = [
    "STATUS_REASONS",
    "VOLUME_IMPOSSIBLE",
    "KernelFault",
    "Made",
    "Operation",
    "Reading",
    "batch",
    "box",
    "composed",
    "cone",
    "cube",
    "cut",
    "cylinder",
    "finer",
    "first_hits",
    "gap",
    "hull",
    "hull_of",
    "identity",
    "lumps",
    "moved_area",
    "of_runs",
    "of_skin",
    "outlines_at",
    "read",
    "span",
    "triangulate",
    "triangulate_rings",
    "without_films",
]

_BYTES_PER_TRIANGLE = 220
"""Half-edges, face normals, references and the tree of boxes that the library keeps, roughly."""

STATUS_REASONS: Mapping[str, str] = {
    "NonFiniteVertex": "a coordinate became infinite",
    "NotManifold": "the surface is not closed",
    "VertexOutOfBounds": "a triangle refers to a vertex that does not exist",
    "PropertiesWrongLength": "vertex properties have the wrong length",
    "MissingPositionProperties": "vertices have no positions",
    "MergeVectorsDifferentLengths": "the lists of merged vertices differ in length",
    "MergeIndexOutOfBounds": "a merged vertex does not exist",
    "TransformWrongLength": "a transform has the wrong length",
    "RunIndexWrongLength": "the list of runs has the wrong length",
    "FaceIDWrongLength": "the list of faces has the wrong length",
    "InvalidConstruction": "the sizes do not make a solid",
    "ResultTooLarge": "the result has too many triangles",
    "InvalidTangents": "surface tangents are not usable",
    "Cancelled": "the operation was cancelled",
}
"""Every status of a failed Manifold, in words."""


VOLUME_IMPOSSIBLE = "VolumeImpossible"
"""The status of a boolean whose result cannot be one of its operands'; the library does not notice."""


class KernelFault(Exception):
    """manifold3d could not make the solid; ``status`` is its own word for it."""

    def __init__(self, status: str) -> None:
        super().__init__(STATUS_REASONS.get(status, "the volume of the mesh is impossible"))
        self.status = status


@functools.cache
def _library() -> ModuleType:
    return importlib.import_module("manifold3d")


@functools.cache
def identity() -> str:
    """Name and version of the library, part of every cache key."""
    return f"manifold3d {importlib.metadata.version('manifold3d')}"


_MITRE_LIMIT = 1000.0
"""Corners sharper than this many times the distance are cut off."""
_ROUND_SIDES = 512


class Operation(Enum):
    """The three booleans."""

    UNION = "Add"
    DIFFERENCE = "Subtract"
    INTERSECTION = "Intersect"


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Made:
    """A solid of the library, carried out."""

    solid: Any
    triangles: int

    @property
    def nbytes(self) -> int:
        """Memory held, roughly: the library does not report it."""
        return _BYTES_PER_TRIANGLE * self.triangles + 512

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left."""
        return self.triangles == 0

    @property
    def volume(self) -> float:
        """mm³."""
        return float(self.solid.volume())

    def original(self) -> int:
        """The identity of a solid made of nothing else, as :class:`Reading` reports it."""
        known = int(self.solid.original_id())
        return int(self.solid.to_mesh64().run_original_id[0]) if known < 0 else known


def _made(solid: Any) -> Made:
    """Carry a solid out. Raises KernelFault."""
    status = solid.status()
    if status != _library().Error.NoError:
        raise KernelFault(status.name)
    return Made(solid, int(solid.num_tri()))


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The mesh of a body, and which originals its triangles come from."""

    positions: NDArray[np.float64]
    triangles: NDArray[np.uint32]
    runs: NDArray[np.int64]
    """(k + 1,) where each run of triangles begins, ending with their number."""
    originals: NDArray[np.int64]
    """(k,) the original body of each run."""


def cube(size: Sequence[float]) -> Made:
    """Box with a corner at the origin."""
    return _made(_library().Manifold.cube(tuple(size)))


def cylinder(radius: float, height: float, sides: int) -> Made:
    """About +Z from z = 0; vertices on the x and y axes when sides is a multiple of 4."""
    return _made(_library().Manifold.cylinder(height, radius, radius, sides))


def cone(bottom: float, top: float, height: float, sides: int) -> Made:
    """Frustum about +Z from z = 0; one radius may be 0."""
    make = _library().Manifold.cylinder
    if bottom > 0.0:
        return _made(make(height, bottom, top, sides))
    # not every version takes a point at the bottom: stand it on its head
    return _made(make(height, top, 0.0, sides).scale((1.0, 1.0, -1.0)).translate((0.0, 0.0, height)))


def of_skin(skin: Skin) -> Made:
    """A closed outward mesh. Raises KernelFault when it is not one."""
    return of_runs(skin, (len(skin.triangles),))[0]


def of_runs(skin: Skin, lengths: Sequence[int]) -> tuple[Made, list[int]]:
    """A closed outward mesh whose triangles come in runs, and the original that each run counts as.

    lengths: triangles of each run. Raises KernelFault when the mesh is not closed.
    """
    library = _library()
    first = int(library.Manifold.reserve_ids(len(lengths)))
    originals = list(range(first, first + len(lengths)))
    # the binding takes no read-only arrays, and meshes from elsewhere may be
    mesh = library.Mesh64(
        np.require(skin.positions, np.float64, ["C", "W"]),
        np.require(skin.triangles, np.uint64, ["C", "W"]),
        run_index=np.cumsum([0, *lengths]).astype(np.uint64) * np.uint64(3),
        run_original_id=np.array(originals, np.uint32),
    )
    return _made(library.Manifold(mesh)), originals


def batch(operation: Operation, items: Sequence[tuple[Made, Matrix | None]]) -> Made:
    """One operation over placed solids: all united, all intersected, or the first less all others.

    What rounding keeps apart is brought together first (:mod:`vcad_kernel.geometry.mesh.rounding.levels`).
    Raises KernelFault.
    """
    if len(items) == 1:
        ((made, matrix),) = items
        return _made(made.solid if matrix is None else made.solid.transform(matrix))
    turn = common_turn([matrix for _, matrix in items])
    if turn is not None:
        back = np.linalg.inv(turn)
        items = [
            (made, None if matrix is None else np.column_stack([np.eye(3), back @ matrix[:, 3]]))
            for made, matrix in items
        ]
    library = _library()
    fitted = _fitted(items)
    made = _made(library.Manifold.batch_boolean(fitted, getattr(library.OpType, operation.value)))
    if operation is Operation.INTERSECTION and not made.is_empty and _has_film(made):
        # where operands only touch the library may leave a sheet: a ∩ b is a − (a − b), too
        first, *others = fitted
        made = _made(
            library.Manifold.batch_boolean(
                [first, *(first - other for other in others)], library.OpType.Subtract
            )
        )
    _check_volume(operation, items, made)
    if turn is None:
        return made
    return _made(made.solid.transform(np.column_stack([turn, np.zeros(3)])))


def _has_film(made: Made) -> bool:
    reading = _reading(made.solid)
    return has_film(reading.positions, reading.triangles)


def _stretch(matrix: Matrix) -> float:
    """What a transform multiplies volumes with."""
    (a, b, c), (d, e, f), (g, h, i) = matrix[:, :3].tolist()
    return float(abs(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)))


def _check_volume(operation: Operation, items: Sequence[tuple[Made, Matrix | None]], made: Made) -> None:
    """Refuse a result larger or smaller than any such combination of its operands can be (cad.md §10).

    A union holds its largest operand and no more than all together; a difference no more than its first
    operand, less what the others have at most; an intersection no more than its least operand.
    Raises KernelFault.
    """
    of_solid: dict[int, float] = {}
    volumes = []
    for operand, matrix in items:
        if id(operand) not in of_solid:
            of_solid[id(operand)] = float(operand.solid.volume())
        volumes.append(of_solid[id(operand)] * (1.0 if matrix is None else _stretch(matrix)))
    total = sum(volumes)
    least, most = {
        Operation.UNION: (max(volumes), total),
        Operation.DIFFERENCE: (2.0 * volumes[0] - total, volumes[0]),
        Operation.INTERSECTION: (0.0, min(volumes)),
    }[operation]
    # fitting coordinates to each other moves a surface by that much at most, and sums lose a few digits
    room = 0.1 * LINEAR * float(made.solid.surface_area()) + 1e-9 * total
    if not least - room <= float(made.solid.volume()) <= most + room:
        raise KernelFault(VOLUME_IMPOSSIBLE)


def _fitted(items: Sequence[tuple[Made, Matrix | None]]) -> list[Any]:
    """Placed solids, coordinates that nearly agree in the very same place."""
    placed = [made.solid if matrix is None else made.solid.transform(matrix) for made, matrix in items]
    operands: list[tuple[NDArray[np.float64], ...]] = []
    along: dict[tuple[int, bytes], tuple[Made, NDArray[np.float64], list[NDArray[np.float64]]]] = {}
    for solid, (made, matrix) in zip(placed, items, strict=True):
        place = IDENTITY if matrix is None else matrix
        if is_along_axes(place):
            linear = place[:, :3]
            along.setdefault((id(made), linear.tobytes()), (made, linear, []))[2].append(place[:, 3])
        else:
            operands.append(tuple(axis[:, None] for axis in _positions(solid).T))
    for made, linear, offsets in along.values():
        coordinates = _positions(made.solid).T
        # of many copies, each value once: a prism has few
        values = [np.unique(axis) for axis in coordinates] if len(offsets) > 2 else list(coordinates)
        operands.append(axis_values(values, linear, np.array(offsets)))
    levels = common_levels(operands)
    return placed if levels is None else [_at_levels(solid, levels) for solid in placed]


def _at_levels(solid: Any, levels: Levels) -> Any:
    positions = _positions(solid)
    return solid if np.array_equal(levels.moved(positions), positions) else solid.warp_batch(levels.moved)


def _positions(solid: Any) -> NDArray[np.float64]:
    """Of the vertices of a solid (n, 3), some more than once, mm."""
    return np.asarray(solid.to_mesh64().vert_properties, np.float64)[:, :3]


def half(made: Made, normal: Iterable[float], offset: float) -> Made:
    """What of a solid lies beyond a plane, closed there: ``normal · p ≥ offset``. Raises KernelFault."""
    return _made(made.solid.trim_by_plane(tuple(float(part) for part in normal), float(offset)))


def gap(a: Made, b: Made, within: float) -> float:
    """The least distance between two solids, 0 where they overlap; ``within`` when it is no less than that.

    The library's time grows steeply with ``within``: a close upper bound is worth finding.
    """
    return float(a.solid.min_gap(b.solid, within))


def finer(made: Made, length: float) -> Made:
    """The same surface in triangles none of whose sides is longer, mm."""
    return _made(made.solid.refine_to_length(length))


def first_hits(
    made: Made, points: NDArray[np.float64], directions: NDArray[np.float64], reach: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where rays meet the surface of a solid next: points (n, 3), mm, and outward normals (n, 3) there.

    points: (n, 3) where they start; a surface within 1e-6 mm of that is left behind. directions: (n, 3),
    of length 1. reach: length of the rays, mm; the library's time grows with it. Both results are zero
    where a ray meets nothing.
    """
    starts = points + LINEAR * directions
    ends = points + (reach + LINEAR) * directions
    hits, normals = np.zeros_like(points), np.zeros_like(points)
    for ray, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        met = made.solid.ray_cast(start, end)
        if met:
            hits[ray], normals[ray] = met[0].position, met[0].normal
    return hits, normals


def hull(made: Made) -> Made:
    """The convex hull."""
    return _made(made.solid.hull())


def hull_of(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    """The convex hull of points (n, 3): its vertices (v, 3), mm, and outward triangles (m, 3).

    Both are empty when the points lie in one plane.
    """
    solid = _library().Manifold.hull_points(np.ascontiguousarray(points, np.float64))
    if solid.volume() <= EMPTY_VOLUME:
        return np.empty((0, 3)), np.empty((0, 3), np.uint32)
    reading = _reading(_made(solid).solid)
    return reading.positions, reading.triangles


def cut(made: Made, origin: Sequence[float], normal: Sequence[float]) -> tuple[Made, int | None]:
    """What lies behind a plane, and the original of the cut faces; None where the plane misses the solid.

    normal: of any length above 0; what it points to is cut away.
    """
    corners = np.array(list(itertools.product(*_box(made.solid).T)))
    toward = np.array(unit(normal))
    heights = (corners - np.asarray(origin, np.float64)) @ toward
    if heights.max(initial=-np.inf) <= 0.0:
        return made, None
    # a block beyond the plane, larger than the body in every direction
    reach = 2.0 * float(np.abs(corners - np.asarray(origin, np.float64)).sum(axis=1).max()) + 1.0
    library = _library()
    block = library.Manifold.cube((2.0 * reach, 2.0 * reach, reach)).translate((-reach, -reach, 0.0))
    across = np.cross(toward, np.eye(3)[int(np.argmin(np.abs(toward)))])
    across /= np.linalg.norm(across)
    frame = np.column_stack([across, np.cross(toward, across), toward, np.asarray(origin, np.float64)])
    tool = library.Manifold.as_original(block)
    result = library.Manifold.batch_boolean([made.solid, tool.transform(frame)], library.OpType.Subtract)
    return _made(result), int(tool.original_id())


def lumps(made: Made) -> list[Made]:
    """The connected pieces of a solid, without cavities that enclose nothing of it."""
    return [_made(shell) for shell in made.solid.decompose() if shell.volume() > 0.0 and _is_thick(shell)]


def composed(pieces: Sequence[Made]) -> Made:
    """Solids that lie apart as one."""
    return _made(_library().Manifold.compose([piece.solid for piece in pieces]))


def box(made: Made) -> NDArray[np.float64]:
    """Lowest and highest corner (2, 3) of a solid, mm."""
    return _box(made.solid)


def span(made: Made, origin: NDArray[np.float64], normal: NDArray[np.float64]) -> tuple[float, float]:
    """The least and the greatest height of a solid above a plane, mm. normal: of length 1."""
    heights = (_positions(made.solid) - origin) @ normal
    return float(heights.min()), float(heights.max())


def outlines_at(positions: NDArray[np.float64], triangles: NDArray[np.uint32]) -> list[NDArray[np.float64]]:
    """The closed loops (n, 2) in which the plane z = 0 cuts a closed mesh, outer ones counter-clockwise."""
    library = _library()
    corners = np.ascontiguousarray(triangles, np.uint64)
    solid = library.Manifold(library.Mesh64(np.ascontiguousarray(positions, np.float64), corners))
    return [np.asarray(outline, np.float64) for outline in solid.slice(0.0).to_polygons()]


def read(made: Made) -> Reading:
    """The mesh of a solid. Raises KernelFault."""
    reading = _reading(made.solid)
    if len(reading.originals) > 1 and unsettled(reading.positions, reading.triangles):
        reading = _reading(_settled(made.solid))
    return reading


def _reading(made: Any) -> Reading:
    mesh = made.to_mesh64()
    triangles = np.asarray(mesh.tri_verts).astype(np.uint32)
    positions = np.asarray(mesh.vert_properties, np.float64)[:, :3]
    merged_from = np.asarray(mesh.merge_from_vert, np.int64)
    if len(merged_from):
        target = np.arange(len(positions))
        target[merged_from] = np.asarray(mesh.merge_to_vert, np.int64)
        used, compact = np.unique(target[triangles], return_inverse=True)
        triangles, positions = compact.reshape(-1, 3).astype(np.uint32), positions[used]
    return Reading(
        np.ascontiguousarray(positions),
        np.ascontiguousarray(triangles),
        np.asarray(mesh.run_index, np.int64) // 3,
        np.asarray(mesh.run_original_id, np.int64),
    )


def _settled(made: Any) -> Any:
    """The result of a boolean without films, lumps in contact united."""
    library = _library()
    shells = made.decompose()
    thick = [shell for shell in shells if _is_thick(shell)]
    lumps, others = _apart(thick)
    if len(lumps) > 1:
        # lumps that a rounding keeps apart are in contact by our tolerance: together they are one body
        groups = touching(np.array([_box(lump) for lump in lumps]))
        united = [_united([lumps[index] for index in group]) for group in groups]
        if any(len(now) < len(group) for now, group in zip(united, groups, strict=True)):
            in_contact = {int(index) for group in groups for index in group}
            alone = [lump for index, lump in enumerate(lumps) if index not in in_contact]
            return library.Manifold.compose([*itertools.chain(*united), *alone, *others])
    return made if len(thick) == len(shells) else library.Manifold.compose(thick)


def _is_thick(shell: Any, film: float = LINEAR) -> bool:
    """Whether a shell encloses more than a film; by default one thinner than what counts as contact."""
    return bool(2.0 * abs(shell.volume()) > film * shell.surface_area())


def without_films(made: Made, film: float) -> Made:
    """Without the shells that are no thicker than a film, on the average, mm."""
    shells = made.solid.decompose()
    thick = [shell for shell in shells if _is_thick(shell, film)]
    return made if len(thick) == len(shells) else _made(_library().Manifold.compose(thick))


def _box(shell: Any) -> NDArray[np.float64]:
    return np.array(shell.bounding_box(), np.float64).reshape(2, 3)


def _apart(shells: list[Any]) -> tuple[list[Any], list[Any]]:
    """The outer shells around no cavity, which are lumps on their own, and all other shells."""
    cavities = np.array([_box(shell) for shell in shells if shell.volume() < 0.0]).reshape(-1, 2, 3)
    lumps: list[Any] = []
    others: list[Any] = []
    for shell in shells:
        low, high = _box(shell)
        around = np.all((low <= cavities[:, 0]) & (cavities[:, 1] <= high), axis=1)
        (others if np.any(around) else lumps).append(shell)
    return lumps, others


def _united(lumps: list[Any]) -> list[Any]:
    """The shells of the union of lumps in contact; the lumps where bringing them together breaks one."""
    library = _library()
    meshes = [lump.to_mesh64() for lump in lumps]
    # vertices within the tolerance of each other are moved onto one place, then a union joins the lumps
    moved = joined([np.asarray(mesh.vert_properties, np.float64)[:, :3] for mesh in meshes])
    fitted = [
        library.Manifold(
            library.Mesh64(
                np.ascontiguousarray(positions),
                np.array(mesh.tri_verts, np.uint64),
                merge_from_vert=np.array(mesh.merge_from_vert, np.uint64),
                merge_to_vert=np.array(mesh.merge_to_vert, np.uint64),
                run_index=np.array(mesh.run_index, np.uint64),
                run_original_id=np.array(mesh.run_original_id, np.uint32),
            )
        )
        for mesh, positions in zip(meshes, moved, strict=True)
    ]
    if any(lump.status() != library.Error.NoError for lump in fitted):
        return lumps
    union = library.Manifold.batch_boolean(fitted, library.OpType.Add)
    # moving by the tolerance changes the volume by that times the area at most
    area = sum(lump.surface_area() for lump in lumps)
    if abs(union.volume() - sum(lump.volume() for lump in lumps)) > LINEAR * area:
        return lumps
    return [shell for shell in union.decompose() if _is_thick(shell)]


def triangulate(outline: NDArray[np.float64]) -> NDArray[np.int64]:
    """Triangles (m, 3) of a counter-clockwise simple polygon (n, 2)."""
    return np.asarray(_library().triangulate([np.ascontiguousarray(outline)]), np.int64)


def triangulate_rings(rings: Sequence[NDArray[np.float64]]) -> NDArray[np.int64]:
    """Triangles (m, 3), by running index, of an outline (counter-clockwise) with holes (clockwise)."""
    return np.asarray(_library().triangulate([np.ascontiguousarray(ring) for ring in rings]), np.int64)


def moved_area(rings: Sequence[NDArray[np.float64]], distance: float, *, sharp: bool) -> float:
    """The area of a polygon whose border moves outwards, mm². rings: (n, 2), holes clockwise."""
    library = _library()
    section = library.CrossSection([np.ascontiguousarray(ring) for ring in rings])
    join = library.JoinType.Miter if sharp else library.JoinType.Round
    return float(section.offset(distance, join, _MITRE_LIMIT, _ROUND_SIDES).area())
