"""Traces and what came of them, as files: ``.vcad/traces/<trace_id>.json`` and ``.result.json``."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from notebook_ext.session.project.canonical import canonical_json
from notebook_ext.sketchup.trace import Trace
from notebook_ext.sketchup.trace_result import TraceResult
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.paths import own_folder

__all__ = ["TraceFiles"]

_NAME: Final = re.compile(r"trace-[0-9a-f]{16}\Z")
_KEPT: Final = 200
"""Traces; older ones are removed."""


class TraceFiles:
    """The traces of one workspace."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace

    def save(self, trace: Trace) -> Path:
        """Keep a trace, under its id. Raises: ServiceFailure SAVE_FAILED."""
        path = self._written(f"{trace.trace_id}.json", trace.to_json())
        self._prune()
        return path

    def save_result(self, result: TraceResult) -> Path:
        """Keep what came of a trace, in place of what came of it before. Raises: as `save`."""
        return self._written(f"{result.trace_id}.result.json", result.to_json())

    def load(self, trace_id: str, *, operation: str = "read a trace") -> Trace:
        """A trace that was kept. Raises: ServiceFailure FILE_NOT_FOUND, TRACE_INCOMPLETE."""
        return Trace.from_json(self._json(trace_id, ".json", operation), operation=operation)

    def result(self, trace_id: str, *, operation: str = "read a trace") -> dict[str, Any]:
        """What came of a trace. Raises: ServiceFailure FILE_NOT_FOUND, TRACE_INCOMPLETE."""
        content = self._json(trace_id, ".result.json", operation)
        if not isinstance(content, dict):
            raise self._unreadable(trace_id, operation, "it is no result")
        return content

    def has_result(self, trace_id: str) -> bool:
        """Whether a trace has been carried out, and what came of it been kept."""
        path = self._workspace / ".vcad" / "traces" / f"{trace_id}.result.json"
        return _NAME.match(trace_id) is not None and path.is_file()

    def names(self, limit: int | None = None) -> tuple[str, ...]:
        """The ids of the traces, the newest first."""
        return tuple(path.stem for path in self._newest_first()[:limit])

    def _newest_first(self) -> list[Path]:
        files = (self._workspace / ".vcad" / "traces").glob("trace-*.json")
        own: list[tuple[int, str, Path]] = []
        for path in files:
            with suppress(FileNotFoundError):  # a push may remove old ones meanwhile
                if _NAME.match(path.stem):
                    own.append((-path.stat().st_mtime_ns, path.name, path))
        return [path for *_, path in sorted(own)]

    def _json(self, trace_id: str, suffix: str, operation: str) -> Any:
        if not _NAME.match(trace_id):
            raise self._missing(trace_id, operation)
        path = self._workspace / ".vcad" / "traces" / f"{trace_id}{suffix}"
        try:
            return json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            raise self._missing(trace_id, operation) from None
        except (ValueError, RecursionError) as error:
            raise self._unreadable(trace_id, operation, str(error)) from None

    def _written(self, name: str, content: Any) -> Path:
        try:
            folder = own_folder(self._workspace) / "traces"
            folder.mkdir(exist_ok=True)
            path = folder / name
            path.write_text(canonical_json(content), "utf-8")
        except OSError as failed:
            kept = f".vcad/traces/{name}"
            raise ServiceFailure(
                ErrorCode.SAVE_FAILED,
                f"{kept} could not be written: {failed.strerror or failed}",
                fix="make room on the disk, or give yourself the right to write there",
                details={"path": kept, "operation": "keep a trace"},
            ) from failed
        return path

    def _prune(self) -> None:
        for path in self._newest_first()[_KEPT:]:
            path.unlink(missing_ok=True)
            path.with_name(f"{path.stem}.result.json").unlink(missing_ok=True)

    @staticmethod
    def _missing(trace_id: str, operation: str) -> ServiceFailure:
        return ServiceFailure(
            ErrorCode.FILE_NOT_FOUND,
            f"there is no trace {trace_id!r}",
            details={"path": f".vcad/traces/{trace_id}.json", "operation": operation},
        )

    @staticmethod
    def _unreadable(trace_id: str, operation: str, reason: str) -> ServiceFailure:
        return ServiceFailure(
            ErrorCode.TRACE_INCOMPLETE,
            f"the trace {trace_id} cannot be read: {reason}",
            details={"operation": operation},
        )
