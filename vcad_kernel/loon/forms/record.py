"""What there is to know about a special form: one record, which every stage looks up in forms/table.py.

A form's file says how it is written, laid out and coloured, what it binds and declares, of which type it is,
what it does with values and what it compiles to. What most forms have in common is the default here: operands
that are evaluated from left to right, laid out one below the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from vcad_kernel.loon.checking.declared import Declared, Declares, Declaring
from vcad_kernel.loon.checking.inference.infer import FormRule, Inference
from vcad_kernel.loon.checking.ownership.owners import Owners, Owning
from vcad_kernel.loon.checking.types.types import UNIT, Type
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.printing.layout import Item
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.scoping.nodes import Expected
from vcad_kernel.loon.scoping.walk import FormWalk, Walk
from vcad_kernel.loon.syntax import Form, ListForm

__all__ = [
    "DECLARES_NOTHING",
    "IN_ORDER",
    "NOT_WALKED",
    "OWNS_NOTHING",
    "Part",
    "SpecialForm",
    "all_names",
    "infer_operand",
    "infer_unit",
    "lower_to_unit",
    "named",
    "named_then_types",
    "on_first_line",
    "types_only",
]

Purpose: TypeAlias = Literal["define", "change", "control", "module", "declare"]
"""What a form is for; a name to be defined follows the head of one that defines."""

Part: TypeAlias = Literal["code", "name", "pattern", "clause", "guard", "variant"]
"""What stands at a place in a list: code; something that is never a macro call; what is bound, with
code only in its defaults; ``([params] body …)``; ``[when condition]``; a constructor with its fields,
and code only in its methods."""


def on_first_line(count: int) -> Callable[[Sequence[Item]], int]:
    """So many items of a broken form, its head included, stay on its first line."""
    return lambda _items: count


def _head_alone(_items: Sequence[Item]) -> int:
    return 1


def named(before: Sequence[Node]) -> Expected | None:
    """Behind the head stands a new name."""
    return "name" if len(before) == 1 else None


def types_only(_before: Sequence[Node]) -> Expected | None:
    """Behind the head stand types."""
    return "type"


def named_then_types(before: Sequence[Node]) -> Expected | None:
    """Behind the head stand a new name and types."""
    return named(before) or "type"


def _expects_code(_before: Sequence[Node]) -> Expected | None:
    return None


def _binds_nothing(_items: Sequence[Node], _child: Node) -> bool:
    return False


def _all_code(items: Sequence[Form]) -> Sequence[Part]:
    return ["code"] * len(items)


def _walk_operands(walk: Walk, _node: Node, items: Sequence[Node]) -> None:
    walk.sequence(items[1:])


def _declare_in_operands(declaring: Declaring, operands: tuple[Form, ...], at_top: bool) -> None:
    declaring.each(operands, at_top=at_top)


def _exports_nothing(_operands: Sequence[Form]) -> Iterator[str]:
    return iter(())


def _own_operands(owners: Owners, form: ListForm) -> None:
    owners.each(form.items[1:])


IN_ORDER = Owning(_own_operands)
"""Its operands are looked at one after the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecialForm:
    """A form of the language that is no call."""

    entry: Entry
    """What is said of it; its head is the entry's name."""

    # How it is written

    purpose: Purpose
    between: tuple[str, ...] = ()
    """Words that may stand between the head and the name that it defines."""
    words: tuple[str, ...] = ()
    """Heads that mean something only within it."""
    first_line: Callable[[Sequence[Item]], int] = _head_alone
    """How many of its items, the head included, stay on the first line when it is broken."""
    lines: Callable[[Sequence[Item]], Iterator[Sequence[Item]]] | None = None
    """The items after the first line by the lines they share; None for each on its own."""
    broken: bool = False
    """Whether it never stands on one line."""
    parted: bool = False
    """Whether a blank line stands around it at the top of a text."""
    holds: Callable[[Sequence[Form]], Sequence[Part]] = _all_code
    """What stands at each place, the head's included: macros are expanded in code alone."""

    # What it binds

    walks: FormWalk = _walk_operands
    """What it binds, defines and evaluates in which order, whatever state it is in."""
    expects: Callable[[Sequence[Node]], Expected | None] = _expects_code
    """What may stand behind the parts of it that are there, the head included; None for an expression."""
    binds_in: Callable[[Sequence[Node], Node], bool] = _binds_nothing
    """Whether one of its parts holds names that it binds."""
    holds_types: bool = False
    """Whether what lies deeper in it are names of types, functions excepted."""
    declares: Declares = _declare_in_operands
    """The globals that it may bind, types and traits."""
    announces: Callable[[Declared, tuple[Form, ...]], None] | None = None
    """What it declares besides where it is a whole top-level form."""
    exports: Callable[[Sequence[Form]], Iterator[str]] = _exports_nothing
    """The globals that it hands out when ``pub`` stands before it."""
    lasting: bool = False
    """Whether it leaves more behind than names: a type that others name, or what the checker keeps."""

    # What it means

    infers: FormRule
    owns: Owning = IN_ORDER
    lowers: Lowering

    @property
    def name(self) -> str:
        """Its head."""
        return self.entry.name


# Declarations, which mean nothing when a program runs


def _not_walked(_walk: Walk, _node: Node, _items: Sequence[Node]) -> None:
    pass


NOT_WALKED: FormWalk = _not_walked
"""No name in it is looked at."""


def _declare_nothing(_declaring: Declaring, _operands: tuple[Form, ...], _at_top: bool) -> None:
    pass


DECLARES_NOTHING: Declares = _declare_nothing
"""No code is in it that could."""


def all_names(items: Sequence[Form]) -> Sequence[Part]:
    """No macro is expanded in it."""
    return ["name"] * len(items)


def infer_unit(_inf: Inference, _form: ListForm) -> Type:
    """It is unit."""
    return UNIT


def infer_operand(inf: Inference, form: ListForm) -> Type:
    """It is of the type of its one operand."""
    return inf.infer(form.items[1]) if len(form.items) == 2 else inf.fresh()


def _own_nothing(_owners: Owners, _form: ListForm) -> None:
    pass


OWNS_NOTHING = Owning(_own_nothing)
"""Nothing in it is evaluated."""


def lower_to_unit(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """Nothing happens."""
    at = low.at(form)
    low.put(low.unit(at), destination, at)
