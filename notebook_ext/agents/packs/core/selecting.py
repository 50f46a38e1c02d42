"""`vcad_select` and `vcad_viewer_annotate`: edges and faces, in rows and marked in a picture.

The first says what a selection takes before a feature is built on it; by the second an agent points at
something. Numbers are those of the part's own tables, which change when its form does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from pydantic import Field, model_validator

from notebook_ext.agents.calls.arguments import Answer, Arguments, Point
from notebook_ext.agents.calls.call import Call, Preview, Tool
from notebook_ext.agents.calls.outcomes import Pictured
from notebook_ext.agents.packs.core.pictures.picture import kept
from notebook_ext.agents.packs.core.solids import Meant, meant
from vcad_kernel.request_id import new_request_id

if TYPE_CHECKING:
    from vcad_kernel.geometry.measure.inspection.inspection import Edge, Face
    from vcad_kernel.geometry.measure.inspection.selected import Selected
    from vcad_kernel.operations.features.selections import Target
    from vcad_kernel.render.annotations.marks import Mark

__all__ = ["tools"]

_MOST_ROWS: Final = 60
_WIDTH: Final = 800
_HEIGHT: Final = 560
_LARGEST: Final = 96 * 1024
"""Bytes: as base64 a picture stays below 128 KB, which clients show without asking."""


class _Select(Arguments):
    source: str = Field(description="node, path or Loon code")
    selection: str = Field(":all", description="as fillet-at takes it: :top, {:parallel :z}")
    of: Literal["edges", "faces"] = "edges"


class _Row(Answer):
    index: int
    kind: str
    size: float = Field(description="mm of an edge, mm² of a face")
    radius: float | None
    center: list[float]
    direction: list[float] | None = Field(description="of an edge; a face's normal")
    made_by: list[str] = Field(description="function and line; of an edge, of the faces beside it")


class _Taken(Answer):
    count: int
    said: str = Field(description="why nothing is taken")
    rows: list[_Row]
    truncated: bool
    path: str


class _Annotate(Arguments):
    node_id: str = Field(description="node, instance, path or Loon code")
    text: str
    edges: list[int] = Field(default=[], description="numbers, as vcad_select has them")
    faces: list[int] = Field(default=[], description="the same")
    point: Point | None = None
    view: Literal["iso", "top", "bottom", "front", "back", "left", "right"] = "iso"

    @model_validator(mode="after")
    def _something(self) -> _Annotate:
        if not self.edges and not self.faces and self.point is None:
            raise ValueError("give edges, faces or a point")
        return self


class _Annotated(Answer):
    annotation_id: str
    path: str


def tools() -> tuple[Tool, ...]:
    """The two tools."""
    return (
        Tool(
            "vcad_select",
            "core",
            "R",
            True,
            "Try a selection before fillet-at or shell-open: which edges or faces it takes, with a picture.",
            _Select,
            _Taken,
            _select,
        ),
        Tool(
            "vcad_viewer_annotate",
            "viewer",
            "W",
            False,
            "Point at something: a picture with the edges, faces or point marked, and told to the person.",
            _Annotate,
            _Annotated,
            _annotate,
            lambda arguments, _: Preview(
                objects=(arguments.node_id,), summary=f"Points at {arguments.node_id}: {arguments.text}"
            ),
        ),
    )


def _select(arguments: _Select, call: Call) -> Pictured:
    part = meant(arguments.source, call)

    def look() -> tuple[Selected, list[_Row]]:
        if arguments.of == "edges":
            taken = part.part.select("edge", arguments.selection)
            edges = {edge.index: edge for edge in part.part.edges(exact=True)}
            faces = {face.index: face for face in part.part.faces(exact=True)}
            return taken, [_edge(edges[index], faces) for index in taken.indexes[:_MOST_ROWS]]
        taken = part.part.select("face", arguments.selection)
        faces = {face.index: face for face in part.part.faces(exact=True)}
        return taken, [_face(faces[index]) for index in taken.indexes[:_MOST_ROWS]]

    taken, rows = call.session.on_project(lambda _linked: look())
    picture = _drawn(part, _marks(taken), "iso")
    return Pictured(
        _Taken(
            count=len(taken.indexes),
            said=taken.said,
            rows=rows,
            truncated=len(taken.indexes) > len(rows),
            path=call.relative(kept(picture, call)),
        ),
        (picture,),
    )


def _annotate(arguments: _Annotate, call: Call) -> Pictured:
    part = meant(arguments.node_id, call)

    def look() -> dict[Target, Selected]:
        wanted: dict[Target, list[int]] = {"edge": arguments.edges, "face": arguments.faces}
        return {
            target: part.part.select(target, indexes=numbers) for target, numbers in wanted.items() if numbers
        }

    from vcad_kernel.render.annotations.marks import Mark

    taken = call.session.on_project(lambda _linked: look())
    marks = [mark for each in taken.values() for mark in _marks(each)]
    if arguments.point is not None:
        x, y, z = arguments.point
        marks.append(Mark("", [[(x, y, z)]]))
    # the first is what the text is about; the others are beside it
    marks = [Mark(arguments.text if row == 0 else "", mark.lines) for row, mark in enumerate(marks)]
    picture = _drawn(part, marks, arguments.view)
    path = call.relative(kept(picture, call))
    call.approvals.point(picture, f"{call.agent} points at {part.name}: {arguments.text}")
    annotation_id = f"a-{new_request_id().removeprefix('r-')}"
    call.session.note(
        "annotated",
        f"{call.agent} points at {part.name}: {arguments.text} ({path})",
        annotation_id=annotation_id,
        node_id=part.node_id,
        path=path,
    )
    _show_in_viewers(arguments, call, part, annotation_id, marks[0].lines[0][0], taken)
    return Pictured(_Annotated(annotation_id=annotation_id, path=path), (picture,))


def _show_in_viewers(
    arguments: _Annotate,
    call: Call,
    part: Meant,
    annotation_id: str,
    at: tuple[float, float, float],
    taken: Mapping[Target, Selected],
) -> None:
    """Have the viewers of the session show the text, and what is meant glow, where the part is shown."""
    relay = call.session.viewers
    node = relay.node(part.name)
    if node is None:
        return
    relay.overlays.annotate(
        {
            "annotation_id": annotation_id,
            "node_id": node.node_id,
            "text": arguments.text,
            "point": at,
            "author": call.agent,
        }
    )
    relay.highlight_taken(node.node_id, taken)


def _marks(taken: Selected) -> list[Mark]:
    from vcad_kernel.render.annotations.marks import Mark

    return [Mark(str(index), lines) for index, lines in zip(taken.indexes, taken.lines, strict=True)]


def _drawn(part: Meant, pointed: Sequence[Mark], view: str) -> bytes:
    from vcad_kernel.render.annotations.marks import marks
    from vcad_kernel.render.picture import draw

    shown = [body for body in part.part.part_meshes if not body.mesh.is_empty]
    return draw(shown, _WIDTH, _HEIGHT, view=view, overlays=[marks(pointed)], limit=_LARGEST)


def _edge(edge: Edge, faces: dict[int, Face]) -> _Row:
    return _Row(
        index=edge.index,
        kind=edge.kind,
        size=edge.length,
        radius=edge.radius,
        center=list(edge.center),
        direction=None if edge.direction is None else list(edge.direction),
        made_by=list(dict.fromkeys(_maker(faces[face]) for face in edge.faces)),
    )


def _face(face: Face) -> _Row:
    return _Row(
        index=face.index,
        kind=face.kind,
        size=face.area,
        radius=face.radius,
        center=list(face.center),
        direction=None if face.normal is None else list(face.normal),
        made_by=[_maker(face)],
    )


def _maker(face: Face) -> str:
    """The function whose call made a face, and the line where that stands."""
    return face.made_by if face.source is None else f"{face.made_by}, line {face.source.line}"
