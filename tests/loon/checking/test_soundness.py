"""A program without findings on its types raises none of the errors that types are there to prevent."""

from __future__ import annotations

from hypothesis import Phase, find, given, settings

from tests.loon.checking.pipeline import checked
from tests.loon.checking.programs import programs
from tests.tiers import examples
from vcad_kernel.errors import LoonError
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.runtime.faults import class_of
from vcad_kernel.loon.source import Source

_PREVENTED = {"type", "arity", "not-callable", "unbound-symbol", "no-match"}


def _is_accepted(text: str) -> bool:
    """Whether there is no finding on a program's types."""
    return not any(one.code.startswith("E02") for one in checked(text).diagnostics)


def _outcome(text: str) -> str | None:
    """The class of error that a program ends in."""
    try:
        Environment(stdout=lambda _: None).run(Source("program.oo", text))
    except LoonError as error:
        return class_of(error)
    return None


@examples(60)
@given(programs())
def test_a_program_without_type_findings_raises_no_type_error(text: str) -> None:
    failure = _outcome(text)
    if _is_accepted(text):
        assert failure not in _PREVENTED, text


def test_programs_of_both_kinds_are_tried() -> None:
    any_one = settings(max_examples=500, deadline=None, phases=[Phase.generate])  # it ends with the first
    find(programs(), lambda text: _is_accepted(text) and "[map" in text, settings=any_one)
    find(programs(), lambda text: not _is_accepted(text) and _outcome(text) in _PREVENTED, settings=any_one)
