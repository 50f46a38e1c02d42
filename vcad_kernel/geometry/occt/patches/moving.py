"""Surfaces moved, turned, enlarged and mirrored: what was in front of one is in front of it still."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from OCP.BRep import BRep_Tool
from OCP.Geom import Geom_Surface
from OCP.gp import gp_Trsf

from vcad_kernel.geometry.occt.brep import faces_of
from vcad_kernel.geometry.occt.patches.outline import Edge
from vcad_kernel.geometry.occt.patches.plating import Border, Surface
from vcad_kernel.geometry.occt.transforms import moved, similarity
from vcad_kernel.geometry.placement import Matrix
from vcad_kernel.geometry.sweeps.planes import carried_plane

__all__ = ["surface_moved"]


def surface_moved(surface: Surface, matrix: Matrix) -> Surface:
    """The surface under a similarity, with the parameters that it had."""
    face = moved(surface.face, matrix)
    (there,) = faces_of(face.shape)
    carried = BRep_Tool.Surface_s(there)
    change = similarity(matrix)
    borders = [_moved(border, carried, change) for border in surface.borders]
    turn = float(np.linalg.det(matrix[:, :3]))
    if turn < 0.0:
        # from its front the outline runs the other way round than in the mirror
        borders = [_turned(border) for border in reversed(borders)]
    return Surface(
        face,
        None if surface.plane is None else carried_plane(surface.plane, matrix),
        carried,
        tuple(borders),
        surface.polygon,
        surface.front if turn > 0.0 else -surface.front,
        abs(turn) ** (1.0 / 3.0) * surface.size,
    )


def _moved(border: Border, surface: Geom_Surface, change: gp_Trsf) -> Border:
    curve = border.edge.curve
    first, last = (curve.TransformedParameter(end, change) for end in (border.edge.first, border.edge.last))
    edge: Edge = replace(
        border.edge,
        curve=curve.Transformed(change),
        first=first,
        last=last,
        off=abs(change.ScaleFactor()) * border.edge.off,
    )
    return Border(edge, surface, border.ends)


def _turned(border: Border) -> Border:
    first, last = border.ends
    return Border(border.edge.turned, border.surface, (last, first))
