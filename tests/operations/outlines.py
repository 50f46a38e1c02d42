"""What outlines are, for the tests of words that draw them: nodes of a program, areas in closed form."""

from __future__ import annotations

import math

import pytest

from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import VcadError
from vcad_kernel.geometry.sweeps.profiles.curves import bulge_area
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source
from vcad_kernel.operations.node import Node
from vcad_kernel.operations.profiles.profiles import Region
from vcad_kernel.operations.profiles.sketches import Arc, Curves, EllipseArc, Line


def first_node(text: str, kind: type[Node]) -> Node:
    """The first node of a kind in the document of a program."""
    document = convert(Environment(prelude=PRELUDE).run(Source("part.oo", text)))
    return next(node for node in document.nodes.values() if isinstance(node, kind))


def outline_of(call: str) -> Curves:
    """The one outline of a call that draws it."""
    region = first_node(f"[pull 1 {call}]", Region)
    assert isinstance(region, Region)
    (outline,) = region.outlines
    assert all(
        math.dist(before.end, after.start) <= 1e-9
        for before, after in zip(outline, (*outline[1:], outline[0]), strict=True)
    )
    return outline


def message_of(text: str) -> str:
    """What is said of a program that is refused."""
    with pytest.raises(VcadError) as caught:
        convert(Environment(prelude=PRELUDE).run(Source("part.oo", text)))
    return str(caught.value)


def area_of(outline: Curves) -> float:
    """Signed, mm²: the polygon of the ends, and what bulges beyond it."""
    area = 0.0
    for curve in outline:
        area += 0.5 * (curve.start[0] * curve.end[1] - curve.end[0] * curve.start[1])
        if isinstance(curve, Arc):
            radius = math.dist(curve.start, curve.center)
            (a, b), (c, d) = (
                (point[0] - curve.center[0], point[1] - curve.center[1]) for point in (curve.start, curve.end)
            )
            angle = math.atan2(a * d - b * c, a * c + b * d)
            sweep = angle % (2.0 * math.pi) if curve.ccw else -((-angle) % (2.0 * math.pi))
            area += 0.5 * radius**2 * (sweep - math.sin(sweep))
        elif not isinstance(curve, Line):
            area += bulge_area(curve)
    return area


def kinds_of(outline: Curves) -> str:
    """A letter for each curve: ``LAES``."""
    letters = {Line: "L", Arc: "A", EllipseArc: "E"}
    return "".join(letters.get(type(curve), "S") for curve in outline)
