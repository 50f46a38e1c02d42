"""The specification, statement by statement: each probe in ``specification/`` holds.

A probe is a line ``program ⇒ outcome`` under the heading of its section. The outcome is the display form
of the value, with ``| text`` what is printed, or ``! class`` of the error; in inferred.txt the type of
what is bound last, in checked.txt the codes of all findings, or ``ok``. ``⏎`` stands for the end of a
line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.loon_cases import run_case
from tests.loon.evaluation import error_of
from vcad_kernel.errors import LoonError
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.runtime.faults import class_of
from vcad_kernel.loon.source import Source

_FOLDER = Path(__file__).parent / "specification"


def probes(*names: str) -> list[tuple[str, str, str]]:
    """Section, program and outcome of each probe of files."""
    return [probe for name in names for probe in _probes(name)]


def _probes(name: str) -> Iterator[tuple[str, str, str]]:
    section = ""
    for line in (_FOLDER / f"{name}.txt").read_text("utf-8").splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif line.strip():
            program, _, outcome = line.rpartition("⇒")
            yield section, program.strip().replace("⏎", "\n"), outcome.strip()


def outcome(text: str) -> str:
    """What comes of a program, as a probe states it. What a failing program printed is left out."""
    out: list[str] = []
    try:
        value = display(Environment(stdout=out.append).run(Source("probe.oo", text)))
    except LoonError as error:
        return f"! {class_of(error)}"
    printed = "".join(out).removesuffix("\n")
    return (f"{value} | {printed}" if out else value).replace("\n", "⏎").rstrip()


@pytest.mark.parametrize(
    ("section", "program", "expected"), probes("reading", "forms", "builtins", "macros_effects_types")
)
def test_a_program_gives_what_the_specification_says(section: str, program: str, expected: str) -> None:
    assert outcome(program) == expected, section


@pytest.mark.parametrize(("section", "program", "expected"), probes("inferred"))
def test_a_type_is_what_the_specification_says(section: str, program: str, expected: str) -> None:
    wanted = {"error": expected.removeprefix("! ")} if expected.startswith("!") else {"type": expected}
    found = run_case({"id": section, "mode": "infer", "source": program, **wanted})
    assert found.got == found.expected, section


@pytest.mark.parametrize(("section", "program", "expected"), probes("checked"))
def test_findings_are_what_the_specification_says(section: str, program: str, expected: str) -> None:
    codes = [] if expected == "ok" else expected.split()
    found = run_case({"id": section, "mode": "check", "source": program, "codes": codes})
    assert found.got == found.expected, section


def test_a_failed_assertion_shows_both_values_in_three_lines() -> None:
    lines = error_of('[assert-eq #[1 "a"] 2.0]').message.splitlines()
    assert lines == ["assert-eq failed:", "  expected: 2", '  actual:   #[1 "a"]']
