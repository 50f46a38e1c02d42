"""What differs between two versions of a body: what came, what went, what stayed.

compared(before, after).added        # a TriMesh; empty where nothing came
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vcad_kernel.geometry.mesh.manifold_kernel import Made, Operation, batch, of_skin, read, without_films
from vcad_kernel.geometry.sweeps.swept import Skin
from vcad_kernel.geometry.tri_mesh import TriMesh

__all__ = ["Compared", "compared"]


@dataclass(frozen=True, slots=True)
class Compared:
    """Closed meshes, mm; each may be empty."""

    kept: TriMesh
    added: TriMesh
    removed: TriMesh


def compared(before: TriMesh, after: TriMesh, *, film: float = 0.0) -> Compared:
    """Compare two closed meshes, mm: by their common part and the two differences.

    film: pieces of the differences that are no thicker on the average, mm, are left out: curved faces that
    are approximated in another way differ by the chord errors of both.
    Raises: KernelFault for a mesh that is no solid.
    """
    if before.is_empty or after.is_empty:
        return Compared(TriMesh.empty(), after, before)
    was, becomes = _made(before), _made(after)
    return Compared(
        _mesh(batch(Operation.INTERSECTION, [(was, None), (becomes, None)])),
        _mesh(without_films(batch(Operation.DIFFERENCE, [(becomes, None), (was, None)]), film)),
        _mesh(without_films(batch(Operation.DIFFERENCE, [(was, None), (becomes, None)]), film)),
    )


def _made(mesh: TriMesh) -> Made:
    return of_skin(Skin(mesh.positions.copy(), mesh.indices.astype(np.int64)))


def _mesh(made: Made) -> TriMesh:
    if made.is_empty:
        return TriMesh.empty()
    reading = read(made)
    return TriMesh(reading.positions, reading.triangles, np.empty(0, np.uint32))
