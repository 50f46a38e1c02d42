"""Neighbouring faces of one surface become one face, as cad.md §3.1.5 requires before any feature.

Called only where merged faces are needed: it costs about twice what the boolean before it did.
"""

from __future__ import annotations

from OCP.BRepBuilderAPI import BRepBuilderAPI_Copy
from OCP.ShapeUpgrade import ShapeUpgrade_UnifySameDomain

from vcad_kernel.geometry.occt.brep import Brep, carried, solids_of, with_history
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.validity import area_of, is_valid, volume_of

__all__ = ["unified"]

_SAME = 1e-6
"""Relative: merging faces changes neither volume nor area."""


def unified(brep: Brep) -> Brep:
    """The same solid without edges between faces of one surface.

    A merged face keeps the maker of the first of its parts that comes in order. Where OpenCASCADE
    merges wrongly (two different spheres into one, cad.md §10.5) the body comes back as it was.
    """
    # even where it fails, and in its safe mode, it writes into the edges that it is given
    copy = Brep(BRepBuilderAPI_Copy(brep.shape, False, False).Shape(), brep.makers, brep.deviations)
    merging = ShapeUpgrade_UnifySameDomain(copy.shape, True, True, False)
    try:
        merging.Build()
    except OCCT_ERRORS:
        return brep
    shape = merging.Shape()
    if shape.IsNull() or shape.IsSame(copy.shape):
        return brep
    if len(solids_of(shape)) != len(solids_of(brep.shape)) or not is_valid(shape):
        return brep
    for figure in (volume_of, area_of):
        before = figure(brep.shape)
        if abs(figure(shape) - before) > _SAME * abs(before):
            return brep
    return carried(shape, (copy,), with_history(merging.History()), brep.makers[0])
