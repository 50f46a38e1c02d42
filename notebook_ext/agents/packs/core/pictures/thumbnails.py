"""Small pictures of the geometry that a call is about, for the person who is asked.

    Preview(diff=…, picture=of_text(text, "plate.loon", call))

Each function gives one that draws, or None where there is nothing to draw. Drawn later, on a thread of its
own: the session may be busy, and the question is not to wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from notebook_ext.session.node_names import name_of, node_id_of
from notebook_ext.workspace.sources.loon_outline import ENDINGS

if TYPE_CHECKING:
    from notebook_ext.agents.calls.call import Call
    from notebook_ext.viewer.relay.changes import Changes
    from vcad_kernel.geometry.tri_mesh import PartMesh

__all__ = ["of_change", "of_file", "of_nodes", "of_text"]

_WIDTH: Final = 320
_HEIGHT: Final = 220
_LARGEST: Final = 48 * 1024
"""Bytes."""

Picture = Callable[[], bytes | None]
"""Gives PNG. Raises: VcadError, LoonCellFailed where there is no geometry."""


def of_nodes(node_ids: Sequence[str], call: Call) -> Picture | None:
    """Parts as they are now; None where none of them is in the session."""
    names = [name_of(node_id_of(node)) for node in node_ids]
    there = [name for name in names if name in call.session.nodes()]
    if not there:
        return None
    return lambda: _drawn([mesh for name in there for mesh in call.session[name].part_meshes])


def of_file(path: Path, call: Call) -> Picture:
    """What a Loon file gives as it is now; leaves nothing behind."""

    def draw() -> bytes | None:
        text = call.files.read(path, operation=call.tool).decode("utf-8-sig")
        return _drawn(call.session.part(text, title=call.relative(path)).part_meshes)

    return draw


def of_text(text: str, title: str, call: Call) -> Picture | None:
    """What a Loon file would give with this text; None for any other file. Leaves nothing behind."""
    if not title.endswith(tuple(ENDINGS)):
        return None
    return lambda: _drawn(call.session.part(text, title=title).part_meshes)


def of_change(compared: Callable[[], Changes]) -> Picture:
    """What one part would be instead of another: what comes is green, what goes is red."""

    def draw() -> bytes | None:
        from vcad_kernel.geometry.tri_mesh import PartMesh
        from vcad_kernel.operations.scene import Material

        return _drawn(
            [
                PartMesh(name, mesh, Material(name, _COLORS[name]))
                for name, meshes in compared().meshes.items()
                for mesh in meshes
            ]
        )

    return draw


_COLORS: Final = {"unchanged": (0.78, 0.8, 0.83), "added": (0.35, 0.72, 0.4), "removed": (0.86, 0.36, 0.32)}
"""sRGB in 0..1."""


def _drawn(meshes: Sequence[PartMesh]) -> bytes | None:
    from vcad_kernel.render.picture import draw

    shown = [mesh for mesh in meshes if not mesh.mesh.is_empty]
    return draw(shown, _WIDTH, _HEIGHT, limit=_LARGEST) if shown else None
