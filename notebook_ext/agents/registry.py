"""Which tools there are: each is registered once and belongs to one pack.

Knows no protocol and no transport: MCP, the hook API and scripts all read this table. A pack's module is
imported when its pack is first wanted, and pydantic with it.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection
from functools import cache
from importlib import import_module

from notebook_ext.agents.calls.call import Tool
from notebook_ext.agents.packs import PACKS
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["CORE", "find", "load", "wanted_packs"]

CORE = "core"
"""The pack that every connection shows."""


def load(packs: Collection[str]) -> tuple[Tool, ...]:
    """The tools of these packs and of core, which is always there; core's first.

    Raises: ServiceFailure INVALID_PARAMS for a pack that there is none of.
    """
    return tuple(tool for pack in wanted_packs(packs) for tool in _tools_of(pack))


def wanted_packs(packs: Collection[str], allowed: Collection[str] = ("all",)) -> tuple[str, ...]:
    """The packs meant, in the order of the table: core always, "all" is every one that may be asked for.

    allowed: which may be asked for, besides core.
    Raises: ServiceFailure INVALID_PARAMS for one that there is not, or that may not be asked for.
    """
    may = _known(allowed)
    asked_for = {pack for pack in packs if pack}
    refused = sorted(_known(asked_for - {"all"}) - may)
    if refused:
        raise ServiceFailure(
            ErrorCode.INVALID_PARAMS,
            f"this session does not offer its agents pack {', '.join(refused)}",
            fix="VCAD_AGENT_PACKS names those that may be asked for: " + ", ".join(sorted(may)),
            details={
                "path": "packs",
                "expected": f"some of {', '.join(pack for pack in PACKS if pack in may)}",
                "operation": "packs",
            },
        )
    return tuple(
        pack for pack in PACKS if pack == CORE or pack in asked_for or ("all" in asked_for and pack in may)
    )


def _known(packs: Collection[str]) -> set[str]:
    """These packs and core, "all" as what it stands for. Raises: ServiceFailure INVALID_PARAMS."""
    unknown = sorted(set(packs) - set(PACKS) - {"all"})
    if unknown:
        known = ", ".join((*PACKS, "all"))
        raise ServiceFailure(
            ErrorCode.INVALID_PARAMS,
            f"there is no pack {', '.join(unknown)}",
            fix=f"the packs are {known}",
            details={"path": "packs", "expected": f"some of {known}", "operation": "packs"},
        )
    return set(PACKS) if "all" in packs else {CORE, *packs}


def find(name: str) -> Tool:
    """The tool of this name, of whatever pack. Raises: ServiceFailure TOOL_NOT_FOUND."""
    for pack in PACKS:
        for tool in _tools_of(pack):
            if tool.name == name:
                return tool
    known = [tool.name for pack in PACKS for tool in _tools_of(pack)]
    near = ", ".join(difflib.get_close_matches(name, known, 3))
    raise ServiceFailure(
        ErrorCode.TOOL_NOT_FOUND,
        f"there is no tool {name!a}",
        fix=f"did you mean {near}?" if near else "the list of tools names those there are",
        details={"operation": name.encode("utf-8", "backslashreplace").decode()},
    )


@cache
def _tools_of(pack: str) -> tuple[Tool, ...]:
    tools = (tool for module in PACKS[pack] for tool in import_module(module).tools())
    return tuple(tool for tool in tools if tool.pack == pack)
