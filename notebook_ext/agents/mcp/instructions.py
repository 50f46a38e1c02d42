"""What an agent reads before anything else: what this server is for, the loop, where the reference is.

Clients that load tools late show a model only this and the tools' names, so it stays under 2 kB.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import quote

from pydantic import Field

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

__all__ = ["EXAMPLE", "INSTRUCTIONS", "NAME", "add_prompts"]


NAME: Final = "vcad"

EXAMPLE: Final = """\
[defparam w 60.0 {:min 20 :max 200 :unit "mm"}]
[pipe [cube w 40 5]
  [difference [translate 10 20 -1 [cylinder 3 7]]]
  [fillet 1]]
"""
"""A part, for models that have never seen Loon; a test builds it."""

INSTRUCTIONS: Final = f"""\
You are in the same modelling session as a person: their notebook, its named parts (nodes), \
design_model.json, and SketchUp when it runs. What you change they see at once; risky calls wait for their \
yes. Use these tools, not a shell, for everything about the model. Lengths are mm (or text: "2 m", "6'", \
"3/4 in"), angles degrees, Z up.

1. session_info and vcad_list_nodes: what is there.
2. Write the part as a Loon file, parts/lid.cmp.oo say, with set_file_slice (start_line 1, end_line 0 makes \
a new file). vcad_check finds mistakes without building, vcad_test runs its [test …] forms, vcad_select \
tries a selection.
3. vcad_place puts it into the session and SketchUp, with instance_id once more; after an edit vcad_update. \
vcad_set_parameter changes a declared number, vcad_move one instance.
4. Measure with vcad_inspect and vcad_distance, look with vcad_screenshot, compare with what was asked, \
repeat.

Loon is [function arguments… solid], the solid last, and for difference and union the tool first:
{EXAMPLE}\
cylinder takes radius and height; 60.0 takes any number, 60 whole ones. vcad_reference finds names by words \
and shows their pages. As resources: vcad://node/NAME/source, vcad://diagnostics, vcad://selection.

A failure has error, error_code and details; details.fix says what to do, file, line and column where. Pass \
expected_revision when you change what you have read; REVISION_CONFLICT: somebody else was faster, look \
again. APPROVAL_DENIED: the person said no, and why; do not try another way around. in_sketchup false: it \
goes there with the next push.
"""


def add_prompts(server: MCPServer[Any]) -> None:
    """Offer all of them on a server."""
    server.prompt(name="model_part", title="Model a part", description="From a purpose to a measured part.")(
        _model_part
    )
    server.prompt(name="review_part", title="Review a part", description="Measure, look, say what is wrong.")(
        _review_part
    )


def _model_part(
    name: Annotated[str, Field(description="what the part is to be called: letters, digits, - and _")],
    purpose: Annotated[str, Field(description="what it is for, with all sizes that are known, in mm")],
) -> str:
    return (
        f"Model the part {name!r}: {purpose}\n\n"
        "First list what can be measured of it (sizes, volume, holes, distances), with numbers. "
        f"Write parts/{name}.cmp.oo with defparam for each size that may change, check it with vcad_check, "
        "and put it in the session with vcad_place. Then measure with vcad_inspect, look with "
        "vcad_screenshot from two directions and a section, and go through the list. Mend what differs "
        "with vcad_update. End with a table: wanted, measured, met or not."
    )


def _review_part(
    name: Annotated[str, Field(description="a part of the session, or a Loon file of the workspace")],
) -> str:
    source = f"{name} (read_file)" if name.endswith((".oo", ".loon")) else f"vcad://node/{quote(name)}/source"
    return (
        f"Review the part {name!r} of this session and change nothing. Read {source}, "
        "vcad_check it, measure it with vcad_inspect, and look at it with vcad_screenshot. Say what is wrong "
        "or fragile, each with the line, a measured figure and what to do; say so when there is nothing."
    )
