"""The mime bundle of a view: the widget for a live front end, words for everything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["WIDGET_VIEW", "widget_reference", "words"]

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def widget_reference(widget: Any) -> dict[str, Any]:
    """What a front end needs to show a widget that lives in the kernel."""
    return {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}


def words(names: Sequence[str]) -> str:
    """A view in words, the same in every run: ``3D view of bracket, flange``."""
    return f"3D view of {', '.join(names) or 'nothing'}"
