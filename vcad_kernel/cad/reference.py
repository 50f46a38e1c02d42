"""What there is to say about the names of the CAD library, for all who say it.

Made of the signatures, so that a function is described in one place. Constructors, which users meet
when they take a model apart with ``match``, are described by the function that makes their values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from vcad_kernel.cad.signatures import FUNCTIONS, SIGNATURES, Parameter, Signature
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.reference_entries import ENTRIES as LANGUAGE
from vcad_kernel.loon.reference_entries.numbers import OF_NUMBERS

__all__ = ["ALL", "ENTRIES", "SECTIONS", "Section"]


class Section(NamedTuple):
    """A chapter of the library."""

    title: str
    intro: str
    """What holds for all its functions; may be empty."""
    names: tuple[str, ...]


SECTIONS: Final = (
    Section(
        "Primitives",
        "Only the cube has a corner at the origin, and only the sphere is centred on it; "
        "cylinder and cone stand on z = 0.",
        ("cube", "cylinder", "sphere", "cone", "Empty"),
    ),
    Section(
        "Booleans",
        "Regularised: what is thinner than a solid vanishes. An empty result is no error.",
        ("union", "difference", "intersection"),
    ),
    Section("Transforms", "About the world origin.", ("translate", "rotate", "scale")),
    Section(
        "Patterns",
        "The count includes the original. Overlapping copies fuse; copies that do not touch are one part "
        "all the same.",
        ("linear-pattern", "circular-pattern"),
    ),
    Section(
        "Sketches and swept solids",
        "A sketch is a closed chain of segments on a plane, in order, end to start. Its axes are directions: "
        "their length does not scale it.",
        ("line", "arc", "sketch", "extrude", "revolve", "sweep-line", "sweep-helix", "loft", "loft-closed"),
    ),
    Section("Meshes", "", ("ImportedMesh",)),
    Section(
        "Scenes and materials",
        "A cell may end in a solid, in a `root`, or in a vector of roots, solids and materials.",
        ("root", "material"),
    ),
    Section(
        "What needs the exact kernel",
        "These are part of the library and check their arguments; until the exact kernel arrives they answer "
        "`CAPABILITY_UNAVAILABLE`.",
        ("fillet", "chamfer", "shell"),
    ),
)

_CONSTRUCTORS: Final = "Constructors"


def _function(signature: Signature, group: str) -> Entry:
    return Entry(
        signature.name,
        "constructor" if signature.name == signature.variant else "function",
        signature.usage,
        signature.type,
        signature.doc,
        signature.program or signature.example,
        group=group,
        parameters=_described(signature.parameters),
    )


def _constructor(signature: Signature) -> Entry:
    fields = signature.fields
    subject = signature.subject_last and len(fields) > 1
    order = f"; {fields[0].name}, what it works on, comes first" if subject else ""
    usage = f"[{' '.join((signature.variant, *(field.name for field in fields)))}]"
    program = signature.program or signature.example
    return Entry(
        signature.variant,
        "constructor",
        usage,
        signature.variant_type,
        f"What {signature.usage} makes. It serves in the patterns of match, to take a model apart{order}.",
        program.replace(signature.example, _constructed(signature)),
        group=_CONSTRUCTORS,
        parameters=_described(fields),
    )


def _constructed(signature: Signature) -> str:
    """The example, with the constructor in place of the function."""
    call = _parts(signature.example)
    if call[0] == "pipe":
        call = [*_parts(call[2]), call[1]]
    arguments = dict(zip((one.name for one in signature.parameters), call[1:], strict=True))
    return f"[{' '.join((signature.variant, *(arguments[field.name] for field in signature.fields)))}]"


def _parts(call: str) -> list[str]:
    """The forms in a pair of brackets, told apart by the blanks between them."""
    parts, depth = [""], 0
    for character in call[1:-1]:
        depth += (character in "[({") - (character in "])}")
        if character == " " and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part]


def _described(parameters: tuple[Parameter, ...]) -> tuple[str, ...]:
    """``r, h: a number, mm``: neighbours that are alike share a line."""
    lines: list[tuple[list[str], str]] = []
    for parameter in parameters:
        unit = {"": "", "mm": ", mm", "deg": ", degrees"}[parameter.unit]
        what = f"{parameter.kind.value}{unit}"
        if lines and lines[-1][1] == what:
            lines[-1][0].append(parameter.name)
        else:
            lines.append(([parameter.name], what))
    return tuple(f"{', '.join(names)}: {what}" for names, what in lines)


def _entries() -> Iterator[Entry]:
    for section in SECTIONS:
        for name in section.names:
            yield _function(FUNCTIONS[name], section.title)
    for signature in SIGNATURES:
        if signature.variant != signature.name:
            yield _constructor(signature)


ENTRIES: Final[Mapping[str, Entry]] = {entry.name: entry for entry in _entries()}
"""By name: the functions section by section, then the constructors."""

ALL: Final[Mapping[str, Entry]] = {**LANGUAGE, **OF_NUMBERS, **ENTRIES}
"""Everything that a model can name without defining it."""
