"""Which edges lie on others for some part of their length."""

from __future__ import annotations

from OCP.TopoDS import TopoDS_Edge, TopoDS_Shape

from tests.geometry.occt.bodies import box, cylinder, difference, stretched, union
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import kind_of_edge, middle_of
from vcad_kernel.geometry.occt.measure.topology.shared_curves import SharedCurves
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import sharp_edges

FRONT_HALF = box(40, 20, 40, (-20, -20, -20))


def edges(shape: TopoDS_Shape, kind: str) -> list[TopoDS_Edge]:
    body = unified(Brep.made(shape, b"maker"))
    return [corner.edge for corner in sharp_edges(body.shape) if kind_of_edge(corner.edge) == kind]


def test_a_piece_lies_on_the_whole_and_the_whole_in_part_on_the_piece() -> None:
    for whole, kind in ((cylinder(5, 10), "circle"), (stretched(cylinder(5, 10), 2, 1, 1), "other")):
        rims = edges(whole, kind)
        # stretched, the straight edges of the cut are splines, too
        arcs = [
            edge
            for edge in edges(difference(whole, FRONT_HALF), kind)
            if abs(middle_of(edge).X()) < 1e-6 and middle_of(edge).Y() > 1.0
        ]
        assert len(rims) == len(arcs) == 2
        assert all(SharedCurves(rims).holds(arc) for arc in arcs)
        assert all(SharedCurves(arcs).holds(rim) for rim in rims)
        assert all(SharedCurves(rims).holds(rim) for rim in rims)


def test_what_grows_longer_lies_in_part_on_what_it_was() -> None:
    before = SharedCurves(edges(box(10, 5, 5), "line"))
    after = edges(union(box(10, 5, 5), box(10, 5, 5, (10, 0, 0))), "line")
    assert [before.holds(edge) for edge in after].count(True) == 8


def test_what_only_touches_or_crosses_shares_nothing() -> None:
    rims = SharedCurves(edges(cylinder(5, 10), "circle"))
    # a square about the rim, whose sides touch it; a strip, whose sides cross it
    assert not any(rims.holds(edge) for edge in edges(box(10, 10, 10, (-5, -5, 0)), "line"))
    assert not any(rims.holds(edge) for edge in edges(box(30, 4, 10, (-15, -2, 0)), "line"))
    # one end to the other's beginning
    ends = SharedCurves(edges(box(10, 5, 5), "line"))
    beyond = edges(box(9, 5, 5, (10, 0, 0)), "line")
    assert [ends.holds(edge) for edge in beyond].count(True) == 4
    # a rim of another radius, and nothing at all
    assert not any(rims.holds(edge) for edge in edges(cylinder(5.1, 10), "circle"))
    assert not SharedCurves(()).holds(beyond[0])
