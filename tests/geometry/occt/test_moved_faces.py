"""Faces that close upon themselves, moved: tori have seams where OpenCASCADE closes no face made anew."""

from __future__ import annotations

import math

import pytest

from tests.geometry import models
from tests.geometry.occt import answers
from vcad_kernel.ir.nodes import Offset, PolylinePath, Shell, ShellOpen, Sweep
from vcad_kernel.ir.selector import Selector

BENT = PolylinePath(((0.0, 0.0, 0.0), (0.0, 0.0, 20.0), (20.0, 0.0, 20.0), (20.0, 20.0, 20.0)), 5.0)
PIPE = models.solid(Sweep, models.circle(3.0), path=BENT)
LENGTH = 15.0 + 10.0 + 15.0 + 5.0 * math.pi


def _disc(radius: float) -> float:
    return math.pi * radius**2


def test_a_bent_pipe_is_hollowed() -> None:
    hollow = models.solid(Shell, PIPE, thickness=1.0)
    expected = _disc(3.0) * LENGTH - _disc(2.0) * (LENGTH - 2.0)
    assert answers.volume(hollow) == pytest.approx(expected, rel=1e-6)


def test_a_bent_pipe_is_hollowed_from_end_to_end() -> None:
    hollow = models.solid(ShellOpen, PIPE, thickness=1.0, faces=Selector("face", kind="plane"))
    assert answers.volume(hollow) == pytest.approx((_disc(3.0) - _disc(2.0)) * LENGTH, rel=1e-6)


def test_a_bent_pipe_shrinks() -> None:
    shrunk = models.solid(Offset, PIPE, distance=-0.5)
    assert answers.volume(shrunk) == pytest.approx(_disc(2.5) * (LENGTH - 1.0), rel=1e-6)
