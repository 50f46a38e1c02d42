"""Shorthands of the language tests: run a text, show its value, or catch what it raises."""

from __future__ import annotations

from typing import Any

import pytest

from vcad_kernel.errors import LoonError, VcadError
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.runtime.faults import class_of
from vcad_kernel.loon.source import Source

__all__ = ["error_class", "error_of", "printed_by", "shown", "value_of"]


def value_of(text: str, environment: Environment | None = None) -> Any:
    """The value of a program."""
    return (environment or Environment()).run(Source("test.oo", text))


def shown(text: str) -> str:
    """The display form of a program's value."""
    return display(value_of(text))


def printed_by(text: str) -> str:
    """What a program prints."""
    out: list[str] = []
    Environment(stdout=out.append).run(Source("test.oo", text))
    return "".join(out)


def error_of(text: str, environment: Environment | None = None) -> VcadError:
    """The error that a program ends with."""
    with pytest.raises(VcadError) as caught:
        value_of(text, environment)
    return caught.value


def error_class(text: str) -> str:
    """The class of the error that a program ends with."""
    error = error_of(text)
    assert isinstance(error, LoonError)
    return class_of(error)
