"""The stretches of a text that are read, checked and compiled one by one."""

from __future__ import annotations

from typing import NamedTuple

from vcad_kernel.loon.syntax import Form

__all__ = ["DEEPEST", "Chunk", "ReadChunk"]

DEEPEST = 500
"""Brackets and quotes that may be open at once."""


class Chunk(NamedTuple):
    """A stretch of a source: its text, its offset, and the line and column (from 1) it begins at.

    One top-level form, or a few that stand so close that they are told apart only together
    (``1e3``). A tuple, because an edit moves all chunks below it and tuples are the cheapest to make.
    """

    text: str
    start: int
    line: int
    column: int


class ReadChunk(NamedTuple):
    """A chunk and its forms, whose offsets count from the chunk's beginning."""

    chunk: Chunk
    forms: tuple[Form, ...]
