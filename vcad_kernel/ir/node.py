"""What every node of a document is: children by id, and three things it knows of itself as data.

Those are its ``KIND`` (the ``type`` of its JSON form), its ``FIELDS`` (what the codec and the digest walk)
and the CAD function that a user writes to get it. Knows no kind of node, no document and no kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, NewType

__all__ = [
    "Field",
    "Node",
    "NodeId",
    "Shape",
    "fields",
]

NodeId = NewType("NodeId", int)


class Shape(Enum):
    """What one field of a node holds."""

    NUMBER = "number"
    COUNT = "count"
    VEC3 = "vec3"
    CHILD = "child"
    CHILDREN = "children"
    SEGMENTS = "segments"
    PATH = "path"
    NUMBERS = "numbers"
    INDICES = "indices"
    TEXT = "text"
    FLAG = "flag"
    SELECTOR = "selector"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a node kind: attribute (and JSON member) name, and what it holds."""

    name: str
    shape: Shape
    optional: bool = False
    """Absent from the JSON form, and ``None`` here, when unused."""


def fields(text: str) -> tuple[Field, ...]:
    """``"child:child radius:number twist?:number"`` as fields; keeps the kinds readable."""
    result = []
    for item in text.split():
        name, _, shape = item.partition(":")
        result.append(Field(name.rstrip("?"), Shape(shape), name.endswith("?")))
    return tuple(result)


@dataclass(frozen=True, slots=True)
class Node:
    """Base of all node kinds."""

    KIND: ClassVar[str] = ""
    FIELDS: ClassVar[tuple[Field, ...]] = ()
    FUNCTION: ClassVar[str] = ""

    @property
    def function(self) -> str:
        """The CAD function as the user writes it, for messages."""
        return self.FUNCTION

    @property
    def functions(self) -> frozenset[str]:
        """All functions of which a call may give this very node, ``function`` among them."""
        return frozenset((self.function,))

    def children(self) -> tuple[NodeId, ...]:
        """Ids this node refers to, in the order in which they are evaluated."""
        return ()

    def references(self) -> Iterator[tuple[str, NodeId]]:
        """Each child with the path of the member that names it: ``child``, ``sketches[2]`` …"""
        for field in self.FIELDS:
            if field.shape is Shape.CHILD:
                yield field.name, getattr(self, field.name)
            elif field.shape is Shape.CHILDREN:
                for index, child in enumerate(getattr(self, field.name)):
                    yield f"{field.name}[{index}]", child
