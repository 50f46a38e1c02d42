"""Whether a call may be done: the policy first, then a person, whose yes holds for what was shown.

    decider.decide(ApprovalRequest(tool, arguments, agent="claude", request_id="r-…"))

A yes is bound to the agent, the tool, its arguments, the model's revision, the policy, and to what the person
was shown of the effects. Before the call is done all that is looked at again: if anything has changed while
the person thought, the question is put anew. Knows no widgets.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from notebook_ext.approval.asks import Answer, Ask, Asks
from notebook_ext.approval.calls import class_of
from notebook_ext.approval.given import (
    Given,
    GivenApprovals,
    approval_hash,
    arguments_hash,
    changed_names,
    shown_hash,
)
from notebook_ext.approval.policy import Caller, Policy, Rule, may_be_remembered
from notebook_ext.approval.questions import (
    denied,
    denied_by_policy,
    question_of,
    required,
    timed_out,
    too_many,
)
from vcad_kernel.errors import Cancelled, VcadError

if TYPE_CHECKING:
    from notebook_ext.approval.calls import ApprovableTool, Preview

__all__ = ["ApprovalRequest", "Decider", "Decision", "Limits", "Onlookers", "user"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds, where nothing else is said."""

    ask: float = 60.0
    ask_over_mcp: float = 45.0
    """Its clients give up at 60."""
    progress: float = 5.0
    """Between two words that it still waits."""
    seen: float = 5.0
    """Until which a front end must show the question, else no person is looking."""
    valid: float = 600.0
    """For which a yes holds for the same tool, arguments and model."""
    waiting: int = 16
    """Calls that may wait for a person at a time: each holds a thread, and no person answers a flood."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of a call before it is done."""

    arguments: Mapping[str, Any]
    """To do it with: as edited, else as given."""
    how: str
    """"allow", "remembered", "approved", "approved with edits", "approved before", "denied", …"""
    changed: tuple[str, ...] = ()
    """Names of the arguments that the person edited."""
    error: VcadError | None = None
    """APPROVAL_REQUIRED, APPROVAL_DENIED or APPROVAL_TIMEOUT; None when it may be done."""
    ask_id: str | None = None
    effect: Preview | None = None
    """What it would do, as it stood when it was allowed; None where it was not looked at."""
    given: tuple[Hashable, ...] = ()
    """What the yes that it is done with is kept under; () where no person was asked."""

    @property
    def allowed(self) -> bool:
        """Whether it may be done."""
        return self.error is None


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A call that an agent wants done."""

    tool: ApprovableTool
    arguments: Mapping[str, Any]
    agent: Caller
    request_id: str
    revision: Callable[[], int | str] = lambda: 0
    """The model's, now."""
    preview: Callable[[Mapping[str, Any]], Preview | None] = lambda _: None
    """What the call would do with these arguments, as things are now."""
    tick: Callable[[str], object] | None = None
    """Called every few seconds while it waits; what it raises takes the question back."""
    cancelled: threading.Event | None = None
    """Set once the client has given up."""


class Onlookers(Protocol):
    """Who might answer."""

    def can_be_seen(self) -> bool:
        """Whether there is anything on which a question could be seen."""

    def look_at(self, ask: Ask) -> bool:
        """Whether a person sees this question, or may see it when the running cell ends."""


@dataclass(slots=True)
class _Wait:
    """One question while it waits."""

    next_tick: float
    shown_at: float | None = None
    """On the clock; the first widgets take their time."""
    unseen: bool = False


class Decider:
    """wait: shows a question and blocks until it is answered; see `Asks.wait`.

    record: takes each question and answer for the log. limits: as they are now.
    """

    def __init__(
        self,
        policy: Policy,
        asks: Asks,
        onlookers: Onlookers,
        *,
        wait: Callable[[Ask, Callable[[float], object]], Answer | None],
        workspace: Callable[[], Path],
        record: Callable[[str, Mapping[str, Any]], object],
        limits: Callable[[], Limits],
        clock: Callable[[], float],
    ) -> None:
        self._policy = policy
        self._asks = asks
        self._onlookers = onlookers
        self._wait = wait
        self._workspace = workspace
        self._record = record
        self._limits = limits
        self._clock = clock
        self._given = GivenApprovals(lambda: limits().valid, clock)

    def decide(self, request: ApprovalRequest, timeout_s: float | None = None) -> Decision:
        """Whether it may be done; blocks while a person is asked.

        timeout_s: by default 60, or 45 with a tick. Raises: Cancelled; what preview and tick raise.
        """
        tool, arguments = request.tool, request.arguments
        self._policy.met(request.agent.name)
        # what else it may be, its own class says
        effect = request.preview(arguments) if tool.risk == "W" else None
        rule = self._rule(request, arguments, effect)
        if rule == "allow":
            asked_for = self._policy.of(class_of(tool, effect), request.agent.name) == "ask"
            return Decision(arguments, "remembered" if asked_for else "allow", effect=effect)
        if rule == "deny":
            return Decision(arguments, "denied", error=denied_by_policy(tool))
        limits = self._limits()
        usual = limits.ask if request.tick is None else limits.ask_over_mcp
        deadline = self._clock() + (usual if timeout_s is None else timeout_s)
        note = ""
        while True:
            bound_to, seen = self._bound_to(request, arguments), request.preview(arguments)
            given = self._given.lookup(bound_to)
            if given is not None:
                now = request.preview(given.arguments) if given.arguments != arguments else seen
                if _still_as_shown(given, now):
                    changed = changed_names(arguments, given.arguments)
                    return Decision(given.arguments, "approved before", changed, None, None, now, (bound_to,))
            decision = self._ask_person(request, seen, note, deadline - self._clock())
            if decision.error is not None or decision.ask_id is None:
                return decision
            if self._bound_to(request, arguments) != bound_to:
                note = "The model or the policy has changed since this was approved, so it is asked again."
            elif shown_hash(request.preview(arguments)) != shown_hash(seen):
                note = "What this would change is not what was approved any more, so it is asked again."
            else:
                if decision.changed:
                    return self._with_edits(request, decision, bound_to)
                return self._kept(request, replace(decision, effect=seen), bound_to)

    def _with_edits(self, request: ApprovalRequest, decision: Decision, bound_to: Hashable) -> Decision:
        """A yes with other arguments: bound to what these would do to what stands there now."""
        effect = request.preview(decision.arguments)
        if self._rule(request, decision.arguments, effect) == "deny":
            refused = denied_by_policy(request.tool)
            return Decision(decision.arguments, "denied", decision.changed, refused, decision.ask_id)
        return self._kept(request, replace(decision, effect=effect), bound_to)

    def _kept(self, request: ApprovalRequest, decision: Decision, bound_to: Hashable) -> Decision:
        """The yes, kept for a repetition of the call as it was made, and as it was edited."""
        if request.tool.risk == "X":  # what runs, runs once for each yes
            return decision
        keys = dict.fromkeys((bound_to, self._bound_to(request, decision.arguments)))
        for key in keys:
            self._given.keep(key, decision.arguments, decision.effect)
        return replace(decision, given=tuple(keys))

    def done(self, decision: Decision) -> None:
        """The call has been done: its yes is used up, but for a repetition that would change nothing."""
        for key in decision.given:
            self._given.done(key)

    def _rule(self, request: ApprovalRequest, arguments: Mapping[str, Any], effect: Preview | None) -> Rule:
        return self._policy.rule(
            request.tool, arguments, agent=request.agent, effect=effect, workspace=self._workspace()
        )

    def _forbids(self, request: ApprovalRequest, edited: Mapping[str, Any]) -> bool:
        """Whether the policy forbids the call with other arguments, whatever they do.

        Asked on the front end's thread, which waits for nothing: what they do is looked at after the yes.
        """
        return self._rule(request, edited, None) == "deny"

    def _bound_to(self, request: ApprovalRequest, arguments: Mapping[str, Any]) -> Hashable:
        hashed = approval_hash(request.tool.name, arguments, request.revision())
        return hashed, request.agent, self._policy.edition

    def _ask_person(
        self, request: ApprovalRequest, seen: Preview | None, note: str, timeout_s: float
    ) -> Decision:
        """Put the question to the person."""
        before = arguments_hash(request.arguments)
        refused = self._unaskable(request)
        if refused is not None:
            self._write("approval_asked", request, None, arguments_hash=before)
            self._write("approval_answered", request, None, answer=refused.how, arguments_hash=before)
            return refused
        question = question_of(
            request.tool,
            request.arguments,
            request.agent,
            request.request_id,
            seen,
            lambda edited: self._forbids(request, edited),
            note,
        )
        with nullcontext() if seen is None else seen.while_asked():
            ask = self._asks.open(question, max(0.0, timeout_s))
            try:
                self._write("approval_asked", request, ask, arguments_hash=before)
                wait = _Wait(self._clock() + self._limits().progress)
                answer = self._wait(ask, lambda left: self._glance(request, ask, wait, left))
            except BaseException:
                self._asks.cancel(ask.request_id)
                self._write("approval_answered", request, ask, answer="cancelled", arguments_hash=before)
                raise
        decision = self._outcome(request, ask, answer, wait, seen)
        self._write(
            "approval_answered",
            request,
            ask,
            answer=decision.how,
            by=None if answer is None else answer.by,
            reason=None if answer is None else answer.response.get("reason"),
            arguments_hash=before,
            arguments_hash_after=arguments_hash(decision.arguments),
        )
        return decision

    def _unaskable(self, request: ApprovalRequest) -> Decision | None:
        """The refusal where no question can be put; None where one can."""
        if not self._onlookers.can_be_seen():
            error = required(request.tool, request.request_id)
            return Decision(request.arguments, "nobody looking", error=error)
        waiting = len(self._asks.all_open())
        if waiting >= self._limits().waiting:
            error = too_many(request.tool, request.request_id, waiting)
            return Decision(request.arguments, "too many waiting", error=error)
        return None

    def _outcome(
        self, request: ApprovalRequest, ask: Ask, answer: Answer | None, wait: _Wait, seen: Preview | None
    ) -> Decision:
        tool, arguments = request.tool, request.arguments
        if wait.unseen:
            error = required(tool, ask.request_id)
            return Decision(arguments, "nobody looking", error=error, ask_id=ask.request_id)
        if answer is None:
            error = timed_out(tool, ask)
            return Decision(arguments, "timeout", error=error, ask_id=ask.request_id)
        response = answer.response
        edited = response.get("edited_args")
        changed = () if edited is None else changed_names(arguments, edited)
        if response["approved"] is not True:
            error = denied(tool, str(response.get("reason") or ""), edited, changed)
            return Decision(arguments, "denied", changed, error, ask.request_id)
        done_with = arguments if edited is None else edited
        if response.get("remember") == "session" and may_be_remembered(tool, arguments, request.agent):
            self._policy.remember(tool, done_with, request.agent, seen)
        how = "approved with edits" if changed else "approved"
        return Decision(done_with, how, changed, None, ask.request_id)

    def _glance(self, request: ApprovalRequest, ask: Ask, wait: _Wait, left: float) -> None:
        """Look after a question that waits: is a person there, does the client know that it waits."""
        if request.cancelled is not None and request.cancelled.is_set():
            raise Cancelled("the client gave the call up while a person was asked; nothing was done")
        now = self._clock()
        if wait.shown_at is None:
            wait.shown_at = now
        if now - wait.shown_at >= self._limits().seen and not self._onlookers.look_at(ask):
            wait.unseen = True
            self._asks.cancel(ask.request_id)
            return
        if request.tick is not None and now >= wait.next_tick:
            wait.next_tick = now + self._limits().progress
            request.tick(f"waiting for a person to approve {ask.question.tool}, {left:.0f} s left")

    def _write(self, event: str, request: ApprovalRequest, ask: Ask | None, **fields: Any) -> None:
        """Log a question or its answer, with hashes in place of the arguments, which may be secret."""
        record = {
            "ask_id": None if ask is None else ask.request_id,
            "request_id": request.request_id,
            "tool": request.tool.name,
            "agent": request.agent.name,
            "user": user(),
            **fields,
        }
        self._record(event, {name: value for name, value in record.items() if value is not None})


def _still_as_shown(given: Given, now: Preview | None) -> bool:
    """Whether a repeated call would do what was approved and is not done, or what is done already."""
    if not given.is_done and shown_hash(given.shown) == shown_hash(now):
        return True
    if given.shown is None or now is None or now.diff or not given.shown.diff:
        return False
    return now.objects == given.shown.objects and now.paths == given.shown.paths and not now.takes_away


def user() -> str:
    """Whose session it is; "" where the system does not say."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""
