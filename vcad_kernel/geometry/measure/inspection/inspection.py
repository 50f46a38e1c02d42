"""The edges and faces of a part as tables, exact or from its mesh.

    faces(measurement, mesh)     # Table of Face: kind, area, radius, centre, normal, who made it
    edges(measurement, mesh)     # Table of Edge: kind, length, radius, centre, direction, its faces

Small bodies without an imported mesh answer from the merged B-rep, whose numbers are those of
selectors and of failing features. Others answer from the mesh: its faces are the regions without a
crease, exact where the body is planar, else within the tolerance that is stated.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from vcad_kernel.errors import Place
from vcad_kernel.geometry.measure.inspection.mesh_regions import Border, Region, Regions
from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.geometry.measure.readings import EdgeReading, FaceReading
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.operations.node import NodeId, Vec3

__all__ = [
    "Edge",
    "Face",
    "Table",
    "answering_body",
    "edges",
    "edges_of_body",
    "edges_of_mesh",
    "faces",
    "faces_of_body",
    "faces_of_mesh",
    "number_text",
]


@dataclass(frozen=True, slots=True)
class Edge:
    """One edge of a part. Millimetres."""

    HEAD: ClassVar = ("edge", "kind", "length", "radius", "center", "direction", "faces")
    index: int
    kind: str
    """line, circle or other; edges of a curved body's mesh are line or other."""
    length: float
    radius: float | None
    """Of a circle."""
    center: Vec3
    """The middle: of a closed circle its centre, of any other edge the point at half its length."""
    direction: Vec3 | None
    """Along a line, either way; the axis of a circle."""
    faces: tuple[int, ...]
    """Numbers of the faces it lies between; one alone for a seam."""
    exact: bool

    def cells(self) -> tuple[str, ...]:
        """The row of a table, under ``HEAD``."""
        about = "" if self.exact else "≈ "
        return (
            str(self.index),
            self.kind,
            about + number_text(self.length),
            "" if self.radius is None else number_text(self.radius),
            _vector(self.center),
            _vector(self.direction),
            " ".join(map(str, self.faces)),
        )


@dataclass(frozen=True, slots=True)
class Face:
    """One face of a part. Millimetres and mm²."""

    HEAD: ClassVar = ("face", "kind", "area", "radius", "center", "normal", "made by")
    index: int
    kind: str
    """plane, cylinder, cone, sphere, torus or other; of a mesh, plane or other."""
    area: float
    radius: float | None
    """Of a cylinder or sphere; of a torus that of its tube."""
    center: Vec3
    """The centroid of its surface."""
    normal: Vec3 | None
    """Outward, of a plane."""
    made_by: str
    """The function whose call made it."""
    source: Place | None
    """Where that call stands, when the text is known."""
    exact: bool

    def cells(self) -> tuple[str, ...]:
        """The row of a table, under ``HEAD``."""
        where = "" if self.source is None else f" {self.source.line}:{self.source.column}"
        return (
            str(self.index),
            self.kind,
            ("" if self.exact else "≈ ") + number_text(self.area),
            "" if self.radius is None else number_text(self.radius),
            _vector(self.center),
            _vector(self.normal),
            self.made_by + where,
        )


_Row = TypeVar("_Row", Edge, Face)


class Table(tuple[_Row, ...]):
    """Rows in order, shown as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self:
            return "nothing"
        rows = [self[0].HEAD, *(row.cells() for row in self)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        )


def edges(measurement: Measurement, mesh: TriMesh, *, exact: bool = False) -> Table[Edge]:
    """Every edge of a part.

    mesh: the part's, with the nodes that made its triangles.
    exact: from the B-rep whatever it costs. Raises, then only: CapabilityUnavailable, GeometryError.
    """
    body = answering_body(measurement, exact=exact)
    if body is not None:
        from vcad_kernel.geometry.occt.measure.topology.inspecting import edge_readings

        return edges_of_body(edge_readings(body))
    regions = Regions(mesh, planar=measurement.on_mesh.exact)
    return edges_of_mesh(measurement, regions.borders())


def faces(measurement: Measurement, mesh: TriMesh, *, exact: bool = False) -> Table[Face]:
    """Every face of a part; arguments and errors as of :func:`edges`."""
    body = answering_body(measurement, exact=exact)
    if body is not None:
        from vcad_kernel.geometry.occt.measure.topology.inspecting import face_readings

        return faces_of_body(measurement, face_readings(body))
    return faces_of_mesh(measurement, mesh, Regions(mesh, planar=measurement.on_mesh.exact))


def answering_body(measurement: Measurement, *, exact: bool) -> Any:
    """The merged exact body from which a part answers; None where its mesh does.

    exact: whatever it costs. Raises, then only: CapabilityUnavailable, GeometryError.
    """
    if exact:
        measurement.confirm()
    elif measurement.on_mesh.is_empty or not measurement.answers_exactly():
        return None
    body = measurement.kernel.brep(measurement.document, measurement.node)
    if body is None:
        return None
    from vcad_kernel.geometry.occt.measure.topology.inspecting import merged

    return merged(body)


def edges_of_body(readings: Iterable[EdgeReading]) -> Table[Edge]:
    """The rows of what the exact kernel reads."""
    return Table(
        Edge(edge.index, edge.kind, edge.length, edge.radius, edge.center, edge.direction, edge.faces, True)
        for edge in readings
    )


def faces_of_body(measurement: Measurement, readings: Iterable[FaceReading]) -> Table[Face]:
    """The rows of what the exact kernel reads."""
    document = measurement.document
    rows = []
    for face in readings:
        node = document.by_digest[face.maker]
        rows.append(
            Face(
                face.index,
                face.kind,
                face.area,
                face.radius,
                face.center,
                face.normal,
                document.function_of(node),
                document.place_of(node),
                face.exact,
            )
        )
    return Table(rows)


def edges_of_mesh(measurement: Measurement, borders: Iterable[Border]) -> Table[Edge]:
    """The rows of what the mesh shows."""
    is_exact = measurement.on_mesh.exact
    return Table(
        Edge(
            border.index,
            "other" if border.direction is None else "line",
            border.length,
            None,
            border.center,
            border.direction,
            border.regions,
            is_exact,
        )
        for border in borders
    )


def faces_of_mesh(measurement: Measurement, mesh: TriMesh, regions: Iterable[Region]) -> Table[Face]:
    """The rows of what the mesh shows."""
    document, is_exact = measurement.document, measurement.on_mesh.exact
    rows = []
    for region in regions:
        node = measurement.node
        if len(mesh.source_nodes):
            node = NodeId(int(mesh.source_nodes[region.triangles[0]]))
        rows.append(
            Face(
                region.index,
                "other" if region.normal is None else "plane",
                region.area,
                None,
                region.center,
                region.normal,
                document.function_of(node),
                document.place_of(node),
                is_exact,
            )
        )
    return Table(rows)


def number_text(value: float) -> str:
    """Six significant digits without an exponent; noise below a millionth of a millimetre is 0."""
    text = f"{0.0 if abs(value) < 5e-7 else value:.6g}"
    return f"{value:.0f}" if "e" in text else text


def _vector(value: Vec3 | None) -> str:
    return "" if value is None else f"({', '.join(number_text(part) for part in value)})"
