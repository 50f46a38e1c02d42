"""Evaluation: errors with function, argument and place; failures beside parts; the cache; figures."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from tests.geometry.kernels import NoExactKernel
from tests.geometry.models import (
    EMPTY,
    Solid,
    box,
    circle,
    difference,
    document,
    intersection,
    mesh_figures,
    polygon,
    solid,
    union,
)
from vcad_kernel.errors import Cancelled, CapabilityUnavailable, GeometryError, Place
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.evaluate import EvaluationOptions, evaluate
from vcad_kernel.geometry.mesh.manifold_kernel import STATUS_REASONS
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.ir.document import Document, DocumentBuilder, Root
from vcad_kernel.operations.bodies.booleans import Union
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.bodies.transforms import Rotate, Scale, Translate
from vcad_kernel.operations.features.features import Chamfer, Fillet, Shell
from vcad_kernel.operations.node import Node, NodeId
from vcad_kernel.operations.profiles.paths import HelixPath
from vcad_kernel.operations.solids.shapes import Cone, Cube, Cylinder, Sphere
from vcad_kernel.operations.solids.sweeps import Extrude, Revolve, Sweep

ORIGIN = (0.0, 0.0, 0.0)
Z = (0.0, 0.0, 1.0)
UNIT = box(1.0, 1.0, 1.0)
PROFILE = polygon([(1.0, 0.0), (2.0, 0.0), (2.0, 1.0)])
INF, NAN = float("inf"), float("nan")


class _Site:
    def place(self) -> Place:
        return Place("part.oo", 7, 3, 7, 20, "  [cube 0 1 1]")


@pytest.mark.parametrize(
    ("body", "code", "operation", "argument"),
    [
        (box(0.0, 1.0, 1.0), "INVALID_PARAMETER", "cube", "x"),
        (box(1.0, -2.0, 1.0), "INVALID_PARAMETER", "cube", "y"),
        (box(1.0, 1.0, NAN), "INVALID_PARAMETER", "cube", "z"),
        (solid(Cylinder, radius=0.0, height=5.0), "INVALID_PARAMETER", "cylinder", "r"),
        (solid(Cylinder, radius=5.0, height=-2.0), "INVALID_PARAMETER", "cylinder", "h"),
        (solid(Sphere, radius=-3.0), "INVALID_PARAMETER", "sphere", "r"),
        (solid(Sphere, radius=INF), "INVALID_PARAMETER", "sphere", "r"),
        (solid(Cone, radius_bottom=0.0, radius_top=0.0, height=5.0), "INVALID_PARAMETER", "cone", "rb"),
        (solid(Cone, radius_bottom=3.0, radius_top=-1.0, height=5.0), "INVALID_PARAMETER", "cone", "rt"),
        (solid(Cone, radius_bottom=3.0, radius_top=1.0, height=0.0), "INVALID_PARAMETER", "cone", "h"),
        (solid(Translate, UNIT, offset=(0.0, INF, 0.0)), "INVALID_PARAMETER", "translate", "y"),
        (solid(Rotate, UNIT, angles=(0.0, 0.0, NAN)), "INVALID_PARAMETER", "rotate", "z"),
        (solid(Scale, UNIT, factor=(1.0, 0.0, 1.0)), "INVALID_PARAMETER", "scale", "y"),
        (solid(Fillet, UNIT, radius=0.0), "INVALID_PARAMETER", "fillet", "r"),
        (solid(Chamfer, UNIT, distance=-0.5), "INVALID_PARAMETER", "chamfer", "d"),
        (solid(Shell, UNIT, thickness=0.0), "INVALID_PARAMETER", "shell", "t"),
        (
            solid(LinearPattern, UNIT, direction=Z, count=0, spacing=1.0),
            "INVALID_PARAMETER",
            "linear-pattern",
            "count",
        ),
        (
            solid(LinearPattern, UNIT, direction=ORIGIN, count=3, spacing=1.0),
            "ZERO_VECTOR",
            "linear-pattern",
            "dx",
        ),
        (
            solid(CircularPattern, UNIT, axis_origin=ORIGIN, axis_dir=ORIGIN, count=3, angle_deg=90.0),
            "ZERO_VECTOR",
            "circular-pattern",
            "ax",
        ),
        (solid(Extrude, PROFILE, direction=ORIGIN), "ZERO_VECTOR", "extrude", "dx"),
        (
            solid(Revolve, PROFILE, axis_origin=ORIGIN, axis_dir=ORIGIN, angle_deg=90.0),
            "ZERO_VECTOR",
            "revolve",
            "adx",
        ),
        (
            solid(Revolve, PROFILE, axis_origin=ORIGIN, axis_dir=(0.0, 1.0, 0.0), angle_deg=361.0),
            "INVALID_PARAMETER",
            "revolve",
            "angle",
        ),
        (
            solid(Sweep, PROFILE, path=HelixPath(0.0, 1.0, 3.0, 3.0)),
            "INVALID_PARAMETER",
            "sweep-helix",
            "radius",
        ),
        (
            solid(Sweep, PROFILE, path=HelixPath(9.0, 1.0, 3.0, 0.0)),
            "INVALID_PARAMETER",
            "sweep-helix",
            "turns",
        ),
        (
            solid(Sweep, PROFILE, path=HelixPath(9.0, 0.0, 0.0, 1.0)),
            "INVALID_PARAMETER",
            "sweep-helix",
            "height",
        ),
    ],
)
def test_bad_sizes_name_the_function_the_argument_and_the_place(
    body: Solid, code: str, operation: str, argument: str
) -> None:
    found = _document_with_site(body)
    (failure,) = evaluate(found).failures
    error = failure.error
    assert isinstance(error, GeometryError)
    assert (error.code, error.operation, error.argument) == (code, operation, argument)
    assert error.message.startswith(f"{operation}: ")
    assert error.place is not None
    assert error.place.line == 7
    assert found.nodes[NodeId(error.node_id or 0)].function == operation


def _document_with_site(body: Solid) -> Document:
    class Everywhere(DocumentBuilder):
        def add(self, node: Node, site: object = None) -> NodeId:
            return super().add(node, _Site())

    builder = Everywhere()
    builder.add_root(body(builder))
    return builder.build()


def test_parameters_are_checked_even_over_an_empty_solid() -> None:
    for body in (
        solid(Scale, EMPTY, factor=(0.0, 1.0, 1.0)),
        solid(Fillet, EMPTY, radius=-1.0),
        solid(LinearPattern, EMPTY, direction=ORIGIN, count=2, spacing=1.0),
    ):
        (failure,) = evaluate(document(body)).failures
        assert failure.code in ("INVALID_PARAMETER", "ZERO_VECTOR")


def test_the_outer_fault_is_reported_before_the_inner_and_the_left_before_the_right() -> None:
    outer = solid(Scale, box(0.0, 1.0, 1.0), factor=(0.0, 1.0, 1.0))
    left = union(solid(Sphere, radius=-1.0), box(0.0, 1.0, 1.0))
    operations = [evaluate(document(body)).failures[0].error for body in (outer, left)]
    assert [getattr(error, "operation", None) for error in operations] == ["scale", "sphere"]


def test_one_failing_root_leaves_the_others_and_an_empty_part() -> None:
    result = evaluate(document(UNIT, box(0.0, 1.0, 1.0), box(2.0, 2.0, 2.0)))
    assert [part.figures.volume for part in result.parts] == pytest.approx([1.0, 0.0, 8.0])
    (failure,) = result.failures
    assert (failure.scope, failure.code) == ("root[1]", "INVALID_PARAMETER")
    assert "x must be greater than 0, got 0" in failure.message
    with pytest.raises(GeometryError):
        result.raise_first()


@pytest.mark.parametrize("kind", [(Fillet, "radius"), (Chamfer, "distance"), (Shell, "thickness")])
def test_features_say_so_where_there_is_no_exact_kernel(kind: tuple[Callable[..., Node], str]) -> None:
    make, name = kind
    without = EvaluationOptions(exact=NoExactKernel())
    (failure,) = evaluate(_document_with_site(solid(make, UNIT, **{name: 0.1})), without).failures
    assert isinstance(failure.error, CapabilityUnavailable)
    assert failure.error.details["required_capability"] == "brep"
    assert failure.error.place is not None
    assert failure.node_id == 1
    assert evaluate(document(solid(make, EMPTY, **{name: 0.1})), without).parts[0].figures.is_empty


def test_hidden_roots_are_not_evaluated() -> None:
    found = Document(
        {NodeId(0): Cube((1.0, 1.0, 1.0)), NodeId(1): Cube((0.0, 1.0, 1.0))},
        {},
        (Root(NodeId(1), "default", False), Root(NodeId(0), "default")),
    )
    result = evaluate(found)
    assert [part.index for part in result.parts] == [1]
    assert result.failures == ()


def test_an_undefined_material_is_a_warning_and_the_name_stays() -> None:
    builder = DocumentBuilder()
    builder.add_root(UNIT(builder), "steel", _Site())
    result = evaluate(builder.build())
    assert result.parts[0].material.name == "steel"
    (warning,) = result.warnings
    assert warning.code == "UNKNOWN_MATERIAL"
    assert warning.place is not None
    assert warning.place.line == 7


def test_undefined_materials_are_one_warning_with_their_names() -> None:
    builder = DocumentBuilder()
    for name in ("steel", "brass", "steel"):
        builder.add_root(UNIT(builder), name, _Site())
    (warning,) = evaluate(builder.build()).warnings
    assert warning.message == (
        "no materials are called 'steel', 'brass'; these parts are shown in the default look"
        "; [root :steel …] has the library's steel"
    )
    many = DocumentBuilder()
    for number in range(60):
        many.add_root(UNIT(many), f"m{number}")
    (warning,) = evaluate(many.build()).warnings
    assert "'m49' and 10 more" in warning.message


def test_cancelling_stops_between_nodes() -> None:
    asked = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) > 3

    with pytest.raises(Cancelled):
        evaluate(document(union(UNIT, union(box(2.0, 1.0, 1.0), box(3.0, 1.0, 1.0)))), cancelled=cancelled)
    assert len(asked) == 4


def test_a_part_of_which_nothing_is_left_says_where_its_operands_lie() -> None:
    tool = box(9.0, 9.0, 9.0, at=(-1.0, 0.0, 0.0))
    emptied = solid(Translate, difference(UNIT, tool), offset=(5.0, 0.0, 0.0))
    (warning,) = evaluate(document(emptied)).warnings
    assert warning.code == "NOTHING_LEFT"
    assert "the subject lies 0 ≤ x ≤ 1, 0 ≤ y ≤ 1, 0 ≤ z ≤ 1, the tool -1 ≤ x ≤ 8" in warning.message
    assert "the subject comes last" in warning.message


def test_solids_that_share_nothing_are_named_with_their_places() -> None:
    (warning,) = evaluate(document(intersection(UNIT, box(1.0, 1.0, 1.0, at=(3.0, 0.0, 0.0))))).warnings
    assert "nothing is common to both: one lies 0 ≤ x ≤ 1" in warning.message
    assert "the other 3 ≤ x ≤ 4" in warning.message


@pytest.mark.parametrize("kernel", ["mesh", "brep"])
def test_of_a_piece_of_which_nothing_is_left_the_whole_says_so_once(kernel: str) -> None:
    bar = box(20.0, 1.0, 1.0)
    whole = union(difference(UNIT, box(9.0, 9.0, 9.0)), bar)
    scene = evaluate(document(whole if kernel == "mesh" else solid(Fillet, whole, radius=0.1)))
    (warning,) = scene.warnings
    assert warning.code == "NOTHING_LEFT"
    assert "the subject lies 0 ≤ x ≤ 1, 0 ≤ y ≤ 1, 0 ≤ z ≤ 1, the tool 0 ≤ x ≤ 9" in warning.message


@pytest.mark.parametrize("beside", [(), (box(1.0, 1.0, 1.0, (0.0, 0.0, 30.0)),)])
def test_a_lens_thinner_than_the_chord_error_is_shown_and_not_called_empty(beside: tuple[Solid, ...]) -> None:
    """The chords of two balls that hardly overlap have nothing in common."""
    other = solid(
        Translate,
        solid(Rotate, solid(Sphere, radius=5.0), angles=(30.0, 20.0, 10.0)),
        offset=(9.985, 0.1, 0.0),
    )
    lens = intersection(solid(Rotate, solid(Sphere, radius=5.0), angles=(20.0, 10.0, 0.0)), other)
    scene = evaluate(document(union(*beside, lens) if beside else lens))
    scene.raise_first()
    assert scene.warnings == ()
    height = 5.0 - math.hypot(9.985, 0.1) / 2.0
    (part,) = scene.parts
    volume = len(beside) + 2.0 / 3.0 * math.pi * height**2 * (15.0 - height)
    assert part.figures.volume == pytest.approx(volume, rel=1e-9)
    assert part.mesh_figures.lumps == 1 + len(beside)


def test_a_part_that_is_empty_as_written_is_no_warning() -> None:
    assert evaluate(document(EMPTY)).warnings == ()


@pytest.mark.parametrize("often", ["deep", "shared"])
def test_what_left_nothing_is_found_however_deep_it_lies_and_however_often_it_is_used(often: str) -> None:
    builder = DocumentBuilder()
    node = emptied = difference(UNIT, box(9.0, 9.0, 9.0, at=(-1.0, 0.0, 0.0)))(builder)
    for _ in range(3000 if often == "deep" else 60):
        node = builder.add(Translate(node, (1.0, 0.0, 0.0)) if often == "deep" else Union(node, node))
    builder.add_root(node)
    (warning,) = evaluate(builder.build()).warnings
    assert (warning.code, warning.node_id) == ("NOTHING_LEFT", emptied)


def test_a_huge_part_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vcad_kernel.geometry.evaluate.LARGE_TRIANGLE_COUNT", 11)
    assert [warning.code for warning in evaluate(document(UNIT)).warnings] == ["LARGE_TESSELLATION"]


def test_a_count_that_would_exhaust_the_memory_is_refused() -> None:
    (failure,) = evaluate(
        document(solid(LinearPattern, UNIT, direction=Z, count=10**9, spacing=1.0))
    ).failures
    assert failure.code == "INVALID_PARAMETER"


# ---------------------------------------------------------------- cache


def test_an_unchanged_solid_comes_from_the_cache_with_the_nodes_of_its_new_document() -> None:
    cache = SolidCache()
    body = difference(box(10.0, 10.0, 10.0), solid(Cylinder, radius=2.0, height=30.0))
    first = evaluate(document(body), cache=cache).parts[0]
    second = evaluate(document(box(5.0, 5.0, 5.0), body), cache=cache).parts[1]
    assert second.mesh.positions is first.mesh.positions
    assert set(first.mesh.source_nodes.tolist()) == {0, 1}
    assert set(second.mesh.source_nodes.tolist()) == {1, 2}


def test_the_cache_knows_tessellations_apart_and_keeps_warnings() -> None:
    cache = SolidCache()
    spring = document(solid(Sweep, circle(1.0), path=HelixPath(10.0, 9.0, 5.0, 1.0)))
    coarse, fine = (
        evaluate(spring, EvaluationOptions(Tessellation(segments=count)), cache=cache) for count in (16, 64)
    )
    again = evaluate(spring, EvaluationOptions(Tessellation(segments=16)), cache=cache)
    assert coarse.parts[0].mesh.triangle_count < fine.parts[0].mesh.triangle_count
    assert again.parts[0].mesh.positions is coarse.parts[0].mesh.positions
    assert [warning.code for warning in again.warnings] == ["PITCH_MISMATCH"]


def test_failures_are_never_cached() -> None:
    cache = SolidCache()
    for _ in range(2):
        assert evaluate(document(box(0.0, 1.0, 1.0)), cache=cache).failures
    assert len(cache) == 0


def test_the_cache_forgets_what_was_not_used_for_longest() -> None:
    bodies = [box(1.0, 1.0, 1.0 + step) for step in range(3)]
    size = SolidCache()
    evaluate(document(bodies[0]), cache=size)
    cache = SolidCache(limit=2 * size.nbytes)
    first = evaluate(document(bodies[0]), cache=cache).parts[0].mesh.positions
    evaluate(document(bodies[1]), cache=cache)
    assert evaluate(document(bodies[0]), cache=cache).parts[0].mesh.positions is first
    evaluate(document(bodies[2]), cache=cache)
    assert cache.nbytes <= 2 * size.nbytes
    assert evaluate(document(bodies[0]), cache=cache).parts[0].mesh.positions is first
    assert SolidCache(limit=10).nbytes == 0


def test_the_same_document_gives_the_same_bytes_whatever_was_evaluated_before() -> None:
    def body() -> Solid:
        holes = solid(
            LinearPattern,
            solid(Translate, solid(Cylinder, radius=1.0, height=9.0), offset=(3.0, 3.0, -2.0)),
            direction=(1.0, 0.0, 0.0),
            count=4,
            spacing=4.0,
        )
        return union(difference(box(20.0, 6.0, 5.0), holes), solid(Sphere, radius=2.0))

    alone = evaluate(document(body())).parts[0].mesh
    after = evaluate(document(solid(Sphere, radius=2.0), box(20.0, 6.0, 5.0), body())).parts[2].mesh
    assert alone.positions.tobytes() == after.positions.tobytes()
    assert alone.indices.tobytes() == after.indices.tobytes()


# ---------------------------------------------------------------- figures


def test_planar_bodies_are_exact_and_curved_ones_state_their_tolerance() -> None:
    planar = mesh_figures(union(box(1.0, 2.0, 3.0), solid(Extrude, PROFILE, direction=Z)))
    assert (planar.exact, planar.tolerance, planar.relative) == (True, None, None)
    curved = mesh_figures(difference(box(9.0, 9.0, 9.0), solid(Sphere, radius=4.0)))
    assert not curved.exact
    assert curved.tolerance is not None
    assert 0.0 < curved.tolerance <= 0.02
    true = 729.0 - 4.0 / 3.0 * np.pi * 64.0 / 8.0
    assert curved.relative is not None
    assert abs(curved.volume - true) / true < curved.relative


def test_whether_figures_are_exact_is_a_rule_on_the_document() -> None:
    # the sphere is cut away altogether, yet the document has a curved face
    gone = mesh_figures(
        difference(box(1.0, 1.0, 1.0), solid(Translate, solid(Sphere, radius=1.0), offset=(9.0, 0.0, 0.0)))
    )
    assert not gone.exact


def test_explicit_segments_replace_the_chord_rule() -> None:
    prism = mesh_figures(solid(Cylinder, radius=1.0, height=1.0), EvaluationOptions(Tessellation(segments=6)))
    assert prism.volume == pytest.approx(1.5 * 3.0**0.5)
    assert not prism.exact


@pytest.mark.parametrize(
    ("radius", "sides"), [(0.001, 32), (1.0, 32), (3.0, 32), (20.0, 72), (1000.0, 500), (1e6, 1024)]
)
def test_sides_of_a_circle_follow_the_chord_error(radius: float, sides: int) -> None:
    assert Tessellation().sides(radius) == sides


def test_a_hint_makes_a_circle_finer_but_never_coarser() -> None:
    assert Tessellation().sides(1.0, hint=98) == 100
    assert Tessellation().sides(1000.0, hint=8) == 500


# ---------------------------------------------------------------- the kernel's border


def test_every_status_of_the_library_has_words() -> None:
    from manifold3d import Error

    statuses = (
        set(Error.__members__)
        if hasattr(Error, "__members__")
        else {name for name in dir(Error) if isinstance(getattr(Error, name), Error)}
    )
    assert statuses - {"NoError"} == set(STATUS_REASONS)


@pytest.mark.parametrize("size", [1e200, 1e108])
def test_sizes_that_overflow_are_an_error_not_a_wrong_solid(size: float) -> None:
    huge = solid(Scale, solid(Scale, UNIT, factor=(1e200, 1e200, 1.0)), factor=(size, 1.0, 1.0))
    (failure,) = evaluate(document(huge)).failures
    assert failure.code == "INVALID_PARAMETER"


def test_the_library_is_loaded_on_first_use_only() -> None:
    program = (
        "import sys; import vcad_kernel.geometry.evaluate;"
        "assert 'manifold3d' not in sys.modules and 'scipy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
