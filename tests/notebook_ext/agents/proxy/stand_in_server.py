"""The process behind `stand_in`: a server of the SDK with a token, announced as a session is."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
from datetime import UTC, datetime

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context, Image
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.subscriptions import ResourceUpdated, ToolsListChanged
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from notebook_ext.session_records import SessionRecord, write

_NO_SHELL = {
    "error": "this session does not offer the pack shell",
    "error_code": "INVALID_PARAMS",
    "details": {"path": "packs", "expected": "core", "operation": "packs"},
}
_TOO_LARGE = {
    "error": "a request may have 10 bytes",
    "error_code": "PAYLOAD_TOO_LARGE",
    "details": {"limit": 10, "size": 11, "operation": "mcp"},
}
_CUT_HEADERS = [(b"content-type", b"application/json"), (b"content-length", b"1000")]


def main(workspace: str, session_id: str, kernel_id: str, notebook: str) -> None:
    """Announce a session and serve it."""
    asked: dict[str, str] = {}
    bus = InMemorySubscriptionBus()
    server = MCPServer("stand-in", version="1", subscriptions=bus)

    @server.tool()
    async def who(ctx: Context) -> dict[str, str]:
        """Say which session this is, and who asks."""
        told = ctx.session.client_params
        agent = told.client_info.name if told is not None else ""
        return {"session": session_id, "agent": agent, "packs": asked.get("packs", "")}

    @server.tool()
    async def steps(ctx: Context, count: int) -> str:
        """Report progress so many times."""
        for number in range(1, count + 1):
            await ctx.report_progress(number, count, f"step {number}")
        return "done"

    @server.tool()
    async def wait() -> str:
        """Wait until it is cancelled."""
        print("waiting", flush=True)
        try:
            await asyncio.Event().wait()
        finally:
            print("cancelled", flush=True)
        return "never"

    @server.tool()
    async def picture() -> Image:
        """A picture of a good size."""
        return Image(data=bytes(2_000_000), format="png")

    @server.tool()
    async def end() -> str:
        """End in the middle of a call."""
        os._exit(3)

    @server.resource("vcad://selection")
    def selection() -> str:
        """What is selected."""
        return f"nothing in {session_id}"

    @server.prompt()
    def measure(part: str) -> str:
        """How to measure a part."""
        return f"measure {part}"

    async def hear() -> None:
        loop = asyncio.get_running_loop()
        while word := (await loop.run_in_executor(None, sys.stdin.readline)).strip():
            event = ToolsListChanged() if word == "tools" else ResourceUpdated(uri="vcad://selection")
            await bus.publish(event)

    inner = server.streamable_http_app()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            request = Request(scope, receive)
            if request.headers.get("authorization") != "Bearer secret":
                response: Response = JSONResponse({"error": "no"}, 401)
                await response(scope, receive, send)
                return
            asked["packs"] = request.query_params.get("packs", "")
            if asked["packs"] == "shell":
                await JSONResponse(_NO_SHELL, 400)(scope, receive, send)
                return
            called = request.headers.get("mcp-name")
            if called == "too_large":
                await JSONResponse(_TOO_LARGE, 413)(scope, receive, send)
                return
            if called == "given_up":  # as a server does that ends meanwhile
                await PlainTextResponse("Internal Server Error", 500)(scope, receive, send)
                return
            if called == "cut":  # an answer that ends in its middle; the connection is closed
                start = {"type": "http.response.start", "status": 200, "headers": _CUT_HEADERS}
                await send(start)
                await send({"type": "http.response.body", "body": b'{"jsonrpc": ', "more_body": True})
                return
        await inner(scope, receive, send)

    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    port = listening.getsockname()[1]

    class Announced(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            write(
                SessionRecord(
                    session_id=session_id,
                    kernel_id=kernel_id or None,
                    url=f"http://127.0.0.1:{port}",
                    token="secret",
                    workspace=workspace,
                    notebook=notebook or None,
                    pid=os.getpid(),
                    started_at=datetime.now(UTC).isoformat(timespec="microseconds"),
                )
            )
            print("listening", flush=True)
            self.hearing = asyncio.create_task(hear())

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(
            Announced(uvicorn.Config(guarded, log_level="critical", timeout_graceful_shutdown=1)).serve(
                [listening]
            )
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
