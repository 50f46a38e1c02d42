"""Changing the model: placing, updating and removing parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from pydantic import Field, model_validator

from notebook_ext.agents.calls.arguments import Answer, Changing, Length, Point
from notebook_ext.agents.calls.call import Call, Preview, Tool
from notebook_ext.agents.calls.outcomes import Partly
from notebook_ext.agents.packs.core.moving import instance_of, instance_preview
from notebook_ext.agents.packs.core.pictures.thumbnails import of_file, of_nodes
from notebook_ext.agents.packs.core.placed import Placed, Updated, changing, placed, require_linked, updated
from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.node_names import checked_node_id, name_of, node_id_of
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

if TYPE_CHECKING:
    from notebook_ext.session.project.design_model import DesignModel

__all__ = ["tools"]


class _Place(Changing):
    node_id: str
    source_file: str | None = Field(None, description="Loon file; else the cell's part of this name")
    position: Point | None = Field(None, description="mm or text with units")
    transformation: list[Length] | None = Field(
        None, min_length=16, max_length=16, description="column-major"
    )
    instance_id: str | None = Field(None, description="which one; a new id places the part once more")
    component_name: str | None = Field(None, description="of the definition, for all instances")
    if_exists: Literal["update", "add_instance", "error"] = "update"


class _Update(Changing):
    node_id: str
    source_file: str | None = Field(None, description="by default its own")


class _Cascade(Changing):
    node_id: str | None = None
    node_ids: list[str] = Field(default=[], description="in this order")

    @model_validator(mode="after")
    def _one_of_both(self) -> _Cascade:
        if (self.node_id is None) == (not self.node_ids):
            raise ValueError("give node_id or node_ids, one of both")
        return self


class _Remove(Changing):
    node_id: str | None = Field(None, description="the part and all its instances")
    instance_id: str | None = Field(None, description="only this one")
    keep_source: bool = Field(True, description="false: forget the part here too")

    @model_validator(mode="after")
    def _one_of_both(self) -> _Remove:
        if (self.node_id is None) == (self.instance_id is None):
            raise ValueError("give node_id or instance_id, one of both")
        return self


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
            Placed,
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
            Updated,
            _update,
            _touches,
        ),
        Tool(
            "vcad_update_cascade",
            "project",
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
            "Take a part, or one instance, out of SketchUp and the project; its file stays.",
            _Remove,
            _Removed,
            _remove,
            _taken_out,
        ),
    )


def _place(arguments: _Place, call: Call) -> Placed:
    node_id = checked_node_id(arguments.node_id)
    name = name_of(node_id)
    if not name.isprintable():
        raise ServiceFailure(
            ErrorCode.INVALID_PARAMS,
            f"the name {name!r} holds what cannot be printed",
            fix="choose a name of letters, digits, spaces and signs",
            details={"path": "node_id", "expected": "a printable name"},
        )
    source = _source(arguments.source_file, call)
    model = call.session.standing
    there = dict(model.instances_of(node_id))
    if there and arguments.if_exists == "error":
        raise ServiceFailure(
            ErrorCode.INVALID_PARAMS,
            f"{name} is placed already",
            fix='if_exists "update" exchanges it, "add_instance" places it once more',
            details={"path": "if_exists", "expected": "update or add_instance"},
        )
    if source is None and node_id not in model.components and name not in call.session.nodes():
        raise ServiceFailure(
            ErrorCode.NODE_NOT_FOUND,
            f"there is no part {name!r} in the notebook or the project",
            fix="give source_file, the Loon file that it is to be made from",
            details={"node_id": node_id},
        )
    instance = _instance_for(arguments, node_id, model)
    _require_own_name(arguments, node_id, model)
    with changing(node_id, call) as done:
        done.push(
            lambda: call.session.place(
                name,
                source,
                arguments.position,
                instance=instance,
                component_name=arguments.component_name,
                transformation=arguments.transformation,
                expected_revision=arguments.expected_revision,
            )
        )
        return placed(
            done, created=not there if instance is None else instance not in there, instance=instance
        )


def _instance_for(arguments: _Place, node_id: str, model: DesignModel) -> str | None:
    """Which instance is meant; None for the only one, or the first.

    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED where it is not said which of several is to move.
    """
    there = [instance_id for instance_id, _ in model.instances_of(node_id)]
    if arguments.instance_id is not None:
        return checked_node_id(arguments.instance_id, argument="instance_id")
    if there and arguments.if_exists == "add_instance":
        taken = model.instances
        return next(f"{node_id}-{n}" for n in range(1, len(taken) + 2) if f"{node_id}-{n}" not in taken)
    if len(there) > 1 and (arguments.position is not None or arguments.transformation is not None):
        raise ServiceFailure(
            ErrorCode.SCHEMA_VALIDATION_FAILED,
            f"{name_of(node_id)} stands in {len(there)} places: {', '.join(map(name_of, there))}",
            fix="give instance_id, the one that is to stand there; a new id places the part once more",
            details={"path": "instance_id", "expected": "one of its instances, or a new id"},
        )
    return None


def _require_own_name(arguments: _Place, node_id: str, model: DesignModel) -> None:
    """A definition that stands somewhere is not renamed by who places an instance of it.

    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    component = model.components.get(node_id)
    wanted = arguments.component_name
    now = node_id if component is None else component.component_name or node_id
    if wanted is None or wanted == now or not any(model.instances_of(node_id)):
        return
    raise ServiceFailure(
        ErrorCode.SCHEMA_VALIDATION_FAILED,
        f"component_name {wanted!r} would rename the definition of all instances, which is {now!r}",
        fix="leave it out; instance_id names an instance",
        details={"path": "component_name", "expected": f"{now!r}, or nothing"},
    )


def _update(arguments: _Update, call: Call) -> Updated:
    node_id = node_id_of(arguments.node_id)
    require_linked(node_id, call)
    source = _source(arguments.source_file, call)
    expected = arguments.expected_revision
    with changing(node_id, call) as done:
        done.push(lambda: call.session.update(name_of(node_id), source, expected_revision=expected))
        return updated(done)


def _cascade(arguments: _Cascade, call: Call) -> _Cascaded | Partly:
    named = arguments.node_ids if arguments.node_id is None else [arguments.node_id]
    node_ids = list(dict.fromkeys(node_id_of(name) for name in named))
    expected = arguments.expected_revision if len(node_ids) == 1 else None  # else it is the project's
    rows, first = [], None
    for count, node_id in enumerate(node_ids):
        call.progress(count, len(node_ids), f"updating {name_of(node_id)}")
        failed, revision = _updated_one(node_id, expected, call)
        first = first or failed
        error = failed.error if isinstance(failed, LoonCellFailed) else failed
        rows.append(
            _CascadeRow(
                node_id=node_id,
                success=error is None,
                revision=revision,
                error_code=None if error is None else str(error.error_code),
                error=None if error is None else error.message,
            )
        )
    result = _Cascaded(
        updated=[row.node_id for row in rows if row.success],
        failed=[row.node_id for row in rows if not row.success],
        results=rows,
    )
    return result if first is None else Partly(result, first)


def _updated_one(
    node_id: str, expected: int | None, call: Call
) -> tuple[VcadError | LoonCellFailed | None, int]:
    """Why a part could not be updated, if so, and the revision that it has then."""
    try:
        require_linked(node_id, call)
        with changing(node_id, call) as done:
            work = partial(call.session.update, name_of(node_id), expected_revision=expected)
            done.push(work)
            return None, updated(done).revision
    except (VcadError, LoonCellFailed) as failed:
        call.checkpoint()  # given up: the rest is not begun
        return failed, call.session.revision(node_id)


def _remove(arguments: _Remove, call: Call) -> _Removed:
    if arguments.instance_id is not None:
        return _remove_instance(arguments.instance_id, arguments.expected_revision, call)
    node_id = node_id_of(arguments.node_id or "")
    name = name_of(node_id)
    _require_known(node_id, call)
    instances, pending = 0, None
    if node_id in call.session.standing.components:
        instances = sum(1 for _ in call.session.standing.instances_of(node_id))
        expected = arguments.expected_revision
        with changing(node_id, call) as done:
            done.push(lambda: call.session.remove(name, expected_revision=expected))
            pending = done.pending
    if not arguments.keep_source:
        call.session.forget([name])
    return _Removed(removed_instances=instances, in_sketchup=pending is not None)


def _remove_instance(said: str, expected: int | None, call: Call) -> _Removed:
    """Take one instance out; the part stays, and its other instances."""
    instance_id, instance = instance_of(said, call)
    with changing(instance.component, call) as done:
        done.push(
            lambda: call.session.remove(
                name_of(instance.component), instance=instance_id, expected_revision=expected
            )
        )
        return _Removed(removed_instances=1, in_sketchup=done.pending is not None)


def _require_known(node_id: str, call: Call) -> None:
    """Raises: ServiceFailure NODE_NOT_FOUND for a part that is neither linked nor in the notebook."""
    if name_of(node_id) not in call.session.nodes():
        require_linked(node_id, call)


def _taken_out(arguments: _Remove, call: Call) -> Preview:
    """What would go. Raises: ServiceFailure NODE_NOT_FOUND: a person is asked only for what is there."""
    if arguments.instance_id is not None:
        sentence = "Takes {} out of the project and of SketchUp; its part and its other instances stay."
        return instance_preview(arguments.instance_id, call, sentence, goes=True)
    _require_known(node_id_of(arguments.node_id or ""), call)
    seen = _touches(arguments, call)
    forgets = (
        "" if arguments.keep_source else " The session forgets it too; its cell or file can make it again."
    )
    return replace(seen, summary=f"{seen.summary}{forgets}", undo=_AFTER_REMOVAL)


_AFTER_REMOVAL: Final = "Its source stays, so it can be placed again; SketchUp's undo brings it back there."


def _touches(arguments: _Place | _Update | _Cascade | _Remove, call: Call) -> Preview:
    """The instances that a call would change."""
    names = [arguments.node_id] if arguments.node_id is not None else getattr(arguments, "node_ids", [])
    model = call.session.standing
    going = [f"{name}: {instance}" for name in names for instance, _ in model.instances_of(node_id_of(name))]
    file = _source(getattr(arguments, "source_file", None), call)
    picture = of_nodes(names, call) if file is None else of_file(file, call)
    return Preview(
        objects=tuple(going) or tuple(names),
        summary=_SENTENCES[type(arguments)].format(", ".join(name_of(node_id_of(name)) for name in names)),
        takes_away=() if file is None else _replaced(names, file, call),
        undo="Each push is one step of SketchUp's undo." if going else "",
        picture=picture,
    )


_SENTENCES: Final[Mapping[type, str]] = {
    _Place: "Places {}.",
    _Update: "Brings {} up to date.",
    _Cascade: "Brings {} up to date.",
    _Remove: "Takes {} out of the project and of SketchUp.",
}


def _replaced(names: Sequence[str], file: Path, call: Call) -> tuple[str, ...]:
    """What parts of these names are made from, where that is another source than this file."""
    components = call.session.standing.components
    gone = []
    for name in map(name_of, map(node_id_of, names)):
        component = components.get(node_id_of(name))
        source = None if component is None else component.source.file
        if source != call.relative(file) and (component is not None or name in call.session.nodes()):
            gone.append(f"{name} as {source or 'its cell'} has it")
    return tuple(gone)


def _source(text: str | None, call: Call) -> Path | None:
    """A Loon file that may be read. Raises: PathRefused; FileMissing; NOT_A_FILE; UNSUPPORTED_TYPE."""
    if text is None:
        return None
    from notebook_ext.workspace.sources.loon_outline import ENDINGS

    path = call.files.file(text, operation=call.tool)
    if not path.name.endswith(tuple(ENDINGS)):
        raise ServiceFailure(
            ErrorCode.UNSUPPORTED_TYPE,
            f"{text!r} is no Loon file",
            fix=f"Loon files end in {', '.join(sorted(ENDINGS))}",
            details={"path": text},
        )
    return path
