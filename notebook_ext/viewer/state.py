"""What a view shows, as a value for programs and as hidden HTML for tests and screen readers.

Does not know widgets.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from notebook_ext.viewer.camera import Projection, Vector
from notebook_ext.viewer.mime import words
from vcad_kernel.operations.scene import Material

__all__ = ["ViewState", "caption_html", "legend_html", "mark_html", "state_html"]


@dataclass(frozen=True, slots=True)
class ViewState:
    """A view at one moment."""

    parts: tuple[str, ...]
    """Names, in the order in which they are drawn."""
    triangles: int
    revision: int
    """Grows by one with every change of what is shown; the camera does not count."""
    position: Vector
    """Of the camera, millimetres."""
    target: Vector
    """What the camera looks at and turns about, millimetres."""
    projection: Projection
    edges: bool
    """Whether feature edges are drawn."""
    stale: str = ""
    """Why what is shown is out of date; empty where it is not."""


_LISTED: Final = 10
"""Lines of a legend: half of the picture's height."""


def state_html(state: ViewState) -> str:
    """The state as an element that is not seen but can be asked, and read aloud."""
    attributes = {
        "parts": json.dumps(state.parts),
        "triangles": str(state.triangles),
        "revision": str(state.revision),
        "position": json.dumps([round(value, 6) for value in state.position]),
        "target": json.dumps([round(value, 6) for value in state.target]),
        "projection": state.projection,
        "edges": json.dumps(state.edges),
        "stale": json.dumps(state.stale),
    }
    data = " ".join(f'data-{name}="{escape(value)}"' for name, value in attributes.items())
    return f'<div class="vcad-view-state" {data}>{escape(words(state.parts))}</div>'


def caption_html(text: str) -> str:
    """A line of words along the lower edge; nothing for an empty one."""
    said = escape(text)
    return f'<div class="vcad-caption" title="{said}">{said}</div>' if text else ""


def mark_html(why: str) -> str:
    """Why what is shown is out of date, along the upper edge; nothing where it is not."""
    return f'<div class="vcad-out-of-date" role="status">{escape(why)}</div>' if why else ""


def legend_html(entries: Sequence[tuple[str, Material]]) -> str:
    """Each name behind a dot in the colour of its part; of many the first, and how many more there are."""
    listed = entries if len(entries) <= _LISTED else entries[: _LISTED - 1]
    items = "".join(
        f'<li><span class="vcad-dot" style="background:{_css_color(material)}"></span>{escape(name)}</li>'
        for name, material in listed
    )
    if len(listed) < len(entries):
        items += f"<li>and {len(entries) - len(listed)} more</li>"
    return f'<ul class="vcad-legend" aria-label="Parts">{items}</ul>' if items else ""


def _css_color(material: Material) -> str:
    return f"rgb({','.join(f'{100 * channel:.3g}%' for channel in material.color)})"
