"""Which paths an agent may reach: the allow list (layer 1) and the decision (layer 2).

Both take resolved paths and compare them by components; resolving is the gate's business (gate.py).

Some names no agent is shown and none may write, wherever they lie and even where they are listed as allowed:
conversations, the records by which a session is found, git's internals, the workbench's own folder but for
what it makes for others, keys and passwords. They are compared as the laxest file system would: without case,
in one Unicode normal form, without what a file system drops.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase, translate
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

__all__ = ["AllowList", "belongs_to_git", "denied_name", "runtime_folders"]


class AllowList:
    """The files and folders of one session; by default its workspace.

    workspace: its real path.
    """

    def __init__(self, workspace: Path) -> None:
        self.workspace = Path(os.path.realpath(workspace))
        self._files: frozenset[Path] = frozenset()
        self._bases: tuple[Path, ...] = (self.workspace,)
        self._primary = self.workspace

    @property
    def primary_base(self) -> Path:
        """What relative paths begin at."""
        return self._primary

    @property
    def bases(self) -> tuple[Path, ...]:
        """The folders below which everything may be reached that is not denied by name."""
        return self._bases

    def configure(self, file_items: Iterable[str | Path], extra_base_dirs: Iterable[str | Path] = ()) -> None:
        """Begin anew with these tracked files and folders.

        The first folder is where relative paths begin, else the workspace. Each file is allowed, and the
        folder it lies in; each folder that exists. With neither, only what is below the workspace.
        """
        folders = [Path(os.path.realpath(self.workspace / name)) for name in extra_base_dirs]
        primary = folders[0] if folders else self.workspace
        files = [Path(os.path.realpath(primary / name)) for name in file_items]
        bases = [*(path.parent for path in files), *(path for path in folders if path.is_dir())]
        # assigned at once: a call that is under way decides by the old list or by the new one
        self._primary, self._files = primary, frozenset(files)
        self._bases = tuple(dict.fromkeys(bases)) or (self.workspace,)

    def refusal(self, path: Path) -> str | None:
        """Why a resolved path may not be reached, as the end of a sentence; None when it may."""
        denied = denial(path, self.workspace)
        if denied is not None:
            return denied
        return None if self.base_of(path) is not None else "it lies outside of the folders that are allowed"

    def base_of(self, path: Path) -> Path | None:
        """The folder by which a resolved path is allowed, the innermost one; None when there is none."""
        if path in self._files:
            return path.parent
        parts = path.parts
        around = [base for base in self._bases if is_below(parts, base)]
        return max(around, key=lambda base: len(base.parts), default=None)


_OWN: Final = ".vcad"
_OWN_SHOWN: Final = frozenset({"shots", "exports", "artifacts"})
"""What lies in the workbench's folder for others to read."""

_GITS: Final = "it belongs to git"

_DENIED: Final[tuple[tuple[str, str], ...]] = (
    ("history.toml", "it is a record of conversations"),
    ("*_history.*", "it is a record of conversations"),
    (".git", _GITS),
    ("git~[0-9]", _GITS),
    ("?*.git", _GITS),
    (".env*", "it may hold passwords"),
    (".netrc", "it may hold passwords"),
    ("_netrc", "it may hold passwords"),
    (".pgpass", "it may hold passwords"),
    (".git-credentials", "it may hold passwords"),
    (".pypirc", "it may hold passwords"),
    (".npmrc", "it may hold passwords"),
    (".ssh", "it holds keys"),
    (".gnupg", "it holds keys"),
    (".aws", "it holds keys"),
    (".azure", "it holds keys"),
    (".kube", "it holds keys"),
    (".docker", "it holds keys"),
    (".password-store", "it may hold passwords"),
    ("secrets.toml", "it may hold passwords"),
    (".htpasswd", "it may hold passwords"),
    ("id_rsa*", "it is a key"),
    ("id_dsa*", "it is a key"),
    ("id_ecdsa*", "it is a key"),
    ("id_ed25519*", "it is a key"),
    ("*.pem", "it is a key"),
    ("*.key", "it is a key"),
    ("*.p12", "it is a key"),
    ("*.pfx", "it is a key"),
    ("*.ppk", "it is a key"),
    ("*.jks", "it is a key"),
    ("*.keystore", "it is a key"),
    ("*.kdbx", "it is a key"),
    ("vcad-s-*.json", "it is the record of a session"),
    ("kernel-[0-9a-f]*-*-*-*-*.json", "it is the record of a kernel"),
    ("jpserver-*.json", "it is the record of a server"),
    ("nbserver-*.json", "it is the record of a server"),
)
"""Patterns of one component, and the reason given for what they match."""

_SYSTEM: Final = frozenset({"proc", "sys", "dev"})
"""Folders at the root in which files are not what they seem: one is this process, with its variables."""

_INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]")
"""What some file systems leave out when they compare names."""


def denial(path: Path, workspace: Path) -> str | None:
    """Why a resolved path is denied, as the end of a sentence; None when its name is harmless.

    Below the workspace the names from there on count, elsewhere all.
    """
    parts = path.parts
    written = parts[len(workspace.parts) :] if is_below(parts, workspace) else parts
    for name in written:
        if (why := denied_name(name)) is not None:
            return why
    names = [_plain(name) for name in written]
    if _OWN in names:
        behind = names[names.index(_OWN) + 1 :]
        if not behind or behind[0] not in _OWN_SHOWN:
            return "it is the workbench's own"
    # a workspace may lie in /dev/shm
    if os.name == "posix" and parts[1:2] != workspace.parts[1:2] and not _SYSTEM.isdisjoint(parts[1:2]):
        return "it belongs to the system"
    if any(is_below(parts, folder) for folder in runtime_folders()):
        return "it lies among the records of sessions"
    return None


def is_below(parts: tuple[str, ...], folder: Path) -> bool:
    """Whether a path, as its components, is a folder or lies below it; ten times as fast as pathlib's."""
    above = folder.parts
    return parts[: len(above)] == above


_ANY_DENIED: Final = re.compile("|".join(f"(?:{translate(pattern)})" for pattern, _ in _DENIED))
"""All patterns at once, since nearly every name matches none of them."""


@lru_cache(maxsize=8192)
def denied_name(name: str) -> str | None:
    """Why one component is denied, as the end of a sentence; None when it is harmless."""
    plain = _plain(name)
    if _ANY_DENIED.match(plain) is None:
        return None
    return next(why for pattern, why in _DENIED if fnmatchcase(plain, pattern))


def belongs_to_git(name: str) -> bool:
    """Whether git, on some file system, takes a folder or file of this name for one of its own."""
    if name.isascii() and "git" not in name.lower():
        return False  # as nearly every name of the many that are looked at
    return denied_name(name) == _GITS


@lru_cache(maxsize=8192)
def _plain(name: str) -> str:
    """A name as the laxest file system compares it: ``.GIT.`` is ``.git``."""
    # nearly all names are ASCII, and of those neither normal form nor invisible letters matter
    shown = (
        name.lower() if name.isascii() else unicodedata.normalize("NFKC", _INVISIBLE.sub("", name)).casefold()
    )
    if len(shown) > 1:
        shown = shown.split(":", 1)[0] or shown
    return shown.rstrip(". ") or shown


@cache
def _runtime_folders(_environment: tuple[str | None, ...]) -> tuple[Path, ...]:
    from jupyter_core.paths import jupyter_runtime_dir

    return (Path(os.path.realpath(jupyter_runtime_dir())),)


def runtime_folders() -> Sequence[Path]:
    """Where Jupyter keeps the records of kernels, servers and sessions, with their tokens."""
    names = ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "XDG_DATA_HOME", "HOME")
    return _runtime_folders(tuple(os.environ.get(name) for name in names))
