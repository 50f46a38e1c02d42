"""Each kernel checks the other: figures of the B-rep against those of the mesh of the same body.

    said = disagreements(on_mesh, exact)     # sentences that say what does not fit

The mesh lies within its chord error d of the true surface, so its volume differs by no more than the
layer of that thickness holds, d times the area to first order. Its box differs by d, or by more where
two faces meet at a narrow angle. Areas have no such bound (a crumpled surface may lie within d of a
smooth one); theirs is that of a regular polygon with the fewest sides the tessellation ever takes.
"""

from __future__ import annotations

import math

from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.geometry.solid import ExactFigures
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = [
    "MESH_UNSOUND",
    "REFEREE_DISAGREES",
    "area_bound",
    "box_bound",
    "disagreements",
    "meshes_disagree",
    "volume_bound",
]

REFEREE_DISAGREES = "REFEREE_DISAGREES"
"""The warning (or, where exact figures were demanded, the error) that follows a disagreement."""

MESH_UNSOUND = "MESH_UNSOUND"
"""The warning that the mesh of a part is not the part, and the error of what would hand that mesh out."""

_SECOND_ORDER = 1.25
"""Room for the curvature terms of a layer's volume: 1 + d/r, and d/r is below ¼ where circles have 5
sides or more."""
_ROUNDING = 1e-6
"""Relative: what either kernel may lose by itself (cad.md §8)."""
_AREA_LOSS = 0.02
"""Relative: a sphere of 32 × 16 faces has 1 % less area than the ball."""


def volume_bound(on_mesh: Figures, exact: ExactFigures | Figures) -> float:
    """How far the two volumes may lie apart, mm³."""
    chord = _tolerances(on_mesh, exact) + LINEAR
    area = max(exact.surface_area, on_mesh.surface_area)
    return _SECOND_ORDER * chord * area + _ROUNDING * max(exact.volume, on_mesh.volume)


def area_bound(on_mesh: Figures, exact: ExactFigures | Figures) -> float:
    """How far the two areas may lie apart, mm²."""
    chord = _tolerances(on_mesh, exact)
    area = max(exact.surface_area, on_mesh.surface_area)
    # a thin or small body is coarse at any chord error that is not small beside its thickness
    thickness = exact.volume / area if area > 0.0 else 0.0
    coarse = chord / thickness if thickness > 0.0 else 1.0
    return min(1.0, _AREA_LOSS + coarse) * area + LINEAR


def box_bound(on_mesh: Figures, exact: ExactFigures) -> float:
    """How far corresponding sides of the two boxes may lie apart, mm."""
    size = 0.0 if exact.bounds is None else math.dist(*exact.bounds)
    chord = _tolerances(on_mesh, exact)
    # where two faces meet at a narrow angle their edge moves further than either: the rim of a lens
    # of two balls that hardly overlap by the root of chord error times size
    return _SECOND_ORDER * chord + math.sqrt(chord * size) + LINEAR + _ROUNDING * size


def _tolerances(on_mesh: Figures, exact: ExactFigures | Figures) -> float:
    """How far the two boundaries may lie apart, mm: the faces of a B-rep need not quite meet, either."""
    return (on_mesh.tolerance or 0.0) + (exact.tolerance or 0.0)


def disagreements(on_mesh: Figures, exact: ExactFigures) -> tuple[str, ...]:
    """What the two kernels do not agree on, each as one sentence; () when each confirms the other."""
    sentences = []
    if abs(exact.volume - on_mesh.volume) > volume_bound(on_mesh, exact):
        sentences.append(
            f"the volume is {exact.volume:.6g} mm³ by the B-rep and {on_mesh.volume:.6g} mm³ by the mesh,"
            f" more than the {volume_bound(on_mesh, exact):.2g} mm³ that its chord error explains"
        )
    if abs(exact.surface_area - on_mesh.surface_area) > area_bound(on_mesh, exact):
        sentences.append(
            f"the area is {exact.surface_area:.6g} mm² by the B-rep"
            f" and {on_mesh.surface_area:.6g} mm² by the mesh"
        )
    if exact.bounds is not None and on_mesh.bounds is not None:
        gap = max(
            abs(a - b)
            for mine, theirs in zip(exact.bounds, on_mesh.bounds, strict=True)
            for a, b in zip(mine, theirs, strict=True)
        )
        if gap > box_bound(on_mesh, exact):
            sentences.append(f"the boxes by the B-rep and by the mesh lie {gap:.3g} mm apart")
    return tuple(sentences)


def meshes_disagree(first: Figures, second: Figures) -> tuple[str, ...]:
    """What two meshes of one body, of different chord errors, do not agree on; () when they do.

    Each lies within its own chord error of the body, so their figures differ by both bounds at most.
    """
    sentences = []
    chords = (first.tolerance or 0.0) + (second.tolerance or 0.0) + 2.0 * LINEAR
    area = max(first.surface_area, second.surface_area)
    volume = max(first.volume, second.volume)
    if abs(first.volume - second.volume) > _SECOND_ORDER * chords * area + _ROUNDING * volume:
        sentences.append(f"the volume is {first.volume:.6g} mm³, and {second.volume:.6g} mm³ by another mesh")
    coarse = chords * area / volume if volume > 0.0 else 1.0
    if abs(first.surface_area - second.surface_area) > min(1.0, _AREA_LOSS + coarse) * area:
        sentences.append(
            f"the area is {first.surface_area:.6g} mm², and {second.surface_area:.6g} mm² by another mesh"
        )
    return tuple(sentences)
