"""What is in a file, without its text: by table, suffix → what to list."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple

from notebook_ext.workspace.files.slices import lines_of
from notebook_ext.workspace.sources import python_outline
from notebook_ext.workspace.sources.loon_outline import ENDINGS, LoonSource
from notebook_ext.workspace.sources.python_source import PythonSource
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["Item", "Summary", "summary_of"]


class Item(NamedTuple):
    """One thing in a file."""

    name: str
    line: int
    """1-based; of a notebook the number of the cell; 0 where it has none."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What is in a file, by headings such as "imports" and "functions"."""

    kind: str
    contents: Mapping[str, tuple[Item, ...]]


_FENCE: Final = re.compile(r"\s{0,3}(```|~~~)")
_HEADING: Final = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*")
_TABLE: Final = re.compile(r"\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?")
_IMPORTED: Final = ("import", "module")
"""Kinds of what a ``use`` defines, which stands under its own heading."""
_HEAD: Final = 80
"""Characters shown of a cell."""


def summary_of(text: str, name: str, *, operation: str) -> Summary:
    """The summary of a file's text. name: its path, whose suffix says what it is.

    Raises: ServiceFailure UNSUPPORTED_TYPE; SYNTAX_ERROR for a file that cannot be read as what it is.
    """
    suffix = PurePosixPath(name).suffix.lower()
    summarised = _BY_SUFFIX.get(suffix)
    if summarised is None:
        known = ", ".join(_BY_SUFFIX)
        raise ServiceFailure(
            ErrorCode.UNSUPPORTED_TYPE,
            f"{name!r} cannot be summarised",
            fix=f"summaries are made of {known}; read_file shows any text",
            details={"path": name, "operation": operation},
        )
    return summarised(text, name, operation)


def _python(text: str, name: str, operation: str) -> Summary:
    source = PythonSource(text, name, operation=operation)
    rows = python_outline.outline(source)
    imports = (
        Item(
            f"{imported.module}.{imported.name}".strip(".") if imported.name else imported.module,
            imported.line,
        )
        for imported in python_outline.imports(source)
    )
    return Summary(
        "python",
        {
            "imports": tuple(imports),
            "classes": tuple(Item(row.name, row.line) for row in rows if row.kind == "class"),
            "functions": tuple(Item(row.name, row.line) for row in rows if row.kind != "class"),
            "constants": tuple(Item(constant, 0) for constant in python_outline.constants(source)),
        },
    )


def _loon(text: str, name: str, operation: str) -> Summary:
    source = LoonSource(text, name, operation=operation)
    rows = source.outline()
    defined = {row.name for row in rows}
    return Summary(
        "loon",
        {
            "definitions": tuple(
                Item(row.usage or row.name, row.line) for row in rows if row.kind not in _IMPORTED
            ),
            "imports": tuple(Item(module, line) for module, line in source.imports()),
            "uses": tuple(Item(used, 0) for used in source.global_names() if used not in defined),
        },
    )


def _toml(text: str, name: str, operation: str) -> Summary:
    try:
        tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as wrong:
        raise _broken(name, f"it is no TOML: {wrong}", operation) from None
    matched = ((at, _TABLE.fullmatch(line.text)) for at, line in enumerate(lines_of(text), 1))
    return Summary("toml", {"tables": tuple(Item(match[1], at) for at, match in matched if match)})


def _markdown(text: str, _name: str, _operation: str) -> Summary:
    headings: list[Item] = []
    fence = ""
    for at, line in enumerate(lines_of(text), 1):
        mark = _FENCE.match(line.text)
        if mark:
            fence = "" if fence == mark[1] else fence or mark[1]
        elif not fence and (heading := _HEADING.fullmatch(line.text)):
            headings.append(Item(f"{heading[1]} {heading[2]}", at))
    return Summary("markdown", {"headings": tuple(headings)})


def _notebook(text: str, name: str, operation: str) -> Summary:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise _broken(name, f"it is no JSON: {wrong}", operation) from None
    listed = document.get("cells") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise _broken(name, "it holds no list of cells", operation)
    cells = [cell for cell in listed if isinstance(cell, dict)]
    outputs = [
        Item(_output_kind(output), at)
        for at, cell in enumerate(cells, 1)
        for output in cell.get("outputs") or ()
        if isinstance(output, dict)
    ]
    heads = tuple(
        Item(f"{cell.get('cell_type', 'raw')}: {_head(cell)}", at) for at, cell in enumerate(cells, 1)
    )
    return Summary("notebook", {"cells": heads, "outputs": tuple(outputs)})


def _head(cell: Mapping[str, Any]) -> str:
    source = cell.get("source") or ""
    text = source if isinstance(source, str) else "".join(str(piece) for piece in source)
    return text.strip().split("\n", 1)[0][:_HEAD]


def _output_kind(output: Mapping[str, Any]) -> str:
    kinds = output.get("data")
    shown = f" ({', '.join(sorted(kinds))})" if isinstance(kinds, dict) else ""
    return f"{output.get('output_type', 'unknown')}{shown}"


def _broken(name: str, why: str, operation: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.SYNTAX_ERROR,
        f"{name}: {why}",
        details={"file": name, "operation": operation},
    )


_BY_SUFFIX: Final[Mapping[str, Callable[[str, str, str], Summary]]] = {
    ".py": _python,
    ".toml": _toml,
    ".md": _markdown,
    ".ipynb": _notebook,
    **dict.fromkeys(ENDINGS, _loon),
}
