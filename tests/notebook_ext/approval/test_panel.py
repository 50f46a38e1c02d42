"""The buttons of a question, and what may not become HTML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from notebook_ext.approval.asks import Ask, Asks, Question
from notebook_ext.approval.panel.panel import AskPanel
from notebook_ext.approval.panel.question_html import effects
from notebook_ext.approval.panel.side_panel import SidePanel
from notebook_ext.approval.policy import Caller, Policy
from tests.notebook_ext.approval.tools import tool
from vcad_kernel.errors import ErrorCode, ServiceFailure

NASTY = "<img src=x onerror=alert(1)>"


class Shown:
    """A panel, and what was answered on it."""

    def __init__(self, *, remember: bool = False, arguments: Mapping[str, Any] | None = None) -> None:
        question = Question(
            kind="approval",
            summary=NASTY,
            tool="do_it",
            risk="D",
            agent=NASTY,
            arguments={"script": "ls"} if arguments is None else arguments,
            diff=f"+{NASTY}",
            objects=(NASTY,),
            note=NASTY,
            remember_offered=remember,
            check=lambda edited: None,
        )
        self.ask: Ask = Asks().open(question, 60.0)
        self.answers: list[Mapping[str, Any]] = []
        self.refusal: ServiceFailure | None = None
        self.panel = AskPanel(self.ask, self._respond)
        self.widgets = list(_all(self.panel.widget))

    def _respond(self, response: Mapping[str, Any]) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.answers.append(response)

    def press(self, text: str) -> None:
        (button,) = (one for one in self.widgets if getattr(one, "description", "") == text)
        button.click()

    def of(self, kind: str) -> Any:
        (one,) = (one for one in self.widgets if type(one).__name__ == kind)
        return one

    @property
    def html(self) -> str:
        return "".join(one.value for one in self.widgets if type(one).__name__ == "HTML")


def _all(widget: Any) -> Iterator[Any]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from _all(child)


def test_each_button_gives_its_answer() -> None:
    shown = Shown(remember=True)
    shown.press("Approve")
    shown.press("Always for this tool in this session")
    shown.press("Reject")
    shown.of("Text").value = "not now"
    shown.press("Reject")
    assert shown.answers == [
        {"approved": True},
        {"approved": True, "remember": "session"},
        {"approved": False},
        {"approved": False, "reason": "not now"},
    ]
    assert shown.ask.seen.is_set()
    shown.panel.close()


def test_changed_arguments_are_approved_only_as_edits() -> None:
    shown = Shown()
    text = shown.of("Textarea")
    for wrong in ('{"script": ', '{"script": "pwd"}'):
        text.value = wrong
        shown.press("Approve")
    assert shown.answers == []
    assert "approve with edits" in shown.html
    text.value = '{"script": '
    shown.press("Approve with edits")
    assert "no JSON" in shown.html
    text.value = '{"script": "pwd"}'
    shown.press("Approve with edits")
    assert shown.answers == [{"approved": True, "edited_args": {"script": "pwd"}}]
    shown.panel.close()


def test_an_answer_that_is_refused_is_told_on_the_panel() -> None:
    shown = Shown()
    shown.refusal = ServiceFailure(
        ErrorCode.SCHEMA_VALIDATION_FAILED,
        "script: must be text",
        details={"path": "script", "expected": "text", "operation": "do_it"},
    )
    shown.press("Approve")
    assert "script: must be text" in shown.html
    shown.panel.close()


def test_nothing_of_an_agent_is_html() -> None:
    shown = Shown()
    assert NASTY not in shown.html
    assert shown.html.count("&lt;img") >= 4
    shown.panel.close()


def test_always_is_offered_only_where_it_is_allowed() -> None:
    shown = Shown(remember=False)
    with pytest.raises(ValueError, match="not enough values"):
        shown.press("Always for this tool in this session")
    shown.panel.close()


def test_it_is_seen_once_a_browser_plays_along() -> None:
    shown = Shown()
    shown.panel.tick(59.2)
    assert "60 s left" in shown.html
    assert not shown.ask.seen.is_set()
    assert shown.of("Play").playing
    shown.of("Play").value = 1
    assert shown.ask.seen.is_set()
    shown.panel.close()
    shown.panel.tick(1.0)
    shown.panel.close()


def controls(side: SidePanel) -> dict[str, Any]:
    return {one.tooltip or one.description: one for one in _all(side.widget) if hasattr(one, "description")}


def test_the_side_panel_counts_and_changes_the_policy() -> None:
    policy = Policy()
    side = SidePanel(policy)
    shown = Shown()
    side.show([shown.panel.widget])
    assert ">1</span> waiting" in side.widget.children[0].value
    of = controls(side)
    of["destroy, all agents"].value = "deny"
    of["network, all agents"].value = "ask"
    of["ask before every change"].value = True
    assert (policy.of("D"), policy.network, policy.step_mode) == ("deny", "ask", True)
    side.close()
    assert shown.panel.widget.comm is not None
    shown.panel.close()


def test_the_side_panel_follows_the_policy_and_has_a_row_for_each_agent() -> None:
    policy = Policy()
    side = SidePanel(policy)
    policy.set("D", "deny")
    policy.network = "ask"
    policy.step_mode = True
    policy.met(f"robot {NASTY}\u202e")
    of = controls(side)
    assert of["destroy, all agents"].value == "deny"
    assert of["network, all agents"].value == "ask"
    assert of["ask before every change"].value is True
    (own,) = (one for name, one in of.items() if name.startswith("destroy, robot"))
    assert own.value == "as all"
    own.value = "ask"
    assert policy.of("D", f"robot {NASTY}\u202e") == "ask"
    assert policy.of("D") == "deny"
    own.value = "as all"
    assert policy.of("D", f"robot {NASTY}\u202e") == "deny"
    html = "".join(one.value for one in _all(side.widget) if type(one).__name__ == "HTML")
    assert NASTY not in html
    assert "\u202e" not in html
    side.close()
    policy.network = "deny"


def test_what_is_not_asked_again_is_shown_and_taken_back() -> None:
    policy = Policy()
    side = SidePanel(policy)
    policy.remember(tool("D"), {}, Caller("robot", "its own"))
    assert "do_it of robot" in "".join(one.value for one in _all(side.widget) if type(one).__name__ == "HTML")
    controls(side)["Ask again for all that was approved for this session"].click()
    assert policy.remembered == ()
    side.close()


def test_code_stands_line_by_line_and_nothing_in_it_hides() -> None:
    hidden = "ls \u202e\u200b\x1b[2J"
    shown = Shown(
        arguments={"script": "cd x\nls\n", "env": {"A": hidden}, "other": f"a\n{hidden}", "win": "a\r\nb"}
    )
    areas = [one for one in shown.widgets if type(one).__name__ == "Textarea"]
    assert [area.description for area in areas] == ["script, 2 lines", "other arguments of do_it"]
    assert areas[0].value == "cd x\nls\n"
    assert json.loads(areas[1].value) == {"env": {"A": hidden}, "other": f"a\n{hidden}", "win": "a\r\nb"}
    assert "\\u202e\\u200b\\u001b" in areas[1].value
    areas[0].value = "cd x\nls -l\n"
    shown.press("Approve")
    shown.press("Approve with edits")
    (answer,) = shown.answers
    assert answer["edited_args"] == {
        "script": "cd x\nls -l\n",
        "env": {"A": hidden},
        "other": f"a\n{hidden}",
        "win": "a\r\nb",
    }
    shown.panel.close()


def test_a_picture_is_added_when_it_is_drawn() -> None:
    shown = Shown()
    shown.panel.show_picture(b"\x89PNG")
    assert 'alt="the geometry it is about" src="data:image/png;base64,iVBORw==' in shown.html
    shown.panel.close()
    shown.panel.show_picture(b"late")


def test_code_is_shown_once() -> None:
    script = "cd x\nls\n"
    for arguments, times in (({"script": script}, 0), ({"file": "a.rb"}, 1)):
        asked = Question(kind="approval", summary="", tool="t", arguments=arguments, code=script)
        assert effects(asked).count("cd x") == times
