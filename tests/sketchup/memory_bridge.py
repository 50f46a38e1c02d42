"""SketchUp's side in memory: a scene with undo behind the connection's interface, and faults at will.

The real `Bridge` is used over it, so that both speak the tools' own arguments and results. What it does is
written from the rules of the bridge (6.1-6.3a, 6.7), not from the extension.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from notebook_ext.session.project.design_model import Bounds, Transform
from notebook_ext.sketchup.bridge.bridge import Bridge
from notebook_ext.sketchup.bridge.connection import BridgeConnection
from notebook_ext.sketchup.bridge.handshake import Handshake
from notebook_ext.sketchup.planning import MeshArtifact
from vcad_kernel.errors import ErrorCode, ServiceFailure

CAPABILITIES = frozenset(
    {
        "vcad.nodes",
        "vcad.instances",
        "vcad.identity",
        "vcad.imports.data",
        "vcad.imports.native_mesh",
        "dedupe.request_id",
    }
)
UNIT = Bounds((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))


@dataclass
class Placed:
    """One instance in the scene."""

    entity_id: int
    persistent_id: int
    node_id: str
    instance_id: str | None
    transform: Transform
    layer: str = "Layer0"
    material: str | None = None


@dataclass
class Defined:
    """One definition in the scene."""

    persistent_id: int
    name: str
    version: int
    mesh_path: str
    source_file: str | None
    project_id: str | None = None
    digest: str | None = None
    pushed_by: str | None = None


@dataclass
class State:
    """Everything that undo brings back."""

    nodes: dict[str, Defined] = field(default_factory=dict)
    instances: list[Placed] = field(default_factory=list)
    drawn: list[str] = field(default_factory=list)
    """What a person drew by hand."""


@dataclass
class Fault:
    """What goes wrong with one of the next calls of a tool."""

    code: str
    done: bool
    """Whether the tool did its work, and only the answer is lost."""
    restart: bool = False
    """Whether SketchUp is another process afterwards, with an empty model and no memory."""


class MemorySketchUp:
    """A model, its undo stack, and the extension's tools."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.state = State()
        self.revision = 0
        self.run = "run-1"
        """Another one after each start."""
        self.path = ""
        """Of the document that is shown; "" for one that was never saved."""
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.capabilities = CAPABILITIES
        self.entities: dict[int, dict[str, dict[str, Any]]] = {}
        """Id of an entity that a person drew, or its persistent id → what is answered for each extract."""
        self._undo: list[State] = []
        self._redo: list[State] = []
        self._ids = itertools.count(1)
        self._faults: dict[str, list[Fault | None]] = {}
        self._answers: dict[str, Any] = {}

    # what a person does

    def placed(self, instance_id: str) -> Placed:
        """The first instance with this id, by persistent id."""
        return min(
            (one for one in self.state.instances if one.instance_id == instance_id),
            key=lambda one: one.persistent_id,
        )

    def person_moves(self, instance_id: str, transform: Transform) -> None:
        self._commit()
        self.placed(instance_id).transform = transform

    def person_copies(self, instance_id: str, transform: Transform) -> Placed:
        self._commit()
        found = self.placed(instance_id)
        number = next(self._ids)
        mine = Placed(number, 1000 + number, found.node_id, instance_id, transform, found.layer)
        self.state.instances.append(mine)
        return mine

    def person_places(self, node_id: str) -> None:
        """From the component browser: the instance carries no mark."""
        self._commit()
        number = next(self._ids)
        self.state.instances.append(Placed(number, 1000 + number, node_id, None, (1.0,) * 16))

    def person_removes(self, instance_id: str) -> None:
        self._commit()
        self.state.instances.remove(self.placed(instance_id))

    def person_draws(self, what: str) -> None:
        self._commit()
        self.state.drawn.append(what)

    def person_undoes(self) -> None:
        self._step(self._undo, self._redo)

    def open_another(self) -> None:
        """Another document, and a server that remembers nothing."""
        self.state, self._undo, self._redo, self.revision = State(), [], [], 0
        self._answers.clear()

    def crash_and_restart(self, saved: State | None = None) -> None:
        """As `open_another`, in another process. saved: what the document that is opened then shows."""
        self.open_another()
        self.state = copy.deepcopy(saved) if saved is not None else State()
        self.run = f"run-{next(self._ids)}"

    def fault(self, tool: str, fault: Fault, *, after: int = 0) -> None:
        """Have a call of a tool go wrong, after so many that go well."""
        self._faults.setdefault(tool, []).extend([None] * after + [fault])

    # the tools

    def call(self, tool: str, arguments: Mapping[str, Any] | None, request_id: str | None) -> Any:
        given = dict(arguments or {})
        self.calls.append((tool, given))
        waiting = self._faults.get(tool) or [None]
        fault = waiting.pop(0)
        if fault is not None and not fault.done:
            self._fail(tool, fault)
        if request_id is not None and request_id in self._answers:
            return {**self._answers[request_id], "replayed": True}
        result = getattr(self, f"_{tool}")(**given)
        if request_id is not None:
            self._answers[request_id] = result
        if fault is not None:
            self._fail(tool, fault)
        return result

    def _fail(self, tool: str, fault: Fault) -> None:
        if fault.restart:
            self.open_another()
        details = {"operation": tool, "model_revision": self.revision}
        raise ServiceFailure(fault.code, f"{tool} was made to fail", details=details)

    def _commit(self) -> None:
        self._undo.append(copy.deepcopy(self.state))
        self._redo.clear()
        self.revision += 1

    def _step(self, back: list[State], forth: list[State]) -> bool:
        if not back:
            return False
        forth.append(self.state)
        self.state = back.pop()
        self.revision += 1
        return True

    def _stamped(self, **result: Any) -> dict[str, Any]:
        return {
            "success": True,
            "model_revision": self.revision,
            "model_epoch": 1,
            "elapsed_ms": 1.5,
            **result,
        }

    def _ping(self) -> Any:
        return self._stamped(status="connected", version="1")

    def _get_model_info(self) -> Any:
        return {"success": True, "path": self.path}

    def _list_vcad_nodes(self, placements: bool, project_id: str | None = None) -> Any:
        knows = "vcad.identity" in self.capabilities
        return [
            {
                "node_id": node_id,
                "source_file": one.source_file,
                "version": one.version,
                "name": one.name,
                "instances": len(here := [p for p in self.state.instances if p.node_id == node_id]),
                "definition_persistent_id": one.persistent_id,
                **(_marks_of(one) if knows else {}),
                "placements": [
                    {
                        "entity_id": p.entity_id,
                        "persistent_id": p.persistent_id,
                        "instance_id": p.instance_id,
                        "transformation": list(p.transform),
                        "layer": p.layer,
                        "material": p.material,
                        "locked": False,
                        "parent_id": None,
                    }
                    for p in here
                ],
            }
            for node_id, one in self.state.nodes.items()
            if not knows or project_id is None or one.project_id in (None, project_id)
        ]

    def _adopt_vcad_node(self, node_id: str, definition_persistent_id: int, **marks: Any) -> Any:
        one = self.state.nodes.get(node_id)
        if one is None or one.persistent_id != definition_persistent_id or one.project_id is not None:
            raise _failure("NODE_NOT_FOUND", "adopt_vcad_node", node_id=node_id)
        self._commit()
        self.state.nodes[node_id] = replace(self.state.nodes[node_id], **marks)
        return self._stamped(node_id=node_id)

    def _upsert_vcad_definition(self, node_id: str, mesh_path: str, **more: Any) -> Any:
        if not (self.workspace / mesh_path).is_file():
            raise _failure("IMPORT_DEFINITION_NOT_FOUND", "upsert_vcad_definition", path=mesh_path)
        self._commit()
        former = self.state.nodes.get(node_id)
        name = (former and former.name) or more.get("component_name") or f"vcad_{node_id}"
        self.state.nodes[node_id] = Defined(
            1000 + next(self._ids),
            name,
            former.version + 1 if former else 1,
            mesh_path,
            more.get("source_file"),
            *(more.get(mark) for mark in _MARKS if "vcad.identity" in self.capabilities),
        )
        return self._stamped(
            node_id=node_id,
            definition_name=name,
            definition_persistent_id=self.state.nodes[node_id].persistent_id,
            version=self.state.nodes[node_id].version,
            created=former is None,
            bounds=more.get("expected_bbox_mm"),
            revision=more.get("revision"),
        )

    def _place_vcad_instance(
        self,
        node_id: str,
        instance_id: str,
        transformation: list[float],
        layer: str | None = None,
        material: str | None = None,
        copies: list[int] | None = None,
        project_id: str | None = None,
    ) -> Any:
        if node_id not in self.state.nodes:
            raise _failure("NODE_NOT_FOUND", "place_vcad_instance", node_id=node_id)
        for one in self.state.instances:
            if (one.node_id, one.instance_id) == (node_id, instance_id) and one.persistent_id not in (
                copies or ()
            ):
                return self._about(one, created=False)
        self._commit()
        number = next(self._ids)
        one = Placed(
            number,
            1000 + number,
            node_id,
            instance_id,
            tuple(transformation),
            layer or "Layer0",
            material or None,
        )
        self.state.instances.append(one)
        return self._about(one, created=True)

    def _set_vcad_instance(self, persistent_id: int, project_id: str | None = None, **wanted: Any) -> Any:
        self._by_id(persistent_id, "set_vcad_instance")
        self._commit()
        one = self._by_id(persistent_id, "set_vcad_instance")
        if "transformation" in wanted:
            one.transform = tuple(wanted["transformation"])
        if "layer" in wanted:
            one.layer = wanted["layer"] or "Layer0"
        if "material" in wanted:
            one.material = wanted["material"] or None
        return self._about(one)

    def _remove_vcad_instance(self, persistent_id: int, project_id: str | None = None) -> Any:
        self._by_id(persistent_id, "remove_vcad_instance")
        self._commit()
        one = self._by_id(persistent_id, "remove_vcad_instance")
        self.state.instances.remove(one)
        return self._stamped(entity_id=one.entity_id, persistent_id=persistent_id)

    def _remove_vcad_node(self, node_id: str, project_id: str | None = None) -> Any:
        if node_id not in self.state.nodes:
            raise _failure("NODE_NOT_FOUND", "remove_vcad_node", node_id=node_id)
        self._commit()
        del self.state.nodes[node_id]
        before = len(self.state.instances)
        self.state.instances = [one for one in self.state.instances if one.node_id != node_id]
        return self._stamped(node_id=node_id, removed_instances=before - len(self.state.instances))

    def _undo_(self, steps: int, expected_model_revision: int | None = None) -> Any:
        if expected_model_revision not in (None, self.revision):
            raise _failure("STATE_CHANGED", "undo")
        done = sum(self._step(self._undo, self._redo) for _ in range(steps))
        return self._stamped(steps=done)

    def _resolve_vcad_import(self, extract: str, **which: int) -> Any:
        (key, number), *_ = which.items()
        answers = self.entities.get(number)
        if answers is None or extract not in answers:
            raise _failure("ENTITY_NOT_FOUND", "resolve_vcad_import", **{key: number})
        return {"success": True, "extract": extract, "vcad_node_id": None, **answers[extract]}

    def _about(self, one: Placed, **more: Any) -> Any:
        x, y, z = one.transform[12:15]
        bounds = {"min": [x, y, z], "max": [x + 1, y + 1, z + 1]}
        return self._stamped(
            node_id=one.node_id,
            instance_id=one.instance_id,
            entity_id=one.entity_id,
            persistent_id=one.persistent_id,
            bounds=bounds,
            **more,
        )

    def _by_id(self, persistent_id: int, tool: str) -> Placed:
        for one in self.state.instances:
            if one.persistent_id == persistent_id:
                return one
        raise _failure("ENTITY_NOT_FOUND", tool, persistent_id=persistent_id)


class MemoryConnection:
    """What the bridge needs of a connection."""

    def __init__(self, sketchup: MemorySketchUp) -> None:
        self._sketchup = sketchup
        self.address = SimpleNamespace(workspace=sketchup.workspace)
        self.lost = False

    @property
    def is_open(self) -> bool:
        return not self.lost

    @property
    def handshake(self) -> Handshake | None:
        return None if self.lost else self.ensure_handshake()

    def ensure_handshake(self, operation: str = "hello") -> Handshake:
        return Handshake(protocol=1, capabilities=self._sketchup.capabilities, started=self._sketchup.run)

    def require(self, capability: str, operation: str) -> None:
        handshake = self.ensure_handshake()
        if not handshake.supports(capability):
            raise handshake.refusal(capability, operation)

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> Any:
        if self.lost:
            raise ServiceFailure(
                ErrorCode.CONNECTION_FAILED,
                "nothing listens there",
                details={"host": "127.0.0.1", "port": 1, "operation": tool},
            )
        return self._sketchup.call("undo_" if tool == "undo" else tool, arguments, request_id)


class MemoryMeshes:
    """Files of geometry by node and revision, made when they are asked for."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self.lacking: dict[str, str] = {}
        """Node → why it has no geometry."""

    def mesh(self, node_id: str, revision: int) -> MeshArtifact:
        path = self._workspace / ".vcad" / "artifacts" / f"{node_id}-{revision}.dae"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{node_id} {revision}", "utf-8")
        return MeshArtifact(
            path.relative_to(self._workspace).as_posix(), UNIT, f"digest-{node_id}-{revision}"
        )

    def unavailable(self, node_id: str, revision: int) -> str | None:
        return self.lacking.get(node_id)


def memory_bridge(sketchup: MemorySketchUp) -> Bridge:
    """The real bridge over the scene in memory."""
    return Bridge(cast(BridgeConnection, MemoryConnection(sketchup)))


_MARKS = ("project_id", "digest", "pushed_by")


def _marks_of(one: Defined) -> dict[str, str | None]:
    return {mark: getattr(one, mark) for mark in _MARKS}


def _failure(code: str, tool: str, **details: Any) -> ServiceFailure:
    return ServiceFailure(code, f"{tool}: {code}", details={"operation": tool, **details})
