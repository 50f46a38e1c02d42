"""What clients have been sent of definitions, so that the next answer need only say what has changed.

Like all that a worker keeps it may be lost: then all definitions are sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from secrets import token_hex
from typing import Any, Final

from vcad_kernel.service.protocol import Definition
from vcad_kernel.service.wire.definitions_json import changed

__all__ = ["SentDefinitions"]

_KEPT: Final = 8
"""States that are remembered: a session goes from one to the next."""


class SentDefinitions:
    """The states of definitions that were sent last, by tag."""

    def __init__(self) -> None:
        self._sent: dict[str, Mapping[str, Definition]] = {}
        self._numbers = count(1)
        self._worker = token_hex(8)
        """Another worker has other tags."""

    def since(
        self, tag: str | None, definitions: Mapping[str, Definition]
    ) -> tuple[Mapping[str, Definition], dict[str, Any]]:
        """The definitions that are to be sent, and what is said with them.

        tag: what the client knows, empty for nothing; None for one that is always sent all.
        """
        if tag is None:
            return definitions, {}
        before = self._sent.get(tag)
        said: dict[str, Any] = {"definitions_tag": f"{self._worker}-{next(self._numbers)}"}
        self._sent[said["definitions_tag"]] = definitions
        for oldest in list(self._sent)[:-_KEPT]:
            del self._sent[oldest]
        if before is None:
            return definitions, said
        sent, gone = changed(before, definitions)
        return sent, {"definitions_since": tag, "definitions_gone": gone, **said}
