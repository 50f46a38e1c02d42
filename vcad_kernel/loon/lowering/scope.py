"""Which variable a name means at a place in the text.

A *block* is a scope of the language: a function call, an arm of a match, a clause of a handler. A
*frame* is a Python function under construction. They do not nest alike: the arms of a match live in
their function's frame under other names, and the body of a ``handle`` is a frame of its own without
being a scope. Global scope has no block: what is bound there is a Python global.

A variable is local only after its ``let``. Where that may not have run, its slot is *maybe* bound:
it begins as unset, and a reader falls back to what the name means outside.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import Literal

from vcad_kernel.loon.lowering.kinds import Kind
from vcad_kernel.loon.lowering.pyast import At

__all__ = ["Block", "Frame", "Promise", "Slot"]


@dataclass(frozen=True, slots=True)
class Slot:
    """A Python local variable that holds a Loon variable."""

    variable: str
    owner: Frame
    definite: bool = True
    """Whether it is bound whenever the text after its ``let`` runs."""
    parameter: bool = False
    """Whether the call binds it, so that it must not begin as unset."""

    def doubtful(self) -> Slot:
        """The same variable, maybe bound."""
        return replace(self, definite=False)


@dataclass(eq=False, slots=True)
class Block:
    """A scope. ``slots`` are the names bound so far, in the order of the text."""

    owner: Frame
    slots: dict[str, Slot] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    """The Python variable of every name ever bound here, so that rebinding reuses it."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What holds while the quick version of a function runs.

    kinds: of the parameters; result: of a call of the function itself with arguments of those kinds;
    None when the name might mean another function by then.
    """

    kinds: tuple[Kind, ...]
    result: Kind | None


FrameKind = Literal["form", "fn", "method", "shared"]


@dataclass(eq=False, slots=True)
class Frame:
    """A Python function under construction.

    kind: "form" a top-level form; "fn" a function, which captures by value; "method" a function that
    sees globals alone; "shared" a part of the enclosing frame that must be callable.
    """

    kind: FrameKind
    parent: Frame | None = None
    name: str | None = None
    """The global name of a named function, for self calls."""
    counts: tuple[int, ...] = ()
    """The numbers of arguments that a self call may have to become a jump."""
    variables: tuple[str, ...] = ()
    """The Python variables of the parameters, for self calls; one ``*`` variable if ``variadic``."""
    variadic: bool = False
    blocks: list[Block] = field(default_factory=list)
    body: list[ast.stmt] = field(default_factory=list)
    captured: dict[str, None] = field(default_factory=dict)
    begin_unset: dict[str, None] = field(default_factory=dict)
    shared_names: dict[str, None] = field(default_factory=dict)
    global_names: dict[str, None] = field(default_factory=dict)
    itself: str = "$self"
    """The Python variable that holds the function, for self calls."""
    asks_itself: bool = False
    """Whether the code uses it."""
    loops: bool = False
    """Whether a self call became a jump."""
    promise: Promise | None = None
    """What the quick version may rely on, while that is lowered."""
    quick_loops: bool = False
    """Whether a self call became a jump within the quick version."""
    inlined: list[tuple[At, At]] = field(default_factory=list)
    """The functions that became loops here, with the calls that they were in, as they lie in the text."""
    results: list[Kind] = field(default_factory=list)
    """The kinds of what the function returns, as far as it is lowered."""

    def holder(self, slot: Slot) -> Frame:
        """The nearest frame, from here outwards, in which the slot is a plain local variable."""
        frame: Frame | None = self
        while frame is not None:
            if frame is slot.owner or slot.variable in frame.captured:
                return frame
            frame = frame.parent
        return slot.owner

    def lookup(self, name: str) -> list[Slot]:
        """The slots that may hold ``name`` here, nearest first.

        Stops at one that is definitely bound; when the last is not, the name may also be global.
        Functions between here and the slot capture it.
        """
        slots: list[Slot] = []
        crossed: list[Frame] = []
        frame: Frame | None = self
        while frame is not None:
            for block in reversed(frame.blocks):
                slot = block.slots.get(name)
                if slot is None:
                    continue
                for function in crossed:
                    function.captured[slot.variable] = None
                slots.append(slot)
                if slot.definite:
                    return slots
            if frame.kind == "method":
                break
            if frame.kind == "fn":
                crossed.append(frame)
            frame = frame.parent
        return slots

    def innermost_block(self) -> Block | None:
        """The scope that a ``let`` here binds in; None for the global one."""
        frame: Frame | None = self
        while frame is not None:
            if frame.blocks:
                return frame.blocks[-1]
            if frame.kind != "shared":
                return None
            frame = frame.parent
        return None
