"""Meshes of results in the client: kept while they are recent, then asked for again."""

from __future__ import annotations

import numpy as np
import pytest

from vcad_kernel.contracts import mesh_block
from vcad_kernel.contracts.mesh_block import MeshViews
from vcad_kernel.errors import ServiceFailure
from vcad_kernel.service.client.recent_meshes import RecentMeshes, ResultMeshes

PARTS = [{"name": "one", "vertices": [0, 3], "triangles_range": [0, 1]}]


def content(offset: float = 0.0, vertices: int = 3) -> bytearray:
    """A block with one triangle."""
    data = bytearray(mesh_block.size_for(vertices, 1, double=True))
    mesh_block.write(
        data,
        np.arange(3.0 * vertices).reshape(vertices, 3) + offset,
        np.array([[0, 1, 2]], np.uint32),
        nodes=np.array([7], np.uint32),
        double=True,
    )
    return data


class Service:
    """Gives a mesh, and counts how often it is asked."""

    def __init__(self, offset: float = 0.0) -> None:
        self.block = content(offset)
        self.asked = 0

    def views(self) -> MeshViews:
        return mesh_block.read(self.block)

    def fetch(self) -> MeshViews:
        self.asked += 1
        return self.views()

    def result(self, recent: RecentMeshes) -> ResultMeshes:
        return ResultMeshes(recent, PARTS, self.views(), self.fetch)


def test_a_recent_mesh_is_kept_and_an_old_one_is_asked_for_again() -> None:
    recent = RecentMeshes(most=2)
    services = [Service(offset) for offset in (0.0, 1.0, 2.0)]
    results = [service.result(recent) for service in services]
    assert [float(result.mesh(0).positions[0, 0]) for result in results[1:]] == [1.0, 2.0]
    assert [service.asked for service in services] == [0, 0, 0]
    assert results[0].mesh(0).positions[0, 0] == 0.0
    assert results[2].mesh(0).positions[0, 0] == 2.0
    assert [service.asked for service in services] == [1, 0, 0]
    assert results[1].mesh(0).positions[0, 0] == 1.0  # the one that nobody had used for the longest time
    assert [service.asked for service in services] == [1, 1, 0]


def test_meshes_take_no_more_memory_than_is_allowed() -> None:
    size = Service().result(RecentMeshes()).mesh(0).nbytes
    recent = RecentMeshes(most_bytes=3 * size)
    services = [Service() for _ in range(5)]
    results = [service.result(recent) for service in services]
    for result in results[2:]:
        result.mesh(0)
    assert sum(service.asked for service in services) == 0
    results[1].mesh(0)
    assert services[1].asked == 1


def test_the_latest_is_kept_whatever_it_takes() -> None:
    recent = RecentMeshes(most_bytes=1)
    service = Service()
    result = service.result(recent)
    result.mesh(0)
    result.mesh(0)
    assert service.asked == 0


def test_who_holds_a_mesh_keeps_it() -> None:
    recent = RecentMeshes(most=1)
    held = Service().result(recent).mesh(0)
    for _ in range(3):
        Service(1.0).result(recent)
    assert held.positions.tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


def test_another_mesh_than_the_one_that_was_shown_is_refused() -> None:
    recent = RecentMeshes(most=1)
    result = ResultMeshes(recent, PARTS, mesh_block.read(content()), lambda: mesh_block.read(content(0.0, 4)))
    Service().result(recent)
    with pytest.raises(ServiceFailure, match="another mesh") as refused:
        result.mesh(0)
    assert refused.value.details["expected"] == "3 vertices and 1 triangles"
