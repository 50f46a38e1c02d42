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
        for member in tree:
            with contextlib.suppress(psutil.Error):
                member.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0 if not tree else grace_s)
        psutil.wait_procs([member for member in tree if member.pid != process.pid], timeout=grace_s)
    # the first one last: as long as it lives, those whose parent is killed are found below it
    for _ in range(_ROUNDS):
        tree = [member for member in _tree(process, mark) if member.pid != process.pid]
        if not tree:
            break
        for member in tree:
            with contextlib.suppress(psutil.Error):
                member.kill()
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
    by_pid: dict[int, psutil.Process] = {}
    with contextlib.suppress(psutil.Error):
        root = psutil.Process(process.pid)
        by_pid = {member.pid: member for member in (root, *root.children(recursive=True))}
    for candidate in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if candidate.pid != os.getpid() and candidate.environ().get(MARK) == mark:
                by_pid[candidate.pid] = candidate
    return [member for member in by_pid.values() if _lives(member)]


def _lives(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    return False
