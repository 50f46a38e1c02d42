"""What an evaluated cell has left behind, whether it succeeded or failed.

A cell that fails keeps what it had defined by then. The service says so in the details of the error, where
only the client wants it: it is taken out, so that the error is the one that the cell had.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vcad_kernel.errors import VcadError

if TYPE_CHECKING:
    from vcad_kernel.service.protocol import Definition

__all__ = ["LeftBehind"]


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """The outcome of a cell besides its value."""

    ran: bool
    """Whether it is part of the history; one that was stopped from outside is not."""
    stdout: str = ""
    defined: frozenset[str] = frozenset()
    """The names that its text has bound."""
    definitions: Mapping[str, Definition] = field(default_factory=dict)
    """All that cells have defined by now."""
    obsolete: tuple[int, ...] = ()
    """The entries of its history, itself at the end, that matter no more."""

    @classmethod
    def of_result(cls, fields: Mapping[str, Any]) -> LeftBehind:
        """Of a cell that succeeded. Raises: ServiceFailure of SCHEMA_VALIDATION_FAILED."""
        from vcad_kernel.service.wire import definitions_json

        return cls(
            True,
            str(fields.get("stdout") or ""),
            frozenset(fields.get("defined") or ()),
            definitions_json.decode(fields.get("definitions") or ()),
            tuple(fields.get("obsolete") or ()),
        )

    @classmethod
    def taken_from(cls, error: VcadError) -> LeftBehind:
        """Of a cell that failed; the error no longer speaks of it.

        Raises: ServiceFailure of SCHEMA_VALIDATION_FAILED.
        """
        said = {name: error.details.pop(name) for name in _SAID if name in error.details}
        if "defined" in said:
            return cls.of_result(said)
        return cls(False, str(said.get("stdout") or ""))


_SAID = ("stdout", "defined", "definitions", "obsolete")
