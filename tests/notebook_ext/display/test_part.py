"""A part in Python: its figures, tables and distances, and what it takes to show it."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from notebook_ext.display.part import Part
from vcad_kernel.errors import CapabilityUnavailable, ExportError, SceneError
from vcad_kernel.exchange.ops import decode
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCode

PI = math.pi
_SERVICE = DirectService()


def part(source: str, name: str = "part") -> Part:
    result = _SERVICE.evaluate(EvalCode(source, allow_scene=True))
    return Part(name, result, source, lambda _part: None, result.parts)


def test_a_curved_part_has_exact_figures_and_its_line_carries_no_mark() -> None:
    rod = part("[cylinder 3 10]", "rod")
    assert (rod.exact, rod.tolerance, rod.genus, rod.is_manifold) == (True, None, 0, True)
    assert rod.volume == pytest.approx(90.0 * PI, rel=1e-9)
    assert rod.area == pytest.approx(78.0 * PI, rel=1e-9)
    assert rod.center_of_mass == pytest.approx((0.0, 0.0, 5.0), abs=1e-9)
    assert rod.summary == ("rod: 6 × 6 × 10 mm · volume 282.743 mm³ · area 245.044 mm² · center (0, 0, 5)")
    across = 90.0 * PI * (27.0 + 100.0) / 12.0
    assert np.array(rod.inertia) == pytest.approx(
        np.diag([across, across, 90.0 * PI * 4.5]), rel=1e-6, abs=1e-6
    )


def test_a_large_model_is_measured_on_its_mesh_unless_exact_figures_are_asked_for() -> None:
    plate = part("[difference [linear-pattern 1 0 0 64 4 [translate 4 5 -1 [cylinder 1 4]]] [cube 260 10 2]]")
    assert not plate.exact
    assert "≈" in plate.summary
    exact = plate.measure(exact=True)
    assert exact.exact
    assert exact.volume == pytest.approx(5200.0 - 128.0 * PI, rel=1e-9)
    assert abs(plate.volume - exact.volume) <= plate.figures.tolerance * plate.area  # type: ignore[operator]
    assert not plate.exact


def test_a_scene_adds_up() -> None:
    scene = part("#[[cube 1 2 3] [translate 10 0 0 [sphere 2]]]")
    assert scene.exact
    assert scene.volume == pytest.approx(6.0 + 32.0 / 3.0 * PI, rel=1e-9)
    assert np.array(scene.bounds) == pytest.approx(np.array(((0.0, -2.0, -2.0), (12.0, 2.0, 3.0))))
    with pytest.raises(SceneError, match="of one part"):
        scene.faces()


def test_tables_tell_kind_size_and_origin() -> None:
    drilled = part("[pipe [cube 20 20 5]\n  [difference [translate 10 10 -1 [cylinder 3 10]]]]")
    (wall,) = [face for face in drilled.faces() if face.kind == "cylinder"]
    assert (wall.radius, wall.made_by, wall.exact) == (3.0, "cylinder", True)
    assert wall.area == pytest.approx(30.0 * PI)
    assert wall.source is not None
    assert wall.source.line == 2
    rims = [edge for edge in drilled.edges() if edge.kind == "circle"]
    assert [edge.length for edge in rims] == pytest.approx([6.0 * PI] * 2)
    assert all(
        {drilled.faces()[number].kind for number in edge.faces} == {"plane", "cylinder"} for edge in rims
    )
    assert "cylinder 2:35" in repr(drilled.faces())


def test_two_parts_know_how_far_apart_they_are() -> None:
    one, other = part("[sphere 5]"), part("[translate 12 9 20 [sphere 3]]")
    found = one.clearance(other)
    assert found.exact
    assert found.distance == pytest.approx(25.0 - 8.0, rel=1e-9)
    assert one.distance_to(other) == pytest.approx(other.distance_to(one), rel=1e-9)
    pin, plate = (
        part("[translate 10 10 -5 [cylinder 2.9 20]]"),
        part("[difference [translate 10 10 -1 [cylinder 3 10]] [cube 20 20 5]]"),
    )
    assert pin.distance_to(plate) == pytest.approx(0.1, rel=1e-6)
    assert pin.interference(plate) == 0.0


@pytest.mark.parametrize("ask", [lambda empty: part("[sphere 5]").clearance(empty), Part.thinnest])
def test_what_is_empty_has_no_measures(ask: Callable[[Part], object]) -> None:
    with pytest.raises(SceneError, match="empty") as refused:
        ask(part("[difference [cube 9 9 9] [cube 1 1 1]]"))
    assert refused.value.error_code == "EMPTY_BODY"
    assert "the subject of a difference comes last" in str(refused.value.fix)


def test_the_thinnest_wall_of_a_scene_is_that_of_its_parts() -> None:
    cup = part("[difference [translate 2 2 1.5 [cube 16 16 20]] [cube 20 20 10]]")
    assert cup.thinnest().thickness == pytest.approx(1.5, abs=2e-6)
    scene = part("#[[cube 9 9 0.75] [cube 5 5 5]]")
    assert scene.thinnest().thickness == pytest.approx(0.75, abs=2e-6)
    assert part("[cone 5 0 10]").thinnest() is None


def test_interference_is_the_volume_that_both_fill() -> None:
    ball = part("[sphere 5]")
    assert ball.interference(part("[translate -9 -9 0 [cube 18 18 18]]")) == pytest.approx(
        250.0 / 3.0 * PI, rel=1e-6
    )
    assert ball.interference(ball) == pytest.approx(500.0 / 3.0 * PI, rel=1e-6)
    assert ball.interference(part("[translate 5 -9 -9 [cube 18 18 18]]")) == pytest.approx(0.0, abs=1e-6)


def test_trimesh_gets_the_very_mesh() -> None:
    cube = part("[cube 1 2 3]")
    given = cube.to_trimesh()
    assert given.is_watertight
    assert given.volume == pytest.approx(6.0)
    assert np.array_equal(given.vertices, cube.mesh.positions)
    assert np.array_equal(given.faces, cube.mesh.indices)


def test_step_is_written_and_refused_for_what_holds_a_mesh(tmp_path: Path) -> None:
    written = part("[fillet 1 [cube 10 10 5]]").export(tmp_path / "block.step")
    assert written.read_bytes().startswith(b"ISO-10303-21;")
    mesh = "[ImportedMesh #[0 0 0 9 0 0 0 9 0 0 0 9] #[0 2 1 0 1 3 0 3 2 1 2 3] #[]]"
    holed = part(f"[difference [cylinder 1 20] {mesh}]")
    assert not holed.exact
    with pytest.raises((CapabilityUnavailable, ExportError)):
        holed.export(tmp_path / "mesh.step")
    assert not (tmp_path / "mesh.step").exists()
    with pytest.raises(CapabilityUnavailable):
        holed.measure(exact=True)


def test_the_model_itself_is_written_and_gives_the_same_figures(tmp_path: Path) -> None:
    block = part("[fillet 1 [cube 10 10 5]]")
    written = block.export(tmp_path / "block.ops")
    model = decode(written.read_bytes())
    again = DirectService().eval_document(model.document, model.names)
    assert again.document_hash == block.result.document_hash
    assert again.parts[0].figures == block.figures


def test_pictures_and_meshes_never_load_the_exact_kernel_and_the_line_of_figures_does() -> None:
    program = """
import sys
from notebook_ext.display.part import Part
from vcad_kernel.exchange.ops import decode
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCode
result = DirectService().evaluate(EvalCode("[difference [cylinder 1 9] [cylinder 3 5]]"))
part = Part("rod", result, "", lambda _part: None, result.parts)
part.png(width=64, height=48)
part.mesh, part.part_keys, part.result.warnings
assert "OCP" not in sys.modules
assert "≈" not in part.summary
assert "OCP" in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_sections_and_drawings_are_written(tmp_path: Path) -> None:
    drilled = part("[pipe [cube 20 20 5] [difference [translate 10 10 -1 [cylinder 3 10]]]]")
    cut = drilled.section(tmp_path / "cut.svg", normal=(0.0, 0.0, 1.0))
    assert cut.read_text("utf-8").lstrip().startswith(("<?xml", "<svg"))
    assert b"CIRCLE" in drilled.section(tmp_path / "cut.dxf").read_bytes()
    with pytest.raises(ExportError, match="cuts no part"):
        drilled.section(tmp_path / "missed.svg", origin=(0.0, 0.0, 50.0))
    assert not (tmp_path / "missed.svg").exists()
    sheet = drilled.drawing(tmp_path / "sheet.svg", views=("front", "top"))
    assert sheet.stat().st_size > 500
    assert drilled.drawing(tmp_path / "one.svg", views=("iso",)).exists()


@pytest.mark.parametrize("radius", [1.0, 4.0, 12.0])
def test_the_corners_of_a_thin_plate_are_rounded_more_than_it_is_thick(radius: float) -> None:
    plate = part(f"[fillet-at {radius} {{:parallel #[0 0 1]}} [cube 40 30 3]]")
    assert plate.volume == pytest.approx(3600.0 - (4.0 - PI) * radius**2 * 3.0, rel=1e-9)
    rounded = [face for face in plate.faces() if face.made_by == "fillet-at"]
    assert [face.radius for face in rounded] == pytest.approx([radius] * 4)


# ---- copies ------------------------------------------------------------------------------------


def test_a_part_pickles_as_its_document() -> None:
    made = part("[pipe [cube 20 20 5]\n  [difference [translate 10 10 -1 [cylinder 3 10]]]]", "drilled")
    there = pickle.loads(pickle.dumps(made))
    assert repr(there) == repr(made)
    assert there.source == made.source
    assert there.figures == made.figures
    assert there.inertia == made.inertia
    assert there.mesh.positions.tobytes() == made.mesh.positions.tobytes()
    assert [face.source.line for face in there.faces() if face.kind == "cylinder"] == [2]
    assert there.clearance(part("[translate 0 0 20 [cube 1 1 1]]")).distance == pytest.approx(15)
    assert there.png() == made.png()
    with pytest.raises(CapabilityUnavailable, match="png"):
        there.view()


def test_one_part_of_a_scene_pickles_as_that() -> None:
    there = pickle.loads(pickle.dumps(part("#[[cube 1 2 3] [translate 10 0 0 [sphere 2]]]")[1]))
    assert len(there) == 1
    assert there.volume == pytest.approx(32.0 / 3.0 * PI, rel=1e-9)
    assert there.bounds[0][0] == pytest.approx(8.0)


def test_a_part_in_a_pickle_is_read_by_another_process(tmp_path: Path) -> None:
    (tmp_path / "rod").write_bytes(pickle.dumps(part("[cylinder 3 10]", "rod")))
    script = (
        "import pickle, sys; rod = pickle.load(open(sys.argv[1], 'rb')); rod.export(sys.argv[2]); print(rod)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "rod", tmp_path / "rod.step"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("rod: 6 × 6 × 10 mm")
    assert "CYLINDRICAL_SURFACE" in (tmp_path / "rod.step").read_text()


def test_a_copy_of_a_part_is_the_part() -> None:
    made = part("[cube 1 2 3]")
    assert copy.copy(made) is made
    assert copy.deepcopy({"kept": [made]})["kept"][0] is made
