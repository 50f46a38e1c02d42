"""How far what is made of profiles may be off, whose outlines had to be fitted: measured, and handed on."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.placement import enlargement
from vcad_kernel.geometry.sweeps.curves import places_and_ways, stretches
from vcad_kernel.geometry.sweeps.regions import Source
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.parting import Project, SectionProfile
from vcad_kernel.operations.profile_edits import OffsetProfile
from vcad_kernel.operations.sketches import Curve, Curves, Line, Spline

__all__ = ["fit_under", "offset_error", "on_splines"]

_FITTED = (OffsetProfile, Project, SectionProfile)
"""Profiles whose outlines may be splines that are laid along other curves."""
_PLACES = 32
"""Of each smooth stretch of a curve, at which distances are measured."""
_HALVINGS = 52

Points = NDArray[np.float64]


def fit_under(document: Document, root: NodeId, source: Source) -> float:
    """How far the boundary of what stands on profiles may be off because of their outlines, mm; a bound.

    Raises: GeometryError, as the source.
    """
    off, larger = 0.0, 1.0
    for node in document.subgraph(root):
        value = document.nodes[node]
        larger *= max(enlargement(value), 1.0)
        if isinstance(value, _FITTED):
            off += source.fit(document, node)
    return off * larger


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
    apart = _distances(np.vstack(points), [curve for outline in border for curve in outline])
    return float(np.abs(apart - abs(distance)).max())


def on_splines(outlines: Iterable[Curves]) -> Points:
    """(k, 3): points in z = 0 on those curves that may be fitted."""
    splines = [curve for outline in outlines for curve in outline if isinstance(curve, Spline)]
    if not splines:
        return np.empty((0, 3))
    ends = [(stretches(one)[0], stretches(one)[-1]) for one in splines]
    flat = np.vstack(
        [places_and_ways(one, _steps(*each))[0] for one, each in zip(splines, ends, strict=True)]
    )
    return np.column_stack([flat, np.zeros(len(flat))])


def _steps(low: float, high: float) -> Points:
    return low + (high - low) * (np.arange(_PLACES) + 0.5) / _PLACES


def _distances(points: Points, curves: Iterable[Curve]) -> Points:
    """(k,): of each point to the nearest of the curves."""
    nearest = np.full(len(points), np.inf)
    for curve in curves:
        for low, high in itertools.pairwise(stretches(curve)):
            at = np.linspace(low, high, 2 if isinstance(curve, Line) else 4 * _PLACES)
            places, _ = places_and_ways(curve, at)
            best = np.linalg.norm(points[:, None] - places[None], axis=2).argmin(axis=1)
            first, last = at[np.maximum(best - 1, 0)], at[np.minimum(best + 1, len(at) - 1)]
            for _ in range(_HALVINGS):
                middle = 0.5 * (first + last)
                here, way = places_and_ways(curve, middle)
                ahead = np.einsum("ij,ij->i", points - here, way) > 0.0
                first, last = np.where(ahead, middle, first), np.where(ahead, last, middle)
            found, _ = places_and_ways(curve, 0.5 * (first + last))
            nearest = np.minimum(nearest, np.linalg.norm(points - found, axis=1))
    return nearest
