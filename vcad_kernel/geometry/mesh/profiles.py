"""What grows out of profiles on the mesh path: a body of each outline, put together as the profiles are.

Where profiles are united, cut or intersected, what grows out of them is: planes stay exact, and no
boolean of polygons is needed. A taper is the exact kernel's.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from vcad_kernel.geometry.mesh import manifold_kernel as library
from vcad_kernel.geometry.mesh.body import Body, combined, placed, primitive
from vcad_kernel.geometry.mesh.manifold_kernel import Made, Operation
from vcad_kernel.geometry.mesh.site import Answer, Site, Trace
from vcad_kernel.geometry.placement import IDENTITY, compose
from vcad_kernel.geometry.sweeps.growing import (
    Growing,
    Grown,
    Span,
    gap_to_fill,
    grown_from,
    span_of,
    walls_to_cut,
)
from vcad_kernel.geometry.sweeps.paths.along_paths import swept_along
from vcad_kernel.geometry.sweeps.planes import matrix_onto
from vcad_kernel.geometry.sweeps.profiles.fits import fit_under
from vcad_kernel.geometry.sweeps.profiles.profile import Profile
from vcad_kernel.geometry.sweeps.profiles.regions import (
    Joined,
    Region,
    Shape,
    pieces_of,
    profile_in,
    read_region,
)
from vcad_kernel.geometry.sweeps.sweeping import Swept, extruded, revolved
from vcad_kernel.operations.bodies.booleans import Difference, Intersection, Union
from vcad_kernel.operations.features.on_bodies import BossTo, OnBody, PocketTo
from vcad_kernel.operations.profiles.sketches import Curves
from vcad_kernel.operations.solids.sweeps import Extrude, Revolve

__all__ = ["grown", "on_body", "prism", "swept"]

_WHOLE = 1_000_000
"""The number of a prism among the bodies of a node that is made of more."""
_OPERATIONS = {
    Union: Operation.UNION,
    Difference: Operation.DIFFERENCE,
    Intersection: Operation.INTERSECTION,
}


def grown(node: Growing, site: Site) -> Body | None:
    """The body of a node that grows out of one profile; None = of an empty one. node: what it comes to.

    Raises: GeometryError; CapabilityUnavailable where the plane of a face needs the exact kernel.
    """
    region = read_region(site.document, node.sketch, site.means.exact)
    value, place = grown_from(site.document, site.node, node, region.plane)
    if isinstance(value, Revolve) and region.alone is None:
        # the whole may lie on one side of the axis where its parts do not
        plane, outlines = site.means.exact.outlines(site.document, node.sketch)
        region = Region(plane, (Shape(node.sketch, outlines),))
    body = _grown_within(site, region, value)
    if body is None or np.array_equal(place, IDENTITY):
        return body
    return placed(site.key(), body, (place,))


def prism(site: Site, region: Region, span: Span) -> Body | None:
    """The prisms over a profile from one height above its plane to another; None over an empty one.

    Not the body of the node, which has to be made of it.
    """
    start, end = span
    value = Extrude(site.node, (0.0, 0.0, end - start))
    body = _grown_within(site, region, value)
    if body is None:
        return None
    lifted = np.column_stack([np.eye(3), (0.0, 0.0, start)])
    return placed(site.key(_WHOLE), body, (compose(matrix_onto(region.plane), lifted),))


def _grown_within(site: Site, region: Region, value: Grown) -> Body | None:
    """What grows out of a profile, in the coordinates of its plane."""
    growing = _Outlines(site, value)
    stack: list[Body | None] = []
    for step in region.steps:
        if isinstance(step, Shape):
            stack.append(growing.of_shape(step))
        else:
            operands = stack[-step.count :]
            del stack[-step.count :]
            stack.append(growing.joined(step, operands))
    # outlines that are fitted are off by that before they are cut into chords
    site.chord += site.scale * fit_under(site.document, site.node, site.means.exact)
    (body,) = stack
    return body


class _Outlines:
    def __init__(self, site: Site, value: Grown) -> None:
        self._site = site
        self._value = value
        self._pieces = itertools.count(1)

    def of_shape(self, shape: Shape) -> Body | None:
        """What grows out of the outlines of one node."""
        pieces = pieces_of(self._site.document, shape, self._site.means.tessellation)
        bodies = []
        for piece in pieces:
            outer, *holes = (self._of_outline(shape, outline) for outline in (piece.outer, *piece.holes))
            bodies.append(self._combined(Operation.DIFFERENCE, [outer, *holes]))
        return self._combined(Operation.UNION, bodies) if bodies else None

    def joined(self, step: Joined, operands: Sequence[Body | None]) -> Body | None:
        """What grows out of profiles that are put together."""
        operation = _OPERATIONS[step.operation]
        there = [body for body in operands if body is not None]
        if operation is Operation.DIFFERENCE and operands[0] is None:
            return None
        if operation is Operation.INTERSECTION and len(there) < len(operands):
            return None
        return self._combined(operation, there) if there else None

    def _combined(self, operation: Operation, bodies: Sequence[Body]) -> Body:
        if len(bodies) == 1:
            return bodies[0]
        return combined(self._site.key(next(self._pieces)), operation, bodies)

    def _of_outline(self, shape: Shape, outline: Curves) -> Body:
        site = self._site
        profile = profile_in(site.document, shape.node, outline)
        made = swept(site, self._value, profile)
        site.chord = max(site.chord, made.deviation)
        bodies = []
        for skin in made.skins:
            solid, (original,) = library.of_runs(skin, (len(skin.triangles),))
            site.makers.append((original, site.digest))
            bodies.append(primitive(site.key(next(self._pieces)), solid))
        return self._combined(Operation.UNION, bodies)


def swept(site: Site, value: Grown, profile: Profile) -> Swept:
    """What grows out of one profile, as skins. Raises: GeometryError."""
    fine = (site.means.tessellation, site.scale)
    if isinstance(value, Extrude):
        return extruded(site.document, site.node, value, profile, *fine)
    if isinstance(value, Revolve):
        return revolved(site.document, site.node, value, profile, *fine)
    return swept_along(site.document, site.node, value, profile, *fine)


# ---- profiles on faces of bodies as far as the body says, on the mesh path: see the exact kernel's modul --


_PIECES = 2_000_000
"""The number of the pieces among the bodies of a node."""


def on_body(node: OnBody, site: Site) -> Body | None:
    """The body filled above a profile, or cut below it. Raises: GeometryError, BodyFault, KernelFault."""
    (operand,) = site.operands
    region = read_region(site.document, node.sketch, site.means.exact)
    whole = site.carried_out(operand)
    if whole is None or operand.body is None:
        return None
    span = span_of(node, region.plane, library.box(whole))
    passing = prism(site, region, span)
    if passing is None:
        return operand.body
    if isinstance(node, BossTo | PocketTo):
        through = site.carried_out(Answer(passing, Trace()))
        assert through is not None  # a prism has a volume
        filling = isinstance(node, BossTo)
        joining = Operation.DIFFERENCE if filling else Operation.INTERSECTION
        pieces = library.lumps(library.batch(joining, [(through, None), (whole, None)]))
        spans = [library.span(piece, region.plane.origin, region.plane.normal) for piece in pieces]
        if filling:
            chosen = gap_to_fill(site.document, site.node, spans, span[1])
        else:
            chosen = walls_to_cut(site.document, site.node, spans)
        if filling or len(chosen) < len(pieces):
            passing = _of_pieces(site, [pieces[at] for at in chosen])
    operation = Operation.UNION if isinstance(node, BossTo) else Operation.DIFFERENCE
    return combined(site.key(), operation, (operand.body, passing))


def _of_pieces(site: Site, pieces: Sequence[Made]) -> Body:
    return primitive(site.key(_PIECES), library.composed(pieces))
