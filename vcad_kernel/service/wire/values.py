"""Values whose form on the wire is that of their fields, both ways: edges, faces, places, clearances."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from vcad_kernel.service.wire.reading import reading

__all__ = ["decode", "encode"]

T = TypeVar("T")


def encode(value: object) -> Any:
    """The JSON data of a dataclass, of a list of such, or of numbers and texts."""
    return msgspec.to_builtins(value, enc_hook=_of_numpy)


def _of_numpy(number: Any) -> Any:
    """A number that a library has given stands for what it is."""
    return number.item()


def decode(data: object, kind: type[T], what: str) -> T:
    """The value of this kind; members that it does not know are passed over.

    what: for the message. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    with reading(what):
        return msgspec.convert(data, kind)
