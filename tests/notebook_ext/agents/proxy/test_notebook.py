"""`vcad mcp` with the session of a real kernel: what the agent does is there in the notebook."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from anyio import to_thread

from tests.integration.kernel import Kernel
from tests.notebook_ext.agents.proxy.conftest import Connect

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def kernel(workspace: Path, runtime: Path) -> Iterator[Kernel]:
    (workspace / "design_model.json").unlink()
    started = Kernel(cwd=workspace)
    assert started.run("%load_ext notebook_ext").status == "ok"
    yield started
    started.stop()


PLATE = "%%loon plate\n[cube 40 30 5]"


async def test_an_agent_works_in_the_notebooks_session(
    agent: Connect, kernel: Kernel, workspace: Path
) -> None:
    assert (await to_thread.run_sync(kernel.run, PLATE)).status == "ok"
    async with agent(read_timeout_seconds=90) as client:
        info = await client.call_tool("session_info")
        assert info.structured_content is not None
        assert info.structured_content["attached"] is True
        assert info.structured_content["agent"] == "drawing-agent"
        nodes = await client.call_tool("vcad_list_nodes")
        assert "plate" in nodes.content[0].text  # type: ignore[union-attr]
        figures = await client.call_tool("vcad_inspect", {"source": "[cube 10 10 10]"})
        assert figures.structured_content is not None
        assert figures.structured_content["volume"] == pytest.approx(1000)


async def test_after_a_restart_the_agent_is_in_the_same_notebook(agent: Connect, kernel: Kernel) -> None:
    assert (await to_thread.run_sync(kernel.run, PLATE)).status == "ok"
    async with agent(read_timeout_seconds=90) as client:
        first = await client.call_tool("session_info")
        await to_thread.run_sync(kernel.restart)
        refused = await client.call_tool("session_info")
        assert refused.structured_content is not None
        assert refused.structured_content["error_code"] == "SESSION_UNAVAILABLE"
        for cell in ("%load_ext notebook_ext", PLATE):
            assert (await to_thread.run_sync(kernel.run, cell)).status == "ok"
        again = await client.call_tool("session_info")
        assert first.structured_content is not None
        assert again.structured_content is not None
        assert again.structured_content["session_id"] != first.structured_content["session_id"]
        assert again.structured_content["attached"] is True
        assert "began anew" in again.content[-1].text  # type: ignore[union-attr]
