"""What the code knows already is in the contracts as it is in the code."""

from __future__ import annotations

from pathlib import Path

import pytest

import vcad_kernel.contracts
from tools.contracts import GENERATED, text
from vcad_kernel.contracts.validation import VERSION

FOLDER = Path(vcad_kernel.contracts.__file__).parent / VERSION


@pytest.mark.parametrize("name", GENERATED)
def test_options_questions_and_errors_are_in_the_schemas_as_in_the_code(name: str) -> None:
    written = (FOLDER / f"{name}.schema.json").read_text("utf-8")
    assert written == text(GENERATED[name]()) + "\n", "run `make reference`"
