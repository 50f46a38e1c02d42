"""Every exception that OpenCASCADE's bindings raise: siblings in Python, though not in C++.

``except OCCT_ERRORS`` is what stands around a call that may be impossible; the bindings raise
nothing else but TypeError for wrong arguments, which are our own mistakes.
"""

from __future__ import annotations

import OCP.Standard
import OCP.StdFail

__all__ = ["OCCT_ERRORS"]


def _exceptions_of(module: object) -> tuple[type[Exception], ...]:
    return tuple(
        kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Exception)
    )


OCCT_ERRORS: tuple[type[Exception], ...] = (
    *_exceptions_of(OCP.Standard),
    *_exceptions_of(OCP.StdFail),
    # what reaches the bindings as a plain std::exception
    RuntimeError,
)
"""To be caught where a construction may be impossible, and turned into the node's error there."""
