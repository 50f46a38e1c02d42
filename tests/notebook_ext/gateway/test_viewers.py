"""The page and its WebSocket: who may see the session, and what is done with those that do not read."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from typing import Any

import numpy as np
import pytest
from websockets.client import ClientProtocol
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.uri import parse_uri

from notebook_ext.gateway.gateway import Gateway
from notebook_ext.gateway.viewers import Viewers
from notebook_ext.session.session import Session
from notebook_ext.viewer import shells
from notebook_ext.viewer.relay.nodes import Body
from tests.notebook_ext.gateway.conftest import PATIENCE, Visitor
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.operations.scene import DEFAULT_MATERIAL

Page = Callable[..., "Socket"]


class Socket:
    """A page that shows the session."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    def say(self, kind: str, **fields: Any) -> None:
        self.connection.send(json.dumps({"type": kind, "view_id": "v-1", **fields}))

    def ready(self, token: str, version: str = "1.0", **fields: Any) -> None:
        self.say("viewer.ready", protocol_version=version, token=token, features=[], **fields)

    def read(self) -> tuple[dict[str, Any], list[bytes]]:
        told = json.loads(self.connection.recv(PATIENCE))
        return told, [bytes(self.connection.recv(PATIENCE)) for _ in told.get("buffers", ())]

    def awaited(self, kind: str) -> tuple[dict[str, Any], list[bytes]]:
        while True:
            told = self.read()
            if told[0]["type"] == kind:
                return told

    def code(self) -> int:
        """With what the other end closes."""
        try:
            while True:
                self.connection.recv(PATIENCE)
        except ConnectionClosed as closed:
            return 0 if closed.rcvd is None else closed.rcvd.code


@pytest.fixture
def page(visit: Visitor) -> Iterator[Page]:
    with ExitStack() as open_pages:

        def open_page(**options: Any) -> Socket:
            address = f"ws://127.0.0.1:{visit.gateway.port}/relay"
            return Socket(open_pages.enter_context(connect(address, proxy=None, max_size=None, **options)))

        yield open_page


def test_a_page_shows_the_parts_and_follows_them(session: Session, gateway: Gateway, page: Page) -> None:
    session.evaluate("[cube 10 20 30]", name="plate")
    shown = page()
    shown.ready(gateway.viewer_token)
    snapshot, _ = shown.read()
    (node,) = snapshot["nodes"]
    assert (snapshot["type"], node["node_id"], node["name"]) == ("scene.snapshot", "plate", "plate")
    assert node["figures"].startswith("plate: 10 × 20 × 30 mm")
    assert node["source"]["label"] == "plate"
    update, buffers = shown.awaited("mesh.update")
    assert [len(each) for each in buffers] == [24 * 12, 24 * 12, 12 * 12, 12 * 24]
    rows, _ = shown.awaited("mesh.rows")
    assert [row["kind"] for row in rows["faces"]] == ["plane"] * 6
    assert rows["faces"][0]["made_by"] == "cube"
    assert (rows["faces"][0]["source"]["line"], rows["digest"]) == (1, update["node"]["digest"])
    session.evaluate("[cube 10 20 40]", name="plate")
    again, buffers = shown.awaited("mesh.update")
    assert again["node"]["revision"] > update["node"]["revision"]
    assert buffers
    session.forget(["plate"])
    gone, _ = shown.awaited("mesh.remove")
    assert gone["node_id"] == "plate"


def test_a_part_of_which_another_was_made_is_an_ingredient(
    session: Session, gateway: Gateway, page: Page
) -> None:
    session.evaluate("[cube 10 20 30]", name="blank")
    session.evaluate("[difference [cube 1 1 99] blank]", name="plate")
    shown = page()
    shown.ready(gateway.viewer_token)
    nodes = {node["node_id"]: node["ingredient"] for node in shown.read()[0]["nodes"]}
    assert nodes == {"blank": True, "plate": False}


@pytest.mark.parametrize("whose", ["nobody's", "another's", "the agents'"])
def test_a_viewer_needs_the_token_of_viewers(gateway: Gateway, page: Page, whose: str) -> None:
    shown = page()
    token = {"nobody's": "", "another's": "x" * 43, "the agents'": gateway.token}[whose]
    shown.ready(token)
    told, _ = shown.read()
    assert told["error_code"] == ("AUTH_INVALID" if token else "AUTH_REQUIRED")
    assert shown.code() == 1008


def test_a_viewers_token_opens_nothing_else(gateway: Gateway, visit: Visitor) -> None:
    for path, method in (
        ("/api/asks", "GET"),
        ("/api/session", "GET"),
        ("/mcp", "POST"),
        ("/metrics", "GET"),
    ):
        assert visit(path, method, token=gateway.viewer_token).status == 401


def test_whoever_says_something_else_first_is_sent_away(page: Page) -> None:
    shown = page()
    shown.say("stop")
    assert shown.read()[0]["error_code"] == "AUTH_REQUIRED"
    assert shown.code() == 1008
    nonsense = page()
    nonsense.connection.send(b"\x00\x01")
    assert nonsense.code() == 1009


def test_another_version_of_the_protocol_is_told_so(gateway: Gateway, page: Page) -> None:
    shown = page()
    shown.ready(gateway.viewer_token, "2.0")
    assert shown.read()[0]["error_code"] == "PROTOCOL_MISMATCH"
    assert shown.code() == 1008


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "null"])
def test_pages_of_others_may_not_connect(page: Page, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        page(origin=origin)
    assert refused.value.response.status_code == 403


def test_a_page_that_calls_us_by_another_name_may_not_connect(visit: Visitor) -> None:
    with socket.create_connection(("127.0.0.1", visit.gateway.port), PATIENCE) as wire:
        wire.sendall(
            b"GET /relay HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        assert b" 403 " in wire.recv(4096).partition(b"\r\n")[0] + b" "


def test_our_own_page_may_connect(session: Session, gateway: Gateway, page: Page) -> None:
    shown = page(origin=gateway.url)
    shown.ready(gateway.viewer_token)
    assert shown.read()[0]["type"] == "scene.snapshot"


def test_what_is_too_large_ends_the_connection(gateway: Gateway, page: Page) -> None:
    shown = page()
    shown.ready(gateway.viewer_token)
    shown.connection.send("x" * (2**20 + 1))
    assert shown.code() == 1009
    stranger = page()
    png = {"name": "png", "dtype": "u1", "shape": [1]}
    stranger.say("viewer.screenshot.result", request_id="r-1", width=1, height=1, buffers=[png])
    stranger.connection.send(b"x")
    assert stranger.code() == 1009, "of who has not shown the token not a byte of a buffer is kept"


def test_what_is_no_message_is_told_and_the_viewer_stays(gateway: Gateway, page: Page) -> None:
    shown = page()
    shown.ready(gateway.viewer_token)
    shown.connection.send("{")
    assert shown.awaited("error")[0]["error_code"] == "SCHEMA_VALIDATION_FAILED"
    shown.ready(gateway.viewer_token)
    assert shown.read()[0]["type"] == "scene.snapshot"


def test_the_end_of_the_session_is_told(session: Session, gateway: Gateway, page: Page) -> None:
    shown = page()
    shown.ready(gateway.viewer_token)
    shown.read()
    session.close()
    assert shown.code() in (1001, 1012)


def test_fifty_pages_and_those_that_come_again_see_the_same(
    session: Session, gateway: Gateway, page: Page
) -> None:
    session.evaluate("[cube 10 20 30]", name="plate")
    pages = [page() for _ in range(50)]
    for shown in pages:
        shown.ready(gateway.viewer_token)
    assert {shown.awaited("mesh.update")[0]["node"]["revision"] for shown in pages} == {1}
    for shown in pages[10:]:
        shown.connection.close()
    session.evaluate("[cube 10 20 31]", name="plate")
    digests = {shown.awaited("mesh.update")[0]["node"]["digest"] for shown in pages[:10]}
    assert len(digests) == 1
    back = page()
    back.ready(gateway.viewer_token, has=list(digests))
    assert back.read()[0]["type"] == "scene.snapshot"
    assert len(session.viewers.views()) <= 12


def test_a_page_that_stops_reading_is_sent_away_and_the_others_see_all(
    session: Session, gateway: Gateway, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Viewers.__init__.__kwdefaults__ is not None
    monkeypatch.setitem(Viewers.__init__.__kwdefaults__, "patience", 0.2)
    given_up, send = threading.Event(), Viewers._send

    async def sent(self: Viewers, *what: Any) -> bool:
        was_taken = await send(self, *what)
        if not was_taken:
            given_up.set()
        return was_taken

    monkeypatch.setattr(Viewers, "_send", sent)
    for number in range(4):
        session.viewers.show(f"net{number}", [net(float(number))])
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.settimeout(PATIENCE)
        deaf.connect(("127.0.0.1", gateway.port))
        browser = ClientProtocol(parse_uri(f"ws://127.0.0.1:{gateway.port}/relay"))
        browser.send_request(browser.connect())
        deaf.sendall(b"".join(browser.data_to_send()))
        browser.receive_data(deaf.recv(4096))
        hello = {"type": "viewer.ready", "view_id": "v-9", "protocol_version": "1.0", "features": []}
        browser.send_text(json.dumps({**hello, "token": gateway.viewer_token}).encode())
        deaf.sendall(b"".join(browser.data_to_send()))
        # from here on it takes nothing
        assert given_up.wait(PATIENCE)
        reader = page()
        reader.ready(gateway.viewer_token)
        assert [len(reader.awaited("mesh.update")[1]) for _ in range(4)] == [4] * 4
        with suppress(ConnectionResetError):
            while deaf.recv(2**20):
                pass
    assert [view.view_id for view in session.viewers.views()] == ["v-1"]


def net(height: float, side: int = 150) -> Body:
    """A sheet of so many squares on a side: 2 MB on the wire, more than a connection holds on its way."""
    x, y = np.meshgrid(np.arange(side + 1.0), np.arange(side + 1.0))
    corner = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).reshape(-1)
    triangles = [corner[:, None] + offsets for offsets in ([0, 1, side + 1], [1, side + 2, side + 1])]
    mesh = TriMesh.of(np.stack([x, y, np.full_like(x, height)], axis=-1), np.concatenate(triangles))
    return Body(f"net{height}", f"{height}", lambda: mesh, DEFAULT_MATERIAL, lambda: False)


# ---- the page ----------------------------------------------------------------------------------------


@pytest.fixture
def built(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path_factory.mktemp("built") / "viewer.js"
    path.write_text("export function mountPage() {}", encoding="utf-8")
    monkeypatch.setattr(shells, "BUILT", path)


@pytest.mark.usefixtures("built")
def test_the_page_loads_only_what_is_ours(gateway: Gateway, visit: Visitor) -> None:
    told = visit("/viewer", token="")
    assert told.status == 200
    rules = told.headers["content-security-policy"]
    assert "default-src 'none'" in rules
    assert "script-src 'self';" in rules
    assert f"ws://127.0.0.1:{gateway.port}" in rules
    assert b"//" not in told.body
    assert gateway.viewer_token.encode() not in told.body
    assert b"mountPage" in visit("/viewer/start.js", token="").body
    module = visit("/viewer/viewer.js", token="")
    assert (module.headers["content-type"].partition(";")[0], module.body[:6]) == (
        "text/javascript",
        b"export",
    )


def test_a_viewer_that_was_not_built_says_how_it_is_built(
    visit: Visitor, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shells, "BUILT", tmp_path_factory.mktemp("empty") / "viewer.js")
    told = visit("/viewer", token="")
    assert told.status == 503
    assert b"CAPABILITY_UNAVAILABLE" in told.body
    assert b"make labextension" in told.body
    assert visit("/viewer/viewer.js", token="").json["error_code"] == "CAPABILITY_UNAVAILABLE"


def test_the_link_has_the_token_where_no_server_sees_it(session: Session, runtime: object) -> None:
    link = session.viewer_url
    assert link.startswith("http://127.0.0.1:")
    assert link.partition("/viewer#token=")[2] == session.gateway.viewer_url.partition("=")[2]
