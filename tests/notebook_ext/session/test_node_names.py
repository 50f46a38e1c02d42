"""Names of parts as SketchUp's side takes them."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from notebook_ext.session.node_names import name_of, node_id_of

IDENTIFIERS = st.text(min_size=1, max_size=20).filter(str.isidentifier)


@given(IDENTIFIERS)
def test_every_python_name_has_an_id_that_gives_it_back(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9._:-]+", node_id_of(name))
    assert name_of(node_id_of(name)) == name
    assert node_id_of(node_id_of(name)) == node_id_of(name)


def test_plain_names_stay_as_they_are() -> None:
    assert node_id_of("wall_plate_2") == "wall_plate_2"
    assert node_id_of("träger") == "tr:e4:ger"


def test_an_id_that_somebody_else_has_chosen_has_a_name_too() -> None:
    assert name_of("a:ffffff:b") == "a:ffffff:b"
    assert name_of("a:10ffff:b") == "a\U0010ffffb"
