"""What is stopped of the processes of a script."""

from __future__ import annotations

import subprocess
from types import SimpleNamespace

import psutil
import pytest

from notebook_ext.workspace.shell.shell import MARK, stop_tree


@pytest.mark.parametrize("ended", [False, True])
def test_a_process_that_ends_while_it_is_looked_at_is_not_struck(
    ended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    struck: list[str] = []

    def status() -> str:
        if ended or "kill" in struck:
            raise psutil.NoSuchProcess(0)
        return psutil.STATUS_RUNNING

    one = SimpleNamespace(
        pid=0,
        environ=lambda: {MARK: "script"},
        is_running=lambda: True,
        status=status,
        kill=lambda: struck.append("kill"),
    )
    monkeypatch.setattr(psutil, "process_iter", lambda: [one])
    monkeypatch.setattr(psutil, "wait_procs", lambda _processes, timeout: ([], []))
    with subprocess.Popen(["true"]) as process:
        process.wait()
        stop_tree(process, "script", grace_s=0)
    assert struck == ([] if ended else ["kill"])
