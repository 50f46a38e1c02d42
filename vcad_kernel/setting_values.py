"""The kinds of value that a setting has: how each is read, checked and shown.

Knows no setting: the names come with the calls, for complaints.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

__all__ = ["ADDRESS", "PATH", "SECRET", "SWITCH", "TEXT", "Kind", "SettingError", "decimal", "whole"]


class SettingError(ValueError):
    """A setting with a value that it cannot have; the message names both."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of value."""

    wanted: str
    """What it must be, for a complaint."""
    from_text: Callable[[str], Any]
    """The value of a text. Raises: ValueError."""
    accept: Callable[[Any], Any]
    """The value of what is typed already. Raises: ValueError."""
    unit: str = ""
    secret: bool = False

    def read(self, name: str, text: str) -> Any:
        """The value that a text means. Raises: SettingError, with the setting's name."""
        return self._checked(name, text, self.from_text)

    def value(self, name: str, given: object) -> Any:
        """The value that something typed means: a text is read. Raises: SettingError."""
        return self._checked(name, given, self.from_text if isinstance(given, str) else self.accept)

    def _checked(self, name: str, given: Any, meant: Callable[[Any], Any]) -> Any:
        try:
            return meant(given)
        except ValueError:
            # not even the cause may show what was given, should it be a secret
            shown = "what it is" if self.secret else repr(given)
            raise SettingError(f"{name} must be {self.wanted}, not {shown}") from None

    def shown(self, value: object) -> str:
        """A value for people."""
        if value is None:
            return ""
        if self.secret:
            return "(set)"
        if isinstance(value, bool):
            return "1" if value else "0"
        return f"{value:g}" if isinstance(value, float) else str(value)


_UNITS: Final = {"ms": "milliseconds", "s": "seconds"}


def whole(least: int, most: int | None = None, unit: str = "") -> Kind:
    """A whole number."""

    def accept(number: Any) -> int:
        if type(number) is not int or number < least or (most is not None and number > most):
            raise ValueError
        return number

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or len(text) > 18:
            raise ValueError
        return accept(int(text))

    counted = f" of {_UNITS.get(unit, unit)}" if unit else ""
    span = f" from {least} to {most}" if most is not None else f", {least} or more" if least else ""
    return Kind(f"a whole number{counted}{span}", read, accept, unit)


def decimal(unit: str, *, above: float) -> Kind:
    """A number that is greater than ``above``."""

    def accept(number: Any) -> float:
        if type(number) not in (int, float) or not (math.isfinite(number) and number > above):
            raise ValueError
        return float(number)

    counted = f" of {_UNITS.get(unit, unit)}" if unit else ""
    return Kind(f"a number{counted} above {above:g}", lambda text: accept(float(text)), accept, unit)


_YES: Final = {"1": True, "true": True, "yes": True, "on": True}
_NO: Final = {"0": False, "false": False, "no": False, "off": False}


def _switch(text: str) -> bool:
    known = {**_YES, **_NO}
    if text.lower() not in known:
        raise ValueError
    return known[text.lower()]


def _typed_switch(value: Any) -> bool:
    if value not in (0, 1):
        raise ValueError
    return bool(value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise ValueError
    return value.strip()


def _address(value: Any) -> str:
    text = _text(value)
    if any(letter.isspace() for letter in text):
        raise ValueError
    return text


def _path(value: Any) -> Path:
    if isinstance(value, Path):
        return value.expanduser()
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ValueError
    return Path(value.strip()).expanduser()


SWITCH: Final = Kind("1 or 0", _switch, _typed_switch)
"""On or off."""
ADDRESS: Final = Kind("a host name or address", _address, _address)
"""A host."""
TEXT: Final = Kind("a text of one line", _text, _text)
"""Any text of one line."""
PATH: Final = Kind("a path", _path, _path)
"""A file or folder; ``~`` is the home folder."""
SECRET: Final = Kind("a text of one line", _text, _text, secret=True)
"""A text that is never shown."""
