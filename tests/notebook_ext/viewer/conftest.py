"""A wire that keeps what views send, in place of a browser."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import comm
import pytest
from comm.base_comm import BaseComm


@dataclass
class Wire:
    """Messages that widgets have sent, in order, as (kind, state, buffers)."""

    messages: list[tuple[str, dict[str, Any], list[Any]]] = field(default_factory=list)
    said: list[dict[str, Any]] = field(default_factory=list)
    """What was sent as custom messages."""
    _came: threading.Condition = field(default_factory=threading.Condition)

    def take(self, kind: str, data: dict[str, Any], buffers: list[Any]) -> None:
        with self._came:
            self.messages.append((kind, data.get("state", {}), buffers))
            if "content" in data:
                self.said.append(data["content"])
            self._came.notify_all()

    def awaited(self, fits: Callable[[dict[str, Any]], bool], limit: float) -> dict[str, Any]:
        """The first custom message that fits."""
        with self._came:
            assert self._came.wait_for(lambda: any(map(fits, self.said)), limit), self.said
            return next(filter(fits, self.said))

    def clear(self) -> None:
        self.messages.clear()
        self.said.clear()

    @property
    def buffer_bytes(self) -> int:
        return sum(memoryview(b).nbytes for _, _, buffers in self.messages for b in buffers)

    def states_with(self, name: str) -> list[Any]:
        """The values sent for one trait by updates of existing widgets."""
        return [state[name] for kind, state, _ in self.messages if kind == "comm_msg" and name in state]


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    record = Wire()

    class RecordingComm(BaseComm):
        def publish_msg(
            self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **keys: Any
        ) -> None:
            record.take(msg_type, data or {}, buffers or [])

    monkeypatch.setattr(comm, "create_comm", lambda **keys: RecordingComm(**keys))
    return record
