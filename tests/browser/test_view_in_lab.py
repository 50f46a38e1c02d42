"""The 3D view in a real JupyterLab, through the viewer's own interface."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.conftest import OpenNotebook
from tests.browser.notebook import Notebook, Pixels, View

SETUP = """
from notebook_ext.viewer.inline.inline import InlineView
from tests.notebook_ext.viewer.solids import BLUE, RED, box, cylinder, part
view = InlineView([part("block", box(40, 30, 20), RED)])
view.widget
"""


def share(pixels: Pixels, channel: int) -> float:
    """How much of the picture is clearly of one channel: 0 red, 1 green, 2 blue."""
    rgb = pixels.astype(int)
    others = np.delete(rgb, channel, axis=2).max(axis=2)
    return float((rgb[..., channel] > others + 50).mean())


def dark(pixels: Pixels) -> float:
    """How much of the picture is as dark as an edge line."""
    return float((pixels.max(axis=2) < 90).mean())


def middle(pixels: Pixels) -> Pixels:
    """The picture without what is written along its edges."""
    return pixels[50:-50, 50:-50]


def difference(a: Pixels, b: Pixels) -> float:
    """The share of pixels that differ visibly."""
    return float((np.abs(a.astype(int) - b.astype(int)).max(axis=2) > 24).mean())


@pytest.fixture
def notebook(open_notebook: OpenNotebook) -> Notebook:
    notebook = open_notebook(cells=[SETUP])
    notebook.run_all()
    return notebook


def test_a_part_appears_in_its_colour_with_edges_on_a_light_ground(notebook: Notebook) -> None:
    view = notebook.view(cell=0)
    state = view.wait_for(lambda state: state["revision"] == 1)
    assert state["parts"] == ["block"]
    assert state["triangles"] == 12
    picture = view.picture(lambda pixels: share(pixels, 0) > 0.05)
    assert share(picture, 0) < 0.5
    assert share(picture, 2) < 0.001
    assert dark(picture) > 0.001, "the edges are drawn"
    ground = picture[-30:-10, 10:40]
    assert ground.min() > 190
    assert np.ptp(ground.astype(int), axis=2).max() < 30, "the background is neutral"


def outline_of_a_ball(view: View) -> None:
    outlined = view.picture(lambda pixels: dark(middle(pixels)) > 0.002)
    assert dark(middle(outlined)) < 0.03, "and nothing else of it is dark"
    view.press("Show edges")
    view.picture(lambda pixels: dark(middle(pixels)) == 0.0)


@pytest.fixture
def modelled(open_notebook: OpenNotebook) -> Notebook:
    """A box, and a ball, which has no sharp edge."""
    cells = ["%load_ext notebook_ext", "%%loon box\n[cube 40 30 20]", "%%loon ball\n[sphere 20]"]
    notebook = open_notebook(cells=cells)
    notebook.run_all()
    return notebook


def test_what_is_clicked_lights_up_and_a_rounded_body_has_an_outline(modelled: Notebook) -> None:
    outline_of_a_ball(modelled.view(cell=2))
    notebook, view = modelled, modelled.view(cell=1)
    plain = view.picture(lambda pixels: dark(pixels) > 0.001)
    caption = view.element.locator(".vcad-caption")
    box = view.element.bounding_box()
    assert box is not None
    left, top, middle_x = box["x"] + 15, box["y"], box["x"] + box["width"] / 2
    mouse = view.page.mouse
    mouse.click(middle_x, top + 150)
    expect(caption).to_have_text(re.compile(r"face \d of box · plane · area 1200 mm² · made by cube, line 2"))
    view.picture(lambda pixels: difference(pixels, plain) > 0.03)
    assert "of box · plane · made by cube, line 2" in notebook.execute("print(session.selection)")
    mouse.move(middle_x + 60, top + 280)
    expect(caption).to_contain_text("area 600 mm²")
    mouse.move(left, top + 200)
    expect(caption).to_contain_text("area 1200 mm²")  # what was clicked stays
    mouse.click(left, top + 200)
    expect(caption).to_contain_text("volume 24000 mm³")
    assert notebook.execute("print(session.selection)").strip() == "()"
    before = view.state["position"]
    view.drag(120, 20)
    view.wait_for(lambda state: state["position"] != before)
    mouse.move(left, top + 200)
    expect(caption).to_contain_text("volume 24000 mm³")
    is_as_large_as_it_is_made(view)
    is_whole_in_a_narrow_notebook(notebook.view(cell=2))


def is_whole_in_a_narrow_notebook(view: View) -> None:
    """The ball's outline stays within what is seen."""
    wide = view.page.viewport_size
    assert wide is not None
    view.page.set_viewport_size({**wide, "width": 700})
    narrow = view.element.bounding_box()
    assert narrow is not None
    assert narrow["width"] < 400
    view.picture(lambda pixels: not (pixels[100:-60, [8, -9]].max(axis=2) < 90).any())
    view.page.set_viewport_size(wide)


def is_as_large_as_it_is_made(view: View) -> None:
    """Drag its corner, and go full screen by it."""
    canvas, grip = view.element.locator("canvas"), view.element.locator(".vcad-grip")
    before = canvas.bounding_box()
    assert before is not None
    rows = rows_of_lines(view)
    grip.scroll_into_view_if_needed()
    corner = grip.bounding_box()
    assert corner is not None
    mouse, (x, y) = view.page.mouse, (corner["x"] + 12, corner["y"] + 12)
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 80, y - 140, steps=3)
    mouse.up()
    expect(canvas).to_have_css("height", f"{before['height'] - 140:g}px")
    assert rows_of_lines(view) == pytest.approx(rows * (before["height"] - 140) / before["height"], rel=0.1)
    grip.dblclick()
    screen = view.page.evaluate("innerHeight")
    expect(canvas).to_have_css("height", f"{screen - 25}px")
    view.page.keyboard.press("Escape")
    view.page.evaluate("document.fullscreenElement && document.exitFullscreen()")
    expect(canvas).to_have_css("height", f"{before['height'] - 140:g}px")


def rows_of_lines(view: View) -> int:
    """How many rows of the picture a grey part with dark edges reaches over."""
    pixels = view.picture(lambda pixels: dark(middle(pixels)) > 0.001)
    rows = np.flatnonzero((pixels[40:-30].max(axis=2) < 90).any(axis=1))
    return int(np.ptp(rows))


# The quickstart changes a model and looks at both pictures and the camera.
@pytest.mark.soak
def test_the_picture_follows_the_model_and_the_camera_stays(notebook: Notebook) -> None:
    view = notebook.view()
    first = view.picture(lambda pixels: share(pixels, 0) > 0.05)
    before = view.state
    notebook.execute("view.update([part('pin', cylinder(8, 35), BLUE)])")
    after = view.wait_for(lambda state: state["revision"] == 2)
    second = view.picture(lambda pixels: share(pixels, 2) > 0.02)
    assert after["parts"] == ["pin"]
    assert share(second, 0) < 0.01, "the old part is gone"
    assert difference(first, second) > 0.05
    assert after["position"] == before["position"]


# Every tool of the viewer, one by one; the way from page to kernel is the one of dragging.
@pytest.mark.soak
def test_tools_turn_the_camera_and_switch_projection_and_edges(notebook: Notebook) -> None:
    view = notebook.view()
    iso = view.picture(lambda pixels: share(pixels, 0) > 0.05)
    view.press("Front view")
    state = view.wait_for(lambda state: abs(state["position"][0] - 20) < 1e-3)
    assert state["position"][1] < -20
    assert state["position"][2] == pytest.approx(10)
    front = view.picture(lambda pixels: difference(pixels, iso) > 0.02)
    view.press("Perspective projection")
    view.wait_for(lambda state: state["projection"] == "perspective")
    flat = view.picture(lambda pixels: difference(pixels, front) > 0.005)
    red = share(flat, 0)
    view.press("Show edges")
    view.wait_for(lambda state: not state["edges"])
    bare = view.picture(lambda pixels: dark(pixels) < dark(flat) / 2)
    assert share(bare, 0) >= red


def test_dragging_orbits_and_the_kernel_knows_it(notebook: Notebook) -> None:
    view = notebook.view()
    first = view.picture(lambda pixels: share(pixels, 0) > 0.05)
    before = view.state
    view.drag(120, 20)
    after = view.wait_for(lambda state: state["position"] != before["position"])
    view.picture(lambda pixels: difference(pixels, first) > 0.02)
    assert after["target"] == before["target"]
    told = float(notebook.execute("print(view.state.position[0])"))
    assert told == pytest.approx(after["position"][0], abs=1e-5)


def test_the_wheel_scrolls_the_notebook_until_the_view_is_clicked(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=[SETUP, "print('\\n' * 200)"])
    notebook.run_all()
    notebook.scroll_to(0)
    view = notebook.view(cell=0)
    view.picture(lambda pixels: share(pixels, 0) > 0.05)
    before, at = view.state, notebook.scrolled
    view.wheel(120)
    notebook.wait_until_scrolled(at + 60)
    # with Control the extension lets it through; the view by itself waits for a click, too
    notebook.page.keyboard.down("Control")
    view.wheel(120)
    notebook.page.keyboard.up("Control")
    assert float(notebook.execute("print(view.state.position[0])")) == pytest.approx(before["position"][0])
    view.drag(0, 0)
    at = notebook.scrolled
    view.wheel(120)
    far = view.wait_for(lambda state: state["position"] != before["position"])
    assert notebook.scrolled == at
    view.page.keyboard.press("Escape")
    view.wheel(120)
    notebook.wait_until_scrolled(at + 60)
    assert view.state["position"] == far["position"]


# Loading anew is a journey of test_approvals_in_lab.py; this adds the picture.
@pytest.mark.soak
def test_a_view_survives_reloading_the_page(notebook: Notebook) -> None:
    before = notebook.view().picture(lambda pixels: share(pixels, 0) > 0.05)
    notebook.reload()
    after = notebook.view().picture(lambda pixels: share(pixels, 0) > 0.05)
    assert share(after, 0) == pytest.approx(share(before, 0), rel=0.2)
    columns = [np.flatnonzero(share_mask(picture).any(axis=0)) for picture in (before, after)]
    middles = [float(c.mean()) / p.shape[1] for c, p in zip(columns, (before, after), strict=True)]
    assert middles[1] == pytest.approx(middles[0], abs=0.03), "the camera still looks at the part"


def share_mask(pixels: Pixels) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Where the picture is clearly red."""
    rgb = pixels.astype(int)
    return np.asarray(rgb[..., 0] > rgb[..., 1:].max(axis=2) + 50)


# What is put away is counted in tests/notebook_ext; here it is looked at.
@pytest.mark.soak
def test_of_a_view_that_was_put_away_its_picture_stands_in_its_place(notebook: Notebook) -> None:
    notebook.view().picture(lambda pixels: share(pixels, 0) > 0.05)
    notebook.execute("take_away = view.put_away()")
    picture = notebook.page.locator(".vcad-view img.vcad-picture")
    picture.wait_for()
    box, frame = picture.bounding_box(), notebook.page.locator(".vcad-view").bounding_box()
    assert box is not None
    assert frame is not None
    assert 0.7 * frame["height"] < box["height"] <= frame["height"]
    shown = np.asarray(Image.open(io.BytesIO(picture.screenshot())).convert("RGB"))
    assert share(shown, 0) > 0.05
    assert "run the cell again to turn it" in notebook.page.locator(".vcad-caption").inner_text()
    assert notebook.page.locator(".vcad-view canvas").count() == 0


def test_what_was_chosen_in_the_live_view_is_there_after_a_reload(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=["%load_ext notebook_ext", "%%loon pin\n[cylinder 6 40]", "%loon_view"])
    notebook.run_all()
    live = notebook.live_view(cell=2)
    live.wait_for(lambda state: state["parts"] == ["pin"] and state["nodes"][0]["drawn"])
    live.element.evaluate(
        "root => { root.vcadViewer.turnTo('front'); root.vcadViewer.store.setNode('pin', {visible: false}) }"
    )
    before = live.wait_for(lambda state: not state["nodes"][0]["visible"] and state["settled"])
    notebook.save()
    notebook.reload()
    notebook.scroll_to(2)
    after = live.wait_for(lambda state: state["parts"] == ["pin"])
    assert after["nodes"][0]["visible"] is False
    assert after["camera"]["position"] == pytest.approx(before["camera"]["position"])
