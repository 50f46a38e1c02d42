"""What a program's code may look up, and whether it changes things in place: read off its code objects.

The names are those after macro expansion, so nothing that a macro has put in is missed.
"""

from __future__ import annotations

import dis
from collections.abc import Collection, Iterator
from types import CodeType
from typing import Final

from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.names import demangle, is_internal
from vcad_kernel.loon.program.program import CodeStep, Program
from vcad_kernel.loon.reading.reader import read
from vcad_kernel.loon.syntax import ListForm, Symbol

__all__ = ["changes_in_place", "has_lasting_forms", "looked_up", "may_change_in_place", "uses"]

_STORE_GLOBAL: Final = dis.opmap["STORE_GLOBAL"]
_LOAD_GLOBAL: Final = dis.opmap["LOAD_GLOBAL"]
_LOAD_NAME: Final = dis.opmap["LOAD_NAME"]
_EXTENDED: Final = dis.opmap["EXTENDED_ARG"]
_BY_TEXT: Final = "$dotted"
"""What looks up ``wall.size``, whose parts it is given as text."""


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


def uses(program: Program, macros: Collection[str] = ()) -> frozenset[str]:
    """The names from outside that a program's own text uses, as they stand before it runs.

    A name that the program binds itself is from outside where it is looked up before that, as in
    ``[let w [* w 2]]``; in the body of a function, which runs later, it is the program's own.
    macros: those that the text may call; they leave no trace in its code.
    """
    own = frozenset(
        name for step in program.steps if isinstance(step, CodeStep) for name in step.code.defines
    )
    used: set[str] = set()
    bound: set[str] = set()
    for step in program.steps:
        if not isinstance(step, CodeStep):
            continue
        defines = step.code.defines
        pending: list[tuple[CodeType, bool]] = [(step.code.code, False)]
        while pending:
            code, is_later = pending.pop()
            is_later = is_later or demangle(code.co_name) in defines
            used |= _mentioned(code) - (own if is_later else bound)
            pending += [(inner, is_later) for inner in code.co_consts if isinstance(inner, CodeType)]
        bound |= defines
    if macros:
        used |= _heads(program) & frozenset(macros)
    return frozenset(used)


def _mentioned(code: CodeType) -> set[str]:
    """The global names that a code object itself may look up."""
    if not code.co_names:
        return set()
    loaded = _loaded(code)
    names = {demangle(name) for name in loaded if not is_internal(name)}
    if _BY_TEXT in loaded:
        for text in code.co_consts:
            if isinstance(text, str) and "." in text.strip("."):
                names |= {text, text.partition(".")[0]}
    return names


def _loaded(code: CodeType) -> set[str]:
    """The global names whose values a code object itself loads; `dis` would take thirty times as long."""
    loaded: set[str] = set()
    wide = 0
    for operation, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument = wide | low
        wide = argument << 8 if operation == _EXTENDED else 0
        if operation == _LOAD_GLOBAL:  # its lowest bit asks for room for a call
            loaded.add(code.co_names[argument >> 1])
        elif operation == _LOAD_NAME:
            loaded.add(code.co_names[argument])
    return loaded


def _heads(program: Program) -> set[str]:
    """The names that lists of the text begin with, before any macro is expanded."""
    heads: set[str] = set()
    pending: list[object] = [form for chunk in read(program.source) for form in chunk.forms]
    while pending:
        form = pending.pop()
        items = getattr(form, "items", ())
        if isinstance(form, ListForm) and items and isinstance(items[0], Symbol):
            heads.add(items[0].name)
        pending += items
    return heads


def may_change_in_place(text: str) -> bool:
    """Whether a text has any of the words by which values are changed in place."""
    return "set!" in text or "channel" in text


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
