"""How far a script is shut in: the strongest of what this system offers.

In each the system is read-only, only the workspace can be written to, and there is no network; the
workbench's own folder, the sessions' tokens and the usual places of keys stay out of reach. Where the system
offers nothing a script runs as any program of the user, and the person who is asked reads that.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, get_args

__all__ = ["CHANNEL", "MEANING", "Enclosed", "Sandbox", "enclosed", "started", "strongest_sandbox"]

Sandbox: TypeAlias = Literal["bubblewrap", "unshare", "sandbox-exec", "none"]
"""From the strongest to none."""

MEANING: Final[Mapping[Sandbox, str]] = MappingProxyType(
    {
        "bubblewrap": "only the workspace can be written to, no network",
        "unshare": "only the workspace can be written to, no network",
        "sandbox-exec": "only the workspace can be written to, no network",
        "none": "this system offers no sandbox: the script may do all that you may",
    }
)

_JAIL: Final = Path(__file__).with_name("jail.py")
_PROBE_LIMIT: Final = 20.0
"""Seconds; on a loaded machine the making of a network namespace alone has taken two."""
_KEYS: Final = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store"),
    *(".config/gh", ".config/gcloud", ".local/share/keyrings"),
    *(".netrc", ".git-credentials", ".pypirc", ".npmrc", ".pgpass"),
)
"""Below the home folder, what holds keys and passwords."""

CHANNEL: Final = "<channel>"
"""Stands in a command for the number of the open file that it reads `Enclosed.channel_data` from."""

_CLEAN: Final = MappingProxyType({"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"})
"""Variables of the programs that make a sandbox: those of the script could make them do other things."""


@dataclass(frozen=True, slots=True)
class Enclosed:
    """A command within a sandbox, as it is started."""

    words: tuple[str, ...]
    variables: Mapping[str, str]
    channel_data: bytes = b""
    """What it reads from `CHANNEL`."""


def enclosed(
    sandbox: Sandbox, command: list[str], workspace: Path, folder: Path, variables: Mapping[str, str]
) -> Enclosed:
    """The command as it is started within a sandbox, in ``folder``.

    workspace: the real path of what may be written to. variables: of the command.
    """
    # git runs what its settings and hooks name, outside and later, when the person uses it
    git = str(workspace / ".git")
    sealed = [str(workspace / ".vcad"), f"{git}/config", f"{git}/hooks"]
    if sandbox == "bubblewrap":
        words = _bubblewrap(workspace, folder, git, sealed, variables)
        data = b"".join(os.fsencode(word) + b"\0" for word in words)
        return Enclosed((_program("bwrap"), "--args", CHANNEL, "--", *command), _CLEAN, data)
    if sandbox == "sandbox-exec":
        profile = _seatbelt_profile(workspace, git, sealed)
        return Enclosed((_program("sandbox-exec"), "-p", profile, *command), variables)
    if sys.platform != "linux":
        return Enclosed(tuple(command), variables)
    layout = None
    if sandbox == "unshare":
        layout = {"writable": str(workspace), "locked": [git], "sealed": sealed, "hidden": _hidden()}
    data = json.dumps({"layout": layout, "variables": dict(variables)}).encode("ascii")
    return Enclosed((sys.executable, "-I", "-S", str(_JAIL), CHANNEL, *command), _CLEAN, data)


def started(what: Enclosed, **options: Any) -> subprocess.Popen[bytes]:
    """The process. options: of `subprocess.Popen`. Raises: OSError."""
    if not what.channel_data:
        return subprocess.Popen(what.words, env=dict(what.variables), **options)
    # a file without a name, so that no command line shows what the variables hold
    channel = os.memfd_create("vcad-script")
    try:
        with os.fdopen(os.dup(channel), "wb") as file:
            file.write(what.channel_data)
        os.lseek(channel, 0, os.SEEK_SET)
        words = [str(channel) if word == CHANNEL else word for word in what.words]
        return subprocess.Popen(words, env=dict(what.variables), pass_fds=(channel,), **options)
    finally:
        os.close(channel)


def _program(name: str) -> str:
    """The whole path of a program, by the session's own PATH and never by that of a script."""
    return shutil.which(name) or name


def strongest_sandbox() -> Sandbox:
    """The first that works here; each is tried once in a process, by running nothing in it."""
    for sandbox in get_args(Sandbox):
        # one that took too long on a busy machine counts as none now, and is tried again the next time
        with suppress(subprocess.TimeoutExpired):
            if sandbox != "none" and _works(sandbox):
                return sandbox  # type: ignore[no-any-return]
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
    try:
        tried = started(enclosed(sandbox, [nothing], here, here, {}), cwd=here, **quiet)
    except OSError:
        return False
    try:
        return tried.wait(_PROBE_LIMIT) == 0
    except subprocess.TimeoutExpired:
        tried.kill()
        tried.wait()
        raise


def _bubblewrap(
    workspace: Path, folder: Path, git: str, sealed: list[str], variables: Mapping[str, str]
) -> list[str]:
    words = ["--die-with-parent", "--unshare-all", "--cap-drop", "ALL"]
    words += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]
    hidden = _hidden()
    inside = [path for path in hidden if Path(path).is_relative_to(workspace)]
    words += [word for path in hidden if path not in inside for word in _bubblewrap_cover(path)]
    words += ["--bind", str(workspace), str(workspace)]
    words += [word for path in inside for word in _bubblewrap_cover(path)]
    words += ["--bind-try", git, git]
    for path in sealed:
        words += ["--ro-bind-try", path, path]
    words += ["--unsetenv", "PATH"]
    for name, value in variables.items():
        words += ["--setenv", name, value]
    return [*words, "--chdir", str(folder)]


def _bubblewrap_cover(path: str) -> list[str]:
    return ["--tmpfs", path] if Path(path).is_dir() else ["--ro-bind", "/dev/null", path]


def _seatbelt_profile(workspace: Path, git: str, sealed: list[str]) -> str:
    denied = " ".join(f"(subpath {json.dumps(path)})" for path in sealed)
    unread = " ".join(f"(subpath {json.dumps(path)})" for path in _hidden())
    return "\n".join(
        (
            "(version 1)",
            "(allow default)",
            "(deny network*)",
            "(deny file-write*)",
            f'(allow file-write* (subpath {json.dumps(str(workspace))}) (subpath "/dev"))',
            f"(deny file-write* {denied})",
            f"(deny file-write-unlink (literal {json.dumps(git)}))",
            f"(deny file-read* {unread})" if unread else "",
        )
    )


def _hidden() -> list[str]:
    """What a script does not see, of that which there is: sockets of services, tokens, keys."""
    from jupyter_core.paths import jupyter_runtime_dir

    home = Path.home()
    places = [Path("/run"), Path(jupyter_runtime_dir()), *(home / name for name in _KEYS)]
    return list(dict.fromkeys(os.path.realpath(place) for place in places if place.exists()))
