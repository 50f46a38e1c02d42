"""Profiles on faces of bodies as far as the body says: filled up to a face, or cut through walls.

The prism passes all of the body; which of its pieces count is decided by where they begin and end.
"""

from __future__ import annotations

import numpy as np
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.occt.booleans.booleans import common, cut, united
from vcad_kernel.geometry.occt.brep import Brep, compound_of, solids_of
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.measure.boxes import loose_box
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.validity import sound
from vcad_kernel.geometry.occt.sweeps.growing import prisms
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import location_in
from vcad_kernel.geometry.sweeps.growing import Span, gap_to_fill, span_of, walls_to_cut
from vcad_kernel.geometry.sweeps.planes import Plane
from vcad_kernel.geometry.sweeps.profiles.regions import Region
from vcad_kernel.operations.features.on_bodies import BossTo, CutThrough, OnBody, PocketTo

__all__ = ["boss_to", "cut_through", "pocket_to"]


def cut_through(build: Build, node: CutThrough, operands: Operands) -> Brep | None:
    """The body without the prism."""
    body, prism, _ = _passing(build, node, operands)
    return body if body is None or prism is None else cut(build, body, [prism])


def boss_to(build: Build, node: BossTo, operands: Operands) -> Brep | None:
    """The body with the gap above the profile filled."""
    body, prism, region = _passing(build, node, operands)
    if body is None or prism is None:
        return body
    free = cut(build, prism, [body])
    pieces = [] if free is None else solids_of(free.shape)
    (_, end) = span_of(node, region.plane, loose_box(body))
    chosen = gap_to_fill(build.document, build.node, _spans(pieces, region.plane), end)
    return united(build, [body, _of_pieces(build, [pieces[at] for at in chosen])])


def pocket_to(build: Build, node: PocketTo, operands: Operands) -> Brep | None:
    """The body without its first wall below the profile, or without all of them."""
    body, prism, region = _passing(build, node, operands)
    if body is None or prism is None:
        return body
    within = common(build, [prism, body])
    pieces = [] if within is None else solids_of(within.shape)
    chosen = walls_to_cut(build.document, build.node, _spans(pieces, region.plane))
    # without a wall that stays, the plain prism cuts what its pieces would
    tool = prism if len(chosen) == len(pieces) else _of_pieces(build, [pieces[at] for at in chosen])
    return cut(build, body, [tool])


def _passing(build: Build, node: OnBody, operands: Operands) -> tuple[Brep | None, Brep | None, Region]:
    """The body, and the prism of the profile that passes all of it; None for empty ones."""
    body = operands[0]
    region = build.region(node.sketch)
    if body is None:
        return None, None, region
    return body, prisms(build, region, span_of(node, region.plane, loose_box(body))), region


def _of_pieces(build: Build, pieces: list[TopoDS_Shape]) -> Brep:
    shape = pieces[0] if len(pieces) == 1 else compound_of(pieces)
    return sound(build, shape, "BOOLEAN_FAILED")


def _spans(pieces: list[TopoDS_Shape], plane: Plane) -> list[Span]:
    """How far each piece reaches along the plane's normal."""
    there = location_in(plane)
    boxes = [np.array(box_of(piece.Moved(there))) for piece in pieces]
    return [(float(box[0, 2]), float(box[1, 2])) for box in boxes]
