"""Forms to code objects, kept by the text they came from.

A chunk's code depends on its text, the column it begins at and the macros it may use, and on nothing
else: names are looked up when the code runs. So it is compiled once, as if it stood on line 1, and
moved to its line and source when it is wanted. An unchanged cell costs nothing to compile, and a
moved one next to nothing.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from types import CodeType
from typing import Final

from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.lowering import access, callbacks, operators
from vcad_kernel.loon.lowering.lower import Lowerer, Rules
from vcad_kernel.loon.recent import Recent
from vcad_kernel.loon.source import SourceName
from vcad_kernel.loon.syntax import Form

__all__ = ["FormCode", "TooNestedError", "code_of", "moved"]

_RULES: Final = Rules(
    {name: form.lowers for name, form in FORMS.items()},
    {**operators.INLINE, **access.INLINE, **callbacks.INLINE},
)

_KEPT = 8192
"""Chunks whose code is remembered, at least."""

_kept: Recent[tuple[str, int, Hashable], tuple[FormCode, ...]] = Recent(_KEPT)


class TooNestedError(Exception):
    """Python refuses to nest code as deep as a form does; ``form`` is the top-level one.

    blocks: it is ``try`` forms that are too deep.
    """

    def __init__(self, form: Form, *, blocks: bool) -> None:
        super().__init__()
        self.form = form
        self.blocks = blocks


@dataclass(frozen=True, slots=True)
class FormCode:
    """A top-level form, ready to run as a function without parameters."""

    code: CodeType
    keywords: frozenset[str]
    """Keywords that must be bound as ``:name`` before it runs."""
    defines: frozenset[str]
    """Global names that it may bind."""


def code_of(text: str, column: int, macros: Hashable, forms: tuple[Form, ...]) -> tuple[FormCode, ...]:
    """The code of a chunk's expanded forms, as if the chunk stood on line 1.

    Raises: TooNestedError.
    """
    wanted = (text, column, macros)
    found = _kept.get(wanted)
    if found is None:
        found = tuple(_compiled(text, column, form) for form in forms)
        _kept.keep(wanted, found)
    return found


def _compiled(text: str, column: int, form: Form) -> FormCode:
    lowered = Lowerer(text, column, rules=_RULES).top_level(form)
    try:
        module = compile(lowered.module, "<loon>", "exec", dont_inherit=True, optimize=0)
    except SyntaxError as error:
        if "nested blocks" not in str(error):
            raise
        raise TooNestedError(form, blocks=True) from None
    except RecursionError:
        raise TooNestedError(form, blocks=False) from None
    code = next(one for one in module.co_consts if isinstance(one, CodeType))
    return FormCode(code, lowered.keywords, lowered.defines)


def moved(form_code: FormCode, line: int, name: SourceName) -> FormCode:
    """The same code for a chunk that begins on a line of a source."""
    return FormCode(_moved(form_code.code, line - 1, name), form_code.keywords, form_code.defines)


def _moved(code: CodeType, lines: int, name: SourceName) -> CodeType:
    constants = tuple(
        _moved(one, lines, name) if isinstance(one, CodeType) else one for one in code.co_consts
    )
    return code.replace(co_filename=name, co_firstlineno=code.co_firstlineno + lines, co_consts=constants)
