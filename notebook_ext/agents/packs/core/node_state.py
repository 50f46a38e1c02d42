"""What there is: the session and its nodes. All of it reads."""

from __future__ import annotations

import difflib
import os
import platform
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Call, Tool
from notebook_ext.agents.calls.expected_revision import saved_revision
from notebook_ext.session.node_names import name_of, node_id_of
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

if TYPE_CHECKING:
    from notebook_ext.display.part import Part
    from notebook_ext.session.linked.linked_parts import LinkedParts
    from notebook_ext.session.project.design_model import Component
    from notebook_ext.sketchup.bridge.answers import NodeRow

__all__ = ["tools"]


class _Nothing(Arguments):
    pass


class _Node(Arguments):
    node_id: str


class _SessionInfo(Answer):
    session_id: str
    attached: bool = Field(description="to a notebook; else headless")
    workspace: str
    kernel: str
    hook_url: str
    agent: str
    uptime_s: float
    mode: str
    nodes: int
    project_revision: int


class _NodeRow(Answer):
    node_id: str
    revision: int
    applied_revision: int = Field(description="SketchUp's; 0 none")
    instances: int
    status: Literal["active", "degraded", "orphan", "unlinked"]
    stale: bool = Field(description="last change failed; what is seen is older, or nothing")
    sketchup: str
    source_file: str | None


class _Nodes(Answer):
    nodes: list[_NodeRow]


class _Source(Answer):
    kind: str
    file: str | None
    text: str | None


class _Parameter(Answer):
    name: str
    value: float
    unit: str | None
    min: float | None
    max: float | None


class _Placed(Answer):
    instance_id: str
    transformation: list[float]


class _NodeEntry(_NodeRow):
    source: _Source
    parameters: list[_Parameter]
    imports: list[dict[str, Any]]
    dependents: list[str]
    placed: list[_Placed]
    last_entity_id: int | None
    bbox: list[list[float]] | None


def tools() -> tuple[Tool, ...]:
    """Those that say what there is."""
    return (
        Tool(
            "session_info",
            "core",
            "R",
            True,
            "Call first: which session, workspace and person's notebook this is.",
            _Nothing,
            _SessionInfo,
            _session_info,
        ),
        Tool(
            "vcad_list_nodes",
            "core",
            "R",
            True,
            "See which parts exist, their revisions and whether SketchUp shows them.",
            _Nothing,
            _Nodes,
            _list_nodes,
        ),
        Tool(
            "vcad_node",
            "core",
            "R",
            True,
            "Before changing a part: its source, parameters, revision, instances.",
            _Node,
            _NodeEntry,
            _node,
        ),
    )


def _session_info(_arguments: _Nothing, call: Call) -> _SessionInfo:
    world = call.world
    return _SessionInfo(
        session_id=world.session_id,
        attached=world.attached,
        workspace=str(call.workspace),
        kernel=f"Python {platform.python_version()}, pid {os.getpid()}",
        hook_url=f"{world.url}/api" if world.url else "",
        agent=call.agent,
        uptime_s=round(world.uptime_s, 1),
        mode="step" if call.approvals.policy.step_mode else "normal",
        nodes=len(call.session.nodes()),
        project_revision=saved_revision(call),
    )


def _list_nodes(_arguments: _Nothing, call: Call) -> _Nodes:
    return _Nodes(nodes=list(_rows(call).values()))


def _rows(call: Call) -> dict[str, _NodeRow]:
    """Every part of the project, of the session, and of ours in SketchUp, by id."""
    return call.session.on_project(lambda linked: {row.node_id: row for row in _each(linked, call)})


def _each(linked: LinkedParts, call: Call) -> Iterator[_NodeRow]:
    """On the session's thread, so that all rows are of one moment."""
    from notebook_ext.sketchup.status import node_states

    model = linked.standing()
    named = {node_id_of(name) for name in call.session.nodes()}
    for state in node_states(model, _shown_in_sketchup(linked, model.project_id)):
        component = model.components.get(state.node_id)
        yield _NodeRow(
            node_id=state.node_id,
            revision=max(state.revision, call.session.revision(state.node_id)),
            applied_revision=state.applied_revision,
            instances=state.instances,
            status="orphan" if component is None else _status(component, call),
            stale=not linked.nodes.is_newest(state.node_id)
            if state.node_id in named
            else linked.nodes.never_came_to_be(state.node_id),
            sketchup=state.state,
            source_file=None if component is None else component.source.file,
        )
    for node_id in sorted(named - model.components.keys()):
        yield _NodeRow(
            node_id=node_id,
            revision=call.session.revision(node_id),
            applied_revision=0,
            instances=0,
            status="unlinked",
            stale=not linked.nodes.is_newest(node_id),
            sketchup="not linked",
            source_file=None,
        )


def _status(component: Component, call: Call) -> Literal["active", "degraded", "orphan"]:
    """As the project says it, or what is plain to see: a source that is not there."""
    file = component.source.file
    if component.status == "active" and file is not None:
        try:
            call.files.file(file, operation=call.tool)
        except VcadError:
            return "degraded"
    return component.status


def _shown_in_sketchup(linked: LinkedParts, project_id: str) -> tuple[NodeRow, ...] | None:
    """What SketchUp lists; None where it is not connected: no caller is to wait for it here."""
    bridge = linked.link.bridge()
    if not bridge.connection.is_open:
        return None
    try:
        return bridge.nodes(project_id)
    except VcadError:
        return None


def _node(arguments: _Node, call: Call) -> _NodeEntry:
    node_id = node_id_of(arguments.node_id)
    name, session = name_of(node_id), call.session
    rows = _rows(call)
    row = rows.get(node_id)
    if row is None:
        known = ", ".join(name_of(node) for node in rows) or "none yet"
        near = difflib.get_close_matches(name, [name_of(node) for node in rows], 1)
        raise ServiceFailure(
            ErrorCode.NODE_NOT_FOUND,
            f"there is no node {name!r}; the nodes are {known}",
            fix=f"did you mean {near[0]}?" if near else "vcad_place makes one from a Loon file",
            details={"node_id": node_id},
        )
    model = session.standing
    component = model.components.get(node_id)
    part = session[name] if name in session.nodes() else None
    box = None if part is None else part.mesh_bounds
    executions = [instance.execution for _, instance in model.instances_of(node_id)]
    entities = [execution.entity_id for execution in executions if execution is not None]
    return _NodeEntry(
        **row.model_dump(),
        source=_source(component, part, call),
        parameters=[
            _Parameter(
                name=parameter.name,
                value=parameter.value,
                unit=parameter.unit,
                min=parameter.min,
                max=parameter.max,
            )
            for parameter in (() if part is None else part.parameters.values())
        ],
        imports=[] if component is None else [dict(link) for link in component.imports],
        dependents=[
            other
            for other, dependent in model.components.items()
            if any(link.get("source_node_id") == node_id for link in dependent.imports)
        ],
        placed=[
            _Placed(instance_id=instance_id, transformation=list(instance.transform))
            for instance_id, instance in model.instances_of(node_id)
        ],
        last_entity_id=entities[-1] if entities else None,
        bbox=None if box is None else [list(box[0]), list(box[1])],
    )


def _source(component: Component | None, part: Part | None, call: Call) -> _Source:
    """What a node is made from: its file as it is now, else its cell's text."""
    if component is None:
        return _Source(kind="cell", file=None, text=None if part is None else part.source)
    source = component.source
    if source.file is None:
        return _Source(kind=source.kind, file=None, text=source.text if part is None else part.source)
    from notebook_ext.workspace.files.files import read_text

    try:
        file = read_text(call.files, source.file, operation=call.tool)
    except VcadError:  # gone, or not to be read: the status says so
        return _Source(kind=source.kind, file=source.file, text=None if part is None else part.source)
    call.files.updates.seen(call.agent, file.path, file.data)
    return _Source(kind=source.kind, file=source.file, text=file.text)
