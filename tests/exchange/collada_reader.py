"""COLLADA read by pycollada: the parts of a file as plain meshes, with what makes its edges soft or hard."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import collada
import numpy as np
import trimesh

__all__ = ["ColladaPart", "parts_of"]


@dataclass(frozen=True)
class ColladaPart:
    """One placed geometry."""

    name: str
    color: tuple[float, ...]
    positions: np.ndarray
    polygons: list[np.ndarray]
    """Vertex numbers around each polygon or triangle."""
    normals: list[np.ndarray]
    """(corners, 3) for each polygon."""

    @property
    def mesh(self) -> trimesh.Trimesh:
        """Every polygon as a fan of triangles; of a concave one the signed volume is still right."""
        fans = [(ring[0], ring[k], ring[k + 1]) for ring in self.polygons for k in range(1, len(ring) - 1)]
        return trimesh.Trimesh(self.positions, fans, process=False)

    @property
    def is_closed(self) -> bool:
        """Whether every edge of a polygon is, the other way round, one edge of another: no slit, no fold."""
        ways = [(a, b) for ring in self.polygons for a, b in zip(ring, np.roll(ring, -1), strict=True)]
        return len(set(ways)) == len(ways) and {(b, a) for a, b in ways} == set(ways)

    def directions(self) -> np.ndarray:
        """(n, 3) unit normals of the polygons' planes, by their winding."""
        return np.array([_area_vector(self.positions[ring]) for ring in self.polygons])

    def edges(self) -> dict[tuple[int, int], bool]:
        """Each edge, lower vertex first, and whether it is soft: its faces' normals agree at both ends."""
        seen: dict[tuple[int, int], list[dict[int, np.ndarray]]] = {}
        for ring, normals in zip(self.polygons, self.normals, strict=True):
            for k, start in enumerate(ring):
                end = ring[(k + 1) % len(ring)]
                sides = seen.setdefault((min(start, end), max(start, end)), [])
                sides.append({start: normals[k], end: normals[(k + 1) % len(ring)]})
        return {
            edge: len(sides) == 2 and all(np.allclose(sides[0][v], sides[1][v], atol=1e-4) for v in edge)
            for edge, sides in seen.items()
        }

    def hard_length(self) -> float:
        """Millimetres of edges that a host shows as lines."""
        shown = [edge for edge, soft in self.edges().items() if not soft]
        return float(sum(np.linalg.norm(self.positions[a] - self.positions[b]) for a, b in shown))


def parts_of(path: Path) -> Iterator[ColladaPart]:
    """The parts of a file, read strictly; every geometry in its place."""
    document = collada.Collada(str(path))
    assert document.errors == []
    names = [node.xmlnode.get("name") for node in document.scene.nodes]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)  # pycollada places by numpy.matrix
        for name, bound in zip(names, document.scene.objects("geometry"), strict=True):
            shapes = list(bound.primitives())
            polygons: list[np.ndarray] = []
            normals: list[np.ndarray] = []
            for shape in shapes:
                for row in shape:
                    polygons.append(np.asarray(row.indices))
                    normals.append(np.asarray(row.normals))
            color = tuple(shapes[0].material.effect.diffuse[:3])
            yield ColladaPart(name, color, _positions(bound.original.xmlnode), polygons, normals)


def _positions(geometry: ElementTree.Element) -> np.ndarray:
    """(n, 3) float64; pycollada itself keeps single precision. Our parts are placed where they are."""
    array = next(element for element in geometry.iter() if element.tag.endswith("}float_array"))
    return np.array((array.text or "").split(), np.float64).reshape(-1, 3)


def _area_vector(points: np.ndarray) -> np.ndarray:
    total = np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0)
    return np.asarray(total / np.linalg.norm(total))
