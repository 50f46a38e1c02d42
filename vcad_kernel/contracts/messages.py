"""What travels between a session and the evaluation service, as plain typed data.

The Python form of the fields of the service's contract that carry no geometry. Imports nothing
of ours, so that either side of any wire may use it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["CacheCount", "CellSource", "Timings", "source_hash"]


def source_hash(source: str) -> str:
    """Name of a text: the same text always has the same one, on every machine."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class CellSource:
    """One cell that has been run: enough to run it again when the worker that had it is gone."""

    cell_id: str
    """Who it is: a cell that is run again keeps its id and replaces what it defined."""
    source: str
    name: str = ""
    """What its errors call it; the cell id where empty."""
    bindings: Mapping[str, Any] = field(default_factory=dict)
    """Python values that the cell was given: numbers, strings, booleans, lists, dicts."""
    bind: str | None = None
    """Name that the cell's value gets for later cells, unless the cell itself defines it or Loon has it."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Values in place of the defaults of parameters that the cell declares."""

    @property
    def hash(self) -> str:
        """Hash of text, bindings, parameters and name: equal when running it again would do the same."""
        given = "".join(f"\0{name}={value!r}" for name, value in sorted(self.bindings.items()))
        given += "".join(f"\0\0{name}={value!r}" for name, value in sorted(self.parameters.items()))
        return source_hash(f"{self.source}{given}\0{self.bind or ''}")

    @property
    def title(self) -> str:
        """What errors call the cell."""
        return self.name or self.cell_id


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds spent in each stage of one evaluation."""

    read: float = 0.0
    expand: float = 0.0
    check: float = 0.0
    compile: float = 0.0
    run: float = 0.0
    convert: float = 0.0
    geometry: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class CacheCount:
    """How much of an evaluation was already known."""

    hits: int = 0
    misses: int = 0
