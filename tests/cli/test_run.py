"""`vcad run`: figures, values, files, and failures."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import COMMAND, vcad, vcad_bytes, vcad_process
from vcad_kernel.geometry.mesh.reading.reading import MESH_SUFFIXES
from vcad_kernel.geometry.occt.reading.step_reading import STEP_SUFFIXES
from vcad_kernel.ir.op_engine import record
from vcad_kernel.ir.op_stream import BODY, SceneObject, Stream
from vcad_kernel.paths import IMPORTED


@pytest.fixture
def plate(tmp_path: Path) -> Path:
    file = tmp_path / "plate.cmp.oo"
    file.write_text('[println "working"]\n[cube 10 20 2]\n', encoding="utf-8")
    return file


def test_run_prints_what_the_program_prints_and_its_figures(plate: Path) -> None:
    done = vcad("run", str(plate))
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "working\nplate: 10 × 20 × 2 mm · volume 400 mm³ · area 520 mm² · center (5, 10, 1)\n"
    )


def test_run_writes_files(plate: Path, tmp_path: Path) -> None:
    done = vcad("run", str(plate), "-o", str(tmp_path / "a.stl"), "-o", str(tmp_path / "a.3mf"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.stl").stat().st_size == 84 + 12 * 50
    assert (tmp_path / "a.3mf").exists()


def test_run_gives_exact_figures_on_demand(tmp_path: Path) -> None:
    file = tmp_path / "rods.oo"
    file.write_text("[linear-pattern 1 0 0 65 5 [cylinder 2 4]]", encoding="utf-8")
    assert "volume ≈" in vcad("run", str(file)).stdout
    done = vcad("run", "-x", str(file))
    assert done.returncode == 0, done.stderr
    assert "≈" not in done.stdout


def test_run_reads_standard_input() -> None:
    assert vcad("run", "-", stdin="[+ 1 2]").stdout == "3\n"


def test_a_failing_program_exits_1_with_the_diagnostic_on_stderr(tmp_path: Path) -> None:
    file = tmp_path / "bad.oo"
    file.write_text("\n[cube 1 1 -1]", encoding="utf-8")
    done = vcad("run", str(file))
    assert done.returncode == 1
    assert done.stdout == ""
    assert "[INVALID_PARAMETER] cube: z" in done.stderr
    assert "bad.oo:2:1" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    done = vcad("run", str(tmp_path / "none.oo"))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "none.oo" in done.stderr


def test_a_file_of_bodies_is_told_how_it_becomes_a_part(tmp_path: Path) -> None:
    file = tmp_path / "bracket.STEP"
    file.write_text("ISO-10303-21;")
    for command in ("run", "check"):
        done = vcad(command, str(file))
        assert done.returncode == 1
        assert "it holds bodies, and no program" in done.stderr
    assert 'write a model that takes one in: [import-step "bracket.STEP"]' in vcad("run", str(file)).stderr
    assert set(IMPORTED) == {*MESH_SUFFIXES, *STEP_SUFFIXES, ".svg", ".dxf"}


def test_a_file_that_is_no_text_is_one_line_and_tools_are_told(tmp_path: Path) -> None:
    file = tmp_path / "a.oo"
    file.write_bytes(b"[cube 1 1 1] \xff")
    done = vcad("run", str(file))
    assert (done.returncode, done.stderr) == (
        1,
        f"[unreadable-file] cannot read {file}: byte 14 is not UTF-8 text\n",
    )
    for path in (file, tmp_path, tmp_path / "none.oo"):
        told = json.loads(vcad("run", "--json", str(path)).stdout)
        assert told["details"]["code"] == "unreadable-file"
    assert vcad_bytes("run", "-", stdin=b"\xff").stderr.count(b"\n") == 1


def test_a_wrong_setting_is_wrong_use() -> None:
    done = vcad("run", "-", stdin="1", VCAD_EVAL_TIMEOUT_MS="soon")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "VCAD_EVAL_TIMEOUT_MS" in done.stderr


def test_output_that_its_encoding_cannot_hold_is_spelt_out() -> None:
    done = vcad_process("doc", "cube", PYTHONIOENCODING="cp1252")
    assert done.returncode == 0, done.stderr
    assert "\\u2192" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("text", ["[cube 1 1 1]", "[each println [range 0 100000]]"])
def test_a_full_disk_is_one_line(text: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, "run", "-"], input=text, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr == "cannot write the output: No space left on device\n"


def test_a_reader_that_leaves_early_is_no_failure_to_talk_of() -> None:
    with subprocess.Popen(
        [*COMMAND, "run", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write("[each println [range 0 200000]]")
        process.stdin.close()
        assert process.stdout.readline() == "0\n"
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 1


def test_an_unknown_format_is_refused(plate: Path, tmp_path: Path) -> None:
    done = vcad("run", str(plate), "-o", str(tmp_path / "a.docx"))
    assert done.returncode == 1
    assert ".stl" in done.stderr


def test_version_is_that_of_the_distribution() -> None:
    assert vcad("--version").stdout.startswith("vcad-workbench ")


def test_the_package_runs_as_a_module(plate: Path) -> None:
    command = [sys.executable, "-m", "vcad_kernel", "run", str(plate)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "volume 400 mm³" in done.stdout


def test_help_calls_arguments_by_what_they_are() -> None:
    said = vcad("run", "--help").stdout
    assert "--output FILE" in said
    assert "--tolerance MM" in said


def test_modules_come_from_the_folder_of_the_file_or_from_the_project_named(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "parts").mkdir()
    (tmp_path / "src" / "sizes.oo").write_text("[let width 7]", "utf-8")
    (tmp_path / "parts" / "near.oo").write_text("[let height 2]", "utf-8")
    file = tmp_path / "parts" / "plate.oo"
    file.write_text("[use near] [cube 1 1 near.height]", "utf-8")
    assert "1 × 1 × 2 mm" in vcad("run", str(file)).stdout
    file.write_text("[use sizes] [use near] [cube sizes.width 1 near.height]", "utf-8")
    assert "[E0500] there is no module sizes" in vcad("run", str(file)).stderr
    done = vcad("run", str(file), "--project", str(tmp_path))
    assert "7 × 1 × 2 mm" in done.stdout, done.stderr


def test_json_tells_tools_what_came_of_it(plate: Path, tmp_path: Path) -> None:
    done = vcad("run", "--json", str(plate))
    told = json.loads(done.stdout)
    assert told["parts"][0]["volume_mm3"] == pytest.approx(400)
    assert told["stdout"] == "working\n"
    assert done.stderr == "working\n"
    bad = tmp_path / "bad.oo"
    bad.write_text("[cube 1 1 -1]", "utf-8")
    failed = vcad("run", "--json", str(bad))
    assert failed.returncode == 1
    assert json.loads(failed.stdout)["error_code"] == "GEOMETRY_INVALID"


def test_findings_accompany_the_figures(tmp_path: Path) -> None:
    file = tmp_path / "a.oo"
    file.write_text('[fn never [] [cube "1" 2 3]]\n[cube 1 2 3]', "utf-8")
    done = vcad("run", str(file))
    assert done.returncode == 0
    assert "volume 6 mm³" in done.stdout
    assert "[E0200]" in done.stderr


@pytest.fixture
def bar(tmp_path: Path) -> Path:
    file = tmp_path / "bar.oo"
    file.write_text(
        '[defparam width 40.0 {:unit "mm" :min 10 :max 80}]\n[cube width 10 5]\n', encoding="utf-8"
    )
    return file


def test_run_sets_parameters(bar: Path) -> None:
    assert vcad("run", str(bar), "-p", "width=50").stdout.startswith("bar: 50 × 10 × 5 mm")
    found = json.loads(vcad("run", str(bar), "--param", "width=50", "--json").stdout)["parameters"]
    assert [(one["name"], one["value"], one["default"], one["unit"]) for one in found] == [
        ("width", 50.0, 40.0, "mm")
    ]


def test_run_refuses_values_out_of_range_unknown_names_and_what_is_no_setting(bar: Path) -> None:
    beyond = vcad("run", str(bar), "-p", "width=500")
    assert beyond.returncode == 1
    assert "must be from 10 to 80 mm, got 500" in beyond.stderr
    assert "did you mean width?" in vcad("run", str(bar), "-p", "widht=50").stderr
    for wrong in ("width", "width=", "width=wide", "=5"):
        done = vcad("run", str(bar), "-p", wrong)
        assert done.returncode == 2
        assert "--param" in done.stderr


SCENE = """
[defparam width 10.0]
[let lid [difference [translate 5 5 -1 [cylinder 2 10]] [cube width 20 2]]]
#[[material "steel" 0.5 0.6 0.7 1.0 0.3] [root lid "steel"] [root [translate 50 0 0 [sphere 3]] "steel"]]
"""


def test_a_model_in_op_records_runs_as_the_program_that_made_it(tmp_path: Path) -> None:
    program, model = tmp_path / "scene.oo", tmp_path / "scene.ops"
    program.write_text(SCENE, "utf-8")
    made = vcad("run", str(program), "-o", str(model), "-o", str(tmp_path / "a.stl"))
    assert made.returncode == 0, made.stderr
    read = vcad("run", str(model), "-o", str(tmp_path / "b.stl"), "-o", str(tmp_path / "again.ops"))
    assert (read.returncode, read.stdout, read.stderr) == (0, made.stdout, "")
    assert "lid [steel]" in read.stdout
    assert (tmp_path / "a.stl").read_bytes() == (tmp_path / "b.stl").read_bytes()
    assert model.read_bytes() == (tmp_path / "again.ops").read_bytes()
    told = [json.loads(vcad("run", "--json", str(file)).stdout) for file in (program, model)]
    for key in ("document_hash", "parts", "parameters", "summary"):
        assert told[0][key] == told[1][key]


def test_op_records_that_are_broken_say_where(plate: Path, tmp_path: Path) -> None:
    model = tmp_path / "plate.ops"
    assert vcad("run", str(plate), "-o", str(model)).returncode == 0
    data = model.read_bytes()
    model.write_bytes(data[:90])
    done = vcad("run", str(model))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(
        f"[DECODE_FAILED] cannot read {model}: the op stream is malformed at record"
    )
    told = json.loads(vcad("run", "--json", str(model)).stdout)
    assert (told["error_code"], told["details"]["path"]) == ("GEOMETRY_INVALID", str(model))
    assert told["details"]["record"] == 0
    assert 0 < told["details"]["offset"] <= 90
    model.write_bytes(b"")
    assert "the header has 24 bytes, here are 0" in vcad("run", str(model)).stderr
    missing = json.loads(vcad("run", "--json", str(tmp_path / "none.ops")).stdout)
    assert missing["details"]["code"] == "unreadable-file"


def test_op_records_hold_no_program_that_could_be_set(plate: Path, tmp_path: Path) -> None:
    model = tmp_path / "plate.ops"
    assert vcad("run", str(plate), "-o", str(model)).returncode == 0
    done = vcad("run", str(model), "-p", "width=3")
    assert done.returncode == 2
    assert "--param" in done.stderr


def test_standard_records_are_written_for_foreign_engines_and_read_again(tmp_path: Path) -> None:
    program, model = tmp_path / "scene.oo", tmp_path / "scene.ops"
    program.write_text(SCENE, "utf-8")
    made = vcad("run", str(program), "--standard-records", "-o", str(model), "-o", str(tmp_path / "a.stl"))
    assert made.returncode == 0, made.stderr
    read = vcad("run", str(model))
    assert read.stdout == made.stdout.replace("[steel]", "[default]")
    program.write_text("[fillet 1 [cube 9 9 9]]", "utf-8")
    refused = vcad("run", str(program), "--standard-records", "-o", str(model))
    assert refused.returncode == 1
    assert "[ENCODE_FAILED]" in refused.stderr
    assert "fillet has no standard record" in refused.stderr
    assert "scene.oo:1:1" in refused.stderr
    wrong = vcad("run", str(program), "--standard-records", "-o", str(tmp_path / "a.stl"))
    assert wrong.returncode == 2
    assert "no .ops file" in wrong.stderr


def test_standard_records_of_what_is_not_built_here_are_refused_by_file_and_record(tmp_path: Path) -> None:
    box = record("Cube", 1, x=1.0, y=2.0, z=3.0, center=0)
    scene = Stream((SceneObject(1, BODY, 1),), (box, record("Slice", 2, in_=1, z=1.0)))
    model = tmp_path / "sliced.ops"
    model.write_bytes(scene.to_bytes())
    done = vcad("run", str(model))
    assert done.returncode == 1
    assert f"cannot read {model}: record 1: Slice is not built here" in done.stderr


def test_a_profile_is_told_by_its_area_and_checked_as_in_a_cell(tmp_path: Path) -> None:
    flat, apart = tmp_path / "seal.oo", tmp_path / "apart.oo"
    flat.write_text("[difference [circle 3] [rect 20 12]]", encoding="utf-8")
    done = vcad("run", str(flat))
    assert done.stdout == "seal: profile · 20 × 12 × 0 mm · area 211.726 mm² · center (0, 0, 0)\n"
    apart.write_text("[difference [on :xz [circle 3]] [rect 20 12]]", encoding="utf-8")
    refused = vcad("run", str(apart))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "[PLANES_DIFFER]" in refused.stderr
    unwritten = vcad("run", str(flat), "-o", str(tmp_path / "seal.stl"))
    assert unwritten.returncode == 1
    assert "a profile is no solid" in unwritten.stderr
