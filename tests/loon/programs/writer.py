"""What writing a program needs: choices, the types of what is written, the names in reach.

A program is written by its types, so that most of what is drawn runs to its end. All choices are
numbers from 0 on, of which 0 is the plainest; where they come from is the caller's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

__all__ = [
    *("BOOL", "FLOAT", "INT", "KEY", "STR", "UNIT"),
    *("Pick", "Producer", "Style", "Ty", "Writer", "adt", "fn", "option", "record", "tup", "vec"),
]

_T = TypeVar("_T")

Pick = Callable[[int], int]
"""Gives a number from 0 up to but excluding the one it is given."""


@dataclass(frozen=True)
class Ty:
    """A type: its kind, what it is made of, and names (of fields, or of the type)."""

    kind: str
    parts: tuple[Ty, ...] = ()
    names: tuple[str, ...] = ()


INT, FLOAT, BOOL, STR, KEY, UNIT = map(Ty, ("Int", "Float", "Bool", "Str", "Key", "Unit"))


def vec(item: Ty) -> Ty:
    """Vectors of a type."""
    return Ty("Vec", (item,))


def tup(*items: Ty) -> Ty:
    """Tuples of types."""
    return Ty("Tup", items)


def option(item: Ty) -> Ty:
    """``Some`` of a type, or ``None``."""
    return Ty("Option", (item,))


def record(fields: Mapping[str, Ty]) -> Ty:
    """Maps with certain keywords as keys."""
    return Ty("Record", tuple(fields.values()), tuple(fields))


def fn(*parameters: Ty, result: Ty) -> Ty:
    """Functions; the result is the last of the parts."""
    return Ty("Fn", (*parameters, result))


def adt(name: str) -> Ty:
    """A type of the program's own."""
    return Ty("Adt", (), (name,))


@dataclass(frozen=True)
class Style:
    """What kind of programs to write."""

    typed: bool = False
    """Well-typed by the checker's rules: numbers do not mix, a name keeps its type, nothing is
    redefined. Otherwise anything goes, and now and then a value of the wrong type stands somewhere."""
    effects: bool = True
    slip: bool = False
    """In one place, a value of a type that does not belong there."""


Producer = Callable[["Writer", Ty, int], str]
"""Writes an expression of a type, whose parts may be so deep."""


@dataclass
class Writer:
    """Writes one program."""

    pick: Pick
    style: Style
    general: Sequence[Producer] = ()
    """What gives a value of any type."""
    of_kind: Mapping[str, Sequence[Producer]] = field(default_factory=dict)
    """What gives a value of one kind of types."""
    budget: int = 120
    """Expressions that are not atoms may still be so many."""
    names: dict[str, Ty] = field(default_factory=dict)
    """All names in reach."""
    variants: dict[str, dict[str, tuple[Ty, ...]]] = field(default_factory=dict)
    """The program's own types: their constructors, and those's fields."""
    operations: dict[str, tuple[Ty, Ty]] = field(default_factory=dict)
    """Operations that something handles here, with argument and result."""
    may_fail: bool = False
    """Whether a ``try`` stands around."""
    macros: set[str] = field(default_factory=set)
    slips: int = 0
    _count: int = 0

    def one(self, of: Sequence[_T]) -> _T:
        """One of several, the first the plainest."""
        return of[self.pick(len(of))]

    def rarely(self, often: int) -> bool:
        """True once in so many times; False is plainer."""
        return self.pick(often) == often - 1

    def expr(self, ty: Ty, depth: int) -> str:
        """An expression of a type."""
        if self._slips():
            ty = self.a_type(0 if self.style.slip else 1)
        if depth <= 0 or self.budget <= 0:
            return self.atom(ty)
        self.budget -= 1
        kind = self.of_kind.get(ty.kind, ())
        at = self.pick(1 + len(self.general) + 2 * len(kind))
        if at == 0:
            return self.atom(ty)
        at -= 1
        producer = kind[at % len(kind)] if at < 2 * len(kind) else self.general[at - 2 * len(kind)]
        return producer(self, ty, depth - 1)

    def _slips(self) -> bool:
        if self.style.slip:
            if self.slips == 0 and self.rarely(12):
                self.slips = 1
                return True
            return False
        return not self.style.typed and self.rarely(40)

    def atom(self, ty: Ty) -> str:
        """A name or a literal."""
        known = [name for name, held in self.names.items() if held == ty]
        if known and self.pick(3):
            return self.one(known)
        return self.literal(ty)

    def literal(self, ty: Ty) -> str:
        """A literal; of compound types, one that may have names in it."""
        match ty.kind:
            case "Int":
                return self.one(_INTS if self.style.typed else (*_INTS, *_INT_EDGES))
            case "Float":
                return self.one(_FLOATS if self.style.typed else (*_FLOATS, *_FLOAT_EDGES))
            case "Bool":
                return self.one(("true", "false"))
            case "Str":
                return self.one(_STRINGS)
            case "Key":
                return self.one((":k", ":w", ":h"))
            case "Vec":
                items = [self.atom(ty.parts[0]) for _ in range(self.pick(4))]
                return f"#[{' '.join(items)}]"
            case "Tup":
                return f"({' '.join(map(self.atom, ty.parts))})"
            case "Option":
                return f"[Some {self.atom(ty.parts[0])}]" if self.pick(3) else "None"
            case "Record":
                held = [f":{name} {self.atom(part)}" for name, part in zip(ty.names, ty.parts, strict=True)]
                return f"{{{' '.join(held)}}}"
            case "Set":
                return f"#{{{' '.join(self.atom(ty.parts[0]) for _ in range(self.pick(4)))}}}"
            case "Map":
                keys = [self.atom(ty.parts[0]) for _ in range(self.pick(4))]
                return f"{{{' '.join(f'{key} {self.atom(ty.parts[1])}' for key in keys)}}}"
            case "Fn":
                return self.function(ty, 0)
            case "Adt":
                variants = self.variants[ty.names[0]]
                tag = self.one(list(variants))
                fields = variants[tag]
                return f"[{tag} {' '.join(map(self.atom, fields))}]" if fields else tag
            case _:
                return "[]"

    def function(self, ty: Ty, depth: int) -> str:
        """An anonymous function of a type."""
        *parameters, result = ty.parts
        with self.scope():
            names = self.parameters(parameters)
            return f"[fn [{' '.join(names)}] {self.expr(result, depth)}]"

    def parameters(self, types: Sequence[Ty]) -> list[str]:
        """Names for parameters, in reach from here on; no two are the same."""
        free = [name for name in _POOL if self.style.typed or name not in self.macros]
        names = []
        for ty in types:
            name = free.pop(self.pick(len(free)))
            self.names[name] = ty
            names.append(name)
        return names

    def local(self) -> str:
        """A name for a ``let``: in a typed program a new one, for it could replace another's value."""
        return self.fresh("v") if self.style.typed else self.one(_POOL)

    def fresh(self, stem: str) -> str:
        """A name that was not there before."""
        self._count += 1
        return f"{stem}{self._count}"

    def a_type(self, depth: int) -> Ty:
        """Any type."""
        simple = [INT, STR, BOOL, FLOAT, KEY, *map(adt, self.variants)]
        compound = 6 if depth > 0 else 0
        at = self.pick(len(simple) + compound)
        if at < len(simple):
            return simple[at]
        inner = self.a_type(depth - 1)
        match at - len(simple):
            case 0 | 1:
                return vec(inner)
            case 2:
                return tup(inner, self.a_type(depth - 1))
            case 3:
                return option(inner)
            case 4:
                return record({"w": inner, "h": self.a_type(depth - 1)})
            case _:
                return inner if self.style.typed else self.one((Ty("Set", (inner,)), Ty("Map", (STR, inner))))

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is named within is out of reach after."""
        before = dict(self.names)
        yield
        self.names = before

    @contextmanager
    def branch(self) -> Iterator[None]:
        """What is named within may be bound after, or not."""
        before = dict(self.names)
        yield
        if self.style.typed or self.pick(2):
            self.names = before


_POOL = ("x", "y", "n", "acc", "w", "h", "v", "f")
_INTS = ("1", "0", "2", "3", "-1", "5", "7")
_INT_EDGES = ("10", "9223372036854775807", "-9223372036854775808", "4611686018427387904", "3037000500")
_FLOATS = ("1.5", "0.0", "2.0", "-0.5", "0.1")
_FLOAT_EDGES = ("1.0e21", "1.0e-7", "1.0e308", "-0.0")
_STRINGS = ('"a"', '""', '"b c"', '"10"', '"a,b"', '"Ä é"', '"{{x}}"', '" 2.5 "')
