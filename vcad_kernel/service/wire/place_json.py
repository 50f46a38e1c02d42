"""Stretches of source as JSON objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vcad_kernel.errors import Place

__all__ = ["KnownPlace", "decode", "decode_maybe", "encode", "encode_maybe"]


@dataclass(frozen=True, slots=True)
class KnownPlace:
    """A site whose place is known already."""

    known: Place

    def place(self) -> Place | None:
        """The stretch of source."""
        return self.known


def encode(place: Place) -> dict[str, Any]:
    """The object of a place."""
    return {
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "text": place.text,
    }


def decode(data: Mapping[str, Any]) -> Place:
    """The place of an object; without the text of its line, where that was left out."""
    return Place(
        data["file"],
        data["line"],
        data["column"],
        data["end_line"],
        data["end_column"],
        data.get("text") or "",
    )


def encode_maybe(place: Place | None) -> dict[str, Any] | None:
    """As `encode`; None stays None."""
    return None if place is None else encode(place)


def decode_maybe(data: Mapping[str, Any] | None) -> Place | None:
    """As `decode`; None stays None."""
    return None if data is None else decode(data)
