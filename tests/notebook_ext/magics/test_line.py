"""What a magic line says."""

from __future__ import annotations

import pytest
from IPython.core.error import UsageError

from notebook_ext.magics.line import EXPORTED, inputs_named, joined, python_name, words
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


@pytest.mark.parametrize("value", ["-1,2,3.5", "-1, 2, 3.5", "-1 2 3.5", "-1 2,3.5"])
def test_a_point_may_have_commas_or_blanks_and_begin_with_a_minus(value: str) -> None:
    assert joined(words(f"lid --push --at {value} -q"), "--at") == ["lid", "--push", "--at=-1,2,3.5", "-q"]


def test_a_name_after_a_point_is_no_part_of_it() -> None:
    assert joined(["--at", "1,2,3", "lid"], "--at") == ["--at=1,2,3", "lid"]


@pytest.mark.parametrize(
    ("name", "proposed"),
    [("wall-plate", "wall_plate"), ("3d", "_3d"), ("part;", "part"), ("class", "class_"), ("-", "part")],
)
def test_a_name_that_python_cannot_have_is_answered_with_one_it_can(name: str, proposed: str) -> None:
    with pytest.raises(UsageError) as refused:
        python_name(name, None)
    assert str(refused.value) == f"{name} is no Python name; write %%loon {proposed}"


def test_the_formats_named_are_those_that_can_be_written() -> None:
    assert sorted(EXPORTED) == sorted((*SUFFIXES, ".html"))
