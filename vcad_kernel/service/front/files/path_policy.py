"""Which paths a connection may name: those under its workspace, which lies under the service's own.

A thin layer over :class:`vcad_kernel.paths.Workspace`, which follows links and compares real paths.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from vcad_kernel.errors import PathRefused
from vcad_kernel.paths import Workspace

__all__ = ["PathPolicy", "policy_for"]

_LONGEST_NAME: Final = 255
_LONGEST_PATH: Final = 4095
"""Bytes of a file's name, and of a whole path; whatever is asked of longer ones, systems refuse."""


class PathPolicy:
    """The policy of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.root = workspace.root
        """The workspace itself, without links."""

    def check(self, path: str) -> Path:
        """The real path, which need not exist. Raises: PathRefused."""
        real = self._workspace.resolve(path)
        size = len(os.fsencode(real))
        if size > _LONGEST_PATH or (
            size > _LONGEST_NAME and any(len(os.fsencode(part)) > _LONGEST_NAME for part in real.parts)
        ):
            raise PathRefused(
                f"the path {path[:80]!r}… is not allowed: it is too long for a file name",
                details={"path": path, "workspace": str(self.root)},
            )
        return real

    def check_output(self, path: str) -> Path:
        """The real path of a file that is to be written: its folder is there, and no folder has its name.

        Raises: PathRefused.
        """
        real = self.check(path)
        if real.is_dir() or not real.parent.is_dir():
            why = "it is a folder" if real.is_dir() else "its folder does not exist"
            raise PathRefused(
                f"cannot write to {path!r}: {why}",
                fix="name a file in a folder of the workspace",
                details={"path": path, "workspace": str(self.root)},
            )
        return real


def policy_for(workspace: str, service_root: Path | None) -> PathPolicy:
    """The policy of a connection that asks for this workspace.

    service_root: the service's own, outside of which no client's may lie; None lets a connection choose any
    folder but the root of the file system.
    Raises: PathRefused.
    """
    if not workspace and service_root is not None:
        return PathPolicy(Workspace(service_root))
    no_folder = "it is not the absolute path of a folder"
    if not Path(workspace).is_absolute():
        raise _refused(workspace, service_root, no_folder)
    try:
        real = Path(os.path.realpath(workspace))
    except (OSError, ValueError) as bad:  # a zero byte, or half a surrogate pair
        raise _refused(workspace, service_root, no_folder) from bad
    # before anything is looked at: what there is elsewhere is no client's business
    if service_root is not None and not real.is_relative_to(os.path.realpath(service_root)):
        raise _refused(workspace, service_root, "it lies outside the service's own workspace")
    if not real.is_dir() or real.parent == real:
        raise _refused(workspace, service_root, no_folder)
    return PathPolicy(Workspace(real))


def _refused(workspace: str, service_root: Path | None, why: str) -> PathRefused:
    return PathRefused(
        f"{workspace!r} cannot be a workspace: {why}",
        fix="name the folder that holds the model's files",
        details={"path": workspace, "workspace": str(service_root or "")},
    )
