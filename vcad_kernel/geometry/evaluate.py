"""A document to its scene: one part per visible root, failures and warnings as data (cad.md §7).

    scene = evaluate(document, EvaluationOptions(), cache=cache, cancelled=stop.is_set)
    scene.raise_first()            # when one failure is enough to stop
    part = scene.parts[0]          # part.mesh, part.figures, part.material
    scene.profile                  # where the time went, node by node

A failing root becomes an empty part plus a failure; the others go on. The same document gives the
same bytes on the same machine, from the cache or not.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.errors import CapabilityUnavailable, GeometryError, Place, VcadError
from vcad_kernel.geometry.cache.solid_cache import NOTHING, CachedSolid, SolidCache, finished
from vcad_kernel.geometry.exact import InstalledKernel
from vcad_kernel.geometry.measure.figure_rule import boolean_operands, is_planar
from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.geometry.measure.referee import MESH_UNSOUND
from vcad_kernel.geometry.mesh.beside import beside_body
from vcad_kernel.geometry.mesh.body import BodyFault
from vcad_kernel.geometry.mesh.builders import OPERATORS, fault_of
from vcad_kernel.geometry.mesh.manifold_kernel import VOLUME_IMPOSSIBLE, Made, Reading, read
from vcad_kernel.geometry.mesh.rounding.films import has_film
from vcad_kernel.geometry.mesh.rounding.slits import has_slits
from vcad_kernel.geometry.mesh.sheet import sheet, surface_sheet
from vcad_kernel.geometry.mesh.site import Answer
from vcad_kernel.geometry.mesh.solids import MeshBuilder
from vcad_kernel.geometry.profiling import Clock, NodeProfile, Recorder
from vcad_kernel.geometry.solid import (
    NOTHING_LEFT,
    ExactKernel,
    Note,
    SearchLimit,
    box_in_words,
    geometry_error,
    nothing_common,
    nothing_left,
)
from vcad_kernel.geometry.sweeps.profiles.regions import is_bodiless
from vcad_kernel.geometry.tolerance import LARGE_TRIANGLE_COUNT, LARGEST, Tessellation
from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh
from vcad_kernel.ir.digest import Digest
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.bodies.booleans import Difference, Intersection
from vcad_kernel.operations.bodies.parting import Keep
from vcad_kernel.operations.materials import ENGINEERING
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.profiles.profile_edits import CutCorners
from vcad_kernel.operations.scene import Material, undefined_material
from vcad_kernel.operations.solids.imported import ImportedMesh, MeshFile
from vcad_kernel.paths import Workspace

__all__ = ["EvaluatedPart", "EvaluationOptions", "Failure", "Remeshing", "Scene", "Warning", "evaluate"]


_NAMED = 50
"""Names that one warning lists."""


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """How to evaluate."""

    tessellation: Tessellation = field(default_factory=Tessellation)
    exact: ExactKernel | None = None
    """Who builds what needs a B-rep; None = the installed exact kernel, with the cache of the evaluation."""
    files: Workspace | None = None
    """Where imported files are read from; None refuses them."""
    search: SearchLimit = field(default_factory=SearchLimit)
    """How far a refused feature looks for the largest size that works."""


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
        node = self.error.details.get("node_id")
        return node if isinstance(node, int) else None


@dataclass(frozen=True, slots=True)
class Warning:  # noqa: A001 - the word of the specification; the builtin is not used here
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
    measurement: Measurement

    @property
    def figures(self) -> Figures:
        """What is measured of it, by the rule of the document; found when first asked for."""
        return self.measurement.figures()

    @property
    def mesh_figures(self) -> Figures:
        """What is measured of the mesh."""
        return self.measurement.on_mesh

    def part_mesh(self, name: str) -> PartMesh:
        """The part as viewers and exporters take it."""
        return PartMesh(name, self.mesh, self.material)


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """All visible roots in order, what failed, and what to know about it."""

    parts: tuple[EvaluatedPart, ...]
    failures: tuple[Failure, ...] = ()
    warnings: tuple[Warning, ...] = ()
    evaluated: int = 0
    """How many nodes were built for meshes; what was known from before is not counted."""
    recorder: Recorder = field(default_factory=Recorder, repr=False)
    """What the kernels have reported of their work."""
    document: Document | None = field(default=None, repr=False)

    @property
    def profile(self) -> tuple[NodeProfile, ...]:
        """Where the time went: a row for each node under the visible roots, children first."""
        if self.document is None:
            return ()
        roots = [root.node for root in self.document.roots if root.shown]
        return self.recorder.rows(self.document, roots)

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
    clock: Clock = time.perf_counter,
) -> Scene:
    """Evaluate every visible root.

    cache: solids from before, looked up and added to. cancelled: asked between nodes.
    clock: seconds, for the profile.
    Raises: Cancelled. Everything else that goes wrong with a root is a failure of the scene.
    """
    options = options or EvaluationOptions()
    if cache is None:
        # parts that are the same solid are still evaluated once
        cache = SolidCache()
    recorder = Recorder(clock)
    exact = options.exact or InstalledKernel(cache, recorder, cancelled, options.files, options.search)
    builder = MeshBuilder(document, options.tessellation, exact, cache, recorder, cancelled, options.files)
    parts: list[EvaluatedPart] = []
    failures: list[Failure] = []
    warnings = _undefined(document)
    for index, root in enumerate(document.roots):
        if not root.shown:
            continue
        material = document.materials.get(root.material) or undefined_material(root.material)
        try:
            solid = _solid(document, root.node, builder, cache, recorder, exact, options.tessellation)
        except (GeometryError, CapabilityUnavailable) as error:
            failures.append(Failure(index, error))
            solid = NOTHING
        more: list[Note] = []
        if solid is not NOTHING:
            more += beside_body(document, root.node, solid, builder)
            more += _of_corners(document, root.node, exact)
        warnings += _warnings(document, root.node, solid, more)
        again = Remeshing(replace(document, roots=(root,)), replace(options, exact=exact), cache)
        measurement = Measurement(document, root.node, solid.figures, exact, meshed=again)
        parts.append(_part(document, index, root.node, solid, material, measurement))
    return Scene(tuple(parts), tuple(failures), tuple(warnings), recorder.evaluated, recorder, document)


@dataclass(frozen=True, slots=True)
class Remeshing:
    """Meshes the one root of a document anew, and measures that: a file is mostly finer than the picture."""

    alone: Document
    options: EvaluationOptions
    cache: SolidCache

    def __call__(self, tessellation: Tessellation) -> Figures:
        """Raises: GeometryError, CapabilityUnavailable, Cancelled."""
        scene = evaluate(self.alone, replace(self.options, tessellation=tessellation), cache=self.cache)
        scene.raise_first()
        return scene.parts[0].mesh_figures


def _undefined(document: Document) -> list[Warning]:
    """One warning for all materials that parts have and nobody defines, at the first of these parts."""
    without = [root for root in document.roots if root.shown and root.material not in document.materials]
    if not without:
        return []
    names = list(dict.fromkeys(f"'{root.material}'" for root in without))
    said = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    places = (site.place() for root in without for site in root.sites)
    known = next((root.material for root in without if root.material in ENGINEERING), None)
    way_out = f"; [root :{known} …] has the library's {known}" if known else ""
    return [
        Warning(
            "UNKNOWN_MATERIAL",
            f"{'no material is' if len(names) == 1 else 'no materials are'} called {said}; "
            f"{'the part is' if len(without) == 1 else 'these parts are'} shown in the default look"
            f"{way_out}",
            int(without[0].node),
            next((place for place in places if place is not None), None),
        )
    ]


def _solid(
    document: Document,
    node: NodeId,
    builder: MeshBuilder,
    cache: SolidCache,
    recorder: Recorder,
    exact: ExactKernel,
    tessellation: Tessellation,
) -> CachedSolid:
    key = builder.solid_key(node)
    known: CachedSolid | None = cache.get(key)
    if known is not None:
        recorder.known(document.digest(node), known.mesh.triangle_count)
        return known
    boxes = _Boxes(document, builder, exact, tessellation)
    as_shown = _SHEETS.get(document.nodes[node].GIVES)
    if as_shown is not None:
        solid = as_shown(document, node, exact, tessellation)
        if solid.mesh.is_empty:
            solid = _with_empty_ones(document, solid, [node], boxes)
        cache.put(key, solid)
        return solid
    # sizes beyond the range of doubles show up as a status or as figures that are not finite
    with np.errstate(over="ignore", invalid="ignore"):
        answer = builder.answer(node)
        try:
            made = builder.carried_out(answer)
        except BodyFault as fault:
            # a result that cannot be one is seen only by its volume: the exact kernel may know better
            mended = None
            if fault.status == VOLUME_IMPOSSIBLE:
                mended = _of_brep(document, node, exact, tessellation)
            if mended is None:
                raise fault_of(document, fault) from None
            solid = mended
        else:
            begun = recorder.start()
            solid = _read(document, node, answer, made, exact)
            emptied = builder.emptied(node)
            if _is_lost_in_chords(document, node, solid, emptied, exact):
                solid = _of_brep(document, node, exact, tessellation) or solid
            else:
                solid = _with_empty_ones(document, solid, emptied, boxes)
            recorder.spent(document.digest(node), begun, solid.mesh.triangle_count)
            # what no boolean has put together has neither
            crossed = _crossed(document, solid) if boolean_operands(document, node) > 1 else None
            if crossed is not None:
                mended = _of_brep(document, node, exact, tessellation)
                solid = mended or _doubted(document, node, solid, crossed)
    if not math.isfinite(solid.figures.volume + solid.figures.surface_area):
        raise geometry_error(document, node, "INVALID_PARAMETER", "the body is too large to measure")
    if solid.mesh.triangle_count and np.abs(solid.mesh.positions).max() > LARGEST:
        message = f"the body reaches beyond {LARGEST:.0f} mm, where nothing can be measured any more"
        raise geometry_error(document, node, "INVALID_PARAMETER", message)
    cache.put(key, solid)
    return solid


_SHEETS: Mapping[str, Callable[[Document, NodeId, ExactKernel, Tessellation], CachedSolid]] = {
    "Sketch": sheet,
    "Surface": surface_sheet,
}
"""What is shown and is no solid, by the type of its values."""


@dataclass(frozen=True, slots=True)
class _Boxes:
    """Where bodies and profiles of a document lie, as their meshes say."""

    document: Document
    builder: MeshBuilder
    exact: ExactKernel
    tessellation: Tessellation

    def of(self, node: NodeId) -> NDArray[np.float64] | None:
        """The corners (2, 3) of its box, None of what is empty. Raises: BodyFault, GeometryError."""
        as_shown = _SHEETS.get(self.document.nodes[node].GIVES)
        if as_shown is not None:
            positions = as_shown(self.document, node, self.exact, self.tessellation).mesh.positions
        else:
            made = self.builder.carried_out(self.builder.answer(node))
            positions = np.empty((0, 3)) if made is None else read(made).positions
        if not len(positions):
            return None
        return np.array([positions.min(0), positions.max(0)])


def _left_empty(document: Document, top: NodeId, boxes: _Boxes) -> Note | None:
    """Why an empty body or profile is so: which operation left nothing, and where its operands lie.

    The outermost whose operands are something: what is made of nothing is no news.
    """
    for inner in reversed(document.subgraph(top)):
        node = document.nodes[inner]
        if not isinstance(node, Difference | Intersection | Keep):
            continue
        try:
            bodies = node.children()[:1] if isinstance(node, Keep) else node.children()
            operands = [box for box in map(boxes.of, bodies) if box is not None]
            something = inner != top and boxes.of(inner) is not None
        except BodyFault:  # of a piece that the whole has not needed alone
            continue
        if something or len(operands) < len(bodies):
            continue
        function = document.function_of(inner)
        match node:
            case Keep():
                lies = box_in_words(operands[0])
                said = f"nothing is left: the body lies {lies}, all of it on the other side of the plane"
            case Intersection():
                said = nothing_common(*operands)
            case _:
                said = nothing_left(function, *operands)
        return Note(NOTHING_LEFT, f"{function}: {said}", document.digest(inner))
    return None


def _with_empty_ones(
    document: Document, solid: CachedSolid, tops: list[NodeId], boxes: _Boxes
) -> CachedSolid:
    """A finished body, with a note about each of some empty ones that it is made of."""
    # the exact kernel has said so of what it has built alone
    said = {note.maker for note in solid.notes if note.code == NOTHING_LEFT}
    found = dict.fromkeys(_left_empty(document, top, boxes) for top in tops)
    fresh = tuple(note for note in found if note is not None and note.maker not in said)
    return replace(solid, notes=(*solid.notes, *fresh)) if fresh else solid


def _is_lost_in_chords(
    document: Document, node: NodeId, solid: CachedSolid, emptied: list[NodeId], exact: ExactKernel
) -> bool:
    """Whether booleans of curved bodies leave slivers thinner than the chord error, which the mesh lacks."""
    if solid.planar:
        return False
    if any(_is_something(document, empty, exact) for empty in emptied):
        return True
    figures = solid.figures
    return boolean_operands(document, node) > 1 and 0.0 < figures.volume < solid.chord * figures.surface_area


def _is_something(document: Document, node: NodeId, exact: ExactKernel) -> bool:
    """Whether the B-rep of a curved node, of whose mesh nothing is left, has a volume."""
    value = document.nodes[node]
    # of what is no operator on meshes the exact kernel has said so
    if not isinstance(value, OPERATORS) or is_planar(document, node) or is_bodiless(value):
        return False
    try:
        return exact.brep(document, node) is not None
    except (GeometryError, CapabilityUnavailable):
        # whether it is empty the mesh alone says then
        return False


def _crossed(document: Document, solid: CachedSolid) -> str | None:
    """What mesh booleans have left between faces that should be one, in words; None mostly."""
    mesh = solid.mesh
    if has_film(mesh.positions, mesh.indices):
        return "a film thinner than 1e-6 mm lies in the mesh"
    # what an imported mesh has of its own is as it should be
    read = [
        isinstance(document.nodes[document.by_digest[maker]], ImportedMesh | MeshFile)
        for maker in solid.makers
    ]
    made = ~np.array(read, bool)[solid.maker_of]
    if has_slits(mesh.positions, mesh.indices, solid.chord, among=made):
        return "facets of one surface cross each other in the mesh"
    return None


def _of_brep(
    document: Document, node: NodeId, exact: ExactKernel, tessellation: Tessellation
) -> CachedSolid | None:
    """The mesh of a node's B-rep, in place of one that mesh booleans got wrong; None if it is no better."""
    try:
        traced = exact.tessellate(document, node, tessellation)
    except (GeometryError, CapabilityUnavailable):
        return None
    planar = is_planar(document, node)
    if traced is None:
        return finished(TriMesh.empty(), planar, 0.0, (), np.empty(0, np.uint32), ())
    mesh = traced.mesh
    # its faces share their edges, so that knives are those of the body
    if has_film(mesh.positions, mesh.indices):
        return None
    return finished(mesh, planar, traced.chord, traced.makers, traced.maker_of, traced.notes)


def _doubted(document: Document, node: NodeId, solid: CachedSolid, reason: str) -> CachedSolid:
    message = (
        f"{document.function_of(node)}: {reason}, and the exact kernel has no better one;"
        " the picture is not the part"
    )
    note = Note(MESH_UNSOUND, message, document.digest(node))
    return finished(solid.mesh, solid.planar, solid.chord, solid.makers, solid.maker_of, (*solid.notes, note))


def _read(
    document: Document, node: NodeId, answer: Answer, made: Made | None, exact: ExactKernel
) -> CachedSolid:
    planar, chord = is_planar(document, node), answer.trace.chord
    maker_by_original, of_mesh = answer.trace.gathered()
    # the exact kernel alone has built the solids on which profiles stand
    beneath = [
        note
        for flat in document.subgraph(node)
        if is_bodiless(document.nodes[flat])
        for child in document.nodes[flat].children()
        if not is_bodiless(document.nodes[child])
        for note in exact.notes(document, child)
    ]
    notes = tuple(dict.fromkeys((*beneath, *of_mesh)))
    if made is None:
        return finished(TriMesh.empty(), planar, chord, (), np.empty(0, np.uint32), notes)
    makers, maker_of, mesh = _in_canonical_order(document, node, maker_by_original, read(made))
    return finished(mesh, planar, chord, makers, maker_of, notes)


def _in_canonical_order(
    document: Document, node: NodeId, maker_by_original: Mapping[int, Digest], reading: Reading
) -> tuple[tuple[Digest, ...], np.ndarray[tuple[int, ...], np.dtype[np.uint32]], TriMesh]:
    """Triangles run by run in the order of the document, whatever order the kernel numbered them in."""
    by_run = [maker_by_original[int(original)] for original in reading.originals]
    made = set(by_run)
    # makers in the order of the document; triangles follow only where the kernel's runs differ from it
    order = list(
        dict.fromkeys(maker for maker in map(document.digest, document.subgraph(node)) if maker in made)
    )
    rank = {maker: position for position, maker in enumerate(order)}
    ranks = np.array([rank[maker] for maker in by_run], np.uint32)
    maker_of = np.repeat(ranks, np.diff(reading.runs))
    triangles = reading.triangles
    if np.any(ranks[1:] < ranks[:-1]):
        arranged = np.argsort(maker_of, kind="stable")
        triangles, maker_of = np.ascontiguousarray(triangles[arranged]), maker_of[arranged]
    return tuple(order), maker_of, TriMesh(reading.positions, triangles)


def _of_corners(document: Document, top: NodeId, exact: ExactKernel) -> Iterator[Note]:
    """What there is to say of corners of profiles that were to be cut."""
    for here in document.subgraph(top):
        if isinstance(document.nodes[here], CutCorners):
            yield from exact.outline_notes(document, here)


def _warnings(document: Document, node: NodeId, solid: CachedSolid, more: Iterable[Note]) -> list[Warning]:
    warnings = []
    for note in (*solid.notes, *more):
        at = document.by_digest[note.maker]
        warnings.append(Warning(note.code, note.message, int(at), document.place_of(at)))
    if solid.mesh.triangle_count > LARGE_TRIANGLE_COUNT:
        warnings.append(
            Warning(
                "LARGE_TESSELLATION",
                f"the part has {solid.mesh.triangle_count} triangles; allow a larger chord error",
                int(node),
                document.place_of(node),
            )
        )
    return warnings


def _part(
    document: Document,
    index: int,
    node: NodeId,
    solid: CachedSolid,
    material: Material,
    measurement: Measurement,
) -> EvaluatedPart:
    mesh = solid.mesh
    if len(solid.makers):
        ids = np.array([document.by_digest[digest] for digest in solid.makers], np.uint32)
        mesh = TriMesh(mesh.positions, mesh.indices, ids[solid.maker_of])
    return EvaluatedPart(index, node, document.names.get(node), mesh, material, measurement)
