"""A widget with all that it refers to: what is to be closed together. Knows ipywidgets, and no scene."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from typing import Final

from ipywidgets import Widget
from traitlets import Bool, Bytes, Enum, Float, Int, Unicode

__all__ = ["close_tree", "tree"]

_PLAIN: Final = (Bool, Bytes, Enum, Float, Int, Unicode)


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
            for name in _referring(type(widget)):  # type: ignore[arg-type]  # ipywidgets is untyped
                waiting.extend(_widgets_in(getattr(widget, name)))
    return order


@cache
def _referring(kind: type[Widget]) -> tuple[str, ...]:
    """The synchronised traits in which widgets of a class may hold others: less than half of them."""
    synchronised = kind.class_traits(sync=True).items()
    return tuple(name for name, trait in synchronised if not isinstance(trait, _PLAIN))


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
