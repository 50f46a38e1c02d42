"""What a person has picked, with what it is; after a change the same thing again, where there is one.

Numbers of faces and edges hold for one digest. A picked thing is found again by its maker and its signature
(kind, size, place) where that is unique; else it is picked no more. Knows rows, and no viewers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose
from typing import Any, Final, Literal

from notebook_ext.viewer.relay.messages import PickedThing
from notebook_ext.viewer.relay.nodes import Node, Rows

__all__ = ["Picked", "found_again", "picked"]

Row = Mapping[str, Any]

_CLOSE: Final = 1e-6
"""Relative: how far two computations of one number are apart at most."""


@dataclass(frozen=True, slots=True)
class Picked:
    """A part, or a face, an edge or a vertex of one."""

    node_id: str
    digest: str
    """For which the number holds."""
    kind: Literal["part", "face", "edge", "vertex"]
    index: int
    """Its number, as `Part.faces` and `Part.edges` have it; a vertex's is twice its edge's, plus one at the
    edge's end."""
    point: tuple[float, float, float] | None = None
    """Where it was pointed at, mm."""
    row: Row | None = None
    """What it is: kind, area or length, radius, place, the form that made it; None of a part."""

    @property
    def made_by(self) -> str:
        """The function whose call made a face; "" of what is none."""
        return str((self.row or {}).get("made_by", ""))

    @property
    def source(self) -> Mapping[str, Any] | None:
        """Where that call stands: ``{cell_id?, file?, line, column, end_line, end_column}``."""
        return (self.row or {}).get("source")

    def __repr__(self) -> str:
        if self.kind == "part":
            return f"part {self.node_id}"
        said = [f"{self.kind} {self.index} of {self.node_id}"]
        if self.row is not None:
            radius = self.row.get("radius")
            said.append(f"{self.row['kind']}{'' if radius is None else f' r {radius:.6g}'}")
        if self.made_by:
            line = "" if self.source is None else f", line {self.source['line']}"
            said.append(f"made by {self.made_by}{line}")
        return " · ".join(said)


def picked(thing: PickedThing, rows: Rows | None) -> Picked:
    """What a viewer has said is picked. rows: of its digest, where they are known."""
    row = None if rows is None else _row(thing.kind, thing.index, rows)
    return Picked(thing.node_id, thing.digest, thing.kind, thing.index, thing.point, row)


def found_again(thing: Picked, node: Node | None, rows: Rows | None) -> Picked | None:
    """The same thing of the node as it is now; None where it is not there any more, or not known yet.

    node: the one that it was of. rows: of the node as it is now, where they are known.
    """
    if node is None:
        return None
    if node.digest == thing.digest:
        if thing.row is None and rows is not None:
            return replace(thing, row=_row(thing.kind, thing.index, rows))
        return thing
    if thing.kind == "part":
        return replace(thing, digest=node.digest)
    if thing.kind == "vertex" or thing.row is None or rows is None:
        return None
    numbered = rows.faces if thing.kind == "face" else rows.edges
    index = _again(thing.row, numbered)
    return None if index is None else replace(thing, digest=node.digest, index=index, row=numbered[index])


def _row(kind: str, index: int, rows: Rows) -> Row | None:
    if kind == "part":
        return None
    numbered = rows.faces if kind == "face" else rows.edges
    number = index // 2 if kind == "vertex" else index
    return numbered[number] if number < len(numbered) else None


def _again(before: Row, numbered: Sequence[Row | None]) -> int | None:
    """The number of the one row that says the same, by ever more of what it says; None without one."""
    left = [number for number, row in enumerate(numbered) if row is not None and _same_maker(before, row)]
    for names in (("radius",), ("normal", "direction"), ("center",), ("area", "length")):
        if len(left) == 1:
            return left[0]
        closer = [number for number in left if all(_close(before, numbered[number], name) for name in names)]
        left = closer or left
    return left[0] if len(left) == 1 else None


def _same_maker(before: Row, row: Row) -> bool:
    return before["kind"] == row["kind"] and before.get("made_by") == row.get("made_by")


def _close(before: Row, row: Row | None, name: str) -> bool:
    value, value_now = before.get(name), (row or {}).get(name)
    if value is None or value_now is None:
        return value is value_now
    if isinstance(value, int | float):
        return isclose(value, value_now, rel_tol=_CLOSE)
    return all(isclose(a, b, rel_tol=_CLOSE, abs_tol=_CLOSE) for a, b in zip(value, value_now, strict=True))
