"""`vcad_screenshot`: a picture of the session's parts, drawn here, with or without a front end."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field

from notebook_ext.agents.calls.arguments import Answer, Arguments, Length
from notebook_ext.agents.calls.call import Call, Tool
from notebook_ext.agents.calls.outcomes import Pictured
from notebook_ext.agents.packs.core.pictures.scene import alone, distinguished, scene
from vcad_kernel.errors import ErrorCode, PathRefused, SceneError, ServiceFailure
from vcad_kernel.paths import own_folder

if TYPE_CHECKING:
    from vcad_kernel.geometry.tri_mesh import FloatArray, PartMesh
    from vcad_kernel.render.annotations.labels import Gone

__all__ = ["kept", "plain", "shot_path", "tools"]

_LARGEST = 96 * 1024
"""Bytes: as base64 a picture stays below 128 KB, which clients show without asking."""
_SAME_SECOND = 1000


class _Section(BaseModel, extra="forbid", frozen=True):
    axis: Literal["x", "y", "z"]
    at: Length


def _listed(given: object) -> object:
    """``"names, dimensions"`` means a list of the two."""
    return [item.strip() for item in given.split(",")] if isinstance(given, str) else given


class _Screenshot(Arguments):
    node_id: str | None = Field(
        None, description="one part in its own coordinates; else all, where they stand"
    )
    view: Literal["iso", "top", "bottom", "front", "back", "left", "right"] = "iso"
    section: _Section | None = Field(None, description="cut open there, mm; the half before it is gone")
    labels: Annotated[tuple[Literal["names", "dimensions"], ...], BeforeValidator(_listed)] = ()
    width: int = Field(960, ge=64, le=2048)
    height: int = Field(640, ge=64, le=2048)


class _Legend(BaseModel):
    name: str
    color: str
    size: list[float]
    visible: bool


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

    from vcad_kernel.render.annotations.labels import labels
    from vcad_kernel.render.camera import VIEWS
    from vcad_kernel.render.picture import draw
    from vcad_kernel.render.section import Cut, Opened, cut_open, hatched
    from vcad_kernel.render.sight import Sight

    standing = scene(call) if arguments.node_id is None else alone(arguments.node_id, call)
    boxes = {shown.body.name: shown.box for shown in standing}
    parts = distinguished([shown.body for shown in standing])
    if not parts:
        raise _nothing(arguments.node_id)
    # a section takes whole parts away and caps the others, whose caps are bodies of their own
    section = arguments.section
    opened = Opened(parts, [], [])
    if section is not None:
        opened = cut_open(parts, Cut(section.axis, section.at), VIEWS[arguments.view])
        if not opened.bodies:
            raise _cut_away(section, arguments.view, parts)
    call.checkpoint()
    # the frame is that of the parts as they are, so that pictures of several sections can be compared
    left = {part.name for part in opened.bodies}
    whole = [part for part in parts if part.name in left]
    corners = np.array([boxes[part.name] for part in whole])
    frame = np.stack([corners[:, 0].min(axis=0), corners[:, 1].max(axis=0)])
    seen: set[int] = set()

    def note(_image: Any, _camera: Any, sight: Sight) -> None:
        call.checkpoint()
        seen.update(opened.cuts.get(number, number) for number in sight.seen)

    # hatching lies below the labels, which must be readable on it
    overlays = [note, hatched(opened.cuts)]
    if arguments.labels:
        written = labels(
            opened.bodies,
            names="names" in arguments.labels,
            dimensions="dimensions" in arguments.labels,
            box=frame,
            caption=_caption(arguments, opened.shown),
            surfaces=opened.cuts,
            gone=() if section is None else _gone(section, VIEWS[arguments.view], corners),
        )
        overlays.append(written)
    picture = draw(
        opened.shown,
        arguments.width,
        arguments.height,
        view=arguments.view,
        frame=frame if arguments.labels or section is not None else None,
        overlays=overlays,
        limit=_LARGEST,
    )
    width, height = struct.unpack(">II", picture[16:24])
    legend = [
        _Legend(
            name=part.name,
            color=_hex(part.material.color),
            size=[float(f"{length:.6g}") for length in box[1] - box[0]],
            visible=number in seen,
        )
        for number, (part, box) in enumerate(zip(whole, corners, strict=True))
    ]
    path = kept(picture, call)
    return Pictured(_Shot(path=call.relative(path), width=width, height=height, legend=legend), (picture,))


def _gone(section: _Section, toward: Sequence[float], boxes: FloatArray) -> list[Gone]:
    """The halves of boxes (k, 2, 3), mm, that a section has taken away, of those that it goes through."""
    from vcad_kernel.render.annotations.labels import Gone
    from vcad_kernel.render.section import AXES, keeps_low

    axis = AXES.index(section.axis)
    halves = boxes[(boxes[:, 0, axis] < section.at) & (section.at < boxes[:, 1, axis])].copy()
    halves[:, 0 if keeps_low(axis, toward) else 1, axis] = section.at
    return [Gone(half, axis, section.at) for half in halves]


def _caption(arguments: _Screenshot, shown: Sequence[PartMesh]) -> str:
    """What one must know to read the picture: where from, how wide the grid, where it is cut."""
    import numpy as np

    from vcad_kernel.render.annotations.labels import length_text
    from vcad_kernel.render.camera import VIEWS
    from vcad_kernel.render.ground import grid_step

    points = np.concatenate([part.mesh.positions for part in shown])
    details = [f"{arguments.view} view"]
    if VIEWS[arguments.view][2] > 0:  # else the grid is seen from its edge, or not at all
        step = grid_step(np.stack([points.min(axis=0), points.max(axis=0)]))
        details.append(f"grid {length_text(step)}")
    if arguments.section is not None:
        details.append(f"cut at {arguments.section.axis} = {length_text(arguments.section.at)}")
    return ", ".join(details)


def plain(call: Call, width: int | None, height: int | None) -> bytes:
    """All parts where they stand, seen from the usual corner: PNG.

    width, height: pixels; without, as `vcad_screenshot` has them. Raises: VcadError NO_GEOMETRY.
    """
    from vcad_kernel.render.picture import draw

    parts = distinguished([shown.body for shown in scene(call)])
    if not parts:
        raise _nothing(None)
    usual = _Screenshot.model_fields
    return draw(parts, width or usual["width"].default, height or usual["height"].default, limit=_LARGEST)


def shot_path(text: str, call: Call, *, is_folder: bool = False) -> Path:
    """Where a picture is to be kept: below `.vcad/shots` and nowhere else, and so it needs no person's yes.

    is_folder: whether it is where several are kept, which that folder itself may be. Raises: PathRefused.
    """
    shots = call.workspace / ".vcad" / "shots"
    path = call.files.path(text, operation=call.tool)
    if not path.is_relative_to(shots) or (path == shots and not is_folder):
        raise PathRefused(
            f"{call.tool} writes below .vcad/shots only, not {text!r}",
            fix="leave the path out, or name one below .vcad/shots",
            details={"path": text, "workspace": str(call.workspace), "operation": call.tool},
        )
    return path


def kept(picture: bytes, call: Call, output_path: str | None = None) -> Path:
    """Where a picture is kept below `.vcad/shots`.

    output_path: there; else under a name of its own. Raises: VcadError, PathRefused.
    """
    operation = call.tool
    try:
        folder = own_folder(call.workspace) / "shots"
    except OSError as failed:
        raise _unwritten(failed) from failed
    if output_path is not None:
        path = shot_path(output_path, call)
        call.files.write(path, picture, operation=operation)
        return path
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
    return "#" + "".join(f"{round(255 * min(max(channel, 0.0), 1.0)):02x}" for channel in color)


def _nothing(node_id: str | None) -> SceneError:
    what = "no part of the session has" if node_id is None else f"{node_id} has no"
    return SceneError(
        f"{what} a surface: nothing is left to show" if node_id else f"{what} a surface to show",
        code=ErrorCode.NO_GEOMETRY,
        count=0,
        fix="look at vcad_inspect: a difference or an intersection may leave nothing",
    )


def _cut_away(section: _Section, view: str, parts: Sequence[PartMesh]) -> ServiceFailure:
    axis = "xyz".index(section.axis)
    low = min(float(part.mesh.positions[:, axis].min()) for part in parts)
    high = max(float(part.mesh.positions[:, axis].max()) for part in parts)
    return ServiceFailure(
        ErrorCode.INVALID_PARAMS,
        f"nothing is left behind {section.axis} = {section.at:g} mm in the {view} view",
        fix=f"what is shown lies between {section.axis} = {low:g} and {high:g} mm: cut between these",
        details={"path": "section.at", "expected": f"a length between {low:g} and {high:g} mm"},
    )


def _unwritten(failed: OSError) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.SAVE_FAILED,
        f"the picture cannot be kept: {failed.strerror or failed}",
        details={"path": ".vcad/shots"},
    )
