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
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, get_args

__all__ = ["MEANING", "Sandbox", "enclosed", "strongest_sandbox"]

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

_JAIL: Final = Path(__file__).with_name("shell_jail.py")
_PROBE_LIMIT: Final = 20.0
"""Seconds; on a loaded machine the making of a network namespace alone has taken two."""
_KEY_FOLDERS: Final = (".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store")


def enclosed(sandbox: Sandbox, command: list[str], workspace: Path, folder: Path) -> list[str]:
    """The command as it is started within a sandbox, in ``folder``.

    workspace: the real path of what may be written to.
    """
    sealed = [str(workspace / ".vcad")]
    if sandbox == "bubblewrap":
        return _bubblewrap(command, workspace, folder, sealed)
    if sandbox == "unshare":
        layout = {"writable": str(workspace), "sealed": sealed, "hidden": _hidden()}
        return [sys.executable, "-I", "-S", str(_JAIL), json.dumps(layout), *command]
    if sandbox == "sandbox-exec":
        return ["sandbox-exec", "-p", _seatbelt_profile(workspace, sealed), *command]
    return command


def strongest_sandbox() -> Sandbox:
    """The first that works here; each is tried once in a process, by running nothing in it."""
    return next((one for one in get_args(Sandbox) if one != "none" and _works(one)), "none")


@cache
def _works(sandbox: Sandbox) -> bool:
    program = {"bubblewrap": "bwrap", "unshare": sys.executable, "sandbox-exec": "sandbox-exec"}[sandbox]
    if shutil.which(program) is None or (sandbox == "unshare" and sys.platform != "linux"):
        return False
    nothing = shutil.which("true") or "true"
    here = _JAIL.parent
    try:
        tried = subprocess.run(
            enclosed(sandbox, [nothing], here, here),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=here,
            timeout=_PROBE_LIMIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return tried.returncode == 0


def _bubblewrap(command: list[str], workspace: Path, folder: Path, sealed: list[str]) -> list[str]:
    words = ["bwrap", "--die-with-parent", "--unshare-all", "--cap-drop", "ALL"]
    words += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]
    for one in _hidden():
        words += ["--tmpfs", one]
    words += ["--bind", str(workspace), str(workspace)]
    for one in sealed:
        words += ["--ro-bind-try", one, one]
    return [*words, "--chdir", str(folder), "--", *command]


def _seatbelt_profile(workspace: Path, sealed: list[str]) -> str:
    denied = " ".join(f"(subpath {json.dumps(one)})" for one in sealed)
    unread = " ".join(f"(subpath {json.dumps(one)})" for one in _hidden())
    return "\n".join(
        (
            "(version 1)",
            "(allow default)",
            "(deny network*)",
            "(deny file-write*)",
            f'(allow file-write* (subpath {json.dumps(str(workspace))}) (subpath "/dev"))',
            f"(deny file-write* {denied})",
            f"(deny file-read* {unread})" if unread else "",
        )
    )


def _hidden() -> list[str]:
    """Folders that a script does not see, those that there are: sockets of services, tokens, keys."""
    from jupyter_core.paths import jupyter_runtime_dir

    home = Path.home()
    places = [Path("/run"), Path(jupyter_runtime_dir()), *(home / one for one in _KEY_FOLDERS)]
    return [os.path.realpath(one) for one in places if one.is_dir()]
