"""One worker process: its start, one request at a time, its end.

    worker = await WorkerProcess.start(command, folder, log)
    response = await worker.run(payload, visitor)
    worker.kill()

Data passes through the region, wake-ups over a socket, printed text through a pipe. Decides nothing:
who is to be stopped, when and why is the evaluator's business. Everything runs on the event loop.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

import psutil

from vcad_kernel.service.front.log import Logger
from vcad_kernel.service.front.worker.block_pool import MeshBlock
from vcad_kernel.service.front.worker.output_pipe import Frames, PipeEnd
from vcad_kernel.service.shared import ProtocolFault, control
from vcad_kernel.service.shared.region import DEFAULT_CAPACITY, Region, RegionFull, Response, State

__all__ = ["Visitor", "WorkerCommand", "WorkerDied", "WorkerProcess"]

_TAIL: Final = 4096
"""Bytes of what a worker's libraries said last that are kept for the log."""
_ROUND: Final = 2**20
_numbers = itertools.count(1)


class WorkerDied(Exception):
    """A worker that is no more, or that has to be given up.

    signal: name of the signal that ended it. exit_code: its status, where it ended by itself. reason: why
    it was given up, where it had not ended. had_begun: whether it may have taken its request up.
    """

    def __init__(
        self, *, signal: str | None = None, exit_code: int | None = None, reason: str | None = None
    ) -> None:
        super().__init__(reason or signal or f"exit code {exit_code}")
        self.signal = signal
        self.exit_code = exit_code
        self.reason = reason
        self.had_begun = True


class Process(Protocol):
    """A process that has been started."""

    @property
    def pid(self) -> int:
        """Its number."""

    def wait(self) -> int:
        """Its return code, once it has ended."""


@dataclass(frozen=True, slots=True)
class WorkerCommand:
    """How workers are started, and how much time they get."""

    program: Sequence[str] = (sys.executable, "-m", "vcad_kernel.service.worker")
    environment: Mapping[str, str] | None = None
    """None for our own."""
    start_seconds: float = 60.0
    """How long one may take until it is ready."""
    grace_seconds: float = 0.2
    """How long one may take to give up what it computes, before it is killed."""
    farewell_seconds: float = 2.0
    """How long an idle one may take to end by itself, before it is killed."""
    capacity: int = DEFAULT_CAPACITY
    """Bytes of its region."""
    arguments: Sequence[str] = field(default=())
    """Further arguments."""
    launch: Callable[..., Process] = subprocess.Popen
    """Starts a process, as `subprocess.Popen` does."""


class Visitor(Protocol):
    """The owner of the request that runs: what becomes known of it before its answer, and its blocks."""

    def progress(self, phase: str, done: int, total: int) -> None:
        """How far it is; total 0 where it is not known."""

    def printed(self, text: str) -> None:
        """More text, which follows the text before."""

    def block(self, size: int) -> MeshBlock:
        """A block of at least so many bytes. Raises: OSError without memory."""


class WorkerProcess:
    """Made by `start`."""

    def __init__(
        self,
        process: Process,
        region: Region,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        log: Logger,
    ) -> None:
        self.pid = process.pid
        self.given_up = False
        """Whether nothing more may be asked of it."""
        self._process = process
        self._region = region
        self._reader = reader
        self._writer = writer
        self._log = log
        self._seq = 0
        self._visitor: Visitor | None = None
        self._tail = b""
        self._frames = Frames(self._printed)
        self._output: PipeEnd | None = None
        self._said: PipeEnd | None = None
        self._usage: psutil.Process | None = None
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        """Its return code, once it has ended and everything of it is given back."""

    # ---- start -----------------------------------------------------------------------------

    @classmethod
    async def start(cls, command: WorkerCommand, folder: Path, log: Logger) -> WorkerProcess:
        """A worker that is ready. folder: where its region lies.

        Raises: WorkerDied; OSError when there is no memory for the region or no such program.
        """
        # each thing that is opened is closed again where a later step fails, or is given up meanwhile
        ours, theirs = socket.socketpair()
        try:
            reader, writer = await asyncio.open_connection(sock=ours, limit=control.LINE_LIMIT)
        except asyncio.CancelledError:
            ours.close()
            theirs.close()
            raise
        try:
            region = Region.create(folder / f"region-{next(_numbers)}", command.capacity)
        except OSError:
            writer.close()
            theirs.close()
            raise
        output_read, output_write = os.pipe()
        said_read, said_write = os.pipe()
        try:
            process = command.launch(
                [
                    *command.program,
                    *("--region", str(region.path)),
                    *("--control", str(theirs.fileno())),
                    *("--output", str(output_write)),
                    *command.arguments,
                ],
                stdin=subprocess.DEVNULL,
                stdout=said_write,
                stderr=said_write,
                pass_fds=(theirs.fileno(), output_write),
                env=None if command.environment is None else dict(command.environment),
                start_new_session=True,
            )
        except OSError:
            _discard(region)
            writer.close()
            os.close(output_read)
            os.close(said_read)
            raise
        finally:
            theirs.close()
            os.close(output_write)
            os.close(said_write)
        # from here on the process itself is what has to be ended, and it closes the rest
        worker = cls(process, region, reader, writer, log)
        worker._output = PipeEnd(output_read, worker._frame)
        worker._said = PipeEnd(said_read, worker._hear)
        threading.Thread(
            target=worker._reap, args=(asyncio.get_running_loop(),), name="reaper", daemon=True
        ).start()
        try:
            await worker._until_ready(command.start_seconds)
        except WorkerDied as died:
            await worker._killed()
            log.event("worker_not_ready", level="error", reason=str(died), said=worker.last_words or None)
            raise
        except asyncio.CancelledError:
            await worker._killed()
            raise
        return worker

    async def _killed(self) -> None:
        """Kill it and wait until it is gone, though not for ever."""
        self.kill()
        await asyncio.wait([self.ended], timeout=1.0)

    async def _until_ready(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                message = await self._message()
        except TimeoutError:
            raise WorkerDied(reason=f"it was not ready after {seconds:g} s") from None
        except ProtocolFault as fault:
            raise WorkerDied(reason=str(fault)) from fault
        if not isinstance(message, control.Ready):
            raise WorkerDied(reason=f"it began with {type(message).__name__}")

    # ---- one request -----------------------------------------------------------------------

    async def run(self, payload: bytes, visitor: Visitor) -> Response:
        """The answer to a request.

        Raises: WorkerDied, also when it broke the protocol and has been killed for it; OSError when
        there is no memory for the request.
        """
        if self.ended.done():
            died = await self._death()
            died.had_begun = False
            raise died
        self._seq += 1
        self._visitor = visitor
        try:
            self._put(payload)
            self._send(control.Request(self._seq))
            while True:
                message = await self._message()
                if isinstance(message, control.Responded | control.Failed):
                    if message.seq != self._seq:
                        raise ProtocolFault(f"the answer is to {message.seq}, not to {self._seq}")
                    if self._output is not None:
                        self._output.drain()
                    return self._region.read_response(self._seq)
                self._serve(message, visitor)
        except ProtocolFault as fault:
            self.kill()
            raise WorkerDied(reason=str(fault)) from fault
        except WorkerDied as died:
            died.had_begun = self._has_begun()
            raise
        finally:
            self._visitor = None
            if self.ended.done():
                _discard(self._region)

    def _has_begun(self) -> bool:
        """Whether the request has been taken up, as far as the region tells."""
        try:
            return self._region.state is not State.REQUEST_READY
        except ProtocolFault:
            return True

    def _put(self, payload: bytes) -> None:
        try:
            self._region.write_request(self._seq, payload)
        except RegionFull as full:
            self._region.grow(_rounded(full.needed))
            self._send(control.Grown(self._seq))
            self._region.write_request(self._seq, payload)

    def _serve(self, message: control.Message, visitor: Visitor) -> None:
        """Answer what a worker asks for while it computes."""
        if isinstance(message, control.Progress):
            if message.seq == self._seq:
                visitor.progress(message.phase, message.done, message.total)
        elif isinstance(message, control.Grow):
            self._send(self._grown(message))
        elif isinstance(message, control.Block):
            try:
                block = visitor.block(message.size)
            except (OSError, OverflowError) as failed:
                self._send(control.NoBlock(message.seq, getattr(failed, "strerror", None) or str(failed)))
            else:
                self._send(control.BlockReady(message.seq, block.name, str(block.path)))
        else:
            raise ProtocolFault(f"a worker does not say {type(message).__name__}")

    def _grown(self, request: control.Grow) -> control.Message:
        try:
            self._region.grow(max(_rounded(request.size), self._region.capacity))
        except (OSError, ProtocolFault) as failed:
            return control.NoBlock(request.seq, str(failed))
        return control.Grown(request.seq)

    async def _message(self) -> control.Message:
        try:
            line = await self._reader.readuntil(b"\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            raise await self._death() from None
        except asyncio.LimitOverrunError as long:
            raise ProtocolFault("a line of a worker is too long") from long
        return control.decode(line)

    async def _death(self) -> WorkerDied:
        """What ended it, once its socket is closed."""
        try:
            async with asyncio.timeout(1.0):
                code = await asyncio.shield(self.ended)
        except TimeoutError:
            # it has closed its socket and lives: a worker that cannot be reached
            self.kill()
            return WorkerDied(reason="it closed its socket")
        if code >= 0:
            return WorkerDied(exit_code=code)
        try:
            return WorkerDied(signal=signal.Signals(-code).name)
        except ValueError:
            return WorkerDied(signal=f"signal {-code}")

    def _send(self, message: control.Message) -> None:
        # a socket that is closed shows at the next read
        if not self._writer.is_closing():
            self._writer.write(control.encode(message))

    # ---- what it says ----------------------------------------------------------------------

    def _frame(self, data: bytes) -> None:
        try:
            self._frames.feed(data)
        except ProtocolFault as fault:
            # the text is a convenience: the answer holds all of it
            self._log.event("worker_output_lost", level="warning", pid=self.pid, reason=str(fault))
            if self._output is not None:
                self._output.close()

    def _printed(self, seq: int, text: str) -> None:
        if seq == self._seq and self._visitor is not None:
            self._visitor.printed(text)

    def _hear(self, data: bytes) -> None:
        self._tail = (self._tail + data)[-_TAIL:]

    @property
    def last_words(self) -> str:
        """The end of what it and its libraries wrote to its standard streams."""
        if self._said is not None:
            self._said.drain()
        return self._tail.decode("utf-8", "replace")

    # ---- watching and ending ---------------------------------------------------------------

    @property
    def has_served(self) -> bool:
        """Whether anything has been asked of it."""
        return self._seq > 0

    def memory(self) -> int:
        """Bytes of memory that it has; 0 when it is no more."""
        try:
            if self._usage is None:
                self._usage = psutil.Process(self.pid)
            return int(self._usage.memory_info().rss)
        except psutil.Error:
            return 0

    def interrupt(self) -> None:
        """Ask it to give up what it computes."""
        if not self.ended.done():
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGINT)

    def kill(self) -> None:
        """End it now; `ended` tells when it has."""
        self.given_up = True
        if not self.ended.done():
            # it leads a session of its own: whatever it has started goes with it
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)

    async def stop(self, seconds: float) -> bool:
        """Have it end by itself, and kill it after some time, which may be none; whether it did."""
        if seconds > 0.0 and not self.ended.done() and not self.given_up:
            self.given_up = True
            self._region.shut_down()
            self._send(control.Shutdown())
            try:
                async with asyncio.timeout(seconds):
                    return await asyncio.shield(self.ended) == 0
            except TimeoutError:
                self._log.event("worker_did_not_stop", level="warning", pid=self.pid)
        self.kill()
        await asyncio.shield(self.ended)
        return False

    def _reap(self, loop: asyncio.AbstractEventLoop) -> None:
        code = self._process.wait()
        with suppress(RuntimeError):  # the loop may have been closed
            loop.call_soon_threadsafe(self._gone, code)

    def _gone(self, code: int) -> None:
        self.given_up = True
        for pipe in (self._output, self._said):
            if pipe is not None:
                pipe.drain()
                pipe.close()
        self._writer.close()
        if self._visitor is None:
            # otherwise an answer may lie in it that has not been read
            _discard(self._region)
        if not self.ended.done():
            self.ended.set_result(code)


def _discard(region: Region) -> None:
    region.close()
    region.path.unlink(missing_ok=True)


def _rounded(size: int) -> int:
    return min(-(-size // _ROUND) * _ROUND, 2**32 - 1)
