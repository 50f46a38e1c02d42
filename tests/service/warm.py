"""Processes of the service that begin warm: forked from one that has loaded all that they load.

    Popen([sys.executable, "-m", "tests.service.warm_front", "--port", "0"], stdout=subprocess.PIPE)

takes the place of `subprocess.Popen`, and runs the ``main`` of the module. What it saves is the reading of
some hundred modules, most of a second a worker, and of OpenCASCADE, more than another; processes,
descriptors, signals and ends are as they are otherwise. A front that has begun so forks its workers itself
(`fork`): they are its children as ever.

How a service starts from nothing is tested where nothing of this is used: `client/test_own_service.py`,
`front/test_lifetime.py`, `worker/test_process.py`, `test_both_forms.py`.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import importlib
import importlib.util
import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, NoReturn

from vcad_kernel.service.client.async_client import AsyncServiceClient
from vcad_kernel.service.client.background_client import BackgroundClient
from vcad_kernel.service.client.launcher import Launcher
from vcad_kernel.service.client.service_client import ServiceClient
from vcad_kernel.service.front import assembly
from vcad_kernel.service.front.worker.process import WorkerCommand
from vcad_kernel.settings import Settings

__all__ = ["Popen", "fork", "service_client", "with_warm_workers"]

FAREWELL = "VCAD_TEST_FAREWELL"
"""Variable with the seconds in which a worker may end by itself."""
_HIGH = 600
"""Descriptors from here on are nobody's."""
_LOADED = (
    "vcad_kernel.service.__main__",
    "vcad_kernel.service.front.lifetime",
    "vcad_kernel.service.worker.__main__",
    "vcad_kernel.service.worker.loop",
    "vcad_kernel.service.worker.operations",
    "tests.service.warm",
    "OCP",
)


@dataclass(frozen=True)
class _Program:
    """What a process is to be."""

    command: Sequence[str]
    environment: Mapping[str, str] | None
    cwd: str | None
    new_session: bool
    descriptors: Mapping[int, int] = field(default_factory=dict)
    """The numbers that it is to have, and those under which it gets them."""


def _become(program: _Program) -> NoReturn:
    """Be another program from here on, in a process that has just been forked."""
    gc.freeze()  # what is left of the parent must not close what has its numbers now
    status = 1
    try:
        status = _run(program)
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 - as Python itself ends a program
        traceback.print_exc()
    finally:
        with suppress(BaseException):
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _run(program: _Program) -> int:
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
    sys.stdin = os.fdopen(0, closefd=False)
    if program.environment is not None:
        os.environ.clear()
        os.environ.update(program.environment)
    if program.cwd is not None:
        os.chdir(program.cwd)
    logging.getLogger().handlers.clear()
    at = program.command.index("-m")
    name, *arguments = program.command[at + 1 :]
    if importlib.util.find_spec(name).submodule_search_locations is not None:  # type: ignore[union-attr]
        name += ".__main__"
    sys.argv = [name, *arguments]
    return int(importlib.import_module(name).main(arguments) or 0)


def _wait_for_end(begun: int) -> None:
    """Wait until a process has its session and its descriptors, and has so closed the other end of a pipe."""
    os.read(begun, 1)
    os.close(begun)


# ---- from anywhere: through a process that is kept for it --------------------------------------


def _forked(program: _Program, given: Mapping[int, Any], _begins: Any) -> None:
    descriptors = {wanted: one.detach() for wanted, one in given.items()}
    _become(replace(program, descriptors=descriptors))


class _Descriptor:
    """A descriptor on its way to another process."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __reduce__(self) -> Any:
        from multiprocessing.reduction import DupFd

        return _same, (DupFd(self.number),)


def _same(value: Any) -> Any:
    return value


_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(list(_LOADED))


class Popen:
    """What tests and the client need of `subprocess.Popen`."""

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
    ) -> None:
        self.stdin: IO[bytes] | None = None
        self.stdout: IO[bytes] | None = None
        self.stderr: IO[bytes] | None = None
        given, own = {number: number for number in pass_fds}, []
        for number, (name, wanted) in enumerate((("stdin", stdin), ("stdout", stdout), ("stderr", stderr))):
            if wanted == subprocess.PIPE:
                reading, writing = os.pipe()
                ours, theirs = (writing, reading) if number == 0 else (reading, writing)
                setattr(self, name, os.fdopen(ours, "wb" if number == 0 else "rb", 0 if number == 0 else -1))
            elif wanted == subprocess.DEVNULL:
                theirs = os.open(os.devnull, os.O_RDWR)
            else:
                theirs = os.dup(number if wanted is None else getattr(wanted, "fileno", lambda w=wanted: w)())
            own.append(theirs)
            given[number] = theirs
        environment = dict(os.environ if env is None else env)
        begun, begins = os.pipe()
        own.append(begins)
        program = _Program(tuple(command), environment, str(cwd or Path.cwd()), start_new_session)
        self._process = _CONTEXT.Process(
            target=_forked,
            args=(
                program,
                {wanted: _Descriptor(one) for wanted, one in given.items()},
                _Descriptor(begins),
            ),
        )
        self._process.daemon = True
        try:
            self._process.start()
        finally:
            for one in own:
                os.close(one)
            _wait_for_end(begun)
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        status = self._process.exitcode
        if status is None:
            raise subprocess.TimeoutExpired("a warm process", timeout or 0.0)
        return status

    def communicate(self, timeout: float | None = None) -> tuple[bytes, bytes]:
        """What it says until it ends; as little as a service says."""
        status = self.wait(timeout)
        assert status is not None
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


def service_client(
    workspace: Path,
    *,
    environment: Mapping[str, str] | None = None,
    arguments: Sequence[str] = (),
    settings: Settings | None = None,
    module: str = "tests.service.warm_front",
) -> ServiceClient:
    """As `ServiceClient.start`, with a service that begins warm. module: what is its front."""
    chosen = settings or Settings()
    launcher = Launcher(
        workspace,
        environment=environment,
        command=(sys.executable, "-m", module),
        arguments=arguments,
        launch=Popen,  # type: ignore[arg-type]  # what the launcher needs of it
    )
    background = BackgroundClient(
        lambda: AsyncServiceClient(
            launcher,
            workspace,
            agent="test",
            seconds=chosen.timeout_seconds,
            line_max=chosen.line_max_bytes,
        )
    )
    return ServiceClient(background, workspace)


# ---- from a front that has begun warm ----------------------------------------------------------


@dataclass
class _Child:
    pid: int

    def wait(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def fork(
    command: Sequence[str],
    *,
    stdin: Any,
    stdout: int,
    stderr: int,
    pass_fds: Sequence[int],
    env: Mapping[str, str] | None,
    start_new_session: bool,
) -> Any:
    """A worker, by `fork` of a front that has loaded what workers load; as `WorkerCommand.launch`."""
    nothing = os.open(os.devnull, os.O_RDWR)
    begun, begins = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become(
            _Program(
                command,
                env,
                None,
                start_new_session,
                {0: nothing, 1: stdout, 2: stderr, **{number: number for number in pass_fds}},
            )
        )
    os.close(nothing)
    os.close(begins)
    _wait_for_end(begun)
    return _Child(pid)


def with_warm_workers() -> None:
    """Have a front in this process fork its workers.

    They have more time than a user's, so that what they do willingly is not cut off on a busy machine.
    """
    original = assembly.worker_command

    def warm(*arguments: Any) -> WorkerCommand:
        return replace(
            original(*arguments),
            launch=fork,
            grace_seconds=2.0,
            farewell_seconds=float(os.environ.get(FAREWELL, "30")),
        )

    setattr(assembly, "worker_command", warm)  # noqa: B010 - no assignment that types could follow
