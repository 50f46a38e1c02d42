"""First-in first-out channels within one program."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import count

from vcad_kernel.loon.runtime.faults import fault, type_fault
from vcad_kernel.loon.runtime.registry import builtin, name_builtin
from vcad_kernel.loon.runtime.values import UNIT, Adt, Receiver, Sender

__all__ = ["channel_builtins"]


def channel_builtins() -> dict[str, Callable[..., object]]:
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
