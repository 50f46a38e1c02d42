"""Run one case of the Loon format: evaluate a program, compare its value, output or error class."""

from __future__ import annotations

from typing import Any

from tests.conformance.outcome import Outcome
from vcad_kernel.errors import CapabilityUnavailable, LoonError
from vcad_kernel.loon.compile import Environment
from vcad_kernel.loon.display import display
from vcad_kernel.loon.runtime.faults import class_of
from vcad_kernel.loon.source import Source

__all__ = ["run_case"]


def run_case(case: dict[str, Any]) -> Outcome:
    """The outcome of a case; what this build cannot do yet is skipped with its capability."""
    expected = _expected(case)
    if case.get("mode") is not None:
        return Outcome("skipped", expected, f"capability checker: mode {case['mode']}")
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


def _expected(case: dict[str, Any]) -> str:
    if "error" in case:
        return f"error {case['error']}"
    if case.get("mode") is not None:
        return str(case.get("type", case.get("codes")))
    return _described(case["value"], case.get("stdout", ""))


def _described(value: str, stdout: str) -> str:
    return f"value {value}" + (f", stdout {stdout!r}" if stdout else "")
