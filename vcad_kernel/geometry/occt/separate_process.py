"""Scripts run in a process of their own, where OpenCASCADE may die or never end without harm to ours.

What goes in and out lies in files. Interrupting the caller kills the script.
"""

from __future__ import annotations

import subprocess
import sys

__all__ = ["exit_status"]


def exit_status(script: str, *arguments: str, seconds: float) -> int | None:
    """The exit status of a Python file; negative when it was killed; None when its time ran out.

    script: its path. It needs nothing but the libraries of this Python.
    """
    # -P: no module of the script's folder may stand for one of the library
    command = [sys.executable, "-P", script, *arguments]
    silent = subprocess.DEVNULL
    try:
        ended = subprocess.run(
            command, stdin=silent, stdout=silent, stderr=silent, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    return ended.returncode
