"""Loon files of a folder, and files that models import, that have changed since the last question.

Events of the file system only say that something has happened. What has changed is found by comparing
each file with how it was when last asked, so that an editor's ways of saving (a temporary file renamed
over the old one, a deletion and a new file, a touch) are one change, and a change that was undone is
none. A watcher serves the front, and who evaluates in one's own process. Knows no session and no connection.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from threading import Condition, Event, Thread
from typing import Any, Final, NamedTuple, TypeAlias

from vcad_kernel.errors import FileMissing, VcadError
from vcad_kernel.paths import FONTS, IMPORTED, Workspace, content_hash

__all__ = ["Changes", "Events", "FolderWatcher", "State", "is_imported", "watched_files"]

_LOON: Final = (".oo", ".loon")
_IMPORTED: Final = (*IMPORTED, *FONTS)
_COMPONENT: Final = ".cmp.oo"
_STEP_MS: Final = 10
"""Events that follow each other so closely are one (session.md, 6: 20 at most); reported after twice that."""
_LONGEST_STEP_MS: Final = 100
"""After which a steady stream is reported, well within the session's own window."""
_ROUND_MS: Final = 50
"""How soon it is known that the system's events have begun, and a stop is seen."""
_RECENT_NS: Final = 2_000_000_000
"""Two writes within this may have one time of change: the coarsest that file systems keep is FAT's, 2 s."""
_LOOK_SECONDS: Final = 1.0
"""How often a folder is looked at where the system tells nothing of it."""

Changes: TypeAlias = list[dict[str, str]]
"""path (absolute), kind (component, library or import), change (added, modified or deleted) of each file."""

Events: TypeAlias = Callable[[Path, Event], Iterable[object]]
"""Gives something whenever a file below a folder may have changed, until the event is set."""


class State(NamedTuple):
    """How a file was when it was looked at."""

    inode: int
    size: int
    """Bytes."""
    changed: int
    """When its text was last written, ns."""
    text: str | None
    """Hash of its text where it was written so recently that another change may have the same time."""


def _native(folder: Path, stop: Event) -> Iterator[object]:
    """The system's own events, one when they have begun, and one more in the first quiet moment after some.

    So nothing is missed that was changed before they had begun, or put into a new folder before that was
    watched as well, which on Linux is after its own event.
    """
    from watchfiles import watch

    looks_again = True
    for changes in watch(
        folder,
        watch_filter=None,
        debounce=_LONGEST_STEP_MS,
        step=_STEP_MS,
        rust_timeout=_ROUND_MS,
        stop_event=stop,
        yield_on_timeout=True,
        raise_interrupt=False,
    ):
        if changes or looks_again:
            looks_again = bool(changes)
            yield changes


class FolderWatcher:
    """Watches one folder at a time, from `start` to `stop`.

    events: where they come from, by default the system. look_seconds: how often it looks by itself where
    they fail. clock: seconds, steady.
    """

    def __init__(
        self,
        events: Events = _native,
        *,
        look_seconds: float = _LOOK_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._events = events
        self._look = look_seconds
        self._clock = clock
        self._changed = Condition()
        self._dirty = False
        self._folder: Path | None = None
        self._known: Mapping[str, State] = {}
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
        stop = Event()
        with self._changed:
            self._folder, self._stop = folder, stop
            self._known = watched_files(folder)
            self._dirty = True  # something may change before the events begin
            self._thread = Thread(target=self._listen, args=(folder, stop), name="vcad-watch", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Watch no more; callers that wait are answered. From any thread."""
        with self._changed:
            self._stop.set()
            self._folder = None
            thread, self._thread = self._thread, None
            self._changed.notify_all()
        if thread is not None:
            thread.join()

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
        try:
            for _ in self._events(folder, stop):
                self._something_happened()
                if stop.is_set():
                    return
        except OSError:  # the system has no room for more watches: inotify's limit, as a rule
            self._something_happened()
        while not stop.wait(self._look):  # nor does it tell anything of a folder that was removed
            self._something_happened()

    def _something_happened(self) -> None:
        with self._changed:
            self._dirty = True
            self._changed.notify_all()

    def _compared(self) -> Changes:
        """Under the lock."""
        if self._folder is None or not self._dirty:
            return []
        self._dirty = False
        before, self._known = self._known, watched_files(self._folder)
        now = self._known
        return [
            {"path": path, "kind": _kind(path), "change": _change(before.get(path), now.get(path))}
            for path in sorted({*before, *now})
            if _differs(path, before.get(path), now.get(path))
        ]


def is_imported(path: str) -> bool:
    """Whether it is no text of Loon but what a model may read: a drawing, a body, a mesh, a font."""
    return path.lower().endswith(_IMPORTED)


def _kind(path: str) -> str:
    if is_imported(path):
        return "import"
    return "component" if path.endswith(_COMPONENT) else "library"


def _differs(path: str, before: State | None, now: State | None) -> bool:
    if before is None or now is None:
        return before is not now
    if (before.inode, before.size, before.changed) != (now.inode, now.size, now.changed):
        return True
    return before.text is not None and before.text != (now.text or _text(path))


def _text(path: str) -> str | None:
    """Hash of a file's text; None where it cannot be read."""
    file = Path(path)
    try:
        return content_hash(Workspace(file.parent).read(file.name))
    except VcadError:
        return None


def _change(before: State | None, now: State | None) -> str:
    if before is None:
        return "added"
    return "deleted" if now is None else "modified"


def watched_files(folder: Path) -> dict[str, State]:
    """Every Loon file below a folder, and every file that may be imported, as it is; links to folders and
    hidden folders are left out."""
    states: dict[str, State] = {}
    recent = time.time_ns() - _RECENT_NS
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
                elif (entry.name.endswith(_LOON) or is_imported(entry.name)) and entry.is_file():
                    state = entry.stat()
                    # meshes may be large, and are not written twice within a file system's tick
                    is_recent = state.st_mtime_ns > recent and not is_imported(entry.name)
                    states[entry.path] = State(
                        state.st_ino,
                        state.st_size,
                        state.st_mtime_ns,
                        _text(entry.path) if is_recent else None,
                    )
            except OSError:
                continue
    return states
