"""``let``: names for a value, or for its parts (§7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vcad_kernel.loon.checking.declared import Declared, Declaring
from vcad_kernel.loon.checking.definitions import Performs
from vcad_kernel.loon.checking.inference.functions import anonymous, differs_within, function_type, promised
from vcad_kernel.loon.checking.inference.infer import Inference
from vcad_kernel.loon.checking.inference.numbers import whole_of
from vcad_kernel.loon.checking.inference.patterns import take_apart
from vcad_kernel.loon.checking.ownership.owners import Owners, Owning
from vcad_kernel.loon.checking.types.types import INT, Type, Whole
from vcad_kernel.loon.diagnostics import Advice
from vcad_kernel.loon.forms.record import Part, SpecialForm
from vcad_kernel.loon.guesses import of_unit, stuck
from vcad_kernel.loon.lowering import functions, pyast
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.printing.layout import Item
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping.nodes import LIST, SYMBOL, Expected, headed, parts, usage_of
from vcad_kernel.loon.scoping.patterns import bind_pattern
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.shapes import BadForm, check_pattern, is_pattern, names_in
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["LET"]


_MUT = Symbol(0, 0, "mut")
_EQUALS = Symbol(0, 0, "=")


def _bound(operands: Sequence[Form]) -> Sequence[Form]:
    """The pattern, the value and what is ignored behind them: the operands without ``mut``."""
    return operands[1:] if operands and operands[0] == _MUT else operands


def _first_line(items: Sequence[Item]) -> int:
    return 3 if len(items) > 1 and items[1].word == "mut" else 2


def _holds(items: Sequence[Form]) -> Sequence[Part]:
    places: list[Part] = ["code"] * len(items)
    for at in range(1, min(len(items), 3 if len(items) > 1 and items[1] == _MUT else 2)):
        places[at] = "pattern"
    return places


def _walk(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    rest = items[1:]
    if len(rest) > 1 and rest[0].kind == SYMBOL and rest[0].text == "mut":
        rest = rest[1:]
    walk.sequence(rest[1:2])
    if rest:
        function = len(rest) > 1 and headed(rest[1], "fn") and parts(rest[1])[1:2]
        usage = usage_of(rest[0].text, function[0]) if function and function[0].kind == LIST else ""
        bind_pattern(walk, rest[0], "variable", node.end, node, usage)
    walk.sequence(rest[2:])


def _expects(before: Sequence[Node]) -> Expected | None:
    return "name" if len(before) == 1 or (len(before) == 2 and before[1].text == "mut") else None


def _binds_in(items: Sequence[Node], child: Node) -> bool:
    return len(items) > 1 and items[1] is child


def _declare(declaring: Declaring, operands: tuple[Form, ...], at_top: bool) -> None:
    bound = _bound(operands)
    declaring.each(bound[1:2], at_top=at_top)
    if at_top and bound:
        declaring.found.names.update((symbol.name, None) for symbol in names_in(bound[0]))


def _announce(declared: Declared, operands: tuple[Form, ...]) -> None:
    match _bound(operands):
        case (Symbol(name=name), _, *_):
            declared.last = name


def _exports(operands: Sequence[Form]) -> Iterator[str]:
    return (symbol.name for symbol in names_in(_bound(operands)[0])) if operands[1:] else iter(())


def _infer(inf: Inference, form: ListForm) -> Type:
    """``[let pattern e]``: the value's type, generalised for each name it binds."""
    operands = _bound(form.items[1:])
    if len(operands) < 2 or not is_pattern(operands[0]):
        return inf.fresh()
    if len(operands) > 2:
        _surplus(inf, operands)
    pattern, value = operands[:2]
    if isinstance(pattern, Symbol) and pattern.name != "_":
        return _let_name(inf, pattern, value, mutable=form.items[1] == _MUT)
    with inf.deeper():
        term = inf.infer(value)
    take_apart(inf, pattern, term, general=True)
    return term


def _surplus(inf: Inference, operands: Sequence[Form]) -> None:
    """Report what stands behind the value, which nothing looks at."""
    first = operands[2]
    fix: str | Advice = "write a let for each name: [let w 10] [let h 20]"
    if operands[1] == _EQUALS:
        fix = "no = stands between name and value: [let w 40]"
    elif unit := stuck(operands[1:3]):
        fix = of_unit(str(unit[0].value), unit[1].name, (unit[0].start, unit[1].end), inf.names.guesses)
    inf.report(
        "E0202",
        f"let takes a name and a value, got {len(operands)} parts: what stands behind the value is ignored",
        [(first, "ignored")],
        why="one let binds one pattern, and has no body",
        fix=fix,
        severity="warning",
    )


def _let_name(inf: Inference, symbol: Symbol, value: Form, *, mutable: bool) -> Type:
    if inf.scope is not None:
        with inf.deeper():
            term = _told(inf, value, inf.infer(value), mutable=mutable)
        inf.bind(symbol, inf.generalised(term))
        inf.scope.performs[symbol.name] = _performs(inf, value)
        return term
    with inf.deeper():
        term = _told(inf, value, _global_value(inf, symbol, value), mutable=mutable)
    term = promised(inf, symbol, term)
    inf.bind(symbol, inf.generalised(term))
    inf.performs[symbol.name] = _performs(inf, value)
    return term


def _told(inf: Inference, value: Form, term: Type, *, mutable: bool) -> Type:
    """The type of a value as its name has it: which ints it comes of, where that is plain to see."""
    known = None if mutable else whole_of(inf, value)
    if known is not None:
        return Whole(known)
    return INT if isinstance(term, Whole) else term


def _global_value(inf: Inference, symbol: Symbol, value: Form) -> Type:
    """The type of a global's value; a function in it may use the global itself."""
    clause = anonymous(value)
    if clause is not None:
        return function_type(inf, symbol.name, [clause], form=value)
    begun = inf.begin(symbol.name, None)
    term = inf.infer(value)
    used = inf.end(symbol.name, begun)
    clash = None if used is None else inf.unify(used, term)
    if clash is not None:
        differs_within(inf, symbol.name, used or term, term, value, clash)
    inf.settle(value)
    return term


def _performs(inf: Inference, value: Form) -> Performs:
    """What is performed when a value is called, as far as its form says."""
    if isinstance(value, Symbol) and inf.scope is not None:
        holder = inf.scope.find(value.name)
        return holder.performs.get(value.name, ()) if holder is not None else ()
    return inf.latent.get(id(value), ())


def _own(owners: Owners, form: ListForm) -> None:
    operands = _bound(form.items[1:])
    if len(operands) > 1:
        owners.visit(operands[1])
        owners.bind(operands[0], mutable=form.items[1] == _MUT)


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[let pattern e]``: bind in the scope that holds here; further operands are ignored."""
    operands = _bound(form.items[1:])
    if len(operands) < 2:
        raise BadForm("let needs a name and a value: [let name value]")
    pattern, at = operands[0], low.at(form)
    check_pattern(pattern)
    value = low.value(operands[1])
    if isinstance(pattern, Symbol) and pattern.name != "_":
        if destination.kind == "discard":
            low.bind(pattern.name, value, at)
        elif destination.kind == "return" and low.frame.blocks:
            low.put(value, destination, at)  # the scope ends here; the body of a handle is none
        else:
            kept = destination.variable or low.fresh()
            low.bind(pattern.name, value, at, also=kept)
            if destination.kind == "return":
                low.put(pyast.load(kept, at), destination, at)
        return
    value = low.spill(value, at)
    functions.take_apart(low, pattern, value)
    low.put(value, destination, at)


LET = SpecialForm(
    entry=Chapter("Definitions").form(
        "[let pattern value]",
        "Binds a name to a value; later forms of the same scope see it. There is no body, and one let binds "
        "one pattern. [a b] takes a vector or tuple apart, {w 50} takes :w out of a map with 50 where it "
        "is missing, {w w} without a default. [let mut v …] marks a variable that push! may work on. At the "
        "top of a program or cell the name is global.",
        "[let w 50] [let [a b] (3 4)] [let {h h depth 5} {:h 30}] #[w a b h depth]",
        "#[50 3 4 30 5]",
        "pattern: a name, [a b …] or {name default …}",
        "value: any expression",
    ),
    purpose="define",
    between=("mut",),
    first_line=_first_line,
    holds=_holds,
    walks=_walk,
    expects=_expects,
    binds_in=_binds_in,
    declares=_declare,
    announces=_announce,
    exports=_exports,
    infers=_infer,
    owns=Owning(_own),
    lowers=Lowering(
        lower=_lower,
        is_open=True,
        names=lambda operands: operands[:2],
        results=lambda operands: operands[-1:],
    ),
)
