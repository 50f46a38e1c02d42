"""What a script has made that the person's programs would run unasked, taken out of their way.

    guard = Guard(workspace, marked)
    guard.look()            # now and then while the script runs, and when it has ended
    guard.set_aside         # ["nested/.git"]

No sandbox can forbid a name in a folder that may be written to. So a folder or file of git's name that was
not there before is moved to ``.vcad/set_aside``, where it is called otherwise and the person can look at it;
a folder that git would take for a repository loses its HEAD; and in a home folder, what shells, desktops and
Python read at their start is moved too. Links that a script puts in the way lead nowhere.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from notebook_ext.workspace.files.allow_list import belongs_to_git
from notebook_ext.workspace.shell.layout import Marked, is_repository, shown
from vcad_kernel.paths import own_folder
from vcad_kernel.system.files import NO_LINK

__all__ = ["Guard"]

_PAUSE: Final = 10
"""Between two looks at least as many times what the last one took, so that looking costs a tenth at most."""

_READ_AT_START: Final = frozenset(
    {
        *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".inputrc", ".zshrc"),
        *(".zshenv", ".zprofile", ".zlogin", ".kshrc", ".cshrc", ".tcshrc", ".login", ".pam_environment"),
        *(".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".config", ".local", ".ipython", ".jupyter"),
        *(".gitconfig", ".ssh", ".vimrc", ".vim", ".emacs", ".emacs.d", ".pdbrc", ".condarc", ".mozilla"),
    }
)
"""Below a home folder, what is run or obeyed the next time that a program starts."""


class Guard:
    """workspace: its real path. marked: what was there before the script."""

    def __init__(
        self, workspace: Path, marked: Marked, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.set_aside: list[str] = []
        """What was taken out of the way, from the workspace, with ``/``."""
        self._workspace = workspace
        self._known = marked.known
        self._passed_over = {str(path) for path in (workspace / ".vcad", *marked.unseen)}
        self._clock = clock
        self._next = 0.0
        self._homes_own = self._read_at_start()

    def look(self, *, over: bool = False) -> None:
        """Take away what is new. over: the script has ended, look whatever it takes."""
        began = self._clock()
        if not over and began < self._next:
            return
        for path in self._made():
            if self._taken(path):
                self.set_aside.append(shown(path, self._workspace))
        ended = self._clock()
        self._next = ended + _PAUSE * (ended - began)

    def _read_at_start(self) -> set[Path]:
        home = Path(os.path.realpath(Path.home()))
        if not home.is_relative_to(self._workspace):
            return set()
        return {path for path in (home / name for name in _READ_AT_START) if os.path.lexists(path)}

    def _made(self) -> Iterator[Path]:
        """What is git's and was not there before."""
        yield from sorted(self._read_at_start() - self._homes_own)
        waiting = [self._workspace]
        while waiting:
            folder = waiting.pop()
            try:
                with os.scandir(folder) as listed:
                    entries = list(listed)
            except OSError:  # gone, or too deep for any program to name
                continue
            if is_repository(folder, self._workspace, {entry.name for entry in entries}) and self._is_new(
                folder
            ):
                yield folder / "HEAD"
            for entry in entries:
                if belongs_to_git(entry.name):
                    if self._is_new(Path(entry.path)):
                        yield Path(entry.path)
                elif entry.is_dir(follow_symlinks=False) and entry.path not in self._passed_over:
                    waiting.append(Path(entry.path))

    def _is_new(self, path: Path) -> bool:
        with suppress(OSError):
            status = path.lstat()
            return (status.st_dev, status.st_ino) not in self._known
        return False

    def _taken(self, path: Path) -> bool:
        """Move one away, by folders that are opened one by one and never through a link."""
        folder = None
        try:
            folder = _opened(self._workspace, path.parent)
            kept = own_folder(self._workspace) / "set_aside"
            kept.mkdir(exist_ok=True)
            name = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{secrets.token_hex(4)}"
            if path.name == "HEAD":
                os.rename("HEAD", "HEAD.set-aside", src_dir_fd=folder, dst_dir_fd=folder)
                return True
            target = _opened(self._workspace, kept)
            try:
                os.rename(path.name, name, src_dir_fd=folder, dst_dir_fd=target)
            except OSError:  # another file system: it stays where it is, and is called otherwise
                os.rename(path.name, f"set-aside-{name}", src_dir_fd=folder, dst_dir_fd=folder)
            finally:
                os.close(target)
        except OSError:
            return False
        finally:
            if folder is not None:
                os.close(folder)
        return True


def _opened(base: Path, path: Path) -> int:
    """A folder below another, open. Raises: OSError, also where a link is on the way."""
    flags = os.O_RDONLY | os.O_DIRECTORY | NO_LINK
    folder = os.open(base, flags)
    for step in path.relative_to(base).parts:
        try:
            inner = os.open(step, flags, dir_fd=folder)
        finally:
            os.close(folder)
        folder = inner
    return folder
