"""Macro expansion: forms to forms, before anything runs.

Template macros copy a quoted form with the arguments put in. Procedural macros run Loon on syntax
values; how to run it is handed in, so this module knows nothing of compiling.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, cast

from vcad_kernel.loon.forms.record import Part
from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.printing.printer import printed
from vcad_kernel.loon.runtime.collections import Map, Vector
from vcad_kernel.loon.runtime.values import Keyword
from vcad_kernel.loon.shapes import is_headed
from vcad_kernel.loon.syntax import (
    DEEPEST,
    BoolLit,
    Form,
    Interpolation,
    IntLit,
    KeywordLit,
    ListForm,
    MapForm,
    Quasi,
    SetForm,
    StringLit,
    Symbol,
    TupleForm,
    Unquote,
    UnquoteSplicing,
    VectorForm,
)

__all__ = [
    "DEEPEST_EXPANSION",
    "Expander",
    "Macro",
    "MacroFault",
    "NotSyntaxError",
    "Procedure",
    "form_of",
    "value_of",
]

DEEPEST_EXPANSION = 400
"""Macro calls that may come out of macro calls, one out of the other."""

TOO_MANY = "macro-expansions"
"""Code of the error when expansion does not come to an end soon enough."""

_DEEPEST_FORM = 1000
"""Forms that may lie one in the other after expansion."""

_EFFECTS = frozenset({"IO", "Env", "Print", "Net"})


class MacroFault(Exception):
    """A macro that is wrong, or used wrongly, at a form; ``kind`` is ``macro`` or ``arity``.

    code: the error's code, where it is not that of its kind.
    """

    def __init__(self, message: str, form: Form, kind: str = "macro", *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.form = form
        self.kind = kind
        self.code = code


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro's definition; two are equal when they mean the same."""

    name: str
    parameters: tuple[str, ...]
    rest: str | None
    body: tuple[Form, ...]


Procedure = Callable[[Macro, Sequence[Form], Form], Form]
"""Runs a procedural macro on its arguments for a call; gives the form that replaces the call."""


@dataclass(slots=True)
class Expander:
    """Expands the forms of one program in order. ``macros`` grows as definitions go by."""

    macros: dict[str, Macro]
    procedure: Procedure
    most: int
    """Macro calls that may be expanded."""
    count: int = 0
    """Macro calls that have been."""
    defined: set[str] = field(default_factory=set)
    """The macros that went by."""

    def top_level(self, form: Form) -> Form | None:
        """The expanded form; None for a macro definition, which leaves the program.

        Raises: MacroFault.
        """
        inner = form
        if is_headed(form, "pub") and isinstance(form, ListForm) and len(form.items) > 1:
            inner = ListForm(form.start, form.end, form.items[1:])
        if is_headed(inner, "macro") and isinstance(inner, ListForm) and "macro" not in self.macros:
            macro = definition(inner)
            self.macros[macro.name] = macro
            self.defined.add(macro.name)
            return None
        if is_headed(inner, "macro+"):
            return None
        if is_headed(form, "macroexpand") and isinstance(form, ListForm) and len(form.items) == 2:
            return StringLit(form.start, form.end, printed(self.expand(form.items[1])))
        return self.expand(form) if self.macros else form

    def expand(self, form: Form, depth: int = 0, level: int = 0) -> Form:
        """The form with no macro call left in it.

        depth: macro calls that led here; level: forms that this one lies in.
        """
        if level > _DEEPEST_FORM:
            raise MacroFault(f"macros made forms nested more than {_DEEPEST_FORM} deep here", form)
        while isinstance(form, ListForm) and form.items and isinstance(form.items[0], Symbol):
            macro = self.macros.get(form.items[0].name)
            if macro is None:
                break
            depth += 1
            self.count += 1
            if depth > DEEPEST_EXPANSION:
                raise MacroFault(f"the macro {macro.name} expands without end", form, code=TOO_MANY)
            if self.count > self.most:
                message = f"more than {self.most:,} macro calls had to be expanded by here"
                raise MacroFault(message, form, code=TOO_MANY)
            form = self._call(macro, form)
        match form:
            case ListForm(items=items) if items:
                # A list within tuple(…): a generator would recurse on the C stack.
                expanded = tuple(
                    [
                        self._part(item, part, depth, level + 1)
                        for item, part in zip(items, _held(items), strict=True)
                    ]
                )
                return replace(form, items=expanded) if expanded != items else form
            case (
                VectorForm(items=items) | SetForm(items=items) | MapForm(items=items) | TupleForm(items=items)
            ):
                return replace(form, items=tuple([self.expand(item, depth, level + 1) for item in items]))
            case Interpolation(parts=parts):
                return replace(form, parts=tuple([self.expand(part, depth, level + 1) for part in parts]))
            case _:
                return form

    def _part(self, form: Form, part: Part, depth: int, level: int) -> Form:
        """What stands at a place of a list, with the code in it expanded."""
        if part == "code":
            return self.expand(form, depth, level)
        if part == "pattern" and isinstance(form, ListForm | MapForm):
            held: list[Part] = ["pattern"] * len(form.items)
            if isinstance(form, MapForm):
                held[::2], held[1::2] = ["name"] * len(held[::2]), ["code"] * len(held[1::2])
        elif part == "guard" and isinstance(form, ListForm):
            held = ["name", "code"]
        elif part == "variant" and isinstance(form, ListForm):
            held = ["code" if is_headed(item, "fn") else "name" for item in form.items]
        elif part == "clause" and isinstance(form, TupleForm):
            held = ["code"] * len(form.items)
            held[:1] = ["pattern"] * len(held[:1])
        else:
            return form
        items = tuple(
            [
                self._part(item, argument, depth, level + 1)
                for item, argument in zip(form.items, held, strict=True)
            ]
        )
        return replace(form, items=items)

    def _call(self, macro: Macro, form: ListForm) -> Form:
        arguments = form.items[1:]
        needed = len(macro.parameters)
        if len(arguments) < needed:
            missing = macro.parameters[len(arguments)]
            raise MacroFault(
                f"the macro {macro.name} expected argument {missing}: "
                f"it takes {needed}{' or more' if macro.rest else ''} and got {len(arguments)}",
                form,
                "arity",
            )
        if len(macro.body) == 1 and isinstance(macro.body[0], Quasi):
            rest = arguments[needed:] if macro.rest is not None else None
            given = dict(zip(macro.parameters, arguments, strict=False))
            return _Template(form, given, macro.rest, rest or ()).fill(macro.body[0].form)
        return self.procedure(macro, arguments, form)


def _held(items: tuple[Form, ...]) -> Sequence[Part]:
    """What stands at each place of a list: special forms hold more than expressions."""
    special = FORMS.get(items[0].name) if isinstance(items[0], Symbol) else None
    return special.holds(items) if special is not None else ["code"] * len(items)


def definition(form: ListForm) -> Macro:
    """The macro that ``[macro name [params] #{effects} body…]`` defines.

    Raises: MacroFault.
    """
    parts = form.items[1:]
    if not parts or not isinstance(parts[0], Symbol):
        raise MacroFault("a macro needs a name: [macro name [params] `template]", form)
    if len(parts) < 2 or not isinstance(parts[1], ListForm):
        raise MacroFault(f"the macro {parts[0].name} needs parameters in brackets", form)
    names = []
    for parameter in parts[1].items:
        if not isinstance(parameter, Symbol):
            raise MacroFault("a macro's parameters are plain names", parameter)
        names.append(parameter.name)
    rest = None
    if "&" in names:
        if names.index("&") != len(names) - 2:
            raise MacroFault("one name must follow & at the end of the parameters", parts[1])
        rest = names[-1]
        names = names[:-2]
    body = parts[2:]
    if body and isinstance(body[0], SetForm | MapForm):
        for effect in body[0].items:
            if not isinstance(effect, Symbol) or effect.name not in _EFFECTS:
                raise MacroFault("a macro's effects are among IO, Env, Print and Net", effect)
        body = body[1:]
    if not body:
        raise MacroFault(f"the macro {parts[0].name} has no body", form)
    return Macro(parts[0].name, tuple(names), rest, body)


@dataclass(frozen=True, slots=True)
class _Template:
    """Copies a template for one call. What the template brings stands where the call stands."""

    call: ListForm
    given: dict[str, Form]
    rest_name: str | None
    rest: tuple[Form, ...]

    def fill(self, form: Form) -> Form:
        match form:
            case Symbol(name=name):
                return self._named(name) or self._here(form)
            case Unquote(form=Symbol(name=name) as inner):
                return self._named(name) or self._here(inner)
            case Unquote(form=inner):
                return self.fill(inner)
            case UnquoteSplicing():
                raise MacroFault("~@ stands only inside a list or vector of the template", self.call)
            case Quasi():
                return self._here(form)
            case ListForm(items=items) | VectorForm(items=items):
                return replace(self._here(form), items=self._spliced(items))  # type: ignore[call-arg]
            case SetForm(items=items) | MapForm(items=items) | TupleForm(items=items):
                filled = tuple([self.fill(item) for item in items])
                return replace(self._here(form), items=filled)  # type: ignore[call-arg]
            case Interpolation(parts=parts):
                filled = tuple([self.fill(part) for part in parts])
                return replace(self._here(form), parts=filled)  # type: ignore[call-arg]
            case _:
                return self._here(form)

    def _named(self, name: str) -> Form | None:
        if name == self.rest_name:
            if len(self.rest) == 1:
                return self.rest[0]
            return ListForm(self.call.start, self.call.end, self.rest)
        return self.given.get(name)

    def _spliced(self, items: tuple[Form, ...]) -> tuple[Form, ...]:
        out: list[Form] = []
        for item in items:
            if isinstance(item, UnquoteSplicing):
                name = item.form.name if isinstance(item.form, Symbol) else None
                if name is None or name != self.rest_name:
                    raise MacroFault("~@ needs the macro's rest parameter", self.call)
                out.extend(self.rest)
            else:
                out.append(self.fill(item))
        return tuple(out)

    def _here(self, form: Form) -> Form:
        return here(form, self.call)


def here(form: Form, call: Form) -> Form:
    """``form`` and all within it, standing where ``call`` stands."""
    changes: dict[str, Any] = {"start": call.start, "end": call.end}
    for spec in fields(form):
        value = getattr(form, spec.name)
        if isinstance(value, Form):
            changes[spec.name] = here(value, call)
        elif isinstance(value, tuple):
            changes[spec.name] = tuple([here(cast(Form, item), call) for item in value])
    return replace(form, **changes)


# ---- forms as Loon values and back, for procedural macros ------------------------------------
# A form becomes a map such as ``{:kind :symbol :name "x"}``; kinds without one of their own arrive
# as their printed source.


_KIND, _NAME, _VALUE, _ITEMS = (Keyword(name) for name in ("kind", "name", "value", "items"))


class NotSyntaxError(Exception):
    """A value that is no code."""


def value_of(form: Form) -> Map:
    """The syntax value of a form."""
    match form:
        case Symbol(name=name):
            return Map([(_KIND, Keyword("symbol")), (_NAME, name)])
        case IntLit(value=number):
            return Map([(_KIND, Keyword("int")), (_VALUE, number)])
        case StringLit(value=text):
            return Map([(_KIND, Keyword("str")), (_VALUE, text)])
        case BoolLit(value=truth):
            return Map([(_KIND, Keyword("bool")), (_VALUE, truth)])
        case KeywordLit(name=name):
            return Map([(_KIND, Keyword("keyword")), (_VALUE, name)])
        case ListForm(items=items):
            return Map([(_KIND, Keyword("list")), (_ITEMS, Vector([value_of(item) for item in items]))])
        case VectorForm(items=items):
            return Map([(_KIND, Keyword("vec")), (_ITEMS, Vector([value_of(item) for item in items]))])
        case _:
            return Map([(_KIND, Keyword("str")), (_VALUE, printed(form))])


def form_of(value: object, start: int, end: int, level: int = 0) -> Form:
    """The form that a syntax value, or a bare int, string, bool or keyword, stands for.

    level: how many lists and vectors it lies in.
    Raises: NotSyntaxError, also when they lie more than DEEPEST deep in each other.
    """
    if level > DEEPEST:
        raise NotSyntaxError
    if isinstance(value, Map):
        return _from_map(value, start, end, level)
    if isinstance(value, bool):
        return BoolLit(start, end, value)
    if isinstance(value, int):
        return IntLit(start, end, value)
    if isinstance(value, str):
        return StringLit(start, end, value)
    if isinstance(value, Keyword):
        return KeywordLit(start, end, value.name)
    raise NotSyntaxError


def _from_map(value: Map, start: int, end: int, level: int) -> Form:
    kind = value.get(_KIND)
    items, held, name = value.get(_ITEMS), value.get(_VALUE), value.get(_NAME)
    if kind is Keyword("symbol") and isinstance(name, str) and name:
        return Symbol(start, end, name)
    if kind is Keyword("keyword"):
        if isinstance(held, Keyword):
            held = held.name
        if isinstance(held, str):
            return KeywordLit(start, end, held)
    if isinstance(kind, Keyword) and kind.name in ("int", "str", "bool") and type(held) in (int, str, bool):
        return form_of(held, start, end)
    if isinstance(kind, Keyword) and kind.name in ("list", "vec") and isinstance(items, Vector):
        forms = tuple([form_of(item, start, end, level + 1) for item in items])
        return ListForm(start, end, forms) if kind.name == "list" else VectorForm(start, end, forms)
    raise NotSyntaxError
