"""`vcad_move`: where a single instance stands."""

from __future__ import annotations

import difflib
import math
from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from notebook_ext.agents.calls.arguments import Answer, Changing, Length, Point
from notebook_ext.agents.calls.call import Call, Preview, Tool
from notebook_ext.agents.packs.core.pictures.thumbnails import of_nodes
from notebook_ext.agents.packs.core.placed import changing, require_executed
from notebook_ext.agents.packs.core.solids import meant
from notebook_ext.session.node_names import name_of, node_id_of
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from notebook_ext.session.project.design_model import Instance, Transform

__all__ = ["instance_of", "instance_preview", "tools"]


class _Move(Changing):
    instance_id: str
    position: Point | None = Field(None, description="of its origin")
    by: Point | None = Field(None, description="from where it is")
    rotate: list[float] | None = Field(
        None, min_length=3, max_length=3, description="degrees about x, y, z, at its origin; z first"
    )
    transformation: list[Length] | None = Field(
        None, min_length=16, max_length=16, description="all of it, column-major"
    )

    @model_validator(mode="after")
    def _one_way(self) -> _Move:
        given = [name for name in ("position", "by", "rotate", "transformation") if getattr(self, name)]
        if not given:
            raise ValueError("give position, by, rotate or transformation")
        if {"position", "by"} <= set(given) or ("transformation" in given and len(given) > 1):
            raise ValueError(f"{' and '.join(given)} contradict each other: give one")
        return self


class _Moved(Answer):
    node_id: str
    instance_id: str
    transformation: list[float]
    bbox: list[list[float]] | None = Field(description="where it stands; null when it is sheared")
    revision: int
    in_sketchup: bool
    pending: str | None = Field(description="why not")


def tools() -> tuple[Tool, ...]:
    """The one tool."""
    return (
        Tool(
            "vcad_move",
            "core",
            "W",
            False,
            "Move or turn one instance of a part; the others stay.",
            _Move,
            _Moved,
            _move,
            lambda arguments, call: instance_preview(arguments.instance_id, call, "Moves {}."),
        ),
    )


def instance_of(said: str, call: Call) -> tuple[str, Instance]:
    """An instance by its id, or by its part's name where that stands once.

    Raises: ServiceFailure NODE_NOT_FOUND.
    """
    model = call.session.standing
    asked = node_id_of(said)
    if asked in model.instances:
        return asked, model.instances[asked]
    of_part = list(model.instances_of(asked))
    if len(of_part) == 1:
        return of_part[0]
    there = [name for name, _ in of_part] or sorted(model.instances)
    near = difflib.get_close_matches(asked, there, 1)
    known = ", ".join(map(name_of, there)) or "none yet"
    raise ServiceFailure(
        ErrorCode.NODE_NOT_FOUND,
        f"{said} stands in {len(of_part)} places: {known}"
        if of_part
        else f"there is no instance {said!r}; there are {known}",
        fix=f"did you mean {near[0]}?"
        if near and not of_part
        else "vcad_place places a part, vcad_node lists its instances",
        details={"node_id": asked},
    )


def instance_preview(said: str, call: Call, sentence: str, *, goes: bool = False) -> Preview:
    """What a person sees of a change of one instance.

    sentence: with a place for its name. goes: whether it is gone afterwards. Raises: as `instance_of`.
    """
    instance_id, instance = instance_of(said, call)
    named = f"{name_of(instance.component)}: {instance_id}"
    return Preview(
        objects=(named,),
        summary=sentence.format(name_of(instance_id)),
        takes_away=(named,) if goes else (),
        undo="Each push is one step of SketchUp's undo.",
        picture=of_nodes([instance.component], call),
    )


def _move(arguments: _Move, call: Call) -> _Moved:
    instance_id, instance = instance_of(arguments.instance_id, call)
    node_id = instance.component
    transformation = _transformation(arguments, instance.transform)
    with changing(node_id, call) as done:
        done.push(
            lambda: call.session.place(
                name_of(node_id),
                instance=instance_id,
                transformation=transformation,
                expected_revision=arguments.expected_revision,
            )
        )
        require_executed(done.result)
        pending = done.pending
    return _Moved(
        node_id=node_id,
        instance_id=instance_id,
        transformation=transformation,
        bbox=_box(instance_id, call),
        revision=call.session.revision(node_id),
        in_sketchup=pending is None,
        pending=pending,
    )


def _box(instance_id: str, call: Call) -> list[list[float]] | None:
    try:
        bounds = meant(instance_id, call).part.figures.bounds
    except ServiceFailure as sheared:
        if sheared.error_code != ErrorCode.INVALID_PARAMS:
            raise
        return None
    return None if bounds is None else [list(corner) for corner in bounds]


def _transformation(arguments: _Move, now: Transform) -> list[float]:
    """16 numbers, column by column, mm."""
    if arguments.transformation is not None:
        return [float(number) for number in arguments.transformation]
    columns = [list(now[start : start + 3]) for start in (0, 4, 8)]
    if arguments.rotate is not None:
        columns = [_turned(column, arguments.rotate) for column in columns]
    origin = list(now[12:15]) if arguments.position is None else list(arguments.position)
    if arguments.by is not None:
        origin = [a + b for a, b in zip(origin, arguments.by, strict=True)]
    return [*(number for column in columns for number in (*column, 0.0)), *origin, now[15]]


def _turned(vector: list[float], angles: list[float]) -> list[float]:
    """As `rotate` turns: about z first, then y, then x; degrees."""
    turned = list(vector)
    for axis in (2, 1, 0):
        first, second = ((1, 2), (2, 0), (0, 1))[axis]
        cosine, sine = _cosine_and_sine(angles[axis])
        a, b = turned[first], turned[second]
        turned[first], turned[second] = cosine * a - sine * b, sine * a + cosine * b
    return turned


def _cosine_and_sine(angle: float) -> tuple[float, float]:
    """Exact for quarter turns, whose cosines in radians are 6e-17."""
    quarters, rest = divmod(angle, 90.0)
    if rest == 0.0:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(quarters) % 4]
    return math.cos(math.radians(angle)), math.sin(math.radians(angle))
