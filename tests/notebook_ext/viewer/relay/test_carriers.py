"""The rules of docs/spec/viewer.md, section 4, over both carriers: a gateway's WebSocket, a widget's comm."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from math import prod
from typing import Any

import comm
import pytest
from comm.base_comm import BaseComm
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from notebook_ext.gateway.gateway import Gateway
from notebook_ext.session.plain_shell import plain_shell
from notebook_ext.session.session import Session
from notebook_ext.viewer import shells
from notebook_ext.viewer.relay.messages import SetView
from notebook_ext.viewer.relay.relay import Connection
from notebook_ext.viewer.viewer_widget import ViewerWidget
from tests.notebook_ext.quick_server import quick_server
from tests.notebook_ext.viewer.relay.conftest import LIMIT
from vcad_kernel.errors import CapabilityUnavailable, ServiceFailure
from vcad_kernel.service.direct import DirectService

__all__ = ["quick_server"]

FEATURES = ["screenshot", "highlight", "proposal", "annotation"]
WIDTHS = {"f4": 4, "u4": 4, "u1": 1}
PNG = b"\x89PNG\r\n\x1a\n...."

Told = tuple[dict[str, Any], list[bytes]]


class View:
    """One view of a person's, whatever carries its messages."""

    def __init__(self, view_id: str, send: Callable[[dict[str, Any], list[bytes]], object]) -> None:
        self.view_id = view_id
        self._send = send
        self.inbox: queue.Queue[Told] = queue.Queue()

    def say(self, kind: str, buffers: list[bytes] | None = None, **fields: Any) -> None:
        specs = [{"name": "b", "dtype": "u1", "shape": [len(each)]} for each in buffers or ()]
        announced = {"buffers": specs} if specs else {}
        self._send({"type": kind, "view_id": self.view_id, **fields, **announced}, buffers or [])

    def ready(self, *, version: str = "1.0", has: list[str] | None = None, **more: Any) -> None:
        features = more.pop("features", FEATURES)
        self.say("viewer.ready", protocol_version=version, features=features, has=has or [], **more)

    def read(self) -> Told:
        """The next message. Every one names the view, or all of them, and announces its buffers."""
        message, buffers = self.inbox.get(timeout=LIMIT)
        assert message["view_id"] in (self.view_id, "")
        sizes = [WIDTHS[one["dtype"]] * prod(one["shape"]) for one in message.get("buffers", ())]
        assert [len(each) for each in buffers] == sizes
        return message, buffers

    def awaited(self, kind: str) -> Told:
        while True:
            told = self.read()
            if told[0]["type"] == kind:
                return told

    def until(self, kind: str, **fields: Any) -> list[dict[str, Any]]:
        """All messages up to one of a kind that has these members."""
        told = [self.read()[0]]
        while told[-1]["type"] != kind or any(told[-1].get(name) != value for name, value in fields.items()):
            told.append(self.read()[0])
        return told


class Carrier:
    """Opens views of one session. is_shared: whether they share one connection."""

    name = ""
    is_shared = False

    def __init__(self, session: Session) -> None:
        self.session = session

    def view(self, view_id: str = "v-1") -> View:
        raise NotImplementedError

    @property
    def token(self) -> dict[str, str]:
        """What the first message has besides."""
        return {}


class Sockets(Carrier):
    """A WebSocket for each."""

    name = "socket"

    def __init__(self, session: Session, gateway: Gateway, opened: ExitStack) -> None:
        super().__init__(session)
        gateway.open()
        self._gateway = gateway
        self._opened = opened
        self.closed: queue.Queue[int] = queue.Queue()

    @property
    def token(self) -> dict[str, str]:
        return {"token": self._gateway.viewer_token}

    def view(self, view_id: str = "v-1") -> View:
        address = f"ws://127.0.0.1:{self._gateway.port}/relay"
        wire = self._opened.enter_context(connect(address, proxy=None, max_size=None))

        def send(message: dict[str, Any], buffers: list[bytes]) -> None:
            wire.send(json.dumps(message))
            for each in buffers:
                wire.send(each)

        view = View(view_id, send)

        def listen() -> None:
            try:
                while True:
                    message = json.loads(wire.recv())
                    view.inbox.put((message, [bytes(wire.recv()) for _ in message.get("buffers", ())]))
            except ConnectionClosed as closed:
                self.closed.put(0 if closed.rcvd is None else closed.rcvd.code)

        threading.Thread(target=listen, daemon=True).start()
        return view


class Comms(Carrier):
    """One widget, whose views share its comm."""

    name = "comm"
    is_shared = True

    def __init__(self, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(session)
        self._views: list[View] = []
        self.traits: list[dict[str, Any]] = []
        carrier = self

        class RecordingComm(BaseComm):
            def publish_msg(
                self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **_: Any
            ) -> None:
                carrier.take(data or {}, [bytes(each) for each in buffers or ()])

        monkeypatch.setattr(comm, "create_comm", lambda **keys: RecordingComm(**keys))
        self.widget = ViewerWidget(session.viewers)

    def take(self, data: dict[str, Any], buffers: list[bytes]) -> None:
        if "content" not in data:
            self.traits.append(data.get("state", {}))
            return
        message = json.loads(json.dumps(data["content"]))
        for view in self._views:
            if message["view_id"] in ("", view.view_id):  # as the browser's side does
                view.inbox.put((message, buffers))

    def view(self, view_id: str = "v-1") -> View:
        def send(message: dict[str, Any], buffers: list[bytes]) -> None:
            said = {"content": {"data": {"method": "custom", "content": message}}}
            self.widget._handle_msg({**said, "buffers": [memoryview(each) for each in buffers]})

        view = View(view_id, send)
        self._views.append(view)
        return view


@dataclass(frozen=True)
class Served:
    """A session with its gateway, and what is told when a connection has ended."""

    session: Session
    gateway: Gateway
    gone: threading.Condition


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("carriers")
    (folder / ".git").mkdir()
    (folder / "viewer.js").write_text("export default { render() {} };", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_RUNTIME_DIR", str(folder / "runtime"))
        patch.setattr(shells, "BUILT", folder / "viewer.js")
        session = Session(plain_shell(), DirectService(), folder=folder)
        gateway = Gateway(session, kernel_id="3f2a9c51", notebook="plate.ipynb")
        made = Served(session, gateway, threading.Condition())
        disconnect = session.viewers.disconnect

        def disconnected(connection: Connection) -> None:
            disconnect(connection)
            with made.gone:
                made.gone.notify_all()

        patch.setattr(session.viewers, "disconnect", disconnected)
        yield made
        gateway.close()
        session.close()


@pytest.fixture
def session(served: Served) -> Iterator[Session]:
    served.session.evaluate("[cube 10 20 30]", name="plate")
    yield served.session
    with served.gone:
        assert served.gone.wait_for(lambda: not served.session.viewers.views(), LIMIT)
    served.session.reset()
    served.session.viewers._view = SetView()


@pytest.fixture(params=["socket", "comm"])
def carrier(
    request: pytest.FixtureRequest, session: Session, served: Served, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Carrier]:
    with ExitStack() as opened:
        if request.param == "comm":
            comms = Comms(session, monkeypatch)
            opened.callback(comms.widget.close)
            yield comms
        else:
            yield Sockets(session, served.gateway, opened)


@pytest.fixture
def view(carrier: Carrier) -> View:
    """A view that is ready, and has been told everything."""
    made = carrier.view()
    made.ready(**carrier.token)
    made.awaited("mesh.rows")
    return made


def test_what_is_ready_gets_one_snapshot_then_the_meshes_and_no_history(carrier: Carrier) -> None:
    session = carrier.session
    for height in (31, 32, 33):
        session.evaluate(f"[cube 10 20 {height}]", name="plate")
    view = carrier.view()
    view.ready(**carrier.token)
    told = view.until("mesh.rows")
    assert [one["type"] for one in told] == ["scene.snapshot", "mesh.update", "mesh.rows"]
    snapshot, update, rows = told
    assert snapshot["nodes"][0]["bounds"][1] == [10, 20, 33]
    assert snapshot["nodes"][0]["revision"] == update["node"]["revision"]
    assert update["node"]["digest"] == snapshot["nodes"][0]["digest"] == rows["digest"]
    assert [one["name"] for one in update["buffers"]] == ["positions", "normals", "indices", "segments"]


def test_what_is_changed_is_told_with_a_higher_revision_and_what_is_gone_as_well(
    carrier: Carrier, view: View
) -> None:
    before = carrier.session.viewers.revision
    carrier.session.evaluate("[cube 10 20 40]", name="plate")
    (update, buffers) = view.awaited("mesh.update")
    assert (update["node"]["revision"], len(buffers)) == (before + 1, 4)
    carrier.session.forget(["plate"])
    gone, _ = view.awaited("mesh.remove")
    assert (gone["node_id"], gone["revision"]) == ("plate", before + 2)


def test_what_a_view_has_by_digest_is_not_sent_again(carrier: Carrier, view: View) -> None:
    digest = carrier.session.viewers.nodes[0].digest
    again = carrier.view("again")
    again.ready(has=[digest], **carrier.token)
    told = again.until("mesh.rows")
    assert [one["type"] for one in told if one["view_id"] == "again"] == ["scene.snapshot", "mesh.rows"]
    carrier.session.evaluate("[cube 10 20 30]", name="twin")
    twin, buffers = again.awaited("mesh.update")
    assert (twin["node"]["node_id"], buffers) == ("twin", [])


def test_a_scene_that_begins_anew_is_said_once_and_its_parts_come_whole(carrier: Carrier, view: View) -> None:
    session, before = carrier.session, carrier.session.viewers.revision
    view.say("annotation.set", text="thin", node_id="plate", point=[1, 2, 3])
    view.awaited("annotation.set")
    session.reset()
    assert view.until("scene.reset")[-1]["view_id"] == "v-1"
    assert (session.viewers.names, session.viewers.overlays.annotations) == ((), ())
    session.evaluate("[cube 10 20 30]", name="plate")
    update, buffers = view.awaited("mesh.update")
    assert len(buffers) == 4, "the view has forgotten the triangles, be they the same"
    assert update["node"]["revision"] > before
    late = carrier.view("late")
    late.ready(**carrier.token)
    # the rows of the plate may still be on their way to the first view
    told = late.until("scene.snapshot")
    assert [one["type"] for one in told if one["view_id"] == "late"] == ["scene.snapshot"]


def test_another_major_version_is_refused_and_tools_say_so(carrier: Carrier) -> None:
    old = carrier.view()
    old.ready(version="2.3", **carrier.token)
    refused, _ = old.read()
    assert (refused["type"], refused["error_code"]) == ("error", "PROTOCOL_MISMATCH")
    with pytest.raises(ServiceFailure) as said:
        carrier.session.viewers.require("screenshot")
    assert said.value.error_code == "PROTOCOL_MISMATCH"
    assert said.value.details["actual_protocol"] == "2.3"
    if isinstance(carrier, Sockets):
        assert carrier.closed.get(timeout=LIMIT) == 1008
    new = carrier.view("new")
    new.ready(version="1.9", **carrier.token)
    assert new.read()[0]["type"] == "scene.snapshot"
    assert carrier.session.viewers.require("screenshot").view_id == "new"


def test_what_a_view_cannot_do_is_neither_sent_nor_asked_of_it(carrier: Carrier) -> None:
    view = carrier.view()
    view.ready(features=[], **carrier.token)
    view.awaited("mesh.rows")
    relay = carrier.session.viewers
    relay.overlays.highlight(relay.nodes[0], "taken", faces=(1,))
    with pytest.raises(CapabilityUnavailable) as said:
        relay.picture()
    assert said.value.details["required_capability"] == "screenshot"
    relay.show_status("done")
    assert [one["type"] for one in view.until("scene.status", text="done")].count("highlight") == 0


def test_what_is_asked_is_answered_to_the_view_that_asked(carrier: Carrier, view: View) -> None:
    other = carrier.view("other")
    other.ready(**carrier.token)
    digest = carrier.session.viewers.nodes[0].digest
    same = {"node_id": "plate", "digest": digest}
    for number, (asked, answered, fields) in enumerate(
        (
            ("measure", "measure.result", {"a": _face(digest)}),
            ("selection.explain", "selection.explain.result", {**same, "faces": [0]}),
            ("selector", "selector.propose", {**same, "target": "face", "indexes": [0]}),
            ("export", "export.result", {"node_ids": ["plate"], "format": "stl"}),
        )
    ):
        view.say(asked, request_id=f"q-{number}", **fields)
        answer, buffers = view.awaited(answered)
        assert (answer["request_id"], answer["view_id"]) == (f"q-{number}", "v-1")
        assert (answered == "export.result") == bool(buffers)
    carrier.session.viewers.show_status("after")
    assert not any("request_id" in one for one in other.until("scene.status", text="after"))


def test_states_of_a_part_are_compared(carrier: Carrier, view: View) -> None:
    carrier.session.evaluate("[cube 10 20 40]", name="plate")
    view.awaited("mesh.update")
    view.say("compare", request_id="q-1", node_id="plate", back=1)
    changed, buffers = view.awaited("compare")
    assert (changed["parts"], len(buffers)) == (["added", "unchanged"], 8)


def test_a_picture_of_a_view_comes_as_bytes(carrier: Carrier, view: View) -> None:
    taken: list[Any] = []
    asking = threading.Thread(target=lambda: taken.append(carrier.session.viewers.picture(64, 48)))
    asking.start()
    asked, _ = view.awaited("viewer.screenshot.request")
    assert (asked["width"], asked["height"]) == (64, 48)
    view.say("viewer.screenshot.result", [PNG], request_id=asked["request_id"], width=64, height=48)
    asking.join(LIMIT)
    assert taken == [(PNG, 64, 48)]


def test_how_a_view_is_is_known_and_how_all_are_to_be_is_told(carrier: Carrier, view: View) -> None:
    relay, session = carrier.session.viewers, carrier.session
    camera = {"position": [9, 9, 9], "target": [0, 0, 0]}
    view.say(
        "viewer.state", camera=camera, selection=[_face(relay.nodes[0].digest)], visible=["plate"], section=[]
    )
    view.say("annotation.set", text="here", point=[0, 0, 0])
    note, _ = view.awaited("annotation.set")
    assert [(one.kind, one.index) for one in session.selection] == [("face", 0)]
    view.say("annotation.remove", annotation_id=note["annotation"]["annotation_id"])
    view.awaited("annotation.remove")
    relay.set_shown("plate", False)
    assert view.awaited("viewer.state")[0]["shown"] == {"plate": False}
    relay.focus("plate")
    assert view.awaited("viewer.focus")[0]["node_id"] == "plate"


def test_two_views_have_a_snapshot_and_a_camera_each(carrier: Carrier, view: View) -> None:
    carrier.session.viewers.set_view(SetView(edges="none"))
    view.awaited("viewer.state")
    second = carrier.view("v-2")
    second.ready(**carrier.token)
    assert second.read()[0]["type"] == "scene.snapshot"
    assert second.awaited("viewer.state")[0]["edges"] == "none"
    carrier.session.viewers.show_status("after")
    first = view.until("scene.status", text="after")
    assert {"scene.snapshot", "viewer.state"}.isdisjoint(one["type"] for one in first)


def test_what_is_no_message_is_said_and_the_view_stays(carrier: Carrier, view: View) -> None:
    view.say("no such thing")
    wrong, _ = view.awaited("error")
    assert wrong["error_code"] == "SCHEMA_VALIDATION_FAILED"
    carrier.session.evaluate("[cube 1 1 1]", name="pin")
    assert view.awaited("mesh.update")[0]["node"]["node_id"] == "pin"


def test_no_mesh_ever_becomes_a_trait(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    comms = Comms(session, monkeypatch)
    view = comms.view()
    view.ready()
    view.awaited("mesh.rows")
    assert all(len(json.dumps(state, default=str)) < 2000 for state in comms.traits)
    comms.widget.close()


def _face(digest: str) -> dict[str, Any]:
    return {"node_id": "plate", "digest": digest, "kind": "face", "index": 0, "point": [0, 0, 0]}
