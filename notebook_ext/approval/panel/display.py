"""Where questions appear in a notebook: below the latest cell, in the side panel, on top of the live view.

Importing this is cheap; the widgets come with the first question, or when the side panel is asked for. Its
functions may be called on any thread.
"""

from __future__ import annotations

import base64
import logging
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.viewer.mime import WIDGET_VIEW, when_ended, widget_reference
from vcad_kernel.errors import VcadError
from vcad_kernel.plain_text import plain

if TYPE_CHECKING:
    from notebook_ext.approval.asks import Ask
    from notebook_ext.approval.panel.cell_dock import CellDock
    from notebook_ext.approval.panel.panel import AskPanel
    from notebook_ext.approval.panel.side_panel import SidePanel
    from notebook_ext.approval.policy import Policy

__all__ = ["AskDisplay", "ShownAsk"]

_log = logging.getLogger("vcad.notebook.approvals")


class AskDisplay:
    """respond: takes an ask and its answer, on the front end's thread. dock: its maker's to close."""

    def __init__(
        self,
        dock: CellDock,
        policy: Policy,
        respond: Callable[[Ask, Mapping[str, Any]], object],
    ) -> None:
        self._dock = dock
        self._policy = policy
        self._respond = respond
        self._lock = threading.RLock()
        self._panels: dict[str, AskPanel] = {}
        self._side: SidePanel | None = None
        self._slots: list[Any] = []
        self._pointed: tuple[str, dict[str, Any]] | None = None
        """Where the last picture of an agent stands, and its line."""
        self.on_panels: Callable[[], object] = lambda: None
        """Called when other panels are on show than before."""

    @property
    def holds_answers_up(self) -> bool:
        """Whether clicks may be waiting for a cell to end."""
        return self._dock.holds_answers_up

    def show(self, ask: Ask) -> ShownAsk:
        """Show a question wherever there is room for one, until it is closed."""
        shown = ShownAsk(self, ask, uuid4().hex)
        try:
            panel = self._dock.inside(lambda: self._panel(ask))
            with self._lock:
                self._panels[ask.request_id] = panel
                self._arrange()
            self.on_panels()
            self._dock.publish(
                {
                    "text/plain": _line(ask.question.summary),
                    **when_ended("the kernel that asked has ended"),
                    WIDGET_VIEW: widget_reference(panel.widget),
                },
                shown.display_id,
            )
            shown.panel = panel
            if ask.question.picture is not None:
                threading.Thread(
                    target=_draw, args=(ask.question.picture, panel), name="vcad-ask-picture", daemon=True
                ).start()
        except Exception:  # noqa: BLE001 - a picture that fails must not lose the question: other entry points are open
            _log.exception("an approval could not be shown")
        except BaseException:  # interrupted: nothing of it stays on show
            shown.close()
            raise
        return shown

    def point(self, png: bytes, text: str) -> None:
        """Show a picture in which an agent points at something; of the one before its line stays."""
        now = (uuid4().hex, {"text/plain": _line(text)})
        with self._lock:
            before, self._pointed = self._pointed, now
        if before is not None:
            display_id, line = before
            self._dock.publish(line, display_id, update=True)
        picture = {"image/png": base64.b64encode(png).decode("ascii")}
        self._dock.publish({**now[1], **picture}, now[0])

    def withdraw(self, shown: ShownAsk) -> None:
        """Leave one line in place of the panel."""
        with self._lock:
            panel = self._panels.pop(shown.ask.request_id, None)
            self._arrange()
        if panel is not None:
            self.on_panels()
            self._dock.publish({"text/plain": _line(_what_came(shown.ask))}, shown.display_id, update=True)
            panel.close()

    def panels(self) -> list[dict[str, str]]:
        """Which ask is shown by which widget, oldest first."""
        with self._lock:
            return [
                {"request_id": request_id, "model_id": panel.widget.model_id}
                for request_id, panel in self._panels.items()
            ]

    def side_panel(self) -> SidePanel:
        """All that waits, and the policy; made once."""
        from notebook_ext.approval.panel.side_panel import SidePanel

        with self._lock:
            if self._side is None:
                self._side = SidePanel(self._policy)
                self._arrange()
            return self._side

    def put_on_top(self, slot: Any) -> None:
        """Have questions also appear in this box, which its owner closes; twice is once."""
        with self._lock:
            if slot not in self._slots:
                self._slots.append(slot)
                self._arrange()

    def close(self) -> None:
        """Free every widget; asks that still wait have no picture any more."""
        with self._lock:
            panels = list(self._panels.values())
            self._panels.clear()
            self._arrange()
            for panel in panels:
                panel.close()
            if self._side is not None:
                self._side.close()
                self._side = None
            self._slots.clear()

    def _panel(self, ask: Ask) -> AskPanel:
        from notebook_ext.approval.panel.panel import AskPanel

        return AskPanel(
            ask, lambda response: self._respond(ask, response), holds_up=not self._dock.has_sub_shells
        )

    def _arrange(self) -> None:
        widgets = [panel.widget for panel in self._panels.values()]
        if self._side is not None:
            self._side.show(widgets)
        self._slots = [slot for slot in self._slots if slot.comm is not None]
        for slot in self._slots:
            slot.children = widgets


class ShownAsk:
    """A question on show."""

    def __init__(self, display: AskDisplay, ask: Ask, display_id: str) -> None:
        self._display = display
        self.ask = ask
        self.display_id = display_id
        self.panel: AskPanel | None = None

    def tick(self, left: float) -> None:
        """Show how many seconds are left."""
        try:
            if self.panel is not None:
                self.panel.tick(left)
        except Exception:  # noqa: BLE001 - as above
            _log.exception("the time left of an approval could not be shown")
            self.panel = None

    def close(self) -> None:
        """Take it away."""
        try:
            self._display.withdraw(self)
        except Exception:  # noqa: BLE001 - as above
            _log.exception("an answered approval could not be taken away")


def _draw(picture: Callable[[], bytes | None], panel: AskPanel) -> None:
    """Add the picture once the session has time to draw it; the question does not wait for that."""
    try:
        png = picture()
        if png is not None:
            panel.show_picture(png)
    except (VcadError, LoonCellFailed) as failed:  # the call itself would say so
        _log.info("no picture for an approval: %s", failed)
    except Exception:  # noqa: BLE001 - a picture that fails must not end in the person's cell
        _log.exception("the picture of an approval could not be drawn")


def _line(text: str) -> str:
    """One line of plain text: what agents say must not colour or move what stands in the notebook."""
    return plain(text, stays="")


def _what_came(ask: Ask) -> str:
    """``run_shell of claude: approved``."""
    question = ask.question
    what = f"{question.tool} of {question.agent}" if question.tool else question.summary
    if ask.answer is None:
        outcome = {"ask_timeout": "no answer in time, so no"}.get(ask.ended or "", "taken back")
    elif question.kind != "approval":
        outcome = "answered"
    elif ask.answer.response.get("approved") is True:
        outcome = "approved with edits" if ask.answer.response.get("edited_args") is not None else "approved"
    else:
        reason = ask.answer.response.get("reason")
        outcome = f"rejected: {reason}" if reason else "rejected"
    return f"{what}: {outcome}"
