"""What the walk over a form finds: scopes, the variables in them, definitions, and every place of a name.

A *local* is all that one scope binds under one name: a second ``let`` of the name in the same scope gives
the same local another site. A global is not bound to anything here: it is a name in a *space*, and what
defines it may be anywhere in the text, or outside of it.

Offsets are code points from the start of the section that was walked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from vcad_kernel.loon.reference import EntryKind

__all__ = [
    "ENTRY_KINDS",
    "Definition",
    "DefinitionKind",
    "Found",
    "Global",
    "Import",
    "Local",
    "LocalKind",
    "Occurrence",
    "Scope",
    "ScopeKind",
    "Space",
]

Space = Literal["value", "type", "effect", "operation", "module"]
"""Names of different spaces never meet: a constructor may be called like its type."""

LocalKind = Literal["variable", "parameter", "pattern", "type parameter", "resume"]

DefinitionKind = Literal[
    "function",
    "variable",
    "macro",
    "type",
    "constructor",
    "method",
    "test",
    "effect",
    "operation",
    "trait",
    "module",
    "import",
]

ENTRY_KINDS: dict[DefinitionKind, EntryKind] = {
    "function": "function",
    "variable": "variable",
    "macro": "macro",
    "type": "constant",
    "constructor": "constructor",
    "method": "function",
    "test": "function",
    "effect": "effect",
    "operation": "effect",
    "trait": "constant",
    "module": "module",
    "import": "variable",
}
"""The kind of entry that a definition is described as."""

ScopeKind = Literal["global", "function", "arm", "clause", "method", "type", "template"]
"""``method`` and ``template`` see globals alone; the other kinds see what surrounds them."""


@dataclass(eq=False, slots=True)
class Occurrence:
    """One place where a name stands, and what it may mean there."""

    start: int
    end: int
    name: str
    """The full name; the text between start and end may be only the part after ``prefix``."""
    space: Space
    defines: bool
    locals: tuple[Local, ...] = field(init=False)
    """The locals that it may mean, nearest first; more than one when a ``let`` may not have run."""
    reaches_global: bool = field(init=False)
    """Whether it means, or may mean, the global of that name."""
    deferred: bool = field(init=False)
    """Whether it stands in a function, which may run long after the text around it."""
    prefix: str = ""
    """What of the name stands elsewhere: ``Shape.`` for the ``area`` of ``Shape.area``."""
    dotted: bool = False
    """Whether a dot in it may part a variable from its field, or a module from its export."""
    site: Occurrence | None = None
    """For a local: the place that bound it last before here."""


@dataclass(eq=False, slots=True)
class Local:
    """A name bound in a scope that is not the global one."""

    name: str
    kind: LocalKind
    scope: Scope
    sites: list[Occurrence] = field(default_factory=list)
    visible_from: int = 0
    """The offset from which on the text can mean it."""
    fixed: str = ""
    """Why it cannot be renamed; empty when it can."""


@dataclass(eq=False, slots=True)
class Scope:
    """A stretch of text in which names are bound."""

    kind: ScopeKind
    start: int
    end: int
    outer: Scope | None
    slots: dict[str, Local] = field(default_factory=dict)
    inner: list[Scope] = field(default_factory=list)
    certain: dict[str, bool] = field(default_factory=dict)
    """While the walk is under way: the names bound so far, and whether they are bound for certain."""

    @property
    def closed(self) -> bool:
        """Whether the scopes around it cannot be seen from it."""
        return self.kind in ("method", "template")


@dataclass(frozen=True, slots=True)
class Definition:
    """A place of the text that binds a global."""

    name: str
    space: Space
    kind: DefinitionKind
    occurrence: Occurrence
    start: int
    end: int
    """The extent of the form that defines it."""
    usage: str
    """How it is written: ``[width part]``."""
    certain: bool = True
    """Whether it has happened for certain once the text behind it runs."""
    owner: str = ""
    """The type of a constructor or method, the effect of an operation, the module of an import."""
    fixed: str = ""
    """Why it cannot be renamed; empty when it can."""


@dataclass(frozen=True, slots=True)
class Import:
    """A ``use``. ``alias`` is what stands before the dot, empty when names are taken one by one."""

    module: str
    alias: str
    start: int
    end: int
    """Where the module's name stands."""


class Global(NamedTuple):
    """A global: its space and its full name."""

    space: Space
    name: str


@dataclass(slots=True)
class Found:
    """What the walk found in one section."""

    root: Scope
    occurrences: list[Occurrence] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    links: list[tuple[Global, Global]] = field(default_factory=list)
    """Globals that carry one name for one reason: a trait's method and those that implement it."""
    whole: bool = True
    """Whether all of the form was walked: no real text nests so deep that it is not."""
