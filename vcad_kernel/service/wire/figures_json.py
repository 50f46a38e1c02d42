"""Figures as JSON objects.

An empty body has a box of zeros there and None in the API. What is slow to find on a mesh (inertia,
genus, lumps, shells, whether it is closed) may be left out: who has the mesh finds it when it is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vcad_kernel.geometry.measure.figures import Bounds, Figures
from vcad_kernel.geometry.solid import ExactFigures, Note
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import Vec3
from vcad_kernel.service.wire.values import reading

__all__ = ["box", "decode", "encode"]

_ZERO = (0.0, 0.0, 0.0)


def encode(figures: Figures, document: Document | None = None, *, whole: bool = True) -> dict[str, Any]:
    """The object of figures. document: that of their notes. whole: also what is slow to find on a mesh."""
    data: dict[str, Any] = {
        "volume": figures.volume,
        "surface_area": figures.surface_area,
        "bbox": box(figures.bounds),
        "center_of_mass": _listed(figures.center_of_mass),
        "is_empty": figures.is_empty,
        "triangles": figures.triangles,
        "vertices": figures.vertices,
        "exact": figures.exact,
        "tolerance": figures.tolerance,
        "representation": "mesh" if figures.from_brep is None else "brep",
        "notes": [_note(note, document) for note in figures.notes],
    }
    if whole or figures.from_brep is not None:
        data["inertia"] = None if figures.inertia is None else [list(row) for row in figures.inertia]
        data["genus"], data["lumps"], data["shells"] = figures.genus, figures.lumps, figures.shells
    if whole:
        data["is_manifold"] = figures.is_manifold
    return data


def box(bounds: Bounds | None) -> dict[str, list[float]]:
    """A box as results have it; of nothing, all zeros."""
    low, high = bounds or (_ZERO, _ZERO)
    return {"min": list(low), "max": list(high)}


def _note(note: Note, document: Document | None) -> dict[str, Any]:
    node = None if document is None else int(document.by_digest[note.maker])
    return {"code": note.code, "message": note.message, "node": node, "maker": note.maker.hex()}


def decode(data: Mapping[str, Any], mesh: TriMesh | None = None) -> Figures:
    """The figures of an object.

    mesh: of the body, from which what was left out is found.
    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    with reading("figures"):
        empty = bool(data["is_empty"])
        bounds = None if empty else _box(data["bbox"])
        center = None if empty else _vec3_or_none(data["center_of_mass"])
        inertia = _matrix(data.get("inertia"))
        brep = None
        if data.get("representation") == "brep":
            brep = ExactFigures(
                float(data["volume"]),
                float(data["surface_area"]),
                bounds,
                center,
                inertia,
                data["genus"],
                data["lumps"],
                data["shells"],
            )
        notes = tuple(
            Note(one["code"], one["message"], bytes.fromhex(one.get("maker") or ""))
            for one in data.get("notes") or ()
        )
        figures = Figures(
            volume=float(data["volume"]),
            surface_area=float(data["surface_area"]),
            bounds=bounds,
            center_of_mass=center,
            is_empty=empty,
            triangles=int(data["triangles"]),
            vertices=int(data.get("vertices", 0)),
            exact=bool(data["exact"]),
            tolerance=data["tolerance"],
            mesh=TriMesh.empty() if mesh is None else mesh,
            notes=notes,
            from_brep=brep,
        )
        # what was found already is not looked for again: a client's mesh may be rounded, or not there
        found = vars(figures)
        if "inertia" in data:
            found["inertia"] = None if empty else inertia
        if all(data.get(name) is not None for name in ("genus", "lumps", "shells")):
            found["_topology"] = (int(data["genus"]), int(data["lumps"]), int(data["shells"]))
        if data.get("is_manifold") is not None:
            found["is_manifold"] = bool(data["is_manifold"])
        return figures


def _vec3(values: Any) -> Vec3:
    """Three numbers. Raises: TypeError, ValueError."""
    x, y, z = values
    return float(x), float(y), float(z)


def _vec3_or_none(values: Any) -> Vec3 | None:
    return None if values is None else _vec3(values)


def _box(data: Mapping[str, Any]) -> Bounds:
    return _vec3(data["min"]), _vec3(data["max"])


def _matrix(rows: Any) -> tuple[Vec3, Vec3, Vec3] | None:
    if rows is None:
        return None
    first, second, third = rows
    return _vec3(first), _vec3(second), _vec3(third)


def _listed(value: Vec3 | None) -> list[float] | None:
    return None if value is None else list(value)
