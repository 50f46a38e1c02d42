"""Who owns a value: finds names that are used after they were given away. Advice, never a barrier.

The walk goes once over the expanded forms of a text, from top to bottom, and follows names, not values
(§18). It knows no types: whether a binding is of a Copy type is asked of the checker. What a call does to
an argument is told by the callee: some builtins only look, ``push!`` needs a ``mut`` binding, a named
function does what its body does with the parameter, every other callee takes the argument over.

How the checker uses it::

    findings, modes = moves(parts, is_copy, known_modes)

``parts`` are the forms of the text, chunk by chunk. ``known_modes`` holds the functions defined outside
the text (earlier cells, modules, libraries); ``modes`` gives those that this text defines, to be kept
with its definitions. ``BORROWS`` suits the functions of a host library, whose arguments are plain data
that nobody takes away. Names bound outside the text are nobody's concern here: what another cell did
with them is not said again.

``is_copy(symbol)`` is asked, maybe repeatedly, for every Symbol that binds a variable: in ``let`` and
parameter patterns, ``match`` patterns, rest parameters and clauses of ``handle``. It must answer for that
very object (by identity: macros may put equal symbols in many places). True for Int, Float, Bool, Keyword,
``derive Copy`` types and the types of libraries, and for variables bound to numbers (``Add``, ``Ord``,
``Real``, ``Count``). True as well where nothing is known of the type, so that ignorance makes no noise.

The walk is as deep as the forms are nested: to be called with a deep stack (runtime/depth.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Final

from vcad_kernel.loon import syntax
from vcad_kernel.loon.checking.modes import BORROWS, BUILTINS, TAKES_OVER, Mode, Modes
from vcad_kernel.loon.checking.variables import NOT_FOLLOWED, Binding, Finding, IsCopy, Mark, Variables
from vcad_kernel.loon.lowering.functions import clause_of
from vcad_kernel.loon.lowering.lower import BadForm
from vcad_kernel.loon.syntax import Form, ListForm, MapForm, SetForm, Symbol, TupleForm, VectorForm

__all__ = ["BORROWS", "Finding", "Mark", "Modes", "moves"]


def moves(
    parts: Sequence[Sequence[Form]], is_copy: IsCopy, known: Mapping[str, Modes]
) -> tuple[list[Finding], dict[str, Modes]]:
    """The findings on a text in the order of the walk, and the modes of the functions it defines.

    A function may be called above its definition, or by itself. Its modes are guessed then, as mild as
    can be, and the walk is repeated with what it found out until nothing changes.
    """
    later = {name for forms in parts for form in forms for name in _defined_by(form)}
    assumed: dict[str, Modes] = {}
    while True:
        walk = _Walk(is_copy, known, later, assumed)
        for index, forms in enumerate(parts):
            walk.variables.part = index
            for form in forms:
                walk.visit(form)
        if not walk.guessed or walk.defined == assumed:
            return walk.variables.findings, walk.defined
        assumed = walk.defined


def _defined_by(form: Form) -> Iterator[str]:
    """The named function that a top-level form defines, if it does."""
    match form:
        case ListForm(items=(Symbol(name="fn"), Symbol(name=name), *_)):
            yield name
        case ListForm(items=(Symbol(name="pub"), Symbol(name="fn"), Symbol(name=name), *_)):
            yield name
        case ListForm(items=(Symbol(name="pub" | "do"), *inner)):
            for one in inner:
                yield from _defined_by(one)


class _Walk:
    """One pass over a text."""

    def __init__(
        self, is_copy: IsCopy, known: Mapping[str, Modes], later: set[str], assumed: Mapping[str, Modes]
    ) -> None:
        self.variables = Variables(is_copy)
        self.defined: dict[str, Modes] = {}
        """The named functions passed so far."""
        self.guessed = False
        """Whether a function's modes were asked for before its definition was passed."""
        self._known, self._later, self._assumed = known, later, assumed
        self._only_checked = False
        """Inside ``pipe``, ``match`` and literals, where arguments are checked but not moved."""
        self._function = 0
        """The number of the function under way; 0 outside of all."""
        self._numbers = count(1)

    # Forms

    def visit(self, form: Form) -> None:
        """Walk one form."""
        if isinstance(form, Symbol):
            self.variables.use(form)
        elif isinstance(form, ListForm):
            if not form.items:
                return
            head = form.items[0]
            special = _SPECIAL.get(head.name) if isinstance(head, Symbol) else None
            if special is not None:
                special(self, form)
            else:
                self._call(head, form.items[1:], len(form.items) - 1)
        elif isinstance(form, VectorForm | SetForm | TupleForm | MapForm):
            self._literal(form)
        elif isinstance(form, syntax.Interpolation):
            self._each(form.parts)

    def _each(self, forms: Sequence[Form]) -> None:
        for form in forms:
            self.visit(form)

    def _call(self, head: Form, arguments: Sequence[Form], given: int) -> None:
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
                self.variables.lend(binding, argument, callee, only_checked=self._only_checked)
            elif mode is Mode.MOVE and not self._only_checked:
                self.variables.move(binding, argument, callee)

    def _modes(self, head: Form) -> Modes:
        """What a callee does with its arguments."""
        name = head.name if isinstance(head, Symbol) else ""
        if not name or self.variables.find(name) is not None:
            return TAKES_OVER
        found = self.defined.get(name)
        if found is None and name in self._later:
            self.guessed = True
            found = self._assumed.get(name, BORROWS)
        return found or self._known.get(name) or BUILTINS.get(name) or TAKES_OVER

    def _literal(self, form: syntax.Sequence) -> None:
        """A parameter in a literal collection is stored, so its function takes it over."""
        before, self._only_checked = self._only_checked, True
        for item in form.items:
            if isinstance(item, Symbol):
                binding = self.variables.use(item)
                if binding is not None:
                    binding.taken(Mode.MOVE)
            else:
                self.visit(item)
        self._only_checked = before

    def _bind(self, pattern: Form, *, mutable: bool = False, function: int = 0) -> list[Binding]:
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
        return [one for part in parts for one in self._bind(part, mutable=mutable, function=function)]

    # Special forms

    def _let(self, form: ListForm) -> None:
        operands = form.items[1:]
        mutable = bool(operands) and operands[0] == Symbol(0, 0, "mut")
        operands = operands[mutable:]
        if len(operands) > 1:
            self.visit(operands[1])
            self._bind(operands[0], mutable=mutable)

    def _set(self, form: ListForm) -> None:
        """``set!`` gives the variable a new value, so it is alive again."""
        self._each(form.items[2:])
        name = form.items[1] if len(form.items) > 1 else None
        binding = self.variables.find(name.name) if isinstance(name, Symbol) else None
        if binding is not None:
            self.variables.revive(binding)

    def _fn(self, form: ListForm) -> None:
        operands = form.items[1:]
        if operands and isinstance(operands[0], Symbol):
            self._define(operands[0].name, operands[1:])
        else:
            self._clause(operands)

    def _test(self, form: ListForm) -> None:
        operands = form.items[1:]
        if operands and operands[0] == Symbol(0, 0, "fn"):
            operands = operands[1:]
        if operands and isinstance(operands[0], Symbol):
            self._define(operands[0].name, operands[1:])

    def _define(self, name: str, operands: Sequence[Form]) -> None:
        """A named function: what its body does to variables around it has not happened yet."""
        self.defined[name] = Modes(
            tuple(
                tuple(max((one.mode for one in names), default=Mode.BORROW) for names in parameters)
                for parameters in self._named(name, operands)
            )
        )

    def _named(self, name: str, operands: Sequence[Form]) -> list[list[list[Binding]]]:
        """Walk a named function; its parameters' variables, clause by clause."""
        self.defined.pop(name, None)
        state, before = self.variables.state.copy(), self._only_checked
        self._only_checked = False
        if operands and isinstance(operands[0], TupleForm):
            clauses = [self._clause(one.items) for one in operands if isinstance(one, TupleForm)]
        else:
            clauses = [self._clause(operands)]
        self.variables.state, self._only_checked = state, before
        self.variables.scopes[0].pop(name, None)
        return clauses

    def _clause(self, operands: Sequence[Form]) -> list[list[Binding]]:
        """Walk parameters and body of a function; the variables that each parameter binds."""
        try:
            clause = clause_of(operands)
        except BadForm:
            return []
        outer, self._function = self._function, next(self._numbers)
        self.variables.scopes.append({})
        bound = [self._bind(parameter, function=self._function) for parameter in clause.parameters]
        if clause.rest is not None:
            self._bind(clause.rest, function=self._function)
        self._body(clause.body)
        self.variables.scopes.pop()
        self._function = outer
        return bound

    def _body(self, forms: Sequence[Form]) -> None:
        self._each(forms[:-1])
        if forms:
            self._returned(forms[-1])

    def _returned(self, form: Form) -> None:
        """Walk a form in tail position: a parameter that stands there leaves the function."""
        match form:
            case Symbol():
                binding = self.variables.use(form)
                if binding is not None and binding.function == self._function:
                    binding.taken(Mode.MOVE)
            case ListForm(items=(Symbol(name="if"), condition, *branches)):
                self.visit(condition)
                for branch in branches:
                    self._returned(branch)
            case ListForm(items=(Symbol(name="do"), *forms)):
                self._body(forms)
            case _:
                self.visit(form)

    def _in_order(self, form: ListForm) -> None:
        self._each(form.items[1:])

    def _pub(self, form: ListForm) -> None:
        inner = form.items[1:]
        if len(inner) == 1 and isinstance(inner[0], ListForm):
            self.visit(inner[0])
        elif inner:
            self.visit(ListForm(form.start, form.end, inner))

    def _try(self, form: ListForm) -> None:
        self._each(form.items[:0:-1])

    def _pipe(self, form: ListForm) -> None:
        before, self._only_checked = self._only_checked, True
        self._each(form.items[1:2])
        for step in form.items[2:]:
            if isinstance(step, ListForm) and step.items:
                self._call(step.items[0], step.items[1:], len(step.items))
            else:
                self.visit(step)
        self._only_checked = before

    def _match(self, form: ListForm) -> None:
        before, self._only_checked = self._only_checked, True
        self._each(form.items[1:2])
        forms = list(form.items[2:])
        while len(forms) > 1:
            self.variables.scopes.append({})
            self._pattern(forms.pop(0))
            match forms:
                case [ListForm(items=(Symbol(name="when"), *guard)), _, *_]:
                    self._each(guard)
                    del forms[0]
            self.visit(forms.pop(0))
            self.variables.scopes.pop()
        self._only_checked = before

    def _pattern(self, pattern: Form) -> None:
        match pattern:
            case Symbol(name=name) if not _is_upper(name):
                self._bind(pattern)
            case ListForm(items=(Symbol(name=name), *parts)) if _is_upper(name):
                for part in parts:
                    self._pattern(part)
            case ListForm():
                self.visit(pattern)

    def _handle(self, form: ListForm) -> None:
        self._each(form.items[1:2])
        for operation, clause in zip(form.items[2::2], form.items[3::2], strict=False):
            self.variables.scopes.append({"resume": NOT_FOLLOWED})
            if isinstance(operation, ListForm):
                for parameter in operation.items[1:]:
                    self._bind(parameter)
            self.visit(clause)
            self.variables.scopes.pop()

    def _type(self, form: ListForm) -> None:
        """Methods bind the fields of a value; one that takes a field over takes the value."""
        for variant in form.items[2:]:
            for method in variant.items if isinstance(variant, ListForm) else ():
                match method:
                    case ListForm(items=(Symbol(name="fn"), Symbol(name=name), *operands)):
                        others = self.defined.get(name, BORROWS).of(1)
                        fields = [
                            one for clause in self._named(name, operands) for names in clause for one in names
                        ]
                        modes = [one.mode for one in fields if not one.is_copy]
                        self.defined[name] = Modes(((max([*others, *modes]),),))

    def _impl(self, form: ListForm) -> None:
        """Methods of a trait are called as values, so their modes are of no use to anybody."""
        for method in form.items[3:]:
            match method:
                case ListForm(items=(Symbol(name="fn"), Symbol(), *operands)):
                    self._named("", operands)

    def _defparam(self, form: ListForm) -> None:
        self._each(form.items[2:])

    def _nothing(self, form: ListForm) -> None:
        """Declarations, in which nothing is evaluated."""


def _is_upper(name: str) -> bool:
    return "A" <= name[0] <= "Z"


_SPECIAL: Final[Mapping[str, Callable[[_Walk, ListForm], None]]] = {
    "let": _Walk._let,
    "set!": _Walk._set,
    "fn": _Walk._fn,
    "test": _Walk._test,
    **dict.fromkeys(("if", "do", "derive", "mut", "inspect"), _Walk._in_order),
    "defparam": _Walk._defparam,
    "pub": _Walk._pub,
    "try": _Walk._try,
    "pipe": _Walk._pipe,
    "match": _Walk._match,
    "handle": _Walk._handle,
    "type": _Walk._type,
    "impl": _Walk._impl,
    **dict.fromkeys(
        ("macro", "macro+", "macroexpand", "sig", "trait", "effect", "use", "catch-errors"), _Walk._nothing
    ),
}
