"""Run one command in namespaces of its own: the system read-only, one folder writable, no network.

    python -I -S shell_jail.py '{"writable": "/project", "sealed": […], "hidden": […]}' bash script.sh

A program by itself, of the standard library alone: it is started as a file, never imported by the session.
It ends with the command's exit code, or with `UNAVAILABLE` and a line on stderr where this system refuses to
make namespaces. When it is killed, everything in it is: its first process is the namespace's init.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from pathlib import Path

UNAVAILABLE = 125
"""Exit code for a system on which no such place can be made; nothing was run."""

_NEW_MOUNTS, _NEW_IPC, _NEW_USER = 0x00020000, 0x08000000, 0x10000000
_NEW_PIDS, _NEW_NET = 0x20000000, 0x40000000
_NO_SUID, _NO_DEVICES, _NO_EXEC = 2, 4, 8
_BIND, _RECURSIVE, _PRIVATE = 4096, 16384, 1 << 18
_MOUNT_SETATTR = 442  # the same number on every architecture
_AT_RECURSIVE = 0x8000
_READ_ONLY = 1
_PARENT_DEATH, _DROP_BOUND, _NO_NEW_RIGHTS = 1, 24, 38
_CAPABILITY_VERSION = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


class _MountAttributes(ctypes.Structure):
    _fields_ = (
        ("set", ctypes.c_uint64),
        ("clear", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("user_namespace", ctypes.c_uint64),
    )


def _checked(result: int, doing: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{doing}: {os.strerror(number)}")


def _mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    outcome = _libc.mount(
        source.encode(), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), data.encode()
    )
    _checked(outcome, f"mount on {target}")


def _set_read_only(target: str, *, wanted: bool) -> None:
    flag = _MountAttributes(set=_READ_ONLY if wanted else 0, clear=0 if wanted else _READ_ONLY)
    outcome = _libc.syscall(
        _MOUNT_SETATTR, -100, os.fsencode(target), _AT_RECURSIVE, ctypes.byref(flag), ctypes.sizeof(flag)
    )
    _checked(outcome, f"read-only {target}")


def _enter_namespaces() -> None:
    user, group = os.getuid(), os.getgid()
    spaces = _NEW_USER | _NEW_MOUNTS | _NEW_NET | _NEW_PIDS | _NEW_IPC
    _checked(_libc.unshare(spaces), "namespaces")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        Path("/proc/self", name).write_text(text, encoding="ascii")


def _lay_out(writable: str, sealed: list[str], hidden: list[str]) -> None:
    """The file system as the command sees it: read-only but for the folder and an empty /tmp."""
    _mount("none", "/", "", _RECURSIVE | _PRIVATE)
    # held open before /tmp is covered: the folder may lie in there
    folder = os.open(writable, os.O_PATH | os.O_DIRECTORY)
    _set_read_only("/", wanted=True)
    _mount("tmpfs", "/tmp", "tmpfs", _NO_SUID | _NO_DEVICES, "mode=1777,size=1g")
    for cover in hidden:
        if Path(cover).is_dir():
            _mount("tmpfs", cover, "tmpfs", _NO_SUID | _NO_DEVICES | _NO_EXEC, "mode=0700,size=64k")
    Path(writable).mkdir(parents=True, exist_ok=True)
    _mount(f"/proc/self/fd/{folder}", writable, "", _BIND | _RECURSIVE)
    os.close(folder)
    _set_read_only(writable, wanted=False)
    for inner in sealed:
        if Path(inner).is_dir():
            _mount(inner, inner, "", _BIND | _RECURSIVE)
            _set_read_only(inner, wanted=True)


def _give_up_rights() -> None:
    """From here on nothing of this can be taken back, not by a set-user-id program either."""
    _checked(_libc.prctl(_NO_NEW_RIGHTS, 1, 0, 0, 0), "no new rights")
    for capability in range(64):
        if _libc.prctl(_DROP_BOUND, capability, 0, 0, 0) != 0:
            break
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    nothing = (ctypes.c_uint32 * 6)()
    _checked(_libc.capset(header, nothing), "rights")


def _exit_code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _first_process(command: list[str], folder: str) -> int:
    """Be the namespace's init: start the command, take in every orphan, end with the command."""
    _libc.prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
    _mount("proc", "/proc", "proc", _NO_SUID | _NO_DEVICES | _NO_EXEC)
    _give_up_rights()
    os.chdir(folder)
    child = os.fork()
    if child == 0:
        os.execvp(command[0], command)
    while True:
        ended, status = os.wait()
        if ended == child:
            return _exit_code(status)


def main(arguments: list[str]) -> int:
    """Run what the arguments say; the exit code."""
    layout, command = json.loads(arguments[0]), arguments[1:]
    folder = str(Path.cwd())
    try:
        _enter_namespaces()
        _lay_out(layout["writable"], layout["sealed"], layout["hidden"])
    except OSError as refused:
        print(f"no sandbox: {refused.strerror}", file=sys.stderr)
        return UNAVAILABLE
    first = os.fork()
    if first == 0:
        try:
            os._exit(_first_process(command, folder))
        except OSError as refused:
            print(f"no sandbox: {refused.strerror}", file=sys.stderr)
            os._exit(UNAVAILABLE)
    # a signal to the group must reach the command and let this one tell its end
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return _exit_code(os.waitpid(first, 0)[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
