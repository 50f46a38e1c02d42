"""Loon functions that no program should have: what a geometry library may do to the process it is in.

Named by `VCAD_WORKER_PLUGIN`, it adds them to the language of a worker:

    [crash-segv]         reads address 0
    [crash-abort]        SIGABRT, as a failed assertion in C++
    [crash-exit 7]       ends the process with this status
    [hang-in-c 3.0]      a C call of so many seconds that holds the interpreter: no signal is handled
    [hang-in-python 3.0] a Python call of so many seconds, which can be interrupted
    [eat-memory 512]     takes so many MiB and keeps them; a MemoryError where they are refused
    [our-mistake]        an exception that no user can cause
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from typing import Any

from vcad_kernel.loon.runtime.builtins.registry import builtin
from vcad_kernel.loon.runtime.values import UNIT

_eaten: list[bytearray] = []


@builtin("crash-segv")
def crash_segv(*_surplus: Any) -> object:
    ctypes.string_at(0)
    return UNIT


@builtin("crash-abort")
def crash_abort(*_surplus: Any) -> object:
    os.abort()


@builtin("crash-exit")
def crash_exit(status: int, *_surplus: Any) -> object:
    os._exit(status)


@builtin("hang-in-c")
def hang_in_c(seconds: float, *_surplus: Any) -> object:
    # PyDLL keeps the interpreter's lock, as a kernel does that never gives it back; a blocked signal
    # does not wake the call, as it would not wake one that computes
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        ctypes.PyDLL(None).usleep(int(float(seconds) * 1e6))
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    return UNIT


@builtin("hang-in-python")
def hang_in_python(seconds: float, *_surplus: Any) -> object:
    until = time.monotonic() + float(seconds)
    while time.monotonic() < until:
        pass
    return UNIT


@builtin("eat-memory")
def eat_memory(megabytes: int, *_surplus: Any) -> object:
    for _ in range(int(megabytes)):
        piece = bytearray(2**20)
        piece[::4096] = b"x" * len(piece[::4096])  # touched, so that the memory is really there
        _eaten.append(piece)
    return UNIT


@builtin("our-mistake")
def our_mistake(*_surplus: Any) -> object:
    raise KeyError("not the user's")
