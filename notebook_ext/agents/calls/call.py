"""What a tool is, and what one call of it may reach: the values that packs are made of.

Knows neither which tools there are (`registry.py`) nor how a call is done (`calling.py`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from notebook_ext.approval.calls import Preview, Risk
from vcad_kernel.errors import Cancelled

if TYPE_CHECKING:
    from pydantic import BaseModel

    from notebook_ext.agents.journal import Journal
    from notebook_ext.agents.world import AgentWorld
    from notebook_ext.approval.approvals import Approvals
    from notebook_ext.session.session import Session
    from notebook_ext.workspace.files.gate import FileGate

__all__ = ["Call", "Preview", "Progress", "Risk", "Tool"]

Progress: TypeAlias = Callable[[float, float | None, str], object]
"""(done, total if known, what is being done); called on the call's thread."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool: on whose behalf, under which id, and all that it may reach."""

    world: AgentWorld
    agent: str
    """Who calls, as the client calls itself."""
    request_id: str
    on_progress: Progress | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)
    """Set once the client has given up."""
    tool: str = ""
    """What is called: the operation that failures name."""
    approved: Preview | None = None
    """What it was allowed to do, as it stood then; None where that was not looked at."""

    @property
    def session(self) -> Session:
        """The session the person works in."""
        return self.world.session

    @property
    def workspace(self) -> Path:
        """The project's folder, by its real path."""
        return self.world.workspace

    @property
    def files(self) -> FileGate:
        """The only way to a file."""
        return self.world.files

    @property
    def approvals(self) -> Approvals:
        """The person's yes and no."""
        return self.world.approvals

    @property
    def journal(self) -> Journal:
        """The session's log of calls."""
        return self.world.journal

    def progress(self, done: float, total: float | None, message: str) -> None:
        """Say how far the call is. Raises: Cancelled once the client has given up."""
        self.checkpoint()
        self.world.note_progress(self.request_id, message)
        if self.on_progress is not None:
            self.on_progress(done, total, message)

    def checkpoint(self) -> None:
        """Raises: Cancelled once the client has given up."""
        if self.cancelled.is_set():
            raise Cancelled("the client gave the call up; what was done until then is done")

    def relative(self, path: Path) -> str:
        """A path as answers say it: from the workspace, with ``/``; one elsewhere whole."""
        if path.is_relative_to(self.workspace):
            return path.relative_to(self.workspace).as_posix()
        return str(path)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what it is called with, what it gives, and what it may do."""

    name: str
    pack: str
    risk: Risk
    idempotent: bool
    description: str
    """For the agent; the first sentence says when to use it."""
    arguments: type[BaseModel]
    """Refuses what it does not know (extra="forbid")."""
    result: type[BaseModel]
    """Without ``success``, which every answer has."""
    run: Callable[[Any, Call], Any]
    """(arguments, call) → result model; on a worker thread. Raises: VcadError, LoonCellFailed."""
    affects: Callable[[Any, Call], Preview] | None = None
    """(arguments, call) → what it would do, which says its class and what a person sees; changes nothing.

    Every tool that changes anything has one. Raises: VcadError for what cannot be done.
    """

    def check(self, raw: Mapping[str, Any]) -> BaseModel:
        """The arguments of a call as `arguments` has them.

        Raises: ServiceFailure SCHEMA_VALIDATION_FAILED, which says how they must be.
        """
        from notebook_ext.agents.calls.arguments import checked_arguments

        return checked_arguments(self.arguments, raw, self.name)
