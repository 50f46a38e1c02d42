"""What is drilled out of a body, as both kernels build it: one turned profile, and where it stands.

    bores = source.bores(document, node)            # of a DrillTool; the exact kernel finds the places
    value, profile = turned_bore(document, node, bores)
    body = threaded_bore(tool, bores)               # in place of it, where a thread is cut

The profile is turned about the Z axis and goes down from z = 0, which a matrix of `Bores` puts on the face.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vcad_kernel.geometry.placement import Matrix
from vcad_kernel.geometry.solid import Note
from vcad_kernel.geometry.sweeps.planes import Plane
from vcad_kernel.geometry.sweeps.profiles.profile import Profile
from vcad_kernel.geometry.sweeps.profiles.regions import profile_in
from vcad_kernel.geometry.sweeps.threads import Cone, ThreadedBody
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.features.holes import DrillTool
from vcad_kernel.operations.node import NodeId, Vec2
from vcad_kernel.operations.profiles.sketches import Line
from vcad_kernel.operations.solids.sweeps import Revolve
from vcad_kernel.operations.solids.threads import Thread

__all__ = [
    "COSMETIC",
    "Bores",
    "threaded_bore",
    "threaded_rod",
    "turned_about_z",
    "turned_bore",
    "turned_rod",
]

_UPRIGHT = Plane(np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]))
"""x is the distance from the axis, y the height above the face."""
COSMETIC = "THREAD_COSMETIC", "the thread is drawn as a cylinder: its figures and files have no thread"
"""The note of a thread that is asked for as a cylinder: its code, and what it says."""


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
    return turned_about_z(document, node, corners)


def turned_about_z(document: Document, node: NodeId, corners: Sequence[Vec2]) -> tuple[Revolve, Profile]:
    """What is turned about the Z axis: corners (radius, height), counter-clockwise."""
    outline = tuple(Line(start, end) for start, end in itertools.pairwise((*corners, corners[0])))
    turn = Revolve(node, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 360.0)
    return turn, profile_in(document, node, outline, _UPRIGHT)


def threaded_bore(tool: DrillTool, bores: Bores) -> ThreadedBody | None:
    """One hole of a drill that cuts a thread, below the origin; None where it cuts none."""
    form = tool.form()
    if form is None:
        return None
    bottom = -bores.reach if tool.depth is None else -tool.depth
    below = ((0.5 * tool.diameter, bottom),) if tool.point else ()
    ends = (bottom - tool.point, bores.lift)
    if tool.bore_depth is not None:
        wide = 0.5 * tool.width
        above = ((wide, -tool.bore_depth), (wide, bores.lift))
        return ThreadedBody(
            bottom,
            -tool.bore_depth,
            form.pitch,
            form.corners,
            hollow=True,
            below=below,
            above=above,
            ends=ends,
        )
    cone = None
    if tool.sink_diameter is not None and tool.sink_angle is not None:
        # it goes on above the face, where nothing is
        slope = math.tan(math.radians(0.5 * tool.sink_angle))
        cone = Cone(0.5 * tool.sink_diameter + slope * bores.lift, -slope)
    return ThreadedBody(
        bottom, bores.lift, form.pitch, form.corners, hollow=True, high_cone=cone, below=below, ends=ends
    )


def threaded_rod(thread: Thread) -> ThreadedBody:
    """A thread by itself."""
    form = thread.form()
    low, high = (Cone(*thread.cone()) if thread.leads_in(end) else None for end in ("bottom", "top"))
    return ThreadedBody(
        *(0.0, thread.length, form.pitch, form.corners, thread.internal, low, high),
        ends=(0.0, thread.length),
    )


def turned_rod(document: Document, node: NodeId) -> tuple[Revolve, Profile]:
    """The cylinder that stands for a thread, with its lead-ins."""
    thread = document.nodes[node]
    assert isinstance(thread, Thread)
    radius, length = 0.5 * thread.plain, thread.length
    start, slope = thread.cone()
    height = (radius - start) / slope
    corners = [(0.0, length), (0.0, 0.0)]
    corners += [(start, 0.0), (radius, height)] if thread.leads_in("bottom") else [(radius, 0.0)]
    corners += [(radius, length - height), (start, length)] if thread.leads_in("top") else [(radius, length)]
    return turned_about_z(document, node, corners)
