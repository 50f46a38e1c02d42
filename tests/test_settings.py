"""What a user may set from outside."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from vcad_kernel.errors import LoonError
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCode
from vcad_kernel.settings import SettingError, Settings, config_path

SPECIFICATION = Path(__file__).parents[1] / "docs" / "spec" / "service.md"
NOWHERE = Path("/nowhere/vcad.toml")


def load(given: dict[str, Any] | None = None, file: Path = NOWHERE, **variables: str) -> Settings:
    """Settings of these sources alone."""
    return Settings.load(given, variables=variables, file=file)


def written(folder: Path, text: str) -> Path:
    file = folder / "vcad.toml"
    file.write_text(text, "utf-8")
    return file


def test_a_setting_that_is_not_given_has_its_default() -> None:
    assert Settings.from_environment({}) == Settings()
    assert Settings.from_environment({}).eval_seconds == 120
    assert Settings.from_environment({"VCAD_EVAL_TIMEOUT_MS": "250"}).eval_seconds == 0.25
    assert Settings.from_environment({"VCAD_EVAL_TIMEOUT_MS": "0"}).eval_seconds is None


def test_solids_outlive_the_kernel_only_where_a_folder_is_given() -> None:
    assert Settings.from_environment({}).cache_dir is None
    both = Settings.from_environment({"VCAD_CACHE_DIR": " .vcad/cache ", "VCAD_EVAL_TIMEOUT_MS": "250"})
    assert (both.cache_dir, both.eval_seconds) == (Path(".vcad/cache"), 0.25)
    assert Settings.from_environment({"VCAD_CACHE_DIR": "/var/kept"}).cache_dir == Path("/var/kept")


def test_the_nearest_source_wins(tmp_path: Path) -> None:
    file = written(tmp_path, "VCAD_PORT = 1\nVCAD_MAX_QUEUE = 2\nVCAD_HOST = 'file.example'\n")
    found = load({"VCAD_PORT": 3, "VCAD_HOST": None}, file, VCAD_PORT="4", VCAD_MAX_QUEUE="5")
    assert (found.port, found.max_queue, found.host) == (3, 5, "file.example")
    rows = {row.name: row.source for row in found.describe()}
    assert rows["VCAD_PORT"] == "given"
    assert rows["VCAD_MAX_QUEUE"] == "environment"
    assert rows["VCAD_HOST"] == "file"
    assert rows["VCAD_TIMEOUT"] == "default"


def test_every_setting_of_the_specification_is_there() -> None:
    text = SPECIFICATION.read_text("utf-8").partition("\n## 7.")[2].partition("\n## 8.")[0]
    names = {row.name for row in Settings().describe()}
    specified = {
        word.strip("`,.()") for word in text.split() if word.startswith(("VCAD_", "`VCAD_", "SUPEX_"))
    }
    assert len(specified) > 20
    assert specified <= names


def test_every_setting_has_a_row_with_its_purpose() -> None:
    rows = Settings().describe()
    attributes = [field.name for field in dataclasses.fields(Settings) if field.name != "sources"]
    assert len(rows) == len(attributes) == len({row.name for row in rows})
    assert all(row.doc for row in rows)
    assert {"ms", "s", "MiB", "bytes"} <= {row.unit for row in rows}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("VCAD_EVAL_TIMEOUT_MS", text) for text in ("soon", "-5", "1.5", "٣", "9" * 30)),
        *(("VCAD_PORT", text) for text in ("65536", "-1", "http")),
        *(("VCAD_TIMEOUT", text) for text in ("0", "-1", "nan", "inf", "long")),
        ("VCAD_MAX_QUEUE", "0"),
        ("VCAD_LINE_MAX", "16"),
        ("VCAD_WORKER_MEMORY_MB", "1"),
        ("VCAD_ALLOW_REMOTE", "perhaps"),
        ("VCAD_IN_PROCESS", "2"),
        ("VCAD_HOST", "two hosts"),
        ("VCAD_SESSION", "a\tb"),
        ("SUPEX_PORT", "0"),
        ("SUPEX_IDLE_TIMEOUT", "0"),
        ("SUPEX_MAX_RESPONSE", "4095"),
        ("SUPEX_AGENT", "a\tb"),
        ("SUPEX_EXPECTED_MODEL", "a\nb"),
    ],
)
def test_a_bad_value_is_named(name: str, text: str) -> None:
    with pytest.raises(SettingError, match=name) as refused:
        load(**{name: text})
    assert repr(text) in str(refused.value)


def test_a_complaint_says_what_is_wanted_with_its_unit() -> None:
    with pytest.raises(SettingError) as refused:
        load(VCAD_EVAL_TIMEOUT_MS="soon")
    assert str(refused.value) == "VCAD_EVAL_TIMEOUT_MS must be a whole number of milliseconds, not 'soon'"
    with pytest.raises(SettingError, match="a whole number from 0 to 65535, not '70000'"):
        load(VCAD_PORT="70000")


@pytest.mark.parametrize(
    ("text", "is_on"), [("1", True), ("yes", True), ("ON", True), ("0", False), ("false", False)]
)
def test_a_switch_reads_as_people_write_it(text: str, is_on: bool) -> None:
    assert load(VCAD_ALLOW_REMOTE=text).allow_remote is is_on


@pytest.mark.parametrize("text", ["true", "1", "false", "0"])
def test_a_switch_in_the_file_is_a_truth_value_or_a_number(tmp_path: Path, text: str) -> None:
    found = load(file=written(tmp_path, f"VCAD_ALLOW_REMOTE = {text}\n"))
    assert found.allow_remote is (text in {"true", "1"})


def test_a_token_is_never_shown() -> None:
    found = load(VCAD_AUTH_TOKEN="s3cret", SUPEX_AUTH_TOKEN="s3cret too")
    assert (found.auth_token, found.supex_auth_token) == ("s3cret", "s3cret too")
    assert "s3cret" not in repr(found)
    assert "s3cret" not in repr(found.describe())
    assert {row.value for row in found.describe() if "TOKEN" in row.name} == {"(set)"}
    with pytest.raises(SettingError) as refused:
        load(VCAD_AUTH_TOKEN="s3\x00cret")
    assert "cret" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_the_file_of_settings_is_typed(tmp_path: Path) -> None:
    found = load(
        file=written(tmp_path, "VCAD_TIMEOUT = 2.5\nVCAD_IN_PROCESS = true\nVCAD_TEMP_DIR = '~/made'\n")
    )
    assert (found.timeout_seconds, found.in_process) == (2.5, True)
    assert found.temp_dir == Path.home() / "made"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("VCAD_PORT = true", "VCAD_PORT must be a whole number"),
        ("VCAD_PORT = 1.0", "VCAD_PORT must be a whole number"),
        ("VCAD_TIMEOUT = nan", "VCAD_TIMEOUT"),
        ("VCAD_HOST = ''", "VCAD_HOST"),
        ("VCAD_HOST = 3", "VCAD_HOST"),
        ("VCAD_TEMP_DIR = 3", "VCAD_TEMP_DIR"),
        ("VCAD_IN_PROCESS = 7", "VCAD_IN_PROCESS"),
        ("VCAD_PROT = 1", "no setting: 'VCAD_PROT'"),
        ("[service]\nport = 1", "no setting: 'service'"),
        ("VCAD_PORT = ", "not a TOML file"),
    ],
)
def test_a_fault_in_the_file_is_named(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(SettingError, match=complaint):
        load(file=written(tmp_path, text))


def test_a_file_that_cannot_be_read_is_no_reason_to_go_on_without(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="cannot read"):
        load(file=tmp_path)
    binary = tmp_path / "vcad.toml"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingError, match="not a TOML file"):
        load(file=binary)


def test_an_unknown_name_from_the_caller_is_refused() -> None:
    with pytest.raises(SettingError, match="VCAD_PROT"):
        load({"VCAD_PROT": 1})


def test_the_users_own_file_and_environment_are_read_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("VCAD_MAX_QUEUE", "7")
    config_path().parent.mkdir(parents=True)
    config_path().write_text("VCAD_PORT = 8\nVCAD_MAX_QUEUE = 9\n", "utf-8")
    assert (Settings.load().port, Settings.load().max_queue) == (8, 7)


def test_the_time_for_a_program_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VCAD_EVAL_TIMEOUT_MS", "200")
    with pytest.raises(LoonError) as stopped:
        DirectService().evaluate(EvalCode("[fn spin [] [spin]] [spin]", allow_scene=True))
    assert stopped.value.code == "time-limit"


def test_the_hook_api_is_on_or_off_or_left_to_the_kind_of_session() -> None:
    assert load().hooks is None
    assert load(VCAD_HOOKS="0").hooks is False
    assert load(VCAD_HOOKS="on").hooks is True
    with pytest.raises(SettingError, match="VCAD_HOOKS must be 1 or 0"):
        load(VCAD_HOOKS="perhaps")


def test_the_packs_of_agents_are_a_text_of_one_line(tmp_path: Path) -> None:
    assert load().agent_packs is None
    assert load(file=written(tmp_path, 'VCAD_AGENT_PACKS = "files, python"')).agent_packs == "files, python"
    with pytest.raises(SettingError, match="VCAD_AGENT_PACKS"):
        load(VCAD_AGENT_PACKS="files\npython")
