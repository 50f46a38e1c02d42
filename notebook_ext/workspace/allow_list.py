"""Which paths an agent may reach: the allow list (layer 1) and the decision (layer 2).

Both take resolved paths and compare them by components; resolving is the gate's business (gate.py).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from notebook_ext.workspace.denied_names import denial, is_below

__all__ = ["AllowList"]


class AllowList:
    """The files and folders of one session; by default its workspace.

    workspace: its real path.
    """

    def __init__(self, workspace: Path) -> None:
        self.workspace = Path(os.path.realpath(workspace))
        self._files: frozenset[Path] = frozenset()
        self._bases: tuple[Path, ...] = (self.workspace,)
        self._primary = self.workspace

    @property
    def primary_base(self) -> Path:
        """What relative paths begin at."""
        return self._primary

    @property
    def bases(self) -> tuple[Path, ...]:
        """The folders below which everything may be reached that is not denied by name."""
        return self._bases

    def configure(self, file_items: Iterable[str | Path], extra_base_dirs: Iterable[str | Path] = ()) -> None:
        """Begin anew with these tracked files and folders.

        The first folder is where relative paths begin, else the workspace. Each file is allowed, and the
        folder it lies in; each folder that exists. With neither, only what is below the workspace.
        """
        folders = [Path(os.path.realpath(self.workspace / name)) for name in extra_base_dirs]
        primary = folders[0] if folders else self.workspace
        files = [Path(os.path.realpath(primary / name)) for name in file_items]
        bases = [*(path.parent for path in files), *(path for path in folders if path.is_dir())]
        # assigned at once: a call that is under way decides by the old list or by the new one
        self._primary, self._files = primary, frozenset(files)
        self._bases = tuple(dict.fromkeys(bases)) or (self.workspace,)

    def refusal(self, path: Path) -> str | None:
        """Why a resolved path may not be reached, as the end of a sentence; None when it may."""
        denied = denial(path, self.workspace)
        if denied is not None:
            return denied
        return None if self.base_of(path) is not None else "it lies outside of the folders that are allowed"

    def base_of(self, path: Path) -> Path | None:
        """The folder by which a resolved path is allowed, the innermost one; None when there is none."""
        if path in self._files:
            return path.parent
        parts = path.parts
        around = [base for base in self._bases if is_below(parts, base)]
        return max(around, key=lambda base: len(base.parts), default=None)
