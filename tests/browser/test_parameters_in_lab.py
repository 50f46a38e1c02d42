"""Sliders for parameters in a real JupyterLab."""

from __future__ import annotations

from tests.browser.conftest import OpenNotebook

BAR = """%%loon bar
[defparam width 40.0 {:unit "mm" :min 10 :max 80 :doc "outer width"}]
[defparam wall 2.0 {:unit "mm" :min 0 :max 9 :step 0.5}]
[scale 1 1 wall [cube width 20 5]]"""


def test_a_slider_moved_by_keys_changes_the_picture_in_its_place(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=["%load_ext notebook_ext", BAR])
    notebook.run_all()
    view = notebook.view(cell=1)
    before = view.wait_for(lambda state: state["parts"] == ["bar"])
    sliders = notebook.output(1).locator(".vcad-parameter")
    assert sliders.count() == 2
    assert "width (mm)" in sliders.first.inner_text()
    handle = sliders.first.locator(".noUi-handle")
    handle.focus()
    handle.press("PageUp")
    after = view.wait_for(lambda state: state["revision"] > before["revision"])
    assert after["position"] == before["position"]
    assert float(notebook.execute("print(bar.bounds[1][0])")) > 40.0

    error = notebook.output(1).locator(".vcad-parameter-error")
    wall = sliders.nth(1).locator(".noUi-handle")
    wall.focus()
    wall.press("Home")
    error.wait_for()
    assert "must" in error.inner_text()
    assert view.state["parts"] == ["bar"]
    wall.press("End")
    error.wait_for(state="detached")
    assert notebook.execute("print(bar.parameters['wall'].value)").strip() == "9.0"
