"""Changes to a JSON value, as RFC 6902 writes them, at places as RFC 6901 writes them.

    patched({"a": [1]}, [{"op": "add", "path": "/a/-", "value": 2}])    # {"a": [1, 2]}

All of a patch is applied or none: the value that is given stays as it is. jsonpatch and jsonpointer do it;
here is what an agent reads where they refuse: what is there instead of what it named. And here is how much a
patch may do: each copy of a copy doubles what there is, so what an operation puts in is counted before it is.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, Final

from jsonpatch import JsonPatchException, JsonPatchTestFailed, apply_patch
from jsonpointer import EndOfList, JsonPointer, JsonPointerException

from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["LARGEST", "at", "patched"]

_OPERATIONS: Final = ("add", "remove", "replace", "move", "copy", "test")
_MOST: Final = 1_000
"""Operations of one patch (docs/spec/agent_tools.md, section 12)."""
LARGEST: Final = 4 * 2**20
"""Bytes, as JSON without spaces, that a patch may leave, and that its operations may put in together."""


def patched(value: Any, patch: Sequence[Mapping[str, Any]], *, operation: str = "patch") -> Any:
    """The value with the patch applied; another one, even where nothing differs.

    A value that is larger than `LARGEST` may be made smaller.
    Raises: ServiceFailure INVALID_PARAMS for what is no patch, names a place that is not there, or tests
    for what is not so; PAYLOAD_TOO_LARGE for too many operations, and for one that puts too much in, before
    it does. Their details say which operation (``path`` is ``patch/<index>``).
    """
    if len(patch) > _MOST:
        raise _too_much("patch", _MOST, len(patch), f"it has {len(patch)} operations", operation)
    patched = copy.deepcopy(value)
    put_in = 0
    for index, step in enumerate(patch):
        try:
            put_in += _put_in_by(patched, step)
            if put_in > LARGEST:
                raise _too_much(
                    f"patch/{index}", LARGEST, put_in, f"with it {put_in} bytes are put in", operation
                )
            patched = _applied(patched, step)
        except _Wrong as wrong:
            raise _refused(f"patch/{index}", wrong.expected, str(wrong), operation) from None
    # without what is put in it cannot have grown, and measuring takes as long as patching
    if put_in and (size := _size(patched)) > LARGEST and size > _size(value):
        raise _too_much("patch", LARGEST, size, f"it leaves {size} bytes", operation)
    return patched


def at(value: Any, pointer: str, *, operation: str = "pointer") -> Any:
    """What stands at a place. Raises: ServiceFailure INVALID_PARAMS."""
    try:
        return _Pointer(pointer).resolve(value)
    except _Wrong as wrong:
        raise _refused("path", wrong.expected, str(wrong), operation) from None


class _Wrong(ValueError):
    """The message says what is wrong; expected: what should have been there."""

    def __init__(self, message: str, expected: str) -> None:
        super().__init__(message)
        self.expected = expected


class _Pointer(JsonPointer):
    """A pointer that says what is there instead."""

    def __init__(self, pointer: Any) -> None:
        if not isinstance(pointer, str) or (pointer and not pointer.startswith("/")):
            raise _Wrong(f"{pointer!r} is no JSON pointer", 'a JSON pointer: "" or "/…/…"')
        try:
            super().__init__(pointer)
        except JsonPointerException:
            raise _Wrong(f"{pointer!r} has a ~ that stands for nothing", "~0 for ~ and ~1 for /") from None

    def walk(self, doc: Any, part: str | int) -> Any:
        """See `JsonPointer.walk`. Raises: _Wrong."""
        try:
            element = super().walk(doc, part)
        except JsonPointerException:
            element = EndOfList(doc)  # no more there than behind the last element
        if not isinstance(element, EndOfList):
            return element
        if isinstance(doc, dict):
            raise _Wrong(f"there is no {part!r}", f"one of {_some(doc)}")
        if isinstance(doc, list):
            raise _no_element(part, len(doc) - 1)
        raise _Wrong(f"nothing has a {part!r} there", "an object or an array above it")


def _put_in_by(value: Any, step: Any) -> int:
    """Bytes that an operation adds at most; 0 for one that is none, which is refused when it is applied.

    Raises: _Wrong for a copy of what is not there.
    """
    if not isinstance(step, Mapping):
        return 0
    if step.get("op") == "copy":
        return _size(_Pointer(_member(step, "from")).resolve(value))
    return _size(step.get("value")) if step.get("op") in ("add", "replace") else 0


def _size(value: Any) -> int:
    """Bytes of a value as JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def _applied(value: Any, step: Mapping[str, Any]) -> Any:
    if not isinstance(step, Mapping):
        raise _Wrong("an operation is no object", "{op, path, …}")
    where, kind = _Pointer(_member(step, "path")), step.get("op")
    if kind not in _OPERATIONS:
        raise _Wrong(f"there is no operation {kind!r}", f"one of {', '.join(_OPERATIONS)}")
    source = _Pointer(_member(step, "from")) if kind in ("move", "copy") else where
    if kind == "move" and source != where and where.contains(source):
        raise _Wrong("a value cannot be moved into itself", "another place")
    if kind not in ("add", "replace"):
        source.resolve(value)
    if kind in ("add", "replace", "test"):
        _member(step, "value")
    if kind == "remove" and not where.parts:
        raise _Wrong("the whole cannot be removed", "a place inside of it")
    try:
        return apply_patch(value, [step], in_place=True, pointer_cls=_Pointer)
    except JsonPatchTestFailed:
        raise _Wrong(
            f"{step['path']} is not what the patch was made for", "the value that is tested for"
        ) from None
    except (JsonPatchException, JsonPointerException):
        inside, last = reduce(where.walk, where.parts[:-1], value), where.parts[-1]
        if isinstance(inside, dict):
            raise _Wrong(f"there is no {last!r} to replace", f"one of {_some(inside)}") from None
        if isinstance(inside, list):
            raise _no_element(last, len(inside) - (kind == "replace")) from None
        raise _Wrong(f"nothing can have a {last!r} there", "an object or an array above it") from None


def _member(step: Mapping[str, Any], name: str) -> Any:
    if name not in step:
        raise _Wrong(f"it has no {name!r}", f"{{{name}: …}}")
    return step[name]


def _no_element(token: str | int, largest: int) -> _Wrong:
    return _Wrong(f"there is no element {token!r}", f"0 to {largest}" if largest >= 0 else "no element")


def _some(value: Mapping[str, Any]) -> str:
    names = sorted(value)
    return ", ".join(names[:12]) + (" …" if len(names) > 12 else "") if names else "no names: it is empty"


def _refused(path: str, expected: str, message: str, operation: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.INVALID_PARAMS,
        f"{operation}: {path}: {message}",
        details={"path": path, "expected": expected, "operation": operation},
    )


def _too_much(path: str, limit: int, size: int, message: str, operation: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.PAYLOAD_TOO_LARGE,
        f"{operation}: {path}: {message}, and at most {limit} are allowed; nothing was changed",
        fix="patch it in several calls",
        details={"path": path, "limit": limit, "size": size, "operation": operation},
    )
