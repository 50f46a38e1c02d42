"""What two states of a part have in common, body by body."""

from __future__ import annotations

import numpy as np
import pytest

from notebook_ext.viewer.relay.changes import changes
from vcad_kernel.geometry.measure.figures import measure
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import PartResult


@pytest.fixture(scope="module")
def service() -> DirectService:
    return DirectService()


def parts(service: DirectService, *bodies: str) -> tuple[PartResult, ...]:
    roots = " ".join(f'[root {body} "default"]' for body in bodies)
    return service.eval_cell(f"#[{roots}]").parts


def volume(meshes: tuple[TriMesh, ...]) -> float:
    return sum(measure(mesh, exact=True).volume for mesh in meshes)


def test_bodies_are_compared_one_by_one(service: DirectService) -> None:
    old = parts(service, "[cube 10 10 10]", "[translate 20 0 0 [cube 10 10 10]]")
    new = parts(
        service, "[translate 20 0 0 [cube 10 10 10]]", "[cube 10 10 12]", "[translate 50 0 0 [cube 1 1 1]]"
    )
    both = changes(new, old)
    assert both.names == ("added", "unchanged")
    assert volume(both.added) == pytest.approx(200 + 1)
    assert volume(both.unchanged) == pytest.approx(2000)
    back = changes(old, new)
    assert back.names == ("removed", "unchanged")
    assert volume(back.removed) == pytest.approx(200 + 1)


def test_what_is_equal_is_not_compared_at_all(
    service: DirectService, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = parts(service, "[cube 10 10 10]"), parts(service, "[cube 10 10 10]")
    monkeypatch.setattr(type(new[0].answers), "ask", None)
    assert changes(new, old).names == ("unchanged",)


def test_a_profile_is_the_same_or_another(service: DirectService) -> None:
    def shown(profile: str) -> tuple[PartResult, ...]:
        return service.eval_cell(profile).parts

    assert changes(shown("[rect 10 12]"), shown("[rect 10 10]")).names == ("added", "removed")
    assert changes(shown("[rect 10 10]"), shown("[rect 10 10]")).names == ("unchanged",)


def test_several_meshes_of_one_kind_are_one_for_viewers(service: DirectService) -> None:
    new = parts(service, "[cube 1 1 1]", "[translate 5 0 0 [cube 2 2 2]]")
    buffers = {one.name: one.values for one in changes(new, ()).buffers()}
    corners = buffers["added.positions"][buffers["added.indices"]]
    assert corners.shape == (24, 3, 3)
    apart = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).reshape(2, 12)
    assert apart.sum(axis=1) / 6 == pytest.approx([1, 8])
    assert buffers["added.segments"].shape == (24, 2, 3)
