"""Writes docs/cad.md from the records of the CAD library: ``make reference``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vcad_kernel.cad.reference import ENTRIES
from vcad_kernel.loon.reference import Key
from vcad_kernel.loon.reference_entries.table import ENTRIES as LANGUAGE
from vcad_kernel.operations.arguments import Argument
from vcad_kernel.operations.library import WORDS
from vcad_kernel.operations.record import Section
from vcad_kernel.operations.sections import SECTIONS, SELECTIONS
from vcad_kernel.operations.words import Word

__all__ = ["PAGE", "reference"]

PAGE = Path(__file__).parents[1] / "docs" / "cad.md"

HEAD = """# CAD reference

Generated from `vcad_kernel/operations` by `make reference`; every example is run by the tests.
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
of a dragged slider is worked on. Its stops lie :step apart, or about a hundredth of the range, or closer
where value or default would lie between two of them: a slider that nobody moves changes nothing. Cells
that use the part are not run again: run them when the value is right. A value that cannot be built leaves
the part as it was. `%%loon bar --param width=50` starts with another value, and so does
`vcad run bar.oo -p width=50`; running the cell without it takes the defaults.
Parameters of a module that is used keep their defaults: only those of the text that runs can be set.
"""


def reference() -> str:
    """The whole page."""
    return "\n".join([HEAD, *map(_section, SECTIONS), PARAMETERS])


def _section(section: Section) -> str:
    entries = [_entry(word) for word in WORDS.values() if word.records[0].section is section]
    return "\n".join([f"## {section.title}\n", *([f"{section.intro}\n"] if section.intro else []), *entries])


def _entry(word: Word) -> str:
    entry = ENTRIES[word.name]
    arguments = {
        argument.name: argument
        for form in word.shown
        for argument in form.arguments
        if argument.name != "options"
    }
    listed = ", ".join(_argument(word, argument) for argument in arguments.values())
    calls = "`, `".join(word.usage.split(" | "))
    lines = [f"### `{calls}`\n", word.doc + (f" {listed}." if listed else ""), ""]
    for name, keys in entry.keys.items():
        described = _described(keys)
        # those of selections stand once: with edges, and with faces
        if described in _SELECTIONS and (word.records[0].section is not SELECTIONS or name not in arguments):
            continue
        lines += [*described, ""] if described else []
    # a block of Loon is run by the tests, which have no such file
    language = "text" if word.name.startswith("import-") else "loon"
    return "\n".join([*lines, f"```{language}", entry.example, "```", ""])


def _described(keys: Sequence[Key]) -> list[str]:
    return [f"* `{key.name}`: {key.text}" for key in keys if key.text]


_SELECTIONS = [_described(ENTRIES[word].keys["which"]) for word in ("edges", "faces")]
"""What is said of the keys of selections."""


def _argument(word: Word, argument: Argument) -> str:
    return f"`{argument.name}`: {argument.unit or word.kinds_of(argument)}"


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
