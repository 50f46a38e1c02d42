"""Mirrors, hulls, sections and features on the mesh path, against closed formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.geometry.models import EMPTY, FINE, box, difference, document, figures, mesh, solid, union
from vcad_kernel.errors import Cancelled, GeometryError
from vcad_kernel.geometry.evaluate import EvaluationOptions, evaluate
from vcad_kernel.geometry.mesh.manifold_kernel import hull_of
from vcad_kernel.geometry.solid import ExactFigures, Note, TracedMesh
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.bodies.bodies import Hull, Section
from vcad_kernel.operations.bodies.booleans import Intersection, Union
from vcad_kernel.operations.bodies.transforms import Mirror, Scale, Translate
from vcad_kernel.operations.features.features import Fillet
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.solids.shapes import Cylinder, Sphere

ORIGIN = (0.0, 0.0, 0.0)
PLATE = difference(box(10.0, 10.0, 3.0), box(2.0, 2.0, 9.0, (1.0, 1.0, -3.0)))


def test_a_mirrored_solid_keeps_its_volume_and_changes_sides() -> None:
    found = figures(solid(Mirror, PLATE, origin=ORIGIN, normal=(5.0, 0.0, 0.0)))
    assert found.volume == pytest.approx(300.0 - 12.0)
    assert found.bounds == ((-10.0, 0.0, 0.0), (0.0, 10.0, 3.0))
    assert found.exact


def test_a_mirror_in_a_slanted_plane_off_the_origin_is_its_own_inverse() -> None:
    plane = {"origin": (1.0, 2.0, 3.0), "normal": (1.0, -2.0, 0.5)}
    twice = solid(Mirror, solid(Mirror, PLATE, **plane), **plane)
    assert mesh(twice).bounds() == pytest.approx(np.array([[0.0, 0.0, 0.0], [10.0, 10.0, 3.0]]))


def test_the_hull_of_two_balls_is_a_rounded_rod() -> None:
    far = solid(Translate, solid(Sphere, radius=2.0), offset=(10.0, 0.0, 0.0))
    found = figures(solid(Hull, union(solid(Sphere, radius=2.0), far)), FINE)
    assert found.volume == pytest.approx(4.0 / 3.0 * math.pi * 8.0 + math.pi * 4.0 * 10.0, rel=2e-3)
    assert (found.lumps, found.genus) == (1, 0)


def test_the_hull_of_planar_solids_is_exact() -> None:
    found = figures(solid(Hull, union(box(1.0, 1.0, 1.0), box(1.0, 1.0, 1.0, (4.0, 0.0, 0.0)))))
    assert found.exact
    assert found.volume == pytest.approx(5.0)
    assert figures(solid(Hull, EMPTY)).is_empty


def test_the_hull_of_points_is_closed_and_outward() -> None:
    positions, triangles = hull_of(np.vstack([np.array(list(np.ndindex(2, 2, 2)), float), [[0.5, 0.5, 0.5]]]))
    assert positions.shape == (8, 3)
    corners = positions[triangles]
    volume = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    assert volume == pytest.approx(1.0)
    assert hull_of(np.zeros((5, 3)))[1].shape == (0, 3)


@given(
    height=st.floats(0.01, 2.99),
    axis=st.sampled_from([0, 1, 2]),
    sign=st.sampled_from([1.0, -1.0]),
    length=st.floats(0.1, 100.0),
)
def test_a_section_keeps_what_its_normal_points_away_from(
    height: float, axis: int, sign: float, length: float
) -> None:
    normal = tuple(sign * length if index == axis else 0.0 for index in range(3))
    origin = tuple(height if index == axis else 40.0 for index in range(3))
    found = figures(solid(Section, box(3.0, 3.0, 3.0), origin=origin, normal=normal))
    kept = height if sign > 0 else 3.0 - height
    assert found.volume == pytest.approx(9.0 * kept)
    assert found.bounds is not None
    # the cut is where the plane is, exactly
    assert found.bounds[1 if sign > 0 else 0][axis] == height
    assert found.exact


def test_a_slanted_section_halves_a_cube() -> None:
    found = figures(solid(Section, box(2.0, 2.0, 2.0), origin=(1.0, 1.0, 1.0), normal=(1.0, 1.0, 1.0)))
    assert found.volume == pytest.approx(4.0)
    assert found.surface_area == pytest.approx(12.0 + 3.0 * math.sqrt(3.0))


def test_a_section_beside_the_solid_keeps_all_or_nothing() -> None:
    above = {"origin": (0.0, 0.0, 9.0), "normal": (0.0, 0.0, 1.0)}
    below = {"origin": (0.0, 0.0, -9.0), "normal": (0.0, 0.0, 1.0)}
    assert figures(solid(Section, PLATE, **above)).volume == pytest.approx(288.0)
    assert figures(solid(Section, PLATE, **below)).is_empty
    assert figures(solid(Section, EMPTY, **above)).is_empty


def test_operands_that_fail_inside_are_named_themselves() -> None:
    huge = solid(Scale, solid(Scale, box(1.0, 1.0, 1.0), factor=(1e200, 1.0, 1.0)), factor=(1e200, 1.0, 1.0))
    found = document(solid(Hull, solid(Intersection, huge, box(2.0, 2.0, 2.0))))
    (failure,) = evaluate(found).failures
    assert isinstance(failure.error, GeometryError)
    assert failure.code in ("INVALID_PARAMETER", "BOOLEAN_FAILED")


class _Toy:
    """An exact kernel whose every feature is a cube of 2 mm in two colours of maker."""

    identity = "toy"

    def __init__(self, *, empty: bool = False) -> None:
        self.asked: list[tuple[NodeId, float]] = []
        self._empty = empty

    def tessellate(
        self, document: Document, node: NodeId, tessellation: Tessellation, scale: float = 1.0
    ) -> TracedMesh | None:
        self.asked.append((node, scale))
        if self._empty:
            return None
        (cube,) = evaluate(_cube()).parts
        below = document.digest(document.nodes[node].children()[0])
        makers = (below, document.digest(node), b"\0" * 32)
        maker_of = np.array([index % 2 for index in range(cube.mesh.triangle_count)], np.uint32)
        note = Note("SAID", "fillet: something to know", document.digest(node))
        return TracedMesh(cube.mesh, makers, maker_of, 0.125, (note,))

    def brep(self, document: Document, node: NodeId) -> None:
        raise AssertionError((document, node))

    def figures(self, document: Document, node: NodeId) -> ExactFigures:
        raise AssertionError((document, node))


def _cube() -> Document:
    return document(box(2.0, 2.0, 2.0))


def test_a_feature_is_the_exact_kernels_own_mesh_with_its_makers_tolerance_and_warnings() -> None:
    toy = _Toy()
    rounded = solid(Fillet, box(2.0, 2.0, 2.0), radius=0.1)
    found = document(
        solid(Scale, union(rounded, box(1.0, 1.0, 5.0, (0.5, 0.5, 0.0))), factor=(3.0, 1.0, 1.0))
    )
    scene = evaluate(found, EvaluationOptions(exact=toy))
    scene.raise_first()
    part = scene.parts[0]
    assert [scale for _, scale in toy.asked] == [3.0]
    made_by = {found.nodes[NodeId(node)].function for node in part.mesh.source_nodes.tolist()}
    assert made_by == {"cube", "fillet"}
    assert part.mesh_figures.tolerance == 0.125
    assert [(warning.code, warning.message) for warning in scene.warnings] == [
        ("SAID", "fillet: something to know")
    ]
    assert part.mesh_figures.volume == pytest.approx(3.0 * (8.0 + 3.0))


def test_the_meshes_below_a_feature_are_never_built() -> None:
    scene = evaluate(document(solid(Fillet, PLATE, radius=0.1)), EvaluationOptions(exact=_Toy()))
    assert scene.evaluated == 1


def test_a_feature_that_leaves_nothing_is_empty() -> None:
    scene = evaluate(document(solid(Fillet, PLATE, radius=0.1)), EvaluationOptions(exact=_Toy(empty=True)))
    assert scene.parts[0].mesh.is_empty


def test_cancelling_stops_between_batches_too() -> None:
    asked = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) > 5

    body = difference(union(box(1.0, 1.0, 1.0), solid(Cylinder, radius=1.0, height=1.0)), box(2.0, 2.0, 2.0))
    with pytest.raises(Cancelled):
        evaluate(document(body), cancelled=cancelled)
    assert len(asked) == 6


def test_operands_repeated_in_one_place_add_nothing_and_take_nothing_twice() -> None:
    a, b = box(3.0, 3.0, 3.0), box(1.0, 1.0, 9.0)
    assert figures(union(union(a, b), union(b, a))).volume == pytest.approx(27.0 + 6.0)
    assert figures(difference(difference(a, b), b)).volume == pytest.approx(24.0)
    assert figures(difference(difference(a, b), a)).is_empty
    assert figures(solid(Union, a, a)).volume == pytest.approx(27.0)
