"""Every face of a mesh knows the node that made it, and so the call."""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest

from tests.geometry.models import Solid, box, difference, document, intersection, solid, union
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.evaluate import EvaluatedPart, evaluate
from vcad_kernel.geometry.measure.inspection.mesh_regions import Regions
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.bodies.bodies import Hull, Section
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.bodies.transforms import Mirror, Rotate, Scale, Translate
from vcad_kernel.operations.features.features import Chamfer, Fillet, Shell
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.solids.shapes import Cylinder, Sphere

DRILL = solid(Translate, solid(Cylinder, radius=1.0, height=30.0), offset=(5.0, 5.0, -9.0))
PLATE = difference(box(10.0, 10.0, 3.0), DRILL)


def _part(body: Solid, cache: SolidCache | None = None) -> tuple[Document, EvaluatedPart]:
    found = document(body)
    scene = evaluate(found, cache=cache)
    scene.raise_first()
    return found, scene.parts[0]


class _Face(NamedTuple):
    """A face and its maker."""

    node: NodeId
    function: str
    area: float


def _sources(body: Solid) -> list[_Face]:
    found, part = _part(body)
    makers = part.mesh.source_nodes
    faces = []
    for region in Regions(part.mesh, planar=part.mesh_figures.exact):
        node = NodeId(int(makers[region.triangles[0]]))
        assert (makers[region.triangles] == node).all()
        faces.append(_Face(node, found.function_of(node), region.area))
    return faces


def _counts(body: Solid) -> Counter[str]:
    return Counter(source.function for source in _sources(body))


def test_the_wall_of_a_hole_belongs_to_the_drill() -> None:
    sources = _sources(PLATE)
    assert Counter(source.function for source in sources) == {"cube": 6, "cylinder": 1}
    (wall,) = (source for source in sources if source.function == "cylinder")
    assert wall.area == pytest.approx(2.0 * math.pi * 3.0, rel=2e-3)


def test_the_areas_of_the_faces_make_up_the_surface() -> None:
    _, part = _part(PLATE)
    regions = list(Regions(part.mesh, planar=False))
    assert sum(region.area for region in regions) == pytest.approx(part.mesh_figures.surface_area)
    triangles = np.concatenate([region.triangles for region in regions])
    assert sorted(triangles.tolist()) == list(range(part.mesh.triangle_count))


@pytest.mark.parametrize(
    "move",
    [
        lambda body: solid(Translate, body, offset=(1.0, 2.0, 3.0)),
        lambda body: solid(Rotate, body, angles=(10.0, 20.0, 30.0)),
        lambda body: solid(Scale, body, factor=(-1.0, 2.0, 1.0)),
        lambda body: solid(Mirror, body, origin=(1.0, 0.0, 0.0), normal=(1.0, 1.0, 0.0)),
    ],
)
def test_transforms_leave_faces_with_those_who_made_them(move: object) -> None:
    assert callable(move)
    assert _counts(move(PLATE)) == {"cube": 6, "cylinder": 1}


def test_each_copy_of_a_pattern_has_faces_of_its_own_from_one_maker() -> None:
    holes = solid(
        LinearPattern,
        solid(Translate, solid(Cylinder, radius=1.0, height=9.0), offset=(3.0, 3.0, -3.0)),
        direction=(1.0, 0.0, 0.0),
        count=4,
        spacing=5.0,
    )
    sources = _sources(difference(box(25.0, 6.0, 3.0), holes))
    walls = [source for source in sources if source.function == "cylinder"]
    assert len(walls) == 4
    assert len({source.node for source in walls}) == 1
    assert len({source.area.__round__(6) for source in walls}) == 1


def test_a_ring_of_copies_keeps_its_maker() -> None:
    pins = solid(
        CircularPattern,
        solid(Translate, solid(Cylinder, radius=0.5, height=2.0), offset=(4.0, 0.0, 2.5)),
        axis_origin=(0.0, 0.0, 0.0),
        axis_dir=(0.0, 0.0, 1.0),
        count=6,
        angle_deg=360.0,
    )
    base = solid(Cylinder, radius=6.0, height=3.0)
    nodes = Counter(source.node for source in _sources(union(base, pins)))
    assert sorted(nodes.values()) == [3, 12]


def test_equal_faces_of_two_makers_in_one_plane_stay_two_faces() -> None:
    step = union(box(2.0, 2.0, 2.0), box(2.0, 1.0, 2.0, (2.0, 0.0, 0.0)))
    sources = _sources(step)
    tops = [source for source in sources if source.area == pytest.approx(2.0 * 2.0)]
    assert len({source.node for source in sources}) == 2
    assert tops


def test_a_fillet_makes_the_roundings_and_leaves_the_rest() -> None:
    counts = _counts(solid(Fillet, PLATE, radius=0.5))
    assert counts["cube"] == 6
    assert counts["cylinder"] == 1
    assert counts["fillet"] >= 1
    assert set(counts) == {"cube", "cylinder", "fillet"}


def test_a_chamfer_makes_the_bevels() -> None:
    counts = _counts(solid(Chamfer, box(10.0, 10.0, 10.0), distance=1.0))
    # twelve bevels and eight corners
    assert (counts["cube"], counts["chamfer"]) == (6, 20)


def test_makers_survive_mesh_booleans_after_a_feature() -> None:
    rounded = solid(Fillet, box(10.0, 10.0, 10.0), radius=2.0)
    drilled = difference(rounded, DRILL)
    counts = _counts(solid(Rotate, drilled, angles=(0.0, 0.0, 30.0)))
    assert set(counts) == {"cube", "fillet", "cylinder"}
    assert (counts["cube"], counts["cylinder"]) == (6, 1)


def test_the_inside_of_a_shell_was_made_by_the_shell() -> None:
    assert _counts(solid(Shell, box(10.0, 10.0, 10.0), thickness=1.0)) == {"cube": 6, "shell": 6}


def test_the_cut_of_a_section_was_made_by_the_section() -> None:
    cut = solid(Section, PLATE, origin=(5.0, 0.0, 0.0), normal=(1.0, 0.0, 0.0))
    sources = _sources(cut)
    made = [source for source in sources if source.function == "section"]
    assert [source.area for source in made] == pytest.approx([(5.0 - 1.0) * 3.0] * 2, rel=1e-2) or sum(
        source.area for source in made
    ) == pytest.approx((10.0 - 2.0) * 3.0, rel=1e-2)


def test_a_hull_makes_all_of_its_faces() -> None:
    assert _counts(solid(Hull, union(box(1.0, 1.0, 1.0), box(1.0, 1.0, 1.0, (4.0, 0.0, 0.0))))) == {"hull": 6}


def test_what_is_kept_of_an_intersection_is_told_apart() -> None:
    counts = _counts(intersection(box(4.0, 4.0, 4.0), solid(Sphere, radius=5.0)))
    assert counts == {"cube": 6, "sphere": 1}


def test_faces_have_the_same_numbers_from_the_cache_and_not() -> None:
    cache = SolidCache()
    first, again = (_part(solid(Fillet, PLATE, radius=0.5), cache)[1].mesh for _ in range(2))
    alone = _part(solid(Fillet, PLATE, radius=0.5))[1].mesh
    labels = [Regions(mesh, planar=False).label.tobytes() for mesh in (first, again, alone)]
    assert labels[0] == labels[1] == labels[2]


def test_a_mesh_without_makers_has_regions_all_the_same() -> None:
    _, part = _part(PLATE)
    assert Regions(TriMesh(part.mesh.positions, part.mesh.indices), planar=False).count == 7
    assert Regions(TriMesh.empty(), planar=False).count == 0


def test_flat_sides_that_turn_slightly_are_faces_of_a_planar_body_only() -> None:
    from vcad_kernel.operations.solids.shapes import Prism

    _, part = _part(solid(Prism, sides=16, radius=5.0, height=2.0))
    assert Regions(part.mesh, planar=True).count == 18
    assert Regions(part.mesh, planar=False).count == 3
