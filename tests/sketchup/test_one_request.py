"""One request id goes from door to door: cell, session, service, bridge, subscriber."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.events import SessionEvent
from notebook_ext.session.session import Session
from tests.service import warm
from tests.sketchup.headless import RunningSketchUp
from vcad_kernel.request_id import request

pytestmark = pytest.mark.process


def lines(folder: Path, pattern: str) -> list[dict[str, Any]]:
    (file,) = (folder / ".vcad" / "logs").glob(pattern)
    return [json.loads(line) for line in file.read_text().splitlines() if line.startswith("{")]


def test_a_cell_is_followed_through_service_and_bridge_to_the_subscriber(
    sketchup: RunningSketchUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPEX_PORT", str(sketchup.port))
    monkeypatch.delenv("VCAD_WORKSPACE", raising=False)
    folder = sketchup.workspace
    (folder / ".git").mkdir()
    wall = sketchup.control("_test.add_entity", type="group", box_mm=[900, 100, 2000])
    text = f'[let w [import :dimensions "pid:{wall["persistent_id"]}"]] [cube [get w :width] 4 4]'
    heard: list[SessionEvent] = []
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
    with warm.service_client(folder) as service, Session(shell, service, folder=folder) as session:
        session.subscribe(heard.append)
        with request("r-followed"):
            session.run_cell(text, name="rail")
            session.place("rail")
            with pytest.raises(LoonCellFailed):
                session.run_cell("[cube -1 1 1]", name="lid")
        session.run_cell("[cube 1 1 1]", name="pin")
    mine = [one for one in heard if one.request_id == "r-followed" and one.kind != "marked"]
    assert [(one.kind, one.node_id) for one in mine] == [
        ("evaluated", "rail"),
        ("placed", "rail"),
        ("pushed", None),
        ("failed", "lid"),
    ]
    events = lines(folder, "session-*/events.jsonl")
    noted = [(one["event"], one["node_id"]) for one in events if one["request_id"] == "r-followed"]
    for node_id in ("rail", "lid"):
        assert [event for event, node in noted if node == node_id and event.startswith("eval_")] == [
            "eval_enqueued",
            "eval_started",
            "eval_finished",
        ]
    calls = lines(folder, "session-*/bridge.jsonl")
    tools = {one.get("tool") for one in calls if str(one["request_id"]).startswith("r-followed")}
    assert {"resolve_vcad_import", "upsert_vcad_definition", "place_vcad_instance"} <= tools
    served = lines(folder, "service-*.log")
    followed = [one for one in served if str(one["request_id"]).startswith("r-followed.")]
    assert [one["event"] for one in followed].count("eval_started") >= 2
    # a cell of its own has an id of its own, from the moment that it is accepted
    (pin,) = {one["request_id"] for one in events if one["node_id"] == "pin"}
    assert pin not in (None, "r-followed")
    assert any(str(one["request_id"]).startswith(f"{pin}.") for one in served)
