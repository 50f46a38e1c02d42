"""Cells that follow what they use, in a real JupyterLab: nobody runs them, and they are seen to change."""

from __future__ import annotations

from tests.browser.conftest import OpenNotebook

WALL = "%%loon wall\n[defparam w 20.0 {:min 10 :max 80}]\n[cube w 5 30]"
LID = "%%loon lid\n[translate 0 0 30 [cube [+ w 4] 9 2]]"
BOTH = "%%loon both\n[union wall lid]"

_COUNTS = """() => {
  const { widgets } = window.jupyterapp.shell.currentWidget.content;
  return widgets.map(cell => cell.model.executionCount);
}"""


def test_a_slider_takes_along_the_cells_that_use_what_it_moves(open_notebook: OpenNotebook) -> None:
    cells = ["%load_ext notebook_ext", WALL, "%loon_view", LID, BOTH, "lid"]
    notebook = open_notebook(cells=cells)
    notebook.run_all()
    shown = {
        cell: notebook.view(cell=cell).wait_for(lambda state: state["parts"] != []) for cell in (3, 4, 5)
    }
    text = notebook.output(4).inner_text()
    handle = notebook.output(1).locator(".vcad-parameter .noUi-handle").first
    handle.focus()
    handle.press("PageUp")
    for cell, before in shown.items():
        number = before["revision"]
        after = notebook.view(cell=cell).wait_for(lambda state, seen=number: state["revision"] > seen)
        assert (after["position"], after["stale"]) == (before["position"], "")
    assert notebook.output(4).inner_text() != text
    width = float(notebook.execute("print(wall.bounds[1][0])"))
    assert width > 20
    assert float(notebook.execute("print(both.bounds[1][0], end='')")) == width + 4
    notebook.output(2).locator(".session", has_text="last cascade").wait_for()
    # what cells have printed stays as they left it
    assert notebook.page.evaluate(_COUNTS) == [1, 2, 3, 4, 5, 6]
    for cell in (3, 4):
        said = notebook.state_of_cell(cell, "followed").get_attribute("title")
        assert said is not None
        assert said.startswith("followed a change in ")


def test_what_is_out_of_date_is_grey_and_says_why_until_it_is_run(open_notebook: OpenNotebook) -> None:
    cells = ["%load_ext notebook_ext\n%loon_auto off", WALL, "%loon_view", LID, BOTH]
    notebook = open_notebook(cells=cells)
    notebook.run_all()
    lid = notebook.view(cell=3)
    lid.wait_for(lambda state: state["parts"] == ["lid"])
    notebook.rewrite(1, WALL.replace("20.0", "25.0"))
    notebook.run_cell(1)
    stale = lid.wait_for(lambda state: state["stale"] != "")
    assert stale["stale"] == "`w` has changed in wall"
    assert notebook.state_of_cell(3, "out of date").get_attribute("title") == stale["stale"]
    notebook.output(3).locator(".vcad-out-of-date").wait_for()
    notebook.output(2).locator(".session", has_text="2 cells are out of date").wait_for()
    stale = {node["node_id"]: node["stale"] for node in notebook.live_view(cell=2).state["nodes"]}
    assert stale["lid"] == "`w` has changed in wall"
    notebook.execute("session.reactions.set_auto(True)")
    lid.wait_for(lambda state: state["stale"] == "")
    assert float(notebook.execute("print(lid.bounds[1][0])")) == 29


def test_a_cell_that_fails_by_a_change_keeps_its_last_good_part(open_notebook: OpenNotebook) -> None:
    lid = "%%loon lid\n[translate 0 0 30 [cube [- 40 w] 9 2]]"
    notebook = open_notebook(cells=["%load_ext notebook_ext", WALL, lid, "%%loon top\n[translate 0 0 2 lid]"])
    notebook.run_all()
    notebook.view(cell=2).wait_for(lambda state: state["parts"] == ["lid"])
    notebook.execute("_ = session.set_parameter('w', 50)")
    failed = notebook.view(cell=2).wait_for(lambda state: state["stale"].startswith("failed"))
    assert failed["parts"] == ["lid"]
    assert notebook.state_of_cell(2, "failed").get_attribute("title") == failed["stale"]
    waiting = notebook.view(cell=3).wait_for(lambda state: "lid has failed" in state["stale"])
    assert waiting["parts"] == ["top"]
    notebook.execute("_ = session.set_parameter('w', 30)")
    notebook.view(cell=3).wait_for(lambda state: state["stale"] == "")
    assert notebook.execute("print(top.bounds[1][0])").strip() == "10.0"


def test_the_graph_leads_to_its_cells(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=["%load_ext notebook_ext", WALL, LID, BOTH, "%loon_graph"])
    notebook.run_all()
    links = notebook.output(4).locator(".vcad-graph a")
    assert [link.get_attribute("aria-label") for link in links.all()] == ["wall", "lid", "both"]
    # it is the graph as it is by now, wherever it stands
    notebook.execute("_ = session.set_parameter('w', 30)")
    notebook.output(4).locator(".vcad-graph g").nth(2).filter(has_text="revision 2").wait_for()
    links.nth(1).click()
    notebook.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex === 2"
    )
    assert notebook.problems == []
    # a page that is loaded anew shows the graph as it is, not as its cell once drew it
    notebook.save()
    notebook.execute("_ = session.set_parameter('w', 35)")
    notebook.output(4).locator(".vcad-graph g").nth(2).filter(has_text="revision 3").wait_for()
    notebook.reload()
    notebook.output(4).locator(".vcad-graph g").nth(2).filter(has_text="revision 3").wait_for()


def test_run_all_evaluates_each_cell_once(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=["%load_ext notebook_ext", WALL, LID, "lid.volume", BOTH])
    notebook.run_all()
    count = "print(session.metrics()['eval_latency_ms']['count'], end='')"
    before = int(notebook.execute(count))
    notebook.rewrite(1, WALL.replace("20.0", "25.0"))
    notebook.run_all()
    notebook.execute("_ = session.settle()")
    assert int(notebook.execute(count)) - before == 3
    assert notebook.output(3).inner_text().endswith("522.0")


def test_the_interrupt_command_stops_what_follows_a_change(open_notebook: OpenNotebook) -> None:
    slow = "%%loon slow\n[fn count [n] [if [= n 0] 0 [+ 0 [count [- n 1]]]]]\n"
    slow += "[cube [fold w [fn [s _] [+ s [count 900]]] [range 0 [if [> w 30.0] 2000000 1]]] 1 1]"
    notebook = open_notebook(cells=["%load_ext notebook_ext", WALL, slow])
    notebook.run_all()
    notebook.execute("_ = session.set_parameter('w', 50)")
    notebook.execute_until("session.reactions.cascades.running is not None", "True")
    notebook.page.evaluate("() => window.jupyterapp.commands.execute('notebook:interrupt-kernel')")
    notebook.execute_until("session.reactions.cascades.is_running", "False")
    assert notebook.execute("print(session['slow'].stale, end='')") == "`w` has changed in wall"
