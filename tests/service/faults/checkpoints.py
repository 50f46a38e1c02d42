"""Places in the front and the worker at which a test can stop them, end them, or have a step fail.

    checkpoints.arm("front: a block is handed over")        # in the test: stop there, once
    checkpoints.until_stopped("…", process)                 # in the test: it is there now

    install_in_front() / install_in_worker()                # in the process

Such a place is a call of the real program that is wrapped; unless a test has armed it, the wrapper does
nothing. What is armed is a file in a folder, so that it works from one process to another.
"""

from __future__ import annotations

import errno
import functools
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

FOLDER = "VCAD_TEST_CHECKPOINTS"
"""Variable with the folder of what is armed."""
PATIENCE = float(os.environ.get("VCAD_TEST_PATIENCE", "60"))
"""Seconds that anything may take before a test fails."""

STEPS = (
    "sync mesh",
    "stage manifest",
    "write marker",
    "rename mesh",
    "rename manifest",
    "remove marker",
    "published",
)
"""Of a publication, as the store calls them."""


class Checkpoints:
    """What a test arms. folder: nobody else's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def arm(self, name: str, action: str = "stop") -> None:
        """Have the next process that comes to a place do this there: stop, kill, or ENOSPC and its like."""
        making = self.folder / f".{_file(name)}"
        making.write_text(action, "ascii")
        making.rename(self.folder / _file(name))

    def is_reached(self, name: str) -> bool:
        """Whether what was armed has happened, or is about to."""
        return not (self.folder / _file(name)).exists()

    def until_stopped(self, name: str, process: psutil.Process) -> None:
        """Wait until a process has stopped at a place."""
        until(lambda: self.is_reached(name) and process.status() == psutil.STATUS_STOPPED)


def until(
    condition: Callable[[], Any], what: str | Callable[[], str] = "it did not come to that in time"
) -> None:
    """Wait for a condition, for as long as patience lasts. what: is said otherwise."""
    end = time.monotonic() + PATIENCE
    pause = 0.001
    while not condition():
        if time.monotonic() >= end:
            raise AssertionError(what if isinstance(what, str) else what())
        time.sleep(pause)
        # looking takes time as well, which what is waited for may need
        pause = min(pause * 1.5, 0.02)


def _file(name: str) -> str:
    return name.replace(" ", "-").replace(":", "").replace("/", "")


# ---- in the process ----------------------------------------------------------------------------


def reach(name: str) -> None:
    """The process has come to a place. Raises: OSError where that was armed."""
    armed = Path(os.environ[FOLDER]) / _file(name)
    try:
        action = armed.read_text("ascii")
        armed.unlink()
    except FileNotFoundError:
        return
    if action == "stop":
        signal.raise_signal(signal.SIGSTOP)  # this thread goes no further; the others stop with it
    elif action == "kill":
        signal.raise_signal(signal.SIGKILL)
    else:
        number = getattr(errno, action)
        raise OSError(number, os.strerror(number))


def _around(owner: Any, method: str, before: str | None = None, after: str | None = None) -> None:
    """Make the beginning or the end of a call such a place."""
    original = getattr(owner, method)

    @functools.wraps(original)
    def wrapped(*arguments: Any, **named: Any) -> Any:
        if before is not None:
            reach(before)
        result = original(*arguments, **named)
        if after is not None:
            reach(after)
        return result

    setattr(owner, method, wrapped)


def install_in_front() -> None:
    """Make the places of the front."""
    from vcad_kernel.service.front import lifetime
    from vcad_kernel.service.front.connection.connection import Connection
    from vcad_kernel.service.front.files.artifacts import ArtifactStore
    from vcad_kernel.service.front.jobs.publishing import Publisher
    from vcad_kernel.service.front.worker.block_pool import BlockPool
    from vcad_kernel.service.shared.region import Region

    stepping = functools.partial(ArtifactStore, step=lambda name: reach(f"publication: {name}"))
    setattr(lifetime, "ArtifactStore", stepping)  # noqa: B010 - no assignment that types could follow
    _around(ArtifactStore, "_staged", before="publication: to stage", after="publication: staged")
    _around(Region, "write_request", before="front: idle", after="front: request written")
    _around(Region, "read_response", before="front: response is there", after="front: response read")
    _around(Region, "shut_down", after="front: shutdown said")
    _around(BlockPool, "take", before="front: a block is asked for", after="front: a block is there")
    _around(Publisher, "hand_over", before="front: mesh to hand over", after="front: mesh handed over")
    # `send` is a coroutine function: its wrapper is at its end before anything is sent
    _around(Connection, "send", before="front: answer to send")


def install_in_worker() -> None:
    """Make the places of the worker."""
    from vcad_kernel.contracts import mesh_block
    from vcad_kernel.service.shared.control import Shutdown
    from vcad_kernel.service.shared.region import Region
    from vcad_kernel.service.worker.front_link import FrontLink
    from vcad_kernel.service.worker.tools.operations import Operations

    _around(Region, "read_request", before="worker: request ready")
    _around(Operations, "tool", before="worker: request running")
    _around(FrontLink, "block", before="worker: asks for a block", after="worker: has a block")
    _around(mesh_block, "write", after="worker: mesh written")
    _around(Region, "write_response", before="worker: response to write", after="worker: response written")
    receive: Callable[[FrontLink], Any] = FrontLink.receive

    def received(link: FrontLink) -> Any:
        message = receive(link)
        if isinstance(message, Shutdown):
            reach("worker: shutdown heard")
        return message

    setattr(FrontLink, "receive", received)  # noqa: B010 - as above
