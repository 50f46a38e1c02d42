"""What a person has said yes to, for a while: a client that gave up waiting may call again.

It is bound to this tool, these arguments and this state of the model. The order of keys means nothing,
everything else does:

    >>> approval_hash("run_shell", {"b": 1, "a": 2}, 7) == approval_hash("run_shell", {"a": 2, "b": 1}, 7)
    True
    >>> approval_hash("run_shell", {"a": 2}, 7) == approval_hash("run_shell", {"a": 2}, 8)
    False
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from notebook_ext.approval.calls import Preview

__all__ = ["Given", "GivenApprovals", "approval_hash", "arguments_hash", "changed_names", "shown_hash"]


@dataclass(frozen=True, slots=True)
class Given:
    """One yes."""

    arguments: Mapping[str, Any]
    """To call with."""
    shown: Preview | None
    """What it would do, as it stood when the person said yes; None where nothing says."""
    until: float
    """On the clock."""
    is_done: bool = False
    """Whether it has been done with this yes: a second time is another question."""


class GivenApprovals:
    """valid: seconds for which a yes holds. clock: seconds, ever growing. Safe on any thread."""

    def __init__(self, valid: Callable[[], float], clock: Callable[[], float] = time.monotonic) -> None:
        self._valid = valid
        self._clock = clock
        self._lock = threading.Lock()
        self._given: dict[Hashable, Given] = {}

    def keep(self, bound_to: Hashable, arguments: Mapping[str, Any], shown: Preview | None) -> None:
        """What has this key may be done, with these arguments."""
        now = self._clock()
        with self._lock:
            self._given = {key: given for key, given in self._given.items() if given.until > now}
            self._given[bound_to] = Given(dict(arguments), shown, now + self._valid())

    def done(self, bound_to: Hashable) -> None:
        """What has this key has been done."""
        with self._lock:
            if bound_to in self._given:
                self._given[bound_to] = replace(self._given[bound_to], is_done=True)

    def lookup(self, bound_to: Hashable) -> Given | None:
        """The yes to this; None where there was none, or too long ago."""
        with self._lock:
            kept = self._given.get(bound_to)
        return kept if kept is not None and kept.until > self._clock() else None


def approval_hash(tool: str, arguments: Mapping[str, Any], model_revision: int | str) -> str:
    """Of what a person says yes to; hexadecimal SHA-256."""
    return _hash([tool, arguments, model_revision])


def arguments_hash(arguments: Mapping[str, Any]) -> str:
    """Of arguments alone, for the log, which does not repeat what may be secret."""
    return _hash(arguments)


def shown_hash(preview: Preview | None) -> str:
    """Of what a person was shown of a call's effects: a yes to one list of walls is none to another."""
    if preview is None:
        return ""
    seen = (preview.summary, preview.diff, preview.code, preview.objects, preview.paths)
    return _hash([*seen, preview.takes_away, preview.digests])


def changed_names(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the arguments that differ, also those that only one side has, in alphabetical order."""
    missing = object()
    names = sorted(before.keys() | after.keys())
    return tuple(name for name in names if before.get(name, missing) != after.get(name, missing))


def _hash(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
