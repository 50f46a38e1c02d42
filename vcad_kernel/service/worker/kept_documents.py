"""Documents that were evaluated, by their hashes: what questions about their parts refer to."""

from __future__ import annotations

from collections import OrderedDict

from vcad_kernel.ir.document import Document

__all__ = ["KeptDocuments"]


class KeptDocuments:
    """Those that were used least recently go first. most: how many are kept."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._documents: OrderedDict[str, Document] = OrderedDict()

    def keep(self, document: Document) -> str:
        """Remember a document; its hash."""
        name = document.content_digest.hex()
        self._documents[name] = document
        self._documents.move_to_end(name)
        while len(self._documents) > self._most:
            self._documents.popitem(last=False)
        return name

    def get(self, name: str) -> Document | None:
        """The document of a hash, if it is known."""
        found = self._documents.get(name)
        if found is not None:
            self._documents.move_to_end(name)
        return found

    def forget(self) -> None:
        """Drop all."""
        self._documents.clear()
