"""What a program's code may look up, and whether it changes things in place: read off its code objects.

The names are those after macro expansion, so nothing that a macro has put in is missed.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CodeType
from typing import Final

from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.names import demangle
from vcad_kernel.loon.program import CodeStep, Program
from vcad_kernel.loon.syntax import ListForm, Symbol

__all__ = ["changes_in_place", "has_lasting_forms", "looked_up", "may_change_in_place"]

_STORE_GLOBAL: Final = dis.opmap["STORE_GLOBAL"]
_CHANGING: Final = ("set!", "channel")
"""What a text must hold to change anything in place."""


def looked_up(program: Program) -> frozenset[str]:
    """Every global name that a program's code may look up.

    Some are looked up by text, as the parts of ``wall.size`` are, so every string is counted in.
    """
    names: set[str] = set()
    pending: list[object] = [step.code.code for step in program.steps if isinstance(step, CodeStep)]
    while pending:
        match pending.pop():
            case CodeType() as code:
                names.update(map(demangle, code.co_names))
                pending += code.co_consts
            case tuple() as constants:
                pending += constants
            case str() as text:
                names.add(text)
    return frozenset(names)


def may_change_in_place(text: str) -> bool:
    """Whether a text has any of the words by which values are changed in place."""
    return any(word in text for word in _CHANGING)


def changes_in_place(program: Program) -> bool:
    """Whether a program makes channels, or has functions that set globals.

    Variables of other functions cannot be set: closures have copies of them.
    """
    if not may_change_in_place(program.source.text):
        return False
    for step in program.steps:
        if not isinstance(step, CodeStep):
            continue
        top = step.code.code
        for code in _inside(top):
            if "channel" in code.co_names or (code is not top and _STORE_GLOBAL in code.co_code[::2]):
                return True
    return False


def has_lasting_forms(program: Program) -> bool:
    """Whether a program declares what outlasts the names that it binds."""
    for part in program.expanded:
        for form in () if part.only_calls else part.forms:
            for item in form.items[:2] if isinstance(form, ListForm) else ():
                if isinstance(item, Symbol) and item.name in FORMS and FORMS[item.name].lasting:
                    return True
    return False


def _inside(code: CodeType) -> Iterator[CodeType]:
    """A code object and those within it."""
    pending = [code]
    while pending:
        within = pending.pop()
        yield within
        pending += [inner for inner in within.co_consts if isinstance(inner, CodeType)]
