"""Triangulations of curved faces brought as near to them as a file asks for.

OpenCASCADE keeps to a chord error along edges. Within a cone that splines border its triangles may lie eight
times as far off, within a B-spline a third further. Sides that two triangles of a face share are halved here,
at the middle of their parameters: there OpenCASCADE has triangulated, so that nothing folds. Borders stay as
they are, and neighbours with them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from OCP.BRepAdaptor import BRepAdaptor_Surface

from vcad_kernel.geometry.occt.triangulations import FaceMesh

__all__ = ["refined"]

_ROUNDS = 12
"""Each halves sides, which divides how far they are off by four."""

_Ints = NDArray[np.int64]
_Points = NDArray[np.float64]


def refined(
    mesh: FaceMesh,
    surface: BRepAdaptor_Surface,
    distance: Callable[[_Points, _Points], _Points],
    chord: float,
) -> FaceMesh:
    """The triangulation with sides within the face halved until it lies within ``chord`` of it, mm.

    distance: how far points (n, 3), mm, lie off the face near places (n, 2) on it. The first nodes are those
    of ``mesh``.
    """
    nodes, places = mesh.nodes, mesh.parameters
    triangles = mesh.triangles.astype(np.int64) - 1
    known = 0
    for _ in range(_ROUNDS):
        sides, of_side = _sides(triangles, len(nodes))
        shared = np.bincount(of_side.ravel(), minlength=len(sides)) == 2
        # the first triangles are those of which no side was off a round ago
        asked = np.unique(of_side[known:])
        asked = asked[shared[asked]]
        halved = np.zeros(len(sides), bool)
        halved[asked] = distance(nodes[sides[asked]].mean(axis=1), places[sides[asked]].mean(axis=1)) > chord
        # the middle of a triangle may be off where its sides are not: the longest one that can gives way
        deep = known + np.flatnonzero(~np.any(halved[of_side[known:]], axis=1))
        middle = nodes[triangles[deep]].mean(axis=1), places[triangles[deep]].mean(axis=1)
        deep = deep[distance(*middle) > chord]
        lengths = np.where(shared, np.linalg.norm(np.subtract(*nodes[sides].transpose(1, 0, 2)), axis=1), 0.0)
        halved[of_side[deep, np.argmax(lengths[of_side[deep]], axis=1)]] = True
        halved &= shared
        if not np.any(halved):
            break
        middles = places[sides[halved]].mean(axis=1)
        fresh = np.full(len(sides), -1)
        fresh[halved] = np.arange(len(middles)) + len(nodes)
        nodes = np.vstack([nodes, [surface.Value(u, v).Coord() for u, v in middles.tolist()]])
        places = np.vstack([places, middles])
        triangles, known = _divided(triangles, fresh[of_side])
    return replace(mesh, nodes=nodes, parameters=places, triangles=(triangles + 1).astype(np.int32))


def _sides(triangles: _Ints, count: int) -> tuple[_Ints, _Ints]:
    """The sides (k, 2), each once, and (m, 3) which of them lie after each corner."""
    ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2), axis=2)
    keys, of_side = np.unique(ends[:, :, 0] * count + ends[:, :, 1], return_inverse=True)
    return np.column_stack([keys // count, keys % count]), of_side.reshape(-1, 3)


def _divided(triangles: _Ints, middles: _Ints) -> tuple[_Ints, int]:
    """Triangles with new nodes on their sides: (m, 3) the one after each corner, -1 for none.

    Those that stay as they are come first; how many they are.
    """
    count = np.count_nonzero(middles >= 0, axis=1)
    # turned so that a single new node lies on the first side, and a single side without one is the last
    turn = np.where(count == 1, np.argmax(middles, axis=1), (np.argmin(middles, axis=1) + 1) % 3)
    order = (turn[:, None] + np.arange(3)) % 3
    a, b, c = np.take_along_axis(triangles, order, axis=1).T
    ab, bc, ca = np.take_along_axis(middles, order, axis=1).T
    pieces = {
        0: [(a, b, c)],
        1: [(a, ab, c), (ab, b, c)],
        2: [(ab, b, bc), (a, ab, bc), (a, bc, c)],
        3: [(ab, b, bc), (bc, c, ca), (ca, a, ab), (ab, bc, ca)],
    }
    parts = [np.column_stack(piece)[count == many] for many, each in pieces.items() for piece in each]
    return np.vstack(parts), len(parts[0])
