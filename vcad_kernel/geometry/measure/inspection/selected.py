"""Edges or faces that a selection takes, and the lines by which a picture shows them.

    selected(measurement, "edge", selector)      # Selected: numbers as in the tables, lines to draw

Asked of the exact body, as features ask; the numbers are those of its tables (`inspection`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vcad_kernel.errors import GeometryError, candidate_lines
from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.operations.features.selections import Selector, Target
from vcad_kernel.operations.node import NodeId, Vec3

__all__ = ["Selected", "selected"]


@dataclass(frozen=True, slots=True)
class Selected:
    """What a selection takes."""

    indexes: tuple[int, ...]
    """In the body's order."""
    lines: tuple[tuple[tuple[Vec3, ...], ...], ...]
    """Of each, the points of its lines, mm: an edge is one line, a face those around it."""
    said: str = ""
    """Why it takes nothing; or that it takes all, though it has criteria."""


def selected(
    measurement: Measurement, target: Target, selector: Selector | None, indexes: Sequence[int] = ()
) -> Selected:
    """What a selector takes of a part; without one, what stands under these numbers.

    Raises: ValueError for a number that the part has not; CapabilityUnavailable where an imported mesh is
    inside, or no exact kernel is there; GeometryError when the exact body cannot be built.
    """
    from vcad_kernel.geometry.occt.brep import Brep
    from vcad_kernel.geometry.occt.building import Build
    from vcad_kernel.geometry.occt.measure.topology.inspecting import lines_of, merged, numbered, sub_shapes
    from vcad_kernel.geometry.occt.selection.selection import select_edges, select_faces

    measurement.confirm()
    body = measurement.kernel.brep(measurement.document, measurement.node)
    if body is None:
        return Selected((), (), "the part is empty")
    brep = merged(body)
    there = sub_shapes(brep, target)
    remarks = ""

    def merged_of(node: NodeId) -> Brep | None:
        other = measurement.kernel.brep(measurement.document, node)
        return None if other is None else merged(other)

    if selector is None:
        chosen = [there[index] for index in _known(indexes, len(there), target)]
    else:
        build = Build(measurement.document, measurement.node, body=measurement.node, merged=merged_of)
        try:
            chosen = (select_edges if target == "edge" else select_faces)(build, brep, selector)
        except GeometryError as error:
            if error.code != "NO_MATCH":
                raise
            said = [error.message, *candidate_lines(error.details), *([error.fix] if error.fix else [])]
            return Selected((), (), "; ".join(said))
        remarks = "; ".join(note.message for note in build.notes)
    number = numbered(brep, target)
    return Selected(
        tuple(number(shape) for shape in chosen), tuple(lines_of(shape) for shape in chosen), remarks
    )


def _known(indexes: Sequence[int], count: int, target: Target) -> Sequence[int]:
    wrong = [index for index in indexes if not 0 <= index < count]
    if wrong:
        raise ValueError(f"there is no {target} {wrong[0]}: the part has {count}, numbered from 0")
    return indexes
