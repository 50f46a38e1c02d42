"""Whether SketchUp shows the project: looked at when a session first works there, and after restarts.

    status = reconciling.run("start")       # at most once for each run of SketchUp, or on request
    status.drift.missing_node               # what the project has, and SketchUp does not

The truth and SketchUp's nodes are compared and what differs is sorted: missing nodes and revisions that never
arrived are built and pushed again; a part whose source is gone is marked degraded, and nothing is written
over what stands there; what this project cannot decide is left, and reported. On the session's thread. Knows
how parts are pushed only by what it is given. A session without linked parts asks SketchUp nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import asdict, replace

from notebook_ext.session.node_names import name_of
from notebook_ext.session.project.canonical import json_object
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError
from vcad_kernel.paths import own_folder
from vcad_kernel.rfc3339 import rfc3339

if TYPE_CHECKING:
    from notebook_ext.session.log.log import SessionLog
    from notebook_ext.session.project.project import Project
    from notebook_ext.session.project.truth import DesignModel, Status
    from notebook_ext.sketchup.bridge.answers import NodeRow
    from notebook_ext.sketchup.bridge.bridge import Bridge

__all__ = ["Drift", "Outcome", "ReconcileStatus", "Reconciling", "classified"]

Outcome: TypeAlias = Literal["never", "unchanged", "pending", "restored", "degraded", "required", "failed"]
"""``unchanged``: nothing was to be done. ``pending``: only looked at, and something is to be pushed.
``restored``: it was. ``degraded``: but for parts whose source is gone. ``required``: a person has to decide.
``failed``: it could not be looked at, or not be restored."""


class Drift(Struct, frozen=True):
    """How SketchUp differs from a project: ids of nodes, sorted."""

    missing_node: tuple[str, ...] = ()
    """SketchUp was given it, and does not have it."""
    orphan_definition: tuple[str, ...] = ()
    """The project's in SketchUp, and unknown to its truth."""
    revision_gap: tuple[str, ...] = ()
    """Its newest revision was never given to SketchUp."""
    source_missing: tuple[str, ...] = ()
    """The file that it is made from is not there."""
    reverted: tuple[str, ...] = ()
    """SketchUp shows an older state of it: not saved, an older file, or undone."""

    @property
    def total(self) -> int:
        """How many findings there are."""
        return sum(len(findings) for findings in asdict(self).values())

    def to_json(self) -> dict[str, Any]:
        """As callers see it."""
        return json_object(self)


class ReconcileStatus(Struct, frozen=True):
    """The last run of a session."""

    last_run_at: str | None = None
    """RFC 3339, UTC; None before the first."""
    drift: Drift = Drift()
    """As it was found."""
    pending_nodes: tuple[str, ...] = ()
    """What was not restored, and still is to be."""
    last_outcome: Outcome = "never"
    reason: str | None = None
    """What led to it: ``start``, ``reconnect``, ``status``, or as the caller said."""
    error: Mapping[str, Any] | None = None
    """``error_code`` and ``message`` of what was in the way; None where nothing was."""

    def to_json(self) -> dict[str, Any]:
        """As callers see it."""
        return json_object(self)


def classified(model: DesignModel, rows: Iterable[NodeRow], workspace: Path) -> Drift:
    """How the nodes that SketchUp lists differ from a truth. Of the disk: whether the sources are there."""
    from notebook_ext.sketchup.scene_check import Scene, standing

    scene = Scene(model, rows)
    missing, gaps, sourceless, reverted = [], [], [], []
    for node_id, component in sorted(model.components.items()):
        row = scene.rows.get(node_id)
        file = component.source.file
        if component.source.kind == "file" and not (file and (workspace / file).is_file()):
            sourceless.append(node_id)
        if row is None and component.applied_revision:
            missing.append(node_id)
        elif component.applied_revision < component.revision:
            gaps.append(node_id)
        elif row is not None and standing(component, row) == "older":
            reverted.append(node_id)
    known = model.components.keys() | model.removed.components
    return Drift(
        missing_node=tuple(missing),
        orphan_definition=tuple(sorted(scene.rows.keys() - known)),
        revision_gap=tuple(gaps),
        source_missing=tuple(sourceless),
        reverted=tuple(reverted),
    )


class Reconciling:
    """The runs of one session.

    connect: gives what to talk to SketchUp by. push: brings nodes up to date in SketchUp, each built from its
    source where no cell has made it here; in the order in which they are given.
    """

    def __init__(
        self,
        project: Project,
        log: SessionLog,
        connect: Callable[[], Bridge],
        push: Callable[[Sequence[str]], object],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._project = project
        self._log = log
        self._connect = connect
        self._push = push
        self._clock = clock
        self._met: str | None = None
        """The run of SketchUp that was looked at last; None before the first."""
        self._running = False
        self.status = ReconcileStatus()
        self.evaluate: Callable[[Sequence[str]], object] | None = None
        """Evaluates nodes again, in order, with what depends on them; None where pushing them builds them."""

    def before(self, scope: Collection[str] | None) -> None:
        """Something is about to be done in SketchUp: the rest is looked at first, once for each run of it.

        scope: the ids that are about to be pushed anyway; None for all, which needs no restoring.
        Never raises: what is about to be done says itself what is in its way.
        """
        if self._running or not self._has_parts():
            return
        try:
            run = _run_of(self._connect())
        except VcadError:
            return
        if run == self._met:
            return
        reason = "start" if self._met is None else "reconnect"
        components = self._project.loaded().model.components
        if not any(component.applied_revision for component in components.values()):
            self._met = run  # SketchUp was never given anything that could be amiss
            self._is_another_run(run)
            return
        kept = components.keys() if scope is None else scope
        with suppress(VcadError):  # it is in the status
            self._once(reason, run, besides=kept)
        if (error := self.status.error) is not None:
            sys.stderr.write(f"warning [{error['error_code']}] {error['message']}\n")

    def forget_what_was_met(self) -> None:
        """SketchUp shows another document: it is looked at again before the next thing is done in it."""
        if self._met is not None:
            self._met = _ANOTHER_DOCUMENT

    def run(self, reason: str) -> ReconcileStatus:
        """Compare, and restore what can be. Where there are no linked parts, nothing is asked or done.

        Raises: ServiceFailure STATE_RECONCILE_REQUIRED for what a person has to decide; what connecting and
        pushing raise.
        """
        if not self._has_parts():
            self.status = ReconcileStatus(self._now(), last_outcome="unchanged", reason=reason)
            return self.status
        self._project.require_pushable("reconcile")
        try:
            run = _run_of(self._connect())
        except VcadError as error:
            self.status = ReconcileStatus(self._now(), reason=reason)
            self._failed(error)
            raise
        self._once(reason, run)
        return self.status

    def would_restore(self) -> tuple[str, ...]:
        """The nodes that a run would put back, as things are now. Raises: VcadError."""
        if not self._has_parts():
            return ()
        bridge = self._connect()
        model = self._project.loaded().model
        drift = classified(model, bridge.nodes(model.project_id), self._project.workspace)
        return _pending(drift, restarted=self._last_run() not in (None, _run_of(bridge)))

    def seen(self, model: DesignModel, rows: Collection[NodeRow]) -> None:
        """A request has looked, before anything was done there: what a run would find is noted.

        It is no run: the next thing that is done in SketchUp restores.
        """
        if not self._has_parts() or self.status.last_outcome != "never":
            return
        drift = classified(model, rows, self._project.workspace)
        pending = tuple(sorted({*_pending(drift, restarted=False), *drift.reverted}))
        outcome: Outcome = "pending" if drift.total else "unchanged"
        self.status = ReconcileStatus(self._now(), drift, pending, outcome, "status")

    def pushed(self, scope: Collection[str] | None) -> None:
        """These ids, or all, have been brought up to date."""
        status = self.status
        left = () if scope is None else tuple(node for node in status.pending_nodes if node not in scope)
        if left != status.pending_nodes:
            restored = not left and status.last_outcome == "pending"
            outcome: Outcome = "restored" if restored else status.last_outcome
            self.status = replace(status, pending_nodes=left, last_outcome=outcome)

    def _has_parts(self) -> bool:
        truth = self._project.known()
        return truth is not None and bool(truth.model.components or truth.model.removed)

    def _once(self, reason: str, run: str, besides: Collection[str] = ()) -> None:
        """One run. Raises: as `run`."""
        self._log.event("reconcile_started", reason=reason)
        self._running, self._met = True, run
        self.status = ReconcileStatus(self._now(), last_outcome="failed", reason=reason)
        try:
            self._restore(run, besides)
        except VcadError as error:
            self._failed(error)
            raise
        finally:
            self._running = False
            self._log_status()

    def _restore(self, run: str, besides: Collection[str]) -> None:
        """What a run does; `status` says how far it has come. Raises: VcadError."""
        bridge = self._connect()
        model = self._project.loaded().model
        drift = classified(model, bridge.nodes(model.project_id), self._project.workspace)
        self._mark_degraded(drift.source_missing)
        pending = _pending(drift, restarted=self._is_another_run(run))
        self.status = replace(self.status, drift=drift, pending_nodes=pending)
        todo = [node for node in pending if node not in besides]
        if todo and _is_another_document(model, drift, bridge):
            raise self._undecided("SketchUp shows another document, which has nothing of this project")
        if todo:
            if self.evaluate is not None:
                self.evaluate(todo)
            self._push_what_can_be(todo)
        if drift.orphan_definition:
            names = ", ".join(name_of(node_id) for node_id in drift.orphan_definition)
            raise self._undecided(f"SketchUp shows parts of this project that it does not know: {names}")
        left = {*self.status.pending_nodes, *drift.reverted} - {*todo, *drift.source_missing}
        outcome: Outcome = "pending" if left else "restored" if todo else "unchanged"
        self.status = replace(self.status, pending_nodes=tuple(sorted(left)), last_outcome=outcome)
        if drift.source_missing:
            error = _sourceless(drift.source_missing, model)
            self.status = replace(self.status, last_outcome="degraded", error=error)

    def _push_what_can_be(self, nodes: Sequence[str]) -> None:
        """Push all; of some that cannot be built the others. Raises: VcadError for those that cannot."""
        try:
            self._push(nodes)
        except ServiceFailure as refused:
            if refused.error_code != ErrorCode.PARTIAL_EXECUTION_REFUSED:
                raise
            instances = self._project.model.instances
            out = {str(part["object_id"]) for part in refused.details["omitted"]}
            out |= {instances[name].component for name in out & instances.keys()}
            good = [node for node in nodes if node not in out]
            if good:
                self._push(good)
                self.pushed(good)
            raise

    def _failed(self, error: VcadError) -> None:
        failure = {"error_code": str(error.error_code), "message": error.message}
        required = error.error_code == ErrorCode.STATE_RECONCILE_REQUIRED
        outcome: Outcome = "required" if required else "failed"
        self.status = replace(self.status, last_outcome=outcome, error=failure)

    def _undecided(self, what: str) -> ServiceFailure:
        return ServiceFailure(
            ErrorCode.STATE_RECONCILE_REQUIRED,
            f"{what}; these are left as they are",
            fix="open the document that the project belongs to; `%loon_push` builds the parts in the one "
            "that is open, and `%loon_push --clean` takes out what of the project nobody knows any more",
            details={
                "drift": self.status.drift.to_json(),
                "pending_nodes": list(self.status.pending_nodes),
                "operation": "reconcile",
            },
        )

    def _is_another_run(self, run: str) -> bool:
        """Whether SketchUp was started anew since this project was last pushed from this machine.

        Noted for the next time.
        """
        before = self._last_run()
        if before != run:
            with suppress(OSError):
                (own_folder(self._project.workspace) / _LAST_RUN).write_text(run, "utf-8")
        return before not in (None, run)

    def _last_run(self) -> str | None:
        """The run of SketchUp that was pushed to last; None where it was not noted."""
        try:
            return (own_folder(self._project.workspace) / _LAST_RUN).read_text("utf-8", "replace")
        except OSError:
            return None

    def _mark_degraded(self, sourceless: Collection[str]) -> None:
        """Have the truth say of which parts the source is gone, and of which it is back."""
        truth = self._project.loaded()
        if truth.read_only:
            return
        model = truth.model
        for node_id, component in truth.model.components.items():
            if component.source.kind == "file" and component.status in ("active", "degraded"):
                status: Status = "degraded" if node_id in sourceless else "active"
                if component.status != status:
                    model = model.with_component(node_id, component.changed(status=status))
        truth.save(model)

    def _log_status(self) -> None:
        status = self.status
        self._log.event(
            "reconcile_finished",
            level="warning" if status.error is not None else "info",
            error_code=None if status.error is None else status.error["error_code"],
            reason=status.reason,
            outcome=status.last_outcome,
            drift=status.drift.to_json(),
            pending_nodes=list(status.pending_nodes),
        )

    def _now(self) -> str:
        return rfc3339(self._clock())


_UNNAMED: Final = "a run that does not say which"
_ANOTHER_DOCUMENT: Final = ""
"""In place of the run that was looked at, where it shows something else by now."""
_LAST_RUN: Final = "sketchup_run"
"""In the workspace's own folder: the run of SketchUp that was pushed to last."""


def _run_of(bridge: Bridge) -> str:
    """Which run of SketchUp answers. Raises: VcadError where none does."""
    return bridge.connection.ensure_handshake("reconcile").started or _UNNAMED


def _pending(drift: Drift, restarted: bool) -> tuple[str, ...]:
    """What is to be restored.

    An older state is restored after a restart of SketchUp, which had not been saved or crashed. While it ran
    on, a person may have undone it: that is theirs until they push.
    """
    nodes = {*drift.missing_node, *drift.revision_gap, *(drift.reverted if restarted else ())}
    return tuple(sorted(nodes.difference(drift.source_missing)))


def _is_another_document(model: DesignModel, drift: Drift, bridge: Bridge) -> bool:
    """Whether SketchUp shows a saved document in which nothing of the project stands.

    A new one that was never saved is what SketchUp begins with after a crash: there it is built again.
    """
    given = [node_id for node_id, component in model.components.items() if component.applied_revision]
    if not given or len(drift.missing_node) < len(given):
        return False
    return bool(bridge.model_info().get("path"))


def _sourceless(node_ids: Sequence[str], model: DesignModel) -> Mapping[str, Any]:
    lost = [f"{name_of(node_id)} ({model.components[node_id].source.file})" for node_id in node_ids]
    return {
        "error_code": str(ErrorCode.SOURCE_FILE_MISSING),
        "message": f"the source is not there any more of {', '.join(lost)}; what SketchUp shows of it stays",
        "details": {
            "node_id": node_ids[0],
            "source_file": model.components[node_ids[0]].source.file,
            "node_ids": list(node_ids),
        },
    }
