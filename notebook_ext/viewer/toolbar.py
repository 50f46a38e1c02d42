"""The buttons over the picture: real ipywidgets, so that they work in every notebook front end.

Knows ipywidgets and the names of the standard views. Does not know what a click does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ipywidgets

from notebook_ext.front_end.shell_channel import answer_meanwhile
from notebook_ext.viewer.camera import Projection, ViewName

__all__ = ["Actions", "Toolbar"]

_VIEWS: tuple[tuple[ViewName, str], ...] = (
    ("iso", "Isometric view"),
    ("front", "Front view"),
    ("top", "Top view"),
    ("right", "Right view"),
)


@dataclass(frozen=True, slots=True)
class Actions:
    """What the buttons do."""

    fit: Callable[[], None]
    look: Callable[[ViewName], None]
    project: Callable[[Projection], None]
    show_edges: Callable[[bool], None]


class Toolbar:
    """Fit, standard views, orthographic and edges, in one row."""

    def __init__(self, actions: Actions) -> None:
        self._actions = actions
        buttons = [_button("fit", "Fit to view", actions.fit)]
        buttons += [_button(name, title, self._looker(name)) for name, title in _VIEWS]
        self._orthographic = _toggle("orthographic", "Orthographic projection", False)
        self._edges = _toggle("edges", "Show edges", True)
        self._orthographic.observe(self._project, "value")
        self._edges.observe(self._show_edges, "value")
        answer_meanwhile([*buttons, self._orthographic, self._edges])
        self.widget = ipywidgets.HBox([*buttons, self._orthographic, self._edges])
        self.widget.add_class("vcad-toolbar")

    def _looker(self, name: ViewName) -> Callable[[], None]:
        return lambda: self._actions.look(name)

    def _project(self, change: dict[str, Any]) -> None:
        self._actions.project("orthographic" if change["new"] else "perspective")

    def _show_edges(self, change: dict[str, Any]) -> None:
        self._actions.show_edges(bool(change["new"]))


def _button(icon: str, title: str, action: Callable[[], None]) -> Any:
    # The description is the accessible name; the style sheet shows an icon in its place.
    button = ipywidgets.Button(description=title, tooltip=title)
    button.on_click(lambda _button: action())
    return _with_icon(button, icon)


def _toggle(icon: str, title: str, value: bool) -> Any:
    return _with_icon(ipywidgets.ToggleButton(description=title, tooltip=title, value=value), icon)


def _with_icon(button: Any, icon: str) -> Any:
    button.add_class("vcad-tool")
    button.add_class(f"vcad-tool-{icon}")
    return button
