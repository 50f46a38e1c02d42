"""What is said about a name, about the call around a cursor, and about a text as a whole."""

from __future__ import annotations

import pytest

from tests.loon.analysis.marked import WORLD, at_mark
from vcad_kernel.loon.analysis import Document, KnownEntries, complete, describe, signature_at
from vcad_kernel.loon.analysis.exports import exports
from vcad_kernel.loon.analysis.symbols import OutlineSymbol, outline
from vcad_kernel.loon.reference_entries.table import ENTRIES

TYPED = KnownEntries({**ENTRIES, "fillet": WORLD.known["fillet"]})


@pytest.mark.parametrize(
    ("marked", "usage", "doc"),
    [
        ("[le‸n v]", "[len c]", "How many items there are."),
        ("[len‸ v]", "[len c]", "How many items there are."),
        ("[‸len v]", "[len c]", "How many items there are."),
        ("; Twice as much.\n[fn double [x] [* 2 x]]\n[dou‸ble 4]", "[double x]", "Twice as much."),
        (
            ";; First.\n;; Second.\n[pub fn f ([a] 1) ([a & more] 2)]\n[‸f]",
            "[f a] | [f a & more]",
            "First.\nSecond.",
        ),
        ("; Far above.\n\n[let k 1]\n[str ‸k]", "k", ""),
        ("[fn f [x] [str ‸x]]", "x", "A parameter of the surrounding function."),
        ("[fn f [] [let x 1] ‸x]", "x", "A variable of the surrounding function."),
        ("[type Shape\n  ; A round one.\n  [Ball Float]]\n[Ba‸ll 1.0]", "[Ball Float]", "A round one."),
        ("[type V [P :x Int]]\n[‸P 1]", "[P :x Int]", ""),
        ("[let f [fn [a [b c]] 1]]\n[‸f 1 2]", "[f a [b c]]", ""),
        ("[effect Store [fn get [k]]]\n[Store.ge‸t 1]", "[Store.get k]", ""),
        ("[Fail.fa‸il 1]", "[Fail.fail message]", ""),
        ("[Fa‸il.fail 1]", "Fail", "Operations: Fail.fail."),
        ("[use lib.plate :as p]\n[p.ho‸le 1 2]", "[hole d part]", "A hole through a plate."),
        ("[use lib.plate [hole]]\n[ho‸le 1 2]", "[hole d part]", "A hole through a plate."),
        ("[use lib.plate :as p]\n[p‸.hole 1 2]", "p", "The module lib.plate: hole, thickness."),
        ("[le‸t x 1]", "[let pattern value]", ""),
    ],
)
def test_a_name_is_described(marked: str, usage: str, doc: str) -> None:
    entry = describe(*at_mark(marked), WORLD)
    assert entry is not None
    assert (entry.usage, entry.doc) == (usage, doc)


@pytest.mark.parametrize(
    ("marked", "known"),
    [
        ("[fn area [w h] [* w [+ h 1]]]\n[ar‸ea 1 2]", "Num → Num → Num"),
        ("[fn area [w h] [* w‸ [+ h 1]]]", "Num"),
        ("[fn bend [part] [fillet 2 pa‸rt]]", "Solid"),
        ("[fn f [s] [match s [Some q] [str q‸ 1] None 2]]", "a"),
        ("[let sizes #[1 2]]\n[str si‸zes]\n[fn broken [", "Vec Num"),
        ("[macro inc [x] `[+ ~x 1]]\n[fn f [n] [inc n]]\n[‸f 1]", "Num → Num"),
        ("[len‸ v]", "Vec a -> Num"),
    ],
)
def test_a_name_has_the_type_that_the_checker_finds(marked: str, known: str) -> None:
    entry = describe(*at_mark(marked), TYPED)
    assert entry is not None
    assert entry.type == known


def test_a_local_is_completed_with_its_type() -> None:
    text, offset = at_mark("[fn f [width] [* width 2] [str wid‸]]")
    (item,) = complete(text, offset, TYPED).items
    assert (item.label, item.detail) == ("width", "Num")


def test_a_name_of_the_text_says_where_it_is_defined() -> None:
    text, offset = at_mark("\n[let wall 3]\n[str wa‸ll]")
    entry = describe(text, offset, WORLD, "cell 1")
    assert entry is not None
    assert entry.place is not None
    assert (entry.place.file, entry.place.line, entry.place.column) == ("cell 1", 2, 6)


@pytest.mark.parametrize(
    "marked", ["[gho‸st 1]", "; le‸n", '"le‸n"', "[len ‸ v]", "4‸2", ":le‸n", "‸", "[str le‸t]"]
)
def test_where_no_name_is_known_nothing_is_said(marked: str) -> None:
    assert describe(*at_mark(marked), WORLD) is None


@pytest.mark.parametrize(
    ("marked", "usage", "active"),
    [
        ("[map ‸", "[map f v]", "f"),
        ("[map f ‸", "[map f v]", "v"),
        ("[map f v‸]", "[map f v]", "v"),
        ("[map f v ‸]", "[map f v]", None),
        ("[map [fn [x] [str x ‸]] v]", "[str x …]", "x"),
        ("[map [fn [x] x] ‸", "[map f v]", "v"),
        ("[min v‸]", "[min v]", "v"),
        ("[min a ‸b]", "[min a b]", "b"),
        ("[pipe v [map ‸]]", "[map f v]", "f"),
        ("[fn bend [angle part] part]\n[bend 30 ‸", "[bend angle part]", "part"),
        ("[fn f ([a] 1) ([a b] 2)]\n[f 1 ‸", "[f a b]", "b"),
        ("[fn f [a & more] 1]\n[f 1 2 3 ‸", "[f a & more]", "more"),
        ('"{[map f ‸]}"', "[map f v]", "v"),
    ],
)
def test_the_call_around_a_cursor_shows_the_argument_being_written(
    marked: str, usage: str, active: str | None
) -> None:
    found = signature_at(*at_mark(marked), WORLD)
    assert found is not None
    shown = None if found.active is None else found.usage[slice(*found.parameters[found.active])]
    assert (found.usage, shown) == (usage, active)


@pytest.mark.parametrize("marked", ["‸", "[ma‸p", "[ghost ‸", "#[1 ‸", "[map f v]‸", "; [map ‸"])
def test_outside_of_a_known_call_there_is_no_signature(marked: str) -> None:
    assert signature_at(*at_mark(marked), WORLD) is None


def shape(symbols: list[OutlineSymbol]) -> list[tuple[str, str, object]]:
    return [(one.name, one.kind, shape(one.children)) for one in symbols]


def test_the_outline_shows_what_a_text_defines_even_if_half_typed() -> None:
    text = "[type S\n [Ball Float [fn area [r] 1]]\n Point]\n[fn f [x] [fn g\n[let [a b] v]\n[test works [] 1"
    assert shape(outline(Document(text))) == [
        (
            "S",
            "type",
            [("Ball", "constructor", [("area", "method", [])]), ("Point", "constructor", [])],
        ),
        ("f", "function", [("g", "function", [])]),
        ("a", "variable", []),
        ("b", "variable", []),
        ("works", "test", []),
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[let k 3] [fn f [] k]", ["k", "f"]),
        ("[let k 3] [pub fn f [] k]", ["f"]),
        ("[pub type Sh [Sq Float] Pt] [let k 3]", ["Sq", "Pt"]),
        ("[pub [let [a b] v]] [macro m [] `1]", ["a", "b"]),
        ("[impl Show Box [fn m [b] 1]]", ["Box.m"]),
        ("[use lib [x]] [let y x] [macro m [] `1]", ["y"]),
        ("", []),
    ],
)
def test_a_module_exports_what_is_marked_or_else_everything(text: str, names: list[str]) -> None:
    assert list(exports(text, "m.oo")) == names
