"""Text of strangers, made fit to be shown: nothing in it acts on a terminal, and nothing in it hides.

    >>> plain("rm \\u202etxt.exe\\x1b[2J")
    'rm \\\\u{202e}txt.exe\\\\u{1b}[2J'

A person decides by what stands there. Control characters, those that turn the direction of writing and those
that are drawn as nothing are spelled out; letters of every language stay.
"""

from __future__ import annotations

from typing import Final

__all__ = ["hides", "plain", "plain_json"]

_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters by their class, that are drawn as nothing."""
_SELECTORS: Final = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0), range(0x180B, 0x1810))
"""Variation selectors: marks by their class, drawn as nothing, and able to carry any text."""


def hides(letter: str) -> bool:
    """Whether a character acts on what shows it, or is drawn as nothing. A space is what it seems to be."""
    return (
        not letter.isprintable()
        or letter in _BLANK
        or any(ord(letter) in selectors for selectors in _SELECTORS)
    )


def plain(text: str, *, stays: str = "\n\t") -> str:
    """The text with all that hides spelled out as ``\\u{202e}``. stays: characters left as they are."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        letter if letter in stays or not hides(letter) else f"\\u{{{ord(letter):x}}}" for letter in text
    )


def plain_json(text: str) -> str:
    """JSON that says the same, with all that hides escaped as JSON does it: ``\\u202e``."""
    if text.isascii() and "\x7f" not in text:
        return text
    return "".join(_escaped(letter) if letter != "\n" and hides(letter) else letter for letter in text)


def _escaped(letter: str) -> str:
    units = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
