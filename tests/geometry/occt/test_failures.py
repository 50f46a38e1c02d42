"""What OpenCASCADE raises is caught, whichever part of it raises."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from OCP.BRep import BRep_Builder
from OCP.gp import gp_Dir, gp_Vec
from OCP.TopoDS import TopoDS_Compound

from vcad_kernel.geometry.occt.failures import OCCT_ERRORS


def _add_to_what_is_frozen() -> None:
    builder, whole, piece = BRep_Builder(), TopoDS_Compound(), TopoDS_Compound()
    builder.MakeCompound(whole)
    builder.MakeCompound(piece)
    whole.Free(False)
    builder.Add(whole, piece)


@pytest.mark.parametrize(
    "impossible",
    [lambda: gp_Dir(0.0, 0.0, 0.0), lambda: gp_Vec(0.0, 0.0, 0.0).Normalized(), _add_to_what_is_frozen],
    ids=["Standard", "gp", "TopoDS"],
)
def test_what_a_part_of_opencascade_raises_is_among_its_errors(impossible: Callable[[], object]) -> None:
    with pytest.raises(OCCT_ERRORS):
        impossible()
