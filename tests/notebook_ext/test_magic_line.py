"""What a magic line says."""

from __future__ import annotations

import pytest

from notebook_ext.magic_line import EXPORTED, inputs_named
from vcad_kernel.exchange.formats import SUFFIXES


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (" plate", []),
        (" plate -i width", ["width"]),
        (" -i width,depth -o plate --input height", ["width", "depth", "height"]),
        (" -i width, depth", ["width", "depth"]),
        (" -i", []),
        (" --input=width", ["width"]),
        (" -iwidth", ["width"]),
        (" -qi width", ["width"]),
    ],
)
def test_inputs_are_found_while_the_line_is_being_written(line: str, names: list[str]) -> None:
    assert inputs_named(line) == names


def test_the_formats_named_are_those_that_can_be_written() -> None:
    assert sorted(EXPORTED) == sorted(SUFFIXES)
