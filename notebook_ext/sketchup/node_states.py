"""How each part of a project stands in SketchUp, in words; pure."""

from __future__ import annotations

from notebook_ext.session.design_model import Component, DesignModel
from notebook_ext.sketchup.answers import NodeRow
from notebook_ext.sketchup.link import NodeStatus
from notebook_ext.sketchup.scene_check import Scene

__all__ = ["node_states"]


def node_states(model: DesignModel, rows: tuple[NodeRow, ...] | None) -> tuple[NodeStatus, ...]:
    """The project's parts by id, then what only SketchUp has.

    rows: what SketchUp lists; None when it cannot be asked, and the truth alone must say.
    """
    scene = None if rows is None else Scene(model, rows)
    states = [
        NodeStatus(
            node_id,
            component.revision,
            component.applied_revision,
            sum(1 for _ in model.instances_of(node_id)),
            _state(model, node_id, component, scene),
        )
        for node_id, component in sorted(model.components.items())
    ]
    for node_id in sorted(scene.rows if scene else ()):
        if node_id not in model.components:
            states.append(NodeStatus(node_id, 0, 0, 0, "only in SketchUp"))
    return tuple(states)


def _state(model: DesignModel, node_id: str, component: Component, scene: Scene | None) -> str:
    instances = dict(model.instances_of(node_id))
    if scene is not None and component.applied_revision:
        row = scene.rows.get(node_id)
        placed = [name for name, instance in instances.items() if instance.execution is not None]
        if row is None or any(scene.placement(name) is None for name in placed):
            return "missing in SketchUp"
        if component.applied_version is not None and row.version < component.applied_version:
            return "taken back in SketchUp"
    waiting = component.applied_revision < component.revision or any(
        instance.execution is None
        or (
            instance.execution.transform is not None
            and (instance.execution.transform, instance.execution.layer, instance.execution.material)
            != (instance.transform, instance.layer, instance.material)
        )
        for instance in instances.values()
    )
    given_up = any(instance.component == node_id for instance in model.removed.instances.values())
    return "to be pushed" if waiting or given_up or not component.applied_revision else "up to date"
