"""Which answer a part's figures come from: a rule on the document, never on the clock.

A body of planar faces only is measured on its mesh, exactly and without the exact kernel. A curved
one is measured on its B-rep when its flattened document is small enough and holds no imported mesh;
else on its mesh. Nothing here builds anything, so the same document always gets the same answer.
"""

from __future__ import annotations

from vcad_kernel.geometry.sweeps.loft import sides_are_planar
from vcad_kernel.geometry.sweeps.profiles.profile import read_profile
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.bodies.booleans import Difference, Intersection, Union
from vcad_kernel.operations.bodies.parting import Project, SectionProfile
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.features.holes import DrillTool
from vcad_kernel.operations.features.on_bodies import OnBody
from vcad_kernel.operations.node import Node, NodeId
from vcad_kernel.operations.planes import FacePlane
from vcad_kernel.operations.profiles.sketches import Sketch2D
from vcad_kernel.operations.solids.imported import ImportedMesh, MeshFile
from vcad_kernel.operations.solids.sweeps import Loft

__all__ = ["MOST_OPERANDS", "boolean_operands", "is_planar", "measured_exactly", "mesh_inside"]

MOST_OPERANDS = 64
"""Boolean operands of a flattened document whose curved body is still measured on its B-rep unasked."""


def measured_exactly(document: Document, root: NodeId) -> bool:
    """Whether a curved part's figures come from its B-rep without being asked for."""
    return mesh_inside(document, root) is None and boolean_operands(document, root) <= MOST_OPERANDS


def is_planar(document: Document, root: NodeId) -> bool:
    """Whether a sub-graph makes planar faces only."""
    return not any(_is_curved(document, document.nodes[node]) for node in document.subgraph(root))


def mesh_inside(document: Document, root: NodeId) -> NodeId | None:
    """The first node under (or at) a root that is an imported mesh, which has no B-rep."""
    for node in document.subgraph(root):
        if isinstance(document.nodes[node], ImportedMesh | MeshFile):
            return node
    return None


def boolean_operands(document: Document, root: NodeId) -> int:
    """How many bodies the booleans of a part put together once nesting and patterns are written out.

    A body that no boolean touches counts as one; a pattern of n copies as n times what it repeats; a
    node that two parents share is counted for each.
    """
    counts: dict[NodeId, int] = {}
    for node_id in document.subgraph(root):
        node = document.nodes[node_id]
        below = [counts[child] for child in node.children()]
        if isinstance(node, FacePlane | SectionProfile | Project):
            counts[node_id] = 1  # what lies in a plane is no part of the body that has shown where
        elif isinstance(node, Union | Difference | Intersection | OnBody):
            counts[node_id] = sum(below)
        elif isinstance(node, LinearPattern | CircularPattern):
            counts[node_id] = node.count * below[0]
        elif isinstance(node, DrillTool):
            # what it is drilled out of is an operand already
            counts[node_id] = node.places.count
        else:
            counts[node_id] = max(below, default=1)
        # what is beyond the limit may be exponentially so: shared nodes double at each step
        counts[node_id] = min(counts[node_id], MOST_OPERANDS + 1)
    return counts[root]


def _is_curved(document: Document, node: Node) -> bool:
    if isinstance(node, Loft):
        if not all(isinstance(document.nodes[sketch], Sketch2D) for sketch in node.sketches):
            return True  # whether its sides are planes is not asked of what must be put together first
        profiles = [read_profile(document, sketch) for sketch in node.sketches]
        return not sides_are_planar(profiles, closed=bool(node.closed))
    return node.is_curved()
