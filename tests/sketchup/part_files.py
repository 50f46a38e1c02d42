"""COLLADA files of simple parts, written by hand: no writer of ours can hide a mistake of a reader."""

from __future__ import annotations

from pathlib import Path

__all__ = ["write_box", "write_broken"]

_FACES = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))

_DOCUMENT = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
 <asset><created>2000-01-01T00:00:00Z</created><modified>2000-01-01T00:00:00Z</modified>
  <unit name="millimeter" meter="0.001"/><up_axis>Z_UP</up_axis></asset>
 <library_geometries><geometry id="box" name="box"><mesh>
  <source id="box-positions"><float_array id="box-array" count="24">{numbers}</float_array>
   <technique_common><accessor source="#box-array" count="8" stride="3">
    <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
   </accessor></technique_common></source>
  <vertices id="box-vertices"><input semantic="POSITION" source="#box-positions"/></vertices>
  <polylist count="6"><input semantic="VERTEX" source="#box-vertices" offset="0"/>
   <vcount>4 4 4 4 4 4</vcount><p>{corners}</p></polylist>
 </mesh></geometry></library_geometries>
 <library_visual_scenes><visual_scene id="scene"><node id="node"><instance_geometry url="#box"/></node>
 </visual_scene></library_visual_scenes>
 <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
"""


def write_box(path: Path, width: float, depth: float, height: float) -> Path:
    """A closed box with a corner in the origin; sizes along X, Y and Z in millimetres."""
    corners = [
        (x, y, z) for z in (0.0, height) for x, y in ((0.0, 0.0), (width, 0.0), (width, depth), (0.0, depth))
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        _DOCUMENT.format(
            numbers=" ".join(str(number) for corner in corners for number in corner),
            corners=" ".join(str(index) for face in _FACES for index in face),
        ),
        "utf-8",
    )
    return path


def write_broken(path: Path) -> Path:
    """What looks like a part until it is read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("<COLLADA><library_geometries>", "utf-8")
    return path
