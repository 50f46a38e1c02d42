"""The magics about SketchUp, as a person types them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from notebook_ext.magics.sketchup import SketchupMagics
from notebook_ext.session.session import Session
from notebook_ext.sketchup.status import PlanView
from vcad_kernel.service.direct import DirectService


@pytest.fixture
def magics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SketchupMagics]:
    monkeypatch.delenv("VCAD_WORKSPACE", raising=False)
    shell = InteractiveShell.instance()
    session = Session(shell, DirectService(), folder=tmp_path)
    yield SketchupMagics(shell, session)
    session.close()


@pytest.mark.parametrize(("line", "mode"), [("", "incremental"), ("--clean", "clean")])
def test_a_plan_is_of_what_has_changed_or_of_building_all_anew(
    magics: SketchupMagics, line: str, mode: str
) -> None:
    shown = magics.loon_plan(line)
    assert isinstance(shown, PlanView)
    assert shown.trace.mode == mode
