"""What our modules find on Windows: none of the modules, functions and flags that only POSIX has.

    python -m tests.packaging.like_windows MODULE          # then MODULE's main()

Only for our own packages; the libraries below are those of this system. What is left out is what Python's
documentation marks "Availability: Unix" or "Linux" of what the modules of ours import.
"""

from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

OURS = ("vcad_kernel", "notebook_ext")


def names(text: str) -> frozenset[str]:
    return frozenset(text.split())


NO_MODULES = names("fcntl grp posix pty pwd resource spwd syslog termios tty")
NOT_IN: Mapping[str, frozenset[str]] = {
    "os": names(
        """
        O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_PATH O_SYNC chown chroot confstr
        eventfd fchdir fchmod fchown fdatasync fork forkpty fpathconf getegid geteuid getgid
        getgroups getloadavg getpgid getpgrp getpriority getresuid getsid getuid initgroups
        killpg lchown lockf major makedev memfd_create mkfifo mknod nice openpty pidfd_open
        pipe2 posix_fadvise posix_fallocate posix_spawn pread preadv pwrite pwritev readv
        register_at_fork sched_getaffinity sched_yield sendfile setegid seteuid setgid setgroups
        setns setpgid setpriority setsid setuid splice statvfs sync sysconf tcgetpgrp ttyname
        uname unshare wait wait3 wait4 waitid writev
        """
    ),
    "signal": names(
        """
        SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGPROF SIGQUIT SIGSTOP SIGTSTP SIGUSR1
        SIGUSR2 SIGVTALRM SIGWINCH alarm getitimer pause pthread_kill pthread_sigmask setitimer
        siginterrupt sigwait sigwaitinfo
        """
    ),
    "socket": names("AF_UNIX CMSG_LEN recv_fds send_fds"),
    "sys": frozenset(),
}
IN_PLACE: Mapping[str, Mapping[str, Any]] = {
    "os": {"name": "nt", "supports_dir_fd": set(), "supports_fd": set(), "O_BINARY": 0},
    "sys": {"platform": "win32"},
    "signal": {},
    "socket": {},
}


class _Without(ModuleType):
    """A module in which some names are not there, or are others."""

    def __init__(self, module: ModuleType) -> None:
        super().__init__(module.__name__)
        vars(self)["_given"] = module

    def __getattr__(self, name: str) -> Any:
        given = vars(self)["_given"]
        if name in NOT_IN[given.__name__]:
            raise AttributeError(f"module {given.__name__!r} has no attribute {name!r} on Windows")
        return IN_PLACE[given.__name__].get(name, getattr(given, name))

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(vars(self)["_given"], name, value)


def _msvcrt() -> ModuleType:
    """Windows' lock, by that of this system."""
    import fcntl

    def locking(descriptor: int, mode: int, count: int) -> None:
        assert (mode, count) == (2, 1)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as held:
            raise PermissionError(13, "Permission denied") from held

    module = ModuleType("msvcrt")
    vars(module).update(locking=locking, LK_NBLCK=2)
    return module


def install() -> None:
    """From here on, what our modules import is as it is on Windows."""
    assert not [name for name in sys.modules if name.split(".")[0] in OURS], "our modules are there already"
    plain = builtins.__import__
    less: dict[str, ModuleType] = {name: _Without(importlib.import_module(name)) for name in NOT_IN}
    less["msvcrt"] = _msvcrt()

    def imported(name: str, *given: Any, **named: Any) -> Any:
        """given: the importer's variables, its local ones, what it takes from the module, the level."""
        importer = named.get("globals") or (given[0] if given else None) or {}
        if importer.get("__name__", "").split(".")[0] in OURS:
            if name in NO_MODULES:
                raise ModuleNotFoundError(f"No module named {name!r} on Windows", name=name)
            if name in less:
                return less[name]
        return plain(name, *given, **named)

    builtins.__import__ = imported


def main(words: Sequence[str]) -> Any:
    """Run the main function of a module there."""
    install()
    return importlib.import_module(words[0]).main(words[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
