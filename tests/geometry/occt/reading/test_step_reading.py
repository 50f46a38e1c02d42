"""STEP in: bodies by position, millimetres whatever the file's unit, sound solids or a clear refusal."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from OCP.BinTools import BinTools
from OCP.BRep import BRep_Builder
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder
from OCP.gp import gp_Trsf, gp_Vec
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS_Compound

from vcad_kernel.errors import GeometryError, PathRefused
from vcad_kernel.exchange.exact_part import ExactPart
from vcad_kernel.exchange.step import encode
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.validity import is_valid, volume_of
from vcad_kernel.geometry.occt.reading import step_reading, step_worker
from vcad_kernel.geometry.occt.reading.step_reading import step_file
from vcad_kernel.ir.document import DocumentBuilder
from vcad_kernel.operations.solids.imported import StepFile
from vcad_kernel.paths import Workspace, content_hash


def _assembly() -> bytes:
    """A box, two lumps in one part, and a cylinder: four bodies."""
    box = BRepPrimAPI_MakeBox(10.0, 20.0, 30.0).Solid()
    lumps = TopoDS_Compound()
    builder = BRep_Builder()
    builder.MakeCompound(lumps)
    for offset in (100.0, 200.0):
        move = gp_Trsf()
        move.SetTranslation(gp_Vec(offset, 0.0, 0.0))
        builder.Add(lumps, BRepPrimAPI_MakeBox(5.0, 5.0, 5.0).Solid().Moved(TopLoc_Location(move)))
    pin = BRepPrimAPI_MakeCylinder(3.0, 40.0).Solid()
    parts = [("box", box), ("feet", lumps), ("pin", pin)]
    return encode([ExactPart(name, Brep.made(shape, bytes(32))) for name, shape in parts], "a")[".step"]


def _build(folder: Path, data: bytes, body: int = 0, name: str = "a.step") -> tuple[Build, StepFile]:
    (folder / name).write_bytes(data)
    builder = DocumentBuilder()
    node = StepFile(name, body, content_hash(data))
    node_id = builder.add(node)
    return Build(builder.build(), node_id, files=Workspace(folder)), node


def _read(folder: Path, data: bytes, body: int = 0, name: str = "a.step") -> Brep:
    build, node = _build(folder, data, body, name)
    found = step_file(build, node, ())
    assert found is not None
    return found


def test_the_first_of_several_bodies_says_that_there_are_more(tmp_path: Path) -> None:
    build, node = _build(tmp_path, _assembly())
    step_file(build, node, ())
    (note,) = build.notes
    assert note.code == "MORE_BODIES"
    assert "'a.step' has 4 bodies" in note.message
    alone = encode([ExactPart("pin", Brep.made(BRepPrimAPI_MakeCylinder(3.0, 40.0).Solid(), bytes(32)))], "a")
    build, node = _build(tmp_path, alone[".step"])
    step_file(build, node, ())
    assert build.notes == []


def test_bodies_come_by_position_where_the_assembly_puts_them(tmp_path: Path) -> None:
    data = _assembly()
    found = [_read(tmp_path, data, body) for body in range(4)]
    volumes = [6000.0, 125.0, 125.0, math.pi * 360.0]
    assert [volume_of(brep.shape) for brep in found] == pytest.approx(volumes)
    assert [box_of(brep.shape)[0][0] for brep in found] == pytest.approx([0.0, 100.0, 200.0, -3.0], abs=1e-6)
    assert all(is_valid(brep.shape) for brep in found)
    assert [len(brep.makers) for brep in found] == [6, 6, 6, 3]


def test_a_body_that_is_not_there_is_an_invalid_parameter_that_counts_the_bodies(tmp_path: Path) -> None:
    with pytest.raises(GeometryError, match="4 bodies, 0 to 3; there is no number 4") as caught:
        _read(tmp_path, _assembly(), 4)
    error = caught.value
    assert (error.code, error.operation, error.argument) == ("INVALID_PARAMETER", "import-step", "i")
    assert error.details["bodies"] == 4


def test_units_become_millimetres(tmp_path: Path) -> None:
    metres = _assembly().replace(b"SI_UNIT(.MILLI.,.METRE.)", b"SI_UNIT($,.METRE.)")
    assert volume_of(_read(tmp_path, metres).shape) == pytest.approx(6000.0e9)


def test_the_short_suffix_and_capitals_are_read_too(tmp_path: Path) -> None:
    assert volume_of(_read(tmp_path, _assembly(), name="A.STP").shape) == pytest.approx(6000.0)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello",
        b"ISO-10303-21;",
        b"ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n",
        b"ISO-10303-21;\nDATA;\n#1 = NONSENSE(#2,#3);\nENDSEC;\nEND-ISO-10303-21;\n",
        b"ISO-10303-21;\n" + bytes(range(256)) * 8 + b"\nEND-ISO-10303-21;\n",
    ],
)
def test_what_is_no_step_file_is_refused_saying_so(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(GeometryError, match="cannot be read") as caught:
        _read(tmp_path, data)
    assert (caught.value.code, caught.value.argument) == ("IMPORT_FAILED", "path")


def test_a_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    data = _assembly()
    for keep in (0.2, 0.5, 0.99):
        with pytest.raises(GeometryError, match="cut off"):
            _read(tmp_path, data[: int(len(data) * keep)])


def test_entities_that_crash_the_reader_are_refused_and_nothing_dies(tmp_path: Path) -> None:
    lines = _assembly().split(b"\n")
    broken = [line for line in lines if not re.match(rb"#\d+ = DIRECTION", line)]
    with pytest.raises(GeometryError, match="cannot be read") as caught:
        _read(tmp_path, b"\n".join(broken))
    assert caught.value.code == "IMPORT_FAILED"


def test_a_mesh_under_the_name_of_a_step_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GeometryError, match=r"\.step or \.stp"):
        _read(tmp_path, _assembly(), name="a.stl")


def test_paths_out_of_the_workspace_are_refused(tmp_path: Path) -> None:
    builder = DocumentBuilder()
    node = StepFile("../a.step", 0, "00")
    build = Build(builder.build(), builder.add(node), files=Workspace(tmp_path))
    build = Build(builder.build(), build.node, files=Workspace(tmp_path))
    with pytest.raises(PathRefused):
        step_file(build, node, ())


def test_nothing_is_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _read(tmp_path, _assembly())
    assert capfd.readouterr() == ("", "")


def test_the_latest_few_files_need_not_be_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []

    def nothing_in_it(_worker: object, source: str, target: str, **_: object) -> int:
        read.append(Path(source).read_bytes())
        nothing = TopoDS_Compound()
        BRep_Builder().MakeCompound(nothing)
        assert BinTools.Write_s(nothing, target)
        return step_worker.UNDERSTOOD

    monkeypatch.setattr(step_reading, "exit_status", nothing_in_it)
    monkeypatch.setattr(step_reading, "_latest", {})
    files = [f"ISO-10303-21; {number} END-ISO-10303-21;".encode() for number in range(5)]
    for data in (*files, *reversed(files)):
        with pytest.raises(GeometryError, match="there is no solid body in it"):
            _read(tmp_path, data)
    assert read == [*files, files[0]]
