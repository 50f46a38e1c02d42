"""A change that is bound to a revision is done while that is still so, and refused otherwise."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.agents import registry
from notebook_ext.agents.calls.arguments import Answer, Changing
from notebook_ext.agents.calls.call import Call, Tool
from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.calls.expected_revision import saved_revision
from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.project.revisions import Revisions
from notebook_ext.session.session import Session
from vcad_kernel.errors import ServiceFailure

LIMIT = 60.0
LID = "[defparam h 5 {:min 1 :max 99}]\n[cube 10 10 h]"


class _Written(Changing):
    path: str


class _Done(Answer):
    done: bool


@pytest.fixture
def placed(world: AgentWorld, workspace: Path, sketchup: Any) -> dict[str, Any]:
    # what a test writes is not followed besides, which would take a revision of its own
    world.session.watch_stop()
    (workspace / "lid.cmp.oo").write_text(LID)
    outcome = call_tool(world, "vcad_place", {"node_id": "lid", "source_file": "lid.cmp.oo"}, agent="a")
    assert outcome.success, outcome.body
    return outcome.body


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A tool `writes` that notes what it was called for."""
    done: list[str] = []

    def run(arguments: _Written, _call: Call) -> _Done:
        done.append(arguments.path)
        return _Done(done=True)

    tool = Tool("writes", "core", "W", False, "Write.", _Written, _Done, run)
    monkeypatch.setattr(registry, "_tools_of", lambda pack: (tool,) if pack == "core" else ())
    return done


def test_of_two_changes_that_have_seen_the_same_one_is_refused() -> None:
    revisions = Revisions()
    first = revisions.accept("lid", 0)
    with pytest.raises(ServiceFailure) as refused:
        revisions.accept("lid", 0)
    assert refused.value.error_code == "REVISION_CONFLICT"
    assert refused.value.details == {"node_id": "lid", "expected": 0, "current": first}
    revisions.begin("lid", first)
    assert revisions.accept("lid", first) == first + 1


def test_of_agents_who_change_a_part_at_once_exactly_one_wins(
    world: AgentWorld, session: Session, placed: dict[str, Any]
) -> None:
    begun, free = threading.Event(), threading.Event()

    def occupy() -> None:
        begun.set()
        assert free.wait(LIMIT)

    occupied = session.submit(occupy)  # all of them have been checked before the first has its turn
    assert begun.wait(LIMIT)
    outcomes: list[Any] = []

    def change(size: int) -> None:
        arguments = {"node_id": "lid", "name": "h", "value": size, "expected_revision": placed["revision"]}
        outcomes.append(call_tool(world, "vcad_set_parameter", arguments, agent=f"agent {size}"))

    threads = [threading.Thread(target=change, args=(size,)) for size in range(10, 16)]
    for thread in threads:
        thread.start()
    free.set()
    occupied.result(LIMIT)
    for thread in threads:
        thread.join(LIMIT)
    won = [one for one in outcomes if one.success]
    assert len(won) == 1
    assert {one.body["error_code"] for one in outcomes if not one.success} == {"REVISION_CONFLICT"}
    assert session["lid"].volume == pytest.approx(won[0].body["volume"])
    assert session.revision("lid") == won[0].body["revision"]


def test_an_answer_has_the_revision_and_figures_of_its_own_change(
    world: AgentWorld, session: Session, placed: dict[str, Any]
) -> None:
    """Whoever changed the part in between, nobody is told another's revision as their own."""
    outcomes: dict[int, Any] = {}

    def change(size: int) -> None:
        outcomes[size] = call_tool(
            world, "vcad_set_parameter", {"node_id": "lid", "name": "h", "value": size}, agent=f"agent {size}"
        )

    threads = [threading.Thread(target=change, args=(size,)) for size in range(10, 16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    done = {size: one.body for size, one in outcomes.items() if one.success}
    assert done
    for size, body in done.items():
        if not body["stale_dropped"]:
            assert body["volume"] == pytest.approx(100 * size)
    revisions = [body["revision"] for body in done.values() if not body["stale_dropped"]]
    assert len(set(revisions)) == len(revisions)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("vcad_place", {"node_id": "lid", "position": [1, 2, 3]}),
        ("vcad_place", {"node_id": "lid", "source_file": "lid.cmp.oo"}),
        ("vcad_update", {"node_id": "lid"}),
        ("vcad_update_cascade", {"node_id": "lid"}),
        ("vcad_update_cascade", {"node_ids": ["lid"]}),
        ("vcad_set_parameter", {"node_id": "lid", "name": "h", "value": 9}),
        ("vcad_remove", {"node_id": "lid"}),
        ("vcad_export", {"source": "lid", "format": "stl"}),
        ("vcad_export", {"source": "lid.cmp.oo", "format": "stl"}),
    ],
)
def test_a_stale_number_is_refused_before_anybody_is_asked(
    world: AgentWorld, session: Session, placed: dict[str, Any], tool: str, arguments: dict[str, Any]
) -> None:
    before = (session["lid"].volume, session.standing)
    stale = placed["revision"] + 7
    body = call_tool(world, tool, {**arguments, "expected_revision": stale}, agent="a").body
    assert body["error_code"] == "REVISION_CONFLICT"
    told = {"node_id": "lid", "expected": stale, "current": placed["revision"], "operation": tool}
    assert body["details"] | told == body["details"]
    assert body["details"]["fix"].startswith("vcad_node shows what it is now")
    assert (session["lid"].volume, session.standing) == before
    assert session.approvals().open_asks() == ()


def test_a_file_is_bound_to_the_node_that_is_made_from_it(
    world: AgentWorld, placed: dict[str, Any], writes: list[str]
) -> None:
    stale = call_tool(world, "writes", {"path": "lid.cmp.oo", "expected_revision": 9}, agent="a").body
    assert (stale["error_code"], stale["details"]["node_id"]) == ("REVISION_CONFLICT", "lid")
    right = {"path": "lid.cmp.oo", "expected_revision": placed["revision"]}
    assert call_tool(world, "writes", right, agent="a").success
    assert writes == ["lid.cmp.oo"]


def test_a_file_of_no_node_is_bound_to_the_project(
    world: AgentWorld, placed: dict[str, Any], writes: list[str]
) -> None:
    current = world.model_revision
    stale = call_tool(world, "writes", {"path": "other.oo", "expected_revision": current + 1}, agent="a").body
    assert stale["details"] | {"node_id": None, "current": current} == stale["details"]
    assert stale["details"]["fix"].startswith("session_info says what it is now")
    assert writes == []
    right = {"path": "other.oo", "expected_revision": current}
    assert call_tool(world, "writes", right, agent="a").success


def test_the_saved_revision_is_read_while_the_session_is_busy(
    world: AgentWorld, session: Session, placed: dict[str, Any], workspace: Path
) -> None:
    current, free = world.model_revision, threading.Event()
    occupied = session.submit(lambda: free.wait(LIMIT))
    call = Call(world, "a", "r-1", tool="vcad_update")
    assert saved_revision(call) == current > 0
    free.set()
    assert occupied.result(LIMIT)
    (workspace / "design_model.json").write_text("[not json")
    assert saved_revision(call) == 0


def test_a_failed_change_says_which_revision_the_node_has_then(
    world: AgentWorld, placed: dict[str, Any], workspace: Path
) -> None:
    """Its number was given out; the next change must be bound to that."""
    (workspace / "lid.cmp.oo").write_text("[cube 1 2")
    body = call_tool(world, "vcad_update", {"node_id": "lid"}, agent="a").body
    assert body["error_code"] == "LOON_SYNTAX"
    assert body["details"]["file"] == "lid.cmp.oo"
    (workspace / "lid.cmp.oo").write_text(LID)
    bound = {"node_id": "lid", "expected_revision": body["details"]["revision"]}
    assert call_tool(world, "vcad_update", bound, agent="a").success


def test_a_bound_change_that_is_overtaken_before_its_turn_is_refused(
    world: AgentWorld, session: Session, placed: dict[str, Any]
) -> None:
    """Accepted first, but another had its turn before: it must not come out on top under a later number."""

    def out_of_order(linked: Any) -> int:
        bound = linked.nodes.accept("lid", placed["revision"])
        other = linked.nodes.accept("lid")
        other.begin()
        with pytest.raises(ServiceFailure) as refused:
            bound.begin()
        assert refused.value.error_code == "REVISION_CONFLICT"
        current = refused.value.details["current"]
        assert isinstance(current, int)
        return current

    assert session.on_project(out_of_order) == session.revision("lid") == placed["revision"] + 2
