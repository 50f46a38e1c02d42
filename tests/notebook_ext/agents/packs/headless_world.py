"""A session with a headless SketchUp of its own, and what comes of calling tools there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.calls.outcomes import Outcome
from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.session import Session
from tests.sketchup.headless import RunningSketchUp

__all__ = ["BLOCK", "HeadlessWorld"]

BLOCK = "[cube 30 20 10]"


@dataclass
class HeadlessWorld:
    """What an agent can reach, and SketchUp as a test sees it."""

    session: Session
    world: AgentWorld
    sketchup: RunningSketchUp

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The answer of a tool that must succeed."""
        outcome = self.outcome(name, **arguments)
        assert outcome.success, outcome.body
        return outcome.body

    def refused(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The answer of a tool that must not."""
        outcome = self.outcome(name, **arguments)
        assert not outcome.success, outcome.body
        return outcome.body

    def outcome(self, name: str, /, **arguments: Any) -> Outcome:
        return call_tool(self.world, name, arguments, agent="tests")

    def place(self, name: str = "block", source: str = BLOCK) -> None:
        """A part that stands in SketchUp."""
        self.session.evaluate(source, name=name)
        self.session.place(name)

    def dump(self) -> Any:
        """The whole document, but for what counts what has happened to it."""
        state = self.sketchup.control("_test.get_state", full=True)
        return {name: state[name] for name in ("entities", "definitions")}
