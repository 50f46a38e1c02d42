"""Starting a thread, where the machine may have no room for one more."""

from __future__ import annotations

from threading import Thread

from vcad_kernel.errors import CapabilityUnavailable

__all__ = ["started"]


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
