"""The lines that front and worker send each other over their socket: wake-ups, never data.

    line = encode(Grow(seq=7, size=2**28))      # b"GROW 7 268435456\n"
    decode(line)                                # Grow(seq=7, size=268435456)

One message a line, words with blanks between; texts are percent-encoded. ``RUN``, ``DONE``, ``ERROR`` and
``SHUTDOWN`` are those of cad.md §12.1; the others are ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Final, TypeAlias, get_type_hints
from urllib.parse import quote, unquote

from vcad_kernel.service.shared import ProtocolFault

__all__ = [
    "LINE_LIMIT",
    "Block",
    "BlockReady",
    "Failed",
    "Grow",
    "Grown",
    "Message",
    "NoBlock",
    "Progress",
    "Ready",
    "Request",
    "Responded",
    "Shutdown",
    "decode",
    "encode",
]

LINE_LIMIT: Final = 65536
"""Bytes of a line at most."""


@dataclass(frozen=True, slots=True)
class Request:
    """Front: a request lies in the region."""

    seq: int


@dataclass(frozen=True, slots=True)
class Grown:
    """Front: the region is larger now; map it anew."""

    seq: int


@dataclass(frozen=True, slots=True)
class BlockReady:
    """Front: here is a file of at least as many bytes as were asked for."""

    seq: int
    name: str
    path: str


@dataclass(frozen=True, slots=True)
class NoBlock:
    """Front: there is no memory for the block, or for the larger region."""

    seq: int
    reason: str


@dataclass(frozen=True, slots=True)
class Shutdown:
    """Front: end when nothing is running."""


@dataclass(frozen=True, slots=True)
class Ready:
    """Worker: requests may come."""

    pid: int


@dataclass(frozen=True, slots=True)
class Responded:
    """Worker: the response lies in the region."""

    seq: int


@dataclass(frozen=True, slots=True)
class Failed:
    """Worker: an error lies in the region."""

    seq: int


@dataclass(frozen=True, slots=True)
class Grow:
    """Worker: the response needs a region of so many bytes."""

    seq: int
    size: int


@dataclass(frozen=True, slots=True)
class Block:
    """Worker: a mesh needs a block of so many bytes."""

    seq: int
    size: int


@dataclass(frozen=True, slots=True)
class Progress:
    """Worker: how far the request is; total 0 where it is not known."""

    seq: int
    done: int
    total: int
    phase: str


Message: TypeAlias = (
    Request | Grown | BlockReady | NoBlock | Shutdown | Ready | Responded | Failed | Grow | Block | Progress
)

_WORDS: Final[dict[str, Callable[..., Message]]] = {
    "RUN": Request,
    "GROWN": Grown,
    "BLOCKED": BlockReady,
    "NOBLOCK": NoBlock,
    "SHUTDOWN": Shutdown,
    "READY": Ready,
    "DONE": Responded,
    "ERROR": Failed,
    "GROW": Grow,
    "BLOCK": Block,
    "PROGRESS": Progress,
}
_EMPTY: Final = "%"
"""Stands for an empty text; a percent sign itself is written as %25."""
_WORD_OF: Final = {kind: word for word, kind in _WORDS.items()}
_TYPES: Final = {word: list(get_type_hints(kind).values()) for word, kind in _WORDS.items()}


def encode(message: Message) -> bytes:
    """The line of a message, with its newline."""
    words = [_WORD_OF[type(message)]]
    words += [quote(str(getattr(message, field.name)), safe="/") or _EMPTY for field in fields(message)]
    return " ".join(words).encode("ascii") + b"\n"


def decode(line: bytes) -> Message:
    """The message of a line.

    Raises: ProtocolFault.
    """
    try:
        word, *rest = line.decode("ascii").split()
        kind = _WORDS[word]
        values = [
            _number(text) if of is int else "" if text == _EMPTY else unquote(text, errors="strict")
            for text, of in zip(rest, _TYPES[word], strict=True)
        ]
    except (ValueError, KeyError) as bad:
        raise ProtocolFault(f"{line[:80]!r} is no message") from bad
    return kind(*values)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 20):
        raise ValueError(text)
    return int(text)
