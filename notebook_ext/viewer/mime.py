"""The mime bundle of a view: the widget for a live front end, a picture and words for everything else.

Other widgets that are shown in an output have a line for when their kernel has ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["WIDGET_VIEW", "view_bundle", "when_ended", "widget_reference", "words"]

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
_VIEW = "application/vnd.vcad.view+json"
"""JupyterLab with our extension shows the widget while the kernel has it, and else picture, words and a line.

It holds nothing that differs from run to run, since nbval compares it.
"""


def widget_reference(widget: Any) -> dict[str, Any]:
    """What a front end needs to show a widget that lives in the kernel."""
    return {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}


def when_ended(line: str) -> dict[str, Any]:
    """What else an output with a widget holds: what to say where there is no kernel that has it."""
    return {_VIEW: {"line": line}}


def view_bundle(said: str, picture: bytes | None, widget: Any | None) -> dict[str, Any]:
    """Something to turn, as a front end and a saved notebook show it.

    said: the same in words. picture: PNG bytes, where there is one. widget: None where nobody can turn it.
    """
    bundle: dict[str, Any] = {"text/plain": said, **when_ended("run the cell to turn it")}
    if picture is not None:
        bundle["image/png"] = picture
    if widget is not None:
        bundle[WIDGET_VIEW] = widget_reference(widget)
    return bundle


def words(names: Sequence[str]) -> str:
    """A view in words, the same in every run: ``3D view of bracket, flange``."""
    return f"3D view of {', '.join(names) or 'nothing'}"
