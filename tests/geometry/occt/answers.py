"""Documents answered by the whole exact kernel, and meshes that manifold3d must accept."""

from __future__ import annotations

import manifold3d
import numpy as np

from tests.geometry import models
from tests.geometry.occt.bodies import FEW_TRIALS
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.kernel import OcctKernel
from vcad_kernel.geometry.solid import ExactFigures, SearchLimit, TracedMesh
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.operations.bodies.transforms import Translate
from vcad_kernel.operations.node import Vec3
from vcad_kernel.operations.solids.shapes import Cylinder, Sphere, Torus

ONE_MILLIONTH = 1e-6
"""What cad.md §8 allows elementary faces, relative."""


def figures(recipe: models.Solid, search: SearchLimit = FEW_TRIALS) -> ExactFigures:
    """What is measured of it. search: how far a refusal looks for a size that works."""
    document = models.document(recipe)
    return OcctKernel(search=search).figures(document, document.roots[0].node)


def volume(recipe: models.Solid) -> float:
    return figures(recipe).volume


def body(recipe: models.Solid) -> Brep | None:
    document = models.document(recipe)
    return OcctKernel(search=FEW_TRIALS).brep(document, document.roots[0].node)


def mesh(recipe: models.Solid, tessellation: Tessellation | None = None) -> TracedMesh:
    document = models.document(recipe)
    made = OcctKernel().tessellate(document, document.roots[0].node, tessellation or Tessellation())
    assert made is not None
    return made


def accepted(traced: TracedMesh) -> manifold3d.Manifold:
    """The mesh as manifold3d takes it, which it does only when it is closed and oriented."""
    solid = manifold3d.Manifold(
        manifold3d.Mesh64(traced.mesh.positions, traced.mesh.indices.astype(np.uint64))
    )
    assert solid.status() == manifold3d.Error.NoError
    return solid


def euler(traced: TracedMesh) -> int:
    """Vertices − edges + triangles."""
    corners = traced.mesh.indices.astype(np.int64)
    pairs = np.sort(np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    return len(np.unique(corners)) - len(np.unique(pairs, axis=0)) + len(corners)


def cylinder(radius: float, height: float, at: Vec3 = (0.0, 0.0, 0.0)) -> models.Solid:
    return models.solid(Translate, models.solid(Cylinder, radius=radius, height=height), offset=at)


def ball(radius: float, at: Vec3 = (0.0, 0.0, 0.0)) -> models.Solid:
    return models.solid(Translate, models.solid(Sphere, radius=radius), offset=at)


def ring(major: float, minor: float, at: Vec3 = (0.0, 0.0, 0.0)) -> models.Solid:
    return models.solid(Translate, models.solid(Torus, major_radius=major, minor_radius=minor), offset=at)
