"""Names and colours as files need them: distinct materials, plain identifiers, linear light."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from vcad_kernel.geometry.tri_mesh import PartMesh
from vcad_kernel.operations.scene import Material

__all__ = ["distinct_materials", "linear", "one_word", "unique"]


def distinct_materials(parts: Sequence[PartMesh]) -> dict[Material, int]:
    """Each material in use with its number, in the order of the parts."""
    numbers: dict[Material, int] = {}
    for part in parts:
        numbers.setdefault(part.material, len(numbers))
    return numbers


def one_word(name: str, fallback: str) -> str:
    """A name as one word of letters, digits, ``.``, ``_`` and ``-`` that begins with a letter or ``_``.

    That is an XML NCName and an OBJ name; letters of any script stay.

    >>> one_word("Bolt plate & nut", "part"), one_word("3 mm", "part"), one_word(" ", "part")
    ('Bolt_plate_nut', '_3_mm', 'part')
    """
    word = re.sub(r"[^\w.-]+", "_", name.strip())
    if not word.strip("_"):
        return fallback
    return word if word[0].isalpha() or word[0] == "_" else "_" + word


def unique(names: Iterable[str]) -> list[str]:
    """The names in order, later repetitions numbered: ``pin``, ``pin-2``, ``pin-3``."""
    taken: set[str] = set()
    result: list[str] = []
    for name in names:
        candidate, count = name, 1
        while candidate in taken:
            count += 1
            candidate = f"{name}-{count}"
        taken.add(candidate)
        result.append(candidate)
    return result


def linear(color: Sequence[float]) -> list[float]:
    """sRGB components (0..1) as linear light, which glTF wants."""
    return [
        round(value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4, 6) for value in color
    ]
