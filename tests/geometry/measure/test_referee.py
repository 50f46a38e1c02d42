"""The two kernels measure the same bodies: how far they may differ, and that they do not differ by more."""

from __future__ import annotations

import numpy as np
import pytest

from tests.geometry.models import Solid, box, circle, difference, intersection, scene, solid, union
from vcad_kernel.geometry.evaluate import EvaluationOptions
from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.geometry.measure.referee import area_bound, box_bound, disagreements, volume_bound
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.operations.bodies.transforms import Rotate, Scale, Translate
from vcad_kernel.operations.features.features import Fillet
from vcad_kernel.operations.solids.shapes import Cone, Cylinder, Sphere, Torus
from vcad_kernel.operations.solids.sweeps import Revolve

ROD = solid(Cylinder, radius=3.0, height=10.0)
BODIES = {
    "cylinder": ROD,
    "ball": solid(Sphere, radius=5.0),
    "cone": solid(Cone, radius_bottom=4.0, radius_top=1.0, height=6.0),
    "torus": solid(Torus, major_radius=8.0, minor_radius=2.0),
    "drilled": difference(box(12.0, 9.0, 5.0), solid(Translate, ROD, offset=(4.0, 4.0, -1.0))),
    "filleted": solid(Fillet, box(10.0, 8.0, 6.0), radius=1.5),
    "turned": solid(Rotate, union(box(9.0, 2.0, 2.0), ROD), angles=(20.0, 35.0, -50.0)),
    "ring": solid(
        Revolve,
        circle(1.0, (6.0, 0.0)),
        axis_origin=(0.0, 0.0, 0.0),
        axis_dir=(0.0, 1.0, 0.0),
        angle_deg=270.0,
    ),
    "lens": intersection(
        solid(Sphere, radius=5.0), solid(Translate, solid(Sphere, radius=5.0), offset=(8.0, 0.0, 0.0))
    ),
    "ellipsoid": solid(Scale, solid(Sphere, radius=3.0), factor=(2.0, 1.0, 0.5)),
}


def measured(body: Solid, tessellation: Tessellation) -> Measurement:
    return scene(body, options=EvaluationOptions(tessellation)).parts[0].measurement


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize(
    "tessellation", [Tessellation(chord=0.2), Tessellation(), Tessellation(segments=128)]
)
def test_a_mesh_differs_from_its_body_by_no_more_than_its_tolerance_explains(
    name: str, tessellation: Tessellation
) -> None:
    measurement = measured(BODIES[name], tessellation)
    on_mesh, figures = measurement.on_mesh, measurement.exact()
    exact = figures.from_brep
    assert exact is not None
    assert on_mesh.tolerance is not None
    assert disagreements(on_mesh, exact) == ()
    loss = abs(on_mesh.volume - exact.volume)
    assert loss <= volume_bound(on_mesh, exact) <= 2.0 * on_mesh.tolerance * exact.surface_area + 1e-3
    assert abs(on_mesh.surface_area - exact.surface_area) <= area_bound(on_mesh, exact)
    assert on_mesh.bounds is not None
    assert exact.bounds is not None
    gaps = np.abs(np.array(on_mesh.bounds) - np.array(exact.bounds))
    assert gaps.max() <= box_bound(on_mesh, exact)
    assert (on_mesh.genus, on_mesh.lumps, on_mesh.shells) == (exact.genus, exact.lumps, exact.shells)


@pytest.mark.parametrize("name", BODIES)
def test_both_kernels_mean_the_same_by_inertia_and_centre(name: str) -> None:
    measurement = measured(BODIES[name], Tessellation(segments=256))
    on_mesh, exact = measurement.on_mesh, measurement.exact()
    tensor = np.array(exact.inertia)
    assert np.array(on_mesh.inertia) == pytest.approx(tensor, abs=2e-3 * float(np.abs(tensor).max()))
    assert on_mesh.center_of_mass == pytest.approx(exact.center_of_mass, abs=5e-3)


def test_what_the_chord_error_cannot_explain_is_named() -> None:
    ball, larger = (measured(solid(Sphere, radius=radius), Tessellation()) for radius in (5.0, 5.5))
    exact = larger.exact().from_brep
    assert exact is not None
    (volume, *_rest) = disagreements(ball.on_mesh, exact)
    assert volume.startswith("the volume is 696.91 mm³ by the B-rep")
