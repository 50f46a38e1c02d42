"""What designers write who know other CAD systems, and what the library has instead."""

from __future__ import annotations

from typing import Final

from vcad_kernel.loon.guesses import Guesses

__all__ = ["GUESSES"]

_CUBE = "write [cube x y z]"
_CYLINDER = "write [cylinder r h], with the radius first"
_CUT = "write [difference tool part]: what is cut comes last"
_JOIN = "write [union a b]"
_COMMON = "write [intersection a b]"
_HOLE = "write [drill :top {:d 5} #[#[x y]] part], for the face at the top"
_POCKET = "a pocket is a difference: [difference tool part]"
_COLOUR = 'write [paint "tomato" part], or [root :brass part] for a material that is known'
_RECT, _POINTS = "write [rect w h]", "write [polygon #[#[x y] #[x y] #[x y]]]"
_FRAME = "write [on :xz profile], or [on [face-plane SELECTION part] profile] for a face"
_LAST_VALUE = "leave it out: the value of the last form is the part, which is shown and can be exported"
_COIL = "write [sweep-helix radius pitch height turns sketch]"
_IMPORT = "write [use name] for a module; one takes nothing from SketchUp: import in the cell, pass it on"
_MM, _DEGREES = "lengths are mm", "angles are degrees"

GUESSES: Final = Guesses(
    {
        "import": _IMPORT,
        **dict.fromkeys(
            ("box", "Box", "cuboid", "Cuboid", "block", "brick", "plate", "makeBox"), _CUBE
        ),
        **dict.fromkeys(("cyl", "Cyl", "rod", "disc", "disk", "makeCylinder", "pin", "shaft"), _CYLINDER),
        **dict.fromkeys(("ball", "Ball", "makeSphere"), "write [sphere r]"),
        "tube": "write [difference [cylinder inner h] [cylinder outer h]]",
        **dict.fromkeys(("donut", "toroid"), "write [torus major minor]"),
        **dict.fromkeys(("move", "moved", "Pos", "Location", "shift", "at"), "write [translate x y z part]"),
        **dict.fromkeys(("turn", "Rot", "rotated"), "write [rotate x y z part], in degrees"),
        **dict.fromkeys(("subtract", "cut", "minus", "sub", "remove-from"), _CUT),
        **dict.fromkeys(("fuse", "add", "combine", "weld", "unite", "plus"), _JOIN),
        **dict.fromkeys(("intersect", "common"), _COMMON),
        **dict.fromkeys(("hole", "bore", "cbore", "csk", "Hole"), _HOLE),
        "pocket": _POCKET,
        **dict.fromkeys(("square", "rectangle", "Rectangle"), _RECT),
        **dict.fromkeys(("polyline", "Polyline"), _POINTS),
        **dict.fromkeys(("color", "colour", "Color", "colorize"), _COLOUR),
        **dict.fromkeys(("Workplane", "workplane", "BuildPart", "BuildSketch"), _FRAME),
        "module": "a part with parameters is a function: [fn plate [w h] [cube w h 5]]",
        **dict.fromkeys(("linear_extrude", "linear-extrude", "pad"), "write [pull height profile]"),
        **dict.fromkeys(
            ("rotate_extrude", "rotate-extrude", "lathe"), "write [spin 360 profile]"
        ),
        **dict.fromkeys(("rounded", "round-edges", "blend"), "write [fillet r part]"),
        **dict.fromkeys(("beveled", "bevelled"), "write [chamfer d part]"),
        **dict.fromkeys(("hollow", "shelled"), "write [shell t part]"),
        **dict.fromkeys(("pattern", "rect-array", "polar-array"), "write linear-pattern or circular-pattern"),
        **dict.fromkeys(("mirrored", "reflect", "flip"), "write [mirror-x part], mirror-y or mirror-z"),
        **dict.fromkeys(("resize", "scaled"), "write [scale x y z part]"),
        "minkowski": "write [offset d part] to grow a part on all sides",
        **dict.fromkeys(("spring", "screw", "coil"), _COIL),
        **dict.fromkeys(("hexagon", "hex", "nut"), "write [hex-prism af h], with the width across flats"),
        **dict.fromkeys(("show", "show_object", "render", "export", "save", "display"), _LAST_VALUE),
    },
    names={
        **dict.fromkeys(("box", "Box", "cuboid", "Cuboid", "block", "brick", "makeBox"), "cube"),
        **dict.fromkeys(("cyl", "Cyl", "rod", "disc", "disk", "makeCylinder"), "cylinder"),
        **dict.fromkeys(("ball", "Ball", "makeSphere"), "sphere"),
        **dict.fromkeys(("donut", "toroid"), "torus"),
        **dict.fromkeys(("move", "moved", "shift"), "translate"),
        **dict.fromkeys(("turn", "rotated"), "rotate"),
        **dict.fromkeys(("fuse", "combine", "unite"), "union"),
        **dict.fromkeys(("intersect", "common"), "intersection"),
        **dict.fromkeys(("rounded", "round-edges", "blend"), "fillet"),
        **dict.fromkeys(("beveled", "bevelled"), "chamfer"),
        **dict.fromkeys(("hollow", "shelled"), "shell"),
        **dict.fromkeys(("resize", "scaled"), "scale"),
    },
    syntax=frozenset({"module"}),
    units={
        "mm": (_MM, 1),
        "millimeter": (_MM, 1),
        "cm": (_MM, 10),
        "m": (_MM, 1000),
        "um": (_MM, 0.001),
        "in": (_MM, 25.4),
        "inch": (_MM, 25.4),
        "inches": (_MM, 25.4),
        "ft": (_MM, 304.8),
        "mil": (_MM, 0.0254),
        "thou": (_MM, 0.0254),
        "deg": (_DEGREES, 1),
        "degrees": (_DEGREES, 1),
        "rad": (_DEGREES, 57.29577951308232),
        "turn": (_DEGREES, 360),
    },
    of_a_vector={
        "union": "all of a vector: [union-all parts]",
        "intersection": "all of a vector: [intersection-all parts]",
        "difference": "all of a vector: [difference-all tools part]",
    },
    subject_last=frozenset({"difference"}),
)  # fmt: skip
