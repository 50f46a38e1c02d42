"""Functions that are short for others: the nodes they stand for, and whose name their errors bear."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from blake3 import blake3

from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import CapabilityUnavailable, GeometryError, VcadError
from vcad_kernel.ir.document import Document
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source
from vcad_kernel.operations.bodies.booleans import Union
from vcad_kernel.operations.bodies.transforms import Mirror
from vcad_kernel.operations.node import Node, NodeId
from vcad_kernel.operations.profiles.paths import CylinderPath, LinePath, PolylinePath, SplinePath
from vcad_kernel.operations.profiles.sketches import Line, Sketch2D
from vcad_kernel.operations.solids.gears import Gear
from vcad_kernel.operations.solids.imported import DxfFile, MeshFile, StepFile, SvgFile
from vcad_kernel.operations.solids.shapes import Cone, Cube, Cylinder, Prism, Sphere, Torus
from vcad_kernel.operations.solids.sweeps import Sweep
from vcad_kernel.operations.solids.text import Text
from vcad_kernel.paths import Workspace


def model(text: str, files: Workspace | None = None) -> Document:
    return convert(Environment(prelude=PRELUDE).run(Source("part.oo", text)), files)


def nodes(text: str) -> list[Node]:
    return list(model(text).nodes.values())


def error_of(text: str, files: Workspace | None = None) -> VcadError:
    with pytest.raises(VcadError) as caught:
        model(text, files)
    return caught.value


_CUBE = Cube((4.0, 3.0, 2.0))


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("torus 10 3", Torus(10.0, 3.0)),
        ("torus-n 10 3 16", Torus(10.0, 3.0, 16)),
        ("cylinder-n 3 9 12", Cylinder(3.0, 9.0, 12)),
        ("sphere-n 3 12", Sphere(3.0, 12)),
        ("cone-n 3 1 9 12", Cone(3.0, 1.0, 9.0, 12)),
        ("prism 5 8 12", Prism(5, 8.0, 12.0)),
        ("polygon-prism 5 8 12", Prism(5, 8.0, 12.0)),
        ("gear 2 20 6", Gear(2.0, 20, 6.0)),
        ("gear-backlash 2 20 6 0.1", Gear(2.0, 20, 6.0, 0.1)),
        ("gear-n 2 20 6 12", Gear(2.0, 20, 6.0, flank=12)),
        ("ring-gear-backlash-n 2 20 6 0.1 12", Gear(2.0, 20, 6.0, 0.1, internal=True, flank=12)),
        ('text 8 2 "AB"', Text("AB", 8.0, 2.0)),
        ("mirror-y [cube 4 3 2]", Mirror(0, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0))),  # type: ignore[arg-type]
    ],
)
def test_a_call_is_one_node(call: str, expected: Node) -> None:
    assert nodes(f"[{call}]")[-1] == expected


def test_a_hexagonal_prism_is_as_wide_across_flats_as_it_says() -> None:
    (prism,) = nodes("[hex-prism 13 8]")
    assert isinstance(prism, Prism)
    assert prism.sides == 6
    assert 2 * prism.radius * math.cos(math.pi / 6) == pytest.approx(13.0)


def test_a_mirror_pattern_is_the_solid_with_its_reflection() -> None:
    assert nodes("[mirror-pattern-x [cube 4 3 2]]") == [
        _CUBE,
        Mirror(0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),  # type: ignore[arg-type]
        Union(0, 1),  # type: ignore[arg-type]
    ]
    assert nodes("[mirror-pattern 0 1 0 [cube 4 3 2]]") == nodes("[mirror-pattern-y [cube 4 3 2]]")


def test_a_quad_pattern_is_a_mirror_pattern_of_a_mirror_pattern() -> None:
    quad = nodes("[quad-pattern [cube 4 3 2]]")
    assert quad == nodes("[mirror-pattern-y [mirror-pattern-x [cube 4 3 2]]]")


def test_all_nodes_of_a_composed_call_know_its_place() -> None:
    document = model("\n[mirror-pattern-z\n [cube 1 2 3]]")
    lines = [place.line for node in document.nodes if (place := document.place_of(node))]
    assert lines == [3, 2, 2]


def path_of(call: str) -> object:
    sweep = nodes(f"[sweep [{call}] [profile-rect 2 1]]")[-1]
    assert isinstance(sweep, Sweep)
    return sweep.path


def test_paths_are_what_their_numbers_say() -> None:
    assert path_of("path-line 0 0 0 1 2 3") == LinePath((0.0, 0.0, 0.0), (1.0, 2.0, 3.0))
    points = ((0.0, 0.0, 0.0), (0.0, 0.0, 9.0), (9.0, 0.0, 9.0))
    assert path_of("path-polyline 2 #[0 0 0 0 0 9 9 0 9]") == PolylinePath(points, 2.0)
    assert path_of("path-spline #[0 0 0 0 0 9 9 0 9]") == SplinePath(points)
    assert path_of("helix 10 0.05 90 720") == CylinderPath(10.0, ((90.0, 0.0), (810.0, 36.0)))
    assert path_of("helix-res 5 10 0.05 90 720") == CylinderPath(10.0, ((90.0, 0.0), (810.0, 36.0)), 5.0)
    assert path_of("cam-path 10 #[0 0 90 8]") == CylinderPath(10.0, ((0.0, 0.0), (90.0, 8.0)))
    assert path_of("cam-path-res 5 10 #[0 0 90 8]") == CylinderPath(10.0, ((0.0, 0.0), (90.0, 8.0)), 5.0)


def test_profiles_lie_on_the_xy_plane_and_close_themselves() -> None:
    rectangle = nodes("[sweep [path-line 0 0 0 0 0 9] [profile-rect 4 2]]")[0]
    assert isinstance(rectangle, Sketch2D)
    assert (rectangle.origin, rectangle.x_dir, rectangle.y_dir) == ((0, 0, 0), (1, 0, 0), (0, 1, 0))
    assert rectangle.segments[0] == Line((-2.0, -1.0), (2.0, -1.0))
    written = nodes("[extrude 0 0 1 [profile-polyline #[-2 -1 2 -1 2 1 -2 1]]]")[0]
    closed = nodes("[extrude 0 0 1 [profile-polyline #[-2 -1 2 -1 2 1 -2 1 -2 -1]]]")[0]
    assert written == closed == rectangle


@pytest.mark.parametrize(
    "form", ["cylinder-n 3 9", "sphere-n 3", "cone-n 3 1 9", "torus-n 9 3", "gear-n 2 9 3"]
)
@pytest.mark.parametrize("count", ["7", "8.5", "0"])
def test_a_fidelity_hint_is_a_whole_number_from_eight(form: str, count: str) -> None:
    error = error_of(f"\n[{form} {count}]")
    assert isinstance(error, GeometryError)
    assert (error.code, error.operation, error.argument) == ("INVALID_PARAMETER", form.split()[0], "n")
    assert error.place is not None
    assert error.place.line == 2


@pytest.mark.parametrize(
    ("text", "code", "operation", "argument"),
    [
        ('[mirror-x "a"]', "TYPE_MISMATCH", "mirror-x", "s"),
        ("[quad-pattern 5]", "TYPE_MISMATCH", "quad-pattern", "s"),
        ("[sweep 5 [profile-rect 1 1]]", "TYPE_MISMATCH", "sweep", "path"),
        ("[sweep [cube 1 1 1] [profile-rect 1 1]]", "TYPE_MISMATCH", "sweep", "path"),
        ("[sweep [path-line 0 0 0 0 0 true] [profile-rect 1 1]]", "TYPE_MISMATCH", "path-line", "ez"),
        ("[sweep [cam-path 5 #[0 0 9]] [profile-rect 1 1]]", "INVALID_PARAMETER", "cam-path", "knots"),
        ("[sweep [path-spline #[0 0]] [profile-rect 1 1]]", "INVALID_PARAMETER", "path-spline", "points"),
        ("[sweep [helix 5 1 0 0] [profile-rect 1 1]]", "INVALID_PARAMETER", "helix", "arc"),
        ("[sweep [helix-res 0 5 1 0 90] [profile-rect 1 1]]", "INVALID_PARAMETER", "helix-res", "seg"),
        ("[extrude 0 0 1 [profile-rect 0 1]]", "INVALID_PARAMETER", "profile-rect", "radial"),
        ("[extrude 0 0 1 [profile-polyline #[0 0 1]]]", "INVALID_PARAMETER", "profile-polyline", "points"),
        ('[root-named "a" "b" "c"]', "TYPE_MISMATCH", "root-named", "s"),
        ("[path-line 0 0 0 0 0 1]", "TYPE_MISMATCH", "path-line", None),
    ],
)
def test_errors_bear_the_name_that_was_called(
    text: str, code: str, operation: str, argument: str | None
) -> None:
    error = error_of(f"\n\n{text}")
    assert isinstance(error, GeometryError)
    assert (error.code, error.operation, error.argument) == (code, operation, argument)
    assert error.place is not None
    assert error.place.line == 3


@pytest.mark.parametrize("text", ["[+ 1 [if false 2]]", "[translate 1 1 1 [if false [cube 1 1 1]]]"])
def test_nothing_where_a_value_should_stand_is_traced_to_an_if_without_an_else(text: str) -> None:
    why = error_of(text).why
    assert why is not None
    assert "[if c x]" in why


def test_root_named_takes_the_solid_in_either_place_and_names_its_node() -> None:
    first = model('[root-named [cube 4 3 2] "steel" "block"]')
    last = model('[pipe [cube 4 3 2] [root-named "steel" "block"]]')
    for document in (first, last):
        (root,) = document.roots
        assert root.material == "steel"
        assert document.names == {root.node: "block"}


def test_solid_tells_solids_from_everything_else() -> None:
    run = Environment(prelude=PRELUDE).run
    assert run(Source("a", "[solid? [hull [cube 1 1 1]]]")) is True
    assert run(Source("a", "[solid? Empty]")) is True
    assert run(Source("a", "[solid? [profile-rect 1 1]]")) is False
    assert run(Source("a", '[solid? [root [cube 1 1 1] "steel"]]')) is False
    assert run(Source("a", "[solid? 5]")) is False


def test_imports_keep_the_hash_of_what_they_read(tmp_path: Path) -> None:
    tmp_path.joinpath("part.stl").write_bytes(b"solid")
    tmp_path.joinpath("part.step").write_bytes(b"ISO")
    files = Workspace(tmp_path)
    mesh, step = blake3(b"solid").hexdigest(), blake3(b"ISO").hexdigest()

    def only(text: str) -> Node:
        (node,) = model(text, files).nodes.values()
        return node

    assert only('[import-mesh "part.stl"]') == MeshFile("part.stl", (1.0, 1.0, 1.0), mesh)
    assert only('[import-mesh-scaled 2 2 2 "./part.stl"]') == MeshFile("part.stl", (2.0, 2.0, 2.0), mesh)
    assert only('[import-step "part.step"]') == StepFile("part.step", 0, step)
    assert only('[import-step-body "part.step" 2]') == StepFile("part.step", 2, step)
    assert model('[pull 1 [import-svg "part.step"]]', files).nodes[NodeId(0)] == SvgFile("part.step", step)
    drawn = model('[pull 1 [import-dxf {:layer "cut"} "part.step"]]', files)
    assert drawn.nodes[NodeId(0)] == DxfFile("part.step", step, "cut")


def test_an_import_without_a_workspace_is_refused_at_its_call() -> None:
    error = error_of('\n[import-mesh "part.stl"]')
    assert isinstance(error, CapabilityUnavailable)
    assert error.details["required_capability"] == "files"
    assert error.place is not None
    assert error.place.line == 2


@pytest.mark.parametrize(
    ("path", "code"), [("missing.stl", "FILE_NOT_FOUND"), ("../secret.stl", "PATH_NOT_ALLOWED")]
)
def test_a_file_that_may_not_or_cannot_be_read_is_told_at_the_call(
    tmp_path: Path, path: str, code: str
) -> None:
    error = error_of(f'\n[import-mesh "{path}"]', Workspace(tmp_path))
    assert error.code == code
    assert error.place is not None
    assert error.place.line == 2
