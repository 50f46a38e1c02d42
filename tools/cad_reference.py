"""Writes docs/cad.md from the signatures of the CAD library: ``make reference``."""

from __future__ import annotations

from pathlib import Path

from vcad_kernel.cad.reference import SECTIONS
from vcad_kernel.cad.signatures import FUNCTIONS, Parameter, Signature

__all__ = ["PAGE", "SECTIONS", "reference"]

PAGE = Path(__file__).parents[1] / "docs" / "cad.md"

HEAD = """# CAD reference

Generated from `vcad_kernel/cad/signatures.py` by `make reference`; every example is run by the tests.
Lengths are millimetres, angles degrees, Z is up. Whole numbers and floats are both welcome. The last
argument is what a function works on.
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
    return "\n".join([*lines, f"```{language}", signature.program or signature.example, "```", ""])


def _argument(parameter: Parameter) -> str:
    return f"`{parameter.name}`: {parameter.unit or parameter.kind.value}"


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
