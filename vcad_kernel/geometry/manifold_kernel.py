"""The mesh kernel: the only file that imports manifold3d, and only on first use.

A :class:`Body` is a solid whose booleans have been noted but not carried out. Chains of one
operation are kept as flat lists and handed over in one batch; manifold3d itself is lazy, and its
status is asked for once, when the mesh is read. (Forcing each step of a chain costs 4–33 times as
much.) Nothing here knows documents.
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

from vcad_kernel.geometry.contact import joined, touching, unsettled
from vcad_kernel.geometry.placement import Matrix
from vcad_kernel.geometry.swept import Skin
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = ["STATUS_REASONS", "Body", "KernelFault", "Operation", "Reading", "identity", "triangulate"]

_MAX_DEPTH = 1_000
"""Operations nested in each other before they are carried out: the library keeps them as a tree."""
_MAX_SPREAD = 20_000
"""A union of more bodies than this is noted as one body before a pattern multiplies it."""

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


class KernelFault(Exception):
    """manifold3d could not make the solid; ``status`` is its own word for it."""

    def __init__(self, status: str) -> None:
        super().__init__(STATUS_REASONS.get(status, status))
        self.status = status


@functools.cache
def _library() -> ModuleType:
    return importlib.import_module("manifold3d")


@functools.cache
def identity() -> str:
    """Name and version of the library, part of every cache key."""
    return f"manifold3d {importlib.metadata.version('manifold3d')}"


class Operation(Enum):
    """The three booleans."""

    UNION = "Add"
    DIFFERENCE = "Subtract"
    INTERSECTION = "Intersect"


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The mesh of a body, and which originals its triangles come from."""

    positions: NDArray[np.float64]
    triangles: NDArray[np.uint32]
    runs: NDArray[np.int64]
    """(k + 1,) where each run of triangles begins, ending with their number."""
    originals: NDArray[np.int64]
    """(k,) the original body of each run."""


class Body:
    """A solid as one operation over a list of operands, not yet carried out.

    The list is owned: combining two bodies uses them up. Who needs a body twice asks for
    :meth:`shared` first, whose parts may be combined any number of times.
    """

    __slots__ = ("_depth", "_items", "_operation")

    def __init__(self, items: list[Any], operation: Operation = Operation.UNION, depth: int = 0) -> None:
        self._items = items
        self._operation = operation
        self._depth = depth

    # ------------------------------------------------------------ originals

    @classmethod
    def cube(cls, size: Sequence[float]) -> Body:
        """Box with a corner at the origin."""
        return cls([_library().Manifold.cube(tuple(size))])

    @classmethod
    def cylinder(cls, radius: float, height: float, sides: int) -> Body:
        """About +Z from z = 0; vertices on the x and y axes when sides is a multiple of 4."""
        return cls([_library().Manifold.cylinder(height, radius, radius, sides)])

    @classmethod
    def cone(cls, bottom: float, top: float, height: float, sides: int) -> Body:
        """Frustum about +Z from z = 0; one radius may be 0."""
        make = _library().Manifold.cylinder
        if bottom > 0.0:
            return cls([make(height, bottom, top, sides)])
        # not every version takes a point at the bottom: stand it on its head
        return cls([make(height, top, 0.0, sides).scale((1.0, 1.0, -1.0)).translate((0.0, 0.0, height))])

    @classmethod
    def of_skin(cls, skin: Skin) -> Body:
        """A closed outward mesh. Raises KernelFault when it is not one."""
        library = _library()
        triangles = np.ascontiguousarray(skin.triangles, np.uint64)
        made = library.Manifold(
            library.Mesh64(
                np.ascontiguousarray(skin.positions, np.float64),
                triangles,
                run_index=np.array([0, triangles.size], np.uint64),
                run_original_id=np.array([library.Manifold.reserve_ids(1)], np.uint32),
            )
        )
        _check(made)
        return cls([made])

    def original(self) -> int:
        """The identity of a body just made by one of the above, as :class:`Reading` reports it."""
        (made,) = self._items
        known = int(made.original_id())
        if known < 0:
            known = int(made.to_mesh64().run_original_id[0])
        return known

    # ------------------------------------------------------------ operations

    def combined(self, other: Body, operation: Operation) -> Body:
        """self ∘ other; both are used up."""
        adds_up = Operation.UNION if operation is Operation.DIFFERENCE else operation
        mine = self._items if self._is(operation) else [self._one()]
        theirs = other._items if other._is(adds_up) else [other._one()]
        depth = max(self._depth, other._depth)
        if operation is not Operation.DIFFERENCE and len(theirs) > len(mine):
            theirs.extend(mine)
            return Body(theirs, operation, depth)
        mine.extend(theirs)
        return Body(mine, operation, depth)

    def moved(self, matrix: Matrix) -> Body:
        """Transformed by a 3×4 matrix; the body is used up."""
        if self._operation is not Operation.UNION or self._depth == 0:
            # carried out where it stands: operands that fit exactly would only nearly fit once turned.
            # Not so for chains of unions and turns, which would lose their flat lists.
            self._one()
        return Body([item.transform(matrix) for item in self._items], depth=self._depth)

    def repeated(self, matrices: Iterable[Matrix]) -> Body:
        """The union of a copy under each matrix; the body is used up."""
        places = list(matrices)
        spread = self._operation is Operation.UNION and len(self._items) * len(places) <= _MAX_SPREAD
        items = self._items if spread else [self._one()]
        return Body([item.transform(matrix) for matrix in places for item in items], depth=self._depth)

    def shared(self) -> Body:
        """The same solid as a single operand, which may be handed out more than once."""
        return Body([self._one()], depth=self._depth)

    def again(self) -> Body:
        """A body of its own over the operand of a :meth:`shared` one."""
        return Body(list(self._items), self._operation, self._depth)

    def is_empty(self) -> bool:
        """Whether nothing is left. Carries the operations out."""
        return bool(self._one().is_empty())

    def read(self) -> Reading:
        """Carry everything out and read the mesh. Raises KernelFault."""
        made = self._one()
        _check(made)
        reading = _reading(made)
        if len(reading.originals) > 1 and unsettled(reading.positions, reading.triangles):
            reading = _reading(_settled(made))
        return reading

    def _is(self, operation: Operation) -> bool:
        return self._operation is operation or len(self._items) == 1

    def _one(self) -> Any:
        if len(self._items) == 1:
            return self._items[0]
        library = _library()
        kind = getattr(library.OpType, self._operation.value)
        made = library.Manifold.batch_boolean(self._items, kind)
        self._items, self._operation, self._depth = [made], Operation.UNION, self._depth + 1
        if self._depth > _MAX_DEPTH:
            made.num_tri()
            self._depth = 0
        return made


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
        groups = touching(np.array([_box(lump) for lump in lumps]))
        united = [_united([lumps[index] for index in group]) for group in groups]
        if any(len(now) < len(group) for now, group in zip(united, groups, strict=True)):
            in_contact = {int(index) for group in groups for index in group}
            alone = [lump for index, lump in enumerate(lumps) if index not in in_contact]
            return library.Manifold.compose([*itertools.chain(*united), *alone, *others])
    return made if len(thick) == len(shells) else library.Manifold.compose(thick)


def _is_thick(shell: Any) -> bool:
    """Whether a shell encloses more than a film thinner than what counts as contact."""
    return bool(2.0 * abs(shell.volume()) > LINEAR * shell.surface_area())


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
    area = sum(lump.surface_area() for lump in lumps)
    if abs(union.volume() - sum(lump.volume() for lump in lumps)) > LINEAR * area:
        return lumps
    return [shell for shell in union.decompose() if _is_thick(shell)]


def triangulate(outline: NDArray[np.float64]) -> NDArray[np.int64]:
    """Triangles (m, 3) of a counter-clockwise simple polygon (n, 2)."""
    return np.asarray(_library().triangulate([np.ascontiguousarray(outline)]), np.int64)


def _check(made: Any) -> None:
    status = made.status()
    if status != _library().Error.NoError:
        raise KernelFault(status.name)
