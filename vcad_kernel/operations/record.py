"""What an operation of the CAD library is: a function whose name, arguments, text and body are the record.

    @operation(PRIMITIVES, "[cylinder 3 12]")
    def cylinder(r: Mm, h: Mm) -> Cylinder:
        \"""Cylinder along +Z, base disc at z = 0. r is the radius, not the diameter.\"""
        return Cylinder(r, h)

The function turns checked arguments into the node; what it says is what users read. The user writes the
subject last (``[translate 1 2 3 s]``), the variant of the library's type stores it first.
Annotations are read as they stand, so modules of records do without ``from __future__ import annotations``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Any, NamedTuple, TypeAlias, get_args

from vcad_kernel.operations.node import Node, NodeId

__all__ = [
    "LEAST_FIDELITY",
    "Argument",
    "Count",
    "Degrees",
    "Fidelity",
    "Flag",
    "Given",
    "Index",
    "Indices",
    "Kind",
    "Mm",
    "Operation",
    "Real",
    "Reals",
    "Section",
    "Sketch",
    "Sketches",
    "Solid",
    "String",
    "operation",
]

LEAST_FIDELITY = 8
"""The fewest pieces that a form with a fidelity hint takes."""


class Kind(Enum):
    """What an argument may be: how messages name it, how the checker reads it, and how it is stored.

    ``Real`` and ``Count`` take ints and floats alike. The maps of selections have values of many types;
    conversion looks at them.
    """

    REAL = "a number", "Real", "Float"
    COUNT = "a whole number from 1", "Count", "Int"
    FIDELITY = f"a whole number from {LEAST_FIDELITY}", "Count", "Int"
    INDEX = "a whole number from 0", "Count", "Int"
    SOLID = "a solid", "Solid", "Solid"
    SKETCH = "a sketch", "Sketch", "Sketch"
    FLAG = "true or false", "Bool", "Bool"
    TEXT = "a text", "String", "String"
    SEGMENTS = "a vector of lines and arcs", "Vec SketchSeg", "[Vec SketchSeg]"
    SKETCHES = "a vector of sketches", "Vec Sketch", "[Vec Sketch]"
    REALS = "a vector of numbers", "Vec Real", "[Vec Float]"
    INDICES = "a vector of whole numbers from 0", "Vec Count", "[Vec Int]"
    PATH = "a path", "Path", "Path"
    EDGES = "a map that says which edges, or edges", "which", "which"
    FACES = "a map that says which faces, or faces", "which", "which"

    def __init__(self, words: str, type_: str, stored: str) -> None:
        self.words, self.type, self.stored = words, type_, stored


class Given(NamedTuple):
    """What an annotation says of an argument beside its Python type."""

    kind: Kind
    unit: str = ""
    """``mm``, ``deg`` or empty."""


Real: TypeAlias = Annotated[float, Given(Kind.REAL)]
Mm: TypeAlias = Annotated[float, Given(Kind.REAL, "mm")]
Degrees: TypeAlias = Annotated[float, Given(Kind.REAL, "deg")]
Count: TypeAlias = Annotated[int, Given(Kind.COUNT)]
Fidelity: TypeAlias = Annotated[int, Given(Kind.FIDELITY)]
Index: TypeAlias = Annotated[int, Given(Kind.INDEX)]
Flag: TypeAlias = Annotated[bool, Given(Kind.FLAG)]
String: TypeAlias = Annotated[str, Given(Kind.TEXT)]
Reals: TypeAlias = Annotated[tuple[float, ...], Given(Kind.REALS)]
Indices: TypeAlias = Annotated[tuple[int, ...], Given(Kind.INDICES)]
Solid: TypeAlias = Annotated[NodeId, Given(Kind.SOLID)]
Sketch: TypeAlias = Annotated[NodeId, Given(Kind.SKETCH)]
Sketches: TypeAlias = Annotated[tuple[NodeId, ...], Given(Kind.SKETCHES)]


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument."""

    name: str
    kind: Kind
    unit: str = ""
    """``mm``, ``deg`` or empty."""


@dataclass(frozen=True, slots=True)
class Section:
    """A chapter of the reference."""

    title: str
    intro: str
    """What holds for all its operations; may be empty."""


@dataclass(frozen=True, slots=True)
class Operation:
    """The record of one function or constant of the library."""

    name: str
    """As the user writes it."""
    variant: str
    """The constructor of its value in Loon."""
    arguments: tuple[Argument, ...]
    """In the order in which the user writes them."""
    result: Any
    """The class of what it makes."""
    build: Callable[..., Any]
    """From the checked arguments, in the user's order, children as ids. Raises: ParameterFault."""
    needs: tuple[str, ...]
    """What ``build`` is given by name besides: ``add`` puts nodes under its own, ``files`` reads files."""
    section: Section
    doc: str
    """Plain sentences; the first one stands alone."""
    example: str
    """A call, as short as messages need it; it may use names that ``program`` binds."""
    program: str = ""
    """A model that runs by itself and holds the example; empty where the example is one already."""
    subject_last: bool = False
    """Whether the last argument is what the function acts on, which the variant stores first."""
    swappable: bool = False
    """Whether the first argument may, for pipes, also come last."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """How it calls an argument that its node's checks call otherwise."""

    @property
    def gives(self) -> str:
        """``Solid``, ``Sketch``, ``SketchSeg``, ``Path``, ``Selection``, ``SceneEntry`` or ``Material``."""
        gives: str = self.result.GIVES
        return gives

    @property
    def stored(self) -> tuple[Argument, ...]:
        """The arguments in the order of the variant's fields."""
        if self.subject_last:
            return (self.arguments[-1], *self.arguments[:-1])
        return self.arguments

    @property
    def usage(self) -> str:
        """``[cube x y z]``; a constant is just its name."""
        if not self.arguments and self.name == self.variant:
            return self.name
        return _call(self.name, self.arguments)

    @property
    def type(self) -> str:
        """As the checker reads it; where the arguments may be swapped, both orders."""
        given = _arrows(self.arguments, self.gives)
        if self.swappable:
            return f"{given} | {_arrows((*self.arguments[1:], self.arguments[0]), self.gives)}"
        return given

    @property
    def variant_usage(self) -> str:
        """The call of the constructor."""
        return _call(self.variant, self.stored)

    @property
    def variant_type(self) -> str:
        """The type of the constructor."""
        return _arrows(self.stored, self.gives)

    @property
    def declaration(self) -> str:
        """The variant, as its type in the library's text lists it."""
        if not self.arguments:
            return self.variant
        return f"[{' '.join((self.variant, *(argument.kind.stored for argument in self.stored)))}]"

    @property
    def definition(self) -> str:
        """The function in the library's text; empty where the constructor is the function."""
        if self.name == self.variant:
            return ""
        if not self.swappable:
            return f"[fn {self.name} {_names(self.arguments)} {self.variant_usage}]"
        # the subject may come first or, in a pipe, last: whichever argument is a solid is the solid
        *first, last = list("abcdefgh"[: len(self.arguments)])
        others = " ".join(first)
        either = f"[solid? {last}] [{self.variant} {last} {others}] [{self.variant} {others} {last}]"
        return f"[fn {self.name} [{others} {last}] [if {either}]]"


def operation(
    section: Section,
    example: str,
    program: str = "",
    *,
    name: str = "",
    variant: str = "",
    subject_last: bool | None = None,
    swappable: bool = False,
    renamed: Mapping[str, str] | None = None,
) -> Callable[[Callable[..., Any]], Operation]:
    """The record of the function below.

    By itself ``hex_prism`` is ``hex-prism``, its variant ``HexPrism``, and a last argument that is a solid
    or a sketch is the subject.
    """

    def record(build: Callable[..., Any]) -> Operation:
        code = build.__code__
        positional = code.co_varnames[: code.co_argcount]
        hints = build.__annotations__
        arguments = tuple(Argument(each, *get_args(hints[each])[1]) for each in positional)
        written = name or build.__name__.replace("_", "-")
        if subject_last is None:
            last = bool(arguments) and arguments[-1].kind in (Kind.SOLID, Kind.SKETCH)
        else:
            last = subject_last
        result = hints["return"]
        if issubclass(result, Node) and "FUNCTION" not in vars(result):
            result.FUNCTION = written
        return Operation(
            written,
            variant or "".join(part[:1].upper() + part[1:] for part in written.split("-")),
            arguments,
            result,
            build,
            code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount],
            section,
            " ".join((build.__doc__ or "").split()),
            example,
            program,
            last,
            swappable,
            renamed or {},
        )

    return record


def _names(arguments: tuple[Argument, ...]) -> str:
    return f"[{' '.join(argument.name for argument in arguments)}]"


def _call(head: str, arguments: tuple[Argument, ...]) -> str:
    return f"[{' '.join((head, *(argument.name for argument in arguments)))}]"


def _arrows(arguments: tuple[Argument, ...], gives: str) -> str:
    return " -> ".join((*(argument.kind.type for argument in arguments), gives))
