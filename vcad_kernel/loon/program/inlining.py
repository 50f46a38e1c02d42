"""Functions of a program that became part of another function's code, as loops.

They have no frame of their own when something goes wrong. So the code that took them in keeps, among
its constants, where they stand in the text and where they are called; and who lists calls finds
them by the place that was reached. Lines count from the code's first, which moves with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from types import CodeType
from typing import TypeAlias

from vcad_kernel.errors import Place
from vcad_kernel.loon.source import SourceName

__all__ = ["Extent", "calls_within", "table"]

Extent: TypeAlias = tuple[int, int, int, int]
"""Line and column, end line and end column, as Python's code has them."""

_MARK = "$inlined"


def table(functions: Sequence[tuple[Extent, Extent]], first_line: int) -> tuple[object, ...]:
    """The constant for functions and the calls that they are in, outer ones first."""
    return (_MARK, *(tuple(_moved(at, -first_line) for at in pair) for pair in dict.fromkeys(functions)))


def calls_within(code: CodeType, instruction: int) -> list[Place]:
    """The calls of inlined functions that an instruction is in, outermost first."""
    name = code.co_filename
    tables = (held for held in code.co_consts if type(held) is tuple and held[:1] == (_MARK,))
    functions = next(tables, None)
    if functions is None or not isinstance(name, SourceName):
        return []
    line, end_line, column, end_column = next(
        islice(code.co_positions(), instruction // 2, None), (None,) * 4
    )
    if line is None or end_line is None or column is None or end_column is None:
        return []
    places = []
    for function, call in functions[1:]:
        start_line, start_column, stop_line, stop_column = _moved(function, code.co_firstlineno)
        inside = (start_line, start_column) <= (line, column)
        if inside and (end_line, end_column) <= (stop_line, stop_column):
            at, begins, until, ends = _moved(call, code.co_firstlineno)
            text = name.source.line_text(at)
            places.append(Place(name.source.name, at, begins + 1, until, ends + 1, text))
    return places


def _moved(extent: Extent, lines: int) -> Extent:
    return extent[0] + lines, extent[1], extent[2] + lines, extent[3]
