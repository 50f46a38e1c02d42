"""What a user may set from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcad_kernel.errors import LoonError
from vcad_kernel.service.direct import DirectService
from vcad_kernel.settings import SettingError, Settings


def test_a_setting_that_is_not_given_has_its_default() -> None:
    assert Settings.from_environment({}).eval_seconds == 60
    assert Settings.from_environment({"VCAD_EVAL_TIMEOUT_MS": "250"}).eval_seconds == 0.25
    assert Settings.from_environment({"VCAD_EVAL_TIMEOUT_MS": "0"}).eval_seconds is None


def test_solids_outlive_the_kernel_only_where_a_folder_is_given() -> None:
    assert Settings.from_environment({}).cache_dir is None
    both = Settings.from_environment({"VCAD_CACHE_DIR": " .vcad/cache ", "VCAD_EVAL_TIMEOUT_MS": "250"})
    assert (both.cache_dir, both.eval_seconds) == (Path(".vcad/cache"), 0.25)
    assert Settings.from_environment({"VCAD_CACHE_DIR": "/var/kept"}).cache_dir == Path("/var/kept")


@pytest.mark.parametrize("text", ["soon", "-5", "1.5"])
def test_a_bad_value_is_named(text: str) -> None:
    with pytest.raises(SettingError, match="VCAD_EVAL_TIMEOUT_MS"):
        Settings.from_environment({"VCAD_EVAL_TIMEOUT_MS": text})


def test_the_time_for_a_program_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VCAD_EVAL_TIMEOUT_MS", "200")
    with pytest.raises(LoonError) as stopped:
        DirectService().eval_code("[fn spin [] [spin]] [spin]", allow_scene=True)
    assert stopped.value.code == "time-limit"
