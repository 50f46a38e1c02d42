"""The project's truth as a value: what should stand where, and what of it stands in SketchUp.

    model = DesignModel.empty().with_component("bracket", Component(source=Source.of_file("bracket.cmp.oo")))
    model.to_json()

Millimetres, Z up; a transformation is 16 numbers, column by column, with the translation at 12 to 14.
Every value is frozen: a change gives a new one. Fields that a newer workbench wrote are kept in
``extra`` and written again. Knows no file (`truth.py` does), no plan and no SketchUp.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from vcad_kernel.contracts.validation import validate

__all__ = [
    "IDENTITY",
    "Bounds",
    "Component",
    "DesignModel",
    "Execution",
    "Instance",
    "Removed",
    "Source",
    "Status",
    "Transform",
    "placed_at",
]

Transform: TypeAlias = tuple[float, ...]
"""16 numbers, column by column, mm."""
Bounds: TypeAlias = tuple[tuple[float, float, float], tuple[float, float, float]]
"""Smallest and largest corner, mm."""
Status: TypeAlias = Literal["active", "degraded", "orphan"]

IDENTITY: Final[Transform] = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


def _nothing() -> Mapping[str, Any]:
    return _NOTHING


def placed_at(x: float, y: float, z: float) -> Transform:
    """The transformation that only moves, to this point in mm."""
    return (*IDENTITY[:12], float(x), float(y), float(z), 1.0)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a component's text is: in a file of the workspace, or here."""

    kind: Literal["file", "cell"]
    file: str | None = None
    """Relative to the workspace."""
    text: str | None = None
    extra: Mapping[str, Any] = field(default_factory=_nothing)

    @classmethod
    def of_file(cls, file: str) -> Source:
        """A file's; the path is relative to the workspace."""
        return cls("file", file=file)

    @classmethod
    def of_cell(cls, text: str) -> Source:
        """A cell's text itself."""
        return cls("cell", text=text)

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Source:
        """Of what `to_json` gave."""
        return cls(found["kind"], found.get("file"), found.get("text"), _extra(cls, found))

    def to_json(self) -> dict[str, Any]:
        """As the file holds it."""
        return {**self.extra, "kind": self.kind, **_given(file=self.file, text=self.text)}


@dataclass(frozen=True, slots=True)
class Execution:
    """What SketchUp said when an object was last written there: feedback, never design.

    ``transform``, ``layer`` and ``material`` are those that were written. What stands in SketchUp may differ,
    since a person moves things; a plan sends only what the design has changed since.
    """

    entity_id: int | None = None
    persistent_id: int | None = None
    operation_id: str | None = None
    model_revision: int | None = None
    bounds: Bounds | None = None
    elapsed_ms: float | None = None
    transform: Transform | None = None
    layer: str | None = None
    material: str | None = None
    mesh_digest: str | None = None
    """Of a definition: names the geometry that was written."""
    extra: Mapping[str, Any] = field(default_factory=_nothing)

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Execution:
        """Of what `to_json` gave."""
        return cls(
            entity_id=found.get("entity_id"),
            persistent_id=found.get("persistent_id"),
            operation_id=found.get("operation_id"),
            model_revision=found.get("model_revision"),
            bounds=_box(found.get("bounds")),
            elapsed_ms=found.get("elapsed_ms"),
            transform=_sixteen(found.get("transform")),
            layer=found.get("layer"),
            material=found.get("material"),
            mesh_digest=found.get("mesh_digest"),
            extra=_extra(cls, found),
        )

    def to_json(self) -> dict[str, Any]:
        """As the file holds it; what is not known is null."""
        return {
            **self.extra,
            "entity_id": self.entity_id,
            "persistent_id": self.persistent_id,
            "operation_id": self.operation_id,
            "model_revision": self.model_revision,
            "bounds": None
            if self.bounds is None
            else {"min": list(self.bounds[0]), "max": list(self.bounds[1])},
            "elapsed_ms": self.elapsed_ms,
            "transform": None if self.transform is None else list(self.transform),
            "layer": self.layer,
            "material": self.material,
            **_given(mesh_digest=self.mesh_digest),
        }


@dataclass(frozen=True, slots=True)
class Component:
    """A part: its source, and how much of it SketchUp has seen."""

    source: Source
    parameters: Mapping[str, Any] = field(default_factory=_nothing)
    imports: tuple[Mapping[str, Any], ...] = ()
    revision: int = 0
    """Raised before each evaluation."""
    applied_revision: int = 0
    """The revision that SketchUp shows; 0 when it shows none."""
    status: Status = "active"
    applied_version: int | None = None
    """SketchUp's own count after our last write; a smaller one there means that a person took it back."""
    component_name: str | None = None
    """What its definition is called in SketchUp; by default named after the node."""
    pending_revision: int | None = None
    """The revision that was being written when the answer was lost; the next push looks whether it was."""
    execution: Execution | None = None
    """Of the definition: ``persistent_id`` is the definition's, ``bounds`` are in its own coordinates."""
    extra: Mapping[str, Any] = field(default_factory=_nothing)

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Component:
        """Of what `to_json` gave."""
        return cls(
            source=Source.from_json(found["source"]),
            parameters=MappingProxyType(dict(found["parameters"])),
            imports=tuple(MappingProxyType(dict(one)) for one in found["imports"]),
            revision=found["revision"],
            applied_revision=found["applied_revision"],
            status=found["status"],
            applied_version=found.get("applied_version"),
            component_name=found.get("component_name"),
            pending_revision=found.get("pending_revision"),
            execution=_execution(found),
            extra=_extra(cls, found),
        )

    def to_json(self) -> dict[str, Any]:
        """As the file holds it."""
        return {
            **self.extra,
            "source": self.source.to_json(),
            "parameters": dict(self.parameters),
            "imports": [dict(one) for one in self.imports],
            "revision": self.revision,
            "applied_revision": self.applied_revision,
            "status": self.status,
            **_given(applied_version=self.applied_version, component_name=self.component_name),
            **_given(pending_revision=self.pending_revision),
            **_given(execution=self.execution and self.execution.to_json()),
        }


@dataclass(frozen=True, slots=True)
class Instance:
    """One placement of a component."""

    component: str
    transform: Transform = IDENTITY
    layer: str | None = None
    material: str | None = None
    keep: bool = False
    """Stays where it is in SketchUp when the scene is made anew."""
    execution: Execution | None = None
    extra: Mapping[str, Any] = field(default_factory=_nothing)

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Instance:
        """Of what `to_json` gave."""
        return cls(
            component=found["component"],
            transform=tuple(float(one) for one in found["transform"]),
            layer=found.get("layer"),
            material=found.get("material"),
            keep=found.get("keep", False),
            execution=_execution(found),
            extra=_extra(cls, found),
        )

    def to_json(self) -> dict[str, Any]:
        """As the file holds it."""
        return {
            **self.extra,
            "component": self.component,
            "transform": list(self.transform),
            "layer": self.layer,
            "material": self.material,
            **_given(keep=self.keep or None),
            **_given(execution=self.execution and self.execution.to_json()),
        }


@dataclass(frozen=True, slots=True)
class Removed:
    """What the design has given up and SketchUp may still show, until it is removed there too."""

    components: frozenset[str] = frozenset()
    instances: Mapping[str, Instance] = field(default_factory=_nothing)

    def __bool__(self) -> bool:
        return bool(self.components or self.instances)

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Removed:
        """Of what `to_json` gave."""
        instances = found.get("instances", {})
        return cls(
            frozenset(found.get("components", ())),
            MappingProxyType({name: Instance.from_json(one) for name, one in instances.items()}),
        )

    def to_json(self) -> dict[str, Any]:
        """As the file holds it."""
        return {
            "components": sorted(self.components),
            "instances": {name: one.to_json() for name, one in self.instances.items()},
        }


@dataclass(frozen=True, slots=True)
class DesignModel:
    """The whole truth of a project."""

    revision: int = 0
    """Of the file; raised by each write."""
    settings: Mapping[str, Any] = field(default_factory=_nothing)
    components: Mapping[str, Component] = field(default_factory=_nothing)
    instances: Mapping[str, Instance] = field(default_factory=_nothing)
    operations: tuple[Mapping[str, Any], ...] = ()
    """Of the last execution only, as its trace has them."""
    removed: Removed = field(default_factory=Removed)
    extra: Mapping[str, Any] = field(default_factory=_nothing)

    @classmethod
    def empty(cls) -> DesignModel:
        """Of a project that nothing has been placed in."""
        return cls()

    @classmethod
    def from_json(cls, found: object, *, operation: str = "read the project's truth") -> DesignModel:
        """Of what `to_json` gave. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
        validate("design_model", found, operation=operation)
        assert isinstance(found, dict)
        components = {name: Component.from_json(one) for name, one in found["components"].items()}
        instances = {name: Instance.from_json(one) for name, one in found["instances"].items()}
        return cls(
            revision=found["revision"],
            settings=MappingProxyType(dict(found["settings"])),
            components=MappingProxyType(components),
            instances=MappingProxyType(instances),
            operations=tuple(MappingProxyType(dict(one)) for one in found["operations"]),
            removed=Removed.from_json(found.get("removed", {})),
            extra=MappingProxyType({k: v for k, v in _extra(cls, found).items() if k != "schema"}),
        )

    def to_json(self) -> dict[str, Any]:
        """As the file holds it."""
        return {
            **self.extra,
            "schema": 1,
            "revision": self.revision,
            "settings": dict(self.settings),
            "components": {name: one.to_json() for name, one in self.components.items()},
            "instances": {name: one.to_json() for name, one in self.instances.items()},
            "operations": [dict(one) for one in self.operations],
            **({"removed": self.removed.to_json()} if self.removed else {}),
        }

    def instances_of(self, node_id: str) -> Iterator[tuple[str, Instance]]:
        """The instances of a component by their id, sorted."""
        for name in sorted(self.instances):
            if self.instances[name].component == node_id:
                yield name, self.instances[name]

    # changes; each gives a new model

    def with_component(self, node_id: str, component: Component) -> DesignModel:
        """With this component in place of one of the same id; whatever was to be removed of it stays."""
        removed = replace(self.removed, components=self.removed.components - {node_id})
        return replace(self, components=_with(self.components, node_id, component), removed=removed)

    def with_instance(self, instance_id: str, instance: Instance) -> DesignModel:
        """With this instance in place of one of the same id and of what was to be removed under it.

        One without feedback takes over what is known of the former, if that is of the same component: it
        is the same thing in SketchUp.
        """
        former = self.instances.get(instance_id) or self.removed.instances.get(instance_id)
        if former is not None and former.component != instance.component:
            instance = replace(instance, execution=None)
        elif former is not None and instance.execution is None:
            instance = replace(instance, execution=former.execution)
        removed = self.removed
        if instance_id in removed.instances:
            removed = replace(removed, instances=_without(removed.instances, instance_id))
        return replace(self, instances=_with(self.instances, instance_id, instance), removed=removed)

    def without_instance(self, instance_id: str) -> DesignModel:
        """Without this instance; where SketchUp shows it, the next plan removes it there.

        Raises: KeyError.
        """
        instance = self.instances[instance_id]
        removed = self.removed
        if instance.execution is not None and instance.component in self.components:
            removed = replace(removed, instances=_with(removed.instances, instance_id, instance))
        return replace(self, instances=_without(self.instances, instance_id), removed=removed)

    def without_component(self, node_id: str) -> DesignModel:
        """Without this component and its instances; where SketchUp shows them, the next plan removes them.

        Raises: KeyError.
        """
        component = self.components[node_id]
        others = {name: one for name, one in self.instances.items() if one.component != node_id}
        removed = self.removed
        if component.applied_revision or component.execution is not None:
            waiting = {name: one for name, one in removed.instances.items() if one.component != node_id}
            removed = Removed(removed.components | {node_id}, MappingProxyType(waiting))
        return replace(
            self,
            components=_without(self.components, node_id),
            instances=MappingProxyType(others),
            removed=removed,
        )


def _with(found: Mapping[str, Any], name: str, value: object) -> Mapping[str, Any]:
    return MappingProxyType({**found, name: value})


def _without(found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return MappingProxyType({key: value for key, value in found.items() if key != name})


def _given(**values: object) -> dict[str, Any]:
    """Those that are something."""
    return {name: value for name, value in values.items() if value is not None}


def _extra(kind: type[Any], found: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields that we do not know."""
    known = {one.name for one in fields(kind)} - {"extra"}
    return MappingProxyType({name: value for name, value in found.items() if name not in known})


def _execution(found: Mapping[str, Any]) -> Execution | None:
    inner = found.get("execution")
    return None if inner is None else Execution.from_json(inner)


def _sixteen(found: Any) -> Transform | None:
    return None if found is None else tuple(float(one) for one in found)


def _box(found: Any) -> Bounds | None:
    if found is None:
        return None
    low, high = found["min"], found["max"]
    return (float(low[0]), float(low[1]), float(low[2])), (float(high[0]), float(high[1]), float(high[2]))
