"""The one plane face that a selection means, and the frame for what is placed on it (modelling.md §2).

    frame = face_frame(build, brep, selector)
    frame.plane.place((3.0, 0.0))               # 3 mm to the right of the middle, seen from outside

Its normal is the outward one; y is the world's Z as it lies in the face, and on a horizontal face x is the
world's X; x = y × z. The origin is the centre of the rectangle about the outer outline in these axes.
Millimetres.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from OCP.gp import gp_Ax3, gp_Dir, gp_Pnt, gp_Trsf
from OCP.TopoDS import TopoDS_Face

from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.measure.extents import outline_extent
from vcad_kernel.geometry.occt.measure.integration.masses import quick_area_and_centre
from vcad_kernel.geometry.occt.measure.topology.described import candidates
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import kind_of_face, plane_normal
from vcad_kernel.geometry.occt.selection.selection import select_faces
from vcad_kernel.geometry.sweeps.planes import Plane
from vcad_kernel.operations.features.selections import Selector
from vcad_kernel.operations.planes import level_axis

__all__ = ["FaceFrame", "face_frame", "frame_on", "one_plane_face"]

_Vector: TypeAlias = NDArray[np.float64]

_ONE_DIRECTION: Final = 1e-6
"""Radians between the normals of faces that count as one."""
_ONE_PLANE: Final = 1e-6
"""Millimetres between the planes of faces that count as one."""


@dataclass(frozen=True, slots=True, eq=False)
class FaceFrame:
    """Where a plane face lies."""

    plane: Plane
    """From the centre of the rectangle about the outer outline, its normal out of the body."""
    size: tuple[float, float]
    """Of that rectangle along both axes, mm."""
    faces: tuple[TopoDS_Face, ...]
    """The face; several where they lie in one plane."""


def face_frame(build: Build, brep: Brep, selector: Selector) -> FaceFrame:
    """The frame of the one plane face that a selection takes.

    Raises: GeometryError NO_MATCH for none, AMBIGUOUS_FACE for several, NOT_PLANE for a curved one.
    """
    return frame_on(brep, one_plane_face(build, brep, selector))


def one_plane_face(build: Build, brep: Brep, selector: Selector) -> tuple[TopoDS_Face, ...]:
    """The plane face that a selection takes: one, or several that lie in one plane and look the same way.

    Raises: GeometryError NO_MATCH for none, AMBIGUOUS_FACE for several, NOT_PLANE for a curved one. Details
    and text describe what there is to choose from.
    """
    faces = select_faces(build, brep, selector)
    curved = [face for face in faces if plane_normal(face) is None]
    if curved:
        kind = kind_of_face(curved[0])
        raise build.fault(
            "NOT_PLANE",
            f"a plane face is meant, and the selection takes a {'curved face' if kind == 'other' else kind}",
            argument="face",
            failed=False,
            fix="add :kind :plane to the selection",
            details=candidates(brep, curved),
        )
    if not all(_lie_together(faces[0], face) for face in faces[1:]):
        raise build.fault(
            "AMBIGUOUS_FACE",
            f"one plane face is meant, and the selection takes {len(faces)} in different planes",
            argument="face",
            failed=False,
            fix="say which: by :normal, or by where it is, as :above {:z 5}",
            details=candidates(brep, faces),
        )
    return tuple(faces)


def frame_on(brep: Brep, faces: Sequence[TopoDS_Face]) -> FaceFrame:
    """The frame of plane faces of a body that lie in one plane."""
    normal = _normal(faces[0])
    nx, ny, nz = normal.tolist()
    level = np.array(level_axis((nx, ny, nz)))
    x = level - (level @ normal) * normal
    x /= np.linalg.norm(x)
    y = np.cross(normal, x)
    inwards = gp_Trsf()
    # from the world to the face's axes, about the world's origin
    inwards.SetTransformation(gp_Ax3(gp_Pnt(), gp_Dir(nx, ny, nz), gp_Dir(*x.tolist())))
    low, high = outline_extent(brep, faces, inwards)
    u, v, w = 0.5 * (np.array(low) + np.array(high))
    # + 0.0: a zero without a sign
    origin = u * x + v * y + w * normal + 0.0
    size = (high[0] - low[0], high[1] - low[1])
    return FaceFrame(Plane(origin, x + 0.0, y + 0.0), size, tuple(faces))


def _lie_together(face: TopoDS_Face, other: TopoDS_Face) -> bool:
    normal, there = _normal(face), _normal(other)
    apart = _centre(other) - _centre(face)
    # of small angles the sine, which rounds less than the cosine
    aligned = float(np.linalg.norm(np.cross(normal, there))) <= _ONE_DIRECTION and float(normal @ there) > 0.0
    return aligned and abs(float(normal @ apart)) <= _ONE_PLANE


def _normal(face: TopoDS_Face) -> _Vector:
    direction = plane_normal(face)
    assert direction is not None  # the face is a plane
    return np.array(direction.Coord())


def _centre(face: TopoDS_Face) -> _Vector:
    return np.array(quick_area_and_centre(face)[1].Coord())
