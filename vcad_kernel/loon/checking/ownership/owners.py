"""The walk of the ownership check over forms: names are used, lent and given away, in order.

What a special form does with values is said by its own file in forms/; what happens to a variable, by
variables.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Final, NamedTuple

from vcad_kernel.loon import syntax
from vcad_kernel.loon.checking.ownership.variables import (
    BORROWS,
    BUILTINS,
    TAKES_OVER,
    Asked,
    Binding,
    IsCopy,
    Mode,
    Modes,
    Variables,
)
from vcad_kernel.loon.recent import Recent
from vcad_kernel.loon.shapes import BadForm, behind_pub, clause_of
from vcad_kernel.loon.syntax import Form, ListForm, MapForm, SetForm, Symbol, TupleForm, VectorForm

__all__ = ["Owners", "Owning"]


_VERSIONS: Final = 2
"""Outcomes that are kept of one form: a function that calls itself is walked with two guesses in turn."""

_kept: Recent[int, tuple[tuple[Asked, Modes, Form], ...]] = Recent(4096)
"""By the identity of a named function's form, which stays its own because the form is kept with it: what its
walk asked, and the modes it found. Nothing is kept of one with findings, or with functions in it."""


class Owners:
    """One pass over a text. special: the walks of special forms, by name."""

    def __init__(
        self,
        special: Mapping[str, Owning],
        is_copy: IsCopy,
        known: Mapping[str, Modes],
        later: set[str],
        assumed: Mapping[str, Modes],
    ) -> None:
        self._special = special
        self.variables = Variables(is_copy)
        self.defined: dict[str, Modes] = {}
        """The named functions passed so far."""
        self.guessed = False
        """Whether a function's modes were asked for before its definition was passed."""
        self._known, self._later, self._assumed = known, later, assumed
        self.only_checked = False
        """Inside ``pipe``, ``match`` and literals, where arguments are checked but not moved."""
        self._function = 0
        """The number of the function under way; 0 outside of all."""
        self._numbers = count(1)

    # Forms

    def top_level(self, form: Form) -> None:
        """Walk a form at the top; a function of which is known what comes of it is not walked again."""
        match behind_pub(form):
            case ListForm(items=(Symbol(name="fn"), Symbol(name=name), *_)):
                self.defined.pop(name, None)
                self._function_at_top(form, name)
            case _:
                self.visit(form)

    def _function_at_top(self, form: Form, name: str) -> None:
        versions = _kept.get(id(form)) or ()
        for asked, modes, _ in versions:
            if self._is_as_before(asked):
                self.defined[name] = modes
                self.variables.scopes[0].pop(name, None)
                return
        findings = len(self.variables.findings)
        asked = self.variables.asked = Asked()
        self.visit(form)
        self.variables.asked = None
        if asked.settled and asked.functions == 1 and len(self.variables.findings) == findings:
            _kept.keep(id(form), (*versions[1 - _VERSIONS :], (asked, self.defined[name], form)))

    def _is_as_before(self, asked: Asked) -> bool:
        guessed = self.guessed
        if self.variables.is_as_before(asked) and all(
            self._callee(name) == modes for name, modes in asked.callees.items()
        ):
            return True
        self.guessed = guessed
        return False

    def visit(self, form: Form) -> None:
        """Walk one form."""
        if isinstance(form, Symbol):
            self.variables.use(form)
        elif isinstance(form, ListForm):
            if not form.items:
                return
            head = form.items[0]
            special = self._special.get(head.name) if isinstance(head, Symbol) else None
            if special is not None:
                special.walk(self, form)
            else:
                self.call(head, form.items[1:], len(form.items) - 1)
        elif isinstance(form, VectorForm | SetForm | TupleForm | MapForm):
            self._literal(form)
        elif isinstance(form, syntax.Interpolation):
            self.each(form.parts)

    def each(self, forms: Sequence[Form]) -> None:
        """Walk forms one after the other."""
        for form in forms:
            self.visit(form)

    def call(self, head: Form, arguments: Sequence[Form], given: int) -> None:
        """A call; ``given`` counts what a pipe adds to the arguments too."""
        self.visit(head)
        callee = head.name if isinstance(head, Symbol) else "the function called here"
        for argument, mode in zip(arguments, self._modes(head).of(given), strict=False):
            if not isinstance(argument, Symbol):
                self.visit(argument)
                continue
            binding = self.variables.use(argument)
            if binding is None:
                continue
            if mode is Mode.MUTATE:
                self.variables.lend(binding, argument, callee, only_checked=self.only_checked)
            elif mode is Mode.MOVE and not self.only_checked:
                self.variables.move(binding, argument, callee)

    def _modes(self, head: Form) -> Modes:
        """What a callee does with its arguments."""
        name = head.name if isinstance(head, Symbol) else ""
        if not name or self.variables.find(name) is not None:
            return TAKES_OVER
        modes = self._callee(name)
        if self.variables.asked is not None:
            self.variables.asked.callees[name] = modes
        return modes

    def _callee(self, name: str) -> Modes:
        """What a named function does with its arguments."""
        modes = self.defined.get(name)
        if modes is None and name in self._later:
            self.guessed = True
            modes = self._assumed.get(name, BORROWS)
        return modes or self._known.get(name) or BUILTINS.get(name) or TAKES_OVER

    def _literal(self, form: syntax.Sequence) -> None:
        """A parameter in a literal collection is stored, so its function takes it over."""
        before, self.only_checked = self.only_checked, True
        for item in form.items:
            if isinstance(item, Symbol):
                binding = self.variables.use(item)
                if binding is not None:
                    binding.taken(Mode.MOVE)
            else:
                self.visit(item)
        self.only_checked = before

    def bind(self, pattern: Form, *, mutable: bool = False, function: int = 0) -> list[Binding]:
        """Bind the names of a pattern of ``let`` or of a parameter."""
        match pattern:
            case Symbol(name="_"):
                return []
            case Symbol():
                return [self.variables.bind(pattern, mutable=mutable, function=function)]
            case ListForm():
                parts: Sequence[Form] = pattern.items
            case MapForm():
                for name, default in zip(pattern.items[::2], pattern.items[1::2], strict=True):
                    if default != name:
                        self.visit(default)
                parts = pattern.items[::2]
            case _:
                return []
        return [
            variable for part in parts for variable in self.bind(part, mutable=mutable, function=function)
        ]

    def define(self, name: str, operands: Sequence[Form]) -> None:
        """A named function: what its body does to variables around it has not happened yet."""
        self.defined[name] = Modes(
            tuple(
                tuple(max((variable.mode for variable in names), default=Mode.BORROW) for names in parameters)
                for parameters in self.named(name, operands)
            )
        )

    def named(self, name: str, operands: Sequence[Form]) -> list[list[list[Binding]]]:
        """Walk a named function; its parameters' variables, clause by clause."""
        self.defined.pop(name, None)
        if self.variables.asked is not None:
            self.variables.asked.functions += 1
        state, before = self.variables.state.copy(), self.only_checked
        self.only_checked = False
        if operands and isinstance(operands[0], TupleForm):
            clauses = [self.clause(operand.items) for operand in operands if isinstance(operand, TupleForm)]
        else:
            clauses = [self.clause(operands)]
        self.variables.state, self.only_checked = state, before
        self.variables.scopes[0].pop(name, None)
        return clauses

    def clause(self, operands: Sequence[Form]) -> list[list[Binding]]:
        """Walk parameters and body of a function; the variables that each parameter binds."""
        try:
            clause = clause_of(operands)
        except BadForm:
            return []
        outer, self._function = self._function, next(self._numbers)
        self.variables.scopes.append({})
        bound = [self.bind(parameter, function=self._function) for parameter in clause.parameters]
        if clause.rest is not None:
            self.bind(clause.rest, function=self._function)
        self.body(clause.body)
        self.variables.scopes.pop()
        self._function = outer
        return bound

    def body(self, forms: Sequence[Form]) -> None:
        """Walk forms of which the last one's value leaves the function."""
        self.each(forms[:-1])
        if forms:
            self.returned(forms[-1])

    def returned(self, form: Form) -> None:
        """Walk a form in tail position: a parameter that stands there leaves the function."""
        match form:
            case Symbol():
                binding = self.variables.use(form)
                if binding is not None and binding.function == self._function:
                    binding.taken(Mode.MOVE)
            case ListForm(items=(Symbol(name=head), *_)) if head in self._special:
                special = self._special[head]
                (special.returned or special.walk)(self, form)
            case _:
                self.visit(form)


class Owning(NamedTuple):
    """How a special form deals with values."""

    walk: Callable[[Owners, ListForm], None]
    returned: Callable[[Owners, ListForm], None] | None = None
    """The same where its value leaves a function, if a part of it is that value."""
