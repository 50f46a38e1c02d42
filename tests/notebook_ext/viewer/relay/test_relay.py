from __future__ import annotations

import threading
import tracemalloc
from dataclasses import replace

import pytest

from notebook_ext.viewer.relay.messages import SetView
from notebook_ext.viewer.relay.nodes import Node, Placement
from notebook_ext.viewer.relay.relay import EVERY_VIEW, KEPT_REVISIONS, Relay
from tests.notebook_ext.viewer.relay.conftest import LIMIT, Clock, Viewer, body, rows_of
from tests.notebook_ext.viewer.solids import RED, box, cylinder
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, ServiceFailure
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.operations.scene import Material


def test_nothing_is_told_before_a_view_is_ready(relay: Relay) -> None:
    viewer = Viewer(relay)
    relay.show("bracket", [body("a")])
    assert viewer.read() == []


def test_a_view_that_is_ready_gets_exactly_one_snapshot_and_then_the_meshes(relay: Relay) -> None:
    relay.show("bracket", [body("a", material=RED)], figures="bracket: 1 × 1 × 1 mm")
    relay.show("pin", [body("b")])
    viewer = Viewer(relay)
    viewer.ready()
    snapshot, first, second = viewer.read()
    assert [node["node_id"] for node in snapshot["nodes"]] == ["bracket", "pin"]
    assert snapshot["nodes"][0]["material"]["color"] == [0.9, 0.1, 0.1]
    assert snapshot["nodes"][0]["figures"] == "bracket: 1 × 1 × 1 mm"
    assert snapshot["nodes"][0]["bounds"] == [[0, 0, 0], [1, 1, 1]]
    assert (first["type"], first["node"]["node_id"], second["node"]["node_id"]) == (
        "mesh.update",
        "bracket",
        "pin",
    )
    assert {one["name"]: one["shape"] for one in first["buffers"]} == {
        "positions": [24, 3],
        "normals": [24, 3],
        "indices": [12, 3],
        "segments": [12, 2, 3],
    }
    assert viewer.read() == []


def test_history_is_not_replayed(relay: Relay) -> None:
    for number in range(10):
        relay.show("bracket", [body(f"d{number}")])
    viewer = Viewer(relay)
    viewer.ready()
    assert viewer.kinds() == ["scene.snapshot", "mesh.update"]
    assert viewer.heard[1]["node"]["digest"] == "d9"


def test_what_changes_between_ready_and_reading_is_told_once(relay: Relay) -> None:
    relay.show("bracket", [body("a")])
    viewer = Viewer(relay)
    viewer.ready()
    relay.show("bracket", [body("b")])
    assert viewer.kinds() == ["scene.snapshot", "mesh.update"]
    assert [node["digest"] for node in viewer.heard[0]["nodes"]] == ["b"]


def test_the_newest_mesh_of_a_node_wins_while_nobody_reads(relay: Relay) -> None:
    viewer = Viewer(relay)
    viewer.ready()
    viewer.read()
    for number in range(100):
        relay.show("bracket", [body(f"d{number}")])
        relay.show("pin", [body(f"e{number}")])
    told = viewer.read()
    assert [one["node"]["digest"] for one in told] == ["d99", "e99"]


def test_revisions_grow_over_removals_and_new_parts_of_the_name(relay: Relay) -> None:
    viewer = Viewer(relay)
    viewer.ready()
    revisions = []
    for digest in ("a", "b"):
        relay.show("bracket", [body(digest)])
        relay.remove("bracket")
        relay.show("bracket", [body(digest)])
        revisions += [told["node"]["revision"] for told in viewer.read() if told["type"] == "mesh.update"]
        relay.remove("bracket")
        revisions += [told["revision"] for told in viewer.read()]
    assert revisions == sorted(set(revisions))
    assert len(revisions) == 4


def test_a_view_is_told_that_a_node_is_gone_and_never_of_one_that_it_did_not_know(relay: Relay) -> None:
    viewer = Viewer(relay)
    viewer.ready()
    viewer.read()
    relay.show("never seen", [body("a")])
    relay.remove("never seen")
    assert viewer.read() == []
    relay.show("seen", [body("a")])
    viewer.read()
    relay.remove("seen")
    (gone,) = viewer.read()
    assert (gone["type"], gone["node_id"]) == ("mesh.remove", "seen")


def test_a_view_is_told_that_a_node_is_gone_that_its_snapshot_alone_has_named(relay: Relay) -> None:
    relay.show("slow", [body("a")])
    viewer = Viewer(relay)
    viewer.ready()
    assert viewer.connection.take() is not None, "the snapshot"
    relay.remove("slow")
    assert viewer.kinds() == ["mesh.remove"]


def test_a_view_is_told_that_a_node_is_gone_whose_last_triangles_could_not_be_had(relay: Relay) -> None:
    def lost() -> TriMesh:
        raise ServiceFailure(ErrorCode.FILE_NOT_FOUND, "part.stl is away", details={"path": "part.stl"})

    relay.show("bracket", [body("a")])
    viewer = Viewer(relay)
    viewer.ready()
    viewer.read()
    relay.show("bracket", [replace(body("b"), mesh=lost)])
    assert viewer.kinds() == ["error"]
    relay.remove("bracket")
    assert viewer.kinds() == ["mesh.remove"], "it shows the triangles of before"


def test_what_a_viewer_has_by_digest_is_not_sent_again(relay: Relay) -> None:
    relay.show("old", [body("a")])
    relay.show("new", [body("b")])
    viewer = Viewer(relay)
    viewer.ready("a", "of another session")
    snapshot, update = viewer.read()
    assert len(snapshot["nodes"]) == 2
    assert update["node"]["node_id"] == "new"


def test_another_look_of_the_same_triangles_is_told_without_them(relay: Relay) -> None:
    relay.show("bracket", [body("a")])
    viewer = Viewer(relay)
    viewer.ready()
    viewer.read()
    relay.show("bracket", [body("a", material=RED)], stale="wall has changed")
    (update,) = viewer.read()
    assert (update["node"]["stale"], update["node"]["material"]["name"]) == ("wall has changed", "red")
    assert "buffers" not in update


def test_a_node_says_how_much_is_seen_through_it(relay: Relay) -> None:
    relay.show("pane", [body("a", material=Material("glass", (0.2, 0.4, 0.6), alpha=0.4))])
    relay.show("block", [body("b")])
    viewer = Viewer(relay)
    viewer.ready()
    snapshot, *_ = viewer.read()
    assert [node["material"]["opacity"] for node in snapshot["nodes"]] == [0.4, 1.0]


def test_triangles_that_could_not_be_had_are_sent_when_they_can(relay: Relay) -> None:
    lost = [ServiceFailure(ErrorCode.FILE_NOT_FOUND, "part.stl is away", details={"path": "part.stl"})]

    def mesh() -> TriMesh:
        if lost:
            raise lost.pop()
        return box(1, 1, 1)

    viewer = Viewer(relay)
    viewer.ready()
    viewer.read()
    relay.show("bracket", [replace(body("a"), mesh=mesh)])
    assert viewer.kinds() == ["error"]
    relay.show("bracket", [replace(body("a"), mesh=mesh)], stale="part.stl has changed")
    (update,) = viewer.read()
    assert "buffers" in update


@pytest.mark.parametrize("has", [(), ("a",)], ids=["nothing", "the lost triangles"])
def test_one_mesh_that_cannot_be_had_keeps_nothing_else_from_a_view(
    relay: Relay, has: tuple[str, ...]
) -> None:
    def lost() -> TriMesh:
        raise ServiceFailure(ErrorCode.FILE_NOT_FOUND, "part.stl is away", details={"path": "part.stl"})

    relay.show("bracket", [replace(body("a"), mesh=lost)])
    relay.show("pin", [body("b")])
    viewer = Viewer(relay)
    viewer.ready(*has)
    snapshot, *others = viewer.read()
    assert [node["node_id"] for node in snapshot["nodes"]] == ["pin"]
    assert snapshot["features"] == ["measure"]
    assert sorted(told["type"] for told in others) == ["error", "mesh.update"]
    relay.show("bracket", [body("a")], stale="part.stl has changed")
    (update,) = viewer.read()
    assert "buffers" in update


def test_two_nodes_of_the_same_triangles_send_them_once(relay: Relay) -> None:
    relay.show("left", [body("a")])
    relay.show("right", [body("a")])
    viewer = Viewer(relay)
    viewer.ready()
    _, left, right = viewer.read()
    assert "buffers" in left
    assert "buffers" not in right


def test_a_part_shown_again_as_it_was_tells_nothing(relay: Relay) -> None:
    relay.show("bracket", [body("a")], figures="bracket")
    viewer = Viewer(relay)
    viewer.ready()
    viewer.read()
    relay.show("bracket", [body("a")], figures="bracket")
    assert viewer.read() == []


def test_an_edit_of_one_of_fifty_parts_sends_one_part(relay: Relay) -> None:
    for number in range(50):
        relay.show(f"part{number}", [body(f"d{number}", cylinder(number + 1, 5))])
    viewer = Viewer(relay)
    viewer.ready()
    viewer.read()
    before = viewer.bytes
    relay.show("part7", [body("edited", cylinder(8, 6))])
    (update,) = viewer.read()
    assert update["node"]["node_id"] == "part7"
    assert viewer.bytes - before < before / 40


def test_the_parts_of_one_cell_are_a_group(relay: Relay) -> None:
    relay.show("case", [body("a", name="box"), body("b", name="lid")], figures="case: 2 parts")
    viewer = Viewer(relay)
    viewer.ready()
    nodes = viewer.read()[0]["nodes"]
    assert [(node["node_id"], node["group"], node["name"]) for node in nodes] == [
        ("case/1", "case", "box"),
        ("case/2", "case", "lid"),
    ]
    relay.show("case", [body("c")])
    assert sorted(viewer.kinds()[-3:]) == ["mesh.remove", "mesh.remove", "mesh.update"]


def _at(x: float, name: str = "") -> Placement:
    return Placement(name, (1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1))


def test_each_instance_of_a_part_is_a_node_where_it_stands_and_its_triangles_and_rows_go_out_once(
    relay: Relay,
) -> None:
    viewer = Viewer(relay)
    viewer.ready()
    relay.show("leg", [body("a", rows=rows_of)], placements=[_at(5, "leg-1")])
    viewer.awaited("mesh.rows")
    assert (relay.nodes[0].node_id, relay.nodes[0].group) == ("leg", "")
    relay.show("leg", [body("a", rows=rows_of)], placements=[_at(5, "leg-1"), _at(7, "leg-2")])
    told = viewer.read()
    assert [(one["node"]["node_id"], one["node"]["name"], one["node"]["group"]) for one in told] == [
        ("leg", "leg-1", "leg"),
        ("leg#2", "leg-2", "leg"),
    ]
    assert [one["node"]["pose"][3] for one in told] == [5, 7]
    assert all("buffers" not in one for one in told)
    assert [one["node"]["bounds"][0][0] for one in told] == [0, 0]
    assert [node.standing.bounds().tolist()[0][0] for node in relay.nodes] == [5, 7]  # type: ignore[union-attr]


def test_an_instance_of_several_bodies_is_a_group_of_them(relay: Relay) -> None:
    relay.show("case", [body("a", name="box"), body("b", name="lid")], placements=[_at(0, "l"), _at(9, "r")])
    assert [(node.node_id, node.body.name, node.group, node.number) for node in relay.nodes] == [
        ("case/1", "box", "case/l", 0),
        ("case/2", "lid", "case/l", 1),
        ("case/1#2", "box", "case/r", 0),
        ("case/2#2", "lid", "case/r", 1),
    ]


def test_what_is_about_a_node_comes_behind_it_however_long_nobody_reads(relay: Relay) -> None:
    relay.show("bracket", [body("a")])
    viewer = Viewer(relay)
    viewer.ready(features=["highlight"])
    viewer.read()
    relay.focus("bracket")
    relay.overlays.highlight(shown(relay, "bracket"), "taken", faces=(1,))
    relay.show("bracket", [body("b")])
    relay.show("pin", [body("c")])
    relay.focus("pin")
    relay.overlays.highlight(shown(relay, "bracket"), "taken", faces=(2,))
    told = [(one["type"], one.get("node_id"), one.get("faces")) for one in viewer.read()]
    assert told == [
        ("mesh.update", None, None),
        ("mesh.update", None, None),
        ("viewer.focus", "pin", None),
        ("highlight", "bracket", [2]),
    ]


def test_a_scene_of_more_nodes_than_wait_elsewhere_is_told_whole() -> None:
    relay = Relay(most=20)
    for number in range(30):
        relay.show(f"part{number}", [body(f"d{number}", rows=rows_of)])
    viewer = Viewer(relay)
    viewer.ready()
    assert viewer.kinds().count("mesh.update") == 30
    assert not viewer.connection.is_given_up
    relay.close()


def test_the_time_that_a_mesh_takes_to_be_made_is_not_the_viewers(relay: Relay, clock: Clock) -> None:
    def slow() -> TriMesh:
        clock.now += 100
        relay.show("pin", [body("b")])
        relay.show_status("running")
        return box(1, 1, 1)

    viewer = Viewer(relay)
    viewer.ready()
    viewer.read()
    relay.show("bracket", [replace(body("a"), mesh=slow)])
    assert viewer.kinds() == ["mesh.update", "mesh.update", "scene.status"]
    assert not viewer.connection.is_given_up


def test_a_scene_that_begins_anew_takes_along_what_waits_of_the_old_one(relay: Relay) -> None:
    relay.show("bracket", [body("a")])
    viewer, late = Viewer(relay), Viewer(relay, "late")
    viewer.ready(features=["highlight"])
    viewer.read()
    late.ready("b")
    relay.overlays.highlight(shown(relay, "bracket"), "taken", faces=(1,))
    relay.show_status("running")
    relay.show("bracket", [body("c")])
    relay.reset()
    relay.reset()
    relay.show("pin", [body("b")])
    assert viewer.kinds() == ["scene.status", "scene.reset", "mesh.update"]
    assert late.kinds() == ["scene.snapshot", "scene.status"], "it has what its snapshot tells of"
    assert (relay.earlier("bracket"), relay.names) == ((), ("pin",))


# ---- who may speak -----------------------------------------------------------------------------------


def test_another_major_version_is_refused(relay: Relay) -> None:
    relay.show("bracket", [body("a")])
    viewer = Viewer(relay)
    viewer.ready(version="2.0")
    (refused,) = viewer.read()
    assert (refused["type"], refused["error_code"]) == ("error", "PROTOCOL_MISMATCH")
    assert viewer.connection.is_refused
    assert relay.views() == ()


def test_a_later_minor_version_is_spoken_with(relay: Relay) -> None:
    viewer = Viewer(relay)
    viewer.ready(version="1.7")
    assert viewer.kinds() == ["scene.snapshot"]


def test_what_is_no_message_is_said_and_harms_nothing(relay: Relay) -> None:
    viewer = Viewer(relay)
    viewer.ready()
    viewer.read()
    for wrong in (b"{", b'{"type": "no such"}', b'{"type": "measure", "view_id": "v-1"}', b"[" * 100_000):
        viewer.connection.hear(wrong)
    assert {told["error_code"] for told in viewer.read()} == {"SCHEMA_VALIDATION_FAILED"}
    viewer.connection.hear(b" " * (2**20 + 1))
    assert viewer.read()[0]["error_code"] == "PAYLOAD_TOO_LARGE"


def test_a_view_that_asks_before_it_is_ready_is_told_so(relay: Relay) -> None:
    viewer = Viewer(relay)
    viewer.say("stop")
    assert viewer.read()[0]["error_code"] == "INVALID_REQUEST"


def test_what_no_viewer_can_do_is_refused(relay: Relay) -> None:
    with pytest.raises(ServiceFailure, match="no viewer is open") as none:
        relay.require("screenshot")
    assert none.value.error_code == "VIEWER_NOT_CONNECTED"
    Viewer(relay, "old").ready(version="0.9")
    relay.show("bracket", [body("a")])
    with pytest.raises(ServiceFailure, match="speaks version") as other:
        relay.focus("bracket")
    assert other.value.error_code == "PROTOCOL_MISMATCH"
    assert (other.value.details["expected_protocol"], other.value.details["actual_protocol"]) == (
        "1.0",
        "0.9",
    )
    viewer = Viewer(relay)
    viewer.ready(features=["highlight"])
    with pytest.raises(CapabilityUnavailable) as cannot:
        relay.require("screenshot")
    assert cannot.value.details["negotiated_capabilities"] == ["highlight"]
    assert relay.require("highlight").view_id == "v-1"


def test_a_view_is_not_told_what_it_cannot_do(relay: Relay) -> None:
    able, other = Viewer(relay, "able"), Viewer(relay, "other")
    able.ready(features=["highlight"])
    other.ready()
    relay.show("bracket", [body("a")])
    relay.overlays.highlight(shown(relay, "bracket"), "taken", faces=(1,))
    assert able.kinds() == ["scene.snapshot", "mesh.update", "highlight"]
    assert other.kinds() == ["scene.snapshot", "mesh.update"]


def test_what_glows_is_seen_by_views_that_come_later_until_the_node_changes(relay: Relay) -> None:
    relay.show("bracket", [body("a")])
    relay.overlays.highlight(shown(relay, "bracket"), "taken", lines=[[(0, 0, 0), (1, 0, 0), (1, 2, 0)]])
    late = Viewer(relay, "late")
    late.ready(features=["highlight"])
    glow = late.read()[-1]
    assert (glow["type"], glow["node_id"], glow["tone"]) == ("highlight", "bracket", "taken")
    assert glow["buffers"] == [{"name": "segments", "dtype": "f4", "shape": [2, 2, 3]}]
    relay.show("bracket", [body("a")], stale="its source has changed")
    again = Viewer(relay, "again")
    again.ready(features=["highlight"])
    assert "highlight" in again.kinds()
    relay.show("bracket", [body("b")])
    last = Viewer(relay, "last")
    last.ready(features=["highlight"])
    assert "highlight" not in last.kinds()


def test_a_selection_that_takes_nothing_puts_the_glow_out(relay: Relay) -> None:
    relay.show("bracket", [body("a")])
    viewer = Viewer(relay)
    viewer.ready(features=["highlight"])
    relay.overlays.highlight(shown(relay, "bracket"), "taken", faces=(1,))
    viewer.read()
    relay.overlays.highlight(shown(relay, "bracket"), "taken")
    (out,) = viewer.read()
    assert (out["faces"], out.get("buffers")) == ([], None)


def shown(relay: Relay, node_id: str) -> Node:
    node = relay.node(node_id)
    assert node is not None
    return node


# ---- many, slow, and gone ----------------------------------------------------------------------------


def test_fifty_viewers_get_the_same_and_each_its_own_queue(relay: Relay) -> None:
    relay.show("bracket", [body("a")])
    viewers = [Viewer(relay, f"v-{number}") for number in range(50)]
    for viewer in viewers:
        viewer.ready()
    viewers[0].read()
    relay.show("bracket", [body("b")])
    assert viewers[0].kinds() == ["mesh.update"]
    for viewer in viewers[1:]:
        assert viewer.kinds() == ["scene.snapshot", "mesh.update"]
        assert viewer.heard[1]["node"]["digest"] == "b"
    assert len(relay.views()) == 50


def test_a_viewer_that_never_reads_takes_no_memory_and_is_sent_away(relay: Relay, clock: Clock) -> None:
    for number in range(20):
        relay.show(f"part{number}", [body(f"{number}")])
    viewer = Viewer(relay)
    viewer.ready()
    for number in range(1000):
        relay.show("part3", [body(f"d{number}")])
        relay.show_status(f"running {number}")
    assert len(viewer.connection._outbox) <= 23
    clock.now += 61
    relay.show("part3", [body("last")])
    assert viewer.connection.is_given_up
    assert viewer.read() == []


def test_a_viewer_that_reads_after_a_long_silence_stays(relay: Relay, clock: Clock) -> None:
    viewer = Viewer(relay)
    viewer.ready()
    viewer.read()
    clock.now += 1000
    relay.show("bracket", [body("a")])
    assert viewer.kinds() == ["mesh.update"]
    assert not viewer.connection.is_given_up


def test_a_viewer_that_asks_without_end_is_told_to_wait(relay: Relay) -> None:
    blocked, go = threading.Event(), threading.Event()
    viewer = Viewer(relay)
    viewer.ready()
    viewer.read()
    relay._answers.do(lambda: (blocked.set(), go.wait(LIMIT)))
    assert blocked.wait(LIMIT)
    thing = {"node_id": "a", "digest": "a", "kind": "part", "index": 0}
    for number in range(80):
        viewer.say("measure", request_id=f"q{number}", a=thing)
    refused = viewer.read()
    assert [told["error_code"] for told in refused] == ["VCAD_QUEUE_FULL"] * 16
    assert refused[0]["request_id"] == "q64"
    go.set()
    assert viewer.awaited("measure.result")["request_id"] == "q0"


def test_a_storm_of_viewers_that_come_again_leaves_nothing_behind(relay: Relay) -> None:
    for number in range(10):
        relay.show(f"part{number}", [body(f"{number}")])

    def storm() -> None:
        for _ in range(100):
            viewer = Viewer(relay)
            viewer.ready("0", "1", "2")
            viewer.read()
            viewer.connection.close()

    storm()
    tracemalloc.start()
    storm()
    first = tracemalloc.get_traced_memory()[0]
    storm()
    grown = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    assert grown < 20_000
    assert relay.views() == ()


def test_views_of_one_widget_share_what_is_sent(relay: Relay) -> None:
    relay.show("bracket", [body("a")])
    widget = Viewer(relay, shared=True)
    widget.ready(view_id="left")
    assert [told["view_id"] for told in widget.read()] == ["left", "left"]
    widget.ready("a", view_id="right")
    assert [(told["type"], told["view_id"]) for told in widget.read()] == [("scene.snapshot", "right")]
    relay.show("bracket", [body("b")])
    (update,) = widget.read()
    assert update["view_id"] == EVERY_VIEW
    assert "buffers" in update


def test_views_that_a_reload_left_behind_are_forgotten_in_the_end(relay: Relay, clock: Clock) -> None:
    widget = Viewer(relay, shared=True)
    for number in range(100):
        clock.now += 1
        widget.ready(view_id=f"v-{number}")
    assert len(relay.views()) == 32
    assert relay.views()[0].view_id == "v-99"


def test_closing_ends_every_connection(relay: Relay) -> None:
    viewer = Viewer(relay)
    relay.close()
    assert viewer.connection.is_ended
    with pytest.raises(CapabilityUnavailable):
        Viewer(relay)


# ---- rows --------------------------------------------------------------------------------------------


def test_rows_come_after_the_mesh_and_are_read_once_for_all(relay: Relay) -> None:
    reads: list[str] = []

    def read() -> object:
        reads.append("read")
        return rows_of()

    relay.show("bracket", [body("a", rows=read)])  # type: ignore[arg-type]
    assert reads == []
    first = Viewer(relay, "first")
    first.ready()
    rows = first.awaited("mesh.rows")
    assert [told["type"] for told in first.heard] == ["scene.snapshot", "mesh.update", "mesh.rows"]
    assert (rows["node_id"], rows["digest"], len(rows["faces"])) == ("bracket", "a", 6)
    assert {one["name"]: (one["dtype"], one["shape"]) for one in rows["buffers"]} == {
        "triangle_faces": ("u4", [12]),
        "lines": ("f4", [2, 3]),
        "line_starts": ("u4", [2]),
        "line_tangent": ("u1", [1]),
    }
    second = Viewer(relay, "second")
    second.ready("a")
    assert second.kinds() == ["scene.snapshot", "mesh.rows"]
    assert reads == ["read"]


def test_rows_of_what_is_superseded_are_not_read(relay: Relay) -> None:
    going, go, reads = threading.Event(), threading.Event(), []

    def slow() -> object:
        going.set()
        assert go.wait(LIMIT)
        return rows_of()

    def read(digest: str) -> object:
        reads.append(digest)
        return rows_of()

    viewer = Viewer(relay)
    viewer.ready()
    relay.show("bracket", [body("slow", rows=slow)])  # type: ignore[arg-type]
    viewer.read()
    assert going.wait(LIMIT)
    for digest in ("b", "c", "d"):
        relay.show("bracket", [body(digest, rows=lambda digest=digest: read(digest))])  # type: ignore[misc]
        viewer.read()
    go.set()
    assert viewer.awaited("mesh.rows")["digest"] == "d"
    assert reads == ["d"]


# ---- what else is told -------------------------------------------------------------------------------


def test_how_the_session_does_is_seen_and_only_the_last_word_of_it(relay: Relay) -> None:
    viewer = Viewer(relay)
    viewer.ready()
    viewer.read()
    relay.show_status("running a", running=True)
    relay.show_status("up to date", failed=["pin"])
    (status,) = viewer.read()
    assert (status["text"], status["running"], status["failed"]) == ("up to date", False, ["pin"])


def test_a_program_sets_views_also_those_that_come_later(relay: Relay) -> None:
    relay.set_view(SetView(edges="none"))
    viewer = Viewer(relay)
    viewer.ready()
    assert viewer.read()[-1] == {"type": "viewer.state", "edges": "none", "view_id": "v-1"}


def test_a_note_is_seen_in_every_view_until_it_is_taken_back(relay: Relay) -> None:
    relay.overlays.annotate({"annotation_id": "n1", "text": "here", "point": [1, 2, 3]})
    viewer = Viewer(relay)
    viewer.ready()
    assert viewer.read()[0]["annotations"][0]["text"] == "here"
    relay.overlays.annotate({"annotation_id": "n2", "text": "there", "point": [1, 2, 3]})
    relay.overlays.take_back("n1")
    assert viewer.kinds() == ["annotation.set", "annotation.remove"]


def test_a_question_is_answered_to_the_view_that_asked(relay: Relay) -> None:
    one, other = Viewer(relay, "one"), Viewer(relay, "other")
    one.ready()
    other.ready()
    thing = {"node_id": "a", "digest": "a", "kind": "face", "index": 3, "point": [0, 0, 0]}
    one.say("measure", request_id="q1", a=thing)
    result = one.awaited("measure.result")
    assert (result["request_id"], result["distance"], result["view_id"]) == ("q1", 5.0, "one")
    assert other.kinds() == ["scene.snapshot"]


def test_what_is_picked_is_that_of_the_view_that_picked_last(relay: Relay) -> None:
    relay.show("bracket", [body("a")])
    one, other = Viewer(relay, "one"), Viewer(relay, "other")
    one.ready()
    other.ready()
    face = {"node_id": "bracket", "digest": "a", "kind": "face", "index": 3}
    one.say("viewer.state", selection=[face], visible=["bracket"])
    other.say("viewer.state", selection=[], visible=[])
    assert [(thing.kind, thing.index) for thing in relay.selection] == [("face", 3)]
    one.say("viewer.state", selection=[], visible=["bracket"])
    assert relay.selection == ()


def test_earlier_states_are_kept_and_not_without_end(relay: Relay) -> None:
    for number in range(30):
        relay.show("bracket", [body(f"d{number}")])
    assert [node.digest for node in relay.earlier("bracket")][-1] == "d28"
    assert len(relay.earlier("bracket")) == KEPT_REVISIONS
    relay.remove("bracket")
    assert relay.earlier("bracket") == ()


def test_a_viewer_gives_the_picture_that_it_shows(relay: Relay) -> None:
    viewer = Viewer(relay)
    viewer.ready(features=["screenshot"])
    pictures: list[object] = []
    asking = threading.Thread(target=lambda: pictures.append(relay.picture(640, 480)))
    asking.start()
    asked = viewer.awaited("viewer.screenshot.request")
    png = memoryview(b"\x89PNG\r\n\x1a\n....")
    viewer.connection.hear(
        {
            "type": "viewer.screenshot.result",
            "view_id": "v-1",
            "request_id": asked["request_id"],
            "width": 640,
            "height": 480,
        },
        [png],
    )
    asking.join(LIMIT)
    assert pictures == [(bytes(png), 640, 480)]


def test_a_viewer_that_sends_no_picture_is_not_waited_for_without_end(relay: Relay) -> None:
    Viewer(relay).ready(features=["screenshot"])
    with pytest.raises(ServiceFailure, match="no picture") as late:
        relay.picture(patience=0.01)
    assert late.value.error_code == "TIMEOUT"
