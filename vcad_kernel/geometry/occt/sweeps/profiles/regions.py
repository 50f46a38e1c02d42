"""Profiles as plane faces: outlines with their holes, united, cut and intersected as faces, and read back.

Faces lie in the plane's own coordinates, z = 0 with their outward side up; what grows out of them is carried
onto the plane. Lines, circles, ellipses and splines stay what they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepAlgoAPI import (
    BRepAlgoAPI_BooleanOperation,
    BRepAlgoAPI_Common,
    BRepAlgoAPI_Cut,
    BRepAlgoAPI_Fuse,
)
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace
from OCP.BRepTools import BRepTools, BRepTools_WireExplorer
from OCP.collections import List_TopoDS_Shape
from OCP.ShapeUpgrade import ShapeUpgrade_UnifySameDomain
from OCP.TopAbs import TopAbs_REVERSED, TopAbs_WIRE
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape, TopoDS_Wire

from vcad_kernel.geometry.occt.brep import faces_of, shape_map
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.validity import area_of
from vcad_kernel.geometry.occt.sweeps.profiles.flattening import image_of
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import face_of, merged, wire_of
from vcad_kernel.geometry.sweeps.planes import XY, Plane
from vcad_kernel.geometry.sweeps.profiles.curves import backwards, reversed_chain
from vcad_kernel.geometry.sweeps.profiles.regions import (
    Joined,
    Piece,
    Region,
    Shape,
    pieces_of,
    separate_pieces,
)
from vcad_kernel.geometry.tolerance import LINEAR, Tessellation
from vcad_kernel.operations.bodies.booleans import Difference, Intersection, Union
from vcad_kernel.operations.profiles.sketches import Curve, Outlines

__all__ = [
    "combined",
    "curves_of_faces",
    "face_of_piece",
    "faces_of_region",
    "outlines_of",
    "plane_faces",
]

_ALGORITHMS: dict[type[Union | Difference | Intersection], type[BRepAlgoAPI_BooleanOperation]] = {
    Union: BRepAlgoAPI_Fuse,
    Difference: BRepAlgoAPI_Cut,
    Intersection: BRepAlgoAPI_Common,
}
_NOTHING = LINEAR**2
"""mm²: faces of less are what rounding leaves."""


def faces_of_region(build: Build, region: Region) -> list[TopoDS_Face]:
    """The faces of a profile, one for each connected piece; none of an empty one.

    Raises: GeometryError SKETCH_DEGENERATE, BOOLEAN_FAILED.
    """
    separate = separate_pieces(build.document, region, Tessellation())
    if separate is not None:
        return [face_of_piece(piece) for piece in separate]
    stack: list[list[TopoDS_Face]] = []
    for step in region.steps:
        if isinstance(step, Shape):
            stack.append([face_of_piece(piece) for piece in pieces_of(build.document, step, Tessellation())])
        else:
            operands = stack[-step.count :]
            del stack[-step.count :]
            stack.append(_joined(build, step, operands))
    (faces,) = stack
    return faces


def face_of_piece(piece: Piece) -> TopoDS_Face:
    """The plane face of an outline with holes."""
    face = face_of(merged(piece.outer), XY)
    if not piece.holes:
        return face
    making = BRepBuilderAPI_MakeFace(face)
    for hole in piece.holes:
        # clockwise a curve has an axis downwards, and an ellipse with such a one is a spline in STEP
        making.Add(TopoDS.Wire(wire_of(merged(reversed_chain(hole)), XY).Reversed()))
    return making.Face()


def _joined(build: Build, step: Joined, operands: Sequence[list[TopoDS_Face]]) -> list[TopoDS_Face]:
    """Faces put together; of regions that are empty nothing is asked."""
    first, *others = operands
    if step.operation is Intersection:
        for other in others:
            first = combined(build, Intersection, first, other) if first and other else []
        return first
    rest = [face for other in others for face in other]
    if step.operation is Union:
        there = [*first, *rest]
        return combined(build, Union, there[:1], there[1:]) if len(there) > 1 else there
    return combined(build, Difference, first, rest) if first and rest else first


def combined(
    build: Build,
    operation: type[Union | Difference | Intersection],
    subjects: Sequence[TopoDS_Face],
    tools: Sequence[TopoDS_Face],
) -> list[TopoDS_Face]:
    """Plane faces in z = 0 united, cut or intersected, facing up. Raises: GeometryError BOOLEAN_FAILED."""
    algorithm = _ALGORITHMS[operation]()
    algorithm.SetArguments(_listed(subjects))
    algorithm.SetTools(_listed(tools))
    try:
        algorithm.Build()
        return plane_faces(build, algorithm.Shape())
    except OCCT_ERRORS as error:
        raise build.fault("BOOLEAN_FAILED", "the profiles cannot be put together") from error


def plane_faces(build: Build, made: TopoDS_Shape) -> list[TopoDS_Face]:
    """The faces in z = 0 that a boolean has given, those that border on each other as one, without films.

    Raises: GeometryError BOOLEAN_FAILED.
    """
    # lines that bound nothing on either side
    BRepTools.RemoveInternals_s(made, True)
    try:
        unifying = ShapeUpgrade_UnifySameDomain(made, True, True, False)
        unifying.Build()
        shape = unifying.Shape()
    except OCCT_ERRORS as error:
        raise build.fault("BOOLEAN_FAILED", "the profiles cannot be put together") from error
    return [upwards(face) for face in faces_of(shape) if abs(area_of(face)) > _NOTHING]


def upwards(face: TopoDS_Face) -> TopoDS_Face:
    """The face with its outward side up: results of booleans may lie either way."""
    plane = BRepAdaptor_Surface(face, False).Plane()
    up = (plane.Axis().Direction().Z() > 0.0) is plane.Direct()
    against = (face.Orientation() == TopAbs_REVERSED) is up
    return TopoDS.Face(face.Reversed()) if against else face


def _listed(faces: Sequence[TopoDS_Face]) -> List_TopoDS_Shape:
    result = List_TopoDS_Shape()
    for face in faces:
        result.Append(face)
    return result


# ---------------------------------------------------------------- faces as outlines


def outlines_of(build: Build, region: Region) -> tuple[Plane, Outlines]:
    """A profile as outlines of one shape, in the coordinates of its plane.

    Raises: GeometryError as `faces_of_region`, and INVALID_PARAMETER for a border that is no curve of ours.
    """
    if region.alone is not None:
        return region.plane, region.alone.outlines
    return region.plane, curves_of_faces(faces_of_region(build, region))


def curves_of_faces(faces: Sequence[TopoDS_Face], fits: list[float] | None = None) -> Outlines:
    """The borders of faces in z = 0, each a closed chain; full circles and ellipses in two halves.

    fits: is told how far splines are off that are laid along other curves, mm.
    """
    outlines = []
    for face in faces:
        wires = shape_map(face, TopAbs_WIRE)
        for index in range(1, wires.Extent() + 1):
            wire = TopoDS.Wire(wires.FindKey(index))
            outlines.append(tuple(curve for edge in _along(wire, face) for curve in _curves(edge, fits)))
    return tuple(outlines)


def _along(wire: TopoDS_Wire, face: TopoDS_Face) -> Iterator[TopoDS_Edge]:
    explorer = BRepTools_WireExplorer(wire, face)
    while explorer.More():
        yield explorer.Current()
        explorer.Next()


def _curves(edge: TopoDS_Edge, fits: list[float] | None) -> list[Curve]:
    """An edge in the sense of its wire."""
    parts = list(image_of(BRepAdaptor_Curve(edge), fits))
    if edge.Orientation() == TopAbs_REVERSED:
        parts = [backwards(part) for part in reversed(parts)]
    return parts
