"""What the worker asks of the operating system for itself: to die with its parent, and a bound on memory.

Where a system cannot do a thing, it is left out: the front watches the worker's memory too, and the worker
ends when its socket does.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Final

__all__ = ["die_with_parent", "limit_memory"]

_PR_SET_PDEATHSIG: Final = 1
_LEEWAY: Final = 1.25
"""The hard bound over the limit: the front, which looks at what is really used, should be first."""


def die_with_parent() -> None:
    """Have this process killed when the one that started it ends, however it does. Linux only.

    Raises: OSError.
    """
    if sys.platform != "linux":
        return
    parent = os.getppid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    if os.getppid() != parent:  # it ended before it was asked for
        os.kill(os.getpid(), signal.SIGKILL)


def limit_memory(megabytes: int) -> None:
    """Let allocations fail beyond a little more than so many MiB of data; 0 sets no bound. Linux only.

    Elsewhere such a bound does not count what is mapped, which is nearly all of it.
    """
    if sys.platform != "linux" or megabytes <= 0:
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = int(megabytes * _LEEWAY) * 2**20
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
