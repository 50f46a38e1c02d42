"""What a script can do in a sandbox, and that none is left by what it is given."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from notebook_ext.workspace.shell.layout import Layout
from notebook_ext.workspace.shell.repository import borrowed
from notebook_ext.workspace.shell.sandbox import (
    CHANNELS,
    Limits,
    Sandbox,
    _works,
    enclosed,
)
from notebook_ext.workspace.shell.shell import ScriptRun, run_script
from vcad_kernel.errors import PathRefused, ServiceFailure

PATH = {"PATH": os.environ.get("PATH", os.defpath)}


@dataclass
class Shut:
    """A workspace, and one of the sandboxes of this system around its scripts."""

    kind: Sandbox
    workspace: Path

    def run(self, script: str, limits: Limits | None = None, **variables: str) -> ScriptRun:
        return run_script(
            script,
            workspace=self.workspace,
            folder=self.workspace,
            variables={**PATH, **variables},
            sandbox=self.kind,
            limits=limits,
        )

    def said(self, script: str, **variables: str) -> list[str]:
        ran = self.run(script, **variables)
        assert ran.exit_code == 0, ran.stderr
        return ran.stdout.splitlines()


@pytest.fixture
def layout(workspace: Path, tmp_path: Path) -> Layout:
    """Of a workspace with a repository, keys and passwords."""
    (workspace / ".git" / "hooks").mkdir(parents=True)
    for name in (".git/HEAD", ".git/config", ".env", "keys.pem"):
        (workspace / name).write_text("")
    staging = tmp_path / "staging"
    staging.mkdir()
    with borrowed(workspace, staging) as repository:
        return Layout.of(workspace, staging, repository.steps)


@pytest.fixture(params=["bubblewrap", "unshare", "sandbox-exec"])
def shut(request: pytest.FixtureRequest, workspace: Path) -> Shut:
    if sys.platform == "win32" or not _works(request.param):
        pytest.skip(f"this system offers no {request.param}")
    return Shut(request.param, workspace)


def test_only_the_workspace_can_be_written_to_and_there_is_no_network(shut: Shut) -> None:
    workspace = shut.workspace
    (workspace / ".vcad").mkdir()
    elsewhere = workspace.parent / "elsewhere"

    lines = shut.said(
        f"""
        echo kept > inside
        touch {elsewhere} || echo not elsewhere
        touch .vcad/policy || echo not ours
        mv .vcad gone || echo not moved
        touch /etc/vcad-test || echo not the system
        (echo > /dev/tcp/127.0.0.1/9) || echo no network
        """,
    )

    assert {"not ours", "not moved", "not the system", "no network"} <= set(lines)
    assert (workspace / "inside").read_text() == "kept\n"
    assert not elsewhere.exists()
    assert not (workspace / ".vcad" / "policy").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="of Linux")
def test_what_steers_the_machine_cannot_be_written_by_root_either(shut: Shut) -> None:
    lines = shut.said(
        """
        for one in /proc/sys/kernel/hostname /proc/sys/kernel/core_pattern /proc/sysrq-trigger; do
            test -w $one && echo writable $one
        done
        find /dev -type b
        ls /dev/pts/* 2> /dev/null || true
        grep -E '^(CapPrm|CapBnd):' /proc/self/status | grep -v 0000000000000000 || true
        echo > /dev/null && echo > /dev/shm/mine && echo looked
        """,
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


def test_variables_of_a_script_do_nothing_to_what_makes_its_sandbox(shut: Shut) -> None:
    workspace = shut.workspace
    # a program of that name before the real one, and what a shell and a Python read before all else
    elsewhere = workspace.parent / "escaped"
    tools = workspace / "tools"
    tools.mkdir()
    for name in ("bwrap", "sandbox-exec", "python3", "bash"):
        (tools / name).write_text(f'#!/bin/sh\ntouch {elsewhere}\nexec /bin/bash "$@"\n')
        (tools / name).chmod(0o755)
    (workspace / "sitecustomize.py").write_text(f"open({str(elsewhere)!r}, 'w').close()\n")
    (workspace / "rc").write_text(f"touch {elsewhere} 2> /dev/null\n")

    lines = shut.said(
        'echo "$WORD $PYTHONPATH"',
        PATH=f"{tools}:{PATH['PATH']}",
        PYTHONPATH=str(workspace),
        BASH_ENV=str(workspace / "rc"),
        LD_LIBRARY_PATH=str(workspace),
        WORD="a \"b'",
    )

    assert lines == [f"a \"b' {workspace}"]
    assert not elsewhere.exists()


def test_no_variable_stands_on_a_command_line_or_reaches_what_makes_the_sandbox(layout: Layout) -> None:
    for sandbox in ("bubblewrap", "unshare", "none"):
        if sys.platform != "linux" and sandbox != "bubblewrap":
            continue
        variables = {"KEY": "secret", "LD_PRELOAD": "/x.so"}
        made = enclosed(sandbox, ["bash", "x.sh"], layout, layout.workspace, variables, Limits())
        assert set(CHANNELS[: len(made.channels)]) <= set(made.words)
        assert "secret" not in " ".join(made.words)
        assert set(made.variables) == {"PATH"}
        assert b"secret" in made.channels[-1]
        # bubblewrap itself is not told either: what it sets, its first process would read
        assert all(b"secret" not in data for data in made.channels[:-1])


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_a_script_may_commit_but_not_change_what_git_runs_for_the_person(shut: Shut) -> None:
    workspace = shut.workspace
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    (workspace / ".git" / "hooks").mkdir(exist_ok=True)
    before = (workspace / ".git" / "config").read_bytes()

    lines = shut.said(
        """
        git -c user.name=A -c user.email=a@example.org commit -q --allow-empty -m one && echo committed
        git config core.fsmonitor evil || echo not its settings
        echo evil > .git/config || echo not by hand
        echo evil > .git/hooks/post-checkout || echo not its hooks
        echo ../.evil > .git/commondir || echo not another one
        mkdir .git/worktrees/x || echo no worktrees
        mv .git old || echo not moved
        rm -rf .git/hooks || echo not removed
        """,
        HOME=str(workspace),
    )

    assert lines == [
        *("committed", "not its settings", "not by hand", "not its hooks", "not another one"),
        *("no worktrees", "not moved", "not removed"),
    ]
    assert (workspace / ".git" / "config").read_bytes() == before


def test_keys_and_tokens_of_the_home_folder_are_not_seen(shut: Shut, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = shut.workspace
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

    lines = shut.said("cat home/plain home/.netrc; ls -A home/.ssh home/runtime; grep -rs secret home || :")

    assert "secret" not in " ".join(lines)
    assert lines[0].startswith("plain")


def test_both_sandboxes_of_linux_lay_out_the_same_and_macos_forbids_it(layout: Layout) -> None:
    root = layout.workspace
    made = enclosed("bubblewrap", ["bash", "x.sh"], layout, root, {}, Limits())
    words = made.channels[0].decode().split("\0")
    text = enclosed("sandbox-exec", ["bash", "x.sh"], layout, root, {}, Limits()).words[2]

    assert made.words[1:4] == ("--args", CHANNELS[0], "--")
    assert made.words[-3:] == (CHANNELS[1], "bash", "x.sh")
    assert words[-3:] == ["--chdir", str(root), ""]
    bound = {where: kind for kind, _, where in layout.steps}
    assert [where for where, kind in bound.items() if kind == "write"] == [str(root), f"{root}/.git"]
    options = {"read": "--ro-bind-try", "write": "--bind", "device": "--dev-bind-try", "link": "--symlink"}
    for kind, what, where in layout.steps:
        if kind in options:
            at = words.index(where, words.index(what) if what != where else 0)
            assert options[kind] in words[: at + 2], where
    assert words.count("--tmpfs") == sum(kind == "fresh" for kind, *_ in layout.steps)
    if sys.platform == "linux":
        (asked,) = enclosed("unshare", ["bash", "x.sh"], layout, root, {}, Limits()).channels
        assert [tuple(step) for step in json.loads(asked)["steps"]] == list(layout.steps)
    for denied in (".env", "keys.pem"):
        assert bound[f"{root}/{denied}"] == "read"
        assert json.dumps(f"{root}/{denied}") in text.splitlines()[-1]
    assert "(deny network*)" in text
    assert "(deny file-write* (regex" in text


def test_where_a_sandbox_could_not_be_tried_in_time_no_script_runs_and_it_is_tried_again(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[object] = []

    def slow(*_words: object, **_options: object) -> subprocess.Popen[bytes]:
        tried.append(_words)
        raise subprocess.TimeoutExpired("bwrap", 20)

    monkeypatch.setattr("notebook_ext.workspace.shell.sandbox.started", slow)
    monkeypatch.setattr("shutil.which", lambda name, **_: f"/bin/{name}")
    _works.cache_clear()
    try:
        for _ in range(2):
            before = len(tried)
            with pytest.raises(ServiceFailure) as busy:
                run_script("touch ran", workspace=workspace, folder=workspace, variables=PATH)
            assert busy.value.error_code == "BUSY"
            assert len(tried) > before
        assert not (workspace / "ran").exists()
    finally:
        _works.cache_clear()


def test_nothing_is_there_but_the_workspace_the_interpreter_and_the_systems_programs(
    shut: Shut, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shut.workspace.parent
    (folder / "home" / "Documents").mkdir(parents=True)
    (folder / "home" / "Documents" / "letter").write_text("hush")
    monkeypatch.setenv("HOME", str(folder / "home"))
    lines = shut.said(
        f"""
        ls -A {folder / "home"}
        test -e {folder / "home" / "Documents"} && echo "its home folder"
        for one in /run /var /mnt /media /opt /srv /root/.bashrc /etc/shadow /etc/hostname; do
            test -e $one && echo $one
        done
        {sys.executable} -I -c 'import notebook_ext, numpy; print("python")'
        echo kept > {folder / "home" / "mine"} && echo > /tmp/mine && echo looked
        """
    )
    assert lines == ["python", "looked"]
    assert not (folder / "home" / "mine").exists()  # it was a folder in memory


def test_what_the_path_policy_denies_is_empty_by_all_its_names(shut: Shut) -> None:
    workspace = shut.workspace
    denied = (
        ".env",
        "a/b/.env.local",
        "a/my.pem",
        ".ssh/id_rsa",
        "a/.vcad/session.json",
        ".vcad/logs/x.jsonl",
        "c/.env",
    )
    plain = ("a/plain", "c/HEAD", "c/objects/x", "c/refs/x")  # c is a repository to git, and read-only
    for name in (*denied, *plain):
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("plain\n" if name in plain else "hush\n")
    (workspace / "other.txt").hardlink_to(workspace / ".env")
    (workspace / ".vcad" / "exports").mkdir()
    (workspace / ".vcad" / "exports" / "a.stl").write_text("solid\n")
    lines = shut.said(
        """
        cat a/plain .vcad/exports/a.stl
        grep -rs hush . | grep -v '/scripts/' || echo nothing
        echo mine > .env || echo not written
        mv a b || echo stays; cat [ab]/my.pem
        ln .env mine 2> /dev/null && cat mine || echo no second name
        """
    )
    assert lines[:4] == ["plain", "solid", "nothing", "not written"]
    assert lines[-1] == "no second name"
    assert (workspace / ".env").read_text() == "hush\n"


def test_no_socket_of_the_machine_is_reached(shut: Shut) -> None:
    """Neither one in the file system, nor one with an abstract name."""
    import socket

    names = [str(shut.workspace / "host.sock"), f"\0vcad-test-{os.getpid()}"][
        : 2 if sys.platform == "linux" else 1
    ]
    listening = []
    for name in names:
        one = socket.socket(socket.AF_UNIX)
        one.bind(name)
        one.listen()
        listening.append(one)
    tried = f"""
import socket
for name in {names!r}:
    try:
        socket.socket(socket.AF_UNIX).connect(name)
        print("connected")
    except OSError:
        print("refused")
"""
    try:
        (shut.workspace / "tried.py").write_text(tried)
        assert shut.said(f"{sys.executable} -I tried.py") == ["refused"] * len(names)
    finally:
        for one in listening:
            one.close()


def test_the_interpreter_is_read_only_where_it_lies_in_the_workspace(
    shut: Shut, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is put there would run in the person's next kernel."""
    packages = shut.workspace / ".venv" / "lib"
    packages.mkdir(parents=True)
    monkeypatch.setattr(sys, "prefix", str(shut.workspace / ".venv"))
    assert shut.said("touch .venv/lib/sitecustomize.py || echo not the interpreter") == [
        "not the interpreter"
    ]
    assert list(packages.iterdir()) == []


LIMITS = Limits(processes=40, memory_bytes=300 * 2**20, file_bytes=2**20, open_files=40)


@pytest.mark.skipif(sys.platform != "linux", reason="of Linux")
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("for _ in {1..400}; do sleep 600 & done; wait", ("more than 40 processes", "fork: ")),
        ("head -c 3000000 /dev/zero > large", ("File size limit", "File too large")),
        (
            f'{sys.executable} -I -c \'[open("/dev/null") for _ in range(99)] + open("x")\'',
            ("Too many open",),
        ),
        (f"{sys.executable} -I -c 'b\"x\" * 2**29'", ("MemoryError",)),
        (
            "for _ in 1 2 3; do "
            f"{sys.executable} -I -c 'import time; x = b\"x\" * (200 * 2**20); time.sleep(600)' & done; wait",
            ("more than 300 MiB of memory",),
        ),
    ],
    ids=["processes", "file", "open files", "memory of one", "memory of all"],
)
def test_a_script_is_held_to_its_limits(shut: Shut, script: str, said: tuple[str, ...]) -> None:
    ran = shut.run(script, LIMITS)
    assert ran.exit_code not in (0, None)
    assert any(text in ran.stderr for text in said), ran.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="of Linux")
def test_a_script_without_a_sandbox_is_held_to_its_limits_too(workspace: Path) -> None:
    ran = run_script(
        "for _ in {1..400}; do sleep 600 & done; wait",
        workspace=workspace,
        folder=workspace,
        variables=PATH,
        sandbox="none",
        limits=LIMITS,
    )
    assert "more than 40 processes" in ran.stderr
    assert ran.exit_code == 137


def test_a_workspace_that_holds_the_system_runs_no_script(tmp_path: Path) -> None:
    with pytest.raises(PathRefused, match="holds the system"):
        Layout.of(Path("/"), tmp_path)
