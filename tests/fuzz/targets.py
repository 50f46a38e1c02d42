"""Readers that are fed with bytes that anybody might send: each raises only for a mistake of ours.

    TARGETS["framing"](b'{"jsonrpc": …')

What a reader refuses in the way that it says it does is fine; everything else is not. Used by the tests of
this folder, which make the bytes with hypothesis, and by `harness.py`, where atheris does.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, NoReturn

from vcad_kernel.contracts.array_block import ArrayBlockError
from vcad_kernel.contracts.array_block import read as read_arrays
from vcad_kernel.contracts.mesh_block import MeshBlockError
from vcad_kernel.contracts.mesh_block import read as read_mesh
from vcad_kernel.contracts.messages import ServiceLimits
from vcad_kernel.errors import GeometryError, VcadError
from vcad_kernel.ir import op_document
from vcad_kernel.service.front.connection.client import Client, ServerState
from vcad_kernel.service.front.connection.framing import Call, RpcFault, answer, failure, parse
from vcad_kernel.service.front.connection.handshake import Handshake
from vcad_kernel.service.front.files.path_policy import policy_for
from vcad_kernel.service.front.jobs import failures
from vcad_kernel.service.front.jobs.failures import Refused
from vcad_kernel.service.front.jobs.job import Dropped, Job, Task
from vcad_kernel.service.front.jobs.publishing import read_result
from vcad_kernel.service.front.log import Logger
from vcad_kernel.service.front.worker.block_pool import BlockPool
from vcad_kernel.service.front.worker.output_pipe import Frames
from vcad_kernel.service.front.worker.process import WorkerDied
from vcad_kernel.service.shared import ProtocolFault, control
from vcad_kernel.service.shared.payloads import ErrorPayload, RequestPayload
from vcad_kernel.service.shared.region import Region, Response
from vcad_kernel.service.wire import document_json, history_json, plain_json, result_json

__all__ = ["FOLDER", "TARGETS"]

_OWN: Final = tempfile.TemporaryDirectory(prefix="vcad-fuzz-")
FOLDER: Final = Path(_OWN.name)
"""The workspace of clients: their watch looks through all of it."""


def framing(data: bytes) -> None:
    """One line of JSON-RPC, and the line that answers it."""
    try:
        call = parse(data)
    except RpcFault as fault:
        line = failure(fault.rpc_id, fault.envelope())
        said, expected = json.loads(line)["id"], fault.rpc_id
    else:
        assert isinstance(call, Call)
        line = answer(call.rpc_id, {"params": call.params})
        said, expected = json.loads(line)["id"], call.rpc_id
    assert said == expected
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1


# ---- a client's lines, up to the queue -----------------------------------------------------------


class _Connection:
    """Keeps what is said."""

    is_local = True

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    async def send(self, line: bytes) -> None:
        self.lines.append(line)

    def post(self, line: bytes) -> bool:
        self.lines.append(line)
        return True

    def finish(self) -> None:
        """Nothing to close."""


class _Queue:
    """Takes every job, as far as the bytes that the worker would get, and has no room for it."""

    def submit(self, task: Task, _listener: object) -> Job:
        options = {
            "operation": task.tool,
            "arguments": task.arguments(),
            "workspace": str(task.workspace),
            "request_id": task.request_id,
            "node_id": task.node_id,
            "revision": task.revision,
        }
        read = RequestPayload.parse(RequestPayload(task.script_path, options).to_bytes())
        assert read.script_path == task.script_path
        hash((task.scope(task.arguments()), Job.node))
        raise failures.queue_full(0, task.tool)

    def cancel(self, _chosen: object) -> int:
        return 0

    def forget_crashes(self) -> None:
        """There are none."""


class _Watcher:
    def start(self, _folder: Path) -> None:
        """Watch nothing."""

    def stop(self) -> None:
        """Watch nothing."""

    def poll(self, _wait: float = 0.0) -> list[dict[str, str]]:
        return []


class _Log(Logger):
    def failed(self, event: str, error: BaseException, **fields: Any) -> None:
        raise AssertionError(event) from error


def _no_folder(_name: str) -> NoReturn:
    raise failures.too_large(0, 0, "staging")


@cache
def _server_state() -> Any:
    limits = ServiceLimits(64, 1000, 2**20, 2**20)
    handshake = Handshake(
        token=None, limits=limits, policy=lambda workspace: policy_for(workspace, FOLDER), version="1"
    )
    parts: tuple[Any, ...] = (handshake, _Queue(), BlockPool(FOLDER), _no_folder, _Log(), 2**20, _Watcher)
    return ServerState(*parts)


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


def client_lines(data: bytes) -> None:
    """The lines of one client, the first of which may be its greeting; each is answered at most once."""
    _loop().run_until_complete(_lines(data))


async def _lines(data: bytes) -> None:
    connection: Any = _Connection()
    client = Client(connection, _server_state())
    for line in data.split(b"\n"):
        connection.lines.clear()
        with suppress(Dropped):
            await client.take(line)
        while not client.is_idle:
            await asyncio.sleep(0)
        assert len(connection.lines) <= 1, connection.lines
        for said in connection.lines:
            message = json.loads(said)
            assert ("result" in message) != ("error" in message)
            if "error" in message:
                envelope = message["error"]["data"]
                assert envelope["error_code"] != "INTERNAL_ERROR", envelope
                assert "operation" in envelope["details"]
    await client.leave()


# ---- between front and worker --------------------------------------------------------------------


def control_line(data: bytes) -> None:
    """A line on their socket."""
    with suppress(ProtocolFault):
        message = control.decode(data)
        assert control.decode(control.encode(message)) == message


def request_payload(data: bytes) -> None:
    """What the worker reads."""
    with suppress(ProtocolFault):
        RequestPayload.parse(data)


def error_payload(data: bytes) -> None:
    """What the front reads of a failure."""
    with suppress(ProtocolFault):
        ErrorPayload.parse(data)


def result(data: bytes) -> None:
    """The result of a worker, as its front reads it."""
    for is_error in (False, True):
        with suppress(WorkerDied, Refused):
            read_result(Response(b"", data, is_error, 0), "vcad.eval_code", 2**24)


def output_frames(data: bytes) -> None:
    """Printed text, in pieces of any size."""
    heard: list[tuple[int, str]] = []
    frames = Frames(lambda seq, text: heard.append((seq, text)))
    with suppress(ProtocolFault):
        for start in range(0, len(data), 7):
            frames.feed(data[start : start + 7])


@cache
def _region() -> tuple[Path, Region]:
    folder = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else FOLDER
    path = folder / f"vcad-fuzz-region-{os.getpid()}"
    path.unlink(missing_ok=True)
    region = Region.create(path, 2**20 + 2**16)
    path.unlink()  # the maps stay
    return path, region


def region_header(data: bytes) -> None:
    """The header of the region, whoever has written it, as both sides read it."""
    _, region = _region()
    memory = region._map
    memory[: min(len(data), 88)] = data[:88]
    read: tuple[Callable[[], object], ...] = (
        lambda: region.state,
        lambda: region.read_request(7),
        lambda: region.write_response(7, b"xy", b"{}"),
        lambda: region.read_response(7),
        lambda: region.write_request(8, b"abc"),
        lambda: region.read_request(8),
    )
    for one in read:
        with suppress(ProtocolFault):
            one()


# ---- what is behind them -------------------------------------------------------------------------


def array_block(data: bytes) -> None:
    """The arrays of an answer in shared memory, as a client reads them."""
    try:
        arrays = read_arrays(data)
    except ArrayBlockError:
        return
    for array in arrays.values():
        assert array.sum() is not None
        assert not array.flags.writeable


def mesh_block(data: bytes) -> None:
    """A block of shared memory, as a client reads it."""
    try:
        views = read_mesh(data)
    except MeshBlockError:
        return
    assert views.positions.shape[1] == views.indices.shape[1] == 3
    for array in (views.positions, views.indices, views.parts, views.nodes, views.faces):
        assert array is None or array.sum() is not None
        assert array is None or not array.flags.writeable


def op_records(data: bytes) -> None:
    """A document in its binary form."""
    try:
        document = op_document.decode(data)
    except GeometryError:
        return
    written = op_document.encode(document)
    assert op_document.encode(op_document.decode(written)) == written


def document(data: bytes) -> None:
    """A document as clients send it."""
    for given in ({"records": base64.b64encode(data).decode()}, _object(data)):
        with suppress(VcadError):
            document_json.decode(given)


def plain_value(data: bytes) -> None:
    """A value of a binding."""
    with suppress(VcadError):
        plain_json.decode(_object(data))
        plain_json.decode_members(_object(data))


def history(data: bytes) -> None:
    """The cells before one."""
    given: Any = _object(data)
    for entries in (given, [given], given.get("prelude")):
        with suppress(VcadError):
            history_json.decode(entries, {}, "vcad.eval_cell")


def result_fields(data: bytes) -> None:
    """A result as a client reads it."""
    answers: Any = None
    with suppress(VcadError):
        result_json.decode(_object(data), [], answers, sources={}, files=None)


def _object(data: bytes) -> Mapping[str, Any]:
    """The JSON object in some bytes; an empty one where there is none."""
    with suppress(ValueError, RecursionError):
        found = json.loads(data)
        if isinstance(found, dict):
            return found
    return {}


TARGETS: Final[Mapping[str, Callable[[bytes], None]]] = {
    target.__name__: target
    for target in (
        array_block,
        client_lines,
        control_line,
        document,
        error_payload,
        framing,
        history,
        mesh_block,
        op_records,
        output_frames,
        plain_value,
        region_header,
        request_payload,
        result,
        result_fields,
    )
}
"""By their names."""
