"""What a clean replay takes out of the scene before it builds it anew.

``managed``: what carries our mark and is no copy. ``full``: every instance of our nodes, copies and
instances that a person placed included. Neither touches an instance that the truth marks ``keep``, nor what
is no node of ours: the bridge has no call for it. Pure.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from notebook_ext.session.project.design_model import DesignModel
from notebook_ext.sketchup.bridge.answers import NodeRow, Placement
from notebook_ext.sketchup.scene_check import Scene
from notebook_ext.sketchup.trace import Operation

__all__ = ["Clean", "removals"]

Clean: TypeAlias = Literal["none", "managed", "full"]


def removals(model: DesignModel, rows: tuple[NodeRow, ...], clean: Clean) -> tuple[Operation, ...]:
    """The operations that empty the scene of what the workbench manages, in order.

    A node of which nothing is to stay goes whole, in one step.
    """
    if clean == "none":
        return ()
    scene = Scene(model, rows)
    going: dict[str, list[tuple[str, Placement]]] = {node_id: [] for node_id in scene.rows}
    for instance_id, (row, placement) in scene.ours.items():
        instance = model.instances.get(instance_id)
        if instance is None or not instance.keep:
            going[row.node_id].append((instance_id, placement))
    claimed = {(row.node_id, name) for name, (row, _) in scene.ours.items()}
    for row, placement in sorted(scene.others, key=lambda item: item[1].persistent_id or 0):
        name = placement.instance_id
        marked = name is not None and (row.node_id, name) not in claimed
        if name is not None:
            claimed.add((row.node_id, name))
        if marked or clean == "full":
            going[row.node_id].append((name or row.node_id, placement))
    operations: list[Operation] = []
    for node_id in sorted(going):
        row = scene.rows[node_id]
        if len(going[node_id]) >= max(len(row.placements), row.instances):
            operations.append(Operation.of("remove_definition", node_id, {}))
            continue
        for name, placement in sorted(going[node_id], key=lambda item: (item[0], item[1].persistent_id or 0)):
            payload = {
                "component": node_id,
                "instance_id": name,
                "persistent_id": placement.persistent_id,
            }
            operations.append(Operation.of("remove_instance", name, payload))
    return tuple(operations)
