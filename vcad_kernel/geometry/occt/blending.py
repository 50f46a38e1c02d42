"""Fillets and chamfers of all sharp edges or of selected ones: the builders of those nodes.

Each lump of the body is blended for itself. Ways to build are tried in order (``_WAYS``); the referee
(:mod:`vcad_kernel.geometry.occt.blend_checks`) passes the first body that can be right. If none does
the node fails with the largest size that works. A blend runs on along edges that continue a selected
one tangentially.

A corner between convex and concave edges of curved faces is a spline patch. Refused are: edges at
which more than two faces meet, corners of four and more edges that are not all convex and straight
where OpenCASCADE finds no patch, and a blend in which a face would vanish.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from OCP.BRep import BRep_Builder
from OCP.TopAbs import TopAbs_EDGE
from OCP.TopoDS import TopoDS_Compound, TopoDS_Shape

from vcad_kernel.geometry.occt.blend import Blend
from vcad_kernel.geometry.occt.blend_builders import at_once, coarsely
from vcad_kernel.geometry.occt.blend_checks import blend_flaw
from vcad_kernel.geometry.occt.blend_limits import blend_failure, fits_flat_faces
from vcad_kernel.geometry.occt.blend_polyhedra import as_polyhedron
from vcad_kernel.geometry.occt.brep import Brep, carried, edges_of, shape_map, solids_of
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.reseaming import has_pole_in_corner, lies_on, reseamed
from vcad_kernel.geometry.occt.selection import select_edges
from vcad_kernel.geometry.occt.sharp_edges import SharpEdge, sharp_edges
from vcad_kernel.ir.digest import Digest
from vcad_kernel.ir.nodes import Chamfer, ChamferAt, Fillet, FilletAt

__all__ = ["chamfer", "chamfer_at", "fillet", "fillet_at"]

_Way: TypeAlias = Callable[[Brep, Sequence[SharpEdge], Blend, Digest], Brep | None]

_WAYS: tuple[_Way, ...] = (as_polyhedron, at_once, coarsely)


def fillet(build: Build, node: Fillet, operands: Operands) -> Brep | None:
    """Every sharp edge rounded. Raises: FILLET_FAILED."""
    return _everywhere(build, operands[0], Blend("fillet", node.radius))


def chamfer(build: Build, node: Chamfer, operands: Operands) -> Brep | None:
    """Every sharp edge bevelled. Raises: CHAMFER_FAILED."""
    return _everywhere(build, operands[0], Blend("chamfer", node.distance))


def fillet_at(build: Build, node: FilletAt, operands: Operands) -> Brep | None:
    """The selected edges rounded. Raises: NO_MATCH, FILLET_FAILED."""
    end = None if node.radius_end == node.radius else node.radius_end
    body = operands[0]
    if body is None:
        return None
    return _blended(build, body, Blend("fillet", node.radius, end), _chosen(build, body, node))


def chamfer_at(build: Build, node: ChamferAt, operands: Operands) -> Brep | None:
    """The selected edges bevelled. Raises: NO_MATCH, CHAMFER_FAILED."""
    body = operands[0]
    if body is None:
        return None
    return _blended(build, body, Blend("chamfer", node.distance), _chosen(build, body, node))


def _everywhere(build: Build, body: Brep | None, blend: Blend) -> Brep | None:
    if body is None:
        return None
    corners = sharp_edges(body.shape)
    if not corners:
        build.warn("NO_EDGES", "the body has no sharp edge, so it stays as it is")
        return body
    return _blended(build, body, blend, corners)


def _chosen(build: Build, body: Brep, node: FilletAt | ChamferAt) -> list[SharpEdge]:
    chosen = select_edges(build, body, node.edges)
    return [corner for corner in sharp_edges(body.shape) if any(corner.edge.IsSame(one) for one in chosen)]


def _blended(build: Build, body: Brep, blend: Blend, corners: Sequence[SharpEdge]) -> Brep:
    lumps = _lumps(body, corners)
    maker = build.maker
    parts = []
    for lump, sharp in lumps:
        part = _lump_blended(lump, sharp, blend, maker) if sharp else lump
        if part is None:
            raise blend_failure(
                build,
                blend,
                [(brep, edges) for brep, edges in lumps if edges],
                edges_of(body.shape),
                _lump_blended,
            )
        parts.append(part)
    return _together(body, parts)


def _lump_blended(lump: Brep, corners: Sequence[SharpEdge], blend: Blend, maker: Digest) -> Brep | None:
    """One solid blended and looked over; None when no way leads to a body that can be right."""
    if not fits_flat_faces(lump.shape, corners, blend):
        return None
    all_edges = len(corners) == len(sharp_edges(lump.shape))
    for solid, sharp in _versions(lump, corners, all_edges):
        for way in _WAYS:
            result = way(solid, sharp, blend, maker)
            if result is None:
                continue
            if blend_flaw(lump.shape, corners, blend, result, maker, all_edges=all_edges) is None:
                return result
    return None


def _versions(
    lump: Brep, corners: Sequence[SharpEdge], all_edges: bool
) -> Iterator[tuple[Brep, Sequence[SharpEdge]]]:
    """The body as it is, then with other seams. A pole in a corner spoils every blend there: not as it is."""
    if not has_pole_in_corner(lump.shape, corners):
        yield lump, corners
    for other in reseamed(lump):
        sharp = sharp_edges(other.shape)
        yield other, sharp if all_edges else [one for one in sharp if lies_on(one, corners)]


def _lumps(body: Brep, corners: Sequence[SharpEdge]) -> list[tuple[Brep, list[SharpEdge]]]:
    """Each solid with its faces' makers and those of the edges that it has."""
    result = []
    for solid in solids_of(body.shape):
        lump = carried(solid, (body,), lambda _face: None, body.makers[0])
        edges = shape_map(solid, TopAbs_EDGE)
        result.append((lump, [corner for corner in corners if edges.Contains(corner.edge)]))
    return result


def _together(body: Brep, parts: Sequence[Brep]) -> Brep:
    if len(parts) == 1:
        return parts[0]
    compound, builder = TopoDS_Compound(), BRep_Builder()
    builder.MakeCompound(compound)
    for part in parts:
        builder.Add(compound, part.shape)
    return carried(compound, parts, _unchanged, body.makers[0])


def _unchanged(_face: TopoDS_Shape) -> None:
    return None
