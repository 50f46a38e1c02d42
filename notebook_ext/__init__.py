"""The notebook side: ``%load_ext notebook_ext``, then ``%%loon`` cells.

Loading registers magics and binds the name ``session``; it imports no geometry library, opens no
port and does no work. Unloading takes everything back.

In a script, or wherever there is no IPython, ``from notebook_ext import Session`` gives the same session:

    with Session() as session:
        session.evaluate("[cube 1 2 3]", "block").export("block.step")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from notebook_ext.session.session import Session

__all__ = ["Session", "load_ipython_extension", "unload_ipython_extension"]


def __getattr__(name: str) -> Any:
    """The session, loaded on first use."""
    if name == "Session":
        from notebook_ext.session.session import Session

        return Session
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Called by ``%load_ext notebook_ext``; a second call changes nothing."""
    from notebook_ext.attachment import attach

    attach(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Called by ``%unload_ext notebook_ext``."""
    from notebook_ext.attachment import detach

    detach(shell)
