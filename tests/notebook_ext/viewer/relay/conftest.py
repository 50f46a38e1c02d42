"""A relay, and viewers that are Python: they keep what they are told, as a browser's would."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from notebook_ext.viewer.relay.messages import Buffer, Heard, Measure, MeasureResult, Parcel, PickedThing
from notebook_ext.viewer.relay.nodes import Body, Rows
from notebook_ext.viewer.relay.relay import Connection, Relay
from tests.notebook_ext.viewer.solids import box
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.operations.scene import DEFAULT_MATERIAL, Material

LIMIT = 20.0


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def body(
    digest: str,
    mesh: TriMesh | None = None,
    *,
    name: str = "part",
    material: Material = DEFAULT_MATERIAL,
    rows: Callable[[], Rows] | None = None,
) -> Body:
    made = box(1, 1, 1) if mesh is None else mesh
    return Body(name, digest, lambda: made, material, lambda: True, rows)


def rows_of(faces: int = 6) -> Rows:
    return Rows(
        tuple({"kind": "plane", "area": float(number)} for number in range(faces)),
        ({"kind": "line", "length": 1.0},),
        np.zeros(12, np.uint32),
        np.zeros((2, 3), np.float32),
        np.array([0, 2], np.uint32),
        np.zeros(1, np.uint8),
    )


@dataclass
class Viewer:
    """A page with one view."""

    relay: Relay
    view_id: str = "v-1"
    shared: bool = False
    heard: list[dict[str, Any]] = field(default_factory=list)
    bytes: int = 0

    def __post_init__(self) -> None:
        self._later: list[dict[str, Any]] = []
        """What has come behind the message that was awaited last."""
        self._woken = threading.Event()
        self.connection: Connection = self.relay.connect(self._woken.set, shared=self.shared)

    def ready(self, *has: str, version: str = "1.0", features: Sequence[str] = (), view_id: str = "") -> None:
        self.say(
            "viewer.ready",
            protocol_version=version,
            has=list(has),
            features=list(features),
            view_id=view_id or self.view_id,
        )

    def say(self, kind: str, **fields: Any) -> None:
        self.connection.hear({"type": kind, "view_id": self.view_id, **fields})

    def read(self) -> list[dict[str, Any]]:
        """What has come since."""
        new = []
        while (told := self.connection.take()) is not None:
            view_id, parcel = told
            text, buffers = parcel.frames(view_id)
            self.bytes += sum(each.nbytes for each in buffers)
            new.append(json.loads(text))
        self.heard += new
        return new

    def awaited(self, kind: str) -> dict[str, Any]:
        """The next message of a kind, however long it takes; those before it are passed over."""
        while True:
            told = self._later + self.read()
            self._later = []
            for place, one in enumerate(told):
                if one["type"] == kind:
                    self._later = told[place + 1 :]
                    return one
            self._woken.clear()
            if len(self.connection._outbox) == 0:
                assert self._woken.wait(LIMIT), f"no {kind} came"

    def kinds(self) -> list[str]:
        return [told["type"] for told in self.read()]


class Measures:
    """Answers how far two things are from each other: always 5 mm."""

    features = ("measure",)

    def answer(self, said: Heard, _buffers: Sequence[memoryview], /) -> Parcel | None:
        assert isinstance(said, Measure)
        assert isinstance(said.a, PickedThing)
        return Parcel(
            MeasureResult(request_id=said.request_id, kind="distance", distance=5.0, exact=True, text="5 mm"),
            (Buffer("nothing", "u1", np.zeros(0, np.uint8)),),
        )


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def relay(clock: Clock) -> Iterator[Relay]:
    made = Relay(Measures(), clock=clock)
    yield made
    made.close()
