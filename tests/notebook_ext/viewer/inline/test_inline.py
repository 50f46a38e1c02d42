from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from ipywidgets.widgets import widget as registry

from notebook_ext.viewer.camera import half_height_at
from notebook_ext.viewer.inline.inline import LOWEST, InlineView
from notebook_ext.viewer.widgets import tree
from tests.notebook_ext.viewer.conftest import Wire
from tests.notebook_ext.viewer.solids import BLUE, RED, box, cylinder, part, slot
from tests.render.samples import bluish, pixels_of, reddish
from vcad_kernel.geometry.mesh.surface.drawn_mesh import DrawnMesh
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.operations.scene import Material


def widgets() -> set[str]:
    return set(registry._instances)


@pytest.fixture
def view(wire: Wire) -> Iterator[InlineView]:
    it = InlineView([part("box", box(10, 20, 30), RED)])
    yield it
    it.close()


def find(view: InlineView, kind: str) -> Any:
    """The widget of this class in the view, as the browser would address it."""
    return next(w for w in tree(view.widget) if type(w).__name__ == kind)


def press(view: InlineView, title: str) -> None:
    """What the browser sends when a button is clicked or a toggle flips."""
    (button,) = [w for w in tree(view.widget) if getattr(w, "tooltip", None) == title]
    if type(button).__name__ == "ToggleButton":
        button.set_state({"value": not button.value})
    else:
        button._handle_custom_msg({"event": "click"}, [])


def drag_camera(view: InlineView, *, to: tuple[float, float, float]) -> None:
    """What the browser sends after an orbit; millimetres from the camera's target."""
    find(view, "OrthographicCamera").set_state({"position": list(to)})


def test_importing_the_views_loads_no_widget_library() -> None:
    code = (
        "import sys, notebook_ext.viewer.inline.inline, notebook_ext.viewer.live;"
        "print(sorted({'pythreejs', 'ipywidgets', 'ipydatawidgets'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_a_front_end_is_told_which_widget_to_show_and_by_which_version(
    view: InlineView,
) -> None:
    shown = view._repr_mimebundle_()["application/vnd.jupyter.widget-view+json"]
    assert shown == {"version_major": 2, "version_minor": 0, "model_id": view.displayed.model_id}


def test_the_caption_follows_the_parts_and_is_plain_text(view: InlineView) -> None:
    assert not any('class="vcad-caption"' in str(getattr(w, "value", "")) for w in tree(view.widget))
    view.update([part("box", box(1, 1, 1), RED)], caption="box: 1 mm <3")
    captions = [w.value for w in tree(view.widget) if 'class="vcad-caption"' in str(getattr(w, "value", ""))]
    assert captions[-1] == '<div class="vcad-caption" title="box: 1 mm &lt;3">box: 1 mm &lt;3</div>'


def test_a_new_view_says_what_it_shows(view: InlineView) -> None:
    state = view.state
    assert state.parts == ("box",)
    assert state.triangles == 12
    assert state.revision == 1
    assert state.projection == "orthographic"
    assert state.edges
    assert state.target == pytest.approx((5, 10, 15), abs=5)


@pytest.mark.parametrize("first", ["click", "turn"])
def test_the_wheel_is_the_pages_until_a_person_has_touched_the_view(view: InlineView, first: str) -> None:
    controls = find(view, "OrbitControls")
    assert not controls.enableZoom
    drag_camera(view, to=controls.controlling.position)  # as of a page that is loaded anew
    view.look("front")
    assert not controls.enableZoom
    if first == "turn":
        drag_camera(view, to=(9.0, -80.0, 9.0))
    else:
        clicks = next(it for it in view._scene.widget.controls if getattr(it, "event", "") == "click")
        clicks.set_state({"point": [1.0, 2.0, 3.0]})
    assert controls.enableZoom
    view.project("perspective")
    assert all(it.enableZoom for it in view._scene.widget.controls if type(it).__name__ == "OrbitControls")


@pytest.mark.parametrize("has_wheel", [True, False])
def test_a_page_that_says_whose_the_wheel_is_finds_views_that_zoom(wire: Wire, has_wheel: bool) -> None:
    view = InlineView([part("box", box(1, 2, 3))], has_wheel=has_wheel)
    view.take_wheel()  # the page may have come after it
    assert find(view, "OrbitControls").enableZoom
    view.close()
    view.take_wheel()


def test_in_a_narrow_notebook_all_is_fitted_into_what_is_seen(view: InlineView) -> None:
    view.update([part("rail", box(90, 20, 10))])
    view.fit()
    camera = find(view, "OrthographicCamera")
    roomy = camera.zoom
    view.resize(420, 320)
    assert camera.zoom < 0.8 * roomy
    view.resize(420, 672)
    assert camera.zoom == pytest.approx(roomy)
    drag_camera(view, to=(9.0, -80.0, 9.0))
    view.resize(420, 320)
    assert camera.zoom == pytest.approx(roomy), "a person has turned it"
    view.fit()
    assert camera.zoom < 0.8 * roomy


def test_an_unknown_standard_view_is_answered_with_the_known_ones(view: InlineView) -> None:
    with pytest.raises(ValueError, match="iso, front, back, left, right, top, bottom"):
        view.look("below")  # type: ignore[arg-type]


def test_closing_a_view_frees_parts_without_a_surface_too(wire: Wire) -> None:
    before = widgets()
    empty = part("nothing", TriMesh.of(np.empty((0, 3)), np.empty((0, 3), np.uint32)))
    InlineView([part("a", box(1, 1, 1)), empty]).close()
    assert widgets() == before


def test_closing_a_view_leaves_no_widget_behind(wire: Wire) -> None:
    before = widgets()
    view = InlineView([part("a", box(1, 1, 1)), part("b", cylinder(1, 2))])
    view.update([part("a", box(2, 1, 1))])
    view.project("perspective")
    view.update([])
    view.close()
    view.close()
    assert widgets() == before


def test_what_is_left_of_a_view_that_was_put_away_is_its_picture(wire: Wire) -> None:
    before = widgets()
    view = InlineView([part("a", box(1, 2, 3), RED), part("b", cylinder(1, 2), BLUE)], caption="6 mm³")
    alive = len(widgets() - before)
    view.put_away()
    assert view.closed
    left = widgets() - before
    assert len(left) < 12 < alive
    picture = next(it for it in tree(view.widget) if type(it).__name__ == "Image")
    seen = pixels_of(picture.value)
    assert reddish(seen).any()
    assert bluish(seen).any()
    said = "".join(it.value for it in tree(view.widget) if type(it).__name__ == "HTML")
    assert "6 mm³ · run the cell again to turn it" in said
    view.put_away()
    view.close()
    assert widgets() == before


def test_the_picture_of_a_view_that_was_put_away_is_drawn_from_what_came_with_the_mesh(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = InlineView([part("a", box(1, 2, 3), RED)])
    finding = []
    monkeypatch.setattr(DrawnMesh, "of", lambda mesh: finding.append(mesh))
    view.put_away()
    assert finding == []
    view.close()


def test_a_picture_holds_nothing_of_the_view_that_it_stands_for(wire: Wire) -> None:
    before = widgets()
    view = InlineView([part("a", box(1, 2, 3), RED)])
    gone = weakref.ref(view)
    take_away = view.put_away()
    del view
    gc.collect()
    assert gone() is None
    take_away()
    assert widgets() == before


def test_a_view_that_shows_nothing_can_be_put_away(wire: Wire) -> None:
    before = widgets()
    view = InlineView([])
    view.put_away()
    view.close()
    assert widgets() == before


def test_updating_again_and_again_keeps_the_number_of_widgets(view: InlineView) -> None:
    count = len(widgets())
    for height in (31, 35, 90, 4, 30):
        view.update([part("box", box(10, 20, height))])
        assert len(widgets()) == count


def test_a_part_that_changes_keeps_its_material_and_another_colour_leaves_none_behind(
    view: InlineView,
) -> None:
    def surfaces() -> set[str]:
        return {w.model_id for w in tree(view.widget) if type(w).__name__ == "MeshStandardMaterial"}

    before, known = surfaces(), widgets()
    view.update([part("box", box(10, 20, 31), RED), part("lid", box(10, 20, 1), RED)])
    assert surfaces() == before
    view.update([part("box", box(10, 20, 31), BLUE)])
    assert len(surfaces()) == 1
    assert surfaces().isdisjoint(before)
    assert len(widgets()) == len(known)


def test_updating_sends_nothing_for_a_part_with_the_same_mesh(wire: Wire) -> None:
    big = part("big", cylinder(40, 90, sides=300))
    view = InlineView([big, part("small", box(1, 1, 1))])
    wire.clear()
    view.update([big, part("small", box(1, 1, 2))])
    assert 0 < wire.buffer_bytes < 3000
    view.close()


def test_updating_with_nothing_changed_sends_no_buffer(wire: Wire) -> None:
    mesh = box(3, 3, 3)
    view = InlineView([part("a", mesh)])
    wire.clear()
    view.update([part("a", mesh)])
    assert wire.buffer_bytes == 0
    assert view.state.revision == 2
    view.close()


def test_a_key_decides_whether_a_part_has_changed(wire: Wire) -> None:
    view = InlineView([part("a", box(3, 3, 3))], ["digest 1"])
    wire.clear()
    view.update([part("a", box(3, 3, 3))], ["digest 1"])
    assert wire.buffer_bytes == 0
    view.update([part("a", box(3, 3, 3))], ["digest 2"])
    assert wire.buffer_bytes > 0
    view.close()


def test_another_colour_is_a_change_even_under_the_same_key(view: InlineView) -> None:
    mesh = box(10, 20, 30)
    view.update([part("box", mesh, RED)], ["digest"])
    view.update([part("box", mesh, BLUE)], ["digest"])
    assert find(view, "MeshStandardMaterial").color == "#1a33e6"


def test_what_lets_light_through_hides_neither_what_is_behind_it_nor_its_own_far_side(
    view: InlineView,
) -> None:
    glass = Material("glass", (0.2, 0.4, 0.6), alpha=0.4)
    view.update([part("block", box(1, 1, 1)), part("pane", box(1, 2, 3), material=glass)])
    drawn = {w.name: w for w in tree(view.widget) if getattr(w, "name", "")}
    looks = [
        (it.opacity, it.transparent, it.depthWrite)
        for it in (drawn["pane"].material, drawn["block"].material)
    ]
    assert looks == [(0.4, True, False), (1.0, False, True)]
    # the outline is the far side of the body in the colour of edges
    assert "block outline" in drawn
    assert "pane outline" not in drawn


def test_the_same_part_may_stand_in_a_scene_twice(view: InlineView) -> None:
    mesh = box(1, 1, 1)
    view.update([part("one", mesh), part("two", mesh)])
    assert view.state.triangles == 24


def test_a_changed_scene_appears_at_once(wire: Wire, view: InlineView) -> None:
    wire.clear()
    view.update([part("box", box(50, 20, 30)), part("new", box(1, 1, 1))])
    states = [state for kind, state, _ in wire.messages if kind == "comm_msg"]
    changes = [place for place, state in enumerate(states) if "children" in state]
    pauses = {
        state["_pause_autorender"]: at for at, state in enumerate(states) if "_pause_autorender" in state
    }
    assert changes
    assert pauses[True] < changes[0], "nothing is drawn meanwhile"
    assert pauses[False] > changes[-1]


def test_geometry_travels_as_binary_single_precision(wire: Wire) -> None:
    mesh = cylinder(5, 8, sides=20)
    view = InlineView([part("c", mesh)])
    sizes = [memoryview(b).nbytes for _, _, buffers in wire.messages for b in buffers]
    assert mesh.triangle_count * 3 * 4 in sizes, "uint32 indices"
    assert 2 * 20 * 2 * 3 * 4 in sizes, "float32 edges: two rings of 20 segments"
    view.close()


def test_the_camera_stays_when_the_part_changes(view: InlineView) -> None:
    drag_camera(view, to=(0.0, -60.0, 12.0))
    before = view.state
    view.update([part("box", box(100, 20, 30))])
    assert (view.state.position, view.state.target) == (before.position, before.target)


def test_a_drag_in_the_browser_is_in_the_state_and_in_the_page(wire: Wire, view: InlineView) -> None:
    wire.clear()
    away = float(np.linalg.norm(np.subtract(view.state.position, view.state.target)))
    drag_camera(view, to=(0.0, -60.0, 12.0))
    # its zoom says how far an orthographic camera is: turning it is nearer to nothing
    toward = np.array([0.0, -60.0, 12.0]) / np.hypot(60.0, 12.0)
    expected = np.add(view.state.target, away * toward)
    assert view.state.position == pytest.approx(tuple(expected))
    told = f'data-position="[{", ".join(str(round(float(value), 6)) for value in expected)}]"'
    assert any(told in html for html in wire.states_with("value"))
    assert view.state.revision == 1


def test_the_first_part_of_an_empty_view_is_fitted(wire: Wire) -> None:
    view = InlineView()
    view.update([part("far", box(10, 10, 10, at=(500, 0, 0)))])
    assert view.state.target == pytest.approx((505, 5, 5), abs=2)
    view.close()


def test_the_first_part_does_not_move_a_camera_that_the_person_has_placed(wire: Wire) -> None:
    view = InlineView()
    drag_camera(view, to=(0.0, -60.0, 12.0))
    before = view.state.position
    view.update([part("far", box(10, 10, 10, at=(500, 0, 0)))])
    assert view.state.position == before
    view.close()


@pytest.mark.parametrize(
    ("title", "direction"),
    [("Front view", (0, -1, 0)), ("Top view", (0, 0, 1)), ("Right view", (1, 0, 0))],
)
def test_view_buttons_turn_the_camera(view: InlineView, title: str, direction: tuple[int, ...]) -> None:
    press(view, title)
    offset = np.subtract(view.state.position, view.state.target)
    assert np.allclose(offset / np.linalg.norm(offset), direction, atol=1e-3)
    assert view.state.target == pytest.approx((5, 10, 15), abs=0.01)


def test_the_fit_button_keeps_the_direction(view: InlineView) -> None:
    drag_camera(view, to=(0.0, -900.0, 0.0))
    press(view, "Fit to view")
    offset = np.subtract(view.state.position, view.state.target)
    assert offset[0] == pytest.approx(0, abs=1e-9)
    assert 40 < -offset[1] < 200


def test_switching_the_projection_keeps_what_is_seen(view: InlineView) -> None:
    before = view.state
    camera = find(view, "OrthographicCamera")
    press(view, "Perspective projection")
    assert view.state.projection == "perspective"
    assert view.state.position == pytest.approx(before.position)
    distance = float(np.linalg.norm(np.subtract(before.position, before.target)))
    assert camera.zoom == pytest.approx(1 / half_height_at(distance))
    press(view, "Perspective projection")
    assert view.state.position == pytest.approx(before.position)
    assert replace(view.state, position=before.position) == before


def test_a_view_is_as_high_as_a_person_makes_it(view: InlineView) -> None:
    view.say("10 × 20 × 30 mm")
    press(view, "Perspective projection")
    before = view.state.position
    view.resize(800)
    renderer, wide = find(view, "Renderer"), find(view, "PerspectiveCamera")
    assert (renderer.height, view.widget.layout.height) == (800, "825px")
    assert wide.aspect == pytest.approx(renderer.width / 800)
    level = find(view, "OrthographicCamera")
    assert (level.left, level.right) == (-wide.aspect, wide.aspect)
    assert view.state.position == before
    view.resize(None, 500)  # narrow, and as high as it is
    assert (renderer.height, view.widget.layout.height) == (800, "825px")
    view.update([part("box", box(10, 20, 31))])
    assert view.widget.layout.height == "800px"
    view.resize(1)
    assert renderer.height == LOWEST


def test_a_rounded_part_has_thin_tangent_edges_and_another_has_none(view: InlineView) -> None:
    def lines() -> list[str]:
        return [w.name for w in tree(view.widget) if type(w).__name__ == "LineSegments2" and w.name]

    assert lines() == ["box edges"]
    view.update([part("pin", slot(5, 40, 10))])
    assert sorted(lines()) == ["pin edges", "pin tangent edges"]
    press(view, "Show edges")
    assert not [w.name for w in tree(view.widget) if getattr(w, "name", "") in lines() and w.visible]


def test_the_perspective_camera_is_made_when_it_is_asked_for(view: InlineView) -> None:
    def cameras() -> int:
        return sum(type(w).__name__ == "PerspectiveCamera" for w in tree(view.widget))

    assert cameras() == 0
    for _ in range(3):
        press(view, "Perspective projection")
    assert cameras() == 1


def test_zooming_in_orthographic_projection_brings_the_perspective_nearer(view: InlineView) -> None:
    before = view.state
    camera = find(view, "OrthographicCamera")
    camera.set_state({"zoom": camera.zoom * 2})
    press(view, "Perspective projection")
    far = np.subtract(before.position, before.target)
    assert np.subtract(view.state.position, view.state.target) == pytest.approx(far / 2)


def test_lines_of_the_ground_are_drawn_before_the_parts_and_never_across_them(view: InlineView) -> None:
    kinds = ("LineSegments", "LineSegments2")
    ground = [w for w in tree(view.widget) if type(w).__name__ in kinds and not w.name]
    assert len(ground) == 5
    # pythreejs has three.js draw in the order of the tree
    first, *others = find(view, "Group").children
    assert {*first.children} == {*ground}
    assert [type(child).__name__ for child in others[0].children] == ["Mesh"]
    for lines in ground:
        material = lines.material
        assert not any((material.depthWrite, material.depthTest, material.transparent))


def test_edges_can_be_hidden_and_stay_hidden_on_an_update(view: InlineView) -> None:
    press(view, "Show edges")
    assert not view.state.edges
    view.update([part("box", box(1, 2, 3))])
    assert not view.state.edges
    lines = [w for w in tree(view.widget) if getattr(w, "name", "") == "box edges"]
    assert [line.visible for line in lines] == [False]


def test_an_empty_part_is_named_but_not_drawn(view: InlineView) -> None:
    view.update([part("nothing", TriMesh.empty())])
    assert view.state.parts == ("nothing",)
    assert view.state.triangles == 0


def test_a_wrong_number_of_keys_changes_nothing(view: InlineView) -> None:
    with pytest.raises(ValueError, match="1 parts need as many keys, got 2"):
        view.update([part("box", box(1, 1, 1))], ["a", "b"])
    assert view.state.revision == 1


def test_a_closed_view_says_so(wire: Wire) -> None:
    view = InlineView()
    view.close()
    with pytest.raises(RuntimeError, match="closed"):
        view.update([])


def test_every_tool_has_a_name_that_can_be_read_aloud(view: InlineView) -> None:
    tools = [w for w in tree(view.widget) if "vcad-tool" in getattr(w, "_dom_classes", ())]
    assert len(tools) == 11
    assert all(tool.description and tool.description == tool.tooltip for tool in tools)
