"""Where a name is used, and which classes derive from which, in one Python file at a time.

By name, not by type: ``Plan.area`` finds every attribute called ``area``. Comments and strings are not
searched. Lines and columns are 1-based; columns count characters.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from notebook_ext.workspace.sources.python_source import PythonSource

__all__ = ["ClassRow", "Usage", "UsageKind", "classes", "usages"]

UsageKind: TypeAlias = Literal["definition", "import", "assignment", "call", "argument", "reference"]
_CAPTURES: Final = (ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping)
"""What binds a name that is no node of its own."""


@dataclass(frozen=True, slots=True)
class Usage:
    """One place where a name stands."""

    line: int
    column: int
    kind: UsageKind
    text: str
    """The line, without the space around it."""


@dataclass(frozen=True, slots=True)
class ClassRow:
    """A class with the bases that it names."""

    name: str
    line: int
    bases: tuple[str, ...]
    """As they are written."""

    def derives_from(self, name: str) -> bool:
        """Whether one of its bases has this name, by the last component.

        ``Generic[T]`` is Generic, ``shapes.Solid`` is Solid.
        """
        wanted = name.rpartition(".")[2]
        return any(base.partition("[")[0].rpartition(".")[2] == wanted for base in self.bases)


def classes(source: PythonSource) -> tuple[ClassRow, ...]:
    """Every class of a file, with its dotted name."""
    return tuple(
        ClassRow(definition.name, definition.line, tuple(ast.unparse(base) for base in definition.node.bases))
        for definition in source.definitions
        if isinstance(definition.node, ast.ClassDef)
    )


def usages(source: PythonSource, name: str) -> tuple[Usage, ...]:
    """Where the last component of a name is defined, imported, set, called or read, in order.

    name: ``NAME`` or ``Class.name``; with a dot only attributes and definitions count.
    """
    last = unicodedata.normalize("NFKC", name).rpartition(".")[2]
    kinds = {
        offset: kind for offset, kind in _places(source, last, attributes_only="." in name) if offset >= 0
    }
    rows = []
    for offset in sorted(kinds):
        line = source.line_at(offset)
        start = source.offset(line, 0)
        rows.append(Usage(line, offset - start + 1, kinds[offset], source.line_text(line).strip()))
    return tuple(rows)


def _places(source: PythonSource, name: str, *, attributes_only: bool) -> Iterator[tuple[int, UsageKind]]:
    called = {id(node.func) for node in ast.walk(source.tree) if isinstance(node, ast.Call)}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name == name:
                head = source.offset(node.lineno, node.col_offset)
                yield _word(source, name, head), "definition"
        elif isinstance(node, ast.Attribute):
            if node.attr == name:
                yield source.end_of(node) - len(name), _kind(node, called)
        elif attributes_only:
            continue
        elif isinstance(node, ast.Name):
            if node.id == name:
                yield source.offset(node.lineno, node.col_offset), _kind(node, called)
        elif isinstance(node, ast.alias):
            if name in {node.asname, *node.name.split(".")}:
                yield _word(source, name, source.offset(node.lineno, node.col_offset)), "import"
        elif isinstance(node, ast.arg | ast.keyword):
            if node.arg == name:
                yield source.offset(node.lineno, node.col_offset), "argument"
        elif isinstance(node, _CAPTURES):
            if name in {getattr(node, "name", None), getattr(node, "rest", None)}:
                yield _last_word(source, name, node), "assignment"
        elif isinstance(node, ast.Global | ast.Nonlocal) and name in node.names:
            yield _word(source, name, source.offset(node.lineno, node.col_offset)), "reference"


def _last_word(source: PythonSource, name: str, node: ast.ExceptHandler | ast.pattern) -> int:
    """Where the name that a handler or a pattern binds stands; -1 when it cannot be found."""
    start = source.offset(node.lineno, node.col_offset)
    if isinstance(node, ast.ExceptHandler):
        # behind what is caught, which may name the same
        start = source.end_of(node.type) if node.type is not None else start
        return _word(source, name, start)
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    end = source.offset(node.end_lineno, node.end_col_offset)
    return max((match.start() for match in _as_word(name).finditer(source.text, start, end)), default=-1)


def _kind(node: ast.Name | ast.Attribute, called: set[int]) -> UsageKind:
    if id(node) in called:
        return "call"
    return "reference" if isinstance(node.ctx, ast.Load) else "assignment"


def _word(source: PythonSource, name: str, start: int) -> int:
    """Where a name stands as a word of its own from an offset on; -1 when it does not."""
    match = _as_word(name).search(source.text, start)
    return match.start() if match else -1


def _as_word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
