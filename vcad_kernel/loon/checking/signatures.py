"""What a ``sig`` promises of a definition."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vcad_kernel.loon.checking.display import shown_part
from vcad_kernel.loon.checking.infer import Inference
from vcad_kernel.loon.checking.notation import FormTypes
from vcad_kernel.loon.checking.types import Con, Fn, Type, prune
from vcad_kernel.loon.checking.unify import RIGID
from vcad_kernel.loon.syntax import Form, Symbol

__all__ = ["promised"]


def promised(inf: Inference, symbol: Symbol, term: Type) -> Type:
    """The type of a definition for which there may be a ``sig``."""
    forms = inf.names.signature(symbol.name)
    if forms is None:
        return term
    rigid: dict[str, Type] = {}

    def stand_in() -> Type:
        return Con(f"{RIGID}{len(rigid)}")

    wanted = _declared(inf, forms, term, stand_in, rigid)
    mark = inf.unifier.mark()
    clash = inf.unify(wanted, term)
    inf.unifier.due.clear()
    inf.unifier.undo(mark)
    flexible = _declared(inf, forms, term, inf.fresh, {})
    if clash is not None:
        inferred, promised = shown_part(term), shown_part(flexible)
        inf.report(
            "E0204",
            f"{symbol.name} has the type {inferred}, but its sig says {promised}",
            [(symbol, inferred)],
            why="a sig is a promise to those who call it",
            fix="correct the sig, or the definition",
            severity="warning",
        )
        return term
    inf.unify(flexible, term)
    inf.settle(symbol)
    return term


def _declared(
    inf: Inference,
    forms: Sequence[Form],
    term: Type,
    variable: Callable[[], Type],
    variables: dict[str, Type],
) -> Type:
    """The type that a ``sig`` writes, with its arrows parted as the definition's parameters are."""
    reader = FormTypes(inf.names.arity, variable, variables)
    declared = reader.several(list(forms))
    term = prune(term)
    if not isinstance(term, Fn) or not isinstance(declared, Fn):
        if isinstance(term, Fn) and not term.params and term.rest is None:
            return Fn((), declared)
        return declared
    count = len(term.params)
    if len(declared.params) > count:
        inner: Type = Fn(declared.params[count:], declared.result)
        return Fn(declared.params[:count], inner)
    return declared
