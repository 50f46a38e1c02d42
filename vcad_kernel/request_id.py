"""The id that one request has everywhere: in the session, the service, the bridge and every log.

with request("r-01J…"): ...        # what is called in here belongs to that request
current_request()                   # its id; None outside of any
"""

from __future__ import annotations

import secrets
import time
from base64 import b32encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

__all__ = ["current_request", "new_request_id", "request"]

_CROCKFORD: Final = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b"0123456789ABCDEFGHJKMNPQRSTVWXYZ")
"""From the 32 digits of RFC 4648 to Crockford's."""
_DIGITS: Final = 26
_current: ContextVar[str | None] = ContextVar("vcad_request_id", default=None)


def new_request_id(clock: Callable[[], float] = time.time) -> str:
    """``r-`` and a ULID: 48 bits of milliseconds, 80 of chance; later ones sort behind earlier ones."""
    number = int(clock() * 1000) << 80 | secrets.randbits(80)
    # 26 digits are 130 bits; 160 are what base 32 takes without padding
    digits = b32encode((number << 30).to_bytes(20, "big")).translate(_CROCKFORD)
    return f"r-{digits[:_DIGITS].decode('ascii')}"


def current_request() -> str | None:
    """The id of the request that is being handled here."""
    return _current.get()


@contextmanager
def request(request_id: str | None = None) -> Iterator[str]:
    """Run what is called inside under one request: the one given, else the current one, else a new one."""
    chosen = request_id or _current.get() or new_request_id()
    token = _current.set(chosen)
    try:
        yield chosen
    finally:
        _current.reset(token)
