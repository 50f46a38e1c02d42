"""On whose behalf something is done: the agent that asked for it, or nobody but the person.

with on_behalf_of("claude-code"): ...     # what is called in here, on the session's thread too
current_agent()                            # its name; None outside of any
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

__all__ = ["current_agent", "on_behalf_of"]

_LONGEST: Final = 100
_current: ContextVar[str | None] = ContextVar("vcad_agent", default=None)


def current_agent() -> str | None:
    """The agent on whose behalf this is done."""
    return _current.get()


@contextmanager
def on_behalf_of(agent: str) -> Iterator[None]:
    """Have all that is called inside be done for an agent, which gave this name of itself."""
    # others write it into their logs: one line, and not a long one
    token = _current.set(" ".join(agent.split())[:_LONGEST] or None)
    try:
        yield
    finally:
        _current.reset(token)
