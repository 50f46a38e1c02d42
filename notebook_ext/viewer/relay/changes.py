"""What one state of a part has more and less than another, found by its kernel, as viewers draw it.

    both = changes(new.parts, old.parts)
    both.names                    # ("added", "unchanged"): those of which there is anything
    both.buffers()                # for a message

Bodies are compared one by one: equal ones with each other, others by their names, the rest in their order.
Meshes come with how they are drawn. Knows parts and buffers; does not know sessions or who asks.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from notebook_ext.viewer.relay.messages import Buffer
from notebook_ext.viewer.relay.nodes import mesh_buffers

if TYPE_CHECKING:
    from vcad_kernel.geometry.tri_mesh import TriMesh
    from vcad_kernel.service.protocol import PartResult

__all__ = ["Changes", "changes"]


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """Closed meshes, mm, none of which is empty."""

    added: tuple[TriMesh, ...]
    removed: tuple[TriMesh, ...]
    unchanged: tuple[TriMesh, ...]

    @property
    def meshes(self) -> dict[str, tuple[TriMesh, ...]]:
        """By the name that viewers know each by, those of which there is anything."""
        every = {"added": self.added, "removed": self.removed, "unchanged": self.unchanged}
        return {name: meshes for name, meshes in every.items() if meshes}

    @property
    def names(self) -> tuple[str, ...]:
        """See `meshes`."""
        return tuple(self.meshes)

    def buffers(self) -> tuple[Buffer, ...]:
        """What is drawn, each under its name."""
        return tuple(
            buffer
            for name, meshes in self.meshes.items()
            for buffer in mesh_buffers(*meshes, prefix=f"{name}.")
        )


def changes(new: Sequence[PartResult], old: Sequence[PartResult]) -> Changes:
    """What bodies are more and less than others. On a thread that may wait.

    Raises: GeometryError MESH_UNSOUND for a mesh that is not its part, or where two cannot be compared;
    VcadError where the kernel cannot be reached.
    """
    from vcad_kernel.service.questions import ChangedFrom

    added: list[TriMesh] = []
    removed: list[TriMesh] = []
    unchanged: list[TriMesh] = []
    for now, before in _pairs(new, old):
        if before is None and now is not None:
            added.append(now.mesh)
        elif now is None and before is not None:
            removed.append(before.mesh)
        elif now is not None and before is not None:
            if now.digest == before.digest:
                unchanged.append(now.mesh)
                continue
            changed = now.answers.ask(ChangedFrom(), now, before)
            added.append(changed.added)
            removed.append(changed.removed)
            unchanged.append(changed.unchanged)
    return Changes(*(tuple(one for one in each if not one.is_empty) for each in (added, removed, unchanged)))


def _pairs(
    new: Sequence[PartResult], old: Sequence[PartResult]
) -> list[tuple[PartResult | None, PartResult | None]]:
    """Each body with the one that it was before; None where there is none.

    A profile, which has no inside, is the same or another.
    """
    alike: tuple[Callable[[PartResult], Hashable], ...] = (
        lambda body: body.digest,
        lambda body: None if body.is_profile else body.name,
        lambda body: None if body.is_profile else "the next",
    )
    pairs: list[tuple[PartResult | None, PartResult | None]] = []
    left, earlier = list(new), list(old)
    for key in alike:
        for body in tuple(left):
            mine = key(body)
            before = next((one for one in earlier if mine is not None and key(one) == mine), None)
            if before is not None:
                left.remove(body)
                earlier.remove(before)
                pairs.append((body, before))
    return [*pairs, *((body, None) for body in left), *((None, body) for body in earlier)]
