"""What is offered within maps that are arguments: selections, and the options of parameters."""

from __future__ import annotations

import pytest

from vcad_kernel.cad.parameters import Declarations
from vcad_kernel.cad.reference import ALL
from vcad_kernel.loon.analysis import complete
from vcad_kernel.loon.analysis.knowledge import KnownEntries
from vcad_kernel.loon.runtime.collections import Map
from vcad_kernel.loon.runtime.values import Keyword

WORLD = KnownEntries(ALL)


def labels(marked: str) -> list[str]:
    text, _, rest = marked.partition("‸")
    return [item.label for item in complete(text + rest, len(text), WORLD).items]


@pytest.mark.parametrize(
    ("marked", "first"),
    [
        ("[fillet-at 1 {‸}]", ":above"),
        ("[fillet-at 1 {:‸} part]", ":above"),
        ("[fillet-at 1 {:pa‸} part]", ":parallel"),
        ("[fillet-at 1 {:kind :c‸} part]", ":circle"),
        ("[fillet-at 1 {:kind ‸} part]", ":circle"),
        ("[shell-open 1 {:no‸", ":normal"),
        ("[pipe part [fillet-at 1 {:parallel #[0 0 1] :len‸}]]", ":length"),
        ("[fillet-at 1 :‸", ":all"),
        ("[fillet-at 1 :t‸ part]", ":top"),
        ("[pipe part [shell-open 2 :b‸]]", ":back"),
        ("[fillet-at 1 {:adjacent :‸} part]", ":all"),
        ("[fillet-at 1 {:adjacent {:no‸}} part]", ":normal"),
        ("[fillet-at 1 {:or (:top :b‸)} part]", ":back"),
        ("[fillet-at 1 {:or (:top {:len‸})} part]", ":length"),
        ("[fillet-at 1 {:not {:between (:le‸)}} part]", ":left"),
        ("[fillet-at 1 {:nth 0 :sort-by :‸} part]", ":length"),
        ("[shell-open 1 {:nth 0 :sort-by :a‸} part]", ":area"),
        ("[fillet-at 1 {:parallel :‸} part]", ":x"),
        ("[defparam w 3 {:‸", ":doc"),
        ("[defparam w 3 {:min 2 :m‸}]", ":max"),
    ],
)
def test_a_map_that_is_an_argument_is_completed_with_its_keys(marked: str, first: str) -> None:
    offered = labels(marked)
    assert offered[0] == first
    assert all(label.startswith(":") for label in offered)


def test_a_key_that_is_there_is_not_offered_again() -> None:
    assert ":min" not in labels("[defparam w 3 {:min 2 :‸}]")


def test_elsewhere_a_map_is_completed_as_any_expression() -> None:
    assert "cube" in labels("[let m {:part cu‸}]")
    assert labels("{:‸}") == []


def test_the_options_of_a_parameter_that_are_offered_are_those_it_has() -> None:
    for option in labels("[defparam w 3 {:‸}]"):
        value = {":unit": "mm", ":doc": "mm", ":whole": True}.get(option, 3)
        Declarations().declare("w", 3, Map([(Keyword(option[1:]), value)]))
