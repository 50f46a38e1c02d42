"""What the nodes of a workspace were built from, and so which of them a file affects."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["ModuleIndex"]


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
