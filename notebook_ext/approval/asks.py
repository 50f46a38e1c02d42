"""Questions that wait for a person, each answered once: by its panel, a terminal, the hook API or time.

    ask = asks.open(Question(kind="confirm", summary="delete the wall?"), timeout_s=60)
    answer = asks.wait(ask, each=lambda left: None)         # blocks; None without an answer
    asks.respond(ask.request_id, {"approved": True}, by="panel")   # from any other thread

Knows threads and time, no tools and no widgets. Nothing is held while it waits, so an answer never
waits for a question. Safe on any thread.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, TypeAlias
from uuid import uuid4

from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["SESSION_ENDED", "Answer", "Ask", "AskEvent", "Asks", "Listener", "Question", "unexplained"]

_log = logging.getLogger("vcad.notebook.asks")

SESSION_ENDED: Final[Mapping[str, Any]] = {"approved": False, "reason": "session ended"}

_GLANCE: Final = 0.25
"""Seconds between two looks at the time while an ask waits."""

_OVERDUE: Final = 2.0
"""Seconds after its time at which no caller can wait for an ask."""

AskEvent: TypeAlias = Literal["ask_received", "clear_ask", "ask_cancelled", "ask_timeout"]


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked."""

    kind: str
    """"approval" for a tool's call; else as the program that asks calls it."""
    summary: str
    """One sentence."""
    tool: str | None = None
    risk: str | None = None
    agent: str | None = None
    arguments: Mapping[str, Any] | None = None
    """As JSON; editable where `check` is there."""
    diff: str = ""
    code: str = ""
    """The very text that would be run."""
    objects: tuple[str, ...] = ()
    takes_away: tuple[str, ...] = ()
    """What would be gone, taken back or left out."""
    is_proposal: bool = False
    """Whether the answers are to take it, to take it with edits, or not."""
    code_to_type: str = ""
    """Shown to the person alone: never to who asks."""
    undo: str = ""
    """How it can be undone, as one sentence."""
    picture: Callable[[], bytes | None] | None = None
    """Draws the geometry that it is about, as PNG; may take its time, so the question is shown before."""
    call_id: str | None = None
    """Request id of the call that waits."""
    remember_offered: bool = False
    note: str = ""
    """What else is to be known, such as that the model has changed since it was asked first."""
    payload: Mapping[str, Any] = field(default_factory=dict)
    check: Callable[[Mapping[str, Any]], object] | None = None
    """Refuses edited arguments that the tool does not take. Raises: VcadError."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered, and by which entry point."""

    response: Mapping[str, Any]
    by: str


@dataclass(eq=False, slots=True)
class Ask:
    """A question that waits, or has waited."""

    question: Question
    request_id: str
    timeout_s: float
    opened_at: datetime
    deadline: float
    """On the clock of its Asks."""
    seen: threading.Event = field(default_factory=threading.Event)
    """Set once a front end shows it."""
    done: threading.Event = field(default_factory=threading.Event)
    answer: Answer | None = None
    ended: AskEvent | None = None
    """How it ended; None while it waits."""

    def to_json(self) -> dict[str, Any]:
        """As the hook API gives it: by hand, since it is mostly its question's, without what is empty."""
        question = self.question
        body: dict[str, Any] = {
            "request_id": self.request_id,
            "kind": question.kind,
            "summary": question.summary,
            "tool": question.tool,
            "risk": question.risk,
            "agent": question.agent,
            "arguments": None if question.arguments is None else dict(question.arguments),
            "diff": question.diff or None,
            "code": question.code or None,
            "objects": list(question.objects) or None,
            "takes_away": list(question.takes_away) or None,
            "undo": question.undo or None,
            "call_id": question.call_id,
            "note": question.note or None,
            "payload": dict(question.payload) or None,
            "opened_at": self.opened_at.isoformat(timespec="milliseconds"),
            "expires_at": (self.opened_at + timedelta(seconds=self.timeout_s)).isoformat(
                timespec="milliseconds"
            ),
        }
        return {
            **{name: value for name, value in body.items() if value is not None},
            "remember_offered": question.remember_offered,
        }


Listener: TypeAlias = Callable[[AskEvent, Ask], object]


class Asks:
    """The open questions of one session. clock: seconds, ever growing."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._open: dict[str, Ask] = {}
        self._listeners: dict[object, Listener] = {}
        self._closed = False

    def open(self, question: Question, timeout_s: float, request_id: str | None = None) -> Ask:
        """Put a question; those who listen hear of it before this returns. Once closed, it is answered no."""
        ask = Ask(
            question,
            request_id or str(uuid4()),
            timeout_s,
            datetime.now(UTC),
            self._clock() + timeout_s,
        )
        with self._lock:
            closed = self._closed
            if not closed:
                if ask.request_id in self._open:
                    raise ServiceFailure(
                        ErrorCode.INVALID_PARAMS,
                        f"there is an open ask {ask.request_id} already",
                        fix="give each ask an id of its own, or none",
                        details={"path": "request_id", "expected": "an unused id", "operation": "ask"},
                    )
                self._open[ask.request_id] = ask
        if closed:
            self._end(ask, "clear_ask", Answer(SESSION_ENDED, "session"), notify=False)
        else:
            self._notify("ask_received", ask)
        return ask

    def wait(self, ask: Ask, each: Callable[[float], object] = lambda _left: None) -> Answer | None:
        """Block until it is answered; None when it was not, or was cancelled.

        each: called a few times a second with the seconds left, on this thread. What it raises cancels the
        ask and comes out of here, and so does an interrupt.
        """
        try:
            while not ask.done.wait(min(_GLANCE, max(0.0, ask.deadline - self._clock()))):
                left = ask.deadline - self._clock()
                if left <= 0:
                    self._end(ask, "ask_timeout")
                elif not threading.main_thread().is_alive():  # the process is about to leave
                    self.close()
                else:
                    each(left)
        except BaseException:
            self._end(ask, "ask_cancelled")
            raise
        return ask.answer

    def respond(self, request_id: str, response: Mapping[str, Any], by: str) -> bool:
        """Answer a question. by: the entry point it came by. False: unknown, expired or answered already.

        Raises: ServiceFailure SCHEMA_VALIDATION_FAILED for an answer of the wrong shape, and what refuses
        edited arguments; the ask stays open.
        """
        with self._lock:
            ask = self._open.get(request_id)
        if ask is None:
            return False
        _check_response(response, ask.question)
        return self._end(ask, "clear_ask", Answer(dict(response), by))

    def cancel(self, request_id: str) -> bool:
        """Take a question back; no caller waits for its answer any more. False when it is not open."""
        with self._lock:
            ask = self._open.get(request_id)
        return ask is not None and self._end(ask, "ask_cancelled")

    def all_open(self) -> tuple[Ask, ...]:
        """Those that wait, oldest first; one that no caller waits for any more ends with its time."""
        with self._lock:
            there = tuple(self._open.values())
        overdue = self._clock() - _OVERDUE
        for ask in there:
            if ask.deadline < overdue:
                self._end(ask, "ask_timeout")
        return tuple(ask for ask in there if ask.ended is None)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Subscribe a function to every ask that comes and goes. Returns: what ends that.

        It is called on whatever thread asks or answers, and must not block.
        """
        key = object()
        with self._lock:
            self._listeners[key] = listener

        def stop() -> None:
            with self._lock:
                self._listeners.pop(key, None)

        return stop

    def close(self) -> None:
        """Answer no to all that wait and all that come; twice is once."""
        with self._lock:
            self._closed = True
        for ask in self.all_open():
            self._end(ask, "clear_ask", Answer(SESSION_ENDED, "session"))

    def _end(self, ask: Ask, how: AskEvent, answer: Answer | None = None, *, notify: bool = True) -> bool:
        """End an ask, if nothing else has; the first wins."""
        with self._lock:
            if ask.ended is not None:
                return False
            ask.ended, ask.answer = how, answer
            self._open.pop(ask.request_id, None)
        ask.done.set()
        if notify:
            self._notify(how, ask)
        return True

    def _notify(self, event: AskEvent, ask: Ask) -> None:
        with self._lock:
            listeners = list(self._listeners.values())
        for listener in listeners:
            try:
                listener(event, ask)
            except Exception:  # noqa: BLE001 - a subscriber's mistake must not lose an answer
                _log.exception("a listener failed at %s", event)


def unexplained(tool: str | None) -> str:
    """What is asked where nothing says what a call would do."""
    return f"{tool} is to be called"


def _check_response(response: Mapping[str, Any], question: Question) -> None:
    """Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
    if question.kind != "approval":
        return
    if not isinstance(response.get("approved"), bool):
        raise _malformed("approved", "true or false")
    edited = response.get("edited_args")
    if edited is not None:
        if not isinstance(edited, Mapping):
            raise _malformed("edited_args", "an object with the tool's arguments")
        if question.check is not None:
            question.check(edited)
    if not isinstance(response.get("reason", ""), str):
        raise _malformed("reason", "text")
    if response.get("remember", "session") != "session":
        raise _malformed("remember", '"session", or nothing')


def _malformed(path: str, expected: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.SCHEMA_VALIDATION_FAILED,
        f"an answer's {path} must be {expected}",
        fix="an answer is {approved, edited_args?, reason?, remember?}",
        details={"path": path, "expected": expected, "operation": "respond"},
    )
