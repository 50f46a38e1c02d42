"""The one builder of the wire form of a failure, ``{error_code, message, details}``, and its reader.

    envelope(error, "vcad.eval_code")     what leaves; error_from(...) gives the same error back
    passed_on(report, "vcad.eval_code")   an envelope of another process, checked and otherwise kept
    internal_error(bug, "vcad.export")    a mistake of ours, without what only our log may hold

Programs read ``error_code`` and ``details`` alone. Besides what a code demands (`error_codes.py`) the
details carry all that people are shown, so that an error reads the same on both sides of a wire:

    code            the fine code
    file, line, column, end_line, end_column, text
                    the place, with its source line; null where there is none
    why, fix        as of the error
    stack           calls, outermost first, each {name, file, …, text}; a number stands for the entry at
                    that index of the list
    error_class     the class, where the code is that of several

These names, and ``argument`` and ``node_id`` of a geometry error, belong to the error's own fields; other
details of it must have other names.
"""

from __future__ import annotations

import logging
import math
import traceback
from collections.abc import Mapping
from typing import Any, Final, SupportsIndex

from msgspec import to_builtins

from vcad_kernel import errors
from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.errors import GeometryError, Place, SceneError, ServiceFailure, StackEntry, VcadError

__all__ = ["envelope", "error_from", "internal_error", "passed_on"]

_LOG = logging.getLogger(__name__)

_NUMBERS: Final = ("line", "column", "end_line", "end_column")
_TEXTS: Final = ("code", "file", "text", "why", "fix", "error_class")
_UNPLACED: Final = frozenset(
    {
        ErrorCode.LOON_SYNTAX,
        ErrorCode.LOON_TYPE,
        ErrorCode.LOON_RUNTIME,
        ErrorCode.GEOMETRY_INVALID,
        ErrorCode.GEOMETRY_FAILED,
        ErrorCode.IMPORT_FORM_INVALID,
    }
)
"""Codes that name a place, and null where there is none: a document need not come from a text."""

_FEATURES: Final = frozenset(
    {"FILLET_FAILED", "CHAMFER_FAILED", "SHELL_FAILED", "OFFSET_FAILED", "DRAFT_FAILED"}
)
"""Fine codes of features that have a size: they say which one would work, and what stands in the way."""

_CLASSES: Final[Mapping[str, type[VcadError]]] = {
    name: cls
    for name in errors.__all__
    if isinstance(cls := getattr(errors, name), type) and issubclass(cls, VcadError)
}
_OWN_FORM: Final = (GeometryError, SceneError, ServiceFailure)
"""Classes that take more than the others, or other things, to be made."""

_USUAL: Final[Mapping[str, type[VcadError]]] = {
    **{
        cls.error_code: cls for cls in _CLASSES.values() if "error_code" in vars(cls) and cls is not VcadError
    },
    ErrorCode.LOON_RUNTIME: errors.LoonRuntimeError,
    ErrorCode.GEOMETRY_INVALID: GeometryError,
    ErrorCode.GEOMETRY_FAILED: GeometryError,
    **{code: SceneError for code in ErrorCode if "count" in code.required},
}
"""The class that a code means by default."""


def envelope(error: VcadError, operation: str) -> dict[str, Any]:
    """The wire form ``{error_code, message, details}`` of an error.

    operation: the call that failed, used where the error does not name one itself.
    An error that lacks what its code demands leaves as SCHEMA_VALIDATION_FAILED and says so.
    """
    details: dict[str, Any] = {**error.details, "code": error.code}
    if isinstance(error, GeometryError):
        details["operation"] = error.operation or error.details.get("operation")
        details["argument"] = error.argument
        if error.node_id is not None:
            details["node_id"] = int(error.node_id)
    if error.place is not None:
        details.update(to_builtins(error.place))
    elif error.error_code in _UNPLACED:
        details.update({key: details.get(key) for key in ("file", *_NUMBERS)})
    details.update({key: text for key, text in (("why", error.why), ("fix", error.fix)) if text is not None})
    if error.stack:
        details["stack"] = _folded(error.stack)
    if (named := _class_of(error)) is not _USUAL.get(error.error_code, ServiceFailure):
        details["error_class"] = named.__name__
    details.update(_about_feature(error.error_code, details))
    report = {"error_code": str(error.error_code), "message": error.message, "details": details}
    return passed_on(report, operation)


def passed_on(reported: object, operation: str) -> dict[str, Any]:
    """An envelope as it may leave: with its ``operation``, and otherwise as it came.

    What is no envelope, or breaks the contract of its code, becomes SCHEMA_VALIDATION_FAILED; details then
    hold ``reported``, the code and message that it had.
    """
    try:
        return _checked(reported, operation)
    except Unfit as unfit:
        return _broken(reported, unfit, operation)


def error_from(reported: object, operation: str = "unknown") -> VcadError:
    """The error that an envelope describes: the same class, code, message, place, details and calls.

    operation: what was asked for, should the envelope not say it. ``details["operation"]`` stays, so that
    the error keeps it when it is passed on.
    """
    checked = passed_on(reported, operation)
    error_code, details = checked["error_code"], {**checked["details"]}
    for key, value in _about_feature(error_code, details).items():
        if details.get(key) == value:
            del details[key]  # it follows from the rest
    fields = {
        "code": details.pop("code", None),
        "place": _place_from(details),
        "why": details.pop("why", None),
        "fix": details.pop("fix", None),
        "stack": _unfolded(details.pop("stack", [])),
    }
    made = _CLASSES.get(details.pop("error_class", ""), _USUAL.get(error_code, ServiceFailure))
    return _made(made, error_code, checked["message"], fields, from_wire(details))


def internal_error(bug: BaseException, operation: str) -> dict[str, Any]:
    """The envelope of a mistake of ours; its traceback goes to the log, and nowhere else.

    The message names the exception's class and the line of our source; what the exception says may
    hold anything, paths of this machine for one, and stays in the log.
    """
    where = _line_of_ours(bug)
    kind = type(bug).__name__
    _LOG.error("internal error in %s: %s at %s", operation, kind, where, exc_info=bug)
    return {
        "error_code": str(ErrorCode.INTERNAL_ERROR),
        "message": f"internal error: {kind} at {where}; the service's log has the details",
        "details": {"operation": operation, "exception": kind, "where": where},
    }


def _line_of_ours(bug: BaseException) -> str:
    """Module and line of the innermost frame that is in this package; else of the innermost frame."""
    where = "an unknown place"
    for frame, line in traceback.walk_tb(bug.__traceback__):
        module = str(frame.f_globals.get("__name__", ""))
        if module.startswith("vcad_kernel") or not where.startswith("vcad_kernel"):
            where = f"{module}:{line}"
    return where


def _checked(reported: object, operation: str) -> dict[str, Any]:
    if not isinstance(reported, Mapping):
        raise Unfit("", "an object")
    error_code, message, details = (reported.get(key) for key in ("error_code", "message", "details"))
    if not isinstance(error_code, str) or not error_code:
        raise Unfit("error_code", "a text")
    if not isinstance(message, str):
        raise Unfit("message", "a text")
    if not isinstance(details, Mapping):
        raise Unfit("details", "an object")
    wired = to_wire({**details, "operation": details.get("operation") or operation}, "details")
    # a code of a newer peer has no contract here but to name its operation
    known = ErrorCode(error_code) if error_code in _KNOWN else None
    required = ("operation",) if known is None else known.required
    for key in required:
        if key not in wired:
            raise Unfit(f"details.{key}", f"present, as {error_code} requires")
    alternatives = () if known is None else known.one_of
    if alternatives and not any(key in wired for key in alternatives):
        raise Unfit(f"details.{alternatives[0]}", f"present, or another of {', '.join(alternatives)}")
    _check_fields(wired, "details")
    _unfolded(wired.get("stack", []))
    return {"error_code": str(error_code), "message": message, "details": wired}


_KNOWN: Final = frozenset(str(code) for code in ErrorCode)


def _check_fields(fields: Mapping[str, Any], path: str) -> None:
    """That places and texts are what they must be."""
    for key in _TEXTS:
        if not isinstance(fields.get(key), str | None):
            raise Unfit(f"{path}.{key}", "a text or null")
    for key in _NUMBERS:
        if type(fields.get(key)) not in (int, type(None)):
            raise Unfit(f"{path}.{key}", "a whole number or null")
    if not isinstance(fields.get("operation", ""), str):
        raise Unfit(f"{path}.operation", "a text")


def _broken(received: object, unfit: Unfit, operation: str) -> dict[str, Any]:
    """The envelope in place of one that breaks its contract; what it did say is kept."""
    given = received if isinstance(received, Mapping) else {}
    reported = {
        key: given[key] for key in ("error_code", "message") if isinstance(given.get(key), str) and given[key]
    }
    reason = f"; it was {': '.join(reported.values())}" if reported else ""
    where = unfit.path or "its root"
    return {
        "error_code": str(ErrorCode.SCHEMA_VALIDATION_FAILED),
        "message": f"an error broke its contract: {where} must be {unfit.expected}{reason}",
        "details": {
            "path": unfit.path,
            "expected": unfit.expected,
            "operation": operation,
            "code": str(ErrorCode.SCHEMA_VALIDATION_FAILED),
            "reported": reported,
        },
    }


def _class_of(error: VcadError) -> type[VcadError]:
    """The nearest class of the tree that both sides know."""
    return next(made for made in type(error).__mro__ if _CLASSES.get(made.__name__) is made)


def _about_feature(error_code: str, details: Mapping[str, Any]) -> dict[str, Any]:
    """What a failed feature must say, from what the geometry has noted: empty for all other failures."""
    if error_code != ErrorCode.GEOMETRY_FAILED:
        return {}
    if "largest_working" not in details and details.get("code") not in _FEATURES:
        return {}
    faulty = [
        {"what": what, **item}
        for what in ("edge", "face")
        for item in details.get(f"failing_{what}s") or ()
        if isinstance(item, Mapping)
    ]
    return {"largest_possible": details.get("largest_working"), "faulty": faulty}


def _place_from(details: dict[str, Any]) -> Place | None:
    """Take the place out of some details; a file without lines is no place and stays where it is."""
    if details.get("file") is None or any(details.get(key) is None for key in _NUMBERS):
        for key in ("file", *_NUMBERS):
            if key in details and details[key] is None:
                del details[key]
        return None
    file, text = details.pop("file"), details.pop("text", None)
    line, column, end_line, end_column = (details.pop(key) for key in _NUMBERS)
    return Place(file, line, column, end_line, end_column, text or "")


def _folded(stack: tuple[StackEntry, ...]) -> list[dict[str, Any] | int]:
    """Each call once: a runaway recursion has ten thousand, and few that differ."""
    seen: dict[StackEntry, int] = {}
    folded: list[dict[str, Any] | int] = []
    for index, entry in enumerate(stack):
        if entry in seen:
            folded.append(seen[entry])
            continue
        seen[entry] = index
        folded.append({"name": entry.name, **({} if entry.place is None else to_builtins(entry.place))})
    return folded


def _unfolded(folded: object) -> tuple[StackEntry, ...]:
    """Raises: Unfit."""
    if not isinstance(folded, list):
        raise Unfit("details.stack", "a list")
    entries: list[StackEntry] = []
    for index, entry in enumerate(folded):
        path = f"details.stack[{index}]"
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            _check_fields(entry, path)
            entries.append(StackEntry(entry["name"], _place_from({**entry})))
        elif type(entry) is int and 0 <= entry < index:
            entries.append(entries[entry])
        else:
            raise Unfit(path, "a call with a name, or the number of an earlier one")
    return tuple(entries)


def _made(
    made: type[VcadError], error_code: str, message: str, fields: dict[str, Any], details: dict[str, Any]
) -> VcadError:
    """An error of a class, if that class can have the code; else one that keeps the code as it is."""
    own = _USUAL.get(error_code) is made
    if made is GeometryError and own:
        argument, node_id = details.pop("argument", None), details.pop("node_id", None)
        return GeometryError(
            message,
            **{**fields, "code": fields["code"] or error_code},
            operation=details.pop("operation"),
            argument=argument,
            node_id=node_id,
            failed=error_code == ErrorCode.GEOMETRY_FAILED,
            details=details,
        )
    if made is SceneError and own and isinstance(details["count"], int):
        scene = SceneError(message, code=ErrorCode(error_code), count=details["count"], fix=fields["fix"])
        scene.code = fields["code"] or error_code
        scene.place, scene.why, scene.stack = fields["place"], fields["why"], fields["stack"]
        scene.details = details
        return scene
    if made in _OWN_FORM or made.error_code != error_code:
        return ServiceFailure(error_code, message, details=details, **fields)
    error = made(message, details=details, **fields)
    error.details = details
    return error


# ---- values of an error's details as JSON has them -------------------------------------------
# Numbers, texts, truth values, null, lists and objects with text keys pass; tuples become lists, and a number
# that JSON lacks becomes ``{"$float": "nan"}``, as in values on the wire. By hand, since a detail may be
# anything and must be checked, with its path, before it leaves. Knows neither errors nor codes.


_DEEPEST: Final = 64
"""Lists and objects within each other; what is deeper is no detail, and readers have limits of their own."""

_UNSAID: Final = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class Unfit(ValueError):
    """Something that cannot stand where it stands; ``path`` says where, ``expected`` what must be there."""

    def __init__(self, path: str, expected: str) -> None:
        super().__init__(f"{path or 'it'} must be {expected}")
        self.path = path
        self.expected = expected


def to_wire(details: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Details as JSON has them.

    path: what they are called in a complaint.
    Raises: Unfit.
    """
    wired = _wired(details, path, 0)
    assert isinstance(wired, dict)
    return wired


def from_wire(details: Mapping[str, Any]) -> dict[str, Any]:
    """Details with the numbers that JSON lacks; lists stay lists."""
    return {key: _unwired(value) for key, value in details.items()}


def _wired(value: object, path: str, depth: int) -> object:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        number = float(value)
        return number if math.isfinite(number) else {"$float": repr(number)}
    if isinstance(value, SupportsIndex):
        return value.__index__()
    if depth >= _DEEPEST:
        raise Unfit(path, f"no deeper than {_DEEPEST} levels")
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise Unfit(path, "an object with texts as keys")
        return {str(key): _wired(item, f"{path}.{key}", depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_wired(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(value)]
    raise Unfit(path, f"a JSON value, not a {type(value).__name__}")


def _unwired(value: Any) -> Any:
    if isinstance(value, list):
        return [_unwired(item) for item in value]
    if isinstance(value, dict):
        if value.keys() == {"$float"} and value["$float"] in _UNSAID:
            return _UNSAID[value["$float"]]
        return {key: _unwired(item) for key, item in value.items()}
    return value
