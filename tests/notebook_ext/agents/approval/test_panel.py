"""The buttons of a question, and what may not become HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from notebook_ext.agents.approval.asks import Ask, Asks, Question
from notebook_ext.agents.approval.panel import AskPanel
from notebook_ext.agents.approval.policy import Policy
from notebook_ext.agents.approval.side_panel import SidePanel
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


def test_the_side_panel_counts_and_changes_the_policy() -> None:
    policy = Policy()
    side = SidePanel(policy)
    shown = Shown()
    side.show([shown.panel.widget])
    assert "1 waiting" in side.widget.children[0].value
    controls = {one.description: one for one in _all(side.widget) if hasattr(one, "description")}
    controls["destroy"].value = "deny"
    controls["network"].value = "ask"
    controls["ask before every change"].value = True
    assert (policy.of("D"), policy.network, policy.step_mode) == ("deny", "ask", True)
    side.close()
    assert shown.panel.widget.comm is not None
    shown.panel.close()
