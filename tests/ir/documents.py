"""Random documents with every kind of node, every optional field, names, materials and parameters."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from hypothesis import strategies as st
from msgspec import UNSET

from vcad_kernel.ir.document import Document, Root
from vcad_kernel.ir.parameter import Parameter
from vcad_kernel.operations.features.places import AlongEdge, CentersOf, Corners, Grid, Places, Points, Ring
from vcad_kernel.operations.features.selections import (
    EDGE_KINDS,
    FACE_KINDS,
    SIDES,
    Selector,
    Target,
    keywords_of,
)
from vcad_kernel.operations.library import KINDS
from vcad_kernel.operations.node import Field, Node, NodeId, Vec2, Vec3, fields_of
from vcad_kernel.operations.profiles.paths import (
    CylinderPath,
    DrawnPath,
    HelixPath,
    LinePath,
    Path,
    PolylinePath,
    SplinePath,
)
from vcad_kernel.operations.profiles.sketches import Arc, EllipseArc, Line, Outlines, Segment, Spline
from vcad_kernel.operations.scene import Material

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
_COUNTS = st.integers(0, 2**32 - 1)
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
_VEC2 = st.tuples(NUMBERS, NUMBERS)
_VEC3 = st.tuples(NUMBERS, NUMBERS, NUMBERS)
_SEGMENTS = st.lists(
    st.one_of(st.builds(Line, _VEC2, _VEC2), st.builds(Arc, _VEC2, _VEC2, _VEC2, st.booleans())), max_size=3
).map(tuple)
_CURVES = st.one_of(
    st.builds(Line, _VEC2, _VEC2),
    st.builds(Arc, _VEC2, _VEC2, _VEC2, st.booleans()),
    st.builds(EllipseArc, _VEC2, _VEC2, _VEC2, _VEC2, _VEC2, st.booleans()),
    st.builds(
        Spline,
        st.integers(1, 5),
        st.lists(_VEC2, min_size=2, max_size=4).map(tuple),
        st.lists(NUMBERS, max_size=6).map(tuple),
    ),
)
_POINTS = st.lists(_VEC3, max_size=3).map(tuple)
_PATHS = st.one_of(
    st.builds(LinePath, _VEC3, _VEC3),
    st.builds(HelixPath, NUMBERS, NUMBERS, NUMBERS, NUMBERS),
    st.builds(CylinderPath, NUMBERS, st.lists(_VEC2, max_size=3).map(tuple), NUMBERS),
    st.builds(PolylinePath, _POINTS, NUMBERS),
    st.builds(SplinePath, _POINTS),
    st.builds(DrawnPath, _VEC3, _VEC3, _VEC3, st.lists(_CURVES, max_size=3).map(tuple)),
)


@st.composite
def _coordinates(draw: st.DrawFn) -> tuple[tuple[str, float], ...]:
    axes = draw(st.sets(st.sampled_from("xyz"), min_size=1))
    return tuple((axis, draw(NUMBERS)) for axis in sorted(axes))


_COORDINATES = _coordinates()
_SIDES = st.sampled_from(sorted(SIDES))
_FLAGS = {name: st.booleans() for name in ("inside", "outside", "new", "chain")}


@cache
def _perhaps(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Made once of each: Hypothesis looks at each new strategy, for longer than it draws from it."""
    return st.none() | strategy


@cache
def selectors(depth: int = 2) -> st.SearchStrategy[Selector]:
    """Any selector, with others inside."""
    return _selectors(depth)


@st.composite
def _selectors(draw: st.DrawFn, depth: int) -> Selector:
    targets: tuple[Target, ...] = ("edge", "face")
    target = draw(st.sampled_from(targets))

    def perhaps(strategy: st.SearchStrategy[Any]) -> Any:
        return draw(_perhaps(strategy))

    return Selector(
        target=target,
        parallel=perhaps(_VEC3),
        at=perhaps(_COORDINATES),
        above=perhaps(_COORDINATES),
        below=perhaps(_COORDINATES),
        length=perhaps(_VEC2),
        radius=perhaps(_VEC2),
        convex=perhaps(st.booleans()),
        kind=perhaps(st.sampled_from(EDGE_KINDS if target == "edge" else FACE_KINDS)),
        normal=perhaps(_VEC3),
        largest=perhaps(_COUNTS),
        smallest=perhaps(_COUNTS),
        adjacent=perhaps(selectors(depth - 1)) if depth else None,
        made_by=perhaps(_TEXTS),
        **_younger(draw, target, depth),
    )


@cache
def _held(depth: int) -> tuple[tuple[str, st.SearchStrategy[Any]], ...]:
    """What holds selectors within a selector."""
    within = selectors(depth - 1)
    several = st.lists(within, min_size=1, max_size=2).map(tuple)
    pair = st.tuples(within, within)
    return (("between", pair), ("any_of", several), ("all_of", several), ("none_of", within))


def _younger(draw: st.DrawFn, target: Target, depth: int) -> dict[str, Any]:
    """The criteria that selectors have had since; in half of all selectors none."""
    if draw(st.booleans()):
        return {}
    nth = draw(_perhaps(st.integers(-5, 5)))
    held = dict([draw(st.sampled_from(_held(depth)))]) if depth else {}
    fields = {"side": _SIDES, **_FLAGS, **held}
    found = {name: draw(_perhaps(values)) for name, values in fields.items()}
    order = None if nth is None else draw(st.sampled_from(keywords_of("order", target)))
    return {**found, "nth": nth, "sort_by": order}


_PLACES = st.one_of(
    st.builds(Points, st.lists(_VEC2, max_size=3).map(tuple)),
    st.builds(Grid, _COUNTS, _COUNTS, _VEC2),
    st.builds(Ring, _COUNTS, NUMBERS),
    st.builds(Corners, NUMBERS),
    st.builds(AlongEdge, selectors(), _COUNTS, NUMBERS),
    st.builds(CentersOf, selectors()),
)
_VALUES: dict[Any, st.SearchStrategy[Any]] = {
    float: NUMBERS,
    int: _COUNTS,
    Vec2: _VEC2,
    Vec3: _VEC3,
    tuple[Vec3, ...]: st.lists(_VEC3, max_size=3).map(tuple),
    Outlines: st.lists(st.lists(_CURVES, max_size=3).map(tuple), max_size=2).map(tuple),
    tuple[Segment, ...]: _SEGMENTS,
    Path: _PATHS,
    Places: _PLACES,
    tuple[float, ...]: st.lists(NUMBERS, max_size=4).map(tuple),
    tuple[int, ...]: st.lists(_COUNTS, max_size=4).map(tuple),
    str: _TEXTS,
    bool: st.booleans(),
    Selector: selectors(),
}


def _value(draw: st.DrawFn, field: Field, child: Callable[[], NodeId]) -> Any:
    if field.optional and draw(st.booleans()):
        return None
    if field.type is NodeId:
        return child()
    if field.type == tuple[NodeId, ...]:
        return tuple(child() for _ in range(draw(st.integers(0, 3))))
    return draw(_VALUES[field.type])


_NEEDS_CHILD = {
    kind
    for kind in KINDS.values()
    if any(field.type in (NodeId, tuple[NodeId, ...]) for field in fields_of(kind))
}
_LEAVES = [kind for kind in KINDS.values() if kind not in _NEEDS_CHILD]


@st.composite
def _node(draw: st.DrawFn, kind: type[Node], below: list[NodeId]) -> Node:
    def child() -> NodeId:
        return draw(st.sampled_from(below))

    return kind(**{field.name: _value(draw, field, child) for field in fields_of(kind)})


_MATERIALS = st.builds(
    Material,
    _TEXTS,
    _VEC3,
    NUMBERS,
    NUMBERS,
    st.one_of(st.none(), NUMBERS),
    st.one_of(st.none(), NUMBERS),
    st.one_of(st.just(UNSET), st.floats(0.0, 1.0)),
)
_LIMITS = st.one_of(st.none(), NUMBERS, st.integers(-9, 9))
_PARAMETERS = st.builds(
    Parameter,
    _TEXTS,
    NUMBERS,
    st.integers(-(2**53), 2**53),
    st.one_of(st.none(), _TEXTS),
    _LIMITS,
    _LIMITS,
    _LIMITS,
    st.one_of(st.none(), _TEXTS),
)


@st.composite
def documents(draw: st.DrawFn, size: int = 8) -> Document:
    """A document with up to ``size`` nodes of any kinds; ids need not be in order, nor begin at 0."""
    count = draw(st.integers(0, size))
    ids = draw(st.lists(st.integers(0, 3 * size), unique=True, min_size=count, max_size=count))
    nodes: dict[NodeId, Node] = {}
    for node_id in ids:
        kinds = list(KINDS.values()) if nodes else _LEAVES
        nodes[NodeId(node_id)] = draw(_node(draw(st.sampled_from(kinds)), list(nodes)))
    named = draw(st.lists(st.sampled_from(ids), unique=True, max_size=3)) if ids else []
    visible = st.sampled_from([None, True, False])
    roots = st.builds(Root, st.sampled_from(ids).map(NodeId), _TEXTS, visible) if ids else st.nothing()
    materials = draw(st.lists(_MATERIALS, max_size=2))
    return Document(
        nodes,
        {material.name: material for material in materials},
        tuple(draw(st.lists(roots, max_size=3))) if ids else (),
        {NodeId(node_id): draw(_TEXTS) for node_id in named},
        version=draw(st.sampled_from(["0.1", "0.2"])),
        parameters=tuple(draw(st.lists(_PARAMETERS, max_size=2))),
    )
