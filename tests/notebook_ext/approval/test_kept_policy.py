"""The policy from one session to the next, and what a file of a stranger may not allow."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from notebook_ext.approval.approvals import Approvals
from notebook_ext.approval.policy import Caller, Policy
from notebook_ext.state_file import StateFile
from tests.notebook_ext.approval.tools import Records, tool


@pytest.fixture(autouse=True)
def jupyter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "jupyter"
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(folder))
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def opened(workspace: Path, records: Records | None = None) -> Policy:
    """The policy of a new session there."""
    records = Records() if records is None else records
    return Approvals(workspace=lambda: workspace, state=StateFile(lambda: workspace), record=records).policy


def planted(workspace: Path, **policy: object) -> None:
    """A file as somebody else might have put it there."""
    usual = {"rules": [], "network": "deny", "step_mode": False}
    StateFile(lambda: workspace).write("approval_policy", {**usual, **policy})


def test_the_next_session_has_the_policy_that_was_set(workspace: Path, jupyter: Path) -> None:
    policy = opened(workspace)
    policy.set("X", "allow", agent="mine")
    policy.set("D", "deny")
    policy.network = "ask"
    policy.step_mode = True
    policy.remember(tool("W"), {}, Caller("mine", "its own"))
    later = opened(workspace)
    assert (later.of("X", "mine"), later.of("X"), later.of("D")) == ("allow", "ask", "deny")
    assert (later.network, later.step_mode, later.remembered) == ("ask", True, ())
    (key,) = (jupyter / "vcad-workbench").iterdir()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_a_policy_that_came_with_the_files_may_forbid_but_not_allow(workspace: Path) -> None:
    planted(
        workspace,
        rules=[["X", None, "allow"], ["D", "robot", "allow"], ["W", None, "ask"], ["R", None, "deny"]],
        network="allow",
        step_mode=True,
        seal="0" * 64,
    )
    records = Records()
    policy = opened(workspace, records)
    assert (policy.of("X"), policy.of("D", "robot"), policy.network) == ("ask", "ask", "deny")
    assert (policy.of("W"), policy.of("R"), policy.step_mode) == ("ask", "deny", True)
    ((event, fields),) = records
    assert event == "approval_policy_not_trusted"
    assert fields["ignored"] == ["X allow", "D allow for robot", "network allow"]


def test_a_seal_is_good_for_its_folder_and_its_rules_alone(workspace: Path, tmp_path: Path) -> None:
    opened(workspace).set("X", "allow")
    elsewhere = tmp_path / "elsewhere"
    (workspace / ".vcad").rename(tmp_path / "taken")
    elsewhere.mkdir()
    (tmp_path / "taken").rename(elsewhere / ".vcad")
    assert opened(elsewhere).of("X") == "ask"
    opened(workspace).set("X", "allow")
    path = workspace / ".vcad" / "session.json"
    kept = json.loads(path.read_text())
    kept["approval_policy"]["network"] = "allow"
    path.write_text(json.dumps(kept))
    assert (opened(workspace).of("X"), opened(workspace).network) == ("ask", "deny")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"approval_policy": 3}',
        '{"approval_policy": {"rules": [["Z", null, "allow"]], "network": "deny", "step_mode": false}}',
        '{"approval_policy": {"rules": [["X", {}, "allow"]], "network": "deny", "step_mode": false}}',
        '{"approval_policy": {"rules": [], "network": "deny"}}',
        "[" * 100_000,
    ],
)
def test_a_file_that_makes_no_sense_is_told_and_the_usual_policy_holds(workspace: Path, text: str) -> None:
    (workspace / ".vcad").mkdir()
    (workspace / ".vcad" / "session.json").write_text(text)
    records = Records()
    policy = opened(workspace, records)
    assert (policy.of("X"), policy.network) == ("ask", "deny")
    assert [event for event, _ in records] == ["approval_policy_unreadable"]
    policy.set("D", "deny")
    assert opened(workspace).of("D") == "deny"


def test_a_policy_that_allows_no_more_than_usual_needs_no_key(workspace: Path, jupyter: Path) -> None:
    opened(workspace).set("X", "deny")
    assert opened(workspace).of("X") == "deny"
    assert not jupyter.exists()


def test_what_cannot_be_kept_holds_all_the_same_and_is_told(workspace: Path, tmp_path: Path) -> None:
    (workspace / ".vcad").symlink_to(tmp_path)
    records = Records()
    policy = opened(workspace, records)
    policy.set("W", "ask")
    assert policy.of("W") == "ask"
    assert [event for event, _ in records] == [
        "approval_policy_unreadable",
        "approval_policy_changed",
        "approval_policy_not_kept",
    ]
    assert not (tmp_path / "session.json").exists()


def test_sections_of_others_stay_and_a_pipe_holds_nobody_up(workspace: Path) -> None:
    state = StateFile(lambda: workspace)
    assert state.read("pause") is None
    state.write("pause", {"paused": True})
    opened(workspace).set("X", "deny")
    assert state.read("pause") == {"paused": True}
    path = workspace / ".vcad" / "session.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ValueError, match="no ordinary file"):
        state.read("pause")


def test_the_file_that_the_user_has_set_is_used(workspace: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.json"
    StateFile(lambda: workspace, elsewhere=lambda: mine).write("pause", 1)
    assert json.loads(mine.read_text()) == {"pause": 1}
    assert not (workspace / ".vcad").exists()
