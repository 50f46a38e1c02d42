from __future__ import annotations

from collections.abc import Iterator

import pytest
from ipywidgets.widgets import widget as registry

from notebook_ext.viewer.live import LiveView
from tests.notebook_ext.viewer.conftest import Wire
from tests.notebook_ext.viewer.solids import BLUE, RED, box, cylinder, part


@pytest.fixture
def live(wire: Wire) -> Iterator[LiveView]:
    view = LiveView()
    yield view
    view.close()


def test_a_live_view_follows_named_parts(live: LiveView) -> None:
    live.show("bracket", [part("bracket", box(10, 10, 10), RED)])
    live.show("pin", [part("pin", cylinder(2, 30, sides=12), BLUE)])
    assert live.names == live.state.parts == ("bracket", "pin")
    assert live.state.triangles == 12 + 48


def test_a_part_shown_again_is_replaced_in_its_place(live: LiveView) -> None:
    live.show("a", [part("a", box(1, 1, 1))])
    live.show("b", [part("b", box(1, 1, 1))])
    live.show("a", [part("a", cylinder(2, 3, sides=12))])
    assert live.names == ("a", "b")
    assert live.state.triangles == 48 + 12


def test_a_part_takes_the_name_it_is_shown_under(live: LiveView) -> None:
    live.show("bracket", [part("part", box(1, 1, 1))])
    assert live.state.parts == ("bracket",)


def test_the_parts_of_a_scene_are_listed_under_its_name(live: LiveView) -> None:
    live.show("case", [part("box", box(1, 1, 1)), part("lid", box(1, 1, 1, at=(0, 0, 2)))])
    assert live.state.parts == ("case / box", "case / lid")


def test_removing_a_part_leaves_the_others(live: LiveView) -> None:
    live.show("a", [part("a", box(1, 1, 1))])
    live.show("b", [part("b", box(1, 1, 1))])
    live.remove("a")
    live.remove("never shown")
    assert live.names == ("b",)


def test_other_parts_are_not_sent_again(wire: Wire, live: LiveView) -> None:
    live.show("big", [part("big", cylinder(40, 90, sides=300))], ["digest"])
    wire.clear()
    live.show("small", [part("small", box(1, 1, 1))])
    live.show("big", [part("big", cylinder(40, 90, sides=300))], ["digest"])
    assert wire.buffer_bytes < 3000


def test_the_camera_is_fitted_to_the_first_part_and_then_kept(live: LiveView) -> None:
    live.show("a", [part("a", box(10, 10, 10, at=(100, 0, 0)))])
    assert live.state.target == pytest.approx((105, 5, 5), abs=2)
    before = live.state.position
    live.show("b", [part("b", box(900, 900, 900))])
    assert live.state.position == before


def test_the_legend_names_each_part_with_its_colour(wire: Wire, live: LiveView) -> None:
    live.show("bracket", [part("x", box(1, 1, 1), RED)])
    (legend,) = [html for html in wire.states_with("value") if "vcad-legend" in html]
    assert "bracket" in legend
    assert "rgb(90%,10%,10%)" in legend


def test_a_wrong_number_of_keys_changes_nothing(live: LiveView) -> None:
    with pytest.raises(ValueError, match="as many keys"):
        live.show("a", [part("a", box(1, 1, 1))], [])
    assert live.names == ()


def test_closing_leaves_no_widget_behind(wire: Wire) -> None:
    before = set(registry._instances)
    view = LiveView()
    view.show("a", [part("a", box(1, 1, 1))])
    view.close()
    view.close()
    assert set(registry._instances) == before


def test_a_program_switches_the_edges(live: LiveView) -> None:
    live.show("a", [part("a", box(1, 1, 1))])
    live.show_edges(False)
    assert live.state.edges is False
    live.show_edges(True)
    assert live.state.edges is True


def test_what_is_under_way_can_be_stopped_below_the_view() -> None:
    stopped: list[str] = []
    view = LiveView()
    view.show_status("running", lambda: stopped.append("first"))
    (button,) = [child for child in view.widget.children if "vcad-stop" in getattr(child, "_dom_classes", ())]
    assert button.layout.display is None
    button.click()
    assert stopped == ["first"]
    view.show_status("up to date")
    assert button.layout.display == "none"
    view.show_status("running", lambda: stopped.append("second"))
    button.click()
    assert (stopped, button.layout.display) == (["first", "second"], None)
    view.close()
