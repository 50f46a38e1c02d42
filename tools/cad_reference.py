"""Writes docs/cad.md from the signatures of the CAD library: ``make reference``."""

from __future__ import annotations

from pathlib import Path

from vcad_kernel.cad.signatures import FUNCTIONS, Parameter, Signature

PAGE = Path(__file__).parents[1] / "docs" / "cad.md"

SECTIONS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "Primitives",
        "Only the cube has a corner at the origin, and only the sphere is centred on it; "
        "cylinder and cone stand on z = 0.",
        ("cube", "cylinder", "sphere", "cone", "Empty"),
    ),
    (
        "Booleans",
        "Regularised: what is thinner than a solid vanishes. An empty result is no error.",
        ("union", "difference", "intersection"),
    ),
    ("Transforms", "About the world origin.", ("translate", "rotate", "scale")),
    (
        "Patterns",
        "The count includes the original. Overlapping copies fuse; copies that do not touch are one part "
        "all the same.",
        ("linear-pattern", "circular-pattern"),
    ),
    (
        "Sketches and swept solids",
        "A sketch is a closed chain of segments on a plane, in order, end to start. Its axes are directions: "
        "their length does not scale it.",
        ("line", "arc", "sketch", "extrude", "revolve", "sweep-line", "sweep-helix", "loft", "loft-closed"),
    ),
    ("Meshes", "", ("ImportedMesh",)),
    (
        "Scenes and materials",
        "A cell may end in a solid, in a `root`, or in a vector of roots, solids and materials.",
        ("root", "material"),
    ),
    (
        "What needs the exact kernel",
        "These are part of the library and check their arguments; until the exact kernel arrives they answer "
        "`CAPABILITY_UNAVAILABLE`.",
        ("fillet", "chamfer", "shell"),
    ),
)

HEAD = """# CAD reference

Generated from `vcad_kernel/cad/signatures.py` by `make reference`; every example is run by the tests.
Lengths are millimetres, angles degrees, Z is up. Whole numbers and floats are both welcome. The last
argument is what a function works on.

The examples use these names:

```loon
[let k [sketch 0 0 0  1 0 0  0 0 1 #[[line 2 0 6 0] [line 6 0 2 8] [line 2 8 2 0]]]]
[fn square [z half]
  [sketch 0 0 z  1 0 0  0 1 0
    #[[line [- 0 half] [- 0 half] half [- 0 half]] [line half [- 0 half] half half]
      [line half half [- 0 half] half] [line [- 0 half] half [- 0 half] [- 0 half]]]]]
[let bottom [square 0 6]] [let top [square 9 3]]
[fn leaf [turn]
  [let [x y] [nth #[(1 0) (-0.5 0.866) (-0.5 -0.866)] turn]]
  [sketch 0 0 0  x y 0  0 0 1 #[[line 8 0 12 0] [line 12 0 12 3] [line 12 3 8 0]]]]
[let a [leaf 0]] [let b [leaf 1]] [let c [leaf 2]]
[let parts #[[cube 1 1 1] [sphere 2]]]
[let positions #[0 0 0  9 0 0  0 9 0  0 0 9]] [let indices #[0 2 1  0 1 3  0 3 2  1 2 3]]
```
"""


def reference() -> str:
    """The whole page."""
    sections = [_section(title, intro, names) for title, intro, names in SECTIONS]
    return "\n".join([HEAD, *sections])


def _section(title: str, intro: str, names: tuple[str, ...]) -> str:
    language = "text" if title.startswith("What needs") else "loon"
    entries = [_entry(FUNCTIONS[name], language) for name in names]
    return "\n".join([f"## {title}\n", *([f"{intro}\n"] if intro else []), *entries])


def _entry(signature: Signature, language: str) -> str:
    arguments = ", ".join(_argument(parameter) for parameter in signature.parameters)
    lines = [f"### `{signature.usage}`\n", signature.doc + (f" {arguments}." if arguments else ""), ""]
    return "\n".join([*lines, f"```{language}", signature.example, "```", ""])


def _argument(parameter: Parameter) -> str:
    return f"`{parameter.name}`: {parameter.unit or parameter.kind.value}"


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
