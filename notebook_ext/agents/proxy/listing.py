"""What the lists of tools, resources and prompts say while there is no session to ask.

Clients ask for the tools as soon as they have started the server, and most never ask again: a list that was
empty then would leave the agent without tools when its notebook opens.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Any

import anyio.to_thread

__all__ = ["Listing", "from_registry"]

Listing = Callable[[str], Awaitable[dict[str, Any]]]
"""From a method's name to its result, as it goes over the wire."""

_EMPTY = {
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}


def from_registry(packs: Collection[str]) -> Listing:
    """The tools of these packs as every session of this version has them; nothing else is listed."""

    async def listing(method: str) -> dict[str, Any]:
        if method in _EMPTY:
            return {_EMPTY[method]: []}
        return {"tools": await anyio.to_thread.run_sync(_tools, frozenset(packs))}

    return listing


def _tools(packs: frozenset[str]) -> list[dict[str, Any]]:
    from notebook_ext.agents.server import listed_tools

    return [one.model_dump(by_alias=True, mode="json", exclude_none=True) for one in listed_tools(packs)]
