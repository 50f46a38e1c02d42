"""The project's truth as a value: what should stand where, and what of it stands in SketchUp.

    model = DesignModel.empty().with_component("bracket", Component(source=Source.of_file("bracket.cmp.oo")))
    model.to_json()

Millimetres, Z up; a transformation is 16 numbers, column by column, with the translation at 12 to 14.
Every value is frozen: a change gives a new one. Fields that a newer workbench wrote are kept in
``extra`` and written again. Knows no file (`truth.py` does), no plan and no SketchUp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias, TypeVar

from msgspec import Struct, convert, field
from msgspec.structs import replace

from notebook_ext.session.project.canonical import json_object
from vcad_kernel.contracts.validation import validate

if TYPE_CHECKING:
    from msgspec import inspect

__all__ = [
    "IDENTITY",
    "Bounds",
    "Component",
    "DesignModel",
    "Execution",
    "Instance",
    "Point",
    "Removed",
    "Source",
    "Status",
    "Transform",
    "placed_at",
]

Transform: TypeAlias = tuple[float, ...]
"""16 numbers, column by column, mm."""
Point: TypeAlias = tuple[float, float, float]
"""mm."""
Status: TypeAlias = Literal["active", "degraded", "orphan"]
_Value = TypeVar("_Value")

IDENTITY: Final[Transform] = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def placed_at(x: float, y: float, z: float) -> Transform:
    """The transformation that only moves, to this point in mm."""
    return (*IDENTITY[:12], float(x), float(y), float(z), 1.0)


def _written(default: _Value) -> _Value:
    """A default that stands in the file; any other is left out of it."""
    written: _Value = field(default_factory=lambda: default)
    return written


def _nothing() -> Mapping[str, Any]:
    """An empty object that stands in the file."""
    return {}


class _Kept(Struct, frozen=True, omit_defaults=True):
    """What the file holds as an object. ``extra``, where there is one, has the fields that we do not know."""

    def changed(self, **fields: Any) -> Self:
        """The same with these fields in place of its own."""
        return replace(self, **fields)


class Bounds(Struct, frozen=True):
    """A box, mm."""

    min: Point
    max: Point

    @classmethod
    def of(cls, corners: tuple[Point, Point] | None) -> Bounds | None:
        """Of the smallest and the largest corner; None for nothing."""
        return None if corners is None else cls(*corners)


class Source(_Kept, frozen=True):
    """Where a component's text is: in a file of the workspace, or here."""

    kind: Literal["file", "cell"]
    file: str | None = None
    """Relative to the workspace."""
    text: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of_file(cls, file: str) -> Source:
        """A file's; the path is relative to the workspace."""
        return cls("file", file=file)

    @classmethod
    def of_cell(cls, text: str) -> Source:
        """A cell's text itself."""
        return cls("cell", text=text)


class Execution(_Kept, frozen=True):
    """What SketchUp said when an object was last written there: feedback, never design.

    ``transform``, ``layer`` and ``material`` are those that were written. What stands in SketchUp may differ,
    since a person moves things; a plan sends only what the design has changed since.
    """

    entity_id: int | None = _written(None)
    persistent_id: int | None = _written(None)
    operation_id: str | None = _written(None)
    model_revision: int | None = _written(None)
    bounds: Bounds | None = _written(None)
    elapsed_ms: int | float | None = _written(None)
    transform: Transform | None = _written(None)
    layer: str | None = _written(None)
    material: str | None = _written(None)
    mesh_digest: str | None = None
    """Of a definition: names the geometry that was written."""
    extra: Mapping[str, Any] = field(default_factory=dict)


class Component(_Kept, frozen=True):
    """A part: its source, and how much of it SketchUp has seen."""

    source: Source
    parameters: Mapping[str, Any] = field(default_factory=_nothing)
    imports: tuple[Mapping[str, Any], ...] = _written(())
    revision: int = _written(0)
    """Raised before each evaluation."""
    applied_revision: int = _written(0)
    """The revision that SketchUp shows; 0 when it shows none."""
    status: Status = _written("active")
    applied_version: int | None = None
    """SketchUp's own count after our last write; a smaller one there means that a person took it back."""
    component_name: str | None = None
    """What its definition is called in SketchUp; by default named after the node."""
    pending_revision: int | None = None
    """The revision that was being written when the answer was lost; the next push looks whether it was."""
    execution: Execution | None = None
    """Of the definition: ``persistent_id`` is the definition's, ``bounds`` are in its own coordinates."""
    extra: Mapping[str, Any] = field(default_factory=dict)


class Instance(_Kept, frozen=True):
    """One placement of a component."""

    component: str
    transform: Transform = _written(IDENTITY)
    layer: str | None = _written(None)
    material: str | None = _written(None)
    keep: bool = False
    """Stays where it is in SketchUp when the scene is made anew."""
    execution: Execution | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


class Removed(Struct, frozen=True):
    """What the design has given up and SketchUp may still show, until it is removed there too."""

    components: frozenset[str] = frozenset()
    instances: Mapping[str, Instance] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.components or self.instances)


class DesignModel(_Kept, frozen=True, tag_field="schema", tag=1):
    """The whole truth of a project."""

    project_id: str = ""
    """Made once, at random, by the first save; what stands in SketchUp carries it. "" before that."""
    revision: int = _written(0)
    """Of the file; raised by each write."""
    settings: Mapping[str, Any] = field(default_factory=_nothing)
    components: Mapping[str, Component] = field(default_factory=_nothing)
    instances: Mapping[str, Instance] = field(default_factory=_nothing)
    operations: tuple[Mapping[str, Any], ...] = _written(())
    """Of the last execution only, as its trace has them."""
    removed: Removed = field(default_factory=Removed)
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def empty(cls) -> DesignModel:
        """Of a project that nothing has been placed in."""
        return cls()

    @classmethod
    def from_json(cls, content: object, *, operation: str = "read the project's truth") -> DesignModel:
        """Of what `to_json` gave. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
        validate("design_model", content, operation=operation)
        assert isinstance(content, dict)
        known = {name: value for name, value in content.items() if name != "schema"}
        return convert(_steps_of_file(_extra_apart)(known), cls)

    def to_json(self) -> dict[str, Any]:
        """As the file holds it."""
        json = json_object(self)
        if self.removed:
            json["removed"]["components"].sort()
        else:
            del json["removed"]
        whole: dict[str, Any] = _steps_of_file(_extra_in_place)(json)
        return whole

    def identified(self) -> DesignModel:
        """The same with an id of its own; as it is where it has one."""
        return self if self.project_id else replace(self, project_id=token_hex(16))

    def instances_of(self, node_id: str) -> Iterator[tuple[str, Instance]]:
        """The instances of a component by their id, sorted."""
        for name in sorted(self.instances):
            if self.instances[name].component == node_id:
                yield name, self.instances[name]

    def placements(self) -> dict[str, dict[str, Transform]]:
        """Component → the instances of it by their id, sorted, each with its transformation."""
        placements: dict[str, dict[str, Transform]] = {}
        for name in sorted(self.instances):
            placements.setdefault(self.instances[name].component, {})[name] = self.instances[name].transform
        return placements

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
        others = {name: placed for name, placed in self.instances.items() if placed.component != node_id}
        removed = self.removed
        if component.applied_revision or component.execution is not None:
            there = removed.instances.items()
            waiting = {name: placed for name, placed in there if placed.component != node_id}
            removed = Removed(removed.components | {node_id}, waiting)
        return replace(
            self,
            components=_without(self.components, node_id),
            instances=others,
            removed=removed,
        )


def _with(values: Mapping[str, _Value], name: str, value: _Value) -> Mapping[str, _Value]:
    return {**values, name: value}


def _without(values: Mapping[str, _Value], name: str) -> Mapping[str, _Value]:
    return {key: value for key, value in values.items() if key != name}


_Step: TypeAlias = Callable[[Any], Any]
_Change: TypeAlias = Callable[[dict[str, Any], frozenset[str]], dict[str, Any]]


@cache
def _steps_of_file(change: _Change) -> _Step:
    """Does something to each object of the file. change: given an object and the fields of its Struct."""
    from msgspec.inspect import type_info

    step = _steps(type_info(DesignModel), change)
    assert step is not None
    return step


def _steps(kind: inspect.Type, change: _Change) -> _Step | None:
    """The same for JSON of a type; None where nothing is to be done."""
    from msgspec.inspect import DictType, IntType, NoneType, StructType, UnionType

    if isinstance(kind, UnionType):
        kinds = [inner for inner in kind.types if not isinstance(inner, NoneType)]
        return _steps(kinds[0], change) if len(kinds) == 1 else None
    if isinstance(kind, IntType) and change is _extra_apart:
        return _whole
    if isinstance(kind, DictType):
        each = _steps(kind.value_type, change)
        return each and (lambda value: {name: each(item) for name, item in value.items()})
    if not isinstance(kind, StructType):
        return None
    fields = frozenset(inner.encode_name for inner in kind.fields)
    steps = {inner.encode_name: step for inner in kind.fields if (step := _steps(inner.type, change))}

    def changed(value: dict[str, Any]) -> dict[str, Any]:
        inner = {name: step(value[name]) for name, step in steps.items() if value.get(name) is not None}
        return change({**value, **inner}, fields)

    return changed


def _whole(value: int | float) -> int:
    """A whole number, which may have been written with a point: to JSON they are the same."""
    return int(value)


def _extra_apart(value: dict[str, Any], fields: frozenset[str]) -> dict[str, Any]:
    """An object with the fields that its Struct does not know under ``extra``."""
    known = fields - {"extra"}
    if value.keys() <= known:
        return value
    extra = {name: value.pop(name) for name in list(value) if name not in known}
    return {**value, "extra": extra}


def _extra_in_place(value: dict[str, Any], _fields: frozenset[str]) -> dict[str, Any]:
    """An object with those fields beside the others again."""
    return {**value.pop("extra"), **value} if "extra" in value else value
