"""`vcad config`: every setting as it is in force."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command import vcad


def test_every_setting_is_shown_with_its_source(tmp_path: Path) -> None:
    folder = tmp_path / "vcad-workbench"
    folder.mkdir()
    (folder / "vcad.toml").write_text("VCAD_MAX_QUEUE = 8\n", "utf-8")
    done = vcad("config", XDG_CONFIG_HOME=str(tmp_path), VCAD_EVAL_TIMEOUT_MS="2500")
    assert done.returncode == 0
    lines = {line.split()[0]: line.split() for line in done.stdout.split("\n") if line.startswith("VCAD_")}
    assert lines["VCAD_EVAL_TIMEOUT_MS"][1:4] == ["2500", "ms", "environment"]
    assert lines["VCAD_MAX_QUEUE"][1:4] == ["8", "requests", "file"]
    assert lines["VCAD_PORT"][1:3] == ["9877", "default"]
    assert done.stdout.endswith(f"file: {folder / 'vcad.toml'}\n")


def test_programs_read_it_as_json(tmp_path: Path) -> None:
    done = vcad("config", "--json", XDG_CONFIG_HOME=str(tmp_path), VCAD_HOST="::1")
    rows = {row["name"]: row for row in json.loads(done.stdout)["settings"]}
    assert rows["VCAD_HOST"]["value"] == "::1"
    assert rows["VCAD_HOST"]["source"] == "environment"
    assert rows["VCAD_WORKER_MEMORY_MB"]["unit"] == "MiB"
    assert rows["SUPEX_RETRIES"]["doc"]


def test_tokens_are_not_shown(tmp_path: Path) -> None:
    for form in ((), ("--json",)):
        done = vcad("config", *form, XDG_CONFIG_HOME=str(tmp_path), VCAD_AUTH_TOKEN="s3cret")
        assert "s3cret" not in done.stdout + done.stderr
        assert "(set)" in done.stdout


def test_a_bad_value_is_named_and_is_a_fault_of_use(tmp_path: Path) -> None:
    done = vcad("config", XDG_CONFIG_HOME=str(tmp_path), VCAD_PORT="http")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: VCAD_PORT must be a whole number from 0 to 65535, not 'http'\n"
