"""Several projects in one model, and models that were not saved: sessions on the real extension."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from notebook_ext.session.session import Session
from tests.service import warm
from tests.sketchup.headless import RunningSketchUp, headless_sketchup
from vcad_kernel.service.direct import DirectService

pytestmark = pytest.mark.skipif(shutil.which("ruby") is None, reason="there is no Ruby here")

Open = Callable[[str], Session]


@pytest.fixture
def open_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Opens the session of a project, by its folder's name; as often as asked, as kernels come and go."""
    monkeypatch.delenv("VCAD_WORKSPACE", raising=False)
    opened: list[Session] = []

    def open_one(name: str) -> Session:
        folder = tmp_path.resolve() / name
        (folder / ".git").mkdir(parents=True, exist_ok=True)
        shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
        session = Session(shell, DirectService(folder=folder), folder=folder)
        opened.append(session)
        return session

    yield open_one
    for session in opened:
        session.close()


@pytest.fixture
def host(sketchup: RunningSketchUp, monkeypatch: pytest.MonkeyPatch) -> RunningSketchUp:
    monkeypatch.setenv("SUPEX_PORT", str(sketchup.port))
    return sketchup


def nodes(host: RunningSketchUp) -> list[dict[str, Any]]:
    """All that is in the model, whosever it is."""
    found: list[dict[str, Any]] = host.control("list_vcad_nodes", placements=True)
    return found


def scene(host: RunningSketchUp, session: Session) -> dict[str, tuple[float, float]]:
    """A project's instances: where each stands along X, and how high it is, mm."""
    found = {}
    for row in nodes(host):
        if row["project_id"] == session.model.project_id:
            for placement in row["placements"]:
                entity = host.control("_test.get_entity", persistent_id=placement["persistent_id"])
                low, high = entity["bounds_mm"]["min"], entity["bounds_mm"]["max"]
                assert placement["instance_id"] not in found
                found[placement["instance_id"]] = (round(low[0], 3), round(high[2] - low[2], 3))
    return found


def part(session: Session, name: str, height: float, x: float = 0.0) -> Any:
    session.evaluate(f"[cube 10 10 {height}]", name=name)
    return session.place(name, position=(x, 0, 0))


def test_a_clean_push_of_one_project_leaves_those_of_the_other(
    host: RunningSketchUp, open_project: Open
) -> None:
    one, two = open_project("one"), open_project("two")
    for name in ("a", "b", "c"):
        part(one, name, 5)
    before = scene(host, one)
    part(two, "a", 7)
    result = two.replay()
    assert list(result.removed) == ["a"]
    assert scene(host, one) == before == {"a-1": (0, 5), "b-1": (0, 5), "c-1": (0, 5)}
    assert scene(host, two) == {"a-1": (0, 7)}
    assert result.contamination is not None
    assert not result.contamination.contaminated
    assert [node.node_id for node in two.sketchup().nodes] == ["a"]
    assert [node.state for node in one.sketchup().nodes] == ["up to date"] * 3


def test_two_projects_have_each_a_part_of_the_same_name(host: RunningSketchUp, open_project: Open) -> None:
    one, two = open_project("one"), open_project("two")
    part(one, "a", 5, x=1)
    result = part(two, "a", 9, x=500)
    assert "a: geometry, version 1; a-1 placed at 500, 0, 0 mm" in result.summary()
    assert scene(host, one) == {"a-1": (1, 5)}
    assert scene(host, two) == {"a-1": (500, 9)}
    assert sorted(row["name"] for row in nodes(host)) == ["vcad_a", "vcad_a#1"]
    part(two, "a", 11, x=600)
    two.remove("a")
    assert scene(host, one) == {"a-1": (1, 5)}
    assert one.push().status == "unchanged"
    assert [row["project_id"] for row in nodes(host)] == [one.model.project_id]


def test_the_marks_in_sketchup_are_those_of_the_truth(host: RunningSketchUp, open_project: Open) -> None:
    one = open_project("one")
    part(one, "a", 5)
    truth = json.loads((one.workspace / "design_model.json").read_text())
    execution = truth["instances"]["a-1"]["execution"]
    entity = host.control("_test.get_entity", persistent_id=execution["persistent_id"])
    assert entity["attributes"]["vcad"] == {
        "project_id": truth["project_id"],
        "node_id": "a",
        "instance_id": "a-1",
        "digest": truth["components"]["a"]["execution"]["mesh_digest"],
        "pushed_by": one.session_id,
        "version": 1,
    }


def test_a_model_that_was_not_saved_is_brought_up_to_date_by_the_next_push(
    tmp_path: Path, open_project: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = open_project("one")
    path = str(one.workspace / "hall.skp")
    with headless_sketchup(workspace=one.workspace) as first:
        monkeypatch.setenv("SUPEX_PORT", str(first.port))
        part(one, "a", 5, x=1)
        part(one, "b", 5, x=20)
        first.control("save_model", path=path)
        ids = sorted(placement["persistent_id"] for row in nodes(first) for placement in row["placements"])
        part(one, "a", 6, x=1)
        first.kill()
    with headless_sketchup(workspace=one.workspace) as second:
        monkeypatch.setenv("SUPEX_PORT", str(second.port))
        second.control("open_model", path=path)
        assert [node.state for node in one.sketchup().nodes] == ["older in SketchUp", "up to date"]
        said = one.push().summary()
        assert "a: geometry, version 2, 1 instance kept" in said
        assert "note: a: SketchUp showed an older state of it: the model was not saved" in said
        assert scene(second, one) == {"a-1": (1, 6), "b-1": (20, 5)}
        there = sorted(placement["persistent_id"] for row in nodes(second) for placement in row["placements"])
        assert there == ids
        assert one.push().summary() == "SketchUp shows all of it already"


def test_each_process_is_killed_in_turn_and_the_scene_is_the_same(
    tmp_path: Path, kept_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VCAD_WORKSPACE", raising=False)
    folder = tmp_path.resolve() / "one"
    (folder / ".git").mkdir(parents=True)
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
    sketchup = headless_sketchup(workspace=folder, port=kept_port)
    with sketchup as first, warm.service_client(folder) as client:
        monkeypatch.setenv("SUPEX_PORT", str(first.port))
        session = Session(shell, client, folder=folder)
        part(session, "a", 5, x=1)
        part(session, "b", 6, x=20)
        expected, ids = scene(first, session), sorted(row["persistent_ids"] for row in nodes(first))

        assert client.background.own_pid is not None
        front = psutil.Process(client.background.own_pid)
        for process in [*front.children(recursive=True), front]:
            process.kill()
        assert session.push().status == "unchanged"
        session.update("a")
        assert scene(first, session) == expected
        assert sorted(row["persistent_ids"] for row in nodes(first)) == ids

        session.close()
        later = Session(shell, DirectService(folder=folder), folder=folder)
        later.evaluate("[cube 10 10 5]", name="a")
        assert later.push().status == "unchanged"
        assert later.reconcile_status().last_outcome == "unchanged"
        assert sorted(row["persistent_ids"] for row in nodes(first)) == ids

        first.kill()
        with headless_sketchup(workspace=folder, port=kept_port) as second:
            assert later.reconcile().drift.missing_node == ("a", "b")
            assert scene(second, later) == expected
            assert later.push().status == "unchanged"
        later.close()


def test_parts_of_before_projects_are_adopted_where_ids_prove_it_and_else_told(
    host: RunningSketchUp, open_project: Open
) -> None:
    one = open_project("one")
    part(one, "a", 5, x=3)
    part(one, "b", 5, x=30)
    one.close()
    truth = one.workspace / "design_model.json"
    was = json.loads(truth.read_text())
    forgotten = {key: value for key, value in was.items() if key != "project_id"}
    forgotten["components"]["b"].update(applied_revision=0, applied_version=None, execution=None)
    forgotten["instances"]["b-1"]["execution"] = None
    truth.write_text(json.dumps(forgotten))
    (one.workspace / ".vcad" / "project_id").unlink()
    unmark(host)

    later = open_project("one")
    assert {node.node_id: node.state for node in later.sketchup().nodes} == {
        "a": "up to date",
        "b": "of unknown origin in SketchUp",
    }
    said = later.push().summary(foreign=False)
    assert later.model.project_id not in ("", was["project_id"])
    assert scene(host, later) == {"a-1": (3, 5), "b-1": (30, 5)}
    assert "note: b: one of this name is of before projects were told apart" in said
    (left,) = [row for row in nodes(host) if row["project_id"] is None]
    assert (left["node_id"], left["instances"]) == ("b", 1)
    assert later.push().status == "unchanged"
    later.replay()
    assert [row["instances"] for row in nodes(host) if row["project_id"] is None] == [1]


def unmark(host: RunningSketchUp) -> None:
    """Take from all that stands there what an extension of before there were projects did not write."""
    for row in nodes(host):
        for persistent_id in (row["definition_persistent_id"], *row["persistent_ids"]):
            for key in ("project_id", "digest", "pushed_by"):
                host.control(
                    "_test.set_attribute", persistent_id=persistent_id, dict="vcad", key=key, value=None
                )
