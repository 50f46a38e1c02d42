"""Forms to Python syntax: the driver, and ordinary expressions.

Loon is made of expressions, Python of statements too, and some forms (``let`` in an argument, a
``match`` with guards) need statements. So lowering a form may append statements to the body under
way and gives the expression that is left. When an operand needed statements, the operands before
it are put into temporaries first; so everything happens from left to right, as it is written.

A special form that is put together wrongly fails when it is reached, as the language wants, not
when it is compiled: what lowers it raises BadForm and code that fails takes its place.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from vcad_kernel.loon import syntax
from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.emitter import DISCARD, RETURN, Destination, Emitter
from vcad_kernel.loon.lowering.jumps import jump, promised
from vcad_kernel.loon.lowering.kinds import BOOL, Kind, kind_of, noted, refinements
from vcad_kernel.loon.lowering.pyast import At
from vcad_kernel.loon.names import FORM, demangle
from vcad_kernel.loon.runtime.builtins.pristine import IN_PLACE, flag_of
from vcad_kernel.loon.shapes import BadForm
from vcad_kernel.loon.syntax import Form, ListForm, Symbol, is_operation

__all__ = ["DISCARD", "RETURN", "Destination", "Inline", "Lowerer", "Lowering", "Malformed", "Rules"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowering:
    """How a special form is lowered, and what can be said of one before it is."""

    lower: Callable[[Lowerer, ListForm, Destination], None]
    """Raises BadForm for one that is put together wrongly."""
    is_open: bool = False
    """Whether it neither rebinds a global by itself nor runs code that is not in the text."""
    binds: bool = True
    """Whether it may bind a variable of the scope around it."""
    names: Callable[[Sequence[Form]], Sequence[Form]] = lambda _operands: ()
    """Those of its operands in which names may be bound."""
    results: Callable[[Sequence[Form]], Sequence[Form]] = lambda _operands: ()
    """Those of its operands of which one is its value; none where that is not known."""
    calls: Callable[[Sequence[Form]], Sequence[Form]] = lambda _operands: ()
    """Those of its operands that it calls if they are names."""
    only_defines: bool = False
    """Whether one at the top of a text does no more than define functions."""


Inline: TypeAlias = "Callable[[Lowerer, ListForm, At], ast.expr | None]"
"""How a call of a builtin is done in place: its value, or None where a call is as good."""


class Rules(NamedTuple):
    """What lowers what, by name: special forms, and builtins that may be done in place."""

    special: Mapping[str, Lowering]
    inline: Mapping[str, Inline]


class Malformed(NamedTuple):
    """A special form that fails when it is reached, for it is put together wrongly; offsets of the chunk."""

    start: int
    end: int
    message: str


@dataclass(slots=True)
class Lowered:
    """What a top-level form became."""

    module: ast.Module
    keywords: frozenset[str]
    """The keywords it names; they must be bound as ``:name`` before it runs."""
    defines: frozenset[str]
    """The global Loon names that it, or a function in it, may bind."""
    malformed: tuple[Malformed, ...]
    """The special forms in it that are put together wrongly, in the order of the text."""


@dataclass(eq=False, kw_only=True)
class Lowerer(Emitter):
    """Lowers one top-level form of a chunk."""

    rules: Rules
    malformed: set[Malformed] = field(default_factory=set)

    def top_level(self, form: Form) -> Lowered:
        """The form as a module that holds one function without parameters."""
        self.around = form
        self._counted: Form | None = None
        self._operands: Counter[str] = Counter()
        self.into(form, RETURN)
        rebound = sorted(self.defines & IN_PLACE)
        if rebound and not self.plain:
            # It changes what it might have taken for granted itself.
            return Lowerer(self.text, self.column, plain=True, rules=self.rules).top_level(form)
        at = self.at(form)
        body = [*self.prologue(self.frame, at), *self.frame.body]
        if rebound:
            parts = [pyast.constant(name, at) for name in rebound]
            body.insert(0, pyast.run(pyast.call_support("$rebinds", parts, at), at))
        elif self._runs_code(form):
            body.insert(0, pyast.run(pyast.call_support("$sync", [], at), at))
        return Lowered(
            pyast.zero_argument_module(FORM, body, at),
            frozenset(self.keywords),
            frozenset(self.defines),
            tuple(sorted(self.malformed)),
        )

    def _runs_code(self, form: Form) -> bool:
        """Whether a top-level form may do more than define functions."""
        if not isinstance(form, ListForm) or not form.items:
            return not isinstance(form, Symbol)
        head = form.items[0]
        special = self.rules.special.get(head.name) if isinstance(head, Symbol) else None
        return special is None or not special.only_defines

    def into(self, form: Form, destination: Destination) -> None:
        """Lower a form, its value going to ``destination``."""
        if isinstance(form, ListForm) and form.items and isinstance(form.items[0], Symbol):
            special = self.rules.special.get(form.items[0].name)
            if special is not None:
                self._special(special, form, destination)
                return
            if destination is RETURN and jump(self, form, self.operands):
                return
        self.put(self.value(form), destination, self.at(form))

    def sequence(self, forms: Sequence[Form], destination: Destination, at: At) -> None:
        """Lower forms one after the other; the last one's value, or unit, goes to the destination."""
        for form in forms[:-1]:
            self.into(form, DISCARD)
        if forms:
            self.into(forms[-1], destination)
        else:
            self.put(self.unit(at), destination, at)

    def value(self, form: Form) -> ast.expr:
        """Lower a form to the expression for its value, after the statements it needs."""
        at = self.at(form)
        match form:
            case Symbol():
                return self.read(form.name, at)
            case syntax.IntLit() | syntax.FloatLit() | syntax.BoolLit() | syntax.StringLit():
                return pyast.constant(form.value, at)
            case syntax.KeywordLit():
                return self.keyword(form.name, at)
            case ListForm():
                return self._list(form, at)
            case syntax.VectorForm():
                return pyast.call_support("$vector", [pyast.items(self.operands(form.items), at)], at)
            case syntax.SetForm():
                return pyast.call_support("$set", [pyast.items(self.operands(form.items), at)], at)
            case syntax.MapForm():
                return pyast.call_support("$map", [pyast.items(self.operands(form.items), at)], at)
            case syntax.TupleForm():
                return pyast.tuple_of(self.operands(form.items), at)
            case syntax.Interpolation():
                return pyast.call_support("$text", self.operands(form.parts), at)
            case _:
                message = "a quote stands outside of a macro's template"
                return pyast.call_support("$macro_fault", [pyast.constant(message, at)], at)

    def _list(self, form: ListForm, at: At) -> ast.expr:
        if not form.items:
            return self.unit(at)
        head = form.items[0]
        if isinstance(head, Symbol):
            special = self.rules.special.get(head.name)
            if special is not None:
                return self._special_value(special, form, at)
            if is_operation(head.name):
                arguments = self.operands(form.items[1:])
                return pyast.call_support("$perform", [pyast.constant(head.name, at), *arguments], at)
            in_place = self.rules.inline.get(head.name)
            if in_place is not None and not self.plain and not self.frame.lookup(head.name):
                value = in_place(self, form, at)
                if value is not None:
                    return value
        function, *arguments = self.operands(form.items)
        value = self.call(function, arguments, at)
        return noted(value, promised(self, form, arguments))

    def call(self, function: ast.expr, arguments: Sequence[ast.expr], at: At) -> ast.expr:
        """A call of a value; Python warns when that is a literal, so literals get a variable."""
        if isinstance(function, ast.Constant | ast.Tuple):
            variable = self.fresh()
            function = pyast.walrus(variable, function, at)
        return pyast.call(function, arguments, at)

    # Quick versions

    def occurs_often(self, variable: str) -> bool:
        """Whether a variable's name is an operand of several operators in the function being lowered."""
        if self._counted is not self.around:
            self._counted = self.around
            self._operands = Counter(operands_in(self.around))
        return self._operands[demangle(variable)] > 1

    def takes_for_granted(self, name: str, at: At) -> list[ast.expr]:
        """What must be asked before a builtin is done in place: nothing within a quick version."""
        flag = flag_of(name)
        if self.assumed is None:
            return [pyast.load(flag, at)]
        self.assumed.add(flag)
        return []

    def two_versions(
        self, tests: Sequence[ast.expr], quick: Callable[[], None], plain: Callable[[], None], at: At
    ) -> None:
        """Lower the same thing twice, with a question before that chooses.

        quick: may take for granted that builtins are what they were and that ``tests`` hold; plain:
        compiles every call as a call.
        """
        before = self.bindings()
        self.assumed = set()
        fast = self.gather(quick)
        flags = [pyast.load(flag, at) for flag in sorted(self.assumed)]
        self.assumed = None
        after = self.go_back(before)
        self.plain = True
        slow = self.gather(plain)
        self.plain = False
        self.rejoin(before, after, self.bindings()[1])
        if flags or tests:
            self.emit(pyast.when(pyast.every([*flags, *tests], at), fast, slow, at))
        else:
            self.frame.body += fast

    def supposing(self, test: ast.expr, holds: bool, lower: Callable[[], None]) -> None:
        """Lower what runs only when a condition holds, or only when it does not."""
        if self.assumed is not None:
            for variable, kind in list(refinements(test, holds, self.kind)):
                self.known[variable] = kind
        lower()

    def in_two_versions(self, form: Form, at: At) -> ast.expr:
        """The value of a form that has loops to run in place."""
        result = Destination("variable", self.fresh())

        def lower() -> None:
            self.into(form, result)

        self.two_versions([], lower, lower, at)
        return pyast.load(result.variable, at)

    def _special(self, special: Lowering, form: ListForm, destination: Destination) -> None:
        frame, mark, depth = self.frame, len(self.frame.body), len(self.frame.blocks)
        block, names = self.bindings()
        try:
            special.lower(self, form, destination)
        except BadForm as bad:
            self.frame = frame
            del frame.body[mark:], frame.blocks[depth:]
            if block is not None:
                block.slots.clear()
                block.slots.update(names)
            self.put(self.failing(form, bad.message), destination, self.at(form))

    def failing(self, form: Form, message: str) -> ast.expr:
        """Code that fails in place of a form that is put together wrongly, which is noted."""
        self.malformed.add(Malformed(form.start, form.end, message))
        at = self.at(form)
        return pyast.call_support("$bad_form", [pyast.constant(message, at)], at)

    def _special_value(self, special: Lowering, form: ListForm, at: At) -> ast.expr:
        variable = self.fresh()
        mark = len(self.frame.body)
        self._special(special, form, Destination("variable", variable))
        body = self.frame.body
        if len(body) == mark + 1:
            only = body[-1]
            if isinstance(only, ast.Assign) and len(only.targets) == 1:
                target = only.targets[0]
                if isinstance(target, ast.Name) and target.id == variable:
                    body.pop()
                    return only.value
        return pyast.load(variable, at)

    def operands(self, forms: Sequence[Form]) -> list[ast.expr]:
        """The values of forms that are evaluated from left to right."""
        values: list[ast.expr] = []
        kinds: list[Kind] = []
        for form in forms:
            mark = len(self.frame.body)
            value = self.value(form)
            if len(self.frame.body) > mark:
                self._spill_earlier(values, kinds, mark)
            values.append(value)
            kinds.append(self.kind(value))
        return values

    def _spill_earlier(self, values: list[ast.expr], kinds: Sequence[Kind], mark: int) -> None:
        """Put values into temporaries before the statements that came after them.

        kinds: of the values, as they were before those statements.
        """
        later = self.frame.body[mark:]
        del self.frame.body[mark:]
        for index, (value, kind) in enumerate(zip(values, kinds, strict=True)):
            at = (value.lineno, value.col_offset, value.end_lineno or 1, value.end_col_offset or 0)
            held = values[index] = self.spill(value, at)
            if held is not value and isinstance(held, ast.Name):
                self.learn(held.id, kind)
        self.frame.body += later

    def condition(self, form: Form) -> ast.expr:
        """The truth of a form's value as a Python condition."""
        return self.truth(self.value(form), self.at(form))

    def truth(self, value: ast.expr, at: At) -> ast.expr:
        """The truth of a value: bools by themselves, the rest by asking."""
        if isinstance(value, ast.Constant):
            return pyast.constant(
                value.value is not False and not (type(value.value) is int and value.value == 0), at
            )
        kind = self.kind(value)
        if kind is BOOL:
            return value
        if kind.name == "int":
            return pyast.compare(value, ast.NotEq(), pyast.constant(0, at), at)
        if isinstance(value, ast.IfExp) and kind_of(value.body) is BOOL:
            return pyast.choose(value.test, value.body, self.truth(value.orelse, at), at)
        if isinstance(value, ast.Name):
            first: ast.expr = value
            variable = value.id
        else:
            variable = self.fresh()
            first = pyast.walrus(variable, value, at)
        yes = pyast.same(first, pyast.constant(True, at), at)
        no = pyast.differ(pyast.load(variable, at), pyast.constant(False, at), at)
        asked = pyast.call_support("$truthy", [pyast.load(variable, at)], at)
        return pyast.some([yes, pyast.every([no, asked], at)], at)


def operands_in(form: Form) -> Iterator[str]:
    """The names that are operands of operators, once for each operator."""
    waiting = [form]
    while waiting:
        inner = waiting.pop()
        items: Sequence[Form] = getattr(inner, "items", ())
        waiting.extend(items)
        head = items[0] if items and isinstance(inner, ListForm) else None
        if isinstance(head, Symbol) and flag_of(head.name) == "$operators":
            yield from {item.name for item in items[1:] if isinstance(item, Symbol)}
