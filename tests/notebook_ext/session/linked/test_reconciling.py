"""Whether SketchUp shows the project, after sessions, services and SketchUps have come and gone."""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_ext.session.linked.pushed_meshes import mesh_digest
from notebook_ext.session.linked.reconciling import Drift
from notebook_ext.session.session import Session
from notebook_ext.sketchup.bridge.answers import Identity
from notebook_ext.sketchup.bridge.link import SketchupLink
from tests.sketchup.memory_bridge import Fault, MemorySketchUp, State, memory_bridge
from tests.tiers import examples
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.service.direct import DirectService


def kernel(workspace: Path) -> Session:
    """The session of a kernel that starts now."""
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
    return Session(shell, DirectService(folder=workspace), folder=workspace)


@pytest.fixture
def session(workspace: Path, sketchup: MemorySketchUp) -> Iterator[Session]:
    """Of a project with two parts that stand in SketchUp."""
    made = kernel(workspace)
    made.place("lid", "[cube 1 2 3]", position=(5, 0, 0))
    made.place("box", "[cube 4 4 4]")
    yield made
    made.close()


def scene(sketchup: MemorySketchUp) -> Any:
    """What is to be seen, without ids and counts."""
    return (
        {name: (one.digest, one.project_id) for name, one in sketchup.state.nodes.items()},
        sorted((one.node_id, one.instance_id or "", one.transform) for one in sketchup.state.instances),
    )


def changes(sketchup: MemorySketchUp) -> list[str]:
    """The calls that changed something since the last time."""
    reading = ("list_vcad_nodes", "ping", "get_model_info")
    found = [tool for tool, _ in sketchup.calls if tool not in reading]
    sketchup.calls.clear()
    return found


def test_a_session_without_linked_parts_asks_sketchup_nothing(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(SketchupLink, "bridge", lambda self: asked.append("bridge"))
    session = kernel(workspace)
    session.evaluate("[cube 1 2 3]", name="lid")
    assert session.reconcile_status().last_outcome == "never"
    assert session.reconcile().last_outcome == "unchanged"
    assert session.reconcile_status().last_run_at is not None
    session.close()
    assert asked == []
    assert not (workspace / "design_model.json").exists()


def test_where_nothing_has_changed_a_later_session_changes_nothing(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.close()
    before, truth = copy.deepcopy(sketchup.state), (workspace / "design_model.json").read_bytes()
    changes(sketchup)
    later = kernel(workspace)
    status = later.reconcile()
    assert (status.last_outcome, status.drift, status.pending_nodes) == ("unchanged", Drift(), ())
    assert later.push().status == "unchanged"
    assert changes(sketchup) == []
    assert sketchup.state == before
    assert (workspace / "design_model.json").read_bytes() == truth
    later.close()


def test_after_a_crash_of_sketchup_the_next_thing_done_there_brings_all_back(
    session: Session, sketchup: MemorySketchUp
) -> None:
    before = scene(sketchup)
    sketchup.crash_and_restart()
    session.place("lid", position=(5, 0, 0))
    assert scene(sketchup) == before
    status = session.reconcile_status()
    assert status.drift.missing_node == ("box", "lid")
    assert (status.last_outcome, status.pending_nodes, status.reason) == ("restored", (), "reconnect")


def test_a_later_session_restores_by_itself_what_sketchup_has_lost(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    before = scene(sketchup)
    session.close()
    sketchup.crash_and_restart()
    later = kernel(workspace)
    status = later.reconcile()
    assert (status.last_outcome, status.drift.missing_node) == ("restored", ("box", "lid"))
    assert scene(sketchup) == before
    changes(sketchup)
    assert later.reconcile().last_outcome == "unchanged"
    assert changes(sketchup) == []
    later.close()


def test_looking_at_the_state_notes_what_differs_and_does_nothing(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.close()
    sketchup.crash_and_restart()
    changes(sketchup)
    later = kernel(workspace)
    assert [node.state for node in later.sketchup().nodes] == ["missing in SketchUp"] * 2
    status = later.reconcile_status()
    assert (status.last_outcome, status.pending_nodes) == ("pending", ("box", "lid"))
    assert changes(sketchup) == []
    later.push()
    assert later.reconcile_status().pending_nodes == ()
    later.close()


def test_what_was_never_given_to_sketchup_is_a_gap_and_is_given(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.evaluate("[cube 9 9 9]", name="lid")
    session.close()
    later = kernel(workspace)
    status = later.reconcile()
    assert (status.drift.revision_gap, status.last_outcome) == (("lid",), "restored")
    assert later.model.components["lid"].applied_revision == 2
    assert len(sketchup.state.instances) == 2
    later.close()


def test_an_older_file_after_a_restart_is_brought_up_and_an_undo_is_left_to_the_person(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    saved = copy.deepcopy(sketchup.state)
    session.update("lid", "[cube 9 9 9]")
    newest = scene(sketchup)
    sketchup.person_undoes()
    undone = session.reconcile()
    assert (undone.drift.reverted, undone.last_outcome, undone.pending_nodes) == (
        ("lid",),
        "pending",
        ("lid",),
    )
    assert scene(sketchup) != newest
    assert session.push().found[0].object_id == "lid"
    assert scene(sketchup) == newest

    sketchup.crash_and_restart(saved)
    session.close()
    later = kernel(workspace)
    status = later.reconcile()
    assert (status.drift.reverted, status.last_outcome, status.pending_nodes) == (("lid",), "restored", ())
    assert scene(sketchup) == newest
    later.close()


def test_a_part_whose_source_is_gone_is_degraded_and_nothing_is_written_over_it(
    session: Session, sketchup: MemorySketchUp, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = workspace / "pin.cmp.oo"
    source.write_text("[cube 2 2 2]", "utf-8")
    session.place("pin", Path("pin.cmp.oo"))
    session.close()
    source.unlink()
    before = scene(sketchup)
    changes(sketchup)

    later = kernel(workspace)
    status = later.reconcile()
    assert (status.last_outcome, status.drift.source_missing) == ("degraded", ("pin",))
    assert status.error is not None
    assert status.error["error_code"] == "SOURCE_FILE_MISSING"
    assert status.error["details"]["source_file"] == "pin.cmp.oo"
    assert later.model.components["pin"].status == "degraded"
    assert scene(sketchup) == before
    assert changes(sketchup) == []
    later.close()

    source.write_text("[cube 2 2 2]", "utf-8")
    again = kernel(workspace)
    again.place("lid", position=(6, 0, 0))
    assert again.model.components["pin"].status == "active"
    assert again.reconcile().last_outcome == "unchanged"
    again.close()
    source.unlink()
    last = kernel(workspace)
    last.place("lid", position=(7, 0, 0))  # the first thing done there says it too
    assert "warning [SOURCE_FILE_MISSING]" in capsys.readouterr().err
    last.close()


def test_what_cannot_be_built_does_not_keep_the_rest_from_being_restored(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    source = workspace / "pin.cmp.oo"
    source.write_text("[cube 2 2 2]", "utf-8")
    session.place("pin", Path("pin.cmp.oo"))
    session.close()
    source.write_text("[cube -2 2 2]", "utf-8")
    sketchup.crash_and_restart()
    later = kernel(workspace)
    with pytest.raises(ServiceFailure) as refused:
        later.reconcile()
    assert refused.value.error_code == ErrorCode.PARTIAL_EXECUTION_REFUSED
    status = later.reconcile_status()
    assert (status.last_outcome, status.pending_nodes) == ("failed", ("pin",))
    assert sorted(sketchup.state.nodes) == ["box", "lid"]
    later.close()


def test_parts_that_the_truth_does_not_know_are_left_and_a_person_is_asked(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    mesh = next((workspace / ".vcad" / "artifacts" / "sketchup").glob("lid-*.dae"))
    identity = Identity(session.model.project_id, "d")
    path = mesh.relative_to(workspace).as_posix()
    memory_bridge(sketchup).upsert_definition("stray", path, identity=identity)
    memory_bridge(sketchup).upsert_definition("theirs", path, identity=Identity("another"))
    session.close()
    before = scene(sketchup)
    later = kernel(workspace)
    with pytest.raises(ServiceFailure) as required:
        later.reconcile()
    assert required.value.error_code == ErrorCode.STATE_RECONCILE_REQUIRED
    assert required.value.details["drift"]["orphan_definition"] == ["stray"]
    assert required.value.details["pending_nodes"] == []
    assert later.reconcile_status().last_outcome == "required"
    assert scene(sketchup) == before
    later.replay()
    assert sorted(sketchup.state.nodes) == ["box", "lid", "theirs"]
    later.close()


def test_another_document_is_not_filled_unasked(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.close()
    sketchup.crash_and_restart()
    sketchup.path = "/projects/kitchen.skp"
    later = kernel(workspace)
    with pytest.raises(ServiceFailure, match="another document") as required:
        later.reconcile()
    assert required.value.error_code == ErrorCode.STATE_RECONCILE_REQUIRED
    assert required.value.details["pending_nodes"] == ["box", "lid"]
    assert sketchup.state == State()
    later.place("lid", position=(5, 0, 0))
    assert sorted(sketchup.state.nodes) == ["lid"]  # what was asked for, and no more
    later.push()
    assert sorted(sketchup.state.nodes) == ["box", "lid"]
    later.close()


def test_a_second_session_is_told_and_touches_nothing(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    sketchup.crash_and_restart()
    changes(sketchup)
    second = kernel(workspace)
    with pytest.raises(ServiceFailure, match="another session") as refused:
        second.reconcile()
    assert refused.value.error_code == ErrorCode.BUSY
    assert changes(sketchup) == []
    second.close()


def test_a_broken_truth_is_set_aside_and_what_it_had_placed_is_its_own_again(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.close()
    (workspace / "design_model.json").write_text('{"components": ', "utf-8")
    changes(sketchup)
    later = kernel(workspace)
    assert not later.model.components
    assert later.trouble is not None
    assert "design_model.corrupt-1.json" in later.trouble.message
    assert later.reconcile().last_outcome == "unchanged"
    later.place("lid", "[cube 1 2 3]", position=(5, 0, 0))
    later.place("box", "[cube 4 4 4]")
    assert changes(sketchup) == []  # the very same geometry, by its digest
    assert len(sketchup.state.instances) == 2
    later.close()


def test_a_run_is_logged_from_beginning_to_end(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.close()
    sketchup.crash_and_restart()
    later = kernel(workspace)
    later.reconcile()
    assert later.log.path is not None
    records = [json.loads(line) for line in later.log.path.read_text("utf-8").splitlines()]
    ours = [record for record in records if record["event"].startswith("reconcile")]
    assert [record["event"] for record in ours] == ["reconcile_started", "reconcile_finished"]
    assert ours[1]["outcome"] == "restored"
    assert ours[1]["drift"]["missing_node"] == ["box", "lid"]
    assert len({record["request_id"] for record in ours}) == 1
    later.close()


def test_a_sketchup_that_cannot_be_asked_is_a_failed_run_and_stands_in_no_ones_way(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.close()
    later = kernel(workspace)
    sketchup.fault("list_vcad_nodes", Fault("MODEL_UNAVAILABLE", done=False))
    with pytest.raises(ServiceFailure):
        later.reconcile()
    assert later.reconcile_status().last_outcome == "failed"
    assert later.reconcile_status().to_json()["drift"] == Drift().to_json()
    assert later.push().status == "unchanged"
    later.close()


def test_a_sketchup_that_is_not_there_is_a_failed_run(
    session: Session, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.close()

    def nobody(_: SketchupLink) -> None:
        raise ServiceFailure("CONNECTION_FAILED", "nobody listens", details={"host": "h", "port": 1})

    monkeypatch.setattr(SketchupLink, "bridge", nobody)
    later = kernel(workspace)
    with pytest.raises(ServiceFailure, match="nobody listens"):
        later.reconcile()
    status = later.reconcile_status()
    assert status.last_outcome == "failed"
    assert status.error == {"error_code": "CONNECTION_FAILED", "message": "nobody listens"}
    later.close()


SHAPES = ("[cube 1 2 3]", "[cube 2 2 2]", "[sphere 3]")
steps = st.sampled_from(
    [
        *(("edit", name, shape) for name in ("lid", "box") for shape in SHAPES),
        *((what, "", "") for what in ("push", "save", "undo", "crash", "kernel", "die", "reconcile", "lost")),
    ]
)


@examples(20)
@given(st.lists(steps, max_size=8))
def test_whatever_dies_whenever_the_scene_is_the_projects_and_nothing_stands_twice(
    wanted: list[tuple[str, str, str]],
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.delenv("VCAD_WORKSPACE", raising=False)
        workspace = Path(folder).resolve() / "project"
        (workspace / ".git").mkdir(parents=True)
        sketchup = MemorySketchUp(workspace)
        bridge = memory_bridge(sketchup)
        patch.setattr(SketchupLink, "bridge", lambda self: bridge)
        session, plain = kernel(workspace), kernel(workspace.parent)
        session.place("lid", SHAPES[0], position=(5, 0, 0))
        session.place("box", SHAPES[1])
        shapes, saved = {"lid": SHAPES[0], "box": SHAPES[1]}, State()
        try:
            for what, name, shape in wanted:
                if what == "edit":
                    session.evaluate(shape, name=name)
                    shapes[name] = shape
                elif what == "push":
                    session.push()
                elif what == "save":
                    saved = copy.deepcopy(sketchup.state)
                elif what == "undo":
                    sketchup.person_undoes()
                elif what == "crash":
                    sketchup.crash_and_restart(saved)
                elif what == "lost":
                    sketchup.fault("upsert_vcad_definition", Fault("UNKNOWN_OUTCOME", done=True))
                elif what == "reconcile":
                    session.reconcile()
                else:
                    truth = (workspace / "design_model.json").read_bytes()
                    if what == "die":  # between SketchUp's answer and the truth's being saved
                        session.push()
                    session.close()
                    if what == "die":
                        (workspace / "design_model.json").write_bytes(truth)
                    session = kernel(workspace)
                _once(sketchup)
            sketchup._faults.clear()
            session.push()
            _once(sketchup)
            assert sorted(one.instance_id or "" for one in sketchup.state.instances) == ["box-1", "lid-1"]
            digests = {
                name: component.execution.mesh_digest
                for name, component in session.model.components.items()
                if component.execution is not None
            }
            assert {name: one.digest for name, one in sketchup.state.nodes.items()} == digests
            expected = {name: mesh_digest(plain.evaluate(shape, name=name)) for name, shape in shapes.items()}  # type: ignore[arg-type]
            assert digests == expected
            assert session.push().status == "unchanged"
        finally:
            session.close()
            plain.close()


def _once(sketchup: MemorySketchUp) -> None:
    """Nothing stands there twice, and all of it is one project's."""
    names = [one.instance_id for one in sketchup.state.instances]
    assert len(names) == len(set(names))
    assert len({one.project_id for one in sketchup.state.nodes.values()}) <= 1
