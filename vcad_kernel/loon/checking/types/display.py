"""Types as text (§17.1).

``shown`` is the type display: int is ``Num`` and generic variables are announced. ``worded`` is for
sentences of findings: int is ``Int`` and variables are simply named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vcad_kernel.loon.checking.types.types import (
    TUPLE,
    Con,
    Fn,
    Overload,
    Record,
    Scheme,
    Type,
    Var,
    prune,
    row_of,
)

__all__ = ["shown", "shown_part", "worded", "worded_together"]

_LONGEST: Final = 500
"""Parts of a type that are written."""
_DEEPEST: Final = 60


def shown(scheme: Scheme) -> str:
    """The type display: ``∀a b. Add a => a → b``."""
    writer = _Writer("Num")
    text = writer.text(scheme.type)
    bounds = writer.bounds()
    if not writer.names:
        return text
    return f"∀{' '.join(writer.names.values())}. {bounds}{text}"


def shown_part(term: Type) -> str:
    """The type display of something within a definition, whose variables are not its own."""
    writer = _Writer("Num")
    text = writer.text(term)
    return writer.bounds() + text


def worded(term: Type) -> str:
    """A type as findings name it."""
    return worded_together([term])[0]


def worded_together(terms: Sequence[Type]) -> list[str]:
    """Types that a finding names side by side: a variable has one name in all of them."""
    writer = _Writer("Int")
    return [writer.text(term) for term in terms]


class _Writer:
    """Writes types; ``names`` are the variables met, in the order of their first appearance."""

    def __init__(self, number: str) -> None:
        self.names: dict[Var, str] = {}
        self._number = number
        self._left = _LONGEST
        self._depth = 0

    def bounds(self) -> str:
        """What is demanded of the variables met, as it stands before a type."""
        demanded = [
            (at, f"{trait} {name}")
            for var, name in self.names.items()
            for trait, at in (var.bounds or {}).items()
        ]
        demanded.sort()
        return f"{', '.join([text for _, text in demanded])} => " if demanded else ""

    def text(self, term: Type) -> str:
        """A type, cut short where it is endless."""
        self._left -= 1
        if self._left < 0 or self._depth > _DEEPEST:
            return "…"
        self._depth += 1
        text = self._text(prune(term))
        self._depth -= 1
        return text

    def _text(self, term: Type) -> str:
        if isinstance(term, Var):
            return self._name(term)
        if isinstance(term, Con):
            if term.name == TUPLE:
                return f"({', '.join([self.text(arg) for arg in term.args])})"
            name = self._number if term.name == "Int" else term.name
            return " ".join([name, *[self._grouped(arg) for arg in term.args]])
        if isinstance(term, Fn):
            parts = [self._grouped(param) for param in term.params]
            if term.rest is not None:
                parts.append(f"& {self._grouped(term.rest)}")
            return " → ".join([*parts, self.text(term.result)])
        if isinstance(term, Record):
            return self._record(term)
        return " | ".join([self.text(alternative) for alternative in term.alternatives])

    def _grouped(self, term: Type) -> str:
        """A type as an argument or a parameter: functions get parentheses."""
        text = self.text(term)
        return f"({text})" if isinstance(prune(term), Fn | Overload) else text

    def _record(self, record: Record) -> str:
        fields, tail = row_of(record)
        if isinstance(tail, Con):
            return self.text(tail)
        held = [f"{name}: {self.text(field)}" for name, field in fields.items()]
        if tail is not None:
            held.append(self.text(tail))
        return f"{{{', '.join(held)}}}"

    def _name(self, var: Var) -> str:
        name = self.names.get(var)
        if name is None:
            turn, letter = divmod(len(self.names), 26)
            name = self.names[var] = "abcdefghijklmnopqrstuvwxyz"[letter] + (str(turn) if turn else "")
        return name
