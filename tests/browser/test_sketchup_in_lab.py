"""A part pushed from a real JupyterLab to the headless SketchUp: what the person there sees of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.browser.conftest import OpenNotebook
from tests.browser.notebook import Notebook
from tests.sketchup.conftest import sketchup, sketchup_process
from tests.sketchup.headless import RunningSketchUp

__all__ = ["sketchup", "sketchup_process"]

SETUP = """import os, tempfile
os.environ["SUPEX_PORT"] = "{port}"
os.environ["VCAD_WORKSPACE"] = tempfile.mkdtemp()
%load_ext notebook_ext"""

CELLS = [
    "%%loon bracket --push --at 100,0,0\n"
    "[pipe [cube 50 30 5]\n  [difference [translate 10 15 -1 [cube 6 6 10]]]]",
    "%%loon bracket\n[cube 50 30 8]",
    "%loon_plan",
    "%loon_push",
    "%loon_sketchup",
    "%loon_push nowhere",
]


BOARD = "%%loon board --push --at 0,0,0\n[defparam deep 20.0 {:min 10 :max 80}]\n[cube 100 deep 5]"
SHELF = (
    '%%loon shelf --push --at 0,0,50\n[let wall [import :dimensions "pid:{wall}"]]\n'
    "[cube [get wall :width] deep 5]"
)


def test_sliders_and_walls_are_followed_on_the_page_and_in_sketchup(
    open_notebook: OpenNotebook, sketchup: RunningSketchUp
) -> None:
    wall = sketchup.control("_test.add_entity", type="group", box_mm=[3000, 200, 2400])
    shelf = SHELF.format(wall=wall["persistent_id"])
    notebook = open_notebook(cells=[SETUP.format(port=sketchup.port), BOARD, shelf])
    notebook.run_all()
    view = notebook.view(cell=2)
    before = view.wait_for(lambda state: state["parts"] == ["shelf"])["revision"]

    handle = notebook.output(1).locator(".vcad-parameter .noUi-handle").first
    handle.focus()
    handle.press("PageUp")
    moved = view.wait_for(lambda state: state["revision"] > before)["revision"]
    notebook.execute("session.settle()")
    width, deep, _ = size_in_sketchup(notebook, sketchup)
    assert (width, deep > 20) == (3000, True)
    assert f"3000 × {deep:g} × 5 mm" in notebook.output(2).inner_text()

    half = [0.5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    sketchup.control("_test.modify_entity", entity_id=wall["entity_id"], transformation=half)
    view.wait_for(lambda state: state["revision"] > moved)
    notebook.execute("session.settle()")
    assert size_in_sketchup(notebook, sketchup) == (1500, deep, 5)
    notebook.state_of_cell(2, "followed").wait_for()


def size_in_sketchup(notebook: Notebook, sketchup: RunningSketchUp) -> tuple[float, ...]:
    """Of the shelf that stands there, mm."""
    execution = "session.model.instances['shelf-1'].execution"
    (low, high) = sketchup.control(
        "_test.get_entity", persistent_id=int(notebook.execute(f"print({execution}.persistent_id)"))
    )["bounds_mm"].values()
    return tuple(round(b - a, 3) for a, b in zip(low, high, strict=True))


@pytest.fixture
def linked(open_notebook: OpenNotebook, sketchup: RunningSketchUp) -> Notebook:
    return open_notebook(cells=[SETUP.format(port=sketchup.port), *CELLS])


# Pushes and pictures are played in tests/integration/test_sketchup.py, tables in test_sketchup_views.py.
@pytest.mark.soak
def test_a_part_is_pushed_planned_and_seen_in_sketchup(linked: Notebook, sketchup: RunningSketchUp) -> None:
    linked.run_all(failures=1)
    pushed = linked.output(1)
    pushed.get_by_text("bracket: geometry, version 1; bracket-1 placed at 100, 0, 0 mm").wait_for()
    assert linked.view(cell=1).wait_for(lambda state: state["parts"] == ["bracket"])["triangles"] > 12

    rows = linked.output(3).locator("table tbody tr")
    assert rows.all_inner_texts() == ["upsert definition\tbracket\trevision 2"]
    linked.output(3).get_by_text("1 undo step in SketchUp").wait_for()
    linked.output(4).get_by_text("bracket: geometry, version 2, 1 instance kept").wait_for()
    states = linked.output(5).locator("table tbody tr")
    assert states.all_inner_texts() == ["bracket\t2\t2\t1\tup to date"]

    failed = linked.output(6)
    failed.get_by_text("[NODE_NOT_FOUND]").wait_for()
    assert "notebook_ext/" not in failed.inner_text()
    assert sketchup.control("_test.get_state")["entity_count"] == 1

    where = os.environ.get("VCAD_SAVE_SKETCHUP")
    if where:
        for index in (1, 5):
            linked.scroll_to(index)
            linked.page.screenshot(path=Path(where).with_stem(f"{Path(where).stem}-{index}"))
