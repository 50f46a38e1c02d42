"""A closed mesh as an exact body of flat faces: triangles in one plane become one face.

This is what remains of a body whose boolean only the meshes could carry out. Corners, edges and
faces are shared by topology, so nothing is sewn.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Builder
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge
from OCP.Geom import Geom_Plane
from OCP.gp import gp_Dir, gp_Pln, gp_Pnt
from OCP.TopAbs import TopAbs_FACE, TopAbs_FORWARD, TopAbs_REVERSED
from OCP.TopoDS import (
    TopoDS_Compound,
    TopoDS_Edge,
    TopoDS_Face,
    TopoDS_Shell,
    TopoDS_Solid,
    TopoDS_Vertex,
    TopoDS_Wire,
)

from vcad_kernel.geometry.mesh.surface.components import connected
from vcad_kernel.geometry.occt.brep import Brep, shape_map
from vcad_kernel.ir.digest import Digest

__all__ = ["faceted"]

_FLAT = 1e-9
"""1 − cosine between neighbours of one face."""
_OFF_PLANE = 1e-7
"""Millimetres (relative to the size of the body beyond 1 mm): how far a corner may be off its face."""

_Points = NDArray[np.float64]
_Indices = NDArray[np.int64]


def faceted(positions: _Points, triangles: _Indices, makers: Sequence[Digest]) -> Brep:
    """The body inside a closed outward mesh; each shell of positive volume becomes a lump.

    makers: of each triangle. A face has the maker of its first triangle.
    """
    return _Facets(positions, triangles, makers).body()


class _Facets:
    def __init__(self, positions: _Points, triangles: _Indices, makers: Sequence[Digest]) -> None:
        self._builder = BRep_Builder()
        self._positions = positions
        self._triangles = triangles
        self._makers = makers
        a, b, c = np.moveaxis(positions[triangles], 1, 0)
        normals = np.cross(b - a, c - a)
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        self._areas = lengths[:, 0]
        self._normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0)
        self._tolerance = _OFF_PLANE * max(1.0, float(np.ptp(positions, axis=0).max()))
        # a directed side → its triangle: the triangle beyond a side is found under the reverse of it
        self._neighbour = {
            (int(start), int(end)): index
            for index, corners in enumerate(triangles)
            for start, end in zip(corners, np.roll(corners, -1), strict=True)
        }
        self._corners: dict[int, TopoDS_Vertex] = {}
        self._edges: dict[tuple[int, int], TopoDS_Edge] = {}

    def body(self) -> Brep:
        """All shells, cavities with the lump around them."""
        flat = self._triangles.ravel()
        # triangles that share vertices are one shell; cavities have negative volume
        labels = connected(len(self._positions), flat, np.roll(self._triangles, -1, axis=1).ravel())
        shell_of = labels[self._triangles[:, 0]]
        outer: list[list[int]] = []
        cavities: list[list[int]] = []
        for shell in np.unique(shell_of):
            members = np.flatnonzero(shell_of == shell)
            a, b, c = np.moveaxis(self._positions[self._triangles[members]], 1, 0)
            volume = float(np.einsum("ij,ij->", a, np.cross(b, c)))
            (outer if volume > 0.0 else cavities).append(members.tolist())
        return self._assembled(outer, cavities)

    def _assembled(self, outer: list[list[int]], cavities: list[list[int]]) -> Brep:
        made_by: list[tuple[TopoDS_Face, Digest]] = []
        shells = [[self._shell(members, made_by)] for members in outer]
        boxes = [self._box(members) for members in outer]
        for cavity in cavities:
            # of nested lumps the one with the smallest box around the cavity has it
            low, high = self._box(cavity)
            around = [
                (float(np.prod(box[1] - box[0])), index)
                for index, box in enumerate(boxes)
                if np.all(box[0] <= low) and np.all(high <= box[1])
            ]
            shells[min(around)[1] if around else 0].append(self._shell(cavity, made_by))
        solids = []
        for parts in shells:
            solid = TopoDS_Solid()
            self._builder.MakeSolid(solid)
            for part in parts:
                self._builder.Add(solid, part)
            solids.append(solid)
        shape = solids[0]
        if len(solids) > 1:
            shape = TopoDS_Compound()
            self._builder.MakeCompound(shape)
            for solid in solids:
                self._builder.Add(shape, solid)
        faces = shape_map(shape, TopAbs_FACE)
        makers = {faces.FindIndex(face): maker for face, maker in made_by}
        return Brep(shape, tuple(makers[index] for index in range(1, faces.Extent() + 1)))

    def _box(self, members: Sequence[int]) -> tuple[_Points, _Points]:
        points = self._positions[self._triangles[members]].reshape(-1, 3)
        return points.min(axis=0), points.max(axis=0)

    def _shell(self, members: list[int], made_by: list[tuple[TopoDS_Face, Digest]]) -> TopoDS_Shell:
        shell = TopoDS_Shell()
        self._builder.MakeShell(shell)
        for region in self._regions(members):
            loops = self._loops(region)
            pieces = [(region, loops)]
            # borders that touch in a corner make no clean wire: the region stays as single triangles
            if not loops:
                pieces = [([triangle], [self._triangles[triangle].tolist()]) for triangle in region]
            for piece, around in pieces:
                face = self._face(piece, around)
                made_by.append((face, self._makers[piece[0]]))
                self._builder.Add(shell, face)
        shell.Closed(True)
        return shell

    def _regions(self, members: list[int]) -> list[list[int]]:
        """Connected triangles in one plane, grown from the largest."""
        # the largest triangle knows its plane best; its neighbours are measured by that plane
        order = sorted(members, key=lambda index: (-self._areas[index], index))
        taken: set[int] = set()
        regions = []
        for seed in order:
            if seed in taken:
                continue
            taken.add(seed)
            region, pending = [seed], [seed]
            normal, origin = self._normals[seed], self._positions[self._triangles[seed][0]]
            while pending:
                corners = self._triangles[pending.pop()].tolist()
                for start, end in zip(corners, [*corners[1:], corners[0]], strict=True):
                    neighbour = self._neighbour.get((end, start))
                    if (
                        neighbour is None
                        or neighbour in taken
                        or self._makers[neighbour] != self._makers[seed]
                    ):
                        continue
                    away = np.abs((self._positions[self._triangles[neighbour]] - origin) @ normal)
                    # a sliver has no normal of its own, its corners in the plane are enough
                    level = self._areas[neighbour] == 0.0 or self._normals[neighbour] @ normal > 1.0 - _FLAT
                    if level and away.max() <= self._tolerance:
                        taken.add(neighbour)
                        region.append(neighbour)
                        pending.append(neighbour)
            regions.append(region)
        return regions

    def _loops(self, region: list[int]) -> list[list[int]]:
        """Closed borders of a region; none when two of them share a corner."""
        after: dict[int, int] = {}
        sides = {
            (int(a), int(b))
            for index in region
            for a, b in zip(self._triangles[index], np.roll(self._triangles[index], -1), strict=True)
        }
        for a, b in sides:
            # a side that is run through both ways lies between two triangles of the region
            if (b, a) in sides:
                continue
            # two borders leave from one corner
            if a in after:
                return []
            after[a] = b
        loops = []
        while after:
            start, here = after.popitem()
            loop = [start]
            while here != start:
                loop.append(here)
                here = after.pop(here)
            loops.append(loop)
        return loops

    def _face(self, region: list[int], loops: list[list[int]]) -> TopoDS_Face:
        seed = max(region, key=lambda index: float(self._areas[index]))
        x, y, z = (float(value) for value in self._positions[self._triangles[seed][0]])
        plane = gp_Pln(gp_Pnt(x, y, z), gp_Dir(*(float(value) for value in self._normals[seed])))
        face = TopoDS_Face()
        self._builder.MakeFace(face, Geom_Plane(plane), self._tolerance)
        for loop in loops:
            wire = TopoDS_Wire()
            self._builder.MakeWire(wire)
            for start, end in zip(loop, [*loop[1:], loop[0]], strict=True):
                self._builder.Add(wire, self._edge(start, end))
            wire.Closed(True)
            self._builder.Add(face, wire)
        return face

    def _edge(self, start: int, end: int) -> TopoDS_Edge:
        key = (min(start, end), max(start, end))
        edge = self._edges.get(key)
        if edge is None:
            edge = BRepBuilderAPI_MakeEdge(self._corner(key[0]), self._corner(key[1])).Edge()
            self._edges[key] = edge
        return edge.Oriented(TopAbs_FORWARD if start == key[0] else TopAbs_REVERSED)

    def _corner(self, index: int) -> TopoDS_Vertex:
        corner = self._corners.get(index)
        if corner is None:
            corner = self._corners[index] = TopoDS_Vertex()
            x, y, z = (float(value) for value in self._positions[index])
            self._builder.MakeVertex(corner, gp_Pnt(x, y, z), self._tolerance)
        return corner
