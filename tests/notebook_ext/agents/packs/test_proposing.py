"""A proposal: nothing changes before the person takes it, and what is taken is what the person saw."""

from __future__ import annotations

from typing import Any

import pytest

from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.world import AgentWorld
from notebook_ext.approval.asks import Ask
from tests.notebook_ext.approval.tools import Person
from tests.notebook_ext.viewer.relay.conftest import Viewer

BEFORE = "; a plate with a hole\n[difference [cylinder 4 5] [cube 40 20 5]]\n"
AFTER = "; a plate with a hole\n[difference [cylinder 4 6] [cube 40 20 6]]\n"


@pytest.fixture
def placed(world: AgentWorld) -> AgentWorld:
    (world.workspace / "plate.oo").write_text(BEFORE)
    body = call_tool(world, "vcad_place", {"node_id": "plate", "source_file": "plate.oo"}, agent="a").body
    assert body["success"], body
    return world


def proposed(world: AgentWorld, content: str = AFTER, why: str = "5 mm bend too much") -> dict[str, Any]:
    arguments = {"node_id": "plate", "content": content, "why": why}
    return call_tool(world, "vcad_propose", arguments, agent="a").body


def text(world: AgentWorld) -> str:
    return (world.workspace / "plate.oo").read_text()


def test_what_the_person_takes_is_written_and_the_part_follows(placed: AgentWorld) -> None:
    seen: list[Any] = []

    def look(ask: Ask) -> None:
        question = ask.question
        assert text(placed) == BEFORE
        assert question.picture is not None
        seen.extend([question, question.picture(), placed.session["plate"].volume])
        assert placed.approvals.respond(ask.request_id, {"approved": True}, "test")

    Person(placed.approvals, look)
    body = proposed(placed)
    assert body["success"], body
    question, picture, volume = seen
    assert question.is_proposal
    assert question.summary.splitlines()[0] == "5 mm bend too much"
    assert "40 × 20 × 5 → 40 × 20 × 6 mm" in question.summary
    assert "+[difference [cylinder 4 6] [cube 40 20 6]]" in question.diff
    assert picture.startswith(b"\x89PNG")
    assert volume == pytest.approx(body["before"])
    assert text(placed) == AFTER
    assert placed.session["plate"].volume == pytest.approx(body["volume"])
    assert body["where"] == "plate.oo"


def test_it_may_be_taken_with_edits(placed: AgentWorld) -> None:
    edited = AFTER.replace("20 6", "20 7").replace("4 6", "4 7")
    arguments = {"node_id": "plate", "content": edited, "why": "5 mm bend too much"}
    Person(placed.approvals, {"approved": True, "edited_args": arguments})
    body = proposed(placed)
    assert body["changed_arguments"] == {"content": edited}
    assert text(placed) == edited
    bounds = placed.session["plate"].figures.bounds
    assert bounds is not None
    assert bounds[1][2] == pytest.approx(7)


def test_what_is_not_taken_changes_nothing(placed: AgentWorld) -> None:
    Person(placed.approvals, {"approved": False, "reason": "the holes must stay"})
    body = proposed(placed)
    assert (body["error_code"], body["details"]["reason"]) == ("APPROVAL_DENIED", "the holes must stay")
    assert text(placed) == BEFORE


def test_nobody_is_asked_about_what_cannot_be_built(placed: AgentWorld) -> None:
    person = Person(placed.approvals)
    assert proposed(placed, "[fillet 9 [cube 2 2 2]]")["error_code"].startswith("GEOMETRY")
    assert proposed(placed, "[cube 1 1")["error_code"] == "LOON_SYNTAX"
    assert person.asked == []


def test_a_proposal_is_a_question_whatever_the_table_allows(placed: AgentWorld) -> None:
    placed.approvals.policy.set("W", "allow")
    assert proposed(placed)["error_code"] == "APPROVAL_REQUIRED"
    assert text(placed) == BEFORE


def test_a_part_of_a_cell_needs_a_page_that_shows_it(world: AgentWorld) -> None:
    world.session.evaluate(BEFORE, name="plate")
    assert proposed(world)["error_code"] == "CAPABILITY_UNAVAILABLE"


def test_viewers_show_a_proposal_as_a_ghost_until_it_is_answered(placed: AgentWorld) -> None:
    viewer = Viewer(placed.session.viewers)
    viewer.ready(features=["proposal"])
    seen: list[Any] = []

    def look(ask: Ask) -> None:
        seen.append(viewer.awaited("proposal"))
        late = Viewer(placed.session.viewers, "late")
        late.ready(features=["proposal"])
        seen.append(late.awaited("proposal"))
        assert placed.approvals.respond(ask.request_id, {"approved": False}, "test")

    Person(placed.approvals, look)
    assert proposed(placed)["error_code"] == "APPROVAL_DENIED"
    ghost, again = seen
    assert (ghost["node_id"], ghost["why"]) == ("plate", "5 mm bend too much")
    assert ghost["parts"] == ["added", "unchanged"]
    assert [one["name"] for one in ghost["buffers"]][:2] == ["added.positions", "added.normals"]
    assert "40 × 20 × 5 mm" in ghost["figures"]["old"]
    assert "40 × 20 × 6 mm" in ghost["figures"]["new"]
    assert again["proposal_id"] == ghost["proposal_id"]
    assert viewer.awaited("proposal.remove")["proposal_id"] == ghost["proposal_id"]
    assert not list(placed.session.viewers.overlays.standing())
