"""Scripts: what they see, where they run, and that nothing of them stays."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import psutil
import pytest

from notebook_ext.workspace.shell.sandbox import Sandbox, strongest_sandbox
from notebook_ext.workspace.shell.shell import ScriptRun, run_script
from tests.steady_clock import SteadyClock
from vcad_kernel.errors import Cancelled, CapabilityUnavailable, PathRefused

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts are for bash")

PATH = {"PATH": os.environ.get("PATH", os.defpath)}

GRANDCHILD = """
echo ready
bash -c 'bash -c "trap \\"\\" TERM; echo \\$\\$ > grandchild; sleep 600; true" & wait'
"""
"""Leaves its process id in ``grandchild`` and does not listen to TERM."""


def run(script: str, workspace: Path, **others: object) -> ScriptRun:
    given = {"folder": workspace, "variables": PATH, "sandbox": "none", "timeout_s": 60.0, **others}
    return run_script(script, workspace=workspace, **given)  # type: ignore[arg-type]


def is_written(file: Path) -> bool:
    return file.exists() and file.stat().st_size > 0


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_script_runs_in_its_folder_and_its_file_is_kept(workspace: Path) -> None:
    inner = workspace / 'it\'s a "folder" $(x)'
    inner.mkdir()

    ran = run("pwd; echo wrong >&2", workspace, folder=inner)

    assert ran.stdout == f"{inner}\n"
    assert (ran.stderr, ran.exit_code, ran.timed_out) == ("wrong\n", 0, False)
    assert ran.script_path.read_text(encoding="utf-8") == "pwd; echo wrong >&2"
    assert ran.script_path.parent == workspace / ".vcad" / "scripts"
    assert ran.script_path.suffix == ".sh"


@pytest.mark.parametrize(
    ("script", "code"), [("false; echo on", 1), ("echo $unset", 1), ("false | true", 1), ("exit 7", 7)]
)
def test_the_first_failure_ends_a_script(script: str, code: int, workspace: Path) -> None:
    ran = run(script, workspace, on_failure=lambda _: "looked at")

    assert (ran.exit_code, ran.stdout, ran.analysis) == (code, "", "looked at")


def test_standard_input_is_closed(workspace: Path) -> None:
    assert run("if read line; then echo got; else echo nothing; fi", workspace).stdout == "nothing\n"


def test_a_script_outside_the_workspace_is_refused(workspace: Path) -> None:
    with pytest.raises(PathRefused) as refused:
        run("pwd", workspace, folder=workspace.parent)

    assert refused.value.details["workspace"] == str(workspace)
    assert not (workspace / ".vcad").exists()


@pytest.mark.parametrize("sandbox", ["none", "strongest"])
def test_running_out_of_time_ends_grandchildren_too(sandbox: str, workspace: Path) -> None:
    used: Sandbox = "none" if sandbox == "none" else strongest_sandbox()
    steady = SteadyClock()

    def pass_its_time() -> None:
        if is_written(workspace / "grandchild"):
            steady.advance(60)

    ran = run(GRANDCHILD, workspace, sandbox=used, looked_at=pass_its_time, grace_s=0.1, clock=steady)

    assert (ran.timed_out, ran.exit_code, ran.stdout) == (True, None, "ready\n")
    assert (workspace / "grandchild").read_text().strip().isdigit()
    here = str(workspace)
    left = [one.pid for one in psutil.process_iter() if is_alive(one.pid) and _works_in(one, here)]
    assert left == []


def _works_in(process: psutil.Process, folder: str) -> bool:
    try:
        return process.cwd() == folder
    except (psutil.Error, OSError):
        return False


def test_a_child_that_left_the_group_and_its_parent_is_ended_with_the_script(workspace: Path) -> None:
    ran = run(
        "setsid bash -c 'echo $$ > far; exec sleep 600' >&- 2>&- & until test -s far; do :; done", workspace
    )

    assert ran.exit_code == 0
    assert not is_alive(int((workspace / "far").read_text()))


def test_a_caller_that_gives_up_ends_the_script(workspace: Path) -> None:
    def give_up() -> None:
        if is_written(workspace / "pid"):
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        run("echo $$ > pid; sleep 600", workspace, looked_at=give_up, grace_s=0.2)

    assert not is_alive(int((workspace / "pid").read_text()))


def test_of_long_output_the_beginning_and_the_end_are_kept(workspace: Path) -> None:
    ran = run("echo first; printf 'x%.0s' {1..4000}; echo; echo last", workspace, output_limit=200)

    assert ran.cut
    assert ran.stdout.startswith("first\n")
    assert ran.stdout.endswith("x\nlast\n")
    first, last = ran.stdout.split("\n… 3812 bytes left out …\n")
    assert (len(first), len(last)) == (100, 100)


def test_only_the_given_variables_are_there(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VCAD_AUTH_TOKEN", "secret")

    ran = run("env", workspace)

    names = {line.partition("=")[0] for line in ran.stdout.splitlines()}
    assert names <= {"PATH", "PWD", "SHLVL", "_", "OLDPWD", "VCAD_SCRIPT_MARK"}
    assert "secret" not in ran.stdout


def test_a_folder_of_scripts_that_is_a_link_is_refused(workspace: Path, tmp_path: Path) -> None:
    (workspace / ".vcad").mkdir()
    (workspace / ".vcad" / "scripts").symlink_to(tmp_path)

    with pytest.raises(PathRefused):
        run("true", workspace)


def test_without_bash_it_says_so(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)

    with pytest.raises(CapabilityUnavailable) as missing:
        run("true", workspace)

    assert missing.value.details["required_capability"] == "bash"


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are taken in on Linux")
def test_a_child_that_left_and_has_none_of_our_variables_is_ended_with_the_script(workspace: Path) -> None:
    ran = run(
        f"env -i PATH=\"$PATH\" setsid bash -c 'echo $$ > {workspace}/far; exec sleep 600' >&- 2>&- & "
        "until test -s far; do :; done",
        workspace,
    )

    assert ran.exit_code == 0
    assert not is_alive(int((workspace / "far").read_text()))


def test_what_ended_a_script_is_told_as_bash_tells_it(workspace: Path) -> None:
    assert run("kill -KILL $$", workspace).exit_code == 137
    assert run("kill -TERM $$; sleep 600", workspace).exit_code == 143
    assert run("exec nothing-of-that-name", workspace).exit_code == 127


def test_output_is_told_as_it_comes(workspace: Path) -> None:
    heard: list[tuple[str, str]] = []

    def hear(stream: str, text: str) -> None:
        heard.append((stream, text))
        (workspace / "heard").touch()

    ran = run("echo ä; until test -e heard; do :; done; echo b >&2", workspace, on_output=hear)

    assert heard == [("stdout", "ä\n"), ("stderr", "b\n")]
    assert ran.stdout == "ä\n"


def test_of_a_flood_of_output_no_more_is_told_than_is_kept(workspace: Path) -> None:
    heard: list[str] = []
    run("head -c 100000 /dev/zero", workspace, output_limit=100, on_output=lambda _, text: heard.append(text))

    assert len("".join(heard)) == 100
