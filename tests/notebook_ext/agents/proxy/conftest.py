"""What the proxy's tests share: a workspace, a runtime folder, and the SDK's client on `vcad mcp`."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client._transport import TransportStreams
from mcp.shared.memory import create_client_server_memory_streams
from mcp.types import Implementation

from notebook_ext.agents.proxy.attachment import Attachment
from notebook_ext.agents.proxy.finding import SessionChoice
from notebook_ext.agents.proxy.headless_start import HeadlessStart
from notebook_ext.agents.proxy.serving import ProxyServer, from_registry
from tests.warm_processes import command

Connect = Callable[..., Client]

_AGENT = Implementation(name="drawing-agent", version="1")
_PATIENCE = 0.2
"""Seconds that a call waits for a session that is away, and that the tests wait with it."""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "design_model.json").write_text("{}", encoding="utf-8")
    return folder


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(folder))
    return folder


@pytest.fixture
def agent(workspace: Path, runtime: Path) -> Connect:
    """Makes a client of a proxy in the workspace, which serves it within this process.

    session, packs, keep: as `vcad mcp` takes them; what is left goes to the client.
    """

    def connect(
        *, session: str | None = None, packs: Collection[str] = (), keep: bool = False, **options: Any
    ) -> Client:
        transport = _proxy(SessionChoice(workspace.resolve(), session), packs, keep=keep)
        return Client(transport, client_info=_AGENT, **{"read_timeout_seconds": 60, **options})

    return connect


@pytest.fixture
def agent_process(workspace: Path, runtime: Path) -> Connect:
    """Makes a client of a `vcad mcp` in the workspace, a process with these arguments."""

    def connect(*arguments: str) -> Client:
        program, *rest = command("tests.warm_vcad", "mcp", "--workspace", str(workspace), *arguments)
        server = StdioServerParameters(command=program, args=rest, env=dict(os.environ), cwd=str(workspace))
        return Client(server, client_info=_AGENT, read_timeout_seconds=90)

    return connect


@asynccontextmanager
async def _proxy(
    choice: SessionChoice, packs: Collection[str], *, keep: bool
) -> AsyncIterator[TransportStreams]:
    """The agent's end of a proxy that serves for as long as the block lasts."""
    async with (
        create_client_server_memory_streams() as (agents_end, proxys_end),
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(
            ProxyServer(from_registry(packs)).run,
            lambda changed: Attachment(
                choice,
                packs=packs,
                changed=changed,
                headless=HeadlessStart(keep=keep),
                patience=_PATIENCE,
            ),
            nullcontext(proxys_end),
        )
        yield agents_end
        await agents_end[1].aclose()  # it leaves as at the end of standard input
