"""Union, difference and intersection of any number of bodies, checked against what they can possibly be.

The general algorithm of OpenCASCADE runs once over all operands: tools whose boxes lie apart go in as one
compound, lumps that meet nothing do not go in at all (cad.md §10.7). A result that cannot be right (§10,
"Validate every B-rep boolean") is tried again with another order and other seams, one operand after another,
then with a fuzzy value, then with the faces of an operand as splines, then as a mesh of at least 128 sides,
which costs the warning FALLBACK_MESH_BOOLEAN; after that the boolean has failed. Results are regularised:
films and everything of lower dimension vanish.

Two spheres that meet on a seam can give an invalid body of negative volume (cad.md §10.6). A whole
sphere is the same wherever its poles are, so it can be set up again. That earns its place by
`test_turned_balls_leave_a_dimple_in_a_ball`: OpenCASCADE alone cannot combine the two, and misses the
volume of lenses that lie askew by up to 5e-5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepAlgoAPI import (
    BRepAlgoAPI_BooleanOperation,
    BRepAlgoAPI_Common,
    BRepAlgoAPI_Cut,
    BRepAlgoAPI_Fuse,
)
from OCP.BRepBuilderAPI import BRepBuilderAPI_NurbsConvert
from OCP.BRepPrimAPI import BRepPrimAPI_MakeSphere
from OCP.BRepTools import BRepTools
from OCP.collections import List_TopoDS_Shape
from OCP.GeomAbs import GeomAbs_Cone, GeomAbs_Cylinder, GeomAbs_Sphere, GeomAbs_Torus
from OCP.gp import gp_Ax2, gp_Dir, gp_Vec
from OCP.TopAbs import TopAbs_EDGE, TopAbs_VERTEX
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.mesh import manifold_kernel
from vcad_kernel.geometry.mesh.manifold_kernel import KernelFault, Made, Reading, batch, of_runs, read
from vcad_kernel.geometry.occt.booleans.claims import Claim, Operation
from vcad_kernel.geometry.occt.booleans.faceted import faceted
from vcad_kernel.geometry.occt.brep import Brep, carried, compound_of, faces_of, solids_of, with_history
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.boxes import loose_box
from vcad_kernel.geometry.occt.measure.distances.meetings import apart, clusters, meet, met, volume_in
from vcad_kernel.geometry.occt.measure.integration.integrals import plain_figures
from vcad_kernel.geometry.occt.measure.integration.masses import mass_of
from vcad_kernel.geometry.occt.measure.validity import area_of, is_elementary, volume_bounds, volume_of
from vcad_kernel.geometry.occt.tessellation import TessellationFault, tessellated
from vcad_kernel.geometry.placement import crossed
from vcad_kernel.geometry.solid import TracedMesh
from vcad_kernel.geometry.sweeps.swept import Skin
from vcad_kernel.geometry.tolerance import EMPTY_VOLUME, LINEAR, REFEREE_SIDES, Tessellation, sagitta
from vcad_kernel.ir.digest import Digest

__all__ = ["FACETED", "MeshOperands", "Operation", "common", "cut", "gathered", "united"]

FACETED = "FALLBACK_MESH_BOOLEAN"
"""Warning of a body that has flat facets in place of curved faces."""

_NO_MESH: tuple[type[Exception], ...] = (KernelFault, TessellationFault, *OCCT_ERRORS)
_MANY = 50
"""Lumps beyond which gaps between them that are too small to count are not looked for."""
_BESIDE = 1e-5
"""Millimetres that an edge may be off its faces before a ball is turned for it; sound ones are off 1e-6."""
_GAP = 1e-3
"""The same, of any body: there OpenCASCADE found no place where edges meet, and made the corner as large."""
_ROUND = frozenset({GeomAbs_Cylinder, GeomAbs_Cone, GeomAbs_Sphere, GeomAbs_Torus})
_CROWD = 500
"""Faces of all operands from which on OpenCASCADE's threads save more than waiting for each other costs."""
_FUZZY = (1e-6, 1e-5, 1e-4)
"""Millimetres, in the order in which they are tried."""


_ALGORITHMS: dict[Operation, Callable[[], BRepAlgoAPI_BooleanOperation]] = {
    Operation.UNION: BRepAlgoAPI_Fuse,
    Operation.DIFFERENCE: BRepAlgoAPI_Cut,
    Operation.INTERSECTION: BRepAlgoAPI_Common,
}


def united(build: Build, bodies: Sequence[Brep]) -> Brep | None:
    """The union. Raises GeometryError BOOLEAN_FAILED."""
    if not bodies:
        return None
    groups = clusters([loose_box(body) for body in bodies])
    parts: list[Brep] = []
    for group in groups:
        members = [bodies[index] for index in group]
        whole = members[0] if len(members) == 1 else _joined(build, members)
        if whole is not None:
            parts.append(whole)
    return gathered(parts)


def _joined(build: Build, members: Sequence[Brep]) -> Brep | None:
    """The union of bodies near each other, gaps below LINEAR closed."""
    whole = _carried_out(build, Operation.UNION, members)
    if whole is None or len(lumps := solids_of(whole.shape)) < 2:
        return whole
    boxes = [loose_box(Brep(lump, ())) for lump in lumps]
    if len(lumps) > _MANY or len(clusters(boxes)) == len(lumps):
        return whole
    try:
        closer = _operate(build, Operation.UNION, members, LINEAR)
    except OCCT_ERRORS:
        return whole
    fewer = closer is not None and len(solids_of(closer.shape)) < len(lumps)
    sound = Claim.of(Operation.UNION, members).allows(closer, None)
    return closer if fewer and sound else whole


def cut(build: Build, base: Brep, tools: Sequence[Brep]) -> Brep | None:
    """The base without the tools. Raises GeometryError BOOLEAN_FAILED."""
    box = loose_box(base)
    near = [tool for tool, meets in zip(tools, met(box, map(loose_box, tools)), strict=True) if meets]
    return _carried_out(build, Operation.DIFFERENCE, [base, *near]) if near else base


def common(build: Build, bodies: Sequence[Brep]) -> Brep | None:
    """The intersection of at least one body. Raises GeometryError BOOLEAN_FAILED."""
    # where two boxes lie apart nothing is common to all
    boxes = [loose_box(body) for body in bodies]
    if not all(meet(box, other) for index, box in enumerate(boxes) for other in boxes[:index]):
        return None
    result: Brep | None = bodies[0]
    for other in bodies[1:]:
        if result is None or not meet(loose_box(result), loose_box(other)):
            return None
        result = _carried_out(build, Operation.INTERSECTION, [result, other])
    return result


def gathered(parts: Sequence[Brep]) -> Brep | None:
    """Bodies that lie apart from each other, as one."""
    if len(parts) < 2:
        return parts[0] if parts else None
    makers = [maker for part in parts for maker in part.makers]
    whole = Brep(compound_of([solid for part in parts for solid in solids_of(part.shape)]), tuple(makers))
    return whole.as_near_as(parts)


def _carried_out(build: Build, operation: Operation, operands: Sequence[Brep]) -> Brep | None:
    """The operation on operands that meet, by the first way that gives a sound result."""
    # what must hold of any result is known before: volumes and boxes, in doubt the meshes
    claim = Claim.of(operation, operands)
    meshes = MeshOperands(operation, operands, is_plain=not claim.doubtful)
    loose: list[Brep] = []
    for attempt in _attempts(operation, operands):
        try:
            made = attempt(build)
        except OCCT_ERRORS:
            continue
        if not claim.allows(made, meshes.volumes):
            continue
        if made is None or not _is_loose(made, operands):
            return made
        loose.append(made)
    if loose:
        return min(loose, key=_looseness)
    try:
        # no exact way gives a right body: facets, with a warning
        made = meshes.combined()
    except _NO_MESH:
        made = None
        possible = False
    else:
        possible = claim.allows(made, None, of_mesh=True)
    if not possible:
        raise build.fault(
            "BOOLEAN_FAILED",
            "neither the exact bodies nor their meshes could be combined",
            fix="move one of the operands a little, so that their faces do not nearly coincide",
        )
    build.warn(
        FACETED,
        "the exact bodies could not be combined; the result has flat facets in place of curved faces",
    )
    return made


def _attempts(operation: Operation, operands: Sequence[Brep]) -> Iterator[Callable[[Build], Brep | None]]:
    def plain(order: Sequence[Brep], fuzzy: float = 0.0) -> Callable[[Build], Brep | None]:
        return lambda build: _operate(build, operation, order, fuzzy)

    # what has helped, the cheapest first: another order, other seams, a tolerance
    in_line = _with_poles_in_line(operands)
    if in_line is not None:
        yield plain(in_line)
    yield plain(operands)
    if operation is not Operation.DIFFERENCE:
        yield plain(operands[::-1])
    for turned in _with_other_seams(operands):
        yield plain(turned)
    if len(operands) > 2:
        yield lambda build: _one_by_one(build, operation, operands)
    for fuzzy in _FUZZY:
        yield plain(operands, fuzzy)
    # a cone that is nearly a cylinder is not found to cross another, a ball only in part; their splines are
    for index, operand in enumerate(operands):
        if _has_round_faces(operand):
            yield plain([*operands[:index], _as_splines(operand), *operands[index + 1 :]])


def _has_round_faces(body: Brep) -> bool:
    return any(BRepAdaptor_Surface(face, False).GetType() in _ROUND for face in faces_of(body.shape))


def _as_splines(body: Brep) -> Brep:
    """The same body, its faces as rational splines: exactly the same points."""
    converting = BRepBuilderAPI_NurbsConvert(body.shape, True)
    return carried(
        converting.Shape(), (body,), lambda face: (converting.ModifiedShape(face),), body.makers[0]
    )


def _one_by_one(build: Build, operation: Operation, operands: Sequence[Brep]) -> Brep | None:
    """The operation with one operand after another, where all of them at once do not come out right."""
    result: Brep | None = operands[0]
    for other in operands[1:]:
        if result is not None:
            result = _operate(build, operation, [result, other], 0.0)
    return result


def _operate(build: Build, operation: Operation, operands: Sequence[Brep], fuzzy: float) -> Brep | None:
    """What OpenCASCADE makes of it, without lumps of no thickness. Raises OCCT_ERRORS."""
    algorithm = _ALGORITHMS[operation]()
    arguments, tools = List_TopoDS_Shape(), List_TopoDS_Shape()
    arguments.Append(operands[0].shape)
    # tools that lie apart go in as one compound, since each argument is tested against each other one
    for group in apart([loose_box(operand) for operand in operands[1:]]):
        members = [operands[index + 1].shape for index in group]
        if len(members) == 1:
            tools.Append(members[0])
        else:
            tools.Append(compound_of([solid for member in members for solid in solids_of(member)]))
    algorithm.SetArguments(arguments)
    algorithm.SetTools(tools)
    algorithm.SetRunParallel(sum(len(operand.makers) for operand in operands) >= _CROWD)
    # the cache holds the operands: their tolerances must not grow
    algorithm.SetNonDestructive(True)
    # bodies are never inside out here
    algorithm.SetCheckInverted(False)
    if fuzzy:
        algorithm.SetFuzzyValue(fuzzy)
    algorithm.Build()
    if not algorithm.IsDone():
        raise RuntimeError("the general boolean algorithm failed")
    whole = algorithm.Shape()
    # where operands only touch, at a point or along a line, that is left in a face; it goes from the shape
    # itself, so before anything is read of it that is kept
    BRepTools.RemoveInternals_s(whole, True)
    # films that surfaces in contact leave behind
    thick = [solid for solid in solids_of(whole) if _is_thick(solid)]
    if not thick:
        return None
    shape = thick[0] if len(thick) == 1 else compound_of(thick)
    return carried(shape, operands, with_history(algorithm.History()), build.maker)


def _is_loose(made: Brep, operands: Sequence[Brep]) -> bool:
    """Whether edges or corners lie beside their faces, so that a piece may be missing between them.

    So they do where a part of a crossing was not found, and where an edge passes near a ball's pole and is
    drawn to that.
    """
    bound = _BESIDE if any(map(_is_ball, operands)) else _GAP
    return _looseness(made) > max(bound, *map(_looseness, operands))


def _looseness(body: Brep) -> float:
    """How far an edge or a corner may be off its faces, mm."""
    return float(max(BRep_Tool.MaxTolerance_s(body.shape, kind) for kind in (TopAbs_EDGE, TopAbs_VERTEX)))


def _is_thick(solid: TopoDS_Shape) -> bool:
    """Whether a lump is more than a film thinner than what counts as contact."""
    # a quick integral says it of all that is no crumb
    if min(map(abs, volume_bounds(solid))) > 1.0:
        return True
    volume = abs(volume_of(solid))
    return volume > EMPTY_VOLUME and (volume > 1.0 or 2.0 * volume > LINEAR * area_of(solid))


_AXES = ((1.0, 2.0, 3.0), (3.0, -1.0, 2.0), (-2.0, 3.0, 1.0), (1.0, -3.0, -2.0))
"""No two alike, none near a principal axis; each ball of an attempt gets another."""


def _with_other_seams(operands: Sequence[Brep]) -> Iterator[list[Brep]]:
    """The operands, their whole balls turned, in a few ways; nothing when there is no ball."""
    balls = [index for index, operand in enumerate(operands) if _is_ball(operand)]
    if not balls:
        return
    for attempt in range(len(_AXES)):
        turned = list(operands)
        for place, index in enumerate(balls):
            turned[index] = _turned(operands[index], _AXES[(attempt + place) % len(_AXES)])
        yield turned


def _with_poles_in_line(operands: Sequence[Brep]) -> Sequence[Brep] | None:
    """Two balls with the line of their centres as axis, so that they meet on a circle of latitude.

    It crosses each seam once. Where it runs along a seam, the seam becomes an edge between two faces that
    cannot be merged again, and no blend gets past it. None if the operands are not two such balls.
    """
    if len(operands) != 2 or not all(map(_is_ball, operands)):
        return None
    here, there = (BRepAdaptor_Surface(faces_of(ball.shape)[0]).Sphere().Location() for ball in operands)
    if here.Distance(there) <= LINEAR:
        return None
    line = gp_Vec(here, there)
    axis = (line.X(), line.Y(), line.Z())
    return [_turned(ball, axis) for ball in operands]


def _is_ball(body: Brep) -> bool:
    if len(body.makers) != 1 or len(solids_of(body.shape)) != 1:
        return False
    return bool(BRepAdaptor_Surface(faces_of(body.shape)[0], False).GetType() == GeomAbs_Sphere)


def _turned(ball: Brep, axis: tuple[float, float, float]) -> Brep:
    sphere = BRepAdaptor_Surface(faces_of(ball.shape)[0]).Sphere()
    shape = BRepPrimAPI_MakeSphere(gp_Ax2(sphere.Location(), gp_Dir(*axis)), sphere.Radius()).Shape()
    return Brep(shape, ball.makers)


# ---- the operands of a boolean as meshes: to check an exact result, and to stand in when there is none ----


_SIDES_OF_TWO = (32, 64)
"""Of circles, in the meshes from which a volume is extrapolated."""
_ASTRAY = 0.1
"""Part of the layer between the finer of them and the body by which the extrapolation may be off. Of 70
booleans of tori, cylinders and balls none is off by more than 0.03."""
_MOST_SIDES = 192
_SECOND_ORDER = 1.25
"""Times the layer by which a mesh is off at most, for what its curvature adds."""
_QUICK = 0.015
"""Part of the volume of all operands that a mesh may lack in which small balls have 32 sides only and lack
2.7 %: what passes here is no farther off than what passes by the coarse one."""
_COARSELY = 0.03
"""The same, for a coarse mesh; a ball of 48 sides lacks 1.2 %."""
_SIDES = 48
_LACK = 0.012
"""Part of its volume that a ball of so many sides lacks, and a quick mesh may."""
_SHIFT = 0.005
"""Part of half a body's diagonal by which the centre of a quick mesh may lie beside the body's."""
_COARSE = Tessellation(segments=_SIDES)
_FINE = Tessellation(segments=REFEREE_SIDES)
_OPERATIONS = {
    Operation.UNION: manifold_kernel.Operation.UNION,
    Operation.DIFFERENCE: manifold_kernel.Operation.DIFFERENCE,
    Operation.INTERSECTION: manifold_kernel.Operation.INTERSECTION,
}


class MeshOperands:
    """A boolean carried out by the mesh kernel on first request."""

    def __init__(self, operation: Operation, operands: Sequence[Brep], *, is_plain: bool = False) -> None:
        """is_plain: what goes wrong with these gives back one operand whole, or nothing."""
        self._operation = operation
        self._operands = operands
        self._is_plain = is_plain
        self._known: dict[int, tuple[float, float]] = {}

    def volumes(self) -> Iterator[tuple[float, float]]:
        """Of the result, mm³, each with how far it may be off; the quicker ones first (``Claim.allows``).

        Raises: KernelFault, TessellationFault, OCCT_ERRORS.
        """
        if all(is_elementary(operand.shape) for operand in self._operands):
            if self._is_plain:
                amount, layer = self._measured(_SIDES)
                # a whole operand that is missing is seen by one mesh
                if 2.0 * _SECOND_ORDER * layer < min(map(volume_in, self._operands)):
                    yield amount, _SECOND_ORDER * layer
            yield self._extrapolated
            # where faces lie in each other the extrapolation is no better than its meshes
            amount, layer = self._measured(_MOST_SIDES)
            yield amount, _SECOND_ORDER * layer
        else:
            whole = sum(volume_in(operand) for operand in self._operands)
            yield self._quick_volume, _QUICK * whole
            yield self._coarse_volume, _COARSELY * whole

    def combined(self) -> Brep | None:
        """The result as a body of flat faces. Raises KernelFault, TessellationFault, OCCT_ERRORS."""
        reading, maker_of = self._combined(lambda operand: tessellated(operand, _FINE))
        if _volume(reading) <= EMPTY_VOLUME:
            return None
        makers: list[Digest] = []
        lengths = np.diff(reading.runs).tolist()
        for length, original in zip(lengths, reading.originals.tolist(), strict=True):
            makers += [maker_of[original]] * length
        return faceted(reading.positions, reading.triangles.astype(np.int64), makers)

    @property
    def _extrapolated(self) -> tuple[float, float]:
        """The volume, mm³, that meshes with more and more sides come to, and how far it may be off.

        What they lack shrinks with the square of the number of sides (Richardson's extrapolation).
        """
        few, many = _SIDES_OF_TWO
        (rough, _), (fine, layer) = self._measured(few), self._measured(many)
        return fine + (fine - rough) / ((many / few) ** 2 - 1.0), _ASTRAY * layer

    def _measured(self, sides: int) -> tuple[float, float]:
        """The volume by a mesh whose circles have so many sides, and the layer in which it is off, mm³."""
        if sides not in self._known:
            layers: list[float] = []

            def mesh_of(operand: Brep) -> TracedMesh:
                mesh = tessellated(operand, Tessellation(segments=sides))
                layers.append(mesh.chord * area_of(operand.shape))
                return mesh

            reading, _ = self._combined(mesh_of)
            self._known[sides] = _volume(reading), sum(layers) + EMPTY_VOLUME
        return self._known[sides]

    @cached_property
    def _quick_volume(self) -> float:
        try:
            return _volume(self._combined(_quick_mesh)[0])
        except _NO_MESH:
            # no answer: the coarse mesh is asked
            return math.nan

    @cached_property
    def _coarse_volume(self) -> float:
        return _volume(self._combined(lambda operand: tessellated(operand, _COARSE))[0])

    def _combined(self, mesh_of: Callable[[Brep], TracedMesh]) -> tuple[Reading, dict[int, Digest]]:
        items: list[tuple[Made, None]] = []
        maker_of: dict[int, Digest] = {}
        for operand in self._operands:
            traced = mesh_of(operand)
            order = np.argsort(traced.maker_of, kind="stable")
            made, originals = of_runs(
                Skin(traced.mesh.positions, traced.mesh.indices[order].astype(np.int64)),
                np.bincount(traced.maker_of, minlength=len(traced.makers)).tolist(),
            )
            maker_of.update(zip(originals, traced.makers, strict=True))
            items.append((made, None))
        return read(batch(_OPERATIONS[self._operation], items)), maker_of


def _quick_mesh(body: Brep) -> TracedMesh:
    """A circle as large as the body has as many sides as any in the coarse mesh, a small one fewer."""
    low, high = loose_box(body)
    wanted = Tessellation(chord=sagitta(0.5 * float(np.max(high - low)), _SIDES))
    loose = tessellated(body, wanted, loosely=True)
    return loose if _is_near(loose, body, 0.5 * math.dist(low, high)) else tessellated(body, wanted)


def _is_near(mesh: TracedMesh, body: Brep, reach: float) -> bool:
    """Whether a mesh lacks no more of a body than a coarse one of a ball would.

    A dent on one side may be as large as a bulge on the other: the centre is then elsewhere. reach: half the
    body's diagonal, mm.
    """
    positions, triangles = mesh.mesh.positions, mesh.mesh.indices
    amount, volume = _enclosed(positions, triangles), volume_in(body)
    if abs(amount - volume) > _LACK * volume:
        return False
    if plain_figures(body.shape) is not None:
        return True  # the other meshes of such faces are the same
    a, b, c = np.moveaxis((positions - positions[0])[triangles], 1, 0)
    moments = np.einsum("ij,ij->i", a, crossed(b, c))
    centre = positions[0] + moments @ (a + b + c) / (24.0 * amount)
    return math.dist(centre, mass_of(body.shape).centre) <= _SHIFT * reach


def _volume(reading: Reading) -> float:
    return _enclosed(reading.positions, reading.triangles)


def _enclosed(positions: NDArray[np.float64], triangles: NDArray[np.integer]) -> float:
    """Volume, mm³. positions: (n, 3). triangles: (m, 3)."""
    if len(triangles) == 0:
        return 0.0
    a, b, c = np.moveaxis((positions - positions[0])[triangles], 1, 0)
    return float(np.einsum("ij,ij->", a, crossed(b, c))) / 6.0
