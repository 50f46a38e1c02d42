"""Whose a part in SketchUp's model is: this project's, another's, or of before that was written down.

Each definition that a project pushes says which project's it is. Another project's is as good as drawn by
hand: it is neither counted nor touched. What says nothing was pushed before there were projects; it is taken
for ours only where SketchUp's own ids, or the geometry's digest, prove it. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from notebook_ext.session.project.design_model import DesignModel
from notebook_ext.sketchup.bridge.answers import NodeRow

__all__ = ["Owned", "is_proven", "owned"]


class Owned(Struct, frozen=True):
    """The rows of a model, as far as they concern a project."""

    ours: tuple[NodeRow, ...]
    """The project's; also such as say nothing and are proven to be."""
    unclaimed: tuple[NodeRow, ...]
    """Of before there were projects, and nothing proves whose."""


def owned(model: DesignModel, rows: Iterable[NodeRow]) -> Owned:
    """What of a model's nodes is the project's, and what of it might be. Another project's is left out."""
    ours: list[NodeRow] = []
    unclaimed: list[NodeRow] = []
    for row in rows:
        if row.project_id is None:
            (ours if is_proven(model, row) else unclaimed).append(row)
        elif row.project_id == model.project_id:
            ours.append(row)
    return Owned(tuple(ours), tuple(unclaimed))


def is_proven(model: DesignModel, row: NodeRow) -> bool:
    """Whether what SketchUp answered when the project wrote its parts proves that a node is one of them.

    By the digest of the geometry; by the persistent ids of an instance, with its name, or of the definition,
    with its version: a number alone may occur in two documents.
    """
    component = model.components.get(row.node_id)
    if component is None:
        return False
    written = component.execution
    if written is not None:
        if row.digest is not None and row.digest == written.mesh_digest:
            return True
        definition = (row.definition_persistent_id, row.version)
        if definition[0] is not None and definition == (written.persistent_id, component.applied_version):
            return True
    known = {**model.removed.instances, **model.instances}
    for placement in row.placements:
        instance = known.get(placement.instance_id or "")
        if (
            instance is not None
            and instance.component == row.node_id
            and instance.execution is not None
            and instance.execution.persistent_id is not None
            and instance.execution.persistent_id == placement.persistent_id
        ):
            return True
    return False
