"""A small front: it starts a real worker, puts requests into its region and serves what it asks for."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.service import warm
from vcad_kernel.contracts.mesh_block import read
from vcad_kernel.contracts.validation import validate
from vcad_kernel.service.shared.control import (
    Block,
    BlockReady,
    Failed,
    Grow,
    Grown,
    Message,
    NoBlock,
    Progress,
    Ready,
    Request,
    Responded,
    Shutdown,
    decode,
    encode,
)
from vcad_kernel.service.shared.payloads import RequestPayload
from vcad_kernel.service.shared.region import Region, RegionFull
from vcad_kernel.service.worker.printed_text import FRAME

PATIENCE = 60.0
"""Seconds that anything may take before a test fails."""


class WorkerGone(Exception):
    """The worker has closed its socket; the return code of its process."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@dataclass
class Reply:
    """What came of a request."""

    result: dict[str, Any]
    payload: bytes
    is_error: bool
    error_code: int
    printed: str
    progress: list[Progress] = field(default_factory=list)

    @property
    def code(self) -> str:
        assert self.is_error, self.result
        return str(self.result["error_code"])

    @property
    def details(self) -> dict[str, Any]:
        return dict(self.result["details"])


class Front:
    """One worker and what it was told. blocks: whether there is memory for meshes.

    launch: starts its process, as `subprocess.Popen` does.
    """

    def __init__(
        self,
        folder: Path,
        variables: Mapping[str, str] | None = None,
        capacity: int = 2**23,
        launch: Callable[..., Any] = subprocess.Popen,
    ) -> None:
        self.folder = folder
        self.blocks = True
        self.room = True
        self.block_paths: list[Path] = []
        self.grown: list[int] = []
        self._free: list[Path] = []
        self._seq = 0
        self._tools: dict[int, str] = {}
        self._read = bytearray()
        self.region = Region.create(folder / "region", capacity)
        self.socket, theirs = socket.socketpair()
        self.socket.settimeout(PATIENCE)
        self._output, output = os.pipe()
        os.set_blocking(self._output, False)
        self._log = (folder / "log").open("w+b")
        environment = {name: text for name, text in os.environ.items() if not name.startswith("VCAD_")}
        self.process = launch(
            [
                *(sys.executable, "-m", "vcad_kernel.service.worker"),
                *("--region", str(self.region.path), "--control", str(theirs.fileno())),
                *("--output", str(output)),
            ],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            pass_fds=(theirs.fileno(), output),
            start_new_session=True,
            env={**environment, **(variables or {})},
        )
        theirs.close()
        os.close(output)

    def until_ready(self) -> int:
        message = self.receive()
        assert isinstance(message, Ready), message
        return message.pid

    def send(self, message: Message) -> None:
        self.socket.sendall(encode(message))

    def receive(self) -> Message:
        while b"\n" not in self._read:
            piece = self.socket.recv(65536)
            if not piece:
                raise WorkerGone(self.process.wait(PATIENCE))
            self._read += piece
        line, _, rest = bytes(self._read).partition(b"\n")
        self._read = bytearray(rest)
        return decode(line)

    def begin(self, operation: str, arguments: Mapping[str, Any], script: str = "", **options: Any) -> int:
        """Put a request up; its number."""
        self._seq += 1
        self._tools[self._seq] = f"vcad.{operation}"
        given = {"operation": operation, "arguments": arguments, **options}
        payload = RequestPayload(script, given).to_bytes()
        try:
            self.region.write_request(self._seq, payload)
        except RegionFull as full:
            self.region.grow(full.needed)
            self.send(Grown(self._seq))
            self.region.write_request(self._seq, payload)
        self.send(Request(self._seq))
        return self._seq

    def finish(self, seq: int) -> Reply:
        """Serve the worker until it has answered."""
        printed = b""
        progress: list[Progress] = []
        while True:
            message = self._served(self.receive(), progress)
            printed += self._take_printed()
            if message is not None:
                break
        response = self.region.read_response(seq)
        assert message == (Failed(seq) if response.is_error else Responded(seq))
        text = "".join(text for number, text in _frames(printed) if number == seq)
        result = json.loads(response.result)
        tool = self._tools.pop(seq)
        if response.is_error:
            validate("error", result, operation=tool)
        else:
            # what the worker writes is what clients are promised
            validate(f"{tool}#result", result, operation=tool)
        return Reply(result, response.payload, response.is_error, response.error_code, text, progress)

    def call(self, operation: str, arguments: Mapping[str, Any], script: str = "", **options: Any) -> Reply:
        return self.finish(self.begin(operation, arguments, script, **options))

    def _served(self, message: Message, progress: list[Progress]) -> Message | None:
        if isinstance(message, Responded | Failed):
            return message
        if isinstance(message, Progress):
            progress.append(message)
        elif isinstance(message, Grow):
            if not self.room:
                self.send(NoBlock(message.seq, "the disk is full"))
            else:
                self.region.grow(message.size)
                self.grown.append(message.size)
                self.send(Grown(message.seq))
        elif isinstance(message, Block):
            self._give_block(message)
        else:
            pytest.fail(f"a worker does not say {message}")
        return None

    def _give_block(self, wish: Block) -> None:
        if not self.blocks:
            self.send(NoBlock(wish.seq, "no room"))
            return
        if self._free:
            path = self._free.pop()
        else:
            path = self.folder / f"mesh-{len(self.block_paths) + 1}"
            path.write_bytes(bytes(max(wish.size, 2**20)))
        self.block_paths.append(path)
        self.send(BlockReady(wish.seq, path.name, str(path)))

    def give_back(self, path: str) -> None:
        """The next mesh gets this block."""
        self._free.append(Path(path))

    def _take_printed(self) -> bytes:
        taken = b""
        while True:
            try:
                piece = os.read(self._output, 65536)
            except BlockingIOError:
                return taken
            if not piece:
                return taken
            taken += piece

    def printed_so_far(self, seconds: float = PATIENCE) -> str:
        """Text that has come without any answer; waits for some."""
        assert select.select([self._output], [], [], seconds)[0], "nothing was printed"
        return "".join(text for _, text in _frames(self._take_printed()))

    def wait(self, seconds: float) -> None:
        """Let the worker compute for a while, or until it says something."""
        select.select([self.socket], [], [], seconds)

    def wait_until_loading(self, library: str) -> None:
        """Let the worker compute until a library is mapped, or it says something."""
        loaded = Path(f"/proc/{self.process.pid}/maps")
        if not loaded.exists():
            pytest.skip("needs /proc")
        wait_until(lambda: library in loaded.read_text() or select.select([self.socket], [], [], 0)[0])

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def log(self) -> str:
        self._log.flush()
        return (self.folder / "log").read_text("utf-8", "replace")

    def shut_down(self) -> int:
        self.send(Shutdown())
        return int(self.process.wait(PATIENCE))

    def close(self) -> None:
        self.socket.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        os.close(self._output)
        self._log.close()
        self.region.close()


def _frames(data: bytes) -> Iterator[tuple[int, str]]:
    at = 0
    while at < len(data):
        seq, length = FRAME.unpack_from(data, at)
        at += FRAME.size
        yield seq, data[at : at + length].decode()
        at += length


def mesh_of(reply: Reply) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Copies of positions and indices of the block that a result names."""
    data = Path(reply.result["mesh"]["path"]).read_bytes()
    views = read(data)
    return views.positions.copy(), views.indices.copy()


@contextmanager
def running(folder: Path, **variables: str) -> Iterator[Front]:
    """A worker that is ready, and began warm."""
    with started(Front(folder, variables, launch=warm.Popen)) as front:
        yield front


@contextmanager
def started(front: Front) -> Iterator[Front]:
    """A worker once it is ready, which ends with it."""
    try:
        front.until_ready()
        yield front
    finally:
        front.close()


FAULTY = {"VCAD_WORKER_PLUGIN": "tests.service.worker.faulty"}


def wait_until(condition: Any, seconds: float = PATIENCE) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not come to that in time"
        time.sleep(0.005)
