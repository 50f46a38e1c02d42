"""What a viewer must know to answer for a part: the face of each triangle, edges as lines, and their rows.

    rows = scene_rows(measurement, mesh)
    rows.faces[rows.triangle_faces[t]]          # the row of the face that triangle t of the mesh lies on
    rows.line(7)                                # the points by which edge 7 is drawn

Numbers are those of the tables (`inspection`), by the same rule: of the exact body where that is asked, else
of the mesh.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.measure.inspection.inspection import (
    Edge,
    Face,
    Table,
    answering_body,
    edges_of_body,
    edges_of_mesh,
    faces_of_body,
    faces_of_mesh,
)
from vcad_kernel.geometry.measure.inspection.mesh_regions import Regions
from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.geometry.tolerance import DISPLAY_CHORD
from vcad_kernel.geometry.tri_mesh import TriMesh

__all__ = ["SceneRows", "scene_rows"]


@dataclass(frozen=True, slots=True, eq=False)
class SceneRows:
    """Faces and edges of one part, and what of its picture they are."""

    faces: Table[Face]
    """As `inspection.faces` gives them: row k is face k. The area of a face that takes an integration of its
    own, as a spline's, is that of its triangles, and not exact: who points at faces does not wait for it."""
    edges: Table[Edge]
    """As `inspection.edges` gives them. A pole has a number and no row: an edge is found by its ``index``."""
    triangle_faces: NDArray[np.uint32]
    """(m,) the face that each triangle of the shown mesh lies on."""
    lines: NDArray[np.float32]
    """(p, 3) the points of all edges, one edge after the other, mm."""
    line_starts: NDArray[np.uint32]
    """(e + 1,) where the points of each edge number begin, and their end; a pole has none."""
    line_tangent: NDArray[np.uint8]
    """(e,) 1 where the surface goes on smoothly across the edge: between tangent faces, and at a seam."""

    def line(self, edge: int) -> NDArray[np.float32]:
        """(k, 3) the points of one edge. Raises: IndexError when there is none of this number."""
        if not 0 <= edge < len(self.line_tangent):
            raise IndexError(
                f"there is no edge {edge}: the part has {len(self.line_tangent)}, numbered from 0"
            )
        return self.lines[self.line_starts[edge] : self.line_starts[edge + 1]]


def scene_rows(measurement: Measurement, mesh: TriMesh, *, exact: bool = False) -> SceneRows:
    """Faces, edges and lines of a part.

    mesh: the part's as it is shown, with the nodes that made its triangles.
    exact: from the B-rep whatever it costs. Raises, then only: CapabilityUnavailable, GeometryError.
    """
    body = answering_body(measurement, exact=exact)
    if body is None:
        regions = Regions(mesh, planar=measurement.on_mesh.exact)
        borders = list(regions.borders())
        return SceneRows(
            faces_of_mesh(measurement, mesh, regions),
            edges_of_mesh(measurement, borders),
            regions.label.astype(np.uint32),
            *_drawn([(border.line, border.smooth) for border in borders]),
        )
    from vcad_kernel.geometry.occt.measure.topology.inspecting import edge_lines, edge_readings, face_readings
    from vcad_kernel.geometry.occt.measure.topology.triangle_faces import triangle_faces

    chord = measurement.on_mesh.tolerance or DISPLAY_CHORD
    nodes = np.array([measurement.document.by_digest[maker] for maker in body.makers], np.int64)
    labels = triangle_faces(body, nodes, mesh, chord)
    return SceneRows(
        _with_areas(faces_of_body(measurement, face_readings(body, quick=True)), labels, mesh),
        edges_of_body(edge_readings(body)),
        labels,
        *_drawn(edge_lines(body, chord)),
    )


def _with_areas(rows: Table[Face], labels: NDArray[np.uint32], mesh: TriMesh) -> Table[Face]:
    """The rows, those that are not exact with the area and the centre of their triangles."""
    if all(row.exact for row in rows):
        return rows
    corners = mesh.corners()
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = 0.5 * np.linalg.norm(doubled, axis=1)
    by_face = np.bincount(labels, areas, minlength=len(rows))
    weighted = areas[:, None] * corners.mean(axis=1)
    middles = np.stack([np.bincount(labels, weighted[:, k], minlength=len(rows)) for k in range(3)], axis=1)

    def measured(row: Face) -> Face:
        area = float(by_face[row.index])
        if row.exact or area == 0.0:
            return row
        x, y, z = (middles[row.index] / area).tolist()
        return replace(row, area=area, center=(x, y, z))

    return Table(map(measured, rows))


def _drawn(
    edges: Sequence[tuple[NDArray[np.float64], bool]],
) -> tuple[NDArray[np.float32], NDArray[np.uint32], NDArray[np.uint8]]:
    """Lines, starts and tangents of edges, each given as its points and whether the surface goes on there."""
    starts = np.cumsum([0, *(len(points) for points, _ in edges)]).astype(np.uint32)
    lines = np.concatenate([np.empty((0, 3)), *(points for points, _ in edges)]).astype(np.float32)
    return lines, starts, np.array([tangent for _, tangent in edges], np.uint8)
