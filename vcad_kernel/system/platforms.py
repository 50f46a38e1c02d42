"""Where the workbench runs: the platforms for which OpenCASCADE and everything else comes as wheels.

    unsupported()       # None, or why not and what to take in place of this machine

pip can only say that it finds no distribution. docs/platforms.md says what has been run where.
"""

from __future__ import annotations

import os
import platform
import sys
import sysconfig
from typing import Final

from vcad_kernel.errors import CapabilityUnavailable

__all__ = ["HAS_SERVICE", "WHEELS", "require_service", "unsupported"]

WHEELS: Final = {
    "Linux x86_64": "x86_64-manylinux_2_28",
    "Linux aarch64": "aarch64-manylinux_2_28",
    "macOS arm64": "aarch64-apple-darwin",
    "macOS x86_64": "x86_64-apple-darwin",
    "Windows x86_64": "x86_64-pc-windows-msvc",
}
"""Platform → its name as uv has it (``--python-platform``)."""

HAS_SERVICE: Final = os.name == "posix"
"""Whether models can be evaluated in a process of their own, which is handed open sockets: Windows cannot."""

_SYSTEMS: Final = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}
_MACHINES: Final = {"amd64": "x86_64", "x64": "x86_64"}
_OLDEST_GLIBC: Final = (2, 28)
"""Of the wheels, manylinux_2_28."""


def unsupported() -> tuple[str, str] | None:
    """Why the workbench cannot be installed on this machine, and what to take; None where it can."""
    system = _SYSTEMS.get(sys.platform, sys.platform)
    machine = platform.machine()
    machine = _MACHINES.get(machine.lower(), machine)
    known = f"OpenCASCADE comes only for {', '.join(WHEELS)}"
    if system == "Linux" and "musl" in str(sysconfig.get_config_var("SOABI")):
        return f"this Python is built on musl; {known}, on glibc", "take an image of Debian, Ubuntu or Fedora"
    if f"{system} {machine}" not in WHEELS:
        way = "the Python for x86_64, which Windows emulates" if system == "Windows" else "one of these"
        return f"this is {system} {machine}; {known}", f"take {way}"
    name, version = platform.libc_ver() if system == "Linux" else ("", "")
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if name == "glibc" and len(numbers) == 2 and numbers < _OLDEST_GLIBC:
        return f"this Linux has glibc {version}; OpenCASCADE needs 2.28", "take one of 2019 or later"
    return None


def require_service() -> None:
    """Refuse where models cannot be evaluated in a process of their own. Raises: CapabilityUnavailable."""
    if not HAS_SERVICE:
        raise CapabilityUnavailable(
            "there is no evaluation service on Windows",
            why="its processes are handed open sockets, which Windows cannot do",
            fix="evaluate in the notebook's own process, as is done by default there (VCAD_IN_PROCESS=1),"
            " or work in the Windows Subsystem for Linux",
            details={"required_capability": "service"},
        )
