"""What agents may read without a call: the nodes and their sources, findings, the reference.

vcad://nodes                     the parts of the session, with revision and state
vcad://node/NAME                 one of them
vcad://node/NAME/source          the text that made it
vcad://diagnostics               what the checker finds in all of them
vcad://reference                 all names of Loon and of the CAD library, by chapter
vcad://reference/NAME            one of them, with examples
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.server.mcpserver.resources import FunctionResource

from notebook_ext.failure import LoonCellFailed
from vcad_kernel.errors import VcadError

if TYPE_CHECKING:
    from notebook_ext.agents.world import AgentWorld

__all__ = ["add_resources"]

_AGENT = "resource"


def add_resources(server: MCPServer[Any], world: AgentWorld) -> None:
    """Offer all of them on a server."""
    session = world.session

    def answer(tool: str, **arguments: Any) -> str:
        """The same as a tool says, so that both read alike."""
        from notebook_ext.agents.calling import Call
        from notebook_ext.agents.registry import find
        from vcad_kernel.request_id import new_request_id

        found = find(tool)
        call = Call(world, _AGENT, new_request_id())
        try:
            result = found.run(found.arguments.model_validate(arguments), call)
        except (VcadError, LoonCellFailed) as failed:
            raise ResourceNotFoundError(str(failed)) from None
        return json.dumps(result.model_dump(mode="json"), ensure_ascii=False)

    def node(name: str) -> str:
        return answer("vcad_node", node_id=name)

    def source(name: str) -> str:
        text = json.loads(node(name))["source"]["text"]
        return str(text or "")

    def diagnostics() -> str:
        found = {name: [one.to_json() for one in _findings(world, name)] for name in session.nodes()}
        return json.dumps({"diagnostics": found}, ensure_ascii=False)

    _add(server, "vcad://nodes", "nodes", "The parts of the session.", lambda: answer("vcad_list_nodes"))
    _add(server, "vcad://diagnostics", "diagnostics", "What the checker finds in each part.", diagnostics)
    _add(server, "vcad://reference", "reference", "All names, by chapter.", _contents, "text/plain")
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
    )(_page)


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


def _findings(world: AgentWorld, name: str) -> tuple[Any, ...]:
    try:
        part = world.session[name]
    except KeyError:  # forgotten just now
        return ()
    return world.session.check(part.source, cell_id=f"name:{name}", name=name)


def _contents() -> str:
    from vcad_kernel.cad.reference import ALL

    groups: dict[str, list[str]] = {}
    for one in ALL.values():
        groups.setdefault(one.group, []).append(one.name)
    return "\n".join(f"{group}: {' '.join(names)}" for group, names in groups.items())


def _page(name: str) -> str:
    from vcad_kernel.cad.reference import ALL
    from vcad_kernel.loon.reference import plain

    entry = ALL.get(name)
    if entry is None:
        raise ResourceNotFoundError(f"there is nothing called {name}; vcad://reference lists the names")
    return plain(entry)
