"""``width=50``: values of parameters as a command line or a cell's first line says them.

Imports nothing of ours, since the line is read before anything slow is wanted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

__all__ = ["settings_of"]


def settings_of(texts: Iterable[str]) -> dict[str, int | float]:
    """The values by name; a whole number stays one, and of two for one name the last counts.

    Raises: ValueError with words for the user.
    """
    settings: dict[str, int | float] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not name or not equals or not value:
            raise ValueError(f"{text!r} sets no parameter; write it as width=50")
        settings[name] = _number(name, value)
    return settings


def _number(name: str, text: str) -> int | float:
    try:
        number: int | float = int(text)
    except ValueError:
        try:
            number = float(text)
        except ValueError:
            raise ValueError(f"{name}={text}: {text} is no number") from None
    if not math.isfinite(number):
        raise ValueError(f"{name}={text}: the value must be finite")
    return number
