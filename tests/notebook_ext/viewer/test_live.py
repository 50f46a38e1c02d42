from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ipywidgets.widgets import widget as registry

from notebook_ext.viewer import shells
from notebook_ext.viewer.live import LiveView
from notebook_ext.viewer.relay.messages import SetView
from notebook_ext.viewer.relay.relay import Relay
from tests.notebook_ext.viewer.conftest import Wire
from tests.notebook_ext.viewer.relay.conftest import LIMIT, body
from tests.notebook_ext.viewer.solids import RED, box, cylinder


@pytest.fixture(autouse=True)
def program(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A short one in place of the viewer's."""
    path = tmp_path_factory.mktemp("built") / "viewer.js"
    path.write_text("export default { render() {} };", encoding="utf-8")
    monkeypatch.setattr(shells, "BUILT", path)
    return path


@pytest.fixture
def relay(wire: Wire) -> Iterator[Relay]:
    made = Relay()
    yield made
    made.close()


@pytest.fixture
def live(relay: Relay) -> Iterator[LiveView]:
    view = LiveView(relay)
    yield view
    view.close()


class Browser:
    """A page that shows the live view: it hears what the widget's comm carries."""

    def __init__(self, live: LiveView, wire: Wire) -> None:
        self._wire = wire
        self._viewer = live.widget.children[1]

    def say(self, kind: str, view_id: str = "v-1", **fields: Any) -> None:
        content = {"type": kind, "view_id": view_id, **fields}
        self._viewer._handle_msg(
            {"content": {"data": {"method": "custom", "content": content}}, "buffers": []}
        )

    def ready(self, view_id: str = "v-1") -> None:
        self.say("viewer.ready", view_id, protocol_version="1.0", features=[], has=[])

    def awaited(
        self, kind: str, *, fits: Callable[[dict[str, Any]], bool] = lambda _: True
    ) -> dict[str, Any]:
        """The first message of a kind that the widget has sent, and that fits."""
        return self._wire.awaited(lambda said: said.get("type") == kind and fits(said), LIMIT)


@pytest.fixture
def browser(live: LiveView, wire: Wire) -> Browser:
    return Browser(live, wire)


def test_a_live_view_follows_named_parts(live: LiveView, relay: Relay) -> None:
    relay.show("bracket", [body("a", box(10, 10, 10))])
    relay.show("pin", [body("b", cylinder(2, 30, sides=12))])
    assert live.names == live.state.parts == ("bracket", "pin")
    assert live.state.triangles == 12 + 48


def test_a_part_shown_again_is_replaced_in_its_place(live: LiveView, relay: Relay) -> None:
    relay.show("a", [body("a")])
    relay.show("b", [body("b")])
    relay.show("a", [body("c", cylinder(2, 3, sides=12))])
    assert live.names == ("a", "b")
    assert live.state.triangles == 48 + 12


def test_a_part_takes_the_name_it_is_shown_under(live: LiveView, relay: Relay) -> None:
    relay.show("bracket", [body("a", name="part")])
    assert live.state.parts == ("bracket",)


def test_the_parts_of_a_scene_are_listed_under_its_name(live: LiveView, relay: Relay) -> None:
    relay.show("case", [body("a", name="box"), body("b", name="lid")])
    assert live.state.parts == ("case / box", "case / lid")


def test_removing_a_part_leaves_the_others(live: LiveView, relay: Relay) -> None:
    relay.show("a", [body("a")])
    relay.show("b", [body("b")])
    relay.remove("a")
    relay.remove("never shown")
    assert live.names == ("b",)


def test_meshes_go_over_the_comm_and_into_no_trait(
    live: LiveView, relay: Relay, browser: Browser, wire: Wire
) -> None:
    relay.show("bracket", [body("a", material=RED)])
    browser.ready()
    snapshot = browser.awaited("scene.snapshot")
    assert snapshot["nodes"][0]["name"] == "bracket"
    assert snapshot["nodes"][0]["material"]["color"] == RED.color
    update = browser.awaited("mesh.update")
    assert [one["name"] for one in update["buffers"]] == ["positions", "normals", "indices", "segments"]
    assert wire.buffer_bytes == 24 * 12 + 24 * 12 + 12 * 12 + 12 * 24
    assert len(str(live.widget.children[1].get_state())) < 2000


def test_other_parts_are_not_sent_again(relay: Relay, browser: Browser, wire: Wire) -> None:
    relay.show("big", [body("big", cylinder(40, 90, sides=300))])
    browser.ready()
    browser.awaited("mesh.update")
    wire.clear()
    relay.show("small", [body("small")])
    relay.show("big", [body("big", cylinder(40, 90, sides=300))])
    browser.awaited("mesh.update", fits=lambda said: said["node"]["node_id"] == "small")
    assert wire.buffer_bytes < 3000


def test_two_views_of_the_widget_are_told_what_each_lacks(relay: Relay, browser: Browser) -> None:
    relay.show("a", [body("a")])
    browser.ready("left")
    browser.awaited("mesh.update", fits=lambda said: said["view_id"] == "left")
    browser.ready("right")
    browser.awaited("mesh.update", fits=lambda said: said["view_id"] == "right")
    relay.show("a", [body("b")])
    browser.awaited("mesh.update", fits=lambda said: (said["view_id"], said["node"]["digest"]) == ("", "b"))


def test_before_a_browser_says_otherwise_the_camera_is_fitted_to_all(live: LiveView, relay: Relay) -> None:
    relay.show("a", [body("a", box(10, 10, 10, at=(100, 0, 0)))])
    assert live.state.target == pytest.approx((105, 5, 5), abs=2)
    assert live.state.projection == "orthographic"


def test_the_camera_is_that_of_the_view_that_was_used_last(
    live: LiveView, relay: Relay, browser: Browser
) -> None:
    relay.show("a", [body("a")])
    browser.ready()
    camera = {"position": [1, 2, 3], "target": [0, 0, 0], "projection": "perspective", "zoom": 10}
    browser.say("viewer.state", camera=camera, selection=[], visible=["a"])
    relay.show("b", [body("b", box(900, 900, 900))])
    assert (live.state.position, live.state.target) == ((1, 2, 3), (0, 0, 0))
    assert live.state.projection == "perspective"


def test_closing_leaves_no_widget_behind(relay: Relay) -> None:
    before = set(registry._instances)
    view = LiveView(relay)
    assert view.widget is view.widget
    view.close()
    view.close()
    assert set(registry._instances) == before


def test_closing_ends_the_thread_that_sends(relay: Relay, wire: Wire) -> None:
    earlier = threading.enumerate()
    view = LiveView(relay)
    Browser(view, wire).ready()
    (sender,) = [each for each in threading.enumerate() if each.name == "vcad viewer" and each not in earlier]
    view.close()
    sender.join(LIMIT)
    assert not sender.is_alive()


def test_a_program_switches_the_edges(live: LiveView, relay: Relay) -> None:
    relay.set_view(SetView(edges="none"))
    assert live.state.edges is False
    relay.set_view(SetView(edges="all"))
    assert live.state.edges is True


def test_how_the_session_does_is_told_with_whether_it_can_be_stopped(relay: Relay, browser: Browser) -> None:
    browser.ready()
    browser.awaited("scene.snapshot")
    relay.show_status("running a", running=True)
    assert browser.awaited("scene.status")["running"] is True


def test_a_saved_notebook_has_the_picture_and_words(live: LiveView, relay: Relay) -> None:
    relay.show("bracket", [body("a")])
    bundle = live._repr_mimebundle_()
    assert bundle["text/plain"] == "3D view of bracket"
    assert bundle["image/png"].startswith(b"\x89PNG")
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == live.widget.model_id


def test_where_a_program_runs_the_notebook_there_is_the_picture_alone(relay: Relay, wire: Wire) -> None:
    view = LiveView(relay, has_comms=False)
    view.asks.children = ()
    assert "application/vnd.jupyter.widget-view+json" not in view._repr_mimebundle_()
    assert wire.messages == []
    view.close()


def test_a_viewer_that_was_not_built_says_how_it_is_built(relay: Relay, program: Path) -> None:
    program.unlink()
    view = LiveView(relay)
    shown = view.widget.children[1]._esm
    assert "CAPABILITY_UNAVAILABLE" in shown
    assert "make labextension" in shown
    view.close()
