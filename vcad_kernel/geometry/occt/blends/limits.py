"""How large a blend can be: the room that faces have for strips, and the search behind a refusal.

The search bisects with the real builder, so that the value it names has been built and has passed the
referee; it stops when its time is up.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from OCP.GeomAbs import GeomAbs_Cone, GeomAbs_Cylinder, GeomAbs_Plane
from OCP.gp import gp_Pnt
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face

from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.occt.blends.builders import faulty_edges
from vcad_kernel.geometry.occt.blends.cusps import Cusp
from vcad_kernel.geometry.occt.blends.gaps import gap_across
from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.measure.boxes import quick_box_of
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import CIRCLE, LINE
from vcad_kernel.geometry.occt.measure.topology.described import described_edge
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import length_of, middle_of
from vcad_kernel.geometry.occt.measure.topology.inspecting import lines_of
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import (
    SharpEdge,
    inner_radius,
)
from vcad_kernel.ir.digest import Digest
from vcad_kernel.operations.node import Vec3

__all__ = [
    "Lump",
    "Meeting",
    "blend_failure",
    "cusp_failure",
    "knife_failure",
    "largest_working",
    "meetings",
    "trims_evenly",
]

Lump: TypeAlias = tuple[Brep, Sequence[SharpEdge]]
Meeting: TypeAlias = tuple[SharpEdge, SharpEdge]
"""Two edges whose strips use up the face between them without remainder."""
_Built: TypeAlias = Callable[[Brep, Sequence[SharpEdge], Blend, Digest, float], Brep | None]

_STEPS = 14
"""Halvings at most: the answer is then within 1e-4 of the size asked for."""
_LEAST = 1e-4
"""Share of the longest edge: nothing smaller is looked for. OpenCASCADE goes along an edge in steps of
about the radius, and where the edge cannot be rounded it may never come to an end."""
_FACE_EDGES = 40
"""Of faces with more edges than this not all pairs are looked at, but the ``_MOST_PAIRS`` nearest that can
meet; faces with more than ``_MOST_FACE_EDGES`` are left to the builder."""
_MOST_PAIRS = 400
_MOST_FACE_EDGES = 2000
_ROUNDING = 1e-9
"""Relative: strips that leave or lack no more than this of a face meet on it. That is what sums of decimal
fractions are off by, and below the tolerance of edges (1e-7 mm) on faces up to 100 mm wide."""
_PLANE = GeomAbs_Plane.value
_STRAIGHT = frozenset({_PLANE, GeomAbs_Cylinder.value, GeomAbs_Cone.value})
"""Kinds of faces on which lines lie."""
_HALF_TURN = math.pi + 1e-6
"""Radians of an arc beyond which its strip runs into itself where it reaches the centre."""
_LISTED = 20
"""So many failing edges are described."""


def meetings(corners: Sequence[SharpEdge], blend: Blend) -> list[Meeting] | None:
    """The pairs of edges whose blends meet exactly; None when a face lacks room for its strips (cad.md §3.3).

    Necessary, not sufficient. Of a face that is shrunk to its centre by one edge around it nothing is left: a
    bevel has its point there, a ball does not fit.
    """
    meetings: list[Meeting] = []
    for limit, edges in _limits(corners, blend):
        if blend.size > limit * (1.0 + _ROUNDING):
            return None
        if blend.size >= limit * (1.0 - _ROUNDING):
            if len(edges) == 1 and blend.kind == "chamfer":
                continue
            if len(edges) == 1 or blend.end is not None:
                return None
            meetings.append((edges[0], edges[1]))
    return meetings


def _limits(corners: Sequence[SharpEdge], blend: Blend) -> Iterator[tuple[float, tuple[SharpEdge, ...]]]:
    """Sizes at which a face, or a part of it, is used up, and the edges whose blends do it.

    Looked at are flat faces, and the rims of cylinders and cones.
    """
    on_face: dict[int, tuple[TopoDS_Face, int, list[SharpEdge]]] = {}
    for corner in corners:
        if trims_evenly(corner, blend):
            for number, face, kind in zip(corner.numbers, corner.faces, corner.surfaces, strict=True):
                on_face.setdefault(number, (face, kind, []))[2].append(corner)
    # a strip is as wide as its size times that of size 1, so lengths over those widths are sizes
    unit = blend.sized(1.0)
    for face, kind, there in on_face.values():
        if kind == _PLANE:
            for corner in there:
                width = _own_limit(corner, face)
                if width < math.inf:
                    yield width / unit.trim(corner), (corner,)
        else:
            # across a cylinder or cone lengths are those of its generators: between its rims
            there = [corner for corner in there if corner.curve == CIRCLE]
        for corner, other in _near_each_other(there, blend):
            gap = gap_across(corner, other, face)
            if gap is not None:
                yield gap / (unit.trim(corner) + unit.trim(other)), (corner, other)


def _near_each_other(corners: Sequence[SharpEdge], blend: Blend) -> Iterator[tuple[SharpEdge, SharpEdge]]:
    """Pairs of edges of one face whose blends can meet."""
    if len(corners) <= _FACE_EDGES:
        yield from combinations(corners, 2)
    elif len(corners) <= _MOST_FACE_EDGES:
        boxes = np.array([quick_box_of(corner.edge) for corner in corners])
        # blends meet only where the boxes are nearer than both trims together; the nearest pairs limit most
        trims = np.array([blend.trim(corner) for corner in corners])
        first, second = np.triu_indices(len(corners), 1)
        beyond = np.maximum(boxes[first, 0] - boxes[second, 1], boxes[second, 0] - boxes[first, 1])
        gaps = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
        meeting = np.flatnonzero(gaps <= (trims[first] + trims[second]) * (1.0 + _ROUNDING))
        for index in meeting[np.argsort(gaps[meeting], kind="stable")[:_MOST_PAIRS]]:
            yield corners[first[index]], corners[second[index]]


def largest_working(
    works: Callable[[float], bool],
    size: float,
    limit: float = math.inf,
    *,
    seconds: float,
    trials: int,
    clock: Callable[[], float] = time.monotonic,
) -> float | None:
    """The largest size below ``size`` that works, rounded down to four digits; None if none was found.

    works: tried with falling and rising sizes, at most so many times and until ``seconds`` are over. limit:
    nothing at or above this size works, as far as is known.
    """
    end = clock() + seconds
    high = min(size, limit)
    low = 0.0
    if trials > 0 and limit <= size * (1.0 + _ROUNDING):
        # just below a limit that is known from the geometry blends mostly work, which shortens the bisection
        # and is all that a single trial is spent on; if not, half of it does more often than what is close
        for trial in (_rounded(high * (1.0 - 1e-3)), _rounded(high / 2.0))[:trials]:
            if clock() >= end:
                break
            trials -= 1
            if works(trial):
                low = trial
                break
            high = trial
        # at the limit itself blends may meet exactly; that takes longest to build, so it is not tried first
        meeting = float(f"{limit:.4g}")
        is_other = meeting < size * (1.0 - _ROUNDING) and abs(meeting - limit) <= _ROUNDING * limit
        if is_other and trials > 0 and clock() < end:
            trials -= 1
            if works(meeting):
                return meeting
    for _ in range(min(_STEPS, trials)):
        if clock() >= end or high - low <= 2e-4 * high:
            break
        middle = _rounded((low + high) / 2)
        # rounding down to four digits has used up the interval
        if middle <= low:
            break
        if works(middle):
            low = middle
        else:
            high = middle
    return low or None


def blend_failure(
    build: Build,
    blend: Blend,
    lumps: Sequence[Lump],
    edges: Sequence[TopoDS_Edge],
    built: _Built,
    *,
    spent: float,
    clock: Callable[[], float] = time.thread_time,
) -> GeometryError:
    """The error of a blend that cannot be built: where, why and up to which size it can.

    lumps: the one that fails first. edges: all of the body, to number the failing ones. built: blends
    one lump until a time of the clock, None if it cannot. spent: what the failure took, seconds; where
    one trial takes as long as all may, no smaller size is looked for, unless that is built another way.
    """
    seconds = build.search.blend_seconds
    end = clock() + seconds

    def works(size: float) -> bool:
        if size < least:
            return False
        smaller = blend.sized(size)
        return all(built(brep, corners, smaller, build.maker, end) is not None for brep, corners in lumps)

    # 1. how large it could be: up to what faces allow, by trying
    least = _LEAST * max(length_of(corner.edge) for _, corners in lumps for corner in corners)
    limit = min(
        (limit for _, corners in lumps for limit, _ in _limits(corners, blend)),
        default=math.inf,
    )
    largest = None
    # blends that meet exactly are built in a way of their own, whose time says nothing of smaller sizes
    meets = abs(blend.size - limit) <= _ROUNDING * limit
    if spent < seconds or meets:
        largest = largest_working(
            works, blend.size, limit, seconds=seconds, trials=build.search.trials, clock=clock
        )
    # 2. which edges are in the way; to ask OpenCASCADE takes time, too
    guilty = _guilty(lumps, blend, blame=spent < seconds)
    details: dict[str, Any] = {
        "largest_working": largest,
        blend.noun: blend.size,
        "failing_edges": [_described(corner.edge, edges) for corner in guilty[:_LISTED]],
        "failing_edge_count": len(guilty),
    }
    # 3. the sentence, with what would work
    at = middle_of(guilty[0].edge)
    where = f"edge at ({at.X():.4g}, {at.Y():.4g}, {at.Z():.4g})"
    several = f"{len(guilty)} edges, among them the {where}" if len(guilty) > 1 else f"the {where}"
    if largest is None:
        fix = f"change the body, or {_leave_out(build, blend)}"
        known = f"no smaller {blend.noun} was found that does"
    else:
        smaller = blend.sized(largest)
        fix = f"use {_sizes(smaller)} or less"
        known = f"{largest:g} works" if smaller.end is None else f"{largest:g} and {smaller.end:g} work"
    return build.fault(
        blend.code,
        f"{_sizes(blend)} {'does' if blend.end is None else 'do'} not fit {several}; {known}",
        argument=blend.argument,
        fix=fix,
        details=details,
        lines=_lines(guilty),
    )


def cusp_failure(
    build: Build, blend: Blend, cusps: Sequence[Cusp], edges: Sequence[TopoDS_Edge]
) -> GeometryError:
    """The error of a blend that no size fits, since edges end in cusps. edges: all of the body."""
    guilty: list[SharpEdge] = []
    for cusp in cusps:
        guilty += [
            corner for corner in cusp.edges if not any(corner.edge.IsSame(other.edge) for other in guilty)
        ]
    where = "two edges that run into each other without an angle"
    fix = "let the bodies overlap or keep them apart"
    return _without_size(build, blend, guilty, edges, f"between {where}", cusps[0].point, fix)


def knife_failure(
    build: Build, blend: Blend, guilty: Sequence[SharpEdge], edges: Sequence[TopoDS_Edge]
) -> GeometryError:
    """The error of a fillet that no radius fits, since faces close upon each other.

    edges: all of the body.
    """
    where = "an edge towards whose end the two faces close upon each other"
    fix = "let the bodies differ in size"
    return _without_size(build, blend, guilty, edges, f"at {where}", middle_of(guilty[0].edge), fix)


def _without_size(
    build: Build,
    blend: Blend,
    guilty: Sequence[SharpEdge],
    edges: Sequence[TopoDS_Edge],
    where: str,
    at: gp_Pnt,
    fix: str,
) -> GeometryError:
    return build.fault(
        blend.code,
        f"no {blend.noun} fits {where}, at ({at.X():.4g}, {at.Y():.4g}, {at.Z():.4g})",
        argument=blend.argument,
        fix=f"{fix}, or {_leave_out(build, blend)}",
        details={
            "largest_working": None,
            blend.noun: blend.size,
            "failing_edges": [_described(corner.edge, edges) for corner in guilty[:_LISTED]],
            "failing_edge_count": len(guilty),
        },
        lines=_lines(guilty),
    )


def _leave_out(build: Build, blend: Blend) -> str:
    if build.document.function_of(build.node) == blend.kind:
        return f"leave these edges out ({blend.kind}-at with a selection)"
    return "leave these edges out of the selection"


def _sizes(blend: Blend) -> str:
    """How large it is, in words."""
    if blend.end is None:
        return f"a {blend.noun} of {blend.size:g}"
    return f"radii of {blend.size:g} and {blend.end:g}"


def _guilty(lumps: Sequence[Lump], blend: Blend, *, blame: bool) -> list[SharpEdge]:
    """The edges whose blends meet on a face; else those that OpenCASCADE blames; else all.

    lumps: the one that fails first. blame: whether there is time to ask OpenCASCADE. Edges are not tried
    one by one: an edge whose neighbours in a corner stay sharp can be beyond OpenCASCADE (it kills the
    process), although all of them together are not.
    """
    meeting: list[SharpEdge] = []
    for _, corners in lumps:
        for limit, edges in _limits(corners, blend):
            if limit * (1.0 - _ROUNDING) <= blend.size:
                meeting += [edge for edge in edges if edge not in meeting]
    if meeting:
        return meeting
    brep, corners = lumps[0]
    return (faulty_edges(brep, corners, blend) if blame else []) or list(corners)


def _lines(guilty: Sequence[SharpEdge]) -> list[Sequence[Vec3]]:
    return [line for corner in guilty[:_LISTED] for line in lines_of(corner.edge)]


def _described(edge: TopoDS_Edge, edges: Sequence[TopoDS_Edge]) -> dict[str, Any]:
    number = next(index for index, other in enumerate(edges) if other.IsSame(edge))
    return described_edge(edge, number)


def _rounded(size: float) -> float:
    """Down to four significant digits."""
    if size <= 0.0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(size)) - 3)
    return float(f"{math.floor(size / unit) * unit:.4g}")


def trims_evenly(corner: SharpEdge, blend: Blend) -> bool:
    """Whether its blend takes a strip of constant, known width of its faces."""
    if corner.curve not in (LINE, CIRCLE):
        return False
    are_straight = _STRAIGHT.issuperset(corner.surfaces)
    if blend.kind == "chamfer":
        return are_straight
    flat = corner.surfaces.count(_PLANE)
    if corner.curve == LINE:
        return flat == 2
    # A circle between a plane and a cylinder or cone is the rim of one that stands upright on it.
    return flat >= 1 and are_straight


def _own_limit(corner: SharpEdge, face: TopoDS_Face) -> float:
    """Width that a flat face has for the strip of a round edge: within more than half a turn its radius.

    The strips of a shorter arc's neighbours leave room for a ball that is larger than the arc.
    """
    is_long = corner.curve == CIRCLE and corner.row[13] > _HALF_TURN
    return inner_radius(corner, face) if is_long else math.inf
