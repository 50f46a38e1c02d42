"""What every node of a document is: a value with typed fields, and its children by id.

The annotations of a node are all that is said of its fields: JSON form, digest and op record follow them.
Knows no kind of node, no document and no kernel.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import (
    Annotated,
    Any,
    ClassVar,
    NamedTuple,
    NewType,
    TypeAlias,
    dataclass_transform,
    get_args,
    get_origin,
)

import msgspec

__all__ = ["Add", "Field", "Node", "NodeId", "Record", "Vec2", "Vec3", "fields_of"]

NodeId = NewType("NodeId", int)

Vec2: TypeAlias = Annotated[tuple[float, float], "x y"]
"""A point of a sketch; in JSON an object with these members, as the next."""
Vec3: TypeAlias = Annotated[tuple[float, float, float], "x y z"]
"""A point in millimetres, or a direction."""


@dataclass_transform(frozen_default=True)
class Record(msgspec.Struct, frozen=True):
    """A value of the document whose annotations say what its fields hold."""


class Node(Record, tag=True, tag_field="type"):
    """Base of all kinds of node."""

    KIND: ClassVar[str]
    """The ``type`` of its JSON form: the name of the class."""
    FUNCTION: ClassVar[str]
    """The CAD function that gives it, as the user writes it: that of the first record which makes one."""
    GIVES: ClassVar[str] = "Solid"
    """The type of its values in Loon."""
    FAILURE: ClassVar[str] = "BOOLEAN_FAILED"
    """The code of its failure where the builder has no other word for it."""
    CURVED: ClassVar[bool] = False
    """Whether it makes faces that are no planes."""
    YOUNGER: ClassVar[tuple[str, ...]] = ()
    """Optional fields, the last ones, that it did not have at first: where they are absent, digests stay."""

    def __init_subclass__(cls, **config: Any) -> None:
        """The kind is the name of the class."""
        super().__init_subclass__(**config)
        cls.KIND = cls.__name__

    @property
    def function(self) -> str:
        """The CAD function as the user writes it, for messages."""
        return self.FUNCTION

    @property
    def functions(self) -> frozenset[str]:
        """All functions of which a call may give this very node, ``function`` among them."""
        return frozenset((self.function,))

    @property
    def file(self) -> tuple[str, str] | None:
        """The file that it is read from: its path, and the hexadecimal blake3 of its bytes."""
        return None

    def check(self) -> None:
        """Whether the node's own numbers can be built, before anything is (cad.md §2-4).

        Raises: ParameterFault.
        """

    def is_curved(self) -> bool:
        """Whether this one does; what stands on others' faces is not asked for theirs."""
        return self.CURVED

    def children(self) -> tuple[NodeId, ...]:
        """Ids this node refers to, in the order in which they are evaluated."""
        return ()

    def references(self) -> Iterator[tuple[str, NodeId]]:
        """Each child with the path of the member that names it: ``child``, ``sketches[2]`` …"""
        for field in fields_of(type(self)):
            if field.type is NodeId:
                yield field.name, getattr(self, field.name)
            elif field.type == tuple[NodeId, ...]:
                for index, child in enumerate(getattr(self, field.name)):
                    yield f"{field.name}[{index}]", child

    def with_children(self, ids: Mapping[NodeId, NodeId]) -> Node:
        """The same node on other children."""
        changed: dict[str, Any] = {}
        for field in fields_of(type(self)):
            if field.type is NodeId:
                changed[field.name] = ids[getattr(self, field.name)]
            elif field.type == tuple[NodeId, ...]:
                changed[field.name] = tuple(ids[child] for child in getattr(self, field.name))
        return msgspec.structs.replace(self, **changed)


Add: TypeAlias = Callable[[Node], NodeId]
"""Puts a node into the document and gives its id."""


class Field(NamedTuple):
    """One field of a record: attribute and JSON member, and what it holds."""

    name: str
    type: Any
    """Without unit and None: ``float``, ``Vec3``, ``tuple[NodeId, ...]`` …"""
    optional: bool
    """Absent from the JSON form, and ``None`` here, when unused."""


@functools.cache
def fields_of(record: type[Record]) -> tuple[Field, ...]:
    """The fields of a node, or of a record inside one, as its annotations say."""
    return tuple(Field(field.name, *_type_of(field.type)) for field in msgspec.structs.fields(record))


def _type_of(annotation: Any) -> tuple[Any, bool]:
    """What an annotation means by itself, and whether None may stand in its place."""
    if get_origin(annotation) is Annotated:
        # what names the members of a vector is part of its type; a unit is not
        (said,) = annotation.__metadata__
        return (annotation, False) if isinstance(said, str) else _type_of(annotation.__origin__)
    alternatives = get_args(annotation)
    if msgspec.UnsetType in alternatives:
        others = [alternative for alternative in alternatives if alternative is not msgspec.UnsetType]
        return _type_of(functools.reduce(operator.or_, others))
    if type(None) in alternatives:
        others = [alternative for alternative in alternatives if alternative is not type(None)]
        return _type_of(functools.reduce(operator.or_, others))[0], True
    return annotation, False
