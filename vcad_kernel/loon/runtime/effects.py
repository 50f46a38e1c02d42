"""Effects: who handles an operation, and one-shot continuations.

The handlers in force form a chain, innermost first. A ``try`` is a link that takes ``Fail.fail`` and
is left by a Python exception. A ``handle`` runs its body in a greenlet: performing an operation
switches to the greenlet in which the handle stands; ``resume`` switches back. Code that performs
nothing pays for neither.

A clause that ends without resuming abandons the body. Handling is deep: it stays in force after
a resume.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from greenlet import GreenletExit, getcurrent, greenlet  # type: ignore[import-untyped]

from vcad_kernel.errors import LoonError
from vcad_kernel.loon.runtime.builtins.registry import name_builtin
from vcad_kernel.loon.runtime.faults import a_kind, fault, shown
from vcad_kernel.loon.runtime.values import UNIT

__all__ = ["DEEPEST_HANDLE", "Fail", "Resumption", "effect_builtins", "fresh_chain"]

DEEPEST_HANDLE = 400
"""``handle`` forms that may be active within each other: each costs C stack."""

_RUN = 32
"""Clauses that may wait within each other for a resume before the next gets a greenlet of its own.
From Python 3.12 on, a switch costs time for each frame of the greenlet that is left; a greenlet costs C
stack."""

FAIL = "Fail.fail"


class Fail(BaseException):
    """``Fail.fail`` on its way to the ``try`` that takes it. No error: nothing else may catch it."""

    def __init__(self, mark: _Try, message: object) -> None:
        super().__init__()
        self.mark = mark
        self.message = message


class _Link:
    """A handler in force; ``outer`` is the next one."""

    __slots__ = ("outer",)

    def __init__(self, outer: _Link | None) -> None:
        self.outer = outer


class _Try(_Link):
    __slots__ = ()


class _Handle(_Link):
    __slots__ = ("clauses", "depth", "home")

    def __init__(self, outer: _Link | None, clauses: dict[str, Callable[..., Any]], depth: int) -> None:
        super().__init__(outer)
        self.clauses = clauses
        self.home: Any = getcurrent()
        self.depth = depth


class _State(threading.local):
    chain: _Link | None = None
    depth: int = 0


_state = _State()


@dataclass(slots=True)
class _Performed:
    """An operation on its way to its handler's home."""

    handle: _Handle
    operation: str
    arguments: tuple[Any, ...]
    performer: Any


@dataclass(slots=True)
class _Finished:
    """The body came to its end."""

    value: Any


@dataclass(slots=True)
class Resumption:
    """What a clause returns when its last act is ``[resume v]``: resuming then needs no nesting."""

    resume: Callable[[Any], Any]
    value: Any


def fresh_chain(chain: _Link | None = None, depth: int = 0) -> tuple[_Link | None, int]:
    """Put a chain in force (none at the start of a run) and give the one that was."""
    before = _state.chain, _state.depth
    _state.chain, _state.depth = chain, depth
    return before


def enter_try(on_fail: object) -> _Try:
    """Begin a ``try``: its handler was evaluated first and must be callable."""
    if not callable(on_fail):
        raise fault("type", f"try needs a function for the failure, not {a_kind(on_fail)}")
    mark = _Try(_state.chain)
    _state.chain = mark
    return mark


def leave_try(mark: _Try) -> None:
    """End a ``try``."""
    _state.chain = mark.outer


def caught(mark: _Try, failure: Fail) -> object:
    """What failed, if it is this try's to take; else it travels on."""
    if failure.mark is not mark:
        raise failure
    return failure.message


def perform(operation: str, *arguments: Any) -> Any:
    """Run an operation of an effect by the innermost handler that names it."""
    link = _state.chain
    while link is not None:
        if isinstance(link, _Handle):
            if operation in link.clauses:
                return _perform_at(link, operation, arguments)
        elif operation == FAIL:
            raise Fail(link, arguments[0] if arguments else UNIT)  # type: ignore[arg-type]
        link = link.outer
    return _UNHANDLED


_UNHANDLED: Any = object()


def _perform_at(handle: _Handle, operation: str, arguments: tuple[Any, ...]) -> Any:
    chain, depth = _state.chain, _state.depth
    answer = handle.home.switch(_Performed(handle, operation, arguments, getcurrent()))
    _state.chain, _state.depth = chain, depth
    return answer


def run_handled(body: Callable[[], Any], *clauses: Any) -> Any:
    """Run ``body`` with handlers: names and functions ``(resume, arguments)`` in turn."""
    outer, depth = _state.chain, _state.depth
    if depth >= DEEPEST_HANDLE:
        raise fault(
            "recursion-depth",
            f"more than {DEEPEST_HANDLE} handle forms are active within each other",
            fix="put the handle outside of the recursion",
        )
    handle = _Handle(outer, dict(zip(clauses[::2], clauses[1::2], strict=True)), depth)

    def begin() -> _Finished:
        _state.chain, _state.depth = handle, depth + 1
        return _Finished(body())

    inside = greenlet(begin)
    try:
        return _answer(handle, inside, inside.switch())
    finally:
        _state.chain, _state.depth = outer, depth


def _answer(handle: _Handle, inside: Any, event: Any, waiting: int = 0) -> Any:
    """Serve operations until the body ends or a clause gives it up.

    waiting: clauses of this handle that wait for a resume to come back.
    """
    while True:
        _state.chain, _state.depth = handle.outer, handle.depth
        if isinstance(event, _Finished):
            return event.value
        resume, step = _resumption(handle, inside, event, waiting)
        goes_on = False
        try:
            result = handle.clauses[event.operation](resume, event.arguments)
            if isinstance(result, Resumption):
                if result.resume is resume:
                    goes_on = True
                else:
                    result = result.resume(result.value)
        finally:
            if not goes_on:
                _abandon(event, inside)
        if not goes_on:
            return result
        event = step(result.value)


def _resumption(
    handle: _Handle, inside: Any, event: _Performed, waiting: int
) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """``resume`` for one operation, and the same without serving what comes next."""
    used = False

    def step(value: Any) -> Any:
        nonlocal used
        if used or event.performer.dead:
            raise fault(
                "unhandled-effect",
                f"resume of {event.operation} was called a second time, or after its handle had ended",
                why="a computation continues from an operation at most once",
            )
        used = True
        # The body goes on within what is in force here, as if it stood here.
        inside.parent = handle.home = getcurrent()
        handle.outer, handle.depth = _state.chain, _state.depth
        return event.performer.switch(value)

    def serve(value: Any) -> Any:
        return _answer(handle, inside, step(value), waiting + 1)

    def resume(value: Any = UNIT, *_surplus: object) -> Any:
        chain, depth = _state.chain, _state.depth
        if waiting % _RUN == _RUN - 1:
            result = greenlet(serve).switch(value)
        else:
            result = _answer(handle, inside, step(value), waiting + 1)
        _state.chain, _state.depth = chain, depth
        return result

    return name_builtin(resume, "resume"), step


def _abandon(event: _Performed, inside: Any) -> None:
    """End the computations that wait between the operation and its handle, innermost first."""
    here = getcurrent()
    waiting = event.performer
    while waiting is not None and not waiting.dead and waiting is not here:
        outward = waiting.parent
        waiting.parent = here
        waiting.throw(GreenletExit)
        if waiting is inside:
            break
        waiting = outward


_REFUSED = {
    **dict.fromkeys(
        ["IO.read-file", "IO.read-line", "IO.list-dir", "IO.mtime", "IO.parse-json"],
        "reads nothing by itself",
    ),
    **dict.fromkeys(["IO.write-file", "IO.mkdir", "IO.copy-file"], "writes no files by itself"),
    **dict.fromkeys(["IO.millis", "IO.sleep"], "knows no clock: the same text gives the same value"),
    **dict.fromkeys(
        ["Process.args", "Process.env", "Process.exit"], "knows nothing of the process it runs in"
    ),
    **dict.fromkeys(["Async.spawn", "Async.await", "Async.sleep", "Async.loop"], "runs in one thread"),
}
"""The language's own operations on the world, and why a program does without each."""


def _refusal(operation: str, arguments: tuple[Any, ...]) -> LoonError:
    """The error of an operation that reached the top."""
    reason = _REFUSED.get(operation)
    if reason is not None:
        return fault(
            "unhandled-effect",
            f"{operation} is not available here",
            why=f"a program {reason}",
            fix=f"answer it yourself: [handle … [{operation} …] [resume …]], or bind what it would give",
        )
    if operation == FAIL and arguments:
        return fault(
            "unhandled-effect",
            _message(arguments[0]),
            why="the program itself stops here",
            fix="[try … [fn [message] …]] around the call goes on with another value",
        )
    effect, _, name = operation.partition(".")
    return fault(
        "unhandled-effect",
        f"nothing handles the operation {name} of the effect {effect}",
        fix=f"wrap the call in [handle … [{operation} …] …]",
    )


def _message(value: object) -> str:
    return value if type(value) is str else shown(value)


def effect_builtins(println: Callable[..., object]) -> dict[str, Any]:
    """What compiled code calls to perform and to handle; only IO.println reaches the world."""

    def perform_or_refuse(operation: str, *arguments: Any) -> Any:
        answer = perform(operation, *arguments)
        if answer is not _UNHANDLED:
            return answer
        if operation == "IO.println":
            return println(*arguments)
        raise _refusal(operation, arguments)

    return {
        "$perform": perform_or_refuse,
        "$handle": run_handled,
        "$Fail": Fail,
        "$try_enter": enter_try,
        "$try_leave": leave_try,
        "$try_caught": caught,
        "$resumption": Resumption,
    }
