"""What the front does with files: paths that it allows, folders that it watches, what nodes were built from.

Knows no socket and no worker.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vcad_kernel.service.front.artifacts import ArtifactStore
from vcad_kernel.service.front.path_policy import PathPolicy, policy_for
from vcad_kernel.service.front.watching import FolderWatcher

__all__ = ["FileSystem", "ModuleIndex"]


class ModuleIndex:
    """The files of one workspace's nodes, by absolute path.

    What an evaluation really loaded, as its result says; nothing is guessed from texts.
    """

    def __init__(self) -> None:
        self._files: dict[str, tuple[str, ...]] = {}

    def note(self, node_id: str, files: Sequence[str]) -> None:
        """A node has been built from exactly these."""
        self._files[node_id] = tuple(dict.fromkeys(files))

    def files(self, node_id: str) -> Sequence[str]:
        """What a node was built from; nothing for one that is not known."""
        return self._files.get(node_id, ())

    def affected(self, path: str) -> Sequence[str]:
        """The nodes that a file affects, in the order in which they were first built."""
        return [node for node, files in self._files.items() if path in files]

    def forget(self, node_id: str | None) -> None:
        """Drop what is known of a node, or of all."""
        if node_id is None:
            self._files.clear()
        else:
            self._files.pop(node_id, None)


class FileSystem:
    """The files of this machine. root: outside of which no workspace may lie; None for any."""

    def __init__(self, artifacts: ArtifactStore, root: Path | None) -> None:
        self._artifacts = artifacts
        self._root = root
        self._modules: dict[Path, ModuleIndex] = {}

    @property
    def artifacts(self) -> ArtifactStore:
        """Where pairs are published."""
        return self._artifacts

    def policy(self, workspace: str) -> PathPolicy:
        """The policy of a workspace. Raises: PathRefused."""
        return policy_for(workspace, self._root)

    def watcher(self, _policy: PathPolicy) -> FolderWatcher:
        """A watcher of one connection's own."""
        return FolderWatcher()

    def modules(self, policy: PathPolicy) -> ModuleIndex:
        """The index of a workspace."""
        return self._modules.setdefault(policy.root, ModuleIndex())
