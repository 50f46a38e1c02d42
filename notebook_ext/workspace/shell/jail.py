"""Run one command in namespaces of its own: the system read-only, one folder writable, no network.

    python -I -S jail.py 5 bash script.sh

A program by itself, of the standard library alone: it is started as a file, never imported by the session.
It reads how the place is laid out, and the command's variables, as JSON from the open file whose number it is
given: among its own variables one such as LD_PRELOAD would run code before there is a jail.

It ends with the command's exit code, or with `UNAVAILABLE` and a line on stderr where this system refuses to
make namespaces. When it is killed, everything in it is: its first process is the namespace's init. Without
a place to be laid out it only watches: what the command leaves behind is ended with it.
"""

from __future__ import annotations

import contextlib
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
_PARENT_DEATH, _DROP_BOUND, _ADOPT_ORPHANS, _NO_NEW_RIGHTS = 1, 24, 36, 38
_CAPABILITY_VERSION = 0x20080522

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
"""All that the command sees of the machine's devices; a disk could be written to whatever is mounted how."""
_SETTINGS = ("sys", "sysrq-trigger", "irq", "bus", "acpi", "fs", "scsi")
"""Of /proc, what steers the machine: a user who is root outside may write there in a jail too."""

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


def _lay_out(writable: str, locked: list[str], sealed: list[str], hidden: list[str]) -> None:
    """The file system as the command sees it: read-only but for the folder and an empty /tmp.

    locked: folders in there that can be written to but not moved. sealed: what is read-only in there.
    hidden: what is empty.
    """
    _mount("none", "/", "", _RECURSIVE | _PRIVATE)
    # held open before /tmp is covered: the folder may lie in there
    folder = os.open(writable, os.O_PATH | os.O_DIRECTORY)
    _set_read_only("/", wanted=True)
    _mount("tmpfs", "/tmp", "tmpfs", _NO_SUID | _NO_DEVICES, "mode=1777,size=1g")
    inside = [path for path in hidden if f"{path}/".startswith(f"{writable}/")]
    for path in hidden:
        if path not in inside:
            _cover(path)
    Path(writable).mkdir(parents=True, exist_ok=True)
    _mount(f"/proc/self/fd/{folder}", writable, "", _BIND | _RECURSIVE)
    os.close(folder)
    _set_read_only(writable, wanted=False)
    for path in inside:
        _cover(path)
    for path in locked:
        if Path(path).is_dir():
            _mount(path, path, "", _BIND | _RECURSIVE)
    for path in sealed:
        _seal(path)
    _lay_out_devices()


def _cover(path: str) -> None:
    if Path(path).is_dir():
        _mount("tmpfs", path, "tmpfs", _NO_SUID | _NO_DEVICES | _NO_EXEC, "mode=0700,size=64k")
    elif Path(path).exists():
        _mount("/dev/null", path, "", _BIND)


def _seal(path: str) -> None:
    if Path(path).exists():
        _mount(path, path, "", _BIND | _RECURSIVE)
        _set_read_only(path, wanted=True)


def _lay_out_devices() -> None:
    """A /dev of its own with those that are harmless, an empty /dev/shm, and no terminal."""
    held = {name: os.open(f"/dev/{name}", os.O_PATH) for name in _DEVICES if Path("/dev", name).exists()}
    _mount("tmpfs", "/dev", "tmpfs", _NO_SUID | _NO_EXEC, "mode=0755,size=64k")
    for name, handle in held.items():
        Path("/dev", name).touch()
        _mount(f"/proc/self/fd/{handle}", f"/dev/{name}", "", _BIND)
        os.close(handle)
    for name, inner in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        Path("/dev", name).symlink_to(f"/proc/self/{inner}")
    Path("/dev/shm").mkdir()
    _mount("tmpfs", "/dev/shm", "tmpfs", _NO_SUID | _NO_DEVICES, "mode=1777,size=256m")


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


def _first_process(command: list[str], folder: str, variables: dict[str, str]) -> int:
    """Be the namespace's init: start the command, take in every orphan, end with the command."""
    _libc.prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
    _mount("proc", "/proc", "proc", _NO_SUID | _NO_DEVICES | _NO_EXEC)
    for name in _SETTINGS:
        _seal(f"/proc/{name}")
    _give_up_rights()
    os.chdir(folder)
    return _waited_for(_forked(command, variables))


def _forked(command: list[str], variables: dict[str, str]) -> int:
    """The process id of the command."""
    child = os.fork()
    if child == 0:
        # what this program ignores the command must not, or it would never end
        for number in (signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        try:
            os.execvpe(command[0], command, variables)
        except OSError as failed:
            print(f"{command[0]}: {failed.strerror}", file=sys.stderr)
            os._exit(127)
    return child


def _waited_for(child: int) -> int:
    """The exit code of a child; orphans that end meanwhile are taken in."""
    while True:
        ended, status = os.wait()
        if ended == child:
            return _exit_code(status)


def _watched(command: list[str], variables: dict[str, str]) -> int:
    """Run the command without a jail, and end all that it leaves behind: orphans become children here."""
    _checked(_libc.prctl(_ADOPT_ORPHANS, 1, 0, 0, 0), "orphans")
    code = _waited_for(_forked(command, variables))
    while True:
        for child in _children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        try:
            os.wait()  # its own children are the next that are found
        except ChildProcessError:
            return code


def _children() -> list[int]:
    """The processes whose parent is this one."""
    children = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # the name before the last bracket may hold anything
            if status.read_bytes().rpartition(b")")[2].split()[1] == str(os.getpid()).encode():
                children.append(int(status.parent.name))
    return children


def main(arguments: list[str]) -> int:
    """Run what the arguments say; the exit code."""
    with os.fdopen(int(arguments[0]), encoding="utf-8") as channel:
        request = json.load(channel)
    command, layout, variables = arguments[1:], request["layout"], request["variables"]
    # a signal to the group must reach the command and let this process report its end
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if layout is None:
        return _watched(command, variables)
    folder = str(Path.cwd())
    try:
        _enter_namespaces()
        _lay_out(layout["writable"], layout["locked"], layout["sealed"], layout["hidden"])
    except OSError as refused:
        print(f"no sandbox: {refused.strerror}", file=sys.stderr)
        return UNAVAILABLE
    first = os.fork()
    if first == 0:
        try:
            os._exit(_first_process(command, folder, variables))
        except OSError as refused:
            print(f"no sandbox: {refused.strerror}", file=sys.stderr)
            os._exit(UNAVAILABLE)
    return _exit_code(os.waitpid(first, 0)[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
