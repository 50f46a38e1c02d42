"""Widgets that no front end is told of: for a notebook that a program runs, where nobody turns a view.

Such a program (nbconvert, papermill) keeps the whole state of every widget in its file, all triangles
included, and a page made from that shows nothing without a network.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any

import comm

__all__ = ["without_comms"]

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
