"""What agents may read without a call: the nodes and their sources, findings, the reference.

vcad://nodes                     the parts of the session, with revision and state
vcad://node/NAME                 one of them
vcad://node/NAME/source          the text that made it
vcad://diagnostics               what the checker finds in all of them
vcad://selection                 what the person has picked in a viewer, or selected in SketchUp
vcad://reference                 all names of Loon and of the CAD library, by chapter
vcad://reference/NAME            one of them, with examples
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.server.mcpserver.resources import FunctionResource

from notebook_ext.agents.calls.calling import call_tool
from vcad_kernel.request_id import current_request

if TYPE_CHECKING:
    from notebook_ext.agents.world import AgentWorld

__all__ = ["add_resources", "reading_for"]

_NOT_SAID: Final = frozenset({"success", "files_updated"})
"""Of a tool's answer, what is no part of a resource."""

_READER: ContextVar[str] = ContextVar("reader", default="unknown")


@contextmanager
def reading_for(agent: str) -> Iterator[None]:
    """A resource that is read in here is read for this agent: what holds for its calls holds for that."""
    before = _READER.set(agent)
    try:
        yield
    finally:
        _READER.reset(before)


def add_resources(server: MCPServer[Any], world: AgentWorld) -> None:
    """Offer all of them on a server."""

    def answer(tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool answers, so that both read alike and the same policy holds."""
        outcome = call_tool(world, tool, arguments, agent=_READER.get(), request_id=current_request())
        if not outcome.success:
            raise ResourceNotFoundError(_failure_line(outcome.body))
        return {key: value for key, value in outcome.body.items() if key not in _NOT_SAID}

    def node(name: str) -> str:
        return _text(answer("vcad_node", node_id=unquote(name)))

    def source(name: str) -> str:
        return str(answer("vcad_node", node_id=unquote(name))["source"]["text"] or "")

    def nodes() -> str:
        return _text(answer("vcad_list_nodes"))

    def diagnostics() -> str:
        findings = {}
        for row in answer("vcad_list_nodes")["nodes"]:
            outcome = call_tool(world, "vcad_check", {"source": row["node_id"]}, agent=_READER.get())
            findings[row["node_id"]] = (
                outcome.body["diagnostics"] if outcome.success else [_failure_line(outcome.body)]
            )
        return _text({"diagnostics": findings})

    def selection() -> str:
        picked = answer("vcad_viewer_state")["selection"]
        try:
            return _text({**answer("get_selection"), "picked": picked})
        except ResourceNotFoundError:
            if not picked:
                raise
        return _text({"picked": picked})  # there is no SketchUp, and the person has picked all the same

    def page(name: str) -> str:
        return str(answer("vcad_reference", name=unquote(name))["text"])

    def contents() -> str:
        return str(answer("vcad_reference")["text"])

    _add(server, "vcad://nodes", "nodes", "The parts of the session.", nodes)
    _add(server, "vcad://diagnostics", "diagnostics", "What the checker finds in each part.", diagnostics)
    _add(server, "vcad://selection", "selection", "What the person has picked.", selection)
    _add(server, "vcad://reference", "reference", "All names, by chapter.", contents, "text/plain")
    server.resource("vcad://node/{name}", name="node", description="One part.", mime_type="application/json")(
        node
    )
    server.resource(
        "vcad://node/{name}/source",
        name="source",
        description="The Loon text that made a part.",
        mime_type="text/plain",
    )(source)
    server.resource(
        "vcad://reference/{name}",
        name="reference page",
        description="One function, form or constant, with examples.",
        mime_type="text/plain",
    )(page)


def _add(
    server: MCPServer[Any],
    uri: str,
    name: str,
    description: str,
    read: Callable[[], str],
    mime_type: str = "application/json",
) -> None:
    server.add_resource(
        FunctionResource(uri=uri, name=name, description=description, mime_type=mime_type, fn=read)
    )


def _text(body: Mapping[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False)


def _failure_line(body: Mapping[str, Any]) -> str:
    """A failure as a line: reading has no other place for its code."""
    fix = body["details"].get("fix")
    return f"{body['error_code']}: {body['error']}" + (f" ({fix})" if fix else "")
