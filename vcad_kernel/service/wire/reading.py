"""How a form that makes no sense is refused: in one way, wherever it was noticed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["reading"]


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Around the reading of a form that was checked against no more than its schema.

    what: what is read, for the message and its ``path``.
    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED in place of what the reading tripped over.
    """
    try:
        yield
    except (
        KeyError,
        IndexError,
        TypeError,
        ValueError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as tripped:
        raise ServiceFailure(
            ErrorCode.SCHEMA_VALIDATION_FAILED,
            f"{what} cannot be read: {type(tripped).__name__} {tripped}",
            details={"path": what, "expected": f"a well-formed {what}"},
        ) from tripped
