"""What a session links to SketchUp: its truth, its revisions, its pushes; SketchUp is played in memory."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import pytest

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.events import SessionEvent
from notebook_ext.session.session import Session
from notebook_ext.sketchup.bridge.link import SketchupLink
from tests.sketchup.memory_bridge import MemorySketchUp, memory_bridge
from vcad_kernel.cli.sketchup.headless_sketchup import HeadlessSketchUp
from vcad_kernel.contracts.validation import validate
from vcad_kernel.errors import ServiceFailure, VcadError
from vcad_kernel.service.direct import DirectService

IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]


def shell() -> Any:
    return SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})


@pytest.fixture
def session(workspace: Path) -> Iterator[Session]:
    made = Session(shell(), DirectService(folder=workspace), folder=workspace)
    yield made
    made.close()


def another(workspace: Path) -> Session:
    """The session of a kernel that was started later."""
    return Session(shell(), DirectService(folder=workspace), folder=workspace)


def written(workspace: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((workspace / "design_model.json").read_text())
    return found


def test_a_session_that_links_nothing_leaves_no_project_behind(session: Session, workspace: Path) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    assert not (workspace / "design_model.json").exists()
    assert not (workspace / ".vcad" / "lock").exists()


def test_a_placed_part_stands_in_sketchup_and_in_the_project(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    result = session.place("lid", position=(10, 20, 0))
    assert result.status == "executed"
    assert sketchup.placed("lid-1").transform == (*IDENTITY, 10, 20, 0, 1)
    truth = written(workspace)
    validate("design_model", truth, operation="test")
    lid = truth["components"]["lid"]
    assert lid["source"] == {"kind": "cell", "text": "[cube 1 2 3]"}
    assert lid["revision"] == lid["applied_revision"] == 1
    assert lid["applied_version"] == 1
    assert truth["instances"]["lid-1"]["execution"]["persistent_id"] is not None


def test_an_edit_is_pushed_where_a_person_has_moved_the_part(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    session.place("lid", position=(1, 1, 1))
    moved = (*map(float, IDENTITY), 7.0, 8.0, 9.0, 1.0)
    sketchup.person_moves("lid-1", moved)
    before = sketchup.placed("lid-1").persistent_id

    session.evaluate("[cube 4 5 6]", name="lid")
    assert [one.type for one in session.plan().operations] == ["upsert_definition"]
    session.push()

    assert sketchup.placed("lid-1").transform == moved
    assert sketchup.placed("lid-1").persistent_id == before
    assert sketchup.state.nodes["lid"].version == 2
    assert written(workspace)["components"]["lid"]["applied_revision"] == 2


def test_pushing_twice_changes_nothing(session: Session, sketchup: MemorySketchUp, workspace: Path) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    session.place("lid")
    calls, truth = len(sketchup.calls), written(workspace)
    assert session.push().status == "unchanged"
    assert {tool for tool, _ in sketchup.calls[calls:]} <= {"list_vcad_nodes", "ping"}
    assert written(workspace) == truth


def test_running_an_unchanged_cell_again_pushes_nothing(session: Session, sketchup: MemorySketchUp) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    session.place("lid")
    session.evaluate("[union [cube 1 2 3] [cube 1 1 1]]", name="lid")  # other words for the same solid
    session.evaluate("[cube 1 2 3]", name="lid")
    assert session.model.components["lid"].revision == 3
    assert session.plan().operations == ()
    assert session.push().status == "unchanged"
    assert sketchup.state.nodes["lid"].version == 1
    session.evaluate('#[[material "brass" 0.8 0.6 0.2 1.0 0.3] [root [cube 1 2 3] "brass"]]', name="lid")
    assert len(session.plan().operations) == 1


def test_the_mesh_that_is_pushed_is_a_file_of_the_workspace_with_its_manifest(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    session.place("lid")
    session.evaluate("[cube 1 2 4]", name="lid")
    session.push()
    folder = workspace / ".vcad" / "artifacts" / "sketchup"
    (mesh,) = folder.glob("*.dae")
    (manifest,) = folder.glob("*.manifest.json")
    assert sketchup.state.nodes["lid"].mesh_path == mesh.relative_to(workspace).as_posix()
    found = json.loads(manifest.read_text())
    validate("artifact_manifest", found, operation="test")
    assert (found["node_id"], found["revision"], found["status"]) == ("lid", 2, "applied")
    assert found["bbox"] == {"min": [0, 0, 0], "max": [1, 2, 4]}


def test_a_parameter_that_is_moved_is_a_change_of_the_part(
    session: Session, sketchup: MemorySketchUp
) -> None:
    session.evaluate("[defparam width 5 {:min 1 :max 9}] [cube width 2 3]", name="lid")
    session.place("lid")
    session.set_parameter("width", 8)
    assert session.model.components["lid"].revision == 2
    assert dict(session.model.components["lid"].parameters) == {"width": 8}
    session.push()
    assert session.model.components["lid"].applied_revision == 2


def test_a_parameter_that_cannot_be_set_leaves_the_part_as_it_is_and_pushable(
    session: Session, sketchup: MemorySketchUp
) -> None:
    session.evaluate("[defparam width 5 {:min 1 :max 9}] [cube width 2 3]", name="lid")
    session.place("lid")
    with pytest.raises(LoonCellFailed):
        session.set_parameter("width", 80)
    assert dict(session.model.components["lid"].parameters) == {}
    assert session.plan().complete


def test_a_part_that_cannot_be_built_is_never_pushed_in_an_old_state(
    session: Session, sketchup: MemorySketchUp
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    session.place("lid")
    with pytest.raises(LoonCellFailed):
        session.evaluate("[cube -1 2 3]", name="lid")
    trace = session.plan()
    assert [one.object_id for one in trace.omitted] == ["lid"]
    assert "the last good one is 1" in trace.omitted[0].reason
    with pytest.raises(ServiceFailure) as refused:
        session.push()
    assert refused.value.error_code == "PARTIAL_EXECUTION_REFUSED"
    assert session.push(omit=["lid"]).status == "unchanged"
    assert sketchup.state.nodes["lid"].version == 1


def test_what_a_push_cannot_do_now_is_done_by_a_later_one(
    session: Session, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")

    def nobody(self: SketchupLink) -> None:
        raise ServiceFailure("CONNECTION_FAILED", "nobody", details={"host": "h", "port": 1})

    monkeypatch.setattr(SketchupLink, "bridge", nobody)
    with pytest.raises(ServiceFailure, match="nobody"):
        session.place("lid", position=(3, 0, 0))
    assert [one.type for one in session.plan().operations] == ["upsert_definition", "place_instance"]

    played = MemorySketchUp(workspace)
    bridge = memory_bridge(played)
    monkeypatch.setattr(SketchupLink, "bridge", lambda self: bridge)
    session.push()
    assert played.placed("lid-1").transform[12] == 3


def test_a_later_kernel_goes_on_with_the_project(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    session.place("lid")
    session.close()
    later = another(workspace)
    try:
        later.evaluate("[cube 1 2 9]", name="lid")
        assert later.model.components["lid"].revision == 2
        later.push()
        assert sketchup.state.nodes["lid"].version == 2
        assert len(sketchup.state.instances) == 1
    finally:
        later.close()


def test_a_later_kernel_can_build_everything_anew_from_the_project_alone(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.run_cell("[cube width 2 3]", name="lid", bindings={"width": 4.5})
    session.place("lid", position=(5, 0, 0))
    session.close()
    sketchup.open_another()
    later = another(workspace)
    try:
        later.replay()
        assert sketchup.placed("lid-1").transform[12] == 5
        (manifest,) = (workspace / ".vcad" / "artifacts" / "sketchup").glob("*.manifest.json")
        assert json.loads(manifest.read_text())["bbox"]["max"] == [4.5, 2, 3]
    finally:
        later.close()


def test_a_second_session_may_look_and_not_change(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    session.place("lid")
    second = another(workspace)
    try:
        second.evaluate("[cube 1 2 4]", name="lid")  # a cell runs all the same
        assert second.plan().complete
        with pytest.raises(ServiceFailure, match="read-only") as refused:
            second.push()
        assert refused.value.error_code == "BUSY"
        assert session.model.components["lid"].revision == 1
    finally:
        second.close()


def test_a_result_that_was_overtaken_is_seen_by_nobody(
    session: Session, sketchup: MemorySketchUp, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    session.place("lid")
    evaluate = DirectService.evaluate

    def overtaken(self: DirectService, *given: Any, **options: Any) -> Any:
        result = evaluate(self, *given, **options)
        session._project.accept("lid")  # somebody has wished for something newer meanwhile
        return result

    monkeypatch.setattr(DirectService, "evaluate", overtaken)
    session.evaluate("[cube 9 9 9]", name="lid")
    assert session.model.components["lid"].source.text == "[cube 1 2 3]"
    dropped = [
        json.loads(one.read_text())
        for one in (workspace / ".vcad" / "artifacts" / "sketchup").glob("*.manifest.json")
    ]
    (stale,) = [one for one in dropped if one["status"] == "stale_dropped"]
    assert stale["revision"] == 2
    assert "revision 3" in stale["reason"]


def test_a_new_source_is_evaluated_and_pushed_in_one(session: Session, sketchup: MemorySketchUp) -> None:
    session.place("lid", "[cube 1 2 3]", (0, 0, 1))
    session.update("lid", "[cube 3 3 3]")
    assert session["lid"].volume == 27
    assert sketchup.state.nodes["lid"].version == 2
    assert session.update("lid").status == "unchanged"


def test_a_file_is_the_source_of_a_part(session: Session, sketchup: MemorySketchUp, workspace: Path) -> None:
    (workspace / "parts").mkdir()
    (workspace / "parts" / "lid.cmp.oo").write_text("[cube 1 2 3]")
    session.place("lid", workspace / "parts" / "lid.cmp.oo")
    assert session.model.components["lid"].source.file == "parts/lid.cmp.oo"
    (workspace / "parts" / "lid.cmp.oo").write_text("[cube 2 2 2]")
    session.update("lid")
    assert session["lid"].volume == 8
    (workspace / "parts" / "lid.cmp.oo").unlink()
    with pytest.raises(VcadError):
        session.update("lid")
    with pytest.raises(VcadError) as refused:
        session.place("other", Path("/etc/passwd"))
    assert refused.value.error_code == "PATH_NOT_ALLOWED"


def test_a_removed_part_leaves_sketchup_and_stays_in_the_session(
    session: Session, sketchup: MemorySketchUp
) -> None:
    session.place("lid", "[cube 1 2 3]")
    session.remove("lid")
    assert sketchup.state.nodes == {}
    assert session["lid"].volume == 6
    assert dict(session.model.components) == {}
    with pytest.raises(ServiceFailure, match="nothing is linked yet") as refused:
        session.remove("lid")
    assert refused.value.error_code == "NODE_NOT_FOUND"


def test_names_of_any_letters_are_pushed(session: Session, sketchup: MemorySketchUp) -> None:
    session.place("träger", "[cube 1 2 3]")
    assert list(sketchup.state.nodes) == ["tr:e4:ger"]
    assert session.sketchup().nodes[0].state == "up to date"


def test_a_part_stands_as_often_as_it_is_wished(session: Session, sketchup: MemorySketchUp) -> None:
    session.place("leg", "[cube 1 2 3]", (0, 0, 0), instance="left", layer="legs")
    session.place("leg", position=(9, 0, 0), instance="right")
    assert sketchup.placed("left").layer == "legs"
    assert sketchup.placed("right").transform[12] == 9
    session.place("leg", position=(0, 5, 0), instance="left")
    assert sketchup.placed("left").transform[12:15] == (0, 5, 0)
    assert sketchup.state.nodes["leg"].version == 1
    with pytest.raises(ServiceFailure, match="left is an instance of leg already"):
        session.place("arm", "[cube 1 1 1]", instance="left")


def test_positions_that_are_none_are_refused(session: Session, sketchup: MemorySketchUp) -> None:
    for wrong in [(1, 2), (1, 2, float("nan"))]:
        with pytest.raises(ServiceFailure) as refused:
            session.place("lid", "[cube 1 2 3]", wrong)
        assert refused.value.error_code == "INVALID_PARAMS"
    assert sketchup.state.nodes == {}


def test_a_workspace_that_is_not_there_is_told_and_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VCAD_WORKSPACE", str(tmp_path / "projcet"))
    session = another(tmp_path)
    try:
        with pytest.raises((VcadError, LoonCellFailed), match="no such folder"):
            session.place("lid", "[cube 1 2 3]")
        assert list(tmp_path.iterdir()) == []
    finally:
        session.close()


def test_what_sketchup_measured_is_saved_for_people(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.place("lid", "[cube 0.1 0.2 0.3]", (0.1, 0.2, 0.3))
    bounds = written(workspace)["instances"]["lid-1"]["execution"]["bounds"]
    assert all(len(str(one)) < 10 for corner in bounds.values() for one in corner)


def test_a_home_folder_is_not_shared_with_sketchup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    session = another(tmp_path)
    try:
        session.evaluate("[cube 1 2 3]", name="lid")
        with pytest.raises(VcadError, match="home folder") as refused:
            session.place("lid")
        assert refused.value.error_code == "PATH_NOT_ALLOWED"
    finally:
        session.close()


def test_what_a_session_does_can_be_listened_to_and_is_logged_under_one_wish(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    heard: list[SessionEvent] = []
    leave = session.subscribe(heard.append)
    session.place("lid", "[cube 1 2 3]")
    leave()
    session.remove("lid")
    assert [(one.kind, one.node_id) for one in heard] == [
        ("evaluated", "lid"),
        ("placed", "lid"),
        ("pushed", None),
    ]
    (request_id,) = {one.request_id for one in heard}
    session.close()
    (log,) = (workspace / ".vcad" / "logs").glob("session-*/events.jsonl")
    records = [json.loads(line) for line in log.read_text().splitlines()]
    of_request = [one["event"] for one in records if (one["request_id"] or "").startswith(str(request_id))]
    assert of_request[:3] == ["eval_enqueued", "eval_started", "eval_finished"]
    assert of_request.count("operation_done") == 2


def test_looking_at_a_text_leaves_nothing_behind(session: Session, tmp_path: Path) -> None:
    session.evaluate("[let side 3]")
    assert session.inspect("[let other 2] [cube side side other]").volume == 18
    session.export("[cube side 1 1]", tmp_path / "bar.stl")
    assert (tmp_path / "bar.stl").stat().st_size > 0
    assert "other" not in session.knowledge.definitions
    with pytest.raises(LoonCellFailed, match="other"):
        session.evaluate("other")
    with pytest.raises(LoonCellFailed, match="gives no part"):
        session.inspect("[+ 1 2]")


def test_placing_the_last_good_part_never_takes_a_number_back(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    session.place("lid")
    with pytest.raises(LoonCellFailed):
        session.evaluate("[cube -1 2 3]", name="lid")
    with pytest.raises(ServiceFailure) as refused:
        session.place("lid", position=(5, 0, 0))
    assert refused.value.error_code == "PARTIAL_EXECUTION_REFUSED"
    assert written(workspace)["components"]["lid"]["revision"] == 2
    session.evaluate("[cube 1 2 4]", name="lid")
    session.push()
    assert sketchup.placed("lid-1").transform[12] == 5


def test_a_file_that_somebody_else_has_changed_does_not_stop_the_cells(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    session.place("lid")
    truth = written(workspace)
    truth["components"]["lid"]["revision"] = 40
    truth["settings"] = {"theirs": True}
    (workspace / "design_model.json").write_text(json.dumps(truth))
    session.evaluate("[cube 1 2 4]", name="lid")
    assert written(workspace)["components"]["lid"]["revision"] == 41
    assert written(workspace)["settings"] == {"theirs": True}
    session.push()
    assert sketchup.state.nodes["lid"].version == 2


def test_a_truth_that_cannot_be_read_is_told_with_its_code_and_stops_no_cell(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    session.place("lid")
    truth = workspace / "design_model.json"
    text = truth.read_text()
    truth.unlink()
    truth.mkdir()
    with pytest.raises(ServiceFailure, match="cannot be read") as refused:
        session.push()
    assert refused.value.error_code == "TRUTH_INVALID"
    for name in ("lid", "other"):
        session.evaluate("[cube 1 2 4]", name=name)
        assert session[name].volume == 8
    assert truth.is_dir()
    truth.rmdir()
    truth.write_text(text)
    session.evaluate("[cube 1 2 5]", name="lid")
    assert session.push().status == "executed"


def test_a_full_disk_stops_no_cell_of_a_linked_part(
    session: Session,
    sketchup: MemorySketchUp,
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    session.place("lid")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("notebook_ext.session.project.truth.replace_files", full)
        session.evaluate("[cube 1 2 4]", name="lid")
        assert session["lid"].volume == 8
        said = capsys.readouterr().err
        assert "warning [SAVE_FAILED]" in said
        assert "No space left on device" in said
        with pytest.raises(ServiceFailure) as refused:
            session.push()
        assert refused.value.error_code == "SAVE_FAILED"
    assert session["lid"].volume == 8
    session.push()
    mesh = sketchup.placed("lid-1")
    assert mesh is not None
    assert written(workspace)["components"]["lid"]["execution"]["bounds"]["max"] == [1, 2, 4]


def test_a_plan_is_shown_though_it_cannot_be_kept(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    session.place("lid")
    session.evaluate("[cube 1 2 4]", name="lid")
    traces = workspace / ".vcad" / "traces"
    shutil.rmtree(traces, ignore_errors=True)
    traces.write_text("in the way")
    assert session.plan().operations
    assert session.push().status == "executed"


def test_a_later_kernel_pushes_no_old_text_under_the_number_of_a_failure(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    session.place("lid")
    session.close()
    later = another(workspace)
    try:
        with pytest.raises(LoonCellFailed):
            later.evaluate("[cube -1 2 3]", name="lid")
        with pytest.raises(ServiceFailure) as refused:
            later.push()
        assert refused.value.error_code == "PARTIAL_EXECUTION_REFUSED"
        assert sketchup.state.nodes["lid"].version == 1
    finally:
        later.close()


def test_what_was_made_while_another_session_owned_the_project_has_a_number_of_its_own(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    session.place("lid")
    second = another(workspace)
    try:
        second.evaluate("[cube 9 9 9]", name="lid")
        session.evaluate("[cube 1 2 4]", name="lid")
        session.push()
        session.close()
        second.place("lid")
        assert written(workspace)["components"]["lid"]["applied_revision"] == 3
        assert written(workspace)["components"]["lid"]["source"]["text"] == "[cube 9 9 9]"
        assert sketchup.state.nodes["lid"].version == 3
    finally:
        second.close()


def test_a_cell_that_is_interrupted_before_its_turn_says_so_and_overtakes_nothing(
    session: Session, sketchup: MemorySketchUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.place("lid", "[cube 1 2 3]")
    begun, go_on = threading.Event(), threading.Event()
    evaluate = DirectService.evaluate

    def waits(self: DirectService, request: Any, **options: Any) -> Any:
        if "9" in request.code:
            begun.set()
            assert go_on.wait(20)
        return evaluate(self, request, **options)

    monkeypatch.setattr(DirectService, "evaluate", waits)
    slow = threading.Thread(target=lambda: session.evaluate("[cube 9 9 9]", name="lid"))
    slow.start()
    assert begun.wait(20)

    def interrupt() -> None:
        pause = threading.Event()
        while session._requests._waiting.empty():
            pause.wait(0.001)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(LoonCellFailed, match="before its turn"):
        session.evaluate("[cube 5 5 5]", name="lid")
    go_on.set()
    slow.join(20)
    assert session.model.components["lid"].source.text == "[cube 9 9 9]"
    assert session.push().status == "executed"


def test_positions_and_ids_of_any_kind_are_told_apart_with_a_code(
    session: Session, sketchup: MemorySketchUp
) -> None:
    for wrong in ["abc", 5, (1, 2, "x"), (1, None, 2)]:
        with pytest.raises(ServiceFailure) as refused:
            session.place("lid", "[cube 1 2 3]", wrong)  # type: ignore[arg-type]
        assert refused.value.error_code == "INVALID_PARAMS"


def test_a_closed_session_says_so_with_a_code(session: Session) -> None:
    session.close()
    with pytest.raises(VcadError, match="this session is closed") as refused:
        session.push()
    assert refused.value.error_code == "CAPABILITY_UNAVAILABLE"
    with pytest.raises(LoonCellFailed, match="this session is closed"):
        session.evaluate("[cube 1 2 3]", name="lid")


def test_failures_and_what_is_forgotten_are_told(session: Session) -> None:
    heard: list[SessionEvent] = []
    session.evaluate("[cube 1 2 3]", name="lid")
    session.subscribe(heard.append)
    with pytest.raises(LoonCellFailed):
        session.evaluate("[cube -1 2 3]", name="lid")
    session.evaluate("[cube 1 1 1]")
    session.forget(["lid"])
    session.evaluate("[cube 1 2 3]", name="box")
    session.reset()
    assert [(one.kind, one.node_id, one.revision) for one in heard if one.node_id is not None] == [
        ("failed", "lid", 2),
        ("forgotten", "lid", None),
        ("evaluated", "box", 1),
        ("forgotten", "box", None),
    ]


def test_a_listener_may_call_a_verb(session: Session, sketchup: MemorySketchUp) -> None:
    session.place("lid", "[cube 1 2 3]")
    kinds: list[str] = []

    def push(event: SessionEvent) -> None:
        if event.kind == "evaluated":
            session.push()

    session.subscribe(push)
    session.subscribe(lambda event: kinds.append(event.kind))
    session.evaluate("[cube 1 2 4]", name="lid")
    assert sketchup.state.nodes["lid"].version == 2
    assert kinds == ["evaluated", "pushed"]


def test_a_slider_that_is_moved_while_its_cell_waits_for_its_turn_leaves_that_the_newest(
    session: Session, sketchup: MemorySketchUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.place("lid", "[defparam width 5 {:min 1 :max 9}] [cube width 2 3]")
    cell_id = session._cells.parameters.declaring("width")
    run = session._cells.parameters.ran(cell_id).run
    go_on, said = threading.Event(), []
    session._requests.submit(lambda: go_on.wait(20))

    def slider() -> None:
        try:
            session._cells._shown_again(cell_id, {"width": 8}, run)
        except VcadError as error:
            said.append(error.message)

    def update() -> None:
        session.update("lid", "[defparam width 6 {:min 1 :max 9}] [cube width 2 3]")

    waiting = session._requests._waiting
    threads = []
    for number, work in enumerate((update, slider), 1):
        threads.append(threading.Thread(target=work))
        threads[-1].start()
        while waiting.qsize() < number:
            threading.Event().wait(0.001)
    go_on.set()
    for thread in threads:
        thread.join(20)
    assert said == ["the cell has changed since; run it again"]
    assert session["lid"].volume == 36
    assert "width 6" in (session.model.components["lid"].source.text or "")
    assert sketchup.state.nodes["lid"].version == 2


def test_a_slider_gives_way_to_its_cell_that_waits(session: Session, sketchup: MemorySketchUp) -> None:
    session.place("lid", "[defparam width 5 {:min 1 :max 9}] [cube width 2 3]")
    cell_id = session._cells.parameters.declaring("width")
    run = session._cells.parameters.ran(cell_id).run
    change = session._nodes.accept("lid")
    with pytest.raises(VcadError, match="has changed since"):
        session._cells._shown_again(cell_id, {"width": 8}, run)
    change.withdraw()
    session._cells._shown_again(cell_id, {"width": 8}, run)
    assert session["lid"].volume == 48
    assert session.push().status == "executed"
    session.close()
    session._cells._shown_again(cell_id, {"width": 7}, run)  # nobody is told of it


def test_names_that_sketchup_cannot_take_are_refused_before_anything_is_done(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.place("lid", "[cube 1 2 3]")
    before = written(workspace)
    for wrong in ["", "x" * 129]:
        with pytest.raises(ServiceFailure) as refused:
            session.place(wrong, "[cube 1 1 1]")
        assert refused.value.error_code == "INVALID_PARAMS"
        with pytest.raises(ServiceFailure) as refused:
            session.place("lid", instance=wrong)
        assert refused.value.details["path"] == "instance"
    assert written(workspace) == before
    assert session.nodes() == ("lid",)
    with pytest.raises(ServiceFailure, match="managed"):
        session.replay("everything")  # type: ignore[arg-type]


def test_one_part_may_be_named_without_a_list(session: Session, sketchup: MemorySketchUp) -> None:
    session.place("lid", "[cube 1 2 3]")
    assert session.push("lid").status == "unchanged"
    assert session.plan("lid").complete
    with pytest.raises(LoonCellFailed):
        session.evaluate("[cube -1 2 3]", name="lid")
    assert session.push(omit="lid").status == "unchanged"


def test_what_a_headless_sketchup_says_is_kept_in_the_workspaces_log(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(*, errors: IO[str], **_: object) -> Any:
        errors.write("no such model\n")
        process = SimpleNamespace(poll=lambda: None)
        return SimpleNamespace(process=process, bridge_port=5, close=lambda: None)

    monkeypatch.setattr(HeadlessSketchUp, "start", start)
    link = SketchupLink(lambda: workspace, lambda what, fields: None)
    link.start_headless()
    assert (link.address.host, link.address.port) == ("127.0.0.1", 5)
    link.close()
    assert (workspace / ".vcad/logs/headless-sketchup.log").read_text("utf-8") == "no such model\n"


def test_a_forked_child_leaves_the_connection_to_its_parent(workspace: Path) -> None:
    link = SketchupLink(lambda: workspace, lambda what, fields: None)
    connection = link.bridge().connection
    read, write = os.pipe()
    with connection._turn:  # a call is under way
        child = os.fork()
        if child == 0:
            signal.alarm(10)
            anew = link.bridge().connection is not connection
            link.close()
            os.write(write, b"anew" if anew else b"same")
            os._exit(0)
        os.waitpid(child, 0)
    os.close(write)
    assert os.read(read, 8) == b"anew"
    os.close(read)
    assert link.bridge().connection is connection
    link.close()


def test_what_sketchup_was_never_given_is_removed_from_the_project(
    session: Session, sketchup: MemorySketchUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")

    def nobody(self: SketchupLink) -> None:
        raise ServiceFailure("CONNECTION_FAILED", "nobody", details={"host": "h", "port": 1})

    with monkeypatch.context() as patched:
        patched.setattr(SketchupLink, "bridge", nobody)
        with pytest.raises(ServiceFailure, match="nobody"):
            session.place("lid")
    assert session.remove("lid").status == "unchanged"
    assert dict(session.model.components) == {}


def test_one_instance_is_removed_alone(session: Session, sketchup: MemorySketchUp) -> None:
    session.place("leg", "[cube 1 2 3]", instance="left")
    session.place("leg", position=(9, 0, 0), instance="größe")
    with pytest.raises(ServiceFailure, match="has no instance 'middle'"):
        session.remove("leg", instance="middle")
    with pytest.raises(ServiceFailure, match="größe is an instance of leg already"):
        session.place("arm", "[cube 1 1 1]", instance="größe")
    session.remove("leg", instance="größe")
    assert set(session.model.instances) == {"left"}
    assert len(sketchup.state.instances) == 1
    assert session.push().status == "unchanged"


def test_what_is_left_out_must_be_linked(session: Session, sketchup: MemorySketchUp) -> None:
    session.place("lid", "[cube 1 2 3]")
    with pytest.raises(ServiceFailure) as refused:
        session.push(omit=["nowhere"])
    assert refused.value.error_code == "NODE_NOT_FOUND"


BOARD = "[defparam w 40.0 {:min 10 :max 80}]\n[cube w 20 3]\n"


def width(session: Session, name: str) -> float:
    low, high = session[name].part_meshes[0].mesh.bounds()
    return float(high[0] - low[0])


def test_several_parts_are_made_from_one_file(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    (workspace / "board.loon").write_text(BOARD)
    session.place("left", Path("board.loon"))
    session.place("right", Path("board.loon"), (100, 0, 0))
    assert session.nodes() == ("left", "right")
    session.set_parameter("w", 70, node_id="left")
    assert (width(session, "left"), width(session, "right")) == (70.0, 40.0)
    session.update("right")
    assert (width(session, "left"), width(session, "right")) == (70.0, 40.0)
    assert {one["source"]["file"] for one in written(workspace)["components"].values()} == {"board.loon"}


def test_values_of_parameters_outlast_an_update_from_the_file(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    file = workspace / "board.loon"
    file.write_text(BOARD)
    session.place("board", Path("board.loon"))
    session.set_parameter("w", 70, node_id="board")
    session.update("board")
    assert width(session, "board") == 70.0
    file.write_text("; wider at the back\n" + BOARD)
    session.update("board", Path("board.loon"))
    assert width(session, "board") == 70.0
    assert written(workspace)["components"]["board"]["parameters"] == {"w": 70}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BOARD.replace("40.0", "50.0"), 50.0),  # its author has thought again
        (BOARD.replace(":max 80", ":max 60"), 40.0),
        ("[cube 33 20 3]\n", 33.0),
        (BOARD.replace("w ", "wide "), 40.0),
    ],
)
def test_a_value_that_the_text_does_not_take_any_more_goes(
    session: Session, sketchup: MemorySketchUp, workspace: Path, text: str, expected: float
) -> None:
    file = workspace / "board.loon"
    file.write_text(BOARD)
    session.place("board", Path("board.loon"))
    session.set_parameter("w", 70, node_id="board")
    file.write_text(text)
    session.update("board")
    assert width(session, "board") == expected


def test_a_later_session_updates_a_part_whose_parameter_is_gone(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    (workspace / "board.loon").write_text(BOARD)
    session.place("board", Path("board.loon"))
    session.set_parameter("w", 70, node_id="board")
    session.close()
    (workspace / "board.loon").write_text("[cube 33 20 3]\n")
    later = another(workspace)
    later.update("board")
    assert width(later, "board") == 33.0
    later.close()


def test_a_text_that_is_checked_does_not_know_what_its_file_has_defined(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    (workspace / "board.loon").write_text("[fn thick [] 3]\n[cube 20 20 [thick]]\n")
    session.place("left", Path("board.loon"))
    codes = [one.code for one in session.check("[cube 20 20 [thick]]", file="board.loon")]
    assert codes == ["E0201"]
    assert session.check("[cube 20 20 [thick]]") == ()


def test_a_push_and_a_failure_are_told_in_the_log_from_beginning_to_end(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.place("lid", "[cube 1 2 3]")
    with pytest.raises(LoonCellFailed):
        session.update("lid", "[cube 1 2]")
    session.close()
    (log,) = (workspace / ".vcad" / "logs").glob("session-*/events.jsonl")
    records = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(one["event"], one.get("status"), one["error_code"]) for one in records] == [
        ("eval_enqueued", None, None),
        ("eval_started", None, None),
        ("eval_finished", None, None),
        ("trace_started", None, None),
        ("operation_done", None, None),
        ("operation_done", None, None),
        ("trace_finished", "executed", None),
        ("eval_enqueued", None, None),
        ("eval_started", None, None),
        ("eval_finished", None, "GEOMETRY_INVALID"),
    ]
    assert records[-1]["node_id"] == "lid"


def test_a_parameter_of_a_part_whose_cell_has_failed_since_is_refused_and_overtakes_nothing(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    session.watch_stop()  # the file would be followed some time within this
    (workspace / "board.loon").write_text(BOARD)
    session.place("board", Path("board.loon"))
    (workspace / "board.loon").write_text("[cube w")
    with pytest.raises(LoonCellFailed):
        session.update("board")
    before = session.revision("board")
    with pytest.raises(LoonCellFailed) as caught:
        session.set_parameter("w", 50, node_id="board")
    assert isinstance(caught.value.error, VcadError)
    assert caught.value.error.code == "INVALID_PARAMETER"
    assert "run it again" in str(caught.value.error.fix)
    assert session.revision("board") == before, "no number waits for ever"
    (workspace / "board.loon").write_text(BOARD)
    session.update("board")
    session.set_parameter("w", 50, node_id="board")
    assert width(session, "board") == 50.0


def test_a_part_without_parameters_says_so(session: Session) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    with pytest.raises(LoonCellFailed) as caught:
        session.set_parameter("w", 50, node_id="lid")
    assert isinstance(caught.value.error, VcadError)
    assert caught.value.error.code == "INVALID_PARAMETER"
    assert session.revision("lid") == 1
