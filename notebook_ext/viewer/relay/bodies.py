"""What is drawn of the parts that were evaluated, and who is asked about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeAlias

from notebook_ext.viewer.relay.nodes import Body, Node, Placement, Rows, named_nodes

if TYPE_CHECKING:
    from vcad_kernel.errors import Place
    from vcad_kernel.geometry.measure.inspection.inspection import Edge, Face
    from vcad_kernel.geometry.measure.inspection.scene_rows import SceneRows
    from vcad_kernel.service.protocol import PartResult

__all__ = ["Origin", "body_of", "nodes_of", "placement_of", "rows_of"]

Origin: TypeAlias = Callable[[str], Mapping[str, str]]
"""Where a text is, by the title that errors call it by: ``{cell_id?, file?}``."""


def body_of(part: PartResult, origin: Origin) -> Body:
    """A part as viewers show it."""

    def rows() -> Rows:
        from vcad_kernel.service.questions import SceneOf

        return rows_of(part.answers.ask(SceneOf(), part), origin)

    return Body(
        part.name,
        part.digest.hex(),
        lambda: part.mesh,
        part.material,
        lambda: part.known_figures.exact,
        rows,
        part,
    )


def placement_of(name: str, transform: Sequence[float]) -> Placement:
    """Where an instance of this name stands. transform: 16 numbers, column by column, mm."""
    return Placement(name, tuple(transform[row + 4 * column] for row in range(4) for column in range(4)))


def nodes_of(name: str, parts: Sequence[PartResult], *, figures: str = "") -> tuple[Node, ...]:
    """Parts under a name, as a scene of their own."""
    return named_nodes(
        name, [body_of(part, lambda title: {"file": title}) for part in parts], figures=figures
    )


def rows_of(scene: SceneRows, origin: Origin) -> Rows:
    """Faces and edges as viewers are told of them."""
    by_number = {edge.index: _row(edge) for edge in scene.edges}
    return Rows(
        tuple(
            {**_row(face), "source": None if face.source is None else _source(face.source, origin)}
            for face in scene.faces
        ),
        tuple(by_number.get(number) for number in range(len(scene.line_tangent))),
        scene.triangle_faces,
        scene.lines,
        scene.line_starts,
        scene.line_tangent,
    )


def _row(row: Face | Edge) -> dict[str, Any]:
    """All that it says, but for its number, which is its place."""
    return {field.name: getattr(row, field.name) for field in fields(row) if field.name != "index"}


def _source(place: Place, origin: Origin) -> Mapping[str, Any]:
    return {
        **origin(place.file),
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }
