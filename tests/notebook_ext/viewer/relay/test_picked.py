"""A picked face is the same face after a change, or none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from notebook_ext.viewer.relay.nodes import Rows, named_nodes
from notebook_ext.viewer.relay.picked import Picked, found_again
from tests.notebook_ext.viewer.relay.conftest import body, rows_of

(NEW,) = named_nodes("bracket", [body("new")])


def face(made_by: str, center: tuple[float, ...], area: float = 10.0, radius: float | None = None) -> Any:
    kind = "plane" if radius is None else "cylinder"
    return {
        "kind": kind,
        "made_by": made_by,
        "center": center,
        "area": area,
        "radius": radius,
        "normal": None,
    }


def rows(*faces: Any) -> Rows:
    return replace(rows_of(), faces=faces)


def pick(row: Any, index: int = 0) -> Picked:
    return Picked("bracket", "old", "face", index, row=row)


def test_the_only_face_of_its_maker_is_found_wherever_it_is_now() -> None:
    before = face("drill", (0, 0, 0), radius=3.5)
    after = face("drill", (9, 0, 5), radius=4.0)
    again = found_again(pick(before), NEW, rows(face("cube", (0, 0, 0)), after))
    assert again is not None
    assert (again.digest, again.index, again.row) == ("new", 1, after)


def test_of_several_the_one_in_the_same_place_is_found() -> None:
    sides = [face("cube", (0, 0, 5)), face("cube", (0, 0, -5)), face("cube", (5, 0, 0), 20.0)]
    again = found_again(pick(sides[1], 1), NEW, rows(*reversed(sides)))
    assert again is not None
    assert again.index == 1


def test_what_could_be_several_is_picked_no_more() -> None:
    before = face("cube", (0, 0, 0))
    assert found_again(pick(before), NEW, rows(face("cube", (0, 0, 5)), face("cube", (0, 0, -5)))) is None


def test_what_is_gone_is_picked_no_more() -> None:
    before = face("drill", (0, 0, 0), radius=3.5)
    assert found_again(pick(before), NEW, rows(face("cube", (0, 0, 0)))) is None
    assert found_again(pick(before), None, None) is None


def test_a_part_stays_picked_and_a_face_waits_for_the_rows() -> None:
    part = found_again(Picked("bracket", "old", "part", 0), NEW, None)
    assert part is not None
    assert part.digest == "new"
    assert found_again(pick(face("drill", (0, 0, 0))), NEW, None) is None


def test_it_says_what_it_is() -> None:
    row = {**face("drill", (0, 0, 0), radius=3.5), "source": {"line": 4, "column": 1}}
    assert repr(pick(row, 4)) == "face 4 of bracket · cylinder r 3.5 · made by drill, line 4"
    assert repr(Picked("bracket", "d", "part", 0)) == "part bracket"
