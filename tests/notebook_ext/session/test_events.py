"""Who listens to a session hears everything, in order, whatever others do."""

from __future__ import annotations

import logging

import pytest

from notebook_ext.session.events import Listeners, SessionEvent
from vcad_kernel.request_id import request


def test_listeners_hear_every_event_with_its_wish_until_they_leave() -> None:
    listeners = Listeners()
    heard: list[SessionEvent] = []
    leave = listeners.add(heard.append)
    with request("r-1"):
        listeners.notify("evaluated", "lid", 2)
    leave()
    leave()
    listeners.notify("removed", "lid")
    assert heard == [SessionEvent("evaluated", "lid", 2, "r-1")]


def test_a_listener_that_fails_hinders_nobody(caplog: pytest.LogCaptureFixture) -> None:
    listeners = Listeners()
    heard: list[SessionEvent] = []

    def fails(event: SessionEvent) -> None:
        raise RuntimeError("mine")

    listeners.add(fails)
    listeners.add(heard.append)
    with caplog.at_level(logging.ERROR):
        listeners.notify("pushed", None)
    assert [one.kind for one in heard] == ["pushed"]
    assert "a listener failed" in caplog.text
