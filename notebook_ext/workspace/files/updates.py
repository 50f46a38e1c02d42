"""What others changed in the files that an agent has seen, reported to it once.

An agent works from the text it read; when a person or another agent edits the file, its next answer says so
with a diff. Knows no path policy: it is handed the ways to a file as it is now.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from notebook_ext.workspace.files.text_diff import unified

__all__ = ["FileUpdates"]

_AGENTS: Final = 32
_FILES: Final = 200
"""Per agent; of those seen longest ago nothing is reported any more."""
_LARGEST: Final = 2**20
"""Bytes of a file whose changes are reported."""
_LONGEST_DIFF: Final = 16 * 2**10
"""Characters of one diff."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A file as an agent has seen it."""

    data: bytes
    stamp: Hashable | None
    """What it had when it was found unchanged; None until it has been looked at again."""


class FileUpdates:
    """The files that each agent has seen, as it saw them. May be used from several threads.

    content_now: of a file; None when it is gone. stamp_now: what changes whenever it is written.
    shown: how a path is written in answers.
    """

    def __init__(
        self,
        content_now: Callable[[Path], bytes | None],
        stamp_now: Callable[[Path], Hashable],
        shown: Callable[[Path], str],
    ) -> None:
        self._content_now = content_now
        self._stamp_now = stamp_now
        self._shown = shown
        self._seen: OrderedDict[str, OrderedDict[Path, _Seen]] = OrderedDict()
        self._lock = threading.Lock()

    def seen(self, agent: str, path: Path, data: bytes) -> None:
        """An agent has read a file, or has written it."""
        with self._lock:
            files = self._seen.setdefault(agent, OrderedDict())
            self._seen.move_to_end(agent)
            files.pop(path, None)
            if len(data) <= _LARGEST:
                files[path] = _Seen(data, None)
            if len(files) > _FILES:
                files.popitem(last=False)
            if len(self._seen) > _AGENTS:
                self._seen.popitem(last=False)

    def take(self, agent: str) -> list[dict[str, str]]:
        """What others changed since the agent last saw it: ``{path, diff}``; reported once.

        A file that is gone has the diff of its last content to nothing.
        """
        with self._lock:
            known = dict(self._seen.get(agent, {}))
        changes = []
        for path, before in known.items():
            stamp = self._stamp_now(path)
            if before.stamp is not None and stamp == before.stamp:
                continue
            now = self._content_now(path)
            if not self._is_news(agent, path, before, None if now is None else _Seen(now, stamp)):
                continue
            shown = self._shown(path)
            diff = unified(_text(before.data), _text(now or b""), shown)
            changes.append({"path": shown, "diff": diff[:_LONGEST_DIFF]})
        return changes

    def _is_news(self, agent: str, path: Path, before: _Seen, now: _Seen | None) -> bool:
        """Keep what a file is now; whether that is something to report."""
        with self._lock:
            files = self._seen.get(agent)
            if files is None or files.get(path) != before:
                return False  # the agent itself has read or written it meanwhile
            if now is None:
                del files[path]
            else:
                files[path] = now
            return now is None or now.data != before.data


def _text(data: bytes) -> str:
    return data.decode("utf-8-sig", errors="replace")
