"""Sketches, profiles and paths, and the solids that are swept from them."""

from __future__ import annotations

from typing import Final

from vcad_kernel.cad.signature import Signature, parameters_of, solid

__all__ = ["SKETCHING"]

_WEDGE = """[let k [sketch 0 0 0  1 0 0  0 0 1
  #[[line 2 0 6 0] [line 6 0 2 8] [line 2 8 2 0]]]]
"""
"""A triangle that stands on the XZ plane, beside the Z axis."""

_SECTION = """[let k [sketch 0 0 0  1 0 0  0 1 0
  #[[line -1 -1 1 -1] [line 1 -1 0 1] [line 0 1 -1 -1]]]]
"""
"""A triangle about the origin, which a sweep carries along its path."""

_SQUARES = """[fn square [z half]
  [let low [- 0 half]]
  [sketch 0 0 z  1 0 0  0 1 0
    #[[line low low half low] [line half low half half]
      [line half half low half] [line low half low low]]]]
[let bottom [square 0 6]]
[let top [square 9 3]]
"""

_LEAVES = """[fn leaf [turn]
  [sketch 0 0 0  [cos turn] [sin turn] 0  0 0 1
    #[[line 8 0 12 0] [line 12 0 12 3] [line 12 3 8 0]]]]
[let a [leaf 0]]
[let b [leaf 120]]
[let c [leaf 240]]
"""
"""Three triangles on planes through the Z axis."""

SKETCHING: Final[tuple[Signature, ...]] = (
    Signature(
        "line",
        "SLine",
        parameters_of("x1:mm y1:mm x2:mm y2:mm"),
        "SketchSeg",
        "Straight segment of a sketch, from point 1 to point 2.",
        "[line 0 0 10 0]",
        program="[extrude 0 0 4 [sketch 0 0 0  1 0 0  0 1 0\n"
        "  #[[line 0 0 10 0] [line 10 0 0 6] [line 0 6 0 0]]]]",
    ),
    Signature(
        "arc",
        "SArc",
        parameters_of("x1:mm y1:mm x2:mm y2:mm cx:mm cy:mm ccw:bool"),
        "SketchSeg",
        "Circular segment of a sketch from point 1 to point 2 about (cx, cy); counter-clockwise if ccw "
        "is true. A full circle takes two.",
        "[arc 5 0 -5 0 0 0 true]",
        program="[extrude 0 0 4 [sketch 0 0 0  1 0 0  0 1 0\n  #[[arc 5 0 -5 0 0 0 true] [line -5 0 5 0]]]]",
    ),
    Signature(
        "sketch",
        "Sketch",
        parameters_of("ox:mm oy:mm oz:mm xx xy xz yx yy yz segments:segments"),
        "Sketch",
        "Closed profile on the plane through o with axes x and y. The segments follow each other and "
        "end where they began; the axes are directions, their length does not matter.",
        "[sketch 0 0 0 1 0 0 0 1 0 #[[line 0 0 6 0] [line 6 0 0 8] [line 0 8 0 0]]]",
        program="[extrude 0 0 4\n"
        "  [sketch 0 0 0 1 0 0 0 1 0 #[[line 0 0 6 0] [line 6 0 0 8] [line 0 8 0 0]]]]",
    ),
    Signature(
        "profile-polyline",
        "ProfilePolyline",
        parameters_of("points:reals"),
        "Sketch",
        "Closed profile through corners u v u v …, for sweeps. It closes itself; on its own it lies on "
        "the XY plane.",
        "[profile-polyline #[0 0  4 0  4 2  0 3]]",
        program="[sweep [path-line 0 0 0  0 0 20] [profile-polyline #[0 0  4 0  4 2  0 3]]]",
    ),
    Signature(
        "profile-rect",
        "ProfileRect",
        parameters_of("radial:mm axial:mm"),
        "Sketch",
        "Rectangle about the origin, radial wide and axial high, for sweeps.",
        "[profile-rect 4 3]",
        program="[sweep [path-line 0 0 0  0 0 20] [profile-rect 4 3]]",
    ),
    solid(
        "extrude",
        "Extrude",
        "dx:mm dy:mm dz:mm k:sketch",
        "Prism of the profile along the full vector: direction and distance in one.",
        "[extrude 0 20 0 k]",
        _WEDGE + "[extrude 0 20 0 k]",
    ),
    solid(
        "revolve",
        "Revolve",
        "aox:mm aoy:mm aoz:mm adx ady adz angle:deg k:sketch",
        "The profile turned about the axis through ao along ad. It lies on one side of the axis; angle "
        "is above 0, at most 360.",
        "[revolve 0 0 0 0 0 1 360 k]",
        _WEDGE + "[revolve 0 0 0 0 0 1 360 k]",
    ),
    solid(
        "sweep",
        "Sweep",
        "path:path k:sketch",
        "The profile carried along a path. The sketch's own plane does not matter: on a path about the Z "
        "axis its x points outwards and its y up.",
        "[sweep [helix 12 0.05 0 720] k]",
        _SECTION + "[sweep [helix 12 0.05 0 720] k]",
    ),
    solid(
        "sweep-line",
        "SweepLine",
        "sx:mm sy:mm sz:mm ex:mm ey:mm ez:mm k:sketch",
        "The profile carried along the segment from s to e. It stands square to the path; the sketch's "
        "own plane does not matter.",
        "[sweep-line 0 0 0 0 0 25 k]",
        _SECTION + "[sweep-line 0 0 0 0 0 25 k]",
    ),
    solid(
        "sweep-helix",
        "SweepHelix",
        "radius:mm pitch:mm height:mm turns k:sketch",
        "The profile carried along a helix about +Z. height and turns rule; pitch is there to be "
        "checked. The profile's x points to the axis.",
        "[sweep-helix 10 5 15 3 k]",
        _SECTION + "[sweep-helix 10 5 15 3 k]",
    ),
    solid(
        "loft",
        "Loft",
        "sketches:sketches",
        "Ruled solid through sketches, all with the same number of segments.",
        "[loft #[bottom top]]",
        _SQUARES + "[loft #[bottom top]]",
    ),
    solid(
        "loft-closed",
        "LoftClosed",
        "sketches:sketches",
        "Ruled ring through three or more sketches, the last joined to the first.",
        "[loft-closed #[a b c]]",
        _LEAVES + "[loft-closed #[a b c]]",
    ),
    Signature(
        "path-line",
        "PathLine",
        parameters_of("sx:mm sy:mm sz:mm ex:mm ey:mm ez:mm"),
        "Path",
        "Straight path from s to e.",
        "[path-line 0 0 0  10 0 25]",
        program=_SECTION + "[sweep [path-line 0 0 0  10 0 25] k]",
    ),
    Signature(
        "path-polyline",
        "PathPolyline",
        parameters_of("bend:mm points:reals"),
        "Path",
        "Straight from point to point x y z x y z …, corners rounded with the radius bend. With 0 they "
        "are mitred.",
        "[path-polyline 5 #[0 0 0  0 0 20  20 0 20]]",
        program=_SECTION + "[sweep [path-polyline 5 #[0 0 0  0 0 20  20 0 20]] k]",
    ),
    Signature(
        "path-spline",
        "PathSpline",
        parameters_of("points:reals"),
        "Path",
        "Smooth curve through points x y z x y z …, three numbers for each.",
        "[path-spline #[0 0 0  5 0 15  20 0 20]]",
        program=_SECTION + "[sweep [path-spline #[0 0 0  5 0 15  20 0 20]] k]",
    ),
    Signature(
        "helix",
        "Helix",
        parameters_of("r:mm rate start:deg arc:deg"),
        "Path",
        "Track about the Z axis at radius r, which climbs rate mm per degree. It begins at the angle "
        "start, height 0, and goes on for arc degrees.",
        "[helix 12 0.05 0 720]",
        program=_SECTION + "[sweep [helix 12 0.05 0 720] k]",
    ),
    Signature(
        "helix-res",
        "HelixRes",
        parameters_of("seg:deg r:mm rate start:deg arc:deg"),
        "Path",
        "As helix, drawn with a piece for every seg degrees.",
        "[helix-res 5 12 0.05 0 720]",
        program=_SECTION + "[sweep [helix-res 5 12 0.05 0 720] k]",
    ),
    Signature(
        "cam-path",
        "CamPath",
        parameters_of("r:mm knots:reals"),
        "Path",
        "Track about the Z axis at radius r, by its height over the angle. The knots are degrees and "
        "height in turn, the angles in order.",
        "[cam-path 12 #[0 0  90 8  180 8  270 0]]",
        program=_SECTION + "[sweep [cam-path 12 #[0 0  90 8  180 8  270 0]] k]",
    ),
    Signature(
        "cam-path-res",
        "CamPathRes",
        parameters_of("seg:deg r:mm knots:reals"),
        "Path",
        "As cam-path, drawn with a piece for every seg degrees.",
        "[cam-path-res 5 12 #[0 0  90 8  180 8  270 0]]",
        program=_SECTION + "[sweep [cam-path-res 5 12 #[0 0  90 8  180 8  270 0]] k]",
    ),
)
