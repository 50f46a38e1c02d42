"""What a refused shell or offset reports: the largest value that works, and the faces in the way.

Lengths in millimetres, areas in mm².
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from OCP.TopoDS import TopoDS_Face

from vcad_kernel.geometry.occt.measure.topology.described import described_face
from vcad_kernel.geometry.occt.measure.topology.inspecting import lines_of
from vcad_kernel.operations.node import Vec3

__all__ = ["Clock", "borders", "described_faces", "largest_working", "rounded_down"]

Clock = Callable[[], float]
"""Seconds, from any origin: of the processor, where all is done in this thread."""

_PRECISION = 5e-4
"""Relative: where the bisection stops."""
_MOST_NAMED = 20
"""Faces in one error message."""


def largest_working(
    works: Callable[[float], bool],
    failing: float,
    *,
    seconds: float,
    trials: int,
    clock: Clock = time.monotonic,
) -> float | None:
    """The largest value below ``failing`` that works, to about 1 in 2000; None when none was found.

    Stops early when the time is up or the trials are used up, with the largest that has been seen to work
    until then; one trial that runs long can exceed the time.
    """
    end = clock() + seconds
    low, high = 0.0, failing
    # most bodies fail only because the value is too large: just below is the likeliest answer
    trial = failing * (1.0 - _PRECISION / 2.0)
    for _ in range(trials):
        if high - low <= _PRECISION * high or high <= failing * 1e-4 or clock() >= end:
            break
        if works(trial):
            low = trial
        else:
            high = trial
        trial = (low + high) / 2.0
    return low or None


def rounded_down(value: float) -> float:
    """Four significant digits, never more than the value itself."""
    digit = 10.0 ** (math.floor(math.log10(value)) - 3)
    return float(f"{math.floor(value / digit * (1.0 + 1e-12)) * digit:.12g}")


def borders(faces: Sequence[TopoDS_Face], ids: Sequence[int]) -> list[Sequence[Vec3]]:
    """The lines around some faces, for an error that is about them; no more than it names."""
    return [line for index in ids[:_MOST_NAMED] for line in lines_of(faces[index])]


def described_faces(faces: Sequence[TopoDS_Face], ids: Sequence[int]) -> list[dict[str, Any]]:
    """Some faces for an error's details: id, middle (centroid), area and kind; smallest first."""
    described = [described_face(faces[index], index) for index in ids]
    return sorted(described, key=lambda face: (float(face["area"]), face["id"]))[:_MOST_NAMED]
