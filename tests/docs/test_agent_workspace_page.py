"""What docs/agent_workspace.md says of files, scripts and the web is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from notebook_ext.workspace.files.gate import FileGate
from notebook_ext.workspace.shell.environment import script_environment
from vcad_kernel.errors import ErrorCode, PathRefused

PAGE = (Path(__file__).parents[2] / "docs" / "agent_workspace.md").read_text(encoding="utf-8")


def test_the_codes_exist() -> None:
    named = set(re.findall(r"`([A-Z]+(?:_[A-Z]+)+)`", PAGE)) - {"VCAD_WEB_SEARCH_URL"}
    assert named
    assert named <= {code.value for code in ErrorCode}


def test_the_table_of_variables_is_one_that_is_taken(tmp_path: Path) -> None:
    table = re.search(r"```text\n(\[path\].*?)```", PAGE, re.DOTALL)
    assert table is not None
    made = script_environment(
        {"HOME": "/home/me", "TOKEN": "x"}, table[1].encode(), {}, workspace=tmp_path, operation="run_shell"
    )
    assert made.variables["OUT"] == "/home/me/out"
    assert made.variables["PATH"].startswith(str(tmp_path / "tools" / "bin"))
    assert "TOKEN" not in made.variables


def test_the_names_that_no_agent_sees_are_refused(tmp_path: Path) -> None:
    gate = FileGate(tmp_path)
    sentence = re.search(r"What no agent sees or writes(.*?)Listings", PAGE, re.DOTALL)
    assert sentence is not None
    names = [
        one for one in re.findall(r"`([^`]+)`", sentence[1]) if one not in ("shots", "exports", "artifacts")
    ]
    assert len(names) > 8
    for name in names:
        with pytest.raises(PathRefused):
            gate.path(name.replace("*", "x"), operation="read_file")
    for name in ("shots", "exports", "artifacts"):
        assert gate.path(f".vcad/{name}/a.png", operation="read_file")
