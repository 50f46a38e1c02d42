"""Which folder a notebook works in, and whether it may be shared with SketchUp.

The workspace is the nearest folder, from the notebook's upwards, that holds ``design_model.json`` or
``.git``; else the notebook's own. Knows nothing of what lies in it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from vcad_kernel.errors import PathRefused

__all__ = ["find_workspace", "refusal_for_push", "require_pushable"]

_MARKS: Final = ("design_model.json", ".git")


def find_workspace(folder: Path, override: Path | str | None = None) -> Path:
    """The workspace of a notebook that lies in ``folder``, by its real path.

    override: the folder that the user has set (``--workspace``, ``VCAD_WORKSPACE``); before all else, and
    relative to ``folder``.
    """
    start = Path(os.path.realpath(folder))
    if override is not None and str(override):
        return Path(os.path.realpath(start / Path(override).expanduser()))
    for candidate in (start, *start.parents):
        if any((candidate / mark).exists() for mark in _MARKS):
            return candidate
    return start


def refusal_for_push(workspace: Path) -> str | None:
    """Why this folder is not shared with SketchUp, as a sentence; None when it may be.

    SketchUp may read and write everything in a workspace, so one that holds the user's whole home, or the
    whole disk, is refused.
    """
    real = Path(os.path.realpath(workspace))
    if not real.is_dir():
        return f"the workspace {workspace} is no folder"
    if real == real.parent:
        return f"the workspace {workspace} is the root of a file system, and SketchUp would reach all of it"
    home = Path(os.path.realpath(Path.home()))
    if real == home or real in home.parents:
        return f"the workspace {workspace} holds your home folder, and SketchUp would reach all of it"
    return None


def require_pushable(workspace: Path, operation: str) -> None:
    """Let a workspace pass that may be shared with SketchUp.

    Raises: PathRefused.
    """
    reason = refusal_for_push(workspace)
    if reason is not None:
        raise PathRefused(
            reason,
            details={"path": str(workspace), "workspace": str(workspace), "operation": operation},
            fix="keep the notebook in a folder of its own, or name one with VCAD_WORKSPACE",
        )
