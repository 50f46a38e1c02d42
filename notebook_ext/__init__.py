"""The notebook side: ``%load_ext notebook_ext``, then ``%%loon`` cells.

Loading registers magics and binds the name ``session``; it imports no geometry library, opens no
port and does no work. Unloading takes everything back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["load_ipython_extension", "unload_ipython_extension"]


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Called by ``%load_ext notebook_ext``; a second call changes nothing."""
    from notebook_ext.attachment import attach

    attach(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Called by ``%unload_ext notebook_ext``."""
    from notebook_ext.attachment import detach

    detach(shell)
