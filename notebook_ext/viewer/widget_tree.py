"""A widget with all that it refers to: what is to be closed together. Knows ipywidgets, and no scene."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ipywidgets import Widget

__all__ = ["close_tree", "tree"]


def tree(root: Widget, leave: Collection[Widget] = ()) -> list[Widget]:
    """A widget and everything that its synchronised state refers to, except `leave`.

    Layouts and styles are widgets of their own, and the browser may make some too.
    """
    waiting, seen = [root], set(leave)
    order: list[Widget] = []
    while waiting:
        widget = waiting.pop()
        if widget not in seen:
            seen.add(widget)
            order.append(widget)
            for name in widget.keys:
                waiting.extend(_widgets_in(getattr(widget, name)))
    return order


def close_tree(root: Widget, leave: Collection[Widget] = ()) -> None:
    """Close a whole `tree`: any of its widgets would otherwise live as long as the kernel."""
    for widget in tree(root, leave):
        widget.close()


def _widgets_in(value: object) -> Iterator[Widget]:
    if isinstance(value, Widget):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _widgets_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _widgets_in(item)
