"""The class of a call follows what it would do: nobody's work goes unasked, whichever way it comes."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.calls.outcomes import Outcome
from notebook_ext.agents.registry import load
from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.session import Session
from notebook_ext.sketchup.bridge.bridge import Bridge
from notebook_ext.sketchup.bridge.link import SketchupLink
from tests.notebook_ext.agents.packs.test_project_refusals import INSTANCE, LID, patch, put
from tests.notebook_ext.approval.tools import Person
from tests.sketchup.memory_bridge import MemorySketchUp, memory_bridge
from tests.tiers import examples
from vcad_kernel.service.direct import DirectService

PARTS = "[fn plate [] [cube 20 10 5]]\n[fn pin [] [cylinder 2 9]]\n[union [plate] [pin]]\n"
NOTES = "holes of 4.2 for M4, walls of 3\nask the printer whether 2 would do\n"
TRUTH = "design_model.json"


def called(world: AgentWorld, tool: str, /, **arguments: Any) -> Outcome:
    return call_tool(world, tool, arguments, agent="agent")


def code(world: AgentWorld, tool: str, /, **arguments: Any) -> str:
    """ "done", or the code it was refused with."""
    body = called(world, tool, **arguments).body
    return "done" if body["success"] else str(body["error_code"])


@pytest.fixture
def project(world: AgentWorld) -> AgentWorld:
    """Two parts of the person's, a file that one of them is made from, and notes."""
    (world.workspace / "parts.oo").write_text(PARTS)
    (world.workspace / "notes.md").write_text(NOTES)
    from_file = {**LID, "source": {"kind": "file", "file": "parts.oo"}}
    assert patch(world, put("/components/lid", LID), put("/instances/lid-1", INSTANCE))["success"]
    done = patch(
        world, put("/components/parts", from_file), put("/instances/p-1", {**INSTANCE, "component": "parts"})
    )
    assert done["success"]
    return world


def truth(world: AgentWorld) -> Any:
    return json.loads((world.workspace / TRUTH).read_text())


@pytest.mark.parametrize(
    "operations",
    [
        [{"op": "remove", "path": "/instances/lid-1"}],
        [{"op": "remove", "path": "/instances/lid-1"}, {"op": "remove", "path": "/components/lid"}],
        [{"op": "move", "from": "/instances/lid-1", "path": "/instances/other"}],
        [put("/instances/lid-1/component", "parts", "replace")],
        [put("/instances", {}, "replace")],
        [put("/components/lid/source", {"kind": "file", "file": "parts.oo"}, "replace")],
    ],
)
def test_a_patch_that_removes_waits_for_the_person(project: AgentWorld, operations: list[Any]) -> None:
    before = (project.workspace / TRUTH).read_bytes()
    assert patch(project, *operations)["error_code"] == "APPROVAL_REQUIRED"
    assert (project.workspace / TRUTH).read_bytes() == before


def test_a_patch_that_moves_does_not(project: AgentWorld) -> None:
    assert patch(project, put("/instances/lid-1/transform/12", 50, "replace"))["success"]


@pytest.mark.parametrize("content", ["{}", "", "null", "[1]", "not json", '{"schema": 1}'])
def test_the_projects_file_is_checked_before_it_is_written(project: AgentWorld, content: str) -> None:
    before = (project.workspace / TRUTH).read_bytes()
    refused = code(project, "write_file", path=TRUTH, content=content)
    assert refused in ("TRUTH_INVALID", "SCHEMA_VALIDATION_FAILED", "APPROVAL_REQUIRED")
    assert (project.workspace / TRUTH).read_bytes() == before
    assert list(project.session.standing.components) == ["lid", "parts"]
    assert not list(project.workspace.glob("design_model.corrupt*"))


def test_the_projects_file_written_whole_is_a_change_of_the_project(project: AgentWorld) -> None:
    content = truth(project)
    content["instances"]["lid-1"]["transform"][12] = 50
    assert code(project, "write_file", path=TRUTH, content=json.dumps(content)) == "done"
    assert project.session.standing.instances["lid-1"].transform[12] == 50
    content = truth(project)
    del content["instances"]["lid-1"]
    assert code(project, "write_file", path=TRUTH, content=json.dumps(content)) == "APPROVAL_REQUIRED"
    lines = (project.workspace / TRUTH).read_text().count("\n")
    shorter = {"start_line": 1, "end_line": lines, "content": json.dumps(content)}
    assert code(project, "set_file_slice", path=TRUTH, **shorter) == "APPROVAL_REQUIRED"
    assert "lid-1" in truth(project)["instances"]


def test_what_was_there_is_kept_when_the_person_says_yes(project: AgentWorld) -> None:
    person = Person(project.session.approvals(), {"approved": True}, {"approved": True})
    before = (project.workspace / TRUTH).read_bytes()
    assert patch(project, {"op": "remove", "path": "/instances/lid-1"})["success"]
    assert code(project, "write_file", path="parts.oo", content="[sphere 1]\n") == "done"
    kept = sorted((project.workspace / ".vcad" / "kept").iterdir())
    assert [one.read_bytes() for one in kept] == [before, PARTS.encode()]
    first, second = person.asked
    assert (first.question.risk, first.question.takes_away) == ("D", ("instance lid-1 of lid",))
    assert second.question.takes_away == ("fn pin in parts.oo", "fn plate in parts.oo")
    assert ".vcad/kept" in second.question.undo


def test_what_is_kept_is_out_of_reach(project: AgentWorld) -> None:
    Person(project.session.approvals(), {"approved": True})
    patch(project, {"op": "remove", "path": "/instances/lid-1"})
    (kept,) = (project.workspace / ".vcad" / "kept").iterdir()
    shown = str(kept.relative_to(project.workspace))
    assert code(project, "read_file", path=shown) == "PATH_NOT_ALLOWED"
    assert code(project, "write_file", path=shown, content="{}") == "PATH_NOT_ALLOWED"


def test_a_sources_edit_is_done_and_its_loss_is_asked_for(project: AgentWorld) -> None:
    path = project.workspace / "parts.oo"
    edit = {"path": "parts.oo", "start_line": 1, "end_line": 1}
    assert code(project, "set_file_slice", **edit, content="[fn plate [] [cube 22 10 5]]\n") == "done"
    assert code(project, "set_file_slice", **edit, content="") == "APPROVAL_REQUIRED"
    assert code(project, "write_file", path="parts.oo", content="") == "APPROVAL_REQUIRED"
    assert "cube 22" in path.read_text()
    assert code(project, "create_file", path="mine.oo", content=PARTS) == "done"
    assert code(project, "write_file", path="mine.oo", content="[cube 1 1 1]") == "done"


def test_a_part_is_made_from_another_file_only_with_a_yes(project: AgentWorld) -> None:
    project.session.evaluate("[cube 3 3 3]", name="lid")
    other = {"node_id": "lid", "source_file": "parts.oo"}
    assert code(project, "vcad_place", **other) == "APPROVAL_REQUIRED"
    assert code(project, "vcad_update", **other) == "APPROVAL_REQUIRED"


def test_a_file_of_others_is_exported_over_only_with_a_yes(project: AgentWorld) -> None:
    motor = project.workspace / "motor.stl"
    motor.write_bytes(b"as the maker of motors sent it")
    export = {"source": "[cube 1 1 1]", "format": "stl"}
    assert code(project, "vcad_export", **export, output_path="motor.stl") == "APPROVAL_REQUIRED"
    assert motor.read_bytes() == b"as the maker of motors sent it"
    for _ in range(2):
        assert code(project, "vcad_export", **export, output_path="own.stl") == "done"


def test_every_tool_that_changes_anything_says_what_it_would_do() -> None:
    silent = [tool.name for tool in load(("all",)) if tool.risk != "R" and tool.affects is None]
    assert silent == []


class Agents(RuleBasedStateMachine):
    """Agents do what they like, and nobody says yes; the person's own work stays."""

    folder: Path
    bridge: Bridge

    @initialize()
    def begin(self) -> None:
        workspace = self.folder / f"{time.monotonic_ns()}"
        (workspace / ".git").mkdir(parents=True)
        self.sketchup = MemorySketchUp(workspace)
        Agents.bridge = memory_bridge(self.sketchup)
        shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
        self.session = Session(shell, DirectService(folder=workspace), folder=workspace)
        self.world = AgentWorld(self.session, session_id="s-effects")
        (workspace / "parts.oo").write_text(PARTS)
        (workspace / "motor.stl").write_bytes(b"from the maker")
        done = patch(self.world, put("/components/lid", LID), put("/instances/lid-1", INSTANCE))
        assert done["success"]
        self.session.push()
        self.session.approvals().policy.set("W", "allow")

    def teardown(self) -> None:
        self.session.close()

    def _do(self, tool: str, **arguments: Any) -> None:
        body = called(self.world, tool, **arguments).body
        assert body["success"] or body["error_code"] != "INTERNAL_ERROR", body

    @rule(
        text=st.sampled_from(
            ["", "[sphere 1]", PARTS, PARTS.replace("plate", "slab"), PARTS + "[cube 1 1 1]\n"]
        )
    )
    def writes_the_source(self, text: str) -> None:
        self._do("write_file", path="parts.oo", content=text)

    @rule(
        first=st.integers(1, 4),
        last=st.integers(0, 4),
        text=st.sampled_from(["", "; mine\n", "[fn pin [] [cube 1 1 1]]\n"]),
    )
    def writes_lines(self, first: int, last: int, text: str) -> None:
        self._do("set_file_slice", path="parts.oo", start_line=first, end_line=last, content=text)

    @rule(content=st.sampled_from(["{}", '{"schema":1}', "keep", "without"]))
    def writes_the_truth(self, content: str) -> None:
        if content in ("keep", "without"):
            now = truth(self.world)
            now["instances"] = {} if content == "without" else now["instances"]
            content = json.dumps(now)
        self._do("write_file", path=TRUTH, content=content)

    @rule(
        operations=st.lists(
            st.sampled_from(
                [
                    {"op": "remove", "path": "/instances/lid-1"},
                    {"op": "remove", "path": "/components/lid"},
                    put("/instances/lid-1/transform/12", 7, "replace"),
                    put("/instances/more", INSTANCE),
                    {"op": "copy", "from": "/instances/lid-1", "path": "/instances/copied"},
                    {"op": "remove", "path": "/instances/copied"},
                    put("/instances", {}, "replace"),
                    put("/components/lid/source", {"kind": "cell", "text": "[sphere 1]"}, "replace"),
                ]
            ),
            min_size=1,
            max_size=3,
        )
    )
    def patches(self, operations: list[dict[str, Any]]) -> None:
        patch(self.world, *operations)

    @rule(clean=st.sampled_from(["none", "managed"]))
    def executes(self, clean: str) -> None:
        planned = called(self.world, "plan_trace").body
        if planned["success"]:
            self._do("trace_execute", trace_id=planned["trace_id"], clean=clean)

    @rule(steps=st.integers(1, 3), tool=st.sampled_from(["undo", "redo"]))
    def steps_in_sketchup(self, tool: str, steps: int) -> None:
        self._do(tool, steps=steps)

    @rule(keep=st.booleans())
    def removes(self, keep: bool) -> None:
        self._do("vcad_remove", node_id="lid", keep_source=keep)

    @rule(path=st.sampled_from(["motor.stl", "own.stl"]))
    def exports(self, path: str) -> None:
        self._do("vcad_export", source="[cube 1 1 1]", format="stl", output_path=path)

    @invariant()
    def the_persons_work_is_there(self) -> None:
        if not hasattr(self, "world"):
            return
        model = self.session.standing
        assert model.components["lid"].source.text == "[cube 1 2 3]"
        assert model.instances["lid-1"].component == "lid"
        source = (self.world.workspace / "parts.oo").read_text()
        assert "[fn plate" in source
        assert "[fn pin" in source
        assert (self.world.workspace / "motor.stl").read_bytes() == b"from the maker"
        assert self.sketchup.placed("lid-1"), "in SketchUp, too"


def test_no_calls_at_random_take_a_persons_work_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPEX_PORT", "1")
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    monkeypatch.setattr(SketchupLink, "bridge", lambda _link: Agents.bridge)
    Agents.folder = tmp_path
    run_state_machine_as_test(Agents, settings=examples(20, stateful_step_count=12))
