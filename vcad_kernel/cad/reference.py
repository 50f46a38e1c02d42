"""What there is to say about the names of the CAD library, for all who say it.

Made of the signatures, so that a function is described in one place. Constructors, which users meet
when they take a model apart with ``match``, are described by the function that makes their values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from vcad_kernel.cad.signatures import FUNCTIONS, SIGNATURES, Parameter, Signature
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.reference_entries.numbers import OF_NUMBERS
from vcad_kernel.loon.reference_entries.table import ENTRIES as LANGUAGE

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
        "Only cube and wedge have a corner at the origin, and only sphere and torus are centred on it; all "
        "others stand on z = 0. The forms that end in -n draw fewer or more sides; the body stays round.",
        (
            *("cube", "cylinder", "sphere", "cone", "torus", "wedge", "prism", "polygon-prism", "hex-prism"),
            *("Empty", "cylinder-n", "sphere-n", "cone-n", "torus-n"),
        ),
    ),
    Section(
        "Booleans",
        "Regularised: what is thinner than a solid vanishes. An empty result is no error.",
        ("union", "difference", "intersection"),
    ),
    Section(
        "Transforms",
        "About the world origin.",
        ("translate", "rotate", "scale", "mirror", "mirror-x", "mirror-y", "mirror-z"),
    ),
    Section(
        "Patterns",
        "The count includes the original. Overlapping copies fuse; copies that do not touch are one part "
        "all the same.",
        (
            *("linear-pattern", "circular-pattern", "mirror-pattern", "mirror-pattern-x"),
            *("mirror-pattern-y", "mirror-pattern-z", "quad-pattern"),
        ),
    ),
    Section(
        "Sketches and swept solids",
        "A sketch is a closed chain of segments on a plane, in order, end to start. Its axes are directions: "
        "their length does not scale it.",
        (
            *("line", "arc", "sketch", "profile-polyline", "profile-rect", "extrude", "revolve", "sweep"),
            *("sweep-line", "sweep-helix", "loft", "loft-closed"),
        ),
    ),
    Section(
        "Paths",
        "What sweep carries a profile along. On a line, a polyline or a spline the profile stands square to "
        "the path; about the Z axis, its x is the distance outwards from the track, its y the height above.",
        ("path-line", "path-polyline", "path-spline", "helix", "helix-res", "cam-path", "cam-path-res"),
    ),
    Section(
        "Features",
        "They work on the merged body: faces that lie in one plane are one face. A feature that cannot be "
        "built says so, with the largest value that can.",
        ("fillet", "chamfer", "shell", "fillet-at", "fillet-vary", "chamfer-at", "shell-open", "draft"),
    ),
    Section(
        "Selections",
        "A selection is a map of criteria, all of which must hold; it is looked up anew whenever the solid "
        "is built. Edges and faces know `:parallel #[x y z]`, `:at`, `:above` and `:below` with the middle's "
        "coordinates as `{:z 5}`, `:radius` with one number or `(lowest highest)`, `:kind`, `:largest n`, "
        '`:smallest n`, `:adjacent` with a selection of faces, and `:made-by "name"`. Edges also know '
        "`:length (lowest highest)` and `:convex true`, faces `:normal #[x y z]`. Edges are of the kinds "
        "`:line`, `:circle` and `:other`; faces are of the kinds `:plane`, `:cylinder`, `:cone`, `:sphere`, "
        "`:torus` and `:other`.",
        ("edges", "faces"),
    ),
    Section("Whole bodies", "", ("hull", "offset", "section")),
    Section(
        "Gears and text",
        "Flanks are true involutes of the pressure angle 20 degrees. Gears of one module mesh when "
        "their axes are half the sum of their teeth times the module apart.",
        (
            *("gear", "gear-backlash", "gear-n", "gear-backlash-n", "ring-gear", "ring-gear-backlash"),
            *("ring-gear-n", "ring-gear-backlash-n", "text"),
        ),
    ),
    Section(
        "Meshes and files",
        "Files are looked for in the folder of the notebook or program, and nowhere outside of it.",
        ("ImportedMesh", "import-mesh", "import-mesh-scaled", "import-step", "import-step-body"),
    ),
    Section(
        "Scenes and materials",
        "A cell may end in a solid, in a `root`, or in a vector of roots, solids and materials.",
        ("root", "root-named", "material"),
    ),
)

_CONSTRUCTORS: Final = "Constructors"


_IS_SOLID: Final = Entry(
    "solid?",
    "function",
    "[solid? value]",
    "a -> Bool",
    "Whether a value is a solid. Sketches, paths, selections and scene entries are none.",
    "[let part [cube 4 4 4]]\n[if [solid? part] part Empty]",
    group="Scenes and materials",
)


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
    yield _IS_SOLID
    for signature in SIGNATURES:
        if signature.variant != signature.name:
            yield _constructor(signature)


ENTRIES: Final[Mapping[str, Entry]] = {entry.name: entry for entry in _entries()}
"""By name: the functions section by section, then the constructors."""

ALL: Final[Mapping[str, Entry]] = {**LANGUAGE, **OF_NUMBERS, **ENTRIES}
"""Everything that a model can name without defining it."""
