"""A document to its scene: one part per visible root, failures and warnings as data (cad.md §7).

    scene = evaluate(document, EvaluationOptions(), cache=cache, cancelled=stop.is_set)
    scene.raise_first()            # when one failure is enough to stop
    part = scene.parts[0]          # part.mesh, part.figures, part.material

A failing root becomes an empty part plus a failure; the others go on. The same document gives the
same bytes on the same machine, from the cache or not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from vcad_kernel.errors import CapabilityUnavailable, GeometryError, Place, VcadError
from vcad_kernel.geometry.cache import CachedSolid, CacheKey, SolidCache
from vcad_kernel.geometry.manifold_kernel import KernelFault, Reading, identity
from vcad_kernel.geometry.measure import Figures, is_planar, measure
from vcad_kernel.geometry.mesh import PartMesh, TriMesh
from vcad_kernel.geometry.mesh_solids import MeshBuilder, MeshSolid
from vcad_kernel.geometry.solid import ExactKernel, NoExactKernel, geometry_error
from vcad_kernel.geometry.tolerance import LARGE_TRIANGLE_COUNT, Tessellation
from vcad_kernel.ir.document import Document, Root
from vcad_kernel.ir.material import DEFAULT_MATERIAL, Material
from vcad_kernel.ir.nodes import NodeId

__all__ = ["EvaluatedPart", "EvaluationOptions", "Failure", "Scene", "Warning", "evaluate"]


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """How to evaluate."""

    tessellation: Tessellation = field(default_factory=Tessellation)
    exact: ExactKernel = field(default_factory=NoExactKernel)
    """Who builds what needs a B-rep."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A root that could not be evaluated."""

    index: int
    """Position among the document's roots."""
    error: VcadError

    @property
    def scope(self) -> str:
        """``root[i]``."""
        return f"root[{self.index}]"

    @property
    def code(self) -> str:
        """The fine code, as in cad.md §4."""
        return self.error.code

    @property
    def message(self) -> str:
        """One sentence."""
        return self.error.message

    @property
    def node_id(self) -> int | None:
        """The node at fault, when one is."""
        if isinstance(self.error, GeometryError):
            return self.error.node_id
        found = self.error.details.get("node_id")
        return found if isinstance(found, int) else None


@dataclass(frozen=True, slots=True)
class Warning:  # noqa: A001 - the word of the specification; nobody here needs the builtin
    """Something the user should know that changes no geometry."""

    code: str
    message: str
    node_id: int | None = None
    place: Place | None = None


@dataclass(frozen=True, slots=True, eq=False)
class EvaluatedPart:
    """One visible root, evaluated."""

    index: int
    """Position among the document's roots."""
    node: NodeId
    name: str | None
    """The node's name in the document; None when it has none."""
    mesh: TriMesh
    material: Material
    figures: Figures

    def part_mesh(self, name: str) -> PartMesh:
        """The part as viewers and exporters take it."""
        return PartMesh(name, self.mesh, self.material)


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """All visible roots in order, what failed, and what to know about it."""

    parts: tuple[EvaluatedPart, ...]
    failures: tuple[Failure, ...] = ()
    warnings: tuple[Warning, ...] = ()

    def raise_first(self) -> None:
        """Raise the first failure, if any."""
        if self.failures:
            raise self.failures[0].error


def evaluate(
    document: Document,
    options: EvaluationOptions | None = None,
    *,
    cache: SolidCache | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Scene:
    """Evaluate every visible root.

    cache: solids from before, looked up and added to. cancelled: asked between nodes.
    Raises: Cancelled. Everything else that goes wrong with a root is a failure of the scene.
    """
    options = options or EvaluationOptions()
    if cache is None:
        # parts that are the same solid are still evaluated once
        cache = SolidCache()
    builder = MeshBuilder(document, options.tessellation, options.exact, cancelled)
    parts: list[EvaluatedPart] = []
    failures: list[Failure] = []
    warnings: list[Warning] = []
    for index, root in enumerate(document.roots):
        if not root.shown:
            continue
        material, unknown = _material(document, root)
        warnings += unknown
        try:
            solid = _solid(document, root.node, options, builder, cache)
        except (GeometryError, CapabilityUnavailable) as error:
            failures.append(Failure(index, error))
            solid = _NOTHING
        warnings += _warnings(document, root.node, solid)
        parts.append(_part(document, index, root.node, solid, material))
    return Scene(tuple(parts), tuple(failures), tuple(warnings))


def _material(document: Document, root: Root) -> tuple[Material, list[Warning]]:
    known = document.materials.get(root.material)
    if known is not None:
        return known, []
    look = DEFAULT_MATERIAL
    places = (site.place() for site in root.sites)
    warning = Warning(
        "UNKNOWN_MATERIAL",
        f"no material is called '{root.material}'; the part is shown in the default look",
        int(root.node),
        next((place for place in places if place is not None), None),
    )
    return Material(root.material, look.color, look.metallic, look.roughness), [warning]


def _solid(
    document: Document,
    node: NodeId,
    options: EvaluationOptions,
    builder: MeshBuilder,
    cache: SolidCache,
) -> CachedSolid:
    key: CacheKey = (
        document.digest(node),
        f"{identity()} / {options.exact.identity}",
        options.tessellation,
    )
    known = cache.get(key)
    if known is not None:
        return known
    # sizes beyond the range of doubles show up as a status or as figures that are not finite
    with np.errstate(over="ignore", invalid="ignore"):
        solid = _read(document, node, builder.solid(node))
    if not math.isfinite(solid.figures.volume + solid.figures.surface_area):
        raise geometry_error(document, node, "INVALID_PARAMETER", "the body is too large to measure")
    cache.put(key, solid)
    return solid


def _read(document: Document, node: NodeId, built: MeshSolid) -> CachedSolid:
    planar = is_planar(document, node)
    notes = tuple((note.code, note.message, document.digest(note.node)) for note in built.notes)
    if built.body is None:
        return _cached(TriMesh.empty(), planar, 0.0, (), np.empty(0, np.uint32), notes)
    try:
        reading = built.body.read()
    except KernelFault as fault:
        code = "INVALID_PARAMETER" if fault.status == "NonFiniteVertex" else "BOOLEAN_FAILED"
        raise geometry_error(
            document, node, code, f"could not be built: {fault}", failed=code == "BOOLEAN_FAILED"
        ) from None
    makers, maker_of, triangles = _in_canonical_order(document, node, built, reading)
    mesh = TriMesh(reading.positions, triangles)
    return _cached(mesh, planar, built.chord, makers, maker_of, notes)


def _cached(
    mesh: TriMesh,
    planar: bool,
    chord: float,
    makers: tuple[bytes, ...],
    maker_of: np.ndarray[tuple[int, ...], np.dtype[np.uint32]],
    notes: tuple[tuple[str, str, bytes], ...],
) -> CachedSolid:
    figures = measure(mesh, exact=planar, tolerance=chord)
    if figures.is_empty and not mesh.is_empty:
        # a body of no volume is the empty solid, and the empty solid has no triangles
        return _cached(TriMesh.empty(), planar, chord, (), np.empty(0, np.uint32), notes)
    return CachedSolid(mesh, figures, makers, maker_of, notes)


_NOTHING = _cached(TriMesh.empty(), True, 0.0, (), np.empty(0, np.uint32), ())


def _in_canonical_order(
    document: Document, node: NodeId, built: MeshSolid, reading: Reading
) -> tuple[
    tuple[bytes, ...],
    np.ndarray[tuple[int, ...], np.dtype[np.uint32]],
    np.ndarray[tuple[int, ...], np.dtype[np.uint32]],
]:
    """Triangles run by run in the order of the document, whatever order the kernel numbered them in."""
    made = set(built.makers.values())
    order = [maker for maker in document.subgraph(node) if maker in made]
    rank = {maker: position for position, maker in enumerate(order)}
    ranks = np.array([rank[built.makers[int(original)]] for original in reading.originals], np.uint32)
    lengths = np.diff(reading.runs)
    maker_of = np.repeat(ranks, lengths)
    triangles = reading.triangles
    if np.any(ranks[1:] < ranks[:-1]):
        arranged = np.argsort(maker_of, kind="stable")
        triangles, maker_of = np.ascontiguousarray(triangles[arranged]), maker_of[arranged]
    return tuple(document.digest(maker) for maker in order), maker_of.astype(np.uint32), triangles


def _warnings(document: Document, node: NodeId, solid: CachedSolid) -> list[Warning]:
    found = []
    for code, message, digest in solid.notes:
        at = document.by_digest[digest]
        found.append(Warning(code, message, int(at), document.place_of(at)))
    if solid.mesh.triangle_count > LARGE_TRIANGLE_COUNT:
        found.append(
            Warning(
                "LARGE_TESSELLATION",
                f"the part has {solid.mesh.triangle_count} triangles; allow a larger chord error",
                int(node),
                document.place_of(node),
            )
        )
    return found


def _part(
    document: Document, index: int, node: NodeId, solid: CachedSolid, material: Material
) -> EvaluatedPart:
    mesh = solid.mesh
    if len(solid.makers):
        ids = np.array([document.by_digest[digest] for digest in solid.makers], np.uint32)
        mesh = TriMesh(mesh.positions, mesh.indices, ids[solid.maker_of])
    return EvaluatedPart(index, node, document.names.get(node), mesh, material, solid.figures)
