"""COLLADA 1.4.1 as SketchUp likes it: millimetres, Z up, one geometry and one node per part.

Positions stay shared, so a reader that welds by index gets the closed solid. Normals have their own
index and are split at creases: an edge is soft when both its faces have the same normals at its ends,
so coplanar and tangent triangles show no line. A flat face without a hole is one polygon of a
``polylist``, everything else is in ``triangles``. Written as text with numpy digits, since the push
path to SketchUp waits for it; an XML library would take some thirty times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.exchange.digits import decimals_for, fixed_rows, integer_rows
from vcad_kernel.exchange.palette import distinct_materials, one_word, unique
from vcad_kernel.geometry.mesh.surface.edges import Creases
from vcad_kernel.geometry.mesh.surface.flat_polygons import FlatPolygons
from vcad_kernel.geometry.tri_mesh import PartMesh
from vcad_kernel.operations.scene import DEFAULT_MATERIAL, Material

__all__ = ["encode"]

_NORMAL_DECIMALS = 5

_ASSET = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>
<contributor><authoring_tool>vcad-workbench</authoring_tool></contributor>
<created>2000-01-01T00:00:00Z</created>
<modified>2000-01-01T00:00:00Z</modified>
<unit name="millimeter" meter="0.001"/>
<up_axis>Z_UP</up_axis>
</asset>
"""
"""The dates are required; fixed ones keep equal models equal byte for byte."""


def encode(parts: Sequence[PartMesh], stem: str, *, paint_default: bool = True) -> dict[str, bytes]:
    """The parts as one COLLADA document; ``stem`` is not recorded.

    paint_default: whether parts of the default look get its colour. In SketchUp an instance's own material
    shows only on faces that have none.
    """
    del stem
    numbers = distinct_materials(
        [part for part in parts if paint_default or part.material != DEFAULT_MATERIAL]
    )
    words = unique(one_word(material.name, "material") for material in numbers)
    names = unique(one_word(part.name, "part") for part in parts)
    pieces = [_ASSET.encode()]
    if numbers:  # a library must not be empty
        pieces.append(b"<library_effects>\n")
        pieces += [_effect(number, material) for material, number in numbers.items()]
        pieces.append(b"</library_effects>\n<library_materials>\n")
        pieces += [
            f'<material id="material-{number}" name="{word}">'
            f'<instance_effect url="#effect-{number}"/></material>\n'.encode()
            for number, word in enumerate(words)
        ]
        pieces.append(b"</library_materials>\n")
    pieces.append(b"<library_geometries>\n")
    for number, (part, name) in enumerate(zip(parts, names, strict=True)):
        pieces += _geometry(number, name, part, painted=part.material in numbers)
    pieces.append(b'</library_geometries>\n<library_visual_scenes>\n<visual_scene id="scene">\n')
    for number, (part, name) in enumerate(zip(parts, names, strict=True)):
        pieces.append(_node(number, name, part.name, numbers.get(part.material)))
    pieces.append(
        b"</visual_scene>\n</library_visual_scenes>\n"
        b'<scene><instance_visual_scene url="#scene"/></scene>\n</COLLADA>\n'
    )
    return {".dae": b"".join(pieces)}


def _effect(number: int, material: Material) -> bytes:
    """A Phong effect: the common profile knows no metal, so metals get a stronger highlight."""
    base = " ".join(f"{value:.6g}" for value in material.color)
    shine = 0.04 + 0.5 * material.metallic
    exponent = 1 + 127 * (1 - material.roughness) ** 2
    clear = (
        '<transparent opaque="A_ONE"><color>1 1 1 1</color></transparent>'
        f"<transparency><float>{material.opacity:.6g}</float></transparency>"
        if material.is_clear
        else ""
    )
    return (
        f'<effect id="effect-{number}"><profile_COMMON><technique sid="common"><phong>'
        f"<diffuse><color>{base} 1</color></diffuse>"
        f"<specular><color>{shine:.3g} {shine:.3g} {shine:.3g} 1</color></specular>"
        f"<shininess><float>{exponent:.4g}</float></shininess>{clear}"
        "</phong></technique></profile_COMMON></effect>\n"
    ).encode()


def _geometry(number: int, name: str, part: PartMesh, *, painted: bool) -> list[bytes]:
    """The mesh of one part: shared positions, normals of their own, its flat faces as polygons."""
    creases = Creases.of(part.mesh)
    # readers take an edge for soft where the corners at both sides share their normals
    _, normals, shading = creases.normals(tips=False)
    flat = FlatPolygons.of(creases)
    vertices = part.mesh.indices
    key = f"geometry-{number}"
    symbol = ' material="surface"' if painted else ""
    pieces = [
        f'<geometry id="{key}" name="{name}"><mesh>\n'.encode(),
        *_source(f"{key}-positions", part.mesh.positions, decimals_for(part.mesh.positions)),
        *_source(f"{key}-normals", normals.astype(np.float64), _NORMAL_DECIMALS),
        (
            f'<vertices id="{key}-vertices"><input semantic="POSITION" source="#{key}-positions"/>'
            "</vertices>\n"
        ).encode(),
    ]
    # flat faces as one polygon each, as a person would draw them; the rest as triangles
    if len(flat.counts):
        around = [vertices.reshape(-1)[flat.corners], shading.reshape(-1)[flat.corners]]
        vcount = b"<vcount>\n" + integer_rows([flat.counts], gaps=[]) + b"</vcount>\n"
        pieces += _primitive(
            "polylist", key, symbol, len(flat.counts), vcount, integer_rows(around, gaps=[b" "])
        )
    if len(flat.triangles):
        rows = vertices[flat.triangles], shading[flat.triangles]
        columns = [array[:, corner] for corner in range(3) for array in rows]
        written = integer_rows(columns, gaps=[b" "] * 5)
        pieces += _primitive("triangles", key, symbol, len(flat.triangles), b"", written)
    return [*pieces, b"</mesh></geometry>\n"]


def _primitive(kind: str, key: str, symbol: str, count: int, vcount: bytes, written: bytes) -> list[bytes]:
    """A ``polylist`` or ``triangles`` element; each corner is a position and a normal."""
    return [
        (
            f'<{kind} count="{count}"{symbol}>'
            f'<input semantic="VERTEX" source="#{key}-vertices" offset="0"/>'
            f'<input semantic="NORMAL" source="#{key}-normals" offset="1"/>\n'
        ).encode(),
        vcount,
        b"<p>\n",
        written,
        f"</p></{kind}>\n".encode(),
    ]


def _source(key: str, rows: NDArray[np.float64], decimals: int) -> list[bytes]:
    """One float source with X, Y and Z."""
    return [
        f'<source id="{key}"><float_array id="{key}-array" count="{rows.size}">\n'.encode(),
        fixed_rows(rows, decimals),
        (
            f'</float_array><technique_common><accessor source="#{key}-array" count="{len(rows)}" stride="3">'
            '<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>'
            "</accessor></technique_common></source>\n"
        ).encode(),
    ]


def _node(number: int, name: str, title: str, material: int | None) -> bytes:
    """One part in the scene. The schema wants plain words as names; others also stand in ``extra``."""
    bound = (
        ""
        if material is None
        else '<bind_material><technique_common><instance_material symbol="surface" '
        f'target="#material-{material}"/></technique_common></bind_material>'
    )
    full = (
        ""
        if title == name
        else f'<extra><technique profile="VCAD"><name>{escape(title)}</name></technique></extra>'
    )
    return (
        f'<node id="part-{number}" name="{name}" type="NODE"><instance_geometry url="#geometry-{number}">'
        f"{bound}</instance_geometry>{full}</node>\n"
    ).encode()
