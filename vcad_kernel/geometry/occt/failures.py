"""Every exception that OpenCASCADE's bindings raise: siblings in Python, though not in C++.

``except OCCT_ERRORS`` is what stands around a call that may be impossible; the bindings raise
nothing else but TypeError for wrong arguments, which are our own mistakes.
Within ``quiet`` OpenCASCADE reports failures only: otherwise it prints every transfer of a STEP
file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import OCP.Standard
from OCP.Message import Message, Message_Fail

__all__ = ["OCCT_ERRORS", "quiet"]

OCCT_ERRORS: tuple[type[Exception], ...] = (
    # each part of OpenCASCADE has exceptions of its own, and all parts are there with the first
    *{
        kind
        for name, part in tuple(sys.modules.items())
        if name.startswith(f"{OCP.__name__}.")
        for kind in vars(part).values()
        if isinstance(kind, type) and issubclass(kind, Exception)
    },
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
