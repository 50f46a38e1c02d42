"""Sections as DXF: lines, arcs and circles as such, a layer for each part, millimetres.

Written with ezdxf, which is loaded for the first of them.
"""

from __future__ import annotations

import importlib
import io
import re
from collections.abc import Sequence
from typing import Any

from vcad_kernel.exchange.drawing.planar_curves import Bow, Outline, Run
from vcad_kernel.exchange.palette import unique

__all__ = ["section_dxf"]

_MILLIMETRES = 4
_FORBIDDEN = re.compile(r'[<>/\\":;?*|=`,\x00-\x1f]')
"""What the name of a layer must not hold."""


def section_dxf(outlines: Sequence[Outline]) -> bytes:
    """The loops of all parts as one DXF (R2010)."""
    ezdxf: Any = importlib.import_module("ezdxf")
    colors: Any = importlib.import_module("ezdxf.colors")
    # the file's dates and random ids would differ each time
    fixed = ezdxf.options.write_fixed_meta_data_for_testing
    ezdxf.options.write_fixed_meta_data_for_testing = True
    try:
        document = ezdxf.new("R2010")
        document.header["$INSUNITS"] = _MILLIMETRES
        document.header["$MEASUREMENT"] = 1
        space: Any = document.modelspace()
        layers = unique(_FORBIDDEN.sub("_", outline.name).strip()[:200] or "part" for outline in outlines)
        for layer, outline in zip(layers, outlines, strict=True):
            if layer not in document.layers:  # layer 0 is there from the first
                document.layers.add(layer)
            rgb = tuple(round(255 * min(max(value, 0.0), 1.0)) for value in outline.material.color)
            document.layers.get(layer).dxf.true_color = colors.rgb2int(rgb)
            for loop in outline.loops:
                for curve in loop:
                    _add(space, curve, {"layer": layer})
        stream = io.StringIO()
        document.write(stream)
    finally:
        ezdxf.options.write_fixed_meta_data_for_testing = fixed
    data: bytes = stream.getvalue().encode(document.output_encoding, "dxfreplace")
    return data


def _add(space: Any, curve: object, attributes: dict[str, Any]) -> None:
    if isinstance(curve, Run):
        closed = len(curve.points) > 2 and curve.points[0] == curve.points[-1]
        points = curve.points[:-1] if closed else curve.points
        space.add_lwpolyline(points, close=closed, dxfattribs=attributes)
    elif not isinstance(curve, Bow):
        space.add_line(curve.start, curve.end, dxfattribs=attributes)  # type: ignore[attr-defined]
    elif curve.full:
        space.add_circle(curve.center, curve.radius, dxfattribs=attributes)
    else:
        first, last = curve.first, curve.first + curve.sweep
        if curve.sweep < 0.0:
            first, last = last, first
        space.add_arc(curve.center, curve.radius, first, last, dxfattribs=attributes)
