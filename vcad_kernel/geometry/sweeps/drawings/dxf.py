"""DXF as outlines: what its model space draws, in millimetres by the unit that the file names.

Lines, arcs, ellipses and splines stay what they are; loose ones are put together at their ends. What lies
within an odd number of outlines is inside. Read with ezdxf, which is loaded for the first file.
"""

from __future__ import annotations

import importlib
import io
import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, NoReturn

import numpy as np

from vcad_kernel.geometry.sweeps.drawings.outlines import (
    JOINED,
    DrawingFault,
    Outline,
    apart,
    chains,
    filled,
    joined,
)
from vcad_kernel.geometry.sweeps.profiles.curves import Map, carried
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.numbers import LINEAR, ParameterFault
from vcad_kernel.operations.profiles.profiles import ring
from vcad_kernel.operations.profiles.sketches import Arc, Curve, Line, Outlines, Spline
from vcad_kernel.units import cosd, sind

__all__ = ["dxf_outlines"]

_UNITS: Final[Mapping[int, float]] = {
    0: 1.0,
    1: 25.4,
    2: 304.8,
    4: 1.0,
    5: 10.0,
    6: 1000.0,
    8: 25.4e-6,
    9: 0.0254,
    10: 914.4,
    13: 0.001,
    14: 100.0,
}
"""Millimetres of what ``$INSUNITS`` names; a file that names none counts in millimetres."""
_MOST: Final = 100_000
"""Entities, those of blocks counted wherever they are placed."""


@lru_cache(maxsize=8)
def dxf_outlines(content: bytes, layer: str | None) -> Outlines:
    """The outlines of a DXF file, or of one of its layers. Raises: DrawingFault."""
    recover: Any = importlib.import_module("ezdxf.recover")
    error: Any = importlib.import_module("ezdxf").DXFError
    try:
        drawing, auditor = recover.read(io.BytesIO(content))
    except (error, OSError, ValueError, KeyError, IndexError, TypeError, AttributeError) as fault:
        raise DrawingFault("IMPORT_FAILED", f"is no DXF file that can be read: {fault}") from fault
    if auditor.has_errors:
        raise DrawingFault("IMPORT_FAILED", f"is damaged: {auditor.errors[0].message}")
    # what cannot be mended is left out, and counts as mended
    if lost := [fix.message for fix in auditor.fixes if _lost_pattern().match(fix.message)]:
        raise DrawingFault("IMPORT_FAILED", f"is damaged: {lost[0]}")
    unit = int(drawing.header.get("$INSUNITS", 0))
    if unit not in _UNITS:
        raise DrawingFault(
            "IMPORT_FAILED", f"counts in a unit that no part is measured in ($INSUNITS {unit})"
        )
    space = _Space(drawing, layer, _UNITS[unit])
    try:
        outlines = space.outlines()
    except (error, ValueError, ArithmeticError) as fault:
        raise DrawingFault("IMPORT_FAILED", f"holds an entity that is none: {fault}") from fault
    if not outlines:
        what = "draws nothing" if layer is None else f"draws nothing on the layer {layer!r}"
        listed = ", ".join(map(repr, sorted(space.layers)))
        raise DrawingFault("SKETCH_DEGENERATE", what, f"its layers with curves: {listed}" if listed else None)
    apart(outlines)
    return tuple(outline for group in filled(outlines, odd=True) for outline in group)


class _Space:
    """What the model space draws."""

    def __init__(self, drawing: Any, layer: str | None, scale: float) -> None:
        self._drawing = drawing
        self._layer = layer
        self._scale = scale
        self._heights: list[float] = []
        self.layers: set[str] = set()
        """That hold curves and are seen."""

    def outlines(self) -> list[Outline]:
        """Raises: DrawingFault."""
        loose: list[tuple[str, Curve]] = []
        whole: list[Outline] = []
        for entity in self._entities():
            curves = self._curves(entity)
            name = self._name(entity, curves)
            if len(curves) > 1 and math.dist(curves[0].start, curves[-1].end) <= JOINED:
                whole.append(joined(name, curves))
            else:
                loose += [(name, curve) for curve in curves]
        if self._heights and max(self._heights) - min(self._heights) > LINEAR:
            raise DrawingFault(
                "IMPORT_FAILED",
                f"is not plane: its curves lie from z = {min(self._heights):g} to {max(self._heights):g}",
                "draw a profile in one plane",
            )
        return whole + chains(loose)

    def _entities(self) -> Iterator[Any]:
        """Those that are seen on the layers that are asked for, blocks taken apart."""
        pending = [(entity, "0") for entity in reversed(list(self._drawing.modelspace()))]
        count = 0
        while pending:
            entity, around = pending.pop()
            count += 1
            if count > _MOST:
                raise DrawingFault("IMPORT_FAILED", f"draws more than {_MOST} entities")
            # what a block draws on layer 0 is on the layer of its placement
            layer = entity.dxf.layer if entity.dxf.layer != "0" else around
            if entity.dxftype() == "INSERT":
                if entity.mcount > _MOST:
                    raise DrawingFault("IMPORT_FAILED", f"draws more than {_MOST} entities")
                if self._is_placed(entity, layer):
                    parts = [*itertools.islice(self._parts(entity), _MOST + 1)]
                    pending += [(part, layer) for part in reversed(parts)]
            elif self._is_seen(entity, layer):
                if entity.dxftype() in _READERS:
                    self.layers.add(layer)
                # names of layers do not count capitals
                if self._layer is None or layer.casefold() == self._layer.casefold():
                    yield entity

    def _parts(self, block: Any) -> Iterable[Any]:
        left_out: list[Any] = []
        placements = block.multi_insert() if block.mcount > 1 else [block]
        for placement in placements:
            yield from placement.virtual_entities(
                skipped_entity_callback=lambda entity, _why: left_out.append(entity)
            )
        if left_out:
            self._refuse(left_out[0], "cannot be placed with its block")

    def _is_placed(self, block: Any, name: str) -> bool:
        """Whether what a block draws is there; on a layer that is only off, what lies on others is."""
        layers = self._drawing.layers
        if block.dxf.get("invisible", 0) or (name in layers and layers.get(name).is_frozen()):
            return False
        clip = importlib.import_module("ezdxf.xclip").XClip(block)
        if clip.has_clipping_path and clip.is_clipping_enabled:
            self._refuse(block, "is clipped")
        return True

    def _is_seen(self, entity: Any, name: str) -> bool:
        layers = self._drawing.layers
        hidden = name in layers and (layers.get(name).is_off() or layers.get(name).is_frozen())
        return not hidden and not entity.dxf.get("invisible", 0)

    def _curves(self, entity: Any) -> list[Curve]:
        read = _READERS.get(entity.dxftype())
        if read is None:
            self._refuse(entity, "is no curve")
        curves = [curve for curve in read(self, entity) if _has_size(curve)]
        if not all(math.isfinite(x) for curve in curves for x in (*curve.start, *curve.end)):
            self._refuse(entity, "lies beyond all numbers")
        return curves

    def _name(self, entity: Any, curves: list[Curve]) -> str:
        at = "" if not curves else " from ({:g}, {:g})".format(*curves[0].start)
        return f"{entity.dxftype()}{at} on the layer {entity.dxf.layer!r}"

    def _refuse(self, entity: Any, why: str) -> NoReturn:
        fix = "leave it out in the drawing"
        if self._layer is None:
            fix += ', or name the layer of the outlines, as {:layer "cut"}'
        raise DrawingFault("IMPORT_FAILED", f"holds {self._name(entity, [])}, which {why}", fix)

    # ------------------------------------------------------------ entities

    def _point(self, point: Any) -> Vec2:
        """In millimetres, of world coordinates."""
        self._heights.append(self._scale * float(point[2]))
        return self._scale * float(point[0]), self._scale * float(point[1])

    def _facing(self, entity: Any) -> float:
        """1 for an entity that is drawn as seen from above, −1 for one as seen from below."""
        x, y, z = map(float, entity.dxf.get("extrusion", (0.0, 0.0, 1.0)))
        if math.hypot(x, y) > 1e-9 * abs(z):
            self._refuse(entity, "does not lie in a plane z = constant")
        return math.copysign(1.0, z)

    def _frame(self, entity: Any, height: float) -> Map:
        """From an entity's own coordinates to millimetres; seen from below they are mirrored."""
        up = self._facing(entity)
        self._heights.append(up * self._scale * height)
        return np.array([[up * self._scale, 0.0, 0.0], [0.0, self._scale, 0.0]])

    def _line(self, entity: Any) -> list[Curve]:
        return [Line(self._point(entity.dxf.start), self._point(entity.dxf.end))]

    def _arc(self, entity: Any) -> list[Curve]:
        x, y, z = map(float, entity.dxf.center)
        r = float(entity.dxf.radius)
        frame = self._frame(entity, z)
        if entity.dxftype() == "CIRCLE":
            return [carried(half, frame) for half in ring(r, (x, y))]
        start, end = (
            (x + r * cosd(turn), y + r * sind(turn))
            for turn in (float(entity.dxf.start_angle), float(entity.dxf.end_angle))
        )
        if math.dist(start, end) <= 1e-9 * r:
            return [carried(half, frame) for half in ring(r, (x, y))]
        return [carried(Arc(start, end, (x, y), True), frame)]

    def _ellipse(self, entity: Any) -> list[Curve]:
        x, y = self._point(entity.dxf.center)
        up, ratio = self._facing(entity), float(entity.dxf.ratio)
        a, b, rise = (self._scale * float(each) for each in entity.dxf.major_axis)
        if abs(rise) > LINEAR:
            self._refuse(entity, "does not lie in a plane z = constant")
        place = np.array([[a, -up * ratio * b, x], [b, up * ratio * a, y]])
        first, last = float(entity.dxf.start_param), float(entity.dxf.end_param)
        sweep = (last - first) % (2.0 * math.pi)
        if min(sweep, 2.0 * math.pi - sweep) <= 1e-9:
            return [carried(half, place) for half in ring(1.0)]
        start, end = ((math.cos(turn), math.sin(turn)) for turn in (first, last))
        return [carried(Arc(start, end, (0.0, 0.0), True), place)]

    def _lwpolyline(self, entity: Any) -> list[Curve]:
        points = [(float(x), float(y), float(bulge)) for x, y, bulge in entity.get_points("xyb")]
        frame = self._frame(entity, float(entity.dxf.elevation))
        return [carried(curve, frame) for curve in _bulged(points, entity.closed)]

    def _polyline(self, entity: Any) -> list[Curve]:
        if not entity.is_2d_polyline or entity.dxf.get("smooth_type", 0) or entity.dxf.flags & 6:
            self._refuse(entity, "is no plane polyline of lines and arcs")
        points = [
            (float(each.dxf.location[0]), float(each.dxf.location[1]), float(each.dxf.get("bulge", 0.0)))
            for each in entity.vertices
        ]
        height = float(entity.dxf.get("elevation", (0.0, 0.0, 0.0))[2])
        frame = self._frame(entity, height)
        return [carried(curve, frame) for curve in _bulged(points, entity.is_closed)]

    def _spline(self, entity: Any) -> list[Curve]:
        weights = {float(weight) for weight in entity.weights}
        if len(weights) > 1:
            self._refuse(entity, "is a rational spline, whose curve no plain spline has")
        if not len(entity.control_points):
            self._refuse(entity, "is a spline of fit points alone, which programs draw differently")
        poles = tuple(self._point(point) for point in entity.control_points)
        spline = Spline(int(entity.dxf.degree), poles, tuple(float(knot) for knot in entity.knots))
        try:
            spline.check()
        except ParameterFault:
            self._refuse(
                entity, "is a spline that does not begin at its first control point and end at the last"
            )
        return [spline]


@lru_cache(maxsize=1)
def _lost_pattern() -> re.Pattern[str]:
    """What ezdxf says of an entity that draws, and that it has left out."""
    kinds = "|".join(("INSERT", *_READERS))
    return re.compile(rf"(?:Removed|Deleted) (?:(?:invalid |standalone )?(?:DXF )?entity )?(?:{kinds})\b")


def _has_size(curve: Curve) -> bool:
    return not isinstance(curve, Line) or curve.start != curve.end


def _bulged(points: list[tuple[float, float, float]], closed: bool) -> Iterator[Curve]:
    """Lines, and arcs where a point's bulge, the tangent of a quarter of the arc's angle, is not 0."""
    after = [*points[1:], *points[:1]] if closed else points[1:]
    for (a, b, bulge), (c, d, _) in zip(points, after, strict=False):
        if (a, b) == (c, d):
            continue
        if bulge == 0.0:
            yield Line((a, b), (c, d))
            continue
        off = (1.0 - bulge * bulge) / (4.0 * bulge)
        center = (0.5 * (a + c) - off * (d - b), 0.5 * (b + d) + off * (c - a))
        yield Arc((a, b), (c, d), center, bulge > 0.0)


_READERS: Final[Mapping[str, Callable[[_Space, Any], Iterable[Curve]]]] = {
    "LINE": _Space._line,
    "ARC": _Space._arc,
    "CIRCLE": _Space._arc,
    "ELLIPSE": _Space._ellipse,
    "LWPOLYLINE": _Space._lwpolyline,
    "POLYLINE": _Space._polyline,
    "SPLINE": _Space._spline,
}
