"""The same balls with their seams elsewhere.

A boolean of two spheres that meet on a seam can give an invalid body of negative volume (cad.md
§10.6). A whole sphere is the same wherever its poles are, so it can be set up again.

Earns its place by `test_turned_balls_leave_a_dimple_in_a_ball`: OpenCASCADE alone cannot combine the two, and
misses the volume of lenses that lie askew by up to 5e-5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepPrimAPI import BRepPrimAPI_MakeSphere
from OCP.GeomAbs import GeomAbs_Sphere
from OCP.gp import gp_Ax2, gp_Dir, gp_Vec

from vcad_kernel.geometry.occt.brep import Brep, faces_of, solids_of
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = ["with_other_seams", "with_poles_in_line"]

_AXES = ((1.0, 2.0, 3.0), (3.0, -1.0, 2.0), (-2.0, 3.0, 1.0), (1.0, -3.0, -2.0))
"""No two alike, none near a principal axis; each ball of an attempt gets another."""


def with_other_seams(operands: Sequence[Brep]) -> Iterator[list[Brep]]:
    """The operands, their whole balls turned, in a few ways; nothing when there is no ball."""
    balls = [index for index, operand in enumerate(operands) if _is_ball(operand)]
    if not balls:
        return
    for attempt in range(len(_AXES)):
        turned = list(operands)
        for place, index in enumerate(balls):
            turned[index] = _turned(operands[index], _AXES[(attempt + place) % len(_AXES)])
        yield turned


def with_poles_in_line(operands: Sequence[Brep]) -> Sequence[Brep] | None:
    """Two balls with the line of their centres as axis, so that they meet on a circle of latitude.

    It crosses each seam once. Where it runs along a seam, the seam becomes an edge between two faces that
    nobody can merge again, and no blend gets past it. None if the operands are not two such balls.
    """
    if len(operands) != 2 or not all(map(_is_ball, operands)):
        return None
    here, there = (BRepAdaptor_Surface(faces_of(ball.shape)[0]).Sphere().Location() for ball in operands)
    if here.Distance(there) <= LINEAR:
        return None
    line = gp_Vec(here, there)
    axis = (line.X(), line.Y(), line.Z())
    return [_turned(ball, axis) for ball in operands]


def _is_ball(body: Brep) -> bool:
    if len(body.makers) != 1 or len(solids_of(body.shape)) != 1:
        return False
    return bool(BRepAdaptor_Surface(faces_of(body.shape)[0], False).GetType() == GeomAbs_Sphere)


def _turned(ball: Brep, axis: tuple[float, float, float]) -> Brep:
    sphere = BRepAdaptor_Surface(faces_of(ball.shape)[0]).Sphere()
    shape = BRepPrimAPI_MakeSphere(gp_Ax2(sphere.Location(), gp_Dir(*axis)), sphere.Radius()).Shape()
    return Brep(shape, ball.makers)
