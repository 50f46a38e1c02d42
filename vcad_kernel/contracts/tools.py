"""The tools of the service: what ``tools/call`` can name, a record each (service.md §2).

    TOOLS["vcad.check"].runs            # "worker"

Client, front and worker take from the record what they need: how long to wait, whether a newer call makes an
older one needless, who carries it out. The form of its arguments and result is the schema of the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

__all__ = ["TOOLS", "Runs", "Tool"]

Runs: TypeAlias = Literal["worker", "front", "watcher"]
"""Who carries a tool out: the worker in its turn, the front at once, or the connection's watcher."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool."""

    name: str
    description: str
    runs: Runs = "worker"
    supersedes: bool = False
    """Whether a newer call for the same node makes one that still waits needless."""
    stages: bool = False
    """Whether it may leave files for the client to fetch."""

    @property
    def operation(self) -> str:
        """What the one who carries it out calls it."""
        return self.name.removeprefix("vcad.")


_RECORDS: Final = (
    Tool("vcad.eval_code", "Evaluate a program and measure the model it makes.", supersedes=True),
    Tool("vcad.eval_file", "Evaluate a file of the workspace.", supersedes=True),
    Tool("vcad.eval_cell", "Evaluate a cell in the environment that other cells have made.", supersedes=True),
    Tool(
        "vcad.eval_with_imports", "Evaluate a program with values in place of its imports.", supersedes=True
    ),
    Tool("vcad.extract_imports", "Find the imports of a program and the form in which it takes values."),
    Tool("vcad.inspect", "Measure a model and write nothing.", supersedes=True),
    Tool("vcad.eval_repl", "Evaluate a line after the lines of this connection before it."),
    Tool("vcad.export", "Write a model to a file of the workspace."),
    Tool("vcad.check", "Find faults in a program without evaluating it."),
    Tool("vcad.ask", "Ask about the parts of an evaluated document, or export them.", stages=True),
    Tool("vcad.cache_invalidate", "Forget what was built, of one node or all."),
    Tool("vcad.cancel", "Give up a call that waits or runs.", "front"),
    Tool("vcad.watch_start", "Watch the models in a folder of the workspace.", "watcher"),
    Tool("vcad.watch_stop", "Watch no more.", "watcher"),
    Tool("vcad.watch_poll", "The files that have changed since the last poll.", "watcher"),
    Tool("vcad.modules", "The files that a node was built from, or the nodes that a file affects.", "front"),
    Tool("vcad.release", "Give back a block of shared memory.", "front"),
)

TOOLS: Final[Mapping[str, Tool]] = MappingProxyType({tool.name: tool for tool in _RECORDS})
"""By name, in the order in which ``tools/list`` has them."""
