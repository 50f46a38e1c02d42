"""Answers requests about Loon text on the thread that receives them, so that a running cell delays none.

ipykernel's main shell takes its requests one after the other: a completion asked for while a cell
computes would come when the cell has ended. But every request first passes the shell channel's own
thread, which only sorts and forwards. Here a request that names Loon text is answered right there, with
the busy and idle status and the identities that any answer has, and everything else is forwarded
as ever. Where there is no such thread, nothing is done: requests take the ordinary path.

Knows ipykernel's plumbing, all of it that this package touches, and nothing of Loon: what is answered
is the business of the functions it is given. What holds the interpreter's lock without a pause, as the
geometry libraries do while they build, holds these answers up as well.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

__all__ = [
    "Answer",
    "AnsweringChannel",
    "ChannelKernel",
    "answer_meanwhile",
    "has_sub_shells",
    "keep_asked_shell",
    "runs_a_cell",
    "say_busy_again",
    "short_turns",
]

_log = logging.getLogger("vcad.notebook.shell_channel")

Content = dict[str, Any]
Answer = Callable[[Content], "Content | None"]
"""The content of a reply to the content of a request; None leaves the request to the kernel."""

ChannelKernel = Any
"""An ipykernel ``Kernel``; typed loosely, for what is used of it is in part its private matter."""

_REQUEST, _REPLY = "_request", "_reply"


class AnsweringChannel:
    """Stands between a kernel's shell socket and its dispatcher, from `open` to `close`.

    answers: by the type of the request, ``complete_request`` for example. They are called on the shell
    channel's thread, so they must be quick, and must not touch what the main thread changes.
    """

    def __init__(self, kernel: ChannelKernel, answers: Mapping[str, Answer]) -> None:
        self._kernel = kernel
        self._answers = dict(answers)
        self._thread = getattr(kernel, "shell_channel_thread", None)

    def open(self) -> None:
        """Begin to answer; does nothing in a kernel without a thread of its own for the shell channel."""
        self._receive_with(self._received)

    def close(self) -> None:
        """Give the channel back to the kernel's own dispatcher."""
        self._receive_with(self._forward)

    def _receive_with(self, receiver: Callable[[list[Any]], Any]) -> None:
        if self._thread is not None:
            # A stream belongs to its thread; ipykernel registers its own receiver in the same way.
            self._thread.io_loop.add_callback(self._kernel.shell_stream.on_recv, receiver, copy=False)

    @property
    def _forward(self) -> Callable[[list[Any]], Awaitable[None]]:
        forward: Callable[[list[Any]], Awaitable[None]] = self._kernel.shell_channel_thread_main
        return forward

    def _received(self, frames: list[Any]) -> Awaitable[None] | None:
        """Answer a message, or give what the dispatcher makes of it."""
        return None if self._answered(frames) else self._forward(frames)

    def _answered(self, frames: list[Any]) -> bool:
        session = self._kernel.session
        if session is None:
            return False
        try:
            identities, parts = session.feed_identities(frames, copy=False)
            request = session.deserialize(parts, content=False, copy=False)
            kind = request["header"]["msg_type"]
            if kind not in self._answers:
                return False
            request_content = session.unpack(request["content"])
        except (ValueError, TypeError, KeyError):  # malformed, or not signed by us: the dispatcher says so
            return False
        content = self._content_of_reply(self._answers[kind], request_content)
        if content is None:
            return False
        request = session.deserialize(parts, copy=False)  # from now on a replayed message is refused
        self._kernel._publish_status("busy", "shell", request)
        reply = kind.removesuffix(_REQUEST) + _REPLY
        session.send(self._kernel.shell_stream, reply, content, request, identities)
        self._kernel._publish_status("idle", "shell", request)
        say_busy_again(self._kernel)
        return True

    def _content_of_reply(self, answer: Answer, content: Content) -> Content | None:
        try:
            return answer(content)
        except Exception:  # noqa: BLE001 - on the kernel's own thread: our mistake must not stop its messages
            _log.exception("a request about Loon text could not be answered")
            return None


def say_busy_again(kernel: ChannelKernel) -> None:
    """Publish once more that the main shell is busy, if it is; after an answer on another thread.

    Front ends and servers take the last status for the whole kernel's, so the idle that ends such an answer
    would show a computing kernel as idle, and let a server cull it.
    """
    if not kernel._main_asyncio_lock.locked():
        return
    request = kernel._shell_context.get(kernel._shell_parent, {})
    kernel._publish_status("busy", "shell", request)
    # It may have become idle meanwhile, and have said so before this busy.
    kernel.io_loop.add_callback(_say_idle_again, kernel, request)


def _say_idle_again(kernel: ChannelKernel, request: Mapping[str, Any]) -> None:
    """On the main thread, as soon as it is free."""
    if not kernel._main_asyncio_lock.locked():
        kernel._publish_status("idle", "shell", request)


def keep_asked_shell(comm: Any) -> None:
    """Have a comm's messages taken by the shell that the front end sends them to.

    JupyterLab sends those of widgets and editors to a sub-shell, which no cell holds up. By itself ipykernel
    (7.4) would move a comm to the shell on which it last spoke. Callbacks then come on that sub-shell's
    thread.
    """
    if hasattr(comm, "_reply_subshell_for"):
        comm._reply_subshell_for = _shell_asked_for


def _shell_asked_for(_data: object, subshell_id: str | None) -> str | None:
    """The sub-shell that a message is sent to, which is to take it."""
    return subshell_id


def answer_meanwhile(widgets: Iterable[Any]) -> None:
    """Have these widgets answer also while a cell computes; their callbacks must be safe on any thread."""
    for widget in widgets:
        if widget.comm is not None:
            keep_asked_shell(widget.comm)


def runs_a_cell(kernel: ChannelKernel) -> bool:
    """Whether the main shell is busy; from any thread."""
    lock = getattr(kernel, "_main_asyncio_lock", None)
    return lock is not None and bool(lock.locked())


def has_sub_shells(kernel: ChannelKernel) -> bool:
    """Whether a front end has made a sub-shell, on which it can answer while a cell runs; from any thread."""
    thread = getattr(kernel, "shell_channel_thread", None)
    manager = getattr(thread, "_manager", None)  # its property is for its own thread
    return manager is not None and bool(manager.list_subshell())


_TURN = 0.001
"""Seconds. Measured: an answer that takes 10 ms alone takes 47 ms beside a computing cell with Python's own
0.005, and 26 ms with this."""


@contextmanager
def short_turns() -> Iterator[None]:
    """Let other threads have the interpreter sooner than usual, for as long as a cell computes."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(min(_TURN, usual))
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
