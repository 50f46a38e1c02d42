"""The type of a value that a conversation shows, as the language's type display writes it."""

from __future__ import annotations

from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.loon.checking.display import shown
from vcad_kernel.loon.examination import language_of
from vcad_kernel.loon.runtime.values import UNIT

__all__ = ["type_of"]

_NAME = "it"


def type_of(value: object) -> str | None:
    """The type of a Loon value; None for unit, and where nothing is known of it."""
    if value is UNIT:
        return None
    if callable(value):
        return "Fn"
    scheme = language_of(PRELUDE).with_value(_NAME, value).scheme(_NAME)
    text = "" if scheme is None else shown(scheme)
    return None if not text or text.startswith("∀") else text
