"""How far what is made of profiles may be off, whose outlines had to be fitted: measured, and handed on."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.placement import enlargement
from vcad_kernel.geometry.sweeps.profiles.curves import (
    distances_to_curves,
    places_and_ways,
    stretches,
)
from vcad_kernel.geometry.sweeps.profiles.parametric import fitted_curve
from vcad_kernel.geometry.sweeps.profiles.regions import Source
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.bodies.parting import Project, SectionProfile
from vcad_kernel.operations.node import Node, NodeId
from vcad_kernel.operations.profiles.curve_profiles import CurveProfile
from vcad_kernel.operations.profiles.profile_edits import OffsetProfile
from vcad_kernel.operations.profiles.sketches import Curves, Spline
from vcad_kernel.operations.solids.sweeps import Extrude, Sweep

__all__ = ["fit_of", "fit_under", "offset_error", "on_splines"]

_FITTED = (OffsetProfile, Project, SectionProfile)
"""Profiles whose outlines, which the exact kernel builds, may be splines that are laid along other curves."""
_PLACES = 32
"""Of each smooth stretch of a curve, at which distances are measured."""

Points = NDArray[np.float64]


def fit_under(document: Document, root: NodeId, source: Source) -> float:
    """How far the boundary of a body may be off because of the profiles that it grows out of, mm; a bound.

    What solids below are off by is known of those. Raises: GeometryError, as the source.
    """
    nodes = document.nodes
    return max(_stretch(nodes[root]), 1.0) * sum(
        fit_of(document, child, source) for child in nodes[root].children() if nodes[child].GIVES == "Sketch"
    )


def fit_of(document: Document, profile: NodeId, source: Source) -> float:
    """How far the outlines of a profile may be off, mm; a bound. Raises: GeometryError, as the source."""
    off, larger = 0.0, 1.0
    pending, seen = [profile], {profile}
    while pending:
        here = pending.pop()
        value = document.nodes[here]
        larger *= max(enlargement(value), 1.0)
        if isinstance(value, CurveProfile):
            off += fitted_curve(document, here)[1]
        elif isinstance(value, _FITTED):
            off += source.fit(document, here)
        below = {child for child in value.children() if document.nodes[child].GIVES == "Sketch"} - seen
        seen |= below
        pending += below
    return off * larger


def _stretch(node: Node) -> float:
    """How much larger a node makes what it is made of, at most."""
    if isinstance(node, Extrude):
        return node.scale_end or 1.0
    if isinstance(node, Sweep):
        return max(node.scale_start or 1.0, node.scale_end or 1.0)
    return 1.0


def offset_error(moved: Iterable[Curves], border: Iterable[Curves], distance: float) -> float:
    """By how much splines of moved outlines are nearer to a border, or farther, than they should be, mm."""
    points = [
        places_and_ways(curve, _steps(low, high))[0]
        for outline in moved
        for curve in outline
        if isinstance(curve, Spline)
        for low, high in itertools.pairwise(stretches(curve))
    ]
    if not points:
        return 0.0
    apart = distances_to_curves([curve for outline in border for curve in outline], np.vstack(points))
    return float(np.abs(apart - abs(distance)).max())


def on_splines(outlines: Iterable[Curves]) -> Points:
    """(k, 3): points in z = 0 on those curves that may be fitted."""
    splines = [curve for outline in outlines for curve in outline if isinstance(curve, Spline)]
    if not splines:
        return np.empty((0, 3))
    ends = [(stretches(spline)[0], stretches(spline)[-1]) for spline in splines]
    flat = np.vstack(
        [places_and_ways(spline, _steps(*each))[0] for spline, each in zip(splines, ends, strict=True)]
    )
    return np.column_stack([flat, np.zeros(len(flat))])


def _steps(low: float, high: float) -> Points:
    return low + (high - low) * (np.arange(_PLACES) + 0.5) / _PLACES
