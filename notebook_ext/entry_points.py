"""Puts a session together with what lets others in: for a notebook, and for agents that work without one.

The one place that knows session and gateway, and with that the agents.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from notebook_ext.session.session import Gateway, Session

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["session_of"]


def session_of(shell: InteractiveShell, *, folder: Path | None = None, attached: bool = True) -> Session:
    """A session with its gateway, which is not open yet. folder: as of `Session`.

    attached: whether a person's notebook holds it; False for one that was started for an agent.
    """

    def gateway(session: Session) -> Gateway:
        from notebook_ext.gateway.gateway import Gateway
        from notebook_ext.gateway.opening import kernel_id, notebook

        if not attached:
            return Gateway(session, attached=False)
        return Gateway(session, kernel_id=kernel_id(shell), notebook=notebook(shell))

    return Session(shell, folder=folder, gateway=gateway)
