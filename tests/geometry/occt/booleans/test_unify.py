"""Merging of neighbouring faces: what comes out, and that what goes in stays as it was."""

from __future__ import annotations

import math

import pytest
from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeSphere, BRepPrimAPI_MakeTorus
from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt

from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of
from vcad_kernel.geometry.occt.measure.validity import is_valid, volume_of


def test_faces_in_one_plane_become_one() -> None:
    left = BRepPrimAPI_MakeBox(1.0, 1.0, 1.0).Shape()
    right = BRepPrimAPI_MakeBox(gp_Pnt(1.0, 0.0, 0.0), 1.0, 1.0, 1.0).Shape()
    merged = unified(Brep.made(BRepAlgoAPI_Fuse(left, right).Shape(), b"maker"))
    assert (len(faces_of(merged.shape)), len(edges_of(merged.shape))) == (6, 12)
    assert merged.makers == (b"maker",) * 6


def test_the_body_given_stays_as_it_was_where_merging_goes_wrong() -> None:
    # the seam of the first ball runs through the part that is left
    ball = BRepPrimAPI_MakeSphere(10.0).Shape()
    bite = BRepPrimAPI_MakeSphere(gp_Pnt(-6.0, 0.0, 0.0), 10.0).Shape()
    body = Brep.made(BRepAlgoAPI_Cut(ball, bite).Shape(), b"maker")
    lens = 2.0 * math.pi / 3.0 * 49.0 * (30.0 - 7.0)
    whole = 4000.0 * math.pi / 3.0
    for shape in (unified(body).shape, body.shape):
        assert is_valid(shape)
        assert volume_of(shape) == pytest.approx(whole - lens, rel=1e-6)


def test_a_ring_of_two_halves_is_one_face_with_seams() -> None:
    halves = [
        BRepPrimAPI_MakeTorus(gp_Ax2(gp_Pnt(), gp_Dir(0, 0, 1), gp_Dir(way, 0, 0)), 8.0, 2.0, math.pi).Shape()
        for way in (1, -1)
    ]
    ring = unified(Brep.made(BRepAlgoAPI_Fuse(*halves).Shape(), b"maker"))
    # without an edge no STEP file can be written of it
    assert (len(faces_of(ring.shape)), len(edges_of(ring.shape))) == (1, 2)
    assert ring.makers == (b"maker",)
    assert is_valid(ring.shape)
    assert volume_of(ring.shape) == pytest.approx(64.0 * math.pi**2, rel=1e-12)
