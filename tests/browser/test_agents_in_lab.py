"""What an agent does is there in the person's JupyterLab at once, and says who did it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.agent import NAME, Agent, attached_agent
from tests.browser.conftest import OpenNotebook
from tests.browser.lab import Lab
from tests.browser.notebook import Notebook

PLATE = """%%loon plate
[defparam thickness 5.0 {:unit "mm" :min 2 :max 20}]
[cube 40 30 thickness]"""

CELLS = ["%load_ext notebook_ext", PLATE, "session.view()", "from pathlib import Path", "# mine"]


@pytest.fixture
def notebook(open_notebook: OpenNotebook) -> Notebook:
    notebook = open_notebook(cells=CELLS)
    notebook.run_all()
    return notebook


@pytest.fixture
def agent(notebook: Notebook, jupyter: Lab) -> Iterator[Agent]:
    folder = Path(notebook.execute("print(session.workspace)").strip())
    with attached_agent(notebook.page, folder, jupyter.root.parent / "runtime", "notebook") as one:
        yield one


def picture(notebook: Notebook, name: str) -> None:
    """Keep what is on screen, where VCAD_SAVE_AGENTS names a folder."""
    where = os.environ.get("VCAD_SAVE_AGENTS")
    if where:
        notebook.page.screenshot(path=Path(where) / f"{name}.png")


def texts(notebook: Notebook) -> list[str]:
    """What stands in the cells on screen, saved or not."""
    found: list[str] = notebook.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.widgets"
        ".map(cell => cell.model.sharedModel.getSource())"
    )
    return found


def done(answer: dict[str, object]) -> dict[str, object]:
    assert answer["success"], answer
    return answer


def test_an_agents_edit_is_seen_with_its_figures_and_its_name(notebook: Notebook, agent: Agent) -> None:
    info = done(agent.call("session_info"))
    assert info["attached"] is True
    plate, live = notebook.view(cell=1), notebook.live_view(cell=2)
    before = plate.wait_for(lambda state: state["parts"] == ["plate"])
    notebook.output(1).get_by_text("volume 6000 mm³").wait_for()

    moved = done(agent.call("vcad_set_parameter", node_id="plate", name="thickness", value="0.8 cm"))
    assert moved["volume"] == pytest.approx(9600)
    after = plate.wait_for(lambda state: state["revision"] > before["revision"])
    assert after["position"] == before["position"]
    notebook.output(1).get_by_text("40 × 30 × 8 mm · volume 9600 mm³").wait_for()
    notebook.output(2).get_by_text(
        f"{NAME}: vcad_set_parameter plate → revision {moved['revision']}"
    ).wait_for()
    picture(notebook, "parameter")

    written = done(
        agent.call("set_file_slice", path="pin.loon", start_line=1, end_line=0, content="[cylinder 4 30]\n")
    )
    assert written["created"] is True
    done(agent.call("vcad_place", node_id="pin", source_file="pin.loon", position=[60, 15, 0]))
    first = live.wait_for(lambda state: state["parts"] == ["plate", "pin"])
    triangles = int(notebook.execute("print(session.view().state.triangles)"))
    done(agent.call("set_file_slice", path="pin.loon", start_line=1, end_line=1, content="[cube 8 8 40]\n"))
    updated = done(agent.call("vcad_update", node_id="pin"))
    assert updated["volume"] == pytest.approx(2560)
    live.wait_for(lambda state: state["revision"] > first["revision"])
    assert int(notebook.execute("print(session.view().state.triangles)")) < triangles
    line = f"{NAME}: vcad_update pin → revision {updated['revision']}"
    notebook.output(2).get_by_text(line).wait_for()
    picture(notebook, "update")


def test_an_open_notebook_is_changed_on_screen_after_a_yes(notebook: Notebook, agent: Agent) -> None:
    notebook.rewrite(4, "# mine, and not saved")
    listed = done(agent.call("nb_list_cells", path="cells.ipynb"))
    assert listed["live"] is True
    first_lines = [cell["first_line"] for cell in listed["cells"]]  # type: ignore[attr-defined]
    assert first_lines == [*("%load_ext notebook_ext", "%%loon plate"), *CELLS[2:4], "# mine, and not saved"]

    dock = notebook.page.locator(".vcad-asks")
    source = "limit = 4\nprint(limit * 10)"
    call = agent.begin("nb_set_cell", path="cells.ipynb", cell_id="cell-3", content=source)
    dock.get_by_text("+print(limit * 10)", exact=True).wait_for()
    picture(notebook, "set_cell")
    dock.get_by_role("button", name="Approve", exact=True).click()
    assert done(agent.end(call))["saved"] is False
    assert texts(notebook)[3:] == [source, "# mine, and not saved"]
    notebook.cell(3).locator(".vcad-agent", has_text=NAME).wait_for()
    dock.wait_for(state="detached")
    notebook.scroll_to(3)
    picture(notebook, "marked")

    call = agent.begin("nb_run_cell", cell_id="cell-3")
    dock.locator("pre", has_text="print(limit * 10)").first.wait_for()
    picture(notebook, "run_cell")
    dock.get_by_role("button", name="Approve", exact=True).click()
    ran = done(agent.end(call))
    assert (ran["status"], ran["outputs"], ran["path"]) == ("ok", ["40\n"], "cells.ipynb")
    notebook.output(3).get_by_text("40").wait_for()
    assert notebook.execute("print(limit)").strip() == "4"
    picture(notebook, "ran_cell")

    call = agent.begin(
        "nb_insert_cell", path="cells.ipynb", content="## More", cell_type="markdown", after="cell-3"
    )
    dock.get_by_role("button", name="Approve", exact=True).click()
    assert done(agent.end(call))["index"] == 5
    assert texts(notebook)[4:] == ["## More", "# mine, and not saved"]
    notebook.page.evaluate("() => window.jupyterapp.commands.execute('notebook:undo-cell-action')")
    assert texts(notebook)[4:] == ["# mine, and not saved"]


# The page's part of it is a call that the journey above makes too; tests/integration interrupts kernels.
@pytest.mark.soak
def test_a_cell_of_an_agent_that_never_ends_is_interrupted(notebook: Notebook, agent: Agent) -> None:
    notebook.execute("session.approvals().policy.set('X', 'allow')")
    notebook.rewrite(3, "while True: pass")
    ran = done(agent.call("nb_run_cell", cell_id="cell-3", timeout_s=2))
    assert ran["status"] == "timed_out"
    assert "KeyboardInterrupt" in str(ran["outputs"])
    assert notebook.execute("print('alive')").strip() == "alive"


# A page that answers while a cell computes is played in tests/integration/test_notebook_comm.py.
@pytest.mark.soak
def test_while_a_cell_computes_the_page_still_answers(notebook: Notebook, agent: Agent) -> None:
    notebook.execute("session.approvals().policy.set('X', 'allow')")
    notebook.rewrite(3, "import time\nuntil = time.monotonic() + 60\nwhile time.monotonic() < until: pass")
    notebook.page.evaluate(
        "() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 3;"
        " void window.jupyterapp.commands.execute('notebook:run-cell'); }"
    )
    notebook.cell(3).get_by_text("[*]").wait_for()
    read = done(agent.call("nb_get_cell", path="cells.ipynb", cell_id="cell-4"))
    assert (read["live"], read["source"]) == (True, "# mine")
    refused = agent.call("nb_run_cell", cell_id="cell-4", timeout_s=1)
    assert refused["error_code"] == "TIMEOUT"
    notebook.page.evaluate("() => window.jupyterapp.commands.execute('notebook:interrupt-kernel')")
    notebook.wait_until_ready()

    notebook.reload()
    assert done(agent.call("nb_get_cell", path="cells.ipynb", cell_id="cell-4"))["live"] is True
    ran = done(agent.call("nb_run_cell", cell_id="cell-1"))
    assert ran["status"] == "ok"
    assert "plate: 40 × 30 × 5 mm" in str(ran["outputs"])


# A page that comes again is played in tests/integration/test_notebook_comm.py.
@pytest.mark.soak
def test_after_a_restart_the_page_is_found_again(notebook: Notebook) -> None:
    notebook.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
    )
    notebook.wait_until_ready()
    notebook.run_all()
    found = notebook.execute("print([one.place.name for one in session.front_ends.own()])")
    assert found.strip() == "['cells.ipynb']"
