"""What the text of a function says before it is lowered.

A function that calls itself may be worth a quick version, for parameters of the kinds that it is
meant for. Which kinds those are is guessed from how the parameters are used; a wrong guess costs
time, never a wrong result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from vcad_kernel.loon import syntax
from vcad_kernel.loon.lowering.kinds import ANY, BOOL, FLOAT, INT, STR, Kind, either
from vcad_kernel.loon.lowering.lower import Lowering
from vcad_kernel.loon.runtime.builtins.pristine import CALLBACKS, IN_PLACE
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = [
    "Foresight",
    "Special",
    "binds",
    "foresee",
    "forms_in",
    "heads_in",
    "is_lambda",
    "likely_kind",
]

_NUMERIC = frozenset({"+", "-", "*", "/", "%", "<", ">", "<=", ">="})
_TRUTHS = frozenset({"<", ">", "<=", ">=", "=", "not", "any?", "all?", "empty?"})
Special: TypeAlias = Mapping[str, Lowering]
"""The special forms by name: none of them is a call."""


@dataclass(slots=True)
class Foresight:
    """What was found in a function's body."""

    name: str
    calls_itself: bool = False
    loops: bool = False
    """Whether a builtin is called with a function for each item that is written in place."""
    closed: bool = True
    """Whether all that can run while it runs are builtins and the function itself."""
    floats: bool = False
    """Whether a float is written in it."""
    with_int: set[str] = field(default_factory=set)
    """Names that meet a literal int in an operator, or are an index."""
    with_float: set[str] = field(default_factory=set)
    numeric: set[str] = field(default_factory=set)
    """Names that are operands of an operator."""
    builtins: set[str] = field(default_factory=set)
    """Builtins that it calls by names that nothing in it binds, if it is closed."""
    extended: set[str] = field(default_factory=set)
    """Parameters that a self call hands on with text appended."""

    def kind(self, parameter: str) -> Kind:
        """The kind of argument that a parameter is probably meant for."""
        if parameter in self.with_int and parameter not in self.with_float:
            return INT
        if parameter in self.numeric and not self.floats:
            return INT
        return STR if parameter in self.extended else ANY


def _parts_of(form: Form) -> Sequence[Form]:
    """The forms directly inside a form."""
    if isinstance(form, syntax.Interpolation):
        return form.parts
    if isinstance(form, syntax.Quasi | syntax.Unquote | syntax.UnquoteSplicing):
        return (form.form,)
    items: Sequence[Form] = getattr(form, "items", ())
    return items


def forms_in(forms: Sequence[Form]) -> Iterator[Form]:
    """All forms in forms, these themselves included."""
    waiting = list(forms)
    while waiting:
        form = waiting.pop()
        yield form
        waiting.extend(_parts_of(form))


def heads_in(forms: Sequence[Form]) -> set[str]:
    """The names that lists in forms begin with."""
    heads = set()
    waiting = list(forms)
    while waiting:
        form = waiting.pop()
        items = _parts_of(form)
        if items:
            waiting.extend(items)
            if isinstance(items[0], Symbol):
                heads.add(items[0].name)
    return heads


def binds(form: Form, special: Special) -> bool:
    """Whether evaluating a form may bind a variable of the scope around it."""
    return any(head in special and special[head].binds for head in heads_in([form]))


def is_lambda(form: Form, count: int, special: Special) -> bool:
    """Whether a form is a literal function of so many parameters that can run as part of a loop.

    One that defines names for others, or handles effects, stays a function.
    """
    if not (isinstance(form, ListForm) and len(form.items) >= 2 and form.items[0] == Symbol(0, 0, "fn")):
        return False
    parameters = form.items[1]
    if not isinstance(parameters, ListForm) or len(parameters.items) != count:
        return False
    if any(isinstance(parameter, Symbol) and parameter.name == "&" for parameter in parameters.items):
        return False
    for inner in forms_in(form.items[2:]):
        if isinstance(inner, ListForm) and inner.items and isinstance(inner.items[0], Symbol):
            head = inner.items[0].name
            if head == "fn" and len(inner.items) > 1 and isinstance(inner.items[1], Symbol):
                return False
            if head in special and not special[head].is_open:
                return False
    return True


def foresee(name: str, parameters: Sequence[str], body: Sequence[Form], special: Special) -> Foresight:
    """Look through a function's body."""
    foresight = Foresight(name)
    bound = set(parameters)
    for form in forms_in(body):
        if isinstance(form, syntax.FloatLit):
            foresight.floats = True
        elif isinstance(form, syntax.Quasi | syntax.Unquote | syntax.UnquoteSplicing):
            foresight.closed = False
        if not isinstance(form, ListForm) or not form.items:
            continue
        head = form.items[0]
        if not isinstance(head, Symbol):
            foresight.closed = foresight.closed and not isinstance(head, ListForm)
            continue
        _look(foresight, head.name, form, special, parameters, bound)
    if not bound.isdisjoint({*foresight.builtins, name}):
        foresight.closed = False
    return foresight


def _look(
    foresight: Foresight,
    head: str,
    form: ListForm,
    special: Special,
    parameters: Sequence[str],
    bound: set[str],
) -> None:
    operands = form.items[1:]
    if head == foresight.name:
        foresight.calls_itself = True
        for parameter, operand in zip(parameters, operands, strict=False):
            if isinstance(operand, ListForm) and operand.items[:2] == (
                Symbol(0, 0, "str"),
                Symbol(0, 0, parameter),
            ):
                foresight.extended.add(parameter)
    elif head in special:
        known = special[head]
        if not known.is_open or any(isinstance(operand, Symbol) for operand in known.calls(operands)):
            foresight.closed = False
        # Whatever stands where names may be bound counts as bound: too many only costs time.
        bound.update(
            operand.name for operand in forms_in(known.names(operands)) if isinstance(operand, Symbol)
        )
    elif head == "when":
        pass  # the guard of an arm
    elif head in IN_PLACE:
        foresight.builtins.add(head)
        literal = any(is_lambda(operand, 2 if head == "fold" else 1, special) for operand in operands[-2:])
        foresight.loops = foresight.loops or (head in CALLBACKS and literal)
        if head in CALLBACKS and not (literal and isinstance(operands[-1], ListForm)):
            foresight.closed = False
    else:
        foresight.closed = False
    if head in _NUMERIC or head == "=":
        _look_at_operands(foresight, operands, counts=head != "=")
    elif head == "nth" or head == "range":
        counts = operands[1:2] if head == "nth" else operands
        foresight.with_int.update(operand.name for operand in counts if isinstance(operand, Symbol))


def _look_at_operands(foresight: Foresight, operands: Sequence[Form], *, counts: bool) -> None:
    names = [operand.name for operand in operands if isinstance(operand, Symbol)]
    if counts:
        foresight.numeric.update(names)
    if any(isinstance(operand, syntax.IntLit) for operand in operands):
        foresight.with_int.update(names)
    if any(isinstance(operand, syntax.FloatLit) for operand in operands):
        foresight.with_float.update(names)


def likely_kind(forms: Sequence[Form], kinds: dict[str, Kind], name: str, special: Special) -> Kind | None:
    """The kind of the last form's value if names are of ``kinds``; None for a call of ``name``."""
    if not forms:
        return ANY
    form = forms[-1]
    match form:
        case syntax.IntLit():
            return INT
        case syntax.FloatLit():
            return FLOAT
        case syntax.BoolLit():
            return BOOL
        case syntax.StringLit() | syntax.Interpolation():
            return STR
        case Symbol():
            return kinds.get(form.name, ANY)
        case ListForm(items=(Symbol(name=head), *operands)):
            return _likely_of_call(head, operands, kinds, name, special)
        case _:
            return ANY


def _likely_of_call(
    head: str, operands: list[Form], kinds: dict[str, Kind], name: str, special: Special
) -> Kind | None:
    if head == name:
        return None
    if head in special:
        results = special[head].results(operands)
        return _joined(likely_kind([result], kinds, name, special) for result in results) if results else ANY
    if head in ("+", "-", "*", "/", "%", "and", "or"):
        return _joined(likely_kind([operand], kinds, name, special) for operand in operands)
    return BOOL if head in _TRUTHS else {"str": STR, "len": INT}.get(head, ANY)


def _joined(kinds: Iterable[Kind | None]) -> Kind | None:
    known = [kind for kind in kinds if kind is not None]
    if not known:
        return None
    result = known[0]
    for kind in known[1:]:
        result = either(result, kind)
    return result
