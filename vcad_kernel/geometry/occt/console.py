"""OpenCASCADE kept from talking: it tells the console of every transfer of a STEP file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from OCP.Message import Message, Message_Fail

__all__ = ["quiet"]


@contextmanager
def quiet() -> Iterator[None]:
    """Only failures are told within; the printers are of the whole process."""
    printers = [(printer, printer.GetTraceLevel()) for printer in Message.DefaultMessenger_s().Printers()]
    try:
        for printer, _ in printers:
            printer.SetTraceLevel(Message_Fail)
        yield
    finally:
        for printer, level in printers:
            printer.SetTraceLevel(level)
