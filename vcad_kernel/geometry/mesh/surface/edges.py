"""Where a solid's surface has an edge that a person would draw, and how light runs over the rest.

Knows numpy and TriMesh. Does not know what draws: the exporters use it, and `drawn_mesh`, from which the
viewers and the picture draw, so a part has the same edges and the same shading everywhere.

A mesh edge is a *crease* when its two faces turn by more than an angle, or when it is not shared
by exactly two consistently oriented faces. Creases are drawn, and shading normals stop at them.
Everything works on whole arrays and in linear memory: a cap that is one fan of a thousand
triangles costs no more than a thousand other triangles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import cos, radians

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.mesh.surface.components import connected
from vcad_kernel.geometry.placement import crossed
from vcad_kernel.geometry.tri_mesh import FloatArray, TriMesh

__all__ = [
    "CREASE_ANGLE",
    "LEVEL",
    "PLANAR_CREASE",
    "Creases",
    "ShadedMesh",
    "crease_normals",
]

CREASE_ANGLE = 30.0
"""Degrees: the turn between two faces above which people expect to see an edge."""
PLANAR_CREASE = 1e-3
"""Degrees: the same where all faces are planar; any turn above rounding is an edge."""

ShadedMesh = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.uint32]]
"""positions (p, 3) mm, unit normals (p, 3), triangles (m, 3): one row per vertex and normal."""

_Ints = NDArray[np.int64]
_Bools = NDArray[np.bool_]

_NEXT = (1, 2, 0)
_SLIVER = 1e-6
"""Height of a triangle, relative to the size of the mesh, below which its normal is noise: single
precision coordinates turn such a triangle by degrees."""
_SLIVER_LIMIT = 1e-3
"""The same in millimetres, so that a very large model keeps its small features."""
LEVEL = cos(radians(0.02))
"""Cosine of the turn below which two triangles are of one flat facet."""
_NARROW = 4.0
"""A facet that is narrower than another by more than this factor has less say in their common normal."""


def crease_normals(mesh: TriMesh, angle: float = CREASE_ANGLE) -> ShadedMesh:
    """The mesh as a renderer wants it: vertices split at creases, smooth normals elsewhere.

    angle: degrees, the turn between two faces that must be exceeded for their edge to be a crease.
    A normal is the mean of the faces that meet at the vertex without a crease between them, weighted
    by their angles there; where a flat face runs into a rounding it has that of the flat face, so
    that flat faces look flat. The triangles keep their order.
    """
    return Creases.of(mesh, angle).normals()


@dataclass(frozen=True, eq=False)
class Creases:
    """The crease analysis of one mesh, for callers who want the edges and the normals.

    Half-edge ``3 * face + k`` runs from corner k of its face to the next corner.
    """

    mesh: TriMesh
    directions: FloatArray
    """(m, 3) unit face normals; a sliver has that of the face across its longest side."""
    twin: _Ints
    """(3m,) the opposite half-edge where exactly two faces meet consistently, else -1."""
    smooth: _Bools
    """(3m,) whether the surface runs on across the half-edge without a crease."""
    first: _Ints
    """One half-edge of each mesh edge, in a fixed order."""
    limit: float
    """Cosine of the turn above which an edge is a crease."""

    @classmethod
    def of(cls, mesh: TriMesh, angle: float = CREASE_ANGLE) -> Creases:
        """Analyse a mesh; angle in degrees."""
        twin, first = _twins(mesh.indices)
        directions = _directions(mesh, twin)
        paired = twin >= 0
        # An exact comparison would flicker for regular prisms that turn by just this angle.
        limit = cos(radians(angle)) - 1e-9
        smooth = np.zeros(len(twin), np.bool_)
        ours = np.flatnonzero(paired)
        theirs = twin[ours]
        turn = np.einsum("ij,ij->i", directions[ours // 3], directions[theirs // 3])
        smooth[ours] = turn >= limit
        return cls(mesh, directions, twin, smooth, first, limit)

    def edges(self) -> FloatArray:
        """The creases as (k, 2, 3) float64 segments, millimetres: what to draw over a shaded solid.

        The diagonals of the triangulation never show, nor do sliver triangles, which have no direction
        of their own and are looked through.
        """
        return np.asarray(self.mesh.positions[self.sharp()])

    def sharp(self) -> NDArray[np.uint32]:
        """The same as (k, 2) uint32 vertices."""
        return self._ends(self.first[~self.smooth[self.first]])[0]

    def tangent(self) -> NDArray[np.uint32]:
        """(k, 2) uint32 vertices of the lines where one face runs on smoothly into another.

        Where the makers of the triangles are known, faces of two makers meet in a line wherever they turn.
        Within what one node has made there is one where a flat face runs into a rounding.
        """
        facets = self._facets
        if facets is None:
            return np.empty((0, 2), np.uint32)
        facet, bending, width = facets
        makers = self.mesh.source_nodes
        if len(makers) != self.mesh.triangle_count:
            return self._ends(self._into_roundings(facet, width, bending))[0]
        differ = makers[bending // 3] != makers[self.twin[bending] // 3]
        # each of these once; where a rounding begins is said from its wide side alone
        between = bending[differ & (bending < self.twin[bending])]
        begins = self._into_roundings(facet, width, bending[~differ])
        return self._ends(np.concatenate([between, begins]))[0]

    def _into_roundings(self, facet: _Ints, width: FloatArray, bending: _Ints) -> _Ints:
        """Of the half-edges at which one facet runs on into another, those from a flat face into a rounding.

        A flat face is far wider than the strips of a rounding; but what a hole or a letter has left of a
        cylinder's facets is as narrow as these, so width alone does not tell. Were the face part of the curve
        that begins there, it would cut across that: by its width times the turn, which is far more than what
        any two neighbours on the curved faces of the same maker cut off, for those were all made with one
        chord error. Nor is there a flat face that turns into one as wide, or that turns in itself, as a fan
        about a pole does.
        """
        near, far = bending // 3, self.twin[bending] // 3
        is_wide = width[facet[near]] > _NARROW * width[facet[far]]
        if not is_wide.any():
            return bending[:0]
        turn = np.linalg.norm(self.directions[near] - self.directions[far], axis=1)
        makers = self.mesh.source_nodes
        maker = makers[near].astype(np.int64) if len(makers) else np.zeros(len(near), np.int64)
        cut_off = np.zeros(int(maker.max()) + 1)
        np.maximum.at(cut_off, maker, turn * np.minimum(width[facet[near]], width[facet[far]]))
        # what follows takes longer, and is asked of the faces that may be such alone
        may_be = np.zeros(len(width), np.bool_)
        may_be[facet[near[is_wide]]] = True
        asked = np.flatnonzero(may_be[facet[near]])
        across = self._across(facet, bending[asked], near[asked])
        beyond = self._across(facet, bending[asked], far[asked])
        may_be[self._turning(facet, may_be)] = False
        may_be[facet[near[asked[beyond > 0.5 * across]]]] = False
        # at the border of a rounding the surface turns by half of what it turns between two strips
        begins = is_wide[asked] & (turn[asked] * across > 0.5 * _NARROW * cut_off[maker[asked]])
        return np.asarray(bending[asked[begins & may_be[facet[near[asked]]]]])

    def _turning(self, facet: _Ints, asked: _Bools) -> _Ints:
        """Which facets, of some, are not flat, though none of their triangles turns much from the next."""
        members = np.flatnonzero(asked[facet])
        mean = _unit(_sum_by(facet[members], self.directions[members], len(asked)))
        off = np.einsum("ij,ij->i", self.directions[members], mean[facet[members]]) < LEVEL
        return np.asarray(facet[members[off]])

    def _across(self, facet: _Ints, half_edges: _Ints, sides: _Ints) -> FloatArray:
        """(k,) how wide the facet of each side, a triangle, is across an edge of it: as a rectangle would be
        whose area lies about its middle as the facet's does."""
        mine = np.zeros(int(facet.max(initial=-1)) + 1, np.bool_)
        mine[facet[sides]] = True
        number = np.cumsum(mine) - 1
        members = np.flatnonzero(mine[facet])
        group, count = number[facet[members]], int(np.count_nonzero(mine))
        corners = self.mesh.positions[self.mesh.indices[members]]
        cross = crossed(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        area = 0.5 * np.linalg.norm(cross, axis=1)
        total = np.bincount(group, area, minlength=count)
        share = np.where(total > 0.0, total, 1.0)[:, None]
        middle = corners.mean(axis=1)
        centre = (_sum_by(group, area[:, None] * middle, count) / share)[group]
        # second moments of a triangle: a twelfth of its corners' squares and of nine times its middle's
        off, shift = corners - centre[:, None], middle - centre
        moments = np.einsum("mki,mkj->mij", off, off) + 9.0 * np.einsum("mi,mj->mij", shift, shift)
        spread = _sum_by(group, (area / 12.0)[:, None] * moments.reshape(-1, 9), count) / share
        corner = self.mesh.indices.reshape(-1)
        ends = self.mesh.indices[:, _NEXT].reshape(-1)
        along = self.mesh.positions[ends[half_edges]] - self.mesh.positions[corner[half_edges]]
        across = _unit(crossed(self.directions[sides], along))
        squared = np.einsum("ij,ijk,ik->i", across, spread.reshape(-1, 3, 3)[number[facet[sides]]], across)
        return np.asarray(np.sqrt(12.0 * squared.clip(0.0)))

    def soft(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """(k, 2) uint32 vertices of the lines that are no creases, and the (k, 2) faces beside them."""
        ends, border = self._ends(self.first[self.smooth[self.first]])
        return ends, (np.stack([border, self.twin[border]], axis=1) // 3).astype(np.uint32)

    def _ends(self, half_edges: _Ints) -> tuple[NDArray[np.uint32], _Ints]:
        """(k, 2) the vertices of the half-edges that have a length, and which these are."""
        starts = self.mesh.indices.reshape(-1)[half_edges]
        ends = self.mesh.indices[:, _NEXT].reshape(-1)[half_edges]
        has_length = (self.mesh.positions[starts] != self.mesh.positions[ends]).any(axis=1)
        return np.stack([starts, ends], axis=1)[has_length], half_edges[has_length]

    def normals(self, *, tips: bool = True) -> ShadedMesh:
        """Split, smoothly shaded buffers of the whole mesh; see `crease_normals`.

        tips: at the tip of a cone, where the mean fits no face, each corner has a normal of its own.
        Without, corners that no crease parts always share theirs, as a reader who takes edges for
        soft or hard by their normals needs it.
        """
        corner_count = len(self.twin)
        if corner_count == 0:
            return np.empty((0, 3), np.float32), np.empty((0, 3), np.float32), np.empty((0, 3), np.uint32)
        # 1. the corners about a vertex between two creases are one fan, and share one normal
        onward = self._around()
        fan = _fans(onward, self.mesh)
        own = np.repeat(self.directions, 3, axis=0)
        # 2. its mean is weighted by the angles at the vertex, which do not change with the triangulation
        weighted = (_corner_angles(self.mesh) * self._say(fan))[:, None] * own
        normal = _unit(_sum_by(fan, weighted, corner_count))
        # Around the tip of a cone every step is smooth, yet the mean fits no face: such corners
        # leave their fan, numbered above all fans, and listen to their two neighbours alone.
        lonely = np.flatnonzero(np.einsum("ij,ij->i", normal[fan], own) < self.limit)
        if tips and len(lonely):
            # the neighbours across both edges: the next corner, and the one to which this one is next
            near = weighted.copy()
            moved = np.flatnonzero(onward != np.arange(corner_count))
            near[moved] += weighted[onward[moved]]
            np.add.at(near, onward[moved], weighted[moved])
            normal = np.concatenate([normal, _unit(near)])
            fan[lonely] = corner_count + lonely
        # 3. one row for each normal in use; a leader's number also names its vertex
        kept = np.zeros(len(normal), np.bool_)
        kept[fan] = True
        leaders = np.flatnonzero(kept)
        number = np.cumsum(kept) - 1
        vertices = self.mesh.indices.reshape(-1)[leaders % corner_count]
        return (
            self.mesh.positions[vertices].astype(np.float32),
            normal[leaders].astype(np.float32),
            number[fan].astype(np.uint32).reshape(-1, 3),
        )

    def _say(self, fan: _Ints) -> FloatArray:
        """(3m,) how much each corner counts for the normal of its fan, at most 1.

        At the border of a rounding the surface has the direction of the flat face beside it, which is far
        wider than the strips that stand for the rounding. Width is taken across the borders that are no
        creases, so a strip that a hole has cut short still counts as much as its neighbours.
        """
        say = np.ones(len(fan))
        facets = self._facets
        if facets is None:
            return say
        facet, _, width = facets
        own = np.repeat(width[facet], 3)
        widest = np.zeros(len(fan))
        np.maximum.at(widest, fan, own)
        np.divide(_NARROW * own, widest[fan], out=say, where=widest[fan] > 0)
        return np.asarray(np.minimum(say, 1.0) ** 2)

    @cached_property
    def _facets(self) -> tuple[_Ints, _Ints, FloatArray] | None:
        """(m,) the facet of each triangle, the half-edges at which one runs on into another, and how wide
        each is; None where none does."""
        joined = np.flatnonzero(self.smooth)
        near, far = joined // 3, self.twin[joined] // 3
        # triangles in one plane are one facet: its width is what counts, not that of its triangles
        level = np.einsum("ij,ij->i", self.directions[near], self.directions[far]) > LEVEL
        if level.all():
            return None
        facet = connected(self.mesh.triangle_count, near[level], far[level])
        corners = self.mesh.corners()
        cross = crossed(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        doubled_area = np.bincount(facet, np.linalg.norm(cross, axis=1))
        bending = joined[~level]
        face, corner = bending // 3, bending % 3
        length = np.linalg.norm(corners[face, (corner + 1) % 3] - corners[face, corner], axis=1)
        border = np.bincount(facet[face], length, minlength=len(doubled_area))
        # a strip has two borders: its width is twice its area over their length
        # (a facet without such a border shares no normal with another)
        width = np.divide(doubled_area, border, out=np.zeros_like(border), where=border > 0)
        return facet, bending, width

    def _around(self) -> _Ints:
        """(3m,) for each corner the next one about its vertex across a smooth edge, or itself."""
        corner = np.arange(len(self.twin))
        incoming = corner + np.where(corner % 3 == 0, 2, -1)
        return np.where(self.smooth[incoming], self.twin[incoming], corner)


def _twins(indices: NDArray[np.uint32]) -> tuple[_Ints, _Ints]:
    """Opposite half-edges (3m,) with -1 where there is no single one, and one half-edge per edge."""
    starts = indices.reshape(-1).astype(np.int64)
    ends = indices[:, _NEXT].reshape(-1).astype(np.int64)
    # both half-edges of an edge get one key; sorted, they lie next to each other
    edge = np.minimum(starts, ends) << 32 | np.maximum(starts, ends)
    order = np.argsort(edge, kind="stable")
    ordered = edge[order]
    opens = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(edge) else order
    uses = np.diff(np.append(opens, len(edge)))
    # an edge with one or with more than two faces has no twin, nor one whose faces run the same way
    pair = opens[uses == 2]
    half, opposite_half = order[pair], order[pair + 1]
    opposite = starts[half] == ends[opposite_half]
    half, opposite_half = half[opposite], opposite_half[opposite]
    twin = np.full(len(edge), -1, np.int64)
    twin[half] = opposite_half
    twin[opposite_half] = half
    return twin, order[opens]


def _directions(mesh: TriMesh, twin: _Ints) -> FloatArray:
    """Unit face normals (m, 3) in which slivers have been looked through."""
    corners = mesh.corners()
    sides = corners[:, _NEXT] - corners
    cross = crossed(sides[:, 0], sides[:, 1])
    doubled_area = np.sqrt(np.einsum("ij,ij->i", cross, cross))
    lengths = np.sqrt(np.einsum("ijk,ijk->ij", sides, sides))
    longest = lengths.max(axis=1, initial=0.0)
    size = float(np.ptp(mesh.positions, axis=0).max()) if len(corners) else 0.0
    # twice the area over the longest side is the height
    sliver = doubled_area <= min(_SLIVER * size, _SLIVER_LIMIT) * longest
    directions = cross / np.where(doubled_area > 0, doubled_area, 1.0)[:, None]
    thin = np.flatnonzero(sliver)
    if len(thin):
        directions[thin] = directions[_beyond(thin, lengths[thin], sliver, twin)]
    return directions


def _beyond(thin: _Ints, lengths: FloatArray, sliver: _Bools, twin: _Ints) -> _Ints:
    """For each sliver the face that lends it a direction: the first sound one across long sides.

    A chain of slivers grows longer from side to side; two that share their longest side would
    send each other back, so the later of the two leaves by its second longest.
    """
    by_length = np.argsort(lengths, axis=1)
    lender = np.arange(len(sliver))

    def across(rows: _Ints, rank: int) -> _Ints:
        far = twin[3 * thin[rows] + by_length[rows, rank]]
        return np.where(far >= 0, far // 3, thin[rows])

    slivers = np.arange(len(thin))
    # first each borrows across its longest side
    lender[thin] = across(slivers, 2)
    returned = slivers[(lender[lender[thin]] == thin) & (lender[thin] < thin)]
    lender[thin[returned]] = across(returned, 1)
    # each round doubles how far a chain of slivers is followed, until it ends in a sound face
    for _ in range(max(1, len(thin).bit_length())):
        lender[thin] = lender[lender[thin]]
    return lender[thin]


def _fans(onward: _Ints, mesh: TriMesh) -> _Ints:
    """(3m,) a leader for each corner, equal for corners joined by smooth edges about one vertex.

    `onward` forms open fans, which end in a corner that is its own successor, and closed ones.
    Each round doubles the reach; a corner drops out once its reach covers its vertex.
    """
    degree = np.bincount(mesh.indices.reshape(-1), minlength=mesh.vertex_count)[mesh.indices.reshape(-1)]
    least = np.arange(len(onward))
    ahead = onward.copy()
    reach = 1
    active = np.arange(len(onward))
    while len(active):
        step = ahead[active]
        least[active] = np.minimum(least[active], least[step])
        ahead[active] = ahead[step]
        reach *= 2
        active = active[degree[active] > reach]
    # an open fan is led by the corner it ends in, a closed one by its lowest
    last = onward[ahead] == ahead
    return np.where(last, ahead, least)


def _corner_angles(mesh: TriMesh) -> FloatArray:
    """(3m,) interior angles of the triangles at their corners, radians."""
    corners = mesh.corners()
    sides = [corners[:, end] - corners[:, start] for start, end in enumerate(_NEXT)]
    lengths = [np.sqrt(np.einsum("ij,ij->i", side, side)) for side in sides]
    angles = np.empty((mesh.triangle_count, 3))
    for corner in range(3):
        before = corner - 1
        product = lengths[corner] * lengths[before]
        cosine = -np.einsum("ij,ij->i", sides[corner], sides[before]) / np.where(product > 0, product, 1.0)
        angles[:, corner] = np.arccos(np.clip(cosine, -1.0, 1.0))
    return angles.reshape(-1)


def _sum_by(group: _Ints, vectors: FloatArray, count: int) -> FloatArray:
    """(count, d) sums of the vectors (n, d) of each group."""
    columns = [np.bincount(group, column, minlength=count) for column in vectors.T]
    return np.stack(columns, axis=1)


def _unit(vectors: FloatArray) -> FloatArray:
    """Rows scaled to length 1; zero rows stay zero."""
    length = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return np.asarray(vectors / np.where(length > 0, length, 1.0))
