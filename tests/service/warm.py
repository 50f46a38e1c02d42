"""The service in processes that begin warm (`tests/warm_processes.py`), and whatever starts one.

A front that has begun so forks its workers itself (`fork`): they are its children as ever.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.warm_processes import Popen, Program, become, until_begun
from vcad_kernel.geometry.occt import guarded_worker, separate_process
from vcad_kernel.service.client.async_client import AsyncServiceClient
from vcad_kernel.service.client.background_client import BackgroundClient
from vcad_kernel.service.client.launcher import Launcher
from vcad_kernel.service.client.service_client import ServiceClient
from vcad_kernel.service.front import lifetime
from vcad_kernel.service.front.worker.process import WorkerCommand
from vcad_kernel.settings import Settings

__all__ = [
    "Popen",
    "fork",
    "launch_service",
    "service_client",
    "with_warm_scripts",
    "with_warm_services",
    "with_warm_workers",
]

FAREWELL = "VCAD_TEST_FAREWELL"
"""Variable with the seconds in which a worker may end by itself."""


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
        descriptors = {0: nothing, 1: stdout, 2: stderr, **{number: number for number in pass_fds}}
        variables = os.environ if env is None else env
        become(Program(command, dict(variables), str(Path.cwd()), start_new_session, descriptors))
    os.close(nothing)
    os.close(begins)
    until_begun(begun)
    return _Child(pid)


def with_warm_workers() -> None:
    """Have a front in this process fork its workers.

    They have more time than a user's, so that what they do willingly is not cut off on a busy machine.
    """
    original = lifetime.worker_command

    def warm(*arguments: Any) -> WorkerCommand:
        return replace(
            original(*arguments),
            launch=fork,
            grace_seconds=2.0,
            farewell_seconds=float(os.environ.get(FAREWELL, "30")),
        )

    setattr(lifetime, "worker_command", warm)  # noqa: B010 - no assignment that types could follow


def with_warm_scripts() -> None:
    """Have what OpenCASCADE may die of run beside this process in one that begins warm."""

    def warm(command: Sequence[str], **options: Any) -> Popen:
        return Popen(
            ["-m", guarded_worker.__name__, *command[command.index(guarded_worker.__file__) + 1 :]], **options
        )

    setattr(separate_process, "_launch", warm)  # noqa: B010 - no assignment that types could follow


# ---- in whatever has a session -----------------------------------------------------------------


def launch_service(command: Sequence[str], **options: Any) -> Popen:
    """What the launcher starts, warm."""
    at = command.index("vcad_kernel.service")
    return Popen([*command[:at], "tests.service.warm_front", *command[at + 1 :]], **options)


def with_warm_services() -> None:
    """Have sessions in this process start services that begin warm."""
    defaults = Launcher.__init__.__kwdefaults__
    assert defaults is not None
    defaults["launch"] = launch_service
