"""Values whose form on the wire is that of their fields, both ways: edges, faces, places, clearances."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec

from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["decode", "encode", "reading"]


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


T = TypeVar("T")


def encode(value: object) -> Any:
    """The JSON data of a struct or dataclass, of what holds such, or of numbers and texts."""
    return msgspec.to_builtins(value, str_keys=True, enc_hook=_of_numpy)


def _of_numpy(number: Any) -> Any:
    """A number that a library has given stands for what it is."""
    return number.item()


def decode(data: object, kind: type[T], what: str) -> T:
    """The value of this kind, which data that is one already remains; unknown members are passed over.

    what: for the message. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    with reading(what):
        return msgspec.convert(data, kind, str_keys=True)
