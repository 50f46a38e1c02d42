"""A slow cell in a real JupyterLab: it shows how far it is, can be stopped, and leaves nothing behind."""

from __future__ import annotations

import os
from pathlib import Path

from tests.browser.conftest import OpenNotebook

SLOW = """%%loon slow
[fn turn [n] [if [> n 0] [turn [- n 1]] n]]
[turn 400000000]
[cube 10 20 30]"""


def test_a_slow_cell_shows_its_progress_and_can_be_stopped(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=["%load_ext notebook_ext", SLOW, "%%loon quick\n[cube 1 2 3]"])
    notebook.begin_all()
    output = notebook.output(1)
    progress = output.locator(".vcad-progress")
    progress.wait_for()
    output.get_by_text("running the program").wait_for()
    where = os.environ.get("VCAD_SAVE_PROGRESS")
    if where:
        notebook.page.screenshot(path=Path(where))
    output.get_by_role("button", name="Stop").click()
    progress.wait_for(state="detached")
    output.get_by_text("interrupted").first.wait_for()
    # JupyterLab does not go on after a cell that failed
    assert notebook.execute("print(1 + 1)").strip() == "2"
    assert notebook.execute("get_ipython().run_cell_magic('loon', '', '[cube 1 2 3]').volume") == "6.0"
