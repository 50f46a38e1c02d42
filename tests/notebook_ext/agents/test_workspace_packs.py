"""The tools for Python files, notebooks, scripts and the web, as agents call them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from httpcore2 import AsyncMockStream, AsyncNetworkBackend

from notebook_ext.agents.calls.call import Call, Preview
from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.calls.outcomes import answer
from notebook_ext.agents.packs import shell as shell_pack
from notebook_ext.agents.packs import web as web_pack
from notebook_ext.agents.registry import find
from notebook_ext.agents.world import AgentWorld
from notebook_ext.workspace.shell.shell import ScriptRun
from notebook_ext.workspace.web.web import WebReader
from vcad_kernel.errors import CapabilityUnavailable, PathRefused, ServiceFailure, VcadError

MODULE = '''"""Rooms."""
from base import Room


class Kitchen(Room):
    """Where one cooks."""

    size = 3

    def area(self):
        return self.size
'''


@pytest.fixture
def call(world: AgentWorld) -> Call:
    return Call(world, agent="tester", request_id="r-test")


@pytest.fixture(autouse=True)
def _no_open_notebooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))


@pytest.fixture
def module(workspace: Path) -> Path:
    path = workspace / "rooms.py"
    path.write_text(MODULE)
    (workspace / "more").mkdir()
    (workspace / "more" / "attic.py").write_text("from rooms import Kitchen\n\nclass Galley(Kitchen): pass\n")
    (workspace / "more" / "broken.py").write_text("def (\n")
    return path


def run(call: Call, name: str, /, **arguments: Any) -> Mapping[str, Any]:
    """What a tool gives, past the person who would be asked."""
    tool = find(name)
    given = tool.run(tool.arguments.model_validate(arguments), call)
    assert type(given) is tool.result
    return answer(given, "test", files=call.files, request_id=call.request_id).body


def preview(call: Call, name: str, /, **arguments: Any) -> Preview:
    tool = find(name)
    assert tool.affects is not None
    return tool.affects(tool.arguments.model_validate(arguments), call)


# ---- Python --------------------------------------------------------------------------------


def test_a_python_file_is_read_in_parts(call: Call, module: Path) -> None:
    path = "rooms.py"

    assert "def area(self):\n        ...\n" in run(call, "py_get_skeleton", path=path)["text"]
    assert [row["name"] for row in run(call, "py_get_code_outline", path=path)["entries"]] == [
        "Kitchen",
        "Kitchen.area",
    ]
    found = run(call, "py_get_definition", path=path, name="Kitchen.area")
    assert (found["text"], found["line"]) == ("    def area(self):\n        return self.size", 10)
    assert run(call, "py_get_signature", path=path, name="Kitchen")["text"] == "class Kitchen(Room):"
    summary = run(call, "py_get_class_summary", path=path, class_name="Kitchen")
    assert summary["bases"] == ["Room"]
    assert [one["name"] for one in summary["methods"]] == ["Kitchen.area"]
    assert run(call, "py_get_var_declaration", path=path, name="Kitchen.size")["text"] == "size = 3"
    assert run(call, "py_get_imports", path=path)["imports"][0]["module"] == "base"
    assert run(call, "py_get_docstring", path=path)["docstring"] == "Rooms."
    assert run(call, "py_check_syntax", path=path) == {
        "success": True,
        "path": path,
        "valid": True,
        "errors": [],
    }


def test_a_file_that_python_cannot_read_is_an_answer_of_the_check_and_an_error_elsewhere(
    call: Call, module: Path
) -> None:
    checked = run(call, "py_check_syntax", path="more/broken.py")
    assert (checked["valid"], checked["errors"][0]["line"]) == (False, 1)

    with pytest.raises(ServiceFailure) as wrong:
        run(call, "py_get_skeleton", path="more/broken.py")
    assert wrong.value.error_code == "SYNTAX_ERROR"


def test_a_folder_is_searched_for_usages_and_classes(call: Call, module: Path) -> None:
    found = run(call, "py_find_usages", path=".", name="Kitchen")
    assert [(one["path"], one["kind"]) for one in found["usages"]] == [
        ("more/attic.py", "import"),
        ("more/attic.py", "reference"),
        ("rooms.py", "definition"),
    ]
    assert found["unread"] == ["more/broken.py"]

    tree = run(call, "py_get_hierarchy", path="", class_name="Kitchen")
    assert [one["path"] for one in tree["definitions"]] == ["rooms.py"]
    assert [one["name"] for one in tree["subclasses"]] == ["Galley"]


@pytest.mark.parametrize(("most", "truncated"), [(2, True), (3, False), (4, False)])
def test_a_search_that_finds_more_than_an_answer_takes_says_so(
    most: int, truncated: bool, call: Call, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("notebook_ext.agents.packs.python.search._MOST", most)
    found = run(call, "py_find_usages", path=".", name="Kitchen")
    assert (len(found["usages"]), found["truncated"]) == (min(most, 3), truncated)


def test_a_change_is_shown_first_and_then_written(call: Call, module: Path) -> None:
    change = {"path": "rooms.py", "name": "Kitchen.area", "content": "def area(self):\n    return 9\n"}

    shown = preview(call, "py_update_definition", **change)
    assert "+        return 9" in shown.diff
    assert shown.paths == (str(module),)
    assert module.read_text() == MODULE

    written = run(call, "py_update_definition", **change)
    assert written["diff"] == shown.diff
    assert module.read_text() == MODULE.replace("return self.size", "return 9")

    run(call, "py_set_signature", path="rooms.py", name="Kitchen", content="class Kitchen(Base)")
    run(call, "py_set_var_declaration", path="rooms.py", name="Kitchen.size", content="size: int = 4")
    assert "class Kitchen(Base):" in module.read_text()
    assert "    size: int = 4\n" in module.read_text()


def test_a_change_that_python_cannot_read_is_not_written(call: Call, module: Path) -> None:
    with pytest.raises(ServiceFailure) as wrong:
        run(call, "py_update_definition", path="rooms.py", name="Kitchen", content="class Kitchen(:")

    assert wrong.value.error_code == "SYNTAX_ERROR"
    assert module.read_text() == MODULE


def test_a_change_of_a_file_that_is_another_by_now_is_refused(call: Call, module: Path) -> None:
    seen = run(call, "py_get_definition", path="rooms.py", name="Kitchen")["sha256"]
    module.write_text(MODULE + "\n")

    with pytest.raises(ServiceFailure) as conflict:
        run(
            call,
            "py_update_definition",
            path="rooms.py",
            name="Kitchen",
            content="class Kitchen: pass",
            expect_sha256=seen,
        )

    assert conflict.value.error_code == "REVISION_CONFLICT"
    assert module.read_text() == MODULE + "\n"


@pytest.mark.parametrize("name", ["py_get_skeleton", "nb_list_cells"])
def test_files_elsewhere_and_of_another_kind_are_refused(name: str, call: Call, module: Path) -> None:
    with pytest.raises(PathRefused):
        run(call, name, path="../outside.py")
    (call.workspace / "notes.txt").write_text("x")
    with pytest.raises(ServiceFailure) as wrong:
        run(call, name, path="notes.txt")
    assert wrong.value.error_code == "UNSUPPORTED_TYPE"


# ---- scripts -------------------------------------------------------------------------------


def test_a_script_runs_in_the_workspace_with_the_workspaces_variables(call: Call, workspace: Path) -> None:
    (workspace / "parts").mkdir()
    (workspace / "tool_env.toml").write_text('[env]\nWORD = "a${NOBODY}b"\n')

    assert "sandbox: " in preview(call, "run_shell", script="ls", cwd="parts").summary
    ran = run(call, "run_shell", script='pwd; echo "$WORD $MORE"; exit 3', cwd="parts", env={"MORE": "c"})

    assert ran["stdout"] == f"{workspace / 'parts'}\nab c\n"
    assert (ran["exit_code"], ran["unknown_variables"], ran["timed_out"]) == (3, ["NOBODY"], False)
    assert ran["script_path"].startswith(".vcad/scripts/")
    assert (workspace / ran["script_path"]).is_file()
    logged = json.loads(call.journal.tail("shell", 1))
    assert (logged["request_id"], logged["exit_code"]) == ("r-test", 3)


@pytest.mark.parametrize("cwd", ["..", "/", "link", ".git", "nowhere"])
def test_a_script_elsewhere_is_refused(cwd: str, call: Call, workspace: Path) -> None:
    (workspace / "link").symlink_to(workspace.parent)

    with pytest.raises(VcadError) as refused:
        run(call, "run_shell", script="touch here", cwd=cwd)

    assert refused.value.error_code == ("FILE_NOT_FOUND" if cwd == "nowhere" else "PATH_NOT_ALLOWED")
    assert not (workspace / ".vcad" / "scripts").exists()


def test_variables_of_the_session_do_not_reach_a_script(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VCAD_AUTH_TOKEN", "top-secret")

    assert "top-secret" not in run(call, "run_shell", script="env; export -p")["stdout"]
    assert os.environ["VCAD_AUTH_TOKEN"] == "top-secret"


def test_a_script_that_the_persons_policy_allows_runs_through_the_dispatcher(world: AgentWorld) -> None:
    world.approvals.policy.set("X", "allow")

    outcome = call_tool(world, "run_shell", {"script": "echo ran"}, agent="tester")
    wrong = call_tool(world, "run_shell", {"script": "", "timeout_s": 601}, agent="tester")

    assert (outcome.success, outcome.body["stdout"]) == (True, "ran\n")
    assert wrong.body["error_code"] == "SCHEMA_VALIDATION_FAILED"


# ---- the web -------------------------------------------------------------------------------


def test_the_network_is_closed_until_the_person_opens_it(world: AgentWorld) -> None:
    for name, arguments in (("fetch_url", {"url": "http://example.org/"}), ("web_search", {"query": "x"})):
        outcome = call_tool(world, name, arguments, agent="tester")

        assert outcome.success is False
        assert outcome.body["error_code"] == "APPROVAL_DENIED"


def test_a_search_without_a_provider_says_which_setting_it_wants(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VCAD_WEB_SEARCH_URL", raising=False)

    with pytest.raises(CapabilityUnavailable) as missing:
        run(call, "web_search", query="x")

    assert missing.value.details["required_capability"] == "web.search_url"
    assert "VCAD_WEB_SEARCH_URL" in str(missing.value.fix)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (
            "application/json",
            '{"results": [{"title": "T", "url": "https://t.example/", "content": "S"}, {"title": 3}, 4]}',
        ),
        (
            "text/html",
            '<a href="/own">own</a><a href="https://t.example/">T</a><a href="https://u.example/"></a>',
        ),
    ],
)
def test_a_search_gives_titles_and_addresses(
    kind: str, body: str, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    wires: list[Wire] = []

    class Wire(AsyncMockStream):
        sent = b""

        async def write(self, buffer: bytes, timeout: float | None = None) -> None:
            self.sent += buffer

    class Net(AsyncNetworkBackend):
        async def connect_tcp(self, *_: Any, **__: Any) -> Wire:
            wires.append(Wire([f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n{body}".encode()]))
            return wires[-1]

    monkeypatch.setenv("VCAD_WEB_SEARCH_URL", "http://search.local/?q={query}&format=json")
    monkeypatch.setattr(web_pack, "_reader", lambda: WebReader(lambda host, port: ["127.0.0.1"], Net()))

    found = run(call, "web_search", query="a b&c")

    asked = [one.sent.decode("ascii").split()[1] for one in wires]
    assert asked == ["/?q=a%20b%26c&format=json"]
    assert [(one["title"], one["url"]) for one in found["results"]] == [("T", "https://t.example/")]


def test_a_person_reads_the_host_as_it_is_looked_up(call: Call) -> None:
    assert "xn--pple-43d.example" in preview(call, "fetch_url", url="http://\u0430pple.example/").summary
    for url in ("http://a..b/", "http://[::1/", "file:///etc/passwd"):
        with pytest.raises(ServiceFailure) as wrong:
            preview(call, "fetch_url", url=url)
        assert wrong.value.error_code == "INVALID_PARAMS"


def test_a_person_reads_the_script_that_would_run(call: Call) -> None:
    assert preview(call, "run_shell", script="echo 1\n").code == "echo 1\n"


def test_what_a_script_writes_is_in_the_log_as_it_comes(call: Call) -> None:
    run(call, "run_shell", script="echo one; echo two >&2")

    records = [json.loads(line) for line in call.journal.tail("shell").splitlines()]
    assert {one["stream"]: one["text"] for one in records[:-1]} == {"stdout": "one\n", "stderr": "two\n"}
    assert records[-1]["stdout"] == "one\n"


def test_who_waits_for_a_script_is_told_that_it_runs_but_not_how_far_it_is(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def looked_at_once(script: str, *, looked_at: Callable[[], object], **_: object) -> ScriptRun:
        looked_at()
        return ScriptRun("", "", False, 0, False, 6.0, call.workspace / script, "none")

    told: list[tuple[float, float | None, str]] = []
    waiting = replace(call, on_progress=lambda *said: told.append(said))
    monkeypatch.setattr(shell_pack, "run_script", looked_at_once)
    monkeypatch.setattr(shell_pack, "_TELL_EVERY", 0.0)

    run(waiting, "run_shell", script="make")

    assert told == [(0, None, "the script runs")]


def test_no_secret_that_a_script_is_given_stands_in_the_log(call: Call, workspace: Path) -> None:
    (workspace / "tool_env.toml").write_text('[env]\nAPI_TOKEN = "q7-plain"\nWORD = "kept"\n')

    ran = run(call, "run_shell", script='echo "$WORD is $API_TOKEN"; echo "$API_TOKEN" >&2')

    assert ran["stdout"] == "kept is q7-plain\n"
    logged = call.journal.tail("shell")
    assert "kept is" in logged
    assert "q7-plain" not in logged
