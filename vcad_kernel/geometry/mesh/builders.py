"""The body of every kind of node on the mesh path, out of the bodies of its operands.

One function for each kind, ``(node, site) → Body``, None = the empty solid; `body_of` finds them by
type. Booleans, moves and patterns are noted and not carried out. What only the exact kernel can build is
its own tessellation, in which each face remembers its maker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from vcad_kernel.geometry.mesh import manifold_kernel as library
from vcad_kernel.geometry.mesh.body import Body, BodyFault, combined, placed, primitive
from vcad_kernel.geometry.mesh.manifold_kernel import Made, Operation
from vcad_kernel.geometry.mesh.profiles import grown, on_body, swept
from vcad_kernel.geometry.mesh.reading.literal import read_mesh, separate_lumps
from vcad_kernel.geometry.mesh.reading.reading import read_mesh_file
from vcad_kernel.geometry.mesh.shapes import ball, ball_depth, gear, prism, text, torus, wedge
from vcad_kernel.geometry.mesh.site import Site
from vcad_kernel.geometry.placement import copies, matrix_of
from vcad_kernel.geometry.solid import geometry_error
from vcad_kernel.geometry.sweeps.boring import COSMETIC, threaded_bore, threaded_rod, turned_bore, turned_rod
from vcad_kernel.geometry.sweeps.growing import Growing
from vcad_kernel.geometry.sweeps.paths.on_faces import swept_on
from vcad_kernel.geometry.sweeps.paths.paths import pitch_mismatch
from vcad_kernel.geometry.sweeps.profiles.regions import is_bodiless, outline_of, read_plane, refuse_bodiless
from vcad_kernel.geometry.sweeps.sweeping import Swept, lofted, revolved
from vcad_kernel.geometry.sweeps.swept import Skin
from vcad_kernel.geometry.sweeps.threads import threaded
from vcad_kernel.geometry.tolerance import Tessellation, sagitta
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.bodies.bodies import Hull, Section
from vcad_kernel.operations.bodies.booleans import Difference, Intersection, Union
from vcad_kernel.operations.bodies.parting import Keep
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.bodies.transforms import Mirror, Rotate, Scale, Translate
from vcad_kernel.operations.features.holes import DrillTool
from vcad_kernel.operations.features.on_bodies import BossTo, CutThrough, OnBody, PocketTo
from vcad_kernel.operations.library import KINDS
from vcad_kernel.operations.node import Node, NodeId
from vcad_kernel.operations.profiles.paths import HelixPath
from vcad_kernel.operations.profiles.sketches import Sketch2D
from vcad_kernel.operations.solids.gears import Gear
from vcad_kernel.operations.solids.growing import Pull, Spin
from vcad_kernel.operations.solids.imported import ImportedMesh, MeshFile
from vcad_kernel.operations.solids.shapes import Cone, Cube, Cylinder, Empty, Prism, Sphere, Torus, Wedge
from vcad_kernel.operations.solids.sweeps import Extrude, Loft, Revolve, Sweep, SweepOn
from vcad_kernel.operations.solids.text import Text
from vcad_kernel.operations.solids.threads import Thread

__all__ = ["ON_FLAT", "OPERATORS", "body_of", "fault_of"]

_Built: TypeAlias = "Body | None"


def _sides(radius: float, hint: int, site: Site) -> int:
    sides = site.means.tessellation.sides(radius, hint=hint, scale=site.scale)
    site.chord = max(site.chord, sagitta(radius, sides) * site.scale)
    return sides


def _empty(_node: Empty, _site: Site) -> _Built:
    return None


def _cube(node: Cube, site: Site) -> _Built:
    return site.made(library.cube(node.size))


def _cylinder(node: Cylinder, site: Site) -> _Built:
    sides = _sides(node.radius, node.segments, site)
    return site.made(library.cylinder(node.radius, node.height, sides))


def _cone(node: Cone, site: Site) -> _Built:
    sides = _sides(max(node.radius_bottom, node.radius_top), node.segments, site)
    return site.made(library.cone(node.radius_bottom, node.radius_top, node.height, sides))


def _sphere(node: Sphere, site: Site) -> _Built:
    sides = _sides(node.radius, node.segments, site)
    if site.means.tessellation.for_file:
        site.chord = ball_depth(node.radius, sides) * site.scale
    return site.union((ball(node.radius, sides),))


def _shape(node: Node, site: Site) -> _Built:
    swept = _SHAPES[type(node)](site.document, site.node, site.means.tessellation, site.scale)
    site.chord = swept.deviation
    # a text of blanks has no letters
    return site.union(swept.skins) if swept.skins else None


def _mesh(_node: ImportedMesh, site: Site) -> _Built:
    skin = read_mesh(site.document, site.node)
    return None if skin is None else site.union(separate_lumps(skin))


def _mesh_file(_node: MeshFile, site: Site) -> _Built:
    skin = read_mesh_file(site.document, site.node, site.means.files)
    return None if skin is None else site.union(separate_lumps(skin))


def _boolean(node: Union | Difference | Intersection, site: Site) -> _Built:
    left, right = (operand.body for operand in site.operands)
    operation = _OPERATIONS[type(node)]
    if left is None:
        return right if operation is Operation.UNION else None
    if right is None:
        return None if operation is Operation.INTERSECTION else left
    if left.key == right.key:
        return None if operation is Operation.DIFFERENCE else left
    return combined(site.key(), operation, (left, right))


def _transform(node: Node, site: Site) -> _Built:
    body = site.operands[0].body
    return None if body is None else placed(site.key(), body, (matrix_of(node),))


def _pattern(node: LinearPattern | CircularPattern, site: Site) -> _Built:
    body = site.operands[0].body
    return body if body is None or node.count == 1 else placed(site.key(), body, copies(node))


def _hull(_node: Hull, site: Site) -> _Built:
    solid = _operand(site)
    return None if solid is None else site.made(library.hull(solid))


def _section(node: Section, site: Site) -> _Built:
    return _behind(site, node.origin, node.normal)


def _keep(node: Keep, site: Site) -> _Built:
    plane = read_plane(site.document, node.plane, site.means.exact)
    away = plane.normal if node.side == "below" else -plane.normal
    return _behind(site, plane.origin.tolist(), away.tolist())


def _on_body(node: OnBody, site: Site) -> _Built:
    try:
        return on_body(node, site)
    except BodyFault as fault:
        raise fault_of(site.document, fault) from None


def _behind(site: Site, origin: Sequence[float], normal: Sequence[float]) -> _Built:
    """What of the operand lies behind a plane."""
    solid = _operand(site)
    if solid is None:
        return None
    kept, original = library.cut(solid, origin, normal)
    if kept.is_empty:
        return None
    if original is not None:
        site.makers.append((original, site.digest))
    return primitive(site.key(), kept)


def _operand(site: Site) -> Made | None:
    """The operand of a node that needs it whole."""
    try:
        return site.carried_out(site.operands[0])
    except BodyFault as fault:
        raise fault_of(site.document, fault) from None


def _bodiless(_node: Node, site: Site) -> _Built:
    refuse_bodiless(site.document, site.node)


def _swept_on(_node: SweepOn, site: Site) -> _Built:
    return _grown(swept_on(site.document, site.node, site.means.exact), site)


def _grown(node: Growing, site: Site) -> _Built:
    if isinstance(node, Pull) and node.taper:
        return _feature(node, site)
    if isinstance(node, Sweep) and isinstance(node.path, HelixPath):
        said = pitch_mismatch(node.path)
        if said is not None:
            site.warn("PITCH_MISMATCH", said)
    old = isinstance(site.document.nodes[node.sketch], Sketch2D)
    if isinstance(node, Pull | Spin) or not old:
        return grown(node, site)
    # whatever is no profile is refused by its reader, in its own words
    made = swept(site, node, outline_of(site.document, node.sketch, site.means.exact, site.node))
    site.chord = made.deviation
    return site.union(made.skins)


def _loft(node: Loft, site: Site) -> _Built:
    profiles = [outline_of(site.document, child, site.means.exact, site.node) for child in node.children()]
    made = lofted(site.document, site.node, profiles, site.means.tessellation, site.scale)
    site.chord = made.deviation
    return site.union(made.skins)


def _drill_tool(node: DrillTool, site: Site) -> _Built:
    bores = site.means.exact.bores(site.document, site.node)
    site.notes += bores.notes
    if not bores.places:
        return None
    fine = (site.means.tessellation, site.scale)
    body = threaded_bore(node, bores)
    if body is not None:
        swept = threaded(body, *fine)
    else:
        swept = revolved(site.document, site.node, *turned_bore(site.document, site.node, bores), *fine)
    site.chord = swept.deviation
    (skin,) = swept.skins
    solid, (original,) = library.of_runs(skin, (len(skin.triangles),))
    site.makers.append((original, site.digest))
    return placed(site.key(), primitive(site.key(1), solid), bores.places)


def _thread(node: Thread, site: Site) -> _Built:
    fine = (site.means.tessellation, site.scale)
    if node.cosmetic:
        site.warn(*COSMETIC)
        swept = revolved(site.document, site.node, *turned_rod(site.document, site.node), *fine)
    else:
        swept = threaded(threaded_rod(node), *fine)
    site.chord = swept.deviation
    return site.union(swept.skins)


def _feature(node: Node, site: Site) -> _Built:
    children = node.children()
    if children and isinstance(site.document.nodes[children[0]], Empty):
        return None
    traced = site.means.exact.tessellate(site.document, site.node, site.means.tessellation, site.scale)
    if traced is None or traced.mesh.is_empty:
        return None
    site.chord = traced.chord
    site.notes += traced.notes
    # one run for each maker, so that faces keep their makers through later booleans
    order = np.argsort(traced.maker_of, kind="stable")
    lengths = np.bincount(traced.maker_of, minlength=len(traced.makers))
    used = np.flatnonzero(lengths)
    skin = Skin(traced.mesh.positions, traced.mesh.indices[order].astype(np.int64))
    solid, originals = library.of_runs(skin, lengths[used].tolist())
    makers = [traced.makers[index] for index in used]
    site.makers += zip(originals, makers, strict=True)
    return primitive(site.key(), solid)


def fault_of(document: Document, fault: BodyFault) -> Exception:
    """The error of a body that could not be carried out."""
    node = document.by_digest[fault.body.key.digest]
    code = "INVALID_PARAMETER" if fault.status == "NonFiniteVertex" else document.nodes[node].FAILURE
    return geometry_error(
        document, node, code, f"could not be built: {fault}", failed=code != "INVALID_PARAMETER"
    )


_OPERATIONS: dict[type[Node], Operation] = {
    Union: Operation.UNION,
    Difference: Operation.DIFFERENCE,
    Intersection: Operation.INTERSECTION,
}

_ON_BODIES = (BossTo, PocketTo, CutThrough)

ON_FLAT = (Keep, *_ON_BODIES)
"""What reads a profile or a plane beside the mesh that it is built from."""

OPERATORS = (
    Union,
    Difference,
    Intersection,
    LinearPattern,
    CircularPattern,
    Translate,
    Rotate,
    Scale,
    Mirror,
    Hull,
    Section,
    *ON_FLAT,
)
"""What is built from the meshes of its children."""

_SHAPES: dict[type[Node], Callable[[Document, NodeId, Tessellation, float], Swept]] = {
    Torus: torus,
    Wedge: wedge,
    Prism: prism,
    Gear: gear,
    Text: text,
}

_BODIES: Mapping[type[Node], Callable[[Any, Site], _Built]] = {
    Empty: _empty,
    Cube: _cube,
    Cylinder: _cylinder,
    Cone: _cone,
    Sphere: _sphere,
    ImportedMesh: _mesh,
    MeshFile: _mesh_file,
    **dict.fromkeys((Union, Difference, Intersection), _boolean),
    **dict.fromkeys((LinearPattern, CircularPattern), _pattern),
    Hull: _hull,
    Section: _section,
    Keep: _keep,
    **dict.fromkeys(_ON_BODIES, _on_body),
    **dict.fromkeys((kind for kind in KINDS.values() if is_bodiless(kind)), _bodiless),
    **dict.fromkeys((Translate, Rotate, Scale, Mirror), _transform),
    **dict.fromkeys((Extrude, Revolve, Sweep, Pull, Spin), _grown),
    SweepOn: _swept_on,
    Loft: _loft,
    DrillTool: _drill_tool,
    Thread: _thread,
    **dict.fromkeys(_SHAPES, _shape),
}
"""Who makes the body of each kind of node. What is not here is built by the exact kernel alone."""


def body_of(node: Node, site: Site) -> Body | None:
    """The body of a node; None = the empty solid.

    Raises: GeometryError, CapabilityUnavailable, KernelFault.
    """
    return _BODIES.get(type(node), _feature)(node, site)
