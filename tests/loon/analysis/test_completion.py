"""What is offered at a cursor, in whole and in half-typed texts."""

from __future__ import annotations

import pytest

from tests.loon.analysis.marked import WORLD, at_mark
from vcad_kernel.loon.analysis import Completions, complete


def completed(marked: str) -> Completions:
    return complete(*at_mark(marked), WORLD)


def labels(marked: str) -> list[str]:
    return [item.label for item in completed(marked).items]


@pytest.mark.parametrize(
    ("marked", "offered"),
    [
        ("[fn area [width height] [str wi‸", "width"),
        ("[fn area [width height] [str wi‸\n\n[let other 3]", "width"),
        ("[fn area [[width height]] [str wi‸]]", "width"),
        ("[fn area [{width 3}] [str wi‸]]", "width"),
        ("[fn area [& widths] [str wi‸]]", "widths"),
        ("[fn area ([a] 1) ([width height] [str wi‸]))]", "width"),
        ("[map [fn [width] [str wi‸]] v]", "width"),
        ("[fn f [] [let width 3] [str wi‸]]", "width"),
        ("[fn f [c] [if c [let width 3]] [str wi‸]]", "width"),
        ("[fn f [s] [match s [Some width] [str wi‸]]]", "width"),
        ("[fn f [s] [match s [Some [Some width]] [when [str wi‸]] 1]]", "width"),
        ("[fn f [s] [match s width wi‸]]", "width"),
        ("[handle [f] [Store.get width] [resume wi‸]]", "width"),
        ("[handle [f] [Store.get k] [resu‸]]", "resume"),
        ("[macro twice [width] `[do ~wi‸]]", "width"),
        ("[type Shape [Sq Float [fn area [width] [str wi‸]]]]", "width"),
        ('[fn f [width] "{wi‸}"]', "width"),
        ('[fn f [width] "a {[str wi‸]} b"]', "width"),
        ('[fn f [width] "a {[str wi‸', "width"),
        ("[fn f [width] `[str ~wi‸]]", "width"),
        ("[let width 3]\n[str wi‸]", "width"),
        ("[str [wi‸]]\n[fn width [] 3]", "width"),
        ("[fn outer [] [fn width [] 3]]\n[str wi‸]", "width"),
        ("[type Shape [Width Float]] [str Wi‸]", "Width"),
        ("[macro widen [x] `~x]\n[wi‸]", "widen"),
        ("[effect Store [fn get [k]]]\n[Store.‸]", "Store.get"),
        ("[effect Store [fn get [k]]]\n[handle 1 [Sto‸]]", "Store.get"),
        ("[impl Show Box [fn width [b] 1]]\n[map Box.‸]", "Box.width"),
        ("[Fa‸]", "Fail.fail"),
        ("[type V [P :x Int :y Int]]\n[fn f [p] [str p.‸]]", "p.y"),
        ("[use lib.plate :as p]\n[p.‸]", "p.hole"),
        ("[use lib.plate]\n[str lib.plate.t‸]", "lib.plate.thickness"),
        ("[use li‸]", "lib.plate"),
        ("[use ‸]", "screws"),
        ("[use lib.plate [ho‸]]", "hole"),
        ("{:width 3}\n[get m :w‸]", ":width"),
        ("{:width 3}\n[get m :‸]", ":width"),
        ("{:width 3}\n[get m ‸]", ":width"),
        ("{:width 3}\n[let {wi‸", "width"),
        ("[let {a ‸} 3]", "len"),
        ("[match s ‸]", "None"),
        ("[type T Round]\n[match s None 1 Ro‸]", "Round"),
        ("[type T [Round Int]]\n[match s [Ro‸]]", "Round"),
        ("[match s [Some [So‸", "Some"),
        ("[type Shape Round]\n[sig f : Sh‸]", "Shape"),
        ("[type Shape [Ball Fl‸]]", "Float"),
        ("[le‸", "let"),
        ("[pub le‸]", "let"),
        ("[FIL‸]", "fillet"),
        ("[flt‸]", "fillet"),
        ("[Fil‸]", "Fillet"),
        ("[match s [Fil‸]]", "Fillet"),
    ],
)
def test_a_name_that_can_be_used_is_offered(marked: str, offered: str) -> None:
    assert offered in labels(marked)


@pytest.mark.parametrize(
    ("marked", "refused"),
    [
        ("[let y wi‸]\n[fn f [width] 1]", "width"),
        ("[fn f [] [let y wi‸] [let width 3]]", "width"),
        ("[match s [Some width] 1 None wi‸]", "width"),
        ("[fn f [width] [type Shape [Sq Float [fn area [x] [str wi‸]]]]]", "width"),
        ("[let y [map [fn [width] 1] wi‸]]", "width"),
        ("[str le‸]", "let"),
        ("[str Fa‸]", "Fail.fail"),
        ("[macro widen [x] `~x]\n[str wi‸]", "widen"),
        ("[match s le‸]", "len"),
        ("[get m :wid‸]", ":wid"),
        ("[fil‸]", "Fillet"),
    ],
)
def test_a_name_that_cannot_be_used_is_not_offered(marked: str, refused: str) -> None:
    assert refused not in labels(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "; wi‸",
        '"wi‸',
        '"wi‸"',
        '"{{wi‸"',
        '"a {width} wi‸"',
        "[let wi‸",
        "[let mut wi‸",
        "[let [wi‸",
        "[let [a wi‸",
        "[fn wi‸",
        "[fn f [wi‸",
        "[fn f [[a wi‸",
        "[type Wi‸",
        "[macro wi‸",
        "12‸",
    ],
)
def test_nothing_is_offered_in_comments_and_strings_and_for_new_names(marked: str) -> None:
    assert labels(marked + "\n[let width 3]") == []


@pytest.mark.parametrize(
    ("marked", "stretch"),
    [
        ("[starts-wi‸]", "starts-wi"),
        ("[push!‸ v]", "push!"),
        ("[str a<=‸]", "a<="),
        ("[str ab‸cd]", "abcd"),
        ("[str ‸abcd]", ""),
        ("[get m :wid‸th]", ":width"),
        ("[get m :‸]", ":"),
        ("[str \U0001f600x‸]", "x"),
        ('"{wi‸', "wi"),
    ],
)
def test_what_is_replaced_is_a_loon_symbol(marked: str, stretch: str) -> None:
    text, _ = at_mark(marked)
    found = completed(marked)
    assert text[found.start : found.end] == stretch


def test_locals_come_before_definitions_and_these_before_the_world_outside() -> None:
    text = "[let length-b 1]\n[fn f [len-a] [str len‸]]"
    assert labels(text)[:3] == ["len-a", "len", "length-b"] or labels(text)[:3] == [
        "len-a",
        "length-b",
        "len",
    ]
    assert labels(text) == ["len-a", "length-b", "len"]


def test_names_that_begin_as_typed_come_before_those_that_hold_the_letters() -> None:
    assert labels("[fn f [al-ef-nu] [str le‸]]") == ["len", "al-ef-nu", "fillet"]


def test_a_name_is_offered_once_and_the_nearest_meaning_is_described() -> None:
    items = completed("[fn f [len] [str le‸]]").items
    assert [(item.label, item.kind) for item in items if item.label == "len"] == [("len", "parameter")]


def test_an_item_says_how_it_is_written_and_what_it_is_for() -> None:
    (item,) = completed("; Bends a part.\n[fn bend [angle part] part]\n[ben‸]").items
    assert (item.detail, item.doc, item.kind) == ("[bend angle part]", "Bends a part.", "function")
    (item,) = completed("[fille‸]").items
    assert (item.detail, item.doc, item.kind) == ("Real -> Solid -> Solid", "Rounds edges.", "function")
