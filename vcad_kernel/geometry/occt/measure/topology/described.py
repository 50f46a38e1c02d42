"""Edges and faces as the details of errors describe them: number, middle, size, kind.

    {"id": 3, "kind": "circle", "middle": [10.0, 10.0, 5.0], "length": 18.85, "radius": 3.0}

Millimetres, mm². `vcad_kernel.errors` puts them in words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import Brep, shape_map
from vcad_kernel.geometry.occt.measure.integration.masses import area_and_centre
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import (
    kind_of_edge,
    kind_of_face,
    length_of,
    middle_of,
    radius_of_edge,
    radius_of_face,
)

__all__ = ["candidates", "described_edge", "described_face"]

_MOST_CANDIDATES: Final = 12
"""Described one by one."""


def described_edge(edge: TopoDS_Edge, number: int) -> dict[str, Any]:
    """An edge. number: of the merged body's."""
    return _described(number, kind_of_edge(edge), middle_of(edge).Coord(), "length", length_of(edge)) | (
        _round(radius_of_edge(edge))
    )


def described_face(face: TopoDS_Face, number: int) -> dict[str, Any]:
    """A face. number: of the merged body's."""
    area, middle = area_and_centre(face)
    return _described(number, kind_of_face(face), middle.Coord(), "area", area) | _round(radius_of_face(face))


def candidates(brep: Brep, shapes: Iterable[TopoDS_Shape]) -> dict[str, Any]:
    """What there was to choose from, for the details of an error: edges or faces of a body, a dozen of them
    described, and how many there are."""
    there = list(shapes)
    edges = [TopoDS.Edge(shape) for shape in there[:_MOST_CANDIDATES] if shape.ShapeType() == TopAbs_EDGE]
    faces = [TopoDS.Face(shape) for shape in there[:_MOST_CANDIDATES] if shape.ShapeType() == TopAbs_FACE]
    details: dict[str, Any] = {"candidate_count": len(there)}
    if edges:
        numbers = shape_map(brep.shape, TopAbs_EDGE)
        details["candidate_edges"] = [described_edge(edge, numbers.FindIndex(edge) - 1) for edge in edges]
    if faces:
        numbers = shape_map(brep.shape, TopAbs_FACE)
        details["candidate_faces"] = [described_face(face, numbers.FindIndex(face) - 1) for face in faces]
    return details


def _described(
    number: int, kind: str, middle: tuple[float, float, float], measure: str, size: float
) -> dict[str, Any]:
    return {"id": number, "kind": kind, "middle": list(middle), measure: size}


def _round(radius: float | None) -> dict[str, Any]:
    return {} if radius is None else {"radius": radius}
