"""The inset body: every face moved inwards, neighbours prolonged until they meet (cad.md §3.4).

Where nothing of the body vanishes, which is known beforehand, it is moved as it is
(:mod:`vcad_kernel.geometry.occt.insets.moving.kept_topology`). Else the moved faces cut space into cells; the
inset is the union of the cells that lie inside the body and nowhere nearer to its boundary than the
distance. Faces too tightly curved or too small to survive simply bound no such cell, so vanishing blends,
bevels and thin legs need no special care, and OpenCASCADE's own offset is not used, which an offset that
collapses a body kills (cad.md §10.4). At concave edges the moved faces are prolonged, which makes the sharp
join.

Lengths in millimetres.

Earns its place by `test_insetting_leaves_a_wall_that_is_thicker_than_the_rounds`: OpenCASCADE's own offset
folds upon itself there, and makes the walls of crossing pipes a third too large.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

from OCP.BOPAlgo import BOPAlgo_MakerVolume
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepAlgoAPI import BRepAlgoAPI_Fuse
from OCP.BRepClass3d import BRepClass3d_SolidClassifier
from OCP.BRepTools import BRepTools
from OCP.collections import List_TopoDS_Shape
from OCP.GeomAbs import GeomAbs_Sphere
from OCP.gp import gp_Pnt
from OCP.IntTools import IntTools_Context
from OCP.TopAbs import TopAbs_IN, TopAbs_OUT
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, faces_of, solids_of
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.insets.cavities import nested
from vcad_kernel.geometry.occt.insets.corner_zones import CornerZones
from vcad_kernel.geometry.occt.insets.moving.kept_topology import KeptTopology
from vcad_kernel.geometry.occt.insets.moving.moved_faces import moved, vanishes
from vcad_kernel.geometry.occt.insets.prisms import Moves, Prism, prism_of
from vcad_kernel.geometry.occt.measure.boxes import Box, box_of_points, quick_box_of
from vcad_kernel.geometry.occt.measure.distances.depth import (
    Depth,
    Inside,
    boundary_points,
    face_point,
    inner_point,
)
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import outward_normal
from vcad_kernel.geometry.occt.measure.topology.joints import Joint, is_planar, joints_of
from vcad_kernel.geometry.occt.measure.validity import area_of, is_elementary, is_valid, volume_of
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = ["Inset"]

_SLACK = 1e-6
"""Relative to the distance: how much nearer to the boundary a point of the inset may be measured."""
_MOST_PROBES = 150
"""Points of one cell, or faces of one body, that are measured; a body with more is sampled evenly."""
_MOST_FREEFORM = 8
"""Measured: one takes about a second, and the time grows with their square; 40 flanks of a gear, minutes."""
_STEEPEST = math.radians(160.0)
"""A concave edge that turns further prolongs its faces no more than one that turns so far."""


class Inset:
    """The insets of one body, by any distance; what does not depend on the distance is found once.

    opened: faces that stay where they are while all others move, for a shell with openings.
    """

    def __init__(self, shape: TopoDS_Shape, opened: Sequence[TopoDS_Face] = ()) -> None:
        """shape: sound and outward oriented; its lumps are looked at together."""
        self._shape = shape
        self._faces = faces_of(shape)
        self.opened = [face for face in self._faces if any(face.IsSame(other) for other in opened)]
        """In the order of the body."""
        self._context = IntTools_Context()
        self._kept = KeptTopology(shape, self.opened)

    def is_open(self, face: TopoDS_Face) -> bool:
        """Whether a face stays where it is."""
        return any(face.IsSame(opened) for opened in self.opened)

    @cached_property
    def _joints(self) -> list[Joint]:
        return list(joints_of(self._shape))

    @cached_property
    def _depth(self) -> Depth:
        return Depth([face for face in self._faces if not self.is_open(face)])

    @cached_property
    def _lumps(self) -> list[Inside]:
        return [Inside(lump) for lump in solids_of(self._shape)]

    @cached_property
    def _zones(self) -> CornerZones:
        """Under concave edges, where the sharp join takes away more than the distance alone does."""
        return CornerZones(self._joints, self._lumps)

    @cached_property
    def _has_spheres(self) -> bool:
        return any(BRepAdaptor_Surface(face, False).GetType() == GeomAbs_Sphere for face in self._faces)

    @cached_property
    def _is_freeform(self) -> bool:
        return sum(not (is_elementary(face) or is_planar(face)) for face in self._faces) > _MOST_FREEFORM

    @cached_property
    def _prisms(self) -> list[Prism | None]:
        """Of a free-form body that consists of right prisms the outlines are moved."""
        return [prism_of(lump) for lump in solids_of(self._shape)] if self._is_freeform else []

    @property
    def is_too_freeform(self) -> bool:
        """More free-form faces than can be intersected with each other in reasonable time."""
        return self._is_freeform and None in self._prisms

    @property
    def opens_smoothly(self) -> bool:
        """Whether an opened face runs into one that moves without an edge, so that no wall can end there."""
        return any(
            joint.is_smooth and self.is_open(joint.faces[0]) != self.is_open(joint.faces[1])
            for joint in self._joints
        )

    @cached_property
    def _volume(self) -> float:
        return volume_of(self._shape)

    @cached_property
    def bound(self) -> float:
        """No inset exists from this distance on: half the smallest side of the body's box."""
        return self._bound_by(box_of(self._shape))

    def _bound_by(self, box: Box) -> float:
        return min(high - low for low, high in zip(*box, strict=True)) / (1 if self.opened else 2)

    def at(self, distance: float) -> TopoDS_Shape | None:
        """The inset body; None when it does not exist in every lump, or cannot be built soundly."""
        kept = self._kept.inset(distance)
        if kept is not None and _is_outside_of_itself(kept):
            return kept
        return self._put_together(distance)

    def hollowed(self, distance: float) -> tuple[TopoDS_Shape, list[list[TopoDS_Face]]] | None:
        """The body less its inset, and what is left of each opened face; None unless all of the body stays.

        It needs no check: the inset lies within the body by more than nothing, and both are sound.
        """
        if self.opened:
            return self._kept.hollowed(distance)
        inset = self._kept.inset(distance)
        if inset is None or not _is_outside_of_itself(inset):
            return None
        return nested(self._shape, inset), []

    def _put_together(self, distance: float) -> TopoDS_Shape | None:
        """The inset as the cells between all moved faces that belong to it."""
        box = quick_box_of(self._shape)
        if self.is_too_freeform or distance >= self._bound_by(box):
            return None
        # the tight box takes as long as all else that is measured, and mostly some points reach far enough
        least = box_of_points(self._shape)
        if (least is None or distance >= self._bound_by(least)) and distance >= self.bound:
            return None
        # as short as the deepest corner allows, since every prolonged face cuts more cells; then longer ones
        # for neighbours that meet at a flat angle, and last a reach across the whole body
        reaches = (self._reach(distance), 3.0 * distance, sum(box[1]) - sum(box[0]))
        trials = [(reach, False) for reach in dict.fromkeys(reaches)]
        if self._has_spheres:
            trials.append((reaches[0], True))
        for reach, turned in trials:
            try:
                inset = self._with_reach(distance, reach, turned)
            except OCCT_ERRORS:
                continue
            if inset is not None:
                return inset
        return None

    def collapsing(self, distance: float) -> list[int]:
        """Positions of the faces that have no room to move: others are too near behind them."""
        return [
            index
            for index, face in enumerate(self._faces)
            if not self.is_open(face) and not self._has_room(face, distance)
        ]

    def _has_room(self, face: TopoDS_Face, distance: float) -> bool:
        point, place = face_point(face, self._context)
        outward = outward_normal(face, place)
        # at a singular place nothing is known, and no face is blamed on that
        if outward is None:
            return True
        there = point.Translated(outward * -distance)
        # a wall that is just used up is no room
        return (
            self._inside(there)
            and self._depth.reaches([there], distance * (1.0 - _SLACK))
            and self._inside(point.Translated(outward * (-distance * (1.0 + 1e-6) - LINEAR)))
        )

    def _reach(self, distance: float) -> float:
        """How far a moved face must be prolonged to meet its neighbour at the deepest concave edge."""
        turn = max((-joint.deepest for joint in self._joints), default=0.0)
        return distance * max(0.25, 1.1 * math.tan(min(turn, _STEEPEST) / 2.0))

    def _inside(self, point: gp_Pnt) -> bool:
        return any(lump.holds(point) for lump in self._lumps)

    def _with_reach(self, distance: float, reach: float, turned: bool) -> TopoDS_Shape | None:
        if self._is_freeform:
            kept = self._inset_prisms(distance, reach)
        else:
            kept = []
            for cell in self._cells(distance, reach, turned):
                # it lies wholly within the inset or wholly outside: one point of it decides, many confirm
                middle = inner_point(cell, self._context)
                if middle is not None and self._is_deep(middle, middle, self._depth, distance):
                    if not self._is_deep_all_over(cell, self._depth, distance):
                        # a moved face ended too soon and left a piece of the inset to this cell
                        return None
                    kept.append(cell)
        if not kept:
            return None
        whole = kept[0] if len(kept) == 1 else _joined(kept)
        if whole is None or not self._is_sound(whole, distance):
            return None
        return whole

    def _moves(self, distance: float) -> Moves:
        """How far each face goes inwards."""
        return lambda face: 0.0 if self.is_open(face) else distance

    def _inset_prisms(self, distance: float, reach: float) -> list[TopoDS_Shape]:
        """Those pieces of right prisms that belong to the inset, cut out in the planes of their bases."""
        moves = self._moves(distance)
        kept: list[TopoDS_Shape] = []
        for prism in self._prisms:
            assert prism is not None  # is_too_freeform
            low, high = moves(prism.base), moves(prism.top)
            # base and top meet: nothing is left of this prism
            if prism.rise.Magnitude() <= (low + high) * (1.0 + _SLACK) + LINEAR:
                return []
            outline = Depth([edge for edge in prism.outline if not self.is_open(prism.wall_of(edge))])
            # a piece of the base lies on the boundary: whether it is inside is asked half way up
            middle = prism.rise * 0.5
            for cell in prism.cells(moves, reach):
                inner = face_point(cell, self._context)[0]
                if self._is_deep(
                    inner, inner.Translated(middle), outline, distance
                ) and self._is_deep_all_over(cell, outline, distance):
                    piece = prism.raised(cell, low, high)
                    BRepTools.RemoveInternals_s(piece)
                    kept.append(piece)
        return kept

    def _cells(self, distance: float, reach: float, turned: bool) -> list[TopoDS_Shape]:
        """The bounded pieces into which the moved faces cut space."""
        exact = self._meeting_exactly(distance)
        moved_faces = List_TopoDS_Shape()
        for face in self._faces:
            by = 0.0 if self.is_open(face) else -distance
            for there in moved(face, by, reach, exact, turned=turned):
                moved_faces.Append(there)
        maker = BOPAlgo_MakerVolume()
        maker.SetArguments(moved_faces)
        # faces are cut with each other here, and pieces that bound no cell are of no use
        maker.SetIntersect(True)
        maker.SetAvoidInternalShapes(True)
        maker.SetRunParallel(True)
        maker.Perform()
        if maker.HasErrors():
            return []
        cells = maker.Shape()
        # what is left of prolonged faces that ended inside of others; before anything is read that is kept
        BRepTools.RemoveInternals_s(cells)
        return solids_of(cells)

    def _meeting_exactly(self, distance: float) -> _Meeting:
        def moves(face: TopoDS_Face) -> float:
            return 0.0 if self.is_open(face) else -distance

        return _Meeting(
            [
                joint
                for joint in self._joints
                if joint.is_smooth
                and not any(vanishes(face, moves(face)) for face in joint.faces)
                and moves(joint.faces[0]) == moves(joint.faces[1])
            ]
        )

    def _is_deep(self, point: gp_Pnt, within: gp_Pnt, depth: Depth, distance: float) -> bool:
        """Whether a point is inside the body and no nearer than the distance. within: it, or one above it."""
        return (
            self._inside(within)
            and depth.reaches([point], _least(distance))
            and not self._zones.hold(within, distance)
        )

    def _is_deep_all_over(self, cell: TopoDS_Shape, depth: Depth, distance: float) -> bool:
        """Whether the boundary of a cell is nowhere nearer than the distance."""
        probes = list(boundary_points(cell, self._context))
        step = -(-len(probes) // _MOST_PROBES)
        return depth.reaches(probes[::step], _least(distance))

    def _is_sound(self, inset: TopoDS_Shape, distance: float) -> bool:
        """Valid, smaller, in each lump, and complete."""
        volume = volume_of(inset)
        if not is_valid(inset) or not 0.0 < volume < self._volume:
            return False
        if not all(_is_outside_of_itself(solid) for solid in solids_of(inset)):
            return False
        # a lump that lost its cavity would come out solid without a warning
        middles = [inner_point(solid, self._context) for solid in solids_of(inset)]
        if not all(
            any(middle is not None and lump.holds(middle) for middle in middles) for lump in self._lumps
        ):
            return False
        return self._is_complete(inset, distance)

    def _is_complete(self, inset: TopoDS_Shape, distance: float) -> bool:
        """Where a point of a face can be moved in by the distance, it comes to lie on the inset."""
        skin = Depth(faces_of(inset))
        least = distance * (1.0 - _SLACK)
        closed = [face for face in self._faces if not self.is_open(face)]
        for face in closed[:: -(-len(closed) // _MOST_PROBES)]:
            point, place = face_point(face, self._context)
            outward = outward_normal(face, place)
            if outward is None:
                continue
            there = point.Translated(outward * -distance)
            if (
                self._inside(there)
                and self._depth.reaches([there], least)
                and skin.of(there) > 1e-4 * distance + LINEAR
                and self._has_room(face, distance)
                and not self._zones.hold(there, distance * (1.0 + 1e-5))
            ):
                return False
        return True


def _least(distance: float) -> float:
    """How near to the boundary a point of the inset may be measured, mm."""
    return distance * (1.0 - _SLACK) - LINEAR


class _Meeting:
    """The edges at which moved neighbours end exactly at each other."""

    def __init__(self, joints: Sequence[Joint]) -> None:
        self._edges = {joint.edge for joint in joints}

    def __call__(self, edge: TopoDS_Edge) -> bool:
        return any(edge.IsSame(other) for other in self._edges)


def _is_outside_of_itself(solid: TopoDS_Shape) -> bool:
    """Whether OpenCASCADE sees that infinity is not in it, without which no cavity of this form is valid."""
    for oriented, state in ((solid, TopAbs_OUT), (solid.Reversed(), TopAbs_IN)):
        classifier = BRepClass3d_SolidClassifier(oriented)
        classifier.PerformInfinitePoint(LINEAR)
        if classifier.State() != state:
            return False
    return True


def _joined(cells: Sequence[TopoDS_Shape]) -> TopoDS_Shape | None:
    """Cells that share faces, as one body without inner walls."""
    volume = sum(volume_of(cell) for cell in cells)
    first, others = List_TopoDS_Shape(), List_TopoDS_Shape()
    first.Append(cells[0])
    for cell in cells[1:]:
        others.Append(cell)
    fusing = BRepAlgoAPI_Fuse()
    fusing.SetArguments(first)
    fusing.SetTools(others)
    fusing.Build()
    if not fusing.IsDone():
        return None
    fused = fusing.Shape()
    BRepTools.RemoveInternals_s(fused)
    whole = unified(Brep.made(fused, b"")).shape
    # cells do not overlap: a volume other than their sum means that the union has lost one
    if abs(volume_of(whole) - volume) > 1e-6 * volume or area_of(whole) <= 0.0:
        return None
    return whole
