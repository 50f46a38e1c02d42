"""%loon_watch, as a person types it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from notebook_ext.magics.reacting import WatchMagics
from notebook_ext.session.reactive.trigger_window import Trigger
from notebook_ext.session.session import Session
from vcad_kernel.service.direct import DirectService


@pytest.fixture
def magics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WatchMagics]:
    monkeypatch.delenv("VCAD_WORKSPACE", raising=False)
    shell = InteractiveShell.instance()
    session = Session(shell, DirectService(), folder=tmp_path)
    yield WatchMagics(shell, session)
    session.close()


def test_a_pause_says_what_it_has_collected(magics: WatchMagics, capsys: pytest.CaptureFixture[str]) -> None:
    for line, said in (
        ("pause", "paused · 0 changes so far\n"),
        ("pause", "already paused · 0 changes so far\n"),
    ):
        magics.loon_watch(line)
        assert capsys.readouterr().out == said
    magics.session.watching.put(Trigger("node", "leg"))
    assert str(magics.loon_watch("")).startswith("paused · 1 change waits\nfiles: none is watched yet")
    magics.loon_watch("resume")
    assert capsys.readouterr().out == "resumed · 1 change to follow\n"
    magics.loon_watch("resume")
    assert capsys.readouterr().out == "already running\n"


def test_on_and_off_show_how_things_stand(magics: WatchMagics, tmp_path: Path) -> None:
    assert f"files: {tmp_path.resolve()}" in repr(magics.loon_watch("on"))
    assert "files: not watched (%loon_watch on)" in repr(magics.loon_watch("off"))
    assert "SketchUp: nothing is watched" in repr(magics.loon_watch("on"))
    assert repr(magics.loon_watch("status")) == repr(magics.loon_watch(""))


def test_help_and_what_there_is_not(magics: WatchMagics, capsys: pytest.CaptureFixture[str]) -> None:
    assert magics.loon_watch("--help") is None
    assert "pause" in capsys.readouterr().out
    with pytest.raises(UsageError, match="invalid choice"):
        magics.loon_watch("sometimes")
