"""Starting a thread, where the machine may have no room for one more, and interrupting the main one."""

from __future__ import annotations

import signal
from _thread import interrupt_main
from threading import Thread, main_thread

from vcad_kernel.errors import CapabilityUnavailable

__all__ = ["interrupt_main_thread", "started"]


def started(thread: Thread) -> Thread:
    """The thread, running.

    Raises: CapabilityUnavailable where memory or the number of processes does not allow it, which Python
    calls "can't start new thread".
    """
    try:
        thread.start()
    except RuntimeError as refused:
        raise CapabilityUnavailable(
            f"no thread can be started here ({refused}): memory, or what a user may run, is used up",
            fix="close other notebooks and programs, or raise the limit (ulimit -v, ulimit -u)",
            details={"required_capability": "threads", "negotiated_capabilities": []},
        ) from refused
    return thread


def interrupt_main_thread() -> None:
    """Interrupt the main thread as a front end does; called on another."""
    if hasattr(signal, "pthread_kill"):  # wakes it also where it waits for a lock
        signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
    else:
        interrupt_main()
