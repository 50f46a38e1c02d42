"""Loon files of a folder that have changed since somebody last asked.

Events of the file system only say that something has happened. What has changed is found by comparing
each file with how it was when last asked, so that an editor's ways of saving (a temporary file renamed
over the old one, a deletion and a new file, a touch) are one change, and a change that was undone is
none. Knows no session and no connection.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from threading import Condition, Event, Thread
from typing import Any, Final, TypeAlias

from vcad_kernel.errors import FileMissing

__all__ = ["Changes", "Events", "FolderWatcher"]

_SUFFIXES: Final = (".oo", ".loon")
_COMPONENT: Final = ".cmp.oo"
_STEP_MS: Final = 20
_ROUND_MS: Final = 200
"""How soon a stop is seen."""

Changes: TypeAlias = list[dict[str, str]]
"""path (absolute), kind (component or library), change (added, modified or deleted) of each file."""

Events: TypeAlias = Callable[[Path, Event], Iterable[object]]
"""Gives something whenever a file below a folder may have changed, until the event is set."""

_State: TypeAlias = tuple[int, int, int]
"""Inode, size, time of change."""


def _native(folder: Path, stop: Event) -> Iterator[object]:
    """The system's own events, and one when they have begun: what was changed before that is not missed."""
    from watchfiles import watch

    begun = False
    for changes in watch(
        folder,
        watch_filter=None,
        step=_STEP_MS,
        rust_timeout=_ROUND_MS,
        stop_event=stop,
        yield_on_timeout=True,
        raise_interrupt=False,
    ):
        if changes or not begun:
            begun = True
            yield changes


class FolderWatcher:
    """Watches one folder at a time, from `start` to `stop`.

    events: where they come from, by default the system. clock: seconds, steady.
    """

    def __init__(self, events: Events = _native, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._events = events
        self._clock = clock
        self._changed = Condition()
        self._dirty = False
        self._folder: Path | None = None
        self._known: Mapping[str, _State] = {}
        self._stop = Event()
        self._thread: Thread | None = None

    def start(self, folder: Path) -> None:
        """Watch this folder and those in it, and no other from now on.

        Raises: FileMissing when it is no folder.
        """
        if not folder.is_dir():
            raise FileMissing(
                f"{str(folder)!r} is no folder that could be watched",
                details={"path": str(folder), "reason": "not a folder"},
            )
        self.stop()
        self._folder, self._stop = folder, Event()
        self._known = _states(folder)
        self._dirty = True  # something may change before the events begin
        self._thread = Thread(target=self._listen, args=(folder, self._stop), name="vcad-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Watch no more; whoever waits is answered."""
        self._stop.set()
        with self._changed:
            self._folder = None
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def poll(self, wait: float = 0.0) -> Changes:
        """What has changed since the last time. wait: seconds to wait for a change at most."""
        end = self._clock() + wait
        with self._changed:
            while True:
                changes = self._compared()
                left = end - self._clock()
                if changes or self._folder is None or left <= 0.0:
                    return changes
                self._changed.wait_for(lambda: self._folder is None or self._dirty, left)

    def _listen(self, folder: Path, stop: Event) -> None:
        for _ in self._events(folder, stop):
            with self._changed:
                self._dirty = True
                self._changed.notify_all()
            if stop.is_set():
                return

    def _compared(self) -> Changes:
        """Under the lock."""
        if self._folder is None or not self._dirty:
            return []
        self._dirty = False
        before, self._known = self._known, _states(self._folder)
        now = self._known
        return [
            {"path": path, "kind": _kind(path), "change": _change(before.get(path), now.get(path))}
            for path in sorted({*before, *now})
            if before.get(path) != now.get(path)
        ]


def _kind(path: str) -> str:
    return "component" if path.endswith(_COMPONENT) else "library"


def _change(before: _State | None, now: _State | None) -> str:
    if before is None:
        return "added"
    return "deleted" if now is None else "modified"


def _states(folder: Path) -> dict[str, _State]:
    """Every Loon file below a folder as it is; links to folders and hidden folders are left out."""
    states: dict[str, _State] = {}
    pending: list[Any] = [os.fspath(folder)]
    while pending:
        try:
            entries = list(os.scandir(pending.pop()))
        except OSError:
            continue  # gone meanwhile, or not ours to read
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith(".") and entry.name != "node_modules":
                        pending.append(entry.path)
                elif entry.name.endswith(_SUFFIXES) and entry.is_file():
                    state = entry.stat()
                    states[entry.path] = (state.st_ino, state.st_size, state.st_mtime_ns)
            except OSError:
                continue
    return states
