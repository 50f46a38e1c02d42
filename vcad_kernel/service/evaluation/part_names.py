"""What the parts of a scene are called: as the program calls them, where it does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vcad_kernel.loon.compile import Environment
from vcad_kernel.loon.runtime.values import Adt

__all__ = ["part_names"]


def part_names(roots: Sequence[Adt], names: Iterable[str], environment: Environment) -> list[str]:
    """One name for each root: its own by ``root-named``, else that of the global that holds it or its solid,
    else ``part-N``.

    names: the globals to look among; of several for one solid the shortest is taken, then the
    first in the alphabet. A name is given once.
    """
    holders: dict[int, str] = {}
    for name in sorted(names, key=lambda one: (len(one), one), reverse=True):
        value = environment.lookup(name)
        if isinstance(value, Adt):
            holders[id(value)] = name
    found: list[str] = []
    for number, root in enumerate(roots, 1):
        named = root.tag == "NamedEntry"
        solid = root.fields[0] if named or root.tag == "SceneEntry" else root
        holder = (
            (str(root.fields[2]) if named else None)
            or holders.get(id(root))
            or holders.get(id(_unplaced(solid)))
        )
        found.append(holder if holder is not None and holder not in found else f"part-{number}")
    return found


def _unplaced(solid: object) -> object:
    """The solid under translations and rotations: a part keeps its name where it is put."""
    while isinstance(solid, Adt) and solid.tag in ("Translate", "Rotate"):
        solid = solid.fields[0]
    return solid
