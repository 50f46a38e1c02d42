"""How a request of the hook API comes to the session: a closure, in its turn, on the session's thread.

The caller waits as a coroutine, so that a busy session holds up no other request.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from vcad_kernel.errors import Cancelled, ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from starlette.requests import Request

    from notebook_ext.session.session import Session

__all__ = ["PATIENCE", "in_turn", "on_own_thread", "while_connected"]

_T = TypeVar("_T")

PATIENCE: Final = 60.0
"""Seconds that a request waits for the session."""


async def in_turn(
    session: Session, work: Callable[[], _T], *, operation: str, patience: float = PATIENCE
) -> _T:
    """What the work gives, once the session has come to it. patience: seconds.

    Raises: ServiceFailure TIMEOUT when it has not begun by then, and never will; UNKNOWN_OUTCOME when it has
    begun; whatever the work raises; CapabilityUnavailable once the session is closed.
    """
    posted = session.submit(work)
    waiting = asyncio.wrap_future(posted)
    try:
        done, _ = await asyncio.wait({waiting}, timeout=patience)
    except asyncio.CancelledError:
        posted.cancel()
        raise
    if done:
        return waiting.result()
    if posted.cancel():
        raise ServiceFailure(
            ErrorCode.TIMEOUT,
            f"the session was busy for {patience:g} s; nothing has been done",
            fix="let the running cell end, or interrupt it, and ask again",
            details={"operation": operation},
        )
    waiting.cancel()
    raise ServiceFailure(
        ErrorCode.UNKNOWN_OUTCOME,
        f"it was begun and has not ended within {patience:g} s; it goes on",
        fix="look at the session before you ask again",
        details={"operation": operation},
    )


async def on_own_thread(work: Callable[[], _T], *, name: str) -> _T:
    """What the work gives, done on a thread of its own. Raises: whatever the work raises."""
    return await asyncio.wrap_future(_begun(work, name))


async def while_connected(
    request: Request,
    work: Callable[[], _T],
    *,
    name: str,
    cancel: Callable[[], object],
    patience: float | None = None,
) -> _T:
    """The same for work that may wait for a person, as long as the client is there.

    cancel: called once the caller waits no more, to have the work end soon. patience: seconds; None for as
    long as it takes. The body must have been read.
    Raises: Cancelled when the client has gone; ServiceFailure UNKNOWN_OUTCOME when it has taken too long;
    whatever the work raises.
    """
    working = asyncio.wrap_future(_begun(work, name))
    leaving = asyncio.ensure_future(_gone(request))
    try:
        both: set[asyncio.Future[Any]] = {working, leaving}
        ended, _ = await asyncio.wait(both, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        if not ended:
            raise ServiceFailure(
                ErrorCode.UNKNOWN_OUTCOME,
                f"{name} has not ended within {patience:g} s, and was told to",
                fix="look at the session before you ask again",
                details={"operation": name},
            )
        raise Cancelled(f"the client has gone; {name} is given up")
    finally:
        leaving.cancel()
        if not working.done():
            cancel()
            working.cancel()


async def _gone(request: Request) -> None:
    """Ends when the client has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _begun(work: Callable[[], _T], name: str) -> Future[_T]:
    done: Future[_T] = Future()

    def run() -> None:
        try:
            value = work()
        except BaseException as raised:  # noqa: BLE001 - it is raised where it is waited for
            outcome: Callable[[], None] = partial(done.set_exception, raised)
        else:
            outcome = partial(done.set_result, value)
        with suppress(InvalidStateError):  # the caller waits no more
            outcome()

    threading.Thread(target=run, name=f"vcad hook {name}", daemon=True).start()
    return done
