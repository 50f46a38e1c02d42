"""`vcad service`: it listens, says where, and ends as it is told."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import COMMAND, vcad

PATIENCE = 20.0


def test_it_listens_until_its_parent_is_gone(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "service", "--port", "0", "--workspace", str(tmp_path), "--watch-parent"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        assert re.fullmatch(r"vcad service listening on 127\.0\.0\.1:\d+\n", line)
        process.stdin.close()
        assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize(
    ("arguments", "variables", "said"),
    [
        (("--host", "0.0.0.0"), {}, "VCAD_ALLOW_REMOTE=1 and VCAD_AUTH_TOKEN"),
        (("--port", "-1"), {}, "VCAD_PORT"),
        ((), {"VCAD_WORKER_MEMORY_MB": "lots"}, "VCAD_WORKER_MEMORY_MB"),
        (("--workspace", "/no/such/folder"), {}, "workspace"),
    ],
)
def test_wrong_settings_are_told_by_name(
    arguments: tuple[str, ...], variables: dict[str, str], said: str
) -> None:
    done = vcad("service", *arguments, **variables)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_a_token_is_never_an_argument() -> None:
    text = vcad("service", "--help", COLUMNS="200").stdout
    assert "--token-stdin" in text
    assert not re.search(r"--token\s", text)
