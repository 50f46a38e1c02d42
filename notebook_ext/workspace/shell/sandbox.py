"""How far a script is shut in: the strongest of what this system offers.

In each a script sees what layout.py lays out and nothing else, has no network, and is held to limits. Where
the system offers nothing a script runs as any program of the user, and the person who is asked reads that.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, get_args

from notebook_ext.workspace.shell.layout import Layout
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = [
    "CHANNELS",
    "MEANING",
    "Enclosed",
    "Limits",
    "Sandbox",
    "enclosed",
    "started",
    "strongest_sandbox",
]

Sandbox: TypeAlias = Literal["bubblewrap", "unshare", "sandbox-exec", "none"]
"""From the strongest to none."""

_SHUT_IN: Final = (
    "sees the workspace without keys and passwords, the interpreter and the system's programs, and nothing "
    "else; writes to the workspace only; no network"
)
MEANING: Final[Mapping[Sandbox, str]] = MappingProxyType(
    {
        "bubblewrap": _SHUT_IN,
        "unshare": _SHUT_IN,
        "sandbox-exec": "of your home folder sees the workspace without keys and passwords, and the "
        "interpreter; writes to the workspace only; no network; no limits on processes and memory",
        "none": "this system offers no sandbox: the script may do all that you may",
    }
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much all processes of a script may use together; files for each of them."""

    processes: int = 256
    """And threads, at a time."""
    memory_bytes: int = 4 * 2**30
    file_bytes: int = 2**30
    """Of one file that is written."""
    open_files: int = 1024
    """Of one process."""


_JAIL: Final = Path(__file__).with_name("jail.py")
_PROBE_LIMIT: Final = 20.0
"""Seconds; on a loaded machine the making of a network namespace alone has taken two."""
CHANNELS: Final = ("<channel 0>", "<channel 1>")
"""Stand in a command for the numbers of the open files that it reads `Enclosed.channels` from."""

_CLEAN: Final = MappingProxyType({"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"})
"""Variables of the programs that make a sandbox: those of the script could make them do other things."""


@dataclass(frozen=True, slots=True)
class Enclosed:
    """A command within a sandbox, as it is started."""

    words: tuple[str, ...]
    variables: Mapping[str, str]
    channels: tuple[bytes, ...] = ()
    """What it reads from `CHANNELS`, so that no command line shows what the variables hold."""


def enclosed(
    sandbox: Sandbox,
    command: list[str],
    layout: Layout,
    folder: Path,
    variables: Mapping[str, str],
    limits: Limits,
) -> Enclosed:
    """The command as it is started within a sandbox, in ``folder``. variables: of the command."""
    if sandbox == "sandbox-exec":
        profile = _seatbelt_profile(layout)
        return Enclosed((_program("sandbox-exec"), "-p", profile, *_limited(command, limits)), variables)
    if sys.platform != "linux":
        return Enclosed(tuple(_limited(command, limits)), variables)
    steps = layout.steps if sandbox == "unshare" else None
    request = {"steps": steps, "variables": dict(variables), "limits": asdict(limits)}
    data = json.dumps(request).encode("ascii")
    if sandbox == "bubblewrap":
        words = b"".join(os.fsencode(word) + b"\0" for word in _bubblewrap(layout, folder))
        # by its real path, which is laid out; it is the first process in there, and keeps to the limits
        inner = (os.path.realpath(sys.executable), "-I", "-S", str(_JAIL), CHANNELS[1], *command)
        return Enclosed((_program("bwrap"), "--args", CHANNELS[0], "--", *inner), _CLEAN, (words, data))
    return Enclosed((sys.executable, "-I", "-S", str(_JAIL), CHANNELS[0], *command), _CLEAN, (data,))


def started(what: Enclosed, **options: Any) -> subprocess.Popen[bytes]:
    """The process. options: of `subprocess.Popen`. Raises: OSError."""
    handles: dict[str, int] = {}
    try:
        for name, data in zip(CHANNELS, what.channels, strict=False):
            handles[name] = os.memfd_create("vcad-script")  # a file without a name
            with os.fdopen(os.dup(handles[name]), "wb") as file:
                file.write(data)
            os.lseek(handles[name], 0, os.SEEK_SET)
        words = [str(handles.get(word, word)) for word in what.words]
        return subprocess.Popen(words, env=dict(what.variables), pass_fds=tuple(handles.values()), **options)
    finally:
        for handle in handles.values():
            os.close(handle)


def _limited(command: list[str], limits: Limits) -> list[str]:
    """Within the limits that a shell can set for itself, where there is no jail to watch over all."""
    blocks = limits.file_bytes // 512  # in which POSIX has ulimit count
    script = f'ulimit -f {blocks}; ulimit -n {limits.open_files}; ulimit -c 0; exec "$@"'
    return ["/bin/sh", "-c", script, "sh", *command]


def _program(name: str) -> str:
    """The whole path of a program, by the session's own PATH and never by that of a script."""
    return shutil.which(name) or name


def strongest_sandbox() -> Sandbox:
    """The first that works here; each is tried once in a process, by running nothing in it.

    Raises: ServiceFailure BUSY where none works and one could not be tried in time: without it a script would
    run free only because the machine is busy. It is tried again the next time.
    """
    slow: list[Sandbox] = []
    for sandbox in get_args(Sandbox):
        try:
            if sandbox != "none" and _works(sandbox):
                return sandbox  # type: ignore[no-any-return]
        except subprocess.TimeoutExpired:
            slow.append(sandbox)
    if slow:
        raise ServiceFailure(
            ErrorCode.BUSY,
            f"it could not be tried within {_PROBE_LIMIT:g} s whether {slow[0]} works on this machine",
            fix="try again when the machine has less to do",
            details={"operation": "run_shell"},
        )
    return "none"


@cache
def _works(sandbox: Sandbox) -> bool:
    """Raises: subprocess.TimeoutExpired."""
    program = {"bubblewrap": "bwrap", "unshare": sys.executable, "sandbox-exec": "sandbox-exec"}[sandbox]
    if shutil.which(program) is None or (sandbox == "unshare" and sys.platform != "linux"):
        return False
    nothing = shutil.which("true") or "true"
    here = _JAIL.parent
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with TemporaryDirectory(prefix="vcad-script-") as staging, suppress(OSError):
        layout = Layout.of(Path(os.path.realpath(here)), Path(os.path.realpath(staging)))
        tried = started(enclosed(sandbox, [nothing], layout, here, {}, Limits()), cwd=here, **quiet)
        try:
            return tried.wait(_PROBE_LIMIT) == 0
        except subprocess.TimeoutExpired:
            tried.kill()
            tried.wait()
            raise
    return False


def _bubblewrap(layout: Layout, folder: Path) -> list[str]:
    words = ["--die-with-parent", "--unshare-all", "--as-pid-1", "--cap-drop", "ALL", "--unsetenv", "PATH"]
    for kind, what, where in layout.steps:
        match kind:
            case "read":
                words += ["--ro-bind-try", what, where]
            case "write":
                words += ["--bind", what, where]
            case "device":
                words += ["--dev-bind-try", what, where]
            case "fresh":
                words += ["--size", what, "--tmpfs", where]
            case "link":
                words += ["--symlink", what, where]
            case "proc":
                words += ["--proc", where]
            case "freeze":
                words += ["--remount-ro", where]
    return [*words, "--chdir", str(folder)]


def _seatbelt_profile(layout: Layout) -> str:
    """The same for macOS, whose sandbox lays nothing out: it forbids by path, the last rule that fits."""

    def subpaths(paths: Iterable[Path | str]) -> str:
        return " ".join(f"(subpath {json.dumps(str(path))})" for path in paths)

    workspace, marked = layout.workspace, layout.marked
    interpreter = [
        where for kind, _, where in layout.steps if kind == "read" and Path(where) not in marked.sealed
    ]
    git = str(workspace / ".git")
    written = re.escape(git) + "/([A-Z_]+|index)(\\.lock)?$"
    unread = [*marked.covered, *marked.unseen]
    rules = [
        "(version 1)",
        "(allow default)",
        "(deny network*)",
        f"(deny file-read-data {subpaths([os.path.realpath(Path.home())])})",
        f"(allow file-read-data {subpaths([workspace, *interpreter])})",
        "(deny file-write*)",
        f"(allow file-write* {subpaths([workspace, '/dev'])})",
        '(deny file-write* (regex #"/[.][gG][iI][tT](/|$)"))',
        f"(allow file-write* {subpaths(f'{git}/{name}' for name in ('objects', 'refs', 'logs'))})",
        f'(allow file-write* (regex #"^{written}"))',
        f"(deny file-write* {subpaths([workspace / '.vcad', *marked.sealed])})",
    ]
    if unread:
        rules.append(f"(deny file-read* file-write* {subpaths(unread)})")
    return "\n".join(rules)
