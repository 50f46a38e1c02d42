"""What the front needs of the file system, as small interfaces: artifacts, watching, paths, modules.

The server is given these; :mod:`vcad_kernel.service.front.assembly` chooses the real ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from vcad_kernel.service.front.artifacts import StagedPair

__all__ = ["ArtifactStore", "ModuleIndex", "PathPolicy", "Watcher", "Workplace"]


class ArtifactStore(Protocol):
    """Published pairs of a mesh and its manifest. May block: never called on the event loop."""

    def stage(self, name: str, /) -> StagedPair:
        """A new pair, not yet to be seen.

        Raises: VcadError, TEMP_SEQ_EXHAUSTED; OSError.
        """

    def commit(self, pair: StagedPair, manifest: Mapping[str, Any], /) -> tuple[Path, Path]:
        """Publish mesh and manifest together; the paths of both.

        Raises: VcadError; OSError.
        """

    def discard(self, pair: StagedPair, /) -> None:
        """Remove what has been staged."""

    def close(self) -> None:
        """Remove what was not published; nothing is staged any more."""


class Watcher(Protocol):
    """Which files of a folder have changed. May block."""

    def start(self, folder: Path) -> None:
        """Watch this folder, and no other from now on. Raises: VcadError; OSError."""

    def stop(self) -> None:
        """Watch no more."""

    def poll(self, wait: float = 0.0) -> Sequence[Mapping[str, Any]]:
        """The changes since the last poll: path, kind, change. wait: seconds for a change to come."""


class PathPolicy(Protocol):
    """Which paths a connection may name."""

    @property
    def root(self) -> Path:
        """The workspace itself, without links."""

    def check(self, path: str) -> Path:
        """The real path. Raises: VcadError, PATH_NOT_ALLOWED."""

    def check_output(self, path: str) -> Path:
        """The real path of a file that is to be written. Raises: VcadError, PATH_NOT_ALLOWED."""


class ModuleIndex(Protocol):
    """Which files each node was built from."""

    def note(self, node_id: str, files: Sequence[str]) -> None:
        """A node has been built from exactly these."""

    def files(self, node_id: str) -> Sequence[str]:
        """What a node was built from; nothing for one that is not known."""

    def affected(self, path: str) -> Sequence[str]:
        """The nodes that a file affects."""

    def forget(self, node_id: str | None) -> None:
        """Drop what is known of a node, or of all."""


class Workplace(Protocol):
    """What the front needs of the file system, made for it by whoever starts it."""

    @property
    def artifacts(self) -> ArtifactStore:
        """Where pairs are published."""

    def policy(self, workspace: str) -> PathPolicy:
        """The policy for connections with this workspace. Raises: VcadError, PATH_NOT_ALLOWED."""

    def watcher(self, policy: PathPolicy) -> Watcher:
        """A watcher for one connection."""

    def modules(self, policy: PathPolicy) -> ModuleIndex:
        """The index for one workspace; connections with the same workspace share it."""
