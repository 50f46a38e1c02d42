"""One call of a tool, from whoever asks: checked, approved, done, written down.

MCP, the hook API and scripts in the notebook all come through `dispatch`, so that what needs a person's yes
is decided here and nowhere else. It never raises for a failure of the model or of a person who says no: that
is an answer. Knows no transport; runs on the caller's thread, which must not be the session's.
"""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from notebook_ext.agents import outcomes
from notebook_ext.agents.checking import checked_arguments, without_nulls
from notebook_ext.agents.expected_revision import require_expected, state_of
from notebook_ext.agents.outcomes import Outcome
from notebook_ext.agents.registry import Preview, Tool, find
from notebook_ext.failure import LoonCellFailed
from notebook_ext.session.on_behalf import on_behalf_of
from vcad_kernel.errors import Cancelled, VcadError
from vcad_kernel.request_id import request

if TYPE_CHECKING:
    from pydantic import BaseModel

    from notebook_ext.agents.approval.approvals import Approvals
    from notebook_ext.agents.approval.decision import Decision
    from notebook_ext.agents.journal import Journal
    from notebook_ext.agents.world import AgentWorld
    from notebook_ext.session.session import Session
    from notebook_ext.workspace.gate import FileGate

__all__ = ["Call", "Progress", "dispatch"]

# a bug is told of in the session's log; without a handler Python would print it into the person's cell
logging.getLogger("vcad_kernel.error_envelope").addHandler(logging.NullHandler())

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
        self.world.hear(self.request_id, message)
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


def dispatch(name: str, raw: Mapping[str, Any], call: Call) -> Outcome:
    """Do one call: check the arguments, have a person asked where the policy wants it, run, write it down."""
    began = time.monotonic()
    how = ""
    arguments: Mapping[str, Any] = raw
    with request(call.request_id), on_behalf_of(call.agent):
        try:
            tool = find(name)
            arguments = without_nulls(tool, raw)
            checked = checked_arguments(tool, arguments)
            require_expected(checked, call)  # nobody is asked for what cannot be done
            decision = _decided(tool, checked, arguments, call)
            how = decision.how
            if decision.error is not None:
                raise decision.error
            if decision.changed:
                checked = checked_arguments(tool, decision.arguments)
            arguments = checked.model_dump(mode="json", exclude_unset=True)
            call.checkpoint()
            require_expected(checked, call)  # a person may have taken their time
            given = tool.run(checked, call)
            outcome = outcomes.answer(given, name, files=call.files, request_id=call.request_id)
            if decision.changed:
                outcome.body["changed_arguments"] = {one: arguments.get(one) for one in decision.changed}
        except (VcadError, LoonCellFailed) as error:
            outcome = outcomes.failure(error, name)
        except Exception as bug:  # noqa: BLE001 - ours, and told as such: the agent's connection must live
            outcome = outcomes.failure(bug, name)
            call.session.note(
                "internal_error", level="error", tool=name, error="".join(traceback.format_exception(bug))
            )
        if not outcome.success:  # a line of the source may be as long as the source
            outcome.body.update(outcomes.cut_texts(outcome.body, call.files, call.request_id))
        news = call.files.updates.take(call.agent)
        if news:
            outcome.body["files_updated"] = news
        call.world.note(name, arguments, outcome, call, seconds=time.monotonic() - began, approval=how)
    return outcome


def _decided(tool: Tool, checked: BaseModel, raw: Mapping[str, Any], call: Call) -> Decision:
    """Whether the call may be done, and with which arguments; blocks while a person is asked.

    Raises: Cancelled; what a preview raises.
    """

    def preview() -> Preview:
        return Preview() if tool.affects is None else tool.affects(checked, call)

    return call.approvals.decide(
        tool,
        dict(raw),
        agent=call.agent,
        request_id=call.request_id,
        model_revision=lambda: state_of(checked, call),
        preview=preview,
        tick=None if call.on_progress is None else lambda text: call.progress(0, None, text),
        cancelled=call.cancelled,
    )
