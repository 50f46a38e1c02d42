"""The values that Python has no type of its own for, and what counts as true.

int, float, bool, str and tuple are Python's; Vector, Map and Set live in collections.py;
functions are plain Python functions. Equality is equality.py's business.
"""

from __future__ import annotations

from collections import deque
from sys import intern
from typing import ClassVar, Final

from vcad_kernel.errors import Site
from vcad_kernel.loon.runtime.equality import Kind, equal, key

__all__ = ["UNIT", "UNSET", "Adt", "Keyword", "Receiver", "Sender", "Unit", "shape_of", "truthy"]


class Unit:
    """The type of ``()``, the value of definitions, prints and missing map keys."""

    __slots__ = ()

    loon_kind: ClassVar = Kind.ATOM

    def __repr__(self) -> str:
        return "UNIT"


UNIT: Final = Unit()
"""The one unit value."""


class _Unset:
    """The type of UNSET."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = _Unset()
"""Marks a variable whose ``let`` has not run, or an argument that was not given. Never a value."""


class Keyword:
    """A keyword such as ``:mm``; one object per name, so ``is`` compares. ``name`` has no colon."""

    __slots__ = ("name",)

    name: str

    loon_kind: ClassVar = Kind.ATOM
    _known: ClassVar[dict[str, Keyword]] = {}

    def __new__(cls, name: str) -> Keyword:
        """The one keyword of that name."""
        known = cls._known.get(name)
        if known is None:
            known = object.__new__(cls)
            known.name = name
            cls._known[name] = known
        return known

    def __repr__(self) -> str:
        return f"Keyword({self.name!r})"

    def __reduce__(self) -> tuple[type[Keyword], tuple[str]]:
        return Keyword, (self.name,)


class Adt:
    """A value of a user's or library's type: a tag and fields, such as ``[Some 1]`` or ``None``.

    ``names`` are the field names of a variant declared with them. ``site`` is the user's call that
    made the value, where the type asks for it; equality, hashing, printing and matching ignore it.
    ``shape`` is tag and number of fields in one text, which a pattern compares at once.
    Never changed after it is made.
    """

    __slots__ = ("fields", "names", "shape", "site", "tag")

    loon_kind: ClassVar = Kind.ADT

    def __init__(
        self,
        tag: str,
        fields: tuple[object, ...] = (),
        names: tuple[str, ...] | None = None,
        site: Site | None = None,
    ) -> None:
        self.tag = tag
        self.fields = fields
        self.names = names
        self.site = site
        self.shape = shape_of(tag, len(fields))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Adt) and equal(self, other)

    def __hash__(self) -> int:
        return hash(key(self))

    def __repr__(self) -> str:
        return f"<Adt {self.tag} with {len(self.fields)} fields>"


def shape_of(tag: str, count: int) -> str:
    """Tag and number of fields of a variant, the same object each time.

    >>> shape_of("Some", 1)
    'Some/1'
    """
    return intern(f"{tag}/{count}")


class _ChannelEnd:
    """One end of a channel; both share the queue and the number."""

    __slots__ = ("number", "queue")

    end: ClassVar[str]
    loon_kind: ClassVar = Kind.ATOM

    def __init__(self, number: int, queue: deque[object]) -> None:
        self.number = number
        self.queue = queue


class Sender(_ChannelEnd):
    """The end that values go into."""

    __slots__ = ()
    end = "tx"


class Receiver(_ChannelEnd):
    """The end that values come out of."""

    __slots__ = ()
    end = "rx"


def truthy(value: object) -> bool:
    """False for ``false``, unit and the int 0; true for everything else, also 0.0 and ``""``."""
    return value is not False and value is not UNIT and not (type(value) is int and value == 0)
