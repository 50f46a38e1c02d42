"""What stands in SketchUp compared with the project's truth; pure, from the rows that the bridge lists.

Whose a node is says `ownership.py`: all here is about the project's own. Whose an instance of one is: ours,
when the truth knows its persistent id, or when it carries an ``instance_id`` of the truth and is the first of
those that do; a copy that a person made carries the same id and is theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from notebook_ext.session.node_names import name_of
from notebook_ext.session.project.canonical import json_object
from notebook_ext.session.project.design_model import Component, DesignModel, Execution, Instance, Removed
from notebook_ext.sketchup.bridge.answers import NodeRow, Placement
from notebook_ext.sketchup.ownership import owned

__all__ = [
    "Finding",
    "Scene",
    "SceneCheck",
    "Standing",
    "check",
    "merged",
    "reconciled",
    "standing",
    "surprises",
]

Standing: TypeAlias = Literal["same", "older", "unknown"]


class Finding(Struct, frozen=True):
    """One thing of the scene, or of the truth, that the other does not have so."""

    object_id: str
    reason: str
    entity_id: int | None = None
    persistent_id: int | None = None


class SceneCheck(Struct, frozen=True):
    """How the scene differs from the truth."""

    stale: tuple[Finding, ...] = ()
    """Ours, and not as the truth has it: an older state, or given up and still there."""
    foreign: tuple[Finding, ...] = ()
    """Made of our parts, and unknown to the truth: copies, nodes of which it is not known whose they are."""
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
        whose = owned(model, rows)
        self.rows = merged(whose.ours)
        self.unclaimed = whose.unclaimed
        """Nodes of before there were projects, of which nothing proves whose they are."""
        counts = Counter(row.node_id for row in whose.ours)
        self.ambiguous = tuple(sorted(node_id for node_id, count in counts.items() if count > 1))
        """Nodes with several definitions: a person has made a copy unique, or imported another file."""
        self.ours: dict[str, tuple[NodeRow, Placement]] = {}
        """By instance id: those of the truth, and those that it has given up."""
        self.others: list[tuple[NodeRow, Placement]] = []
        """All the rest, in order."""
        known: dict[str, dict[str, Instance]] = {}
        for name, instance in {**model.removed.instances, **model.instances}.items():
            known.setdefault(instance.component, {})[name] = instance
        for node_id in sorted(self.rows):
            self._sort(self.rows[node_id], known.get(node_id, {}))

    def _sort(self, row: NodeRow, known: Mapping[str, Instance]) -> None:
        """known: the instances of this node that the truth has, and that it has given up."""
        placements = row.placements
        # marked by another project: a person has had an instance of that one show this part
        marked = [placement.project_id in (None, row.project_id) for placement in placements]
        mine = {
            instance.execution.persistent_id: name
            for name, instance in known.items()
            if instance.execution and instance.execution.persistent_id is not None
        }
        taken: dict[int, str] = {}
        for index, placement in enumerate(placements):
            number = placement.persistent_id
            name = None if number is None else mine.get(number)
            # in another document the number may be another instance's, which says so
            if name is not None and marked[index] and placement.instance_id in (None, name):
                taken[index] = name
        names = set(taken.values())
        for index in sorted(range(len(placements)), key=lambda i: placements[i].persistent_id or 0):
            name = placements[index].instance_id
            if name is None or name not in known:
                continue
            if index not in taken and name not in names and marked[index]:
                taken[index] = name
                names.add(name)
        for index, placement in enumerate(placements):
            if index in taken:
                self.ours[taken[index]] = (row, placement)
            else:
                foreign = placement if marked[index] else replace(placement, instance_id=None)
                self.others.append((row, foreign))

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
    return _compared(model, Scene(model, rows))


def _compared(model: DesignModel, scene: Scene) -> SceneCheck:
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
        elif (how := standing(component, row)) != "same":
            stale.append(Finding(node_id, f"SketchUp shows {_STATES[how]}"))
    foreign += [Finding(row.node_id, _UNCLAIMED) for row in scene.unclaimed]
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


def surprises(model: DesignModel, rows: Iterable[NodeRow]) -> tuple[Finding, ...]:
    """What a person who pushes is to hear of: parts in another state than they were given last, and such as
    are placed beside one of unknown origin."""
    scene = Scene(model, rows)
    strangers = {row.node_id for row in scene.unclaimed} - scene.rows.keys()
    return _compared(model, scene).stale + tuple(Finding(name, _UNCLAIMED) for name in sorted(strangers))


def _why_foreign(model: DesignModel, placement: Placement) -> str:
    if placement.instance_id is None:
        return "an instance that a person placed"
    if placement.instance_id in model.instances:
        return "a copy that a person made"
    return "an instance that this project does not have"


_STATES: Mapping[Standing, str] = {
    "older": "an older state of it: the model was not saved, is an older file, or a push was undone",
    "unknown": "a state of it that this project has not put there",
}
_UNCLAIMED = (
    "one of this name is of before projects were told apart; nothing proves whose it is: it is left alone"
)


def standing(component: Component, row: NodeRow) -> Standing:
    """Which geometry of a part stands in SketchUp, compared with what it was given last.

    By the digest of the geometry. Where either side has none (an older extension, or an adopted part), by
    SketchUp's count of the changes.
    """
    if component.applied_version is None or component.pending_revision is not None:
        return "same"  # nothing to compare with, or being written when the answer was lost
    written = None if component.execution is None else component.execution.mesh_digest
    comparable = row.digest is not None and written is not None
    if row.digest == written if comparable else row.version == component.applied_version:
        return "same"
    return "older" if row.version < component.applied_version else "unknown"


def reconciled(
    model: DesignModel, rows: Iterable[NodeRow], *, overwritten: Collection[str] | None = ()
) -> DesignModel:
    """The truth with its feedback corrected by what stands in SketchUp; design fields stay.

    An older state of a part counts as one that is to be pushed again. A state that the project does not know
    is left, but for the nodes of ``overwritten``; None for all.

    What is no longer there (removed, undone, another document) counts as never placed, so the next plan puts
    it back. An instance of ours that the truth has no feedback of (its session ended before it noted it) is
    taken as placed as the design says; what is noted as given up and is gone is forgotten.
    """
    scene = Scene(model, rows)
    for node_id, component in model.components.items():
        certain = overwritten is None or node_id in overwritten
        now = _looked_up(component, scene.rows.get(node_id), certain)
        if now != component:
            model = model.with_component(node_id, now)
    noted = {name: _noted(instance, scene.placement(name)) for name, instance in model.instances.items()}
    if noted != model.instances:
        model = replace(model, instances=noted)
    kept = {name: instance for name, instance in model.removed.instances.items() if name in scene.ours}
    removed = Removed(model.removed.components & scene.rows.keys(), kept)
    return model if removed == model.removed else replace(model, removed=removed)


def _looked_up(component: Component, row: NodeRow | None, overwritten: bool) -> Component:
    """A component with feedback of what its definition shows."""
    if row is None:
        return replace(
            component, applied_revision=0, applied_version=None, pending_revision=None, execution=None
        )
    pending = component.pending_revision
    if pending is not None and row.digest is None and row.version > (component.applied_version or 0):
        # it was written after all, and nothing but the count says so
        return replace(
            component,
            applied_revision=pending,
            applied_version=row.version,
            pending_revision=None,
            execution=_as_it_stands(component, row),
        )
    component = replace(component, pending_revision=None)
    state = standing(component, row)
    again = overwritten or pending is not None
    unnoted = not component.applied_revision and row.digest is not None  # the session ended before it could
    if unnoted or state == "older" or (state == "unknown" and again):
        return replace(
            component,
            applied_revision=0,
            applied_version=row.version,
            execution=_as_it_stands(component, row),
        )
    return component


def _as_it_stands(component: Component, row: NodeRow) -> Execution:
    return replace(
        component.execution or Execution(),
        persistent_id=row.definition_persistent_id,
        mesh_digest=row.digest,
    )


def _noted(instance: Instance, placement: Placement | None) -> Instance:
    """An instance with feedback of where it stands."""
    if placement is None:
        return instance if instance.execution is None else replace(instance, execution=None)
    former = instance.execution
    if former is None:
        former = Execution(transform=instance.transform, layer=instance.layer, material=instance.material)
    now = replace(former, entity_id=placement.entity_id, persistent_id=placement.persistent_id)
    return replace(instance, execution=now)
