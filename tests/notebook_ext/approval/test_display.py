"""Where an agent points: a picture below the latest cell, one at a time."""

from __future__ import annotations

import base64
from typing import Any, cast

from notebook_ext.approval.panel.cell_dock import CellDock
from notebook_ext.approval.panel.display import AskDisplay
from notebook_ext.approval.policy import Policy


class Dock:
    def __init__(self) -> None:
        self.shown: dict[str, dict[str, Any]] = {}

    def publish(self, data: dict[str, Any], display_id: str, *, update: bool = False) -> None:
        assert (display_id in self.shown) is update
        self.shown[display_id] = data


def test_an_agents_picture_stands_below_the_cell_and_the_one_before_leaves_its_line() -> None:
    dock = Dock()
    display = AskDisplay(cast("CellDock", dock), Policy(), lambda _ask, _response: None)
    display.point(b"one", "robot points at lid: this edge\x1b[2J")
    display.point(b"two", "robot points at lid: that edge")
    first, second = dock.shown.values()
    assert list(first) == ["text/plain"]
    assert "this edge" in first["text/plain"]
    assert "\x1b" not in first["text/plain"]
    assert base64.b64decode(second["image/png"]) == b"two"
