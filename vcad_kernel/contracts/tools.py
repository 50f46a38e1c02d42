"""The tools of the service: what ``tools/call`` can name, a record each (service.md §2).

    TOOLS["vcad.check"].runs            # "worker"

Client, front and worker take from the record what they need: how long to wait, whether a newer call makes an
older one needless, who carries it out. The form of its arguments and result is the schema of the same name,
which `tools/contracts.py` makes where the record says what the tool gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct

__all__ = ["TOOLS", "Kernel", "Kernels", "Runs", "ServiceCounts", "Tool"]

Runs: TypeAlias = Literal["worker", "front", "watcher"]
"""Who carries a tool out: the worker in its turn, the front at once, or the connection's watcher."""


class Kernel(Struct, frozen=True):
    """A library that builds solids."""

    name: Annotated[Literal["mesh", "brep"], Meta(description="what it builds")]
    library: Annotated[str, Meta(description="name and version of what is installed")]
    why_not: Annotated[str | None, Meta(description="why it cannot be loaded; null where it can")] = None


class Kernels(Struct, frozen=True):
    """What the worker builds solids with: the result of ``vcad.kernels``."""

    kernels: tuple[Kernel, ...]


class ServiceCounts(Struct, frozen=True, kw_only=True):
    """What a service has counted since it was started: the result of ``vcad.metrics``."""

    started_at: Annotated[str, Meta(description="another one means another service, which counts from 0")]
    queue_depth: Annotated[int, Meta(ge=0, description="evaluations that wait now")] = 0
    queue_rejected_total: Annotated[int, Meta(ge=0, description="for which there was no room")] = 0
    eval_timeout_total: Annotated[int, Meta(ge=0, description="that took too long, waiting or running")] = 0
    superseded_dropped_total: Annotated[
        int, Meta(ge=0, description="given up for a newer one of their node")
    ] = 0
    superseded_skipped_before_eval_total: Annotated[
        int, Meta(ge=0, description="of those, the ones that had not begun")
    ] = 0
    artifact_manifests_written_total: Annotated[int, Meta(ge=0, description="pairs that were published")] = 0
    artifact_manifests_retained_current: Annotated[int, Meta(ge=0, description="those that are there")] = 0
    artifact_pair_incomplete_detected_total: Annotated[
        int, Meta(ge=0, description="pairs that were found half published")
    ] = 0
    artifact_pair_recovery_total: Annotated[
        int, Meta(ge=0, description="of those, the ones that were cleared")
    ] = 0


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
    gives: type[Struct] | None = None
    """The form of its result, where it takes no arguments and its schema is made from this."""

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
    Tool("vcad.kernels", "The libraries that build solids, and whether they can be loaded.", gives=Kernels),
    Tool("vcad.metrics", "What the service has counted since it was started.", "front", gives=ServiceCounts),
    Tool("vcad.cancel", "Give up a call that waits or runs.", "front"),
    Tool("vcad.watch_start", "Watch the models in a folder of the workspace.", "watcher"),
    Tool("vcad.watch_stop", "Watch no more.", "watcher"),
    Tool("vcad.watch_poll", "The files that have changed since the last poll.", "watcher"),
    Tool("vcad.modules", "The files that a node was built from, or the nodes that a file affects.", "front"),
    Tool("vcad.release", "Give back a block of shared memory.", "front"),
)

TOOLS: Final[Mapping[str, Tool]] = MappingProxyType({tool.name: tool for tool in _RECORDS})
"""By name, in the order in which ``tools/list`` has them."""
