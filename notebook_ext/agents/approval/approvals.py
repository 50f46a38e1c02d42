"""A person's yes and no: what an agent's call needs before it may be done, decided here and nowhere else.

    decision = approvals.decide(tool, arguments, agent="claude", request_id="r-…", model_revision=lambda: 3)
    approvals                                  # in a notebook: the panel with all that waits, and the policy
    approvals.policy.set("W", "ask")

A call that the policy wants asked waits on its own thread until somebody answers: the panel below the running
cell, `vcad approve --watch`, the hook API, or time, which says no. Nobody looking is never a yes. Widgets are
imported with the first question in a kernel. Call `decide` and `ask` on any thread but the session's own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebook_ext.agents.approval.asks import Answer, Ask, Asks, Listener, Question
from notebook_ext.agents.approval.attendance import Attendance
from notebook_ext.agents.approval.decision import Decision, Limits
from notebook_ext.agents.approval.failures import denied, denied_by_policy, required, timed_out
from notebook_ext.agents.approval.given import GivenApprovals
from notebook_ext.agents.approval.hashes import approval_hash, arguments_hash, changed_names
from notebook_ext.agents.approval.policy import Policy, Rule, risk_of
from notebook_ext.agents.approval.questions import looked_once, question_of
from vcad_kernel.errors import Cancelled, ErrorCode, ServiceFailure, VcadError

if TYPE_CHECKING:
    from notebook_ext.agents.approval.cell_dock import CellDock
    from notebook_ext.agents.approval.display import AskDisplay
    from notebook_ext.agents.registry import Preview, Tool
    from notebook_ext.viewer.live import LiveView

__all__ = ["Approvals"]


@dataclass(slots=True)
class _Wait:
    """One question while it waits."""

    tick: Callable[[str], object] | None
    cancelled: threading.Event | None
    next_tick: float
    shown_at: float | None = None
    """On the clock; the first widgets take their time."""
    unseen: bool = False


class Approvals:
    """dock: where the questions appear, below the latest cell; None where there is no notebook.

    record: takes each question and answer for the log, with hashes in place of the arguments.
    workspace: whose files are the model's own.
    """

    def __init__(
        self,
        dock: CellDock | None = None,
        *,
        workspace: Callable[[], Path] = Path.cwd,
        record: Callable[[str, Mapping[str, Any]], object] = lambda _event, _fields: None,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.policy = Policy()
        self._limits = limits or Limits()
        self._workspace = workspace
        self._record = record
        self._clock = clock
        self._asks = Asks(clock)
        self._given = GivenApprovals(self._limits.valid, clock)
        self._attendance = Attendance(clock)
        self._display = self._display_for(dock)
        self._closing = threading.Lock()

    # ---- before a call ---------------------------------------------------------------------

    def decide(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        *,
        agent: str,
        request_id: str,
        model_revision: int | Callable[[], int] = 0,
        preview: Preview | Callable[[], Preview] | None = None,
        tick: Callable[[str], object] | None = None,
        cancelled: threading.Event | None = None,
        timeout_s: float | None = None,
    ) -> Decision:
        """Whether a call may be done; blocks while a person is asked.

        model_revision: better a function: a yes to a model that has changed meanwhile is asked for again.
        preview: what the call would change. tick: told every few seconds that it still waits; what it raises
        takes the question back and comes out. cancelled: set once the client has given up.
        timeout_s: by default 60, or 45 with a tick.
        Raises: Cancelled; what preview and tick raise.
        """
        look = looked_once(preview)
        rule = self._rule(tool, arguments, agent, look)
        if rule == "allow":
            asked_for = self.policy.of(risk_of(tool, arguments), agent) == "ask"
            return Decision(arguments, "remembered" if asked_for else "allow")
        if rule == "deny":
            return Decision(arguments, "denied", error=denied_by_policy(tool))
        revision = model_revision if callable(model_revision) else lambda: model_revision
        usual = self._limits.ask if tick is None else self._limits.ask_over_mcp
        deadline = self._clock() + (usual if timeout_s is None else timeout_s)
        note = ""
        while True:
            asked_at = revision()
            edited = self._given.found(approval_hash(tool.name, arguments, asked_at))
            if edited is not None:
                changed = changed_names(arguments, edited)
                return Decision(edited, "approved before", changed)
            question = question_of(tool, arguments, agent, request_id, look, note)
            decision = self._asked(
                question, tool, arguments, asked_at, deadline - self._clock(), tick, cancelled
            )
            if decision.error is not None or revision() == asked_at:
                return decision
            note = "The model has changed since this was approved, so it is asked again."

    def _rule(
        self, tool: Tool, arguments: Mapping[str, Any], agent: str, look: Callable[[], Preview | None]
    ) -> Rule:
        paths: tuple[Path, ...] = ()
        if tool.affects is not None and risk_of(tool, arguments) == "W":
            seen = look()
            paths = () if seen is None else tuple(Path(one) for one in seen.paths)
        return self.policy.rule(tool, arguments, agent=agent, paths=paths, workspace=self._workspace())

    def _asked(
        self,
        question: Question,
        tool: Tool,
        arguments: Mapping[str, Any],
        revision: int,
        timeout_s: float,
        tick: Callable[[str], object] | None,
        cancelled: threading.Event | None,
    ) -> Decision:
        """Ask once."""
        if self._display is None and not self._attendance.anybody:
            return Decision(arguments, "nobody looking", error=required(tool, question.call_id or ""))
        ask = self._asks.open(question, max(0.0, timeout_s))
        before = arguments_hash(arguments)
        self._write("approval_asked", ask, arguments_hash=before)
        wait = _Wait(tick, cancelled, self._clock() + self._limits.progress)
        try:
            answer = self._shown_while(ask, lambda left: self._glance(ask, wait, left))
        except BaseException:
            self._write("approval_answered", ask, answer="cancelled", arguments_hash=before)
            raise
        decision = self._outcome(ask, answer, wait, tool, arguments)
        self._write(
            "approval_answered",
            ask,
            answer=decision.how,
            by=None if answer is None else answer.by,
            reason=None if answer is None else answer.response.get("reason"),
            arguments_hash=before,
            arguments_hash_after=arguments_hash(decision.arguments),
        )
        if decision.error is None:
            self._given.keep(approval_hash(tool.name, arguments, revision), decision.arguments)
            if decision.changed:
                self._given.keep(approval_hash(tool.name, decision.arguments, revision), decision.arguments)
        return decision

    def _outcome(
        self, ask: Ask, answer: Answer | None, wait: _Wait, tool: Tool, arguments: Mapping[str, Any]
    ) -> Decision:
        if wait.unseen:
            error: VcadError = required(tool, ask.request_id)
            return Decision(arguments, "nobody looking", error=error, ask_id=ask.request_id)
        if answer is None:
            return Decision(arguments, "timeout", error=timed_out(tool, ask), ask_id=ask.request_id)
        said = answer.response
        edited = said.get("edited_args")
        changed = () if edited is None else changed_names(arguments, edited)
        if said["approved"] is not True:
            error = denied(tool, str(said.get("reason") or ""), edited, changed)
            return Decision(arguments, "denied", changed, error, ask.request_id)
        if said.get("remember") == "session" and ask.question.agent is not None:
            self.policy.remember(tool, arguments, ask.question.agent)
        how = "approved with edits" if changed else "approved"
        return Decision(arguments if edited is None else edited, how, changed, None, ask.request_id)

    def _glance(self, ask: Ask, wait: _Wait, left: float) -> None:
        """Look after a question that waits: is anybody there, is the client still told."""
        if wait.cancelled is not None and wait.cancelled.is_set():
            raise Cancelled("the client gave the call up while a person was asked; nothing was done")
        now = self._clock()
        if wait.shown_at is None:
            wait.shown_at = now
        if now - wait.shown_at >= self._limits.seen and self._nobody_looks_at(ask):
            wait.unseen = True
            self._asks.cancel(ask.request_id)
            return
        if wait.tick is not None and now >= wait.next_tick:
            wait.next_tick = now + self._limits.progress
            wait.tick(f"waiting for a person to approve {ask.question.tool}, {left:.0f} s left")

    def _nobody_looks_at(self, ask: Ask) -> bool:
        if ask.seen.is_set() or self._attendance.anybody:
            return False
        # where a running cell holds the front end's answer up, silence says nothing: time will end the ask
        return self._display is None or not self._display.holds_answers_up

    # ---- asking ----------------------------------------------------------------------------

    def ask(
        self,
        kind: str,
        summary: str,
        payload: Mapping[str, Any] | None = None,
        timeout_s: float = 60.0,
        request_id: str | None = None,
    ) -> Mapping[str, Any] | None:
        """Put any question to the person, and wait; None when nobody answered in time, which means no.

        kind: as the program that asks calls it. payload: shown as it is.
        """
        question = Question(kind=kind, summary=summary, payload=dict(payload or {}))
        ask = self._asks.open(question, timeout_s, request_id)
        answer = self._shown_while(ask, lambda _left: None)
        return None if answer is None else answer.response

    def respond(self, request_id: str, response: Mapping[str, Any], by: str = "hook") -> bool:
        """Answer what waits: {approved, edited_args?, reason?, remember?}. by: the door it came by.

        False: unknown, expired or answered already; exactly one answer wins.
        Raises: ServiceFailure SCHEMA_VALIDATION_FAILED for an answer that cannot be taken; it still waits.
        """
        return self._asks.respond(request_id, response, by)

    def cancel(self, request_id: str) -> bool:
        """Take a question back, as when the program that asked went away."""
        return self._asks.cancel(request_id)

    def open_asks(self) -> tuple[Ask, ...]:
        """What waits, oldest first."""
        return self._asks.all_open()

    def on_change(self, listener: Listener) -> Callable[[], None]:
        """Have a function told of every ask that comes and goes; what this gives ends that."""
        return self._asks.listen(listener)

    def attend(self, approver: str) -> None:
        """Note that somebody watches from a terminal; it holds for a few seconds, so say it again."""
        self._attendance.note(approver)

    def close(self) -> None:
        """Answer no to all that waits and all that comes, and free the widgets; twice is once."""
        self._asks.close()
        with self._closing:
            if self._display is not None:
                self._display.close()
                self._display = None

    # ---- showing ---------------------------------------------------------------------------

    def panel(self) -> Any:
        """The widget with all that waits, and the policy; the same one at every call.

        Raises: ServiceFailure CAPABILITY_UNAVAILABLE in a terminal, and once the session is closed.
        """
        if self._display is None:
            raise ServiceFailure(
                ErrorCode.CAPABILITY_UNAVAILABLE,
                "there is no notebook here to show a panel in",
                fix="run `vcad approve --watch` in a terminal",
                details={
                    "required_capability": "widgets",
                    "negotiated_capabilities": [],
                    "operation": "approvals",
                },
            )
        return self._display.side_panel().widget

    def put_above(self, view: LiveView) -> None:
        """Have what waits also appear on top of a live view; twice is once."""
        if self._display is not None:
            self._display.put_on_top(view.asks)

    def __repr__(self) -> str:
        waiting = self._asks.all_open()
        if not waiting:
            return "Approvals: nothing waits"
        lines = (f"  {one.question.agent or 'a program'}: {one.question.summary}" for one in waiting)
        return "\n".join((f"Approvals: {len(waiting)} waiting", *lines))

    def _repr_mimebundle_(self, **_tiers: Any) -> dict[str, Any]:
        from notebook_ext.viewer.mime import WIDGET_VIEW, widget_reference

        bundle: dict[str, Any] = {"text/plain": repr(self)}
        if self._display is not None:
            bundle[WIDGET_VIEW] = widget_reference(self.panel())
        return bundle

    def _display_for(self, dock: CellDock | None) -> AskDisplay | None:
        if dock is None:
            return None
        from notebook_ext.agents.approval.display import AskDisplay

        return AskDisplay(
            dock, self.policy, lambda ask, said: self._asks.respond(ask.request_id, said, "panel")
        )

    def _shown_while(self, ask: Ask, each: Callable[[float], object]) -> Answer | None:
        """Wait for an answer, with the question on show."""
        display = self._display
        shown = None if display is None else display.show(ask)

        def both(left: float) -> None:
            if shown is not None:
                shown.tick(left)
            each(left)

        try:
            return self._asks.wait(ask, both)
        finally:
            if shown is not None:
                shown.close()

    def _write(self, event: str, ask: Ask, **fields: Any) -> None:
        asked = ask.question
        self._record(
            event,
            {
                "ask_id": ask.request_id,
                "request_id": asked.call_id,
                "tool": asked.tool,
                "agent": asked.agent,
                "user": _user(),
                **{name: value for name, value in fields.items() if value is not None},
            },
        )


def _user() -> str:
    """Whose session it is; "" where the system does not say."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""
