"""What a push does when an operation fails, or its answer is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from notebook_ext.session.project.canonical import canonical_json
from notebook_ext.session.project.truth import Component, Instance, Source, Truth, placed_at
from notebook_ext.sketchup.planning import plan
from notebook_ext.sketchup.push.push import OperationFailed, execute
from notebook_ext.sketchup.scene_check import check
from notebook_ext.sketchup.trace_files import TraceFiles
from tests.sketchup.memory_bridge import Fault
from tests.sketchup.project import Project, small_project
from vcad_kernel.error_envelope import envelope
from vcad_kernel.errors import ErrorCode, ServiceFailure

LOST = str(ErrorCode.UNKNOWN_OUTCOME)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return small_project(tmp_path)


def _loaded_again(project: Project) -> Truth:
    """The truth as the next session reads it."""
    project.truth.close()
    project.truth = Truth.load(project.truth.workspace)
    return project.truth


# ---- failures ------------------------------------------------------------------------------


def test_the_first_failure_stops_and_says_what_succeeded(project: Project) -> None:
    project.sketchup.fault("place_vcad_instance", Fault("RUBY_ERROR", done=False), after=1)
    with pytest.raises(OperationFailed) as failed:
        project.push(request_id="wish")
    error = failed.value
    assert error.error_code == ErrorCode.OPERATION_FAILED
    trace = TraceFiles(project.truth.workspace).load(error.result.trace_id)
    first, second, third = trace.operations
    assert error.details["operation_id"] == third.operation_id
    assert error.details["index"] == 2
    assert error.details["operation"] == "place_instance"
    assert error.details["executed"] == [first.operation_id, second.operation_id]
    assert error.details["rollback"] == {"status": "not_needed", "remaining": []}
    assert error.details["model_revision"] == 2
    assert error.details["cause"]["error_code"] == "RUBY_ERROR"
    assert envelope(error, "push")["error_code"] == "OPERATION_FAILED"
    stored = TraceFiles(project.truth.workspace).result(trace.trace_id)
    assert stored["status"] == "failed"
    assert stored["failed_operation"]["target"] == "plate-2"


def test_what_succeeded_is_noted_and_the_next_push_goes_on_from_there(project: Project) -> None:
    project.sketchup.fault("place_vcad_instance", Fault("RUBY_ERROR", done=False), after=1)
    with pytest.raises(OperationFailed):
        project.push()
    model = _loaded_again(project).model
    assert model.components["plate"].applied_revision == 1
    assert model.instances["plate-1"].execution is not None
    assert model.instances["plate-2"].execution is None
    project.tools()
    project.push()
    assert project.tools() == ["place_vcad_instance"]


def test_with_rollback_all_undo_takes_everything_back(project: Project) -> None:
    before = project.truth.model
    project.sketchup.person_draws("a wall")
    project.sketchup.fault("place_vcad_instance", Fault("RUBY_ERROR", done=False), after=1)
    with pytest.raises(OperationFailed, match="taken back") as failed:
        project.push(rollback_all=True)
    assert failed.value.details["rollback"] == {"status": "complete", "remaining": []}
    assert failed.value.details["executed"] == []
    assert project.sketchup.state.nodes == {}
    assert project.sketchup.state.drawn == ["a wall"]
    assert project.tools()[-2:] == ["undo_", "undo_"]
    after = _loaded_again(project).model
    assert (after.components, after.instances) == (before.components, before.instances)


def test_a_failed_first_operation_needs_no_rollback(project: Project) -> None:
    project.sketchup.fault("upsert_vcad_definition", Fault("IMPORT_SCALE_MISMATCH", done=False))
    with pytest.raises(OperationFailed) as failed:
        project.push(rollback_all=True)
    assert failed.value.details["rollback"]["status"] == "not_needed"
    assert failed.value.details["cause"]["error_code"] == "IMPORT_SCALE_MISMATCH"


def test_when_a_persons_step_lies_above_ours_the_opposite_is_done_instead_of_undo(project: Project) -> None:
    project.push()
    old = project.sketchup.state.nodes["plate"].mesh_path
    project.edit()
    project.change("plate-1", transform=placed_at(7, 7, 7))
    project.change("plate-2", material="oak")
    project.sketchup.person_moves("plate-1", placed_at(50, 60, 70))

    def person_draws_and_it_fails(*_: object) -> None:
        project.sketchup.person_draws("a wall")

    project.sketchup.fault("set_vcad_instance", Fault("RUBY_ERROR", done=False), after=1)
    before = project.truth.model
    original = project.sketchup._fail

    def fail(tool: str, fault: Fault) -> None:
        person_draws_and_it_fails()
        original(tool, fault)

    project.sketchup._fail = fail  # type: ignore[method-assign]
    with pytest.raises(OperationFailed) as failed:
        project.push(rollback_all=True)
    assert failed.value.details["rollback"]["status"] == "complete"
    assert project.sketchup.state.drawn == ["a wall"]
    assert project.sketchup.placed("plate-1").transform == placed_at(50, 60, 70)
    assert project.sketchup.state.nodes["plate"].mesh_path == old
    after = project.truth.model
    assert after.components["plate"].applied_revision == before.components["plate"].applied_revision == 1
    assert after.components["plate"].applied_version == project.sketchup.state.nodes["plate"].version
    assert not check(after, project.bridge.nodes()).stale
    assert project.push().status == "executed"
    assert project.sketchup.placed("plate-1").transform == placed_at(7, 7, 7)


def test_a_removal_and_a_look_are_taken_back_by_their_opposite_too(project: Project) -> None:
    project.push()
    project.sketchup.person_moves("plate-1", placed_at(50, 60, 70))
    project.change("plate-2", layer=None, material="oak")
    project.truth.save(project.truth.model.without_instance("plate-1"))
    before = project.truth.model
    project.sketchup.fault("set_vcad_instance", Fault("RUBY_ERROR", done=False), after=1)
    original = project.sketchup._fail

    def fail(tool: str, fault: Fault) -> None:
        project.sketchup.person_draws("a wall")
        original(tool, fault)

    project.sketchup._fail = fail  # type: ignore[method-assign]
    with pytest.raises(OperationFailed) as failed:
        project.push(rollback_all=True)
    assert failed.value.details["rollback"]["status"] == "complete"
    assert project.sketchup.placed("plate-1").transform == placed_at(50, 60, 70)
    assert project.sketchup.placed("plate-2").layer == "Steel"
    assert project.truth.model.removed.instances.keys() == before.removed.instances.keys() == {"plate-1"}
    assert project.push().status == "executed"
    assert list(project.ids) == ["plate-2"]
    assert not project.truth.model.removed


def test_what_a_person_removed_meanwhile_needs_no_taking_back(project: Project) -> None:
    project.sketchup.fault("place_vcad_instance", Fault("RUBY_ERROR", done=False), after=1)
    original = project.sketchup._fail

    def fail(tool: str, fault: Fault) -> None:
        project.sketchup.person_removes("plate-1")
        original(tool, fault)

    project.sketchup._fail = fail  # type: ignore[method-assign]
    with pytest.raises(OperationFailed) as failed:
        project.push(rollback_all=True)
    assert failed.value.details["rollback"]["status"] == "complete"
    assert project.sketchup.state.nodes == {}
    assert all(one.execution is None for one in project.truth.model.instances.values())


def test_a_node_that_was_removed_whole_cannot_be_brought_back_but_by_undo(project: Project) -> None:
    project.push()
    project.sketchup.fault("upsert_vcad_definition", Fault("RUBY_ERROR", done=False))
    project.sketchup.fault("undo_", Fault("STATE_CHANGED", done=False))
    with pytest.raises(OperationFailed) as failed:
        project.push(clean="managed", rollback_all=True)
    assert failed.value.details["rollback"]["status"] == "partial"
    assert project.push().status == "executed"
    project.sketchup.fault("upsert_vcad_definition", Fault("RUBY_ERROR", done=False))
    before = project.ids
    with pytest.raises(OperationFailed):
        project.push(clean="managed", rollback_all=True)
    assert project.ids == before
    assert project.push().status == "unchanged"


def test_what_cannot_be_taken_back_is_named(project: Project) -> None:
    project.push()
    project.edit()
    project.change("plate-1", transform=placed_at(7, 7, 7))
    trace = plan(project.truth.model, project.meshes)
    project.meshes.lacking["plate"] = "its old geometry is gone"
    project.sketchup.fault("set_vcad_instance", Fault("RUBY_ERROR", done=False))
    project.sketchup.fault("undo_", Fault("STATE_CHANGED", done=False))
    with pytest.raises(OperationFailed) as failed:
        execute(trace, project.bridge, project.truth, meshes=project.meshes, rollback_all=True)
    rollback = failed.value.details["rollback"]
    assert rollback == {"status": "partial", "remaining": [trace.operations[0].operation_id]}
    assert failed.value.details["executed"] == rollback["remaining"]
    assert project.truth.model.components["plate"].applied_revision == 2


def test_a_failure_while_emptying_the_scene_is_told_and_the_rest_stands(project: Project) -> None:
    project.push()
    project.sketchup.fault("remove_vcad_node", Fault("BUSY_EDITING", done=False))
    with pytest.raises(OperationFailed) as failed:
        project.push(clean="managed")
    assert failed.value.details["index"] is None
    assert failed.value.details["cause"]["error_code"] == "BUSY_EDITING"
    assert len(project.sketchup.state.instances) == 2
    assert project.push().status == "unchanged"


# ---- lost answers --------------------------------------------------------------------------


@pytest.mark.parametrize("done", [True, False])
@pytest.mark.parametrize(
    ("tool", "after"), [("upsert_vcad_definition", 0), ("place_vcad_instance", 0), ("place_vcad_instance", 1)]
)
def test_a_lost_answer_of_a_first_push_is_made_up_for(
    project: Project, tool: str, after: int, done: bool
) -> None:
    project.sketchup.fault(tool, Fault(LOST, done=done), after=after)
    result = project.push()
    assert result.status == "executed"
    assert [one.settled for one in result.executed].count(True) == int(done)
    assert len(project.sketchup.state.instances) == 2
    assert project.sketchup.state.nodes["plate"].version == 1
    assert project.push().status == "unchanged"
    assert not check(project.truth.model, project.bridge.nodes()).contaminated


@pytest.mark.parametrize("done", [True, False])
def test_a_lost_answer_of_an_update_neither_loses_nor_doubles_it(project: Project, done: bool) -> None:
    project.push()
    ids = project.ids
    project.edit()
    project.sketchup.fault("upsert_vcad_definition", Fault(LOST, done=done))
    project.push()
    assert project.ids == ids
    assert project.sketchup.state.nodes["plate"].version == 2
    assert project.truth.model.components["plate"].applied_version == 2


@pytest.mark.parametrize("done", [True, False])
def test_lost_answers_of_changes_and_removals_are_made_up_for(project: Project, done: bool) -> None:
    project.push()
    project.change("plate-1", transform=placed_at(1 / 3, 7, 7), layer="Steel", material="oak")
    project.sketchup.fault("set_vcad_instance", Fault(LOST, done=done))
    project.sketchup.fault("set_vcad_instance", Fault(LOST, done=True), after=0 if done else 1)
    project.push()
    one = project.sketchup.placed("plate-1")
    assert (one.transform, one.layer, one.material) == (placed_at(1 / 3, 7, 7), "Steel", "oak")
    project.truth.save(project.truth.model.without_instance("plate-1"))
    project.sketchup.fault("remove_vcad_instance", Fault(LOST, done=done))
    project.push()
    assert list(project.ids) == ["plate-2"]
    project.truth.save(project.truth.model.without_component("plate"))
    project.sketchup.fault("remove_vcad_node", Fault(LOST, done=done))
    project.push()
    assert project.sketchup.state.nodes == {}
    assert not project.truth.model.removed


def test_sketchup_started_anew_in_the_middle_is_not_filled_by_halves(project: Project) -> None:
    project.push()
    project.edit()
    project.change("plate-1", transform=placed_at(7, 7, 7))
    project.sketchup.fault("upsert_vcad_definition", Fault(LOST, done=False, restart=True))
    with pytest.raises(OperationFailed, match="started anew") as failed:
        project.push()
    assert failed.value.details["cause"]["error_code"] == "STATE_CHANGED"
    assert project.sketchup.state.nodes == {}
    assert project.truth.model.components["plate"].applied_revision == 1
    assert project.push().status == "executed"
    assert len(project.sketchup.state.instances) == 2
    assert not check(project.truth.model, project.bridge.nodes()).contaminated


def test_an_answer_that_stays_lost_is_a_failure_that_says_so(project: Project) -> None:
    project.sketchup.fault("upsert_vcad_definition", Fault(LOST, done=False))
    project.sketchup.fault("list_vcad_nodes", Fault("CONNECTION_FAILED", done=False), after=1)
    with pytest.raises(OperationFailed) as failed:
        project.push()
    assert failed.value.details["cause"]["error_code"] == LOST
    assert project.push().status == "executed"


def test_an_interrupted_operation_is_not_asked_for_again(project: Project) -> None:
    def fail(tool: str, _: Fault) -> None:
        details = {"operation": tool, "interrupted": True}
        raise ServiceFailure(LOST, "it was interrupted", details=details)

    project.sketchup._fail = fail  # type: ignore[method-assign]
    project.sketchup.fault("place_vcad_instance", Fault(LOST, done=False))
    with pytest.raises(OperationFailed) as failed:
        project.push()
    assert failed.value.details["cause"]["error_code"] == LOST
    assert failed.value.result.contamination is None
    assert [tool for tool, _ in project.sketchup.calls][-1] == "place_vcad_instance"


@pytest.mark.parametrize("done", [True, False])
def test_geometry_whose_writing_was_interrupted_is_looked_for_by_the_next_push_and_written_once(
    project: Project, done: bool
) -> None:
    project.push()
    project.edit()
    original = project.sketchup._fail

    def fail(tool: str, _: Fault) -> None:
        raise ServiceFailure(LOST, "it was interrupted", details={"operation": tool, "interrupted": True})

    project.sketchup._fail = fail  # type: ignore[method-assign]
    project.sketchup.fault("upsert_vcad_definition", Fault(LOST, done=done))
    with pytest.raises(OperationFailed, match="is not known"):
        project.push()
    project.sketchup._fail = original  # type: ignore[method-assign]
    assert _loaded_again(project).model.components["plate"].pending_revision == 2
    result = project.push()
    assert result.status == ("unchanged" if done else "executed")
    assert project.sketchup.state.nodes["plate"].version == 2
    component = project.truth.model.components["plate"]
    assert (component.applied_revision, component.applied_version, component.pending_revision) == (2, 2, None)


# ---- the file meanwhile --------------------------------------------------------------------


def test_a_design_that_somebody_edits_during_a_push_keeps_the_edit_and_gets_the_feedback(
    project: Project,
) -> None:
    trace = plan(project.truth.model, project.meshes)
    edited = project.truth.model.with_component("lid", Component(Source.of_cell("x"), revision=1))
    edited = edited.with_instance("lid-1", Instance("lid"))
    project.truth.path.write_text(canonical_json(replace(edited, revision=40).to_json()), "utf-8")
    execute(trace, project.bridge, project.truth, meshes=project.meshes)
    model = _loaded_again(project).model
    assert model.revision > 40
    assert "lid-1" in model.instances
    assert model.instances["plate-2"].execution is not None


def test_feedback_of_a_long_push_is_saved_on_the_way(project: Project) -> None:
    trace = plan(project.truth.model, project.meshes)
    seen: list[int] = []
    execute(
        trace,
        project.bridge,
        project.truth,
        meshes=project.meshes,
        clock=lambda: float(len(seen)),
        log=lambda what, said: (
            seen.append(project.truth.model.revision) if what == "operation_done" else None
        ),
    )
    assert seen == sorted(set(seen))
