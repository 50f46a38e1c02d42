"""What there is: the session, its health, its nodes. All of it reads."""

from __future__ import annotations

import os
import platform
from typing import Any, Literal

from pydantic import Field

from notebook_ext.agents.arguments import Answer, Arguments
from notebook_ext.agents.calling import Call
from notebook_ext.agents.registry import Tool
from notebook_ext.session.node_names import name_of, node_id_of
from vcad_kernel.errors import ErrorCode, ServiceFailure

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


class _Service(Answer):
    status: str
    protocol_version: int


class _Viewer(Answer):
    status: str
    shown: list[str]


class _SketchUp(Answer):
    status: str
    version: str | None
    mock: bool


class _Health(Answer):
    status: Literal["ok", "degraded", "down"]
    sidecar: _Service
    viewer: _Viewer
    sketchup: _SketchUp
    capabilities: list[str]
    last_error: str | None


class _NodeRow(Answer):
    node_id: str
    revision: int
    applied_revision: int = Field(description="SketchUp's; 0 none")
    instances: int
    status: str
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


class _NodeEntry(_NodeRow):
    source: _Source
    parameters: list[_Parameter]
    imports: list[dict[str, Any]]
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
            "vcad_health",
            "core",
            "R",
            True,
            "When something does not answer: state of evaluation, viewer and SketchUp.",
            _Nothing,
            _Health,
            _health,
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
            "Before changing a part: its source, parameters, revision.",
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
    )


def _health(_arguments: _Nothing, call: Call) -> _Health:
    from vcad_kernel.contracts.messages import PROTOCOL

    session = call.session
    sketchup = session.sketchup()
    greeting = session.on_project(lambda linked: linked.link.bridge().connection.greeting)
    answering = greeting if sketchup.connected else None
    live = session.live_view
    problem = sketchup.problem or sketchup.trouble
    return _Health(
        status="degraded" if sketchup.trouble is not None else "ok",
        sidecar=_Service(
            status="running" if session.evaluates else "starts with the first evaluation",
            protocol_version=PROTOCOL,
        ),
        viewer=_Viewer(
            status="none" if live is None else "shown", shown=[] if live is None else list(live.names)
        ),
        sketchup=_SketchUp(
            status="connected" if sketchup.connected else "not running",
            version=None if sketchup.status is None else sketchup.status.sketchup_version,
            mock=answering is not None and answering.is_headless,
        ),
        capabilities=[] if answering is None else sorted(answering.capabilities),
        last_error=None if problem is None else problem.message,
    )


def _list_nodes(_arguments: _Nothing, call: Call) -> _Nodes:
    return _Nodes(nodes=list(_rows(call).values()))


def _rows(call: Call) -> dict[str, _NodeRow]:
    """Every part of the project and of the session, by id."""
    from notebook_ext.sketchup.node_states import node_states

    session = call.session
    model = session.standing
    rows = {}
    for state in node_states(model, None):
        file = model.components[state.node_id].source.file
        rows[state.node_id] = _NodeRow(
            node_id=state.node_id,
            revision=max(state.revision, session.revision(state.node_id)),
            applied_revision=state.applied_revision,
            instances=state.instances,
            status=state.state,
            source_file=file,
        )
    for name in session.nodes():
        node_id = node_id_of(name)
        if node_id not in rows:
            rows[node_id] = _NodeRow(
                node_id=node_id,
                revision=session.revision(node_id),
                applied_revision=0,
                instances=0,
                status="not linked to SketchUp",
                source_file=None,
            )
    return rows


def _node(arguments: _Node, call: Call) -> _NodeEntry:
    node_id = node_id_of(arguments.node_id)
    row = _rows(call).get(node_id)
    if row is None:
        known = ", ".join(_rows(call)) or "none yet"
        raise ServiceFailure(
            ErrorCode.NODE_NOT_FOUND,
            f"there is no node {arguments.node_id!r}; the nodes are {known}",
            fix="vcad_place makes one",
            details={"node_id": node_id},
        )
    session = call.session
    component = session.standing.components.get(node_id)
    part = session[name_of(node_id)] if name_of(node_id) in session.nodes() else None
    made_of = None if component is None else component.source
    text = part.source if part is not None else None if made_of is None else made_of.text
    box = None if part is None else part.mesh_bounds
    executions = () if component is None else session.standing.instances_of(node_id)
    entities = [one.execution.entity_id for _, one in executions if one.execution is not None]
    return _NodeEntry(
        **row.model_dump(),
        source=_Source(kind="cell" if made_of is None else made_of.kind, file=row.source_file, text=text),
        parameters=[
            _Parameter(name=one.name, value=one.value, unit=one.unit, min=one.min, max=one.max)
            for one in (() if part is None else part.parameters.values())
        ],
        imports=[] if component is None else [dict(one) for one in component.imports],
        last_entity_id=entities[-1] if entities else None,
        bbox=None if box is None else [list(box[0]), list(box[1])],
    )
