"""Where running sessions announce themselves: a record each, in Jupyter's runtime folder.

    write(record)                            # 0600: it holds the token
    live_records()                           # newest first; those of dead processes are removed
    choose(records, workspace, "plate")      # the one that is meant

A record is a JSON file of its own, put there whole and taken away at the end of its session. Knows nothing
of what a session is; both the notebook and the command read it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from vcad_kernel.system.files import NO_LINK, NO_WAIT, UNSHARED, is_own, replace_files

__all__ = [
    "SessionRecord",
    "choose",
    "live_records",
    "matching",
    "process_started",
    "remove",
    "runtime_folder",
    "viewer_url",
    "write",
]

_PREFIX: Final = "vcad-"
_LARGEST: Final = 65_536
"""Bytes of a record that is read."""
_CLOCKS_DIFFER: Final = 5.0
"""Seconds by which a process may seem to begin after its own session: two clocks give these times."""
_SHORTEST_PREFIX: Final = 6
"""Letters of an id that name its session."""

_Text: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]


class SessionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What others must know to speak with a session; other keys of a file are of a later version."""

    session_id: _Text
    kernel_id: str | None = None
    """The kernel it lives in, as Jupyter names it; the same after a restart. None outside of a kernel."""
    url: _Text
    """Of its gateway, without a path: ``http://127.0.0.1:PORT``."""
    token: _Text
    """What they must know; never shown."""
    viewer_token: str = ""
    """What a viewer must know; "" of a session that has none."""
    workspace: _Text
    """The folder of the project, absolute."""
    notebook: str | None = None
    """The notebook's file, where the server names it."""
    pid: Annotated[int, msgspec.Meta(gt=0)]
    started_at: _Text
    """UTC, ISO 8601 with microseconds, so that texts sort as times do."""

    def without_token(self) -> dict[str, Any]:
        """The same for people and logs."""
        shown = msgspec.structs.asdict(self)
        del shown["token"], shown["viewer_token"]
        return shown

    def __repr__(self) -> str:
        return f"SessionRecord({self.without_token()})"


def viewer_url(url: str, viewer_token: str) -> str:
    """The link that shows a session: the token stands behind ``#``, which browsers never send."""
    return f"{url}/viewer#token={viewer_token}"


def runtime_folder() -> Path:
    """Where Jupyter keeps what belongs to running processes; it need not exist."""
    from jupyter_core.paths import jupyter_runtime_dir

    return Path(jupyter_runtime_dir())


def write(record: SessionRecord) -> Path:
    """Announce a session; replaces its earlier record. Returns: the file. Raises: OSError."""
    folder = runtime_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = _path(folder, record)
    text = json.dumps(msgspec.structs.asdict(record), ensure_ascii=False)
    replace_files({path: text.encode()}, mode=0o600)
    return path


def remove(record: SessionRecord) -> None:
    """Take a session's record away; safe to call twice, and never fails."""
    with suppress(OSError):
        _path(runtime_folder(), record).unlink(missing_ok=True)


def live_records() -> tuple[SessionRecord, ...]:
    """The records of sessions whose processes live, newest first; the others' files are removed.

    What cannot be read as a record, or belongs to another user, is ignored.
    """
    records: list[SessionRecord] = []
    try:
        paths = sorted(runtime_folder().glob(f"{_PREFIX}*.json"))
    except OSError:
        return ()
    for path in paths:
        record = _read(path)
        if record is None:
            continue
        if _lives(record):
            records.append(record)
        else:
            with suppress(OSError):
                path.unlink()
    return tuple(sorted(records, key=lambda record: record.started_at, reverse=True))


def choose(
    records: Iterable[SessionRecord], workspace: Path | str | None = None, wanted: str | None = None
) -> SessionRecord | None:
    """The session that is meant: the newest that ``wanted`` names, else the newest of the workspace.

    wanted: a session's or kernel's id, or the first letters of one; or a notebook, by its name, the end of
    its path, or its path. It is looked for in all workspaces, in this one first.
    workspace: None for any.
    Returns: None when there is no such session.
    """
    newest = sorted(records, key=lambda record: record.started_at, reverse=True)
    here = [record for record in newest if workspace is None or _same_folder(record.workspace, workspace)]
    if not wanted:
        return here[0] if here else None
    for candidates in (here, newest):
        named = matching(candidates, wanted)
        if named:
            return named[0]
    return None


def matching(records: Iterable[SessionRecord], wanted: str) -> tuple[SessionRecord, ...]:
    """The records that a text names, in their order: by id before all, then by notebook."""
    listed = tuple(records)
    for names in (_has_id, _begins_with, _has_notebook):
        named = tuple(record for record in listed if names(record, wanted))
        if named:
            return named
    return ()


def _has_id(record: SessionRecord, wanted: str) -> bool:
    return wanted in (record.session_id, record.kernel_id)


def _begins_with(record: SessionRecord, wanted: str) -> bool:
    if len(wanted) < _SHORTEST_PREFIX:
        return False
    return record.session_id.startswith(wanted) or (record.kernel_id or "").startswith(wanted)


def _has_notebook(record: SessionRecord, wanted: str) -> bool:
    if record.notebook is None:
        return False
    path = PurePosixPath(record.notebook)
    asked_path = PurePosixPath(wanted)
    if not asked_path.parts:
        return False
    if asked_path.is_absolute():
        return path == asked_path
    tail = path.parts[-len(asked_path.parts) :]
    return tail == asked_path.parts or (*tail[:-1], PurePosixPath(tail[-1]).stem) == asked_path.parts


def _same_folder(folder: str, other: Path | str) -> bool:
    return os.path.realpath(folder) == os.path.realpath(other)


def _path(folder: Path, record: SessionRecord) -> Path:
    return folder / f"{_PREFIX}{record.session_id}.json"


def _read(path: Path) -> SessionRecord | None:
    """The record in a file; None for what is none, or another user's: they could lead us to their port."""
    try:
        descriptor = os.open(path, os.O_RDONLY | NO_LINK | NO_WAIT | UNSHARED)
    except OSError:
        return None
    try:
        if not is_own(os.fstat(descriptor)):
            return None
        return msgspec.json.decode(os.read(descriptor, _LARGEST), type=SessionRecord)
    except (OSError, ValueError, RecursionError):  # any program may leave files there
        return None
    finally:
        os.close(descriptor)


def _lives(record: SessionRecord) -> bool:
    """Whether the process of a record is there, and is not a later one that got its number."""
    began = process_started(record.pid)
    if began is None:
        return False
    try:
        announced = datetime.fromisoformat(record.started_at).timestamp()
    except ValueError:
        return False
    return began <= announced + _CLOCKS_DIFFER


def process_started(pid: int) -> float | None:
    """When a process began, in seconds since the epoch; None when there is none, or only its remains."""
    import psutil

    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return float(process.create_time())
    except psutil.NoSuchProcess:
        return None
    except psutil.AccessDenied:  # not ours to look at, and so not a session of ours
        return None
