"""Changes to a JSON value, as RFC 6902 writes them, at places as RFC 6901 writes them.

    patched({"a": [1]}, [{"op": "add", "path": "/a/-", "value": 2}])    # {"a": [1, 2]}

All of a patch is applied or none: the value that is given stays as it is. Knows nothing of what it says.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["OPERATIONS", "at", "patched", "tokens"]

OPERATIONS: Final = ("add", "remove", "replace", "move", "copy", "test")
_MOST: Final = 10_000
"""Operations of one patch."""
_NO_ESCAPE: Final = re.compile(r"~(?![01])")


def patched(value: Any, patch: Sequence[Mapping[str, Any]], *, operation: str = "patch") -> Any:
    """The value with the patch applied; another one, even where nothing differs.

    Raises: ServiceFailure INVALID_PARAMS for what is no patch, names a place that is not there, or tests
    for what is not so; its details say which operation (``path`` is ``patch/<index>``).
    """
    if len(patch) > _MOST:
        raise _refused("patch", f"at most {_MOST} operations", "the patch is too long", operation)
    found = copy.deepcopy(value)
    for index, one in enumerate(patch):
        try:
            found = _applied(found, one)
        except _Wrong as wrong:
            raise _refused(f"patch/{index}", wrong.expected, str(wrong), operation) from None
    return found


def at(value: Any, pointer: str, *, operation: str = "pointer") -> Any:
    """What stands at a place. Raises: ServiceFailure INVALID_PARAMS."""
    try:
        for token in tokens(pointer):
            value = _step(value, token)
    except _Wrong as wrong:
        raise _refused("path", wrong.expected, str(wrong), operation) from None
    return value


def tokens(pointer: str) -> list[str]:
    """The steps of a JSON pointer; of the empty one none. Raises: ValueError for what is none."""
    if not isinstance(pointer, str) or (pointer and not pointer.startswith("/")):
        raise _Wrong(f"{pointer!r} is no JSON pointer", 'a JSON pointer: "" or "/…/…"')
    if _NO_ESCAPE.search(pointer):
        raise _Wrong(f"{pointer!r} has a ~ that stands for nothing", "~0 for ~ and ~1 for /")
    return [one.replace("~1", "/").replace("~0", "~") for one in pointer.split("/")[1:]]


class _Wrong(ValueError):
    """The message says what is wrong; expected: what should have been there."""

    def __init__(self, said: str, expected: str) -> None:
        super().__init__(said)
        self.expected = expected


def _applied(value: Any, one: Mapping[str, Any]) -> Any:
    if not isinstance(one, Mapping):
        raise _Wrong("an operation is no object", "{op, path, …}")
    kind, where = one.get("op"), tokens(_member(one, "path"))
    if kind == "add":
        return _put(value, where, copy.deepcopy(_member(one, "value")), new=True)
    if kind == "replace":
        return _put(value, where, copy.deepcopy(_member(one, "value")), new=False)
    if kind == "remove":
        return _without(value, where)
    if kind == "test":
        if not _equal(_found(value, where), _member(one, "value")):
            raise _Wrong(f"{one['path']} is not what the patch was made for", "the value that is tested for")
        return value
    if kind == "copy":
        return _put(value, where, copy.deepcopy(_found(value, tokens(_member(one, "from")))), new=True)
    if kind == "move":
        source = tokens(_member(one, "from"))
        if where[: len(source)] == source and len(where) > len(source):
            raise _Wrong("a value cannot be moved into itself", "another place")
        moved = _found(value, source)
        return value if source == where else _put(_without(value, source), where, moved, new=True)
    raise _Wrong(f"there is no operation {kind!r}", f"one of {', '.join(OPERATIONS)}")


def _member(one: Mapping[str, Any], name: str) -> Any:
    if name not in one:
        raise _Wrong(f"it has no {name!r}", f"{{{name}: …}}")
    return one[name]


def _found(value: Any, where: Sequence[str]) -> Any:
    for token in where:
        value = _step(value, token)
    return value


def _step(value: Any, token: str) -> Any:
    if isinstance(value, dict):
        if token not in value:
            raise _Wrong(f"there is no {token!r}", f"one of {_some(value)}")
        return value[token]
    if isinstance(value, list):
        return value[_index(token, len(value) - 1)]
    raise _Wrong(f"nothing has a {token!r} there", "an object or an array above it")


def _put(value: Any, where: Sequence[str], given: Any, *, new: bool) -> Any:
    if not where:
        return given
    inside, last = _found(value, where[:-1]), where[-1]
    if isinstance(inside, dict):
        if not new and last not in inside:
            raise _Wrong(f"there is no {last!r} to replace", f"one of {_some(inside)}")
        inside[last] = given
    elif isinstance(inside, list):
        if new:
            inside.insert(len(inside) if last == "-" else _index(last, len(inside)), given)
        else:
            inside[_index(last, len(inside) - 1)] = given
    else:
        raise _Wrong(f"nothing can have a {last!r} there", "an object or an array above it")
    return value


def _without(value: Any, where: Sequence[str]) -> Any:
    if not where:
        raise _Wrong("the whole cannot be removed", "a place inside of it")
    inside, last = _found(value, where[:-1]), where[-1]
    _step(inside, last)
    if isinstance(inside, dict):
        del inside[last]
    else:
        del inside[int(last)]
    return value


def _index(token: str, largest: int) -> int:
    plain = token.isascii() and token.isdigit() and (token == "0" or not token.startswith("0"))
    if not plain or len(token) > 9 or int(token) > largest:
        raise _Wrong(f"there is no element {token!r}", f"0 to {largest}" if largest >= 0 else "no element")
    return int(token)


def _equal(a: Any, b: Any) -> bool:
    """As JSON has it: 1 and 1.0 are equal, 1 and true are not."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_equal, a, b))
    return bool(a == b)


def _some(value: Mapping[str, Any]) -> str:
    names = sorted(value)
    return ", ".join(names[:12]) + (" …" if len(names) > 12 else "") if names else "no names: it is empty"


def _refused(path: str, expected: str, said: str, operation: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.INVALID_PARAMS,
        f"{operation}: {path}: {said}",
        details={"path": path, "expected": expected, "operation": operation},
    )
