"""Ball, torus, wedge, prism, gear and text as skins.

The builders of nodes are ``(document, node, tessellation, scale) → Swept``.
The nodes' own numbers have been checked. ``scale``: how much later transforms enlarge the body.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.mesh.manifold_kernel import triangulate, triangulate_rings
from vcad_kernel.geometry.sweeps.profiles import gear as gears
from vcad_kernel.geometry.sweeps.profiles.lettering import Contour, Letter, letters
from vcad_kernel.geometry.sweeps.profiles.profile import circle_points
from vcad_kernel.geometry.sweeps.sweeping import Swept
from vcad_kernel.geometry.sweeps.swept import Indices, Points, Skin, outward, turned
from vcad_kernel.geometry.sweeps.swept import prism as carried
from vcad_kernel.geometry.tolerance import Tessellation, sagitta
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.solids.gears import Gear
from vcad_kernel.operations.solids.shapes import Prism, Torus, Wedge
from vcad_kernel.operations.solids.text import Text

__all__ = ["ball", "ball_depth", "gear", "prism", "text", "torus", "wedge"]

_MOST_CHORDS = 1024
"""Of one stroke of a letter."""


def torus(document: Document, node: NodeId, tessellation: Tessellation, scale: float) -> Swept:
    """Ring about +Z, centred at the origin."""
    value = document.nodes[node]
    assert isinstance(value, Torus)
    major, minor, hint = value.major_radius, value.minor_radius, value.segments
    around = tessellation.sides(major + minor, hint=hint, scale=scale)
    across = tessellation.sides(minor, hint=hint, scale=scale)
    section = minor * circle_points(np.arange(across), across)
    reach = np.column_stack([major + section[:, 0], np.zeros(across)])
    x, y, z = np.eye(3)
    # a cell between two meridians and two parallels is a trapezium, and so plane
    skin = turned(reach, section[:, 1], (np.zeros(3), z, x, y), 360.0, around, _no_lid, flat=True)
    deviation = sagitta(major + minor, around) + sagitta(minor, across)
    return Swept((outward(skin)[0],), deviation * scale)


def _no_lid() -> NDArray[np.int64]:
    return np.empty((0, 3), np.int64)


def _upright(outline: NDArray[np.float64], height: float) -> Skin:
    base = np.column_stack([outline, np.zeros(len(outline))])
    return outward(carried(base, np.array([0.0, 0.0, height]), outline, triangulate))[0]


def wedge(document: Document, node: NodeId, _tessellation: Tessellation, _scale: float) -> Swept:
    """Right-triangular prism: its section is (0, 0), (x, 0), (0, z) of the XZ plane."""
    value = document.nodes[node]
    assert isinstance(value, Wedge)
    x, y, z = value.size
    section = np.array([(0.0, 0.0), (x, 0.0), (0.0, z)])
    base = np.column_stack([section[:, 0], np.zeros(3), section[:, 1]])
    skin = carried(base, np.array([0.0, y, 0.0]), section, triangulate)
    return Swept((outward(skin)[0],), 0.0)


def prism(document: Document, node: NodeId, _tessellation: Tessellation, _scale: float) -> Swept:
    """Regular prism standing on the origin, a corner on +X."""
    value = document.nodes[node]
    assert isinstance(value, Prism)
    corners = value.radius * circle_points(np.arange(value.sides), value.sides)
    return Swept((_upright(corners, value.height),), 0.0)


def gear(document: Document, node: NodeId, tessellation: Tessellation, scale: float) -> Swept:
    """The gear, or the bore of a ring gear, standing on the XY plane."""
    value = document.nodes[node]
    assert isinstance(value, Gear)
    form = value.form()
    sides = tessellation.sides(form.tip, scale=scale)
    chord = tessellation.chord / scale
    if tessellation.segments is not None:
        chord = sagitta(form.tip, sides)
    outline, deviation = gears.outline(form, chord, sides)
    return Swept((_upright(outline, value.width),), deviation * scale)


def text(document: Document, node: NodeId, tessellation: Tessellation, scale: float) -> Swept:
    """Letters standing on the X axis; no skins at all for a text of blanks."""
    value = document.nodes[node]
    assert isinstance(value, Text)
    chord = tessellation.chord / scale
    if tessellation.segments is not None:
        chord = sagitta(value.size / 4.0, tessellation.segments)
    skins = []
    deviation = 0.0
    for letter in letters(value.text, value.size):
        skin, off = _standing(letter, value.height, chord)
        skins.append(skin)
        deviation = max(deviation, off)
    return Swept(tuple(skins), deviation * scale)


def _standing(letter: Letter, height: float, chord: float) -> tuple[Skin, float]:
    contours = (letter.outline, *letter.holes)
    flattened = [_flattened(contour, chord) for contour in contours]
    rings = [points for points, _ in flattened]
    # one triangulation for both lids, turned over below, and walls between them
    lid = triangulate_rings(rings)
    flat = np.vstack(rings)
    count = len(flat)
    positions = np.vstack(
        [np.column_stack([flat, np.zeros(count)]), np.column_stack([flat, np.full(count, height)])]
    )
    triangles = [lid[:, ::-1], lid + count, *_walls(rings, count)]
    return Skin(positions, np.vstack(triangles)), max(off for _, off in flattened)


def _walls(rings: Sequence[NDArray[np.float64]], above: int) -> list[NDArray[np.int64]]:
    walls = []
    first = 0
    for ring in rings:
        here = np.arange(first, first + len(ring))
        after = np.roll(here, -1)
        walls.append(np.column_stack([here, after, after + above]))
        walls.append(np.column_stack([here, after + above, here + above]))
        first += len(ring)
    return walls


def _flattened(contour: Contour, chord: float) -> tuple[NDArray[np.float64], float]:
    """A contour in chords, and how far they are from it: a parabola's chords go with the square."""
    parts = []
    deviation = 0.0
    for stroke in contour:
        pieces = min(max(math.ceil(math.sqrt(stroke.bulge / chord)), 1), _MOST_CHORDS)
        parts.append(stroke.points(pieces))
        deviation = max(deviation, stroke.bulge / pieces**2)
    return np.vstack(parts), deviation


def ball(radius: float, sides: int) -> Skin:
    """Ball at the origin, outward: ``sides`` around and half as many from pole to pole.

    Rings of latitude, every other one turned by half a step. The vertices lie on the sphere, the poles and
    the axis points among them, so that the box is tight and an equator meets a cylinder of the same radius
    vertex to vertex. Turning the rings makes the triangles nearly equilateral, which loses an eighth less
    volume than rectangles cut in two.
    """
    bands = 2 * math.ceil(sides / 4)
    # latitudes from pole to pole without the poles, the equator among them
    meridian = circle_points(np.arange(1, bands) - bands // 2, 2 * bands)
    turned = (np.arange(1, bands) - bands // 2) % 2
    rings = [
        _ring(distance, height, sides, bool(half))
        for (distance, height), half in zip(meridian, turned, strict=True)
    ]
    poles = np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]])
    positions = radius * np.vstack([*rings, poles])
    here = np.arange(sides)
    after = np.roll(here, -1)
    bottom, top = len(positions) - 2, len(positions) - 1
    last = (bands - 2) * sides
    # fans around the poles, then a zigzag between every two rings
    parts: list[Indices] = [
        np.column_stack([after, here, np.full(sides, bottom)]),
        np.column_stack([last + here, last + after, np.full(sides, top)]),
    ]
    for band, half in enumerate(turned[:-1]):
        low, high = band * sides, (band + 1) * sides
        # the vertex of the upper ring that stands over the lower side from here to after
        over, other = (after, here) if half else (here, after)
        parts.append(np.column_stack([low + here, low + after, high + over]))
        if half:
            parts.append(np.column_stack([low + here, high + over, high + other]))
        else:
            parts.append(np.column_stack([low + after, high + other, high + over]))
    return Skin(positions, np.vstack(parts))


def ball_depth(radius: float, sides: int) -> float:
    """How far a facet of `ball` lies inside the sphere at its deepest, mm.

    The largest facets stand on the equator: a side of it, and the vertex over its middle on the next ring.
    """
    half, up = math.pi / sides, math.pi / (2 * math.ceil(sides / 4))
    # seen along the side, the facet is a line
    reach = math.cos(half) * math.sin(up) / math.hypot(math.cos(half) - math.cos(up), math.sin(up))
    return radius * (1.0 - reach)


def _ring(distance: float, height: float, sides: int, half: bool) -> Points:
    steps = 2 * np.arange(sides) + int(half)
    around = distance * circle_points(steps, 2 * sides)
    return np.column_stack([around, np.full(sides, height)])
