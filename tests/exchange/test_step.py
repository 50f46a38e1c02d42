"""STEP out: what another program reads has the names, places, colours and volumes of the parts."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs
from OCP.BRep import BRep_Builder
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder
from OCP.gp import gp_Trsf, gp_Vec
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS_Compound, TopoDS_Shape

from tests.exchange.step_reader import read_products
from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import CapabilityUnavailable, ExportError
from vcad_kernel.exchange import formats, step
from vcad_kernel.exchange.exact_part import ExactPart
from vcad_kernel.exchange.step import encode
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.kernel import OcctKernel
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source
from vcad_kernel.operations.scene import Material

RED = Material("red", (0.8, 0.2, 0.1))
STEEL = Material("steel", (0.6, 0.62, 0.65), metallic=1.0)


def _moved(shape: TopoDS_Shape, x: float) -> TopoDS_Shape:
    move = gp_Trsf()
    move.SetTranslation(gp_Vec(x, 0.0, 0.0))
    return shape.Moved(TopLoc_Location(move))


def _brep(shape: TopoDS_Shape) -> Brep:
    return Brep.made(shape, bytes(32))


def _parts() -> list[ExactPart]:
    box = BRepPrimAPI_MakeBox(10.0, 20.0, 30.0).Solid()
    pin = BRepPrimAPI_MakeCylinder(3.0, 40.0).Solid()
    lumps = TopoDS_Compound()
    builder = BRep_Builder()
    builder.MakeCompound(lumps)
    for offset in (100.0, 200.0):
        builder.Add(lumps, _moved(box, offset))
    return [
        ExactPart("plate", _brep(box), RED),
        ExactPart("pin", _brep(_moved(pin, -50.0)), STEEL),
        ExactPart("twin", _brep(_moved(box, 500.0)), STEEL),
        ExactPart("feet", _brep(lumps), RED),
    ]


def test_an_assembly_comes_back_with_names_places_colours_and_volumes() -> None:
    name, found = read_products(encode(_parts(), "table")[".step"])
    assert name == "table"
    assert [product.name for product in found] == ["plate", "pin", "twin", "feet"]
    volumes = [6000.0, math.pi * 360.0, 6000.0, 12000.0]
    assert [product.volume for product in found] == pytest.approx(volumes, rel=1e-9)
    lows = [product.low[0] for product in found]
    assert lows == pytest.approx([0.0, -53.0, 500.0, 100.0], abs=1e-6)
    assert found[3].high == pytest.approx((210.0, 20.0, 30.0), abs=1e-6)
    for product, part in zip(found, _parts(), strict=True):
        assert product.color == pytest.approx(part.material.color, abs=1e-6)
        assert product.valid


def test_a_part_that_lets_light_through_does_so_in_the_file() -> None:
    plate, pin = _parts()[:2]
    clear = replace(plate, material=structs.replace(plate.material, alpha=0.25))
    _, found = read_products(encode([clear, pin], "table")[".step"])
    assert [product.alpha for product in found] == pytest.approx([0.25, 1.0])
    assert found[0].color == pytest.approx(plate.material.color, abs=1e-6)


def test_a_single_part_is_no_assembly() -> None:
    name, found = read_products(encode(_parts()[:1], "file")[".step"])
    assert name == "plate"
    assert found[0].volume == pytest.approx(6000.0)


@pytest.mark.parametrize("name", ["Bügel", 'it\'s 3\\4 "x"', "孔板 №5", "a\nb", "🔩"])
def test_names_of_any_script_survive(name: str) -> None:
    parts = [ExactPart(name, part.brep, part.material) for part in _parts()[:2]]
    data = encode(parts, name)[".step"]
    assert data.isascii()
    top, found = read_products(data)
    wanted = name.replace("\n", " ")
    assert [top, *(product.name for product in found)] == [wanted] * 3


def test_equal_parts_give_equal_bytes() -> None:
    first = encode(_parts(), "table")
    encode(_parts()[:2], "other")
    assert encode(_parts(), "table") == first


def test_the_header_has_no_author_and_a_fixed_date() -> None:
    head = encode(_parts(), "table")[".step"].split(b"ENDSEC;")[0]
    assert b"'table','2000-01-01T00:00:00',(''),('')" in head
    assert b"AUTOMOTIVE_DESIGN" in head


def test_the_unit_is_the_millimetre() -> None:
    assert b"SI_UNIT(.MILLI.,.METRE.)" in encode(_parts(), "table")[".step"]


@pytest.mark.parametrize("suffix", [".step", ".STP"])
def test_the_table_of_formats_writes_step_from_exact_parts(tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"table{suffix}"
    size = formats.write(target, [], exact=_parts)
    assert [entry.name for entry in tmp_path.iterdir()] == [f"table{suffix}"]
    assert size == target.stat().st_size
    assert read_products(target.read_bytes())[0] == "table"


def test_a_part_without_exact_surfaces_leaves_no_file(tmp_path: Path) -> None:
    def refuse() -> list[ExactPart]:
        raise CapabilityUnavailable("part 'bolt' is a mesh", details={"required_capability": "brep"})

    with pytest.raises(CapabilityUnavailable, match="bolt"):
        formats.write(tmp_path / "table.step", [], exact=refuse)
    assert list(tmp_path.iterdir()) == []


def test_no_exact_part_at_all_is_nothing_to_export(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="nothing to export"):
        formats.write(tmp_path / "table.step", [], exact=list)


def test_mesh_formats_do_not_ask_for_exact_parts(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="nothing to export"):
        formats.write(tmp_path / "table.stl", [], exact=lambda: pytest.fail("asked"))


def test_the_table_of_formats_does_not_load_opencascade() -> None:
    code = "import sys, vcad_kernel.exchange.formats as f; sys.exit('OCP' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    encode(_parts(), "table")
    assert capfd.readouterr() == ("", "")


def test_colours_outside_the_range_are_brought_into_it() -> None:
    wild = ExactPart("a", _brep(BRepPrimAPI_MakeBox(1.0, 1.0, 1.0).Solid()), Material("w", (2.0, -1.0, 0.5)))
    (found,) = read_products(encode([wild], "a")[".step"])[1]
    assert found.color == pytest.approx((1.0, 0.0, 0.5), abs=1e-6)


@pytest.mark.parametrize(
    ("source", "volume"),
    [
        # a ball cut open whose surface comes round: the file held the pin alone
        ("[scale 1.3 0.7 1 [union [sphere 5] [translate 6 0 0 [cylinder 3 9]]]]", 692.3552454370),
        # a strip that comes round: the file held a body that is not sound
        (
            "[fillet 0.7 [intersection [rotate 0 90 0 [translate 0 0 -10 [cylinder 5 20]]]"
            " [translate 0 0 -10 [cylinder 6 20]]]]",
            848.2773865,
        ),
        # a ball with a groove that leaves it: its own faces were read, but trimmed the other way
        (
            "[difference [translate 0.7 0 0 [rotate 180 90 0 [torus 3.7 0.8]]]"
            " [translate 0 -3.1 -0.7 [sphere 4.0]]]",
            250.3086007902,
        ),
        # the same of a ball between circles
        (
            "[intersection [translate 2.9 0 0.5 [rotate -90 0 0 [sphere 1.8]]] [union [translate 1.7 0 0"
            " [rotate 0 90 45 [cylinder 3.5 2.3]]]"
            " [translate 0 0 -2.6 [rotate 30 20 11 [cube 4.3 7.1 5.7]]]]]",
            24.3033424168,
        ),
        # a ball around which the border runs, over a pole and the seam wherever they are
        (
            "[union [union [translate 3.7 -1.8 3.4 [rotate 0 45 0 [cylinder 4.5 17.1]]]"
            " [translate 0 5 0 [rotate 17 45 90 [sphere 5]]]] [translate 2 -5.2 -0.4 [sphere 8.3]]]",
            3759.7853533426,
        ),
        # two pieces, one of which needs a seam elsewhere
        (
            "[intersection [union [translate -5.6 -0.8 0.6 [sphere 5.7]] [translate 3.2 3.8 -2.2"
            " [rotate 17 90 90 [sphere 3.5]]]] [translate -1.9 3.5 -4 [rotate 90 30 30 [torus 5.3 4.24]]]]",
            541.0379403115,
        ),
    ],
)
def test_faces_that_come_round_are_read_as_they_were_written(source: str, volume: float) -> None:
    _, (product,) = read_products(encode([_part_of(source)], "part")[".step"])
    # the other program integrates splines roughly
    assert product.volume == pytest.approx(volume, rel=1e-3)


def test_a_file_that_would_hold_another_body_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    part = _part_of("[scale 1.3 0.7 1 [union [sphere 5] [translate 6 0 0 [cylinder 3 9]]]]")
    monkeypatch.setattr(step, "_forms", lambda body: [body.shape])
    with pytest.raises(ExportError, match="would hold another body"):
        encode([part], "part")


def _part_of(source: str) -> ExactPart:
    document = convert(Environment(prelude=PRELUDE).run(Source("model", source)))
    body = OcctKernel().brep(document, document.roots[0].node)
    assert body is not None
    return ExactPart("part", body, RED)
