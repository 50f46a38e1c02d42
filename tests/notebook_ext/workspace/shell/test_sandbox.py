"""What a script can do in a sandbox, and that none is left by what it is given."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from notebook_ext.workspace.shell.sandbox import CHANNEL, _works, enclosed, strongest_sandbox
from notebook_ext.workspace.shell.shell import ScriptRun, run_script

PATH = {"PATH": os.environ.get("PATH", os.defpath)}


@pytest.fixture(scope="module")
def _sandbox() -> None:
    if sys.platform == "win32" or strongest_sandbox() == "none":
        pytest.skip("this system offers no sandbox")


def run(script: str, workspace: Path, **variables: str) -> ScriptRun:
    return run_script(
        script,
        workspace=workspace,
        folder=workspace,
        variables={**PATH, **variables},
        sandbox=strongest_sandbox(),
    )


def said(script: str, workspace: Path, **variables: str) -> list[str]:
    ran = run(script, workspace, **variables)
    assert ran.exit_code == 0, ran.stderr
    return ran.stdout.splitlines()


@pytest.mark.usefixtures("_sandbox")
def test_only_the_workspace_can_be_written_to_and_there_is_no_network(workspace: Path) -> None:
    (workspace / ".vcad").mkdir()
    elsewhere = workspace.parent / "elsewhere"

    lines = said(
        f"""
        echo kept > inside
        touch {elsewhere} || echo not elsewhere
        touch .vcad/policy || echo not ours
        mv .vcad gone || echo not moved
        touch /etc/vcad-test || echo not the system
        (echo > /dev/tcp/127.0.0.1/9) || echo no network
        """,
        workspace,
    )

    assert {"not ours", "not moved", "not the system", "no network"} <= set(lines)
    assert (workspace / "inside").read_text() == "kept\n"
    assert not elsewhere.exists()
    assert not (workspace / ".vcad" / "policy").exists()


@pytest.mark.usefixtures("_sandbox")
@pytest.mark.skipif(sys.platform != "linux", reason="of Linux")
def test_what_steers_the_machine_cannot_be_written_by_root_either(workspace: Path) -> None:
    lines = said(
        """
        for one in /proc/sys/kernel/hostname /proc/sys/kernel/core_pattern /proc/sysrq-trigger; do
            test -w $one && echo writable $one
        done
        find /dev -type b
        ls /dev/pts/* 2> /dev/null || true
        grep -E '^(CapPrm|CapBnd):' /proc/self/status | grep -v 0000000000000000 || true
        echo > /dev/null && echo > /dev/shm/mine && echo looked
        """,
        workspace,
    )

    assert lines == ["looked"]


@pytest.mark.skipif(sys.platform != "linux", reason="of Linux")
def test_the_jail_gives_up_every_right_before_a_script_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, of a system that only notes it: a jail that breaks here counts as one there is not."""
    from notebook_ext.workspace.shell import jail as shell_jail

    asked: list[list[int]] = []

    def prctl(*words: int) -> int:
        asked.append(list(words[:2]))
        return 0 if words[1] < 3 else -1  # a system of three capabilities

    def capset(header: Any, rights: Any) -> int:
        asked.append([*header, *rights])
        return 0

    monkeypatch.setattr(shell_jail, "_libc", SimpleNamespace(prctl=prctl, capset=capset))
    shell_jail._give_up_rights()
    no_new, drop, version = 38, 24, 0x20080522  # of prctl(2) and capset(2)
    assert asked == [[no_new, 1], *([drop, one] for one in range(4)), [version, 0, *[0] * 6]]


@pytest.mark.usefixtures("_sandbox")
def test_variables_of_a_script_do_nothing_to_what_makes_its_sandbox(workspace: Path) -> None:
    # a program of that name before the real one, and what a shell and a Python read before all else
    elsewhere = workspace.parent / "escaped"
    tools = workspace / "tools"
    tools.mkdir()
    for name in ("bwrap", "sandbox-exec", "python3", "bash"):
        (tools / name).write_text(f'#!/bin/sh\ntouch {elsewhere}\nexec /bin/bash "$@"\n')
        (tools / name).chmod(0o755)
    (workspace / "sitecustomize.py").write_text(f"open({str(elsewhere)!r}, 'w').close()\n")
    (workspace / "rc").write_text(f"touch {elsewhere} 2> /dev/null\n")

    lines = said(
        'echo "$WORD $PYTHONPATH"',
        workspace,
        PATH=f"{tools}:{PATH['PATH']}",
        PYTHONPATH=str(workspace),
        BASH_ENV=str(workspace / "rc"),
        LD_LIBRARY_PATH=str(workspace),
        WORD="a \"b'",
    )

    assert lines == [f"a \"b' {workspace}"]
    assert not elsewhere.exists()


def test_no_variable_stands_on_a_command_line_or_reaches_what_makes_the_sandbox() -> None:
    root = Path("/project")
    for sandbox in ("bubblewrap", "unshare", "none"):
        if sys.platform != "linux" and sandbox != "bubblewrap":
            continue
        made = enclosed(sandbox, ["bash", "x.sh"], root, root, {"KEY": "secret", "LD_PRELOAD": "/x.so"})
        assert CHANNEL in made.words
        assert "secret" not in " ".join(made.words)
        assert set(made.variables) == {"PATH"}
        assert b"secret" in made.channel_data


@pytest.mark.usefixtures("_sandbox")
@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_a_script_may_commit_but_not_change_what_git_runs_for_the_person(workspace: Path) -> None:
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    (workspace / ".git" / "hooks").mkdir(exist_ok=True)
    before = (workspace / ".git" / "config").read_bytes()

    lines = said(
        """
        git -c user.name=A -c user.email=a@example.org commit -q --allow-empty -m one && echo committed
        git config core.fsmonitor evil || echo not its settings
        echo evil > .git/config || echo not by hand
        echo evil > .git/hooks/post-checkout || echo not its hooks
        mv .git old || echo not moved
        rm -rf .git/hooks || echo not removed
        """,
        workspace,
        HOME=str(workspace),
    )

    assert lines == [
        *("committed", "not its settings", "not by hand", "not its hooks", "not moved", "not removed"),
    ]
    assert (workspace / ".git" / "config").read_bytes() == before


@pytest.mark.usefixtures("_sandbox")
def test_keys_and_tokens_of_the_home_folder_are_not_seen(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the home folder lies in the workspace here: what else is in it must stay
    home = workspace / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id").write_text("secret")
    (home / ".netrc").write_text("secret")
    (home / "plain").write_text("plain")
    (home / "runtime").mkdir()
    (home / "runtime" / "vcad-s-1.json").write_text("secret")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(home / "runtime"))

    lines = said(
        "cat home/plain home/.netrc; ls -A home/.ssh home/runtime; grep -rs secret home || :", workspace
    )

    assert "secret" not in " ".join(lines)
    assert lines[0].startswith("plain")


def test_a_command_for_bubblewrap_and_one_for_macos_name_the_workspace_alone_as_writable() -> None:
    root, inner = Path("/project"), Path("/project/part")

    made = enclosed("bubblewrap", ["bash", "x.sh"], root, inner, {"WORD": "a b"})
    words = made.channel_data.decode().split("\0")
    profile = enclosed("sandbox-exec", ["bash", "x.sh"], root, inner, {})
    text = profile.words[2]

    assert made.words[1:] == ("--args", CHANNEL, "--", "bash", "x.sh")
    assert words[words.index("--bind") : words.index("--bind") + 3] == ["--bind", "/project", "/project"]
    assert words.count("--bind") == 1
    assert "--unshare-all" in words
    assert words[words.index("--setenv") : words.index("--setenv") + 3] == ["--setenv", "WORD", "a b"]
    assert words[-3:] == ["--chdir", "/project/part", ""]
    for sealed in (".vcad", ".git/config", ".git/hooks"):
        at = words.index(f"/project/{sealed}")
        assert words[at - 1 : at + 2] == ["--ro-bind-try", f"/project/{sealed}", f"/project/{sealed}"]
    assert '(allow file-write* (subpath "/project")' in text
    assert json.dumps("/project/.git/hooks") in text
    assert "(deny network*)" in text


def test_a_sandbox_that_could_not_be_tried_in_time_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []

    def slow(*_words: object, **_options: object) -> subprocess.Popen[bytes]:
        tried.append(_words)
        raise subprocess.TimeoutExpired("bwrap", 20)

    monkeypatch.setattr("notebook_ext.workspace.shell.sandbox.started", slow)
    monkeypatch.setattr("shutil.which", lambda name, **_: f"/bin/{name}")
    _works.cache_clear()
    try:
        assert strongest_sandbox() == "none"
        before = len(tried)
        assert strongest_sandbox() == "none"
        assert len(tried) == 2 * before > 0
    finally:
        _works.cache_clear()
