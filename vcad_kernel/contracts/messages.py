"""What travels between a session and the evaluation service, as plain typed data.

The Python form of the fields of the service's contract that carry no geometry: a Struct's annotations are
its wire form. Imports nothing of ours, so that either side of any wire may use it.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

from msgspec import Struct, convert, field
from msgspec.structs import asdict

__all__ = [
    "BLOCK_MEMBERS",
    "CAPABILITIES",
    "PROTOCOL",
    "PROTOCOL_MINOR",
    "CacheCount",
    "CellNames",
    "CellSource",
    "ClosedMesh",
    "Hello",
    "HelloAnswer",
    "HistoryEntry",
    "Imported",
    "ServerName",
    "ServiceLimits",
    "TakenBack",
    "Timings",
    "ToolCall",
    "named_block",
    "source_hash",
]

BLOCK_MEMBERS: Final = ("mesh", "arrays")
"""Members of a result that say ``{block, path, size}``: its block of shared memory. Never both."""

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


class ClosedMesh(Struct, frozen=True, dict=True):
    """A closed triangle mesh from elsewhere, as the cell that imports it keeps it; base64 on the wire."""

    positions: bytes
    """x, y and z of each corner in turn: float64, little endian, mm."""
    indices: bytes
    """Three for each triangle, from 0, counter clockwise seen from outside: int32, little endian."""

    @cached_property
    def digest(self) -> str:
        """Names the mesh: equal ones have the same."""
        content = len(self.positions).to_bytes(8) + self.positions + self.indices
        return hashlib.sha256(content).hexdigest()

    def __repr__(self) -> str:
        return f"ClosedMesh({self.digest})"  # what a cell's hash sees of it


class Imported(Struct, frozen=True, omit_defaults=True):
    """What an import of a cell gives, as it was found when the cell ran: one of these."""

    data: Mapping[str, Any] | None = None
    """Measures of an entity: finite numbers, and lists of them."""
    node: str | None = None
    """The part, by its name, whose own model it is."""
    mesh: ClosedMesh | None = None

    def __post_init__(self) -> None:
        if self.data is None and self.node is None and self.mesh is None:
            raise ValueError("an import gives data, a node or a mesh")


@dataclass(frozen=True, slots=True)
class CellSource:
    """One cell that has been run: enough to run it again when the worker that had it is gone."""

    cell_id: str
    """Who it is: a cell that is run again keeps its id and replaces what it defined."""
    source: str
    name: str = ""
    """What its errors call it; the cell id where empty."""
    bindings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Python values that the cell was given: numbers, strings, booleans, lists, dicts."""
    bind: str | None = None
    """Name that the cell's value gets for later cells, unless the cell itself defines it or Loon has it."""

    parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Values in place of the defaults of parameters that the cell declares."""

    imports: Mapping[str, Imported] = dataclasses.field(default_factory=dict)
    """What its imports gave, by what each says (`cad.imports.ImportForm.key`)."""

    private: bool = False
    """Whether later cells see nothing of it but the name that its value gets."""

    _hash: str = dataclasses.field(default="", init=False, repr=False, compare=False)
    """Once it was asked for: every later cell asks again."""

    @property
    def hash(self) -> str:
        """Hash of text, name and all that it is given: equal when running it again would do the same."""
        if not self._hash:
            object.__setattr__(self, "_hash", self._hashed())
        return self._hash

    def _hashed(self) -> str:
        given = [sorted(self.bindings.items()), sorted(self.parameters.items())]
        if self.imports:
            given.append(sorted(self.imports.items()))
        if self.private:
            given.append([("private", True)])
        return source_hash(repr((self.source, self.name, self.bind, *given)))

    @property
    def title(self) -> str:
        """What errors call the cell."""
        return self.name or self.cell_id


class TakenBack(Struct, frozen=True):
    """Names that were taken back between two cells."""

    names: frozenset[str] = field(name="taken_back")


HistoryEntry: TypeAlias = CellSource | TakenBack
"""What an environment of cells is the outcome of, in order."""


class CellNames(Struct, frozen=True):
    """What a run of a cell has to do with names: by this who keeps the cells knows which depends on which."""

    defines: Mapping[str, str] = field(default_factory=dict)
    """Name that it has given a meaning → digest of that; ``node:NAME`` is the solid that others import."""
    uses: Mapping[str, str] = field(default_factory=dict)
    """Name that its text uses → id of the cell that it was of; "" for an undefined name."""
    taken_over: Mapping[str, str] = field(default_factory=dict)
    """Name that it defines and another cell had until then → id of that cell."""


class Timings(Struct, frozen=True, kw_only=True):
    """Milliseconds spent in each stage of one evaluation."""

    queue: float
    """Before a worker had the time for it."""
    read: float = field(name="load")
    expand: float
    check: float = 0.0
    compile: float
    run: float
    convert: float = 0.0
    geometry: float
    export: float
    total: float

    @classmethod
    def spent(cls, **stages: float) -> Timings:
        """So much in some stages, and nothing in the others."""
        return cls(**(dict.fromkeys(cls.__struct_fields__, 0.0) | stages))


class CacheCount(Struct, frozen=True):
    """How much of an evaluation was already known."""

    hits: int
    misses: int


class Hello(Struct, frozen=True, kw_only=True):
    """Who a client is: the parameters of ``hello``."""

    name: str
    version: str
    agent: str | None = ""
    """What it works for, as ``notebook``; for the log."""
    pid: int | None = 0
    workspace: str
    """The folder that the paths of this connection lie in."""
    protocol_version: int = PROTOCOL
    requested_capabilities: tuple[str, ...] | None = ()
    token: str | None = None

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> Hello:
        """From checked parameters."""
        return convert(params, cls, strict=False)  # to its schema 1.0 is a whole number

    def params(self) -> dict[str, Any]:
        """The wire form; a token that there is none of is left out."""
        return _said(self)

    def __repr__(self) -> str:
        return f"Hello({self.name} {self.version}, {self.workspace})"  # no token in a log


class ServerName(Struct, frozen=True):
    """Which program a service is."""

    name: str
    version: str


class ServiceLimits(Struct, frozen=True):
    """What a service takes."""

    max_queue: int
    """Requests that may wait."""
    eval_timeout_ms: int
    """Waiting and running of one evaluation; 0 for any time."""
    payload_inline_max: int
    """Bytes of a mesh or file that may stand in a message."""
    line_max: int
    """Bytes of a message."""


class HelloAnswer(Struct, frozen=True, kw_only=True):
    """What a service says of itself: the result of ``hello``."""

    server: ServerName
    engine: str = "python"
    protocol_version: int = PROTOCOL
    protocol_minor: int = PROTOCOL_MINOR
    capabilities: tuple[str, ...]
    limits: ServiceLimits


class ToolCall(Struct, frozen=True):
    """The parameters of ``tools/call``."""

    name: str
    arguments: Mapping[str, Any]
    request_id: str | None = None
    """Echoed in every log line, manifest and result of the call; what `vcad.cancel` names."""
    node_id: str | None = None
    """The node that the call is for: a newer call for it supersedes those that still wait."""
    revision: int | None = None

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> ToolCall:
        """From checked parameters."""
        return convert({**params, "arguments": params.get("arguments") or {}}, cls, strict=False)

    def params(self) -> dict[str, Any]:
        """The wire form; what is not said is left out."""
        return _said(self)


def _said(message: Struct) -> dict[str, Any]:
    """The fields of a message that say something; what is in them is JSON already, or is refused as such."""
    return {name: value for name, value in asdict(message).items() if value is not None}


def named_block(result: Any) -> tuple[str, dict[str, Any]] | None:
    """The member of a result that names a block, and what it says; None where none does."""
    if isinstance(result, dict):
        for member in BLOCK_MEMBERS:
            said = result.get(member)
            if isinstance(said, dict):
                return member, said
    return None
