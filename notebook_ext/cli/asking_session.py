"""The session whose questions are answered: found by its record, and found again after a restart."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

from notebook_ext.session_records import SessionRecord, choose, live_records

__all__ = ["AskingSession", "Lost", "Refused", "Unpaired"]

_PATIENCE: Final = 10.0
"""Seconds for one answer of the session; it never waits for a cell to give it."""


class Lost(Exception):
    """There is no such session, or it does not answer."""


class Refused(Exception):
    """The session does not take an answer; the question still waits."""


class Unpaired(Lost):
    """The session has begun anew: this terminal is to be paired with it once more."""

    def __init__(self) -> None:
        super().__init__("the session has begun anew")


class AskingSession:
    """workspace, chosen: which session is meant; see `session_records.choose`."""

    def __init__(self, workspace: Path, chosen: str | None = None) -> None:
        self._workspace = workspace
        self._chosen = chosen
        self._name = f"terminal {socket.gethostname()} {os.getpid()}"
        # the session is on this machine, whatever proxy the rest of the world needs
        self._opener = build_opener(ProxyHandler({}))
        self._key = ""
        """The person's, of the session that this terminal is paired with."""

    def pair(self) -> str:
        """Have the notebook show a code for this terminal. Returns: the pairing. Raises: Lost, Refused."""
        try:
            return str(
                self._sent("POST", "/api/pair", {"program": f"vcad approve ({self._name})"})["pairing_id"]
            )
        except HTTPError as error:
            with error:
                raise Refused(_message(error)) from None

    def confirm(self, pairing_id: str, code: str) -> None:
        """Answer for the person from now on. Raises: Lost; Refused for a code that is not the one shown."""
        try:
            answer = self._sent("POST", "/api/pair/confirm", {"pairing_id": pairing_id, "code": code})
        except HTTPError as error:
            with error:
                raise Refused(_message(error)) from None
        self._key = str(answer["key"])

    def open_asks(self) -> list[dict[str, Any]]:
        """What waits, oldest first; the session takes it that a person is looking. Raises: Lost."""
        from urllib.parse import quote

        # without the key it only looks: a client that cannot answer does not count as looking
        looking = f"?approver={quote(self._name)}" if self._key else ""
        body = self._sent("GET", f"/api/asks{looking}", None)
        asks = body.get("asks") if isinstance(body, Mapping) else None
        if not isinstance(asks, list):
            raise Lost("what answers there is no session of this version")
        return [ask for ask in asks if isinstance(ask, dict) and isinstance(ask.get("request_id"), str)]

    def respond(self, request_id: str, response: Mapping[str, Any]) -> bool:
        """Answer a question; False when it does not wait any more. Raises: Lost, Refused."""
        try:
            self._sent("POST", "/api/ask/respond", {"request_id": request_id, "response": dict(response)})
        except HTTPError as error:
            with error:
                if error.code == 404:
                    return False
                raise Refused(_message(error)) from None
        return True

    def _sent(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        """Raises: Lost; HTTPError where the session refuses a POST."""
        record = self._record()
        request = Request(
            record.url + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self._key or record.token}",
                "Content-Type": "application/json",
            },
            method=method,
        )
        try:
            with self._opener.open(request, timeout=_PATIENCE) as answer:
                return json.load(answer)
        except HTTPError as error:
            if error.code == 401 and self._key:  # the session is another one by now, and so is its key
                self._key = ""
                with error:
                    raise Unpaired from None
            if method == "POST" and error.code < 500:
                raise
            with error:
                raise Lost(f"the session refuses to tell what waits: {_message(error)}") from None
        except (URLError, OSError) as error:
            raise Lost(f"the session does not answer: {error}") from None
        except ValueError:
            raise Lost("what answers there is no session of this version") from None

    def _record(self) -> SessionRecord:
        record = choose(live_records(), self._workspace, self._chosen)
        if record is None:
            meant = self._chosen or "a session of this folder"
            raise Lost(f"{meant} is not running; `vcad sessions` lists those that are")
        return record


def _message(error: HTTPError) -> str:
    try:
        body = json.load(error)
    except (ValueError, OSError):
        return str(error)
    return str(body.get("error", error)) if isinstance(body, Mapping) else str(error)
