"""``test``: a function that a runner calls (§20.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vcad_kernel.loon.checking.declared import Declaring
from vcad_kernel.loon.checking.inference.functions import define_function
from vcad_kernel.loon.checking.inference.infer import Inference
from vcad_kernel.loon.checking.ownership.owners import Owners, Owning
from vcad_kernel.loon.checking.types.types import UNIT, Type
from vcad_kernel.loon.forms.fn import after_parameters, binds_parameters, holds_parameters
from vcad_kernel.loon.forms.record import SpecialForm, named
from vcad_kernel.loon.lowering.functions import define_global_function
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping.nodes import SYMBOL
from vcad_kernel.loon.scoping.patterns import walk_clauses
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.shapes import BadForm, clause_of
from vcad_kernel.loon.syntax import Form, ListForm, StringLit, Symbol

__all__ = ["TEST", "defined_test"]


def defined_test(operands: Sequence[Form]) -> tuple[Symbol, Sequence[Form]] | None:
    """The name, written as a symbol or as text, and what stands behind it; None where no name is."""
    if operands and operands[0] == Symbol(0, 0, "fn"):
        operands = operands[1:]
    match operands:
        case [Symbol() as name, *rest]:
            return name, rest
        case [StringLit(value=text) as name, *rest]:
            return Symbol(name.start, name.end, text), rest
    return None


def _walk(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    rest = items[1:]
    if len(rest) > 1 and rest[0].kind == SYMBOL and rest[0].text == "fn":
        rest = rest[1:]
    if rest and rest[0].kind == SYMBOL:
        walk.define(rest[0], "value", "test", node, f"[{rest[0].text}]")
    walk_clauses(walk, node, rest[1:], "function")


def _declare(declaring: Declaring, operands: tuple[Form, ...], _at_top: bool) -> None:
    defined = defined_test(operands)
    declaring.function((defined[0], *defined[1]) if defined is not None else operands)


def _exports(operands: Sequence[Form]) -> Iterator[str]:
    if operands and isinstance(operands[0], Symbol):
        yield operands[0].name


def _infer(inf: Inference, form: ListForm) -> Type:
    defined = defined_test(form.items[1:])
    if defined is None:
        return inf.fresh()
    define_function(inf, *defined)
    return UNIT


def _own(owners: Owners, form: ListForm) -> None:
    defined = defined_test(form.items[1:])
    if defined is not None:
        owners.define(defined[0].name, defined[1])


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    defined = defined_test(form.items[1:])
    if defined is None:
        raise BadForm("test needs a name and a body: [test name [] body]")
    at = low.at(form)
    define_global_function(low, defined[0].name, [clause_of(defined[1])], at)
    low.put(low.unit(at), destination, at)


TEST = SpecialForm(
    entry=Chapter("Modules and tools").form(
        "[test name [] body …]",
        "Defines a test, a function without parameters that `vcad test` calls. It passes when it ends "
        "without an error; assert-eq is what to check with. Running the program does not run it.",
        "[test areas-multiply [] [assert-eq [* 5 3] 15]]",
        "()",
        "name: a symbol, not a string",
        "body …: forms",
    ),
    purpose="define",
    between=("fn",),
    first_line=after_parameters,
    holds=holds_parameters,
    walks=_walk,
    expects=named,
    binds_in=binds_parameters,
    declares=_declare,
    exports=_exports,
    infers=_infer,
    owns=Owning(_own),
    lowers=Lowering(lower=_lower, only_defines=True),
)
