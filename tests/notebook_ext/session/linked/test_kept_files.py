"""From which files parts were made, from one kernel to the next; a state without sense costs only that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.session.linked.kept_files import KeptFiles
from notebook_ext.state_file import StateFile


class Log:
    """Notes events."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def event(self, name: str, **_: Any) -> None:
        self.events.append(name)


@pytest.fixture
def log() -> Any:
    return Log()


def kept(folder: Path, log: Any) -> KeptFiles:
    return KeptFiles(StateFile(lambda: folder), log)


def test_a_later_kernel_knows_them_and_other_sections_stay(tmp_path: Path, log: Any) -> None:
    StateFile(lambda: tmp_path).write("watching", {"paused_since": None})
    kept(tmp_path, log).keep({"leg": ("leg.cmp.oo", "dims.oo")})
    later = kept(tmp_path, log)
    assert (later.of("leg"), later.of("top")) == (("leg.cmp.oo", "dims.oo"), ())
    written = tmp_path / ".vcad" / "session.json"
    assert sorted(json.loads(written.read_text())) == ["made_from", "watching"]
    before = written.stat().st_mtime_ns
    later.keep({"leg": ("leg.cmp.oo", "dims.oo")})
    assert written.stat().st_mtime_ns == before, "what is kept already is not written again"
    assert log.events == []


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("{ torn", ["watch_state_unreadable"]),
        ('{"made_from": ["leg"]}', []),
        ('{"made_from": {"leg": 3}}', []),
    ],
)
def test_a_state_that_makes_no_sense_is_as_none(
    text: str, events: list[str], tmp_path: Path, log: Any
) -> None:
    (tmp_path / ".vcad").mkdir()
    (tmp_path / ".vcad" / "session.json").write_text(text)
    files = kept(tmp_path, log)
    assert files.of("leg") == ()
    assert log.events == events
    files.keep({"leg": ("leg.cmp.oo",)})
    assert kept(tmp_path, log).of("leg") == ("leg.cmp.oo",)


def test_what_cannot_be_written_is_in_the_log_and_known_all_the_same(tmp_path: Path, log: Any) -> None:
    (tmp_path / ".vcad").write_text("no folder")
    files = kept(tmp_path, log)
    files.keep({"leg": ("leg.cmp.oo",)})
    assert files.of("leg") == ("leg.cmp.oo",)
    assert "watch_state_not_kept" in log.events
