"""What can be asked of SketchUp's extension, with types: the workbench's side of its tools.

    bridge = Bridge(BridgeConnection(BridgeAddress.from_settings(Settings.load(), workspace)))
    bridge.upsert_definition("plate", ".vcad/artifacts/plate.dae", request_id="r1")
    for row in bridge.nodes(): ...

Millimetres and degrees everywhere. Calls that only newer extensions know are refused with
CAPABILITY_UNAVAILABLE before anything is sent. Every call raises what the extension answers, and the
connection's own failures (`connection.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from notebook_ext.session.project.canonical import json_object
from notebook_ext.sketchup.bridge import answers
from notebook_ext.sketchup.bridge.answers import (
    Bounds,
    DefinitionChange,
    Identity,
    InstanceChange,
    NodeRow,
    ObserverPoll,
    Placement,
    RemovedNode,
    Status,
    StepsTaken,
)
from notebook_ext.sketchup.bridge.connection import BridgeConnection
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

__all__ = [
    "VIEWS",
    "Bounds",
    "Bridge",
    "DefinitionChange",
    "Identity",
    "InstanceChange",
    "NodeRow",
    "ObserverPoll",
    "Placement",
    "RemovedNode",
    "Status",
    "StepsTaken",
]

VIEWS: Final = ("iso", "top", "bottom", "front", "back", "left", "right")
"""From where SketchUp can take a picture of all there is."""

_NODES: Final = "vcad.nodes"
_INSTANCES: Final = "vcad.instances"
_IDENTITY: Final = "vcad.identity"
_OBSERVER: Final = "vcad.observer"
_WATCH: Final = "vcad.observer.watch"
_IMPORTS: Final = "vcad.imports.data"


class Bridge:
    """Typed calls over one connection."""

    def __init__(self, connection: BridgeConnection) -> None:
        self.connection = connection

    def supports(self, capability: str) -> bool:
        """Whether the extension said that it can do this; connects when there is no connection yet."""
        return self.connection.ensure_handshake().supports(capability)

    def status(self) -> Status:
        """That it is there, and what it is; answered even while SketchUp has no model open."""
        return answers.read(Status, self.connection.call("ping"), "ping")

    # nodes

    def nodes(self, project_id: str | None = None) -> tuple[NodeRow, ...]:
        """Every node that the model holds, with its placements where the extension gives them.

        project_id: only its own, and what says of no project that it is its. An older extension cannot tell:
        all are then taken for the project's, by their names, as they were before there were projects.
        Raises: CAPABILITY_UNAVAILABLE of one that knows no nodes, as supex's.
        """
        arguments = {"placements": True, **_whose(project_id)}
        try:
            listed = self.connection.call("list_vcad_nodes", arguments)
        except VcadError as error:
            handshake = self.connection.handshake
            unknown = error.error_code == ErrorCode.TOOL_NOT_FOUND
            if unknown and handshake is not None and not handshake.supports(_NODES):
                raise handshake.refusal(_NODES, "list_vcad_nodes") from error
            raise
        rows = answers.rows(listed, "list_vcad_nodes")
        handshake = self.connection.handshake
        if project_id and not (handshake is not None and handshake.supports(_IDENTITY)):
            return tuple(replace(row, project_id=project_id) for row in rows)
        return rows

    def get_node(self, node_id: str) -> NodeRow:
        """One node, with the bounds of its definition. Raises: NODE_NOT_FOUND."""
        result = self.connection.call("get_vcad_node", {"node_id": node_id})
        return answers.read(NodeRow, result, "get_vcad_node")

    def upsert_definition(
        self,
        node_id: str,
        mesh_path: str | Path,
        *,
        component_name: str | None = None,
        source_file: str | None = None,
        expected_bbox: Bounds | None = None,
        revision: int | None = None,
        identity: Identity | None = None,
        request_id: str | None = None,
    ) -> DefinitionChange:
        """Put a node's geometry into the model, or exchange it in every instance; adds no instance.

        mesh_path: absolute, or from the workspace. expected_bbox: checked after the import. identity: whose
        it is; a definition of this name that is another project's stays what it is.
        """
        arguments = self._geometry(node_id, mesh_path, component_name, source_file, expected_bbox, revision)
        arguments.update(_marks(identity))
        result = self._new("upsert_vcad_definition", arguments, _INSTANCES, request_id)
        return answers.read(DefinitionChange, result, "upsert_vcad_definition", node_id=node_id)

    def place_node(
        self,
        node_id: str,
        mesh_path: str | Path,
        *,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        component_name: str | None = None,
        source_file: str | None = None,
        expected_bbox: Bounds | None = None,
        revision: int | None = None,
        request_id: str | None = None,
    ) -> DefinitionChange:
        """Put a node into the model with one instance at ``position``; every extension can do this."""
        arguments = self._geometry(node_id, mesh_path, component_name, source_file, expected_bbox, revision)
        arguments["position"] = [float(number) for number in position]
        result = self.connection.call("place_vcad_node", arguments, request_id=request_id)
        return answers.read(DefinitionChange, result, "place_vcad_node", node_id=node_id)

    def update_node(
        self,
        node_id: str,
        mesh_path: str | Path,
        *,
        source_file: str | None = None,
        expected_bbox: Bounds | None = None,
        revision: int | None = None,
        force: bool = False,
        request_id: str | None = None,
    ) -> DefinitionChange:
        """Exchange a node's geometry in every instance; every extension can do this.

        force: also while a person edits inside an instance, and where several definitions are the node.
        Raises: NODE_NOT_FOUND, NODE_AMBIGUOUS, BUSY_EDITING.
        """
        arguments = self._geometry(node_id, mesh_path, None, source_file, expected_bbox, revision)
        if force:
            arguments["force"] = True
        result = self.connection.call("update_vcad_node", arguments, request_id=request_id)
        return answers.read(DefinitionChange, result, "update_vcad_node", node_id=node_id)

    def remove_node(
        self, node_id: str, *, project_id: str | None = None, request_id: str | None = None
    ) -> RemovedNode:
        """Remove a node with all its instances, in one undo step.

        project_id: whose it is; None for one that is no project's.
        """
        arguments = {"node_id": node_id, **_whose(project_id)}
        result = self._new("remove_vcad_node", arguments, None, request_id)
        return answers.read(RemovedNode, result, "remove_vcad_node")

    def adopt_node(
        self,
        node_id: str,
        definition_persistent_id: int,
        identity: Identity,
        *,
        request_id: str | None = None,
    ) -> NodeRow:
        """Make a definition of before there were projects a project's, as it stands.

        Raises: NODE_NOT_FOUND.
        """
        given = {"node_id": node_id, "definition_persistent_id": definition_persistent_id}
        result = self._new("adopt_vcad_node", {**given, **_marks(identity)}, _IDENTITY, request_id)
        return answers.read(NodeRow, result, "adopt_vcad_node")

    # single instances

    def place_instance(
        self,
        node_id: str,
        instance_id: str,
        transform: Sequence[float],
        *,
        layer: str | None = None,
        material: str | None = None,
        copies: Collection[int] = (),
        project_id: str | None = None,
        request_id: str | None = None,
    ) -> InstanceChange:
        """Place an instance of a node; one that is there already stays where it is (``created`` False).

        copies: persistent ids of instances with this ``instance_id`` that do not count: a person made them.
        """
        arguments: dict[str, Any] = {
            "node_id": node_id,
            "instance_id": instance_id,
            **_appearance(transform, layer, material),
            **({"copies": sorted(copies)} if copies else {}),
            **_whose(project_id),
        }
        result = self._new("place_vcad_instance", arguments, _INSTANCES, request_id)
        return answers.read(InstanceChange, result, "place_vcad_instance")

    def set_instance(
        self,
        persistent_id: int,
        *,
        transform: Sequence[float] | None = None,
        layer: str | None = None,
        material: str | None = None,
        project_id: str | None = None,
        request_id: str | None = None,
    ) -> InstanceChange:
        """Change what is given of an instance, in one undo step.

        Raises: ENTITY_NOT_FOUND, also for another project's.
        """
        appearance = _appearance(transform, layer, material)
        arguments = {"persistent_id": persistent_id, **appearance, **_whose(project_id)}
        result = self._new("set_vcad_instance", arguments, _INSTANCES, request_id)
        return answers.read(InstanceChange, result, "set_vcad_instance")

    def remove_instance(
        self, persistent_id: int, *, project_id: str | None = None, request_id: str | None = None
    ) -> InstanceChange:
        """Remove one instance; the node stays. Raises: ENTITY_NOT_FOUND, also for another project's."""
        arguments = {"persistent_id": persistent_id, **_whose(project_id)}
        result = self._new("remove_vcad_instance", arguments, _INSTANCES, request_id)
        return answers.read(InstanceChange, result, "remove_vcad_instance")

    # undo

    def undo(
        self, steps: int = 1, expected_model_revision: int | None = None, *, request_id: str | None = None
    ) -> StepsTaken:
        """Take the last steps back. Raises: STATE_CHANGED when the model has another revision."""
        arguments = _given(steps=steps, expected_model_revision=expected_model_revision)
        result = self._new("undo", arguments, None, request_id)
        return answers.read(StepsTaken, result, "undo", steps=steps)

    def redo(self, steps: int = 1, *, request_id: str | None = None) -> StepsTaken:
        """Do again what was undone."""
        result = self._new("redo", {"steps": steps}, None, request_id)
        return answers.read(StepsTaken, result, "redo", steps=steps)

    # what stands in the model

    def resolve_import(
        self,
        *,
        entity_id: int | None = None,
        persistent_id: int | None = None,
        extract: str = "all",
        space: str | None = None,
        project_id: str | None = None,
    ) -> Mapping[str, Any]:
        """Measures, transformation or mesh of an entity.

        project_id: whose nodes are nodes; another project's part is then a solid like any.

        extract: ``dims``, ``bbox``, ``transform``, ``all`` or ``solid``.
        space: ``parent`` (as without), ``world`` or ``local``; only newer extensions know it.
        Raises: ENTITY_NOT_FOUND, ENTITY_NOT_SOLID, NO_TRANSFORMATION, NODE_AMBIGUOUS.
        """
        if space is not None:
            self.connection.require(_IMPORTS, "resolve_vcad_import")
        how = _given(extract=extract, space=space)
        arguments = {**_entity(entity_id, persistent_id), **how, **_whose(project_id)}
        return self._object("resolve_vcad_import", arguments)

    def model_info(self) -> Mapping[str, Any]:
        """Title, units and counts of the model."""
        return self._object("get_model_info", {})

    def entity(self, *, entity_id: int | None = None, persistent_id: int | None = None) -> Mapping[str, Any]:
        """One entity with bounds, layer, material and attributes. Raises: ENTITY_NOT_FOUND."""
        result = self._object("get_entity", _entity(entity_id, persistent_id))
        inner = result.get("entity")
        return inner if isinstance(inner, dict) else result

    def screenshot(
        self, *, width: int = 1920, height: int = 1080, output_path: str | Path | None = None
    ) -> Path:
        """Where a picture of the view was written, by SketchUp's own path."""
        path = None if output_path is None else str(output_path)
        return self._file("take_screenshot", _given(width=width, height=height, output_path=path))

    def standard_view(self, view: str = "iso", *, width: int = 1280, height: int = 960) -> Path:
        """Where a picture of all there is was written; the person's own view stays as it is.

        view: one of `VIEWS`. Raises: INVALID_PARAMS for another; CAPABILITY_UNAVAILABLE for the headless
        SketchUp, whose pictures would show nothing.
        """
        if view not in VIEWS:
            raise ServiceFailure(
                ErrorCode.INVALID_PARAMS,
                f"there is no view {view!r} of SketchUp's model; there are {', '.join(VIEWS)}",
                details={"path": "view", "expected": f"one of {', '.join(VIEWS)}"},
            )
        if self.connection.ensure_handshake("take_batch_screenshots").is_headless:
            raise ServiceFailure(
                ErrorCode.CAPABILITY_UNAVAILABLE,
                "the headless SketchUp has no window, so it has no picture of its model",
                fix="look at the parts in the notebook (`%loon_view`), or open the project in SketchUp",
                details={"capability": "pictures", "operation": "standard_view"},
            )
        shot = {"camera": {"type": "standard_view", "view": view}, "width": width, "height": height}
        result = self._object("take_batch_screenshots", {"shots": [shot], "base_name": "sketchup"})
        rows = result.get("results")
        path = rows[0].get("file_path") if isinstance(rows, list) and rows else None
        if not isinstance(path, str):
            raise answers.broken("take_batch_screenshots", "results[0].file_path", "a text")
        return Path(path)

    def export_scene(self, file_format: str = "skp", *, output_path: str | Path | None = None) -> Path:
        """Where the model was written: ``skp``, ``dae``, ``obj``, ``stl``, ``png`` or ``jpg``."""
        path = None if output_path is None else str(output_path)
        return self._file("export_scene", _given(format=file_format, output_path=path))

    # observing: `client` says whose list is meant; all that say nothing share one

    def observer_start(self, client: str | None = None) -> str:
        """Begin to note changes; ``started`` or ``already_running``."""
        self.connection.require(_OBSERVER, "vcad.observer_start")
        return str(self._object("vcad.observer_start", _given(client=client)).get("status", ""))

    def observer_stop(self, client: str | None = None) -> str:
        """Stop noting changes and forget those noted; ``stopped`` or ``not_running``."""
        self.connection.require(_OBSERVER, "vcad.observer_stop")
        return str(self._object("vcad.observer_stop", _given(client=client)).get("status", ""))

    def observer_poll(self, ack: int | None = None, *, client: str | None = None) -> ObserverPoll:
        """What has changed since the last poll; with ``ack`` everything after that ``seq`` once more."""
        self.connection.require(_OBSERVER, "vcad.observer_poll")
        result = self.connection.call("vcad.observer_poll", _given(ack=ack, client=client))
        return answers.read(ObserverPoll, result, "vcad.observer_poll")

    def observer_watch(
        self,
        *,
        entity_ids: Collection[int] = (),
        persistent_ids: Collection[int] = (),
        client: str | None = None,
    ) -> tuple[int, ...]:
        """Watch these entities and no others; returns those that are not there."""
        self.connection.require(_WATCH, "vcad.observer_watch")
        ids = {"entity_ids": sorted(entity_ids), "persistent_ids": sorted(persistent_ids)}
        result = self._object("vcad.observer_watch", {**ids, **_given(client=client)})
        return answers.fitting(tuple[int, ...], result.get("missing"), ())

    # how it is asked

    def _new(
        self, tool: str, arguments: Mapping[str, Any], capability: str | None, request_id: str | None
    ) -> Any:
        """A call that an older extension may not know; it then says TOOL_NOT_FOUND, or we say it before."""
        if capability is not None:
            self.connection.require(capability, tool)
        return self.connection.call(tool, arguments, request_id=request_id)

    def _object(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        result = self.connection.call(tool, arguments)
        if not isinstance(result, dict):
            raise answers.broken(tool, "result", "an object")
        return result

    def _file(self, tool: str, arguments: Mapping[str, Any]) -> Path:
        path = self._object(tool, arguments).get("file_path")
        if not isinstance(path, str):
            raise answers.broken(tool, "result.file_path", "a path")
        return Path(path)

    def _geometry(
        self,
        node_id: str,
        mesh_path: str | Path,
        component_name: str | None,
        source_file: str | None,
        expected_bbox: Bounds | None,
        revision: int | None,
    ) -> dict[str, Any]:
        path = self._path(mesh_path)
        return _given(
            node_id=node_id,
            mesh_path=path,
            # its name before it was the format's no more
            obj_path=None if self.connection.ensure_handshake().is_current else path,
            component_name=component_name,
            source_file=source_file,
            expected_bbox_mm=expected_bbox,
            revision=revision,
        )

    def _path(self, path: str | Path) -> str:
        """A path as it is said: an older extension would read a relative one from its own folder."""
        workspace = self.connection.address.workspace
        if workspace is not None and not self.connection.ensure_handshake().is_current:
            return str(workspace / path)
        return str(path)


def _appearance(transform: Sequence[float] | None, layer: str | None, material: str | None) -> dict[str, Any]:
    moved = None if transform is None else [float(number) for number in transform]
    return _given(transformation=moved, layer=layer, material=material)


def _given(**arguments: Any) -> dict[str, Any]:
    """Those arguments of a request that are given, as JSON values."""
    return json_object({name: value for name, value in arguments.items() if value is not None})


def _whose(project_id: str | None) -> dict[str, Any]:
    """Whose nodes a call is about; an older extension does not read it."""
    return {"project_id": project_id} if project_id else {}


def _marks(identity: Identity | None) -> dict[str, Any]:
    return (
        {}
        if identity is None
        else {**_whose(identity.project_id), **_given(digest=identity.digest, pushed_by=identity.pushed_by)}
    )


def _entity(entity_id: int | None, persistent_id: int | None) -> dict[str, int]:
    if (entity_id is None) == (persistent_id is None):
        raise ValueError("either an entity_id or a persistent_id")
    return _given(entity_id=entity_id, persistent_id=persistent_id)
