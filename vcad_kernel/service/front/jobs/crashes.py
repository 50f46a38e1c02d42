"""Texts that crash the worker: after three times in a row the same one is refused until it changes.

    memory.refusal(scope, fingerprint)      # how often, once it is too often
    memory.crashed(scope, fingerprint, died)
    memory.survived(scope, fingerprint)

A scope is where one text follows another: a cell, a node, a file. Another text in it, or one that ends
well, begins the count anew. Knows nothing of how a text is evaluated.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from vcad_kernel.service.front.worker.process import WorkerDied

__all__ = ["ALLOWED", "CrashMemory", "Crashes", "fingerprint"]

ALLOWED: Final = 3
"""Crashes in a row after which the same text is refused."""

_SCOPES: Final = 1000
"""Scopes that are remembered at most; the one that has crashed longest ago is forgotten first."""


@dataclass(frozen=True, slots=True)
class Crashes:
    """What is known of the last text of a scope."""

    fingerprint: str
    count: int
    last: WorkerDied


class CrashMemory:
    """Of one service; lost with it."""

    def __init__(self) -> None:
        self._known: OrderedDict[Hashable, Crashes] = OrderedDict()

    def refusal(self, scope: Hashable, fingerprint: Callable[[], str]) -> Crashes | None:
        """What speaks against evaluating a text; None lets it be evaluated.

        fingerprint: asked for only where something is known.
        """
        crashes = self._known.get(scope)
        if crashes is None:
            return None
        if crashes.fingerprint != fingerprint():
            del self._known[scope]
            return None
        return crashes if crashes.count >= ALLOWED else None

    def crashed(self, scope: Hashable, fingerprint: str, died: WorkerDied) -> None:
        """A text has crashed the worker."""
        before = self._known.pop(scope, None)
        count = before.count + 1 if before is not None and before.fingerprint == fingerprint else 1
        self._known[scope] = Crashes(fingerprint, count, died)
        while len(self._known) > _SCOPES:
            self._known.popitem(last=False)

    def survived(self, scope: Hashable) -> None:
        """A text of this scope has been evaluated, with whatever result."""
        self._known.pop(scope, None)

    def forget(self) -> None:
        """Let everything be tried again."""
        self._known.clear()


def fingerprint(arguments: Mapping[str, Any], *beside: object) -> str:
    """The same for requests that would do the same. beside: what else it depends on."""
    text = json.dumps([_without_sources(arguments), *beside], sort_keys=True, default=str)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _without_sources(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Without the texts in a prelude, which are sent or not, their hashes being there."""
    kept = dict(arguments)
    prelude = kept.get("prelude")
    if isinstance(prelude, list):
        kept["prelude"] = [
            entry.get("source_hash") or entry if isinstance(entry, dict) else entry for entry in prelude
        ]
    return kept
