"""Criteria that select exactly some edges or faces of an exact body, the shortest first.

    for text in criteria_for(measurement, "edge", [3, 7]):   # :top, {:kind :circle :radius 11} …
        …

They are found on what the tables say of the body: each criterion that all wanted things meet is a set, and
the sets that together leave nothing else are an answer. Whether a text selects what it should is for its
reader to find out, by running it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.geometry.measure.readings import EdgeReading, FaceReading
from vcad_kernel.ir.digest import Digest
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.features.selections import AXES, SIDES, Target
from vcad_kernel.operations.node import Vec3

__all__ = ["SelectorFound", "Unselectable", "criteria_for"]

_SAME: Final = 1e-6
"""mm, as selections compare positions, lengths and radii."""
_WRITTEN: Final = 2e-7
"""mm that a written number may be off: well within the above."""
_AIMED: Final = 2e-7
"""The same for components of unit vectors."""
_TIE: Final = 1e-9
_MOST: Final = 3
"""Criteria at a time."""
_AXES: Final = "xyz"


class Unselectable(Exception):
    """Why no criteria select what is wanted."""


@dataclass(frozen=True, slots=True)
class SelectorFound:
    """The criteria of some edges or faces."""

    text: str | None
    """Loon text of a selection; None where there is none."""
    target: Target
    count: int
    """How many things it selects."""
    why: str = ""
    """Why there is no text."""


@dataclass(frozen=True, slots=True)
class _Item:
    """An edge or a face, as selections see it."""

    number: int
    kind: str
    size: float
    """Length or area."""
    radius: float | None
    center: Vec3
    direction: Vec3 | None
    """Along a straight edge; the normal of a plane."""
    beside: frozenset[int]
    """Numbers of the faces that an edge lies between, or that share an edge with a face."""
    makers: frozenset[Digest]
    convex: bool | None = None


@dataclass(frozen=True, slots=True)
class _Criterion:
    key: str
    text: str
    met_by: frozenset[int]


def criteria_for(measurement: Measurement, target: Target, indexes: Sequence[int]) -> Iterator[str]:
    """Texts of criteria that select the edges or faces of these numbers: fewest first, then shortest.

    Raises: Unselectable where there are none; ValueError for a number that the part has not;
    CapabilityUnavailable and GeometryError as `selected`.
    """
    from vcad_kernel.geometry.occt.measure.topology.inspecting import (
        edge_readings,
        face_readings,
        merged,
        sharpness,
    )

    measurement.confirm()
    body = measurement.kernel.brep(measurement.document, measurement.node)
    brep = None if body is None else merged(body)
    edges = () if brep is None else edge_readings(brep)
    faces = () if brep is None else face_readings(brep)
    known = {row.index for row in (edges if target == "edge" else faces)}
    wrong = sorted(set(indexes) - known)
    if wrong:
        raise ValueError(f"there is no {target} {wrong[0]} in the part")
    wanted = frozenset(indexes)
    if brep is None or not wanted:
        raise Unselectable("nothing is picked")
    face_items = _face_items(edges, faces)
    named = _names(measurement.document, {face.maker for face in faces})
    if target == "face":
        yield from _search(_face_criteria(face_items, wanted, face_items, named), face_items, wanted)
        return
    convex = sharpness(brep)
    smooth = sorted(wanted - convex.keys())
    if smooth:
        raise Unselectable(f"edge {smooth[0]} is no sharp edge, and selections take those alone")
    items = [_edge_item(edge, faces, convex[edge.index]) for edge in edges if edge.index in convex]
    yield from _search(_edge_criteria(items, wanted, face_items, named), items, wanted)


# ---- what selections see -----------------------------------------------------------------------


def _edge_item(edge: EdgeReading, faces: Sequence[FaceReading], convex: bool | None) -> _Item:
    straight = edge.direction if edge.kind == "line" else None
    makers = frozenset(faces[face].maker for face in edge.faces)
    beside = frozenset(edge.faces)
    return _Item(
        edge.index, edge.kind, edge.length, edge.radius, edge.center, straight, beside, makers, convex
    )


def _face_items(edges: Sequence[EdgeReading], faces: Sequence[FaceReading]) -> list[_Item]:
    beside: list[set[int]] = [set() for _ in faces]
    for edge in edges:
        for face in edge.faces:
            beside[face].update(set(edge.faces) - {face})
    return [
        _Item(
            face.index,
            face.kind,
            face.area,
            face.radius,
            face.center,
            face.normal,
            frozenset(beside[face.index]),
            frozenset({face.maker}),
        )
        for face in faces
    ]


def _names(document: Document, makers: Iterable[Digest]) -> dict[str, frozenset[Digest]]:
    """What ``:made-by`` may say → the makers that it stands for."""
    named: dict[str, set[Digest]] = {}
    for maker in makers:
        for name in document.nodes[document.by_digest[maker]].functions:
            named.setdefault(name, set()).add(maker)
    for node, name in document.names.items():
        named.setdefault(name, set()).update(document.digest(below) for below in document.subgraph(node))
    return {name: frozenset(made) for name, made in sorted(named.items())}


# ---- criteria that all wanted things meet ------------------------------------------------------
# what a thing is comes before where it is: of texts as long as each other the first is taken


def _edge_criteria(
    items: Sequence[_Item],
    wanted: frozenset[int],
    faces: Sequence[_Item],
    named: dict[str, frozenset[Digest]],
) -> Iterator[_Criterion]:
    chosen = [item for item in items if item.number in wanted]
    for side, outermost in _sides(faces):
        met = frozenset(item.number for item in items if not item.beside.isdisjoint(outermost))
        yield _Criterion("side", f":side :{side}", met)
    yield from _common(items, chosen, faces, named)
    for convex in (True, False):
        if all(item.convex is convex for item in chosen):
            met = frozenset(item.number for item in items if item.convex is convex)
            yield _Criterion("convex", f":convex {'true' if convex else 'false'}", met)
    low, high = min(item.size for item in chosen), max(item.size for item in chosen)
    yield _ranged(items, "length", low, high, lambda item: item.size)
    first = chosen[0].direction
    if first is not None and all(_is_parallel(item.direction, first) for item in chosen):
        met = frozenset(item.number for item in items if _is_parallel(item.direction, first))
        yield _Criterion("parallel", f":parallel {_direction(first, signed=False)}", met)
    yield from _placed(items, chosen)


def _face_criteria(
    items: Sequence[_Item],
    wanted: frozenset[int],
    faces: Sequence[_Item],
    named: dict[str, frozenset[Digest]],
) -> Iterator[_Criterion]:
    chosen = [item for item in items if item.number in wanted]
    for side, outermost in _sides(faces):
        yield _Criterion("side", f":side :{side}", outermost)
    yield from _common(items, chosen, faces, named)
    first = chosen[0].direction
    if first is not None and all(_is_same(item.direction, first) for item in chosen):
        met = frozenset(item.number for item in items if _is_same(item.direction, first))
        yield _Criterion("normal", f":normal {_direction(first, signed=True)}", met)
    for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        if all(_is_square(item.direction, axis) for item in chosen):
            met = frozenset(item.number for item in items if _is_square(item.direction, axis))
            yield _Criterion("parallel", f":parallel {_direction(axis, signed=False)}", met)
    yield from _placed(items, chosen)


def _sides(faces: Sequence[_Item]) -> Iterator[tuple[str, frozenset[int]]]:
    """The plane faces furthest out on each side of the body."""
    for side, way in SIDES.items():
        out = {face.number: _dot(face.center, way) for face in faces if _is_same(face.direction, way)}
        furthest = max(out.values(), default=0.0)
        yield side, frozenset(number for number, far in out.items() if far >= furthest - _SAME)


def _common(
    items: Sequence[_Item],
    chosen: Sequence[_Item],
    faces: Sequence[_Item],
    named: dict[str, frozenset[Digest]],
) -> Iterator[_Criterion]:
    """What edges and faces have alike."""
    kinds = {item.kind for item in chosen}
    if len(kinds) == 1:
        (kind,) = kinds
        yield _Criterion(
            "kind", f":kind :{kind}", frozenset(item.number for item in items if item.kind == kind)
        )
    radii = [item.radius for item in chosen if item.radius is not None]
    if len(radii) == len(chosen):
        yield _ranged(items, "radius", min(radii), max(radii), lambda item: item.radius)
    for name, makers in named.items():
        if all(item.makers & makers for item in chosen):
            met = frozenset(item.number for item in items if bool(item.makers & makers))
            yield _Criterion("made-by", f':made-by "{name}"', met)
    # faces that lie beside the first, by one criterion each
    for face in sorted(chosen[0].beside):
        for near in _single(faces, faces[face]):
            met = frozenset(item.number for item in items if bool(item.beside & near.met_by))
            if all(item.number in met for item in chosen):
                yield _Criterion("adjacent", f":adjacent {_map((near,))}", met)


def _single(faces: Sequence[_Item], face: _Item) -> Iterator[_Criterion]:
    """Criteria that one face meets."""
    for side, outermost in _sides(faces):
        if face.number in outermost:
            yield _Criterion("side", f":side :{side}", outermost)
    normal = face.direction
    if normal is not None:
        met = frozenset(item.number for item in faces if _is_same(item.direction, normal))
        yield _Criterion("normal", f":normal {_direction(normal, signed=True)}", met)
    yield _Criterion(
        "kind", f":kind :{face.kind}", frozenset(item.number for item in faces if item.kind == face.kind)
    )
    if face.radius is not None:
        yield _ranged(faces, "radius", face.radius, face.radius, lambda item: item.radius)
    yield from (criterion for criterion in _placed(faces, [face]) if criterion.key == "at")


def _placed(items: Sequence[_Item], chosen: Sequence[_Item]) -> Iterator[_Criterion]:
    """Where the middles are: at common coordinates, and beyond what lies before them."""
    origin = chosen[0].center
    common = [
        axis for axis in range(3) if all(abs(item.center[axis] - origin[axis]) <= _WRITTEN for item in chosen)
    ]
    for count in range(1, len(common) + 1):
        for axes in combinations(common, count):
            values = {axis: _short(origin[axis]) for axis in axes}
            met = frozenset(
                item.number
                for item in items
                if all(abs(item.center[axis] - float(value)) <= _SAME for axis, value in values.items())
            )
            said = " ".join(f":{_AXES[axis]} {value}" for axis, value in values.items())
            yield _Criterion("at", f":at {{{said}}}", met)
    for axis in range(3):
        places = [item.center[axis] for item in chosen]
        others = [item.center[axis] for item in items]
        before = max((place for place in others if place < min(places) - 10.0 * _SAME), default=None)
        if before is not None:
            bound = _between(before, min(places))
            met = frozenset(item.number for item in items if item.center[axis] > float(bound) + _SAME)
            yield _Criterion("above", f":above {{:{_AXES[axis]} {bound}}}", met)
        beyond = min((place for place in others if place > max(places) + 10.0 * _SAME), default=None)
        if beyond is not None:
            bound = _between(max(places), beyond)
            met = frozenset(item.number for item in items if item.center[axis] < float(bound) - _SAME)
            yield _Criterion("below", f":below {{:{_AXES[axis]} {bound}}}", met)


def _ranged(
    items: Sequence[_Item], key: str, low: float, high: float, of: Callable[[_Item], float | None]
) -> _Criterion:
    if high - low <= _WRITTEN:
        value = _short(low)
        text, lowest, highest = f":{key} {value}", float(value), float(value)
    else:
        first, last = _short(low), _short(high)
        text, lowest, highest = f":{key} ({first} {last})", float(first), float(last)

    def is_met(item: _Item) -> bool:
        value = of(item)
        return value is not None and lowest - _SAME <= value <= highest + _SAME

    return _Criterion(key, text, frozenset(item.number for item in items if is_met(item)))


# ---- the search --------------------------------------------------------------------------------


def _search(criteria: Iterable[_Criterion], items: Sequence[_Item], wanted: frozenset[int]) -> Iterator[str]:
    if len(wanted) == len(items):
        yield ":all"
    pool = list(dict.fromkeys(criterion for criterion in criteria if wanted <= criterion.met_by))
    sizes = {item.number: item.size for item in items}
    everything = frozenset(sizes)
    has_combination = False
    for count in range(1, _MOST + 1):
        texts: list[str] = []
        for chosen in combinations(pool, count):
            if (
                _distinct(chosen)
                and everything.intersection(*(criterion.met_by for criterion in chosen)) == wanted
            ):
                texts.append(_map(chosen))
        # the longest or largest of what fewer criteria leave
        for chosen in combinations(pool, count - 1):
            if _distinct(chosen):
                left = everything.intersection(*(criterion.met_by for criterion in chosen))
                texts += [_map(chosen, extreme) for extreme in _extremes(left, wanted, sizes)]
        for text in sorted(texts, key=len):
            has_combination = True
            yield text
    if not has_combination and len(wanted) != len(items):
        raise Unselectable(
            f"no {_MOST} criteria tell these from the others: select them in groups, or one by one"
        )


def _distinct(chosen: Sequence[_Criterion]) -> bool:
    return len({criterion.key for criterion in chosen}) == len(chosen)


def _extremes(left: frozenset[int], wanted: frozenset[int], sizes: dict[int, float]) -> Iterator[str]:
    """``:largest`` or ``:smallest``, where that leaves what is wanted."""
    if not wanted < left:
        return
    for word, sign in (("largest", 1.0), ("smallest", -1.0)):
        last = min(sign * sizes[number] for number in wanted)
        if all(sign * sizes[number] < last - 2.0 * _TIE * max(1.0, abs(last)) for number in left - wanted):
            yield f":{word} {len(wanted)}"


def _map(chosen: Sequence[_Criterion], *more: str) -> str:
    if not more and [criterion.key for criterion in chosen] == ["side"]:
        # a side alone is a word
        return chosen[0].text.removeprefix(":side ")
    return "{" + " ".join([*(criterion.text for criterion in chosen), *more]) + "}"


# ---- numbers and directions --------------------------------------------------------------------


def _short(value: float) -> str:
    """A number in as few digits as say it."""
    for digits in range(9):
        rounded = round(value, digits)
        if abs(rounded - value) <= _WRITTEN:
            return f"{rounded + 0.0:.{digits}f}"
    return repr(value)


def _between(low: float, high: float) -> str:
    """The roundest number well between two, near their middle."""
    middle, room = 0.5 * (low + high), 0.4 * (high - low)
    for digits in range(-6, 9):
        rounded = round(middle, digits)
        if abs(rounded - middle) <= room:
            return f"{rounded + 0.0:.{max(digits, 0)}f}"
    return repr(middle)


def _direction(vector: Vec3, *, signed: bool) -> str:
    """An axis by its name; any other vector in whole numbers, where small ones say it."""
    largest = max(abs(part) for part in vector)
    sign = 1.0
    if not signed:
        sign = math.copysign(1.0, next(part for part in vector if abs(part) > _AIMED))
    for factor in range(1, 13):
        parts = [sign * part * factor / largest for part in vector]
        whole = tuple(round(part) for part in parts)
        if all(abs(part - near) <= _AIMED for part, near in zip(parts, whole, strict=True)):
            named = next((name for name, axis in AXES.items() if whole == axis), None)
            return f"#[{' '.join(map(str, whole))}]" if named is None else f":{named}"
    return f"#[{' '.join(_short(sign * part / largest) for part in vector)}]"


def _cross(a: Vec3, b: Vec3) -> float:
    return math.hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _dot(a: Vec3, b: Vec3) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _is_parallel(direction: Vec3 | None, other: Vec3) -> bool:
    return direction is not None and _cross(direction, other) <= _SAME


def _is_same(direction: Vec3 | None, other: Vec3) -> bool:
    return direction is not None and _cross(direction, other) <= _SAME and _dot(direction, other) > 0.0


def _is_square(direction: Vec3 | None, other: Vec3) -> bool:
    return direction is not None and abs(_dot(direction, other)) <= _SAME
