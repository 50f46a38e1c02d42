"""A wire that keeps what views send, in place of a browser."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import comm
import pytest
from comm.base_comm import BaseComm


@dataclass
class Wire:
    """Messages that widgets have sent, in order, as (kind, state, buffers)."""

    messages: list[tuple[str, dict[str, Any], list[Any]]] = field(default_factory=list)

    def clear(self) -> None:
        self.messages.clear()

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
            record.messages.append((msg_type, (data or {}).get("state", {}), buffers or []))

    monkeypatch.setattr(comm, "create_comm", lambda **keys: RecordingComm(**keys))
    return record
