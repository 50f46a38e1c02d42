r"""String literals: escapes first, then ``{expression}`` parts.

Works on the text between the quotes and keeps, for each character that the escapes leave, where in
the source it came from, so that forms inside a string have exact positions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import cast

from vcad_kernel.loon.syntax import Form, Interpolation, StringLit

__all__ = ["ReadFault", "string_form"]

_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"'}


@dataclass
class ReadFault(Exception):
    """Text that cannot be read: offsets into the text that was given to the reader."""

    code: str
    message: str
    start: int
    end: int
    fix: str | None = None


def string_form(raw: str, start: int, end: int, read: Callable[[str], tuple[Form, ...]]) -> Form:
    """The form of a string literal.

    raw: the text between the quotes; start, end: the literal with its quotes; read: how to read
    the text of an interpolated expression.
    Raises: ReadFault.
    """
    if "\\" not in raw:
        if "{" not in raw:
            return StringLit(start, end, raw)
        text, origins = raw, list(range(start + 1, end))
    else:
        if "{" not in raw:
            return StringLit(start, end, _unescape(raw, braces=False)[0])
        text, offsets = _unescape(raw, braces=True)
        origins = [start + 1 + offset for offset in offsets] + [end - 1]
    return _interpolated(text, origins, start, end, read)


def _unescape(raw: str, *, braces: bool) -> tuple[str, list[int]]:
    """The text after the escapes, and the offset in ``raw`` of each of its characters.

    braces: double escaped braces, as the interpolation pass wants them.
    """
    out: list[str] = []
    offsets: list[int] = []
    at = 0
    while at < len(raw):
        char = raw[at]
        step = 1
        if char == "\\":
            following = raw[at + 1]
            step = 2
            if following in _ESCAPES:
                char = _ESCAPES[following]
            elif following in "{}":
                char = following * 2 if braces else following
            else:
                char = "\\" + following
        out.append(char)
        offsets.extend([at] * len(char))
        at += step
    return "".join(out), offsets


def _interpolated(
    text: str, origins: list[int], start: int, end: int, read: Callable[[str], tuple[Form, ...]]
) -> Form:
    parts: list[Form] = []
    literal: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char in "{}" and text[at + 1 : at + 2] == char:
            literal.append(char)
            at += 2
            continue
        if char == "}":
            raise ReadFault(
                "E0101",
                "this } in the string closes nothing",
                origins[at],
                origins[at] + 1,
                "write }} or \\} for a plain brace",
            )
        if char != "{":
            literal.append(char)
            at += 1
            continue
        close = _matching(text, at)
        if close < 0:
            raise ReadFault(
                "E0102",
                "this { in the string is never closed",
                origins[at],
                origins[at] + 1,
                "close it with }, or write {{ or \\{ for a plain brace",
            )
        if literal:
            parts.append(StringLit(start, end, "".join(literal)))
            literal = []
        parts.append(_expression(text[at + 1 : close], origins[at + 1 : close + 1], origins[at], read))
        at = close + 1
    if not parts:
        return StringLit(start, end, "".join(literal))
    if literal:
        parts.append(StringLit(start, end, "".join(literal)))
    return Interpolation(start, end, tuple(parts))


def _matching(text: str, opener: int) -> int:
    depth = 0
    for at in range(opener, len(text)):
        if text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return at
    return -1


def _expression(text: str, origins: list[int], brace: int, read: Callable[[str], tuple[Form, ...]]) -> Form:
    """The one expression between braces; origins has one entry more than ``text``, its end."""
    try:
        forms = read(text)
    except ReadFault as fault:
        last = len(text)
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
    return relocated(forms[0], origins)


def relocated(form: Form, origins: list[int]) -> Form:
    """``form`` with its offsets looked up in ``origins``."""
    changes: dict[str, object] = {
        "start": origins[form.start],
        "end": origins[form.end - 1] + 1 if form.end > form.start else origins[form.end],
    }
    for spec in fields(form):
        value = getattr(form, spec.name)
        if isinstance(value, Form):
            changes[spec.name] = relocated(value, origins)
        elif isinstance(value, tuple):
            changes[spec.name] = tuple([relocated(cast(Form, item), origins) for item in value])
    return replace(form, **changes)  # type: ignore[arg-type]
