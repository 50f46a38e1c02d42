"""The chapters of the reference, in its order; a record says to which it belongs."""

from vcad_kernel.operations.record import Section

__all__ = [
    "BOOLEANS",
    "FEATURES",
    "FILES",
    "GEARS_AND_TEXT",
    "HOLES",
    "OLDER",
    "PATHS",
    "PATTERNS",
    "PEN",
    "PRIMITIVES",
    "PROFILES",
    "SCENES",
    "SECTIONS",
    "SELECTIONS",
    "SURFACES",
    "SWEEPS",
    "THREADS",
    "TRANSFORMS",
    "WHOLE_BODIES",
]

SECTIONS = (
    PRIMITIVES := Section(
        "Primitives",
        "Only cube and wedge have a corner at the origin, and only sphere and torus are centred on it; all "
        "others stand on z = 0. The forms that end in -n draw fewer or more sides; the body stays round.",
    ),
    BOOLEANS := Section(
        "Booleans",
        "Regularised: what is thinner than a solid vanishes. An empty result is no error.",
    ),
    TRANSFORMS := Section("Transforms", "About the world origin."),
    PATTERNS := Section(
        "Patterns",
        "The count includes the original. Overlapping copies fuse; copies that do not touch are one part "
        "all the same.",
    ),
    PROFILES := Section(
        "Profiles and what grows out of them",
        "A profile is a region of a plane, with any number of outlines and holes; it lies on XY until `on` "
        "places it. Its lines, arcs, ellipses and splines stay what they are, down to STEP. Booleans, "
        "transforms and patterns take profiles as they take solids.",
    ),
    PEN := Section(
        "Outlines drawn with a pen",
        "`outline` and `path-2d` draw from a point, step by step. Words in -to name the end, words in -by "
        "how far away it is. A corner or a bevel stands between the two steps whose corner it cuts.",
    ),
    HOLES := Section(
        "Holes",
        "Drilled into a plane face, against its normal. Places are in the face's frame: seen from outside, "
        "about the middle of the rectangle around its outer outline, y upwards, and on horizontal faces x "
        "along the world's X.",
    ),
    THREADS := Section(
        "Threads",
        "Metric screw threads, about +Z from z = 0. The middle of a ridge stands on +X there, of a rod and "
        "of what is cut for it, so that a rod fits into a hole of the same origin. A threaded hole in a "
        'plane face is `drill` with `{:tap "M8" :thread true}`.',
    ),
    SWEEPS := Section(
        "Sweeps and lofts",
        "What profiles become along a path, or from one to the next.",
    ),
    PATHS := Section(
        "Paths",
        "What sweep carries a profile along. On a line, a polyline or a spline the profile stands square to "
        "the path; about the Z axis, its x is the distance outwards from the track, its y the height above.",
    ),
    SURFACES := Section(
        "Surfaces",
        "A surface has no thickness: as the last value of a cell it is shown, with its area; `thicken` makes "
        "a solid of it.",
    ),
    FEATURES := Section(
        "Features",
        "They work on the merged body: faces that lie in one plane are one face. A feature that cannot be "
        "built says so, with the largest value that can.",
    ),
    SELECTIONS := Section(
        "Selections",
        "A selection is a word or a map of criteria, and is looked up anew whenever the solid is built. "
        "`:all` is everything; `:top` `:bottom` `:left` `:right` `:front` `:back` are the plane faces "
        "furthest out on that side of the world (left is -x, front is -y), and of edges those around "
        "such a face; `:inside` are the rims of holes, `:outside` the outer edges of plane faces. Each is "
        "short for a map: `:top` for `{:side :top}`, `:inside` for `{:inside true}`, `:all` for `{}`. "
        "All criteria of a map must hold, in whatever order they stand; then `:largest` and `:smallest`"
        " choose among what is left, then `:nth`, and at last `:chain` adds what runs on. Edges are the"
        " sharp ones. "
        "What takes nothing is an error (NO_MATCH), and what has criteria and takes everything a warning "
        "(SELECTS_ALL); both tell what there is to choose from.",
    ),
    WHOLE_BODIES := Section("Whole bodies", ""),
    GEARS_AND_TEXT := Section(
        "Gears and text",
        "Flanks are true involutes of the pressure angle 20 degrees. Gears of one module mesh when "
        "their axes are half the sum of their teeth times the module apart.",
    ),
    FILES := Section(
        "Meshes and files",
        "Files are looked for in the folder of the notebook or program, and nowhere outside of it.",
    ),
    SCENES := Section(
        "Scenes and materials",
        "A cell may end in a solid, in a `root`, or in a vector of roots, solids and materials.",
    ),
    OLDER := Section(
        "Older words",
        "They stay, and mean what they meant. Each names the word that says the same shorter today. A sketch "
        "is a closed chain of segments on a plane, in order, end to start; its axes are directions: their "
        "length does not scale it.",
    ),
)
