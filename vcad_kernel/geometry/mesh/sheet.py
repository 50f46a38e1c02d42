"""Profiles and surfaces as they are shown: from both sides; figures are those of outlines and faces.

They are no solids: nothing is made of them, and no file.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.cache.solid_cache import NOTHING, CachedSolid
from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.geometry.mesh.manifold_kernel import triangulate_rings
from vcad_kernel.geometry.solid import ExactKernel
from vcad_kernel.geometry.sweeps.profiles.curves import outline_moments
from vcad_kernel.geometry.sweeps.profiles.fits import fit_of
from vcad_kernel.geometry.sweeps.profiles.regions import (
    Piece,
    Shape,
    Source,
    pieces_of,
    profile_in,
    read_region,
)
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId, Vec3
from vcad_kernel.operations.profiles.sketches import Curves

__all__ = ["sheet", "surface_sheet"]

_CLAIMED = 1e-9
"""Relative: areas that may be further off are no exact ones."""


def sheet(document: Document, node: NodeId, source: Source, tessellation: Tessellation) -> CachedSolid:
    """The two sides of a profile, with its exact area (one side), box and centre; no volume.

    Raises: GeometryError, as `read_region`.
    """
    region = read_region(document, node, source)
    plane, outlines = region.plane, region.alone.outlines if region.alone else ()
    if region.alone is None:
        plane, outlines = source.outlines(document, node)
    pieces = pieces_of(document, Shape(node, outlines), tessellation)
    if not pieces:
        return NOTHING
    # the front, piece by piece, from outlines as fine as the display wants
    chord = 0.0
    points: list[NDArray[np.float64]] = []
    triangles: list[NDArray[np.int64]] = []
    for piece in pieces:
        rings = [profile_in(document, node, outline).outline(tessellation) for outline in _chains(piece)]
        chord = max(chord, *(ring.deviation for ring in rings))
        triangles.append(triangulate_rings([ring.points for ring in rings]) + sum(map(len, points)))
        points += [ring.points for ring in rings]
    placed = np.array([plane.place(point) for point in np.vstack(points)])
    mesh = _from_both_sides(placed, np.vstack(triangles))
    # figures come from the curves themselves, not from the triangles
    moments = [outline_moments(outline) for piece in pieces for outline in _chains(piece)]
    area, u, v = np.sum(moments, axis=0)
    # what lies along each axis of the world: the outlines, along that axis as it lies in the plane
    spans = [
        [
            profile_in(document, node, piece.outer).extent((float(plane.x[axis]), float(plane.y[axis])))
            for piece in pieces
        ]
        for axis in range(3)
    ]
    low = [float(plane.origin[axis]) + min(span[0] for span in spans[axis]) for axis in range(3)]
    high = [float(plane.origin[axis]) + max(span[1] for span in spans[axis]) for axis in range(3)]
    # curves that are only near what was asked for move the border by so much
    off = fit_of(document, node, source)
    border = sum(float(np.linalg.norm(ring - np.roll(ring, 1, axis=0), axis=1).sum()) for ring in points)
    exact = off * border <= _CLAIMED * area
    figures = Figures(
        volume=0.0,
        surface_area=float(area),
        bounds=(_vec3(low), _vec3(high)),
        center_of_mass=_vec3(plane.place((u / area, v / area)).tolist()),
        is_empty=False,
        triangles=mesh.triangle_count,
        vertices=mesh.vertex_count,
        exact=bool(exact),
        tolerance=None if exact else off,
        mesh_of=lambda: mesh,
    )
    makers = (document.digest(node),)
    return CachedSolid(mesh, figures, makers, np.zeros(mesh.triangle_count, np.uint32), (), True, chord)


def surface_sheet(
    document: Document, node: NodeId, exact: ExactKernel, tessellation: Tessellation
) -> CachedSolid:
    """The two sides of a surface, with its area (one side), box and centre; no volume.

    Raises: GeometryError, CapabilityUnavailable.
    """
    shown = exact.shown_surface(document, node, tessellation)
    mesh = _from_both_sides(shown.mesh.positions, shown.mesh.indices.astype(np.int64))
    figures = Figures(
        volume=0.0,
        surface_area=shown.area,
        bounds=shown.bounds,
        center_of_mass=shown.center,
        is_empty=False,
        triangles=mesh.triangle_count,
        vertices=mesh.vertex_count,
        exact=shown.tolerance == 0.0,
        tolerance=shown.tolerance or None,
        mesh_of=lambda: mesh,
    )
    makers = (document.digest(node),)
    each = np.zeros(mesh.triangle_count, np.uint32)
    return CachedSolid(mesh, figures, makers, each, (), shown.chord == 0.0, shown.chord)


def _from_both_sides(points: NDArray[np.float64], front: NDArray[np.int64]) -> TriMesh:
    """The back is the front once more, turned round: a sheet has two sides and no thickness."""
    turned = front[:, ::-1] + len(points)
    return TriMesh(np.vstack([points, points]), np.vstack([front, turned]).astype(np.uint32))


def _chains(piece: Piece) -> tuple[Curves, ...]:
    return (piece.outer, *piece.holes)


def _vec3(values: list[float]) -> Vec3:
    x, y, z = (value + 0.0 for value in values)
    return (x, y, z)
