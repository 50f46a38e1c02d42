"""Paths that are moved: the same points as those of a solid that is moved so."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.sweeps.paths.along_paths import tracks_of
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source
from vcad_kernel.operations.solids.sweeps import Sweep

LINE = "[path-line 1 2 3 4 5 9]"
BENT = "[on :yz [path-2d 1 0 #[[line-to 4 20] [tangent-arc-to 10 30] [tangent-arc-to 25 20]]]]"
SPLINE = "[path-spline #[0 0 0  5 0 15  20 3 20]]"
TRACK = "[cam-path 12 #[0 0  90 8  180 3]]"


def swept(path: str) -> Sweep:
    document = convert(Environment(prelude=PRELUDE).run(Source("part.oo", f"[sweep {path} [circle 1]]")))
    node = document.nodes[document.roots[0].node]
    assert isinstance(node, Sweep)
    return node


def places(path: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    tracks = tracks_of(swept(path))
    return np.vstack([track.at(np.linspace(track.breaks[0], track.breaks[-1], 7)).points for track in tracks])


TURNED = "rotate 0 0 90"
MOVES = {
    "translate 1 -2 5": lambda x, y, z: (x + 1, y - 2, z + 5),
    TURNED: lambda x, y, z: (-y, x, z),
    "rotate 90 90 0": lambda x, y, z: (z, x, y),  # about y first, then about x
    "scale 2 2 2": lambda x, y, z: (2 * x, 2 * y, 2 * z),
    "scale 2 -2 2": lambda x, y, z: (2 * x, -2 * y, 2 * z),
    "mirror-x": lambda x, y, z: (-x, y, z),
    "mirror-y": lambda x, y, z: (x, -y, z),
    "mirror-z": lambda x, y, z: (x, y, -z),
    "mirror 0 0 3 0 0 2": lambda x, y, z: (x, y, 6 - z),
}


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("path", [LINE, BENT, SPLINE])
def test_a_path_is_moved_as_points_are(path: str, move: str) -> None:
    moved = np.column_stack(MOVES[move](*places(path).T))
    assert places(f"[{move} {path}]") == pytest.approx(moved, abs=1e-9)


@pytest.mark.parametrize("move", [move for move in MOVES if "1 -2" not in move and "90 90" not in move])
def test_a_track_about_z_is_moved_while_it_stays_about_z(move: str) -> None:
    moved = np.column_stack(MOVES[move](*places(TRACK).T))
    assert places(f"[{move} {TRACK}]") == pytest.approx(moved, abs=1e-9)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (f"[translate 1 0 0 {TRACK}]", "Z axis"),
        (f"[rotate 20 0 0 {TRACK}]", "Z axis"),
        (f"[scale 1 2 1 {LINE}]", "as large as x"),
    ],
)
def test_what_would_be_another_kind_of_path_is_refused(path: str, said: str) -> None:
    with pytest.raises(GeometryError, match=said) as caught:
        swept(path)
    assert caught.value.code == "INVALID_PARAMETER"
    assert caught.value.place is not None


def test_rounded_corners_grow_with_their_path() -> None:
    path = swept("[scale 3 3 3 [path-polyline 5 #[0 0 0  0 0 20  20 0 20]]]").path
    assert getattr(path, "bend", math.nan) == 15.0
