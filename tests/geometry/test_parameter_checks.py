"""Each new node's own numbers: code, function and argument of what is refused."""

from __future__ import annotations

import math

import pytest

from tests.geometry.models import Solid, box, circle, document, solid
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.solid import check_parameters
from vcad_kernel.operations.bodies.bodies import Offset, Section
from vcad_kernel.operations.bodies.transforms import Mirror
from vcad_kernel.operations.features.features import ChamferAt, Draft, FilletAt, ShellOpen
from vcad_kernel.operations.features.selections import Selector
from vcad_kernel.operations.node import Node, Vec3
from vcad_kernel.operations.profiles.paths import CylinderPath, HelixPath, Path, PolylinePath, SplinePath
from vcad_kernel.operations.solids.gears import Gear
from vcad_kernel.operations.solids.imported import MeshFile, StepFile
from vcad_kernel.operations.solids.shapes import Prism, Torus, Wedge
from vcad_kernel.operations.solids.sweeps import Extrude, Sweep
from vcad_kernel.operations.solids.text import Text

O: Vec3 = (0.0, 0.0, 0.0)  # noqa: E741  (the origin)
Z: Vec3 = (0.0, 0.0, 1.0)
BOX = box(1.0, 1.0, 1.0)
ALL = Selector("face")


def check(recipe: Solid) -> None:
    checked = document(recipe)
    check_parameters(checked, checked.roots[0].node)


def along(path: Path, **options: float) -> Solid:
    return solid(Sweep, circle(1.0), path=path, **options)


def track(*knots: tuple[float, float], radius: float = 5.0, step: float = 0.5) -> Solid:
    return along(CylinderPath(radius, knots, step))


@pytest.mark.parametrize(
    ("kind", "fields", "argument"),
    [
        (Torus, {"major_radius": 0.0, "minor_radius": 1.0}, "major"),
        (Torus, {"major_radius": 2.0, "minor_radius": -1.0}, "minor"),
        (Torus, {"major_radius": 2.0, "minor_radius": 2.0}, "minor"),
        (Torus, {"major_radius": 2.0, "minor_radius": 3.0}, "minor"),
        (Wedge, {"size": (1.0, 0.0, 1.0)}, "y"),
        (Prism, {"sides": 2, "radius": 1.0, "height": 1.0}, "n"),
        (Prism, {"sides": 3, "radius": math.inf, "height": 1.0}, "r"),
        (Prism, {"sides": 3, "radius": 1.0, "height": 0.0}, "h"),
        (Gear, {"module": 0.0, "teeth": 12, "width": 1.0}, "module"),
        (Gear, {"module": 1.0, "teeth": 3, "width": 1.0}, "teeth"),
        (Gear, {"module": 1.0, "teeth": 12, "width": -1.0}, "width"),
        (Gear, {"module": 1.0, "teeth": 12, "width": 1.0, "backlash": -0.1}, "backlash"),
        (Gear, {"module": 1.0, "teeth": 12, "width": 1.0, "backlash": 1.5}, "backlash"),
        (Gear, {"module": 1.0, "teeth": 12, "width": 1.0, "backlash": 5.0, "internal": True}, "backlash"),
        (Gear, {"module": 1.0, "teeth": 12, "width": 1.0, "flank": 1}, "n"),
        (Text, {"text": "A", "size": 0.0, "height": 1.0}, "size"),
        (Text, {"text": "A", "size": 1.0, "height": math.nan}, "height"),
        (Text, {"text": "A漢", "size": 1.0, "height": 1.0}, "text"),
        (MeshFile, {"path": "a.stl", "scale": (1.0, 0.0, 1.0), "content": ""}, "sy"),
        (StepFile, {"path": "a.step", "body": -1, "content": ""}, "i"),
    ],
)
def test_bad_sizes_are_refused(kind: type[Node], fields: dict[str, object], argument: str) -> None:
    with pytest.raises(GeometryError) as caught:
        check(solid(kind, **fields))
    error = caught.value
    assert (error.code, error.argument, error.failed) == ("INVALID_PARAMETER", argument, False)
    assert error.message.startswith(f"{error.operation}: ")


@pytest.mark.parametrize(
    ("kind", "fields", "code", "argument"),
    [
        (Mirror, {"origin": O, "normal": O}, "ZERO_VECTOR", "nx"),
        (Section, {"origin": O, "normal": O}, "ZERO_VECTOR", "nx"),
        (Section, {"origin": (0.0, math.inf, 0.0), "normal": Z}, "INVALID_PARAMETER", "oy"),
        (Draft, {"origin": O, "normal": O, "angle_deg": 1.0, "faces": ALL}, "ZERO_VECTOR", "nx"),
        (Draft, {"origin": O, "normal": Z, "angle_deg": 0.0, "faces": ALL}, "INVALID_PARAMETER", "angle"),
        (Draft, {"origin": O, "normal": Z, "angle_deg": 90.0, "faces": ALL}, "INVALID_PARAMETER", "angle"),
        (Offset, {"distance": 0.0}, "INVALID_PARAMETER", "d"),
        (Offset, {"distance": math.inf}, "INVALID_PARAMETER", "d"),
        (FilletAt, {"radius": 0.0, "edges": ALL}, "INVALID_PARAMETER", "r"),
        (FilletAt, {"radius": 0.0, "edges": ALL, "radius_end": 1.0}, "INVALID_PARAMETER", "r1"),
        (FilletAt, {"radius": 1.0, "edges": ALL, "radius_end": -1.0}, "INVALID_PARAMETER", "r2"),
        (ChamferAt, {"distance": -1.0, "edges": ALL}, "INVALID_PARAMETER", "d"),
        (ShellOpen, {"thickness": 0.0, "faces": ALL}, "INVALID_PARAMETER", "t"),
    ],
)
def test_bad_operations_are_refused(
    kind: type[Node], fields: dict[str, object], code: str, argument: str
) -> None:
    with pytest.raises(GeometryError) as caught:
        check(solid(kind, BOX, **fields))
    assert (caught.value.code, caught.value.argument) == (code, argument)


@pytest.mark.parametrize(
    ("recipe", "argument"),
    [
        (track((0.0, 0.0)), "path"),
        (track((0.0, 0.0), (90.0, 1.0), (90.0, 2.0)), "path"),
        (track((0.0, 0.0), (90.0, 1.0), (45.0, 2.0)), "path"),
        (track((0.0, 0.0), (90.0, 1.0), radius=0.0), "r"),
        (track((0.0, 0.0), (90.0, 1.0), step=0.0), "seg-deg"),
        (along(PolylinePath((O,))), "points"),
        (along(PolylinePath((O, O, Z))), "points"),
        (along(PolylinePath((O, Z), -1.0)), "bend"),
        (along(SplinePath((O, (0.0, 0.0, 1e-8)))), "points"),
        (along(SplinePath((O, (0.0, math.nan, 1.0)))), "y"),
        (along(HelixPath(0.0, 1.0, 1.0, 1.0)), "radius"),
        (along(PolylinePath((O, Z)), twist_angle=1.0), "twist_angle"),
        (along(SplinePath((O, Z)), scale_end=0.0), "scale_end"),
        (solid(Extrude, circle(1.0), direction=Z, scale_end=-1.0), "scale_end"),
    ],
)
def test_bad_paths_are_refused(recipe: Solid, argument: str) -> None:
    with pytest.raises(GeometryError) as caught:
        check(recipe)
    assert (caught.value.code, caught.value.argument) == ("INVALID_PARAMETER", argument)


@pytest.mark.parametrize(
    "recipe",
    [
        track((0.0, 0.0), (-90.0, 1.0)),
        track((0.0, 0.0), (720.0, 50.0)),
        along(PolylinePath((O, Z), 0.0)),
        solid(Gear, module=1.0, teeth=4, width=1.0),
        solid(Gear, module=1.0, teeth=4, width=1.0, internal=True),
        solid(Text, text="", size=1.0, height=1.0),
        solid(Offset, BOX, distance=-1.0),
        solid(Draft, BOX, origin=O, normal=(0.0, 0.0, 9.0), angle_deg=-89.0, faces=ALL),
    ],
)
def test_good_numbers_pass(recipe: Solid) -> None:
    check(recipe)
