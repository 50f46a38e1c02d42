"""Solids of constant thickness on a surface: the surface, one beside it, and straight sides along normals.

Points of the other side are foot + t · normal. Lengths are millimetres.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from OCP.Geom import Geom_BSplineSurface, Geom_Surface
from OCP.gp import gp_Pnt, gp_Vec

from vcad_kernel.geometry.occt.brep import Brep, faces_of
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.insets.wall_limits import largest_working, rounded_down
from vcad_kernel.geometry.occt.measure.integration.masses import quick_area_and_centre
from vcad_kernel.geometry.occt.measure.validity import area_of, sound
from vcad_kernel.geometry.occt.patches.plating import (
    BORDER,
    Surface,
    clamped,
    normals_of,
    spline_surface,
    values_of,
)
from vcad_kernel.geometry.occt.patches.plating import Border as OnSurface
from vcad_kernel.geometry.occt.patches.slabs import Border, Slab
from vcad_kernel.geometry.occt.sweeps.extruding import prism_of
from vcad_kernel.geometry.occt.sweeps.fitting import DEGREE, basis
from vcad_kernel.geometry.sweeps.profiles.crossing import contains
from vcad_kernel.operations.solids.surfaces import Thicken

__all__ = ["thicken"]

Points = NDArray[np.float64]

_PLACES = 48
"""Along each parameter, at which curvature and room are looked at."""
_NEAR = 2e-5
"""Relative to the size of the patch: no other side is further off than this,"""
_SHARE = 1e-3
"""nor than this, relative to the thickness."""
_FINER = 8
"""Times that it is tried."""
_PIECES = 128
"""Along each parameter, of an other side at most."""
_EXACT = 1e-10
"""Relative to the size: what is no further off is off by rounding."""
_ROOM = 2.0
"""Times what is found: for what lies between the places that are looked at."""
_LEFT = 0.02
"""Of its size, what must be left of a piece of the surface on the other side: less is a crease."""
_NEARER = 1e-6
"""Relative to the thickness: a place of the other side that is nearer to the surface is within the solid."""


def thicken(build: Build, node: Thicken, _operands: Operands) -> Brep:
    """The solid. Raises: GeometryError INVALID_PARAMETER with the largest thickness that works."""
    assert build.source is not None
    surface: Surface = build.source.surface(build.document, node.surface)
    t = node.thickness
    (face,) = faces_of(surface.face.shape)
    if surface.plane is not None:
        prism = prism_of(face, surface.plane.normal, t * surface.plane.normal)
        made = sound(build, prism, node.FAILURE, volume=abs(t) * area_of(face))
        return made.off_by(surface.face.farthest_off, build.maker)
    room, front = _Room(surface), _Front(surface, t)
    if not (room.holds(t) and front.is_near(t)):
        raise _too_thick(build, room, front, t)
    beside, off = front.beside(t)
    slab = Slab((surface.surface, beside), abs(t), BORDER * surface.size)
    # counter-clockwise among the parameters
    around = surface.borders if surface.front > 0.0 else surface.borders[::-1]
    borders = [Border(_images(surface, border, beside), 0.0, 1.0) for border in around]
    try:
        shape = slab.solid([borders])
    except OCCT_ERRORS as error:
        raise build.fault(node.FAILURE, "no solid could be made of the surface") from error
    made = sound(build, shape, node.FAILURE, volume=room.volume(t))
    return made.off_by(surface.face.farthest_off + off, build.maker)


def _images(surface: Surface, border: OnSurface, beside: Geom_Surface) -> Callable[[Points], Points]:
    forwards = surface.front > 0.0

    def images(shares: Points) -> Points:
        parameters = border.parameters(shares if forwards else 1.0 - shares)
        return np.hstack([border.points(parameters), values_of(beside, parameters), parameters])

    return images


class _Front:
    """The unit normals of a surface as a spline, and so all that is parallel to it: foot + t · normal.

    The normals of a spline are none, so this one is only near: its knots are those of the surface, and more
    where it is not near enough. What is t away is t times as far off.
    """

    def __init__(self, surface: Surface, t: float) -> None:
        """t: the thickness, mm, for which it should be near enough."""
        base = surface.surface
        assert isinstance(base, Geom_BSplineSurface)
        self._base = base
        self._front = surface.front
        self._limit = _NEAR * surface.size
        self._exact = _EXACT * surface.size
        wanted = min(_SHARE, self._limit / abs(t)) / _ROOM
        knots = [
            np.array([base.UKnot(at) for at in range(1, base.NbUKnots() + 1)]),
            np.array([base.VKnot(at) for at in range(1, base.NbVKnots() + 1)]),
        ]
        for _ in range(_FINER):
            misses = self._fit(knots)
            if self._off <= wanted:
                break
            finer = [_split(each, misses.max(axis=1 - at) > wanted) for at, each in enumerate(knots)]
            if max(map(len, finer)) > _PIECES + 1:
                break
            knots = finer

    def _fit(self, knots: Sequence[Points]) -> Points:
        """Puts the spline on some knots; how far it is off between them, where that is most."""
        flat = [clamped(each) for each in knots]
        greville = [
            np.array([each[i + 1 : i + DEGREE + 1].mean() for i in range(len(each) - DEGREE - 1)])
            for each in flat
        ]
        inverses = [np.linalg.inv(basis(*each)) for each in zip(flat, greville, strict=True)]
        places, normals = self._there(greville)
        self._knots = knots
        self._feet, self._normals = (
            np.einsum("ij,lk,jkc->ilc", *inverses, each, optimize=True) for each in (places, normals)
        )
        middles = [0.5 * (each[1:] + each[:-1]) for each in knots]
        between = [basis(*each) for each in zip(flat, middles, strict=True)]
        found = np.einsum("ij,lk,jkc->ilc", *between, self._normals, optimize=True)
        misses = np.linalg.norm(found - self._there(middles)[1], axis=2)
        self._off = float(misses.max())
        return np.asarray(misses)

    def _there(self, spots: Sequence[Points]) -> tuple[Points, Points]:
        """(m, n, 3): places and outward normals at all pairs of parameters (m,) and (n,)."""
        pairs = np.stack(np.meshgrid(*spots, indexing="ij"), axis=-1)
        places, normals, _ = normals_of(self._base, pairs.reshape(-1, 2))
        return places.reshape(*pairs.shape[:2], 3), self._front * normals.reshape(*pairs.shape[:2], 3)

    def is_near(self, t: float) -> bool:
        """Whether what is t away is so as nearly as it must be."""
        return _ROOM * self._off <= _SHARE and self._bound(t) <= self._limit

    def _bound(self, t: float) -> float:
        """How far it may be off, mm."""
        return _ROOM * self._off * abs(t)

    def beside(self, t: float) -> tuple[Geom_BSplineSurface, float]:
        """The surface t away, and how far it may be off, mm; 0 where that is rounding."""
        bound = self._bound(t)
        beside = spline_surface(self._knots, self._feet + t * self._normals)
        return beside, 0.0 if bound <= _ROOM * self._exact else bound


def _split(knots: Points, wanted: NDArray[np.bool_]) -> Points:
    """Knots, and one amid each span (n - 1,) where it is wanted."""
    return np.asarray(np.sort(np.concatenate([knots, 0.5 * (knots[1:] + knots[:-1])[wanted]])))


def _too_thick(build: Build, room: _Room, front: _Front, t: float) -> Exception:
    largest = largest_working(
        lambda size: front.is_near(size) and room.holds(math.copysign(size, t)),
        abs(t),
        seconds=build.search.wall_seconds,
        trials=build.search.trials,
    )
    works = None if largest is None else math.copysign(rounded_down(largest), t)
    message = "the surface bends too tightly for this thickness, and the other side would fold"
    if room.holds(t):
        message = "the surface bends so sharply that no spline is near enough to what is so far from it"
    fix = "hold the surface with points so that it bends less" if works is None else f"take t = {works:g}"
    return build.fault(
        "INVALID_PARAMETER",
        message + ("" if works is None else f"; {works:g} works"),
        argument="t",
        failed=False,
        fix=fix,
        details={"largest_working": works},
    )


class _Room:
    """What lies beside a surface, as far as its curvature and its other parts let it be."""

    def __init__(self, surface: Surface) -> None:
        inside = np.vstack([_inside(surface), surface.polygon])
        self._places, normals, sizes = normals_of(surface.surface, inside)
        # places along the border stand for no part of the area
        self._shares = np.append(sizes[: -len(surface.polygon), 0], np.zeros(len(surface.polygon)))
        self._normals = surface.front * normals
        self._bends = surface.front * _curvatures(surface.surface, inside)
        # how far places are from their neighbours
        self._step = surface.size / _PLACES
        (face,) = faces_of(surface.face.shape)
        self._area = quick_area_and_centre(face)[0]

    def holds(self, t: float) -> bool:
        """Whether the other side, t away, neither folds nor runs into another part of the solid."""
        if float((1.0 - t * self._bends).min()) < _LEFT:
            return False
        size, way = abs(t), math.copysign(1.0, t)
        there = self._places + t * self._normals
        fronts = way * self._normals
        for start in range(0, len(there), 256):
            some = there[start : start + 256]
            apart = some[:, None, :] - self._places[None, :, :]
            up = np.einsum("ijk,jk->ij", apart, fronts)
            away = np.linalg.norm(apart, axis=2)
            beside = np.sqrt(np.maximum(away**2 - up**2, 0.0))
            within = (away < size * (1.0 - _NEARER)) & (up > 0.0) & (beside <= self._step)
            if bool(within.any()):
                return False
        return True

    def volume(self, t: float) -> float:
        """About what the solid has, mm³ (Steiner): ∫ |t| (1 − t H + t² K / 3) dA, H the sum of the bends."""
        first, second = self._bends.T
        grown = 1.0 - 0.5 * t * (first + second) + t * t * first * second / 3.0
        return abs(t) * self._area * float(np.average(grown, weights=self._shares))


def _inside(surface: Surface) -> Points:
    """(k, 2): parameters all over the surface."""
    low, high = surface.polygon.min(axis=0), surface.polygon.max(axis=0)
    shares = (np.arange(_PLACES) + 0.5) / _PLACES
    grid = np.array([low + (u, v) * (high - low) for u in shares for v in shares])
    within = [pair for pair in grid if contains(surface.polygon, pair)]
    return np.array(within)


def _curvatures(surface: Geom_Surface, parameters: Points) -> Points:
    """(k, 2): principal curvatures, 1/mm, above 0 where the surface bends towards its own normal."""
    place = gp_Pnt()
    first, second, uu, vv, uv = (gp_Vec() for _ in range(5))
    found = np.empty((len(parameters), 2))
    for at, (u, v) in enumerate(parameters.tolist()):
        surface.D2(u, v, place, first, second, uu, vv, uv)
        normal = first.Crossed(second)
        normal.Normalize()
        # the first fundamental form, and the second
        e, f, g = first.Dot(first), first.Dot(second), second.Dot(second)
        a, b, c = uu.Dot(normal), uv.Dot(normal), vv.Dot(normal)
        whole = e * g - f * f
        gauss, mean = (a * c - b * b) / whole, 0.5 * (e * c - 2.0 * f * b + g * a) / whole
        spread = math.sqrt(max(mean * mean - gauss, 0.0))
        found[at] = mean - spread, mean + spread
    return found
