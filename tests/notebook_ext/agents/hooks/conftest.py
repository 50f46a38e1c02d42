"""The hook API over a session without a kernel: in memory, and where a test wants it on a real port."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from notebook_ext.agents.client import HookClient
from notebook_ext.agents.hooks import routes
from notebook_ext.agents.world import AgentWorld
from notebook_ext.approval.person import IN_SCOPE
from tests.notebook_ext.quick_server import quick_server
from vcad_kernel.errors import VcadError

__all__ = ["PATIENCE", "quick_server"]

PATIENCE = 60.0


@pytest.fixture
def app(world: AgentWorld) -> Any:
    async def status(_: Any) -> JSONResponse:
        return JSONResponse({"status": "ok", "session_id": world.session_id, "version": "test"})

    async def outer(_: Any, error: Exception) -> JSONResponse:
        raise AssertionError(f"answered outside of the hook API: {error}")

    made = Starlette(
        routes=[Route("/status", status), Mount("/api", routes=routes(world, patience=PATIENCE))],
        exception_handlers={VcadError: outer, HTTPException: outer},
    )

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        """The part of the gateway's guard that says who calls."""
        if scope["type"] == "http":
            scope[IN_SCOPE] = dict(scope["headers"]).get(b"authorization") == b"Bearer person"
        await made(scope, receive, send)

    return guarded


@pytest.fixture
def http(app: Any) -> Iterator[TestClient]:
    """What the person's programs see."""
    with TestClient(app, headers={"Authorization": "Bearer person"}) as client:
        yield client


@pytest.fixture
def agents_http(app: Any) -> Iterator[TestClient]:
    """What agents' programs see."""
    with TestClient(app, headers={"Authorization": "Bearer agent"}) as client:
        yield client


@pytest.fixture
def address(app: Any) -> Iterator[str]:
    """The url of the same on an ephemeral port."""
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off", ws="none"))
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)
    listening.close()


@pytest.fixture
def client(address: str) -> HookClient:
    made = HookClient(address, token="person")
    assert made.wait_for_server(PATIENCE)
    return made
