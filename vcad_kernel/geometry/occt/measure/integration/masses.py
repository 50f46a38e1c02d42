"""Volume, area, centres and inertia of a body and of its faces: each integral computed once.

Millimetres; volumes are signed: an inside-out body has a negative one. OpenCASCADE's own integrals are
exact to rounding where every border is a line or a circle that runs along the parameters of its face;
along any other they are up to 3e-4 wrong, since a fixed number of nodes is all they take. There, and on
every surface that is not elementary, ``quadrature.py`` beside this integrates.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve2d
from OCP.BRepGProp import BRepGProp
from OCP.GeomAbs import (
    GeomAbs_Cone,
    GeomAbs_Cylinder,
    GeomAbs_Plane,
    GeomAbs_Sphere,
    GeomAbs_Torus,
)
from OCP.gp import gp_Mat, gp_Pnt, gp_Trsf, gp_Vec
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_VERTEX
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Compound, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.measure.integration.quadrature import integrated
from vcad_kernel.geometry.occt.measure.parametric.curves import curve_is_even
from vcad_kernel.geometry.occt.measure.parametric.edge_gaps import fits_together
from vcad_kernel.geometry.occt.measure.parametric.surfaces import surface_is_even
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import LINE, boundary_numbers
from vcad_kernel.operations.node import Vec3

__all__ = [
    "CLAIMED",
    "Mass",
    "area_and_centre",
    "is_even",
    "is_plain",
    "mass_of",
    "quick_area_and_centre",
    "rough_area",
]

_ACCURACY = 1e-10
"""Relative, asked of every integral. What comes out is right to 1e-9 (tests/geometry/occt/measure)."""
CLAIMED = 1e-9
"""Relative: an estimated error above it is shown."""
_LEAST = 1e-300
_OF_OCCT = 0.01
"""Relative: what OpenCASCADE's integrals may be off by on any face (cad.md §10.3)."""
_STRAIGHT = frozenset({GeomAbs_Plane.value, GeomAbs_Cylinder.value, GeomAbs_Cone.value})
"""Surfaces on which lines and circles can run along the parameters only."""
_ROUND = frozenset({GeomAbs_Sphere.value, GeomAbs_Torus.value})


class Mass:
    """What a body of density 1 weighs. Millimetres."""

    def __init__(self, shape: TopoDS_Shape) -> None:
        self._shape = shape
        self.tolerance = 0.0
        """How far the boundary may be from where it was measured, mm; 0 = the figures are right to 1e-9.

        Where what may stand in gaps between faces is more than that, the widest gap is in it.
        """
        is_simple = is_plain(shape)
        sums = None if is_simple else integrated(shape, _ACCURACY)
        if sums is None:
            near, properties = _near(shape)
            BRepGProp.VolumeProperties_s(near, properties)
            self.volume = float(properties.Mass())
            """Signed."""
            self.centre: Vec3 = properties.CentreOfMass().Coord()
            """Of no meaning where the volume is 0."""
            self._tensor: Callable[[], NDArray[np.float64]] = lambda: _matrix(properties.MatrixOfInertia())
            if not is_simple:
                loose = BRep_Tool.MaxTolerance_s(shape, TopAbs_VERTEX)
                self.tolerance = max(loose, _OF_OCCT * self._thickness())
            return
        self.volume, self.area = sums.volume, sums.area
        offset = sums.first / sums.volume if sums.volume else np.zeros(3)
        self.centre = tuple((sums.origin + offset).tolist())
        xx, yy, zz, xy, yz, zx = sums.second
        moments = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
        moments -= sums.volume * np.outer(offset, offset)
        self._tensor = lambda: np.trace(moments) * np.eye(3) - moments
        wrong = (
            float(np.max(sums.error / np.abs([self.volume, self.area]), initial=0.0)) if self.volume else 0.0
        )
        if wrong > CLAIMED:
            self.tolerance = max(wrong * self._thickness(), sums.gap)

    def _thickness(self) -> float:
        """Volume by area: what part of it the surface moves by makes that part of the volume."""
        return abs(self.volume) / self.area if self.area else 0.0

    @cached_property
    def inertia(self) -> tuple[Vec3, Vec3, Vec3]:
        """About the centre, mm⁵."""
        first, second, third = (tuple(row) for row in self._tensor().tolist())
        return first, second, third

    @cached_property
    def area(self) -> float:
        """Of the whole boundary, cavities and all."""
        near, properties = _near(self._shape)
        BRepGProp.SurfaceProperties_s(near, properties)
        return float(properties.Mass())


_LATEST: deque[tuple[TopoDS_Shape, Mass]] = deque(maxlen=8)
"""The bodies that were asked about last. Shapes do not change."""


def mass_of(shape: TopoDS_Shape) -> Mass:
    """The figures of a body, or of an open boundary for what those are worth."""
    # what a body measures is asked several times while it is checked
    for known, mass in tuple(_LATEST):
        if known.IsEqual(shape):
            return mass
    mass = Mass(shape)
    _LATEST.append((shape, mass))
    return mass


def area_and_centre(face: TopoDS_Face) -> tuple[float, gp_Pnt]:
    """Area of a face and its centroid."""
    sums = None if is_plain(face) else integrated(face, _ACCURACY, encloses=False)
    if sums is not None:
        return sums.area, gp_Pnt(*(sums.origin + sums.area_first / sums.area).tolist())
    return quick_area_and_centre(face)


def quick_area_and_centre(face: TopoDS_Face) -> tuple[float, gp_Pnt]:
    """The same by OpenCASCADE's own integrals, which take no time, and are exact where `is_plain` says so."""
    near, properties = _near(face)
    BRepGProp.SurfaceProperties_s(near, properties)
    return float(properties.Mass()), properties.CentreOfMass()


def rough_area(face: TopoDS_Face) -> float:
    """Area of a free-form face, mm², to a tenth.

    OpenCASCADE takes as many nodes as that needs, where it otherwise takes some for each span of a spline.
    """
    sums = None if is_even(face) else integrated(face, _OF_OCCT, encloses=False)
    if sums is not None:
        return sums.area
    properties = GProp_GProps()
    BRepGProp.SurfaceProperties_s(face, properties, _OF_OCCT)
    return float(properties.Mass())


def _near(shape: TopoDS_Shape) -> tuple[TopoDS_Shape, GProp_GProps]:
    """The same shape with a location at one of its vertices, and properties that are taken from there.

    OpenCASCADE takes moments about the location. From afar its integrals would be differences of large
    numbers: 1e-9 of the inertia is lost at a thousand sizes, 3e-4 at a million.
    """
    walk = TopExp_Explorer(shape, TopAbs_VERTEX)
    corner = BRep_Tool.Pnt_s(TopoDS.Vertex(walk.Current())) if walk.More() else gp_Pnt()
    move = gp_Trsf()
    move.SetTranslation(gp_Vec(corner.XYZ()))
    there = TopLoc_Location(move)
    whole = TopoDS_Compound()
    builder = BRep_Builder()
    builder.MakeCompound(whole)
    builder.Add(whole, shape.Moved(there.Inverted()))
    return whole.Moved(there), GProp_GProps(corner)


def _matrix(tensor: gp_Mat) -> NDArray[np.float64]:
    """(3, 3)"""
    return np.array([[tensor.Value(row, column) for column in (1, 2, 3)] for row in (1, 2, 3)])


def is_even(shape: TopoDS_Shape) -> bool:
    """Whether weights of splines differ by so little that OpenCASCADE's integrals come near.

    Where one is a hundred times the next a face turns within a hundredth of its parameters, which a fixed
    number of nodes passes over: half the volume was missing, and 1e-3 the error that was stated.
    """
    numbers = boundary_numbers(shape)
    curves = filter(None, numbers.curves.adaptors)
    return all(map(surface_is_even, numbers.surfaces)) and all(map(curve_is_even, curves))


def is_plain(shape: TopoDS_Shape) -> bool:
    """Whether OpenCASCADE's integrals are exact: see above."""
    numbers = boundary_numbers(shape)
    if not numbers.curves.is_plain():
        return False
    for face, kind in enumerate(numbers.kinds):
        # a circle may lie askew on a ball, or round a ring as Villarceau's do
        if kind not in _STRAIGHT and not (
            kind in _ROUND
            and all(
                BRepAdaptor_Curve2d(numbers.edges[edge], numbers.faces[face]).GetType().value == LINE
                for edge, _ in numbers.sides[face]
            )
        ):
            return False
    return fits_together(shape)
