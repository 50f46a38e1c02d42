"""What is done to solids: booleans, transforms, patterns, features and selections."""

from __future__ import annotations

from typing import Final

from vcad_kernel.cad.signature import Signature, parameters_of, solid

__all__ = ["OPERATIONS"]

OPERATIONS: Final[tuple[Signature, ...]] = (
    solid(
        "union",
        "Union",
        "other:solid s:solid",
        "The solid together with another.",
        "[pipe [cube 9 9 9] [union [sphere 6]]]",
    ),
    solid(
        "difference",
        "Difference",
        "tool:solid s:solid",
        "The solid with the tool cut away. The tool comes first, so that a pipe reads well.",
        "[pipe [cube 9 9 9] [difference [sphere 6]]]",
    ),
    solid(
        "intersection",
        "Intersection",
        "other:solid s:solid",
        "What the solid shares with another.",
        "[pipe [cube 9 9 9] [intersection [sphere 6]]]",
    ),
    solid(
        "translate",
        "Translate",
        "x:mm y:mm z:mm s:solid",
        "The solid moved.",
        "[translate 10 0 5 [cube 4 4 4]]",
    ),
    solid(
        "rotate",
        "Rotate",
        "x:deg y:deg z:deg s:solid",
        "The solid turned about the world origin: about z first, then y, then x; counter-clockwise seen "
        "from the tip of the axis.",
        "[rotate 0 0 90 [cube 1 2 3]]",
    ),
    solid(
        "scale",
        "Scale",
        "x y z s:solid",
        "The solid stretched about the world origin; a negative factor mirrors.",
        "[scale 1 1 2 [sphere 5]]",
    ),
    solid(
        "mirror",
        "Mirror",
        "ox:mm oy:mm oz:mm nx ny nz s:solid",
        "The solid reflected in the plane through o with normal n. The length of the normal does not matter.",
        "[mirror 5 0 0 1 0 0 [wedge 4 3 2]]",
    ),
    solid(
        "mirror-x",
        "MirrorX",
        "s:solid",
        "The solid reflected in the plane x = 0.",
        "[mirror-x [wedge 4 3 2]]",
    ),
    solid(
        "mirror-y",
        "MirrorY",
        "s:solid",
        "The solid reflected in the plane y = 0.",
        "[mirror-y [wedge 4 3 2]]",
    ),
    solid(
        "mirror-z",
        "MirrorZ",
        "s:solid",
        "The solid reflected in the plane z = 0.",
        "[mirror-z [wedge 4 3 2]]",
    ),
    solid(
        "linear-pattern",
        "LinearPattern",
        "dx dy dz count:count spacing:mm s:solid",
        "count copies, spacing apart along a direction. The original counts; the length of the "
        "direction does not matter.",
        "[linear-pattern 1 0 0 4 20 [cylinder 3 9]]",
    ),
    solid(
        "circular-pattern",
        "CircularPattern",
        "ox:mm oy:mm oz:mm ax ay az count:count angle:deg s:solid",
        "count copies about an axis through o along a, angle / count apart. The original counts: 4 "
        "copies over 90 degrees stand at 0, 22.5, 45 and 67.5.",
        "[circular-pattern 0 0 0 0 0 1 6 360 [translate 20 0 0 [cylinder 3 5]]]",
    ),
    solid(
        "mirror-pattern",
        "MirrorPattern",
        "nx ny nz s:solid",
        "The solid together with its reflection in the plane through the origin with normal n.",
        "[mirror-pattern 1 1 0 [wedge 9 3 2]]",
    ),
    solid(
        "mirror-pattern-x",
        "MirrorPatternX",
        "s:solid",
        "The solid together with its reflection in the plane x = 0.",
        "[mirror-pattern-x [wedge 9 3 2]]",
    ),
    solid(
        "mirror-pattern-y",
        "MirrorPatternY",
        "s:solid",
        "The solid together with its reflection in the plane y = 0.",
        "[mirror-pattern-y [wedge 9 3 2]]",
    ),
    solid(
        "mirror-pattern-z",
        "MirrorPatternZ",
        "s:solid",
        "The solid together with its reflection in the plane z = 0.",
        "[mirror-pattern-z [wedge 9 3 2]]",
    ),
    solid(
        "quad-pattern",
        "QuadPattern",
        "s:solid",
        "The solid with its reflections in the planes x = 0 and y = 0: one in each quadrant.",
        "[quad-pattern [translate 10 8 0 [cylinder 3 5]]]",
    ),
    solid(
        "fillet",
        "Fillet",
        "r:mm s:solid",
        "Every sharp edge rounded by a rolling ball of radius r. Inner edges are filled. A radius of "
        "half the thinnest wall or more cannot be built.",
        "[fillet 1 [cube 10 10 10]]",
    ),
    solid(
        "chamfer",
        "Chamfer",
        "d:mm s:solid",
        "Every sharp edge bevelled, setback d on both faces.",
        "[chamfer 1 [cube 10 10 10]]",
    ),
    solid(
        "shell",
        "Shell",
        "t:mm s:solid",
        "The solid hollowed out, wall t inwards, no face opened. For an open tray cut the hollow with "
        "difference.",
        "[shell 2 [cube 40 30 20]]",
    ),
    solid(
        "fillet-at",
        "FilletAt",
        "r:mm which:edges s:solid",
        "The selected edges rounded by a rolling ball of radius r. Selecting none is an error.",
        "[fillet-at 2 {:parallel #[0 0 1]} [cube 20 15 10]]",
    ),
    solid(
        "fillet-vary",
        "FilletVary",
        "r1:mm r2:mm which:edges s:solid",
        "The selected edges rounded, the radius going from r1 to r2 along each. r2 is at the end that is "
        "further in x, then y, then z.",
        "[fillet-vary 1 3 {:at {:y 0 :z 10}} [cube 20 15 10]]",
    ),
    solid(
        "chamfer-at",
        "ChamferAt",
        "d:mm which:edges s:solid",
        "The selected edges bevelled, setback d on both faces. Selecting none is an error.",
        "[chamfer-at 1.5 {:above {:z 9}} [cube 20 15 10]]",
    ),
    solid(
        "shell-open",
        "ShellOpen",
        "t:mm which:faces s:solid",
        "The solid hollowed out, wall t inwards, with the selected faces open.",
        "[shell-open 2 {:normal #[0 0 1]} [cube 40 30 20]]",
    ),
    solid(
        "draft",
        "Draft",
        "ox:mm oy:mm oz:mm nx ny nz angle:deg which:faces s:solid",
        "The selected faces tilted about where they meet the plane through o. Its normal n is the pull "
        "direction, along which a positive angle makes the body thinner.",
        "[draft 0 0 0 0 0 1 5 {:normal #[1 0 0]} [cube 20 15 10]]",
    ),
    Signature(
        "edges",
        "Edges",
        parameters_of("which:edges s:solid"),
        "Selection",
        "Edges of a solid, as a value that stands for its criteria. It may be given wherever a map of "
        "criteria may.",
        "[edges {:parallel #[0 0 1]} box]",
        subject_last=True,
        program="[let box [cube 20 15 10]]\n"
        "[let upright [edges {:parallel #[0 0 1]} box]]\n"
        "[fillet-at 2 upright box]",
    ),
    Signature(
        "faces",
        "Faces",
        parameters_of("which:faces s:solid"),
        "Selection",
        "Faces of a solid, as a value that stands for its criteria. It may be given wherever a map of "
        "criteria may.",
        "[faces {:normal #[0 0 1]} box]",
        subject_last=True,
        program="[let box [cube 20 15 10]]\n[let top [faces {:normal #[0 0 1]} box]]\n[shell-open 2 top box]",
    ),
    solid(
        "hull",
        "Hull",
        "s:solid",
        "The smallest convex solid that holds this one.",
        "[hull [union [translate 20 0 0 [sphere 3]] [cylinder 6 4]]]",
    ),
    solid(
        "offset",
        "Offset",
        "d:mm s:solid",
        "The solid grown by d, with convex edges rounded. A negative d shrinks it, with sharp edges.",
        "[offset 2 [cube 10 8 6]]",
    ),
    solid(
        "section",
        "Section",
        "ox:mm oy:mm oz:mm nx ny nz s:solid",
        "What is left behind a cut along the plane through o. The side that the normal n points to is gone.",
        "[section 0 0 0 0 1 0 [shell 2 [sphere 10]]]",
    ),
)
