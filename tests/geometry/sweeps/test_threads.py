"""Meshes of threads: closed even as STL has them, and with the volume of the averaged profile."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from vcad_kernel.geometry.sweeps.boring import threaded_rod
from vcad_kernel.geometry.sweeps.swept import Skin, Swept, outward
from vcad_kernel.geometry.sweeps.threads import Cone, ThreadedBody, threaded
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.solids.thread_forms import basic_form
from vcad_kernel.operations.solids.threads import Thread

FINE = Tessellation(chord=2e-3)
COARSE = Tessellation()


def section(corners: tuple[Vec2, ...], pitch: float) -> float:
    """Area of any cut square to the axis: π times the mean square of the radius, over turn or height."""
    around = (*corners, (corners[0][0] + pitch, corners[0][1]))
    squares = [(z - y) * (a * a + a * b + b * b) / 3 for (y, a), (z, b) in itertools.pairwise(around)]
    return math.pi * sum(squares) / pitch


def assert_closed(skin: Skin) -> None:
    """Each edge is there once each way, also when corners of one place in single precision are one."""
    for places in (
        np.arange(len(skin.positions)),
        np.unique(skin.positions.astype(np.float32), axis=0, return_inverse=True)[1].reshape(-1),
    ):
        triangles = places[skin.triangles]
        a, b, c = triangles.T
        triangles = triangles[(a != b) & (b != c) & (a != c)]
        edges = np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
        there, uses = np.unique(edges, axis=0, return_counts=True)
        assert set(uses.tolist()) == {1}
        assert {*map(tuple, there.tolist())} == {*map(tuple, there[:, ::-1].tolist())}


def meshed(body: ThreadedBody, fineness: Tessellation = COARSE) -> Swept:
    swept = threaded(body, fineness, 1.0)
    (skin,) = swept.skins
    assert_closed(skin)
    assert outward(skin)[0] is skin
    return swept


@pytest.mark.parametrize(
    ("diameter", "pitch", "length"),
    [
        (8.0, 1.25, 20.0),
        (8.0, 1.25, 3.3),
        (8.0, 1.25, 0.2),
        (1.6, 0.35, 2.0),
        (68.0, 6.0, 40.0),
        (8.0, 1.25, 1.25),
    ],
)
def test_a_thread_has_the_volume_of_its_section(diameter: float, pitch: float, length: float) -> None:
    rod = Thread(diameter, pitch, length)
    meshed(threaded_rod(rod))
    swept = meshed(threaded_rod(rod), FINE)
    wanted = section(rod.form().corners, pitch) * length
    assert swept.volume == pytest.approx(wanted, abs=2e-3 * math.pi * diameter * length * 2)
    assert swept.volume < wanted


@pytest.mark.parametrize("internal", [False, True])
@pytest.mark.parametrize("lead_in", ["bottom", "top", "both"])
@pytest.mark.parametrize("length", [2.0, 7.77])
def test_a_lead_in_narrows_a_rod_and_widens_what_is_cut_for_one(
    internal: bool, lead_in: str, length: float
) -> None:
    plain = meshed(threaded_rod(Thread(8.0, 1.25, length, internal)))
    led_in = meshed(threaded_rod(Thread(8.0, 1.25, length, internal, None, lead_in)))
    assert (led_in.volume > plain.volume) == internal
    end = led_in.skins[0].positions[:, 2] == (0.0 if lead_in != "top" else length)
    radii = np.hypot(*led_in.skins[0].positions[end, :2].T)
    assert radii.max() == pytest.approx(4.2 if internal else 0.5 * basic_form(8.0, 1.25).minor - 0.2)


@pytest.mark.parametrize("angle", [60.0, 90.0, 119.0, 120.0, 121.0, 140.0])
def test_a_countersink_of_any_angle_leaves_a_closed_mesh(angle: float) -> None:
    """At 120° its cone runs along the flanks."""
    corners = basic_form(8.0, 1.25).bored(6.8).corners
    slope = math.tan(math.radians(angle / 2))
    meshed(
        ThreadedBody(-12.0, 0.0, 1.25, corners, hollow=True, high_cone=Cone(5.0, -slope), ends=(-12.0, 0.0))
    )


def test_what_is_turned_below_and_above_a_thread_joins_it_without_a_gap() -> None:
    corners = basic_form(8.0, 1.25).bored(6.8).corners
    below, above = ((3.4, -10.0),), ((7.5, -2.0), (7.5, 1.0))
    body = ThreadedBody(-10.0, -2.0, 1.25, corners, hollow=True, below=below, above=above, ends=(-12.0, 1.0))
    wanted = section(corners, 1.25) * 8 + math.pi * 3.4**2 * 2 / 3 + math.pi * 7.5**2 * 3
    assert meshed(body, FINE).volume == pytest.approx(wanted, rel=2e-3)
