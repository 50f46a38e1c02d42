"""Which cell is running, by what a front end tells of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from notebook_ext.session.cells.running_cell import RunningCell


def test_what_one_python_cell_evaluates_are_cells_of_their_own_the_same_when_it_runs_again() -> None:
    message = {"header": {"msg_id": "first run"}, "metadata": {"cellId": "python"}}
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), get_parent=lambda: message)
    running = RunningCell(shell)

    def evaluated(source: str) -> str:
        return running.cell(source, None, {}).cell_id

    assert [evaluated("[let a 1]"), evaluated("[let b 2]")] == ["python", "python:2"]
    message["header"] = {"msg_id": "second run"}
    assert [evaluated("[let a 3]"), evaluated("[let b 4]")] == ["python", "python:2"]
