"""The quickstart, opened and run by a person in a real JupyterLab."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import nbformat
import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Workbench
from tests.browser.notebook import Notebook, Pixels

QUICKSTART = Path(__file__).parents[2] / "notebooks" / "quickstart.ipynb"
TOGGLE_SIDEBAR = "() => window.jupyterapp.commands.execute('application:toggle-left-area')"


def index_of(start: str) -> int:
    """Position of the first cell whose source begins so."""
    cells = nbformat.read(QUICKSTART, as_version=4).cells  # type: ignore[no-untyped-call]
    return next(i for i, cell in enumerate(cells) if cell.source.startswith(start))


def inked(pixels: Pixels) -> float:
    """Share of the picture that is neither background nor grid: clearly darker than the ground."""
    return float((pixels.max(axis=2) < 185).mean())


def reddish(pixels: Pixels) -> float:
    rgb = pixels.astype(int)
    return float((rgb[..., 0] > rgb[..., 1:].max(axis=2) + 50).mean())


@pytest.fixture(scope="module")
def quickstart(workbench: Workbench) -> Iterator[Notebook]:
    with workbench.notebook(QUICKSTART) as notebook:
        saved = notebook.output(index_of("%%loon bracket\n[let")).locator(".vcad-saved img")
        expect(saved).to_be_visible()  # before anything has run
        notebook.run_all(failures=1)  # section 5 shows a mistake
        yield notebook


def test_the_quickstart_runs_shows_its_parts_and_follows_changes(quickstart: Notebook) -> None:
    bracket = quickstart.view(cell=index_of("%%loon bracket\n[let"))
    state = bracket.wait_for(lambda state: state["revision"] == 1)
    assert state["parts"] == ["bracket"]
    picture = bracket.picture(lambda pixels: inked(pixels) > 0.05)
    assert bracket.element.locator(".vcad-caption").inner_text().startswith("bracket: 60 × 40 × 45 mm")
    assert np.unique(picture.reshape(-1, 3), axis=0).shape[0] > 100, "shaded, not flat"

    scene = quickstart.view(cell=index_of("%%loon assembly"))
    assert scene.state["parts"] == ["flange", "knob"]
    assert reddish(scene.picture(lambda pixels: reddish(pixels) > 0.02)) < 0.5

    live = quickstart.live_view(cell=index_of("%loon_view"))
    named = ["bracket", "rounded", "flange", "knob", "assembly/1", "assembly/2"]
    shown = live.wait_for(lambda state: state["parts"] == named)
    # what an assembly was made of is listed and not drawn: the first look is no heap at the origin
    assert {node["node_id"]: node["visible"] for node in shown["nodes"]} == {
        "bracket": False,
        "rounded": True,
        "flange": False,
        "knob": False,
        "assembly/1": True,
        "assembly/2": True,
    }

    cell = index_of("%%loon flange")
    flange = quickstart.view(cell=cell)
    before, first = flange.state, flange.picture(lambda pixels: inked(pixels) > 0.05)
    quickstart.rewrite(index_of("outer, bore"), "outer, bore, bolt_circle, bolts = 80.0, 40.0, 64.0, 5")
    quickstart.run_cell(index_of("outer, bore"))
    quickstart.run_cell(cell)
    flange = quickstart.view(cell=cell)
    after = flange.wait_for(lambda state: state["revision"] == 2)
    assert after["triangles"] != before["triangles"]
    assert after["position"] == before["position"], "the camera stays"
    second = flange.picture(lambda pixels: inked(pixels) > 0.05)
    assert float((np.abs(first.astype(int) - second.astype(int)).max(axis=2) > 24).mean()) > 0.01
    assert live.wait_for(lambda state: state["revision"] > shown["revision"])["parts"] == named


def test_a_mistake_is_shown_without_a_traceback(quickstart: Notebook) -> None:
    said = quickstart.output(index_of("%%loon bracket\n[pipe")).inner_text()
    assert "[INVALID_PARAMETER] cylinder: r must be greater than 0, got -3.5" in said
    assert "^^^^" in said
    assert "Traceback" not in said


def test_a_picture_of_the_quickstart_for_the_readme(quickstart: Notebook) -> None:
    """Also kept as docs/images/quickstart.png by `make screenshot`."""
    page, usual = quickstart.page, quickstart.page.viewport_size
    assert usual is not None
    page.set_viewport_size({"width": 1100, "height": 1012})
    page.evaluate(TOGGLE_SIDEBAR)
    cell = index_of("%%loon bracket\n[let")
    quickstart.view(cell=cell).picture(lambda pixels: inked(pixels) > 0.05)
    quickstart.cell(cell).evaluate("cell => cell.scrollIntoView({ block: 'start' })")
    quickstart.view(cell=cell).element.hover(position={"x": 20, "y": 20})
    shot = page.screenshot(animations="disabled")
    page.evaluate(TOGGLE_SIDEBAR)
    page.set_viewport_size(usual)
    assert len(shot) > 20_000
    target = os.environ.get("VCAD_SAVE_SCREENSHOT")
    if target:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        Path(target).write_bytes(shot)
