"""Searching Python files: where a name is used, which classes derive from which; in a file or a folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from notebook_ext.agents.packs.python.answers import (
    ClassEntry,
    Hierarchy,
    Searched,
    SearchedClass,
    UsageEntry,
    Usages,
)
from notebook_ext.workspace.files.files import TextFile, read_text
from notebook_ext.workspace.sources.python_source import PythonSource
from notebook_ext.workspace.sources.python_usages import ClassRow, classes, usages
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

if TYPE_CHECKING:
    from notebook_ext.agents.calls.call import Call

__all__ = ["find_usages", "get_hierarchy", "parsed_file"]

_MOST = 1000
"""Rows of one answer."""
_LARGEST_SEARCHED = 2000
"""Python files that one search of a folder reads."""


def parsed_file(path: str, call: Call, operation: str) -> tuple[TextFile, PythonSource]:
    """A Python file and its tree. Raises: ServiceFailure UNSUPPORTED_TYPE, SYNTAX_ERROR; the gate's."""
    file = read_text(call.files, path, operation=operation)
    if file.path.suffix.lower() not in {".py", ".pyi"}:
        raise ServiceFailure(
            ErrorCode.UNSUPPORTED_TYPE,
            f"{file.shown} is no Python file",
            fix="cad_* tools read CAD sources, nb_* tools notebooks, read_file any text",
            details={"path": file.shown, "operation": operation},
        )
    return file, PythonSource(file.text, file.shown, operation=operation)


def _sources(path: str, call: Call, operation: str, unread: list[str]) -> Iterator[PythonSource]:
    """The file, or every Python file below the folder; what Python cannot read goes to ``unread``."""
    root = call.files.path(path or ".", operation=operation)
    if not root.is_dir():
        yield parsed_file(path, call, operation)[1]
        return
    read = 0
    for _, entry in call.files.below(root, operation=operation):
        if entry.is_folder or entry.path.suffix.lower() not in {".py", ".pyi"} or read >= _LARGEST_SEARCHED:
            continue
        call.checkpoint()
        read += 1
        try:
            yield parsed_file(str(entry.path), call, operation)[1]
        except VcadError:
            unread.append(call.files.shown(entry.path))


def get_hierarchy(arguments: SearchedClass, call: Call) -> Hierarchy:
    """A class, and what derives from it. Raises: VcadError."""
    unread: list[str] = []
    rows = [
        (source.name, row)
        for source in _sources(arguments.path, call, "py_get_hierarchy", unread)
        for row in classes(source)
    ]
    last = arguments.class_name.rpartition(".")[2]
    named = [_entry(path, row) for path, row in rows if row.name.rpartition(".")[2] == last]
    if not named:
        known = ", ".join(sorted({row.name for _, row in rows})[:30]) or "there is none"
        raise ServiceFailure(
            ErrorCode.INVALID_PARAMS,
            f"there is no class {arguments.class_name!r} in {arguments.path}",
            fix=f"the classes are {known}",
            details={"path": "class_name", "expected": f"one of {known}", "operation": "py_get_hierarchy"},
        )
    below: dict[tuple[str, str], ClassEntry] = {}
    waiting = [last]
    while waiting:
        base = waiting.pop(0)
        for path, row in rows:
            if (path, row.name) not in below and row.derives_from(base):
                below[path, row.name] = _entry(path, row)
                waiting.append(row.name.rpartition(".")[2])
    return Hierarchy(
        class_name=arguments.class_name, definitions=named, subclasses=list(below.values()), unread=unread
    )


def _entry(path: str, row: ClassRow) -> ClassEntry:
    return ClassEntry(name=row.name, path=path, line=row.line, bases=list(row.bases))


def find_usages(arguments: Searched, call: Call) -> Usages:
    """Where a name is used. Raises: VcadError."""
    unread: list[str] = []
    rows: list[UsageEntry] = []
    for source in _sources(arguments.path, call, "py_find_usages", unread):
        rows += [
            UsageEntry(
                path=source.name, line=usage.line, column=usage.column, kind=usage.kind, text=usage.text
            )
            for usage in usages(source, arguments.name)
        ]
        if len(rows) > _MOST:
            break
    return Usages(name=arguments.name, usages=rows[:_MOST], truncated=len(rows) > _MOST, unread=unread)
