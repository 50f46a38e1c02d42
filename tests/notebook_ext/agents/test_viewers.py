"""What an agent learns of the viewers that are open, and has them show."""

from __future__ import annotations

import json
import struct
import threading
from base64 import b64decode, b64encode
from datetime import datetime
from typing import Any

import pytest

from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.session import Session
from tests.notebook_ext.agents.mcp.test_resources import read
from tests.notebook_ext.viewer.relay.conftest import LIMIT, Viewer

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 64, 48)


@pytest.fixture
def viewer(session: Session) -> Viewer:
    session.evaluate("[difference [cylinder 3 99] [cube 9 9 9]]", name="lid")
    shown = Viewer(session.viewers)
    shown.ready(features=["screenshot", "highlight"])
    return shown


def called(world: AgentWorld, tool: str, **arguments: Any) -> Any:
    return call_tool(world, tool, arguments, agent="cursor").body


def test_what_the_person_has_picked_is_said_with_its_form(world: AgentWorld, viewer: Viewer) -> None:
    rows = viewer.awaited("mesh.rows")
    (hole,) = [number for number, row in enumerate(rows["faces"]) if row["kind"] == "cylinder"]
    face = {"node_id": "lid", "digest": rows["digest"], "kind": "face", "index": hole, "point": [1, 2, 3]}
    viewer.say(
        "viewer.state",
        selection=[face],
        visible=["lid"],
        camera={"position": [9, 9, 9], "target": [0, 0, 0]},
    )
    state = called(world, "vcad_viewer_state")
    assert (state["connected"], state["visible"], state["revisions"]) == (True, ["lid"], {"lid": 1})
    assert state["camera"]["position"] == [9, 9, 9]
    (picked,) = state["selection"]
    assert (picked["made_by"], picked["source"]["line"]) == ("cylinder", 1)


def test_every_viewer_shows_the_part_that_is_meant(world: AgentWorld, viewer: Viewer) -> None:
    assert called(world, "vcad_viewer_focus", node_id="lid")["viewers"] == 1
    assert viewer.awaited("viewer.focus")["node_id"] == "lid"
    assert called(world, "vcad_viewer_focus", node_id="pin")["error_code"] == "NODE_NOT_FOUND"


def test_a_viewer_gives_the_picture_that_the_person_sees(world: AgentWorld, viewer: Viewer) -> None:
    answers: list[Any] = []
    asking = threading.Thread(
        target=lambda: answers.append(called(world, "vcad_viewer_screenshot", width=64))
    )
    asking.start()
    asked = viewer.awaited("viewer.screenshot.request")
    about = {"view_id": "v-1", "request_id": asked["request_id"], "width": 64, "height": 48}
    viewer.connection.hear({"type": "viewer.screenshot.result", **about}, [memoryview(PNG)])
    asking.join(LIMIT)
    (answer,) = answers
    assert (answer["width"], answer["height"], answer["bytes"]) == (64, 48, len(PNG))
    assert (answer["drawn_by"], answer["inline_base64"]) == ("viewer", None)
    assert (world.workspace / answer["path"]).read_bytes() == PNG


def test_without_a_viewer_the_session_draws_and_else_it_is_said_how_one_is_opened(
    world: AgentWorld, session: Session
) -> None:
    session.evaluate("[cube 1 1 1]", name="lid")
    state = called(world, "vcad_viewer_state")
    assert (state["connected"], state["viewers"]) == (False, [])
    assert called(world, "vcad_viewer_focus", node_id="lid")["error_code"] == "VIEWER_NOT_CONNECTED"
    where = ".vcad/shots/lid.png"
    drawn = called(world, "vcad_viewer_screenshot", width=200, height=150, inline=True, output_path=where)
    assert (drawn["path"], drawn["drawn_by"]) == (where, "session")
    assert (drawn["width"], drawn["height"]) == (200, 150)
    picture = (world.workspace / where).read_bytes()
    assert (b64decode(drawn["inline_base64"]), len(picture)) == (picture, drawn["bytes"])
    assert datetime.fromisoformat(drawn["created_at"]).tzinfo is not None


def test_a_picture_goes_nowhere_but_to_the_pictures(world: AgentWorld, viewer: Viewer) -> None:
    for path in ("lid.png", "../lid.png", ".vcad/shots/../lid.png", ".vcad/shots"):
        assert called(world, "vcad_viewer_screenshot", output_path=path)["error_code"] == "PATH_NOT_ALLOWED"
    assert "viewer.screenshot.request" not in viewer.kinds()


def test_of_a_picture_that_is_too_large_to_be_inline_the_size_is_said(
    world: AgentWorld, viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = png_of(300, 200, 100_000)
    monkeypatch.setattr(type(viewer.relay), "picture", lambda *_: (large, 300, 200))
    refused = called(world, "vcad_viewer_screenshot", inline=True)
    assert refused["error_code"] == "PAYLOAD_TOO_LARGE"
    assert (refused["details"]["limit"], refused["details"]["size"]) == (131_072, len(b64encode(large)))
    fits = png_of(300, 200, 98_000)
    monkeypatch.setattr(type(viewer.relay), "picture", lambda *_: (fits, 300, 200))
    taken = called(world, "vcad_viewer_screenshot", inline=True)
    assert b64decode(taken["inline_base64"]) == fits, "not cut as a text is"
    assert taken["bytes"] == 98_000


def png_of(width: int, height: int, size: int) -> bytes:
    return (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height)).ljust(size, b"\0")


def test_every_viewer_is_listed_the_one_that_was_used_last_first(world: AgentWorld, viewer: Viewer) -> None:
    other = Viewer(world.session.viewers, "other")
    other.ready()
    camera = {"position": [5, 5, 5], "target": [0, 0, 0]}
    viewer.say("viewer.state", camera=camera, visible=["lid"])
    other.say("viewer.state", visible=[])
    state = called(world, "vcad_viewer_state")
    assert [(one["view_id"], one["visible"]) for one in state["viewers"]] == [("other", []), ("v-1", ["lid"])]
    assert state["viewers"][1]["camera"]["position"] == [5, 5, 5]
    assert (state["visible"], state["viewers"][1]["features"]) == ([], ["highlight", "screenshot"])


def test_of_viewers_of_another_version_it_is_said_by_every_tool(world: AgentWorld, session: Session) -> None:
    session.evaluate("[cube 1 1 1]", name="lid")
    Viewer(session.viewers).ready(version="2.0")
    for tool, arguments in (
        ("vcad_viewer_state", {}),
        ("vcad_viewer_focus", {"node_id": "lid"}),
        ("vcad_viewer_screenshot", {}),
        ("vcad_viewer_set", {"tag": "show_edges", "value": False}),
    ):
        refused = called(world, tool, **arguments)
        assert refused["error_code"] == "PROTOCOL_MISMATCH"
        assert refused["details"]["actual_protocol"] == "2.0"


def test_what_is_picked_is_read_where_there_is_no_sketchup(world: AgentWorld, viewer: Viewer) -> None:
    viewer.say("viewer.state", selection=[{"node_id": "lid", "digest": "", "kind": "part"}], visible=["lid"])
    (picked,) = json.loads(read(world, "vcad://selection")[1])["picked"]
    assert (picked["node_id"], picked["kind"], picked["says"]) == ("lid", "part", "part lid")


def test_an_agent_points_at_a_face_in_every_viewer(world: AgentWorld, viewer: Viewer) -> None:
    viewer.awaited("mesh.rows")
    done = called(world, "vcad_viewer_annotate", node_id="lid", text="too thin", faces=[2])
    told = {one["type"]: one for one in viewer.read()}
    note, glow = told["annotation.set"]["annotation"], told["highlight"]
    assert (note["annotation_id"], note["text"], note["author"]) == (
        done["annotation_id"],
        "too thin",
        "cursor",
    )
    assert (glow["node_id"], glow["faces"], glow["tone"]) == ("lid", [2], "taken")


def test_what_viewers_show_is_set_and_nothing_that_was_set_before_comes_again(
    world: AgentWorld, viewer: Viewer
) -> None:
    viewer.awaited("mesh.rows")
    camera = {"position": [9, 9, 9], "target": [0, 0, 0], "zoom": 40}
    assert called(world, "vcad_viewer_set", tag="camera", value=camera)["viewers"] == 1
    assert viewer.awaited("viewer.state")["camera"]["zoom"] == 40
    assert called(world, "vcad_viewer_set", tag="viewer.show_edges", value=False)["success"]
    told = viewer.awaited("viewer.state")
    assert (told["edges"], "camera" in told) == ("none", False)
    plane = {"axis": "z", "at": 4.5, "flipped": True}
    assert called(world, "vcad_viewer_set", tag="section", value=[plane])["success"]
    assert viewer.awaited("viewer.state")["section"] == [plane]
    face = {"node_id": "lid", "kind": "face", "index": 2}
    assert called(world, "vcad_viewer_set", tag="selection", value=[face])["success"]
    (picked,) = viewer.awaited("viewer.state")["selection"]
    assert (picked["index"], picked["digest"]) == (2, world.session.viewers.nodes[0].digest)
    late = Viewer(world.session.viewers, "late")
    late.ready()
    kept = [told for told in late.read() if told["type"] == "viewer.state"]
    assert [told["edges"] for told in kept if "edges" in told] == ["none"]
    assert not any("selection" in told for told in kept), "what is picked is not picked anew in each view"


@pytest.mark.parametrize(
    ("tag", "value"),
    [
        ("camera", 5),
        ("camera", {"position": [1, 2]}),
        ("section", [{"axis": "w", "at": 1}]),
        ("selection", [{"node_id": "pin"}]),
        ("show_edges", "no"),
        ("colour", "red"),
    ],
)
def test_what_viewers_cannot_be_is_refused(world: AgentWorld, viewer: Viewer, tag: str, value: Any) -> None:
    said = called(world, "vcad_viewer_set", tag=tag, value=value)
    assert said["error_code"] == "INVALID_PARAMS"
    assert said["details"]["path"] == ("tag" if tag == "colour" else "value")


def test_nothing_is_set_where_nobody_looks(world: AgentWorld) -> None:
    said = called(world, "vcad_viewer_set", tag="show_edges", value=False)
    assert said["error_code"] == "VIEWER_NOT_CONNECTED"
