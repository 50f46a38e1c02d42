"""What a notebook's page asks of the session for its panels and commands: parts, live view, files, reference.

    close = PagePanels(session).open()

A page asks over the comm ``vcad.notebook`` by one of these names; the answer is JSON data, at once or, where
something has to be evaluated, once that is done; and every page receives the parts when they have changed.
Knows the session's verbs; does not know comms.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from notebook_ext.front_end.notebook_comm import Answer
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, ServiceFailure
from vcad_kernel.paths import Workspace

if TYPE_CHECKING:
    from notebook_ext.session.events import SessionEvent
    from notebook_ext.session.session import Session
    from vcad_kernel.loon.reference import Entry

__all__ = ["PagePanels"]

_PARTS: Final = "parts"
"""The event and the request of this name."""
_FORMS: Final = "forms"
"""The event that says which forms made what is picked."""


class PagePanels:
    """Answers for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._publish: Callable[[], None] = lambda: None

    def open(self) -> Callable[[], None]:
        """Answer pages, and tell them of the parts whenever these change; what this gives ends that."""
        front_ends = self._session.front_ends
        answers: dict[str, Answer] = {
            _PARTS: lambda _fields: {"parts": self.parts()},
            "live_view": lambda _fields: self._live_view(),
            "export": self._export,
            "reference": lambda _fields: {"entries": [_row(entry) for entry in self._entries().values()]},
            "entry": self._entry,
            "cursor": self._cursor,
            "show_part": self._show_part,
            "resize_view": self._resize_view,
        }
        front_ends.answer(answers)
        tell_forms = front_ends.keep_informed(_FORMS, self._session.picked_forms)
        self._publish = front_ends.keep_informed(_PARTS, self.parts)
        waits = False

        def tell() -> None:
            nonlocal waits
            waits = False
            self._publish()

        def tell_soon(event: SessionEvent) -> None:
            if event.kind == "picked":
                if front_ends.has_pages:
                    tell_forms()
                return
            # once what is being done is done: a cascade over two hundred parts is one message
            nonlocal waits
            if not waits and front_ends.has_pages:
                waits = True
                with suppress(CapabilityUnavailable):  # the session has ended
                    self._session.submit(tell)

        return self._session.subscribe(tell_soon)

    def parts(self) -> list[dict[str, Any]]:
        """Every named part: its name, its figures as far as they are known, why it is out of date, and
        whether viewers show it."""
        session = self._session
        rows = []
        for name in session.nodes():
            part = session[name]
            seen = session.is_seen(name)
            rows.append(
                {"name": name, "figures": part.known_summary, "stale": part.stale or "", "seen": seen}
            )
        return rows

    def _show_part(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Have viewers show a part, or hide it."""
        self._session.viewers.set_shown(_text(fields, "part"), fields.get("seen") is True)
        self._publish()  # views that are there say so once they have done it
        return {"parts": self.parts()}

    def _resize_view(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """A person drags a corner of a view under a cell, or its notebook is narrow."""
        number, height, width = (fields.get(name) for name in ("view", "height", "width"))
        size = [length if isinstance(length, int) else None for length in (height, width)]
        if isinstance(number, int) and size != [None, None]:
            self._session.page.resize_view(number, *size)
        return {}

    def _cursor(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The cursor stands somewhere in a cell: the faces of the form around it glow in the viewers."""
        offset = fields.get("offset")
        where = str(fields.get("cell", "")), str(fields.get("text", ""))
        self._session.forms.cursor_at(*where, offset if isinstance(offset, int) else 0)
        return {}

    def _live_view(self) -> dict[str, Any]:
        """The widget of the live view, for a place of its own on the page."""
        return {"model_id": self._session.view().widget.model_id}

    def _export(self, fields: Mapping[str, Any]) -> Future[dict[str, Any]]:
        name, target = _text(fields, "part"), _text(fields, "path")
        path = Workspace(self._session.workspace).resolve(target)

        def written() -> dict[str, Any]:
            self._session.export(name, path)
            return {"path": target, "bytes": path.stat().st_size}

        return self._session.submit(written)

    def _entries(self) -> Mapping[str, Entry]:
        return self._session.knowledge.entries()

    def _entry(self, fields: Mapping[str, Any]) -> dict[str, Any] | Future[dict[str, Any]]:
        """All that there is to say about a name, with a picture where its example is a model."""
        from vcad_kernel.loon.reference import plain

        name = _text(fields, "name")
        entry = self._entries().get(name)
        if entry is None:
            raise ServiceFailure(ErrorCode.NODE_NOT_FOUND, f"the reference has no {name}")
        said = {**_row(entry), "text": plain(entry), "example": entry.example}
        if entry.result or not entry.example or fields.get("picture") is not True:
            return said

        def drawn() -> dict[str, Any]:
            picture = self._session.png(entry.example, width=320, height=240)
            return {**said, "picture": b64encode(picture).decode("ascii")}

        return self._session.submit(drawn)


def _row(entry: Entry) -> dict[str, Any]:
    first, stop, _ = entry.doc.partition(". ")
    return {
        "name": entry.name,
        "kind": entry.kind,
        "group": entry.group,
        "usage": entry.usage or entry.name,
        "says": first + stop.strip(),
        "is_model": bool(entry.example) and not entry.result,
    }


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value:
        raise ServiceFailure(
            ErrorCode.INVALID_PARAMS, f"{name} must be a text", details={"path": name, "expected": "a text"}
        )
    return value
