"""Which tools may be asked twice, which are slow, and which do not care what model is open.

Rules of the protocol (L6, L8 and 4.4 of its specification) as tables. Knows no connection.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["MODEL_FREE", "READ_ONLY", "SLOW", "SLOW_SECONDS", "may_repeat"]

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
