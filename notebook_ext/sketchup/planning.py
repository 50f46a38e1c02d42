"""From the project's truth to an execution trace: pure, the same for equal truths, SketchUp not needed.

    trace = plan(truth.model, meshes)
    print(trace.summary())

``incremental`` plans what the truth says and its feedback does not: geometry whose revision SketchUp has not
seen, instances not yet placed, and of placed ones what the design has changed since it was written. So what
a person moved stays. ``clean`` plans all of it, as into an empty scene, in which nothing is to be removed.
Whatever cannot become an operation is in the trace's ``omitted``; nothing is left out in silence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

from notebook_ext.session.project.canonical import json_object
from notebook_ext.session.project.design_model import Bounds, Component, DesignModel, Instance, Transform
from notebook_ext.sketchup.trace import Mode, Omitted, Operation, Trace
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["MeshArtifact", "Meshes", "plan"]

_OPERATION: Final = "plan"
_NODE_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,128}\Z")
"""What SketchUp's side takes as a node's id."""
_FLAT: Final = 1e-12
"""A determinant below this makes a body of any size vanish."""


@dataclass(frozen=True, slots=True)
class MeshArtifact:
    """A file with the geometry of one revision of a node."""

    path: str
    """Relative to the workspace, with forward slashes."""
    bbox: Bounds | None
    """mm, in the component's own coordinates; None for an empty body or when it is not known."""
    digest: str
    """Of the file's content."""


class Meshes(Protocol):
    """Where geometry comes from; the session answers from what the evaluation service has published."""

    def mesh(self, node_id: str, revision: int) -> MeshArtifact:
        """The file of one revision. Asked only when `unavailable` gives None."""

    def unavailable(self, node_id: str, revision: int) -> str | None:
        """Why there is no file of this revision, as a sentence for people; None when there is one."""


def plan(
    model: DesignModel,
    meshes: Meshes,
    mode: Mode = "incremental",
    scope: Collection[str] | None = None,
) -> Trace:
    """The operations that make SketchUp show the truth.

    scope: ids of components (with their instances) and of instances (with what they need); None for all.
    Raises: ServiceFailure TRUTH_INVALID for a scope that names what is not there, INVALID_PARAMS for
    another mode.
    """
    if mode not in ("incremental", "clean"):
        raise ServiceFailure(
            ErrorCode.INVALID_PARAMS,
            f"there is no plan of mode {mode!r}",
            details={"path": "mode", "expected": "incremental or clean", "operation": _OPERATION},
        )
    planner = _Planner(model, meshes, mode, _wanted(model, scope))
    operations = tuple(planner.operations())
    names = None if scope is None else tuple(sorted(set(scope)))
    return Trace.of(mode, names, operations, tuple(planner.omitted), tuple(planner.warnings))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The ids that a plan is about, sorted."""

    components: tuple[str, ...]
    instances: tuple[str, ...]
    removed_components: tuple[str, ...]
    removed_instances: tuple[str, ...]


def _wanted(model: DesignModel, scope: Collection[str] | None) -> _Wanted:
    gone = model.removed
    if scope is None:
        chosen = {*model.components, *model.instances, *gone.components, *gone.instances}
    else:
        chosen = set(scope)
        known = {*model.components, *model.instances, *gone.components, *gone.instances}
        if unknown := sorted(chosen - known):
            raise ServiceFailure(
                ErrorCode.TRUTH_INVALID,
                f"the project has no component and no instance {unknown[0]!r}",
                details={"operation": _OPERATION, "object_ids": unknown},
            )
    instances = {
        name for name, instance in model.instances.items() if name in chosen or instance.component in chosen
    }
    components = (chosen | {model.instances[name].component for name in instances}) & model.components.keys()
    return _Wanted(
        tuple(sorted(components)),
        tuple(sorted(instances)),
        tuple(sorted(gone.components & chosen)),
        tuple(
            sorted(n for n, instance in gone.instances.items() if n in chosen or instance.component in chosen)
        ),
    )


class _Planner:
    """One planning."""

    def __init__(self, model: DesignModel, meshes: Meshes, mode: Mode, wanted: _Wanted) -> None:
        self._model = model
        self._meshes = meshes
        self._clean = mode == "clean"
        self._wanted = wanted
        self._upserts: dict[str, str] = {}
        """Component → the operation that puts it there."""
        self._boxes: dict[str, Bounds | None] = {}
        self._absent: set[str] = set()
        """Components that SketchUp has never seen and that this trace cannot bring."""
        self.omitted: list[Omitted] = []
        self.warnings: list[str] = []

    def operations(self) -> Iterator[Operation]:
        if not self._clean:
            yield from self._removals()
        for node_id in self._wanted.components:
            yield from self._component(node_id, self._model.components[node_id])
        for instance_id in self._wanted.instances:
            yield from self._instance(instance_id, self._model.instances[instance_id])

    def _removals(self) -> Iterator[Operation]:
        """First, so that a name given up is free for what takes it."""
        for instance_id in self._wanted.removed_instances:
            instance = self._model.removed.instances[instance_id]
            payload = {"component": instance.component, "instance_id": instance_id}
            yield Operation.of("remove_instance", instance_id, payload, inverse="place_instance")
        for node_id in self._wanted.removed_components:
            yield Operation.of("remove_definition", node_id, {})

    def _component(self, node_id: str, component: Component) -> Iterator[Operation]:
        if not self._clean and component.applied_revision >= component.revision > 0:
            return
        reason = self._no_geometry(node_id, component)
        if reason is not None:
            self.omitted.append(Omitted(node_id, reason))
            if self._clean or not component.applied_revision:
                self._absent.add(node_id)
            return
        artifact = self._meshes.mesh(node_id, component.revision)
        self._boxes[node_id] = artifact.bbox
        operation = Operation.of(
            "upsert_definition",
            node_id,
            {
                "mesh_path": artifact.path,
                "mesh_digest": artifact.digest,
                "expected_bbox_mm": _box(artifact.bbox),
                "component_name": component.component_name,
                "source_file": component.source.file,
                "revision": component.revision,
                "stand_in": False,
            },
            inverse="remove_definition" if component.execution is None else "upsert_definition",
        )
        self._upserts[node_id] = operation.operation_id
        if component.status == "degraded":
            self.warnings.append(f"{node_id} is degraded: what is pushed is its last good geometry")
        yield operation

    def _no_geometry(self, node_id: str, component: Component) -> str | None:
        """Why SketchUp cannot be given this component, as a sentence."""
        if not _NODE_ID.match(node_id):
            return "its id must be 1 to 128 letters, digits, dots, colons, hyphens or underscores"
        if component.status == "orphan":
            return "it is known from SketchUp only, and has no source here"
        if component.revision < 1:
            return "it has not been evaluated yet"
        return self._meshes.unavailable(node_id, component.revision)

    def _instance(self, instance_id: str, instance: Instance) -> Iterator[Operation]:
        reason = self._no_place(instance)
        if reason is not None:
            self.omitted.append(Omitted(instance_id, reason))
            return
        done = instance.execution
        unplaced = done is None or done.persistent_id is None
        if self._clean or unplaced:
            yield self._placing(instance_id, instance)
        if done is None or done.transform is None or unplaced or (self._clean and not instance.keep):
            return  # what is placed anew is placed as it should be; a kept one may be there already
        if done.transform != instance.transform:
            yield self._change("move_instance", instance_id, "transform", list(instance.transform))
        if done.layer != instance.layer:
            yield self._change("set_layer", instance_id, "layer", instance.layer)
        if done.material != instance.material:
            yield self._change("set_material", instance_id, "material", instance.material)

    def _no_place(self, instance: Instance) -> str | None:
        """Why an instance cannot be placed, as a sentence."""
        if instance.component not in self._model.components:
            return f"its component {instance.component} is not in the project"
        if instance.component in self._absent:
            return f"its component {instance.component} cannot be placed"
        return _bad_transform(instance.transform)

    def _placing(self, instance_id: str, instance: Instance) -> Operation:
        payload = {
            "component": instance.component,
            "instance_id": instance_id,
            "expected_bbox_mm": _box(self._size(instance.component)),
            "transform": list(instance.transform),
            "layer": instance.layer,
            "material": instance.material,
            "stand_in": False,
        }
        return Operation.of(
            "place_instance",
            instance_id,
            payload,
            depends_on=self._after(instance.component),
            inverse="remove_instance",
        )

    def _change(self, kind: str, instance_id: str, key: str, value: Any) -> Operation:
        component = self._model.instances[instance_id].component
        payload = {"component": component, "instance_id": instance_id, key: value}
        return Operation.of(kind, instance_id, payload, depends_on=self._after(component), inverse=kind)

    def _after(self, node_id: str) -> tuple[str, ...]:
        upsert = self._upserts.get(node_id)
        return () if upsert is None else (upsert,)

    def _size(self, node_id: str) -> Bounds | None:
        """The box of a component that this trace brings, or that SketchUp said it has."""
        if node_id in self._boxes:
            return self._boxes[node_id]
        execution = self._model.components[node_id].execution
        return None if execution is None else execution.bounds


def _box(bounds: Bounds | None) -> dict[str, Any] | None:
    return None if bounds is None else json_object(bounds)


def _bad_transform(transform: Transform) -> str | None:
    """Why 16 numbers place nothing, as a sentence."""
    if len(transform) != 16 or not all(map(math.isfinite, transform)):
        return "its transformation must be 16 finite numbers"
    if (transform[3], transform[7], transform[11], transform[15]) != (0.0, 0.0, 0.0, 1.0):
        return "the last row of its transformation must be 0, 0, 0, 1"
    (a, b, c), (d, e, f), (g, h, i) = transform[0:3], transform[4:7], transform[8:11]
    if abs(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)) < _FLAT:
        return "its transformation flattens the body"
    return None
