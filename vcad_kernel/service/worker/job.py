"""One request of the front as the worker sees it, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vcad_kernel.service.progress import ProgressReport
from vcad_kernel.service.shared import ProtocolFault
from vcad_kernel.service.shared.payloads import RequestPayload

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vcad_kernel.geometry.mesh.surface.drawn_mesh import DrawnMesh
    from vcad_kernel.geometry.tri_mesh import TriMesh
    from vcad_kernel.ir.document import Document

__all__ = ["Answer", "Job"]


@dataclass(frozen=True, slots=True)
class Job:
    """A request. Its paths have passed the front's policy; files are opened under the worker's own."""

    operation: str
    """The tool's name without ``vcad.``."""
    arguments: Mapping[str, Any]
    """The tool's arguments, valid by its schema."""
    script: Path | None
    """The file that is meant, where one is."""
    workspace: Path | None
    """The connection's; None lets no file be read."""
    mesh_shm: bool
    """Whether the client takes meshes from shared memory."""
    artifact_stage: Path | None
    """Where a mesh artifact is to be written, if one is wanted."""
    staging: Path | None
    """Folder for files that the client asked for."""
    seconds: float | None
    """What is left of the time for this request; None for any."""
    limit_ms: int
    """What the whole time was, for messages."""
    node_id: str | None
    """Under which later programs may import the outcome."""
    revision: int
    printed: Callable[[str], object]
    """Takes printed text as it comes."""
    progress: ProgressReport

    @classmethod
    def of(cls, payload: RequestPayload, printed: Callable[[str], object], progress: ProgressReport) -> Job:
        """The job of a payload.

        Raises: ProtocolFault for options that the front does not write.
        """
        options = payload.options
        operation, arguments = options.get("operation"), options.get("arguments", {})
        if not isinstance(operation, str) or not isinstance(arguments, Mapping):
            raise ProtocolFault("the request names no operation")
        seconds, revision = options.get("deadline_seconds"), options.get("revision")
        limit = options.get("eval_timeout_ms")
        return cls(
            operation=operation.removeprefix("vcad."),
            arguments=arguments,
            script=Path(payload.script_path) if payload.script_path else None,
            workspace=_path(options.get("workspace")),
            mesh_shm=bool(options.get("mesh_shm")),
            artifact_stage=_path(options.get("artifact_stage")),
            staging=_path(options.get("staging")),
            seconds=float(seconds) if seconds else None,
            limit_ms=int(limit) if limit else round(1000 * float(seconds or 0)),
            node_id=options.get("node_id"),
            revision=revision if type(revision) is int and revision >= 0 else 0,
            printed=printed,
            progress=progress,
        )

    @property
    def tool(self) -> str:
        """The operation's name for people."""
        return f"vcad.{self.operation}"


def _path(text: object) -> Path | None:
    return Path(text) if isinstance(text, str) and text else None


@dataclass(frozen=True, slots=True)
class Answer:
    """What comes of a job that succeeds."""

    result: dict[str, Any]
    """The tool's result; `mesh` is added where there are meshes and the client takes them."""
    document: Document | None = None
    meshes: Sequence[TriMesh] = ()
    """Of the parts, in order, to be put into shared memory."""
    double: bool = False
    """Whether the client wants them as float64."""
    drawn: Sequence[DrawnMesh] | None = None
    """How each of them is drawn; None where the client does not want to know."""
    arrays: Mapping[str, NDArray[Any]] | None = None
    """Of an answer that has some, to be put there, too; `arrays` is added for clients that take meshes."""
    diagnostics: str = ""
    """The findings as text, for the scene payload."""
