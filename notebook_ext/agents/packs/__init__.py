"""The tools, a few at a time: each pack is a module with ``tools()``.

An agent that is shown all of them chooses badly, so a connection shows the packs that it asks for. Which
modules there are is said here; none is imported before its pack is wanted.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["PACKS"]

PACKS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "core": (
            "notebook_ext.agents.packs.core.node_state",
            "notebook_ext.agents.packs.core.placing",
            "notebook_ext.agents.packs.core.moving",
            "notebook_ext.agents.packs.core.parameters",
            "notebook_ext.agents.packs.core.measuring",
            "notebook_ext.agents.packs.core.sources",
            "notebook_ext.agents.packs.core.testing",
            "notebook_ext.agents.packs.files.files",
            "notebook_ext.agents.packs.core.pictures.picture",
            "notebook_ext.agents.packs.core.selecting",
            "notebook_ext.agents.packs.core.reference",
        ),
        "viewer": (
            "notebook_ext.agents.packs.core.selecting",
            "notebook_ext.agents.packs.proposing",
            "notebook_ext.agents.packs.viewers",
        ),
        "watch": ("notebook_ext.agents.packs.watch",),
        "project": (
            "notebook_ext.agents.packs.project.project",
            "notebook_ext.agents.packs.project.traces",
            "notebook_ext.agents.packs.project.differences",
            "notebook_ext.agents.packs.project.graph",
            "notebook_ext.agents.packs.core.placing",
        ),
        "sketchup": ("notebook_ext.agents.packs.sketchup",),
        "files": ("notebook_ext.agents.packs.files.files", "notebook_ext.agents.packs.core.sources"),
        "python": ("notebook_ext.agents.packs.python.python",),
        "notebook": ("notebook_ext.agents.packs.notebook.notebook",),
        "diagnostics": (
            "notebook_ext.agents.packs.health",
            "notebook_ext.agents.packs.diagnostics",
            "notebook_ext.agents.packs.reconciling",
        ),
        "shell": ("notebook_ext.agents.packs.shell",),
        "web": ("notebook_ext.agents.packs.web",),
    }
)
"""Pack → the modules whose ``tools()`` are searched for tools that say they belong to it."""
