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
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from vcad_kernel.loon import syntax
from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.pyast import At
from vcad_kernel.loon.lowering.scope import Block, Frame, Slot
from vcad_kernel.loon.names import mangle
from vcad_kernel.loon.source import lines_of
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["DISCARD", "RETURN", "SPECIAL", "BadForm", "Destination", "Handler", "Lowerer", "is_operation", "special"]


class BadForm(Exception):
    """A special form that is put together wrongly."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a value goes: out of the function, nowhere, or into a temporary."""

    kind: Literal["return", "discard", "variable"]
    variable: str = ""


RETURN = Destination("return")
DISCARD = Destination("discard")

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


@dataclass(eq=False, slots=True)
class Lowerer:
    """Lowers one top-level form of a chunk.

    text: of the chunk, for line numbers; column: where the chunk's first line begins, from 1.
    """

    text: str
    column: int
    frame: Frame = field(default_factory=lambda: Frame("form"))
    keywords: set[str] = field(default_factory=set)
    defines: set[str] = field(default_factory=set)
    _counter: int = 0
    _starts: list[int] = field(default_factory=list)

    def top_level(self, form: Form) -> Lowered:
        """The form as a module that holds one function without parameters."""
        self._starts = lines_of(self.text)
        self.into(form, RETURN)
        at = self.at(form)
        body = [*self.prologue(self.frame, at), *self.frame.body]
        return Lowered(
            pyast.zero_argument_module("$form", body, at), frozenset(self.keywords), frozenset(self.defines)
        )

    # Positions, names, statements

    def at(self, form: Form) -> At:
        """Where a form stands, in lines of the chunk."""
        line, column = self._position(form.start)
        end_line, end_column = self._position(form.end)
        return line, column, end_line, end_column

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        column = offset - self._starts[line - 1]
        return line, column + self.column - 1 if line == 1 else column

    def fresh(self, stem: str = "") -> str:
        """A Python variable that nothing else uses."""
        self._counter += 1
        return f"{stem}${self._counter}"

    def emit(self, statement: ast.stmt) -> None:
        """Append a statement to the body under way."""
        self.frame.body.append(statement)

    def gather(self, lower: Callable[[], None]) -> list[ast.stmt]:
        """The statements that ``lower`` emits, kept apart."""
        outer, self.frame.body = self.frame.body, []
        frame = self.frame
        try:
            lower()
            return frame.body
        finally:
            self.frame = frame
            frame.body = outer

    def prologue(self, frame: Frame, at: At) -> list[ast.stmt]:
        """Declarations, and variables that begin unset."""
        out: list[ast.stmt] = []
        if frame.global_names:
            out.append(pyast.global_names(list(frame.global_names), at))
        if frame.shared_names:
            out.append(pyast.shared(list(frame.shared_names), at))
        if frame.begin_unset:
            out.append(pyast.assign(list(frame.begin_unset), pyast.load("$unset", at), at))
        return out

    def put(self, value: ast.expr, destination: Destination, at: At) -> None:
        """Send a value where it goes."""
        if destination.kind == "return":
            self.emit(pyast.give(value, at))
        elif destination.kind == "variable":
            self.emit(pyast.assign([destination.variable], value, at))
        elif not isinstance(value, ast.Constant):
            self.emit(pyast.run(value, at))

    def unit(self, at: At) -> ast.expr:
        """The value ``()``."""
        return pyast.load("$unit", at)

    def spill(self, value: ast.expr, at: At) -> ast.expr:
        """``value`` in a temporary, unless nothing that happens later can change it."""
        if _is_stable(value):
            return value
        variable = self.fresh()
        self.emit(pyast.assign([variable], value, at))
        return pyast.load(variable, at)

    # Forms

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
        try:
            handler(self, form, destination)
        except BadForm as bad:
            self.frame = frame
            del frame.body[mark:], frame.blocks[depth:]
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
            jump = [pyast.assign_each(frame.variables, pyast.tuple_of(arguments, at), at)] if arguments else []
        frame.loops = True
        self.emit(
            pyast.when(
                pyast.same(function, pyast.load("$self", at), at), [*jump, pyast.again(at)], [], at
            )
        )
        self.emit(pyast.give(pyast.call(function, arguments, at), at))
        return True

    # Names

    def keyword(self, name: str, at: At) -> ast.expr:
        """A keyword literal: a global that no program can rebind."""
        self.keywords.add(name)
        return pyast.load(":" + name, at)

    def read(self, name: str, at: At) -> ast.expr:
        """The value of a name."""
        slots = self.frame.lookup(name)
        if slots and slots[-1].definite:
            value: ast.expr = pyast.load(slots.pop().variable, at)
        else:
            value = self._read_global(name, at)
        return self._first_bound(slots, value, at)

    def _first_bound(self, slots: list[Slot], otherwise: ast.expr, at: At) -> ast.expr:
        value = otherwise
        for slot in reversed(slots):
            bound = pyast.differ(pyast.load(slot.variable, at), pyast.load("$unset", at), at)
            value = pyast.choose(bound, pyast.load(slot.variable, at), value, at)
        return value

    def _read_global(self, name: str, at: At) -> ast.expr:
        first, _, field_name = name.partition(".")
        if not first or not field_name:
            return pyast.load(mangle(name), at)
        parts = [pyast.constant(part, at) for part in (name, first, field_name)]
        slots = self.frame.lookup(first)
        if slots:
            definite = slots[-1].definite
            last = pyast.load(slots.pop().variable if definite else "$unset", at)
            return pyast.call_support("$dotted", [*parts, self._first_bound(slots, last, at)], at)
        return pyast.call_support("$dotted", parts, at)

    def bind(self, name: str, value: ast.expr, at: At, *, also: str | None = None) -> None:
        """Bind a name in the scope that holds here; ``also``: a variable that gets the value too."""
        extra = [] if also is None else [also]
        block = self.frame.innermost_block()
        if block is None:
            self.emit(pyast.assign([*extra, self.define_global(name, at)], value, at))
            return
        variable = block.variables.setdefault(name, self.fresh(mangle(name).partition("$")[0]))
        slot = Slot(variable, block.owner)
        if name in block.slots and block.slots[name].parameter:
            slot = block.slots[name]
        block.slots[name] = slot
        self.assign_slot(slot, value, at, extra)

    def assign_slot(self, slot: Slot, value: ast.expr, at: At, extra: Sequence[str] = ()) -> None:
        """Give a variable that lives in this frame or an enclosing one a value."""
        holder = self.frame.holder(slot)
        if holder is not self.frame:
            self.frame.shared_names[slot.variable] = None
            if holder is slot.owner and not slot.parameter:
                holder.begin_unset[slot.variable] = None
        self.emit(pyast.assign([*extra, slot.variable], value, at))

    def define_global(self, name: str, at: At) -> str:
        """The Python name of a global that is about to be bound here."""
        identifier = mangle(name)
        self.defines.add(name)
        self.frame.global_names[identifier] = None
        if "A" <= name[0] <= "Z":
            shadow = pyast.call_support("$shadow", [pyast.constant(name, at)], at)
            self.emit(pyast.run(shadow, at))
        return identifier

    # Control flow

    def bindings(self) -> tuple[Block | None, dict[str, Slot]]:
        """What is bound in the scope that holds here, to be compared later."""
        block = self.frame.innermost_block()
        return block, dict(block.slots) if block is not None else {}

    def rejoin(self, before: tuple[Block | None, dict[str, Slot]], *ends: dict[str, Slot]) -> None:
        """Where branches meet: a name that not all of them bind is only maybe bound."""
        block, _ = before
        if block is None:
            return
        names = dict.fromkeys(name for end in ends for name in end)
        merged: dict[str, Slot] = {}
        for name in names:
            found = [end[name] for end in ends if name in end]
            definite = len(found) == len(ends) and all(slot.definite for slot in found)
            slot = found[0]
            if not definite:
                slot = slot.doubtful()
                block.owner.begin_unset[slot.variable] = None
            merged[name] = slot
        block.slots.clear()
        block.slots.update(merged)

    def condition(self, form: Form) -> ast.expr:
        """The truth of a form's value as a Python condition."""
        return self.truth(self.value(form), self.at(form))

    def truth(self, value: ast.expr, at: At) -> ast.expr:
        """The truth of a value: bools by themselves, the rest by asking."""
        if isinstance(value, ast.Constant):
            return pyast.constant(value.value is not False and not (type(value.value) is int and value.value == 0), at)
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


def _is_stable(value: ast.expr) -> bool:
    """Constants, keywords, support and temporaries keep their value whatever happens next."""
    if isinstance(value, ast.Constant):
        return True
    return isinstance(value, ast.Name) and (value.id[0] == "$" or (value.id[0] == ":" and value.id != ":"))
