"""What an edit costs: nodes are counted, never timed."""

from __future__ import annotations

import pytest

from tests.geometry.models import Solid, box, circle, difference, document, solid, union
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.evaluate import EvaluationOptions, evaluate
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.ir.document import Document, DocumentBuilder
from vcad_kernel.operations.bodies.booleans import Difference, Intersection, Union
from vcad_kernel.operations.bodies.patterns import LinearPattern
from vcad_kernel.operations.bodies.transforms import Rotate, Translate
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.profiles.paths import HelixPath
from vcad_kernel.operations.solids.shapes import Cube, Cylinder, Sphere
from vcad_kernel.operations.solids.sweeps import Sweep

LEAVES = 200


def tower(heights: list[float]) -> Document:
    """A left-leaning chain of unions over translated boxes, one leaf for each height."""
    builder = DocumentBuilder()
    top: NodeId | None = None
    for index, height in enumerate(heights):
        leaf = builder.add(Translate(builder.add(Cube((1.0, 1.0, height))), (2.0 * index, 0.0, 0.0)))
        top = leaf if top is None else builder.add(Union(top, leaf))
    assert top is not None
    builder.add_root(top)
    return builder.build()


def balanced(heights: list[float]) -> Document:
    """The same boxes in a balanced tree of unions."""
    builder = DocumentBuilder()
    level = [
        builder.add(Translate(builder.add(Cube((1.0, 1.0, height))), (2.0 * index, 0.0, 0.0)))
        for index, height in enumerate(heights)
    ]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        odd = level[-1:] if len(level) % 2 else []
        level = [builder.add(Union(a, b)) for a, b in pairs] + odd
    builder.add_root(level[0])
    return builder.build()


def _heights(changed: int | None = None) -> list[float]:
    return [9.0 if index == changed else 1.0 + index / LEAVES for index in range(LEAVES)]


def _ancestors(found: Document, changed: Document) -> int:
    """How many nodes of a document the other does not have."""
    known = set(found.by_digest)
    return sum(1 for digest in changed.by_digest if digest not in known)


@pytest.mark.parametrize("make", [tower, balanced])
@pytest.mark.parametrize("changed", [0, 1, 77, 199])
def test_one_changed_leaf_of_200_evaluates_the_leaf_and_its_ancestors_only(
    make: object, changed: int
) -> None:
    assert callable(make)
    cache = SolidCache()
    before, after = make(_heights()), make(_heights(changed))
    first = evaluate(before, cache=cache)
    second = evaluate(after, cache=cache)
    assert first.evaluated == len(before.nodes)
    assert second.evaluated == _ancestors(before, after)
    assert second.parts[0].figures.volume == pytest.approx(sum(_heights(changed)))


def test_an_unchanged_document_evaluates_nothing() -> None:
    cache = SolidCache()
    evaluate(tower(_heights()), cache=cache)
    again = evaluate(tower(_heights()), cache=cache)
    assert again.evaluated == 0
    assert all(row.cached and row.ms == 0.0 for row in again.profile)


def test_a_part_of_a_known_solid_is_known_as_a_root_of_its_own() -> None:
    cache = SolidCache()
    inner = difference(box(9.0, 9.0, 3.0), solid(Cylinder, radius=2.0, height=9.0))
    evaluate(document(union(inner, box(1.0, 1.0, 8.0))), cache=cache)
    alone = evaluate(document(inner), cache=cache)
    assert alone.evaluated == 0
    assert alone.parts[0].mesh.source_nodes.max() == 1


def _bracket(radius: float) -> Solid:
    holes = solid(
        LinearPattern,
        solid(Translate, solid(Cylinder, radius=radius, height=9.0), offset=(5.0, 5.0, -2.0)),
        direction=(1.0, 0.0, 0.0),
        count=5,
        spacing=7.0,
    )
    plate = difference(box(40.0, 10.0, 4.0), solid(Rotate, holes, angles=(0.0, 0.0, 1.0)))
    return solid(
        Intersection, union(plate, solid(Sphere, radius=6.0)), box(80.0, 80.0, 3.0, (-40.0, -40.0, 0.0))
    )


def test_an_edited_solid_has_the_same_bytes_whatever_was_known_before() -> None:
    cache = SolidCache()
    for radius in (1.0, 1.5, 2.0):
        evaluate(document(_bracket(radius)), cache=cache)
    tops = [
        solid(Union, _bracket(1.5), box(2.0, 2.0, 30.0)),
        solid(Difference, _bracket(1.5), box(2.0, 2.0, 30.0)),
    ]
    for top, new in zip(tops, (2, 1), strict=True):
        warm = evaluate(document(top), cache=cache)
        cold = evaluate(document(top))
        assert warm.evaluated == new
        assert warm.parts[0].mesh.positions.tobytes() == cold.parts[0].mesh.positions.tobytes()
        assert warm.parts[0].mesh.indices.tobytes() == cold.parts[0].mesh.indices.tobytes()
        assert warm.parts[0].mesh.source_nodes.tobytes() == cold.parts[0].mesh.source_nodes.tobytes()


def test_warnings_and_tolerances_come_along_with_known_operands() -> None:
    cache = SolidCache()
    spring = solid(Sweep, circle(1.0), path=HelixPath(10.0, 9.0, 5.0, 1.0))
    first = evaluate(document(spring), cache=cache)
    grown = evaluate(document(union(box(1.0, 1.0, 1.0), spring)), cache=cache)
    assert grown.evaluated == 2
    assert [warning.code for warning in grown.warnings] == ["PITCH_MISMATCH"]
    assert grown.warnings[0].node_id == 2
    assert grown.parts[0].mesh_figures.tolerance == first.parts[0].mesh_figures.tolerance


def test_both_tessellations_of_a_solid_are_kept_side_by_side() -> None:
    cache = SolidCache()
    body = document(solid(Sphere, radius=3.0))
    options = [EvaluationOptions(Tessellation(chord=chord)) for chord in (0.02, 0.002)]
    for option in options:
        evaluate(body, option, cache=cache)
    assert [evaluate(body, option, cache=cache).evaluated for option in options] == [0, 0]


def test_a_cache_without_room_still_gives_the_same_solid() -> None:
    cache = SolidCache(limit=0)
    result = evaluate(document(_bracket(1.5)), cache=cache)
    assert len(cache) == 0
    assert result.parts[0].mesh.positions.tobytes() == (
        evaluate(document(_bracket(1.5))).parts[0].mesh.positions.tobytes()
    )


def test_memory_stays_within_the_limit_while_a_long_chain_of_unlike_operations_is_carried_out() -> None:
    builder = DocumentBuilder()
    top = builder.add(Cube((100.0, 10.0, 10.0)))
    for index in range(60):
        pin = builder.add(Translate(builder.add(Cube((0.5, 0.5, 30.0))), (1.0 + index, 3.0, -1.0)))
        top = builder.add((Union if index % 2 else Difference)(top, pin))
    builder.add_root(top)
    cache = SolidCache(limit=400_000)
    result = evaluate(builder.build(), cache=cache)
    assert 0 < cache.nbytes <= 400_000
    pins = 30
    assert result.parts[0].figures.volume == pytest.approx(10_000.0 - pins * 2.5 + pins * 0.25 * 20.0)


@pytest.mark.parametrize("kind", ["unions", "moves", "turned unions"])
def test_chains_10_000_deep_are_no_trouble(kind: str) -> None:
    builder = DocumentBuilder()
    cube = builder.add(Cube((1.0, 1.0, 1.0)))
    top = cube
    for index in range(10_000):
        if kind == "moves":
            top = builder.add(Translate(top, (0.001, 0.0, 0.0)))
        elif kind == "unions" or index % 2:
            top = builder.add(Union(top, cube if index % 100 else builder.add(Cube((1.0, 1.0, 1.0 + index)))))
        else:
            top = builder.add(Rotate(top, (0.0, 0.0, 90.0)))
    builder.add_root(top)
    cache = SolidCache()
    assert evaluate(builder.build(), cache=cache).parts[0].figures.volume > 0.999
    assert evaluate(builder.build(), cache=cache).evaluated == 0
