"""The tools for files and Loon sources, called as any agent calls them."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from notebook_ext.agents.calls.call import Preview
from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.packs.files import files as file_tools
from notebook_ext.agents.registry import find
from notebook_ext.agents.world import AgentWorld
from notebook_ext.approval.policy import Caller
from tests.tiers import examples
from vcad_kernel.error_codes import ErrorCode

_CORE = {"read_file", "set_file_slice"}
_FILES = {
    "list_directory",
    "search_files",
    "search_text",
    "get_file_slice",
    "write_file",
    "create_file",
    "get_tree",
    "get_file_summary",
    "get_git_diff",
    "cad_get_outline",
    "cad_get_definition",
    "cad_update_definition",
    "cad_check_syntax",
    "cad_find_usages",
}
_WRITES = {"set_file_slice", "write_file", "create_file", "cad_update_definition"}


@pytest.fixture
def called(world: AgentWorld) -> Any:
    """A call of a tool by an agent to whom the person has said yes; its answer without ``success``."""
    for name in _WRITES:
        for effect in (None, Preview(takes_away=("all",))):
            world.approvals.policy.remember(find(name), {}, Caller("tester", "its own"), effect)

    def call(tool: str, /, agent: str = "tester", **arguments: Any) -> dict[str, Any]:
        outcome = call_tool(world, tool, arguments, agent=agent, connection="its own")
        json.dumps(outcome.body)
        if not outcome.success:
            code = ErrorCode(outcome.body["error_code"])
            assert set(code.required) <= set(outcome.body["details"])
        return outcome.body

    return call


def test_each_tool_is_in_its_pack_with_its_class() -> None:
    tools = file_tools.tools()
    assert {one.name for one in tools if one.pack == "core"} == _CORE
    assert {one.name for one in tools if one.pack == "files"} == _FILES
    assert {one.name for one in tools if one.risk == "W"} == _WRITES
    assert {one.risk for one in tools} == {"R", "W"}
    assert all(one.affects is not None for one in tools if one.risk == "W")


def test_a_file_is_made_read_changed_and_searched(called: Any, workspace: Path) -> None:
    made = called("set_file_slice", path="parts/a.loon", start_line=1, end_line=0, content="[let x 1]\n")
    assert made["created"] is True
    read = called("read_file", path="parts/a.loon")
    assert read["content"] == "[let x 1]\n"
    assert read["sha256"] == made["sha256"] == hashlib.sha256(b"[let x 1]\n").hexdigest()
    changed = called(
        "set_file_slice",
        path="parts/a.loon",
        start_line=2,
        end_line=1,
        content="[let y 2]",
        expect_sha256=read["sha256"],
    )
    assert (changed["created"], changed["line_count"]) == (False, 2)
    assert called("get_file_slice", path="parts/a.loon", start_line=2, end_line=9)["content"] == "[let y 2]\n"
    assert called("search_files", pattern="**/*.loon")["paths"] == ["parts/a.loon"]
    assert called("list_directory")["entries"] == [{"name": "parts", "type": "folder", "size": 0}]
    assert called("get_tree")["tree"] == "parts/\n  a.loon"


def test_a_stale_writer_is_told_and_changes_nothing(called: Any, workspace: Path) -> None:
    (workspace / "a.loon").write_text("mine")
    for tool, arguments in (
        ("set_file_slice", {"start_line": 1, "end_line": 1, "content": "x"}),
        ("write_file", {"content": "x"}),
    ):
        body = called(tool, path="a.loon", expect_sha256="0" * 64, **arguments)
        assert body["error_code"] == "REVISION_CONFLICT"
    assert (workspace / "a.loon").read_text() == "mine"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", {}),
        ("get_file_slice", {"start_line": 1, "end_line": 1}),
        ("set_file_slice", {"start_line": 1, "end_line": 0, "content": "x"}),
        ("write_file", {"content": "x"}),
        ("create_file", {"content": "x"}),
        ("list_directory", {}),
        ("search_files", {"pattern": "*"}),
        ("get_tree", {}),
        ("get_file_summary", {}),
        ("get_git_diff", {}),
        ("cad_get_outline", {}),
        ("cad_get_definition", {"name": "x"}),
        ("cad_update_definition", {"name": "x", "content": "[let x 1]"}),
        ("cad_check_syntax", {}),
        ("cad_find_usages", {"name": "x"}),
    ],
)
@pytest.mark.parametrize(
    "path", ["../other/a.loon", "out/a.loon", ".git/config.loon", ".env", ".vcad/x.loon"]
)
def test_every_tool_stops_at_the_gate(
    called: Any, workspace: Path, tool: str, arguments: dict[str, Any], path: str
) -> None:
    other = workspace.parent / "other"
    other.mkdir()
    (other / "a.loon").write_text("[let x 1]")
    (workspace / "out").symlink_to(other)
    body = called(tool, path=path, **arguments)
    assert body["error_code"] == "PATH_NOT_ALLOWED"
    assert body["details"]["operation"] == tool
    assert (other / "a.loon").read_text() == "[let x 1]"
    assert not (workspace / ".env").exists()


def test_a_long_file_is_cut_at_a_line(called: Any, workspace: Path) -> None:
    (workspace / "long.txt").write_text("ä line of some length\n" * 5_000)
    read = called("read_file", path="long.txt")
    assert (read["truncated"], read["full_path"], read["line_count"]) == (True, "long.txt", 5_000)
    assert len(read["content"].encode()) <= 64 * 1024
    shown = read["content"].count("\n")
    rest = called("get_file_slice", path="long.txt", start_line=shown + 1, end_line=5_000)
    assert rest["start_line"] == shown + 1


def test_a_file_is_never_created_twice(called: Any) -> None:
    assert called("create_file", path="a.loon", content="1")["success"]
    assert called("create_file", path="a.loon", content="2")["error_code"] == "FILE_EXISTS"
    assert called("read_file", path="a.loon")["content"] == "1"


def test_a_loon_source_is_edited_by_definition(called: Any, workspace: Path) -> None:
    (workspace / "a.loon").write_bytes(b"\xef\xbb\xbf; wide\r\n[fn plate [w] [box w 20 5]]\r\n[plate 3]\r\n")
    outline = called("cad_get_outline", path="a.loon")["definitions"]
    assert [(one["name"], one["line"], one["summary"]) for one in outline] == [("plate", 2, "wide")]
    found = called("cad_get_definition", path="a.loon", name="plate")
    assert found["definition"] == "[fn plate [w] [box w 20 5]]"
    new = "[fn plate [w]\n  [box w 30 5]]"
    changed = called(
        "cad_update_definition",
        path="a.loon",
        name="plate",
        content=new,
        expect_sha256=found["sha256"],
    )
    assert (changed["line"], changed["end_line"]) == (2, 3)
    assert (workspace / "a.loon").read_bytes() == (
        b"\xef\xbb\xbf; wide\r\n[fn plate [w]\r\n  [box w 30 5]]\r\n[plate 3]\r\n"
    )
    before = (workspace / "a.loon").read_bytes()
    broken = called("cad_update_definition", path="a.loon", name="plate", content="[fn plate [w]")
    assert broken["error_code"] == "SYNTAX_ERROR"
    assert (workspace / "a.loon").read_bytes() == before
    assert called("cad_check_syntax", path="a.loon")["valid"] is True
    assert [one["line"] for one in called("cad_find_usages", path="a.loon", name="plate")["usages"]] == [2, 4]


def test_usages_below_a_folder(called: Any, workspace: Path) -> None:
    (workspace / "parts.oo").write_text("[pub fn plate [w] [box w 2 5]]\n")
    (workspace / "binary.oo").write_bytes(b"\xff")
    (workspace / "main.loon").write_text("[use parts]\n[parts.plate 3]\n")
    found = called("cad_find_usages", path=".", name="plate")["usages"]
    assert [(one["path"], one["line"], one["defines"]) for one in found] == [
        ("main.loon", 2, False),
        ("parts.oo", 1, True),
    ]


def test_a_source_that_cannot_be_read_says_where(called: Any, workspace: Path) -> None:
    (workspace / "a.loon").write_text("[let x 1]\n[let y\n")
    body = called("cad_check_syntax", path="a.loon")
    assert (body["valid"], body["fault"]["line"]) == (False, 2)
    (workspace / "a.py").write_text("x = 1\n")
    assert called("cad_check_syntax", path="a.py")["error_code"] == "UNSUPPORTED_TYPE"


def test_a_summary(called: Any, workspace: Path) -> None:
    (workspace / "a.md").write_text("# One\n\n## Two\n")
    body = called("get_file_summary", path="a.md")
    assert body["contents"] == {
        "headings": [{"name": "# One", "line": 1}, {"name": "## Two", "line": 3}],
    }


def test_names_of_either_normal_form(called: Any, workspace: Path) -> None:
    stored = unicodedata.normalize("NFD", "träger.loon")
    (workspace / stored).write_text("[let x 1]\n")
    composed = unicodedata.normalize("NFC", stored)
    assert called("read_file", path=composed)["path"] == stored
    called("write_file", path=composed, content="[let x 2]\n")
    assert [one.name for one in workspace.glob("*.loon")] == [stored]


def test_a_change_by_somebody_else_is_told_once(called: Any, workspace: Path) -> None:
    path = workspace / "a.loon"
    path.write_text("[let x 1]\n")
    called("read_file", path="a.loon")
    assert "files_updated" not in called("list_directory")
    path.write_text("[let x 2]\n")
    (told,) = called("list_directory")["files_updated"]
    assert told["path"] == "a.loon"
    assert "-[let x 1]\n+[let x 2]" in told["diff"]
    assert "files_updated" not in called("list_directory")
    called("write_file", path="a.loon", content="[let x 3]\n")
    assert "files_updated" not in called("list_directory")


def test_a_preview_says_what_would_change_and_changes_nothing(world: AgentWorld, workspace: Path) -> None:
    from notebook_ext.agents.calls.call import Call

    (workspace / "a.loon").write_text("[let x 1]\n")
    call = Call(world, "tester", "r-1")
    for name, arguments in (
        ("set_file_slice", {"start_line": 1, "end_line": 1, "content": "[let x 2]"}),
        ("write_file", {"content": "[let x 2]\n"}),
        ("cad_update_definition", {"name": "x", "content": "[let x 2]"}),
        ("create_file", {"path": "b.loon", "content": "[let x 2]\n"}),
    ):
        tool = find(name)
        assert tool.affects is not None
        preview = tool.affects(tool.arguments.model_validate({"path": "a.loon", **arguments}), call)
        assert "+[let x 2]" in preview.diff
        assert preview.paths == (str(workspace / arguments.get("path", "a.loon")),)  # type: ignore[operator]
    assert [one.name for one in workspace.glob("*.loon")] == ["a.loon"]
    assert (workspace / "a.loon").read_text() == "[let x 1]\n"


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_slice_is_read_back(called: Any, workspace: Path, data: st.DataObject) -> None:
    word = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=5)
    ending = data.draw(st.sampled_from(["\n", "\r\n"]))
    lines = data.draw(st.lists(word, max_size=6))
    mark = data.draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    path = workspace / "s.loon"
    path.write_bytes(mark + "".join(one + ending for one in lines).encode())
    if path.read_bytes()[:3] == b"\xef\xbb\xbf" and not mark:
        return  # the text itself begins with the mark
    start = data.draw(st.integers(1, len(lines) + 1))
    end = data.draw(st.integers(start - 1, len(lines)))
    new = data.draw(st.lists(word, min_size=1, max_size=4))
    body = called(
        "set_file_slice", path="s.loon", start_line=start, end_line=end, content="\n".join(new) + "\n"
    )
    assert body["success"], body
    got = called("get_file_slice", path="s.loon", start_line=start, end_line=start + len(new) - 1)
    expected_ending = ending if lines else "\n"
    assert got["content"] == "".join(one + expected_ending for one in new)
    after = [*lines[: start - 1], *new, *lines[end:]]
    assert path.read_bytes() == mark + "".join(one + expected_ending for one in after).encode()


def test_lines_with_a_text_are_found_in_what_may_be_read(called: Any, workspace: Path) -> None:
    (workspace / "parts").mkdir()
    (workspace / "parts/a.oo").write_text("[let wall 3]\n; Wall of the lid\n[cube wall 1 1]\n")
    (workspace / "b.md").write_text("a wall\n")
    (workspace / "c.bin").write_bytes(b"\xff wall")
    (workspace / ".env").write_text("wall=secret")
    found = called("search_text", text="wall")
    assert [(hit["path"], hit["line"], hit["column"]) for hit in found["hits"]] == [
        ("b.md", 1, 3),
        ("parts/a.oo", 1, 6),
        ("parts/a.oo", 3, 7),
    ]
    assert (found["files"], found["truncated"]) == (2, False)
    both = called("search_text", text="WALL", pattern="**/*.oo", ignore_case=True)
    assert [hit["line"] for hit in both["hits"]] == [1, 2, 3]
    assert len(called("search_text", text="wall", path="b.md")["hits"]) == 1
    assert called("search_text", text="wall", path=".env")["error_code"] == "PATH_NOT_ALLOWED"
    assert called("search_text", text="wall", path="..")["error_code"] == "PATH_NOT_ALLOWED"
    (workspace / "b.md").write_text("wall\n" * 300)
    found = called("search_text", text="wall")
    assert (len(found["hits"]), found["truncated"]) == (200, True)
