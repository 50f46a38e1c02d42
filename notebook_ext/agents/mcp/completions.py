"""What a client's user may be going to type: names of nodes, of Loon files, of pages of the reference.

completion = completed(world, "ref/resource", "vcad://node/{name}", "name", "pla")     # plate, plain
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from mcp_types import Completion

from vcad_kernel.errors import VcadError

if TYPE_CHECKING:
    from notebook_ext.agents.world import AgentWorld

__all__ = ["completed"]

_MOST: Final = 100
"""Values of one answer (MCP, completion/complete)."""
_OPERATION: Final = "completion"


def completed(world: AgentWorld, kind: str, where: str, argument: str, typed: str) -> Completion:
    """What begins as it is typed; then what does so in the other case, then what has it somewhere.

    kind: ``ref/prompt`` or ``ref/resource``. where: the prompt's name, or the template of addresses.
    """
    names = _names(world, kind, where) if argument == "name" else ()
    low = typed.casefold()
    fitting = [name for name in dict.fromkeys(names) if low in name.casefold()]
    fitting.sort(key=lambda name: (not name.startswith(typed), not name.casefold().startswith(low)))
    return Completion(values=fitting[:_MOST], total=len(fitting), has_more=len(fitting) > _MOST)


def _names(world: AgentWorld, kind: str, where: str) -> Iterable[str]:
    if kind == "ref/resource" and where.startswith("vcad://reference/"):
        from vcad_kernel.cad.reference import ALL

        return sorted(ALL)
    if kind == "ref/resource" and where.startswith("vcad://node/"):
        return sorted(world.session.nodes())
    if kind == "ref/prompt" and where == "review_part":
        return [*sorted(world.session.nodes()), *_sources(world)]
    return ()


def _sources(world: AgentWorld) -> list[str]:
    """The Loon files that agents may read."""
    from notebook_ext.workspace.files.tree import found_files
    from notebook_ext.workspace.sources.loon_outline import ENDINGS

    try:
        folder = world.files.folder(".", operation=_OPERATION)
        listings = [
            found_files(world.files, folder, f"**/*{ending}", operation=_OPERATION) for ending in ENDINGS
        ]
    except VcadError:  # no folder any more: then there is nothing to type either
        return []
    return sorted(world.files.shown(path) for hits in listings for path in hits.paths)
