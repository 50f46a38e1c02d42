"""Shell and shell-open: a body hollowed inwards (cad.md §2.8, §3.4).

The result is the body minus its inset; the outside stays as it is. Every lump has its own cavity,
and around a cavity that was there before a second wall is left. Lengths in millimetres.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut
from OCP.TopoDS import TopoDS_Face, TopoDS_Shape

from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.occt.brep import Brep, carried, faces_of, solids_of, with_history
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.insets.cavities import hollowed, opened
from vcad_kernel.geometry.occt.insets.deviation import deviating
from vcad_kernel.geometry.occt.insets.insetting import Inset
from vcad_kernel.geometry.occt.insets.wall_limits import (
    Clock,
    borders,
    described_faces,
    largest_working,
    rounded_down,
)
from vcad_kernel.geometry.occt.measure.validity import checked, flaw, volume_of
from vcad_kernel.geometry.occt.selection.selection import select_faces
from vcad_kernel.operations.features.features import Shell, ShellOpen

__all__ = ["shell", "shell_open"]

_FAILED = "SHELL_FAILED"


def shell(build: Build, node: Shell, operands: Operands, *, clock: Clock = time.thread_time) -> Brep | None:
    """The body with a closed cavity in every lump. Raises: SHELL_FAILED."""
    (body,) = operands
    if body is None:
        return None
    hollow = _hollow(build, node, body, clock)
    return deviating(hollow, body, node.thickness, build.maker)


def _hollow(build: Build, node: Shell, body: Brep, clock: Clock) -> Brep:
    insets = Inset(body.shape)
    kept = insets.hollowed(node.thickness)
    if kept is not None:
        return carried(kept[0], (body,), lambda _: None, build.maker)
    inset = insets.at(node.thickness)
    if inset is None:
        raise _no_room(build, body, insets, node.thickness, clock)
    result = hollowed(body.shape, inset)
    if result is None:
        raise build.fault(_FAILED, "the cavity breaks through the outside", argument="t")
    return _checked(build, body, inset, carried(result, (body,), lambda _: None, build.maker), inset)


def shell_open(
    build: Build, node: ShellOpen, operands: Operands, *, clock: Clock = time.thread_time
) -> Brep | None:
    """The body hollowed, with the selected faces taken away. Raises: SHELL_FAILED, NO_MATCH."""
    (body,) = operands
    if body is None:
        return None
    opened_faces = select_faces(build, body, node.faces)
    _check_openings(build, body, opened_faces)
    return deviating(_open(build, node, body, opened_faces, clock), body, node.thickness, build.maker)


def _open(build: Build, node: ShellOpen, body: Brep, opened_faces: list[TopoDS_Face], clock: Clock) -> Brep:
    insets = Inset(body.shape, opened_faces)
    kept = insets.hollowed(node.thickness)
    if kept is not None:
        return _with_rings(build, body, kept[0], insets.opened, kept[1])
    inset = insets.at(node.thickness)
    if inset is None:
        raise _no_room(build, body, insets, node.thickness, clock)
    return _opened(build, body, inset, opened_faces) or _without(build, body, inset)


def _check_openings(build: Build, body: Brep, opened: list[TopoDS_Face]) -> None:
    """Something must be left of every lump."""
    for lump in solids_of(body.shape):
        faces = faces_of(lump)
        if all(any(face.IsSame(other) for other in opened) for face in faces):
            count = len(faces)
            what = "its only face is" if count == 1 else f"all {count} faces of a lump are"
            raise build.fault(
                _FAILED,
                f"{what} selected to be open, so that no wall is left",
                argument="which",
                fix="select fewer faces",
            )


def _opened(build: Build, body: Brep, inset: TopoDS_Shape, openings: list[TopoDS_Face]) -> Brep | None:
    """The body minus the inset put together from the faces of both; None where that gives no sound body."""
    put_together = opened(body.shape, inset, openings)
    if put_together is None:
        return None
    left = volume_of(body.shape) - volume_of(inset)
    if flaw(put_together[0], volume=(left, left), within=(inset, body.shape)) is not None:
        return None
    return _with_rings(build, body, put_together[0], openings, [[ring] for ring in put_together[1]])


def _with_rings(
    build: Build,
    body: Brep,
    result: TopoDS_Shape,
    openings: Sequence[TopoDS_Face],
    rings: Sequence[Sequence[TopoDS_Face]],
) -> Brep:
    """rings: what is left of each of the openings."""

    def became(face: TopoDS_Face) -> Sequence[TopoDS_Face] | None:
        return next(
            (left for opening, left in zip(openings, rings, strict=True) if face.IsSame(opening)), None
        )

    return carried(result, (body,), became, build.maker)


def _without(build: Build, body: Brep, inset: TopoDS_Shape) -> Brep:
    """The body minus the inset, checked; what is new was made by this node."""
    try:
        cutting = BRepAlgoAPI_Cut(body.shape, inset)
        result = cutting.Shape() if cutting.IsDone() else None
    except OCCT_ERRORS as error:
        raise build.fault(_FAILED, f"the cavity cannot be cut out ({type(error).__name__})") from error
    if result is None or not solids_of(result):
        raise build.fault(_FAILED, "the cavity cannot be cut out")
    hollow = carried(result, (body,), with_history(cutting.History()), build.maker)
    return _checked(build, body, inset, hollow, result)


def _checked(build: Build, body: Brep, inset: TopoDS_Shape, hollow: Brep, new: TopoDS_Shape) -> Brep:
    """new: what of the result is not as it was in the body."""
    left = volume_of(body.shape) - volume_of(inset)
    return checked(build, hollow, _FAILED, volume=(left, left), within=(new, body.shape))


def _no_room(build: Build, body: Brep, insets: Inset, thickness: float, clock: Clock) -> GeometryError:
    """The refusal, with the thickest wall that works and the faces that stand in the way."""
    faces = faces_of(body.shape)
    # the box leaves no room for more: start there
    failing = min(thickness, insets.bound)
    largest = largest_working(
        lambda value: insets.at(value) is not None,
        failing,
        seconds=build.search.wall_seconds,
        trials=build.search.trials,
        clock=clock,
    )
    if insets.is_too_freeform:
        return build.fault(
            _FAILED,
            "this body has too many free-form faces to be moved inwards together",
            fix="write the cavity with difference",
            details={"largest_working": None, "failing_faces": []},
        )
    if insets.opens_smoothly:
        return build.fault(
            _FAILED,
            "an open face runs smoothly into a wall, which has no edge to end at",
            argument="which",
            fix="open faces with sharp edges, and round the edges afterwards",
            details={"largest_working": None, "failing_faces": []},
        )
    message = f"a wall of {thickness:g} mm leaves no sound cavity in this body"
    fix = "simplify the body, or write the cavity with difference"
    if largest is not None:
        largest = rounded_down(largest)
        message += f"; the thickest that works is {largest:g} mm"
        fix = f"use a thickness of at most {largest:g}"
    return build.fault(
        _FAILED,
        message,
        argument="t",
        fix=fix,
        details={
            "largest_working": largest,
            "failing_faces": described_faces(faces, insets.collapsing(thickness)),
        },
        lines=borders(faces, insets.collapsing(thickness)),
    )
