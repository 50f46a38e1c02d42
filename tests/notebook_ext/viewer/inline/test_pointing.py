"""What a view says of the face or edge under the pointer, of parts that were really evaluated."""

from __future__ import annotations

import numpy as np
import pytest

from notebook_ext.viewer.inline.pointing import Pointing
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import PartResult
from vcad_kernel.service.requests import EvalCode

DRILLED = "[difference [translate 20 15 -1\n [cylinder 5 12]] [cube 40 30 10]]"


@pytest.fixture(scope="module")
def drilled() -> PartResult:
    """A plate with a hole, the B-rep's rows over the mesh kernel's triangles."""
    (part,) = DirectService().evaluate(EvalCode(DRILLED, allow_scene=True)).parts
    return part


def _triangle_at(part: PartResult, x: float, y: float, z: float) -> int:
    """The triangle whose middle is nearest."""
    return int(np.linalg.norm(part.mesh.corners().mean(axis=1) - (x, y, z), axis=1).argmin())


def test_a_face_is_named_with_its_size_and_its_maker(drilled: PartResult) -> None:
    wall = Pointing(drilled).at(0, _triangle_at(drilled, 15, 15, 5), (15.0, 15.0, 5.0), reach=0.5)
    assert wall.kind == "face"
    assert "cylinder r 5 · area 314.159 mm² · made by cylinder, line 2" in wall.line
    assert wall.triangles is not None
    middles = drilled.mesh.corners()[wall.triangles].mean(axis=1)
    assert np.hypot(middles[:, 0] - 20, middles[:, 1] - 15) == pytest.approx(5.0, abs=0.1)


def test_near_an_edge_the_edge_is_meant(drilled: PartResult) -> None:
    pointing = Pointing(drilled)
    assert not pointing.is_known
    top = _triangle_at(drilled, 20, 22, 10)
    rim = pointing.at(0, top, (20.0, 20.2, 10.0), reach=0.5)
    assert (rim.kind, rim.triangles) == ("edge", None)
    assert "circle r 5 · length 31.4159 mm" in rim.line
    assert rim.points is not None
    assert np.hypot(rim.points[:, 0] - 20, rim.points[:, 1] - 15) == pytest.approx(5.0, abs=1e-5)
    assert pointing.at(0, top, (20.0, 20.2, 10.0), reach=0.1).kind == "face"
    assert pointing.is_known
