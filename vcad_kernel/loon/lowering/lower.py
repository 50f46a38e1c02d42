"""Forms to Python syntax: the driver, and ordinary expressions.

Loon is made of expressions, Python of statements too, and some forms (``let`` in an argument, a
``match`` with guards) need statements. So lowering a form may append statements to the body under
way and gives the expression that is left. When an operand needed statements, the operands before
it are put into temporaries first; so everything happens from left to right, as it is written.

A special form that is put together wrongly fails when it is reached, as the language wants, not
when it is compiled: its handler raises BadForm and code that fails takes its place.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vcad_kernel.loon import syntax
from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.emitter import DISCARD, RETURN, Destination, Emitter
from vcad_kernel.loon.lowering.pyast import At
from vcad_kernel.loon.names import FORM
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = [
    "DISCARD",
    "RETURN",
    "SPECIAL",
    "BadForm",
    "Destination",
    "Handler",
    "Lowerer",
    "is_operation",
    "special",
]


class BadForm(Exception):
    """A special form that is put together wrongly."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


Handler = Callable[["Lowerer", ListForm, Destination], None]

SPECIAL: dict[str, Handler] = {}
"""Special forms by name; filled by the modules beside this one."""


def special(*names: str) -> Callable[[Handler], Handler]:
    """Register the handler of special forms."""

    def register(handler: Handler) -> Handler:
        SPECIAL.update(dict.fromkeys(names, handler))
        return handler

    return register


def is_operation(name: str) -> bool:
    """Whether a head performs an operation of an effect, such as ``Fail.fail``."""
    return "A" <= name[0] <= "Z" and "." in name


@dataclass(slots=True)
class Lowered:
    """What a top-level form became."""

    module: ast.Module
    keywords: frozenset[str]
    """The keywords it names; they must be bound as ``:name`` before it runs."""
    defines: frozenset[str]
    """The global Loon names that it, or a function in it, may bind."""


class Lowerer(Emitter):
    """Lowers one top-level form of a chunk."""

    def top_level(self, form: Form) -> Lowered:
        """The form as a module that holds one function without parameters."""
        self.into(form, RETURN)
        at = self.at(form)
        body = [*self.prologue(self.frame, at), *self.frame.body]
        return Lowered(
            pyast.zero_argument_module(FORM, body, at), frozenset(self.keywords), frozenset(self.defines)
        )

    def into(self, form: Form, destination: Destination) -> None:
        """Lower a form, its value going to ``destination``."""
        if isinstance(form, ListForm) and form.items and isinstance(form.items[0], Symbol):
            handler = SPECIAL.get(form.items[0].name)
            if handler is not None:
                self._special(handler, form, destination)
                return
            if destination is RETURN and self._jump(form):
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
            handler = SPECIAL.get(head.name)
            if handler is not None:
                return self._special_value(handler, form, at)
            if is_operation(head.name):
                arguments = self.operands(form.items[1:])
                return pyast.call_support("$perform", [pyast.constant(head.name, at), *arguments], at)
        function, *arguments = self.operands(form.items)
        return self.call(function, arguments, at)

    def call(self, function: ast.expr, arguments: Sequence[ast.expr], at: At) -> ast.expr:
        """A call of a value; Python warns when that is a literal, so literals get a variable."""
        if isinstance(function, ast.Constant | ast.Tuple):
            variable = self.fresh()
            function = pyast.walrus(variable, function, at)
        return pyast.call(function, arguments, at)

    def _special(self, handler: Handler, form: ListForm, destination: Destination) -> None:
        frame, mark, depth = self.frame, len(self.frame.body), len(self.frame.blocks)
        block, names = self.bindings()
        try:
            handler(self, form, destination)
        except BadForm as bad:
            self.frame = frame
            del frame.body[mark:], frame.blocks[depth:]
            if block is not None:
                block.slots.clear()
                block.slots.update(names)
            at = self.at(form)
            message = pyast.constant(bad.message, at)
            self.put(pyast.call_support("$bad_form", [message], at), destination, at)

    def _special_value(self, handler: Handler, form: ListForm, at: At) -> ast.expr:
        variable = self.fresh()
        mark = len(self.frame.body)
        self._special(handler, form, Destination("variable", variable))
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
        for form in forms:
            mark = len(self.frame.body)
            value = self.value(form)
            if len(self.frame.body) > mark:
                self._spill_earlier(values, mark)
            values.append(value)
        return values

    def _spill_earlier(self, values: list[ast.expr], mark: int) -> None:
        later = self.frame.body[mark:]
        del self.frame.body[mark:]
        for index, value in enumerate(values):
            at = (value.lineno, value.col_offset, value.end_lineno or 1, value.end_col_offset or 0)
            values[index] = self.spill(value, at)
        self.frame.body += later

    def _jump(self, form: ListForm) -> bool:
        """Lower a self tail call as a jump to the function's beginning, if it is one.

        The name is looked up all the same, so a redefinition while the function runs takes effect.
        """
        frame, head = self.frame, form.items[0]
        assert isinstance(head, Symbol)
        if head.name != frame.name or len(form.items) - 1 not in frame.counts or frame.lookup(head.name):
            return False
        at = self.at(form)
        function, *arguments = self.operands(form.items)
        function = self.spill(function, at)
        if frame.variadic:
            given = [self.spill(argument, at) for argument in arguments]
            jump: list[ast.stmt] = [pyast.assign(frame.variables, pyast.tuple_of(given, at), at)]
            arguments = given
        elif len(arguments) == 1:
            arguments = [self.spill(arguments[0], at)]
            jump = [pyast.assign(frame.variables, arguments[0], at)]
        else:
            arguments = [self.spill(argument, at) for argument in arguments]
            jump = (
                [pyast.assign_each(frame.variables, pyast.tuple_of(arguments, at), at)] if arguments else []
            )
        frame.loops = True
        self.emit(
            pyast.when(pyast.same(function, pyast.load("$self", at), at), [*jump, pyast.again(at)], [], at)
        )
        self.emit(pyast.give(pyast.call(function, arguments, at), at))
        return True

    def condition(self, form: Form) -> ast.expr:
        """The truth of a form's value as a Python condition."""
        return self.truth(self.value(form), self.at(form))

    def truth(self, value: ast.expr, at: At) -> ast.expr:
        """The truth of a value: bools by themselves, the rest by asking."""
        if isinstance(value, ast.Constant):
            return pyast.constant(
                value.value is not False and not (type(value.value) is int and value.value == 0), at
            )
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
