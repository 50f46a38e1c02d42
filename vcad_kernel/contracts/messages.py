"""What travels between a session and the evaluation service, as plain typed data.

The Python form of the fields of the service's contract that carry no geometry. What comes from a wire
is checked against its schema (`validation.py`) before it is read here. Imports nothing of ours, so that
either side of any wire may use it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

__all__ = [
    "CAPABILITIES",
    "PROTOCOL",
    "PROTOCOL_MINOR",
    "CacheCount",
    "CellSource",
    "Hello",
    "HelloAnswer",
    "HistoryEntry",
    "ServiceLimits",
    "TakenBack",
    "Timings",
    "ToolCall",
    "source_hash",
]

PROTOCOL: Final = 1
"""The protocol's major version: ends that differ in it do not talk."""
PROTOCOL_MINOR: Final = 0
"""Raised with each addition; ends that differ in it talk all the same."""

CAPABILITIES: Final = (
    "eval",
    "eval.repl",
    "inspect",
    "export.step",
    "imports.data_extracts",
    "imports.solid_adt",
    "imports.native_mesh",
    "mesh.shm",
    "watch",
    "modules",
    "artifacts",
    "cancel",
    "auth.required",
    "output",
    "progress",
)
"""What a service may be able to do: it advertises what works, a client requests what it needs."""


def source_hash(source: str) -> str:
    """Name of a text: the same text always has the same one, on every machine."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class CellSource:
    """One cell that has been run: enough to run it again when the worker that had it is gone."""

    cell_id: str
    """Who it is: a cell that is run again keeps its id and replaces what it defined."""
    source: str
    name: str = ""
    """What its errors call it; the cell id where empty."""
    bindings: Mapping[str, Any] = field(default_factory=dict)
    """Python values that the cell was given: numbers, strings, booleans, lists, dicts."""
    bind: str | None = None
    """Name that the cell's value gets for later cells, unless the cell itself defines it or Loon has it."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Values in place of the defaults of parameters that the cell declares."""

    @property
    def hash(self) -> str:
        """Hash of text, name and all that it is given: equal when running it again would do the same."""
        given = sorted(self.bindings.items()), sorted(self.parameters.items())
        return source_hash(repr((self.source, self.name, self.bind, *given)))

    @property
    def title(self) -> str:
        """What errors call the cell."""
        return self.name or self.cell_id


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Names that were taken back between two cells."""

    names: frozenset[str]


HistoryEntry: TypeAlias = CellSource | TakenBack
"""What an environment of cells is the outcome of, in order."""


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds spent in each stage of one evaluation."""

    read: float = 0.0
    expand: float = 0.0
    check: float = 0.0
    compile: float = 0.0
    run: float = 0.0
    convert: float = 0.0
    geometry: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class CacheCount:
    """How much of an evaluation was already known."""

    hits: int = 0
    misses: int = 0


@dataclass(frozen=True, slots=True)
class Hello:
    """Who a client is: the parameters of ``hello``."""

    name: str
    version: str
    workspace: str
    """The folder that the paths of this connection lie in."""
    protocol_version: int = PROTOCOL
    agent: str = ""
    """What it works for, as ``notebook``; for the log."""
    pid: int = 0
    token: str | None = field(default=None, repr=False)
    requested_capabilities: tuple[str, ...] = ()

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> Hello:
        """From checked parameters."""
        return cls(
            name=params.get("name", ""),
            version=params.get("version", ""),
            workspace=params.get("workspace", ""),
            protocol_version=params["protocol_version"],
            agent=params.get("agent") or "",
            pid=params.get("pid") or 0,
            token=params.get("token"),
            requested_capabilities=tuple(params.get("requested_capabilities") or ()),
        )

    def params(self) -> dict[str, Any]:
        """The wire form."""
        said: dict[str, Any] = {
            "name": self.name,
            "version": self.version,
            "agent": self.agent,
            "pid": self.pid,
            "workspace": self.workspace,
            "protocol_version": self.protocol_version,
            "requested_capabilities": list(self.requested_capabilities),
        }
        return said if self.token is None else {**said, "token": self.token}


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """What a service takes."""

    max_queue: int
    """Requests that may wait."""
    eval_timeout_ms: int
    """Waiting and running of one evaluation; 0 for any time."""
    payload_inline_max: int
    """Bytes of a mesh or file that may stand in a message."""
    line_max: int
    """Bytes of a message."""


@dataclass(frozen=True, slots=True)
class HelloAnswer:
    """What a service says of itself: the result of ``hello``."""

    server_name: str
    server_version: str
    capabilities: tuple[str, ...]
    limits: ServiceLimits
    engine: str = "python"
    protocol_version: int = PROTOCOL
    protocol_minor: int = PROTOCOL_MINOR

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> HelloAnswer:
        """From a checked result."""
        limits = result["limits"]
        return cls(
            server_name=result["server"]["name"],
            server_version=result["server"]["version"],
            capabilities=tuple(result["capabilities"]),
            limits=ServiceLimits(
                max_queue=limits["max_queue"],
                eval_timeout_ms=limits["eval_timeout_ms"],
                payload_inline_max=limits["payload_inline_max"],
                line_max=limits["line_max"],
            ),
            engine=result["engine"],
            protocol_version=result["protocol_version"],
            protocol_minor=result["protocol_minor"],
        )

    def result(self) -> dict[str, Any]:
        """The wire form."""
        return {
            "server": {"name": self.server_name, "version": self.server_version},
            "engine": self.engine,
            "protocol_version": self.protocol_version,
            "protocol_minor": self.protocol_minor,
            "capabilities": list(self.capabilities),
            "limits": {
                "max_queue": self.limits.max_queue,
                "eval_timeout_ms": self.limits.eval_timeout_ms,
                "payload_inline_max": self.limits.payload_inline_max,
                "line_max": self.limits.line_max,
            },
        }


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The parameters of ``tools/call``."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    request_id: str | None = None
    """Echoed in every log line, manifest and result of the call; what `vcad.cancel` names."""
    node_id: str | None = None
    """The node that the call is for: a newer call for it supersedes those that still wait."""
    revision: int | None = None

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> ToolCall:
        """From checked parameters."""
        return cls(
            name=params["name"],
            arguments=params.get("arguments") or {},
            request_id=params.get("request_id"),
            node_id=params.get("node_id"),
            revision=params.get("revision"),
        )

    def params(self) -> dict[str, Any]:
        """The wire form; what is not said is left out."""
        said = {"request_id": self.request_id, "node_id": self.node_id, "revision": self.revision}
        return {
            "name": self.name,
            "arguments": dict(self.arguments),
            **{key: value for key, value in said.items() if value is not None},
        }
