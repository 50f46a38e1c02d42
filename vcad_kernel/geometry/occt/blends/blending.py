"""Fillets and chamfers of all sharp edges or of selected ones: the builders of those nodes.

Each lump of the body is blended for itself. Ways to build are tried in order (``_WAYS``); the referee
(:mod:`vcad_kernel.geometry.occt.blends.checks`) passes the first body that can be right. If none does
the node fails with the largest size that works. A blend runs on along edges that continue a selected
one tangentially.

A corner between convex and concave edges of curved faces is a spline patch. Refused are: edges at
which more than two faces meet, corners of four and more edges that are not all convex and straight
where OpenCASCADE finds no patch, and a blend in which a face would vanish.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepBuilderAPI import BRepBuilderAPI_Copy
from OCP.TopAbs import TopAbs_EDGE, TopAbs_VERTEX
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.occt.blends.builders import at_once, coarsely
from vcad_kernel.geometry.occt.blends.checks import blend_flaw
from vcad_kernel.geometry.occt.blends.cusps import cusps
from vcad_kernel.geometry.occt.blends.deviation import deviating
from vcad_kernel.geometry.occt.blends.limits import (
    blend_failure,
    cusp_failure,
    knife_failure,
    meetings,
)
from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.blends.reseaming import has_pole_in_corner, lies_on, reseamed
from vcad_kernel.geometry.occt.blends.special.carving import as_pointed_rims
from vcad_kernel.geometry.occt.blends.special.crossings import at_crossings, fits_crossings
from vcad_kernel.geometry.occt.blends.special.full_rounds import as_full_rounds
from vcad_kernel.geometry.occt.blends.special.grown import as_grown
from vcad_kernel.geometry.occt.blends.special.polyhedra import as_polyhedron
from vcad_kernel.geometry.occt.blends.special.rims import as_curved_rims, as_plain_rims
from vcad_kernel.geometry.occt.brep import Brep, carried, compound_of, edges_of, shape_map, solids_of
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import SharpEdge, sharp_edges, turns_along
from vcad_kernel.geometry.occt.selection.selection import select_edges
from vcad_kernel.ir.digest import Digest
from vcad_kernel.operations.features.features import Chamfer, ChamferAt, Fillet, FilletAt

__all__ = ["chamfer", "chamfer_at", "fillet", "fillet_at"]

_Way: TypeAlias = Callable[[Brep, Sequence[SharpEdge], Blend, Digest], Brep | None]

_WAYS: tuple[_Way, ...] = (
    as_polyhedron,
    at_crossings,
    as_grown,
    as_pointed_rims,
    as_curved_rims,
    at_once,
    as_plain_rims,
    coarsely,
)
_PATIENCE = 3.0
"""Seconds of the processor after which no other way is tried. (Not of the clock: what can be built does
not depend on what else the machine does.)"""
_ALWAYS = 2
"""So many ways are tried however long they take."""


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
    return [corner for corner in sharp_edges(body.shape) if any(corner.edge.IsSame(edge) for edge in chosen)]


def _blended(build: Build, body: Brep, blend: Blend, corners: Sequence[SharpEdge]) -> Brep:
    body, corners = _parted(body, corners)
    # first what no size can satisfy, since OpenCASCADE may never return from it
    ending = list(cusps(sharp_edges(body.shape), corners))
    if ending:
        raise cusp_failure(build, blend, ending, edges_of(body.shape))
    lumps = _lumps(body, corners)
    maker = build.maker
    parts = []
    for lump, sharp in lumps:
        begun = time.thread_time()
        hopeless = _knives(sharp) if blend.kind == "fillet" else []
        if hopeless:
            raise knife_failure(build, blend, hopeless, edges_of(body.shape))
        part = _lump_blended(lump, sharp, blend, maker, begun + _PATIENCE) if sharp else lump
        if part is None:
            raise blend_failure(
                build,
                blend,
                # The lump that fails comes first, so that a size that does not work shows soon.
                [(lump, sharp), *((brep, edges) for brep, edges in lumps if edges and brep is not lump)],
                edges_of(body.shape),
                _lump_blended,
                spent=time.thread_time() - begun,
            )
        parts.append(deviating(part, lump.shape, sharp, blend, maker) if sharp else part)
    return _together(body, parts)


def _lump_blended(
    lump: Brep, corners: Sequence[SharpEdge], blend: Blend, maker: Digest, end: float
) -> Brep | None:
    """One solid blended and looked over; None when no way leads to a body that can be right.

    end: of the thread's processor time; the first ways are tried in any case, no other one after it.
    """
    meeting = meetings(corners, blend)
    if meeting is None or not fits_crossings(corners, blend):
        return None
    # where a face is used up none is left on which the other ways could end their strips
    ways = (as_full_rounds,) if meeting else _WAYS
    all_edges = len(corners) == len(sharp_edges(lump.shape))
    tried = 0
    for solid, sharp in _versions(lump, corners, all_edges):
        # the exact ways come first; what a way returns counts only when no flaw is found in it
        for way in ways:
            if tried >= _ALWAYS and time.thread_time() >= end:
                return None
            tried += 1
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
        yield other, sharp if all_edges else [corner for corner in sharp if lies_on(corner, corners)]


def _parted(body: Brep, corners: Sequence[SharpEdge]) -> tuple[Brep, Sequence[SharpEdge]]:
    """Solids that touch made independent of each other, and the corners as they are then.

    A boolean lets such solids share the edge or the vertex where they touch; four faces meet there,
    which belong to two bodies that have a corner each.
    """
    solids = solids_of(body.shape)
    # a shared vertex counts once for each of its solids, and once in all
    shared = sum(shape_map(solid, TopAbs_VERTEX).Extent() for solid in solids)
    if shared == shape_map(body.shape, TopAbs_VERTEX).Extent():
        return body, corners
    parts = []
    sharp: list[SharpEdge] = []
    for solid in solids:
        copying = BRepBuilderAPI_Copy(solid)
        own = carried(solid, (body,), _unchanged, body.makers[0])
        copied = carried(copying.Shape(), (own,), copying.Modified, own.makers[0])
        meant = shape_map(compound_of(corner.edge for corner in corners), TopAbs_EDGE)
        kept = shape_map(
            compound_of(copying.ModifiedShape(edge) for edge in edges_of(solid) if meant.Contains(edge)),
            TopAbs_EDGE,
        )
        parts.append(copied)
        sharp += [corner for corner in sharp_edges(copied.shape) if kept.Contains(corner.edge)]
    return _together(body, parts), sharp


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
    return carried(compound_of(part.shape for part in parts), parts, _unchanged, body.makers[0])


def _unchanged(_face: TopoDS_Shape) -> None:
    return None


_NEAR_END = 1e-3
"""Share of the edge from its end at which the faces are looked at, and again at twice of it."""
_OPEN = 1.0
"""Radians between faces, where they are nearest, of an edge that need not be looked at."""
_THIN = 0.1
"""Radians between faces beyond which they do not close."""
_CLOSING = 0.05
"""Share of that angle which may be left at the very end, by prolonging it straight."""


def _knives(corners: Sequence[SharpEdge]) -> list[SharpEdge]:
    """Those of the edges whose faces meet at no angle at an end of the edge, and at one elsewhere.

    There the body, or the gap, becomes thinner than any ball, so that no radius fits, however small: it is
    so where a bore cuts through a rod of its own diameter. OpenCASCADE asked for such a fillet may never
    return.
    """
    return [corner for corner in corners if _closes(corner)]


def _closes(corner: SharpEdge) -> bool:
    if math.pi - corner.turn > _OPEN:
        return False
    curve = BRepAdaptor_Curve(corner.edge)
    low, high = curve.FirstParameter(), curve.LastParameter()
    for end, inwards in ((low, high - low), (high, low - high)):
        stations = [end + inwards * _NEAR_END * count for count in (1.0, 2.0)]
        # the angle at two places near the end, prolonged straight to the end itself
        near, beyond = (math.pi - turn for turn, _ in turns_along(corner, stations))
        if near < _THIN and near < beyond and 2.0 * near - beyond <= _CLOSING * near:
            return True
    return False
