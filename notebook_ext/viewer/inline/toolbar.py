"""The buttons over the picture: real ipywidgets, so that they work in every notebook front end.

Knows ipywidgets and the names of the standard views. Does not know what a click does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets

from notebook_ext.front_end.shell_channel import answer_meanwhile
from notebook_ext.viewer.camera import Projection, ViewName

__all__ = ["toolbar"]

_VIEWS: tuple[tuple[ViewName, str], ...] = (
    ("iso", "Isometric view"),
    ("front", "Front view"),
    ("back", "Back view"),
    ("left", "Left view"),
    ("right", "Right view"),
    ("top", "Top view"),
    ("bottom", "Bottom view"),
)


def toolbar(
    *,
    fit: Callable[[], None],
    look: Callable[[ViewName], None],
    project: Callable[[Projection], None],
    show_edges: Callable[[bool], None],
    open_viewer: Callable[[], object],
) -> Any:
    """Fit, standard views, perspective, edges and the viewer, in one row; the arguments: what buttons do."""
    to_fit = ipywidgets.Button(**_tool("fit", "Fit to view"))
    # by itself each tool would have a layout and a style of its own, here and in the browser
    same = {"layout": to_fit.layout, "style": to_fit.style}
    to_look = [ipywidgets.Button(**_tool(name, title), **same) for name, title in _VIEWS]
    to_fit.on_click(lambda _button: fit())
    for button, (name, _) in zip(to_look, _VIEWS, strict=True):
        button.on_click(lambda _button, name=name: look(name))
    perspective = ipywidgets.ToggleButton(
        **_tool("perspective", "Perspective projection"), layout=to_fit.layout
    )
    edges = ipywidgets.ToggleButton(
        **_tool("edges", "Show edges"), value=True, layout=to_fit.layout, style=perspective.style
    )
    perspective.observe(lambda change: project("perspective" if change["new"] else "orthographic"), "value")
    edges.observe(lambda change: show_edges(bool(change["new"])), "value")
    viewer = ipywidgets.Button(**_tool("viewer", "Open in the viewer"), **same)
    viewer.on_click(lambda _button: open_viewer())
    tools = [to_fit, *to_look, perspective, edges, viewer]
    answer_meanwhile(tools)
    return ipywidgets.HBox(tools, _dom_classes=("vcad-toolbar",))


def _tool(icon: str, title: str) -> dict[str, Any]:
    """What buttons and toggles have: an icon by the style sheet, and the description as accessible name."""
    return {
        "description": title,
        "tooltip": title,
        "_dom_classes": ("vcad-tool", f"vcad-tool-{icon}"),
    }
