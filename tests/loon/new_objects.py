"""What a piece of work leaves behind, without a look at all that other tests hold."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["new_objects"]


@contextmanager
def new_objects() -> Iterator[Callable[[], list[object]]]:
    """Gives a function that collects, and lists what has been made since and is still held.

    What is there before is left out of collections, which would take most of the time: it is frozen, as
    what was collected is (`tests/conftest.py`), until the end of the run.
    """

    def held() -> list[object]:
        gc.collect()
        return gc.get_objects()

    gc.freeze()
    yield held
