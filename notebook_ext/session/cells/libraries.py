"""The libraries that a session's first cell needs, loaded where no interrupt reaches.

An interrupt in the middle of ``import numpy`` leaves halves of it behind, with which no later import works:
nothing but a new kernel would help. So all that is slow to load is loaded on a thread of its own, while
the thread that needs it waits and can be interrupted at any moment.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

__all__ = ["Libraries"]

_EVALUATE: Final = (
    "notebook_ext.display.part",
    "vcad_kernel.service.summary",
    "vcad_kernel.service.evaluation.bindings",
    "vcad_kernel.service.wire.result_json",
    "vcad_kernel.service.wire.part_json",
    "vcad_kernel.service.wire.history_json",
    "vcad_kernel.service.wire.definitions_json",
    "vcad_kernel.service.client.remote_answers",
    "vcad_kernel.contracts.mesh_block",
    "vcad_kernel.render.picture",
)
_SHOW: Final = (
    "notebook_ext.session.cells.outputs",
    "notebook_ext.viewer.inline",
    "notebook_ext.viewer.widget",
)
"""What shows a part in a notebook."""
_LOOK: Final = 0.02
"""Seconds between two looks at whether to go on waiting."""


class Libraries:
    """Loaded once in a process; to ask again costs nothing."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._loaded = threading.Event()

    def load(self, *, views: bool, checkpoint: Callable[[], None]) -> None:
        """Wait until they are loaded. views: also what shows parts. checkpoint: may raise, to end it."""
        if self._thread is None:
            names = (*_EVALUATE, *(_SHOW if views else ()))
            self._thread = threading.Thread(
                target=self._load, args=(names,), name="vcad libraries", daemon=True
            )
            self._thread.start()
        while not self._loaded.wait(_LOOK):
            checkpoint()

    def _load(self, names: tuple[str, ...]) -> None:
        try:
            for name in names:
                with suppress(ImportError):  # reported where it is needed
                    importlib.import_module(name)
        finally:
            self._loaded.set()
