"""Changing the model: placing, updating, removing parts, and setting their parameters.

SketchUp need not run. What is wished is evaluated, saved and shown in the notebook all the same; the answer
then says ``in_sketchup: false`` and why, and the next push brings it there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from pydantic import Field, model_validator

from notebook_ext.agents.arguments import Answer, Arguments, Changing, Length, Point
from notebook_ext.agents.calling import Call
from notebook_ext.agents.registry import Preview, Tool
from notebook_ext.failure import LoonCellFailed
from notebook_ext.session.node_names import checked_node_id, name_of, node_id_of
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

if TYPE_CHECKING:
    from notebook_ext.sketchup.trace import TraceResult

__all__ = ["tools"]

_AWAY: Final = frozenset({ErrorCode.CONNECTION_FAILED, ErrorCode.CONNECTION_TIMEOUT})
"""Codes of a SketchUp that is not there; what was wished is saved by then."""


class _Place(Changing):
    node_id: str
    source_file: str | None = Field(None, description="Loon file; else the cell's part of this name")
    position: Point | None = Field(None, description="mm or text with units")
    transformation: list[float] | None = Field(None, min_length=16, max_length=16, description="column-major")
    component_name: str | None = None
    if_exists: Literal["update", "add_instance", "error"] = "update"


class _Update(Changing):
    node_id: str
    source_file: str | None = Field(None, description="by default its own")


class _Cascade(Arguments):
    node_id: str | None = None
    node_ids: list[str] = Field(default=[], description="in this order")
    expected_revision: int | None = Field(None, ge=0)

    @model_validator(mode="after")
    def _one_of_both(self) -> _Cascade:
        if (self.node_id is None) == (not self.node_ids):
            raise ValueError("give node_id or node_ids, one of both")
        if self.node_ids and self.expected_revision is not None:
            raise ValueError("expected_revision goes with node_id")
        return self


class _Remove(Changing):
    node_id: str
    keep_source: bool = Field(True, description="false: forget the part here too")


class _SetParameter(Changing):
    node_id: str
    name: str
    value: Length


class _Placed(Answer):
    node_id: str
    revision: int
    volume: float
    surface_area: float
    bbox: list[list[float]] | None
    manifold: bool
    in_sketchup: bool
    pending: str | None = Field(description="why not")
    entity_id: int | None
    persistent_id: int | None
    definition_name: str | None
    mesh_path: str | None
    created: bool


class _Updated(_Placed):
    version: int | None
    replaced_instances: int
    stale_dropped: bool


class _CascadeRow(Answer):
    node_id: str
    success: bool
    revision: int
    error_code: str | None
    error: str | None


class _Cascaded(Answer):
    updated: list[str]
    failed: list[str]
    results: list[_CascadeRow]


class _Removed(Answer):
    removed_instances: int
    in_sketchup: bool = Field(description="still there")


def tools() -> tuple[Tool, ...]:
    """Those that change nodes."""
    return (
        Tool(
            "vcad_place",
            "core",
            "W",
            True,
            "Put a part into the session and SketchUp, from its Loon file or a cell. Gives figures in mm and "
            "its revision; without SketchUp pending says what waits.",
            _Place,
            _Placed,
            _place,
            _touches,
        ),
        Tool(
            "vcad_update",
            "core",
            "W",
            True,
            "After editing a part's source: evaluate again and bring all instances up to date.",
            _Update,
            _Updated,
            _update,
            _touches,
        ),
        Tool(
            "vcad_update_cascade",
            "core",
            "W",
            False,
            "Update several parts in the given order; one failure stops no other.",
            _Cascade,
            _Cascaded,
            _cascade,
            _touches,
        ),
        Tool(
            "vcad_remove",
            "core",
            "D",
            False,
            "Take a part and all its instances out of SketchUp and the project; its file stays.",
            _Remove,
            _Removed,
            _remove,
            _touches,
        ),
        Tool(
            "vcad_set_parameter",
            "core",
            "W",
            True,
            "Change a size that the source declares with defparam, without editing it.",
            _SetParameter,
            _Updated,
            _set_parameter,
            _touches,
        ),
    )


@dataclass(frozen=True, slots=True)
class _Pushed:
    """What came of bringing a wish to SketchUp."""

    result: TraceResult | None
    pending: str | None
    """Why it is not there yet."""
    overtaken: bool = False
    """Whether a newer change of the part was accepted meanwhile: that one goes to SketchUp."""


def _pushed(node_id: str, call: Call, work: Callable[[], TraceResult]) -> _Pushed:
    """Do it; a SketchUp that is not there leaves it for the next push. Raises: VcadError, LoonCellFailed.

    Between an evaluation and its push somebody else may have had a newer change accepted: then that one is
    pushed, by whoever made it.
    """
    try:
        return _Pushed(work(), None)
    except VcadError as error:
        if error.error_code in _AWAY:
            return _Pushed(None, error.message)
        if error.error_code != ErrorCode.PARTIAL_EXECUTION_REFUSED:
            raise
    if call.session.on_project(lambda linked: linked.is_newest(node_id)):
        return _Pushed(call.session.push([name_of(node_id)]), None)
    return _Pushed(None, "a newer change of it has been accepted meanwhile", overtaken=True)


def _place(arguments: _Place, call: Call) -> _Placed:
    node_id = checked_node_id(arguments.node_id)
    source = _source(arguments.source_file, call)
    there = dict(call.session.standing.instances_of(node_id))
    if there and arguments.if_exists == "error":
        raise ServiceFailure(
            ErrorCode.INVALID_PARAMS,
            f"{arguments.node_id} is placed already",
            fix='if_exists "update" exchanges it, "add_instance" places it once more',
            details={"path": "if_exists", "expected": "update or add_instance", "operation": "vcad_place"},
        )
    instance = None
    if there and arguments.if_exists == "add_instance":
        taken = call.session.standing.instances
        instance = next(f"{node_id}-{n}" for n in range(1, len(taken) + 2) if f"{node_id}-{n}" not in taken)
    pushed = _pushed(
        node_id,
        call,
        lambda: call.session.place(
            name_of(node_id),
            source,
            arguments.position,
            instance=instance,
            component_name=arguments.component_name,
            transformation=arguments.transformation,
        ),
    )
    return _placed(node_id, pushed, call, created=not there, instance=instance)


def _update(arguments: _Update, call: Call) -> _Updated:
    node_id = node_id_of(arguments.node_id)
    _require_linked(node_id, call)
    source = _source(arguments.source_file, call)
    pushed = _pushed(node_id, call, lambda: call.session.update(name_of(node_id), source))
    return _updated(node_id, pushed, call)


def _cascade(arguments: _Cascade, call: Call) -> _Cascaded:
    wanted = [arguments.node_id] if arguments.node_id is not None else list(dict.fromkeys(arguments.node_ids))
    rows = []
    for done, name in enumerate(wanted):
        call.progress(done, len(wanted), f"updating {name}")
        node_id, failed = node_id_of(name), None
        try:
            _require_linked(node_id, call)
            _pushed(node_id, call, partial(call.session.update, name_of(node_id)))
        except LoonCellFailed as error:
            failed = error.error
        except VcadError as error:
            failed = error
        rows.append(
            _CascadeRow(
                node_id=node_id,
                success=failed is None,
                revision=call.session.revision(node_id),
                error_code=None if failed is None else str(failed.error_code),
                error=None if failed is None else failed.message,
            )
        )
    return _Cascaded(
        updated=[one.node_id for one in rows if one.success],
        failed=[one.node_id for one in rows if not one.success],
        results=rows,
    )


def _remove(arguments: _Remove, call: Call) -> _Removed:
    node_id = node_id_of(arguments.node_id)
    name = name_of(node_id)
    linked = node_id in call.session.standing.components
    pushed = _Pushed(None, None)
    instances = 0
    if linked or name not in call.session.nodes():
        instances = sum(1 for _ in call.session.standing.instances_of(node_id))
        pushed = _pushed(node_id, call, lambda: call.session.remove(name))
    if not arguments.keep_source:
        call.session.forget([name])
    return _Removed(removed_instances=instances, in_sketchup=pushed.pending is not None)


def _set_parameter(arguments: _SetParameter, call: Call) -> _Updated:
    node_id = node_id_of(arguments.node_id)
    name = name_of(node_id)
    session = call.session
    if name not in session.nodes():
        if node_id not in session.standing.components:
            _require_linked(node_id, call)
        _pushed(
            node_id, call, lambda: session.update(name)
        )  # known from its project; built here for the first time
    _check_parameter(arguments, call)
    session.set_parameter(arguments.name, arguments.value, node_id=node_id)
    if node_id not in session.standing.components:
        return _updated(node_id, _Pushed(None, "it is not linked to SketchUp; vcad_place links it"), call)
    return _updated(node_id, _pushed(node_id, call, lambda: session.push([name])), call)


def _check_parameter(arguments: _SetParameter, call: Call) -> None:
    """Raises: ServiceFailure SCHEMA_VALIDATION_FAILED with what is declared."""
    declared = call.session[name_of(node_id_of(arguments.node_id))].parameters
    found = declared.get(arguments.name)
    if found is None:
        path, expected = "name", f"one of {', '.join(declared) or 'none: it declares no parameters'}"
    elif (found.min is not None and arguments.value < found.min) or (
        found.max is not None and arguments.value > found.max
    ):
        low, high = ("-∞" if found.min is None else found.min), ("∞" if found.max is None else found.max)
        path, expected = "value", f"{low} to {high} {found.unit or ''}".rstrip()
    else:
        return
    raise ServiceFailure(
        ErrorCode.SCHEMA_VALIDATION_FAILED,
        f"{arguments.name} of {arguments.node_id}: {path} must be {expected}",
        details={"path": path, "expected": expected, "operation": "vcad_set_parameter"},
    )


def _touches(arguments: _Place | _Update | _Cascade | _Remove | _SetParameter, call: Call) -> Preview:
    """The instances that a call would change."""
    names = [arguments.node_id] if arguments.node_id is not None else getattr(arguments, "node_ids", [])
    model = call.session.standing
    found = [f"{name}: {one}" for name in names for one, _ in model.instances_of(node_id_of(name))]
    return Preview(objects=tuple(found) or tuple(names))


def _source(text: str | None, call: Call) -> Path | None:
    """A source file that may be read. Raises: PathRefused; FileMissing; NOT_A_FILE."""
    return None if text is None else call.files.file(text, operation="source_file")


def _require_linked(node_id: str, call: Call) -> None:
    linked = call.session.standing.components
    if node_id not in linked:
        raise ServiceFailure(
            ErrorCode.NODE_NOT_FOUND,
            f"no part {name_of(node_id)!r} is linked; linked are {', '.join(linked) or 'none yet'}",
            fix="vcad_place links a part",
            details={"node_id": node_id},
        )


def _updated(node_id: str, pushed: _Pushed, call: Call) -> _Updated:
    component = call.session.standing.components.get(node_id)
    done = () if pushed.result is None else pushed.result.executed
    replaced = [one.replaced_instances or 0 for one in done if one.target == node_id]
    return _Updated(
        **_placed(node_id, pushed, call, created=False).model_dump(),
        version=None if component is None else component.applied_version,
        replaced_instances=sum(replaced),
        stale_dropped=pushed.overtaken,
    )


def _placed(
    node_id: str, pushed: _Pushed, call: Call, *, created: bool, instance: str | None = None
) -> _Placed:
    """What place and update have in common. Raises: VcadError for what SketchUp could not do."""
    session = call.session
    failed = None if pushed.result is None else pushed.result.failed_operation
    if failed is not None:
        raise ServiceFailure(
            str(failed["error"].get("error_code", ErrorCode.OPERATION_FAILED)),
            str(failed["error"].get("message", "SketchUp could not do it")),
            details={**failed["error"].get("details", {}), "operation_id": failed.get("operation_id")},
        )
    figures = session.part(name_of(node_id)).figures
    model = session.standing
    component = model.components.get(node_id)
    revision = session.revision(node_id)
    instances = dict(model.instances_of(node_id))
    chosen = instances.get(instance) if instance is not None else next(iter(instances.values()), None)
    execution = None if chosen is None else chosen.execution
    mesh = [one["payload"]["mesh_path"] for one in model.operations if "mesh_path" in one["payload"]]
    return _Placed(
        node_id=node_id,
        revision=revision,
        volume=figures.volume,
        surface_area=figures.surface_area,
        bbox=None if figures.bounds is None else [list(one) for one in figures.bounds],
        manifold=figures.is_manifold,
        in_sketchup=component is not None and component.applied_revision == revision,
        pending=pushed.pending,
        entity_id=None if execution is None else execution.entity_id,
        persistent_id=None if execution is None else execution.persistent_id,
        definition_name=None if component is None else component.component_name or node_id,
        mesh_path=mesh[-1] if mesh and pushed.result is not None else None,
        created=created,
    )
