"""What an operation of the CAD library is: a function whose name, arguments, text and body are the record.

    @operation(PRIMITIVES, "[cylinder 3 12]")
    def cylinder(r: Mm, h: Mm) -> Cylinder:
        \"""Cylinder along +Z, base disc at z = 0. r is the radius, not the diameter.\"""
        return Cylinder(r, h)

The function turns checked arguments into the node; what it says is what users read. The user writes the
subject last (``[translate 1 2 3 s]``), the variant of the library's type stores it first. Options are
keys of a map right before the subject, which may be left out; the variant stores the map last. The function
gets them by name:

    @operation(SWEEPS, "[pull 5 k]", options=(Key("twist", Degrees, 0.0, "turn of the end"),))
    def pull(h: Mm, k: Sketch, *, twist: float) -> Pull:

Several records may have one name: see words.py.
Annotations are read as they stand, so modules of records do without ``from __future__ import annotations``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, get_args

from vcad_kernel.operations.arguments import Argument, Key, Keyed, Kind, given_of
from vcad_kernel.operations.node import Node

__all__ = ["Composed", "Operation", "Section", "operation"]


@dataclass(frozen=True, slots=True)
class Section:
    """A chapter of the reference."""

    title: str
    intro: str
    """What holds for all its operations; may be empty."""


_SUBJECTS = (Kind.SOLID, Kind.SKETCH, Kind.PATH, Kind.SURFACE)


class Composed(str):
    """What a function gives that makes no value of its own: its body in Loon, out of others of the library.

    The record's function gets the names of the arguments in place of what they hold.
    """

    __slots__ = ()

    GIVES: ClassVar[str]
    """The type of what it gives in Loon."""


@dataclass(frozen=True, slots=True)
class Operation:
    """The record of one function or constant of the library, or of one of a word's meanings."""

    name: str
    """As the user writes it."""
    variant: str
    """The constructor of its value in Loon; empty where others make what it gives."""
    arguments: tuple[Argument, ...]
    """In the order in which the user writes them, without options."""
    options: tuple[Key, ...]
    """What may stand in the map before the last argument; empty where there is no such map."""
    result: Any
    """The class of what it makes."""
    build: Callable[..., Any]
    """From the checked arguments, in the user's order, children as ids, and the options by name.
    Raises: ParameterFault."""
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
    instead: str = ""
    """Of an older function: the word that says the same shorter today."""

    @property
    def gives(self) -> str:
        """``Solid``, ``Sketch``, ``Plane``, ``SketchSeg``, ``Step``, ``Path``, ``Selection`` …"""
        gives: str = self.result.GIVES
        return gives

    @property
    def body(self) -> str:
        """The function's body in Loon where others make what it gives; else empty."""
        if not issubclass(self.result, Composed):
            return ""
        return str(self.build(*(argument.name for argument in self.arguments)))

    @property
    def stored(self) -> tuple[Argument, ...]:
        """The arguments in the order of the variant's fields."""
        arguments = self.arguments
        if self.subject_last:
            arguments = (arguments[-1], *arguments[:-1])
        return (*arguments, self.options_argument) if self.options else arguments

    @property
    def options_argument(self) -> Argument:
        """The map of options as an argument."""
        return Argument("options", Keyed("options", self.options))

    @property
    def is_constant(self) -> bool:
        """Whether it is a value, not a call."""
        return not self.arguments and self.name == self.variant

    @property
    def variant_usage(self) -> str:
        """The call of the constructor."""
        return f"[{' '.join((self.variant, *(argument.name for argument in self.stored)))}]"

    @property
    def variant_type(self) -> str:
        """The type of the constructor."""
        return " -> ".join((*(argument.type for argument in self.stored), self.gives))

    @property
    def declaration(self) -> str:
        """The variant, as its type in the library's text lists it."""
        if not self.arguments:
            return self.variant
        return f"[{' '.join((self.variant, *(argument.stored for argument in self.stored)))}]"


def operation(
    section: Section,
    example: str,
    program: str = "",
    *,
    name: str = "",
    variant: str = "",
    options: tuple[Key, ...] = (),
    subject_last: bool | None = None,
    swappable: bool = False,
    renamed: Mapping[str, str] | None = None,
    instead: str = "",
) -> Callable[[Callable[..., Any]], Operation]:
    """The record of the function below.

    By itself ``hex_prism`` is ``hex-prism``, its variant ``HexPrism``, and a last argument that is a solid,
    a profile, a path or a surface is the subject.
    """

    def record(build: Callable[..., Any]) -> Operation:
        code = build.__code__
        positional = code.co_varnames[: code.co_argcount]
        hints = build.__annotations__
        arguments = tuple(Argument(each, *given_of(hints[each])) for each in positional)
        written = name or build.__name__.replace("_", "-")
        ends_in_subject = bool(arguments) and arguments[-1].kind in _SUBJECTS
        last = ends_in_subject if subject_last is None else subject_last
        returned = hints["return"]
        # what stands on a face is a node, and else a value: the first of a union tells the type
        result = (get_args(returned) or (returned,))[0]
        by_name = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        optional = {key.parameter for key in options}
        assert optional <= {*by_name}, f"{written} does not take all of its options"
        if issubclass(result, Node) and "FUNCTION" not in vars(result):
            result.FUNCTION = written
        own = variant or "".join(part[:1].upper() + part[1:] for part in written.split("-"))
        return Operation(
            written,
            "" if issubclass(result, Composed) else own,
            arguments,
            options,
            result,
            build,
            tuple(each for each in by_name if each not in optional),
            section,
            " ".join((build.__doc__ or "").split()) + (f" Shorter today: {instead}." if instead else ""),
            example,
            program,
            last,
            swappable,
            renamed or {},
            instead,
        )

    return record
