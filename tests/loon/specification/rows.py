"""Probes of the specification, one a line: ``program ⇒ value``, or ``⇒ ! class`` for an error.

``| text`` at the end is what it prints. ``⏎`` stands for the end of a line.
"""

from __future__ import annotations

from collections.abc import Mapping

from vcad_kernel.errors import LoonError
from vcad_kernel.loon.compile import Environment
from vcad_kernel.loon.display import display
from vcad_kernel.loon.runtime.faults import class_of
from vcad_kernel.loon.source import Source

__all__ = ["outcome", "probes"]


def probes(sections: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Section, program and expected outcome of each probe."""
    found = []
    for section, lines in sections.items():
        for line in lines.splitlines():
            if line.strip():
                program, _, expected = line.strip().rpartition("⇒")
                found.append((section, program.strip().replace("⏎", "\n"), expected.strip()))
    return found


def outcome(text: str) -> str:
    """What comes of a program, as a probe states it. What a failing program printed is left out."""
    out: list[str] = []
    try:
        value = display(Environment(stdout=out.append).run(Source("probe.oo", text)))
    except LoonError as error:
        return f"! {class_of(error)}"
    printed = "".join(out).removesuffix("\n")
    return (f"{value} | {printed}" if out else value).replace("\n", "⏎").rstrip()
