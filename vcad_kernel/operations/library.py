"""All operations of the CAD library, and what follows from their records alone.

A new operation is a function in the file of its family; a new family is a file, named here.
"""

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Final

from vcad_kernel.operations import materials, planes, scene
from vcad_kernel.operations.bodies import bodies, booleans, parting, patterns, transforms
from vcad_kernel.operations.features import features, holes, on_bodies, places, selections, wrapping
from vcad_kernel.operations.node import Node
from vcad_kernel.operations.profiles import (
    curve_profiles,
    path_transforms,
    paths,
    pen,
    profile_edits,
    profiles,
    sketches,
)
from vcad_kernel.operations.record import Operation
from vcad_kernel.operations.solids import (
    gears,
    growing,
    imported,
    shapes,
    surface_moves,
    surfaces,
    sweeps,
    text,
    threads,
)
from vcad_kernel.operations.words import Word, words_of

__all__ = ["KINDS", "OPERATIONS", "VARIANTS", "WORDS", "loon_text"]

_FAMILIES: Final[tuple[ModuleType, ...]] = (
    *(shapes, gears, text, booleans, transforms, path_transforms, surface_moves, patterns),
    *(features, selections, bodies),
    *(profiles, curve_profiles, profile_edits, pen, planes, growing, on_bodies, wrapping, parting),
    *(holes, places, threads),
    *(sketches, sweeps, paths, surfaces, imported, scene, materials),
)
"""In the order in which lists of all names have them."""

OPERATIONS: Final[tuple[Operation, ...]] = tuple(
    value for family in _FAMILIES for value in vars(family).values() if isinstance(value, Operation)
)

WORDS: Final[Mapping[str, Word]] = words_of(OPERATIONS)
"""By the name the user writes."""

VARIANTS: Final[Mapping[str, Operation]] = {
    operation.variant: operation for operation in OPERATIONS if operation.variant
}
"""By the tag of the value."""

_ON_FACES: Final[tuple[type[Node], ...]] = (
    *(paths.WrittenPath, planes.OnPath, sweeps.SweepOn),
    *(
        path_transforms.PathTranslate,
        path_transforms.PathRotate,
        path_transforms.PathScale,
        path_transforms.PathMirror,
    ),
)
"""What paths on faces come to, which elsewhere are no nodes."""

KINDS: Final[Mapping[str, type[Node]]] = {
    kind.KIND: kind
    for kind in (*(operation.result for operation in OPERATIONS), *_ON_FACES)
    if issubclass(kind, Node)
}
"""Every kind of node by its JSON ``type``."""


def loon_text(operations: Iterable[Operation] = OPERATIONS) -> str:
    """The library in Loon: its types, whose variants store the subject first, and its functions.

    Nothing is computed there: a call makes a value, and the value is converted and evaluated later.
    """
    types: dict[str, list[str]] = {}
    operations = [*operations]
    for operation in operations:
        if operation.variant:
            types.setdefault(operation.gives, []).append(operation.declaration)
    definitions = [word.definition for word in words_of(operations).values() if word.definition]
    declared = [f"[type {name} {' '.join(variants)}]" for name, variants in types.items()]
    return "\n".join([*declared, *definitions, ""])
