"""`vcad_screenshot`: a picture of the session's parts, drawn here, with or without a front end."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from notebook_ext.agents.arguments import Answer, Arguments, Length
from notebook_ext.agents.calling import Call
from notebook_ext.agents.outcomes import Pictured
from notebook_ext.agents.registry import Tool
from notebook_ext.session.node_names import name_of
from vcad_kernel.errors import ErrorCode, SceneError, ServiceFailure
from vcad_kernel.paths import own_folder

if TYPE_CHECKING:
    from vcad_kernel.geometry.mesh import PartMesh

__all__ = ["tools"]

_LARGEST = 96 * 1024
"""Bytes: as base64 a picture stays below 128 KB, which clients show without asking."""
_SAME_SECOND = 1000


class _Section(BaseModel, extra="forbid", frozen=True):
    axis: Literal["x", "y", "z"]
    at: Length


class _Screenshot(Arguments):
    node_id: str | None = Field(None, description="one part; else all")
    view: Literal["iso", "top", "bottom", "front", "back", "left", "right"] = "iso"
    section: _Section | None = Field(None, description="cut open there, mm; the half before it is gone")
    labels: tuple[Literal["names", "dimensions"], ...] = ()
    width: int = Field(960, ge=64, le=2048)
    height: int = Field(640, ge=64, le=2048)


class _Legend(BaseModel):
    name: str
    color: str
    size: list[float]


class _Shot(Answer):
    path: str
    width: int
    height: int
    legend: list[_Legend]


def tools() -> tuple[Tool, ...]:
    """The one tool."""
    return (
        Tool(
            "vcad_screenshot",
            "core",
            "R",
            True,
            "Look at what you made: a picture of one part or all, shaded, optionally cut open and labelled.",
            _Screenshot,
            _Shot,
            _screenshot,
        ),
    )


def _screenshot(arguments: _Screenshot, call: Call) -> Pictured:
    import numpy as np

    from vcad_kernel.render.camera import VIEWS
    from vcad_kernel.render.labels import labels
    from vcad_kernel.render.picture import draw
    from vcad_kernel.render.section import Cut, cut_open

    parts = [part for part in _parts(arguments.node_id, call) if not part.mesh.is_empty]
    shown: Sequence[PartMesh] = parts
    if arguments.section is not None:
        cut = Cut(arguments.section.axis, arguments.section.at)
        shown = cut_open(parts, cut, VIEWS[arguments.view])
        if parts and not shown:
            raise _cut_away(arguments.section, arguments.view)
    call.checkpoint()
    seen = {part.name for part in shown}
    boxes = [one for part in parts if (one := part.mesh.bounds()) is not None]
    corners = np.array(boxes)
    frame = np.stack([corners[:, 0].min(axis=0), corners[:, 1].max(axis=0)]) if boxes else None
    labelled = bool(arguments.labels)
    picture = draw(
        shown,
        arguments.width,
        arguments.height,
        view=arguments.view,
        frame=frame if labelled or arguments.section is not None else None,
        overlay=labels(
            [part for part in parts if part.name in seen],
            names="names" in arguments.labels,
            dimensions="dimensions" in arguments.labels,
            box=frame,
        )
        if labelled
        else None,
        limit=_LARGEST,
    )
    width, height = struct.unpack(">II", picture[16:24])
    legend = [
        _Legend(
            name=part.name,
            color=_hex(part.material.color),
            size=[round(float(one), 3) for one in box[1] - box[0]],
        )
        for part, box in zip(parts, boxes, strict=True)
        if part.name in seen
    ]
    path = _written(picture, call)
    return Pictured(_Shot(path=call.relative(path), width=width, height=height, legend=legend), (picture,))


def _parts(node_id: str | None, call: Call) -> list[PartMesh]:
    """The bodies to show, each with a name that tells it from all others. Raises: VcadError."""
    session = call.session
    names = session.nodes() if node_id is None else (name_of(node_id),)
    found: list[PartMesh] = []
    for name in names:
        try:
            part = session[name]
        except KeyError:
            if node_id is None:
                continue  # forgotten since
            raise _no_node(node_id, session.nodes()) from None
        bodies = part.part_meshes
        single = len(bodies) == 1
        found += [replace(body, name=name if single else f"{name}/{body.name}") for body in bodies]
    if node_id is None and not names:
        raise SceneError(
            "there is no part to show yet",
            code=ErrorCode.NO_GEOMETRY,
            count=0,
            fix="make one: vcad_place with a source file, or a %%loon cell with a name",
        )
    return found


def _written(picture: bytes, call: Call) -> Path:
    """Keep a picture below `.vcad/shots`. Raises: VcadError."""
    operation = "vcad_screenshot"
    try:
        folder = own_folder(call.workspace) / "shots"
    except OSError as failed:
        raise _unwritten(failed) from failed
    stamp = f"{datetime.now():%Y%m%d-%H%M%S}"
    for number in range(_SAME_SECOND):
        name = f"shot-{stamp}.png" if not number else f"shot-{stamp}-{number}.png"
        path = call.files.path(str(folder / name), operation=operation)
        try:
            call.files.write(path, picture, operation=operation, new=True)
        except ServiceFailure as error:
            if error.error_code == ErrorCode.FILE_EXISTS:
                continue
            raise
        return path
    raise _unwritten(OSError("too many pictures in one second"))


def _hex(color: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(255 * min(max(one, 0.0), 1.0)):02x}" for one in color)


def _no_node(node_id: str, known: Sequence[str]) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.NODE_NOT_FOUND,
        f"there is no part {node_id!r}; the parts are {', '.join(known) or 'none yet'}",
        details={"node_id": node_id, "operation": "vcad_screenshot"},
    )


def _cut_away(section: _Section, view: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.INVALID_PARAMS,
        f"nothing is left behind {section.axis} = {section.at:g} mm in the {view} view",
        fix="choose a plane that goes through the part: its box is in vcad_node",
        details={"path": "section.at", "expected": "a plane that cuts what is shown"},
    )


def _unwritten(failed: OSError) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.SAVE_FAILED,
        f"the picture cannot be kept: {failed.strerror or failed}",
        details={"path": ".vcad/shots"},
    )
