"""Which nodes a library value stands for.

One entry per variant, from its checked fields to its node. Where a function is short for several
operations, such as ``quad-pattern``, the entry adds the nodes that the last one stands on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from vcad_kernel.cad.path_values import FieldFault, polygon_of, rectangle_of
from vcad_kernel.errors import CapabilityUnavailable
from vcad_kernel.ir.nodes import (
    Chamfer,
    ChamferAt,
    CircularPattern,
    Cone,
    Cube,
    Cylinder,
    Difference,
    Draft,
    Empty,
    Extrude,
    Fillet,
    FilletAt,
    Gear,
    HelixPath,
    Hull,
    ImportedMesh,
    Intersection,
    LinearPattern,
    LinePath,
    Loft,
    MeshFile,
    Mirror,
    Node,
    NodeId,
    Offset,
    Prism,
    Revolve,
    Rotate,
    Scale,
    Section,
    Segment,
    Shell,
    ShellOpen,
    Sketch2D,
    Sphere,
    StepFile,
    Sweep,
    Text,
    Torus,
    Translate,
    Union,
    Wedge,
)
from vcad_kernel.ir.vectors import Vec3
from vcad_kernel.paths import Workspace, content_hash

__all__ = ["NODES", "Add", "Imports"]

Add: TypeAlias = Callable[[Node], NodeId]
"""Puts a node into the document and gives its id."""


class Imports:
    """The files that one conversion reads, each once."""

    def __init__(self, files: Workspace | None) -> None:
        self._files = files
        self._hashes: dict[str, str] = {}

    def file(self, path: str, function: str) -> tuple[str, str]:
        """A file's path as documents keep it, and the hexadecimal blake3 of its bytes.

        Raises: CapabilityUnavailable without a workspace; whatever the workspace raises.
        """
        if self._files is None:
            raise CapabilityUnavailable(
                f"{function}: this program belongs to no folder, so it cannot read {path}",
                fix="run it from a file, or in a notebook, whose folder holds the file",
                details={"required_capability": "files"},
            )
        kept = self._files.relative(path)
        if kept not in self._hashes:
            self._hashes[kept] = content_hash(self._files.read(kept))
        return kept, self._hashes[kept]


_Simple: TypeAlias = Callable[[list[Any]], Node]
_Build: TypeAlias = Callable[[list[Any], Add, Imports], Node]

_ORIGIN: Final[Vec3] = (0.0, 0.0, 0.0)
_X: Final[Vec3] = (1.0, 0.0, 0.0)
_Y: Final[Vec3] = (0.0, 1.0, 0.0)
_Z: Final[Vec3] = (0.0, 0.0, 1.0)


def _vec(args: list[Any], first: int) -> Vec3:
    return (args[first], args[first + 1], args[first + 2])


def _across(flats: float) -> float:
    """The distance across flats, which is no field of a node: nobody else can say what is wrong with it."""
    if not flats > 0.0:
        raise FieldFault("af", f"must be greater than 0, got {flats:g}")
    return flats


def _profile(segments: tuple[Segment, ...]) -> Sketch2D:
    """A sketch on the XY plane."""
    return Sketch2D(_ORIGIN, _X, _Y, segments)


_ALONE: Final[Mapping[str, _Simple]] = {
    "Cube": lambda a: Cube(_vec(a, 0)),
    "Cylinder": lambda a: Cylinder(a[0], a[1]),
    "CylinderN": lambda a: Cylinder(a[0], a[1], a[2]),
    "Sphere": lambda a: Sphere(a[0]),
    "SphereN": lambda a: Sphere(a[0], a[1]),
    "Cone": lambda a: Cone(a[0], a[1], a[2]),
    "ConeN": lambda a: Cone(a[0], a[1], a[2], a[3]),
    "Torus": lambda a: Torus(a[0], a[1]),
    "TorusN": lambda a: Torus(a[0], a[1], a[2]),
    "Wedge": lambda a: Wedge(_vec(a, 0)),
    "Prism": lambda a: Prism(a[0], a[1], a[2]),
    "PolygonPrism": lambda a: Prism(a[0], a[1], a[2]),
    # across flats is twice the apothem, which is the corner radius times cos 30°
    "HexPrism": lambda a: Prism(6, _across(a[0]) / math.sqrt(3.0), a[1]),
    "Gear": lambda a: Gear(a[0], a[1], a[2]),
    "GearBacklash": lambda a: Gear(a[0], a[1], a[2], a[3]),
    "GearN": lambda a: Gear(a[0], a[1], a[2], flank=a[3]),
    "GearBacklashN": lambda a: Gear(a[0], a[1], a[2], a[3], flank=a[4]),
    "RingGear": lambda a: Gear(a[0], a[1], a[2], internal=True),
    "RingGearBacklash": lambda a: Gear(a[0], a[1], a[2], a[3], internal=True),
    "RingGearN": lambda a: Gear(a[0], a[1], a[2], internal=True, flank=a[3]),
    "RingGearBacklashN": lambda a: Gear(a[0], a[1], a[2], a[3], internal=True, flank=a[4]),
    "Text": lambda a: Text(a[0], a[1], a[2]),
    "Empty": lambda _: Empty(),
    "Union": lambda a: Union(a[0], a[1]),
    "Difference": lambda a: Difference(a[0], a[1]),
    "Intersection": lambda a: Intersection(a[0], a[1]),
    "Translate": lambda a: Translate(a[0], _vec(a, 1)),
    "Rotate": lambda a: Rotate(a[0], _vec(a, 1)),
    "Scale": lambda a: Scale(a[0], _vec(a, 1)),
    "Mirror": lambda a: Mirror(a[0], _vec(a, 1), _vec(a, 4)),
    "MirrorX": lambda a: Mirror(a[0], _ORIGIN, _X),
    "MirrorY": lambda a: Mirror(a[0], _ORIGIN, _Y),
    "MirrorZ": lambda a: Mirror(a[0], _ORIGIN, _Z),
    "Fillet": lambda a: Fillet(a[0], a[1]),
    "Chamfer": lambda a: Chamfer(a[0], a[1]),
    "Shell": lambda a: Shell(a[0], a[1]),
    "FilletAt": lambda a: FilletAt(a[0], a[1], a[2]),
    "FilletVary": lambda a: FilletAt(a[0], a[1], a[3], a[2]),
    "ChamferAt": lambda a: ChamferAt(a[0], a[1], a[2]),
    "ShellOpen": lambda a: ShellOpen(a[0], a[1], a[2]),
    "Draft": lambda a: Draft(a[0], _vec(a, 1), _vec(a, 4), a[7], a[8]),
    "Hull": lambda a: Hull(a[0]),
    "Offset": lambda a: Offset(a[0], a[1]),
    "Section": lambda a: Section(a[0], _vec(a, 1), _vec(a, 4)),
    "LinearPattern": lambda a: LinearPattern(a[0], _vec(a, 1), a[4], a[5]),
    "CircularPattern": lambda a: CircularPattern(a[0], _vec(a, 1), _vec(a, 4), a[7], a[8]),
    "Sketch": lambda a: Sketch2D(_vec(a, 0), _vec(a, 3), _vec(a, 6), a[9]),
    "ProfilePolyline": lambda a: _profile(polygon_of(a[0])),
    "ProfileRect": lambda a: _profile(rectangle_of(a[0], a[1])),
    "Extrude": lambda a: Extrude(a[0], _vec(a, 1)),
    "Revolve": lambda a: Revolve(a[0], _vec(a, 1), _vec(a, 4), a[7]),
    "Sweep": lambda a: Sweep(a[0], a[1]),
    "SweepLine": lambda a: Sweep(a[0], LinePath(_vec(a, 1), _vec(a, 4))),
    "SweepHelix": lambda a: Sweep(a[0], HelixPath(a[1], a[2], a[3], a[4])),
    "Loft": lambda a: Loft(tuple(a[0])),
    "LoftClosed": lambda a: Loft(tuple(a[0]), closed=True),
    "ImportedMesh": lambda a: ImportedMesh(a[0], a[1], a[2] or None),
}
"""Variants that are one node."""


def _both(add: Add, child: NodeId, normal: Vec3) -> Union:
    """A solid and its reflection in a plane through the origin."""
    return Union(child, add(Mirror(child, _ORIGIN, normal)))


def _mesh_file(path: str, scale: Vec3, function: str, imports: Imports) -> MeshFile:
    name, content = imports.file(path, function)
    return MeshFile(name, scale, content)


def _step_file(path: str, body: int, function: str, imports: Imports) -> StepFile:
    name, content = imports.file(path, function)
    return StepFile(name, body, content)


_TOGETHER: Final[Mapping[str, _Build]] = {
    "MirrorPattern": lambda a, add, _: _both(add, a[0], _vec(a, 1)),
    "MirrorPatternX": lambda a, add, _: _both(add, a[0], _X),
    "MirrorPatternY": lambda a, add, _: _both(add, a[0], _Y),
    "MirrorPatternZ": lambda a, add, _: _both(add, a[0], _Z),
    "QuadPattern": lambda a, add, _: _both(add, add(_both(add, a[0], _X)), _Y),
    "ImportMesh": lambda a, _, files: _mesh_file(a[0], (1.0, 1.0, 1.0), "import-mesh", files),
    "ImportMeshScaled": lambda a, _, files: _mesh_file(a[3], _vec(a, 0), "import-mesh-scaled", files),
    "ImportStep": lambda a, _, files: _step_file(a[0], 0, "import-step", files),
    "ImportStepBody": lambda a, _, files: _step_file(a[0], a[1], "import-step-body", files),
}
"""Variants that add nodes, or read files."""


def _without_help(build: _Simple) -> _Build:
    return lambda args, _add, _imports: build(args)


NODES: Final[Mapping[str, _Build]] = {
    **{tag: _without_help(build) for tag, build in _ALONE.items()},
    **_TOGETHER,
}
"""By the tag of a value."""
