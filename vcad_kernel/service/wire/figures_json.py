"""Figures as structs.

An empty body has a box of zeros there and None in the API. What is slow to find on a mesh (inertia,
genus, lumps, shells, whether it is closed) may be left out: who has the mesh finds it when it is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType

from vcad_kernel.geometry.measure.figures import Figures, Matrix3
from vcad_kernel.geometry.solid import ExactFigures, Note
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import Vec3
from vcad_kernel.service.wire import values
from vcad_kernel.service.wire.values import reading

__all__ = ["Box", "Form", "NoteForm", "decode", "encode"]


class Box(Struct, frozen=True):
    """A box, mm."""

    min: Vec3
    max: Vec3


class NoteForm(Struct, frozen=True):
    """A note, of the node of a document or of one that its digest names."""

    code: str
    message: str
    node: int | None = None
    maker: str = ""


class Form(Struct, frozen=True, kw_only=True):
    """Figures."""

    volume: float
    surface_area: float
    bbox: Box
    center_of_mass: Vec3 | None
    is_empty: bool
    triangles: int
    vertices: int = 0
    exact: bool
    tolerance: float | None
    representation: Literal["mesh", "brep"] = "mesh"
    notes: list[NoteForm] = []
    inertia: Matrix3 | UnsetType | None = UNSET
    genus: int | UnsetType = UNSET
    lumps: int | UnsetType = UNSET
    shells: int | UnsetType = UNSET
    is_manifold: bool | UnsetType = UNSET


_NOWHERE: Final = Box((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def encode(figures: Figures, document: Document | None = None, *, whole: bool = True) -> Form:
    """The struct of figures. document: that of their notes. whole: also what is slow to find on a mesh."""
    quick = not whole and figures.from_brep is None
    return Form(
        volume=figures.volume,
        surface_area=figures.surface_area,
        bbox=_NOWHERE if figures.bounds is None else Box(*figures.bounds),
        center_of_mass=figures.center_of_mass,
        is_empty=figures.is_empty,
        triangles=figures.triangles,
        vertices=figures.vertices,
        exact=figures.exact,
        tolerance=figures.tolerance,
        representation="mesh" if figures.from_brep is None else "brep",
        notes=[_note(note, document) for note in figures.notes],
        inertia=UNSET if quick else figures.inertia,
        genus=UNSET if quick else figures.genus,
        lumps=UNSET if quick else figures.lumps,
        shells=UNSET if quick else figures.shells,
        is_manifold=figures.is_manifold if whole else UNSET,
    )


def _note(note: Note, document: Document | None) -> NoteForm:
    node = None if document is None else int(document.by_digest[note.maker])
    return NoteForm(note.code, note.message, node, note.maker.hex())


def decode(data: object, mesh_of: Callable[[], TriMesh] = TriMesh.empty) -> Figures:
    """The figures of a struct.

    mesh_of: gives the mesh of the body, from which what was left out is found.
    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    form = values.decode(data, Form, "figures")
    inertia = None if form.inertia is UNSET else form.inertia
    topology = [number for number in (form.genus, form.lumps, form.shells) if number is not UNSET]
    bounds = None if form.is_empty else (form.bbox.min, form.bbox.max)
    center = None if form.is_empty else form.center_of_mass
    with reading("figures"):
        figures = Figures(
            volume=form.volume,
            surface_area=form.surface_area,
            bounds=bounds,
            center_of_mass=center,
            is_empty=form.is_empty,
            triangles=form.triangles,
            vertices=form.vertices,
            exact=form.exact,
            tolerance=form.tolerance,
            mesh_of=mesh_of,
            notes=tuple([Note(note.code, note.message, bytes.fromhex(note.maker)) for note in form.notes]),
            from_brep=None
            if form.representation == "mesh"
            else ExactFigures(form.volume, form.surface_area, bounds, center, inertia, *topology),
        )
    # what was found already is not looked for again: a client's mesh may be rounded, or not there
    known = vars(figures)
    if form.inertia is not UNSET:
        known["inertia"] = None if form.is_empty else inertia
    if len(topology) == 3:
        known["_topology"] = tuple(topology)
    if form.is_manifold is not UNSET:
        known["is_manifold"] = form.is_manifold
    return figures
