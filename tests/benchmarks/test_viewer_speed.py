"""What the session does for a viewer: a mesh made ready to be drawn, the rows of its faces; beside trimesh.

Nothing here passes or fails by the clock; what is asserted is that the work was done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import trimesh

from notebook_ext.viewer.relay.nodes import mesh_buffers
from tests.benchmarks.test_speed import best_of
from vcad_kernel.geometry.mesh.surface.edges import CREASE_ANGLE
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import PartResult
from vcad_kernel.service.questions import SceneOf
from vcad_kernel.service.requests import EvalCode

Record = Callable[[str, float, float, str], None]

_KNOB = "[union [translate 15 0 0 [torus 30 10]] [difference [cylinder 12 60] [sphere 25]]]"


@pytest.fixture(scope="module")
def knob() -> PartResult:
    """A curved part of some 100,000 triangles."""
    (part,) = DirectService().evaluate(EvalCode(_KNOB, tolerance=0.0025)).parts
    return part


@pytest.mark.benchmark(group="viewer")
def test_a_mesh_is_made_ready_to_be_drawn(benchmark: Any, record: Record, knob: PartResult) -> None:
    def ready() -> int:
        # a copy: what is found of a mesh is kept with it
        return sum(buffer.data.nbytes for buffer in mesh_buffers(replace(knob.mesh)))

    def shaded() -> trimesh.Trimesh:
        mesh = trimesh.Trimesh(knob.mesh.positions, knob.mesh.indices, process=False)
        return trimesh.graph.smooth_shade(mesh, angle=CREASE_ANGLE / 57.3)

    assert ready() > knob.mesh.triangle_count * 12
    benchmark.pedantic(ready, rounds=3)
    what = f"normals and edges of {knob.mesh.triangle_count} triangles"
    record(what, best_of(3, ready), best_of(3, shaded), "trimesh, normals alone")


@pytest.mark.benchmark(group="viewer")
def test_every_triangle_gets_its_face(benchmark: Any, record: Record, knob: PartResult) -> None:
    def rows() -> int:
        return len(knob.answers.ask(SceneOf(), knob).triangle_faces)

    assert rows() == knob.mesh.triangle_count
    benchmark.pedantic(rows, rounds=3)
    once = best_of(3, lambda: mesh_buffers(replace(knob.mesh)))
    record("faces of these triangles, edges as lines", best_of(3, rows), once, "making the mesh ready")
