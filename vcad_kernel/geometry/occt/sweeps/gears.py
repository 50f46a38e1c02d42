"""Gears as B-reps: involute flanks within a nanometre, root and tip on true cylinders."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray
from OCP.Geom import Geom_Circle, Geom_Curve, Geom_Line
from OCP.gp import gp_Ax2, gp_Circ

from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.validity import sound
from vcad_kernel.geometry.occt.sweeps.extruding import prism_of
from vcad_kernel.geometry.occt.sweeps.fitting import FittedSpline, curve_of, fitted
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import (
    Stretch,
    direction_of,
    face_in,
    point_of,
    wire_along,
)
from vcad_kernel.geometry.sweeps.planes import Plane
from vcad_kernel.geometry.sweeps.profiles.gear import involute
from vcad_kernel.operations.solids.gears import Gear, GearForm

__all__ = ["gear"]

_EXACT = 1e-9
"""Relative to the base circle: how near the flank is to the involute."""
_BEGIN = 5e-4
"""Where a flank begins at the base circle, as the parameter of the involute: a smooth turn (cad.md §9)."""
_SHARP = 1e-5
"""mm: a radial piece of flank shorter than this is left out."""
_PLANE = Plane(np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
_Z = np.array([0.0, 0.0, 1.0])


def gear(build: Build, node: Gear, _operands: Operands) -> Brep:
    """The gear, or the bore of a ring gear, standing on the XY plane."""
    outline = _Outline(node.form())
    try:
        wire = wire_along(outline.stretches, outline.corners)
        shape = prism_of(face_in(wire, _PLANE), _Z, node.width * _Z)
    except OCCT_ERRORS as error:
        raise build.fault("INVALID_PARAMETER", f"no such gear: {error}", failed=False) from None
    return sound(build, shape, "INVALID_PARAMETER")


class _Outline:
    """The curves around a gear, counter-clockwise, tooth after tooth."""

    def __init__(self, form: GearForm) -> None:
        self.stretches: list[Stretch] = []
        self.corners: list[NDArray[np.float64]] = []
        self._form = form
        # where the involute leaves the base circle its radius of curvature is 0 and it stops a moment:
        # the radial line goes on a little, and leaves it by base · _BEGIN³ / 3 at most
        first, last = form.rolls()
        first = max(first, _BEGIN)
        start = form.base * math.hypot(1.0, first)
        radial = start - form.root > _SHARP
        root = form.root if radial else start
        flank = fitted(functools.partial(involute, form), (first, last), _EXACT * form.base)
        for tooth in range(form.teeth):
            self._tooth(flank, 2.0 * math.pi * tooth / form.teeth, root, radial=radial)

    def _tooth(self, flank: FittedSpline, angle: float, root: float, *, radial: bool) -> None:
        cosine, sine = math.cos(angle), math.sin(angle)
        turn = np.array([[cosine, -sine], [sine, cosine]])
        rising = flank.poles @ turn.T
        falling = (flank.poles[::-1] * (1.0, -1.0)) @ turn.T
        # the other flank is the first, mirrored at the X axis and run through backwards: its knots too
        mirrored = FittedSpline(
            flank.knots[0] + flank.knots[-1] - flank.knots[::-1],
            flank.multiplicities[::-1],
            falling,
            flank.error,
        )
        form = self._form
        # below the base circle there is no involute: a radial line goes down to the root
        feet = (
            rising[0] * (root / np.linalg.norm(rising[0])),
            falling[-1] * (root / np.linalg.norm(falling[-1])),
        )
        if radial:
            self._line(feet[0], rising[0])
        self._spline(flank, rising)
        if not form.pointed:
            self._arc(rising[-1], falling[0])
        self._spline(mirrored, falling)
        if radial:
            self._line(falling[-1], feet[1])
        # along the root circle to the foot of the next tooth
        step = 2.0 * math.pi / form.teeth
        onward = np.array([[math.cos(step), -math.sin(step)], [math.sin(step), math.cos(step)]])
        self._arc(feet[1], onward @ feet[0])

    def _add(self, curve: Geom_Curve, first: float, last: float, start: NDArray[np.float64]) -> None:
        self.stretches.append((curve, first, last))
        self.corners.append(_raised(start))

    def _line(self, start: NDArray[np.float64], end: NDArray[np.float64]) -> None:
        way = _raised(end - start)
        line = Geom_Line(point_of(_raised(start)), direction_of(way))
        self._add(line, 0.0, float(np.linalg.norm(way)), start)

    def _spline(self, spline: FittedSpline, poles: NDArray[np.float64]) -> None:
        curve = curve_of(spline, np.column_stack([poles, np.zeros(len(poles))]))
        self._add(curve, float(spline.knots[0]), float(spline.knots[-1]), poles[0])

    def _arc(self, start: NDArray[np.float64], end: NDArray[np.float64]) -> None:
        frame = gp_Ax2(point_of(np.zeros(3)), direction_of(_Z), direction_of(_raised(start)))
        sweep = math.atan2(start[0] * end[1] - start[1] * end[0], float(start @ end))
        self._add(Geom_Circle(gp_Circ(frame, float(np.linalg.norm(start)))), 0.0, sweep, start)


def _raised(point: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([point[0], point[1], 0.0])
