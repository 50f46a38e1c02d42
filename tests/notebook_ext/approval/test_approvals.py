"""A call before it is done: allowed, asked for, denied, timed out, and never both or neither."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.agents.calls.call import Preview, Tool
from notebook_ext.approval.approvals import Approvals
from notebook_ext.approval.asks import Ask
from notebook_ext.approval.deciding import Decision
from tests.notebook_ext.approval.tools import LONG, Person, Records, approvals, tool
from vcad_kernel.errors import Cancelled, ErrorCode, ServiceFailure

SCRIPT = {"script": "ls"}


def decided(
    there: Approvals,
    one: Tool,
    arguments: dict[str, str] | None = None,
    *,
    revision: int | Callable[[], int] = 1,
    tick: Callable[[str], object] | None = None,
    preview: Preview | None = None,
    connection: str | None = None,
) -> Decision:
    given = SCRIPT if arguments is None else arguments
    return there.decide(
        one,
        given,
        agent="robot",
        connection=connection,
        request_id="r-1",
        model_revision=revision,
        tick=tick,
        preview=preview,
    )


def failure(decision: Decision) -> ServiceFailure:
    error = decision.error
    assert isinstance(error, ServiceFailure)
    assert set(ErrorCode(error.error_code).required) <= set(error.details)
    return error


def test_reading_asks_nobody(tmp_path: Path) -> None:
    decision = decided(approvals(tmp_path), tool("R"))
    assert (decision.allowed, decision.how, decision.arguments) == (True, "allow", SCRIPT)


def test_an_approved_call_is_done_as_given(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    person = Person(there, {"approved": True})
    seen = Preview(diff="+ a", objects=("wall",), summary="runs ls")
    decision = decided(there, tool("X"), preview=seen)
    assert (decision.allowed, decision.how, decision.changed) == (True, "approved", ())
    asked = person.asked[0].to_json()
    assert (asked["tool"], asked["risk"], asked["agent"]) == ("do_it", "X", "robot")
    assert (asked["diff"], asked["objects"], asked["summary"]) == ("+ a", ["wall"], "runs ls")
    assert (asked["arguments"], asked["call_id"], asked["remember_offered"]) == (SCRIPT, "r-1", False)
    assert there.open_asks() == ()


def test_edited_arguments_are_what_is_done_and_the_change_is_told(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    Person(there, {"approved": True, "edited_args": {"script": "ls -l"}})
    decision = decided(there, tool("X"))
    assert decision.arguments == {"script": "ls -l"}
    assert (decision.how, decision.changed) == ("approved with edits", ("script",))


def test_edited_arguments_that_the_tool_refuses_leave_the_question_open(tmp_path: Path) -> None:
    there = approvals(tmp_path)

    def wrong_then_right(ask: Ask) -> None:
        for edited, wrong in (({"nonsense": 1}, "no such argument"), ({"script": "\ud800"}, "Unicode text")):
            with pytest.raises(ServiceFailure, match=wrong) as refused:
                there.respond(ask.request_id, {"approved": True, "edited_args": edited})
            assert refused.value.error_code == ErrorCode.SCHEMA_VALIDATION_FAILED
        for malformed in ({}, {"approved": 1}, {"approved": True, "remember": "for ever"}):
            with pytest.raises(ServiceFailure):
                there.respond(ask.request_id, malformed)
        assert there.respond(ask.request_id, {"approved": True})

    Person(there, wrong_then_right)
    assert decided(there, tool("X")).how == "approved"


def test_a_no_comes_with_its_reason(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    Person(there, {"approved": False, "reason": "not that folder", "edited_args": {"script": "pwd"}})
    error = failure(decided(there, tool("X")))
    assert error.error_code == ErrorCode.APPROVAL_DENIED
    assert "not that folder" in error.message
    assert error.details["reason"] == "not that folder"
    assert error.details["changed_arguments"] == {"script": "pwd"}


def test_time_says_no(tmp_path: Path) -> None:
    there = approvals(tmp_path, ask=0.05)
    Person(there, lambda ask: None)
    error = failure(decided(there, tool("X")))
    assert error.error_code == ErrorCode.APPROVAL_TIMEOUT
    assert there.open_asks() == ()


def test_nobody_looking_is_no_and_is_said_at_once(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    heard: list[str] = []
    there.on_change(lambda event, ask: heard.append(event))
    error = failure(decided(there, tool("X")))
    assert error.error_code == ErrorCode.APPROVAL_REQUIRED
    assert {"request_id", "how"} <= set(error.details)
    assert heard == []


def test_an_approver_that_goes_away_is_soon_nobody(tmp_path: Path) -> None:
    seconds = count()  # one passes at each look at the clock
    there = Approvals(workspace=lambda: tmp_path, clock=lambda: float(next(seconds)))
    there.attend("terminal")
    assert failure(decided(there, tool("X"))).error_code == ErrorCode.APPROVAL_REQUIRED


def test_a_closed_network_is_told_with_what_opens_it(tmp_path: Path) -> None:
    error = failure(decided(approvals(tmp_path), tool("X", pack="web")))
    assert error.error_code == ErrorCode.APPROVAL_DENIED
    assert "policy.network" in str(error.fix)


def test_a_yes_holds_for_the_same_call_and_model_for_a_while(tmp_path: Path) -> None:
    now = [0.0]
    there = Approvals(workspace=lambda: tmp_path, clock=lambda: now[0])
    person = Person(there, {"approved": True, "edited_args": {"script": "ls -l"}}, *[{"approved": True}] * 3)
    decided(there, tool("D"))
    again = decided(there, tool("D"))
    assert (again.how, again.arguments, again.changed) == (
        "approved before",
        {"script": "ls -l"},
        ("script",),
    )
    assert decided(there, tool("D"), {"script": "ls -l"}).how == "approved before"
    assert len(person.asked) == 1
    assert decided(there, tool("D"), {"script": "rm"}).how == "approved"
    assert decided(there, tool("D"), revision=2).how == "approved"
    now[0] += 601
    there.attend("person")
    assert decided(there, tool("D")).how == "approved"
    assert len(person.asked) == 4


def test_what_runs_needs_a_yes_each_time(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    person = Person(there, {"approved": True}, {"approved": False})
    assert decided(there, tool("X")).allowed
    assert not decided(there, tool("X")).allowed
    assert len(person.asked) == 2


def test_what_has_been_done_with_a_yes_is_asked_for_again(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    person = Person(there, {"approved": True}, {"approved": False})
    decision = decided(there, tool("D"))
    there.done(decision)
    assert not decided(there, tool("D")).allowed
    assert len(person.asked) == 2


def test_a_yes_with_edits_is_for_what_stood_there_then(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    edited = {"script": "ls -l"}
    person = Person(there, {"approved": True, "edited_args": edited}, {"approved": False})
    standing = ["as it was"]

    def effect(arguments: Mapping[str, Any]) -> Preview:
        return Preview(diff=f"-{standing[0]}\n+{arguments['script']}")

    call: dict[str, Any] = {"agent": "robot", "request_id": "r-1", "preview": effect}
    assert there.decide(tool("D"), SCRIPT, **call).arguments == edited
    standing[0] = "what the person wrote meanwhile"
    assert not there.decide(tool("D"), edited, **call).allowed
    assert len(person.asked) == 2


def test_a_model_that_changed_meanwhile_is_asked_for_again(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    revision = [1]

    def approved_too_late(ask: Ask) -> None:
        revision[0] = 2
        assert there.respond(ask.request_id, {"approved": True})

    person = Person(there, approved_too_late, {"approved": False})
    assert not decided(there, tool("D"), {}, revision=lambda: revision[0]).allowed
    assert "changed" in person.asked[1].question.note


def test_always_means_this_tool_of_this_agent(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    person = Person(there, {"approved": True, "remember": "session"})
    assert decided(there, tool("D"), {}, connection="c").how == "approved"
    assert person.asked[0].question.remember_offered
    assert decided(there, tool("D"), {"script": "other"}, revision=9, connection="c").how == "remembered"


def test_always_is_not_taken_for_what_runs_code(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    person = Person(there, {"approved": True, "remember": "session"}, {"approved": False})
    decided(there, tool("X"))
    assert not decided(there, tool("X"), {"script": "other"}).allowed
    assert len(person.asked) == 2


def test_exactly_one_answer_wins(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    won: list[bool] = []

    def all_at_once(ask: Ask) -> None:
        begin = threading.Barrier(8)

        def answer(number: int) -> bool:
            begin.wait(LONG)
            return there.respond(ask.request_id, {"approved": number % 2 == 0, "reason": str(number)})

        with ThreadPoolExecutor(8) as pool:
            won.extend(pool.map(answer, range(8)))

    Person(there, all_at_once)
    decided(there, tool("X"))
    assert won.count(True) == 1
    assert not there.respond("unknown", {"approved": True})


def test_a_client_that_goes_away_takes_its_question_back(tmp_path: Path) -> None:
    there = approvals(tmp_path, progress=0.0)
    heard: list[str] = []
    there.on_change(lambda event, ask: heard.append(event))
    Person(there, lambda ask: None)
    said: list[str] = []

    def gone(text: str) -> None:
        said.append(text)
        raise Cancelled("the client gave up")

    with pytest.raises(Cancelled):
        decided(there, tool("X"), tick=gone)
    assert heard == ["ask_received", "ask_cancelled"]
    assert "do_it" in said[0]
    assert there.open_asks() == ()


def test_a_call_that_is_cancelled_is_not_waited_for(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    cancelled = threading.Event()
    Person(there, lambda ask: cancelled.set())
    with pytest.raises(Cancelled):
        there.decide(tool("X"), SCRIPT, agent="robot", request_id="r-1", cancelled=cancelled)
    assert there.open_asks() == ()


def test_over_mcp_less_time_is_given(tmp_path: Path) -> None:
    there = Approvals(workspace=lambda: tmp_path)
    person = Person(there, {"approved": True}, {"approved": False})
    decided(there, tool("X"))
    decided(there, tool("X"), {"script": "pwd"}, tick=lambda text: None)
    assert [round(ask.timeout_s) for ask in person.asked] == [60, 45]


def test_the_end_of_the_session_answers_no_to_all_that_wait_and_come(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    waiting = threading.Barrier(4)
    Person(there, *[lambda ask: waiting.wait(LONG)] * 3)
    with ThreadPoolExecutor(3) as pool:
        calls = [pool.submit(decided, there, tool("X"), {"script": str(one)}) for one in range(3)]
        waiting.wait(LONG)
        there.close()
        errors = [failure(call.result(LONG)) for call in calls]
    assert {error.details["reason"] for error in errors} == {"session ended"}
    there.attend("person")
    assert failure(decided(there, tool("X"))).details["reason"] == "session ended"
    assert there.ask("question", "still there?") == {"approved": False, "reason": "session ended"}


def test_any_question_can_be_asked_and_taken_back(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    Person(there, {"colour": "red"}, lambda ask: there.cancel(ask.request_id), lambda ask: None)
    assert there.ask("question", "which colour?", {"of": "wall"}) == {"colour": "red"}
    assert there.ask("question", "which colour?") is None
    assert there.ask("question", "which colour?", timeout_s=0.05) is None


def test_questions_and_answers_are_written_down_without_the_arguments(tmp_path: Path) -> None:
    records = Records()
    there = Approvals(workspace=lambda: tmp_path, record=records)
    Person(there, {"approved": True, "edited_args": {"script": "echo secret"}})
    decided(there, tool("X"))
    (asked, before), (answered, after) = records
    assert (asked, answered) == ("approval_asked", "approval_answered")
    assert (after["by"], after["answer"], after["agent"]) == ("test", "approved with edits", "robot")
    assert before["arguments_hash"] == after["arguments_hash"] != after["arguments_hash_after"]
    assert "user" in after
    assert "secret" not in repr(records)


def test_a_listener_that_fails_loses_no_answer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    there = approvals(tmp_path)

    def broken(event: str, ask: Ask) -> None:
        raise RuntimeError("mine")

    there.on_change(broken)
    Person(there, {"approved": True})
    assert decided(there, tool("X")).allowed
    assert "a listener failed" in caplog.text


def test_writing_elsewhere_is_read_from_the_preview(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    Person(there, {"approved": False})
    own = Preview(paths=(str(tmp_path / "plate.loon"),))
    other = Preview(paths=(str(tmp_path / "setup.py"),))
    assert decided(there, tool("W", preview=own), {}, preview=own).how == "allow"
    assert not decided(there, tool("W", preview=other), {}, preview=other).allowed


def test_a_yes_is_for_the_agent_that_asked(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    person = Person(there, {"approved": True}, {"approved": False})
    assert there.decide(tool("X"), SCRIPT, agent="one", request_id="r-1").allowed
    assert not there.decide(tool("X"), SCRIPT, agent="other", request_id="r-2").allowed
    assert [ask.question.agent for ask in person.asked] == ["one", "other"]


def test_a_yes_is_for_what_was_shown(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    going = ["wall"]

    def list_of_what_goes(_: object) -> Preview:
        return Preview(objects=tuple(going))

    def approved_while_more_is_drawn(ask: Ask) -> None:
        going.append("drawn by hand")
        assert there.respond(ask.request_id, {"approved": True})

    person = Person(there, approved_while_more_is_drawn, {"approved": True}, {"approved": False})
    clean = tool("D", preview=list_of_what_goes({}))
    call: dict[str, Any] = {"agent": "robot", "request_id": "r-1", "preview": list_of_what_goes}
    assert there.decide(clean, {"clean": "full"}, **call).allowed
    assert [ask.question.objects for ask in person.asked] == [("wall",), ("wall", "drawn by hand")]
    assert "not what was approved" in person.asked[1].question.note
    assert there.decide(clean, {"clean": "full"}, **call).how == "approved before"
    going.append("and more")
    assert not there.decide(clean, {"clean": "full"}, **call).allowed


def test_repeating_a_write_that_is_done_asks_nobody(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    Person(there, {"approved": True}, {"approved": False})
    diff = ["+new"]

    def change(_: object) -> Preview:
        return Preview(diff=diff[0], paths=(str(tmp_path / "notes.md"),))

    call: dict[str, Any] = {"agent": "robot", "request_id": "r-1", "preview": change}
    assert there.decide(tool("W", preview=change({})), {"path": "notes.md"}, **call).allowed
    diff[0] = ""
    assert there.decide(tool("W", preview=change({})), {"path": "notes.md"}, **call).how == "approved before"
    diff[0] = "-what a person wrote meanwhile"
    assert not there.decide(tool("W", preview=change({})), {"path": "notes.md"}, **call).allowed


def test_a_change_of_the_policy_ends_what_was_approved_before(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    person = Person(there, {"approved": True}, {"approved": False})
    assert decided(there, tool("X")).allowed
    there.policy.set("W", "ask")
    assert not decided(there, tool("X")).allowed
    assert len(person.asked) == 2


def test_nobody_edits_a_call_into_what_the_policy_forbids(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    there.policy.set("D", "deny")
    there.policy.set("W", "ask")

    def effect(arguments: Mapping[str, Any]) -> Preview:
        return Preview(takes_away=("all",) if arguments.get("clean") else ())

    Person(there, {"approved": True, "edited_args": {"clean": "full"}})
    decision = there.decide(tool("W"), {}, agent="robot", request_id="r-1", preview=effect)
    assert failure(decision).error_code == ErrorCode.APPROVAL_DENIED


def test_always_holds_for_neither_side_of_an_edit_that_may_not_be_remembered(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    answer = {"approved": True, "remember": "session", "edited_args": {"clean": "full"}}
    Person(there, answer, {"approved": False})
    assert decided(there, tool("D"), {"clean": "managed"}, connection="c").allowed
    assert there.policy.remembered == ()
    assert not decided(there, tool("D"), {"clean": "all of it"}, connection="c").allowed


def test_a_flood_of_calls_is_not_put_to_the_person(tmp_path: Path) -> None:
    there = approvals(tmp_path, waiting=2)
    waiting = threading.Barrier(3)
    Person(there, *[lambda ask: waiting.wait(LONG)] * 2)
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(decided, there, tool("X"), {"script": str(one)}) for one in range(2)]
        waiting.wait(LONG)
        error = failure(decided(there, tool("X"), {"script": "one more"}))
        there.close()
        assert all(failure(call.result(LONG)) for call in calls)
    assert error.error_code == ErrorCode.APPROVAL_REQUIRED
    assert "2 calls wait" in error.message


def test_what_could_not_be_asked_is_written_down_as_well(tmp_path: Path) -> None:
    records = Records()
    there = Approvals(workspace=lambda: tmp_path, record=records)
    decided(there, tool("X"))
    assert [event for event, _ in records] == ["approval_asked", "approval_answered"]
    assert records[1][1]["answer"] == "nobody looking"
    assert records[0][1]["arguments_hash"] == records[1][1]["arguments_hash"]


def test_any_question_is_written_down_with_its_answer(tmp_path: Path) -> None:
    records = Records()
    there = Approvals(workspace=lambda: tmp_path, record=records)
    Person(there, {"colour": "secret"})
    there.ask("question", "which colour?", {"of": "secret"})
    (asked, first), (answered, second) = records
    assert (asked, answered) == ("approval_asked", "approval_answered")
    assert (second["answer"], second["by"], second["kind"]) == ("answered", "test", "question")
    assert first["arguments_hash"] != second["arguments_hash_after"]
    assert "secret" not in repr(records)


def test_a_summary_commands_no_terminal(tmp_path: Path) -> None:
    there = approvals(tmp_path)
    seen: list[str] = []

    def look(ask: Ask) -> None:
        seen.append(repr(there))
        there.respond(ask.request_id, {"approved": False})

    Person(there, look)
    decided(there, tool("X"), preview=Preview(summary="fine\x1b[2J\u202e\nApprovals: nothing waits"))
    assert "\x1b" not in seen[0]
    assert "\u202e" not in seen[0]
    assert len(seen[0].splitlines()) == 2


@pytest.mark.parametrize("program", [True, False])
def test_an_interrupt_before_anybody_waits_takes_the_question_back(tmp_path: Path, program: bool) -> None:
    there = approvals(tmp_path)
    heard: list[str] = []
    there.attend("person")
    there.on_change(lambda event, ask: heard.append(event))

    def interrupted(ask: Ask, each: Callable[[float], object]) -> None:
        raise KeyboardInterrupt

    there._shown_while = interrupted  # type: ignore[method-assign]
    there._decider._wait = interrupted
    with pytest.raises(KeyboardInterrupt):
        there.ask("question", "which?") if program else decided(there, tool("X"))
    assert there.open_asks() == ()
    assert heard == ["ask_received", "ask_cancelled"]
