"""Holes drilled into a face: by diameter, for a screw, a thread or an insert, with the seat of a head.

Millimetres and degrees. Holes go inwards from the plane of the face, against its normal.
"""

import math
from difflib import get_close_matches
from typing import Annotated, Any, ClassVar, TypeAlias

from vcad_kernel.operations.arguments import (
    Choice,
    Degrees,
    Flag,
    Given,
    Key,
    Keys,
    Kind,
    Mm,
    Numbers,
    Solid,
    String,
    keyed,
)
from vcad_kernel.operations.bodies.bodies import Feature
from vcad_kernel.operations.bodies.booleans import Difference
from vcad_kernel.operations.features.hole_tables import (
    CLEARANCE,
    COUNTERBORES,
    COUNTERSINKS,
    FITS,
    INSERTS,
    TAP_DRILLS,
    Table,
)
from vcad_kernel.operations.features.places import Places, Spots
from vcad_kernel.operations.node import Add, NodeId
from vcad_kernel.operations.numbers import ParameterFault, invalid, positive
from vcad_kernel.operations.planes import Face, face_node
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import HOLES
from vcad_kernel.operations.solids.thread_forms import ThreadForm, basic_form
from vcad_kernel.operations.solids.threads import size_of

__all__ = ["DrillTool"]

_TABLES = {"for": CLEARANCE, "tap": TAP_DRILLS, "insert": INSERTS}
_HEADS = {"countersunk": COUNTERSINKS, "counterbored": COUNTERBORES}

_Fit: TypeAlias = Annotated[str, Given(Choice(*FITS))]
_Head: TypeAlias = Annotated[str, Given(Choice(*_HEADS))]
_Pair: TypeAlias = Annotated[tuple[float, float], Given(Numbers(2))]

Hole: TypeAlias = Annotated[
    Keys,
    keyed(
        "a hole",
        Key("d", Mm, None, "its diameter"),
        Key("for", String, None, f'the screw that passes through, as "M4": {CLEARANCE.source}'),
        Key("fit", _Fit, None, "how closely, with :for; :medium if it is not given"),
        Key("tap", String, None, f'the thread that is cut into it, as "M4": drilled by {TAP_DRILLS.source}'),
        Key(
            "thread",
            Flag,
            None,
            "with :tap: cuts the thread, too: the basic profile of ISO 68-1, down to the shoulder",
        ),
        Key("insert", String, None, f'the insert that is melted into it, as "M3": {INSERTS.source}'),
        Key("depth", Mm, None, "down to the shoulder; without it the hole goes through"),
        Key("tip", Degrees, None, "with :depth: angle of the drill's point below, as 118; else it is flat"),
        Key(
            "head",
            _Head,
            None,
            f"with :for: the head's seat, by {COUNTERSINKS.source}, or {COUNTERBORES.source}",
        ),
        Key("cbore", _Pair, None, "a counterbore #[d depth]"),
        Key("csk", _Pair, None, "a countersink #[d angle], d at the surface"),
    ),
]


class DrillTool(Feature):
    """What is drilled out of a body: a turned body at each place, from the plane inwards."""

    CURVED: ClassVar[bool] = True
    YOUNGER: ClassVar[tuple[str, ...]] = ("thread", "pitch")

    plane: Annotated[NodeId, Given(Kind.PLANE)]
    """On the body itself or anywhere; holes go against its normal."""
    places: Places
    diameter: float
    depth: float | None = None
    """To the shoulder; None goes through whatever of the body lies behind the plane."""
    tip: float | None = None
    """Angle of the cone below the shoulder; None is flat."""
    bore_diameter: float | None = None
    """Of a counterbore, with its depth."""
    bore_depth: float | None = None
    sink_diameter: float | None = None
    """Of a countersink at the surface, with the angle of its cone."""
    sink_angle: float | None = None
    thread: float | None = None
    """Diameter of a thread in the bore, with its pitch: over its roots, as its size says."""
    pitch: float | None = None

    def children(self) -> tuple[NodeId, ...]:
        """The body, then the plane."""
        return (self.child, self.plane)

    @property
    def functions(self) -> frozenset[str]:
        """drill makes it, too."""
        return frozenset((self.FUNCTION, "drill"))

    @property
    def width(self) -> float:
        """Diameter at the surface."""
        return self.bore_diameter or self.sink_diameter or self.wall

    @property
    def wall(self) -> float:
        """Diameter below the seat, with the thread."""
        return self.thread or self.diameter

    def form(self) -> ThreadForm | None:
        """The thread, its roots the bore. Raises: ParameterFault."""
        if self.thread is None or self.pitch is None:
            return None
        return basic_form(self.thread, self.pitch).bored(self.diameter)

    @property
    def seat(self) -> float:
        """How deep the seat of the head is; 0 without one."""
        if self.sink_diameter is None or self.sink_angle is None:
            return self.bore_depth or 0.0
        return 0.5 * (self.sink_diameter - self.diameter) / math.tan(math.radians(0.5 * self.sink_angle))

    @property
    def point(self) -> float:
        """How far the drill's point reaches below the shoulder."""
        return 0.0 if self.tip is None else 0.5 * self.diameter / math.tan(math.radians(0.5 * self.tip))

    def check(self) -> None:
        """A hole that can be drilled, and places."""
        positive(":d", self.diameter)
        if self.depth is not None:
            positive(":depth", self.depth)
        _an_angle(":tip", self.tip)
        _an_angle(":csk", self.sink_angle)
        if self.bore_depth is not None:
            positive(":cbore", self.bore_depth)
        for key, diameter in ((":cbore", self.bore_diameter), (":csk", self.sink_diameter)):
            if diameter is not None:
                positive(key, diameter)
                if diameter <= self.wall:
                    below = "hole" if self.thread is None else "thread"
                    raise invalid(
                        key, f"must be wider than the {below}, {self.wall:g} mm, got {diameter:g} mm"
                    )
        if self.depth is not None and self.seat >= self.depth:
            raise invalid(
                ":depth", f"must be greater than the head's seat, {self.seat:g} mm, got {self.depth:g}"
            )
        form = self.form()
        if form is not None:
            form.check()
        self.places.check()


def _an_angle(key: str, angle: float | None) -> None:
    if angle is not None and not 0.0 < angle < 180.0:
        raise invalid(key, f"must be an angle between 0 and 180 degrees, got {angle:g}")


@operation(
    HOLES,
    '[drill :top {:for "M4" :head :countersunk} [corners 8] box]',
    '[let box [cube 60 40 8]]\n[drill :top {:for "M4" :head :countersunk} [corners 8] box]',
)
def drill(face: Face, hole: Hole, places: Spots, s: Solid, *, add: Add) -> Difference:
    """The solid with holes in a face, or in a plane, from there inwards: through it, or so deep. Places are
    points #[#[x y] …] in the face's frame, or what grid, ring, corners, along-edge and centers-of give. A
    hole that leaves the face or the solid, or cuts nothing, is a warning with its place."""
    return Difference(s, add(_tool(face, hole, places, s, add)))


@operation(
    HOLES,
    '[drill-tool :top {:for "M4"} [corners 6] box]',
    "[let box [cube 40 30 6]]\n"
    '[let bores [drill-tool :top {:for "M4"} [corners 6] box]]\n'
    "[difference bores [union box [translate 0 0 -4 [cube 40 30 2]]]]",
)
def drill_tool(face: Face, hole: Hole, places: Spots, s: Solid, *, add: Add) -> DrillTool:
    """What drill cuts away, as a solid: for the same holes in other solids, too. Holes that go through are
    as long as s needs it."""
    return _tool(face, hole, places, s, add)


def _tool(face: Any, hole: Keys, places: Places, s: NodeId, add: Add) -> DrillTool:
    given = [key for key in ("d", "for", "tap", "insert") if hole[key] is not None]
    if len(given) != 1:
        said = " and ".join(f":{key}" for key in given) or "none of them"
        raise invalid("hole", f"must have one of :d, :for, :tap and :insert, got {said}")
    (by,) = given
    for key, needs in (("fit", "for"), ("head", "for"), ("thread", "tap"), ("tip", "depth")):
        if hole[key] is not None and hole[needs] is None:
            raise invalid(f":{key}", f"goes with :{needs} alone")
    seats = [key for key in ("head", "cbore", "csk") if hole[key] is not None]
    if len(seats) > 1:
        raise invalid(f":{seats[1]}", f"does not go together with :{seats[0]}")
    column = FITS.index(hole["fit"] or "medium") if by == "for" else 0
    diameter = hole["d"] if by == "d" else _row(f":{by}", hole[by], _TABLES[by])[column]
    bore, sink = hole["cbore"], hole["csk"]
    if hole["head"] is not None:
        row = _row(f":head :{hole['head']}", hole["for"], _HEADS[hole["head"]])
        bore, sink = (row, None) if hole["head"] == "counterbored" else (None, row)
    return DrillTool(
        s,
        face_node(face, s, add),
        places,
        diameter,
        hole["depth"],
        hole["tip"],
        *(bore or (None, None)),
        *(sink or (None, None)),
        *(size_of(":tap", hole["tap"]) if hole["thread"] else (None, None)),
    )


def _row(key: str, size: str, table: Table) -> tuple[float, ...]:
    """What a table says of a size. Raises: ParameterFault with the sizes that it has."""
    row = table.rows.get(size)
    if row is not None:
        return row
    close = get_close_matches(size.upper(), table.rows, 1)
    meant = f"; did you mean {close[0]}?" if close else ""
    raise ParameterFault(
        "INVALID_PARAMETER",
        key.split()[0],
        f'{key} has no size "{size}"; sizes are {", ".join(table.rows)} ({table.source}){meant}',
    )
