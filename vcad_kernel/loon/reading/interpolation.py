r"""String literals as forms: escapes resolved, ``{expression}`` parts read.

Forms inside a string have exact positions, escapes in their text or not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import cast

from vcad_kernel.loon.reading.literals import ReadFault
from vcad_kernel.loon.reading.string_pieces import Piece, pieces
from vcad_kernel.loon.syntax import Form, Interpolation, StringLit

__all__ = ["FormsReader", "relocated", "string_form"]

FormsReader = Callable[[str, int], Sequence[Form]]
"""Reads a text; offsets in the forms count from the given number. Raises: ReadFault, with offsets
that count from 0."""


def string_form(raw: str, start: int, end: int, read: FormsReader) -> Form:
    """The form of a string literal.

    raw: the text between the quotes; start, end: the literal with its quotes; read: how to read
    the text of an interpolated expression.
    Raises: ReadFault.
    """
    if "{" not in raw:
        if "\\" in raw:
            raw = "".join([piece.text for piece in pieces(raw)])
        return StringLit(start, end, raw)
    parts: list[Form] = []
    literal: list[str] = []
    brace = 0  # where the last one that opens stands
    for piece in pieces(raw):
        at = start + 1 + piece.start
        if piece.kind == "open":
            brace = at
        elif piece.kind == "code":
            if literal:
                parts.append(StringLit(start, end, "".join(literal)))
                literal = []
            parts.append(_expression(piece, start + 1, brace, read))
        elif piece.kind == "stray":
            raise ReadFault(
                "E0101",
                "this } in the string closes nothing",
                at,
                at + 1,
                "write }} or \\} for a plain brace",
            )
        elif piece.kind != "close":
            literal.append(piece.text)
    if not parts:
        return StringLit(start, end, "".join(literal))
    if literal:
        parts.append(StringLit(start, end, "".join(literal)))
    return Interpolation(start, end, tuple(parts))


def _expression(code: Piece, inner: int, brace: int, read: FormsReader) -> Form:
    """The one expression between braces; inner: where the string's raw text begins."""
    if not code.closed:
        raise ReadFault(
            "E0102",
            "this { in the string is never closed",
            brace,
            brace + 1,
            "close it with }, or write {{ or \\{ for a plain brace",
        )
    straight = isinstance(code.origins, range)
    origins = [inner + origin for origin in code.origins]
    try:
        forms = read(code.text, origins[0] if straight else 0)
    except ReadFault as fault:
        last = len(code.text)
        raise ReadFault(
            fault.code,
            fault.message,
            origins[min(fault.start, last)],
            origins[min(max(fault.end - 1, fault.start), last)] + 1,
            fault.fix,
        ) from None
    if len(forms) != 1:
        count = "no expression" if not forms else f"{len(forms)} expressions"
        raise ReadFault(
            "E0101",
            f"the braces in this string hold {count}, but need exactly one",
            brace,
            origins[-1] + 1,
            "for a plain brace write {{ or \\{",
        )
    return forms[0] if straight else relocated(forms[0], origins)


def relocated(form: Form, origins: Sequence[int]) -> Form:
    """``form`` with its offsets looked up in ``origins``.

    What stands for one character in the text that was read may be several in the source, or, of a
    brace that an escape made, one for two.
    """
    changes: dict[str, object] = {
        "start": origins[form.start],
        "end": max(origins[form.end], origins[max(form.end - 1, 0)] + 1),
    }
    for spec in fields(form):
        value = getattr(form, spec.name)
        if isinstance(value, Form):
            changes[spec.name] = relocated(value, origins)
        elif isinstance(value, tuple):
            changes[spec.name] = tuple([relocated(cast(Form, item), origins) for item in value])
    return replace(form, **changes)  # type: ignore[arg-type]
