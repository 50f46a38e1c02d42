"""Executing a trace against a scene in memory, over the real bridge."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as changed

from notebook_ext.session.project.truth import Bounds, Component, Instance, Source, Truth, placed_at
from notebook_ext.sketchup.bridge.answers import Identity
from notebook_ext.sketchup.planning import plan
from notebook_ext.sketchup.push.failures import partial_refused
from notebook_ext.sketchup.push.push import execute, push
from notebook_ext.sketchup.scene_check import check, reconciled
from notebook_ext.sketchup.trace import Omitted, Trace
from notebook_ext.sketchup.trace_files import TraceFiles
from tests.sketchup.memory_bridge import Fault, MemoryConnection, MemorySketchUp, memory_bridge
from tests.sketchup.project import Project, small_project
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return small_project(tmp_path)


def test_a_push_shows_the_project_and_notes_what_sketchup_said(project: Project) -> None:
    result = project.push(request_id="wish")
    assert result.status == "executed"
    assert [one.type for one in result.executed] == ["upsert_definition", "place_instance", "place_instance"]
    assert result.contamination is not None
    assert not result.contamination.contaminated
    model = project.truth.model
    assert (model.components["plate"].applied_revision, model.components["plate"].applied_version) == (1, 1)
    execution = model.instances["plate-2"].execution
    assert execution is not None
    assert execution.persistent_id == project.sketchup.placed("plate-2").persistent_id
    assert execution.bounds == Bounds((2.0, 0.0, 0.0), (3.0, 1.0, 1.0))
    assert execution.elapsed_ms == 1.5
    assert execution.model_revision == 3
    assert execution.operation_id == result.executed[2].operation_id
    assert [one["operation_id"] for one in model.operations] == [one.operation_id for one in result.executed]
    assert json.loads(project.truth.path.read_text("utf-8")) == json.loads(json.dumps(model.to_json()))


def test_the_same_truth_twice_does_nothing_and_writes_nothing(project: Project) -> None:
    project.push()
    project.tools()
    before = project.truth.path.read_bytes()
    result = project.push()
    assert result.status == "unchanged"
    assert project.tools() == []
    assert project.truth.path.read_bytes() == before


def test_an_update_changes_the_definition_and_keeps_the_instances(project: Project) -> None:
    project.push()
    ids = [one.persistent_id for one in project.sketchup.state.instances]
    project.sketchup.person_moves("plate-1", placed_at(50, 60, 70))
    project.tools()
    project.edit()
    project.push()
    assert project.tools() == ["upsert_vcad_definition"]
    assert [one.persistent_id for one in project.sketchup.state.instances] == ids
    assert project.sketchup.placed("plate-1").transform == placed_at(50, 60, 70)
    assert project.truth.model.components["plate"].applied_version == 2


def test_moves_and_looks_are_sent_where_the_design_changed_and_nowhere_else(project: Project) -> None:
    project.push()
    project.sketchup.person_moves("plate-2", placed_at(50, 60, 70))
    project.change("plate-1", transform=placed_at(7, 7, 7), layer="Steel", material="oak")
    project.change("plate-2", layer=None)
    project.tools()
    project.push()
    assert project.tools() == ["set_vcad_instance"] * 4
    first, second = project.sketchup.placed("plate-1"), project.sketchup.placed("plate-2")
    assert (first.transform, first.layer, first.material) == (placed_at(7, 7, 7), "Steel", "oak")
    assert (second.transform, second.layer) == (placed_at(50, 60, 70), "Layer0")
    assert project.push().status == "unchanged"


def test_what_was_given_up_goes_even_if_sketchup_was_away_meanwhile(project: Project) -> None:
    project.push()
    project.truth.save(project.truth.model.without_instance("plate-1"))
    assert check(project.truth.model, project.bridge.nodes()).stale[0].object_id == "plate-1"
    project.truth.close()
    project.truth = Truth.load(project.truth.workspace)
    project.push()
    assert [one.instance_id for one in project.sketchup.state.instances] == ["plate-2"]
    assert not project.truth.model.removed
    project.truth.save(project.truth.model.without_component("plate"))
    project.push()
    assert project.sketchup.state.nodes == {}
    assert not project.truth.model.removed
    assert project.push().status == "unchanged"


def test_what_a_person_has_removed_already_is_no_failure(project: Project) -> None:
    project.push()
    trace_model = project.truth.model.without_instance("plate-1")
    project.truth.save(trace_model)
    trace = plan(trace_model, project.meshes)
    project.sketchup.person_removes("plate-1")
    result = execute(trace, project.bridge, project.truth, meshes=project.meshes)
    assert result.status == "executed"
    assert not project.truth.model.removed


def test_an_instance_that_a_person_removed_is_placed_again_by_a_push(project: Project) -> None:
    project.push()
    project.sketchup.person_removes("plate-1")
    assert [one.object_id for one in check(project.truth.model, project.bridge.nodes()).missing] == [
        "plate-1"
    ]
    project.tools()
    project.push()
    assert project.tools() == ["place_vcad_instance"]


def test_after_undo_of_everything_a_push_builds_it_again(project: Project) -> None:
    project.push()
    for _ in range(3):
        project.sketchup.person_undoes()
    assert project.sketchup.state.nodes == {}
    assert project.push().status == "executed"
    assert len(project.sketchup.state.instances) == 2


def test_an_older_state_is_pushed_again_and_that_is_told(project: Project) -> None:
    project.push()
    project.edit()
    project.push()
    project.sketchup.person_undoes()
    assert "an older state" in check(project.truth.model, project.bridge.nodes()).stale[0].reason
    result = project.push()
    assert [one.type for one in result.executed] == ["upsert_definition"]
    assert "note: plate: SketchUp showed an older state of it" in result.summary()
    assert "already" not in result.summary()
    assert not check(project.truth.model, project.bridge.nodes()).contaminated
    assert project.push().summary() == "SketchUp shows all of it already"


def test_in_another_document_a_number_may_be_another_instances(project: Project) -> None:
    project.push()
    ids = dict(project.ids)
    placed = project.sketchup.placed
    one, two = placed("plate-1"), placed("plate-2")
    one.persistent_id, two.persistent_id = two.persistent_id, one.persistent_id  # as pushed in another order
    assert not check(project.truth.model, project.bridge.nodes()).contaminated
    assert project.push().status == "unchanged"
    now = {
        name: one.execution.persistent_id
        for name, one in project.truth.model.instances.items()
        if one.execution is not None
    }
    assert now == {"plate-1": ids["plate-2"], "plate-2": ids["plate-1"]}


def test_an_instance_of_another_project_that_shows_our_part_is_not_ours(project: Project) -> None:
    project.push()
    (row,) = project.bridge.nodes()
    first, *rest = row.placements
    theirs = changed(row, placements=(changed(first, project_id="another"), *rest))
    assert reconciled(project.truth.model, [theirs]).instances["plate-1"].execution is None
    found = check(project.truth.model, [theirs])
    assert [one.object_id for one in found.missing] == ["plate-1"]
    assert [(one.object_id, one.reason) for one in found.foreign] == [
        ("plate", "an instance that a person placed")
    ]


def test_what_is_taken_out_is_no_finding(project: Project) -> None:
    project.push()
    project.truth.save(project.truth.model.without_component("plate"))
    assert project.push(scope=["plate"]).summary() == "plate: removed"


def test_what_stands_there_is_told_by_its_digest_and_not_by_counting(project: Project) -> None:
    project.push()
    project.edit()
    project.push()
    first, second = (project.meshes.mesh("plate", number).digest for number in (1, 2))
    here = project.sketchup.state.nodes
    here["plate"] = replace(here["plate"], digest=first)  # another document, whose count is the same
    assert "not put there" in check(project.truth.model, project.bridge.nodes()).stale[0].reason
    here["plate"] = replace(here["plate"], digest=second, version=1)  # the same shape, in an older file
    assert project.push().status == "unchanged"
    assert not check(project.truth.model, project.bridge.nodes()).contaminated


def test_a_state_that_nobody_has_pushed_is_told_and_left_until_the_part_is_named(project: Project) -> None:
    project.push()
    here = project.sketchup.state.nodes
    here["plate"] = replace(here["plate"], digest="by hand")
    result = project.push()
    assert result.status == "unchanged"
    assert result.summary().startswith("nothing was pushed\nnote: plate: SketchUp shows a state of it that")
    assert [one.type for one in project.push(scope=["plate"]).executed] == ["upsert_definition"]
    assert not check(project.truth.model, project.bridge.nodes()).contaminated


def test_what_was_written_before_the_session_died_is_not_written_again(project: Project) -> None:
    before = project.truth.model
    project.push()
    project.tools()
    project.truth.save(before)  # as if the session had died before it could save
    assert project.push().status == "unchanged"
    assert project.tools() == []
    assert project.truth.model.components["plate"].applied_revision == 1


def test_an_instance_that_a_session_had_no_time_to_note_is_taken_up_where_it_stands(project: Project) -> None:
    before = project.truth.model
    project.push()
    ids = {one.persistent_id for one in project.sketchup.state.instances}
    project.truth.save(before)  # as if the session had died
    project.push()
    assert {one.persistent_id for one in project.sketchup.state.instances} == ids
    assert not check(project.truth.model, project.bridge.nodes()).contaminated


def test_another_document_gets_the_project_as_new(project: Project) -> None:
    project.push()
    project.sketchup.open_another()
    assert project.push().status == "executed"
    assert len(project.sketchup.state.instances) == 2


# ---- clean ---------------------------------------------------------------------------------


def test_a_managed_replay_builds_anew_and_leaves_a_persons_own_alone(project: Project) -> None:
    project.push()
    project.sketchup.person_draws("a wall")
    copy = project.sketchup.person_copies("plate-1", placed_at(9, 9, 9))
    project.sketchup.person_moves("plate-2", placed_at(50, 60, 70))
    ours = {one.persistent_id for one in project.sketchup.state.instances} - {copy.persistent_id}
    result = project.push(clean="managed")
    here = {one.persistent_id: one for one in project.sketchup.state.instances}
    assert project.sketchup.state.drawn == ["a wall"]
    assert not ours & here.keys()
    assert here[copy.persistent_id].transform == placed_at(9, 9, 9)
    assert sorted(result.removed) == ["plate-1", "plate-2"]
    assert result.contamination is not None
    assert [one.persistent_id for one in result.contamination.foreign] == [copy.persistent_id]
    executions = [one.execution for one in project.truth.model.instances.values()]
    assert {one.persistent_id for one in executions if one} | {copy.persistent_id} == here.keys()


def test_a_node_of_which_nothing_stays_goes_in_one_step(project: Project) -> None:
    project.push()
    project.tools()
    assert project.push(clean="managed").removed == ("plate",)
    assert project.tools()[0] == "remove_vcad_node"
    assert len(project.sketchup.state.instances) == 2


def test_a_kept_instance_stays_where_a_person_put_it(project: Project) -> None:
    project.change("plate-1", keep=True)
    project.push()
    project.sketchup.person_moves("plate-1", placed_at(50, 60, 70))
    kept = project.sketchup.placed("plate-1").persistent_id
    for clean in ("managed", "full"):
        project.push(clean=clean, approve=lambda _: True)
        assert project.sketchup.placed("plate-1").persistent_id == kept
        assert project.sketchup.placed("plate-1").transform == placed_at(50, 60, 70)
        assert len(project.sketchup.state.instances) == 2


def test_leftovers_of_the_project_are_managed_too_and_unmarked_instances_are_not(
    project: Project,
) -> None:
    project.push()
    mesh = project.meshes.mesh("other", 1)
    project.bridge.upsert_definition(
        "other", mesh.path, identity=Identity(project.truth.model.project_id, "d")
    )
    project.bridge.place_instance("other", "other-1", placed_at(0, 0, 0))
    project.sketchup.person_places("plate")
    found = check(project.truth.model, project.bridge.nodes())
    assert sorted(one.object_id for one in found.foreign) == ["other", "plate"]
    result = project.push(clean="managed")
    assert "other" in result.removed
    assert [one.instance_id for one in project.sketchup.state.instances].count(None) == 1


def test_a_full_clean_asks_with_the_list_and_takes_copies_too(project: Project) -> None:
    project.push()
    project.sketchup.person_draws("a wall")
    project.sketchup.person_copies("plate-1", placed_at(9, 9, 9))
    before = len(project.sketchup.state.instances)
    with pytest.raises(ServiceFailure) as refused:
        project.push(clean="full")
    assert refused.value.error_code == ErrorCode.APPROVAL_REQUIRED
    assert refused.value.details["removing"]
    with pytest.raises(ServiceFailure):
        project.push(clean="full", approve=lambda _: False)
    assert len(project.sketchup.state.instances) == before
    result = project.push(clean="full", approve=lambda removing: len(removing) == 1)
    assert len(project.sketchup.state.instances) == 2
    assert project.sketchup.state.drawn == ["a wall"]
    assert result.contamination is not None
    assert not result.contamination.contaminated


def test_a_scene_is_not_emptied_for_a_trace_of_a_part_of_it(project: Project) -> None:
    project.push()
    for options in ({"mode": "clean", "scope": ["plate"]}, {"mode": "incremental"}):
        trace = plan(project.truth.model, project.meshes, **options)  # type: ignore[arg-type]
        with pytest.raises(ServiceFailure, match="whole project"):
            execute(trace, project.bridge, project.truth, meshes=project.meshes, clean="managed")
    assert len(project.sketchup.state.instances) == 2


# ---- refused before anything happens -------------------------------------------------------


def test_partial_execution_is_refused_unless_what_is_left_out_is_named(project: Project) -> None:
    project.truth.save(project.truth.model.with_component("lid", Component(Source.of_cell("x"), revision=1)))
    project.truth.save(project.truth.model.with_instance("lid-1", Instance("lid")))
    project.meshes.lacking["lid"] = "its cell does not run"
    rows = [
        {"object_id": "lid", "reason": "its cell does not run"},
        {"object_id": "lid-1", "reason": "its component lid cannot be placed"},
    ]
    for options in (
        {},
        {"accept_omitted": rows},
        {"allow_partial": True},
        {"allow_partial": True, "accept_omitted": ["lid-1"]},
        {"allow_partial": True, "accept_omitted": rows[:1]},
        {"allow_partial": True, "accept_omitted": [{**rows[0], "reason": "else"}, rows[1]]},
    ):
        with pytest.raises(ServiceFailure) as refused:
            project.push(**options)
        assert refused.value.error_code == ErrorCode.PARTIAL_EXECUTION_REFUSED
        assert refused.value.details["omitted"] == rows
    assert project.tools() == []
    project.push(allow_partial=True, accept_omitted=rows)
    assert len(project.sketchup.state.instances) == 2
    assert project.push(allow_partial=True, accept_omitted=["lid"]).status == "unchanged"


@pytest.mark.parametrize(("count", "shown"), [(5, "p5: open"), (6, "p5: open; and 1 more")])
def test_of_many_that_cannot_be_pushed_the_first_are_named_and_the_rest_counted(
    count: int, shown: str
) -> None:
    omitted = tuple(Omitted(f"p{number}", "open") for number in range(1, count + 1))
    refused = partial_refused(Trace.of("incremental", None, (), omitted))
    assert refused.message.startswith("not everything can be pushed: p1: open; p2: open; ")
    assert refused.message.endswith(shown)


def test_a_server_that_cannot_place_single_instances_is_asked_for_nothing(project: Project) -> None:
    project.sketchup.capabilities = frozenset({"vcad.nodes"})
    with pytest.raises(VcadError) as refused:
        project.push()
    assert refused.value.error_code == ErrorCode.CAPABILITY_UNAVAILABLE
    assert refused.value.details["required_capability"] == "vcad.instances"
    assert project.tools() == []


def test_an_old_trace_is_refused_when_the_design_has_moved_on(project: Project) -> None:
    for change in (
        lambda: project.edit(),
        lambda: project.change("plate-1", transform=placed_at(5, 5, 5)),
        lambda: project.truth.save(project.truth.model.without_instance("plate-2")),
    ):
        trace = plan(project.truth.model, project.meshes)
        change()
        with pytest.raises(ServiceFailure) as refused:
            execute(trace, project.bridge, project.truth, meshes=project.meshes)
        assert refused.value.error_code == ErrorCode.STALE_REVISION
    assert project.tools() == []


def test_a_trace_whose_geometry_is_gone_is_refused_whole(project: Project) -> None:
    trace = plan(project.truth.model, project.meshes)
    (project.truth.workspace / ".vcad" / "artifacts" / "plate-1.dae").unlink()
    with pytest.raises(ServiceFailure) as refused:
        execute(trace, project.bridge, project.truth, meshes=project.meshes)
    assert refused.value.error_code == ErrorCode.TRACE_INCOMPLETE
    assert project.tools() == []


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("MODEL_UNAVAILABLE", "HOST_BLOCKED"),
        ("BUSY", "HOST_BLOCKED"),
        ("TOOL_NOT_FOUND", "HOST_BLOCKED"),
        ("WRONG_MODEL", "WRONG_MODEL"),
        ("CONNECTION_FAILED", "CONNECTION_FAILED"),
    ],
)
def test_a_blocked_host_is_told_with_reason_and_hint(project: Project, code: str, told: str) -> None:
    project.sketchup.fault("list_vcad_nodes", Fault(code, done=False))
    with pytest.raises(ServiceFailure) as refused:
        project.push()
    assert refused.value.error_code == told
    if told == "HOST_BLOCKED":
        assert refused.value.details["reason"] == code
        assert refused.value.details["hint"]
    assert project.tools() == []


def test_a_truth_of_another_session_is_not_pushed(project: Project) -> None:
    second = Truth.load(project.truth.workspace)
    with pytest.raises(ServiceFailure) as refused:
        push(project.bridge, second, project.meshes)
    assert refused.value.error_code == ErrorCode.BUSY
    assert project.tools() == []


# ---- traces as files -----------------------------------------------------------------------


def test_a_stored_trace_replayed_elsewhere_gives_the_same_result_but_for_ids_and_times(
    project: Project, tmp_path: Path
) -> None:
    result = project.push(request_id="one")
    files = TraceFiles(tmp_path)
    trace = files.load(result.trace_id)
    assert files.result(result.trace_id) == json.loads(json.dumps(result.to_json()))
    elsewhere = MemorySketchUp(tmp_path)
    again = execute(
        trace,
        memory_bridge(elsewhere),
        Truth.scratch(project.truth.model, tmp_path),
        meshes=project.meshes,
        request_id="two",
    )
    assert _comparable(again.to_json()) == _comparable(result.to_json())
    assert files.result(result.trace_id)["request_id"] == "one"


def _comparable(found: object) -> object:
    varying = {"entity_id", "persistent_id", "elapsed_ms", "request_id"}
    if isinstance(found, dict):
        return {key: _comparable(value) for key, value in found.items() if key not in varying}
    return [_comparable(one) for one in found] if isinstance(found, list) else found


def test_nothing_listening_leaves_truth_and_scene_alone(project: Project) -> None:
    connection = project.bridge.connection
    assert isinstance(connection, MemoryConnection)
    before = project.truth.model
    connection.lost = True
    with pytest.raises(ServiceFailure) as refused:
        project.push()
    assert refused.value.error_code == ErrorCode.CONNECTION_FAILED
    assert project.truth.model is before


def test_an_extension_that_cannot_tell_projects_apart_is_pushed_to_as_ever(project: Project) -> None:
    project.sketchup.capabilities -= {"vcad.identity"}
    project.push()
    project.edit()
    project.push()
    project.sketchup.person_undoes()
    assert "an older state" in check(project.truth.model, project.bridge.nodes("workshop")).stale[0].reason
    assert [one.type for one in project.push().executed] == ["upsert_definition"]
    assert project.push(clean="managed").status == "executed"
    assert project.push().status == "unchanged"


def test_an_extension_that_cannot_tell_projects_apart_is_kept_from_what_may_be_anothers(
    project: Project,
) -> None:
    project.sketchup.capabilities -= {"vcad.identity"}
    mesh = project.meshes.mesh("plate", 1)
    project.bridge.upsert_definition("plate", mesh.path)  # by another project, and of the same name
    project.bridge.upsert_definition("other", mesh.path)
    project.bridge.place_instance("other", "other-1", placed_at(0, 0, 0))
    project.tools()
    for options in ({}, {"clean": "managed"}):
        with pytest.raises(VcadError) as refused:
            project.push(**options)
        assert refused.value.error_code == ErrorCode.CAPABILITY_UNAVAILABLE
        assert refused.value.details["required_capability"] == "vcad.identity"
        assert refused.value.details["operation"]
    assert project.tools() == []


def test_a_runtime_that_knows_no_parts_is_told_of_by_name(project: Project) -> None:
    project.sketchup.capabilities = frozenset()
    project.sketchup.fault("list_vcad_nodes", Fault("TOOL_NOT_FOUND", done=False))
    with pytest.raises(VcadError) as refused:
        project.push()
    assert refused.value.error_code == ErrorCode.CAPABILITY_UNAVAILABLE
    assert refused.value.details["required_capability"] == "vcad.nodes"
    assert "cannot take a push now" not in refused.value.message


def test_a_project_keeps_its_id_when_its_file_is_lost_or_broken(tmp_path: Path) -> None:
    truth = Truth.load(tmp_path)
    part = Component(Source.of_cell("[cube 1 1 1]"))
    made = truth.save(truth.model.with_component("a", part)).project_id
    truth.close()
    assert len(made) == 32
    for broken in (None, '{"components": '):
        if broken is None:
            truth.path.unlink()
        else:
            truth.path.write_text(broken, "utf-8")
        again = Truth.load(tmp_path)
        assert again.save(again.model.with_component("b", part)).project_id == made
        again.close()
    shutil.rmtree(tmp_path / ".vcad")  # as in another clone, in which a merge has left its marks
    truth.path.write_text(f'<<<<<<< ours\n{{"project_id": "{made}",\n', "utf-8")
    clone = Truth.load(tmp_path)
    assert clone.save(clone.model.with_component("b", part)).project_id == made
    clone.close()
