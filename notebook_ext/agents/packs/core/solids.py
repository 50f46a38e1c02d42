"""What an agent means by a name, a path or Loon text, as a part that can be measured.

``lid`` and ``node:lid`` are a part in its own coordinates, ``lid-2`` an instance of it where it stands, in a
text ``[let a [import :solid "node:lid"]]`` gives it as a solid. A part that only the project knows is made.
"""

from __future__ import annotations

import difflib
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from notebook_ext.agents.calls.call import Call
from notebook_ext.session.node_names import name_of, node_id_of
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from notebook_ext.display.part import Part
    from notebook_ext.session.linked.linked_parts import LinkedParts
    from notebook_ext.session.project.design_model import Transform

__all__ = ["Meant", "is_path", "meant", "no_node", "text_of"]

_NODE: Final = "node:"
_WORD: Final = re.compile(r"[^\s\[\](){}\"';]+")
"""What may be a name, and no Loon of more than one."""
_SQUARE: Final = 1e-9
"""How far from square two axes may be, of unit vectors: rounding of 16 numbers in a file is far below."""


@dataclass(frozen=True, slots=True)
class Meant:
    """A part, and what errors and answers call it."""

    part: Part
    name: str
    node_id: str | None = None
    """Of a part that is a node, or of the node of an instance."""
    instance_id: str | None = None


def meant(source: str, call: Call) -> Meant:
    """The part that a text means, measured.

    source: a node's name or id, an instance's id, the path of a Loon file, or Loon.
    Raises: ServiceFailure NODE_NOT_FOUND, INVALID_PARAMS for an instance that is not only turned, moved and
    scaled; PathRefused, FileMissing, NOT_A_FILE, NOT_TEXT; LoonCellFailed; VcadError.
    """
    session = call.session
    node_id = node_id_of(source.removeprefix(_NODE))
    name = name_of(node_id)
    if name in session.nodes():
        return Meant(session.part(name, title=name), name, node_id)
    model = session.standing if _WORD.fullmatch(source) else None
    if model is not None and node_id in model.components:

        def standing(linked: LinkedParts) -> Part:
            part = linked.standing_part(node_id)
            part.figures  # noqa: B018 - found now, in its turn, and kept
            return part

        return Meant(session.on_project(standing), name, node_id)
    if model is not None and node_id in model.instances:
        instance = model.instances[node_id]
        text = _standing_text(instance.component, instance.transform, name)
        return Meant(session.part(text, title=name), name, instance.component, node_id)
    if source.startswith(_NODE) or (model is not None and _is_unknown(source, call)):
        raise no_node(source, call)
    text, title = text_of(source, call)
    return Meant(session.part(text, title=title), title if is_path(source) else "the code")


def text_of(source: str, call: Call) -> tuple[str, str]:
    """Loon text, that of a file where it is a path, and what errors call it.

    Raises: PathRefused; FileMissing; NOT_A_FILE; NOT_TEXT.
    """
    if not is_path(source):
        return source, "<text>"
    from notebook_ext.workspace.files.files import read_text

    file = read_text(call.files, source, operation=call.tool)
    return file.text, file.shown


def is_path(source: str) -> bool:
    """Whether it names a Loon file, rather than being Loon."""
    return source.endswith((".oo", ".loon")) and "\n" not in source and not source.startswith("[")


def no_node(source: str, call: Call) -> ServiceFailure:
    """The refusal of a name that nothing has, with those that are there."""
    model = call.session.standing
    parts = list(dict.fromkeys((*call.session.nodes(), *map(name_of, model.components))))
    known = ", ".join(sorted(parts)) or "none yet"
    near = difflib.get_close_matches(source.removeprefix(_NODE), [*parts, *model.instances], 1)
    return ServiceFailure(
        ErrorCode.NODE_NOT_FOUND,
        f"there is no part and no instance {source!r}; the parts are {known}",
        fix=f"did you mean {near[0]}?" if near else "vcad_list_nodes has them; a cell that fails has no part",
        details={"node_id": node_id_of(source), "operation": call.tool},
    )


def _is_unknown(word: str, call: Call) -> bool:
    """Whether a word, which is no path, means nothing in Loon either."""
    from vcad_kernel.cad.reference import ALL

    is_name = word[0].isalpha() and not is_path(word)
    return is_name and word not in ALL and word not in call.session.knowledge.definitions


# ---- where instances stand -----------------------------------------------------------------


def _standing_text(node_id: str, transform: Transform, instance: str) -> str:
    """Loon text of a part where an instance of it stands.

    transform: 16 numbers, column by column, mm. Raises: ServiceFailure INVALID_PARAMS.
    """
    columns = [transform[start : start + 3] for start in (0, 4, 8)]
    weight = transform[15]
    factors = [math.hypot(*column) / weight for column in columns]
    if _determinant(columns) < 0.0:
        factors[0] = -factors[0]
    axes = [
        [length / (factor * weight) for length in column]
        for column, factor in zip(columns, factors, strict=True)
    ]
    pairs = ((0, 1), (0, 2), (1, 2))
    if any(abs(sum(a * b for a, b in zip(axes[i], axes[j], strict=True))) > _SQUARE for i, j in pairs):
        raise ServiceFailure(
            ErrorCode.INVALID_PARAMS,
            f"{instance} is sheared: it is no solid of the library that stands there",
            fix="look at its part by name, or give the instance a transformation without shear",
            details={"path": "source", "expected": "an instance that is turned, moved and scaled only"},
        )
    solid = "it"
    if any(abs(factor - 1.0) > 1e-12 for factor in factors):
        solid = f"[scale {_numbers(factors)} {solid}]"
    angles = _angles(axes)
    if any(angles):
        solid = f"[rotate {_numbers(angles)} {solid}]"
    offset = [length / weight for length in transform[12:15]]
    return f'[let it [import :solid "{_NODE}{node_id}"]]\n[translate {_numbers(offset)} {solid}]'


def _angles(axes: list[list[float]]) -> list[float]:
    """The degrees about x, y and z by which `rotate` turns to these axes, which are its matrix's columns.

    Of R = Rx·Ry·Rz the first row is (cos b cos c, −cos b sin c, sin b), and the last column goes with a.
    """
    (r00, _, _), (r01, r11, r21), (r02, r12, r22) = axes
    along = math.hypot(r00, r01)
    b = math.atan2(r02, along)
    if along > _SQUARE:
        a, c = math.atan2(-r12, r22), math.atan2(-r01, r00)
    else:  # z is turned onto x: only the sum of the two others shows
        a, c = math.atan2(r21, r11), 0.0
    return [math.degrees(angle) + 0.0 for angle in (a, b, c)]


def _determinant(columns: list[tuple[float, ...]]) -> float:
    (a, b, c), (d, e, f), (g, h, i) = columns
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def _numbers(values: list[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
