"""Solids that come from nothing but numbers: primitives, gears and letters."""

from __future__ import annotations

from typing import Final

from vcad_kernel.cad.signature import Signature, parameters_of, solid

__all__ = ["SHAPES"]

SHAPES: Final[tuple[Signature, ...]] = (
    solid(
        "cube",
        "Cube",
        "x:mm y:mm z:mm",
        "Box with one corner at the origin. It is not centred.",
        "[cube 50 30 5]",
    ),
    solid(
        "cylinder",
        "Cylinder",
        "r:mm h:mm",
        "Cylinder along +Z, base disc at z = 0. r is the radius, not the diameter.",
        "[cylinder 3 12]",
    ),
    solid("sphere", "Sphere", "r:mm", "Ball centred at the origin.", "[sphere 5]"),
    solid(
        "cone",
        "Cone",
        "rb:mm rt:mm h:mm",
        "Frustum along +Z from radius rb at z = 0 to rt at z = h; one radius may be 0.",
        "[cone 6 2 9]",
    ),
    solid(
        "torus",
        "Torus",
        "major:mm minor:mm",
        "Ring about the Z axis, centred at the origin. major reaches to the middle of the tube, minor is "
        "the radius of the tube.",
        "[torus 10 3]",
    ),
    solid(
        "wedge",
        "Wedge",
        "x:mm y:mm z:mm",
        "Ramp in the box from the origin to x y z. It is full height at x = 0 and ends in an edge at the "
        "other side.",
        "[wedge 30 20 10]",
    ),
    solid(
        "prism",
        "Prism",
        "n:count r:mm h:mm",
        "Regular prism of n sides along +Z, base at z = 0. r is the radius of the corners, one of which "
        "lies on +X.",
        "[prism 5 8 12]",
    ),
    solid(
        "polygon-prism",
        "PolygonPrism",
        "n:count r:mm h:mm",
        "Another name of prism. r is the radius of the corners.",
        "[polygon-prism 8 6 10]",
    ),
    solid(
        "hex-prism",
        "HexPrism",
        "af:mm h:mm",
        "Hexagonal prism along +Z, by its width across flats. A corner lies on +X.",
        "[hex-prism 13 8]",
    ),
    solid(
        "Empty",
        "Empty",
        "",
        "The empty solid. What a fold of unions starts from.",
        "[fold Empty union parts]",
        "[let parts #[[cube 9 9 9] [sphere 6]]]\n[fold Empty union parts]",
    ),
    solid(
        "cylinder-n",
        "CylinderN",
        "r:mm h:mm n:fidelity",
        "Cylinder as of cylinder, drawn with n sides. The body itself stays round.",
        "[cylinder-n 10 5 12]",
    ),
    solid(
        "sphere-n",
        "SphereN",
        "r:mm n:fidelity",
        "Ball as of sphere, drawn with n sides around. The body itself stays round.",
        "[sphere-n 8 16]",
    ),
    solid(
        "cone-n",
        "ConeN",
        "rb:mm rt:mm h:mm n:fidelity",
        "Frustum as of cone, drawn with n sides. The body itself stays round.",
        "[cone-n 8 3 10 12]",
    ),
    solid(
        "torus-n",
        "TorusN",
        "major:mm minor:mm n:fidelity",
        "Ring as of torus, drawn with n sides around. The body itself stays round.",
        "[torus-n 10 3 16]",
    ),
    solid(
        "gear",
        "Gear",
        "module:mm teeth:count width:mm",
        "Involute spur gear along +Z from z = 0, pressure angle 20 degrees. The pitch circle has the "
        "diameter module · teeth; the tips stand one module above it.",
        "[gear 2 20 6]",
    ),
    solid(
        "gear-backlash",
        "GearBacklash",
        "module:mm teeth:count width:mm backlash:mm",
        "As gear, with each tooth thinner by the backlash along the pitch circle.",
        "[gear-backlash 2 20 6 0.1]",
    ),
    solid(
        "gear-n",
        "GearN",
        "module:mm teeth:count width:mm n:fidelity",
        "As gear, with n points along each flank of the mesh.",
        "[gear-n 2 20 6 12]",
    ),
    solid(
        "gear-backlash-n",
        "GearBacklashN",
        "module:mm teeth:count width:mm backlash:mm n:fidelity",
        "As gear-backlash, with n points along each flank of the mesh.",
        "[gear-backlash-n 2 20 6 0.1 12]",
    ),
    solid(
        "ring-gear",
        "RingGear",
        "module:mm teeth:count width:mm",
        "What a ring gear has inside: the bore to cut out of a disc with difference. Its pitch circle is "
        "that of the gear of as many teeth, pressure angle 20 degrees.",
        "[ring-gear 2 18 6]",
        "[pipe [cylinder 24 6] [difference [ring-gear 2 18 6]]]",
    ),
    solid(
        "ring-gear-backlash",
        "RingGearBacklash",
        "module:mm teeth:count width:mm backlash:mm",
        "As ring-gear, with each tooth thinner by the backlash along the pitch circle.",
        "[ring-gear-backlash 2 18 6 0.1]",
        "[pipe [cylinder 24 6] [difference [ring-gear-backlash 2 18 6 0.1]]]",
    ),
    solid(
        "ring-gear-n",
        "RingGearN",
        "module:mm teeth:count width:mm n:fidelity",
        "As ring-gear, with n points along each flank of the mesh.",
        "[ring-gear-n 2 18 6 12]",
        "[pipe [cylinder 24 6] [difference [ring-gear-n 2 18 6 12]]]",
    ),
    solid(
        "ring-gear-backlash-n",
        "RingGearBacklashN",
        "module:mm teeth:count width:mm backlash:mm n:fidelity",
        "As ring-gear-backlash, with n points along each flank of the mesh.",
        "[ring-gear-backlash-n 2 18 6 0.1 12]",
        "[pipe [cylinder 24 6] [difference [ring-gear-backlash-n 2 18 6 0.1 12]]]",
    ),
    Signature(
        "text",
        "Text",
        parameters_of("size:mm height:mm text:text"),
        "Solid",
        "Letters standing on the X axis from the origin, raised from z = 0. size is the height of a "
        "capital letter.",
        '[text 8 2 "VCAD"]',
        subject_last=True,
    ),
)
