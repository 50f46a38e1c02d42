"""What the worker is asked for each call, and which paths get that far."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vcad_kernel.contracts import validation
from vcad_kernel.contracts.messages import ToolCall, source_hash
from vcad_kernel.contracts.tools import TOOLS
from vcad_kernel.errors import Cancelled, PathRefused, VcadError
from vcad_kernel.service.front.connection.tools import Asker, Repl, find_tool, is_path, listed, task_of
from vcad_kernel.service.front.files.path_policy import policy_for
from vcad_kernel.service.front.jobs.failures import Refused
from vcad_kernel.service.front.jobs.job import Task
from vcad_kernel.service.front.server import FIRST_SCHEMAS
from vcad_kernel.service.worker.tools.evaluations import Evaluations


def task(folder: Path, name: str, arguments: dict[str, Any], repl: Repl | None = None, **beside: Any) -> Task:
    asker = Asker(policy_for(str(folder), None), repl or Repl(folder), True, None, "key")
    return task_of(TOOLS[name], ToolCall(name, arguments, **beside), asker)


def test_what_the_worker_carries_out_has_a_method_of_its_name() -> None:
    for tool in TOOLS.values():
        assert callable(getattr(Evaluations, tool.operation, None)) == (tool.runs == "worker"), tool.name


def test_every_tool_is_listed_with_the_schema_of_its_arguments() -> None:
    for one in map(listed, TOOLS.values()):
        assert one["description"].endswith(".")
        assert one["inputSchema"].get("type", "object") == "object"


def test_the_checks_of_every_session_are_compiled_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    validation._checker.cache_clear()  # else tests before this one may have compiled them
    validation.prepare(*FIRST_SCHEMAS)
    monkeypatch.setattr("fastjsonschema.compile", None)
    for tool in ("vcad.eval_cell", "vcad.eval_code"):
        validation.validate(f"{tool}#arguments", {"code": ""}, operation=tool)
    with pytest.raises(TypeError):
        validation.validate("vcad.cancel#arguments", {}, operation="vcad.cancel")


def test_an_unknown_tool_is_not_found() -> None:
    with pytest.raises(VcadError) as caught:
        find_tool("vcad.fly")
    assert caught.value.error_code == "TOOL_NOT_FOUND"


def test_paths_are_made_real_before_the_worker_sees_them(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.loon").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "parts")
    found = task(tmp_path, "vcad.eval_file", {"path": "link/a.loon"})
    real = str(tmp_path.resolve() / "parts" / "a.loon")
    assert found.script_path == real
    assert found.arguments()["path"] == real
    assert task(tmp_path, "vcad.eval_code", {"code": "", "base_dir": "link"}).arguments()["base_dir"] == str(
        tmp_path.resolve() / "parts"
    )


OUTSIDE = ["../x.loon", "/etc/passwd.loon", "a\0b.loon", "away/x.loon", "a/../../x.loon"]


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("vcad.eval_file", {"path": "PATH"}),
        ("vcad.eval_code", {"code": "", "base_dir": "PATH"}),
        ("vcad.eval_cell", {"code": "", "prelude": [], "bindings": {}, "base_dir": "PATH"}),
        ("vcad.inspect", {"code_or_path": "PATH"}),
        ("vcad.check", {"code_or_path": "PATH"}),
        ("vcad.export", {"code_or_path": "1", "format": "stl", "output_path": "PATH"}),
        ("vcad.eval_with_imports", {"transformed_source": "", "imports": {"i": {"mesh_file": "PATH"}}}),
        ("vcad.eval_with_imports", {"transformed_source": "", "imports": {}, "base_dir": "PATH"}),
        ("vcad.ask", {"question": "figures", "document_hash": "h", "base_dir": "PATH"}),
        ("vcad.ask", {"question": "clearance", "document_hash": "h", "other": {"base_dir": "PATH"}}),
    ],
)
def test_a_path_that_leads_out_is_refused_wherever_it_stands(
    tmp_path: Path, path: str, tool: str, arguments: dict[str, Any]
) -> None:
    workspace, elsewhere = tmp_path / "workspace", tmp_path / "elsewhere"
    workspace.mkdir()
    elsewhere.mkdir()
    (workspace / "away").symlink_to(elsewhere)

    def put(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: put(one) for key, one in value.items()}
        return path if value == "PATH" else value

    with pytest.raises(PathRefused):
        task(workspace, tool, put(arguments))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.loon", True),
        ("folder/a b.oo", True),
        ("a.cmp.oo", True),
        ("[cube 1 1 1]", False),
        ("x\na.loon", False),
        ("", False),
    ],
)
def test_a_text_is_a_path_when_it_is_one_line_that_ends_like_one(text: str, expected: bool) -> None:
    assert is_path(text) is expected


def test_a_changed_file_is_another_text(tmp_path: Path) -> None:
    file = tmp_path / "a.loon"
    file.write_text("1")
    before = task(tmp_path, "vcad.eval_file", {"path": "a.loon"}).depends
    file.write_text("12")
    assert task(tmp_path, "vcad.eval_file", {"path": "a.loon"}).depends != before


def test_an_artifact_has_the_name_of_its_node_or_file(tmp_path: Path) -> None:
    wish = {"artifact": True}
    assert task(tmp_path, "vcad.eval_code", {"code": "", **wish}, node_id="n1").artifact == "n1"
    assert task(tmp_path, "vcad.eval_file", {"path": "arm.loon", **wish}).artifact == "arm"
    assert task(tmp_path, "vcad.eval_code", {"code": "", **wish}).artifact == "part"
    assert task(tmp_path, "vcad.eval_code", {"code": ""}).artifact is None


def test_lines_of_a_repl_build_on_those_before_that_have_left_something(tmp_path: Path) -> None:
    repl = Repl(tmp_path)

    def line(code: str) -> Task:
        return task(tmp_path, "vcad.eval_repl", {"code": code}, repl)

    first, second, third, fourth, last = (line(code) for code in ("1", "2", "3", "4", "5"))
    for one, outcome in (
        (first, {"display": "1"}),
        (second, Refused({"error_code": "LOON_RUNTIME", "details": {"defined": []}})),
        (third, Refused({"error_code": "EVAL_CANCELLED", "details": {}})),
        (fourth, Cancelled("stopped")),
    ):
        assert one.ended is not None
        one.ended(outcome)
    prelude = last.arguments()["prelude"]
    assert [entry["source"] for entry in prelude] == ["1", "2"]
    assert len({entry["cell_id"] for entry in prelude}) == 2
    assert all(len(entry["source_hash"]) == len(source_hash("")) for entry in prelude)


def test_lines_that_nothing_needs_any_more_are_dropped(tmp_path: Path) -> None:
    repl = Repl(tmp_path)
    for code, obsolete in (("1", []), ("2", [0]), ("3", [1])):
        one = task(tmp_path, "vcad.eval_repl", {"code": code}, repl)
        assert one.ended is not None
        one.ended({"display": code, "obsolete": obsolete})
    arguments = task(tmp_path, "vcad.eval_repl", {"code": "4"}, repl).arguments()
    assert [entry["source"] for entry in arguments["prelude"]] == ["2"]
    assert arguments["base_dir"] == str(tmp_path)


def test_repls_do_not_know_each_others_lines(tmp_path: Path) -> None:
    one = task(tmp_path, "vcad.eval_repl", {"code": "1"})
    assert one.ended is not None
    one.ended({"display": "1"})
    assert task(tmp_path, "vcad.eval_repl", {"code": "2"}).arguments()["prelude"] == []
