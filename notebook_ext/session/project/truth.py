"""The one owner of ``design_model.json``: reads it, writes it whole, never over something unread.

    truth = Truth.load(workspace)
    truth.save(truth.model.with_instance("plate-1", Instance("plate")))

A file that cannot be understood is set aside under another name and reported. One session owns a
workspace; in any other the truth is read-only. What the values mean is said in `design_model.py`.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from notebook_ext.session.project.canonical import canonical_json
from notebook_ext.session.project.design_model import (
    IDENTITY,
    Bounds,
    Component,
    DesignModel,
    Execution,
    Instance,
    Removed,
    Source,
    Status,
    Transform,
    placed_at,
)
from notebook_ext.session.project.workspace_lock import WorkspaceLock
from vcad_kernel.contracts.validation import validate
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.paths import own_folder
from vcad_kernel.system.files import replace_files

__all__ = [
    "FILE_NAME",
    "IDENTITY",
    "Bounds",
    "Component",
    "DesignModel",
    "Execution",
    "Instance",
    "Removed",
    "Source",
    "Status",
    "Transform",
    "Truth",
    "WorkspaceLock",
    "canonical_json",
    "placed_at",
]

FILE_NAME: Final = "design_model.json"
_SCHEMA: Final = 1
_PROJECT_ID: Final = "project_id"
"""In the project's own folder, the id that its truth had last."""
_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_ID_IN_TEXT: Final = re.compile(rf'"project_id"\s*:\s*"({_ID.pattern})"')
_READ: Final = "read the project's truth"
_WRITE: Final = "write the project's truth"


class Truth:
    """The truth of one workspace. One thread uses it. Made by `load` or `scratch`."""

    def __init__(
        self, workspace: Path, model: DesignModel, *, lock: WorkspaceLock | None, written: bytes | None
    ) -> None:
        self.workspace = workspace
        self.model = model
        """As it was last read or written."""
        self.set_aside: Path | None = None
        """Where a file that could not be understood lies now; None when there was none."""
        self.problem: ServiceFailure | None = None
        """TRUTH_INVALID: what was wrong with that file, or with one that had to be left where it is."""
        self._lock = lock
        self._written = written
        self._stamp: tuple[int, int, int] | None = None
        self._in_memory = lock is None
        self.found_from: int | None = None
        """When the file that was found at first had been written, ns, by the clock that dates files; None
        where there was none."""

    @classmethod
    def load(cls, workspace: Path) -> Truth:
        """The truth of this folder; a missing file is an empty one.

        Never fails for what the file is or holds: see `problem` and `set_aside`.
        """
        lock = WorkspaceLock(workspace)
        lock.acquire()
        truth = cls(workspace, DesignModel.empty(), lock=lock, written=None)
        truth.reload()
        truth.found_from = None if truth._stamp is None else truth._stamp[0]
        return truth

    @classmethod
    def scratch(cls, model: DesignModel, workspace: Path) -> Truth:
        """A truth that is written nowhere, for trying a trace out. workspace: where its meshes lie."""
        return cls(workspace, model, lock=None, written=None)

    @property
    def path(self) -> Path:
        """The file."""
        return self.workspace / FILE_NAME

    @property
    def is_scratch(self) -> bool:
        """Whether it is written nowhere."""
        return self._in_memory

    @property
    def read_only(self) -> bool:
        """Whether writing is refused; `read_only_reason` says why."""
        return self.read_only_reason is not None

    @property
    def read_only_reason(self) -> str | None:
        """Why nothing is written, as a sentence."""
        if self._lock is not None and not self._lock.held:
            return self._lock.reason
        if self.problem is not None and self.set_aside is None:
            return self.problem.message
        return None

    def reload(self) -> DesignModel:
        """Read the file again, as after a checkout of another version of it."""
        if self._in_memory:
            return self.model
        self.problem = self.set_aside = None
        self._stamp = _stamp_of(self.path)
        try:
            data = self._read()
        except OSError as failed:  # a folder of this name, or no right to read it: it is left where it is
            self.model, self._written = DesignModel.empty(), None
            self.problem = self._invalid(f"it cannot be read: {failed.strerror or failed}")
            return self.model
        if data is None:
            self.model, self._written = DesignModel.empty(), None
            return self.model
        try:
            self.model, self._written = self._understood(data), data
        except ServiceFailure as problem:
            self.model, self.problem = DesignModel.empty(), problem
            self._written = data
            if problem.details.get("newer") is None and not self._is_others:
                self._put_aside(problem)
        return self.model

    def refresh(self) -> DesignModel:
        """Read the file again if another process has written it; cheap if not.

        A session that could only read owns the workspace as soon as the other one has left.
        """
        if self._is_others and self._lock is not None and self._lock.acquire():
            return self.reload()
        if not self._in_memory and self._stamp != _stamp_of(self.path):
            with contextlib.suppress(OSError):
                if self.problem is None and self._read() == self._written:
                    self._stamp = _stamp_of(self.path)
                    return self.model
            self.reload()
        return self.model

    @property
    def _is_others(self) -> bool:
        return self._lock is not None and not self._lock.held

    def save(self, model: DesignModel) -> DesignModel:
        """Make this the truth, and write it if it says anything new.

        Returns: the model as it stands now, with the file's revision.
        Raises: ServiceFailure: BUSY when the truth is read-only, REVISION_CONFLICT when another writer has
        changed the file meanwhile, SCHEMA_VALIDATION_FAILED, SAVE_FAILED. Nothing has changed then.
        """
        model = replace(model, revision=self.model.revision, project_id=self.model.project_id)
        no_file = self._written is None and not self._in_memory
        if model == self.model and (self.model.project_id or no_file):  # nothing to be said makes no file
            return self.model
        model = replace(model, project_id=self._identity()).identified()
        model = replace(model, revision=self.model.revision + 1)
        if not self._in_memory:
            self._write(model)
        self.model = model
        return model

    def _identity(self) -> str:
        """The project's id: as the file has it, or had it before it was lost; "" for none yet."""
        if self._in_memory or self.model.project_id:
            return self.model.project_id
        return _remembered(self.workspace, self.set_aside)

    def require_writable(self, operation: str) -> None:
        """Do nothing if the truth may be written. Raises: ServiceFailure BUSY, with the reason."""
        if (reason := self.read_only_reason) is not None:
            raise ServiceFailure(
                ErrorCode.BUSY,
                f"the project is open read-only: {reason}",
                fix="close the other session, or work in another folder",
                details={"operation": operation, "path": str(self.path)},
            )

    def close(self) -> None:
        """Leave the workspace to other sessions; safe to call twice."""
        if self._lock is not None:
            self._lock.release()

    def _write(self, model: DesignModel) -> None:
        self.require_writable(_WRITE)
        content = model.to_json()
        validate("design_model", content, operation=_WRITE)
        try:
            data = canonical_json(content).encode("utf-8")
            if self._read() != self._written:
                raise self._conflict()
            replace_files({self.path: data}, durable=True)
        except (OSError, ValueError) as error:
            raise ServiceFailure(
                ErrorCode.SAVE_FAILED,
                f"{self.path} could not be written: {error}",
                details={"operation": _WRITE, "path": str(self.path)},
            ) from error
        self._written = data
        self._stamp = _stamp_of(self.path)
        _remember(self.workspace, model.project_id)

    def _read(self) -> bytes | None:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None

    def _understood(self, data: bytes) -> DesignModel:
        """Raises: ServiceFailure TRUTH_INVALID, with ``newer`` in its details for a newer workbench's."""
        try:
            content = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise self._invalid(f"it is no JSON: {error}") from None
        if isinstance(content, dict) and isinstance(newer := content.get("schema"), int) and newer > _SCHEMA:
            raise self._invalid(f"a newer workbench wrote it (schema {newer}, known: {_SCHEMA})", newer=newer)
        try:
            return DesignModel.from_json(content, operation=_READ)
        except ServiceFailure as error:
            raise self._invalid(error.message.partition(": ")[2], at=error.details.get("path")) from None

    def _invalid(self, reason: str, **details: object) -> ServiceFailure:
        return ServiceFailure(
            ErrorCode.TRUTH_INVALID,
            f"{self.path} cannot be used: {reason}",
            details={"operation": _READ, "path": str(self.path), **details},
        )

    def _conflict(self) -> ServiceFailure:
        """Another process has written the file since we did: an editor, a checkout, a newer session."""
        return ServiceFailure(
            ErrorCode.REVISION_CONFLICT,
            f"{self.path} has been changed by somebody else since it was read; nothing was written over it",
            fix="look at the file, then load the session's project again",
            details={
                "node_id": None,
                "expected": self.model.revision,
                "current": self._revision_there(),
                "operation": _WRITE,
            },
        )

    def _revision_there(self) -> int | None:
        data = self._read()
        if data is not None:
            with contextlib.suppress(ServiceFailure):
                return self._understood(data).revision
        return None

    def _put_aside(self, problem: ServiceFailure) -> None:
        """Keep a file that cannot be understood, under the first free name."""
        for number in range(1, 10_000):
            aside = self.workspace / f"design_model.corrupt-{number}.json"
            with contextlib.suppress(FileExistsError):
                os.link(self.path, aside)  # unlike a rename, never over another file
                self.path.unlink()
                break
        else:
            return
        self.set_aside, self._written, self._stamp = aside, None, None
        problem.message += f"; it is kept as {aside.name}"
        problem.fix = f"mend {aside.name} and give it its name back, or take {FILE_NAME} from version control"


def _remember(workspace: Path, project_id: str) -> None:
    """Keep a project's id on this machine: a truth that is lost must not make its parts another's."""
    with contextlib.suppress(OSError):
        file = own_folder(workspace) / _PROJECT_ID
        if not file.is_file() or file.read_text(encoding="utf-8", errors="replace") != project_id:
            replace_files({file: project_id.encode("utf-8")})


def _remembered(workspace: Path, set_aside: Path | None) -> str:
    """The id of the project whose file was set aside, or is gone; "" where nothing says it."""
    with contextlib.suppress(OSError):
        if set_aside is not None:
            said = _ID_IN_TEXT.search(set_aside.read_text(encoding="utf-8", errors="replace"))
            if said is not None:
                return said[1]
    with contextlib.suppress(OSError):
        kept = (own_folder(workspace) / _PROJECT_ID).read_text(encoding="utf-8", errors="replace")
        if _ID.fullmatch(kept):
            return kept
    return ""


def _stamp_of(path: Path) -> tuple[int, int, int] | None:
    """What changes whenever a file is written; None for one that is not there."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")
