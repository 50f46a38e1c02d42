"""The WebSocket ``/relay``: viewers in windows of their own, which speak with the session's relay.

The first message of a connection is ``viewer.ready`` with the token; nothing is sent or accepted before. A
viewer that does not read is sent away. Knows WebSockets as ASGI has them, and the relay's connections.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import anyio
import anyio.to_thread
import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.websockets import WebSocket, WebSocketDisconnect

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.viewer.shells import page, program
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

if TYPE_CHECKING:
    from notebook_ext.viewer.relay.messages import Heard, Parcel
    from notebook_ext.viewer.relay.relay import Connection, Relay

__all__ = ["Viewers", "viewer_pages"]

_MOST: Final = 100
"""Viewers at a time."""
_SENDERS: Final = 4
"""Meshes that are made ready at a time."""
_PATIENCE: Final = 30.0
"""Seconds in which a viewer takes one frame."""
_POLICY, _TRY_LATER, _LEAVING, _TOO_MUCH = 1008, 1013, 1001, 1009
"""Codes of closing: not allowed, too slow or too many, the session ends, more than is taken."""
_LARGEST: Final = 2**25
"""Bytes of all buffers of one message."""


class Viewers:
    """relay: of the session; asked for with the first viewer. token: a viewer's.

    on_proof: receives the address of each client that has shown the token. patience: as `_PATIENCE`.
    """

    def __init__(
        self,
        relay: Callable[[], Relay],
        token: str,
        on_proof: Callable[[object], object],
        *,
        most: int = _MOST,
        patience: float = _PATIENCE,
    ) -> None:
        self._relay = relay
        self._token = token.encode("ascii")
        self._on_proof = on_proof
        self._most = most
        self._patience = patience
        self._open = 0
        self._senders: anyio.CapacityLimiter | None = None

    async def serve(self, socket: WebSocket) -> None:
        """Serve one connection until it ends."""
        await socket.accept()
        try:
            first = await self._first(socket)
            if first is None:
                return
            self._open += 1
            try:
                await self._served(socket, first)
            finally:
                self._open -= 1
        except WebSocketDisconnect:
            return

    async def _first(self, socket: WebSocket) -> Heard | None:
        """What the viewer begins with; None for one that was sent away."""
        from notebook_ext.viewer.relay.messages import Parcel, Ready, refusal

        try:
            said = await _received(socket, largest=0)  # of who has not shown the token nothing large is taken
        except VcadError:
            said = None
        if said is None:
            await socket.close(_TOO_MUCH)
            return None
        given = said[0].token if isinstance(said[0], Ready) else ""
        if not hmac.compare_digest(given.encode(), self._token):
            wrong = ServiceFailure(
                ErrorCode.AUTH_INVALID if given else ErrorCode.AUTH_REQUIRED,
                "the link is not this session's; after a restart it is another",
                fix="open the viewer from the notebook, or with `vcad view`",
                details={"operation": "viewer.ready"},
            )
            await self._send(socket, said[0].view_id, Parcel(refusal(wrong)))
            await socket.close(_POLICY)
            return None
        self._on_proof(socket.scope.get("client"))
        if self._open >= self._most:
            await socket.close(_TRY_LATER)
            return None
        return said[0]

    async def _served(self, socket: WebSocket, first: Heard) -> None:
        loop = asyncio.get_running_loop()
        woken = asyncio.Event()

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(woken.set)

        connection = await anyio.to_thread.run_sync(lambda: self._relay().connect(wake))
        try:
            async with anyio.create_task_group() as tasks:
                connection.take_in(first)
                tasks.start_soon(self._hear, socket, connection, tasks.cancel_scope)
                await self._tell(socket, connection, woken)
                tasks.cancel_scope.cancel()
        finally:
            connection.close()

    async def _hear(self, socket: WebSocket, connection: Connection, serving: anyio.CancelScope) -> None:
        try:
            while True:
                try:
                    said = await _received(socket)
                except VcadError as wrong:
                    connection.misheard(wrong)
                    continue
                if said is None:
                    await socket.close(_TOO_MUCH)
                    return
                connection.take_in(*said)
        except WebSocketDisconnect:
            return
        finally:
            serving.cancel()

    async def _tell(self, socket: WebSocket, connection: Connection, woken: asyncio.Event) -> None:
        """Send what there is to be sent, until the viewer is to go."""
        if self._senders is None:
            self._senders = anyio.CapacityLimiter(_SENDERS)
        while True:
            woken.clear()
            while (
                outgoing := await anyio.to_thread.run_sync(connection.take, limiter=self._senders)
            ) is not None:
                if not await self._send(socket, *outgoing):
                    return
            if connection.is_refused:
                await socket.close(_POLICY)
            elif connection.is_given_up:
                await socket.close(_TRY_LATER)
            elif connection.is_ended:
                await socket.close(_LEAVING)
            else:
                await woken.wait()
                continue
            return

    async def _send(self, socket: WebSocket, view_id: str, parcel: Parcel) -> bool:
        """Whether the viewer has taken it in time."""
        text, buffers = parcel.frames(view_id)
        with anyio.move_on_after(self._patience):
            await socket.send_text(text)
            for buffer in buffers:
                await socket.send_bytes(bytes(buffer))
            return True
        return False


async def _received(socket: WebSocket, largest: int = _LARGEST) -> tuple[Heard, list[memoryview]] | None:
    """A message with its buffers; None for more than is taken. largest: bytes of all buffers.

    Raises: VcadError for what is none, of which what follows is a message again; WebSocketDisconnect.
    """
    from notebook_ext.viewer.relay.messages import LARGEST, heard

    text = await _frame(socket)
    if isinstance(text, bytes):
        return None
    if len(text) > LARGEST:
        return None
    said = heard(text)
    buffers: list[memoryview] = []
    size = 0
    for _ in said.buffers:
        data = await _frame(socket)
        size += len(data)
        if isinstance(data, str) or size > largest:
            return None
        buffers.append(memoryview(data))
    return said, buffers


async def _frame(socket: WebSocket) -> str | bytes:
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1005))
    text, data = message.get("text"), message.get("bytes")
    if isinstance(text, str):
        return text
    return bytes(data or b"")


# ---- the page ``/viewer``: the viewer in a window of its own, with all that it loads from here ----
# Nothing of the session is in it; the token stands behind the link's ``#``, which no server sees. And
# ``/viewer/parts``, by which `vcad view` has a running session show a file. Knows HTTP and the bundle.


_START: Final = """import { mountPage } from "./viewer.js";
mountPage(document.getElementById("vcad-viewer"), { relay: "relay" });
"""


class _Show(msgspec.Struct):
    """What is asked for: a file, by its path in the workspace."""

    file: str


def viewer_pages(port: int, show: Callable[[str], str]) -> list[Route]:
    """The routes.

    port: the gateway's. show: has viewers show a file of the workspace, for programs with the agents' token;
    gives the part's name. Raises: VcadError, LoonCellFailed.
    """
    rules = "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self' 'unsafe-inline'",  # of elements, which three.js and preact set
            f"connect-src 'self' ws://127.0.0.1:{port} ws://localhost:{port}",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "worker-src blob:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )
    headers = {
        "Content-Security-Policy": rules,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }

    async def start(_: Request) -> Response:
        return Response(_START, media_type="text/javascript", headers=headers)

    async def module(_: Request) -> Response:
        try:
            return Response(program(), media_type="text/javascript", headers=headers)
        except VcadError as missing:
            body = {"error": missing.render(), "error_code": str(missing.error_code)}
            return JSONResponse(body, 503, headers=headers)

    async def shell(_: Request) -> Response:
        try:
            program()
        except VcadError as missing:
            return PlainTextResponse(missing.render(), 503, headers=headers)
        return Response(page(), media_type="text/html", headers=headers)

    async def shown(request: Request) -> Response:
        try:
            asked = msgspec.json.decode(await request.body(), type=_Show)
            return JSONResponse({"node_id": await run_in_threadpool(show, asked.file)})
        except (msgspec.MsgspecError, RecursionError) as wrong:
            body = {"error": f"no file is named: {wrong}", "error_code": str(ErrorCode.INVALID_PARAMS)}
        except LoonCellFailed as failed:
            body = {"error": failed.error.render(), "error_code": str(failed.error.error_code)}
        except VcadError as refused:
            body = {"error": refused.render(), "error_code": str(refused.error_code)}
        return JSONResponse(body, 400)

    return [
        Route("/viewer/parts", shown, methods=["POST"]),
        Route("/viewer", shell, methods=["GET"]),
        Route("/viewer/start.js", start, methods=["GET"]),
        Route("/viewer/viewer.js", module, methods=["GET"]),
    ]
