"""Processes that begin warm: forked from one that has loaded all that kernels, agents and services load.

    Popen([sys.executable, "-m", "tests.service.warm_front", "--port", "0"], stdout=subprocess.PIPE)
    command("vcad_kernel", "mcp")  # where somebody else starts it

`Popen` takes the place of `subprocess.Popen` for commands that run a module. `command` is what stands for
``python -m``: a process of a few milliseconds, which has the warm one work on its streams and ends as that
does; what ends it ends that. What they save is the reading of a thousand modules: most of a second for a
service's worker, and another for OpenCASCADE, a second for the MCP SDK, two for a notebook's kernel.
Processes, descriptors, signals and ends are as they are otherwise.

They are forked by one process for all workers of a run, which the first that needs it starts, and which ends
with the last (`_serve`). It speaks over a socket of the file system: a request with descriptors comes in,
process id and exit status go out.

How they start from nothing is tested where nothing of this is used: `service/client/test_own_service.py`,
`service/front/test_lifetime.py`, `service/worker/test_process.py`, `integration/test_loading.py`,
`notebook_ext/cli/test_mcp.py`, `integration/test_without_a_notebook.py`.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import importlib
import json
import logging
import os
import runpy
import select
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NoReturn

__all__ = ["Popen", "Program", "become", "command", "serve", "until_begun"]

_SOCKET = "socket"
_ROOT = Path(__file__).parents[1]
_HIGH = 600
"""Descriptors from here on are nobody's."""
_LOADED = (
    "vcad_kernel.cli.app",
    "vcad_kernel.lsp.server",
    "vcad_kernel.service.__main__",
    "vcad_kernel.service.front.lifetime",
    "vcad_kernel.service.worker.loop",
    "vcad_kernel.service.worker.tools.operations",
    "OCP",
    "notebook_ext.cli",
    "notebook_ext.agents.proxy.serving",
    "notebook_ext.headless",
    "notebook_ext.entry_points",
    "notebook_ext.language.hooks",
    "notebook_ext.magics.loon",
    "notebook_ext.display.part",
    "notebook_ext.viewer.inline.inline",
    "notebook_ext.viewer.inline.widget",
    "notebook_ext.gateway.application",
    "notebook_ext.agents.mcp.server",
    "notebook_ext.agents.hooks.hooks",
    "anyio._backends._asyncio",
    "uvicorn.lifespan.on",
    "uvicorn.protocols.http.h11_impl",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
    "rich.logging",
    "ipykernel.kernelapp",
    "tests.service.warm",
)


@dataclass(frozen=True)
class Program:
    """What a process is to be. command: of a Python, with ``-m``."""

    command: Sequence[str]
    environment: Mapping[str, str]
    cwd: str
    new_session: bool = False
    descriptors: Mapping[int, int] = field(default_factory=dict)
    """The numbers that it is to have, and those under which they are here."""


# ---- in a process that has just been forked ----------------------------------------------------


def become(program: Program) -> NoReturn:
    """Be another program from here on, in a process that has just been forked."""
    gc.freeze()  # what is left of the parent must not close what has its numbers now
    status = 1
    try:
        _run(program)
        status = 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        if status and not isinstance(ended.code, int):
            print(ended.code, file=sys.stderr)
    except BaseException:  # noqa: BLE001 - as Python itself ends a program
        traceback.print_exc()
    finally:
        with suppress(BaseException):
            threading._shutdown()  # type: ignore[attr-defined]
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _run(program: Program) -> None:
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if program.new_session:
        os.setsid()
    kept = {
        wanted: fcntl.fcntl(given, fcntl.F_DUPFD_CLOEXEC, _HIGH)
        for wanted, given in program.descriptors.items()
    }
    os.closerange(3, _HIGH)
    for wanted, given in kept.items():
        os.dup2(given, wanted)
        os.close(given)
    sys.stdin = sys.__stdin__ = os.fdopen(0, closefd=False)  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w", closefd=False)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = os.fdopen(  # type: ignore[misc]
        2, "w", errors="backslashreplace", buffering=1, closefd=False
    )
    os.environ.clear()
    os.environ.update(program.environment)
    os.chdir(program.cwd)
    logging.getLogger().handlers.clear()
    at = program.command.index("-m")
    sys.argv = list(program.command[at + 1 :])
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def until_begun(begun: int) -> None:
    """Wait until a process has its session and its descriptors, and has so closed the other end of a pipe."""
    os.read(begun, 1)
    os.close(begun)


# ---- the process that forks --------------------------------------------------------------------


_folder: list[str] = []
"""Where the process that forks listens, once it is known; what is forked knows it from the beginning."""


def serve(folder: str) -> None:
    """Fork what is asked for until nobody holds this process any more, then end what is left of it."""
    _folder.append(folder)
    sys.path[0] = str(_ROOT)
    with socket.socket(socket.AF_UNIX) as listener, selectors.DefaultSelector() as waiting:
        listener.bind(str(Path(folder, _SOCKET)))
        listener.listen(64)
        print("listening", flush=True)  # who comes before the rest is loaded waits
        for name in _LOADED:
            importlib.import_module(name)
        gc.freeze()
        woken, wakes = socket.socketpair()
        for one in (woken, wakes, listener):
            one.setblocking(False)
        signal.set_wakeup_fd(wakes.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        waiting.register(listener, selectors.EVENT_READ)
        waiting.register(woken, selectors.EVENT_READ)
        held: set[socket.socket] = set()
        children: dict[int, socket.socket] = {}
        bound: dict[socket.socket, int] = {}
        begun = False
        while held or not begun:
            for ready, _ in waiting.select():
                if ready.fileobj is listener:
                    connection, _ = listener.accept()
                    connection.setblocking(True)
                    try:
                        asked, descriptors = _received(connection)
                    except ConnectionError:
                        connection.close()
                        continue
                    if asked is None:
                        held.add(connection)
                        begun = True
                        waiting.register(connection, selectors.EVENT_READ)
                        _tell(connection, os.getpid())
                        continue
                    pid = _forked(asked, descriptors)
                    children[pid] = connection
                    _tell(connection, pid)
                    if asked["bound"]:
                        bound[connection] = pid
                        waiting.register(connection, selectors.EVENT_READ)
                elif ready.fileobj is woken:
                    woken.recv(4096)
                    _reap(children, bound, waiting)
                else:  # somebody has gone
                    gone = ready.fileobj
                    assert isinstance(gone, socket.socket)
                    if gone.fileno() < 0:  # its process has ended in the same moment
                        continue
                    waiting.unregister(gone)
                    if gone in bound:
                        os.kill(bound.pop(gone), signal.SIGTERM)
                    else:
                        held.discard(gone)
                        gone.close()
        for pid in children:
            os.kill(pid, signal.SIGTERM)
    shutil.rmtree(folder)


def _forked(asked: Mapping[str, Any], descriptors: Sequence[int]) -> int:
    begun, begins = os.pipe()
    pid = os.fork()
    if pid == 0:
        numbers = dict(zip(asked["numbers"], descriptors, strict=True))
        become(Program(asked["command"], asked["environment"], asked["cwd"], asked["new_session"], numbers))
    for one in (begins, *descriptors):
        os.close(one)
    until_begun(begun)
    return pid


def _reap(
    children: dict[int, socket.socket], bound: dict[socket.socket, int], waiting: selectors.BaseSelector
) -> None:
    """Tell whoever waits for them how processes have ended."""
    for pid in list(children):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            connection = children.pop(pid)
            if bound.pop(connection, None) is not None:
                waiting.unregister(connection)
            _tell(connection, os.waitstatus_to_exitcode(status))
            connection.close()


def _tell(connection: socket.socket, number: int) -> None:
    with suppress(OSError):  # nobody waits any more
        connection.sendall(b"%d\n" % number)


def _received(connection: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    """A request and its descriptors; None from who only holds this process."""
    said, descriptors, _, _ = socket.recv_fds(connection, 65536, 64)
    while not said.endswith(b"\n"):
        more = connection.recv(65536)
        if not more:
            for one in descriptors:
                os.close(one)
            raise ConnectionError("it has gone before it said what it wants")
        said += more
    return json.loads(said), list(descriptors)


# ---- whoever has something started -------------------------------------------------------------


def command(module: str, *arguments: str) -> list[str]:
    """What another program starts in place of ``python -m module argument…``."""
    return [sys.executable, "-I", "-S", __file__, _found(), module, *arguments]


def _found() -> str:
    """Where the process that forks listens; it is started where this process is the first to need it."""
    if not _folder:
        run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))  # the same for all its workers
        folder = str(Path(tempfile.gettempdir()) / f"vcad-warm-{run}")
        _hold(folder)
        _folder.append(folder)
    return _folder[0]


def _hold(folder: str) -> None:
    """Have the process that forks go on for as long as this one."""
    Path(folder).mkdir(mode=0o700, exist_ok=True)
    with Path(folder, "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        while True:
            try:
                connection = _connected(folder)
                connection.sendall(b"null\n")
                if connection.recv(64):
                    atexit.register(connection.close)
                    return
            except (FileNotFoundError, ConnectionError):
                pass  # none has begun, or the last has ended
            _begin(folder)


def _begin(folder: str) -> None:
    Path(folder, _SOCKET).unlink(missing_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-c", f"from tests.warm_processes import serve; serve({folder!r})"],
        cwd=_ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    with process.stdout as said:
        assert said.readline() == b"listening\n"
    process.returncode = 0  # it ends after us


def _connected(folder: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(Path(folder, _SOCKET)))
    except BaseException:
        connection.close()
        raise
    return connection


def _asked(folder: str, program: Program, *, bound: bool = False) -> tuple[socket.socket, int]:
    """Have a process forked. Returns: what tells its end, and its number. bound: it ends when we do."""
    asked = {
        "command": list(program.command),
        "environment": dict(program.environment),
        "cwd": program.cwd,
        "new_session": program.new_session,
        "numbers": list(program.descriptors),
        "bound": bound,
    }
    message = json.dumps(asked).encode() + b"\n"
    connection = _connected(folder)
    sent = socket.send_fds(connection, [message], list(program.descriptors.values()))
    connection.sendall(message[sent:])
    return connection, _told(connection)


def _told(connection: socket.socket) -> int:
    """The next number that we are told."""
    said = b""
    while not said.endswith(b"\n"):
        byte = connection.recv(1)
        if not byte:
            raise ConnectionError("the process that forks has ended")
        said += byte
    return int(said)


class Popen:
    """What tests, the client and jupyter_client need of `subprocess.Popen`."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        stdin: Any = None,
        stdout: Any = None,
        stderr: Any = None,
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
        pass_fds: Sequence[int] = (),
        start_new_session: bool = False,
        text: bool = False,
    ) -> None:
        self.stdin: IO[Any] | None = None
        self.stdout: IO[Any] | None = None
        self.stderr: IO[Any] | None = None
        given, own = {number: number for number in pass_fds}, []
        for number, (name, wanted) in enumerate((("stdin", stdin), ("stdout", stdout), ("stderr", stderr))):
            if wanted == subprocess.PIPE:
                reading, writing = os.pipe()
                ours, theirs = (writing, reading) if number == 0 else (reading, writing)
                mode = "w" if number == 0 else "r"
                file = os.fdopen(ours, mode) if text else os.fdopen(ours, mode + "b", -1 if number else 0)
                setattr(self, name, file)
            elif wanted == subprocess.DEVNULL:
                theirs = os.open(os.devnull, os.O_RDWR)
            else:
                theirs = os.dup(number if wanted is None else getattr(wanted, "fileno", lambda w=wanted: w)())
            own.append(theirs)
            given[number] = theirs
        environment = dict(os.environ if env is None else env)
        program = Program(command, environment, str(cwd or Path.cwd()), start_new_session, given)
        try:
            self._end, self.pid = _asked(_found(), program)
        finally:
            for one in own:
                os.close(one)
        self.returncode: int | None = None
        self._looking = threading.Lock()

    def __del__(self) -> None:
        end = getattr(self, "_end", None)
        if end is not None:
            end.close()

    def poll(self) -> int | None:
        return self._looked(0.0)

    def _looked(self, seconds: float | None) -> int | None:
        with self._looking:
            if self.returncode is None and select.select([self._end], [], [], seconds)[0]:
                self.returncode = _told(self._end)
                self._end.close()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        status = self._looked(timeout)
        if status is None:
            raise subprocess.TimeoutExpired("a warm process", timeout or 0.0)
        return status

    def communicate(self, timeout: float | None = None) -> tuple[bytes, bytes]:
        """What it says until it ends; as little as a service says."""
        self.wait(timeout)
        said = [b"" if file is None else file.read() for file in (self.stdout, self.stderr)]
        for file in (self.stdin, self.stdout, self.stderr):
            if file is not None:
                file.close()
        return said[0], said[1]

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _stand_in(folder: str, module: str, *arguments: str) -> int:
    """Have a warm process do what this one was started for. Returns: its exit status."""
    program = Program(
        ["-m", module, *arguments], dict(os.environ), str(Path.cwd()), False, {0: 0, 1: 1, 2: 2}
    )
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    connection, _ = _asked(folder, program, bound=True)
    status = _told(connection)
    if status < 0:
        os.kill(os.getpid(), -status)
    return status


if __name__ == "__main__":
    sys.exit(_stand_in(*sys.argv[1:]))
