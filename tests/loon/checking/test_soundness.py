"""A program without findings on its types raises none of the errors that types are there to prevent."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings

from tests.loon.checking.pipeline import checked
from tests.loon.checking.programs import programs
from vcad_kernel.errors import LoonError
from vcad_kernel.loon.compile import Environment
from vcad_kernel.loon.runtime.faults import class_of
from vcad_kernel.loon.source import Source

_PREVENTED = {"type", "arity", "not-callable", "unbound-symbol", "no-match"}
_seen: Counter[str] = Counter()


def _outcome(text: str) -> str | None:
    """The class of error that a program ends in."""
    try:
        Environment(stdout=lambda _: None).run(Source("program.oo", text))
    except LoonError as error:
        return class_of(error)
    return None


@settings(max_examples=100)
@given(programs())
def test_a_program_without_type_findings_raises_no_type_error(text: str) -> None:
    findings = [one for one in checked(text).diagnostics if one.code.startswith("E02")]
    failure = _outcome(text)
    _seen["accepted" if not findings else "refused"] += 1
    if not findings:
        assert failure not in _PREVENTED, text


def test_the_programs_tried_are_of_all_kinds() -> None:
    test_a_program_without_type_findings_raises_no_type_error()
    assert _seen["accepted"] > 50
    assert _seen["refused"] > 20
