"""What every lowering needs: statements in order, positions, and variables.

An Emitter is the Python function under construction and the scopes that hold at the place in the
text that has been reached. It knows names and nothing of forms but where they stand.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.kinds import ANY, Kind, kind_of
from vcad_kernel.loon.lowering.pyast import At
from vcad_kernel.loon.lowering.scope import Block, Frame, Slot
from vcad_kernel.loon.names import mangle
from vcad_kernel.loon.program.inlining import table
from vcad_kernel.loon.source import lines_of
from vcad_kernel.loon.syntax import Form

__all__ = ["DISCARD", "RETURN", "Destination", "Emitter", "LoopHead"]


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a value goes: out of the function, nowhere, or into a temporary."""

    kind: Literal["return", "discard", "variable"]
    variable: str = ""


RETURN = Destination("return")
DISCARD = Destination("discard")


@dataclass(eq=False, slots=True)
class LoopHead:
    """What is worked out once before a loop: the variables made before the n-th keep their values.

    turns: what the loop runs over.
    """

    first: int
    turns: ast.expr
    statements: list[ast.stmt] = field(default_factory=list)
    variables: dict[tuple[str, str], str] = field(default_factory=dict)
    """Python variables by what they hold: something asked of a variable."""


@dataclass(eq=False)
class Emitter:
    """The state of lowering one top-level form of a chunk.

    text: of the chunk, for line numbers; column: where the chunk's first line begins, from 1.
    """

    text: str
    column: int
    frame: Frame = field(default_factory=lambda: Frame("form"))
    """The Python function under construction."""
    keywords: set[str] = field(default_factory=set)
    """Keywords that the form names."""
    defines: set[str] = field(default_factory=set)
    """Global names that the form may bind."""

    known: dict[str, Kind] = field(default_factory=dict)
    """The kinds of Python variables at the place that has been reached, where they are known."""
    assumed: set[str] | None = None
    """In a quick version, of which a plain one stands beside it: the flags of the builtins that it
    takes for granted (see runtime/builtins/pristine.py). Else None."""
    asked: dict[tuple[str, str], str] = field(default_factory=dict)
    """Variables that hold whether another variable is of a kind."""
    loops: list[LoopHead] = field(default_factory=list)
    """The heads of the loops around this place, outermost first."""
    growing: dict[str, str] = field(default_factory=dict)
    """Variables of texts that grow, with those that hold how long they may become unasked."""
    give_up: Callable[[ast.expr], None] | None = None
    """Emits the end of a quick loop over ints whose next sum is another kind of value."""
    cautious: bool = False
    """Whether to suppose nothing of running values: the second attempt, after a guess was wrong."""
    plain: bool = False
    """Whether to compile every call as a call."""
    left: dict[str, Kind] = field(default_factory=dict)
    """What was known at the end of the statements gathered last."""

    def __post_init__(self) -> None:
        self._counter = 0
        self._starts = lines_of(self.text)
        self.assigned: set[str] = set()

    # Statements and positions

    def at(self, form: Form) -> At:
        """Where a form stands, in lines of the chunk."""
        line, column = self._position(form.start)
        end_line, end_column = self._position(form.end)
        return line, column, end_line, end_column

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        column = offset - self._starts[line - 1]
        return line, column + self.column - 1 if line == 1 else column

    @property
    def next_number(self) -> int:
        """The number of the Python variable that is made next."""
        return self._counter + 1

    def fresh(self, stem: str = "") -> str:
        """A Python variable that nothing else uses."""
        self._counter += 1
        return f"{stem}${self._counter}"

    def emit(self, statement: ast.stmt) -> None:
        """Append a statement to the body under way."""
        self.frame.body.append(statement)
        if isinstance(statement, ast.Assign):
            kind = self.kind(statement.value)
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    self.learn(target.id, kind)
                elif isinstance(target, ast.Tuple):
                    for part in target.elts:
                        assert isinstance(part, ast.Name)
                        self.learn(part.id, ANY)

    def gather(self, lower: Callable[[], None]) -> list[ast.stmt]:
        """The statements that ``lower`` emits, kept apart: they may run or not.

        What they find out about variables holds only within; what they assign is unknown after.
        """
        outer, self.frame.body = self.frame.body, []
        frame, known, assigned, asked = self.frame, dict(self.known), self.assigned, dict(self.asked)
        self.assigned = set()
        try:
            lower()
            return frame.body
        finally:
            self.frame = frame
            frame.body = outer
            self.left = self.known
            self.known = {
                name: kind
                for name, kind in known.items()
                if name not in self.assigned or self.left.get(name) == kind
            }
            self.asked = {about: held for about, held in asked.items() if about[0] not in self.assigned}
            self.assigned |= assigned

    @contextmanager
    def inside(self, frame: Frame) -> Iterator[None]:
        """Lower the body of a Python function.

        It runs at another time, so no flag holds in it. What a closure captures by value it knows
        all about; the variables that parts of a frame share may change in any of them.
        """
        outer, known, assumed, assigned = self.frame, self.known, self.assumed, self.assigned
        growing, give_up, asked, loops = self.growing, self.give_up, self.asked, self.loops
        self.frame, self.assumed, self.assigned = frame, None, set()
        self.growing, self.give_up, self.asked, self.loops = {}, None, {}, []
        self.known = dict(known) if frame.kind == "fn" else {}
        try:
            yield
        finally:
            self.frame, self.assumed = outer, assumed
            self.growing, self.give_up, self.loops = growing, give_up, loops
            self.asked = {about: held for about, held in asked.items() if about[0] not in self.assigned}
            self.known = {name: kind for name, kind in known.items() if name not in self.assigned}
            self.assigned |= assigned

    # Kinds

    def kind(self, value: ast.expr) -> Kind:
        """What is known of an expression's value here."""
        if isinstance(value, ast.Name):
            return self.known.get(value.id, ANY)
        return kind_of(value)

    def learn(self, variable: str, kind: Kind) -> None:
        """A variable was given a value of that kind."""
        self.assigned.add(variable)
        for about in [about for about in self.asked if about[0] == variable]:
            del self.asked[about]
        if kind is ANY:
            self.known.pop(variable, None)
        else:
            self.known[variable] = kind

    def before_loop(self, variable: str, what: str, lower: Callable[[LoopHead, str], ast.stmt]) -> str | None:
        """The variable that holds something about one that a loop leaves as it is; None without loop.

        ``lower`` makes the statement that works it out before the outermost loop for which that holds.
        """
        number = variable.rpartition("$")[2]
        if not number.isdigit():
            return None
        for head in self.loops:
            if int(number) < head.first:
                held = head.variables.get((variable, what))
                if held is None:
                    held = head.variables[variable, what] = self.fresh()
                    head.statements.append(lower(head, held))
                return held
        return None

    def loop_head(self, first: int, turns: ast.expr, lower: Callable[[], None]) -> None:
        """Lower a loop, with what can be worked out once put before it."""
        mark = len(self.frame.body)
        self.loops.append(LoopHead(first, turns))
        lower()
        self.frame.body[mark:mark] = self.loops.pop().statements

    def begin_to_grow(self, text: str, at: At) -> None:
        """A text that is going to be appended to in place."""
        room = self.growing[text] = self.fresh()
        self.emit(pyast.assign([room], pyast.call_support("$room", [pyast.constant(0, at)], at), at))

    def has_grown(self, text: str, at: At) -> ast.stmt:
        """What follows after something was appended: a look at the length."""
        length = pyast.call_support("$len", [pyast.load(text, at)], at)
        room = pyast.load(self.growing[text], at)
        looked = pyast.assign([room.id], pyast.call_support("$room", [length], at), at)
        return pyast.when(pyast.compare(length, ast.Gt(), room, at), [looked], [], at)

    def prologue(self, frame: Frame, at: At) -> list[ast.stmt]:
        """Declarations, and variables that begin unset."""
        out: list[ast.stmt] = []
        if frame.global_names:
            out.append(pyast.global_names(list(frame.global_names), at))
        if frame.shared_names:
            out.append(pyast.shared(list(frame.shared_names), at))
        if frame.inlined:
            out.append(pyast.keep(table(frame.inlined, at[0]), at))
        if frame.begin_unset:
            out.append(pyast.assign(list(frame.begin_unset), pyast.load("$unset", at), at))
        return out

    def put(self, value: ast.expr, destination: Destination, at: At) -> None:
        """Send a value where it goes."""
        if destination.kind == "return":
            self.frame.results.append(self.kind(value))
            self.emit(pyast.give(value, at))
        elif destination.kind == "variable":
            self.emit(pyast.assign([destination.variable], value, at))
        elif not isinstance(value, ast.Constant):
            self.emit(pyast.run(value, at))

    def unit(self, at: At) -> ast.expr:
        """The value ``()``."""
        return pyast.load("$unit", at)

    def hold(self, value: ast.expr, at: At) -> ast.expr:
        """``value`` in a variable, unless reading it again costs nothing and finds the same."""
        if isinstance(value, ast.Constant) or (isinstance(value, ast.Name) and "$" in value.id[:-1]):
            return value
        return self.spill(value, at)

    def spill(self, value: ast.expr, at: At) -> ast.expr:
        """``value`` in a temporary, unless nothing that happens later can change it."""
        if _is_stable(value):
            return value
        variable = self.fresh()
        self.emit(pyast.assign([variable], value, at))
        return pyast.load(variable, at)

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

    def within(self, block: Block, lower: Callable[[], None]) -> None:
        """Lower in a new scope."""
        self.frame.blocks.append(block)
        lower()
        self.frame.blocks.pop()

    def bindings(self) -> tuple[Block | None, dict[str, Slot]]:
        """What is bound in the scope that holds here, to be compared later."""
        block = self.frame.innermost_block()
        return block, dict(block.slots) if block is not None else {}

    def go_back(self, before: tuple[Block | None, dict[str, Slot]]) -> dict[str, Slot]:
        """Bind what was bound before, for another branch; gives what is bound at the end of this one."""
        block, names = before
        if block is None:
            return {}
        after = dict(block.slots)
        block.slots.clear()
        block.slots.update(names)
        return after

    def rejoin(self, before: tuple[Block | None, dict[str, Slot]], *ends: dict[str, Slot]) -> None:
        """Where branches meet: a name that not all of them bind is only maybe bound."""
        block, _ = before
        if block is None:
            return
        names = dict.fromkeys(name for end in ends for name in end)
        merged: dict[str, Slot] = {}
        for name in names:
            slots = [end[name] for end in ends if name in end]
            definite = len(slots) == len(ends) and all(slot.definite for slot in slots)
            slot = slots[0]
            if not definite:
                slot = slot.doubtful()
                block.owner.begin_unset[slot.variable] = None
            merged[name] = slot
        block.slots.clear()
        block.slots.update(merged)


def _is_stable(value: ast.expr) -> bool:
    """Constants, keywords, support and temporaries keep their value whatever happens next."""
    if isinstance(value, ast.Constant):
        return True
    return isinstance(value, ast.Name) and (value.id[0] == "$" or (value.id[0] == ":" and value.id != ":"))
