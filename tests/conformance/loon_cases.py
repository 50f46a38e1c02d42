"""Run one case of the Loon format.

A program is evaluated and its value, output or error class compared; in mode ``infer`` the type of what
it binds last, in mode ``check`` the codes of all findings on it.
"""

from __future__ import annotations

from typing import Any

from tests.conformance.outcome import Outcome
from tests.loon.checking.pipeline import checked
from vcad_kernel.errors import CapabilityUnavailable, LoonError
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.runtime.faults import class_of
from vcad_kernel.loon.source import Source

__all__ = ["run_case"]


def run_case(case: dict[str, Any]) -> Outcome:
    """The outcome of a case; what this build cannot do yet is skipped with its capability."""
    expected = _expected(case)
    if case.get("mode") is not None:
        got = _described_check(case["mode"], case["source"])
        return Outcome("passed" if got == expected else "failed", expected, got)
    printed: list[str] = []
    environment = Environment(stdout=printed.append)
    try:
        value = display(environment.run(Source(case["id"], case["source"])))
    except CapabilityUnavailable as error:
        return Outcome("skipped", expected, f"capability {error.details['required_capability']}")
    except LoonError as error:
        got = f"error {class_of(error)}"
    else:
        got = _described(value, "".join(printed).removesuffix("\n"))
    return Outcome("passed" if got == expected else "failed", expected, got)


def _described_check(mode: str, text: str) -> str:
    """What the checker says, as a case expects it; errors of reading and expanding are findings too."""
    try:
        found = checked(text)
    except LoonError as error:
        code = error.code if error.code.startswith("E010") else "E0100"
        return str([code]) if mode == "check" else f"error {code}"
    if mode == "check":
        return str(list(dict.fromkeys(one.code for one in found.diagnostics)))
    for one in found.diagnostics:
        if not one.code.startswith(("W", "E03")):  # neither warnings nor ownership keep a type away
            return f"error {one.code}"
    return "no type" if found.last is None else found.bindings.get(found.last, "no type")


def _expected(case: dict[str, Any]) -> str:
    if "error" in case:
        return f"error {case['error']}"
    if case.get("mode") is not None:
        return str(case.get("type", case.get("codes")))
    return _described(case["value"], case.get("stdout", ""))


def _described(value: str, stdout: str) -> str:
    return f"value {value}" + (f", stdout {stdout!r}" if stdout else "")
