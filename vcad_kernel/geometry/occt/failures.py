"""Every exception that OpenCASCADE's bindings raise: siblings in Python, though not in C++.

``except OCCT_ERRORS`` is what stands around a call that may be impossible; the bindings raise
nothing else but TypeError for wrong arguments, which are our own mistakes.
Within ``quiet`` OpenCASCADE reports failures only: otherwise it prints every transfer of a STEP
file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import OCP.Standard
import OCP.StdFail
from OCP.Message import Message, Message_Fail

__all__ = ["OCCT_ERRORS", "quiet"]


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


@contextmanager
def quiet() -> Iterator[None]:
    """Within, only failures are printed; the printers are of the whole process."""
    printers = [(printer, printer.GetTraceLevel()) for printer in Message.DefaultMessenger_s().Printers()]
    try:
        for printer, _ in printers:
            printer.SetTraceLevel(Message_Fail)
        yield
    finally:
        for printer, level in printers:
            printer.SetTraceLevel(level)
