"""What is drilled out of a body, as both kernels build it: one turned profile, and where it stands.

    bores = source.bores(document, node)            # of a DrillTool; the exact kernel finds the places
    value, profile = turned_bore(document, node, bores)

The profile is turned about the Z axis and goes down from z = 0, which a matrix of `Bores` puts on the face.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from vcad_kernel.geometry.placement import Matrix
from vcad_kernel.geometry.solid import Note
from vcad_kernel.geometry.sweeps.planes import Plane
from vcad_kernel.geometry.sweeps.profiles.profile import Profile
from vcad_kernel.geometry.sweeps.profiles.regions import profile_in
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.features.holes import DrillTool
from vcad_kernel.operations.node import NodeId, Vec2
from vcad_kernel.operations.profiles.sketches import Line
from vcad_kernel.operations.solids.sweeps import Revolve

__all__ = ["Bores", "turned_bore"]

_UPRIGHT = Plane(np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]))
"""x is the distance from the axis, y the height above the face."""


@dataclass(frozen=True, slots=True, eq=False)
class Bores:
    """The holes of a `DrillTool`."""

    places: tuple[Matrix, ...]
    """What carries each hole to its place: the origin onto the face, z out of it."""
    reach: float
    """How far a hole that goes through reaches below the face, mm."""
    lift: float
    """How far the holes begin above the face, where nothing is, so that no two faces lie in each other."""
    notes: tuple[Note, ...]
    """What to say of holes that are not where holes should be."""

    @property
    def nbytes(self) -> int:
        """Memory held, roughly."""
        return 512 + 200 * len(self.places)


def turned_bore(document: Document, node: NodeId, bores: Bores) -> tuple[Revolve, Profile]:
    """One hole of a `DrillTool`, below the origin: what is turned, and how."""
    tool = document.nodes[node]
    assert isinstance(tool, DrillTool)
    wide, narrow = 0.5 * tool.width, 0.5 * tool.diameter
    bottom = -bores.reach if tool.depth is None else -tool.depth
    corners: list[Vec2] = [(0.0, bores.lift), (0.0, bottom - tool.point), (narrow, bottom)]
    if wide > narrow:
        corners.append((narrow, -tool.seat))
        if tool.bore_depth is not None:
            corners.append((wide, -tool.bore_depth))
        elif bores.lift:
            corners.append((wide, 0.0))
    corners.append((wide, bores.lift))
    outline = tuple(Line(start, end) for start, end in itertools.pairwise((*corners, corners[0])))
    turn = Revolve(tool.child, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 360.0)
    return turn, profile_in(document, node, outline, _UPRIGHT)
