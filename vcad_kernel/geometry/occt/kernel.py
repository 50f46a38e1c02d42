"""OcctKernel: the exact answer of every node, built once and kept by content.

    kernel = OcctKernel(cache)
    body = kernel.brep(document, node)            # Brep, or None for the empty solid
    mesh = kernel.tessellate(document, node, Tessellation())

Walks without recursion; parameters are checked before anything is built, children before parents.
Answers are kept with the warnings they came with, so that they can be given again. Failures are not.
"""

from __future__ import annotations

import functools
import importlib.metadata
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vcad_kernel.errors import Cancelled
from vcad_kernel.geometry.cache.solid_cache import CacheKey, KeptFigures, SolidCache, figures_key
from vcad_kernel.geometry.imported_file import content_of
from vcad_kernel.geometry.mesh.reading.literal import read_mesh
from vcad_kernel.geometry.occt.blends.blending import chamfer, chamfer_at, fillet, fillet_at
from vcad_kernel.geometry.occt.booleans.booleans import FACETED
from vcad_kernel.geometry.occt.booleans.hulls import hull
from vcad_kernel.geometry.occt.booleans.sections import keep, section, section_profile
from vcad_kernel.geometry.occt.booleans.shadows import shadow
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build, Builder, Operands
from vcad_kernel.geometry.occt.drilling.places import Ground
from vcad_kernel.geometry.occt.drilling.threads import thread
from vcad_kernel.geometry.occt.drilling.tools import bores_in, drill_tool
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.insets.drafting import draft
from vcad_kernel.geometry.occt.insets.offsetting import offset
from vcad_kernel.geometry.occt.insets.shelling import shell, shell_open
from vcad_kernel.geometry.occt.measure.figures import measured
from vcad_kernel.geometry.occt.patches.moving import surface_moved
from vcad_kernel.geometry.occt.patches.plating import Surface, surface_of
from vcad_kernel.geometry.occt.patches.showing import shown, solid_mesh
from vcad_kernel.geometry.occt.patches.thickening import thicken
from vcad_kernel.geometry.occt.planning import Plan, Visit, plan_of
from vcad_kernel.geometry.occt.primitives import cone, cube, cylinder, prism, sphere, torus, wedge
from vcad_kernel.geometry.occt.reading.step_reading import step_file
from vcad_kernel.geometry.occt.selection.face_frames import face_frame
from vcad_kernel.geometry.occt.storage import KeptSolid
from vcad_kernel.geometry.occt.sweeps.extruding import extrude
from vcad_kernel.geometry.occt.sweeps.gears import gear
from vcad_kernel.geometry.occt.sweeps.growing import grown
from vcad_kernel.geometry.occt.sweeps.lettering import text
from vcad_kernel.geometry.occt.sweeps.lofting import loft
from vcad_kernel.geometry.occt.sweeps.on_bodies import boss_to, cut_through, pocket_to
from vcad_kernel.geometry.occt.sweeps.profiles.profile_edits import cut_corners, hull_profile, offset_profile
from vcad_kernel.geometry.occt.sweeps.profiles.regions import outlines_of
from vcad_kernel.geometry.occt.sweeps.revolving import revolve
from vcad_kernel.geometry.occt.sweeps.sweeping import sweep
from vcad_kernel.geometry.occt.sweeps.wrapping import wrap_on
from vcad_kernel.geometry.occt.tessellation import TessellationFault, tessellated
from vcad_kernel.geometry.placement import IDENTITY, compose, is_transform, matrix_of
from vcad_kernel.geometry.profiling import Recorder
from vcad_kernel.geometry.solid import (
    ExactFigures,
    Note,
    SearchLimit,
    ShownSurface,
    TracedMesh,
    check_parameters,
    geometry_error,
    mesh_without_brep,
)
from vcad_kernel.geometry.sweeps.boring import Bores
from vcad_kernel.geometry.sweeps.paths.on_faces import swept_on
from vcad_kernel.geometry.sweeps.planes import Plane, plane_at
from vcad_kernel.geometry.sweeps.profiles.regions import is_bodiless, read_region, refuse_bodiless
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.bodies.bodies import Hull, Offset, Section
from vcad_kernel.operations.bodies.parting import Keep, Project, SectionProfile
from vcad_kernel.operations.features.features import (
    Chamfer,
    ChamferAt,
    Draft,
    Fillet,
    FilletAt,
    Shell,
    ShellOpen,
)
from vcad_kernel.operations.features.holes import DrillTool
from vcad_kernel.operations.features.on_bodies import BossTo, CutThrough, PocketTo
from vcad_kernel.operations.features.wrapping import WrapOn
from vcad_kernel.operations.library import KINDS
from vcad_kernel.operations.node import Node, NodeId
from vcad_kernel.operations.planes import FacePlane, PlaneAt
from vcad_kernel.operations.profiles.profile_edits import CutCorners, OffsetProfile, ProfileHull
from vcad_kernel.operations.profiles.sketches import Outlines, Sketch2D
from vcad_kernel.operations.solids.gears import Gear
from vcad_kernel.operations.solids.growing import Pull, Spin
from vcad_kernel.operations.solids.imported import ImportedMesh, MeshFile, StepFile
from vcad_kernel.operations.solids.shapes import Cone, Cube, Cylinder, Empty, Prism, Sphere, Torus, Wedge
from vcad_kernel.operations.solids.surfaces import Patch, Thicken
from vcad_kernel.operations.solids.sweeps import Extrude, Loft, Revolve, Sweep, SweepOn
from vcad_kernel.operations.solids.text import Text
from vcad_kernel.operations.solids.threads import Thread
from vcad_kernel.paths import Workspace

__all__ = ["OcctKernel"]

_DISTRIBUTION = "cadquery-ocp-novtk"
_APART = 3.0
"""Times the chord error that two sides of a solid must be apart to have triangles of their own."""
_NO_MESH: tuple[type[Exception], ...] = (TessellationFault, *OCCT_ERRORS)


@dataclass(frozen=True, slots=True, eq=False)
class _KeptOutlines:
    """What is kept of a profile that follows from a solid."""

    plane: Plane
    outlines: Outlines
    fit: float
    """How far they may be off, mm; 0 for what is exact."""
    notes: tuple[Note, ...]

    @property
    def nbytes(self) -> int:
        """Memory held, roughly."""
        return 1024 + 512 * sum(len(outline) for outline in self.outlines)


class OcctKernel:
    """An :class:`~vcad_kernel.geometry.solid.ExactKernel` on OpenCASCADE.

    cancelled: asked between nodes. recorder: told what was built and what was known.
    files: where STEP files are read from. search: how far a refused feature looks for one that works.
    """

    def __init__(
        self,
        cache: SolidCache | None = None,
        cancelled: Callable[[], bool] | None = None,
        *,
        recorder: Recorder | None = None,
        files: Workspace | None = None,
        search: SearchLimit | None = None,
    ) -> None:
        self._cache = SolidCache() if cache is None else cache
        self._cancelled = cancelled
        self._recorder = recorder
        self._files = files
        self._search = search or SearchLimit()
        self.identity = _identity()
        """Name and version, part of every cache key."""

    def brep(self, document: Document, node: NodeId) -> Brep | None:
        """The exact solid of a node; faces of one surface may be several. None = the empty solid.

        Raises: GeometryError, CapabilityUnavailable (a mesh has no B-rep), Cancelled.
        """
        return self._answer(document, Visit(node)).brep

    def merged(self, document: Document, node: NodeId) -> Brep | None:
        """The same solid, neighbouring faces of one surface merged, as features, STEP and people see it."""
        return self._answer(document, Visit(node, merged=True)).brep

    def notes(self, document: Document, node: NodeId) -> tuple[Note, ...]:
        """The warnings of a node's B-rep and of all that it is made of. Raises: as ``brep``."""
        return self._answer(document, Visit(node, merged=True)).notes

    def tessellate(
        self, document: Document, node: NodeId, tessellation: Tessellation, scale: float = 1.0
    ) -> TracedMesh | None:
        """The mesh of a node's B-rep, closed and outward; None = the empty solid. Raises: as ``brep``."""
        key = self._key(document, node, f"mesh x{scale!r}", tessellation)
        known = self._cache.get(key)
        if isinstance(known, TracedMesh):
            return known
        answer = self._answer(document, Visit(node))
        if answer.brep is None:
            return None
        begun = self._recorder.start() if self._recorder else None
        try:
            mesh = self._meshed(document, node, answer.brep, tessellation, scale)
        except _NO_MESH as fault:
            code = document.nodes[node].FAILURE
            raise geometry_error(
                document, node, code, "no closed mesh of the body could be made", failed=True
            ) from fault
        if self._recorder and begun:
            self._recorder.spent(document.digest(node), begun, len(answer.brep.makers), "brep")
        mesh = replace(mesh, chord=mesh.chord + scale * answer.brep.farthest_off, notes=answer.notes)
        self._cache.put(key, mesh)
        return mesh

    def _meshed(
        self, document: Document, node: NodeId, brep: Brep, tessellation: Tessellation, scale: float
    ) -> TracedMesh:
        made = document.nodes[node]
        thin = abs(made.thickness) * scale / _APART if isinstance(made, Thicken) else math.inf
        if isinstance(made, Thicken) and tessellation.segments is None and tessellation.chord > thin:
            surface = self.surface(document, made.surface)
            found = None if surface.plane else solid_mesh(surface, made.thickness, tessellation.chord / scale)
            if found is not None:
                makers = np.zeros(len(found[0].indices), np.uint32)
                return TracedMesh(found[0], (document.digest(node),), makers, found[1])
            tessellation = replace(tessellation, chord=thin)
        return tessellated(brep, tessellation, scale)

    def figures(self, document: Document, node: NodeId) -> ExactFigures:
        """What is measured of a node's B-rep. Raises: as ``brep``."""
        key = figures_key(document, node, self.identity)
        known = self._cache.get(key)
        if isinstance(known, KeptFigures):
            return known.figures
        answer = self._answer(document, Visit(node))
        faceted = tuple(note for note in answer.notes if note.code == FACETED)
        off = 0.0 if answer.brep is None else answer.brep.farthest_off
        figures = replace(measured(answer.brep, faceted=bool(faceted)), notes=faceted, farthest_off=off)
        self._cache.put(key, KeptFigures(figures))
        return figures

    def plane(self, document: Document, node: NodeId) -> Plane:
        """Where the face of a ``FacePlane`` lies. Raises: as ``brep``, and unless it is one plane face."""
        value = document.nodes[node]
        assert isinstance(value, FacePlane)
        answer = self._answer(document, Visit(value.child, merged=True))
        build = self._build(document, node)
        if answer.brep is None:
            raise build.fault("EMPTY_BODY", "an empty solid has no face", failed=False)
        return face_frame(build, answer.brep, value.face).plane

    def outlines(self, document: Document, node: NodeId) -> tuple[Plane, Outlines]:
        """The plane of a profile, and its outlines in it as one shape. Raises: as ``brep``."""
        if type(document.nodes[node]) not in _PROFILES:
            return outlines_of(self._build(document, node), read_region(document, node, self))
        made = self._made_outlines(document, node)
        return made.plane, made.outlines

    def fit(self, document: Document, node: NodeId) -> float:
        """How far the outlines of a profile may be off that had to be fitted, mm. Raises: as ``brep``."""
        return self._made_outlines(document, node).fit

    def outline_notes(self, document: Document, node: NodeId) -> tuple[Note, ...]:
        """What there is to say of the outlines of a profile that is built here alone. Raises: as ``brep``."""
        return self._made_outlines(document, node).notes

    def _made_outlines(self, document: Document, node: NodeId) -> _KeptOutlines:
        """Those of a profile that is built here alone."""
        key = self._key(document, node, "outlines", None)
        known = self._cache.get(key)
        if isinstance(known, _KeptOutlines):
            return known
        value, build = document.nodes[node], self._build(document, node)
        bodies = [
            None if is_bodiless(document.nodes[child]) else self.merged(document, child)
            for child in value.children()
        ]
        try:
            plane, outlines = _PROFILES[type(value)](build, value, bodies)
        except OCCT_ERRORS as error:
            raise build.fault(value.FAILURE, "OpenCASCADE cannot build this") from error
        # what follows from a body that is off is off by as much
        off = max((body.farthest_off for body in bodies if body is not None), default=0.0)
        made = _KeptOutlines(plane, outlines, max(build.fits, default=0.0) + off, tuple(build.notes))
        self._cache.put(key, made)
        return made

    def content(self, document: Document, node: NodeId) -> bytes:
        """The bytes of the file that a node is read from."""
        return content_of(document, node, self._files)

    def surface(self, document: Document, node: NodeId) -> Surface:
        """The surface of a node, with what is needed to build on it. Raises: as ``brep``."""
        key = self._key(document, node, "surface", None)
        known = self._cache.get(key)
        if isinstance(known, Surface):
            return known
        for each in _parents_first(document, node):
            check_parameters(document, each)
        value, build = document.nodes[node], self._build(document, node)
        try:
            if isinstance(value, Patch):
                made = surface_of(build, value)
            elif value.GIVES == "Surface":
                made = self._moved_surface(document, node)
            else:
                raise geometry_error(document, node, "TYPE_MISMATCH", "a surface is expected here")
        except OCCT_ERRORS as error:
            raise build.fault(value.FAILURE, "OpenCASCADE cannot build this") from error
        self._cache.put(key, made)
        return made

    def _moved_surface(self, document: Document, top: NodeId) -> Surface:
        """What is moved, once for a chain of moves."""
        here, matrix = top, IDENTITY
        while is_transform(document.nodes[here]):
            matrix = compose(matrix, matrix_of(document.nodes[here]))
            (here,) = document.nodes[here].children()
        return surface_moved(self.surface(document, here), matrix)

    def shown_surface(self, document: Document, node: NodeId, tessellation: Tessellation) -> ShownSurface:
        """The surface of a node for a picture, and what is measured of it. Raises: as ``brep``."""
        found = shown(self.surface(document, node), tessellation)
        if found is None:
            code = document.nodes[node].FAILURE
            raise geometry_error(document, node, code, "no mesh of the surface could be made", failed=True)
        return found

    def bores(self, document: Document, node: NodeId) -> Bores:
        """Where the holes of a ``DrillTool`` are. Raises: as ``brep``, and for places that are none."""
        key = self._key(document, node, "bores", None)
        known = self._cache.get(key)
        if isinstance(known, Bores):
            return known
        tool = document.nodes[node]
        assert isinstance(tool, DrillTool)
        check_parameters(document, tool.plane)
        answer = self._answer(document, Visit(tool.child, merged=True))
        build, under = self._build(document, node), document.nodes[tool.plane]
        if answer.brep is None:
            return Bores((), 0.0, 0.0, ())
        frame = None
        if isinstance(under, FacePlane) and under.child == tool.child:
            frame = face_frame(build, answer.brep, under.face)
            plane = frame.plane
        else:
            plane = plane_at(under) if isinstance(under, PlaneAt) else self.plane(document, tool.plane)
        bores = bores_in(Ground(build, answer.brep, plane, frame), tool)
        self._cache.put(key, bores)
        return bores

    def _build(self, document: Document, node: NodeId) -> Build:
        return Build(
            document,
            node,
            files=self._files,
            search=self._search,
            source=self,
            merged=functools.partial(self.merged, document),
        )

    # ------------------------------------------------------------ the walk

    def _key(
        self, document: Document, node: NodeId, what: str, tessellation: Tessellation | None
    ) -> CacheKey:
        return document.digest(node), f"{self.identity} {what}", tessellation

    def _known(self, document: Document, visit: Visit) -> KeptSolid | None:
        known = self._cache.get(self._key(document, visit.node, f"brep{visit.form}", None))
        return known if isinstance(known, KeptSolid) else None

    def _answer(self, document: Document, top: Visit) -> KeptSolid:
        known = self._known(document, top)
        if known is not None:
            if self._recorder:
                self._recorder.known(document.digest(top.node), _size(known), "brep")
            return known
        _check(document, top.node)
        order = document.subgraph(top.node)
        uses = Counter(child for node in order for child in document.nodes[node].children())
        answers: dict[Visit, KeptSolid] = {}
        pending: list[tuple[Visit, Plan | None]] = [(top, None)]
        while pending:
            visit, plan = pending.pop()
            if visit in answers:
                continue
            if plan is None:
                known = self._known(document, visit)
                if known is None:
                    plan = plan_of(document, uses, visit, _BUILDERS)
                    pending.append((visit, plan))
                    pending.extend((below, None) for below in reversed(plan.visits))
                    continue
                if self._recorder:
                    self._recorder.known(document.digest(visit.node), _size(known), "brep")
                answers[visit] = known
                continue
            if self._cancelled is not None and self._cancelled():
                raise Cancelled("the evaluation was stopped")
            below = [answers[child] for child in plan.visits]
            answers[visit] = answer = self._built(document, visit, plan.build, below)
            self._cache.put(self._key(document, visit.node, f"brep{visit.form}", None), answer)
        return answers[top]

    def _built(
        self,
        document: Document,
        visit: Visit,
        build: Callable[[Build, list[Brep | None]], Brep | None],
        below: list[KeptSolid],
    ) -> KeptSolid:
        begun = self._recorder.start() if self._recorder else None
        work = self._build(document, visit.node)
        try:
            brep = build(work, [answer.brep for answer in below])
        except OCCT_ERRORS as error:
            code = document.nodes[visit.node].FAILURE
            raise work.fault(code, "OpenCASCADE cannot build this") from error
        if brep is not None:
            brep = brep.as_near_as(answer.brep for answer in below if answer.brep is not None)
        notes = dict.fromkeys(note for answer in below for note in answer.notes)
        notes.update(dict.fromkeys(work.notes))
        answer = KeptSolid(brep, tuple(notes))
        if self._recorder and begun:
            self._recorder.built(document.digest(visit.node), begun, _size(answer), "brep")
        return answer


@functools.cache
def _identity() -> str:
    # looking a distribution up reads files
    return f"occt {importlib.metadata.version(_DISTRIBUTION)}"


def _size(answer: KeptSolid) -> int:
    return 0 if answer.brep is None else len(answer.brep.makers)


def _check(document: Document, root: NodeId) -> None:
    """Every node's own parameters, parents first, children from left to right."""
    for node in _parents_first(document, root):
        check_parameters(document, node)


def _parents_first(document: Document, root: NodeId) -> Iterator[NodeId]:
    seen: set[NodeId] = set()
    pending = [root]
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            yield node
            pending.extend(reversed(document.nodes[node].children()))


# ---------------------------------------------------------------- the builders


def _empty(_build: Build, _node: Empty, _operands: Operands) -> None:
    return None


def _bodiless(build: Build, _node: Node, _operands: Operands) -> None:
    refuse_bodiless(build.document, build.node)


def _mesh(build: Build, node: ImportedMesh | MeshFile, _operands: Operands) -> None:
    if isinstance(node, ImportedMesh) and read_mesh(build.document, build.node) is None:
        return
    raise mesh_without_brep(build.document, build.node)


def _of_sketch(builder: Builder) -> Builder:
    """A sketch is built as it is written; any other profile as a region."""

    def build(build: Build, node: Extrude | Revolve | Sweep, operands: Operands) -> Brep | None:
        old = isinstance(build.document.nodes[node.sketch], Sketch2D)
        return (builder if old else grown)(build, node, operands)

    return build


def _sweep_on(build: Build, _node: SweepOn, operands: Operands) -> Brep | None:
    assert build.source is not None
    along = swept_on(build.document, build.node, build.source)
    return _of_sketch(sweep)(build, along, operands)


_BUILDERS: dict[type[Node], Builder] = {
    Empty: _empty,
    **dict.fromkeys((kind for kind in KINDS.values() if is_bodiless(kind)), _bodiless),
    ImportedMesh: _mesh,
    MeshFile: _mesh,
    StepFile: step_file,
    Cube: cube,
    Cylinder: cylinder,
    Sphere: sphere,
    Cone: cone,
    Torus: torus,
    Wedge: wedge,
    Prism: prism,
    Gear: gear,
    Text: text,
    Extrude: _of_sketch(extrude),
    Revolve: _of_sketch(revolve),
    Sweep: _of_sketch(sweep),
    SweepOn: _sweep_on,
    Pull: grown,
    Spin: grown,
    Loft: loft,
    DrillTool: drill_tool,
    Thread: thread,
    Fillet: fillet,
    Chamfer: chamfer,
    FilletAt: fillet_at,
    ChamferAt: chamfer_at,
    Shell: shell,
    ShellOpen: shell_open,
    Offset: offset,
    Draft: draft,
    Hull: hull,
    Section: section,
    Keep: keep,
    BossTo: boss_to,
    PocketTo: pocket_to,
    CutThrough: cut_through,
    WrapOn: wrap_on,
    Thicken: thicken,
}
"""Who builds what; booleans, transforms and patterns are put together by plans."""

_PROFILES: dict[type[Node], Callable[[Build, Any, Operands], tuple[Plane, Outlines]]] = {
    CutCorners: cut_corners,
    OffsetProfile: offset_profile,
    ProfileHull: hull_profile,
    SectionProfile: section_profile,
    Project: shadow,
}
"""Who makes the outlines of profiles that follow from solids, or from what profiles come to."""
