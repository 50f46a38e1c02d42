"""All builtins of the language in one table, for each environment a fresh one.

Here are those that need something of the environment, too: where print goes, and the numbers of channels.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import count
from typing import Any

from vcad_kernel.loon.names import mangle
from vcad_kernel.loon.printing.display import display, raw
from vcad_kernel.loon.runtime.adts import constructor
from vcad_kernel.loon.runtime.builtins import (
    arithmetic,
    callbacks,
    mapping,
    mathematics,
    sequences,
    text,
)
from vcad_kernel.loon.runtime.builtins.registry import BUILTINS, builtin, name_builtin
from vcad_kernel.loon.runtime.effects import effect_builtins
from vcad_kernel.loon.runtime.equality import equal
from vcad_kernel.loon.runtime.faults import fault, shown, type_fault
from vcad_kernel.loon.runtime.limits.allowance import allowed_size
from vcad_kernel.loon.runtime.limits.limits import check_size
from vcad_kernel.loon.runtime.support import SUPPORT
from vcad_kernel.loon.runtime.values import UNIT, Adt, Receiver, Sender

__all__ = ["NULLARY", "builtins_for"]


def _output_builtins(write: Callable[[str], object]) -> dict[str, Callable[..., Any]]:
    """``println``, ``print`` and what the compiler calls for ``inspect``, writing to ``write``."""

    def println(*values: object) -> object:
        write(_line("println", values) + "\n")
        return UNIT

    def print_(*values: object) -> object:
        write(_line("print", values))
        return UNIT

    def inspect(text: str, value: object) -> object:
        form = display(value, allowed_size())
        check_size("inspect", len(form))
        write(f"[inspect] {text} = {form}\n")
        return value

    return {
        "println": name_builtin(println, "println"),
        "print": name_builtin(print_, "print"),
        "$inspect": inspect,
    }


def _line(operation: str, values: tuple[object, ...]) -> str:
    text = " ".join([raw(value) for value in values])
    check_size(operation, len(text))
    return text


_LONGEST_SHOWN = 10_000
"""Characters of a value in the message of a failed assertion."""


@builtin("assert-eq")
def assert_eq(actual: object, expected: object, *_surplus: object) -> object:
    """Unit when both are equal."""
    if equal(actual, expected):
        return UNIT
    wanted, got = shown(expected, _LONGEST_SHOWN), shown(actual, _LONGEST_SHOWN)
    raise fault("assertion", f"assert-eq failed:\n  expected: {wanted}\n  actual:   {got}")


def _channel_builtins() -> dict[str, Callable[..., object]]:
    """``channel``, which numbers the channels of one environment from 0."""
    numbers = count()

    def channel(*_surplus: object) -> object:
        """A new channel as (sender, receiver)."""
        number, queue = next(numbers), deque[object]()
        return Sender(number, queue), Receiver(number, queue)

    return {"channel": name_builtin(channel, "channel")}


@builtin("send")
def send(sender: object, value: object, *_surplus: object) -> object:
    """Append a value."""
    if not isinstance(sender, Sender):
        raise type_fault("send", "the sending end of a channel", sender)
    sender.queue.append(value)
    return UNIT


@builtin("recv")
def recv(receiver: object, *_surplus: object) -> object:
    """Take the oldest value."""
    if not isinstance(receiver, Receiver):
        raise type_fault("recv", "the receiving end of a channel", receiver)
    if not receiver.queue:
        raise fault("empty", "recv found the channel empty", fix="try-recv gives None then")
    return receiver.queue.popleft()


@builtin("try-recv")
def try_recv(receiver: object, *_surplus: object) -> object:
    """Take the oldest value as ``[Some v]``, or ``None``."""
    if not isinstance(receiver, Receiver):
        raise type_fault("try-recv", "the receiving end of a channel", receiver)
    return Adt("Some", (receiver.queue.popleft(),)) if receiver.queue else Adt("None")


_SECTIONS = (arithmetic, text, sequences, callbacks, mapping, mathematics)
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
    printing = _output_builtins(write)
    return {
        **BUILTINS,
        **SUPPORT,
        **_PRELUDE,
        **_channel_builtins(),
        **printing,
        **effect_builtins(printing["println"]),
    }
