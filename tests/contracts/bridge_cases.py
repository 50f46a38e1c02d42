"""Scripted conversations with the bridge, told once in JSON and held against it by pytest and by minitest.

A file in ``bridge/`` has ``cases``; a case has a name, the ``rules`` of bridge.md that it holds the bridge
to, and ``steps``. Before the first step there is an empty model and one connection, ``a``, which has said
hello with the workspace as its folder (``"hello": false``: it has said nothing). ``files`` are copied from
``bridge/files`` into the workspace; ``server`` may have a ``token`` and ``allow_eval``. Each step has one
of these keys, and may have ``on``, the connection it is about:

    send            this value as one line
    raw             text as it is; in a list, {"repeat": text, "times": n} stands for itself many times
    raw_hex         bytes
    expect          the next line is JSON that fits this pattern (``times``: so many lines)
    silent          nothing has been sent: the next line answers a ping that is sent now
    closed          the other side has hung up, and said nothing more
    hello           say hello, with these parameters changed; it succeeds
    hello_params    the same, answered with the patterns ``result`` or ``error``
    call            a tool, with ``arguments`` and ``request_id``; answered with ``result`` or ``error``
    connect         a new connection of this name
    crowd           so many further connections; the last is named ``crowd``

Patterns: an object needs the keys that it names, an array the same elements, anything else to be equal.
``$any``, ``$string``, ``$text`` (not empty), ``$integer``, ``$number``, ``$boolean``, ``$object``, ``$array``
and ``$match:regex`` stand for values; ``$kept:name`` for what an earlier ``{"$keep": name}`` met, in what is
sent as well. ``{"$near": value}`` is a number, or numbers, up to 0.001; ``$has`` elements in any order,
``$each`` a pattern of all elements, ``$length`` their number, ``$without`` keys that must not be there,
``{"$not": value}`` anything else.
In texts ``{workspace}`` is the connection's folder and ``{outside}`` one beside it.

This module knows the stories, not the wire: who plays them has the sockets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["FILES", "FOLDER", "Case", "Script", "cases", "mismatch", "raw_bytes"]

FOLDER = Path(__file__).parent / "bridge"
FILES = FOLDER / "files"
_NEAR = 1e-3

_KINDS: Mapping[str, Any] = {
    "$any": lambda found: True,
    "$string": lambda found: isinstance(found, str),
    "$text": lambda found: isinstance(found, str) and found != "",
    "$integer": lambda found: isinstance(found, int) and not isinstance(found, bool),
    "$number": lambda found: isinstance(found, int | float) and not isinstance(found, bool),
    "$boolean": lambda found: isinstance(found, bool),
    "$object": lambda found: isinstance(found, dict),
    "$array": lambda found: isinstance(found, list),
}


@dataclass(frozen=True)
class Case:
    """One story."""

    file: str
    name: str
    rules: tuple[str, ...]
    server: Mapping[str, Any]
    files: tuple[str, ...]
    says_hello: bool
    steps: tuple[Mapping[str, Any], ...]

    def __str__(self) -> str:
        return f"{self.file}: {self.name}"


def cases() -> Iterator[Case]:
    """All of them, file after file."""
    for file in sorted(FOLDER.glob("*.json")):
        for case in json.loads(file.read_text("utf-8"))["cases"]:
            yield Case(
                file.stem,
                case["name"],
                tuple(case["rules"]),
                case.get("server", {}),
                tuple(case.get("files", ())),
                case.get("hello", True),
                tuple(case["steps"]),
            )


class Script:
    """What one telling of a case has met so far, and where it takes place."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places
        self.kept: dict[str, Any] = {}

    def filled(self, value: Any) -> Any:
        """A value to be sent, or a pattern, with places and kept values put in."""
        if isinstance(value, str):
            if value.startswith("$kept:"):
                return self.kept[value.removeprefix("$kept:")]
            for name, place in self._places.items():
                value = value.replace(f"{{{name}}}", place)
            return value
        if isinstance(value, dict):
            return {key: self.filled(one) for key, one in value.items()}
        return [self.filled(one) for one in value] if isinstance(value, list) else value

    def check(self, found: Any, pattern: Any) -> None:
        """Raises: AssertionError that says where a value does not fit a pattern."""
        wrong = mismatch(found, self.filled(pattern), self.kept)
        assert wrong is None, f"{wrong}\nin {json.dumps(found, ensure_ascii=False)[:2000]}"


def mismatch(found: Any, pattern: Any, kept: dict[str, Any], path: str = "answer") -> str | None:
    """Where a value does not fit a pattern, or None when it does; fills `kept`."""
    if isinstance(pattern, dict):
        return _special(found, pattern, kept, path) or _subset(found, pattern, kept, path)
    if isinstance(pattern, list):
        if not isinstance(found, list) or len(found) != len(pattern):
            return f"{path} is {found!r} instead of {len(pattern)} elements"
        pairs = enumerate(zip(found, pattern, strict=True))
        return _first(mismatch(one, wanted, kept, f"{path}[{k}]") for k, (one, wanted) in pairs)
    if isinstance(pattern, str) and pattern in _KINDS:
        return None if _KINDS[pattern](found) else f"{path} is {found!r}, which is not {pattern}"
    if isinstance(pattern, str) and pattern.startswith("$match:"):
        fits = isinstance(found, str) and re.search(pattern.removeprefix("$match:"), found)
        return None if fits else f"{path} is {found!r}, which is not {pattern}"
    same = found == pattern and isinstance(found, bool) == isinstance(pattern, bool)
    return None if same else f"{path} is {found!r} instead of {pattern!r}"


def raw_bytes(raw: Any) -> bytes:
    """The bytes of a ``raw`` step."""
    pieces = raw if isinstance(raw, list) else [raw]
    return "".join(one if isinstance(one, str) else one["repeat"] * one["times"] for one in pieces).encode()


def _special(found: Any, pattern: Mapping[str, Any], kept: dict[str, Any], path: str) -> str | None:
    if "$keep" in pattern:
        kept[pattern["$keep"]] = found
        return f"{path} is null" if found is None else None
    if "$not" in pattern:
        return None if found != pattern["$not"] else f"{path} is {found!r} still"
    if "$near" in pattern:
        return None if _near(found, pattern["$near"]) else f"{path} is {found!r}, not near {pattern['$near']}"
    wants_list = {"$has", "$each", "$length"} & pattern.keys()
    if wants_list and not isinstance(found, list):
        return f"{path} is {found!r}, which is no array"
    if "$length" in pattern and len(found) != pattern["$length"]:
        return f"{path} has {len(found)} elements instead of {pattern['$length']}"
    for wanted in pattern.get("$has", ()):
        if all(mismatch(one, wanted, kept, path) for one in found):
            return f"{path} lacks {wanted!r}"
    each = (mismatch(one, pattern["$each"], kept, f"{path}[]") for one in found if "$each" in pattern)
    return _first(each) if "$each" in pattern else None


def _subset(found: Any, pattern: Mapping[str, Any], kept: dict[str, Any], path: str) -> str | None:
    keys = [key for key in pattern if not key.startswith("$")]
    if not keys and "$without" not in pattern:
        return None
    if not isinstance(found, dict):
        return f"{path} is {found!r}, which is no object"
    for key in pattern.get("$without", ()):
        if key in found:
            return f"{path}.{key} is {found[key]!r} and should not be there"
    for key in keys:
        if key not in found:
            return f"{path}.{key} is missing"
    return _first(mismatch(found[key], pattern[key], kept, f"{path}.{key}") for key in keys)


def _near(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return (
            isinstance(found, list)
            and len(found) == len(wanted)
            and all(_near(one, other) for one, other in zip(found, wanted, strict=True))
        )
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    return is_number and abs(found - wanted) <= _NEAR


def _first(complaints: Iterator[str | None]) -> str | None:
    return next((one for one in complaints if one), None)
