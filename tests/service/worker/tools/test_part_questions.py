"""What is asked about parts after their evaluation, by the document's hash."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.service.worker.front import Front, Reply, mesh_of, running

SPHERE = "[sphere 10]"
BALL = 4000 / 3 * math.pi
STEEL = {"name": "steel", "color": [0.5, 0.5, 0.5], "metallic": 1.0, "roughness": 0.3}


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    with running(tmp_path_factory.mktemp("worker")) as started:
        yield started


def _evaluated(front: Front, code: str) -> dict[str, Any]:
    arguments = {"code": code, "allow_scene": True, "defer_figures": True, "document": True}
    reply = front.call("eval_code", arguments)
    assert not reply.is_error, reply.result
    return reply.result


def _asked(front: Front, result: dict[str, Any], question: str, index: int = 0, **more: Any) -> Reply:
    options = {name: more.pop(name) for name in ("mesh_shm", "staging") if name in more}
    arguments = {
        "question": question,
        "document_hash": result["document_hash"],
        "parts": [{key: result["parts"][index][key] for key in ("name", "node", "material")}],
        **more,
    }
    return front.call("ask", arguments, **options)


def test_figures_that_were_deferred_are_found_when_they_are_asked_for(front: Front) -> None:
    result = _evaluated(front, SPHERE)
    assert result["volume"] < BALL
    reply = _asked(front, result, "figures")
    assert reply.result["figures"]["volume"] == pytest.approx(BALL, rel=1e-9)
    assert reply.result["figures"]["exact"] is True
    assert any(row["representation"] == "brep" for row in reply.result["profile"])


def test_the_document_may_be_sent_along_and_has_to_be_when_it_is_not_known(
    front: Front, tmp_path: Path
) -> None:
    result = _evaluated(front, "[cylinder 3 7.5]")
    with running(tmp_path) as other:
        reply = _asked(other, result, "figures")
        assert reply.code == "DOCUMENT_UNKNOWN"
        assert reply.details["unknown"] == [result["document_hash"]]
        reply = _asked(other, result, "figures", document=result["document"])
        assert reply.result["figures"]["volume"] == pytest.approx(9 * 7.5 * math.pi, rel=1e-9)
        assert not _asked(other, result, "figures").is_error


def test_a_document_that_is_not_the_one_of_its_hash_is_refused(front: Front) -> None:
    result = _evaluated(front, "[cube 1 1 1]")
    reply = _asked(front, {**result, "document_hash": "00" * 32}, "figures", document=result["document"])
    assert reply.code == "INVALID_PARAMS"


def test_errors_of_a_document_that_was_sent_have_their_places(front: Front, tmp_path: Path) -> None:
    text = '[import-mesh "m.obj"]'
    lines = ["v 0 0 0", "v 6 0 0", "v 0 6 0", "v 0 0 6", "f 1 3 2", "f 1 2 4", "f 2 3 4", "f 1 4 3"]
    (tmp_path / "m.obj").write_text("\n".join(lines))
    arguments = {"code": f"\n [union {text} [sphere 2]]", "file": "m.oo", "document": True}
    result = front.call("eval_code", arguments, workspace=str(tmp_path)).result
    asked = {"question": "figures", "document_hash": result["document_hash"], "exact": True}
    (tmp_path / "worker").mkdir()
    with running(tmp_path / "worker") as other:
        reply = other.call("ask", {**asked, "document": result["document"]}, workspace=str(tmp_path))
        assert reply.code == "CAPABILITY_UNAVAILABLE"
        assert (reply.details["file"], reply.details["line"]) == ("m.oo", 2)


def test_tables_of_edges_and_faces(front: Front) -> None:
    result = _evaluated(front, "[cube 1 2 3]")
    edges = _asked(front, result, "edges").result["edges"]
    assert sorted(round(edge["length"], 9) for edge in edges) == [1] * 4 + [2] * 4 + [3] * 4
    faces = _asked(front, result, "faces").result["faces"]
    assert sorted(round(face["area"], 9) for face in faces) == [2, 2, 3, 3, 6, 6]
    assert {face["made_by"] for face in faces} == {"cube"}
    assert faces[0]["source"]["file"] == "<code>"


def test_two_parts_of_one_or_of_two_documents_are_compared(front: Front) -> None:
    one = _evaluated(front, "#[[cube 1 1 1] [translate 4 0 0 [cube 1 1 1]]]")
    two = _evaluated(front, "[translate 0.5 0 0 [cube 1 1 1]]")
    other = {"document_hash": one["document_hash"], "node": one["parts"][1]["node"]}
    clearance = _asked(front, one, "clearance", other=other).result["clearance"]
    assert (clearance["distance"], clearance["exact"]) == (3, True)
    other = {"document_hash": two["document_hash"], "parts": [{"name": "b", "node": two["parts"][0]["node"]}]}
    figures = _asked(front, one, "interference", other=other).result["figures"]
    assert figures["volume"] == pytest.approx(0.5)
    reply = _asked(front, one, "clearance", other={"document_hash": "11", "node": 1})
    assert (reply.code, reply.details["unknown"]) == ("DOCUMENT_UNKNOWN", ["11"])
    assert _asked(front, one, "clearance").code == "INVALID_PARAMS"


def test_a_finer_mesh_is_made_on_demand(front: Front) -> None:
    result = _evaluated(front, SPHERE)
    coarse = result["triangles"]
    reply = _asked(front, result, "mesh", tolerance=0.002, mesh_shm=True, mesh_dtype="f64")
    positions, indices = mesh_of(reply)
    assert len(indices) > 2 * coarse
    assert str(positions.dtype) == "float64"


@pytest.mark.parametrize("suffix", [".stl", "step", ".3mf"])
def test_a_file_is_written_into_the_folder_for_files(front: Front, tmp_path: Path, suffix: str) -> None:
    result = _evaluated(front, SPHERE)
    reply = _asked(front, result, "export", format=suffix, stem="ball", staging=str(tmp_path))
    path = tmp_path / f"ball.{suffix.removeprefix('.')}"
    assert reply.result["path"] == str(path)
    assert reply.result["bytes"] == path.stat().st_size
    assert reply.result["format"] == suffix.removeprefix(".")


def test_an_obj_brings_the_file_of_its_materials(front: Front, tmp_path: Path) -> None:
    result = _evaluated(front, "[cube 1 2 3]")
    parts = [{"name": "box", "node": result["parts"][0]["node"], "material": STEEL}]
    reply = _asked(front, result, "export", parts=parts, format=".obj", staging=str(tmp_path))
    assert [Path(one).name for one in reply.result["files"]] == ["model.mtl", "model.obj"]
    assert "steel" in (tmp_path / "model.mtl").read_text()


def test_sections_and_drawings(front: Front, tmp_path: Path) -> None:
    result = _evaluated(front, "[cube 10 20 30]")
    reply = _asked(
        front,
        result,
        "section",
        format=".svg",
        origin=None,
        normal=[0, 0, 1],
        hatch=False,
        staging=str(tmp_path),
    )
    assert b"<svg" in Path(reply.result["path"]).read_bytes()
    reply = _asked(front, result, "drawing", format=".svg", views=["front", "top"], staging=str(tmp_path))
    assert b"<svg" in Path(reply.result["path"]).read_bytes()


def test_a_file_needs_a_folder_and_a_plain_name(front: Front, tmp_path: Path) -> None:
    result = _evaluated(front, "[cube 1 2 3]")
    assert _asked(front, result, "export", format=".stl").code == "INVALID_PARAMS"
    for suffix in ("../x", "a/b", ".st\x00l"):
        reply = _asked(front, result, "export", format=suffix, staging=str(tmp_path))
        assert reply.code == "INVALID_PARAMS"
    reply = _asked(front, result, "export", format="stl", stem="../../evil", staging=str(tmp_path))
    assert Path(reply.result["path"]) == tmp_path / "model.stl"
    for suffix in (".xyz", ".x-y", ""):
        reply = _asked(front, result, "export", format=suffix, staging=str(tmp_path))
        assert reply.code == "EXPORT_FAILED"
    assert "no suffix" in reply.result["message"]


def test_a_node_that_the_document_does_not_have_is_refused(front: Front) -> None:
    result = _evaluated(front, "[cube 1 2 3]")
    assert _asked(front, result, "figures", parts=[{"name": "x", "node": 999}]).code == "INVALID_PARAMS"
    assert _asked(front, result, "riddle").code == "INVALID_PARAMS"


def test_documents_that_were_used_least_recently_are_forgotten_first(tmp_path: Path) -> None:
    with running(tmp_path, VCAD_ADT_CACHE_MAX="2") as front:
        results = [_evaluated(front, f"[cube 1 2 {size}]") for size in (3, 4)]
        assert not _asked(front, results[0], "figures").is_error
        _evaluated(front, "[cube 1 2 5]")
        assert not _asked(front, results[0], "figures").is_error
        assert _asked(front, results[1], "figures").code == "DOCUMENT_UNKNOWN"
