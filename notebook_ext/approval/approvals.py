"""A person's yes and no: what an agent's call needs before it may be done, decided here and nowhere else.

    decision = approvals.decide(tool, arguments, agent="claude", request_id="r-…", model_revision=lambda: 3)
    approvals                                  # in a notebook: the panel with all that waits, and the policy
    approvals.policy.set("W", "ask")

A call that the policy wants asked waits on its own thread until it is answered: the panel below the running
cell, `vcad approve --watch`, the hook API, or time, which says no. Without a reader it is a no. Widgets are
imported with the first question in a kernel. Call `decide` and `ask` on any thread but the session's own.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from notebook_ext.approval.asks import Answer, Ask, Asks, Listener, Question
from notebook_ext.approval.deciding import ApprovalRequest, Decider, Decision, Limits, user
from notebook_ext.approval.given import arguments_hash
from notebook_ext.approval.kept_policy import KeptPolicy
from notebook_ext.approval.person import Person
from notebook_ext.approval.policy import Caller, Policy
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.plain_text import plain

if TYPE_CHECKING:
    from notebook_ext.approval.calls import ApprovableTool, Preview
    from notebook_ext.approval.panel.cell_dock import CellDock
    from notebook_ext.approval.panel.display import AskDisplay
    from notebook_ext.state_file import StateFile
    from notebook_ext.viewer.live import LiveView

__all__ = ["Approvals"]


def print_for_person(line: str) -> bool:
    """Print a line where a person sits at the terminal of this very process; False where none does."""
    if not sys.stderr.isatty():
        return False
    print(plain(line, stays=""), file=sys.stderr, flush=True)
    return True


class Approvals:
    """dock: where the questions appear, below the latest cell; None where there is no notebook.

    record: takes each question and answer for the log, with hashes in place of the arguments.
    workspace: whose files are the model's own. state: where the policy is kept, if it is.
    in_terminal: shows a line to the person where there is no notebook; False where no person reads it.
    """

    def __init__(
        self,
        dock: CellDock | None = None,
        *,
        workspace: Callable[[], Path] = Path.cwd,
        record: Callable[[str, Mapping[str, Any]], object] = lambda _event, _fields: None,
        state: StateFile | None = None,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
        in_terminal: Callable[[str], bool] = print_for_person,
    ) -> None:
        self.policy = Policy()
        self.limits = limits or Limits()
        self._record = record
        self._asks = Asks(clock)
        self._attendance = Attendance(clock)
        self._decider = Decider(
            self.policy,
            self._asks,
            self,
            wait=self._shown_while,
            workspace=workspace,
            record=record,
            limits=lambda: self.limits,
            clock=clock,
        )
        if state is not None:
            KeptPolicy(state, workspace, record).follow(self.policy)
        self._display = self._display_for(dock)
        self._in_terminal = in_terminal
        self.person = Person(self._put_pairing, self._asks.cancel)
        """Who may answer."""
        self._closing = threading.Lock()

    # ---- before a call ---------------------------------------------------------------------

    def decide(
        self,
        tool: ApprovableTool,
        arguments: Mapping[str, Any],
        *,
        agent: str,
        connection: str | None = None,
        request_id: str,
        model_revision: int | str | Callable[[], int | str] = 0,
        preview: Preview | Callable[[Mapping[str, Any]], Preview] | None = None,
        tick: Callable[[str], object] | None = None,
        cancelled: threading.Event | None = None,
        timeout_s: float | None = None,
    ) -> Decision:
        """Whether a call may be done; blocks while a person is asked.

        model_revision: better a function: a yes to a model that has changed meanwhile is asked for again.
        connection: what no other program has of it, for what is to be remembered; see `Caller`.
        preview: what the call would do; a function of its arguments is asked again before the call is done,
        so that a yes holds for what was shown. tick: called every few seconds while it waits; what it raises
        takes the question back and comes out. cancelled: set once the client has given up.
        timeout_s: by default 60, or 45 with a tick.
        Raises: Cancelled; what preview and tick raise.
        """
        request = ApprovalRequest(
            tool,
            arguments,
            Caller(agent, connection),
            request_id,
            model_revision if callable(model_revision) else lambda: model_revision,
            preview if callable(preview) else lambda _: preview,
            tick,
            cancelled,
        )
        return self._decider.decide(request, timeout_s)

    def done(self, decision: Decision) -> None:
        """Note that a call that was allowed has been done: a second time needs a yes of its own."""
        self._decider.done(decision)

    def can_be_seen(self) -> bool:
        """Whether a question has any chance to be seen: in a notebook, or by a terminal that watches."""
        return self._display is not None or self._attendance.can_be_seen

    def look_at(self, ask: Ask) -> bool:
        """Whether a person sees this question, or may see it when the running cell ends."""
        if ask.seen.is_set() or self._attendance.can_be_seen:
            return True
        # where a running cell holds the front end's answer up, silence says nothing: time will end the ask
        return self._display is not None and self._display.holds_answers_up

    # ---- asking ----------------------------------------------------------------------------

    def ask(
        self,
        kind: str,
        summary: str,
        payload: Mapping[str, Any] | None = None,
        timeout_s: float = 60.0,
        request_id: str | None = None,
    ) -> Mapping[str, Any] | None:
        """Put any question to the person, and wait; None without an answer in time, which means no.

        kind: as the program that asks calls it. payload: shown as it is.
        """
        question = Question(kind=kind, summary=summary, payload=dict(payload or {}))
        ask = self._asks.open(question, timeout_s, request_id)
        about = {
            "ask_id": ask.request_id,
            "kind": kind,
            "user": user(),
            "arguments_hash": arguments_hash(question.payload),
        }
        try:
            self._record("approval_asked", about)
            answer = self._shown_while(ask, lambda _left: None)
        finally:
            self._asks.cancel(ask.request_id)  # an interrupt may have come before the wait began
            outcome: dict[str, Any] = {"answer": str(ask.ended)}
            if ask.answer is not None:
                outcome = {"answer": "answered", "by": ask.answer.by}
                outcome["arguments_hash_after"] = arguments_hash(ask.answer.response)
            self._record("approval_answered", {**about, **outcome})
        return None if answer is None else answer.response

    def respond(self, request_id: str, response: Mapping[str, Any], by: str = "hook") -> bool:
        """Answer what waits: {approved, edited_args?, reason?, remember?}. by: the entry point it came by.

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
        """Subscribe a function to every ask that comes and goes. Returns: what ends that."""
        return self._asks.listen(listener)

    def attend(self, approver: str) -> None:
        """Note that a person watches from a terminal; it holds for a few seconds, so call it again."""
        self._attendance.note(approver)

    def close(self) -> None:
        """Answer no to all that waits and all that comes, and free the widgets; twice is once."""
        self._asks.close()
        with self._closing:
            if self._display is not None:
                self._display.close()
                self._display = None

    # ---- showing ---------------------------------------------------------------------------

    def panels(self) -> list[dict[str, str]]:
        """The widgets of what waits, for front ends that dock them: ``{request_id, model_id}`` each."""
        return [] if self._display is None else self._display.panels()

    def on_panels(self, listener: Callable[[], object]) -> None:
        """Have a function called whenever `panels` has changed, on any thread; it must not block."""
        if self._display is not None:
            self._display.on_panels = listener

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

    def point(self, png: bytes, text: str) -> None:
        """Show the person a picture in which an agent points at something; nothing where no page shows it."""
        if self._display is not None:
            self._display.point(png, text)

    def put_above(self, view: LiveView) -> None:
        """Have what waits also appear on top of a live view; twice is once."""
        if self._display is not None:
            self._display.put_on_top(view.asks)

    def __repr__(self) -> str:
        waiting = self._asks.all_open()
        if not waiting:
            return "Approvals: nothing waits"
        lines = (
            plain(f"  {ask.question.agent or 'a program'}: {_in_a_line(ask.question)}", stays="")
            for ask in waiting
        )
        return "\n".join((f"Approvals: {len(waiting)} waiting", *lines))

    def _repr_mimebundle_(self, **_tiers: Any) -> dict[str, Any]:
        from notebook_ext.viewer.mime import WIDGET_VIEW, when_ended, widget_reference

        bundle: dict[str, Any] = {"text/plain": repr(self)}
        if self._display is not None:
            bundle |= when_ended("run the cell to see what waits")
            bundle[WIDGET_VIEW] = widget_reference(self.panel())
        return bundle

    def _put_pairing(self, question: Question, timeout_s: float) -> Ask | None:
        """Have a code shown, in the notebook or in the terminal of the session; None where neither is."""
        if self._display is None and not self._in_terminal(
            f"{question.summary} Its code: {question.code_to_type}"
        ):
            return None
        ask = self._asks.open(question, timeout_s)
        threading.Thread(
            target=self._shown_while, args=(ask, lambda _left: None), name="vcad-pairing", daemon=True
        ).start()
        return ask

    def _display_for(self, dock: CellDock | None) -> AskDisplay | None:
        if dock is None:
            return None
        from notebook_ext.approval.panel.display import AskDisplay

        return AskDisplay(
            dock, self.policy, lambda ask, response: self._asks.respond(ask.request_id, response, "panel")
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


def _in_a_line(question: Question) -> str:
    code = question.code_to_type
    return f"{question.summary} Its code: {code}" if code else question.summary


ATTENDANCE: Final = 5.0
"""Seconds for which one word of an approver holds."""


class Attendance:
    """clock: seconds, ever growing. Safe on any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}

    def note(self, approver: str) -> None:
        """This one watches now."""
        now = self._clock()
        kept = {name: until for name, until in self._until.copy().items() if until > now}
        self._until = {**kept, approver: now + ATTENDANCE}

    @property
    def can_be_seen(self) -> bool:
        """Whether one has said so within the last seconds."""
        now = self._clock()
        return any(until > now for until in self._until.values())
