"""Measurement: the figures of one part, computed on first request and kept.

    measurement = Measurement(document, node, on_mesh, kernel)
    measurement.figures()       # by the rule of the document: mesh or B-rep
    measurement.exact()         # of the B-rep, or an error

A picture and a push never ask, so they never wait for the exact kernel; a file does. Where the kernel
cannot answer, or is found to be wrong, the figures are those of the mesh and say so; where the mesh is found
to be wrong, they are those of the kernel and say that, and no file is made of that mesh.

Who is wrong is found out only where the two disagree. The B-rep is asked for its own mesh, half as coarse
as the one in doubt: a face that is folded, left out or open shows there. If the two fit, the part is meshed
once more, finer, too. A film moves no volume, and a chord error shrinks; a piece that only one of the two
has is still there.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from vcad_kernel.errors import CapabilityUnavailable, ExportError, GeometryError
from vcad_kernel.geometry.measure.figure_rule import is_planar, measured_exactly, mesh_inside
from vcad_kernel.geometry.measure.figures import Figures, measure, of_exact
from vcad_kernel.geometry.measure.referee import (
    MESH_UNSOUND,
    REFEREE_DISAGREES,
    disagreements,
    meshes_disagree,
    volume_bound,
)
from vcad_kernel.geometry.mesh.reading.literal import closed_edges
from vcad_kernel.geometry.solid import ExactFigures, ExactKernel, Note, geometry_error, no_brep
from vcad_kernel.geometry.sweeps.profiles.regions import is_bodiless
from vcad_kernel.geometry.tolerance import DISPLAY_CHORD, FILE_TRIANGLES, Tessellation
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId

__all__ = ["FIGURES_FROM_MESH", "Measurement"]

_TRIALS = 4
"""Meshes made for a file, each finer, until one is as near to the part as was asked for."""
_FINER = 0.9
"""What the next one is aimed at, as a part of what was asked for: circles have whole sides."""
_TRIED = 4.0, 0.5
"""Chord errors of two meshes that show how fast triangles grow in number, as parts of the shown one's."""

FIGURES_FROM_MESH = "FIGURES_FROM_MESH"
"""The warning that a curved body has no exact figures: it cannot be built, or OpenCASCADE does not load."""


class Measurement:
    """Safe to ask from several threads; each answer is found once."""

    def __init__(
        self,
        document: Document,
        node: NodeId,
        on_mesh: Figures,
        kernel: ExactKernel,
        *,
        demanded: bool = False,
        meshed: Callable[[Tessellation], Figures] | None = None,
    ) -> None:
        self.document = document
        self.node = node
        self.on_mesh = on_mesh
        """Figures of the mesh that is shown; exact when the body is planar."""
        self.kernel = kernel
        self.demanded = demanded
        """Whether exact figures were asked for, whatever the rule says."""
        self.meshed = meshed
        """Meshes the part anew, and measures that. Raises: as `evaluate` where the part cannot be built."""
        self._brep: ExactFigures | None = None
        self._lock = threading.Lock()
        self._figures: Figures | None = None
        self._exact: Figures | None = None
        self._confirmed = False

    def demanding(self) -> Measurement:
        """The measurement of the same part that shows exact figures only."""
        return Measurement(
            self.document, self.node, self.on_mesh, self.kernel, demanded=True, meshed=self.meshed
        )

    def figures(self) -> Figures:
        """What is shown: exact where the rule of the document says so and the kernels agree.

        Raises: as ``exact`` where exact figures are demanded; else nothing.
        """
        if self.demanded:
            return self.exact()
        with self._lock:
            if self._figures is None:
                self._figures = self._by_rule()
            return self._figures

    def exact(self) -> Figures:
        """Figures of the exact body, whatever it costs.

        Raises: CapabilityUnavailable when an imported mesh is inside a curved body or no exact kernel
        is there; GeometryError when the body cannot be built exactly or the kernels disagree.
        """
        with self._lock:
            if self._exact is None:
                self._exact = self.on_mesh if self._is_settled else self._of_brep()
            return self._exact

    def confirm(self) -> None:
        """Find out whether the exact body can be built and is the one that the mesh shows.

        Raises: as ``exact``, for planar bodies, too.
        """
        with self._lock:
            if not self._confirmed:
                figures = self._of_brep()
                self._exact = self.on_mesh if self.on_mesh.exact else figures
                self._confirmed = True

    def answers_exactly(self) -> bool:
        """Whether the rule of the document asks the exact body, and it is the one that the mesh shows."""
        if not measured_exactly(self.document, self.node):
            return False
        try:
            self.confirm()
        except (CapabilityUnavailable, GeometryError):
            # its figures say so; a caller that needs more gets those of the mesh
            return False
        return True

    def sound_mesh(self) -> Figures:
        """The mesh that is shown, with its figures, for who makes something of it; it waits for no kernel.

        It must be closed, and agree with the figures of the B-rep where those have been found. Where it does
        not, the mesh of the B-rep takes its place if that does.
        Raises: GeometryError MESH_UNSOUND with both figures.
        """
        return self._sound(self.on_mesh, Tessellation(chord=self.on_mesh.tolerance or DISPLAY_CHORD))

    def file_mesh(self, wanted: Tessellation) -> Figures:
        """A mesh at least so fine, with its figures: it is the part, or there is none.

        It must be closed, and agree with the figures of the B-rep, where the rule of the document asks for
        them, else with the shown mesh. Where it does not, the mesh of the B-rep takes its place if that does.
        Where the B-rep itself is only near what was asked, the mesh is as near to that as wanted.
        Raises: GeometryError MESH_UNSOUND with both figures; as the evaluation where the part is meshed anew;
        ExportError for more triangles than a file may have.
        """
        with contextlib.suppress(CapabilityUnavailable, GeometryError):
            self.figures()
        figures = self.on_mesh
        if self.meshed is not None and self._off(figures) > wanted.chord:
            self._refuse_too_fine(self.meshed, wanted)
            figures = self._within(wanted, self.meshed) or figures
        figures = self._sound(figures, wanted)
        if self._off(figures) > wanted.chord:
            raise geometry_error(
                self.document,
                self.node,
                MESH_UNSOUND,
                f"no mesh within {wanted.chord:g} mm of the part was found, but one within"
                f" {figures.tolerance:.2g} mm",
                failed=True,
                fix=f"allow {1.1 * (figures.tolerance or 0.0):.2g} mm, or write the part as .step",
            )
        return self._unpinched(figures, wanted) if self._brep is not None else figures

    def _off(self, figures: Figures) -> float:
        """How far a mesh is off the body that could be built, mm."""
        own = 0.0 if self._brep is None else self._brep.farthest_off
        return max((figures.tolerance or 0.0) - own, 0.0)

    def _within(
        self, wanted: Tessellation, meshed: Callable[[Tessellation], Figures | None]
    ) -> Figures | None:
        """The first mesh that is as near to the part as wanted; the last one where none is.

        What is asked for is meant for each curve: those of a surface curved both ways add up, and OpenCASCADE
        does not quite keep to it.
        """
        chord, figures = wanted.chord, None
        for _ in range(_TRIALS):
            figures = meshed(replace(wanted, chord=chord))
            off = 0.0 if figures is None else self._off(figures)
            if off <= wanted.chord:
                break
            chord *= _FINER * wanted.chord / off
        return figures

    def _refuse_too_fine(self, meshed: Callable[[Tessellation], Figures], wanted: Tessellation) -> None:
        """Refuse what would take more triangles than a file may have, before they are made.

        Their number grows with the inverse of the chord error where a surface is curved both ways, with its
        root where one way, and not at all where it is flat: how fast is seen from two other meshes. One is
        finer than what is shown, since circles have some sides however coarse the mesh is.
        """
        shown, off = self.on_mesh.triangles, self.on_mesh.tolerance or wanted.chord
        if shown * off / wanted.chord <= FILE_TRIANGLES:
            return
        coarse, fine = (meshed(replace(wanted, chord=part * off)) for part in _TRIED)
        far, near = coarse.tolerance or 0.0, fine.tolerance or 0.0
        if far <= near or fine.triangles <= coarse.triangles:
            return
        power = math.log(fine.triangles / coarse.triangles) / math.log(far / near)
        power = min(max(power, 0.5), 1.0)
        rate = (fine.triangles - coarse.triangles) / (near**-power - far**-power)
        flat = fine.triangles - rate * near**-power
        expected = flat + rate * wanted.chord**-power
        if expected > FILE_TRIANGLES:
            fix = "write .step, whose surfaces are exact"
            if flat < FILE_TRIANGLES:
                least = (rate / (FILE_TRIANGLES - flat)) ** (1.0 / power)
                fix = f"allow {1.1 * least:.2g} mm, or {fix}"
            raise ExportError(
                f"curves within {wanted.chord:g} mm would take some {expected / 1e6:.0f} million triangles,"
                f" more than the {FILE_TRIANGLES / 1e6:.0f} million that a file may have",
                fix=fix,
            )

    def _unpinched(self, figures: Figures, wanted: Tessellation) -> Figures:
        """The mesh, or that of the B-rep where chords of tangent surfaces cross only in the first.

        Where they do, surfaces that should be one touch along edges: closed, but who merges corners of one
        place, as every reader of .stl does, finds edges with four triangles.
        """
        pinches = _pinches(figures.mesh)
        if not pinches:
            return figures
        own = self._within(wanted, self._of_own_mesh)
        if own is None or self._off(own) > wanted.chord or self._faults_of(own):
            return figures
        return own if _pinches(own.mesh) < pinches else figures

    def _sound(self, figures: Figures, wanted: Tessellation) -> Figures:
        faults = self._faults_of(figures)
        if not faults:
            return figures
        mended = self._within(wanted, self._of_own_mesh)
        if mended is not None and not self._faults_of(mended):
            return mended
        raise geometry_error(
            self.document,
            self.node,
            MESH_UNSOUND,
            f"the mesh is not the part: {'; '.join(faults)}",
            failed=True,
            fix="write the part as .step, or try another tolerance",
        )

    def _faults_of(self, figures: Figures) -> tuple[str, ...]:
        """What shows that a mesh of the part is not the part, as sentences."""
        sentences = [note.message for note in figures.notes if note.code == MESH_UNSOUND]
        if not figures.is_manifold:
            sentences.append("it is not closed")
        if self._brep is not None:
            sentences += disagreements(figures, self._brep)
            for name in ("lumps", "shells"):
                of_mesh, of_brep = getattr(figures, name), getattr(self._brep, name)
                if of_mesh != of_brep:
                    sentences.append(f"it has {of_mesh} {name}, and the B-rep {of_brep}")
        elif figures is not self.on_mesh:
            sentences += meshes_disagree(figures, self.on_mesh)
        return tuple(sentences)

    def _meshed_anew(self, chord: float) -> Figures | None:
        try:
            return None if self.meshed is None else self.meshed(Tessellation(chord=chord))
        except (CapabilityUnavailable, GeometryError):
            return None

    @property
    def _is_settled(self) -> bool:
        """Whether no body has better figures: a profile's and a surface's come from outlines and faces."""
        return self.on_mesh.exact or is_bodiless(self.document.nodes[self.node])

    def _by_rule(self) -> Figures:
        if self._is_settled or not measured_exactly(self.document, self.node):
            return self.on_mesh
        try:
            self._exact = self._exact or self._of_brep()
        except (CapabilityUnavailable, GeometryError) as error:
            return replace(self.on_mesh, notes=(self._note(error),))
        return self._exact

    def _of_brep(self) -> Figures:
        inside = mesh_inside(self.document, self.node)
        if inside is not None:
            raise _no_brep(self.document, inside)
        answer = self.kernel.figures(self.document, self.node)
        differences = disagreements(self.on_mesh, answer)
        if not differences:
            self._brep = answer
            return of_exact(answer, self.on_mesh.mesh)
        against = self._against_brep(answer)
        if against:
            message = "; ".join((*differences, *against))
            raise geometry_error(self.document, self.node, REFEREE_DISAGREES, message, failed=True)
        self._brep = answer
        note = Note(
            MESH_UNSOUND,
            f"{self.document.function_of(self.node)}: {'; '.join(differences)}; the B-rep agrees with its own"
            " mesh, so the figures are its, and the picture is not the part",
            self.document.digest(self.node),
        )
        return replace(of_exact(answer, self.on_mesh.mesh), notes=(*answer.notes, note))

    def _against_brep(self, answer: ExactFigures) -> tuple[str, ...]:
        """What is wrong with a B-rep that the shown mesh contradicts, as sentences; () when it is sound."""
        chord = 0.5 * (self.on_mesh.tolerance or DISPLAY_CHORD)
        own = self._of_own_mesh(Tessellation(chord=chord))
        if own is None:
            return ("no closed mesh can be made of the B-rep",)
        within = disagreements(own, answer)
        if within:
            return tuple(f"of the B-rep itself, {sentence}" for sentence in within)
        if not own.is_manifold:
            return ("the faces of the B-rep leave gaps between them",)
        if abs(self.on_mesh.volume - answer.volume) <= volume_bound(self.on_mesh, answer):
            # a crumpled or doubled surface has the volume of the smooth one, and too much area
            return ()
        finer = self._meshed_anew(chord)
        if finer is not None and not disagreements(finer, answer):
            return ()
        piece = answer.volume - (finer or self.on_mesh).volume
        which = "more" if piece > 0.0 else "less"
        return (f"the B-rep is closed and has {abs(piece):.6g} mm³ {which} than the mesh, however fine",)

    def _of_own_mesh(self, tessellation: Tessellation) -> Figures | None:
        """Figures of the mesh of the B-rep, no mesh boolean between; None where there is none."""
        try:
            traced = self.kernel.tessellate(self.document, self.node, tessellation)
        except (CapabilityUnavailable, GeometryError):
            return None
        if traced is None:
            return None
        return measure(traced.mesh, exact=is_planar(self.document, self.node), tolerance=traced.chord)

    def _note(self, error: CapabilityUnavailable | GeometryError) -> Note:
        digest = self.document.digest(self.node)
        if error.code == REFEREE_DISAGREES:
            return Note(REFEREE_DISAGREES, f"{error.message}; the figures are those of the mesh", digest)
        if isinstance(error, CapabilityUnavailable):
            reason = f"{error.why or error.message}, so these figures are those of the mesh; {error.fix}"
            return Note(FIGURES_FROM_MESH, reason, digest)
        return Note(
            FIGURES_FROM_MESH,
            f"the exact kernel could not measure this part, so its figures are those of the mesh:"
            f" {error.message} [{error.code}]",
            digest if error.node_id is None else self.document.digest(NodeId(error.node_id)),
        )


def _pinches(mesh: TriMesh) -> int:
    """How many edges have more than two triangles once corners of one place in single precision are one."""
    single = mesh.positions.astype(np.float32)
    order = np.lexsort(single.T)
    apart = np.any(single[order[1:]] != single[order[:-1]], axis=1)
    places = np.empty(len(single), np.int64)
    places[order] = np.cumsum(np.concatenate([[False], apart]))
    corners = places[mesh.indices]
    a, b, c = corners.T
    return closed_edges(corners[(a != b) & (b != c) & (a != c)], mesh.vertex_count)


def _no_brep(document: Document, node: NodeId) -> CapabilityUnavailable:
    return no_brep(
        document,
        node,
        f"exact figures need a B-rep, and an imported mesh has none ({document.function_of(node)})",
        "leave `exact` away: the figures of the mesh are marked ≈ and state their tolerance",
    )
