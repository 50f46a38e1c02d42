"""The place below the latest cell, when the interrupt of a cell comes while that place is being noted."""

from __future__ import annotations

import threading

import pytest
from IPython.core.interactiveshell import InteractiveShell

from notebook_ext.approval.panel import cell_dock


def test_an_interrupt_of_the_note_is_one_of_the_cell(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted = threading.Event()
    shell = InteractiveShell()
    dock = cell_dock.CellDock(shell)
    monkeypatch.setattr(cell_dock, "interrupt_main_thread", interrupted.set)
    monkeypatch.setattr(cell_dock.contextvars, "copy_context", _interrupted)
    shell.events.trigger("pre_run_cell", None)
    assert interrupted.wait(60)
    assert capsys.readouterr() == ("", "")
    dock.close()


def _interrupted() -> None:
    raise KeyboardInterrupt
