"""What a request of the hook API says: its JSON body and its query, read and checked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from notebook_ext.agents.hooks.refusals import malformed
from notebook_ext.approval.person import IN_SCOPE, person_only
from notebook_ext.approval.policy import KEY_HEADER
from vcad_kernel.errors import ErrorCode, FileTooLarge, ServiceFailure

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = [
    "AGENT",
    "LIMIT",
    "agent_name",
    "agent_of",
    "connection_of",
    "json_object",
    "number",
    "object_at",
    "query_number",
    "require_person",
    "text_at",
]

AGENT: Final = "hook api"
"""Who calls a tool, where the caller does not say."""

LIMIT: Final = 1024 * 1024
"""Bytes of a body."""
_NAME: Final = 80
"""Characters of a name."""


async def json_object(request: Request) -> dict[str, Any]:
    """The body, which must be a JSON object.

    Raises: FileTooLarge; ServiceFailure PARSE_ERROR for what is no JSON, INVALID_PARAMS for another value.
    """
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > LIMIT:
            raise FileTooLarge(
                f"the body is larger than {LIMIT} bytes",
                details={"limit": LIMIT, "size": len(data), "operation": request.url.path},
            )
    try:
        body = json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as wrong:
        raise ServiceFailure(
            ErrorCode.PARSE_ERROR,
            f"the body is no JSON: {wrong}",
            details={"operation": request.url.path},
        ) from None
    if not isinstance(body, dict):
        raise malformed("body", "a JSON object", operation=request.url.path)
    return body


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def require_person(request: Request) -> None:
    """Raises: ServiceFailure PERSON_ONLY for a request without the person's key."""
    if request.scope.get(IN_SCOPE) is not True:
        raise person_only(request.url.path)


def connection_of(request: Request) -> str | None:
    """What no other program has of the caller's: the secret that it sends along; see `Caller`."""
    return request.headers.get(KEY_HEADER) or None


def agent_of(request: Request) -> str:
    """On whose behalf a request comes: the header ``X-Agent``."""
    return agent_name(request.headers.get("x-agent", "")) or AGENT


def agent_name(given: str) -> str:
    """A name as a line of the log may hold it."""
    return "".join(character for character in given if character.isprintable())[:_NAME].strip()


def object_at(body: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object under a key. Raises: ServiceFailure INVALID_PARAMS."""
    value = body.get(key)
    if not isinstance(value, dict):
        raise malformed(key, "an object")
    return value


def text_at(body: Mapping[str, Any], key: str) -> str:
    """The text under a key, which is not empty. Raises: ServiceFailure INVALID_PARAMS."""
    text = body.get(key)
    if not isinstance(text, str) or not text:
        raise malformed(key, "a text that is not empty")
    return text


def number(value: object, key: str, low: float, high: float) -> float:
    """A finite number within these ends, both included. Raises: ServiceFailure INVALID_PARAMS."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise malformed(key, f"a number from {low:g} to {high:g}")
    if not low <= value <= high:
        raise malformed(key, f"a number from {low:g} to {high:g}")
    return value


def query_number(request: Request, key: str) -> int | None:
    """A whole number of the query, from 0; None without it. Raises: ServiceFailure INVALID_PARAMS."""
    digits = request.query_params.get(key)
    if digits is None:
        return None
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 15:
        raise malformed(key, "a whole number from 0", operation=request.url.path)
    return int(digits)
