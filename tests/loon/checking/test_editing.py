"""A text that is checked again after an edit, and questions about places in it."""

from __future__ import annotations

import pytest

from tests.loon.checking.pipeline import cad, checked

_MODEL = """[fn hole [d h] [translate 0 0 -1 [cylinder d h]]]
[fn plate [w t] [pipe [cube w w t] [difference [hole 4 t]]]]
[let sizes #[10 20]]
[let parts [map [fn [w] [plate w 3]] sizes]]
[println [len parts]]
"""


def _said(text: str) -> list[tuple[str, int]]:
    return [(one.code, one.labels[0].span.start) for one in checked(text, cad()).diagnostics]


@pytest.mark.parametrize(
    ("before", "after", "codes", "place"),
    [
        ("[hole 4 t]", "[hole 4]", ["E0202"], "[hole 4]"),
        ("[fn hole [d h]", "[fn hole [d h x]", ["E0202"], "[hole 4 t]"),
        ("#[10 20]", '#["10" "20"]', ["E0200"], "sizes]]"),
        ("[fn plate [w t]", "[fn plaque [w t]", ["E0201"], "plate w 3"),
        ("[let sizes", "[let mut sizes", [], ""),
    ],
)
def test_an_edit_brings_up_what_it_breaks_wherever_that_is(
    before: str, after: str, codes: list[str], place: str
) -> None:
    assert _said(_MODEL) == []
    edited = _MODEL.replace(before, after)
    expected = [(code, edited.index(place)) for code in codes]
    assert [one for one in _said(edited) if not one[0].startswith("E03")] == expected
    assert _said(_MODEL) == [], "taking the edit back takes the findings back"


def test_findings_move_with_their_form() -> None:
    text = '[println 1]\n[+ 1 "a"]'
    assert _said(text) == [("E0200", text.index('"a"'))]
    moved = f"; a comment above\n[let before 1]\n{text}"
    assert _said(moved) == [("E0200", moved.index('"a"'))]


def test_a_function_may_come_to_need_one_that_needs_it() -> None:
    alone = "[fn f [n] [if [= n 0] 0 [g n]]]\n"
    assert _said(alone + "[fn g [n] n]") == []
    assert _said(alone + "[fn g [n] [f [- n 1]]]") == []
    assert _said(alone + "[fn g [n] [f [- n 1] 2]]")[0][0] == "E0202"
    assert checked(alone + "[fn g [n] [f [- n 1]]]").bindings["f"] == "Num → Num"


def test_the_same_text_says_the_same_with_other_definitions_around_it() -> None:
    first, second = checked("[fn f [x] [+ x 1]]").known, checked("[fn f [x] [str x]]").known
    for _ in range(2):
        assert checked("[let y [f 1]]", first).bindings["y"] == "Num"
        assert checked("[let y [f 1]]", second).bindings["y"] == "String"


@pytest.mark.parametrize(
    ("marked", "display"),
    [
        ("w t] [pipe", "a"),
        ("t]]]]\n[let sizes", "b"),
        ("sizes #[", "Vec Num"),
        ("#[10 20]", "Vec Num"),
        ("20]", "Num"),
        ("w] [plate w 3", "Num"),
        ("parts [map", "Vec Solid"),
        ("plate w 3", "Num → Num → Solid"),
        ("hole 4 t", "Num → b → Solid"),
    ],
)
def test_a_place_can_be_asked_for_its_type(marked: str, display: str) -> None:
    found = checked(_MODEL, cad()).type_at(_MODEL.index(marked))
    assert found is not None
    assert found.rpartition("=> ")[2].replace("b", "a") == display.replace("b", "a")


def test_a_place_between_forms_has_no_type() -> None:
    assert checked("[let a 1]\n\n\n[let b 2]").type_at(11) is None


def test_asking_for_a_type_changes_nothing() -> None:
    outcome = checked("[fn f [x] [g x]] [fn g [y] [+ y 1]]")
    before = dict(outcome.bindings)
    for offset in range(36):
        outcome.type_at(offset)
    assert outcome.bindings == before
