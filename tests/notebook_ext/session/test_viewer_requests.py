"""What a viewer asks of a session whose parts it shows."""

from __future__ import annotations

import queue
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.plain_shell import plain_shell
from notebook_ext.session.session import Session
from tests.notebook_ext.viewer.relay.conftest import LIMIT, Viewer
from tests.sketchup.memory_bridge import MemorySketchUp
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.service.direct import DirectService

PLATE = "[difference\n  [translate 20 15 -1 [cylinder 5 99]]\n  [cube 40 30 10]]"


@pytest.fixture
def session(workspace: Path) -> Iterator[Session]:
    made = Session(plain_shell(), DirectService(), folder=workspace)
    yield made
    made.close()


@pytest.fixture
def viewer(session: Session) -> Iterator[Viewer]:
    session.evaluate(PLATE, name="plate")
    shown = Viewer(session.viewers)
    shown.ready(features=[])
    yield shown
    shown.connection.close()


def rows(viewer: Viewer) -> dict[str, Any]:
    return viewer.awaited("mesh.rows")


def hole(told: dict[str, Any]) -> int:
    (number,) = [number for number, row in enumerate(told["faces"]) if row["kind"] == "cylinder"]
    return number


def test_a_face_leads_to_its_form_and_its_cell(viewer: Viewer) -> None:
    told = rows(viewer)
    face = told["faces"][hole(told)]
    assert (face["made_by"], face["source"]["line"], face["source"]["label"]) == ("cylinder", 2, "plate")
    about = {"node_id": "plate", "digest": told["digest"]}
    viewer.say("selection.explain", request_id="q1", **about, faces=[hole(told)])
    answer = viewer.awaited("selection.explain.result")
    assert [(link["kind"], link["text"]) for link in answer["chain"]] == [
        ("form", "cylinder, line 2"),
        ("cell", "plate"),
    ]


def test_an_edge_leads_to_the_forms_of_its_faces(viewer: Viewer) -> None:
    told = rows(viewer)
    edge = next(number for number, row in enumerate(told["edges"]) if row["kind"] == "circle")
    about = {"node_id": "plate", "digest": told["digest"]}
    viewer.say("selection.explain", request_id="q1", **about, edges=[edge])
    texts = {link["text"] for link in viewer.awaited("selection.explain.result")["chain"]}
    assert texts == {"cylinder, line 2", "cube, line 3", "plate"}


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ({"node_id": "lid", "digest": "x", "faces": [0]}, "NODE_NOT_FOUND"),
        ({"node_id": "plate", "digest": "of before", "faces": [0]}, "STALE_REVISION"),
        ({"node_id": "plate", "faces": [99]}, "INVALID_PARAMS"),
    ],
)
def test_what_is_not_there_is_said(viewer: Viewer, question: dict[str, Any], code: str) -> None:
    asked = {"digest": rows(viewer)["digest"], **question}
    viewer.say("selection.explain", request_id="q1", **asked)
    failed = viewer.awaited("error")
    assert (failed["error_code"], failed["request_id"]) == (code, "q1")


def test_files_of_what_is_shown_come_over_the_same_wire(viewer: Viewer, session: Session) -> None:
    session.evaluate("[cube 1 2 3]", name="pin")
    viewer.say("export", request_id="q1", node_ids=["plate"], format="stl")
    answer = viewer.awaited("export.result")
    assert (answer["name"], answer["media_type"]) == ("plate.stl", "model/stl")
    assert answer["buffers"][0]["shape"][0] > 1000
    viewer.say("export", request_id="q2", node_ids=["plate", "pin"], format="step")
    assert viewer.awaited("export.result")["name"] == "parts.step"


def test_two_picked_things_are_measured_by_the_kernel(viewer: Viewer) -> None:
    told = rows(viewer)
    left, right = (
        next(number for number, row in enumerate(told["faces"]) if row["normal"] == [x, 0, 0])
        for x in (-1, 1)
    )
    face = {"node_id": "plate", "digest": told["digest"], "kind": "face", "point": [0, 0, 0]}
    viewer.say("measure", request_id="q1", a={**face, "index": left}, b={**face, "index": right})
    result = viewer.awaited("measure.result")
    assert (result["request_id"], result["distance"], result["exact"]) == ("q1", pytest.approx(40.0), True)
    assert "40" in result["text"]
    viewer.say("measure", request_id="q2", a={**face, "index": hole(told)})
    assert viewer.awaited("measure.result")["radius"] == pytest.approx(5.0)
    viewer.say("measure", request_id="q3", a={**face, "index": 99})
    assert viewer.awaited("error")["request_id"] == "q3"


def test_parts_stand_in_viewers_where_they_are_placed(
    viewer: Viewer, session: Session, sketchup: MemorySketchUp
) -> None:
    told = rows(viewer)
    session.place("plate", position=(100, 0, 0))
    moved = viewer.awaited("mesh.update")
    assert moved["node"]["pose"] == [1, 0, 0, 100, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    assert "buffers" not in moved
    turned = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 60, 0, 1]  # by 90° about z, column by column
    session.place("plate", instance="plate-2", transformation=turned)
    viewer.awaited("mesh.update")
    second = viewer.awaited("mesh.update")["node"]
    assert (second["node_id"], second["name"], second["group"]) == ("plate#2", "plate-2", "plate")
    assert second["pose"] == [0, -1, 0, 0, 1, 0, 0, 60, 0, 0, 1, 0, 0, 0, 0, 1]
    one = {"node_id": "plate", "digest": told["digest"], "kind": "part", "index": 0, "point": [0, 0, 0]}
    viewer.say("measure", request_id="q1", a=one, b={**one, "node_id": "plate#2"})
    # from x = 100 to x = 0; both reach over 0..30 and 60..100 in y
    result = viewer.awaited("measure.result")
    assert (result["delta"], result["exact"]) == (pytest.approx([-100, 30, 0]), True)
    session.remove("plate", instance="plate-1")
    assert viewer.awaited("mesh.remove")["node_id"] == "plate#2"
    assert viewer.awaited("mesh.update")["node"]["pose"][7] == 60
    session.remove("plate")
    assert viewer.awaited("mesh.update")["node"]["pose"] is None


def test_a_face_leads_to_the_entity_that_its_instance_is_in_sketchup(
    viewer: Viewer, session: Session, sketchup: MemorySketchUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = rows(viewer)
    session.place("plate", position=(100, 0, 0))
    session.place("plate", instance="plate-2", position=(0, 90, 0))
    execution = session.standing.instances["plate-2"].execution
    assert execution is not None
    about = {"node_id": "plate#2", "digest": told["digest"]}
    viewer.say("selection.explain", request_id="q1", **about, faces=[hole(told)])
    last = viewer.awaited("selection.explain.result")["chain"][-1]
    assert (last["kind"], last["text"]) == ("sketchup", "plate-2 in SketchUp")
    looked: queue.Queue[dict[str, Any]] = queue.Queue()
    monkeypatch.setattr(sketchup, "_set_camera", lambda **asked: looked.put(asked), raising=False)
    viewer.say("open_form", **about, face=hole(told), step="sketchup")
    assert looked.get(timeout=LIMIT) == {"type": "zoom_entity", "entity_ids": [execution.entity_id]}

    def refuse(**_: Any) -> None:
        raise ServiceFailure(ErrorCode.TIMEOUT, "no view is open", details={"operation": "set_camera"})

    monkeypatch.setattr(sketchup, "_set_camera", refuse)
    viewer.say("open_form", **about, face=hole(told), step="sketchup")
    assert viewer.awaited("error")["message"] == "no view is open"


def test_files_have_each_part_where_it_stands(
    viewer: Viewer, session: Session, sketchup: MemorySketchUp, tmp_path: Path
) -> None:
    session.evaluate("[cube 4 5 6]", name="pin")
    session.evaluate("[translate 0 0 80 [cube 3 3 3]]", name="knob")
    session.evaluate("[union knob [cube 1 1 1]]", name="handle")  # for which the knob is there
    session.place("plate", position=(100, 0, 0))
    turned = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 60, 0, 1]  # by 90° about z, column by column
    session.place("plate", instance="plate-2", transformation=turned)

    stl = trimesh.load(session.export(tmp_path / "all.stl"))
    assert stl.bounds == pytest.approx(np.array([[-30, 0, 0], [140, 100, 83]]))
    viewer.say("export", request_id="q1", node_ids=[], format="stl")
    sent = viewer.awaited("export.result")["buffers"][0]["shape"]
    assert sent == [(tmp_path / "all.stl").stat().st_size]
    session.export(tmp_path / "all.step")
    assert names_in(tmp_path / "all.step") == ["handle", "pin", "plate-1", "plate-2"]
    with pytest.raises(LoonCellFailed, match="no suffix"):
        session.export(tmp_path / "all")


def names_in(path: Path) -> list[str]:
    """The products of a STEP file, without the whole."""
    names = re.findall(r"PRODUCT\('([\w-]+)'", path.read_text())
    return sorted(name for name in names if name != path.stem)


def test_a_profile_that_is_shown_does_not_keep_the_solids_out_of_a_file(
    session: Session, tmp_path: Path
) -> None:
    session.evaluate("[circle 5]", name="outline")
    with pytest.raises(LoonCellFailed, match="a profile is no solid"):
        session.export(tmp_path / "all.step")
    session.evaluate("[cube 1 2 3]", name="pin")
    assert names_in(session.export(tmp_path / "all.step")) == ["pin"]


def test_bodies_under_one_name_have_names_of_their_own_in_a_file(
    session: Session, sketchup: MemorySketchUp, tmp_path: Path
) -> None:
    for name in ("case", "lid"):
        session.evaluate("#[[cube 1 2 3] [translate 10 0 0 [cube 2 2 2]]]", name=name)
    session.place("case", position=(100, 0, 0))
    session.place("case", instance="case-2", position=(0, 100, 0))
    assert names_in(session.export(tmp_path / "all.step")) == [
        *("case-1-part-1", "case-1-part-2", "case-2-part-1", "case-2-part-2"),
        *("lid-part-1", "lid-part-2"),
    ]


def test_what_is_picked_becomes_criteria(viewer: Viewer) -> None:
    told = rows(viewer)
    circles = [number for number, row in enumerate(told["edges"]) if row["kind"] == "circle"]
    about = {"node_id": "plate", "digest": told["digest"], "target": "edge"}
    viewer.say("selector", request_id="q1", **about, indexes=circles)
    answer = viewer.awaited("selector.propose")
    assert (answer["text"], answer["count"], answer["insertable"]) == ("{:radius 5}", 2, False)


def test_two_states_of_a_part_are_compared(viewer: Viewer, session: Session) -> None:
    rows(viewer)
    session.evaluate(PLATE.replace("cube 40 30 10", "cube 40 30 12"), name="plate")
    viewer.say("compare", request_id="q1", node_id="plate", back=1)
    answer = viewer.awaited("compare")
    assert answer["parts"] == ["added", "unchanged"]
    assert answer["figures"]["old"].startswith("plate: 40 × 30 × 10 mm")
    assert answer["figures"]["new"].startswith("plate: 40 × 30 × 12 mm")
    assert answer["revisions"][0] < answer["revisions"][1]
    assert "added.positions" in [one["name"] for one in answer["buffers"]]
    viewer.say("compare", request_id="q2", node_id="plate", back=2)
    refused = viewer.awaited("error")
    assert (refused["request_id"], refused["error_code"]) == ("q2", "INVALID_PARAMS")


def test_figures_that_are_found_later_are_told_without_the_triangles(
    viewer: Viewer, session: Session
) -> None:
    rows(viewer)
    assert viewer.heard[0]["nodes"][0]["figures"].startswith("plate: ≈ 40")
    session.measure(session["plate"])
    told = viewer.awaited("mesh.update")
    assert told["node"]["figures"].startswith("plate: 40 × 30 × 10 mm · volume 11214.6 mm³")
    assert "buffers" not in told


def test_a_note_is_kept_by_the_session_and_seen_everywhere(viewer: Viewer, session: Session) -> None:
    viewer.say("annotation.set", text="too thin", node_id="plate", point=[1, 2, 3])
    note = viewer.awaited("annotation.set")["annotation"]
    assert (note["text"], note["author"], note["point"]) == ("too thin", "person", [1, 2, 3])
    assert [one["text"] for one in session.viewers.overlays.annotations] == ["too thin"]
    viewer.say("annotation.remove", annotation_id=note["annotation_id"])
    assert viewer.awaited("annotation.remove")["annotation_id"] == note["annotation_id"]
    assert session.viewers.overlays.annotations == ()


def test_what_needs_a_notebook_says_so_without_one(viewer: Viewer) -> None:
    told = rows(viewer)
    features = viewer.heard[0]["features"]
    assert "insert" not in features
    assert "explain" in features
    for kind, fields in (
        ("insert", {"text": "{:radius 5}"}),
        ("open_form", {"node_id": "plate", "digest": told["digest"], "face": hole(told)}),
    ):
        viewer.say(kind, **fields)
        assert viewer.awaited("error")["error_code"] == "CAPABILITY_UNAVAILABLE"


@pytest.mark.parametrize(
    "text", ["!rm -rf .", "%%bash\nls", "{:radius 5}\n", "import os", "", ":top\n!ls", ": top"]
)
def test_what_is_no_loon_in_one_line_is_put_into_no_cell(viewer: Viewer, text: str) -> None:
    viewer.say("insert", text=text)
    assert viewer.awaited("error")["error_code"] == "SCHEMA_VALIDATION_FAILED"


def test_what_is_picked_is_known_to_the_session_also_after_a_change(viewer: Viewer, session: Session) -> None:
    told = rows(viewer)
    face = {"node_id": "plate", "digest": told["digest"], "kind": "face", "index": hole(told)}
    viewer.say("viewer.state", selection=[{**face, "point": [25, 15, 5]}], visible=["plate"])
    (picked,) = session.selection
    assert (picked.made_by, picked.row["radius"]) == ("cylinder", 5.0)  # type: ignore[index]
    session.evaluate(PLATE.replace("20 15", "12 15"), name="plate")
    assert session.selection == ()
    again = rows(viewer)
    (picked,) = session.selection
    assert (picked.digest, picked.made_by) == (again["digest"], "cylinder")
    session.evaluate("[cube 40 30 10]", name="plate")
    rows(viewer)
    assert session.selection == ()


def test_a_view_stops_what_is_under_way(
    viewer: Viewer, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[str] = []
    monkeypatch.setattr(session.reactions.cascades, "stop", lambda: stopped.append("stop"))
    viewer.say("stop")
    viewer.say("annotation.set", text="after")
    viewer.awaited("annotation.set")
    assert stopped == ["stop"]


def test_what_a_selection_takes_glows_and_is_given_back(session: Session) -> None:
    session.evaluate(PLATE, name="plate")
    viewer = Viewer(session.viewers)
    viewer.ready(features=["highlight"])
    rows(viewer)
    taken = session["plate"].select("edge", "{:kind :circle}")
    assert len(taken.indexes) == 2
    glow = viewer.awaited("highlight")
    assert (glow["node_id"], glow["tone"], glow["faces"]) == ("plate", "taken", [])
    assert glow["buffers"][0]["shape"] == [sum(len(line) - 1 for each in taken.lines for line in each), 2, 3]
    faces = session["plate"].select("face", "{:kind :cylinder}")
    assert viewer.awaited("highlight")["faces"] == list(faces.indexes)


def test_a_selection_is_of_edges_or_faces(session: Session) -> None:
    session.evaluate(PLATE, name="plate")
    with pytest.raises(ServiceFailure, match='"edge" or "face"') as refused:
        session["plate"].select("corner", ":all")  # type: ignore[arg-type]
    assert refused.value.error_code == "INVALID_PARAMS"


SLOT = "[defparam r 2]\n[translate 5 0 0 [fillet r [cube 10 20 30]]]"


def test_what_a_failed_feature_was_about_glows_in_the_last_good_part(session: Session) -> None:
    session.evaluate(SLOT, name="rounded")
    viewer = Viewer(session.viewers)
    viewer.ready(features=["highlight"])
    viewer.awaited("mesh.update")
    with pytest.raises(LoonCellFailed):
        session.set_parameter("r", 6)
    glow = viewer.awaited("highlight")
    assert (glow["node_id"], glow["tone"]) == ("rounded", "failed")
    assert glow["buffers"][0]["shape"] == [8, 2, 3]
    session.set_parameter("r", 2)
    assert "buffers" not in viewer.awaited("highlight")


def test_a_viewer_that_opens_later_sees_what_failed(session: Session) -> None:
    session.evaluate(SLOT, name="rounded")
    with pytest.raises(LoonCellFailed):
        session.evaluate(SLOT.replace("r 2", "r 6"), name="rounded")
    late = Viewer(session.viewers)
    late.ready(features=["highlight"])
    assert late.awaited("highlight")["tone"] == "failed"
    session.evaluate(SLOT.replace("r 2", "r 3"), name="rounded")
    assert not list(session.viewers.overlays.standing())


def test_what_failed_glows_where_its_part_stands(session: Session) -> None:
    session.evaluate(SLOT, name="rounded")
    viewer = Viewer(session.viewers)
    with pytest.raises(LoonCellFailed):
        session.evaluate(SLOT.replace("r 2", "r 6"), name="rounded")
    viewer.ready(features=["highlight"])
    while (told := viewer.connection.take()) is None or told[1].message.type != "highlight":
        pass
    (segments,) = told[1].buffers
    low, high = segments.values.reshape(-1, 3).min(axis=0), segments.values.reshape(-1, 3).max(axis=0)
    assert (low.tolist(), high.tolist()) == ([5, 0, 0], [15, 20, 30])
