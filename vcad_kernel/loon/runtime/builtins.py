"""All builtins of the language in one table, for each environment a fresh one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vcad_kernel.loon.names import mangle
from vcad_kernel.loon.runtime import (
    arithmetic,
    callbacks,
    channels,
    mapping,
    mathematics,
    sequences,
    text,
)
from vcad_kernel.loon.runtime.adts import constructor
from vcad_kernel.loon.runtime.effects import effect_builtins
from vcad_kernel.loon.runtime.output import output_builtins
from vcad_kernel.loon.runtime.registry import BUILTINS
from vcad_kernel.loon.runtime.support import SUPPORT
from vcad_kernel.loon.runtime.values import Adt

__all__ = ["NULLARY", "builtins_for"]

_SECTIONS = (arithmetic, text, sequences, callbacks, mapping, channels, mathematics)
"""The modules that fill the table of builtins."""

NULLARY = frozenset({"None"})
"""Constructors without fields that are always there."""

_PRELUDE: dict[str, Any] = {
    mangle("None"): Adt("None"),
    "Some": constructor("Some", 1, None, sited=False),
    "Ok": constructor("Ok", 1, None, sited=False),
    "Err": constructor("Err", 1, None, sited=False),
}
"""``[type Option t [Some t] None]`` and ``[type Result t e [Ok t] [Err e]]``."""


def builtins_for(write: Callable[[str], object]) -> dict[str, Any]:
    """Builtins, prelude and support, with output going to ``write``."""
    printing = output_builtins(write)
    return {
        **BUILTINS,
        **SUPPORT,
        **_PRELUDE,
        **channels.channel_builtins(),
        **printing,
        **effect_builtins(printing["println"]),
    }
