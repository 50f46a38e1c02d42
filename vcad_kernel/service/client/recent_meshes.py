"""The meshes of results: in memory while they are among the latest, else asked for again.

    meshes = ResultMeshes(recent, fields["parts"], views, fetch)
    mesh = meshes.mesh(0)               # of the first part, now or next week

A notebook keeps every part that it has ever shown (IPython's ``Out``), for weeks. Its figures are small and
stay; its mesh is asked for again where it is needed after many others. A reference to a mesh keeps it.
Knows no service: ``fetch`` asks.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.service.wire import part_json, values

if TYPE_CHECKING:
    from vcad_kernel.contracts.mesh_block import MeshViews
    from vcad_kernel.geometry.tri_mesh import TriMesh

__all__ = ["RecentMeshes", "ResultMeshes"]

_MOST: Final = 64
"""Results; more than the parts that one scrolls through at a time."""
_MOST_BYTES: Final = 256 * 2**20
"""Of their arrays together; the latest result's are kept whatever they take."""


@dataclass(slots=True, eq=False, weakref_slot=True)
class _Meshes:
    """Those of one result, which lie in one piece of memory."""

    each: list[TriMesh]
    nbytes: int


class RecentMeshes:
    """Keeps in memory what was used last. most: results. most_bytes: of their arrays."""

    def __init__(self, most: int = _MOST, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._lock = Lock()
        self._latest: OrderedDict[int, _Meshes] = OrderedDict()
        """By identity, the one that was used last at the end."""
        self._nbytes = 0

    def use(self, meshes: _Meshes) -> None:
        """Keep these, and let go of those least recently used; from any thread."""
        with self._lock:
            if id(meshes) not in self._latest:
                self._latest[id(meshes)] = meshes
                self._nbytes += meshes.nbytes
            self._latest.move_to_end(id(meshes))
            while len(self._latest) > self._most or (
                self._nbytes > self._most_bytes and len(self._latest) > 1
            ):
                self._nbytes -= self._latest.popitem(last=False)[1].nbytes


class ResultMeshes:
    """The meshes of one result's parts.

    parts: the parts' objects on the wire. views: the meshes as they came; None for a result without parts.
    fetch: gives them again, side by side as they came.
    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED for what does not fit.
    """

    def __init__(
        self,
        recent: RecentMeshes,
        parts: Sequence[Mapping[str, Any]],
        views: MeshViews | None,
        fetch: Callable[[], MeshViews],
    ) -> None:
        self._recent = recent
        self._stretches = values.decode(list(parts), list[part_json.Stretch], "mesh of a part")
        self._fetch = fetch
        self._counts = (0, 0)
        """Vertices and triangles of all together."""
        self._known: Callable[[], _Meshes | None] = lambda: None
        if views is not None:
            self._counts = len(views.positions), len(views.indices)
            self._keep(views)

    def mesh(self, index: int) -> TriMesh:
        """The mesh of a part by its number; from any thread.

        Raises: what asking for it raises; ServiceFailure SCHEMA_VALIDATION_FAILED where it is another one.
        """
        meshes = self._known()
        if meshes is None:
            views = self._fetch()
            if (len(views.positions), len(views.indices)) != self._counts:
                raise ServiceFailure(
                    ErrorCode.SCHEMA_VALIDATION_FAILED,
                    "the service gives another mesh for this part than it did when the part was made",
                    fix="run its cell again",
                    details={
                        "path": "mesh",
                        "expected": "{} vertices and {} triangles".format(*self._counts),
                        "operation": "vcad.ask",
                    },
                )
            meshes = self._keep(views)
        self._recent.use(meshes)
        return meshes.each[index]

    def _keep(self, views: MeshViews) -> _Meshes:
        each = part_json.meshes_of(self._stretches, views.positions, views.indices, views.nodes)
        drawn = () if views.drawn is None else part_json.drawn_of(each, views.drawn)
        meshes = _Meshes(each, sum(mesh.nbytes for mesh in (*each, *drawn)))
        self._known = weakref.ref(meshes)
        self._recent.use(meshes)
        return meshes
