"""What changing a node gives: its figures, its revision, and how it stands in SketchUp.

SketchUp need not run. The change is evaluated, saved and shown in the notebook all the same; the answer
then says ``in_sketchup: false`` and why, and the next push brings it there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from pydantic import Field

from notebook_ext.agents.calls.arguments import Answer
from notebook_ext.agents.calls.call import Call
from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.events import SessionEvent
from notebook_ext.session.node_names import name_of, node_id_of
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

if TYPE_CHECKING:
    from notebook_ext.session.project.design_model import DesignModel
    from notebook_ext.sketchup.trace_result import TraceResult
    from vcad_kernel.geometry.measure.figures import Figures

__all__ = ["Done", "Placed", "Updated", "changing", "placed", "require_executed", "require_linked", "updated"]

_AWAY: Final = frozenset({ErrorCode.CONNECTION_FAILED, ErrorCode.CONNECTION_TIMEOUT})
"""Codes of a SketchUp that is not there; what was asked for is saved by then."""

_TRIES: Final = 3
"""Pushes, while others change the same part between its evaluation and its push."""


class Placed(Answer):
    """Of `vcad_place`."""

    node_id: str
    revision: int
    volume: float
    surface_area: float
    bbox: list[list[float]] | None
    manifold: bool
    in_sketchup: bool
    pending: str | None = Field(description="why not")
    instance_id: str | None
    entity_id: int | None
    persistent_id: int | None
    definition_name: str | None
    mesh_path: str | None
    created: bool


class Updated(Placed):
    """Of what changes a part that is there."""

    version: int | None
    replaced_instances: int
    stale_dropped: bool


@dataclass(slots=True)
class Done:
    """What one call has made of a node, as the session reports it while it does so.

    Meanwhile others may have changed the node again: the answer must not give their revision as its own.
    """

    node_id: str
    call: Call
    revision: int | None = None
    """None where the session has reported none: a newer change made it stale before it was done."""
    figures: Figures | None = None
    result: TraceResult | None = None
    pending: str | None = None
    """Why SketchUp does not show it yet."""
    overtaken: bool = False
    """Whether a newer change of the part was accepted meanwhile: that one goes to SketchUp."""

    def push(self, work: Callable[[], TraceResult]) -> None:
        """Do what brings it to SketchUp; one that is not there leaves it for the next push.

        Between an evaluation and its push another client may have had a newer change accepted: then that one
        is pushed. Raises: VcadError, LoonCellFailed.
        """
        session = self.call.session
        for tries_left in reversed(range(_TRIES)):
            try:
                self.result = work()
                return
            except VcadError as error:
                if error.error_code in _AWAY:
                    self.pending = error.message
                    return
                if error.error_code != ErrorCode.PARTIAL_EXECUTION_REFUSED or not tries_left:
                    raise
            if not session.on_project(lambda linked: linked.nodes.is_newest(self.node_id)):
                self.pending, self.overtaken = "a newer change of it has been accepted meanwhile", True
                return
            work = partial(session.push, [name_of(self.node_id)])

    def note(self, event: SessionEvent) -> None:
        """Note what the session reports of this very call. On the session's thread."""
        if event.request_id != self.call.request_id or event.node_id is None:
            return
        if node_id_of(event.node_id) != self.node_id or event.revision is None:
            return
        self.revision = event.revision
        if event.kind == "evaluated":
            self.figures = self.call.session[event.node_id].figures


@contextmanager
def changing(node_id: str, call: Call) -> Iterator[Done]:
    """Follow what this call makes of a node; a failure says which revision the node has then."""
    done = Done(node_id, call)
    stop = call.session.subscribe(done.note)
    try:
        yield done
    except (VcadError, LoonCellFailed) as failed:
        error = failed.error if isinstance(failed, LoonCellFailed) else failed
        error.details.setdefault("revision", call.session.revision(node_id))
        raise
    finally:
        stop()


def require_linked(node_id: str, call: Call) -> None:
    """Raises: ServiceFailure NODE_NOT_FOUND for a part that is not linked to SketchUp."""
    linked = call.session.standing.components
    if node_id in linked:
        return
    name = name_of(node_id)
    known = ", ".join(name_of(node) for node in linked) or "none yet"
    if name in call.session.nodes():
        message, fix = f"{name} is a part of the notebook only, not linked to SketchUp", "vcad_place links it"
    else:
        message, fix = (
            f"there is no part {name!r}; linked are {known}",
            "vcad_place makes one from a Loon file",
        )
    raise ServiceFailure(ErrorCode.NODE_NOT_FOUND, message, fix=fix, details={"node_id": node_id})


def updated(done: Done) -> Updated:
    """The answer of what changes a part that is there. Raises: VcadError for what SketchUp could not do."""
    component = done.call.session.standing.components.get(done.node_id)
    executed = () if done.result is None else done.result.executed
    return Updated(
        **placed(done, created=False).model_dump(),
        version=None if component is None else component.applied_version,
        replaced_instances=sum(
            operation.replaced_instances or 0 for operation in executed if operation.target == done.node_id
        ),
        stale_dropped=done.overtaken or done.revision is None,
    )


def placed(done: Done, *, created: bool, instance: str | None = None) -> Placed:
    """What place and update have in common. Raises: VcadError for what SketchUp could not do."""
    session, node_id = done.call.session, done.node_id
    require_executed(done.result)
    figures = done.figures or session.part(name_of(node_id)).figures
    revision = session.revision(node_id) if done.revision is None else done.revision
    model = session.standing
    component = model.components.get(node_id)
    instances = dict(model.instances_of(node_id))
    chosen = instance if instance is not None else next(iter(instances), None)
    execution = None if chosen is None or chosen not in instances else instances[chosen].execution
    return Placed(
        node_id=node_id,
        revision=revision,
        volume=figures.volume,
        surface_area=figures.surface_area,
        bbox=None if figures.bounds is None else [list(corner) for corner in figures.bounds],
        manifold=figures.is_manifold,
        in_sketchup=component is not None and component.applied_revision >= revision,
        pending=done.pending,
        instance_id=chosen,
        entity_id=None if execution is None else execution.entity_id,
        persistent_id=None if execution is None else execution.persistent_id,
        definition_name=None if component is None else component.component_name or node_id,
        mesh_path=_mesh_of(node_id, model) if done.result is not None else None,
        created=created,
    )


def require_executed(result: TraceResult | None) -> None:
    """Raises: ServiceFailure with what SketchUp said of an operation that failed."""
    failed = None if result is None else result.failed_operation
    if failed is None:
        return
    cause = failed.error
    raise ServiceFailure(
        cause.error_code, cause.message, details={**cause.details, "operation_id": failed.operation_id}
    )


def _mesh_of(node_id: str, model: DesignModel) -> str | None:
    """The file that SketchUp read the node from, in the last push."""
    for operation in reversed(model.operations):
        if operation.get("target") == node_id and "mesh_path" in operation["payload"]:
            return str(operation["payload"]["mesh_path"])
    return None
