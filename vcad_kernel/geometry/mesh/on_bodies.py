"""Profiles on faces of bodies as far as the body says, on the mesh path: see the exact kernel's module."""

from __future__ import annotations

from collections.abc import Sequence

from vcad_kernel.geometry.mesh import manifold_kernel as library
from vcad_kernel.geometry.mesh.body import Body, combined, primitive
from vcad_kernel.geometry.mesh.manifold_kernel import Made, Operation
from vcad_kernel.geometry.mesh.profiles import prism
from vcad_kernel.geometry.mesh.site import Answer, Site, Trace
from vcad_kernel.geometry.sweeps.growing import gap_to_fill, span_of, walls_to_cut
from vcad_kernel.geometry.sweeps.profiles.regions import read_region
from vcad_kernel.operations.features.on_bodies import BossTo, OnBody, PocketTo

__all__ = ["on_body"]

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
