"""Views in a notebook that a program runs: they work, and say nothing to a front end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import comm
import ipywidgets
import pytest

from notebook_ext.viewer.inline.inline import InlineView
from notebook_ext.viewer.widgets import without_comms
from tests.notebook_ext.viewer.solids import RED, box, part


class Heard(comm.base_comm.BaseComm):
    """What a kernel would send on."""

    sent: ClassVar[list[str]] = []

    def publish_msg(self, msg_type: str, *_: Any, **__: Any) -> None:
        self.sent.append(msg_type)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    monkeypatch.setattr(comm, "create_comm", Heard)
    Heard.sent.clear()
    yield Heard.sent
    Heard.sent.clear()


def test_widgets_made_within_are_not_told_of_and_others_are(sent: list[str]) -> None:
    with without_comms():
        slider = ipywidgets.IntSlider(value=3)
        slider.value = 5
    assert sent == []
    assert slider.value == 5
    ipywidgets.IntSlider()
    assert "comm_open" in sent


def test_a_view_that_nobody_turns_sends_nothing_and_answers_as_any(sent: list[str]) -> None:
    view = InlineView([part("block", box(1, 2, 3), RED)], has_comms=False)
    before = view.state
    view.look("front")
    view.update([part("other", box(3, 2, 1), RED)])
    assert sent == []
    assert view.state.position != before.position
    assert view.state.parts == ("other",)
    assert set(view._repr_mimebundle_()) == {"text/plain", "application/vnd.vcad.view+json"}
    view.close()
    assert sent == []
