"""The bodies that a picture of the session shows: each part where it stands, under a name of its own.

A part that has been placed stands where its instances do, as in SketchUp; one that has not, where its cell
made it. Looked at alone, a part is shown in its own coordinates, and made if no cell has made it yet. What is
said of its size is its figures', not its mesh's: facets stay within a round face.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from msgspec import structs

from notebook_ext.agents.calls.call import Call
from notebook_ext.agents.packs.core.solids import no_node
from notebook_ext.session.node_names import name_of, node_id_of
from vcad_kernel.errors import ErrorCode, SceneError

if TYPE_CHECKING:
    from notebook_ext.display.part import Part
    from notebook_ext.session.linked.linked_parts import LinkedParts
    from notebook_ext.session.project.design_model import DesignModel
    from vcad_kernel.geometry.measure.figures import Bounds
    from vcad_kernel.geometry.tri_mesh import FloatArray, PartMesh

__all__ = ["Shown", "alone", "distinguished", "scene"]

_TONES: Final = (
    (0.55, 0.71, 0.87),
    (0.95, 0.76, 0.55),
    (0.64, 0.81, 0.62),
    (0.90, 0.64, 0.62),
    (0.74, 0.68, 0.85),
    (0.83, 0.80, 0.54),
    (0.58, 0.80, 0.80),
    (0.89, 0.70, 0.83),
)
"""Colours of parts without a material, sRGB in 0..1: light, so that shading and edges show on them."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A body, and the box that it fills."""

    body: PartMesh
    box: FloatArray
    """(2, 3) lowest and highest corner, mm: of its figures, or of its mesh where it stands askew."""


def alone(node_id: str, call: Call) -> list[Shown]:
    """The bodies of one part, as its cell made it; of one that only the project knows, as it makes it now.

    Raises: VcadError NODE_NOT_FOUND, and what stands in the way of making it.
    """
    name = name_of(node_id)
    try:
        part = call.session[name]
    except KeyError:
        if node_id_of(node_id) not in call.session.standing.components:
            raise no_node(node_id, call) from None
        part = call.session.on_project(lambda linked: linked.standing_part(node_id_of(node_id)))
    return _bodies(name, part)


def scene(call: Call) -> list[Shown]:
    """All bodies of the session. Raises: VcadError NO_GEOMETRY where there is no part at all."""

    def work(linked: LinkedParts) -> list[Shown]:
        model = linked.standing()
        return [body for name in session.nodes() for body in _standing(name, session[name], model)]

    session = call.session
    drawn = session.on_project(work)
    if not session.nodes():
        waiting = [name_of(node_id) for node_id in session.standing.components]
        raise SceneError(
            "there is no part to show yet",
            code=ErrorCode.NO_GEOMETRY,
            count=0,
            fix=f"vcad_update makes a part that the project has: {', '.join(waiting)}"
            if waiting
            else "make one: vcad_place with a source file, or a %%loon cell with a name",
        )
    return drawn


def distinguished(bodies: list[PartMesh]) -> list[PartMesh]:
    """Where there are several, those without a material get a tone each, so that a legend helps."""
    from vcad_kernel.operations.scene import DEFAULT_MATERIAL

    if len(bodies) < 2:
        return bodies
    plain = [body.name for body in bodies if body.material.color == DEFAULT_MATERIAL.color]
    tones = {name: _TONES[row % len(_TONES)] for row, name in enumerate(plain)}
    return [
        replace(body, material=structs.replace(body.material, color=tones[body.name]))
        if body.name in tones
        else body
        for body in bodies
    ]


def _bodies(name: str, part: Part) -> list[Shown]:
    """The bodies of a part that have a surface, each with a name of its own."""
    shown = []
    for own in part.parts:
        body = replace(own.part_mesh(), name=name if len(part) == 1 else f"{name}/{own.name}")
        if not body.mesh.is_empty:
            shown.append(Shown(body, _box(own.figures.bounds, body)))
    return shown


def _box(bounds: Bounds | None, body: PartMesh) -> FloatArray:
    import numpy as np

    if bounds is not None:
        return np.array(bounds, float)
    return np.stack([body.mesh.positions.min(axis=0), body.mesh.positions.max(axis=0)])


def _standing(name: str, part: Part, model: DesignModel) -> list[Shown]:
    """The bodies of a part where it stands: once, or once for each of its instances."""
    instances = list(model.instances_of(node_id_of(name)))
    if not instances:
        return _bodies(name, part)
    bodies = []
    for instance_id, instance in instances:
        shown = name if len(instances) == 1 else f"{name} ({name_of(instance_id)})"
        bodies += [_moved(body, instance.transform) for body in _bodies(shown, part)]
    return bodies


def _moved(shown: Shown, transform: Sequence[float]) -> Shown:
    """A body moved by 16 numbers, column by column, mm; mirrored, its surface still looks outward."""
    import numpy as np

    matrix = np.array(transform, float).reshape(4, 4).T
    matrix /= matrix[3, 3]
    if np.array_equal(matrix, np.eye(4)):
        return shown
    body = shown.body
    moved = replace(body, mesh=body.mesh.placed(matrix))
    if np.any(np.count_nonzero(matrix[:3, :3], axis=0) != 1):  # askew: another box than that of its corners
        return Shown(moved, _box(None, moved))
    corners = shown.box @ matrix[:3, :3].T + matrix[:3, 3]
    return Shown(moved, np.stack([corners.min(axis=0), corners.max(axis=0)]))
