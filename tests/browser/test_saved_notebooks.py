"""A notebook that is opened again: its parts are seen where there is no kernel, or another one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Workbench
from tests.browser.lab import Lab
from tests.browser.notebook import Notebook

BAR = """%%loon bar
[defparam width 40.0 {:min 10 :max 80}]
[cube width 20 5]"""
# As a front end shows it that does not know our own type of output.
WIDGET_ALONE = """bundle = bar.view()._repr_mimebundle_()
display({name: held for name, held in bundle.items() if "widget" in name}, raw=True)"""
SLOW = """from types import SimpleNamespace
from notebook_ext.session.cells.progress import PATIENCE, CellProgress
def at_once(seconds, function):
    if seconds == PATIENCE: function()
    return SimpleNamespace(cancel=lambda: None)
print("before")
with CellProgress(get_ipython(), None, at_once): pass
"after" """
PART, VIEW, LIVE, WIDGET, PROGRESS = range(1, 6)

_MENU = ".lm-Menu-itemLabel"


@pytest.fixture(scope="module")
def notebook(workbench: Workbench) -> Iterator[Notebook]:
    cells = ["%load_ext notebook_ext", BAR, "bar.view()", "%loon_view", WIDGET_ALONE, SLOW]
    with workbench.notebook(cells=cells) as notebook:
        notebook.run_all()
        yield notebook


def sees_the_picture(notebook: Notebook, cell: int) -> None:
    """What a person sees there is the picture, and what to do."""
    area = notebook.output(cell)
    image = area.locator(".vcad-saved img")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.naturalWidth") == 640
    expect(area.locator(".vcad-saved-line")).to_be_visible()
    said = area.inner_text()
    assert "bar" in said
    assert said.endswith("run the cell to turn it")
    assert area.locator(".vcad-view, .vcad-viewer").count() == 0


def sees_the_view(notebook: Notebook, cell: int) -> None:
    """What a person sees there can be turned."""
    shown = ".vcad-viewer canvas" if cell == LIVE else ".vcad-view canvas, .vcad-view img"
    expect(notebook.output(cell).locator(shown).first).to_be_visible()
    expect(notebook.output(cell).locator(".vcad-saved")).to_be_hidden()


def saved_outputs(notebook: Notebook, jupyter: Lab) -> list[list[dict[str, Any]]]:
    """Save as a person does; returns what the file holds, by cell."""
    content = json.loads((jupyter.root / notebook.save()).read_text(encoding="utf-8"))
    assert "widgets" not in content["metadata"]
    return [cell["outputs"] for cell in content["cells"]]


def test_a_person_saves_pictures_and_no_empty_outputs(notebook: Notebook, jupyter: Lab) -> None:
    for cell in (PART, VIEW, LIVE):
        sees_the_view(notebook, cell)
    saved = saved_outputs(notebook, jupyter)
    for cell in (PART, VIEW, LIVE):
        (output,) = saved[cell]
        assert {"text/plain", "image/png"} < set(output["data"])
    printed, result = saved[PROGRESS]
    assert printed["text"] == ["before\n"]
    assert result["data"] == {"text/plain": ["'after'"]}


_KEPT = """() => {
  const [, bar] = window.jupyterapp.shell.currentWidget.content.widgets;
  return JSON.stringify(bar.model.outputs.get(0).metadata).includes("41 × 20 × 5 mm");
}"""


def test_a_slider_moves_the_saved_picture_and_can_be_written_into_the_source(
    notebook: Notebook, jupyter: Lab
) -> None:
    (before,) = saved_outputs(notebook, jupyter)[PART]
    moved = notebook.output(PART).locator(".vcad-moved")
    assert moved.count() == 0
    handle = notebook.output(PART).locator(".vcad-parameter .noUi-handle")
    handle.focus()
    handle.press("ArrowRight")
    expect(moved).to_contain_text("width = 41; the source says 40")
    notebook.page.wait_for_function(_KEPT)
    (after,) = saved_outputs(notebook, jupyter)[PART]
    assert after["data"]["image/png"] != before["data"]["image/png"]
    assert after["data"]["text/plain"] == before["data"]["text/plain"], "what nbval compares"
    sees_the_view(notebook, PART)
    moved.get_by_role("button").click()
    expect(moved).to_be_hidden()
    expect(notebook.cell(PART).locator(".cm-content")).to_contain_text(
        "[defparam width 41.0 {:min 10 :max 80}]"
    )


def test_a_right_click_opens_the_menu_of_the_output_and_a_right_drag_does_not(notebook: Notebook) -> None:
    notebook.scroll_to(PART)
    view = notebook.view(cell=PART)
    before = view.state
    view.drag(60, 10, button="right")
    view.wait_for(lambda state: state["target"] != before["target"])
    entry = notebook.page.locator(_MENU, has_text="Create New View for Cell Output")
    assert entry.count() == 0
    view.element.click(button="right", position={"x": 60, "y": 200})
    expect(entry).to_be_visible()
    notebook.page.keyboard.press("Escape")


def test_pictures_come_back_when_the_kernel_ends_and_views_when_it_has_them(notebook: Notebook) -> None:
    notebook.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    notebook.wait_until_ready()
    for cell in (PART, VIEW, LIVE):
        sees_the_picture(notebook, cell)
    alone = notebook.output(WIDGET).locator(".vcad-view")
    pseudo = "(view, name) => getComputedStyle(view, name).content"
    assert alone.evaluate(pseudo, "::before") == "none", "no broken link over the picture"
    assert "no kernel" in alone.evaluate(pseudo, "::after")
    expect(alone.locator(".vcad-toolbar")).to_be_hidden()
    notebook.rewrite(WIDGET, "")
    notebook.run_cell(WIDGET)

    notebook.run_cell(0)
    notebook.run_cell(PART)
    sees_the_view(notebook, PART)
    sees_the_picture(notebook, VIEW)
    notebook.reload()
    sees_the_view(notebook, PART)
    sees_the_picture(notebook, VIEW)
    notebook.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    sees_the_picture(notebook, PART)


def test_a_notebook_of_somebody_else_shows_its_pictures_untrusted(
    notebook: Notebook, workbench: Workbench, jupyter: Lab
) -> None:
    (output,) = saved_outputs(notebook, jupyter)[PART]
    notebook.close()
    output["data"]["text/plain"] = ["bar, as it came by mail"]
    with workbench.notebook(cells=[{"source": BAR, "outputs": [output]}]) as received:
        sees_the_picture(received, 0)
        assert "bar, as it came by mail" in received.output(0).inner_text()
