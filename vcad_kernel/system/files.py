"""Reading and replacing files, so that a link put there since a path was checked cannot lead elsewhere.

    read_file(folder, folder / "parts" / "a.stl", limit)
    replace_files({path: data})                           # all of them, or none

Every step from an allowed folder down is opened by itself and never through a link; the last one is opened
relative to the folder before it. Where the system cannot do that (Windows), the path is opened as it is.
Knows no policy: which paths are allowed is its callers' matter.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = [
    "NO_LINK",
    "NO_WAIT",
    "UNSHARED",
    "Entry",
    "SeveralNamesError",
    "create_file",
    "file_time",
    "is_own",
    "make_folder",
    "read_file",
    "replace_file",
    "replace_files",
    "scan_folder",
]

_STEPWISE: Final = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
_CHUNK: Final = 2**20
_TICK: Final = 16_000_000 if os.name == "nt" else 10_000_000
"""By how much the clock that dates files is behind others at most, ns: a tick, which is 15.6 ms on Windows,
and 10 ms on a Linux of 100 Hz, the slowest there is.
"""
NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
"""For `os.open`: a link is not followed, where the system can do that."""
NO_WAIT: Final = getattr(os, "O_NONBLOCK", 0)
"""A pipe does not wait for its other end."""
UNSHARED: Final = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""No other program inherits it; and on Windows, lines stay as they are."""
_READ: Final = os.O_RDONLY | UNSHARED
_FRESH: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | UNSHARED

_NO_SECOND_NAMES: Final = frozenset(
    {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
)
"""How file systems without hard links say so."""


def file_time() -> int:
    """Now, by the clock that dates files (ns): what is written from now on is not older.

    What was written in the last tick may not be older, either.
    """
    return time.time_ns() - _TICK


def is_own(status: os.stat_result) -> bool:
    """Whether a file is this user's. On Windows any is: there the folder's rights keep others out."""
    return not hasattr(os, "getuid") or status.st_uid == os.getuid()


@dataclass(frozen=True, slots=True)
class Entry:
    """What lies in a folder."""

    path: Path
    name: str
    is_link: bool
    is_folder: bool
    """Of what a link leads to."""
    is_file: bool
    size: int
    """Bytes; 0 of what is no file."""


class SeveralNamesError(OSError):
    """A file has another name besides, which may lie anywhere on its file system."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EMLINK, "it has several names", str(path))


def read_file(base: Path, path: Path, limit: int, *, only_name: bool = False) -> bytes | int:
    """The content of an ordinary file below ``base``; its size in bytes when that is more than ``limit``.

    only_name: refuse a file with several names (hard links).
    Raises: IsADirectoryError; SeveralNamesError; OSError, also for a device, a pipe or a link.
    """
    if path == base:
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    with _folder(base, path.parent) as folder:
        # without O_NONBLOCK the opening of a pipe would wait for a writer
        handle = _open(folder, path, _READ | NO_LINK | NO_WAIT)
        try:
            status = os.fstat(handle)
            if stat.S_ISDIR(status.st_mode):
                raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.ENXIO, "it is no ordinary file", str(path))
            if only_name and status.st_nlink > 1:
                raise SeveralNamesError(path)
            return status.st_size if status.st_size > limit else _content(handle, limit)
        finally:
            os.close(handle)


def _content(handle: int, limit: int) -> bytes | int:
    """All bytes; a file that grows while it is read meets the limit too."""
    pieces: list[bytes] = []
    size = 0
    while piece := os.read(handle, _CHUNK):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            return size
    return b"".join(pieces)


def replace_file(base: Path, path: Path, data: bytes, *, only_name: bool = False) -> None:
    """Give a file below ``base`` this content; even if the machine stops, it has the old or the new one.

    Folders that are missing are made. Permissions stay. Raises: as `replace_files`.
    """
    replace_files({path: data}, base, durable=True, only_name=only_name)


def replace_files(
    files: Mapping[Path, bytes],
    base: Path | None = None,
    *,
    mode: int | None = None,
    durable: bool = False,
    only_name: bool = False,
) -> None:
    """Give files this content, all or none of them; at any time each has its old content or its new one.

    base: a folder above them, from which folders that are missing are made, and any link is refused; by
    default each file's own, which is there, and a link in the file's place is replaced. mode: their
    permissions, by default those that they have.
    durable: also if the machine stops, which takes milliseconds.
    only_name: refuse a file with several names (hard links), of which only this one would change.
    Raises: IsADirectoryError; SeveralNamesError; PermissionError for a read-only file; OSError.
    """
    with contextlib.ExitStack() as stack:
        staged: list[tuple[int | None, Path, Path]] = []
        for path, data in files.items():
            folder = stack.enter_context(_folder(base or path.parent, path.parent, make=base is not None))
            before = (
                None if base is None and path.is_symlink() else _mode_of(folder, path, only_name=only_name)
            )
            fresh = path.with_name(f".vcad-{secrets.token_hex(8)}.new")
            # what has been renamed by then is not there any more
            stack.callback(_unlink, folder, fresh)
            _write(folder, fresh, data, before if mode is None else mode, durable=durable)
            staged.append((folder, fresh, path))
        for folder, fresh, path in staged:
            _rename(folder, fresh, path)
        for folder in {folder for folder, _, _ in staged if durable and folder is not None}:
            os.fsync(folder)


def create_file(base: Path, path: Path, data: bytes) -> None:
    """Write a file that is not there yet, whole or not at all. Folders that are missing are made.

    Raises: FileExistsError, also for a link; OSError.
    """
    with _folder(base, path.parent, make=True) as folder:
        fresh = path.with_name(f".vcad-{secrets.token_hex(8)}.new")
        try:
            _write(folder, fresh, data, None, durable=True)
            _name_too(folder, fresh, path, data)
        finally:
            _unlink(folder, fresh)
        if folder is not None:
            os.fsync(folder)


def _name_too(folder: int | None, fresh: Path, path: Path, data: bytes) -> None:
    """Give a file a second name; unlike a rename, that is never done over another file."""
    try:
        if folder is None:
            os.link(fresh, path)
        else:
            os.link(fresh.name, path.name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as failed:
        if failed.errno not in _NO_SECOND_NAMES:
            raise
        _write(folder, path, data, None, durable=True)


def make_folder(base: Path, path: Path) -> None:
    """Make a folder below ``base``, and those on the way to it; one that is there stays. Raises: OSError."""
    with _folder(base, path, make=True):
        pass


def scan_folder(base: Path, path: Path) -> list[Entry]:
    """What lies in a folder below ``base``, by name. Raises: NotADirectoryError; OSError."""
    with _folder(base, path) as folder, os.scandir(path if folder is None else folder) as entries:
        return sorted((_entry(path, item) for item in entries), key=lambda entry: entry.name)


def _entry(folder: Path, entry: os.DirEntry[str]) -> Entry:
    path = folder / entry.name
    is_link = entry.is_symlink()
    try:
        status = path.stat() if is_link else entry.stat(follow_symlinks=False)
    except OSError:  # a link that leads nowhere, or gone meanwhile
        return Entry(path, entry.name, is_link, False, False, 0)
    is_file = stat.S_ISREG(status.st_mode)
    return Entry(
        path, entry.name, is_link, stat.S_ISDIR(status.st_mode), is_file, status.st_size if is_file else 0
    )


@contextlib.contextmanager
def _folder(base: Path, path: Path, *, make: bool = False) -> Iterator[int | None]:
    """A folder at or below ``base``, open; None where the system opens nothing relative to a folder.

    make: those that are missing on the way are made.
    """
    if not _STEPWISE:
        if make:
            path.mkdir(parents=True, exist_ok=True)
        yield None
        return
    folder = os.open(base, _READ | os.O_DIRECTORY)
    try:
        for step in path.relative_to(base).parts:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(step, dir_fd=folder)
            inner = os.open(step, _READ | os.O_DIRECTORY | NO_LINK, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def _open(folder: int | None, path: Path, flags: int, mode: int = 0o666) -> int:
    return os.open(path, flags, mode) if folder is None else os.open(path.name, flags, mode, dir_fd=folder)


def _mode_of(folder: int | None, path: Path, *, only_name: bool) -> int | None:
    """The permissions of a file that is there. Raises: OSError for what may not be written over."""
    try:
        status = path.lstat() if folder is None else os.stat(path.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.ENXIO, "it is no ordinary file", str(path))
    if only_name and status.st_nlink > 1:
        raise SeveralNamesError(path)
    # a rename asks only whether the folder may be written to; a file that is read-only is meant to stay
    if not status.st_mode & 0o222:
        raise PermissionError(errno.EACCES, "the file there is read-only", str(path))
    os.close(_open(folder, path, os.O_WRONLY | NO_LINK | NO_WAIT))
    return stat.S_IMODE(status.st_mode)


def _write(folder: int | None, path: Path, data: bytes, mode: int | None, *, durable: bool) -> None:
    # made with its mode, so that a private file can at no time be read by others
    with os.fdopen(_open(folder, path, _FRESH | NO_LINK, 0o666 if mode is None else mode), "wb") as file:
        file.write(data)
        file.flush()
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), mode)
        if durable:
            os.fsync(file.fileno())


def _rename(folder: int | None, before: Path, after: Path) -> None:
    if folder is None:
        before.replace(after)
    else:
        os.replace(before.name, after.name, src_dir_fd=folder, dst_dir_fd=folder)


def _unlink(folder: int | None, path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        if folder is None:
            path.unlink()
        else:
            os.unlink(path.name, dir_fd=folder)
