"""One file that opens anywhere: what stands in it, and that it stays small and whole."""

from __future__ import annotations

import gzip
import json
import random
import re
import tomllib
from base64 import b64decode
from importlib import metadata
from importlib.metadata import EntryPoints
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from notebook_ext.viewer import html_file, shells
from notebook_ext.viewer.relay.nodes import Body, named_nodes
from tests.cli.command import vcad
from tests.notebook_ext.viewer.relay.conftest import body, rows_of
from tests.notebook_ext.viewer.solids import RED
from vcad_kernel.errors import CapabilityUnavailable, ExportError
from vcad_kernel.geometry.tri_mesh import TriMesh

REPOSITORY = Path(__file__).parents[3]
PROGRAM = "export const x = '</script>';"


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "viewer.js"
    path.write_text(PROGRAM, encoding="utf-8")
    monkeypatch.setattr(shells, "BUILT", path)
    return path


def written(path: Path, *bodies: Body, title: str = "bracket", figures: str = "") -> str:
    html_file.write(path, title, named_nodes(title, bodies, figures=figures))
    return path.read_text(encoding="utf-8")


def messages(html: str) -> list[dict[str, Any]]:
    (found,) = re.findall(r'<script type="application/vnd.vcad.messages\+json">(.*?)</script>', html, re.S)
    told: list[dict[str, Any]] = json.loads(found)
    return told


def array(spec: dict[str, Any]) -> Any:
    data = b64decode(spec["data"])
    if spec["encoding"] == "gzip+base64":
        data = gzip.decompress(data)
    return np.frombuffer(data, {"f4": "<f4", "u4": "<u4", "u1": "u1"}[spec["dtype"]]).reshape(spec["shape"])


def test_it_holds_the_scene_as_a_viewer_is_told_of_it(tmp_path: Path) -> None:
    html = written(
        tmp_path / "a.html", body("a", material=RED, rows=rows_of), figures="bracket: 1 × 1 × 1 mm"
    )
    snapshot, update, rows = messages(html)
    assert (snapshot["type"], update["type"], rows["type"]) == ("scene.snapshot", "mesh.update", "mesh.rows")
    assert snapshot["nodes"][0]["figures"] == "bracket: 1 × 1 × 1 mm"
    assert snapshot["features"] == []
    arrays = {spec["name"]: array(spec) for spec in update["buffers"]}
    assert arrays["positions"].shape == (24, 3)
    assert arrays["positions"].max() == 1.0
    assert arrays["indices"].max() == 23
    assert len(rows["faces"]) == 6
    assert "<title>bracket</title>" in html
    assert "<noscript>bracket: 1 × 1 × 1 mm</noscript>" in html


def test_nothing_in_it_is_loaded_from_elsewhere(tmp_path: Path) -> None:
    html = written(tmp_path / "a.html", body("a"))
    assert not re.search(r"""(src|href)\s*=\s*["']?(?!data:)""", html)
    assert "http" not in html


def test_the_program_is_inside(tmp_path: Path) -> None:
    html = written(tmp_path / "a.html", body("a"))
    (packed,) = re.findall(r'id="program">(.*?)</script>', html)
    assert gzip.decompress(b64decode(packed)).decode() == PROGRAM


def test_a_name_cannot_end_the_script_or_begin_another(tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script><!--"
    html = written(tmp_path / "a.html", body("a"), title=evil, figures=evil)
    assert html.count("<script") == 3
    assert html.count("</script") == 3
    assert "<!--" not in html
    assert messages(html)[0]["nodes"][0]["name"] == evil


def test_parts_of_the_same_triangles_have_them_once(tmp_path: Path) -> None:
    html = written(tmp_path / "a.html", body("a", name="left"), body("a", name="right"))
    told = messages(html)
    assert [one["type"] for one in told] == ["scene.snapshot", "mesh.update"]
    assert [node["name"] for node in told[0]["nodes"]] == ["left", "right"]


def test_twenty_thousand_triangles_take_a_megabyte_and_a_half(tmp_path: Path, program: Path) -> None:
    count = 100
    x, y = np.meshgrid(np.arange(count + 1), np.arange(count + 1))
    z = 5 * np.sin(x / 7) * np.cos(y / 9)
    corner = (np.arange(count)[:, None] * (count + 1) + np.arange(count)).ravel()
    triangles = [
        np.stack([corner, corner + 1, corner + count + 2], 1),
        np.stack([corner, corner + count + 2, corner + count + 1], 1),
    ]
    mesh = TriMesh.of(np.stack([x, y, z], -1).reshape(-1, 3), np.concatenate(triangles))
    assert mesh.triangle_count == 20_000
    # the real program is somewhat above 300 kB packed, which no text of words is
    program.write_text(random.Random(1).randbytes(400_000).hex(), encoding="utf-8")
    path = tmp_path / "a.html"
    written(path, body("a", mesh, rows=rows_of))
    assert path.stat().st_size < 1_500_000


def test_the_same_parts_give_the_same_file(tmp_path: Path) -> None:
    assert written(tmp_path / "a.html", body("a")) == written(tmp_path / "b.html", body("a"))


def test_what_cannot_be_written_says_so(tmp_path: Path, program: Path) -> None:
    with pytest.raises(ExportError, match="no part has any surface"):
        written(tmp_path / "a.html", body("a", TriMesh.empty()))
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportError, match="cannot write"):
        written(tmp_path / "file" / "a.html", body("a"))
    program.unlink()
    with pytest.raises(CapabilityUnavailable, match="not been built"):
        written(tmp_path / "a.html", body("a"))
    assert not (tmp_path / "a.html").exists()


def test_the_command_line_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    declared = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    brought = [
        metadata.EntryPoint(name, value, "vcad.exporters")
        for name, value in declared["project"]["entry-points"]["vcad.exporters"].items()
    ]
    monkeypatch.setattr(metadata, "entry_points", lambda **asked: EntryPoints(brought).select(**asked))
    (tmp_path / "rod.oo").write_text("[cylinder 3 12]", encoding="utf-8")
    done = vcad("run", "rod.oo", "-o", "rod.HTML", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    snapshot, *_ = messages((tmp_path / "rod.HTML").read_text(encoding="utf-8"))
    assert snapshot["title"] == "rod"
    assert [node["figures"] for node in snapshot["nodes"]] == [done.stdout.strip()]
    (tmp_path / "sum.oo").write_text("[+ 1 2]", encoding="utf-8")
    refused = vcad("run", "sum.oo", "-o", "sum.html", folder=tmp_path)
    assert (refused.returncode, "nothing to export" in refused.stderr) == (1, True)
