"""A workspace's repository as a script has it: it may commit, and change nothing that git runs later.

    with borrowed(workspace, staging) as repository:
        repository.steps                  # how it is laid out (layout.py)
        ...                               # the script runs
    repository.kept_out                   # what could not be taken over

Git runs programs that its settings, hooks, attributes and a handful of files of a name name, in a person's
next ``git status`` or their editor's. Which those are grows with git; so in a script's ``.git`` lies a folder
of its own with the repository's objects, refs and logs in it, everything else read-only, and a copy of the
index and of HEAD, which is taken over when the script has ended. Knows git's files (gitrepository-layout(5))
and starts no git.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from notebook_ext.workspace.shell.layout import Step
from vcad_kernel.system.files import create_file, read_file, replace_file

__all__ = ["Repository", "borrowed"]

_SHARED: Final = ("objects", "refs", "logs")
"""Folders that a script writes to directly."""
_TAKEN_OVER: Final = ("index", "HEAD")
"""Files that it has a copy of: git replaces them by renaming, which no mounted file allows."""
_STOPPED: Final = {"commondir": b".\n", "config.worktree": b""}
"""Files that would lead git elsewhere, as they are where there is none: its own folder, and nothing."""
_LARGEST: Final = 256 * 2**20
"""Bytes of an index: one of a million files has about a hundred million."""
_HEAD: Final = re.compile(rb"(ref: refs/[A-Za-z0-9_./@+-]{1,240}|[0-9a-f]{40}|[0-9a-f]{64})\n")


@dataclass(slots=True)
class Repository:
    """What a script sees as its ``.git``."""

    steps: list[Step] = field(default_factory=list)
    kept_out: list[str] = field(default_factory=list)
    """Files of it that the script has changed and that were not taken over, since others had changed too."""


@contextmanager
def borrowed(workspace: Path, staging: Path) -> Iterator[Repository]:
    """Lend the repository of a workspace to a script, and take over what it did when this ends.

    staging: an empty folder that only this script's layout uses. Raises: OSError.
    """
    git, own, repository = workspace / ".git", staging / "git", Repository()
    if git.is_symlink() or not git.exists():
        yield repository
        return
    if not git.is_dir():  # of a linked worktree or a submodule: the repository lies elsewhere and is not seen
        repository.steps = [("read", str(git), str(git))]
        yield repository
        return
    repository.steps = list(_laid_out(git, own))
    before = {name: _content(git, name) for name in _TAKEN_OVER}
    try:
        yield repository
    finally:
        for name in _TAKEN_OVER:
            after = _content(own, name)
            if after is None or after == before[name]:
                continue
            if _content(git, name) != before[name] or not _taken_over(git, name, after):
                repository.kept_out.append(f".git/{name}")


def _laid_out(git: Path, own: Path) -> Iterator[Step]:
    """Make the folder that stands for ``git``, and say what is laid over what is in it."""
    own.mkdir()
    yield ("write", str(own), str(git))
    for entry in sorted(git.iterdir()):
        target, status = own / entry.name, entry.lstat()
        if stat.S_ISDIR(status.st_mode):
            target.mkdir()
            yield ("write" if entry.name in _SHARED else "read", str(entry), str(entry))
        elif not stat.S_ISREG(status.st_mode) or entry.name.endswith(".lock"):
            continue
        elif entry.name in _TAKEN_OVER or _is_note(entry.name):
            content = _content(git, entry.name)
            if content is not None:
                target.write_bytes(content)
        else:
            target.touch()
            yield ("read", str(entry), str(entry))
    for name in ("hooks", "info", "modules", "worktrees"):
        if not (own / name).exists():
            (own / name).mkdir()
            yield ("read", str(own / name), str(git / name))
    for name, content in _STOPPED.items():
        if not (own / name).exists():
            (own / name).write_bytes(content)
            yield ("read", str(own / name), str(git / name))


def _is_note(name: str) -> bool:
    """Whether it is one of git's messages and marks, such as COMMIT_EDITMSG: written anew each time."""
    return name == name.upper()


def _content(folder: Path, name: str) -> bytes | None:
    """A file's content; None for one that is not there or no ordinary file."""
    with suppress(OSError):
        content = read_file(folder, folder / name, _LARGEST)
        return None if isinstance(content, int) else content
    return None


def _taken_over(git: Path, name: str, content: bytes) -> bool:
    """Replace a file as git does, under its lock. Returns: False where that cannot be."""
    if name == "HEAD" and not _HEAD.fullmatch(content):
        return False
    lock = git / f"{name}.lock"
    try:
        create_file(git, lock, b"")
    except OSError:
        return False
    try:
        replace_file(git, git / name, content)
    except OSError:
        return False
    finally:
        with suppress(OSError):
            lock.unlink()
    return True
