"""Two parts together: how far they are apart, and how much of them is in the same place.

    clearance(a, b)         # Clearance: distance, nearest points, exact or with its tolerance
    interference(a, b)      # Figures of the intersection

Planar bodies answer exactly from their meshes; curved ones from their B-reps under the rule for
figures (both small enough, no imported mesh); others from their meshes, within the sum of their
chord errors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from vcad_kernel.geometry.evaluate import EvaluationOptions, evaluate
from vcad_kernel.geometry.measure.between.mesh_gap import mesh_gap
from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.geometry.measure.readings import Gap
from vcad_kernel.geometry.measure.referee import REFEREE_DISAGREES
from vcad_kernel.geometry.solid import geometry_error
from vcad_kernel.geometry.tolerance import LINEAR, Tessellation
from vcad_kernel.ir.document import Document, DocumentBuilder
from vcad_kernel.operations.bodies.booleans import Intersection
from vcad_kernel.operations.node import NodeId, Vec3

__all__ = ["Clearance", "clearance", "interference"]


@dataclass(frozen=True, slots=True)
class Clearance:
    """The room between two bodies."""

    distance: float
    """mm; 0 where they touch or overlap."""
    points: tuple[Vec3, Vec3] | None
    """Where they come nearest, on the first body and on the second; None where they overlap."""
    exact: bool
    tolerance: float | None
    """How far the distance may be off, mm, when it is not exact."""

    def __repr__(self) -> str:
        about = "" if self.exact else "≈ "
        within = "" if self.tolerance is None else f" within {self.tolerance:.2g} mm"
        if self.points is None:
            return f"clearance {about}{self.distance:.6g} mm{within}"
        start, end = (", ".join(f"{part + 0.0:.6g}" for part in point) for point in self.points)
        return f"clearance {about}{self.distance:.6g} mm{within}, from ({start}) to ({end})"


def clearance(a: Measurement, b: Measurement, *, exact: bool = False) -> Clearance:
    """The least distance of two parts; neither may be empty.

    exact: from the B-reps, whatever they cost. Raises, then only: CapabilityUnavailable, GeometryError.
    """
    gap = mesh_gap(a.on_mesh.mesh, b.on_mesh.mesh)
    if a.on_mesh.exact and b.on_mesh.exact:
        return Clearance(gap.distance, gap.points, True, None)
    tolerance = sum(part.on_mesh.tolerance or 0.0 for part in (a, b))
    by_brep = _brep_gap(a, b, demanded=exact)
    if by_brep is not None and abs(by_brep.distance - gap.distance) <= 1.25 * tolerance + 10.0 * LINEAR:
        return Clearance(by_brep.distance, by_brep.points, True, None)
    if exact:
        raise geometry_error(
            a.document,
            a.node,
            REFEREE_DISAGREES if by_brep else "DISTANCE_FAILED",
            f"the distance is {by_brep.distance:.6g} mm by the B-reps and {gap.distance:.6g} mm by the meshes"
            if by_brep
            else "its distance could not be found on the B-reps",
            failed=True,
        )
    return Clearance(gap.distance, gap.points, False, tolerance)


def interference(a: Measurement, b: Measurement, *, exact: bool = False) -> Figures:
    """Figures of what two parts have in common; empty where they only touch.

    exact: as of :func:`clearance`. Raises: GeometryError when the intersection cannot be built.
    """
    document, node = intersection_of(a.document, a.node, b.document, b.node)
    chord = min(part.on_mesh.tolerance or Tessellation().chord for part in (a, b))
    options = EvaluationOptions(Tessellation(chord=chord), exact=a.kernel)
    scene = evaluate(document, options)
    scene.raise_first()
    measurement = scene.parts[0].measurement
    assert measurement.node == node
    return measurement.exact() if exact else measurement.figures()


def intersection_of(a: Document, a_node: NodeId, b: Document, b_node: NodeId) -> tuple[Document, NodeId]:
    """A document whose one root is the intersection of a node of each; where they came from is kept."""
    builder = DocumentBuilder()
    names: dict[NodeId, str] = {}
    root = builder.add(Intersection(_copied(builder, names, a, a_node), _copied(builder, names, b, b_node)))
    builder.add_root(root)
    document = builder.build()
    # selections may be made by name
    return replace(document, names=names, _known_digests=None) if names else document, root


def _copied(builder: DocumentBuilder, names: dict[NodeId, str], document: Document, root: NodeId) -> NodeId:
    """A sub-graph added to another document; its root's id there."""
    ids: dict[NodeId, NodeId] = {}
    for old in document.subgraph(root):
        node = document.nodes[old].with_children(ids)
        sites = document.sites.get(old, ())
        ids[old] = builder.add(node)
        if old in document.names:
            names[ids[old]] = document.names[old]
        for called in document.called.get(old, ()):
            builder.add(node, called=called)
        for site in sites:
            builder.add(node, site)
    return ids[root]


def _brep_gap(a: Measurement, b: Measurement, *, demanded: bool) -> Gap | None:
    """The distance of the exact bodies where they are asked; None where the meshes have to do."""
    both = (a, b)
    if demanded:
        for part in both:
            part.confirm()
        return _gap(a, b)
    return _gap(a, b) if all(part.answers_exactly() for part in both) else None


def _gap(a: Measurement, b: Measurement) -> Gap | None:
    from vcad_kernel.geometry.occt.measure.topology.inspecting import gap

    return gap(*(part.kernel.brep(part.document, part.node) for part in (a, b)))
