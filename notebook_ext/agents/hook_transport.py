"""HTTP for the client of the hook API: a connection per request, repeated only where no peer answered."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any, Final
from urllib.parse import urlsplit

from notebook_ext.approval.policy import KEY_HEADER
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["Answered", "HookRefused", "HookTransport", "Unanswered"]


_REPEATABLE: Final = (ConnectionRefusedError, ConnectionResetError, BrokenPipeError)
"""No peer has answered; a connection that ends before its answer counts as reset."""


class HookRefused(ServiceFailure):
    """A session's answer that it will not, or cannot; ``status`` is the HTTP status."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        super().__init__(
            str(body.get("error_code", ErrorCode.REMOTE_ERROR)),
            str(body.get("error", f"the session answered with status {status}")),
            details=body["details"] if isinstance(body.get("details"), dict) else {"operation": "hook API"},
        )
        self.status = status


class Unanswered(ConnectionError):
    """The connection was refused, or reset before an answer came. sent: whether the request had left."""

    def __init__(self, message: str, *, sent: bool) -> None:
        super().__init__(message)
        self.sent = sent


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back."""

    status: int
    text: str

    def json(self) -> dict[str, Any]:
        """The body, an object. Raises: ServiceFailure PARSE_ERROR for a peer that is no session."""
        try:
            body = json.loads(self.text)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise ServiceFailure(
                ErrorCode.PARSE_ERROR,
                f"what answered is no session: {self.text[:80]!r}",
                details={"operation": "hook API"},
            )
        return body


class HookTransport:
    """base_url: http, without a path. max_retries, retry_delay (s): for connections refused or reset."""

    def __init__(self, base_url: str, token: str | None, *, max_retries: int, retry_delay: float) -> None:
        parts = urlsplit(base_url)
        if parts.scheme != "http" or not parts.hostname:
            raise ServiceFailure(
                ErrorCode.INVALID_PARAMS,
                f"{base_url!r} is no url of a session",
                details={"path": "base_url", "expected": "http://127.0.0.1:PORT", "operation": "HookClient"},
            )
        self._host, self._port = parts.hostname, parts.port or 80
        self._known_by = {KEY_HEADER: secrets.token_urlsafe(32)}
        if token is not None:
            self.authorize(token)
        self._retries = max_retries
        self._delay = retry_delay

    def authorize(self, token: str) -> None:
        """Come with this token from now on: the session's, or the person's key."""
        self._known_by["Authorization"] = f"Bearer {token}"

    def request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        timeout: float,
        headers: Mapping[str, str] | None = None,
        repeat_sent: bool = True,
    ) -> Answered:
        """Ask, and again where the connection was refused or reset. timeout: seconds for the answer.

        repeat_sent: also where the request had left already; False for what must not be done twice.
        Raises: HookRefused for an answer of status 400 and above; ServiceFailure CONNECTION_FAILED when
        no peer was there, CONNECTION_TIMEOUT when no answer came, UNKNOWN_OUTCOME when it broke off, or ended
        before the answer to what may have been done.
        """
        may_be_done = False
        attempt = 0
        while True:
            try:
                answered = self.once(method, path, body, timeout=timeout, headers=headers)
                break
            except Unanswered as failed:
                may_be_done |= failed.sent and method != "GET"
                if attempt >= self._retries or (failed.sent and not repeat_sent):
                    if may_be_done:
                        message = (
                            "ended the connection before its answer; it may have done what was asked, or not"
                        )
                        raise self._failed(ErrorCode.UNKNOWN_OUTCOME, message) from failed
                    raise self._failed(
                        ErrorCode.CONNECTION_FAILED, f"cannot be reached: {failed}"
                    ) from failed
            attempt += 1
            time.sleep(self._delay)
        if answered.status >= 400:
            raise HookRefused(answered.status, _body_of(answered))
        return answered

    def once(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        timeout: float,
        headers: Mapping[str, str] | None = None,
    ) -> Answered:
        """Ask once.

        Raises: Unanswered; ServiceFailure UNKNOWN_OUTCOME for an answer that breaks off, CONNECTION_FAILED,
        CONNECTION_TIMEOUT.
        """
        connection = HTTPConnection(self._host, self._port, timeout=timeout)
        sent = {**self._known_by, **(headers or {})}
        data = None
        if body is not None:
            data = json.dumps(dict(body), allow_nan=False).encode("utf-8")
            sent["Content-Type"] = "application/json"
        begun = has_left = False
        try:
            connection.request(method, path, data, sent)
            has_left = True
            response = connection.getresponse()
            begun = True
            return Answered(response.status, response.read().decode("utf-8", errors="replace"))
        except TimeoutError as failed:
            message = f"has not answered within {timeout:g} s"
            raise self._failed(ErrorCode.CONNECTION_TIMEOUT, message) from failed
        except (OSError, HTTPException) as failed:
            if begun:
                raise self._failed(ErrorCode.UNKNOWN_OUTCOME, "broke off in its answer") from failed
            if isinstance(failed, _REPEATABLE):
                raise Unanswered(str(failed), sent=has_left) from failed
            raise self._failed(ErrorCode.CONNECTION_FAILED, f"cannot be used: {failed}") from failed
        finally:
            connection.close()

    def _failed(self, code: ErrorCode, why: str) -> ServiceFailure:
        return ServiceFailure(
            code,
            f"the session at {self._host}:{self._port} {why}",
            fix="look whether its notebook's kernel still runs",
            details={"host": self._host, "port": self._port, "operation": "hook API"},
        )


def _body_of(answered: Answered) -> Mapping[str, Any]:
    try:
        return answered.json()
    except ServiceFailure:
        return {}
