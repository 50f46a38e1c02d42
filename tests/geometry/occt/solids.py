"""One node's own solid from both kernels, without the machinery around them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.GeomAbs import GeomAbs_SurfaceType

from tests.geometry import models
from tests.geometry.occt.bodies import FEW_TRIALS
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.occt.brep import Brep, faces_of
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.measure.validity import is_valid, volume_of
from vcad_kernel.geometry.solid import Note
from vcad_kernel.geometry.sweeps.paths.along_paths import swept_along
from vcad_kernel.geometry.sweeps.profiles.profile import read_profile
from vcad_kernel.geometry.sweeps.sweeping import extruded, revolved
from vcad_kernel.geometry.sweeps.swept import Swept
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.operations.node import Node
from vcad_kernel.operations.profiles.sketches import Sketch2D
from vcad_kernel.operations.solids.sweeps import Extrude, Revolve, Sweep

Builder = Callable[..., Brep | None]
_GROWN: dict[type[Node], Callable[..., Swept]] = {Extrude: extruded, Revolve: revolved, Sweep: swept_along}
SQUARE = models.polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)])
DISC = models.circle(1.0)


def build_of(recipe: models.Solid) -> Build:
    document = models.document(recipe)
    return Build(document, document.roots[0].node, search=FEW_TRIALS)


def exact(builder: Builder, recipe: models.Solid) -> Brep:
    """The B-rep, after the checks that every B-rep must pass."""
    build = build_of(recipe)
    brep = builder(build, build.document.nodes[build.node], ())
    assert brep is not None
    assert is_valid(brep.shape)
    assert volume_of(brep.shape) > 0.0
    assert len(brep.makers) == len(faces_of(brep.shape))
    return brep


def volume(builder: Builder, recipe: models.Solid) -> float:
    return volume_of(exact(builder, recipe).shape)


def kinds(brep: Brep) -> list[str]:
    """The kinds of surface, sorted: ``["Cylinder", "Plane", "Plane"]``."""
    types: list[GeomAbs_SurfaceType] = [
        BRepAdaptor_Surface(face, False).GetType() for face in faces_of(brep.shape)
    ]
    return sorted(kind.name.removeprefix("GeomAbs_") for kind in types)


def notes(builder: Builder, recipe: models.Solid) -> list[Note]:
    build = build_of(recipe)
    builder(build, build.document.nodes[build.node], ())
    return build.notes


def meshed(make: Callable[..., Swept], recipe: models.Solid, segments: int) -> Swept:
    """The mesh side's skins; sketches are read as its kernel does."""
    build = build_of(recipe)
    document, node = build.document, build.node
    children = document.nodes[node].children()
    sketches = [child for child in children if isinstance(document.nodes[child], Sketch2D)]
    profiles = ([read_profile(document, sketch) for sketch in sketches],) if sketches else ()
    return make(document, node, *profiles, Tessellation(segments=segments), 1.0)


def grown(recipe: models.Solid, segments: int) -> Swept:
    """The mesh side's skins of what grows out of one profile."""
    build = build_of(recipe)
    value = build.document.nodes[build.node]
    profile = read_profile(build.document, value.children()[0])
    make = _GROWN[type(value)]
    return make(build.document, build.node, value, profile, Tessellation(segments=segments), 1.0)


def refusal(builder: Builder, recipe: models.Solid) -> GeometryError:
    build = build_of(recipe)
    with pytest.raises(GeometryError) as caught:
        builder(build, build.document.nodes[build.node], ())
    return caught.value
