"""Files of the workspace that have changed, of Loon and what models import, as triggers: by any program, and
however they were saved.

    changes = FileChanges(window.put, lambda: workspace, service.folder_watcher, log.event)
    changes.start(workspace)
    changes.stop()

A thread of the session's asks the service's front what has changed, and compares texts: a file that was only
touched, or is back at its old text, has not changed. Of what is imported, which may be large, dates and sizes
are compared. Where the service was lost, all files are compared, so
nothing is missed. What of it matters is the graph's business. Knows neither cells nor evaluations, and never
holds one up: a poll is answered by the front, beside what the worker does.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from notebook_ext.session.reactive.trigger_window import Trigger
from vcad_kernel.errors import FileMissing, PathRefused, VcadError
from vcad_kernel.paths import Workspace, content_hash
from vcad_kernel.service.client.async_client import Backoff
from vcad_kernel.service.folder_watcher import Changes, FolderWatcher, is_imported, watched_files
from vcad_kernel.system.files import file_time
from vcad_kernel.system.threads import started

__all__ = ["FileChanges", "Watcher"]

_POLL_SECONDS: Final = 10.0
"""How long one poll waits; it is answered at once when something changes."""
_BACKOFF: Final = Backoff(first=0.1, longest=5.0, tries=1_000_000)
"""Pauses between two attempts to watch."""
_LOOK: Final = 0.05
"""Seconds between two attempts to end a poll."""


class Watcher(Protocol):
    """What watches a folder, here or in the service."""

    def start(self, folder: Path) -> None:
        """Watch this folder, and no other. Raises: VcadError."""

    def poll(self, wait: float = 0.0) -> Changes | None:
        """What has changed since; None where something may have been missed. Raises: VcadError."""

    def stop(self) -> None:
        """From any thread: watch no more, and have who waits answered. Raises: VcadError."""


class FileChanges:
    """put: takes triggers, on the thread that watches. workspace: from which their paths are given.

    watcher: makes what watches; asked on that thread. What it may not watch, because it lies outside of the
    service's folder, is watched in this process. note: takes an event for the log and its fields.
    """

    def __init__(
        self,
        put: Callable[..., object],
        workspace: Callable[[], Path],
        watcher: Callable[[], Watcher],
        note: Callable[..., object],
        *,
        backoff: Backoff = _BACKOFF,
    ) -> None:
        self._put = put
        self._workspace = workspace
        self._watcher_of = watcher
        self._note = note
        self._backoff = backoff
        self._changing = threading.Lock()
        """Held while it begins or ends."""
        self._comparing = threading.Lock()
        """Held while files are compared with what is known of them."""
        self._since = 0
        self._used: tuple[str, ...] = ()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._watcher: Watcher | None = None
        self._texts: dict[str, str] | None = None
        """Hash of each file's text, as it was reported or found at first; None before the first look."""
        self.folder: Path | None = None
        """What is watched, or was before it was stopped."""
        self.trouble: VcadError | None = None
        """Why nothing is watched at the moment, though it should be."""

    @property
    def is_watching(self) -> bool:
        """Whether it has been started, and not stopped since."""
        return self._thread is not None and not self._stop.is_set()

    def start(self, folder: Path, *, since: int | None = None, used: Collection[str] = ()) -> None:
        """Watch a folder and those in it; nothing happens where it is watched already. Waits for nothing.

        since: a time of `file_time`'s, now by default; what was changed from then on counts as changed. Where
        the folder was watched before and then no more, all that has changed since does. used: files of it
        that were read by then: one that is not there at the first look has gone since.
        Raises: CapabilityUnavailable where no thread can be started.
        """
        since = file_time() if since is None else since
        folder = Path(os.path.realpath(folder))
        with self._changing:
            if self.is_watching and folder == self.folder:
                return
            self._end()
            if folder != self.folder:
                self._texts = None
            self.folder, self._since, self._stop = folder, since, threading.Event()
            self._used = tuple(str(folder / name) for name in used)
            work = threading.Thread(
                target=self._work, args=(folder, self._stop), name="vcad files", daemon=True
            )
            self._thread = started(work)

    def look(self) -> None:
        """Tell now what has changed by now, whether or not its event has come; from any thread."""
        folder = self.folder
        if self.is_watching and folder is not None:
            self._compare(folder)

    def stop(self) -> None:
        """Watch no more; what was found until then has been reported."""
        with self._changing:
            self._end()

    def _end(self) -> None:
        thread, self._thread = self._thread, None
        self._stop.set()
        while thread is not None and thread.is_alive() and thread is not threading.current_thread():
            if self._watcher is not None:
                with suppress(VcadError):  # the service that watches is gone
                    self._watcher.stop()
            thread.join(_LOOK)
        self.trouble = None

    # ---- on its own thread, and of who looks -----------------------------------------------

    def _work(self, folder: Path, stop: threading.Event) -> None:
        pauses = self._backoff.pauses()
        watcher: Watcher | None = None
        while not stop.is_set():
            try:
                watcher = self._watcher = watcher or self._watcher_of()
                watcher.start(folder)
                self._compare(folder)
                self.trouble, pauses = None, self._backoff.pauses()
                while not stop.is_set():
                    changes = watcher.poll(_POLL_SECONDS)
                    if changes is None:
                        self._compare(folder)
                        continue
                    with self._comparing:
                        self._tell(folder, [change["path"] for change in changes])
            except PathRefused:
                watcher = FolderWatcher()
            except VcadError as lost:
                before, self.trouble = self.trouble, lost
                if before is None and not stop.is_set():
                    self._note("watching_lost", level="warning", error_code=str(lost.error_code))
                stop.wait(next(pauses) or self._backoff.longest)
        if watcher is not None:
            with suppress(VcadError):
                watcher.stop()

    def _compare(self, folder: Path) -> None:
        """Tell what differs from what is known, of all files; at first what changed since it was started."""
        with self._comparing:
            there = watched_files(folder)
            if self._texts is not None:
                self._tell(folder, sorted({*there, *self._texts}))
                return
            self._texts = {}
            fresh = []
            for path in sorted({*there, *self._used}):
                text = _text(folder, path)
                # gone since it was read or scanned; asked after reading, as a change may have come between
                if text is None or _last_changed(path) >= self._since:
                    fresh.append(path)
                    text = ""  # of no file: whatever it has when it is told, or none, differs from it
                self._texts[path] = text
            self._tell(folder, fresh)

    def _tell(self, folder: Path, paths: Collection[str]) -> None:
        """Tell those of some files whose text is another than it was. Under the lock."""
        texts = {} if self._texts is None else self._texts
        changed = []
        for path in paths:
            text = _text(folder, path)
            if text == texts.get(path):
                continue
            if text is None:
                del texts[path]
            else:
                texts[path] = text
            changed.append(path)
        workspace = self._workspace()
        self._put(*(Trigger("file", Path(os.path.relpath(path, workspace)).as_posix()) for path in changed))


def _text(folder: Path, path: str) -> str | None:
    """Hash of a file's text, or the code of why a model may not read it; None where there is no file. Of what
    is imported, its date and size."""
    if is_imported(path):
        try:
            state = Path(path).stat()
        except OSError:
            return None
        return f"{state.st_ino} {state.st_size} {state.st_mtime_ns}"
    try:
        return content_hash(Workspace(folder).read(path))
    except FileMissing:
        return None
    except VcadError as refused:
        return str(refused.error_code)


def _last_changed(path: str) -> int:
    """When a file was last written, or came to where it is (ns)."""
    try:
        state = Path(path).stat()
    except OSError:
        return 0
    return max(state.st_mtime_ns, state.st_ctime_ns)
