"""The viewer in a notebook: an anywidget whose comm carries the relay's messages.

Meshes go as custom messages with buffers, never as traits, which notebooks store. All views of the widget
share the one comm; each says who it is (`view_id`). Front ends with sub-shells are answered while a cell
runs.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from anywidget import AnyWidget
from traitlets import Unicode

from notebook_ext.front_end.shell_channel import answer_meanwhile
from notebook_ext.viewer.relay.relay import Relay
from notebook_ext.viewer.shells import widget_program
from vcad_kernel.system.threads import started

__all__ = ["ViewerWidget"]

_log = logging.getLogger("vcad.viewer.widget")


class ViewerWidget(AnyWidget):
    """relay: whose scene it shows."""

    _esm = Unicode().tag(sync=True)
    scene_id = Unicode().tag(sync=True)
    """Under which a page keeps what its person chose, so that a reload finds it again."""

    def __init__(self, relay: Relay) -> None:
        super().__init__(_esm=widget_program(), scene_id=secrets.token_hex(8))
        self._woken = threading.Event()
        self._connection = relay.connect(self._woken.set, shared=True)
        self._beginning = threading.Lock()
        self._sender: threading.Thread | None = None
        self.on_msg(self._heard)
        answer_meanwhile([self])

    def _heard(self, _widget: object, content: Mapping[str, Any], buffers: Sequence[memoryview]) -> None:
        self._connection.hear(content, buffers)
        with self._beginning:
            if self._sender is None:
                self._sender = threading.Thread(target=self._send_all, name="vcad viewer", daemon=True)
                started(self._sender)

    def _send_all(self) -> None:
        """Send what there is to be sent, until the end: making a mesh ready holds no cell up."""
        while not self._connection.is_ended and self.comm is not None:
            while (outgoing := self._connection.take()) is not None:
                view_id, parcel = outgoing
                try:
                    self.send(*parcel.content(view_id))
                except Exception:  # noqa: BLE001 - the top of a thread; the next message may get through
                    _log.exception("a message could not be sent to the notebook")
            self._woken.wait()
            self._woken.clear()

    def close(self) -> None:
        """Free the comm; twice is once."""
        self._connection.close()
        super().close()
        self._connection.end()
