"""Widgets without a scene: what is to be closed together, and those that no front end is told of."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from threading import Lock
from typing import Any, Final

import comm
from ipywidgets import Widget
from traitlets import Bool, Bytes, Enum, Float, Int, Unicode

__all__ = ["close_tree", "tree", "without_comms"]

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


# ---- widgets that no front end is told of: for a notebook that a program runs, where nobody turns a view --
# Such a program (nbconvert, papermill) keeps the whole state of every widget in its file, all triangles
# included, and a page made from that shows nothing without a network.


_without_comms: ContextVar[bool] = ContextVar("without_comms", default=False)
_installing = Lock()
_installed: list[object] = []


@contextmanager
def without_comms() -> Iterator[None]:
    """Widgets that are made within it work as any other, and send nothing."""
    _install()
    token = _without_comms.set(True)
    try:
        yield
    finally:
        _without_comms.reset(token)


def _install() -> None:
    """Have the making of comms, which the library leaves to be replaced, ask whether they are wanted."""
    with _installing:
        if _installed and comm.create_comm is _installed[-1]:
            return
        usual = comm.create_comm

        def create_comm(*args: Any, **kwargs: Any) -> Any:
            return (comm.DummyComm if _without_comms.get() else usual)(*args, **kwargs)

        comm.create_comm = create_comm
        _installed[:] = [create_comm]
