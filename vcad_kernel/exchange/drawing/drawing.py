"""Technical drawings: sections at a plane as DXF or SVG, views with hidden lines as SVG.

    write_section("plate.dxf", parts, Plane.facing((0, 0, 1), origin=(0, 0, 5)))
    write_drawing("plate.svg", parts)

Parts with a B-rep are drawn exactly; parts that are meshes by their triangles. OpenCASCADE is loaded
when the first exact part is drawn.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vcad_kernel.errors import ExportError
from vcad_kernel.exchange.drawing.dxf import section_dxf
from vcad_kernel.exchange.drawing.meshes import cut_mesh, seen_and_hidden_of_meshes
from vcad_kernel.exchange.drawing.planar_curves import Outline, Plane
from vcad_kernel.exchange.drawing.svg import View, section_svg, sheet_svg
from vcad_kernel.exchange.formats import replace_all
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.operations.node import Vec3
from vcad_kernel.operations.scene import DEFAULT_MATERIAL, Material

__all__ = ["VIEWS", "DrawnPart", "Plane", "section_curves", "write_drawing", "write_section"]

VIEWS: Mapping[str, Vec3] = {
    "front": (0.0, -1.0, 0.0),
    "top": (0.0, 0.0, 1.0),
    "right": (1.0, 0.0, 0.0),
    "iso": (1.0, -1.0, 1.0),
    "back": (0.0, 1.0, 0.0),
    "bottom": (0.0, 0.0, -1.0),
    "left": (-1.0, 0.0, 0.0),
}
"""The standard views by the direction in which the viewer stands."""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPart:
    """A part to draw: with its B-rep where it has one, and its mesh, which stands in where it has none."""

    name: str
    mesh: TriMesh
    brep: Any = None
    """The exact kernel's solid (a Brep); None = only the mesh."""
    material: Material = DEFAULT_MATERIAL


def section_curves(parts: Sequence[DrawnPart], plane: Plane) -> tuple[Outline, ...]:
    """What a plane cuts of each part, in the coordinates of the plane; parts that it misses are left out.

    Raises: ExportError when a part cannot be cut.
    """
    outlines = []
    for part in parts:
        if part.mesh.is_empty:
            continue
        if part.brep is None:
            loops = cut_mesh(part.mesh, plane)
        else:
            from vcad_kernel.exchange.drawing.edges import cut

            loops = cut(part.brep, plane)
        if loops:
            outlines.append(Outline(part.name, loops, part.material))
    return tuple(outlines)


def write_section(
    path: str | os.PathLike[str], parts: Sequence[DrawnPart], plane: Plane, *, hatch: bool = True
) -> int:
    """Write a section as ``.dxf`` or ``.svg``; the size of the file in bytes.

    hatch: fill what is cut with lines, in an SVG.
    Raises: ExportError for another suffix, a plane that misses everything, or trouble with the disk.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in (".dxf", ".svg"):
        raise _unknown(suffix, ".dxf, .svg", "a section")
    outlines = section_curves(parts, plane)
    if not outlines:
        raise ExportError("there is nothing to draw: the plane cuts no part")
    data = section_dxf(outlines) if suffix == ".dxf" else section_svg(outlines, hatch=hatch)
    replace_all({target: data}, target)
    return len(data)


def write_drawing(
    path: str | os.PathLike[str],
    parts: Sequence[DrawnPart],
    views: Sequence[str] = ("front", "top", "right", "iso"),
    *,
    scale: float | None = None,
) -> int:
    """Write up to four views with hidden lines on one sheet as ``.svg``; the size of the file in bytes.

    scale: paper over model; by default the largest standard scale at which everything fits on A3.
    Raises: ExportError for another suffix, an unknown view, nothing to draw, or trouble with the disk.
    """
    target = Path(path)
    if target.suffix.lower() != ".svg":
        raise _unknown(target.suffix, ".svg", "a drawing")
    strange = [name for name in views if name not in VIEWS]
    if strange or not 1 <= len(views) <= 4:
        raise ExportError(
            f"the view {strange[0]!r} is not known" if strange else "a sheet has one to four views",
            fix=f"the views are {', '.join(VIEWS)}",
        )
    if scale is not None and not 0.0 < scale < 1e6:
        raise ExportError(f"the scale of a drawing is greater than 0, got {scale}")
    solid = [part for part in parts if not part.mesh.is_empty]
    if not solid:
        raise ExportError("there is nothing to draw: no part has any surface")
    data = sheet_svg([_view(name, solid) for name in views], scale)
    replace_all({target: data}, target)
    return len(data)


def _view(name: str, parts: Sequence[DrawnPart]) -> View:
    """One view; exact when every part is, since lines are hidden by all parts together."""
    plane = Plane.facing(VIEWS[name])
    if all(part.brep is not None for part in parts):
        from vcad_kernel.exchange.drawing.edges import seen_and_hidden

        return View(name, *seen_and_hidden([part.brep for part in parts], plane))
    return View(name, *seen_and_hidden_of_meshes([part.mesh for part in parts], plane))


def _unknown(suffix: str, known: str, what: str) -> ExportError:
    named = f"the format {suffix!r}" if suffix else "a name without suffix"
    return ExportError(
        f"{what} cannot be written as {named}; it can be {known}",
        fix="end the file name in one of these",
        details={"suffix": suffix, "known": known.split(", ")},
    )
