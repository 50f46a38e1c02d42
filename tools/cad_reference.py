"""Writes docs/cad.md from the signatures of the CAD library: ``make reference``."""

from __future__ import annotations

from pathlib import Path

from vcad_kernel.cad.reference import SECTIONS
from vcad_kernel.cad.signatures import FUNCTIONS, Parameter, Signature
from vcad_kernel.loon.reference_entries.table import ENTRIES as LANGUAGE

__all__ = ["PAGE", "SECTIONS", "reference"]

PAGE = Path(__file__).parents[1] / "docs" / "cad.md"

HEAD = """# CAD reference

Generated from `vcad_kernel/cad/signatures.py` by `make reference`; every example is run by the tests.
Lengths are millimetres, angles degrees, Z is up. Whole numbers and floats are both welcome. The last
argument is what a function works on.
"""

PARAMETERS = f"""## Parameters

{LANGUAGE["defparam"].doc}

```loon
[defparam width 40.0 {{:unit "mm" :min 10 :max 80 :step 1 :doc "outer width"}}]
[cube width 30 5]
```

In a notebook every parameter has a slider below the view of its cell, `part.parameters` tells what there
is, and `session.set_parameter("width", 50)` runs the cell again with another value. Only the newest value
of a dragged slider is worked on. Cells that use the part are not run again: run them when the value is
right. A value that cannot be built leaves the part as it was. `%%loon bar --param width=50` starts with
another value, and so does `vcad run bar.oo -p width=50`; running the cell without it takes the defaults.
Parameters of a module that is used keep their defaults: only those of the text that runs can be set.
"""


def reference() -> str:
    """The whole page."""
    sections = [_section(title, intro, names) for title, intro, names in SECTIONS]
    return "\n".join([HEAD, *sections, PARAMETERS])


def _section(title: str, intro: str, names: tuple[str, ...]) -> str:
    entries = [_entry(FUNCTIONS[name]) for name in names]
    return "\n".join([f"## {title}\n", *([f"{intro}\n"] if intro else []), *entries])


def _entry(signature: Signature) -> str:
    arguments = ", ".join(_argument(parameter) for parameter in signature.parameters)
    lines = [f"### `{signature.usage}`\n", signature.doc + (f" {arguments}." if arguments else ""), ""]
    # a block of Loon is run by the tests, which have no such file
    language = "text" if signature.name.startswith("import-") else "loon"
    return "\n".join([*lines, f"```{language}", signature.program or signature.example, "```", ""])


def _argument(parameter: Parameter) -> str:
    return f"`{parameter.name}`: {parameter.unit or parameter.kind.value}"


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
