"""The tools, a few at a time: each pack is a module with ``tools()``.

An agent that is shown all of them chooses badly, so a connection shows the packs that it asks for. Which
modules there are is said here; none is imported before its pack is wanted.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["PACKS"]

_HERE = "notebook_ext.agents.packs"

PACKS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "core": (f"{_HERE}.core", f"{_HERE}.files", f"{_HERE}.picture"),
        "project": (f"{_HERE}.project", f"{_HERE}.traces"),
        "sketchup": (f"{_HERE}.sketchup",),
        "files": (f"{_HERE}.files",),
        "python": (f"{_HERE}.python",),
        "notebook": (f"{_HERE}.notebook",),
        "diagnostics": (f"{_HERE}.diagnostics",),
        "shell": (f"{_HERE}.shell",),
        "web": (f"{_HERE}.web",),
    }
)
"""Pack → the modules whose ``tools()`` are searched for tools that say they belong to it."""
