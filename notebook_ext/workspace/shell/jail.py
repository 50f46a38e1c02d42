"""Run one command in namespaces of its own, in which only what is laid out is there, and within limits.

    python -I -S jail.py 5 bash script.sh

A program by itself, of the standard library alone: it is started as a file, never imported by the session.
It reads how the place is laid out (layout.py), the limits and the command's variables, as JSON from the open
file whose number it is given: among its own variables one such as LD_PRELOAD would run code before there is a
jail.

It ends with the command's exit code, with `STOPPED` and a line on stderr for a command that goes beyond its
limits, or with `UNAVAILABLE` and a line on stderr where this system refuses to make namespaces. When it is
killed, everything in it is: its first process is the namespace's init. Without a place to be laid out it only
watches: in a sandbox made by another program, of which it is the init, or without any, where what the
command leaves behind is ended with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

UNAVAILABLE = 125
"""Exit code for a system on which no such place can be made; nothing was run."""
STOPPED = 128 + signal.SIGKILL
"""Exit code for a command that has gone beyond a limit."""

_LOOK_EVERY = 0.1
"""Seconds between two looks at what the command uses."""
_NPROC_BY_NAMESPACE = (5, 14)
"""The Linux since which RLIMIT_NPROC counts in a user namespace, and not all that the user runs outside of it
(commit 21d1c5e386bc, "Reimplement RLIMIT_NPROC on top of ucounts")."""

_NEW_MOUNTS, _NEW_IPC, _NEW_USER = 0x00020000, 0x08000000, 0x10000000
_NEW_PIDS, _NEW_NET = 0x20000000, 0x40000000
_NO_SUID, _NO_DEVICES, _NO_EXEC = 2, 4, 8
_BIND, _RECURSIVE, _PRIVATE, _DETACH = 4096, 16384, 1 << 18, 2
_MOUNT_SETATTR = 442  # the same number on every architecture
_AT_RECURSIVE = 0x8000
_READ_ONLY, _ATTR_NO_SUID, _ATTR_NO_DEVICES = 1, 2, 4
_PARENT_DEATH, _DUMPABLE, _DROP_BOUND, _ADOPT_ORPHANS, _NO_NEW_RIGHTS = 1, 4, 24, 36, 38
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


def _set(target: str, attributes: int, *, below: bool = True) -> None:
    """Set attributes of a mount, and of those below it."""
    flag = _MountAttributes(set=attributes)
    at = _AT_RECURSIVE if below else 0
    outcome = _libc.syscall(
        _MOUNT_SETATTR, -100, os.fsencode(target), at, ctypes.byref(flag), ctypes.sizeof(flag)
    )
    _checked(outcome, f"attributes of {target}")


def _pivot(new: str, old: str) -> None:
    """Make a mount the root; the one until now is found at ``old``."""
    _checked(_libc.pivot_root(os.fsencode(new), os.fsencode(old)), "root")


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


_OLD, _NEW = "/old", "/new"


def _lay_out(steps: list[list[str]]) -> None:
    """Make the file system that the command sees, and let go of the one there was (layout.py)."""
    _mount("none", "/", "", _RECURSIVE | _PRIVATE)
    # a place to stand on, from which both the old root and the new one can be named
    _mount("tmpfs", "/tmp", "tmpfs", _NO_SUID | _NO_DEVICES, "mode=0755,size=1m")
    Path("/tmp/old").mkdir()
    _pivot("/tmp", "/tmp/old")
    os.chdir("/")
    Path(_NEW).mkdir()
    _mount("tmpfs", _NEW, "tmpfs", _NO_SUID | _NO_DEVICES, "mode=0755,size=16m")
    for kind, what, where in steps:
        _STEPS[kind](what, _NEW + where)
    _checked(_libc.umount2(_OLD.encode(), _DETACH), "old root")
    os.chdir(_NEW)
    _pivot(".", ".")
    _checked(_libc.umount2(b".", _DETACH), "root between")
    os.chdir("/")


def _fresh(size: str, target: str) -> None:
    Path(target).mkdir(parents=True, exist_ok=True)
    _mount("tmpfs", target, "tmpfs", _NO_SUID | _NO_DEVICES, f"mode=1777,size={size}")


def _new_processes(target: str) -> None:
    Path(target).mkdir()
    _mount("proc", target, "proc", _NO_SUID | _NO_DEVICES | _NO_EXEC)


def _link(text: str, target: str) -> None:
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    if not os.path.lexists(target):
        Path(target).symlink_to(text)


def _bind(source: str, target: str, attributes: int) -> None:
    """Have a folder or file in another place; nothing where it is gone, as files of a moment are."""
    if not os.path.lexists(source):
        return
    place = Path(target)
    if not os.path.lexists(target):
        with contextlib.suppress(OSError):  # within what is read-only; the mount says what is wrong then
            place.parent.mkdir(parents=True, exist_ok=True)
            place.mkdir() if Path(source).is_dir() else place.touch()
    _mount(source, target, "", _BIND | _RECURSIVE)
    _set(target, attributes | _ATTR_NO_SUID)


_STEPS: dict[str, Callable[[str, str], None]] = {
    "read": lambda source, target: _bind(_OLD + source, target, _READ_ONLY | _ATTR_NO_DEVICES),
    "write": lambda source, target: _bind(_OLD + source, target, _ATTR_NO_DEVICES),
    "device": lambda source, target: _bind(_OLD + source, target, 0),
    "fresh": _fresh,
    "link": _link,
    "proc": lambda _, target: _new_processes(target),
    "freeze": lambda _, target: _set(target, _READ_ONLY, below=False),
}


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


def _first_process(
    command: list[str], folder: str, variables: dict[str, str], limits: dict[str, int], steps: list[list[str]]
) -> int:
    """Be the namespace's init: start the command, take in every orphan, end with the command."""
    _libc.prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
    _lay_out(steps)
    _give_up_rights()
    return _kept_within(command, folder, variables, limits)


def _kept_within(command: list[str], folder: str, variables: dict[str, str], limits: dict[str, int]) -> int:
    """Run the command as init of a namespace, within limits; with this process all others end."""
    _libc.prctl(_DUMPABLE, 0, 0, 0, 0)  # what it watches must not look into it, nor steer it
    os.chdir(folder)
    release = tuple(int(number) for number in os.uname().release.split("-")[0].split(".")[:2])
    own = Path("/proc/self/uid_map").read_text(encoding="ascii").split() != ["0", "0", "4294967295"]
    counted = limits["processes"] if own and release >= _NPROC_BY_NAMESPACE else None
    return _waited_for(_forked(command, variables, limits, counted), lambda: _excess(limits, _all()))


def _forked(
    command: list[str], variables: dict[str, str], limits: dict[str, int], counted: int | None
) -> int:
    """The process id of the command. counted: the user's processes and threads that the system lets there be.

    The system counts none of root's. There the command is nicer than who watches it, so that a flood of
    processes does not keep that from looking.
    """
    child = os.fork()
    if child == 0:
        # what this program ignores the command must not, or it would never end
        for number in (signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_FSIZE, limits["file_bytes"])
        _limit(resource.RLIMIT_NOFILE, limits["open_files"])
        _limit(resource.RLIMIT_DATA, limits["memory_bytes"])
        if counted is not None:
            _limit(resource.RLIMIT_NPROC, counted)
        if os.geteuid() == 0:
            os.nice(10)
        try:
            os.execvpe(command[0], command, variables)
        except OSError as failed:
            print(f"{command[0]}: {failed.strerror}", file=sys.stderr)
            os._exit(127)
    return child


def _limit(kind: int, value: int) -> None:
    hardest = resource.getrlimit(kind)[1]
    bounded = value if hardest == resource.RLIM_INFINITY else min(value, hardest)
    resource.setrlimit(kind, (bounded, bounded))


def _waited_for(child: int, excess: Callable[[], str]) -> int:
    """The exit code of a child; orphans that end meanwhile are taken in.

    excess: looked at now and then; a text ends the wait with `STOPPED`.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    look_at = time.monotonic()
    while True:
        ended, status = os.waitpid(-1, os.WNOHANG)
        if ended == child:
            return _exit_code(status)
        if time.monotonic() >= look_at:  # also while many end
            if reason := excess():
                print(f"the script was stopped: {reason}", file=sys.stderr, flush=True)
                return STOPPED
            look_at = time.monotonic() + _LOOK_EVERY
        if ended == 0:
            signal.sigtimedwait({signal.SIGCHLD}, max(0.0, look_at - time.monotonic()))


def _excess(limits: dict[str, int], members: dict[int, list[bytes]]) -> str:
    """Which limit processes are beyond together; "" for none. members: as `_all`."""
    tasks = sum(int(fields[_THREADS]) for fields in members.values())
    if tasks > limits["processes"]:
        return f"more than {limits['processes']} processes and threads at once (VCAD_SHELL_PROCESSES)"
    page = resource.getpagesize()
    most = limits["memory_bytes"]
    resident = sum(int(fields[_RESIDENT]) for fields in members.values()) * page
    # that counts shared pages for each process; the other way divides them, and takes longer
    if resident > most and sum(_proportional(process) for process in members) > most:
        return f"more than {most // 2**20} MiB of memory (VCAD_SHELL_MEMORY_MB)"
    return ""


_PARENT, _THREADS, _RESIDENT = 1, 17, 21
"""In /proc/PID/stat, behind the name (proc_pid_stat(5): fields 4, 20 and 24)."""


def _all() -> dict[int, list[bytes]]:
    """The processes that can be seen but this one, each with the fields of its ``stat`` behind its name."""
    members = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        process = int(path.parent.name)
        if process != os.getpid():
            with contextlib.suppress(OSError):
                # the name before the last bracket may hold anything
                members[process] = path.read_bytes().rpartition(b")")[2].split()
    return members


def _descendants() -> dict[int, list[bytes]]:
    """Of all processes, those that this one has started, and theirs."""
    below: dict[int, list[int]] = {}
    everything = _all()
    for process, fields in everything.items():
        below.setdefault(int(fields[_PARENT]), []).append(process)
    waiting, members = [os.getpid()], {}
    while waiting:
        for process in below.get(waiting.pop(), ()):
            members[process] = everything[process]
            waiting.append(process)
    return members


def _proportional(process: int) -> int:
    """Bytes of memory of a process, of which shared ones are divided among those that share them."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_bytes().splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def _watched(command: list[str], variables: dict[str, str], limits: dict[str, int]) -> int:
    """Run the command without a jail, and end all that it leaves behind: orphans become children here."""
    _checked(_libc.prctl(_ADOPT_ORPHANS, 1, 0, 0, 0), "orphans")
    counted = limits["processes"] + sum(
        int(fields[_THREADS]) for process, fields in _all().items() if _is_own(process)
    )
    code = _waited_for(_forked(command, variables, limits, counted), lambda: _excess(limits, _descendants()))
    stopped: set[int] = set()
    while new := set(_descendants()) - stopped:  # one that is stopped starts no other
        _signal(new, signal.SIGSTOP)
        stopped |= new
    with contextlib.suppress(ChildProcessError):  # there is none any more
        while True:
            _signal(_descendants(), signal.SIGKILL)
            os.wait()  # its own children are the next that are found
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
    return code


def _signal(processes: Iterable[int], number: signal.Signals) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)


def _is_own(process: int) -> bool:
    """Whether a process is this user's."""
    try:
        return Path(f"/proc/{process}").stat().st_uid == os.geteuid()
    except OSError:
        return False


def main(arguments: list[str]) -> int:
    """Run what the arguments say; the exit code."""
    with os.fdopen(int(arguments[0]), encoding="utf-8") as channel:
        request = json.load(channel)
    command, steps = arguments[1:], request["steps"]
    variables, limits = request["variables"], request["limits"]
    # a signal to the group must reach the command and let this process report its end
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    folder = str(Path.cwd())
    if steps is None:
        return (
            _kept_within(command, folder, variables, limits)
            if os.getpid() == 1
            else _watched(command, variables, limits)
        )
    try:
        _enter_namespaces()
    except OSError as refused:
        print(f"no sandbox: {refused.strerror}", file=sys.stderr)
        return UNAVAILABLE
    first = os.fork()
    if first == 0:
        try:
            os._exit(_first_process(command, folder, variables, limits, steps))
        except OSError as refused:
            print(f"no sandbox: {refused}", file=sys.stderr)
            os._exit(UNAVAILABLE)
    return _exit_code(os.waitpid(first, 0)[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
