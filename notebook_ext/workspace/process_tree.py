"""Stop a process and all that it has started, however far that has moved away.

A child that has its own session leaves the group, one whose parent has ended leaves the tree, unless the
first process takes such ones in (shell_jail.py); what it inherited, a mark in its environment, stays. Each
of the three is looked at.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import Final

import psutil

__all__ = ["MARK", "stop_tree"]

MARK: Final = "VCAD_SCRIPT_MARK"
"""The variable that every process of one script has, with a value of its own."""

_ROUNDS: Final = 20
"""Looks at the tree at most: what is started between a look and its blow is met by the next."""


def stop_tree(process: subprocess.Popen[bytes], mark: str, *, grace_s: float = 2.0) -> None:
    """Ask the whole tree to end (TERM), wait, then end it (KILL).

    process: the leader of its own group. mark: what `MARK` is in its environment.
    grace_s: seconds between the two; 0 goes straight to the second.
    """
    if grace_s > 0:
        _signal_group(process, signal.SIGTERM)
        tree = _tree(process, mark)
        for one in tree:
            with contextlib.suppress(psutil.Error):
                one.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0 if not tree else grace_s)
        psutil.wait_procs([one for one in tree if one.pid != process.pid], timeout=grace_s)
    # the first one last: as long as it lives, those whose parent is killed are found below it
    for _ in range(_ROUNDS):
        tree = [one for one in _tree(process, mark) if one.pid != process.pid]
        if not tree:
            break
        for one in tree:
            with contextlib.suppress(psutil.Error):
                one.kill()
        psutil.wait_procs(tree, timeout=1.0)
    _signal_group(process, signal.SIGKILL)
    if process.poll() is None:
        process.kill()
        process.wait()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _tree(process: subprocess.Popen[bytes], mark: str) -> list[psutil.Process]:
    """Every living process of the script that is not in some other sandbox's process space."""
    found: dict[int, psutil.Process] = {}
    with contextlib.suppress(psutil.Error):
        root = psutil.Process(process.pid)
        found = {one.pid: one for one in (root, *root.children(recursive=True))}
    for one in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if one.pid != os.getpid() and one.environ().get(MARK) == mark:
                found[one.pid] = one
    return [one for one in found.values() if _lives(one)]


def _lives(one: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return bool(one.is_running() and one.status() != psutil.STATUS_ZOMBIE)
    return False
