"""The walk over a document: what is built, what is kept, what is refused, and in which words."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import pytest

from tests.geometry import models
from tests.geometry.models import box, difference, union
from tests.geometry.occt.answers import cylinder
from vcad_kernel.errors import Cancelled, CapabilityUnavailable, GeometryError
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.occt.booleans import booleans
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.kernel import _BUILDERS, OcctKernel
from vcad_kernel.geometry.profiling import Recorder
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.ir.document import Document, DocumentBuilder
from vcad_kernel.operations.bodies.booleans import Difference, Intersection, Union
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.bodies.transforms import Mirror, Rotate, Scale, Translate
from vcad_kernel.operations.features.features import Fillet
from vcad_kernel.operations.library import KINDS
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.solids.imported import ImportedMesh
from vcad_kernel.operations.solids.shapes import Cube, Sphere
from vcad_kernel.operations.solids.sweeps import Extrude

TETRAHEDRON = models.solid(
    ImportedMesh,
    positions=(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    indices=(0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2),
)
HOLED = difference(box(10.0, 10.0, 10.0), cylinder(3.0, 20.0, (5.0, 5.0, -5.0)))


PLANNED = {
    *(Union, Difference, Intersection, LinearPattern, CircularPattern),
    *(Translate, Rotate, Scale, Mirror),
}


def asked(recipe: models.Solid) -> tuple[Document, NodeId]:
    document = models.document(recipe)
    return document, document.roots[0].node


def test_the_identity_names_the_library_and_its_version() -> None:
    assert OcctKernel().identity.startswith("occt 8.")


def test_a_mesh_has_no_brep_and_its_node_is_named() -> None:
    with pytest.raises(CapabilityUnavailable) as caught:
        OcctKernel().brep(*asked(union(box(1.0, 1.0, 1.0), TETRAHEDRON)))
    assert "ImportedMesh" in str(caught.value)
    assert caught.value.details["required_capability"] == "brep"


def test_parameters_are_checked_under_an_empty_solid_too() -> None:
    with pytest.raises(GeometryError) as caught:
        OcctKernel().brep(*asked(models.solid(Fillet, models.EMPTY, radius=-1.0)))
    assert (caught.value.code, caught.value.argument) == ("INVALID_PARAMETER", "r")


def test_a_sketch_is_no_solid() -> None:
    with pytest.raises(GeometryError) as caught:
        OcctKernel().brep(*asked(union(models.polygon([(0, 0), (1, 0), (0, 1)]), box(1.0, 1.0, 1.0))))
    assert caught.value.code == "TYPE_MISMATCH"


def test_ten_thousand_nested_nodes_are_no_problem() -> None:
    builder = DocumentBuilder()
    top = builder.add(Cube((1.0, 1.0, 1.0)))
    for _ in range(10_000):
        top = builder.add(Translate(top, (0.001, 0.0, 0.0)))
    found = OcctKernel().figures(builder.build(), top)
    assert found.bounds is not None
    assert found.bounds[0][0] == pytest.approx(10.0)


def test_what_was_built_once_is_not_built_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = OcctKernel(SolidCache())
    made = kernel.brep(*asked(HOLED))
    monkeypatch.setattr(booleans, "_operate", _never)
    assert kernel.brep(*asked(HOLED)) is made
    assert kernel.brep(*asked(models.solid(Translate, HOLED, offset=(1.0, 0.0, 0.0)))) is not None


def _never(*_: object) -> Brep | None:
    raise AssertionError("nothing should be built here")


def test_one_changed_leaf_builds_only_what_contains_it() -> None:
    def plate(size: float) -> models.Solid:
        tools = [
            cylinder(size if step == 7 else 0.5, 5.0, (2.0 + 3.0 * step, 2.0, -1.0)) for step in range(20)
        ]
        return reduce(difference, tools, box(70.0, 4.0, 2.0))

    cache = SolidCache()
    OcctKernel(cache).brep(*asked(plate(0.5)))
    recorder = Recorder()
    document, root = asked(plate(0.75))
    OcctKernel(cache, recorder=recorder).brep(document, root)
    built = [
        row for row in recorder.rows(document, [root]) if row.representation == "brep" and not row.cached
    ]
    # the cylinder, where it stands, and the one cut with all tools
    assert len(built) <= 3


def test_the_cache_gives_a_warning_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = OcctKernel(SolidCache())
    rounded = models.solid(Fillet, models.solid(Sphere, radius=2.0), radius=0.5)
    for _ in range(2):
        assert [note.code for note in kernel.notes(*asked(rounded))] == ["NO_EDGES"]
        mesh = kernel.tessellate(*asked(rounded), Tessellation())
        assert mesh is not None
        assert [note.code for note in mesh.notes] == ["NO_EDGES"]


def test_a_failure_is_not_kept() -> None:
    cache = SolidCache()
    kernel = OcctKernel(cache)
    for _ in range(2):
        with pytest.raises(GeometryError) as caught:
            kernel.brep(*asked(models.solid(Fillet, box(1.0, 1.0, 1.0), radius=0.5)))
        assert caught.value.code == "FILLET_FAILED"
        assert caught.value.failed


def test_work_stops_between_nodes_when_asked_to() -> None:
    def after(calls: int) -> Callable[[], bool]:
        left = iter([False] * calls + [True] * 100)
        return lambda: next(left)

    with pytest.raises(Cancelled):
        OcctKernel(cancelled=after(2)).brep(*asked(HOLED))


def test_features_see_merged_faces() -> None:
    kernel = OcctKernel()
    bar = union(box(1.0, 1.0, 1.0), box(1.0, 1.0, 1.0, (1.0, 0.0, 0.0)))
    merged = kernel.merged(*asked(bar))
    assert merged is not None
    assert len(merged.makers) == 6
    rounded = kernel.figures(*asked(models.solid(Fillet, bar, radius=0.1)))
    lengths = (1.8, 0.8, 0.8)
    x, y, z = lengths
    want = x * y * z + 0.2 * (x * y + y * z + z * x) + 3.141592653589793 * 0.01 * (x + y + z)
    assert rounded.volume == pytest.approx(want + 4.0 / 3.0 * 3.141592653589793 * 0.001, rel=1e-6)


def test_an_empty_solid_is_an_answer() -> None:
    kernel = OcctKernel()
    assert kernel.brep(*asked(models.EMPTY)) is None
    assert (
        kernel.tessellate(*asked(models.solid(Scale, models.EMPTY, factor=(1.0, 2.0, 3.0))), Tessellation())
        is None
    )


def test_sketches_are_read_by_those_who_sweep_them() -> None:
    square = models.polygon([(0, 0), (1, 0), (1, 1), (0, 1)])
    found = OcctKernel().figures(*asked(models.solid(Extrude, square, direction=(0.0, 0.0, 2.0))))
    assert found.volume == pytest.approx(2.0)


def test_every_kind_of_node_has_its_builder_or_is_put_together_by_a_plan() -> None:
    assert set(_BUILDERS) == set(KINDS.values()) - PLANNED
