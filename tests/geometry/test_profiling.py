"""What a profile says: who spent how long, what came of it, and what was known."""

from __future__ import annotations

import itertools

import pytest

from tests.geometry.models import box, difference, document, solid, union
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.evaluate import EvaluationOptions, Scene, evaluate
from vcad_kernel.geometry.profiling import Recorder
from vcad_kernel.operations.bodies.transforms import Translate
from vcad_kernel.operations.features.features import Fillet
from vcad_kernel.operations.solids.shapes import Cylinder
from vcad_kernel.service.requests import EvalCode

HOLE = solid(Translate, solid(Cylinder, radius=1.0, height=9.0), offset=(4.0, 4.0, -3.0))
PLATE = difference(box(8.0, 8.0, 2.0), HOLE)


def _evaluated(*bodies: object, cache: SolidCache | None = None) -> Scene:
    """With a clock that advances a millisecond each time it is asked."""
    ticks = itertools.count()
    return evaluate(document(*bodies), cache=cache, clock=lambda: next(ticks) * 1e-3)  # type: ignore[arg-type]


def _by_function(scene: Scene) -> dict[str, tuple[bool, int | None, int]]:
    return {row.function: (row.cached, row.size, row.calls) for row in scene.profile}


def test_every_solid_has_a_row_with_its_time_and_its_triangles() -> None:
    scene = _evaluated(PLATE)
    rows = {row.function: row for row in scene.profile}
    assert list(rows) == ["cube", "cylinder", "translate", "difference"]
    assert all(row.ms > 0.0 and not row.cached and row.representation == "mesh" for row in rows.values())
    assert rows["cube"].size == 12
    assert rows["difference"].size == scene.parts[0].mesh.triangle_count
    assert rows["translate"].size is None
    # the batch of the difference and the reading of its mesh are its own
    assert rows["difference"].ms > rows["cube"].ms


def test_time_inside_time_is_charged_once() -> None:
    now = [0.0]
    recorder = Recorder(lambda: now[0])
    outer = recorder.start()
    now[0] += 1.0
    inner = recorder.start()
    now[0] += 5.0
    recorder.spent(b"inner", inner, 7)
    now[0] += 2.0
    recorder.built(b"outer", outer)
    spent = {key[0]: entry.seconds for key, entry in recorder._entries.items()}
    assert spent == {b"inner": 5.0, b"outer": 3.0}
    assert recorder.evaluated == 1


def test_what_was_known_is_said_to_be_cached_and_costs_nothing() -> None:
    cache = SolidCache()
    _evaluated(PLATE, cache=cache)
    again = _evaluated(PLATE, cache=cache)
    assert all(row.cached and row.ms == 0.0 for row in again.profile)
    assert again.profile[-1].size == again.parts[0].mesh.triangle_count
    edited = _by_function(_evaluated(union(PLATE, box(1.0, 1.0, 1.0)), cache=cache))
    assert {name: cached for name, (cached, _, _) in edited.items()} == {
        "cube": False,
        "cylinder": True,
        "translate": True,
        "difference": True,
        "union": False,
    }


def test_a_solid_in_two_parts_is_built_once_and_asked_for_twice() -> None:
    scene = _evaluated(PLATE, union(PLATE, box(1.0, 1.0, 5.0)))
    assert _by_function(scene)["difference"][2] == 2
    assert [row.function for row in scene.profile].count("difference") == 1


def test_a_feature_has_a_row_for_its_mesh_and_one_for_each_b_rep_below_it() -> None:
    scene = _evaluated(solid(Fillet, PLATE, radius=0.2))
    scene.raise_first()
    rows = {(row.function, row.representation): row for row in scene.profile}
    assert rows["fillet", "mesh"].size == scene.parts[0].mesh.triangle_count
    assert rows["difference", "brep"].size == 7
    assert rows["fillet", "brep"].ms > 0.0
    assert ("cube", "mesh") not in rows
    assert not any(row.cached for row in scene.profile)


def test_a_failed_part_does_not_claim_to_be_cached() -> None:
    scene = _evaluated(union(box(1.0, 1.0, 1.0), box(0.0, 1.0, 1.0)))
    assert scene.failures
    assert not any(row.cached for row in scene.profile)


def test_a_scene_that_was_never_evaluated_has_no_profile() -> None:
    assert Scene(()).profile == ()


def test_rows_know_where_the_form_stands() -> None:
    from vcad_kernel.service.direct import DirectService

    result = DirectService().evaluate(EvalCode("\n[let a [cube 1 2 3]]\n[translate 1 0 0 a]"))
    places = {row.function: row.place for row in result.profile()}
    assert places["cube"] is not None
    assert places["translate"] is not None
    assert (places["cube"].line, places["translate"].line) == (2, 3)


@pytest.mark.parametrize("fine", [None, 0.001])
def test_options_do_not_change_who_is_in_the_profile(fine: float | None) -> None:
    from vcad_kernel.geometry.tolerance import Tessellation

    options = EvaluationOptions(Tessellation() if fine is None else Tessellation(chord=fine))
    assert len(evaluate(document(PLATE), options).profile) == 4
