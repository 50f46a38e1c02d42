"""What a script sees and may write, the same for every sandbox: a list of what is mounted where, in order.

    layout = Layout.of(workspace, staging)
    layout.steps            # [("read", "/usr", "/usr"), ("write", "/project", "/project"), …]
    layout.unseen           # folders that are too large to look through, and so are not visible

Nothing is there that is not laid out: the programs of the system, this interpreter, an empty home folder and
/tmp, and the workspace. In the workspace, what the path policy denies by name is empty, and what the person's
programs run later is not writable: git's folders, the workbench's own, the interpreter. Knows no
sandbox (sandbox.py).
"""

from __future__ import annotations

import os
import site
import stat
import sys
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

from notebook_ext.workspace.files.allow_list import belongs_to_git, denied_name, runtime_folders
from notebook_ext.workspace.files.outputs import OUTPUT_FOLDERS
from vcad_kernel.errors import PathRefused

__all__ = ["Layout", "Marked", "Step", "is_repository", "look_through", "shown"]

Step: TypeAlias = tuple[Literal["read", "write", "device", "fresh", "link", "proc", "freeze"], str, str]
"""What is done, with what, where: a folder or file bound read-only or writable, a device; an empty folder in
memory of some bytes; a symbolic link with its text; the processes of the sandbox; and, of what was laid out
until then, a folder in memory made read-only."""

_DEVICES: Final = ("null", "zero", "full", "random", "urandom", "tty")
"""All of the machine's devices that are there: a disk could be written to whatever is mounted how."""
_SETTINGS: Final = ("sys", "sysrq-trigger", "irq", "bus", "acpi", "fs", "scsi")
"""Of /proc, what steers the machine: a user who is root outside may write there in a sandbox too."""
_STREAMS: Final = (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2"))
"""Links in /dev, and where in /proc/self they lead."""

_SYSTEM: Final = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
    # where systems that build on these keep their programs, for all to read
    *("/nix/store", "/gnu/store", "/run/current-system/sw"),
)
_ETC: Final = (
    *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "passwd", "group", "nsswitch.conf"),
    *("hosts", "localtime", "timezone", "locale.alias", "locale.conf", "default/locale", "terminfo"),
    *("bash.bashrc", "profile", "inputrc", "fonts", "mime.types", "magic", "os-release", "debian_version"),
    *("ssl/certs", "ssl/openssl.cnf", "ca-certificates.conf", "gitconfig", "static", "protocols", "services"),
)
"""Of /etc, what programs read to run at all, for all to read."""
_INTERPRETER: Final = ("bin", "lib", "lib64", "libexec", "include", "share", "etc", "ssl", "pyvenv.cfg")
"""Of an interpreter's folder, where that folder holds the workspace or the home folder too."""
_TMP_BYTES: Final = 2**30
_HOME_BYTES: Final = 2**28
_SHARED_BYTES: Final = 2**28
_DEVICE_BYTES: Final = 2**16

_MOST_ENTRIES: Final = 500_000
"""Files and folders that are looked at; a second or two."""
_MOST_MARKS: Final = 2_000
"""Mounts within the workspace: each makes the next slower, and systems allow 100,000."""


@dataclass(slots=True)
class Marked:
    """What of a workspace a script must not read, or not write."""

    covered: list[Path] = field(default_factory=list)
    """Denied by name, and sockets and pipes: what listens there is not the script's."""
    sealed: list[Path] = field(default_factory=list)
    """Git's: readable, and not writable."""
    known: set[tuple[int, int]] = field(default_factory=set)
    """Device and number of each of those that are git's, by which they are known whatever is moved."""
    unseen: list[Path] = field(default_factory=list)
    """Folders that were not looked through to their end."""

    def know(self, path: Path) -> None:
        """Note that something of git's is there already."""
        with suppress(OSError):
            status = path.lstat()
            self.known.add((status.st_dev, status.st_ino))

    def seal(self, path: Path) -> None:
        """Note that something is git's, and must stay as it is."""
        self.know(path)
        self.sealed.append(path)


def look_through(workspace: Path, *, most: int = _MOST_ENTRIES, without: Collection[Path] = ()) -> Marked:
    """Look at all names of a workspace, those near its top first; links are not followed.

    most: entries; the folders at the top that are not finished by then are given up whole. without: folders
    that are not looked into.
    Raises: PathRefused for a workspace that is itself too large a folder.
    """
    marked, seen, own = Marked(), 0, {str(path) for path in (workspace / ".vcad", *without)}
    waiting = deque([workspace])
    while waiting:
        folder = waiting.popleft()
        try:
            with os.scandir(folder) as listed:
                entries = list(listed)
        except OSError:  # the script, which has the same rights, cannot look into it either
            continue
        seen += len(entries)
        if len(entries) > most and folder == workspace:
            raise _refused(workspace, f"which has {len(entries)} files and folders side by side")
        if seen > most or len(marked.covered) + len(marked.sealed) > _MOST_MARKS:
            _give_up(marked, workspace, (folder, *waiting))
            break
        if is_repository(folder, workspace, {entry.name for entry in entries}):
            marked.seal(folder)
        for entry in entries:
            if entry.path in own:
                continue
            if entry.is_symlink():
                if belongs_to_git(entry.name):
                    marked.know(Path(entry.path))
            elif belongs_to_git(entry.name):
                marked.seal(Path(entry.path))
            elif denied_name(entry.name) is not None or entry.name == ".vcad":
                marked.covered.append(Path(entry.path))
            elif entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
            elif not entry.is_file(follow_symlinks=False):
                marked.covered.append(Path(entry.path))
    marked.covered += _other_names(workspace, marked.covered)
    return marked


def is_repository(folder: Path, workspace: Path, names: Collection[str]) -> bool:
    """Whether git takes a folder within a workspace for a repository, whatever it is called."""
    return folder != workspace and {"HEAD", "objects", "refs"} <= set(names)


def _other_names(workspace: Path, covered: Iterable[Path]) -> Iterator[Path]:
    """A file that is denied by one of its names is denied by all: those that the workspace has of it."""
    files = set()
    for path in covered:
        with suppress(OSError):
            status = path.lstat()
            if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
                files.add((status.st_dev, status.st_ino))
    for folder, _, names in os.walk(workspace) if files else ():
        for path in (Path(folder, name) for name in names):
            with suppress(OSError):
                status = path.lstat()
                if (status.st_dev, status.st_ino) in files:
                    yield path


def _give_up(marked: Marked, workspace: Path, left: Iterable[Path]) -> None:
    """Take the folders at the top that are not finished as unseen, and drop what is marked in them."""
    top = {workspace / path.relative_to(workspace).parts[0] for path in left if path != workspace}
    marked.unseen = sorted(top)
    for paths in (marked.covered, marked.sealed):
        paths[:] = [path for path in paths if not top.intersection((path, *path.parents))]


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything that is there for a script."""

    workspace: Path
    steps: tuple[Step, ...]
    marked: Marked

    @property
    def unseen(self) -> list[Path]:
        """Folders of the workspace that are not visible, for being too large to look through."""
        return self.marked.unseen

    @classmethod
    def of(cls, workspace: Path, staging: Path, repository: Iterable[Step] = ()) -> Layout:
        """Lay out a workspace. workspace: its real path. staging: a folder for what stands for other things.

        repository: the steps of the workspace's own ``.git``.
        Raises: PathRefused for a workspace that holds the system itself or is too large; OSError.
        """
        _require_apart(workspace)
        home = Path(os.path.realpath(Path.home()))
        nothing, nowhere = staging / "nothing", staging / "nowhere"
        nothing.touch(mode=0o444)
        nowhere.mkdir(mode=0o555)
        interpreter = list(_interpreter(workspace, home))
        marked = look_through(workspace, without=[Path(target) for _, _, target in interpreter])
        personal = _personal(home, workspace)

        def cover(path: Path) -> Step:
            if any(Path(target).is_relative_to(path) for _, _, target in interpreter):
                return ("fresh", str(2**20), str(path))
            return ("read", str(nowhere if path.is_dir() else nothing), str(path))

        steps: list[Step] = [*_machine(), ("fresh", str(_TMP_BYTES), "/tmp")]
        for folder in dict.fromkeys((Path.home(), home)):  # as it is named, too: links are not laid out
            if not _holds(workspace, folder) and folder != Path("/"):
                steps.append(("fresh", str(_HOME_BYTES), str(folder)))
        steps += _system()
        outside = [step for step in interpreter if not _holds(workspace, Path(step[2]))]
        steps += outside
        steps.append(("write", str(workspace), str(workspace)))
        # what is sealed is bound anew, without what is covered in it until then
        nested = [path for path in marked.sealed if path != workspace / ".git"]
        steps += [("read", str(path), str(path)) for path in _outermost(nested)]
        steps += [cover(path) for path in _outermost([*personal, *marked.covered, *marked.unseen])]
        steps += repository
        steps += _own(workspace, cover)
        steps += [step for step in interpreter if step not in outside]
        steps.append(("freeze", "", "/"))
        return cls(workspace, tuple(steps), marked)


def _require_apart(workspace: Path) -> None:
    if any(_holds(workspace, Path(folder)) for folder in ("/usr", "/etc", "/proc", "/dev")):
        raise _refused(workspace, "which holds the system itself")


def _refused(workspace: Path, why: str) -> PathRefused:
    return PathRefused(
        f"a script is not run in {workspace}, {why}",
        fix="open the notebook in a folder of the project's own",
        details={"path": str(workspace), "workspace": str(workspace), "operation": "run_shell"},
    )


def shown(path: Path, workspace: Path) -> str:
    """A path as answers say it: from the workspace, with ``/``, and as text though names are bytes."""
    return os.fsencode(path.relative_to(workspace).as_posix()).decode("utf-8", "replace")


def _holds(folder: Path, path: Path) -> bool:
    return path.is_relative_to(folder)


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """Those that lie in no other of them, which is laid out already."""
    kept: list[Path] = []
    taken: set[Path] = set()
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
        if taken.isdisjoint(path.parents):
            kept.append(path)
            taken.add(path)
    return kept


def _machine() -> Iterator[Step]:
    """The processes, without what steers the machine, and harmless devices; no terminal."""
    yield ("proc", "", "/proc")
    yield from (("read", f"/proc/{name}", f"/proc/{name}") for name in _SETTINGS)
    yield ("fresh", str(_DEVICE_BYTES), "/dev")
    yield from (("device", f"/dev/{name}", f"/dev/{name}") for name in _DEVICES)
    yield from (("link", f"/proc/self/{inner}", f"/dev/{name}") for name, inner in _STREAMS)
    yield ("fresh", str(_SHARED_BYTES), "/dev/shm")
    yield ("freeze", "", "/dev")


def _system() -> Iterator[Step]:
    for name in _SYSTEM:
        folder = Path(name)
        if folder.is_symlink():
            yield ("link", str(folder.readlink()), name)
        elif folder.is_dir():
            yield ("read", name, name)
    for name in _ETC:
        path = Path("/etc", name)
        if path.is_symlink() and not _holds(Path("/etc"), path.resolve()):
            yield ("link", str(path.readlink()), str(path))
        elif path.exists():
            yield ("read", os.path.realpath(path), str(path))


def _interpreter(workspace: Path, home: Path) -> Iterator[Step]:
    """This Python with its packages, and the workbench's own where they lie elsewhere, as they are named."""
    named = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix]
    folders: list[Path] = []
    for prefix in (Path(name) for name in dict.fromkeys(named)):
        is_shared = (
            _holds(prefix, workspace) or _holds(prefix, home) or prefix in {Path("/usr"), Path("/usr/local")}
        )
        folders += [prefix / name for name in _INTERPRETER] if is_shared else [prefix]
    own = Path(__file__).parents[3]
    folders += [own / "notebook_ext", own / "vcad_kernel"]
    if site.ENABLE_USER_SITE:
        folders.append(Path(site.getusersitepackages()))
    laid: list[Path] = [Path("/usr")]
    for folder in folders:
        for target in dict.fromkeys((folder, Path(os.path.realpath(folder)))):
            if folder.exists() and not any(_holds(other, target) for other in laid):
                laid.append(target)
                yield ("read", os.path.realpath(folder), str(target))


def _personal(home: Path, workspace: Path) -> Iterator[Path]:
    """What is the person's own and lies in the workspace, where that is their home folder or holds it.

    Whatever begins with a dot: keys, settings, what shells and desktops run, browsers' and mail folders.
    And Jupyter's folders, wherever they are, since its data folder has the policy's key.
    """
    from jupyter_core.paths import jupyter_config_dir, jupyter_data_dir

    folders = [*runtime_folders(), Path(jupyter_data_dir()), Path(jupyter_config_dir())]
    if _holds(workspace, home):
        with suppress(OSError):
            folders += [path for path in home.iterdir() if _is_personal(path, workspace)]
    for folder in folders:
        real = Path(os.path.realpath(folder))
        if real.exists() and _holds(workspace, real) and real != workspace:
            yield real


def _is_personal(path: Path, workspace: Path) -> bool:
    own = path.parent == workspace and path.name in {".git", ".vcad"}
    return not own and (path.name.startswith(".") or path.name in _PERSONAL) and not path.is_symlink()


_PERSONAL: Final = frozenset({"Mail", "mail", "Maildir", "snap", "Library", "AppData"})
"""Below a home folder, where mail readers, browsers and other programs keep their data."""


def _own(workspace: Path, cover: Callable[[Path], Step]) -> Iterator[Step]:
    """The workbench's own folder: read-only, and of it only what others may read, and the scripts."""
    own = workspace / ".vcad"
    if own.is_dir() and not own.is_symlink():
        yield ("read", str(own), str(own))
        for path in sorted(own.iterdir()):
            if (
                path.name not in OUTPUT_FOLDERS | {"artifacts", "scripts", ".gitignore"}
                and not path.is_symlink()
            ):
                yield cover(path)
