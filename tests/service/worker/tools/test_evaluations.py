"""Every tool of the worker but questions about parts, asked of a real worker process."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.service.worker.front import FAULTY, Front, Reply, mesh_of, running
from vcad_kernel.contracts.mesh_block import read
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.service.wire import history_json

TWO_PARTS = (
    '[material "steel" 0.5 0.5 0.5 1.0 0.3] #[[root [cube 1 2 3] "steel"] [translate 5 0 0 [cube 1 1 1]]]'
)


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    with running(tmp_path_factory.mktemp("worker"), **FAULTY) as started:
        yield started


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "sizes.oo").write_text("[let width 4]")
    (tmp_path / "parts" / "plate.oo").write_text("[use sizes]\n[cube sizes.width 2 3]\n")
    return tmp_path


def _answered(reply: Reply) -> dict[str, Any]:
    assert not reply.is_error, reply.result
    return reply.result


# ---- programs ------------------------------------------------------------------------------


def test_a_program_gives_its_figures(front: Front) -> None:
    result = _answered(front.call("eval_code", {"code": "[cube 1 2 3]"}))
    assert result["status"] == "evaluated"
    assert result["volume"] == pytest.approx(6)
    assert result["bbox"] == {"min": [0, 0, 0], "max": [1, 2, 3]}
    assert result["exact"] is True
    assert [part["name"] for part in result["parts"]] == ["part-1"]
    assert result["mesh"] is None


def test_figures_are_exact_by_the_rule_and_those_of_the_mesh_where_they_are_deferred(front: Front) -> None:
    exact = _answered(front.call("eval_code", {"code": "[sphere 10]"}))
    assert exact["exact"] is True
    assert exact["volume"] == pytest.approx(4000 / 3 * math.pi, rel=1e-9)
    deferred = _answered(front.call("eval_code", {"code": "[sphere 10]", "defer_figures": True}))
    assert (deferred["exact"], deferred["figures_deferred"]) == (False, True)
    assert deferred["volume"] < exact["volume"]


def test_a_scene_is_refused_unless_it_is_allowed(front: Front) -> None:
    assert front.call("eval_code", {"code": TWO_PARTS}).code == "MULTI_PART_UNSUPPORTED"
    assert front.call("eval_code", {"code": "[let nothing #[]] nothing"}).code == "NO_GEOMETRY"
    result = _answered(front.call("eval_code", {"code": TWO_PARTS, "allow_scene": True}))
    assert len(result["parts"]) == 2
    assert result["volume"] == pytest.approx(7)


def test_a_value_that_is_no_model_is_displayed_and_given_as_data(front: Front) -> None:
    result = _answered(front.call("eval_code", {"code": "#[1 2.5 (3 4)]", "allow_scene": True}))
    assert result["value"] == [1, 2.5, {"$tuple": [3, 4]}]
    assert result["has_value"] is True
    assert result["document_hash"] is None


def test_bindings_and_parameters_reach_the_program(front: Front) -> None:
    code = "[defparam height 3.0] [cube width [nth sizes 0] height]"
    arguments = {"code": code, "bindings": {"width": 5, "sizes": [2.0]}, "parameters": {"height": 7}}
    result = _answered(front.call("eval_code", arguments))
    assert result["volume"] == pytest.approx(70)
    assert result["parameters"][0]["value"] == 7


def test_an_error_names_the_file_that_the_caller_named(front: Front) -> None:
    reply = front.call("eval_code", {"code": "\n [cube 1 2 wdth]", "file": "lid.oo"})
    assert reply.code == "LOON_RUNTIME"
    assert (reply.details["file"], reply.details["line"]) == ("lid.oo", 2)
    assert reply.details["text"] == " [cube 1 2 wdth]"


def test_findings_come_with_the_texts_that_they_stand_in_but_for_the_programs_own(front: Front) -> None:
    result = _answered(front.call("eval_code", {"code": "[if false [nosuch 1] 2]", "allow_scene": True}))
    assert [one["code"] for one in result["diagnostics"]] == ["E0201"]
    assert result["sources"] == {}


def test_a_file_finds_the_modules_beside_it_and_is_named_from_the_workspace(
    front: Front, workspace: Path
) -> None:
    path = workspace / "parts" / "plate.oo"
    reply = front.call("eval_file", {"path": str(path)}, str(path), workspace=str(workspace))
    result = _answered(reply)
    assert result["volume"] == pytest.approx(24)
    assert result["modules"] == ["parts/sizes.oo"]
    path.write_text("[cube 1 2]")
    reply = front.call("eval_file", {"path": str(path)}, str(path), workspace=str(workspace))
    assert (reply.code, reply.details["file"]) == ("GEOMETRY_INVALID", "parts/plate.oo")


def test_a_file_outside_the_workspace_is_refused_here_too(front: Front, workspace: Path) -> None:
    outside = workspace / "parts" / "plate.oo"
    inner = workspace / "inner"
    inner.mkdir()
    reply = front.call("eval_file", {"path": str(outside)}, str(outside), workspace=str(inner))
    assert reply.code == "PATH_NOT_ALLOWED"
    reply = front.call("eval_code", {"code": "1", "base_dir": str(workspace)}, workspace=str(inner))
    assert reply.code == "PATH_NOT_ALLOWED"


def test_a_file_that_is_not_there_or_no_text_is_told(front: Front, workspace: Path) -> None:
    missing = workspace / "nothing.oo"
    reply = front.call("eval_file", {"path": str(missing)}, str(missing), workspace=str(workspace))
    assert reply.code == "FILE_NOT_FOUND"
    missing.write_bytes(b"\xff\xfe[cube]")
    reply = front.call("eval_file", {"path": str(missing)}, str(missing), workspace=str(workspace))
    assert reply.code == "NOT_TEXT"


def test_without_a_base_folder_the_workspace_is_used_and_none_when_that_is_asked_for(
    front: Front, workspace: Path
) -> None:
    (workspace / "m.oo").write_text("[let q 8]")
    arguments = {"code": "[use m] [cube m.q 1 1]"}
    result = _answered(front.call("eval_code", arguments, workspace=str(workspace)))
    assert result["volume"] == pytest.approx(8)
    reply = front.call("eval_code", {**arguments, "base_dir": None}, workspace=str(workspace))
    assert (reply.code, reply.details["code"]) == ("LOON_RUNTIME", "E0500")


# ---- meshes and artifacts --------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "kind"), [("f32", np.float32), ("f64", np.float64)])
def test_a_mesh_is_written_into_the_block_that_the_front_gives(front: Front, dtype: str, kind: type) -> None:
    arguments = {"code": "[cube 1 2 3]", "mesh_dtype": dtype}
    reply = front.call("eval_code", arguments, mesh_shm=True, revision=7)
    mesh = _answered(reply)["mesh"]
    assert (mesh["vertices"], mesh["triangles"]) == (8, 12)
    assert Path(mesh["path"]) == front.block_paths[-1]
    assert mesh["block"] == front.block_paths[-1].name
    positions, indices = mesh_of(reply)
    assert positions.dtype == kind
    assert positions.max(axis=0).tolist() == [1, 2, 3]
    assert indices.shape == (12, 3)
    assert read(Path(mesh["path"]).read_bytes()).revision == 7


def test_parts_lie_side_by_side_and_each_triangle_knows_its_part_and_node(front: Front) -> None:
    reply = front.call("eval_code", {"code": TWO_PARTS, "allow_scene": True}, mesh_shm=True)
    first, second = _answered(reply)["parts"]
    assert (first["vertices"], second["vertices"]) == ([0, 8], [8, 8])
    assert (first["triangles_range"], second["triangles_range"]) == ([0, 12], [12, 12])
    views = read(Path(reply.result["mesh"]["path"]).read_bytes())
    assert views.parts is not None
    assert views.nodes is not None
    assert views.parts.tolist() == [0] * 12 + [1] * 12
    assert set(views.nodes[:12].tolist()) == {first["node"]}
    assert views.indices[12:].min() == 8


def test_no_block_is_asked_for_without_a_model_or_for_a_client_that_takes_none(front: Front) -> None:
    asked = len(front.block_paths)
    front.call("eval_code", {"code": "[+ 1 2]", "allow_scene": True}, mesh_shm=True)
    front.call("eval_code", {"code": "[cube 1 2 3]"}, mesh_shm=False)
    front.call("eval_code", {"code": "[cube 1 2 wdth]"}, mesh_shm=True)
    assert len(front.block_paths) == asked


def test_a_block_is_used_again_and_a_new_file_under_an_old_path_is_noticed(front: Front) -> None:
    path = front.call("eval_code", {"code": "[cube 1 2 3]"}, mesh_shm=True).result["mesh"]["path"]
    for size in (4, 5):
        front.give_back(path)
        reply = front.call("eval_code", {"code": f"[cube {size} 2 3]"}, mesh_shm=True)
        assert reply.result["mesh"]["path"] == path
        assert mesh_of(reply)[0].max() == size
    Path(path).unlink()
    Path(path).write_bytes(bytes(2**20))
    front.give_back(path)
    reply = front.call("eval_code", {"code": "[cube 6 2 3]"}, mesh_shm=True)
    assert mesh_of(reply)[0].max() == 6


def test_an_unlinked_block_is_unmapped(front: Front) -> None:
    maps = Path(f"/proc/{front.process.pid}/maps")
    if not maps.exists():
        pytest.skip("needs /proc")
    path = front.call("eval_code", {"code": "[cube 1 2 3]"}, mesh_shm=True).result["mesh"]["path"]
    assert path in maps.read_text()
    Path(path).unlink()
    front.call("eval_code", {"code": "[cube 1 2 3]"}, mesh_shm=True)
    assert path not in maps.read_text()


def test_a_mesh_for_which_there_is_no_memory_is_told(tmp_path: Path) -> None:
    with running(tmp_path) as front:
        front.blocks = False
        reply = front.call("eval_code", {"code": "[cube 1 2 3]"}, mesh_shm=True)
        assert reply.code == "PAYLOAD_TOO_LARGE"
        assert "no room" in reply.result["message"]
        assert not front.call("eval_code", {"code": "[cube 1 2 3]"}).is_error


def test_an_artifact_is_a_collada_file_where_the_front_wants_it(front: Front, tmp_path: Path) -> None:
    stage = tmp_path / "part-00000000000000000001.dae.tmp"
    reply = front.call("eval_code", {"code": "[cube 1 2 3]"}, artifact_stage=str(stage))
    assert stage.read_bytes().startswith(b'<?xml version="1.0" encoding="utf-8"?>\n<COLLADA')
    assert _answered(reply)["timings_ms"]["export"] > 0
    assert list(tmp_path.iterdir()) == [stage]


def test_the_document_is_sent_when_it_is_asked_for(front: Front) -> None:
    result = _answered(front.call("eval_code", {"code": "[cube 1 2 3]", "document": True}))
    assert result["document"]["records"]
    assert "document" not in _answered(front.call("eval_code", {"code": "[cube 1 2 3]"}))


# ---- cells -----------------------------------------------------------------------------------


def _told(*cells: CellSource, with_source: bool = True) -> list[dict[str, Any]]:
    return [history_json.encode(cell, None if with_source else ()) for cell in cells]


def test_a_cell_sees_what_the_cells_before_it_have_defined(front: Front) -> None:
    first = CellSource("c1", '[let width 4] [println "once"]')
    _answered(front.call("eval_cell", {"code": first.source, "cell_id": "c1"}))
    arguments = {"code": "[cube width 2 3]", "cell_id": "c2", "prelude": _told(first)}
    reply = front.call("eval_cell", arguments)
    result = _answered(reply)
    assert result["volume"] == pytest.approx(24)
    assert (reply.printed, result["stdout"]) == ("", "")
    assert [one["name"] for one in result["definitions"]] == ["width"]


def test_a_worker_that_knows_nothing_makes_the_environment_anew_without_printing_twice(
    tmp_path: Path,
) -> None:
    first = CellSource("c1", '[let width 4] [println "once"]')
    with running(tmp_path) as front:
        arguments = {"code": "[cube width 2 3]", "cell_id": "c2", "prelude": _told(first)}
        reply = front.call("eval_cell", arguments)
        assert _answered(reply)["volume"] == pytest.approx(24)
        assert reply.printed == ""


def test_texts_that_are_not_known_are_asked_for_and_told_by_hash_afterwards(front: Front) -> None:
    cells = [CellSource("u1", "[let a-very-own 1]"), CellSource("u2", "[let another 2]")]
    arguments = {"code": "[+ a-very-own another]", "cell_id": "u3"}
    reply = front.call("eval_cell", {**arguments, "prelude": _told(*cells, with_source=False)})
    assert reply.code == "PRELUDE_UNKNOWN"
    assert reply.details["unknown"] == [cell.hash for cell in cells]
    assert _answered(front.call("eval_cell", {**arguments, "prelude": _told(*cells)}))["value"] == 3
    again = front.call("eval_cell", {**arguments, "prelude": _told(*cells, with_source=False)})
    assert _answered(again)["value"] == 3


def test_a_cell_without_anything_given_is_told_by_the_source_hash_of_its_result_too(front: Front) -> None:
    first = _answered(
        front.call("eval_cell", {"code": '[let own-width 4] [println "once"]', "cell_id": "s1"})
    )
    told = [{"cell_id": "s1", "source_hash": first["source_hash"]}]
    result = _answered(front.call("eval_cell", {"code": "own-width", "cell_id": "s2", "prelude": told}))
    assert (result["value"], result["stdout"]) == (4, "")
    given = {"code": "[let own-depth depth]", "cell_id": "s3", "bindings": {"depth": 2}}
    told = [{"cell_id": "s3", "source_hash": _answered(front.call("eval_cell", given))["source_hash"]}]
    reply = front.call("eval_cell", {"code": "own-depth", "cell_id": "s4", "prelude": told})
    assert reply.code == "PRELUDE_UNKNOWN"  # the text alone does not say what was given


def test_a_cell_that_fails_says_what_it_has_defined_and_printed_before(front: Front) -> None:
    code = '[let kept 7] [println "so far"] [nosuch]'
    reply = front.call("eval_cell", {"code": code, "cell_id": "f1", "name": "cell 4"})
    assert reply.code == "LOON_RUNTIME"
    assert reply.details["stdout"] == "so far\n"
    assert reply.details["defined"] == ["kept"]
    assert [one["name"] for one in reply.details["definitions"]] == ["kept"]
    assert reply.details["obsolete"] == []
    failed = CellSource("f1", code, "cell 4")
    arguments = {"code": "kept", "cell_id": "f2", "prelude": _told(failed, with_source=False)}
    assert _answered(front.call("eval_cell", arguments))["value"] == 7


def test_the_cell_that_ran_is_known_by_its_hash_afterwards(front: Front) -> None:
    cell = CellSource("h1", "[let hashed given]", bindings={"given": 3})
    arguments = {"code": cell.source, "cell_id": "h1", "bindings": {"given": 3}}
    _answered(front.call("eval_cell", arguments))
    later = {"code": "hashed", "cell_id": "h2", "prelude": _told(cell, with_source=False)}
    assert _answered(front.call("eval_cell", later))["value"] == 3


def test_a_cell_that_was_interrupted_leaves_nothing_behind(front: Front) -> None:
    first = CellSource("i1", "[let size 3]")
    prelude = _told(first)
    code = '[let size 99] [println "in"] [hang-in-python 60.0]'
    seq = front.begin("eval_cell", {"code": code, "cell_id": "i2", "prelude": prelude})
    front.printed_so_far()
    front.interrupt()
    reply = front.finish(seq)
    assert reply.code == "EVAL_CANCELLED"
    assert "defined" not in reply.details
    result = _answered(front.call("eval_cell", {"code": "size", "cell_id": "i3", "prelude": prelude}))
    assert result["value"] == 3


def test_a_cell_that_was_too_slow_leaves_nothing_behind(front: Front) -> None:
    prelude = _told(CellSource("t1", "[let size 3]"))
    arguments = {"code": "[let size 99] [hang-in-python 60.0]", "cell_id": "t2", "prelude": prelude}
    assert front.call("eval_cell", arguments, deadline_seconds=0.2).code == "VCAD_EVAL_TIMEOUT"
    result = _answered(front.call("eval_cell", {"code": "size", "cell_id": "t3", "prelude": prelude}))
    assert result["value"] == 3


# ---- a conversation ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "display", "kind"),
    [
        ("[+ 1 2]", "3", "Num"),
        ('"text"', '"text"', "String"),
        ("#[1.5 2.5]", "#[1.5 2.5]", "Vec Float"),
        ("[println]", None, None),
        ("[fn f [x] x] f", "<fn f>", "Fn"),
        (
            "[cube 1 2 3]",
            "part: 1 × 2 × 3 mm · volume 6 mm³ · area 22 mm² · center (0.5, 1, 1.5)",
            "Solid",
        ),
    ],
)
def test_a_line_of_a_conversation_is_answered_with_value_and_type(
    front: Front, code: str, display: str | None, kind: str | None
) -> None:
    result = _answered(front.call("eval_repl", {"code": code}))
    assert (result["display"], result["type"], result["stdout"]) == (
        display,
        kind,
        "\n" if "println" in code else "",
    )


def test_a_conversation_goes_on_with_the_history_that_comes_with_it(front: Front) -> None:
    prelude = _told(CellSource("l1", "[let x 20]"))
    result = _answered(front.call("eval_repl", {"code": "[println x] [+ x 1]", "prelude": prelude}))
    assert (result["display"], result["stdout"]) == ("21", "20\n")


def test_a_line_that_fails_says_what_it_leaves(front: Front) -> None:
    reply = front.call("eval_repl", {"code": "[let left 4] [nosuch]", "cell_id": "r1"})
    assert (reply.code, reply.details["defined"]) == ("LOON_RUNTIME", ["left"])


# ---- without a mesh ------------------------------------------------------------------------


def test_inspecting_gives_figures_and_nothing_else(front: Front) -> None:
    result = _answered(front.call("inspect", {"code_or_path": "[sphere 10]", "exact": True}))
    assert result["volume"] == pytest.approx(4000 / 3 * math.pi, rel=1e-9)
    assert (result["exact"], result["is_manifold"], result["genus"]) == (True, True, 0)
    assert "parts" not in result


@pytest.mark.parametrize("suffix", ["stl", "step", "obj", "3mf", "dae", "glb", "ops"])
def test_a_model_is_written_in_each_format(front: Front, workspace: Path, suffix: str) -> None:
    path = workspace / "parts" / "plate.oo"
    output = workspace / f"out.{suffix}"
    arguments = {"code_or_path": str(path), "format": suffix, "output_path": str(output)}
    result = _answered(front.call("export", arguments, str(path), workspace=str(workspace)))
    assert result == {"path": str(output), "bytes": output.stat().st_size, "format": suffix}


def test_a_file_is_not_written_outside_the_workspace_or_under_a_wrong_suffix(
    front: Front, workspace: Path
) -> None:
    inner = workspace / "inner"
    inner.mkdir()
    arguments = {"code_or_path": "[cube 1 2 3]", "output_path": str(workspace / "out.stl")}
    assert front.call("export", arguments, workspace=str(inner)).code == "PATH_NOT_ALLOWED"
    reply = front.call("export", {**arguments, "format": "step"}, workspace=str(workspace))
    assert reply.code == "INVALID_PARAMS"
    nothing = {**arguments, "code_or_path": "[+ 1 2]"}
    reply = front.call("export", nothing, workspace=str(workspace))
    assert (reply.code, reply.details["count"]) == ("NO_GEOMETRY", 0)
    assert not (workspace / "out.stl").exists()


def test_checking_runs_nothing(front: Front) -> None:
    result = _answered(front.call("check", {"code_or_path": "[crash-segv] [nosuch 1]"}))
    assert "E0201" in [one["code"] for one in result["diagnostics"]]
    result = _answered(front.call("check", {"code_or_path": "[cube 1 2 3"}))
    assert [one["code"] for one in result["diagnostics"]] == ["E0102"]


def test_checking_a_file_looks_at_the_modules_that_it_uses(front: Front, workspace: Path) -> None:
    path = workspace / "parts" / "plate.oo"
    path.write_text("[use sizes [depth]] depth")
    arguments = {"code_or_path": str(path)}
    result = _answered(front.call("check", arguments, str(path), workspace=str(workspace)))
    assert [one["code"] for one in result["diagnostics"]] == ["E0501"]
    assert result["diagnostics"][0]["labels"][0]["file"] == "parts/plate.oo"


def test_the_cache_can_be_dropped(front: Front) -> None:
    code = "[difference [cube 30 30 30] [sphere 12.125]]"
    front.call("eval_code", {"code": code})
    assert front.call("eval_code", {"code": code}).result["cache"]["misses"] == 0
    assert _answered(front.call("cache_invalidate", {})) is not None
    assert front.call("eval_code", {"code": code}).result["cache"]["misses"] > 0


def test_the_worker_tells_what_it_builds_solids_with(front: Front) -> None:
    mesh, brep = front.call("kernels", {}).result["kernels"]
    assert (mesh["name"], mesh["why_not"], mesh["library"].split()[0]) == ("mesh", None, "manifold3d")
    assert (brep["name"], brep["why_not"], brep["library"].split()[0]) == ("brep", None, "occt")


def test_solids_outlive_the_worker_in_the_folder_of_each_workspace(tmp_path: Path) -> None:
    workspaces = [tmp_path / "a", tmp_path / "b"]
    code = {"code": "[fillet 1 [cube 12 13 14.5]]"}
    for turn in range(2):
        (tmp_path / f"worker-{turn}").mkdir()
        with running(tmp_path / f"worker-{turn}", VCAD_CACHE_DIR=".vcad/cache") as front:
            for workspace in workspaces:
                workspace.mkdir(exist_ok=True)
                result = _answered(front.call("eval_code", code, workspace=str(workspace)))
                assert (result["cache"]["misses"] == 0) == (turn == 1)
    assert all(any((workspace / ".vcad" / "cache").rglob("*")) for workspace in workspaces)


def test_progress_of_long_requests_is_told_now_and_then(front: Front) -> None:
    code = "[fold [cube 1 1 1] union [map [range 0 40] [fn [i] [translate [* 3 i] 0 0 [sphere 2.0625]]]]]"
    reply = front.call("eval_code", {"code": f"[hang-in-python 0.12] {code}"}, mesh_shm=True)
    assert not reply.is_error
    assert reply.progress
    assert {one.phase for one in reply.progress} <= {"running", "geometry", "figures"}
