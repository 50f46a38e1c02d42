"""The variables of a text as the ownership check (§18) passes them: alive, lent or moved, and the
findings; and what functions do with their arguments.

Knows names and scopes. Does not know forms that stand for something else than a name: owners.py walks
those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, TypeAlias

from vcad_kernel.loon.syntax import Form, Symbol

__all__ = [
    "BORROWS",
    "BUILTINS",
    "NOT_FOLLOWED",
    "TAKES_OVER",
    "Asked",
    "Binding",
    "Finding",
    "IsCopy",
    "Mark",
    "Mode",
    "Modes",
    "Variables",
]


class Mode(IntEnum):
    """What a function does with an argument; a higher one includes the lower ones."""

    BORROW = 0
    """Looks at it."""
    MUTATE = 1
    """Changes it in place, as ``push!`` does."""
    MOVE = 2
    """Takes it over: returns it, stores it, or passes it on to one that does."""


@dataclass(frozen=True, slots=True)
class Modes:
    """The modes of a named function's parameters, clause by clause."""

    clauses: tuple[tuple[Mode, ...], ...]
    beyond: Mode = Mode.MOVE
    """Of arguments that no clause has a parameter for: a rest parameter stores them in a vector."""

    def of(self, count: int) -> Iterator[Mode]:
        """The modes of the arguments of a call with ``count`` of them."""
        fitting = [clause for clause in self.clauses if len(clause) <= count]
        chosen = max(fitting or self.clauses, key=len, default=())
        yield from chosen[:count]
        for _ in range(count - len(chosen)):
            yield self.beyond


BORROWS: Final = Modes((), Mode.BORROW)
"""A function that looks at all its arguments and keeps none."""

TAKES_OVER: Final = Modes((), Mode.MOVE)
"""A function of which nothing is known."""

_LOOKING: Final = (
    *("println", "print", "str", "len", "nth", "get", "contains?", "empty?"),
    *("+", "-", "*", "<", ">", "<=", ">=", "=", "not", "and", "or"),
)

BUILTINS: Final = {
    **dict.fromkeys((*_LOOKING, "recv", "try-recv"), BORROWS),
    "send": Modes(((Mode.BORROW,),)),
    "push!": Modes(((Mode.MUTATE,),)),
}
"""The builtins that take nothing over, or not everything; all others do. The specification does not name
those of channels, but the ends of a channel are there to be used again."""


IsCopy: TypeAlias = Callable[[Symbol], bool]


@dataclass(frozen=True, slots=True)
class Mark:
    """A form that a finding speaks of, in the part of the text that it belongs to."""

    part: int
    """Index into the parts of the text; the form's offsets are relative to that chunk."""
    form: Form
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """E0300, E0301 or E0302; the first mark is where it is."""

    code: str
    what: str
    marks: tuple[Mark, ...]
    why: str
    fix: str


@dataclass(slots=True, eq=False)
class Binding:
    """A variable as it is walked past: two of one name are two bindings."""

    is_copy: bool
    mutable: bool = False
    function: int = 0
    """The number of the function whose parameter it is; 0 for other variables."""
    mode: Mode = Mode.BORROW
    """What that function does with it."""

    def taken(self, mode: Mode) -> None:
        """Note something that happens to it."""
        self.mode = max(self.mode, mode)


NOT_FOLLOWED: Final = Binding(is_copy=True)
"""Stands for names that are no variables of the program, such as ``resume``."""


@dataclass(frozen=True, slots=True)
class _Taker:
    """Who took a variable over or was lent it, and where."""

    callee: str
    mark: Mark


@dataclass(slots=True)
class State:
    """What has happened to the variables so far."""

    moved: dict[Binding, _Taker]
    lent: dict[Binding, _Taker]

    def copy(self) -> State:
        """The state as it is now, to come back to."""
        return State(self.moved.copy(), self.lent.copy())


Outer: TypeAlias = tuple[bool, bool] | None
"""What a function can see of a variable around it: whether it is copied, and whether it is mutable; None of a
name that is no variable."""


@dataclass(slots=True)
class Asked:
    """What the walk of a function asked about its surroundings, with the answers.

    When these are the same again, so is what comes of the walk.
    """

    names: dict[str, Outer] = field(default_factory=dict)
    copies: list[tuple[Symbol, bool]] = field(default_factory=list)
    callees: dict[str, Modes] = field(default_factory=dict)
    functions: int = 0
    """Named functions, itself included."""
    settled: bool = True
    """Whether nothing had happened to the variables around it."""


class Variables:
    """Scopes, innermost last, and the state of what they hold."""

    def __init__(self, is_copy: IsCopy) -> None:
        self.part = 0
        """The part of the text under way."""
        self.findings: list[Finding] = []
        self.scopes: list[dict[str, Binding]] = [{}]
        self.state = State({}, {})
        self.asked: Asked | None = None
        """Gathers what is asked, where the caller wants it."""
        self.is_copy = is_copy

    def bind(self, symbol: Symbol, *, mutable: bool = False, function: int = 0) -> Binding:
        """A new variable in the innermost scope; an earlier one of that name is out of sight."""
        is_copy = self.is_copy(symbol)
        if self.asked is not None:
            self.asked.copies.append((symbol, is_copy))
        binding = Binding(is_copy, mutable, function)
        self.scopes[-1][symbol.name] = binding
        return binding

    def find(self, name: str) -> Binding | None:
        """The variable of a name."""
        binding: Binding | None = None
        for scope in reversed(self.scopes):
            binding = scope.get(name)
            if binding is not None:
                break
        asked = self.asked
        if asked is not None and name not in asked.names and binding is self.scopes[0].get(name):
            asked.names[name] = self.outer(name)
            asked.settled = asked.settled and not self._has_changed(binding)
        return binding

    def outer(self, name: str) -> Outer:
        """What a function at the top can see of a variable."""
        binding = self.scopes[0].get(name)
        return None if binding is None else (binding.is_copy, binding.mutable)

    def _has_changed(self, binding: Binding | None) -> bool:
        return binding in self.state.moved or binding in self.state.lent

    def is_as_before(self, asked: Asked) -> bool:
        """Whether what was asked of variables has the same answers now."""
        outer = self.scopes[0]
        return all(
            self.outer(name) == answer and not self._has_changed(outer.get(name))
            for name, answer in asked.names.items()
        ) and all(self.is_copy(symbol) is answer for symbol, answer in asked.copies)

    def use(self, symbol: Symbol) -> Binding | None:
        """The variable that a symbol stands for.

        One that was moved is reported and not given. Reading a field, ``p.x``, is a use of ``p`` and no more.
        """
        name = symbol.name
        binding = self.find(name)
        field = binding is None and "." in name[1:]
        if field:
            name = name.partition(".")[0]
            binding = self.find(name)
        taker = self.state.moved.get(binding) if binding is not None else None
        if taker is None:
            return None if field else binding
        callee = taker.callee
        self._report(
            "E0300",
            f"{name} is used after {callee} took it over",
            [Mark(self.part, symbol, "used here"), taker.mark],
            why=f"{callee} may keep what it is given or build on it, so {name} is no longer yours alone",
            fix=f"go on with what {callee} gives back, or bind {name} again with let",
        )
        return None

    def move(self, binding: Binding, symbol: Symbol, callee: str) -> None:
        """A callee takes a variable over."""
        binding.taken(Mode.MOVE)
        if not binding.is_copy:
            mark = Mark(self.part, symbol, f"{callee} took it over here")
            self.state.moved[binding] = _Taker(callee, mark)

    def lend(self, binding: Binding, symbol: Symbol, callee: str, *, only_checked: bool) -> None:
        """A callee changes a variable in place."""
        binding.taken(Mode.MUTATE)
        name, first = symbol.name, self.state.lent.get(binding)
        if not binding.mutable and not binding.function:
            self._report(
                "E0301",
                f"{callee} wants to change {name}, which is not declared mut",
                [Mark(self.part, symbol, "not declared mut")],
                why="a name that does not keep its first value says so where it is bound",
                fix=f"declare it with [let mut {name} …]",
            )
        elif first is not None:
            self._report(
                "E0302",
                f"{callee} changes {name}, which {first.callee} was lent for changing already",
                [Mark(self.part, symbol, "lent a second time"), first.mark],
                why="a variable is lent for changing once; after that its versions would be easy to confuse",
                fix=f"bind the outcome each time: [let mut {name} [{callee} {name} …]]",
            )
        elif not only_checked:
            self.state.lent[binding] = _Taker(callee, Mark(self.part, symbol, f"lent to {callee} here"))

    def revive(self, binding: Binding) -> None:
        """A variable got a new value."""
        binding.taken(Mode.MUTATE)
        self.state.moved.pop(binding, None)
        self.state.lent.pop(binding, None)

    def _report(self, code: str, what: str, marks: Sequence[Mark], *, why: str, fix: str) -> None:
        self.findings.append(Finding(code, what, tuple(marks), why, fix))
