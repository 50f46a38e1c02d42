"""The project that a notebook belongs to: its folder, its truth, and the numbers of its changes.

Loaded when something needs it: a notebook that links nothing to SketchUp makes no file. What happens to
linked parts is `linked_parts.py`'s business.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from notebook_ext.session.node_names import name_of, node_id_of
from notebook_ext.session.project.revisions import Revisions
from notebook_ext.session.settings import settings_in_force
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from notebook_ext.session.log.log import SessionLog
    from notebook_ext.session.project.truth import DesignModel, Truth

__all__ = ["Project"]


class Project:
    """folder: the notebook's, from which the workspace is found."""

    def __init__(self, folder: Path, log: SessionLog) -> None:
        self._folder = folder
        self._log = log
        self.revisions = Revisions()
        self._loading = Lock()
        """A change may be accepted on any thread, and its number depends on what is saved."""
        self._truth: Truth | None = None
        self._workspace: Path | None = None

    @property
    def workspace(self) -> Path:
        """The folder of the project; found once. Raises: ServiceFailure SETTING_INVALID."""
        if self._workspace is None:
            from notebook_ext.session.project.workspace import find_workspace

            folder = find_workspace(self._folder, settings_in_force().workspace)
            if not folder.is_dir():
                raise ServiceFailure(
                    ErrorCode.SETTING_INVALID,
                    f"VCAD_WORKSPACE names {folder}, and there is no such folder",
                    fix="make it, or name another",
                )
            self._workspace = folder
        return self._workspace

    @property
    def model(self) -> DesignModel:
        """The project's truth. Raises: VcadError when it cannot be read."""
        return self.loaded().model

    @property
    def trouble(self) -> ServiceFailure | None:
        """Why the file was set aside, and the project begins anew; None when it was not."""
        return None if self._truth is None or self._truth.set_aside is None else self._truth.problem

    def accept(self, name: str, expected: int | None = None) -> int:
        """The number of a change of a part that is accepted now; from any thread.

        expected: as of `Revisions.accept`. Raises: ServiceFailure REVISION_CONFLICT.
        """
        self.known()
        return self.revisions.accept(node_id_of(name), expected)

    def current(self) -> Truth | None:
        """The same as `known`, as it is on the disk by now. On the session's thread."""
        return None if self.known() is None else self.loaded()

    def known(self) -> Truth | None:
        """The truth, if the project has one; None otherwise, and nothing is made."""
        with self._loading:
            if self._truth is None and (self.workspace / "design_model.json").exists():
                self._load()
            return self._truth

    def loaded(self) -> Truth:
        """The truth, as it is on the disk by now; what cannot be read is empty and read-only."""
        with self._loading:
            if self._truth is None:
                return self._load()
            self._truth.refresh()
            self._restore(self._truth)
            return self._truth

    def _load(self) -> Truth:
        from notebook_ext.session.project.truth import Truth

        truth = Truth.load(self.workspace)
        if truth.problem is not None:
            self._log.event("truth_set_aside", level="error", error_code=str(truth.problem.error_code))
        self._restore(truth)
        self._truth = truth
        return truth

    def _restore(self, truth: Truth) -> None:
        self.revisions.restore(
            {node_id: component.revision for node_id, component in truth.model.components.items()}
        )

    def scope(self, names: Collection[str] | None) -> Collection[str] | None:
        """The ids of linked parts, or of one; None for all. Raises: ServiceFailure NODE_NOT_FOUND."""
        if names is None:
            return None
        if isinstance(names, str):
            names = [names]
        components = self.loaded().model.components
        for name in names:
            if node_id_of(name) not in components:
                raise self.not_linked(name)
        return [node_id_of(name) for name in names]

    def require_pushable(self, operation: str) -> None:
        """Let a project pass that may be changed here, and be shared with SketchUp.

        Raises: PathRefused for a workspace that SketchUp must not get; ServiceFailure BUSY for another
        session's, TRUTH_INVALID for a file that had to be left where it is.
        """
        from notebook_ext.session.project.workspace import require_pushable

        require_pushable(self.workspace, operation)
        truth = self.loaded()
        if truth.problem is not None and truth.set_aside is None:
            raise truth.problem
        if truth.read_only:
            raise ServiceFailure(
                ErrorCode.BUSY,
                f"the project is open read-only: {truth.read_only_reason}",
                fix="close the other session, give yourself the right to write there, or take another folder",
                details={"operation": operation, "path": str(truth.path)},
            )

    def not_linked(self, name: str) -> ServiceFailure:
        """What is said of a part that is not linked."""
        truth = self.known()
        linked = [] if truth is None else [name_of(node_id) for node_id in truth.model.components]
        there = f"linked are {', '.join(linked)}" if linked else "nothing is linked yet"
        return ServiceFailure(
            ErrorCode.NODE_NOT_FOUND,
            f"no part {name!r} is linked to SketchUp; {there}",
            fix=f"`%%loon {name} --push` or `session.place({name!r})` links the part of this name",
            details={"node_id": node_id_of(name)},
        )

    def close(self) -> None:
        """Leave the workspace to others."""
        with self._loading:
            if self._truth is not None:
                self._truth.close()
