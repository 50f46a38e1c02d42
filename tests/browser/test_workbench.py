"""JupyterLab's own places for the workbench: side panels, commands of the palette, a card of the launcher."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import OpenNotebook
from tests.browser.notebook import Viewer

_PART = "%%loon box\n[defparam w 10] [cube w 20 30]"


def test_parts_reference_export_live_view_and_a_new_notebook(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=["%load_ext notebook_ext", _PART, "%loon_view --dock"])
    notebook.run_all()
    page = notebook.page

    def do(command: str) -> None:
        page.evaluate("id => void window.jupyterapp.commands.execute(`vcad-workbench:${id}`)", command)

    named = page.evaluate(
        "() => { const { commands } = window.jupyterapp;"
        " const ours = commands.listCommands().filter(id => id.startsWith('vcad-workbench:'));"
        " return ours.map(id => commands.label(id)).sort(); }"
    )
    # the palette says of no command what it belongs to while one searches
    assert named == [
        "Loon Notebook",
        "Loon: Export…",
        "Loon: Format Cell",
        "Loon: Insert Example…",
        "Loon: New Part",
        "Loon: Open the Live View",
        "Loon: Parts",
        "Loon: Reference",
    ]

    do("parts")
    part = page.locator("#vcad-parts .vcad-part")
    expect(part).to_contain_text("10 × 20 × 30 mm")
    part.get_by_role("button", name="Export").click()
    name = page.locator(".jp-Dialog input")
    expect(name).to_have_value("box.step")
    name.fill("box.stl")
    page.locator(".jp-Dialog .jp-mod-accept").click()
    notebook.execute_until("print((session.workspace / 'box.stl').exists())", "True")

    do("reference")
    page.get_by_label("Search the reference").fill("cube")
    entry = page.locator(".vcad-entry").first
    entry.locator("summary").click()
    expect(entry.locator("img")).to_have_js_property("naturalWidth", 320)
    entry.get_by_role("button", name="Insert").click()
    expect(notebook.cell(3)).to_contain_text("[cube 50 30 5]")  # below the active cell, which is no Loon

    view = page.locator(".vcad-live-dock")
    viewer = Viewer(page, view.locator(".vcad-viewer"))
    viewer.wait_for(lambda state: state["parts"] == ["box"])
    place, picture = view.bounding_box(), viewer.element.bounding_box()
    assert place is not None
    assert picture is not None
    assert picture["height"] > 0.95 * place["height"], "it takes all of its place"
    viewer.wait_for(lambda state: state["nodes"][0]["drawn"] and state["nodes"][0]["pickable"])
    page.mouse.click(picture["x"] + picture["width"] / 2, picture["y"] + picture["height"] / 2)
    said = viewer.wait_for(lambda state: state["selection"] != [])
    assert "of box · plane · area" in said["line"]
    assert "made by cube, line 2" in said["line"]
    view.get_by_role("button", name="Go to its form").click()
    selected = page.locator(".jp-Notebook .jp-mod-active .cm-selectionBackground")
    expect(selected).not_to_have_count(0)
    expect(notebook.cell(1)).to_have_class(re.compile("jp-mod-active"))
    expect(notebook.cell(1).locator(".cm-loon-picked").first).to_have_text("[cube w 20 30]")
    # its cursor stands in the form now, so that all faces of it glow
    viewer.wait_for(lambda state: state["glowing"] == ["form box 6"])

    do("parts")
    part.get_by_role("button", name="Hide").click()
    viewer.wait_for(lambda state: not state["nodes"][0]["visible"])
    part.get_by_role("button", name="Show").click()
    viewer.wait_for(lambda state: state["nodes"][0]["visible"])
    expect(part.get_by_role("button", name="Hide")).to_have_count(1)
    notebook.view(cell=1).press("Open in the viewer")
    do("live-view")
    expect(view).to_have_count(1)

    notebook.execute_until("from pathlib import Path; print(Path('lid.oo').write_text('[cub 1 2 3]'))", "11")
    page.evaluate(
        "() => { const app = window.jupyterapp;"
        " const { path } = [...app.shell.widgets('main')].find(({ context }) => context).context;"
        " const file = path.replace(/[^/]*$/, 'lid.oo');"
        " void app.commands.execute('docmanager:open', { path: file }); }"
    )
    expect(page.locator(".jp-FileEditor .cm-loon-finding")).to_have_text("cub")

    # what is shown of the reference follows the notebook in front, and an example takes the empty cell
    do("reference")
    page.get_by_label("Search the reference").fill("fillet")
    expect(page.locator(".vcad-entry code").first).to_have_text("[fillet r s]")
    do("new-notebook")
    cells = page.locator(".jp-NotebookPanel").filter(has_text="%%loon part").locator(".jp-CodeCell")
    expect(cells).to_have_count(2)
    expect(cells.nth(0)).to_contain_text("vcad-workbench")
    expect(cells.nth(1)).to_contain_text("%%loon part")
    expect(page.locator(".vcad-entry code").first).to_have_text("[fillet r s]")
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:insert-cell-below')")
    expect(cells).to_have_count(3)
    do("new-part")
    expect(cells.nth(2)).to_contain_text("%%loon part")
    expect(cells).to_have_count(3)
