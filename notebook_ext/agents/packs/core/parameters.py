"""`vcad_set_parameter`: another value for a size that a source declares with ``defparam``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from notebook_ext.agents.calls.arguments import Amount, Changing, amount
from notebook_ext.agents.calls.call import Call, Preview, Tool
from notebook_ext.agents.packs.core.pictures.thumbnails import of_nodes
from notebook_ext.agents.packs.core.placed import Updated, changing, require_linked, updated
from notebook_ext.session.node_names import name_of, node_id_of
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from vcad_kernel.ir.parameter import Parameter

__all__ = ["tools"]


class _SetParameter(Changing):
    node_id: str
    name: str
    value: Amount = Field(description="in the parameter's unit, or text with a unit")


def tools() -> tuple[Tool, ...]:
    """The one tool."""
    return (
        Tool(
            "vcad_set_parameter",
            "core",
            "W",
            True,
            "Change a size that the source declares with defparam, without editing it.",
            _SetParameter,
            Updated,
            _set_parameter,
            _touches,
        ),
    )


def _set_parameter(arguments: _SetParameter, call: Call) -> Updated:
    node_id = node_id_of(arguments.node_id)
    name, session, expected = name_of(node_id), call.session, arguments.expected_revision
    with changing(node_id, call) as done:
        if name not in session.nodes():  # known from its project: built here for the first time
            require_linked(node_id, call)
            done.push(lambda: session.update(name, expected_revision=expected))
            expected = done.revision if expected is not None else None
        value = _value(arguments, call)
        session.set_parameter(arguments.name, value, node_id=node_id, expected_revision=expected)
        if node_id in session.standing.components:
            done.push(lambda: session.push([name]))
        else:
            done.pending = "it is not linked to SketchUp; vcad_place links it"
        return updated(done)


def _value(arguments: _SetParameter, call: Call) -> float:
    """The value in the parameter's own unit. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
    declared = call.session[name_of(node_id_of(arguments.node_id))].parameters
    parameter = declared.get(arguments.name)
    if parameter is None:
        raise _refused(
            arguments, "name", f"one of {', '.join(declared) or 'none: it declares no parameters'}"
        )
    try:
        value = amount(arguments.value, parameter.unit)
    except ValueError as wrong:
        raise _refused(arguments, "value", f"{_range(parameter)}: {wrong}") from None
    below = parameter.min is not None and value < parameter.min
    if below or (parameter.max is not None and value > parameter.max):
        raise _refused(arguments, "value", _range(parameter))
    if isinstance(parameter.default, int) and value != int(value):
        raise _refused(
            arguments, "value", f"whole, as it is declared: {parameter.default}, {_range(parameter)}"
        )
    return value


def _range(declared: Parameter) -> str:
    low = "-∞" if declared.min is None else f"{declared.min:g}"
    high = "∞" if declared.max is None else f"{declared.max:g}"
    return f"{low} to {high} {declared.unit or ''}".rstrip()


def _refused(arguments: _SetParameter, path: str, expected: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.SCHEMA_VALIDATION_FAILED,
        f"{arguments.name} of {arguments.node_id}: {path} must be {expected}",
        fix="vcad_node lists the parameters with their ranges",
        details={"path": path, "expected": expected},
    )


def _touches(arguments: _SetParameter, call: Call) -> Preview:
    """The instances that would change."""
    instances = call.session.standing.instances_of(node_id_of(arguments.node_id))
    return Preview(
        objects=tuple(instance_id for instance_id, _ in instances) or (arguments.node_id,),
        summary=f"Sets {arguments.name} of {arguments.node_id} to {arguments.value}.",
        undo="Setting it back takes it back.",
        picture=of_nodes([arguments.node_id], call),
    )
