"""Requests and replies of the bridge, one JSON-RPC object per line.

Knows no socket.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from notebook_ext.sketchup.bridge.connection_failures import request_too_long
from notebook_ext.sketchup.bridge.line_channel import NoAnswer
from vcad_kernel.service.client.failures import unspeakable

__all__ = ["MODEL_FREE", "SLOW", "SLOW_SECONDS", "line_digest", "may_repeat", "read_reply", "request_line"]


def line_digest(line: bytes) -> dict[str, Any]:
    """How a line is identified without keeping it: its bytes, and their SHA-256."""
    return {"bytes": len(line), "sha256": hashlib.sha256(line).hexdigest()}


def request_line(
    method: str, params: Mapping[str, Any], number: int, *, operation: str, limit: int | None
) -> bytes:
    """A request as it travels, with the line's end.

    operation: what errors call it. limit: bytes that are read without the end; None for any.
    Raises: ServiceFailure of INVALID_PARAMS for what JSON cannot say, PAYLOAD_TOO_LARGE for what is too long.
    """
    message = {"jsonrpc": "2.0", "method": method, "params": params, "id": number}
    try:
        # text, not ASCII: what is no Unicode is refused here and not by the extension
        line = json.dumps(message, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as bad:
        raise unspeakable(operation, str(bad)) from bad
    if limit is not None and len(line) > limit:
        raise request_too_long(operation, len(line), limit)
    return line + b"\n"


def read_reply(line: bytes, number: int) -> Mapping[str, Any]:
    """A reply as it came, which is the one to request ``number``. Raises: NoAnswer for anything else."""
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError) as bad:
        raise NoAnswer("it sent a line that is no JSON", sent=True) from bad
    if not isinstance(reply, dict) or not ("result" in reply or isinstance(reply.get("error"), dict)):
        raise NoAnswer("it sent a line that is no answer", sent=True)
    answered = reply.get("id")
    # a complaint about the connection itself belongs to no request
    if (type(answered) is int and answered == number) or (answered is None and "error" in reply):
        return reply
    raise NoAnswer("it answered another request than ours", sent=True)


READ_ONLY: Final = frozenset(
    {
        "ping",
        "console_capture_status",
        "get_model_info",
        "list_entities",
        "get_entity",
        "get_selection",
        "get_layers",
        "get_materials",
        "get_camera_info",
        "list_vcad_nodes",
        "get_vcad_node",
        "resolve_vcad_import",
        "resources/list",
    }
)
"""Tools that change nothing: asked again when no answer came."""

SLOW: Final = frozenset(
    {
        "place_vcad_node",
        "update_vcad_node",
        "upsert_vcad_definition",
        "remove_vcad_node",
        "export_scene",
        "open_model",
        "save_model",
        "take_screenshot",
        "take_batch_screenshots",
        "eval_ruby",
        "eval_ruby_file",
    }
)
"""Tools that may take long whatever the extension says; it may name more."""

SLOW_SECONDS: Final = 120.0
"""What a slow tool has at least."""

MODEL_FREE: Final = frozenset({"ping", "console_capture_status", "reload_extension", "open_model"})
"""Tools that do not take ``expected_model_path``."""


def may_repeat(tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether asking twice is as good as asking once."""
    if tool == "vcad.observer_poll":
        return "ack" in arguments  # without it, an answer that is lost takes its changes along
    return tool in READ_ONLY
