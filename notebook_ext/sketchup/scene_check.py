"""What stands in SketchUp compared with the project's truth; pure, from the rows that the bridge lists.

Whose an instance is: ours, when the truth knows its persistent id, or when it carries an ``instance_id`` of
the truth and is the first of those that do; a copy that a person made carries the same id and is theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from notebook_ext.session.node_names import name_of
from notebook_ext.session.project.canonical import json_object
from notebook_ext.session.project.design_model import Component, DesignModel, Execution, Instance, Removed
from notebook_ext.sketchup.bridge.answers import NodeRow, Placement

__all__ = ["Finding", "Scene", "SceneCheck", "check", "merged", "reconciled"]


class Finding(Struct, frozen=True):
    """One thing of the scene, or of the truth, that the other does not have so."""

    object_id: str
    reason: str
    entity_id: int | None = None
    persistent_id: int | None = None


class SceneCheck(Struct, frozen=True):
    """How the scene differs from the truth."""

    stale: tuple[Finding, ...] = ()
    """Ours, and not as the truth has it: taken back by undo, or given up and still there."""
    foreign: tuple[Finding, ...] = ()
    """Made of our parts, and unknown to the truth: copies, nodes of another project."""
    missing: tuple[Finding, ...] = ()
    """In the truth, and not in the scene."""

    @property
    def contaminated(self) -> bool:
        """Whether anything managed in SketchUp differs from the truth."""
        return bool(self.stale or self.foreign or self.missing)

    def to_json(self) -> dict[str, Any]:
        """As callers see it."""
        return {"contaminated": self.contaminated, **json_object(self)}


class Scene:
    """The rows, sorted by whose each placement is. Frozen once made."""

    def __init__(self, model: DesignModel, rows: Iterable[NodeRow]) -> None:
        listed = tuple(rows)
        self.rows = merged(listed)
        counts = Counter(row.node_id for row in listed)
        self.ambiguous = tuple(sorted(node_id for node_id, count in counts.items() if count > 1))
        """Nodes with several definitions: a person has made a copy unique, or imported another file."""
        self.ours: dict[str, tuple[NodeRow, Placement]] = {}
        """By instance id: those of the truth, and those that it has given up."""
        self.others: list[tuple[NodeRow, Placement]] = []
        """All the rest, in order."""
        known = {**model.removed.instances, **model.instances}
        for node_id in sorted(self.rows):
            self._sort(self.rows[node_id], known)

    def _sort(self, row: NodeRow, known: Mapping[str, Instance]) -> None:
        mine = {
            instance.execution.persistent_id: name
            for name, instance in known.items()
            if instance.component == row.node_id
            and instance.execution
            and instance.execution.persistent_id is not None
        }
        taken: dict[int, str] = {
            index: mine[placement.persistent_id]
            for index, placement in enumerate(row.placements)
            if placement.persistent_id in mine
        }
        names = set(taken.values())
        for index in sorted(range(len(row.placements)), key=lambda i: row.placements[i].persistent_id or 0):
            name = row.placements[index].instance_id
            if index in taken or name is None or name in names or name not in known:
                continue
            if known[name].component == row.node_id:
                taken[index] = name
                names.add(name)
        for index, placement in enumerate(row.placements):
            if index in taken:
                self.ours[taken[index]] = (row, placement)
            else:
                self.others.append((row, placement))

    @property
    def known(self) -> dict[str, int]:
        """Persistent ids of what is ours, by instance id."""
        numbers = ((name, placement.persistent_id) for name, (_, placement) in self.ours.items())
        return {name: number for name, number in numbers if number is not None}

    @property
    def copies(self) -> dict[str, frozenset[int]]:
        """Persistent ids of the copies that a person made of what is ours, by the instance id they carry."""
        copies: dict[str, set[int]] = {}
        for row, placement in self.others:
            name, number = placement.instance_id, placement.persistent_id
            if name in self.ours and number is not None and self.ours[name][0].node_id == row.node_id:
                copies.setdefault(name, set()).add(number)
        return {name: frozenset(numbers) for name, numbers in copies.items()}

    def placement(self, instance_id: str) -> Placement | None:
        """Where an instance of ours stands; None when it does not."""
        placed = self.ours.get(instance_id)
        return None if placed is None else placed[1]


def merged(rows: Iterable[NodeRow]) -> dict[str, NodeRow]:
    """The rows by node, those of several definitions of one node as one, with the highest version."""
    by_node: dict[str, NodeRow] = {}
    for row in rows:
        former = by_node.get(row.node_id)
        if former is not None:
            row = replace(
                max(former, row, key=lambda node_row: node_row.version),
                instances=former.instances + row.instances,
                placements=former.placements + row.placements,
            )
        by_node[row.node_id] = row
    return by_node


def check(model: DesignModel, rows: Iterable[NodeRow]) -> SceneCheck:
    """Compare what is managed in SketchUp with the truth. What a person moved is as it should be."""
    scene = Scene(model, rows)
    stale = [
        Finding(name, "given up, and still in SketchUp", placement.entity_id, placement.persistent_id)
        for name, (_, placement) in sorted(scene.ours.items())
        if name in model.removed.instances
    ]
    foreign = [
        Finding(node_id, "it has several definitions: a person made a copy of it unique")
        for node_id in scene.ambiguous
    ]
    for node_id, row in sorted(scene.rows.items()):
        component = model.components.get(node_id)
        if component is None and node_id in model.removed.components:
            stale.append(Finding(node_id, "given up, and still in SketchUp"))
        elif component is None:
            foreign.append(Finding(node_id, "a node that this project does not have"))
        elif component.applied_version is not None and row.version != component.applied_version:
            older = row.version < component.applied_version
            how = "an older state of it, by undo" if older else "a newer state of it"
            stale.append(Finding(node_id, f"SketchUp shows {how}"))
    foreign += [
        Finding(
            placement.instance_id or row.node_id,
            _why_foreign(model, placement),
            placement.entity_id,
            placement.persistent_id,
        )
        for row, placement in scene.others
        if row.node_id in model.components
    ]
    missing = [
        Finding(node_id, "its definition is not in SketchUp")
        for node_id in sorted(model.components)
        if node_id not in scene.rows
    ]
    missing += [
        Finding(name, f"no such instance of {name_of(model.instances[name].component)} in SketchUp")
        for name in sorted(model.instances)
        if name not in scene.ours
    ]
    return SceneCheck(tuple(stale), tuple(foreign), tuple(missing))


def _why_foreign(model: DesignModel, placement: Placement) -> str:
    if placement.instance_id is None:
        return "an instance that a person placed"
    if placement.instance_id in model.instances:
        return "a copy that a person made"
    return "an instance that this project does not have"


def reconciled(model: DesignModel, rows: Iterable[NodeRow]) -> DesignModel:
    """The truth with its feedback corrected by what stands in SketchUp; design fields stay.

    What is no longer there (removed, undone, another document) counts as never placed, so the next plan puts
    it back. An instance of ours that the truth has no feedback of (its session ended before it noted it) is
    taken as placed as the design says; what is noted as given up and is gone is forgotten.
    """
    scene = Scene(model, rows)
    for node_id, component in model.components.items():
        now = _looked_up(component, scene.rows.get(node_id))
        if now != component:
            model = model.with_component(node_id, now)
    noted = {name: _noted(instance, scene.placement(name)) for name, instance in model.instances.items()}
    if noted != model.instances:
        model = replace(model, instances=noted)
    kept = {name: instance for name, instance in model.removed.instances.items() if name in scene.ours}
    removed = Removed(model.removed.components & scene.rows.keys(), kept)
    return model if removed == model.removed else replace(model, removed=removed)


def _looked_up(component: Component, row: NodeRow | None) -> Component:
    """A component with feedback of what its definition shows."""
    if row is None:
        return replace(
            component, applied_revision=0, applied_version=None, pending_revision=None, execution=None
        )
    pending = component.pending_revision
    if pending is not None and row.version > (component.applied_version or 0):  # it was written after all
        execution = replace(component.execution or Execution(), persistent_id=row.definition_persistent_id)
        return replace(
            component,
            applied_revision=pending,
            applied_version=row.version,
            pending_revision=None,
            execution=execution,
        )
    return replace(component, pending_revision=None)


def _noted(instance: Instance, placement: Placement | None) -> Instance:
    """An instance with feedback of where it stands."""
    if placement is None:
        return instance if instance.execution is None else replace(instance, execution=None)
    former = instance.execution
    if former is None:
        former = Execution(transform=instance.transform, layer=instance.layer, material=instance.material)
    now = replace(former, entity_id=placement.entity_id, persistent_id=placement.persistent_id)
    return replace(instance, execution=now)
