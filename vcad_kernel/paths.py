"""The path policy: which files a model may read and write, and the one way in which that is done.

    files = Workspace(Path("project"))
    files.resolve("parts/bracket.stl")      # the real path, inside the workspace
    files.read("parts/bracket.stl")         # its bytes

Everything lies under one folder. Links are followed and what they lead to must lie there too; what
is no ordinary file (a device, a pipe, a folder) is not read. Names are taken as they are written:
no ``~``, no variables, no Unicode normalisation that could turn a harmless name into another.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from blake3 import blake3

from vcad_kernel.errors import FileMissing, FileTooLarge, PathRefused

__all__ = ["LARGEST_FILE", "Workspace", "content_hash", "may_have_own_folder", "own_folder"]

LARGEST_FILE = 256 * 2**20
"""Bytes that are read of one file at most; more would be a slip or an attack on the memory."""

_CHUNK = 2**20
_READ = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def content_hash(data: bytes) -> str:
    """The hash by which a document knows the content of a file: hexadecimal blake3."""
    return blake3(data).hexdigest()


def own_folder(workspace: Path) -> Path:
    """The workbench's own folder in a workspace, ``.vcad``, made where it is not; git leaves it out.

    Raises: OSError; also where it is a link: what came with a project must not lead our files elsewhere.
    """
    folder = workspace / ".vcad"
    if folder.is_symlink():
        raise OSError(errno.ELOOP, "it is a link", str(folder))
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="ascii")
    return folder


def may_have_own_folder(workspace: Path) -> bool:
    """Whether `own_folder` is there to be written to, or can be made; nothing is made."""
    folder = workspace / ".vcad"
    if folder.is_symlink() or any(one.is_symlink() for one in folder.glob("*")):
        return False
    if folder.exists():
        return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
    return os.access(workspace, os.W_OK | os.X_OK)


def _replaceable_mode(path: str, folder: int | None) -> int | None:
    """The mode of the file that may be replaced; None where there is none, or a link.

    Raises: OSError for a folder, and for a read-only file, which renaming would overwrite all the same.
    """
    try:
        old = os.stat(path, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(old.st_mode):
        raise IsADirectoryError(None, "it is a folder")
    if not stat.S_ISREG(old.st_mode):
        return None
    if not old.st_mode & 0o222:
        raise PermissionError(None, "the file there is read-only")
    return stat.S_IMODE(old.st_mode)


class Workspace:
    """The folder whose files a model may read.

    largest: bytes of one file at most.
    """

    def __init__(self, root: Path, *, largest: int = LARGEST_FILE) -> None:
        self.root = Path(os.path.realpath(root))
        self.largest = largest

    def __repr__(self) -> str:
        return f"Workspace({str(self.root)!r})"

    def resolve(self, text: str) -> Path:
        """The real path of a file or folder that lies in the workspace; it need not exist.

        text: relative to the workspace, or absolute and inside it.
        Raises: PathRefused for what lies elsewhere or is no path.
        """
        if not text or not text.strip():
            raise self._refused(text, "it is empty")
        if any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
            raise self._refused(text, "it holds a control character")
        try:
            text.encode(errors="strict")
            # a link that leads to itself keeps its own name here, and is refused when it is opened
            real = Path(os.path.realpath(self.root / text))
        except (OSError, ValueError) as bad:
            raise self._refused(text, "it is not a file name") from bad
        # compared by components: a neighbour "project-2" does not lie in "project"
        if not real.is_relative_to(self.root):
            raise self._refused(text, "it leads out of the workspace")
        return real

    def relative(self, text: str) -> str:
        """The path as documents keep it: relative to the workspace, with ``/``, links resolved.

        Raises: as ``resolve``.
        """
        return self.resolve(text).relative_to(self.root).as_posix()

    def read(self, text: str) -> bytes:
        """The content of an ordinary file of the workspace.

        Raises: PathRefused; FileMissing when there is none or it may not be read; FileTooLarge.
        """
        real = self.resolve(text)
        try:
            handle = self._open(real)
        except OSError as failed:
            raise self._unreadable(text, failed) from failed
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                what = "a folder" if stat.S_ISDIR(found.st_mode) else "no ordinary file"
                raise self._refused(text, f"it is {what}")
            if found.st_size > self.largest:
                raise self._too_large(text, found.st_size)
            return self._content(text, handle)
        except OSError as failed:
            raise self._unreadable(text, failed) from failed
        finally:
            os.close(handle)

    def write(self, real: Path, data: bytes) -> None:
        """Put a file in place, whole or not at all; an older one keeps its mode.

        real: as `resolve` gave it. A link that has been put on the way since is not followed: that of
        the file's own name is replaced, that of a folder refused.
        Raises: OSError; also when a folder or a read-only file has the name.
        """
        draft = f".{real.name}.{secrets.token_hex(4)}.part"
        with self._folder(real) as (folder, beside):
            mode = _replaceable_mode(beside(real.name), folder)
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
                with os.fdopen(os.open(beside(draft), flags, 0o666, dir_fd=folder), "wb") as file:
                    file.write(data)
                    if mode is not None:
                        os.fchmod(file.fileno(), mode)
                os.replace(beside(draft), beside(real.name), src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                with suppress(OSError):
                    os.unlink(beside(draft), dir_fd=folder)
                raise

    def _open(self, real: Path) -> int:
        """Open a resolved path, each step without following a link that has been put there since."""
        # without O_NONBLOCK the opening of a pipe would wait for a writer
        cautious = _READ | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        with self._folder(real) as (folder, beside):
            return os.open(beside(real.name) if real != self.root else ".", cautious, dir_fd=folder)

    @contextmanager
    def _folder(self, real: Path) -> Iterator[tuple[int | None, Callable[[str], str]]]:
        """The opened folder of a resolved path, and how its files are named for `dir_fd`.

        Where the system has no `dir_fd`, None and whole paths.
        """
        if os.open not in os.supports_dir_fd:
            yield None, lambda name: str(real.parent / name)
            return
        folder = os.open(self.root, _READ | os.O_DIRECTORY)
        try:
            for step in real.relative_to(self.root).parts[:-1]:
                inner = os.open(step, _READ | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
                os.close(folder)
                folder = inner
            yield folder, lambda name: name
        finally:
            os.close(folder)

    def _content(self, text: str, handle: int) -> bytes:
        """All bytes; a file that grows while it is read meets the limit too."""
        pieces: list[bytes] = []
        size = 0
        while piece := os.read(handle, _CHUNK):
            pieces.append(piece)
            size += len(piece)
            if size > self.largest:
                raise self._too_large(text, size)
        return b"".join(pieces)

    def _refused(self, text: str, why: str) -> PathRefused:
        return PathRefused(
            f"the path {text!r} is not allowed: {why}",
            fix="put the file into the workspace and name it relative to that",
            details={"path": text, "workspace": str(self.root)},
        )

    def _unreadable(self, text: str, failed: OSError) -> PathRefused | FileMissing:
        if failed.errno in {errno.ELOOP, errno.ENXIO}:
            return self._refused(text, "it is a link that leads nowhere, or no ordinary file")
        reason = failed.strerror or str(failed)
        return FileMissing(
            f"cannot read {text!r}: {reason}",
            fix="check the name; paths begin at the workspace",
            details={"path": text, "workspace": str(self.root), "reason": reason},
        )

    def _too_large(self, text: str, size: int) -> FileTooLarge:
        return FileTooLarge(
            f"{text!r} is larger than the {self.largest} bytes that are read of one file",
            details={"path": text, "limit": self.largest, "size": size},
        )
