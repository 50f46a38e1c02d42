"""Every failure a user can meet, as one tree.

    VcadError
      LoonError             the user's program, always with a place when one is known
        LoonSyntaxError       E0100-E0103 and other faults found before anything runs
        LoonNameError         a name that is not bound
        LoonTypeError         wrong kind of value, wrong number of arguments, not callable
        LoonRuntimeError      everything else that stops a running program
      GeometryError         the model: GEOMETRY_INVALID (bad input) or GEOMETRY_FAILED (could not be built)
      SceneError            NO_GEOMETRY, EMPTY_BODY, MULTI_PART_UNSUPPORTED
      CapabilityUnavailable something this build or kernel cannot do
      ExportError           a file that could not be written, or a suffix without a writer
      PathRefused           PATH_NOT_ALLOWED: a file outside the workspace, or what is no file
      FileMissing           FILE_NOT_FOUND: a file that is not there or may not be read
      FileTooLarge          PAYLOAD_TOO_LARGE: a file of more bytes than are read
      Cancelled             the user stopped it
      ServiceFailure        any other code: what a service, a connection or a peer reports

Our own mistakes are ordinary Python exceptions and keep their traceback; they are never dressed
up as the user's. This module knows text positions only as :class:`Place`: where a place comes
from is the reader's business. The wire form is built in `error_envelope.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from vcad_kernel.error_codes import ErrorCode

__all__ = [
    "Cancelled",
    "CapabilityUnavailable",
    "ErrorCode",
    "ExportError",
    "FileMissing",
    "FileTooLarge",
    "GeometryError",
    "LoonError",
    "LoonNameError",
    "LoonRuntimeError",
    "LoonSyntaxError",
    "LoonTypeError",
    "PathRefused",
    "Place",
    "SceneError",
    "ServiceFailure",
    "Site",
    "StackEntry",
    "VcadError",
    "candidate_lines",
]


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of source text, for people: lines and columns are 1-based, the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str = ""
    """The whole first source line, without its newline."""

    def caret(self) -> str:
        """The source line with a caret line under the stretch, both with a line-number gutter."""
        gutter = f"{self.line} | "
        shown = self.text.replace("\t", " ")
        stop = self.end_column if self.end_line == self.line else len(shown) + 1
        width = max(1, min(stop, len(shown) + 1) - self.column)
        margin = " " * (len(gutter) - 2) + "| "
        return f"{gutter}{shown}\n{margin}{' ' * (self.column - 1)}{'^' * width}"


class Site(Protocol):
    """Something that can say, when asked, where in the source it stands.

    Values and document nodes carry sites rather than places: making one costs next to nothing,
    and only errors, profiles and provenance ever ask.
    """

    def place(self) -> Place | None:
        """The stretch of source, or None when the text is gone."""


@dataclass(frozen=True, slots=True)
class StackEntry:
    """One active Loon call when an error rose; ``place`` is where that call was made or failed."""

    name: str
    place: Place | None


class VcadError(Exception):
    """Base of all failures that are the user's or the environment's, not ours.

    ``code`` is the fine code (``E0201``, ``INVALID_PARAMETER``, ``index`` …), ``error_code`` the
    coarse one of the wire contract.
    """

    error_code: str = ErrorCode.LOON_RUNTIME

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        place: Place | None = None,
        why: str | None = None,
        fix: str | None = None,
        details: Mapping[str, Any] | None = None,
        stack: tuple[StackEntry, ...] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code if code is not None else str(self.error_code)
        self.place = place
        self.why = why
        self.fix = fix
        self.details: dict[str, Any] = dict(details or {})
        self.stack = stack

    @property
    def shown_code(self) -> str:
        """The code that people see, which has a lesson.

        The wire says ARITY_MISMATCH and TYPE_MISMATCH of calls of the CAD library (spec/cad.md §4); the
        checker says E0202 and E0200 of the same mistakes, and so does what a person reads.
        """
        return _SHOWN.get(self.code, self.code)

    def render(self) -> str:
        """The error as people see it: code, sentence, place with caret, why, fix, what fails, calls."""
        lines = [f"[{self.shown_code}] {self.message}"]
        if self.place is not None:
            lines.append(f"  --> {self.place.file}:{self.place.line}:{self.place.column}")
            lines.extend("  " + line for line in self.place.caret().split("\n"))
        if self.why:
            lines.append(f"  why: {self.why}")
        if self.fix:
            lines.append(f"  fix: {self.fix}")
        lines.extend(_failing_lines(self.details))
        if self.stack:
            lines.append("  calls:")
            lines.extend(_stack_lines(self.stack))
        return "\n".join(lines)


_SHOWN: Final = {"ARITY_MISMATCH": "E0202", "TYPE_MISMATCH": "E0200"}


def _failing_lines(details: Mapping[str, Any], shown: int = 5) -> list[str]:
    """The edges or faces that a feature fails at, and those that there were to choose from, as the details
    number and place them."""
    lines = []
    for kind in _MEASURES:
        failing = details.get(f"failing_{kind}s") or ()
        lines += [f"  at: {_described(kind, item)}" for item in failing[:shown]]
        more = details.get(f"failing_{kind}_count", len(failing)) - len(failing[:shown])
        if more > 0:
            lines.append(f"  at: {more} more {kind}{'' if more == 1 else 's'}")
    return [*lines, *(f"  there: {line}" for line in candidate_lines(details))]


def candidate_lines(details: Mapping[str, Any]) -> list[str]:
    """What there was to choose from, in words: ``edge 3, line of 5 mm at (0, 10, 2.5)``; ``and 2 more``."""
    lines = [_described(kind, item) for kind in _MEASURES for item in details.get(f"candidate_{kind}s") or ()]
    more = details.get("candidate_count", 0) - len(lines)
    return [*lines, f"and {more} more"] if lines and more > 0 else lines


_MEASURES: Final = {"edge": ("length", "mm"), "face": ("area", "mm²")}


def _described(kind: str, item: Mapping[str, Any]) -> str:
    """An edge or a face of an error's details in words."""
    size, unit = _MEASURES[kind]
    middle = ", ".join(f"{part + 0.0:.4g}" for part in item["middle"])
    radius = f", radius {item['radius']:.4g}" if "radius" in item else ""
    return f"{kind} {item['id']}, {item['kind']} of {item[size]:.4g} {unit}{radius} at ({middle})"


def _stack_lines(stack: tuple[StackEntry, ...], shown: int = 5) -> list[str]:
    """Innermost call last; a long middle is folded so that runaway recursion stays readable."""
    lines = [
        f"    {entry.name}" + (f"  at {entry.place.file}:{entry.place.line}" if entry.place else "")
        for entry in stack
    ]
    if len(lines) > 2 * shown:
        folded = len(lines) - 2 * shown
        lines[shown:-shown] = [f"    … {folded} more calls …"]
    return lines


class LoonError(VcadError):
    """A fault in the user's program."""


class LoonSyntaxError(LoonError):
    """Text that cannot be read or expanded; nothing has run."""

    error_code = ErrorCode.LOON_SYNTAX


class LoonNameError(LoonError):
    """A name that is not bound."""

    error_code = ErrorCode.LOON_RUNTIME


class LoonTypeError(LoonError):
    """Wrong kind of value, wrong number of arguments, or a call of something that is no function."""

    error_code = ErrorCode.LOON_TYPE


class LoonRuntimeError(LoonError):
    """Any other failure of a running program."""

    error_code = ErrorCode.LOON_RUNTIME


class GeometryError(VcadError):
    """The model is wrong (``failed=False``) or could not be built (``failed=True``).

    ``operation`` is the CAD function as the user writes it, ``argument`` the parameter's name.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        operation: str | None = None,
        argument: str | None = None,
        node_id: int | None = None,
        failed: bool = False,
        place: Place | None = None,
        why: str | None = None,
        fix: str | None = None,
        details: Mapping[str, Any] | None = None,
        stack: tuple[StackEntry, ...] = (),
    ) -> None:
        super().__init__(message, code=code, place=place, why=why, fix=fix, details=details, stack=stack)
        self.operation = operation
        self.argument = argument
        self.node_id = node_id
        self.failed = failed
        self.error_code = ErrorCode.GEOMETRY_FAILED if failed else ErrorCode.GEOMETRY_INVALID


class SceneError(VcadError):
    """A value with no part, or with more parts than the caller can take."""

    def __init__(self, message: str, *, code: ErrorCode, count: int, fix: str | None = None) -> None:
        super().__init__(message, code=str(code), fix=fix, details={"count": count})
        self.error_code = code


class CapabilityUnavailable(VcadError):
    """Asked for something that this build cannot do; ``details.required_capability`` names it.

    ``details.negotiated_capabilities`` are those that the two ends of a connection have agreed upon;
    without a connection there are none.
    """

    error_code = ErrorCode.CAPABILITY_UNAVAILABLE

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        place: Place | None = None,
        why: str | None = None,
        fix: str | None = None,
        details: Mapping[str, Any] | None = None,
        stack: tuple[StackEntry, ...] = (),
    ) -> None:
        agreed = {"negotiated_capabilities": [], **(details or {})}
        super().__init__(message, code=code, place=place, why=why, fix=fix, details=agreed, stack=stack)


class ExportError(VcadError):
    """A file that could not be written."""

    error_code = ErrorCode.EXPORT_FAILED


class PathRefused(VcadError):
    """A path that leads out of the workspace or to no ordinary file; ``details`` has path and workspace."""

    error_code = ErrorCode.PATH_NOT_ALLOWED


class FileMissing(VcadError):
    """A file that is not there or may not be read."""

    error_code = ErrorCode.FILE_NOT_FOUND


class FileTooLarge(VcadError):
    """A file of more bytes than are read; ``details`` has limit and size."""

    error_code = ErrorCode.PAYLOAD_TOO_LARGE


class Cancelled(VcadError):
    """The evaluation was stopped by its owner."""

    error_code = ErrorCode.EVAL_CANCELLED


class ServiceFailure(VcadError):
    """A failure of a code that has no class of its own: of a service, a connection, a peer.

    error_code: usually an :class:`ErrorCode`; a peer's that we do not know is kept as it came.
    """

    def __init__(
        self,
        error_code: str,
        message: str,
        *,
        code: str | None = None,
        place: Place | None = None,
        why: str | None = None,
        fix: str | None = None,
        details: Mapping[str, Any] | None = None,
        stack: tuple[StackEntry, ...] = (),
    ) -> None:
        self.error_code = error_code
        super().__init__(message, code=code, place=place, why=why, fix=fix, details=details, stack=stack)
