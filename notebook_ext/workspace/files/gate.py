"""The gate (layer 3): the one way from what an agent writes as a path to a file that is opened.

    gate = FileGate(workspace)
    path = gate.file("parts/plate.loon", operation="read_file")
    data = gate.read(path, operation="read_file")

A path is made absolute against the primary base, links are resolved, and the allow list decides. Reading,
writing and listing go by the same object and decide again, so that no path gets past it. A file with several
names is neither read nor written: another of its names may be one that is denied. May be used from several
threads.
"""

from __future__ import annotations

import difflib
import errno
import hashlib
import os
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NoReturn

from notebook_ext.workspace.files.allow_list import AllowList
from notebook_ext.workspace.files.outputs import OUTPUT_FOLDERS, is_as_it_says
from notebook_ext.workspace.files.persons import PersonsFiles
from notebook_ext.workspace.files.updates import FileUpdates
from vcad_kernel.errors import ErrorCode, FileMissing, FileTooLarge, PathRefused, ServiceFailure, VcadError
from vcad_kernel.system.files import (
    Entry,
    SeveralNamesError,
    create_file,
    make_folder,
    read_file,
    replace_file,
    scan_folder,
)

__all__ = ["LARGEST", "FileGate"]

LARGEST: Final = 16 * 2**20
"""Bytes that are read or written of one file at most."""

_LONGEST: Final = 4096
"""Bytes of a path."""


class FileGate:
    """The files that the agents of one session may reach.

    workspace: the project's folder. largest: bytes of one file.
    """

    def __init__(self, workspace: Path, *, largest: int = LARGEST) -> None:
        self.allow_list = AllowList(workspace)
        self.updates = FileUpdates(self._content_now, _stamp_of, self.shown)
        """What each agent has seen of files, so that others' changes are reported to it."""
        self.persons = PersonsFiles(self.allow_list.workspace)
        """What of them a person has written."""
        self._largest = largest
        self._writing = threading.Lock()
        self._held: Counter[Path] = Counter()

    @property
    def workspace(self) -> Path:
        """The project's folder, by its real path."""
        return self.allow_list.workspace

    def configure(self, file_items: Iterable[str | Path], extra_base_dirs: Iterable[str | Path] = ()) -> None:
        """Allow these files, the folders they lie in, and these folders; nothing else. See `AllowList`."""
        self.allow_list.configure(file_items, extra_base_dirs)

    # ---- paths -----------------------------------------------------------------------------

    def path(self, text: str, *, operation: str) -> Path:
        """The real path of a file or folder that may be reached; it need not exist.

        text: relative to the primary base, or absolute. Where no such name exists but one that is the same
        but for its Unicode normal form, that is meant.
        Raises: PathRefused; FileMissing for one in a folder that may not be searched.
        """
        self._require_plain(text, operation)
        try:
            real = Path(os.path.realpath(self.allow_list.primary_base / text))
            if not text.isascii() and not os.path.lexists(real):
                real = Path(os.path.realpath(_as_spelled(real)))
        except (OSError, ValueError):
            self._refuse(text, "it is no file name", operation)
        refusal = self.allow_list.refusal(real)
        if refusal is not None:
            self._refuse(text, refusal, operation)
        try:
            _require_name(real)
        except PermissionError:
            raise _missing(text, operation, "the folder around it may not be searched") from None
        except OSError:
            self._refuse(text, "it is no file name", operation)
        return real

    def file(self, text: str, *, operation: str) -> Path:
        """The real path of a file that is there. Raises: PathRefused; FileMissing; NOT_A_FILE."""
        path = self.path(text, operation=operation)
        if path.is_dir():
            raise _not_a_file(text, "a folder", _FOLDER, operation)
        if not os.path.lexists(path):
            raise _missing(text, operation, near=self._near(path))
        if not path.is_file():
            raise _not_a_file(text, "no ordinary file", None, operation)
        return path

    def _near(self, path: Path) -> str | None:
        """A file of a like name in the folder where one was looked for, that may be reached."""
        try:
            names = [entry.name for entry in self.entries(path.parent, operation="near") if entry.is_file]
        except VcadError:
            return None
        close = difflib.get_close_matches(path.name, names, 1)
        return self.shown(path.parent / close[0]) if close else None

    def folder(self, text: str, *, operation: str) -> Path:
        """The real path of a folder that is there. Raises: PathRefused; FileMissing; NOT_A_FILE."""
        path = self.path(text or ".", operation=operation)
        if not path.is_dir():
            if os.path.lexists(path):
                raise _not_a_file(text, "no folder", "read_file shows what is in it", operation)
            raise _missing(text, operation)
        return path

    def allows(self, path: Path) -> bool:
        """Whether what lies there may be reached and shown; links are followed first."""
        try:
            return self.allow_list.refusal(Path(os.path.realpath(path))) is None
        except (OSError, ValueError):
            return False

    def shown(self, path: Path) -> str:
        """A path as answers say it: from the workspace, with ``/``; one elsewhere whole."""
        if path.is_relative_to(self.workspace):
            return path.relative_to(self.workspace).as_posix()
        return str(path)

    # ---- files -----------------------------------------------------------------------------

    def read(self, path: Path, *, operation: str) -> bytes:
        """The content of a file. Raises: PathRefused; FileMissing; FileTooLarge; NOT_A_FILE."""
        base = self._base(path, operation)
        try:
            content = read_file(base, path, self._largest, only_name=True)
        except OSError as failed:
            self._failed(path, failed, operation)
        if isinstance(content, int):
            raise self._too_large(path, content, operation)
        return content

    def write(self, path: Path, data: bytes, *, operation: str, new: bool = False) -> None:
        """Give a file this content, at once; folders that are missing are made.

        new: only where there is none yet. Among pictures and exports it must be what its ending says.
        Raises: PathRefused; FileTooLarge; NOT_A_FILE; FILE_EXISTS; SAVE_FAILED. Nothing has changed then.
        """
        base = self._base(path, operation)
        if len(data) > self._largest:
            raise self._too_large(path, len(data), operation)
        self._require_output(path, data, operation)
        try:
            with self._writing:
                self._require_free(path, operation)
                if new:
                    create_file(base, path, data)
                else:
                    replace_file(base, path, data, only_name=True)
        except FileExistsError:
            raise ServiceFailure(
                ErrorCode.FILE_EXISTS,
                f"{self.shown(path)!r} is there already",
                fix="set_file_slice changes lines of it; write_file replaces it",
                details={"path": self.shown(path), "operation": operation},
            ) from None
        except OSError as failed:
            self._failed(path, failed, operation, writing=True)

    @contextmanager
    def held(self, digests: Iterable[tuple[str, str]], *, operation: str) -> Iterator[None]:
        """Have these files stay as a person has approved them: no agent writes them meanwhile.

        digests: paths from the workspace, each with the SHA-256 that it must have.
        Raises: ServiceFailure REVISION_CONFLICT for one that is another by now.
        """
        there = {(self.workspace / shown): sha256 for shown, sha256 in digests}
        with self._writing:
            self._held.update(there.keys())
        try:
            for path, sha256 in there.items():
                if hashlib.sha256(self.read(path, operation=operation)).hexdigest() != sha256:
                    raise ServiceFailure(
                        ErrorCode.REVISION_CONFLICT,
                        f"{self.shown(path)!r} is not what was approved; nothing was done",
                        fix="call it again: the person is asked for what stands there now",
                        details={
                            "node_id": None,
                            "path": self.shown(path),
                            "expected": sha256,
                            "current": None,
                            "operation": operation,
                        },
                    )
            yield
        finally:
            with self._writing:
                self._held.subtract(there.keys())

    def _require_free(self, path: Path, operation: str) -> None:
        """Raises: ServiceFailure BUSY for a file that is being run."""
        if self._held[path] > 0:
            raise ServiceFailure(
                ErrorCode.BUSY,
                f"{self.shown(path)!r} is used by what a person has let run; nothing was written",
                fix="write it when that has ended",
                details={"path": self.shown(path), "operation": operation},
            )

    def keep(self, path: Path, before: bytes, *, operation: str) -> None:
        """Keep what stands in a file before something of it goes. Raises: SAVE_FAILED."""
        try:
            self.persons.keep(path, before)
        except OSError as failed:
            self._failed(path, failed, operation, writing=True)

    def make_folder(self, path: Path, *, operation: str) -> None:
        """Make a folder, and those on the way to it; one that is there stays.

        Raises: PathRefused; SAVE_FAILED.
        """
        base = self._base(path, operation)
        try:
            make_folder(base, path)
        except OSError as failed:
            self._failed(path, failed, operation, writing=True)

    def entries(self, folder: Path, *, operation: str) -> list[Entry]:
        """What lies in a folder and may be shown, by name. Raises: PathRefused; FileMissing."""
        base = self._base(folder, operation)
        try:
            entries = scan_folder(base, folder)
        except OSError as failed:
            self._failed(folder, failed, operation)
        return [entry for entry in entries if _is_text(entry.name) and self._may_be_shown(entry)]

    def _may_be_shown(self, entry: Entry) -> bool:
        """Whether an entry of a resolved folder passes layer 2; what is no link is resolved already."""
        if entry.is_link:
            return self.allows(entry.path)
        return self.allow_list.refusal(entry.path) is None

    def below(self, folder: Path, *, operation: str, depth: int | None = None) -> Iterator[tuple[int, Entry]]:
        """All that lies below a folder and may be shown, each folder before what lies in it.

        depth: levels at most. Links to folders are not followed; folders that cannot be read are left out.
        Yields: the level, from 1, and the entry. Raises: as `entries`, for the folder itself.
        """
        waiting = [iter(self.entries(folder, operation=operation))]
        while waiting:
            entry = next(waiting[-1], None)
            if entry is None:
                waiting.pop()
                continue
            yield len(waiting), entry
            if entry.is_folder and not entry.is_link and (depth is None or len(waiting) < depth):
                try:
                    inner = self.entries(entry.path, operation=operation)
                except (FileMissing, PathRefused, ServiceFailure):
                    continue
                waiting.append(iter(inner))

    def _content_now(self, path: Path) -> bytes | None:
        """The content of a file that an agent has seen; None when it is not there any more."""
        base = self.allow_list.base_of(path)
        if base is None or not self.allows(path):
            return None
        try:
            content = read_file(base, path, self._largest, only_name=True)
        except OSError:
            return None
        return None if isinstance(content, int) else content

    def _require_output(self, path: Path, data: bytes, operation: str) -> None:
        """Let nothing into the folders of pictures and exports that is not what its ending says.

        Raises: PathRefused.
        """
        own = self.workspace / ".vcad"
        if any(path.is_relative_to(own / name) for name in OUTPUT_FOLDERS) and not is_as_it_says(
            path.suffix, data
        ):
            self._refuse(
                self.shown(path),
                f"what lies there must be what its ending says, and this is no {path.suffix} file",
                operation,
            )

    # ---- refusals --------------------------------------------------------------------------

    def _base(self, path: Path, operation: str) -> Path:
        """The folder by which a resolved path is allowed. Raises: PathRefused."""
        refusal = self.allow_list.refusal(path)
        if refusal is not None:
            self._refuse(str(path), refusal, operation)
        base = self.allow_list.base_of(path)
        assert base is not None  # else there had been a refusal
        return base

    def _require_plain(self, text: str, operation: str) -> None:
        if not text or not text.strip():
            self._refuse(text, "it is empty", operation)
        if any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
            self._refuse(text, "it holds a control character", operation)
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            self._refuse(text, "it is no text", operation)
        if len(text.encode()) > _LONGEST:
            self._refuse(text[:100] + "…", f"it has more than {_LONGEST} bytes", operation)

    def _refuse(self, text: str, why: str, operation: str) -> NoReturn:
        # what a link leads to is not said: it may be a name that must not be disclosed
        bases = [str(base) for base in self.allow_list.bases]
        raise PathRefused(
            f"the path {text!r} is not allowed: {why}",
            fix=f"allowed is what lies below {', '.join(bases)}",
            details={
                "path": text,
                "workspace": str(self.workspace),
                "base_directories": bases,
                "operation": operation,
            },
        )

    def _failed(self, path: Path, failed: OSError, operation: str, *, writing: bool = False) -> NoReturn:
        shown = self.shown(path)
        if isinstance(failed, SeveralNamesError):
            raise self._several_names(shown, operation) from None
        if failed.errno == errno.EISDIR:
            raise _not_a_file(shown, "a folder", _FOLDER, operation) from None
        if failed.errno in {errno.ELOOP, errno.EMLINK, errno.ENXIO}:
            raise _not_a_file(shown, "no ordinary file", None, operation) from None
        reason = failed.strerror or str(failed)
        if writing:
            raise ServiceFailure(
                ErrorCode.SAVE_FAILED,
                f"{shown!r} could not be written: {reason}",
                details={"path": shown, "reason": reason, "operation": operation},
            ) from None
        raise _missing(shown, operation, reason) from None

    def _several_names(self, shown: str, operation: str) -> PathRefused:
        return PathRefused(
            f"the path {shown!r} is not allowed: the file has several names (hard links), "
            "and what the others are is not known",
            fix="a person can give it a content of its own: copy the file, and move the copy into its place",
            details={"path": shown, "workspace": str(self.workspace), "operation": operation},
        )

    def _too_large(self, path: Path, size: int, operation: str) -> FileTooLarge:
        return FileTooLarge(
            f"{self.shown(path)!r} has {size} bytes; at most {self._largest} are read or written of one file",
            details={
                "path": self.shown(path),
                "limit": self._largest,
                "size": size,
                "operation": operation,
            },
        )


def _stamp_of(path: Path) -> tuple[int, int, int] | None:
    """What changes whenever a file is written; None for one that is not there."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _is_text(name: str) -> bool:
    """Whether a name can be said in an answer: on some systems names are bytes."""
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def _require_name(path: Path) -> None:
    """Raises: OSError for what the file system takes for no name; not for one that is not there."""
    with suppress(FileNotFoundError, NotADirectoryError):
        path.lstat()


def _as_spelled(path: Path) -> Path:
    """The path with each name that is not there replaced by one that is, of another Unicode normal form.

    Two such names and none as written: which is meant is not known, and the path stays.
    """
    spelled = Path(path.anchor)
    for name in path.parts[1:]:
        inner = spelled / name
        if not name.isascii() and not os.path.lexists(inner) and spelled.is_dir():
            normal = unicodedata.normalize("NFC", name)
            alike = [
                entry for entry in spelled.iterdir() if unicodedata.normalize("NFC", entry.name) == normal
            ]
            inner = alike[0] if len(alike) == 1 else inner
        spelled = inner
    return spelled


def _missing(
    text: str, operation: str, reason: str = "there is no such file", *, near: str | None = None
) -> FileMissing:
    """near: what may have been meant."""
    meant = "relative paths begin at the workspace" if near is None else f"did you mean {near}?"
    return FileMissing(
        f"cannot read {text!r}: {reason}",
        fix=f"{meant}; list_directory and search_files show what there is",
        details={"path": text, "reason": reason, "operation": operation},
    )


_FOLDER: Final = "name a file in it; list_directory shows what lies in it"


def _not_a_file(text: str, what: str, fix: str | None, operation: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.NOT_A_FILE,
        f"{text!r} is {what}",
        fix=fix,
        details={"path": text, "operation": operation},
    )
