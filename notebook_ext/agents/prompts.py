"""Workflows that a person may choose from their client's menu."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

__all__ = ["add_prompts"]


def add_prompts(server: MCPServer[Any]) -> None:
    """Offer all of them on a server."""
    server.prompt(name="model_part", title="Model a part", description="From a wish to a measured part.")(
        _model_part
    )
    server.prompt(name="review_part", title="Review a part", description="Measure, look, say what is wrong.")(
        _review_part
    )


def _model_part(name: str, wish: str) -> str:
    return (
        f"Model the part {name!r}: {wish}\n\n"
        "First list what can be measured of it (sizes, volume, holes, distances), with numbers. "
        f"Write parts/{name}.cmp.oo with defparam for each size that may change, check it with vcad_check, "
        "and put it in the session with vcad_place. Then measure with vcad_inspect, look with "
        "vcad_screenshot from two directions and a section, and go through the list. Mend what differs "
        "with vcad_update. End with a table: wanted, measured, met or not."
    )


def _review_part(name: str) -> str:
    return (
        f"Review the part {name!r} of this session and change nothing. Read vcad://node/{name}/source, "
        "vcad_check it, measure it with vcad_inspect, and look at it with vcad_screenshot. Say what is wrong "
        "or fragile, each with the line, a measured figure and what to do; say so when there is nothing."
    )
